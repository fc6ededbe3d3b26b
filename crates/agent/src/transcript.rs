//! The session's transcript on disk (SE-10).

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookloop_engine::{Clock, SystemClock};
use hookloop_events::AgentIdentity;
use hookloop_model::{Content, FunctionResponse, Usage};
use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::private;

/// Writes a session's transcript as JSON lines, each of which is on disk before the next hook runs.
#[derive(Debug, Clone)]
pub struct Transcript {
    path: PathBuf,
    writer: Arc<Mutex<Writer>>,
    /// The sub-agent whose conversation is written, unless it is that of the session's own agent.
    agent: Option<AgentIdentity>,
}

/// The file, which sub-agents write to as well.
#[derive(Debug)]
struct Writer {
    file: File,
    beginning: Beginning,
    /// What couldn't be written yet, possibly from the middle of a line on: it is written first, so
    /// that no line is ever broken in the middle.
    unwritten: Vec<u8>,
    failure: Option<io::Error>,
}

/// An entry as it is in the file. Those of a sub-agent name it, and a resumed session doesn't treat
/// them as its own (SE-11).
#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    entry: &'a Entry<'a>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    agent: Option<&'a AgentIdentity>,
}

/// Whether a transcript says which session it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beginning {
    Missing,
    Written,
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
        /// The model that said it.
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<&'a str>,
        /// What the model's service counted.
        #[serde(skip_serializing_if = "Option::is_none")]
        usage: Option<&'a Usage>,
    },
    /// A tool call is finished; its result is in the message that follows.
    ToolCall(ToolCallEntry<'a>),
    /// The model's history was cleared (AA-4).
    ContextCleared { timestamp: String },
    /// The user went back: this many messages of the history are left (`/rewind`).
    Rewound { timestamp: String, messages: usize },
    /// The model's history was replaced by a shorter one (LO-5).
    Compressed {
        timestamp: String,
        history: Vec<&'a Content>,
    },
}

/// What a transcript stores about a tool call besides its result.
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
    /// What the model gets, if other calls run before the message with all results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) response: Option<&'a FunctionResponse>,
}

/// How much of a file is read at a time to find the last line end.
const BLOCK: usize = 64 * 1024;

/// Completes a last line that lacks its end: a crash cut it while it was written. If it can be
/// parsed, only the line end is missing, otherwise it is removed.
fn end_last_line(file: &mut File) -> io::Result<()> {
    let length = file.seek(SeekFrom::End(0))?;
    let start = start_of_last_line(file, length)?;
    if start == length {
        return Ok(());
    }
    file.seek(SeekFrom::Start(start))?;
    let mut line = Vec::new();
    file.read_to_end(&mut line)?;
    if serde_json::from_slice::<IgnoredAny>(&line).is_ok() {
        file.write_all(b"\n")
    } else {
        file.set_len(start)
    }
}

fn start_of_last_line(file: &mut File, length: u64) -> io::Result<u64> {
    let mut block = vec![0; BLOCK];
    let mut end = length;
    while end > 0 {
        let size = usize::try_from(end).map_or(BLOCK, |end| end.min(BLOCK));
        let start = end - size as u64;
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut block[..size])?;
        if let Some(place) = block[..size].iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + place as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

impl Transcript {
    /// Opens a session's transcript for appending, and creates it for a new session. An incomplete
    /// last line, from a crash, is completed or removed, so that nothing is appended to it (SE-10).
    /// Only the user can read the file and its folder.
    ///
    /// # Errors
    /// It can't be read or written, or another session is writing it: two conversations in one file
    /// would be one that neither model has had (SE-11).
    pub fn open(path: PathBuf) -> io::Result<Self> {
        let mut file = private::open(&path)?;
        private::claim(&file)?;
        end_last_line(&mut file)?;
        let beginning = match file.metadata()?.len() {
            0 => Beginning::Missing,
            _ => Beginning::Written,
        };
        let writer = Writer {
            file,
            beginning,
            unwritten: Vec::new(),
            failure: None,
        };
        Ok(Self {
            path,
            writer: Arc::new(Mutex::new(writer)),
            agent: None,
        })
    }

    /// Returns the same transcript for what a sub-agent says and does (TO-4).
    pub(crate) fn for_agent(&self, agent: AgentIdentity) -> Self {
        Self {
            path: self.path.clone(),
            writer: Arc::clone(&self.writer),
            agent: Some(agent),
        }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the session's identity, unless the file contains it. Call this before revealing the
    /// session's id to anybody: from then on, the session can be resumed (SE-11).
    pub fn begin(&self, session_id: &str, project_root: &Path) {
        let beginning = std::mem::replace(&mut self.writer().beginning, Beginning::Written);
        if beginning == Beginning::Missing {
            self.append(&Entry::Session {
                session_id,
                project_root,
                timestamp: SystemClock.now(),
            });
        }
    }

    /// Appends an entry in one write. A full disk must not end the session; the failure is kept for
    /// [`take_failure`](Self::take_failure), and what couldn't be written is tried again with the
    /// next entry.
    pub(crate) fn append(&self, entry: &Entry<'_>) {
        let line = Line {
            entry,
            agent: self.agent.as_ref(),
        };
        let mut writer = self.writer();
        if let Err(error) = writer.append(&line) {
            writer.failure.get_or_insert(error);
        }
    }

    /// Takes the first write failure that hasn't been reported.
    pub(crate) fn take_failure(&self) -> Option<io::Error> {
        self.writer().failure.take()
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        // What isn't written yet stays complete, so a poisoned lock guards nothing broken.
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Writer {
    fn append(&mut self, line: &Line<'_>) -> io::Result<()> {
        serde_json::to_writer(&mut self.unwritten, line)?;
        self.unwritten.push(b'\n');
        self.write()
    }

    fn write(&mut self) -> io::Result<()> {
        let mut written = 0;
        let end = loop {
            match self.file.write(&self.unwritten[written..]) {
                Ok(0) => break Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => break Err(error),
            }
            if written == self.unwritten.len() {
                break Ok(());
            }
        };
        self.unwritten.drain(..written);
        end
    }
}
