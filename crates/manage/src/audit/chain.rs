//! A chain of lines in daily files: each line contains the hash of the one before it, so that
//! changed, cut or removed lines are found (HT-40).

mod reading;

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookloop_host::{make_private_folder, private_options};
use hookloop_settings::bounded::open_regular;
use hookloop_settings::lock_within;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use reading::Reading;
pub use reading::{Problem, Verified};

/// The hash that precedes the first line.
const START: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The last field of a line; what precedes it is what is hashed.
const HASH: &str = ",\"hash\":\"";

/// Marks a line that no session vouches for.
pub(super) const VOUCHED: &str = "vouched";

/// Marks a line after an incomplete one.
const TORN: &str = "after_torn_line";

/// Marks a line that was written when the end of the chain wasn't known.
const LOST: &str = "after_lost_end";

/// The day of a line whose time can't be read.
const UNDATED: &str = "undated";

/// How many bytes of a file's end are read at first.
const END_BYTES: u64 = 64 * 1024;

/// How long to wait for other programs that write.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// The lines of an audit.
pub(super) struct Chain {
    folder: PathBuf,
}

/// The end of the chain, stored separately, so that lines removed from the end are noticed.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    number: u64,
    hash: String,
}

/// A parsed line.
#[derive(Debug, Clone)]
struct Line {
    /// When it was written.
    at: String,
    number: u64,
    previous: String,
    hash: String,
    /// Whether it is marked as following an incomplete line.
    is_after_torn: bool,
    /// Whether it is marked as written when the end of the chain wasn't known.
    is_after_lost: bool,
    is_unvouched: bool,
}

/// The end of the files.
#[derive(Debug, Default)]
struct Tail {
    /// The newest file's name without its extension.
    day: Option<String>,
    /// The last readable line.
    last: Option<Line>,
    /// Whether something unreadable follows it.
    is_torn: bool,
}

/// Where and how the next line is appended.
struct Joint {
    head: Head,
    /// The mark for the line.
    mark: Option<&'static str>,
    /// The message for the user.
    message: Option<String>,
}

impl Chain {
    pub(super) const fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    fn head(&self) -> PathBuf {
        self.folder.join("head.json")
    }

    /// Reads the stored end of the chain. The error says why it can't be read.
    fn read_head(&self) -> Result<Option<Head>, String> {
        let bytes = match read_regular(&self.head()) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let head = serde_json::from_slice(&bytes);
        head.map(Some).map_err(|error| error.to_string())
    }

    /// Takes the lock, waiting for other programs for a limited time.
    fn locked(&self) -> io::Result<File> {
        make_private_folder(&self.folder)?;
        let path = self.folder.join("lock");
        expect_regular(&path)?;
        let lock = private_options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)?;
        lock_within(&lock, &path, MAX_WAIT)?;
        Ok(lock)
    }

    /// Starts a chain if there is none.
    pub(super) fn begin(&self) -> io::Result<()> {
        let _lock = self.locked()?;
        match (self.read_head(), self.tail()?.last) {
            (Ok(None), None) => self.keep(&Head::start()),
            _ => Ok(()),
        }
    }

    /// Appends a line to the file of a day; several programs may do so concurrently. The line is
    /// appended in any case, and irregularities are returned, to be reported.
    pub(super) fn append(
        &self,
        mut entry: Map<String, Value>,
        now: &str,
    ) -> io::Result<Option<String>> {
        let _lock = self.locked()?;
        let tail = self.tail()?;
        let Joint {
            head,
            mark,
            message,
        } = self.joint(&tail);
        let number = head.number + 1;
        entry.insert("number".to_owned(), json!(number));
        entry.insert("previous".to_owned(), json!(head.hash));
        entry.extend(mark.map(|mark| (mark.to_owned(), json!(true))));
        let mut text = Value::Object(entry).to_string();
        text.pop();
        let hash = hash(&text);
        // Lines stay in order even if the clock was set back.
        let day = now.get(..10).unwrap_or(UNDATED);
        let day = tail.day.as_deref().map_or(day, |newest| newest.max(day));
        let path = self.folder.join(format!("{day}.jsonl"));
        expect_regular(&path)?;
        let mut file = private_options().create(true).append(true).open(&path)?;
        // An incomplete line before it ends up on a line of its own, where it is found.
        let whole = ends_a_line(&path)?;
        let begin = if whole { "" } else { "\n" };
        file.write_all(format!("{begin}{text}{HASH}{hash}\"}}\n").as_bytes())?;
        self.keep(&Head { number, hash })?;
        Ok(message)
    }

    /// Determines what the next line follows.
    fn joint(&self, tail: &Tail) -> Joint {
        let folder = self.folder.display();
        let look = "check it with `hookloop audit verify`";
        let without_end = |why: &str| Joint {
            head: tail.last.as_ref().map_or_else(Head::start, Head::of),
            mark: Some(LOST),
            message: Some(format!(
                "the audit in {folder} continues, but its end isn't known: head.json {why}; {look}"
            )),
        };
        let (head, last) = match (self.read_head(), &tail.last) {
            (Err(why), _) => return without_end(&format!("can't be read ({why})")),
            (Ok(None), Some(_)) => return without_end("is gone"),
            (Ok(None), None) => {
                return Joint {
                    head: Head::start(),
                    mark: None,
                    message: Some(format!("a new audit begins in {folder}: there was none")),
                };
            }
            (Ok(Some(head)), last) => (head, last.as_ref()),
        };
        let ends_there = last.map_or(head.number == 0, |it| it.hash == head.hash);
        match last.filter(|it| it.follows(&head)) {
            // The program was ended after writing the line, but before recording it as the last.
            Some(last) => Joint {
                head: Head::of(last),
                mark: None,
                message: None,
            },
            None if ends_there && tail.is_torn => Joint {
                head,
                mark: Some(TORN),
                message: Some(format!(
                    "a line of the audit in {folder} was cut off while it was being written, and \
                     is lost: the program that wrote it was ended"
                )),
            },
            None if ends_there => Joint {
                head,
                mark: None,
                message: None,
            },
            None => Joint {
                head,
                mark: None,
                message: Some(format!(
                    "the audit in {folder} doesn't end where it did before: lines were changed or \
                     removed; {look}"
                )),
            },
        }
    }

    fn keep(&self, head: &Head) -> io::Result<()> {
        let new = self.folder.join("head.new");
        expect_regular(&new)?;
        let mut file: File = private_options()
            .create(true)
            .truncate(true)
            .write(true)
            .open(&new)?;
        file.write_all(&serde_json::to_vec(head).map_err(io::Error::other)?)?;
        fs::rename(new, self.head())
    }

    /// Returns the names of the files, the oldest first.
    fn names(&self) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut names: Vec<String> = entries
            .filter_map(|it| it.ok()?.file_name().into_string().ok())
            .filter(|it| Path::new(it).extension().is_some_and(|it| it == "jsonl"))
            .collect();
        names.sort();
        Ok(names)
    }

    /// Reads the end of the newest files.
    fn tail(&self) -> io::Result<Tail> {
        let mut tail = Tail::default();
        let mut has_broken = false;
        for name in self.names()?.into_iter().rev() {
            let path = self.folder.join(&name);
            if expect_regular(&path).is_err() {
                continue;
            }
            tail.day
                .get_or_insert_with(|| name.trim_end_matches(".jsonl").to_owned());
            let end = last_lines(&path)?;
            let is_open = !end.is_empty() && !end.ends_with('\n');
            for line in end.split('\n').rev().filter(|it| !it.is_empty()) {
                tail.last = Line::read(line).filter(|it| it.is_unchanged(line));
                if tail.last.is_some() {
                    return Ok(tail);
                }
                // A program that was ended leaves exactly one incomplete line.
                tail.is_torn = !has_broken && is_open;
                has_broken = true;
            }
        }
        Ok(tail)
    }

    /// Reads the whole chain and returns its problems; `guard` is the place of the guard `audit`,
    /// if it is configured.
    pub(super) fn verify(&self, guard: Option<&str>) -> io::Result<Verified> {
        let names = self.names()?;
        let mut reading = Reading::new(names.len());
        for name in &names {
            reading.file(name, &self.folder.join(name))?;
        }
        let newest = names.last().map(String::as_str);
        Ok(reading.compare_head(self, guard, newest))
    }
}

impl Head {
    fn start() -> Self {
        Self {
            number: 0,
            hash: START.to_owned(),
        }
    }

    fn of(line: &Line) -> Self {
        Self {
            number: line.number,
            hash: line.hash.clone(),
        }
    }
}

impl Line {
    fn read(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        let text = |key: &str| value.get(key)?.as_str().map(str::to_owned);
        Some(Self {
            at: text("at").unwrap_or_default(),
            number: value.get("number")?.as_u64()?,
            previous: text("previous")?,
            hash: text("hash")?,
            is_after_torn: value.get(TORN).is_some(),
            is_after_lost: value.get(LOST).is_some(),
            is_unvouched: value.get(VOUCHED) == Some(&Value::Bool(false)),
        })
    }

    /// Returns whether this line follows the end of a chain.
    fn follows(&self, head: &Head) -> bool {
        self.number == head.number + 1 && self.previous == head.hash
    }

    fn is_unchanged(&self, line: &str) -> bool {
        line.rsplit_once(HASH).is_some_and(|(text, rest)| {
            hash(text) == self.hash && rest.len() == self.hash.len() + 2
        })
    }
}

fn hash(text: &str) -> String {
    format!("{:x}", Sha256::digest(text.as_bytes()))
}

/// Returns an error for anything but a regular file: opening a pipe without a writer would block
/// forever (TR-10).
fn expect_regular(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(about) if !about.is_file() => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{} isn't a regular file", path.display()),
        )),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let (mut file, _) = open_regular(path)?;
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut file, &mut bytes)?;
    Ok(bytes)
}

/// Reads the end of a file, with at least one complete line if there is one.
fn last_lines(path: &Path) -> io::Result<String> {
    use std::io::{Read as _, Seek as _, SeekFrom};

    let mut file = open_regular(path)?.0;
    let length = file.metadata()?.len();
    let mut wanted = END_BYTES;
    loop {
        let from = length.saturating_sub(wanted);
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        (&mut file).take(length - from).read_to_end(&mut bytes)?;
        let breaks = bytes.split(|it| *it == b'\n').count() - 1;
        // Text before the first line break may be the end of a line.
        if from == 0 || breaks > 2 {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let begin = if from == 0 {
                0
            } else {
                text.find('\n').map_or(0, |at| at + 1)
            };
            return Ok(text[begin..].to_owned());
        }
        wanted *= 8;
    }
}

/// Returns whether a file is empty or ends with a line break.
fn ends_a_line(path: &Path) -> io::Result<bool> {
    use std::io::{Read as _, Seek as _, SeekFrom};

    let mut file = open_regular(path)?.0;
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests;
