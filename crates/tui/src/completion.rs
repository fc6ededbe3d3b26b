//! Completes text at the cursor: commands, names of hooks, files (TU-1).

use hookloop_events::EventName;

use crate::editor::{Direction, Editor};
use crate::fuzzy::fuzzy_rank;
use crate::slash::{self, Continuation, CustomCommand, SlashCommand, Subcommand};

/// Provides completions that the screen doesn't know. Called while the user types, so it must be
/// quick.
pub trait Completions: Send + Sync {
    /// Returns the names of all hooks.
    fn hook_names(&self) -> Vec<String>;

    /// Returns the files and folders of the workspace that match the beginning of a path; folders
    /// end with a slash.
    fn files(&self, beginning: &str) -> Vec<String>;

    /// Returns the commands of user, project and extensions (TU-5).
    fn commands(&self) -> Vec<CustomCommand> {
        Vec::new()
    }
}

/// How many candidates are shown at once.
pub(crate) const MAX_SHOWN: usize = 7;

/// One possible completion at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) text: String,
    pub(crate) note: String,
}

/// The possible completions at the cursor, one of which is selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Completion {
    /// Where the word that is completed begins.
    start: usize,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) chosen: usize,
}

impl Completion {
    /// Finds the possible completions at the cursor.
    pub(crate) fn find(editor: &Editor, known: &dyn Completions) -> Option<Self> {
        let before = &editor.text()[..editor.cursor()];
        let start = word_start(before);
        let (earlier, word) = before.split_at(start);
        let candidates = if let Some(path) = word.strip_prefix('@') {
            files(&path.replace("\\ ", " "), known)
        } else if before.contains('\n') || !before.starts_with('/') {
            return None;
        } else {
            let earlier: Vec<&str> = earlier.split_whitespace().collect();
            commands(&earlier, word, known)
        };
        (!candidates.is_empty()).then_some(Self {
            start,
            candidates,
            chosen: 0,
        })
    }

    pub(crate) const fn go(&mut self, direction: Direction) {
        let count = self.candidates.len();
        self.chosen = match direction {
            Direction::Up => (self.chosen + count - 1) % count,
            Direction::Down => (self.chosen + 1) % count,
        };
    }

    /// Returns whether the selected candidate is already complete.
    pub(crate) fn is_complete(&self, editor: &Editor) -> bool {
        let word = &editor.text()[self.start.min(editor.cursor())..editor.cursor()];
        self.candidates.iter().any(|it| it.text == word)
    }

    /// Inserts the selected candidate.
    pub(crate) fn accept(&self, editor: &mut Editor) {
        let Some(candidate) = self.candidates.get(self.chosen) else {
            return;
        };
        let space = if candidate.text.ends_with(['/', '=']) {
            ""
        } else {
            " "
        };
        editor.replace_before_cursor(self.start, &format!("{}{space}", candidate.text));
    }
}

fn files(path: &str, known: &dyn Completions) -> Vec<Candidate> {
    known
        .files(path)
        .into_iter()
        .map(|path| Candidate {
            text: format!("@{}", path.replace(' ', "\\ ")),
            note: String::new(),
        })
        .collect()
}

fn commands(earlier: &[&str], word: &str, known: &dyn Completions) -> Vec<Candidate> {
    let all: Vec<Candidate> = match earlier {
        [] => slash::ALL
            .iter()
            .map(|command| Candidate {
                text: format!("/{}", command.name()),
                note: command.description().to_owned(),
            })
            .chain(known.commands().into_iter().map(|command| Candidate {
                text: format!("/{}", command.name),
                note: command.note,
            }))
            .collect(),
        [command, ..] if word.starts_with("--") => arguments(command, known),
        [command] => subcommands(command)
            .iter()
            .map(|(name, _, note)| Candidate {
                text: (*name).to_owned(),
                note: (*note).to_owned(),
            })
            .collect(),
        [command, subcommand] => names(command, subcommand, known)
            .into_iter()
            .map(|text| Candidate {
                text,
                note: String::new(),
            })
            .collect(),
        _ => Vec::new(),
    };
    let ranked = all
        .into_iter()
        .filter_map(|it| Some((fuzzy_rank(&it.text, word)?, it)));
    let mut ranked: Vec<(usize, Candidate)> = ranked.collect();
    // A stable sort: equal candidates keep their order.
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, it)| it).collect()
}

/// Returns the names that a command takes as arguments.
fn arguments(command: &str, known: &dyn Completions) -> Vec<Candidate> {
    let mut commands = known.commands().into_iter();
    let command = commands.find(|it| command.strip_prefix('/') == Some(it.name.as_str()));
    let arguments = command.into_iter().flat_map(|it| it.arguments);
    arguments
        .map(|name| Candidate {
            text: format!("--{name}="),
            note: String::new(),
        })
        .collect()
}

/// Returns the names that can follow a word: those of hooks, or those of events.
fn names(command: &str, subcommand: &str, known: &dyn Completions) -> Vec<String> {
    let follows = subcommands(command)
        .iter()
        .find(|(name, ..)| *name == subcommand)
        .map(|(_, follows, _)| *follows);
    match follows {
        Some(Continuation::HookName) => {
            let mut names = known.hook_names();
            names.sort_unstable();
            names.dedup();
            // A name of several words can't be distinguished from several names.
            names.retain(|name| !name.contains(char::is_whitespace));
            names
        }
        Some(Continuation::EventName) => EventName::ALL.iter().map(ToString::to_string).collect(),
        Some(Continuation::Nothing) | None => Vec::new(),
    }
}

fn subcommands(command: &str) -> &'static [Subcommand] {
    let command = command.strip_prefix('/').and_then(SlashCommand::from_name);
    command.map_or(&[], SlashCommand::subcommands)
}

/// Returns where the word before the cursor begins; a space after a backslash is part of it.
fn word_start(before: &str) -> usize {
    let spaces = before
        .char_indices()
        .rev()
        .filter(|(_, it)| it.is_whitespace());
    let mut ends = spaces.filter(|(at, it)| *it != ' ' || !before[..*at].ends_with('\\'));
    ends.next().map_or(0, |(at, it)| at + it.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Known;

    impl Completions for Known {
        fn hook_names(&self) -> Vec<String> {
            ["guard", "format", "guard"].map(str::to_owned).into()
        }

        fn files(&self, beginning: &str) -> Vec<String> {
            let files = ["src/", "src/main.rs", "README.md", "my notes.md"].into_iter();
            files
                .filter(|it| it.starts_with(beginning))
                .map(str::to_owned)
                .collect()
        }

        fn commands(&self) -> Vec<CustomCommand> {
            vec![CustomCommand {
                name: "review".to_owned(),
                note: String::new(),
                arguments: vec!["file".to_owned(), "focus".to_owned()],
            }]
        }
    }

    fn candidates(text: &str) -> Vec<String> {
        let found = Completion::find(&Editor::with_text(text), &Known);
        let candidates = found.map(|it| it.candidates).unwrap_or_default();
        candidates.into_iter().map(|it| it.text).collect()
    }

    /// TU-1: commands, names of hooks and files are completed where they are allowed.
    #[test]
    fn candidates_fit_the_place() {
        assert_eq!(candidates("/c")[..2], ["/clear", "/compress"]);
        assert_eq!(candidates("/hooks en")[0], "enable");
        assert_eq!(candidates("/hooks disable "), ["format", "guard"]);
        assert_eq!(candidates("/hk"), ["/hooks"]);
        assert_eq!(candidates("/hooks why Bef")[0], "BeforeAgent");
        assert_eq!(candidates("look at @src"), ["@src/", "@src/main.rs"]);
        assert_eq!(candidates("read @my\\ n"), ["@my\\ notes.md"]);
        assert_eq!(candidates("/memory a")[0], "add");
        assert_eq!(candidates("/mcp "), ["list", "auth"]);
        assert_eq!(candidates("/resume "), ["latest"]);
        assert_eq!(candidates("/rev")[0], "/review");
        assert_eq!(candidates("/review --"), ["--file=", "--focus="]);
        assert_eq!(candidates("/review --file=a --fo")[0], "--focus=");
        for nothing in [
            "hello",
            "what is /c",
            "mail a@b",
            "/hooks list x",
            "/nothing",
            "/nothing --",
            "/review x",
        ] {
            assert!(candidates(nothing).is_empty(), "{nothing}");
        }
    }

    /// TU-1: the path can be continued after a folder; everything else is followed by a space.
    #[test]
    fn a_candidate_replaces_the_word() {
        for (text, expected) in [
            ("/cl", "/clear "),
            ("read @REA", "read @README.md "),
            ("read @sr", "read @src/"),
            ("read @my", "read @my\\ notes.md "),
            ("/hooks disable gu", "/hooks disable guard "),
            ("/review --fi", "/review --file="),
        ] {
            let mut editor = Editor::with_text(text);
            let completion = Completion::find(&editor, &Known).unwrap();
            completion.accept(&mut editor);
            assert_eq!(editor.text(), expected);
        }
    }

    /// TU-1: a word that is complete already needs no choice.
    #[test]
    fn a_whole_word_is_complete() {
        let editor = Editor::with_text("/clear");
        assert!(
            Completion::find(&editor, &Known)
                .unwrap()
                .is_complete(&editor)
        );
        let editor = Editor::with_text("/cle");
        assert!(
            !Completion::find(&editor, &Known)
                .unwrap()
                .is_complete(&editor)
        );
    }
}
