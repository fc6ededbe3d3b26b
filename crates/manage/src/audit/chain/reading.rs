//! Reads a whole chain, and reports its problems.

use std::io;
use std::path::Path;

use serde::Serialize;

use super::{Chain, Head, Line, UNDATED, expect_regular, read_regular};

/// The result of verifying a chain.
#[derive(Debug, Default, Serialize)]
pub struct Verified {
    /// The number of files.
    pub files: usize,
    /// The number of lines.
    pub lines: u64,
    /// The number of lines that no session of Hookloop vouches for: they were recorded by hand, or
    /// by another agent's own run of the guard.
    pub unvouched: u64,
    /// The problems.
    pub problems: Vec<Problem>,
    /// Findings that aren't signs of tampering: incomplete lines of programs that were ended.
    pub notes: Vec<Problem>,
}

/// A problem with a chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The file's name.
    pub file: String,
    /// The line, from 1; `None` if something is missing at the end.
    pub line: Option<usize>,
    /// What is wrong.
    #[serde(rename = "problem")]
    pub what: String,
}

/// A line that can't be read.
struct Broken {
    file: String,
    line: usize,
    /// Whether it is the last of its file, without a line end.
    is_at_end: bool,
}

impl Broken {
    fn problem(&self, what: &str) -> Problem {
        Problem {
            file: self.file.clone(),
            line: Some(self.line),
            what: what.to_owned(),
        }
    }

    fn cut(&self) -> Problem {
        self.problem("this line was cut, or doesn't belong to the audit")
    }
}

/// The last line read, and what it follows.
struct Last {
    head: Head,
    previous: String,
}

/// The state of reading a chain.
pub(super) struct Reading {
    verified: Verified,
    head: Last,
    /// Unreadable lines after the last readable one.
    broken: Vec<Broken>,
}

impl Reading {
    pub(super) fn new(files: usize) -> Self {
        Self {
            verified: Verified {
                files,
                ..Verified::default()
            },
            head: Last {
                head: Head::start(),
                previous: String::new(),
            },
            broken: Vec::new(),
        }
    }

    pub(super) fn file(&mut self, name: &str, path: &Path) -> io::Result<()> {
        if let Err(error) = expect_regular(path) {
            self.verified.problems.push(Problem {
                file: name.to_owned(),
                line: None,
                what: format!("it can't belong to the audit: {error}"),
            });
            return Ok(());
        }
        let text = read_regular(path)?;
        let text = String::from_utf8_lossy(&text);
        // A carriage return at the end of a line belongs to it: none is ever written.
        let lines = || text.split_terminator('\n');
        let count = lines().count();
        for (at, line) in lines().enumerate() {
            self.verified.lines += 1;
            match Line::read(line) {
                Some(read) if at == 0 => {
                    self.line(name, at + 1, line, &read);
                    self.first_of_day(name, &read);
                }
                Some(read) => self.line(name, at + 1, line, &read),
                None => self.broken.push(Broken {
                    file: name.to_owned(),
                    line: at + 1,
                    is_at_end: at + 1 == count && !text.ends_with('\n'),
                }),
            }
        }
        Ok(())
    }

    /// Compares the name of a file with the day of its first line. Lines after it may be older, if
    /// the clock was set back.
    fn first_of_day(&mut self, name: &str, first: &Line) {
        let day = first.at.get(..10).unwrap_or(UNDATED);
        if name.strip_suffix(".jsonl") != Some(day) {
            self.verified.problems.push(Problem {
                file: name.to_owned(),
                line: Some(1),
                what: format!(
                    "this line was written into {day}.jsonl: the file was renamed, or its lines \
                     were moved"
                ),
            });
        }
    }

    fn line(&mut self, name: &str, at: usize, text: &str, read: &Line) {
        let last = &self.head.head;
        let mut wrong = Vec::new();
        let is_unchanged = read.is_unchanged(text);
        if !is_unchanged {
            wrong.push("this line was changed: it doesn't match its hash".to_owned());
        }
        if read.number > last.number + 1 {
            let missing = range(last.number + 1, read.number - 1);
            wrong.push(format!("before this line, {missing} missing"));
        } else if read.number <= last.number {
            wrong.push(format!("line {} is repeated here", read.number));
        } else if read.previous != last.hash {
            wrong.push("this line doesn't follow the one before it".to_owned());
        }
        let broken = std::mem::take(&mut self.broken);
        match broken.as_slice() {
            [torn] if read.is_after_torn && wrong.is_empty() => self
                .verified
                .notes
                .push(torn.problem(
                "this line was cut off while it was being written, and is lost: the program that \
                 wrote it was ended",
            )),
            broken => {
                let cut = broken.iter().map(Broken::cut);
                self.verified.problems.extend(cut);
            }
        }
        if read.is_after_lost && is_unchanged {
            wrong.push(
                "when this line was written, the end of the chain (head.json) was missing or \
                 broken: whether lines before it were removed isn't known"
                    .to_owned(),
            );
        }
        let problems = wrong.into_iter().map(|what| Problem {
            file: name.to_owned(),
            line: Some(at),
            what,
        });
        self.verified.problems.extend(problems);
        self.verified.unvouched += u64::from(read.is_unvouched);
        self.head = Last {
            head: Head::of(read),
            previous: read.previous.clone(),
        };
    }

    /// Compares the last line with the stored end of the chain.
    pub(super) fn compare_head(
        self,
        chain: &Chain,
        guard: Option<&str>,
        newest: Option<&str>,
    ) -> Verified {
        let Reading {
            mut verified,
            head: last,
            broken,
        } = self;
        let kept = chain.read_head();
        let ends_there = matches!(&kept, Ok(Some(kept)) if kept.hash == last.head.hash);
        match broken.as_slice() {
            [torn] if torn.is_at_end && ends_there => verified.notes.push(torn.problem(
                "this line was cut off while it was being written: the program that wrote it was \
                 ended; the next one continues after it",
            )),
            broken => verified.problems.extend(broken.iter().map(Broken::cut)),
        }
        let mut findings = &mut verified.problems;
        let what = match kept {
            Ok(None) if verified.lines == 0 => match guard {
                None => return verified,
                Some(place) => format!(
                    "the guard \"audit\" is configured at {place}, and there is no audit in {}: \
                     it was removed, or nothing has been recorded yet",
                    chain.folder.display()
                ),
            },
            Ok(None) => "the end of the chain (head.json) is missing".to_owned(),
            Err(why) => format!("the end of the chain (head.json) can't be read: {why}"),
            Ok(Some(kept)) if kept.number > last.head.number => {
                let missing = range(last.head.number + 1, kept.number);
                format!("{missing} missing at the end")
            }
            Ok(Some(kept)) if kept.hash == last.head.hash => return verified,
            Ok(Some(kept)) if kept.number + 1 == last.head.number && kept.hash == last.previous => {
                findings = &mut verified.notes;
                "the program that wrote the last line was ended before it noted the end in \
                 head.json; the next one continues after it"
                    .to_owned()
            }
            Ok(Some(_)) => "the chain doesn't end where head.json says".to_owned(),
        };
        findings.push(Problem {
            file: newest.unwrap_or("head.json").to_owned(),
            line: None,
            what,
        });
        verified
    }
}

/// Names lines, with the verb that follows them.
fn range(first: u64, last: u64) -> String {
    if first == last {
        format!("line {first} is")
    } else {
        format!("lines {first} to {last} are")
    }
}
