//! Files that guards depend on and that tool calls of earlier sessions changed (TR-8): each session
//! starts by naming them, until a person has seen them.

use hookloop_hook::quoted;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use hookloop_engine::{Clock as _, SystemClock};
use hookloop_host::{ProtectedChange, Tainted, make_private_folder, own_hooks, private_options};
use hookloop_settings::bounded::read_start;
use serde::{Deserialize, Serialize};

use crate::environment::Environment;
use crate::hook_words::short_label;
use crate::workspace::Workspace;

/// The file in the folder of this program's state: a person's guards are those of all projects.
const FILE: &str = "changed-guards.jsonl";

/// How many changes are reported; for more, only that there are more.
const MAX_CHANGES: usize = 64;

/// How much of the file is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// When what changed counts again.
const UNTIL: &str = "until a person has seen this in a session in a terminal, or agrees with \
                     `hookloop hooks trust`";

/// What follows if it isn't known what changed.
const REFUSING: &str = "Hooks of the user and the system refuse until somebody has checked that, \
                        and agrees with `hookloop hooks trust`";

/// Remembers which files that guards depend on changed, and in which session.
#[derive(Debug, Clone)]
pub(crate) struct Suspects {
    file: PathBuf,
}

/// A change, as it is kept.
#[derive(Debug, Serialize, Deserialize)]
struct Suspect {
    path: PathBuf,
    /// `changed`, `appeared` or `disappeared`.
    what: String,
    session: String,
    /// When it was seen.
    at: String,
    /// The guards that it removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    took: Vec<RemovedGuard>,
}

/// A guard that doesn't run any more as it did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RemovedGuard {
    /// Its name.
    pub(crate) hook: String,
    /// The project that it belongs to; nothing for one of the person or the system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) project: Option<PathBuf>,
}

/// What follows from a change.
pub(crate) enum Consequence {
    /// Nothing any more.
    Nothing,
    /// Hooks refuse, as reported.
    Refusal(String),
    /// It is only reported.
    Telling(String),
}

/// What is remembered.
struct Remembered {
    suspects: Vec<Suspect>,
    /// Whether there is more than is read.
    is_cut: bool,
}

impl Suspects {
    /// Returns those of a person.
    pub(crate) fn of(environment: &Environment) -> Self {
        let file = environment.state_dir().join(FILE);
        Self { file }
    }

    /// Returns the file in which they are kept: tools may not write it.
    pub(crate) fn file(&self) -> PathBuf {
        self.file.clone()
    }

    /// Remembers a change, and the guards that it removed.
    ///
    /// # Errors
    /// It can't be written.
    pub(crate) fn add(
        &self,
        change: &ProtectedChange,
        session: &str,
        took: Vec<RemovedGuard>,
    ) -> io::Result<()> {
        if let Some(folder) = self.file.parent() {
            make_private_folder(folder)?;
        }
        let suspect = Suspect {
            path: change.path.clone(),
            what: change.what.to_owned(),
            session: session.to_owned(),
            at: SystemClock.now(),
            took,
        };
        let lock = private_options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(self.file.with_extension("lock"))?;
        // If another process holds the lock, the file just isn't shortened; suspects are still
        // recorded.
        if lock.try_lock().is_ok() {
            self.shorten();
        }
        let mut line = serde_json::to_string(&suspect)?;
        line.push('\n');
        let mut file = private_options()
            .append(true)
            .create(true)
            .open(&self.file)?;
        // A single write, so that lines of concurrent sessions stay whole.
        file.write_all(line.as_bytes())
    }

    /// Keeps one line for each file if there are too many.
    fn shorten(&self) {
        let is_long = |it: fs::Metadata| it.is_file() && it.len() > MAX_BYTES / 2;
        if !self.file.metadata().is_ok_and(is_long) {
            return;
        }
        let Ok(Remembered { suspects, .. }) = self.load() else {
            return;
        };
        let lines = suspects
            .iter()
            .filter_map(|it| serde_json::to_string(it).ok());
        let text: String = lines.map(|it| it + "\n").collect();
        let new = self.file.with_extension("new");
        let written = private_options()
            .write(true)
            .create(true)
            .truncate(true)
            .open(&new);
        let written = written.and_then(|mut it| it.write_all(text.as_bytes()));
        // If the file can't be replaced, it stays as it was.
        drop(written.and_then(|()| fs::rename(&new, &self.file)));
    }

    /// Reads what is remembered: the last change of each file, the newest at the end.
    fn load(&self) -> io::Result<Remembered> {
        let bytes = match read_start(&self.file, MAX_BYTES + 1).map_err(io::Error::from) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            bytes => bytes?,
        };
        let mut last: BTreeMap<PathBuf, (usize, Suspect)> = BTreeMap::new();
        for (number, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
            if let Ok(mut suspect) = serde_json::from_str::<Suspect>(line) {
                let earlier = last.remove(&suspect.path).into_iter();
                // What an earlier change removed is still missing after a later one.
                for removed in earlier.flat_map(|(_, it)| it.took) {
                    if !suspect.took.contains(&removed) {
                        suspect.took.push(removed);
                    }
                }
                last.insert(suspect.path.clone(), (number, suspect));
            }
        }
        let mut last: Vec<(usize, Suspect)> = last.into_values().collect();
        last.sort_by_key(|(number, _)| *number);
        Ok(Remembered {
            suspects: last.into_iter().map(|(_, it)| it).collect(),
            is_cut: u64::try_from(bytes.len()).is_ok_and(|it| it > MAX_BYTES),
        })
    }

    /// Returns whether anything is remembered.
    pub(crate) fn is_there(&self) -> bool {
        self.file.symlink_metadata().is_ok()
    }

    /// Makes hooks of the project refuse that differ from what was agreed to because a tool call
    /// changed them, if nobody is there to see it.
    pub(crate) fn hold(&self, workspace: &mut Workspace) {
        let kept = self.load();
        if !is_whole(&kept) {
            workspace.lose_changed();
        }
        let files = kept.into_iter().flat_map(|it| it.suspects);
        workspace.remember_changed(files.map(|it| it.path).collect::<Vec<_>>());
    }

    /// Keeps hooks from running what changed, as it is now; if it isn't known what changed,
    /// everything that isn't compared by content.
    pub(crate) fn taint(&self, tainted: &Tainted) {
        let kept = self.load();
        if !is_whole(&kept) {
            tainted.lose_earlier(self.file.clone());
        }
        for suspect in kept.into_iter().flat_map(|it| it.suspects) {
            tainted.add_of_earlier(suspect.path);
        }
    }

    /// Returns which guards that would count in a project were removed by tool calls of earlier
    /// sessions, if any were; it is a sentence without its full stop.
    pub(crate) fn describe_removed(&self, project: &Path) -> Option<String> {
        let kept = self.load();
        if !is_whole(&kept) {
            return Some(format!(
                "{} can't be read completely, and it lists the guards that tool calls of earlier sessions removed: \
                 any guard may be gone; check the hooks with `hookloop hooks list`, and agree with `hookloop hooks \
                 trust`",
                self.file.display()
            ));
        }
        let kept = kept.ok()?;
        let counts = |it: &&RemovedGuard| it.project.as_deref().is_none_or(|it| it == project);
        let mut files = kept.suspects.iter();
        files.find_map(|suspect| {
            let removed = suspect.took.iter().filter(counts);
            let removed: BTreeSet<String> = removed.map(|it| format!("\"{}\"", it.hook)).collect();
            if removed.is_empty() {
                return None;
            }
            Some(format!(
                "a tool call of an earlier session changed {}, so {} is no longer in force as \
                 before; check it, and agree with `hookloop hooks trust`",
                suspect.path.display(),
                Vec::from_iter(removed).join(", ")
            ))
        })
    }

    /// Returns a line for each file, by its last change: those first that keep hooks from running,
    /// then the newest. For each, it says what follows from it.
    pub(crate) fn lines(&self, follows: impl Fn(&Path) -> Consequence) -> Vec<String> {
        let Remembered { suspects, is_cut } = match self.load() {
            Ok(kept) => kept,
            Err(error) => return vec![self.unreadable(&error)],
        };
        let more = suspects.len().saturating_sub(MAX_CHANGES);
        let newest = suspects.iter().rev();
        let mut reported: Vec<(&Suspect, Consequence)> =
            newest.map(|it| (it, follows(&it.path))).collect();
        reported.sort_by_key(|(_, follows)| !matches!(follows, Consequence::Refusal(_)));
        let reported = reported.iter().take(MAX_CHANGES);
        let mut lines: Vec<String> = reported.map(|(it, follows)| it.line(follows)).collect();
        if more > 0 {
            lines.push(format!(
                "warning: {more} more files that guards depend on changed while sessions ran"
            ));
        }
        if is_cut {
            lines.push(format!(
                "warning: {} is longer than {MAX_BYTES} bytes: files that guards depend on may \
                 have changed beyond those named here. {REFUSING}",
                self.file.display()
            ));
        }
        lines
    }

    /// Forgets them: a person has seen them.
    ///
    /// # Errors
    /// They can't be removed, so hooks continue to refuse.
    pub(crate) fn forget(&self) -> Result<(), String> {
        let removed = fs::remove_file(&self.file).or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(()),
            _ => fs::remove_dir(&self.file).map_err(|_| error),
        });
        removed.map_err(|error| {
            format!(
                "warning: {} can't be removed ({error}): hooks that run what it names continue to \
                 refuse",
                self.file.display()
            )
        })
    }

    fn unreadable(&self, error: &io::Error) -> String {
        format!(
            "warning: {} can't be read ({error}): it lists the guards' files that tool calls \
             changed. {REFUSING}",
            self.file.display()
        )
    }
}

/// Returns whether all that is remembered was read.
fn is_whole(kept: &io::Result<Remembered>) -> bool {
    kept.as_ref().is_ok_and(|it| !it.is_cut)
}

impl Suspect {
    fn line(&self, follows: &Consequence) -> String {
        let follows = match follows {
            Consequence::Nothing => "",
            Consequence::Refusal(text) | Consequence::Telling(text) => text,
        };
        let Self {
            path,
            what,
            session,
            at,
            took,
        } = self;
        let removed: Vec<String> = took.iter().map(|it| format!("\"{}\"", it.hook)).collect();
        let removed = match &removed[..] {
            [] => String::new(),
            hooks => format!(
                " (it removed {}, so calls are refused if nobody is there to ask)",
                hooks.join(", ")
            ),
        };
        format!(
            "warning: {} {what} while session {session} ran ({at}), during a tool call; hooks, \
             settings or other guards depend on it{removed}; check it{follows}",
            path.display()
        )
    }
}

/// Returns what follows from a change of a file: which hooks refuse because of it, and what ends
/// that.
pub(crate) fn consequences(workspace: &Workspace) -> impl Fn(&Path) -> Consequence {
    let own = OnceCell::new();
    move |file| {
        let own = own.get_or_init(|| own_hooks(workspace));
        let running = own.iter().filter(|(_, files)| files.contains(file));
        let refusing: Vec<String> = running
            .map(|(hook, _)| quoted(&short_label(hook)))
            .collect();
        match &refusing[..] {
            [] => Consequence::Telling(format!(
                ". No hook refuses because of it: its present content is used. This is reported \
                 {UNTIL}"
            )),
            [hook] => Consequence::Refusal(format!(". Hook {hook} runs it and refuses {UNTIL}")),
            hooks => {
                let hooks = hooks.join(", ");
                Consequence::Refusal(format!(". Hooks {hooks} run it and refuse {UNTIL}"))
            }
        }
    }
}

/// Forgets which files that guards depend on tool calls changed: a person agrees to all that is
/// there. Returns a line for each, which that person should see.
#[must_use]
pub fn forget_changed_guards(environment: &Environment) -> Vec<String> {
    let suspects = Suspects::of(environment);
    let mut lines = suspects.lines(|_| Consequence::Nothing);
    lines.extend(suspects.forget().err());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(path: &str) -> ProtectedChange {
        ProtectedChange {
            path: PathBuf::from(path),
            what: "changed",
        }
    }

    fn suspects(folder: &tempfile::TempDir) -> Suspects {
        Suspects {
            file: folder.path().join("state").join(FILE),
        }
    }

    fn lines(suspects: &Suspects) -> Vec<String> {
        suspects.lines(|it| {
            let text = format!(" ({})", it.display());
            if it.ends_with("guard-1") {
                Consequence::Refusal(text)
            } else {
                Consequence::Telling(text)
            }
        })
    }

    /// TR-8: what keeps a hook from running is reported first, and then what changed last, each
    /// file once.
    #[test]
    fn the_newest_change_is_told_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let suspects = suspects(&folder);
        assert_eq!(lines(&suspects), [] as [&str; 0]);
        for number in (0..70).chain([3]) {
            suspects
                .add(&change(&format!("/guard-{number}")), "a", Vec::new())
                .expect("a line");
        }
        let lines = lines(&suspects);
        assert_eq!(lines.len(), MAX_CHANGES + 1);
        assert!(lines[0].contains("(/guard-1)"), "{}", lines[0]);
        assert!(lines[1].contains("(/guard-3)"), "{}", lines[1]);
        assert!(lines[2].contains("/guard-69"), "{}", lines[2]);
        assert!(
            lines[MAX_CHANGES].contains("6 more"),
            "{}",
            lines[MAX_CHANGES]
        );
        assert_eq!(suspects.forget(), Ok(()));
        assert_eq!(suspects.forget(), Ok(()));
        assert!(!suspects.is_there());
    }

    /// TR-8: many changes of few files stay few lines, and none is lost.
    #[test]
    fn what_is_remembered_stays_short() {
        let folder = tempfile::tempdir().expect("a folder");
        let suspects = suspects(&folder);
        let path = |number: usize| format!("/guard-{}{number}", "x".repeat(4000));
        for number in 0..400 {
            suspects
                .add(&change(&path(number % 3)), "a", Vec::new())
                .expect("a line");
        }
        let length = suspects.file.metadata().expect("a file").len();
        assert!(length <= MAX_BYTES, "{length}");
        assert_eq!(lines(&suspects).len(), 3);
        let tainted = Tainted::default();
        suspects.taint(&tainted);
        assert_eq!(tainted.lost_earlier(), None);
        assert!((0..3).all(|it| tainted.holds_of_earlier(&PathBuf::from(path(it)))));
    }

    /// TR-8: a record that can't be read, or not completely, means that it isn't known what
    /// changed.
    #[test]
    fn what_cannot_be_read_is_lost() {
        type Made = fn(&std::path::Path);
        let made: [(&str, Made, bool); 4] = [
            ("nothing", |_| {}, false),
            ("empty", |it| fs::write(it, "").expect("a file"), false),
            ("a folder", |it| fs::create_dir(it).expect("a folder"), true),
            (
                "too long",
                |it| {
                    let line =
                        r#"{"path": "/guard", "what": "changed", "session": "a", "at": "b"}"#;
                    let longest = usize::try_from(MAX_BYTES).expect("a number");
                    fs::write(it, format!("{line}\n{}", "x".repeat(longest))).expect("a file");
                },
                true,
            ),
        ];
        for (what, make, is_lost) in made {
            let folder = tempfile::tempdir().expect("a folder");
            let suspects = suspects(&folder);
            fs::create_dir_all(suspects.file.parent().expect("a folder")).expect("a folder");
            make(&suspects.file);
            let tainted = Tainted::default();
            suspects.taint(&tainted);
            assert_eq!(tainted.lost_earlier().is_some(), is_lost, "{what}");
            let removed = suspects.describe_removed(Path::new("/project"));
            assert_eq!(removed.is_some(), is_lost, "{what}");
            let warnings = lines(&suspects).concat();
            assert_eq!(
                warnings.contains("agrees with `hookloop hooks trust`"),
                is_lost,
                "{what}: {warnings}"
            );
            assert_eq!(suspects.forget(), Ok(()), "{what}");
            assert!(!suspects.is_there(), "{what}");
        }
    }
}
