//! Transcripts for hooks of other agents, kept up to date at each of their runs (FD-13).

use std::collections::HashMap;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use hookloop_dialects::{
    AGENT_TRANSCRIPT, ForeignTranscript, UNTOLD, foreign_transcript, foreign_transcript_of_agent,
};
use hookloop_engine::Translation;
use hookloop_engine::events::EventName;
use hookloop_hook::Dialect;
use hookloop_settings::bounded::{open_regular, read_start, unwaiting_options};
use serde_json::{Map, Value};

/// The transcripts in the forms of other agents.
#[derive(Debug, Default)]
pub(crate) struct Transcripts {
    mirrors: Mutex<HashMap<PathBuf, Mirror>>,
}

/// One transcript, and how far ours was read for it.
#[derive(Debug)]
struct Mirror {
    ours: File,
    theirs: File,
    form: ForeignTranscript,
    /// The beginning of a line whose end isn't written yet.
    partial_line: Vec<u8>,
}

impl Transcripts {
    /// Returns what a hook of another dialect reads beside an event's own fields (FD-10, FD-13).
    pub(crate) fn additional_fields(&self, translation: &Translation<'_>) -> Map<String, Value> {
        let Translation { hook, session, .. } = translation;
        let mut beside = Map::new();
        // If the translation can't be written, the hook reads our transcript.
        if let Some(Ok(path)) = self.of(hook.dialect, &session.transcript_path) {
            let path = path.to_string_lossy().into_owned();
            beside.insert("transcript_path".to_owned(), Value::String(path));
        }
        if hook.event == EventName::AfterAgent
            && let Some(agent) = translation
                .fields()
                .and_then(|it| it.get("agent_id")?.as_str())
            && let Some(Ok(path)) =
                self.agent_transcript(hook.dialect, &session.transcript_path, agent)
        {
            let path = path.to_string_lossy().into_owned();
            beside.insert(AGENT_TRANSCRIPT.to_owned(), Value::String(path));
        }
        if hook.dialect_event.as_deref() == Some("beforeReadFile") {
            let fields = translation.fields();
            match fields.map_or(Ok(None), |ours| texts_to_be_read(ours, &session.cwd)) {
                Ok(text) => {
                    beside.extend(text.map(|it| ("file_content".to_owned(), Value::String(it))));
                }
                Err(why) => _ = beside.insert(UNTOLD.to_owned(), Value::String(why)),
            }
        }
        beside
    }

    /// Updates the transcript of a dialect, and returns where it is. Returns `None` if ours isn't a
    /// transcript, or if the dialect reads ours.
    pub(crate) fn of(&self, dialect: Dialect, ours: &Path) -> Option<io::Result<PathBuf>> {
        let theirs = foreign_transcript(dialect, ours)?;
        // A mirror is taken out while it is updated. If that fails, its state is read from the
        // files again.
        let mut mirrors = self.mirrors.lock().unwrap_or_else(PoisonError::into_inner);
        let updated = match mirrors.remove(&theirs) {
            Some(mirror) => mirror.update(),
            None => Mirror::open(dialect, ours, &theirs, None).transpose()?,
        };
        Some(updated.map(|mirror| {
            mirrors.insert(theirs.clone(), mirror);
            theirs
        }))
    }

    /// Updates the transcript of what only a sub-agent said and did, and returns where it is.
    fn agent_transcript(
        &self,
        dialect: Dialect,
        ours: &Path,
        agent: &str,
    ) -> Option<io::Result<PathBuf>> {
        let theirs = foreign_transcript_of_agent(dialect, ours, agent)?;
        // Only one at a time. The sub-agent is ending, so its mirror isn't kept open.
        let _mirrors = self.mirrors.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = Mirror::open(dialect, ours, &theirs, Some(agent)).transpose()?;
        Some(opened.map(|_| theirs))
    }
}

impl Mirror {
    /// Opens both, and adds what theirs lacks; nothing if ours isn't a transcript.
    fn open(
        dialect: Dialect,
        ours: &Path,
        theirs: &Path,
        agent: Option<&str>,
    ) -> io::Result<Option<Self>> {
        let Ok((mut ours, _)) = open_regular(ours) else {
            return Ok(None);
        };
        let mut text = Vec::new();
        ours.read_to_end(&mut text)?;
        let Some(end) = text.iter().position(|byte| *byte == b'\n') else {
            return Ok(None);
        };
        let first = String::from_utf8_lossy(&text[..end]);
        let Some(form) = ForeignTranscript::begin(dialect, &first) else {
            return Ok(None);
        };
        let form = match agent {
            Some(agent) => form.for_agent(agent),
            None => form,
        };
        if let Some(folder) = theirs.parent() {
            make_folder(folder)?;
        }
        let mut mirror = Self {
            ours,
            theirs: private()
                .read(true)
                .create(true)
                .append(true)
                .open(theirs)?,
            form,
            partial_line: Vec::new(),
        };
        let translated = mirror.translate(&text[end + 1..]);
        let mut known = Vec::new();
        mirror.theirs.seek(SeekFrom::Start(0))?;
        mirror.theirs.read_to_end(&mut known)?;
        let new = if let Some(new) = translated.as_bytes().strip_prefix(&known[..]) {
            new
        } else {
            // Somebody else has changed the file, so it is rewritten.
            mirror.theirs.set_len(0)?;
            translated.as_bytes()
        };
        mirror.theirs.write_all(new)?;
        Ok(Some(mirror))
    }

    /// Adds what was added to ours.
    fn update(mut self) -> io::Result<Self> {
        let mut text = Vec::new();
        self.ours.read_to_end(&mut text)?;
        if !text.is_empty() {
            let new = self.translate(&text);
            self.theirs.write_all(new.as_bytes())?;
        }
        Ok(self)
    }

    fn translate(&mut self, text: &[u8]) -> String {
        self.partial_line.extend_from_slice(text);
        let last_break = self.partial_line.iter().rposition(|byte| *byte == b'\n');
        let rest = self
            .partial_line
            .split_off(last_break.map_or(0, |end| end + 1));
        let lines = std::mem::replace(&mut self.partial_line, rest);
        let lines = String::from_utf8_lossy(&lines);
        lines.lines().map(|line| self.form.next(line)).collect()
    }
}

/// The longest text of files that a hook gets, in bytes. It is never cut: what a hook doesn't see
/// would still be read.
const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// Returns the text of the files that a call is about to read, according to the only argument that
/// its tool uses; nothing if none can be read.
///
/// # Errors
/// They contain more than a hook gets.
fn texts_to_be_read(ours: &Map<String, Value>, cwd: &Path) -> Result<Option<String>, String> {
    let Some(input) = ours.get("tool_input") else {
        return Ok(None);
    };
    let is_of_several = ours
        .get("tool_name")
        .is_some_and(|it| it == "read_many_files");
    let names: Vec<&Value> = if is_of_several {
        let several = input.get("include").and_then(Value::as_array);
        several.into_iter().flatten().collect()
    } else {
        input.get("file_path").into_iter().collect()
    };
    let mut texts = Vec::new();
    let mut room = MAX_BYTES;
    for name in names.into_iter().filter_map(Value::as_str) {
        let Ok(bytes) = read_start(&cwd.join(name), room + 1) else {
            continue;
        };
        room = room.checked_sub(bytes.len() as u64).ok_or_else(|| {
            format!(
                "the transcript to be read is longer than {MAX_BYTES} bytes, more than any \
                hook gets"
            )
        })?;
        texts.push(String::from_utf8_lossy(&bytes).into_owned());
    }
    Ok((!texts.is_empty()).then(|| texts.join("\n")))
}

/// Returns options that create files that nobody else can read.
pub(crate) fn private() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "rights are lists there"))]
    let mut options = unwaiting_options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates a folder that nobody else can read, with those above it.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGIN: &str = r#"{"type":"session","session_id":"s","project_root":"/p"}"#;

    fn message(text: &str) -> String {
        format!(
            r#"{{"type":"message","timestamp":"t","content":{{"role":"user","parts":[{{"text":"{text}"}}]}}}}"#
        )
    }

    /// FD-13: it grows with ours, nothing that is in it changes, half a line waits for its end,
    /// and a later process continues with it.
    #[test]
    fn it_is_kept_up_to_date_and_only_grows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        std::fs::write(&path, format!("{BEGIN}\n{}\n", message("one"))).unwrap();
        let mut texts = Vec::new();
        let mut look = |transcripts: &Transcripts| {
            let theirs = transcripts.of(Dialect::ClaudeCode, &path).unwrap().unwrap();
            texts.push(std::fs::read_to_string(theirs).unwrap());
        };
        let add = |text: &str| {
            let mut file = OpenOptions::new().append(true).open(&path).unwrap();
            file.write_all(text.as_bytes()).unwrap();
        };
        let first = Transcripts::default();
        look(&first);
        let two = message("two");
        add(&two[..20]);
        look(&first);
        add(&format!("{}\n", &two[20..]));
        look(&first);
        add(&format!("{}\n", message("three")));
        look(&Transcripts::default());
        let counts: Vec<usize> = texts.iter().map(|text| text.lines().count()).collect();
        assert_eq!(counts, [1, 1, 2, 3]);
        for pair in texts.windows(2) {
            assert!(pair[1].starts_with(&pair[0]), "{pair:?}");
        }
    }

    /// IO-31, FD-10: what a model names may be a pipe that nobody writes to, or a device that never
    /// ends: neither is waited for, and the files beside them are read.
    #[cfg(unix)]
    #[test]
    fn only_files_are_read_for_a_hook() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        std::fs::write(folder.path().join("a"), "text").unwrap();
        std::os::unix::fs::symlink("pipe", folder.path().join("link")).unwrap();
        let of = |tool: &str, input: Value| {
            let ours = Map::from_iter([
                ("tool_name".to_owned(), Value::from(tool)),
                ("tool_input".to_owned(), input),
            ]);
            let path = folder.path().to_owned();
            let (answer, answered) = std::sync::mpsc::channel();
            std::thread::spawn(move || answer.send(texts_to_be_read(&ours, &path)));
            let waited = std::time::Duration::from_secs(20);
            answered
                .recv_timeout(waited)
                .expect("it doesn't wait for a pipe")
                .expect("it is short")
        };
        for name in ["pipe", "link", "/dev/zero", ".", "missing"] {
            let input = serde_json::json!({"file_path": name, "include": ["a"]});
            assert_eq!(of("read_file", input), None, "{name}");
        }
        let several = serde_json::json!({"include": ["pipe", "a", "/dev/zero"], "file_path": "b"});
        assert_eq!(of("read_many_files", several).as_deref(), Some("text"));
    }

    /// FD-10, FD-21: what a call is about to read is passed completely or not at all: a missing
    /// part could contain what a hook looks for, however much precedes it.
    #[test]
    fn what_is_read_is_never_cut() {
        let folder = tempfile::tempdir().unwrap();
        let long = std::fs::File::create(folder.path().join("long")).unwrap();
        long.set_len(MAX_BYTES).unwrap();
        std::fs::write(folder.path().join("key"), "AKIA").unwrap();
        let of = |names: &[&str]| {
            let ours = serde_json::json!({"tool_name": "read_many_files",
                "tool_input": {"include": names}});
            texts_to_be_read(ours.as_object().unwrap(), folder.path())
        };
        assert!(of(&["long", "key"]).is_err());
        assert_eq!(of(&["key"]).unwrap().as_deref(), Some("AKIA"));
        assert!(of(&["long"]).is_ok());
    }

    /// FD-13: a foreign transcript stays the one that hooks read.
    #[test]
    fn other_transcripts_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let transcripts = Transcripts::default();
        assert!(transcripts.of(Dialect::ClaudeCode, &path).is_none());
        std::fs::write(&path, "{\"type\":\"user\"}\n").unwrap();
        assert!(transcripts.of(Dialect::ClaudeCode, &path).is_none());
        std::fs::write(&path, format!("{BEGIN}\n")).unwrap();
        assert!(transcripts.of(Dialect::Hookloop, &path).is_none());
    }
}
