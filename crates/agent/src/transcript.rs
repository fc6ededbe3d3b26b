//! The session's transcript on disk (SE-10).

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookloop_events::AgentIdentity;
use hookloop_model::Content;
use serde::Serialize;
use serde_json::{Map, Value};

/// Writes a session's transcript: JSON lines, each on disk before the next hook runs.
#[derive(Debug)]
pub struct Transcript {
    path: PathBuf,
    writer: Arc<Mutex<Writer>>,
    /// The sub-agent whose conversation is written, if it is not that of the session's own agent.
    agent: Option<AgentIdentity>,
}

/// The file, which sub-agents write to as well.
#[derive(Debug)]
struct Writer {
    file: File,
    failure: Option<io::Error>,
}

/// An entry as it stands in the file. Those of a sub-agent name it, and a resumed session does
/// not take them for its own (SE-11).
#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    entry: &'a Entry<'a>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    agent: Option<&'a AgentIdentity>,
}

/// One line of a transcript.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Entry<'a> {
    /// The session began.
    Session {
        session_id: &'a str,
        project_root: &'a Path,
        timestamp: String,
    },
    /// Something was said.
    Message {
        timestamp: String,
        content: &'a Content,
    },
    /// A tool call is over; its result stands in the message that follows.
    ToolCall(ToolCallEntry<'a>),
    /// The model's history was cleared (AA-4).
    ContextCleared { timestamp: String },
    /// The model's history was replaced by a shorter one (LO-5).
    Compressed {
        timestamp: String,
        history: Vec<&'a Content>,
    },
}

/// What a transcript keeps of a tool call beside its result.
#[derive(Debug, Serialize)]
pub(crate) struct ToolCallEntry<'a> {
    pub(crate) timestamp: String,
    pub(crate) tool_call_id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) args: &'a Map<String, Value>,
    pub(crate) success: bool,
    /// What hooks told the user (AT-5).
    #[serde(rename = "hookMessages", skip_serializing_if = "<[_]>::is_empty")]
    pub(crate) hook_messages: &'a [String],
    /// The hooks' own fields (AT-5).
    #[serde(rename = "hookData", skip_serializing_if = "Map::is_empty")]
    pub(crate) hook_data: &'a Map<String, Value>,
}

/// Takes away a last line without its end: a crash cut it while it was written.
fn drop_cut_line(file: &mut File) -> io::Result<()> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut end = length;
    let mut byte = [0];
    while end > 0 {
        file.seek(SeekFrom::Start(end - 1))?;
        file.read_exact(&mut byte)?;
        if byte == *b"\n" {
            break;
        }
        end -= 1;
    }
    if end < length {
        file.set_len(end)
    } else {
        Ok(())
    }
}

impl Transcript {
    /// Opens a session's transcript for what comes next, and creates it for a new session. A
    /// last line that a crash cut is taken away, so that nothing is added to it (SE-10).
    pub fn open(path: PathBuf) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut file = OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .open(&path)?;
        drop_cut_line(&mut file)?;
        let writer = Writer {
            file,
            failure: None,
        };
        Ok(Self {
            path,
            writer: Arc::new(Mutex::new(writer)),
            agent: None,
        })
    }

    /// Returns the same transcript for what a sub-agent says and does (TO-4).
    pub(crate) fn of_agent(&self, agent: AgentIdentity) -> Self {
        Self {
            path: self.path.clone(),
            writer: Arc::clone(&self.writer),
            agent: Some(agent),
        }
    }

    /// Returns the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends an entry in one write. A disk that is full must not end the session; the
    /// failure is kept for [`take_failure`](Self::take_failure).
    pub(crate) fn append(&mut self, entry: &Entry<'_>) {
        let line = Line {
            entry,
            agent: self.agent.as_ref(),
        };
        let mut writer = self.writer();
        let written = serde_json::to_vec(&line)
            .map_err(io::Error::from)
            .and_then(|mut line| {
                line.push(b'\n');
                writer.file.write_all(&line)
            });
        if let Err(error) = written {
            writer.failure.get_or_insert(error);
        }
    }

    /// Takes the first failure to write that nobody was told of.
    pub(crate) fn take_failure(&mut self) -> Option<io::Error> {
        self.writer().failure.take()
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        // Each entry is one write, so a poisoned lock guards nothing broken.
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
