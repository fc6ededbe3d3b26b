//! A chain of lines in files by day: each line holds the hash of the one before it, so that one that
//! is changed, cut or taken out is found (HT-40).

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use hookloop_host::{make_private_folder, private_options};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

/// What stands before the first line.
const START: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The last field of a line; what stands before it is what is hashed.
const HASH: &str = ",\"hash\":\"";

/// The lines of an audit.
pub(super) struct Chain {
    folder: PathBuf,
}

/// The end of the chain, kept beside it: without it nobody would see that lines at its end are gone.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    number: u64,
    hash: String,
}

/// What came of verifying a chain.
#[derive(Debug, Default)]
pub(super) struct Verified {
    /// How many files there are.
    pub(super) files: usize,
    /// How many lines stand in them.
    pub(super) lines: u64,
    /// What is wrong.
    pub(super) problems: Vec<Problem>,
}

/// Something that is wrong with a chain.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Problem {
    /// The file's name.
    pub(super) file: String,
    /// The line, from 1.
    pub(super) line: Option<usize>,
    /// What is wrong.
    pub(super) what: String,
}

/// A line, read.
struct Line {
    number: u64,
    previous: String,
    hash: String,
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

    /// Appends a line to the file of a day; several programs may do so at once.
    pub(super) fn append(&self, mut entry: Map<String, Value>, now: &str) -> io::Result<()> {
        make_private_folder(&self.folder)?;
        let lock = private_options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(self.folder.join("lock"))?;
        lock.lock()?;
        let head = match fs::read(self.head()) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(io::Error::other)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Head {
                number: 0,
                hash: START.to_owned(),
            },
            Err(error) => return Err(error),
        };
        let number = head.number + 1;
        entry.insert("number".to_owned(), json!(number));
        entry.insert("previous".to_owned(), json!(head.hash));
        let mut text = Value::Object(entry).to_string();
        text.pop();
        let hash = hash(&text);
        let day = now.get(..10).unwrap_or("undated");
        let path = self.folder.join(format!("{day}.jsonl"));
        let mut file = private_options().create(true).append(true).open(&path)?;
        // What broke off before stands on a line of its own, and is found there.
        let whole = ends_a_line(&path)?;
        let begin = if whole { "" } else { "\n" };
        file.write_all(format!("{begin}{text}{HASH}{hash}\"}}\n").as_bytes())?;
        self.keep(&Head { number, hash })
    }

    fn keep(&self, head: &Head) -> io::Result<()> {
        let new = self.folder.join("head.new");
        let mut file: File = private_options()
            .create(true)
            .truncate(true)
            .write(true)
            .open(&new)?;
        file.write_all(&serde_json::to_vec(head).map_err(io::Error::other)?)?;
        fs::rename(new, self.head())
    }

    /// Reads the whole chain and says what is wrong with it.
    pub(super) fn verify(&self) -> io::Result<Verified> {
        let mut verified = Verified::default();
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(verified),
            Err(error) => return Err(error),
        };
        let mut names: Vec<String> = entries
            .filter_map(|it| it.ok()?.file_name().into_string().ok())
            .filter(|it| Path::new(it).extension().is_some_and(|it| it == "jsonl"))
            .collect();
        names.sort();
        verified.files = names.len();
        let mut last = Head {
            number: 0,
            hash: START.to_owned(),
        };
        for name in &names {
            let text = fs::read(self.folder.join(name))?;
            let text = String::from_utf8_lossy(&text);
            for (at, line) in text.lines().enumerate() {
                verified.lines += 1;
                let mut note = |what: String| {
                    verified.problems.push(Problem {
                        file: name.clone(),
                        line: Some(at + 1),
                        what,
                    });
                };
                let Some(read) = Line::read(line) else {
                    note("this line was cut or isn't one of the audit".to_owned());
                    continue;
                };
                if !read.is_unchanged(line) {
                    note("this line was changed: it doesn't fit its hash".to_owned());
                }
                if read.number > last.number + 1 {
                    let first = last.number + 1;
                    note(format!(
                        "before this line {} are missing",
                        range(first, read.number - 1)
                    ));
                } else if read.number <= last.number {
                    note(format!("line {} stands here once more", read.number));
                } else if read.previous != last.hash {
                    note("this line doesn't follow the one before it".to_owned());
                }
                last = Head {
                    number: read.number,
                    hash: read.hash,
                };
            }
        }
        self.compare_end(&last, &mut verified, names.last());
        Ok(verified)
    }

    /// Compares the last line with the end that is kept beside the chain.
    fn compare_end(&self, last: &Head, verified: &mut Verified, file: Option<&String>) {
        let kept: Option<Head> = fs::read(self.head())
            .ok()
            .and_then(|it| serde_json::from_slice(&it).ok());
        let what = match kept {
            None if verified.lines == 0 => return,
            None => "the end of the chain (head.json) is gone or can't be read".to_owned(),
            Some(kept) if kept.number > last.number => {
                format!(
                    "{} are missing at the end",
                    range(last.number + 1, kept.number)
                )
            }
            Some(kept) if kept.number < last.number || kept.hash != last.hash => {
                "the chain doesn't end as head.json says".to_owned()
            }
            Some(_) => return,
        };
        verified.problems.push(Problem {
            file: file.cloned().unwrap_or_else(|| "head.json".to_owned()),
            line: None,
            what,
        });
    }
}

impl Line {
    fn read(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        let text = |key: &str| value.get(key)?.as_str().map(str::to_owned);
        Some(Self {
            number: value.get("number")?.as_u64()?,
            previous: text("previous")?,
            hash: text("hash")?,
        })
    }

    fn is_unchanged(&self, line: &str) -> bool {
        line.rsplit_once(HASH).is_some_and(|(text, rest)| {
            hash(text) == self.hash && rest.len() == self.hash.len() + 2
        })
    }
}

fn hash(text: &str) -> String {
    use std::fmt::Write as _;

    let mut hash = String::new();
    for byte in Sha256::digest(text.as_bytes()) {
        let _ = write!(hash, "{byte:02x}");
    }
    hash
}

fn range(first: u64, last: u64) -> String {
    if first == last {
        format!("line {first}")
    } else {
        format!("lines {first} to {last}")
    }
}

/// Tells whether a file is empty or ends with a line break.
fn ends_a_line(path: &Path) -> io::Result<bool> {
    use std::io::{Read as _, Seek as _, SeekFrom};

    let mut file = File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::{Map, json};

    use super::Chain;

    fn filled() -> (tempfile::TempDir, Chain) {
        let folder = tempfile::tempdir().unwrap();
        let chain = Chain::new(folder.path().join("audit"));
        for (number, day) in ["2026-01-01", "2026-01-01", "2026-01-01", "2026-01-02"]
            .iter()
            .enumerate()
        {
            let mut entry = Map::new();
            entry.insert("event".to_owned(), json!(format!("event {number}")));
            chain
                .append(entry, &format!("{day}T00:00:00.000Z"))
                .unwrap();
        }
        (folder, chain)
    }

    fn joined<'l>(lines: impl Iterator<Item = &'l str>) -> String {
        lines.flat_map(|it| [it, "\n"]).collect()
    }

    fn without(text: &str, taken: &str) -> String {
        joined(text.lines().filter(|it| !it.contains(taken)))
    }

    fn found(chain: &Chain) -> Vec<(String, Option<usize>, String)> {
        let problems = chain.verify().unwrap().problems;
        problems
            .into_iter()
            .map(|it| (it.file, it.line, it.what))
            .collect()
    }

    /// HT-40: a chain that nobody touched is whole, over the days.
    #[test]
    fn a_chain_is_whole() {
        let (_folder, chain) = filled();
        let verified = chain.verify().unwrap();
        assert_eq!((verified.files, verified.lines), (2, 4));
        assert_eq!(found(&chain), []);
    }

    /// HT-40: a line that was changed, cut, taken out or put elsewhere is found with its place, also
    /// at the end of the chain and where a whole day is gone.
    #[test]
    fn what_was_done_to_a_chain_is_found() {
        type Edit = fn(&str) -> String;
        let cases: &[(&str, Edit, Option<usize>, &str)] = &[
            (
                "2026-01-01",
                |it| it.replace("event 1", "event 9"),
                Some(2),
                "changed",
            ),
            (
                "2026-01-01",
                |it| it[..it.len() - 20].to_owned(),
                Some(3),
                "cut",
            ),
            (
                "2026-01-01",
                |it| without(it, "event 1"),
                Some(2),
                "line 2 are missing",
            ),
            (
                "2026-01-01",
                |it| joined(it.lines().rev()),
                Some(1),
                "missing",
            ),
            ("2026-01-02", |_| String::new(), None, "missing at the end"),
            (
                "2026-01-01",
                |_| String::new(),
                Some(1),
                "lines 1 to 3 are missing",
            ),
        ];
        for (day, edit, line, what) in cases {
            let (_folder, chain) = filled();
            let path = chain.folder().join(format!("{day}.jsonl"));
            let text = fs::read_to_string(&path).unwrap();
            fs::write(&path, edit(&text)).unwrap();
            let found = found(&chain);
            let fits = |it: &&(String, Option<usize>, String)| it.1 == *line && it.2.contains(what);
            assert!(found.iter().any(|it| fits(&it)), "{what}: {found:?}");
        }
    }
}
