//! What is known about a command (HT-30).

use std::collections::BTreeSet;

/// A shell text, understood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Understood {
    /// Whether the text and every shell text nested in it could be parsed.
    pub parsed: bool,
    /// What is opaque, and why. Empty if everything is visible.
    pub opaque_parts: Vec<OpaquePart>,
    /// Every simple command that would run, in the order of the text.
    pub commands: Vec<Command>,
    /// Functions, aliases and traps that the text defines.
    pub definitions: Vec<Definition>,
    /// What it leaves in files, if that is known: absolute paths with their content.
    pub written: Vec<(String, String)>,
    /// What files contain at some time, in order, if that is known: absolute paths with their
    /// content.
    pub versions: Vec<(String, String)>,
    /// Files that contain at some time what isn't known: absolute paths.
    pub unsettled: BTreeSet<String>,
}

impl Understood {
    /// Returns whether some part is opaque (HT-30).
    pub fn opaque(&self) -> bool {
        !self.opaque_parts.is_empty()
    }
}

/// Something opaque.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpaquePart {
    /// Why it is opaque.
    pub why: OpaqueReason,
    /// The text in question, as written, or the program whose output it is.
    pub written: String,
}

/// Why something is opaque.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum OpaqueReason {
    /// The parser doesn't accept the text as a shell command.
    Unreadable,
    /// The program is computed: `$X`, `$(…)`.
    ComputedProgram,
    /// A text that a shell runs is computed: `eval "$X"`, `bash -c "$X"`.
    ComputedText,
    /// The output of a program is run by a shell or an interpreter: `curl … | sh`.
    PipedText,
    /// It nests or expands further than the limits allow.
    TooDeep,
    /// A loop without end starts jobs in the background and waits for none of them.
    Endless,
}

/// Something that a text defines but doesn't run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// What it is.
    pub kind: DefinitionKind,
    /// Its name: that of the function or alias, or the signals of a trap.
    pub name: String,
}

/// What a definition defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefinitionKind {
    /// `name() { …; }`.
    Function,
    /// `alias name=…`.
    Alias,
    /// `trap … SIGNAL`.
    Trap,
}

/// A simple command that would run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    /// The program's base name, without quotes and backslashes. Empty for a command that consists
    /// only of assignments or redirects.
    pub program: String,
    /// The first word, as the shell looks it up (`/bin/rm`).
    pub invoked: String,
    /// The subcommand, for programs that have subcommands: `push` of `git -C … push`,
    /// `container rm` of `docker container rm`.
    pub subcommand: Option<String>,
    /// The words, including the program, with quotes resolved.
    pub words: Vec<Word>,
    /// How many of the words come before the first argument of the subcommand.
    pub(crate) head: usize,
    /// Every option: clusters are split, and the values of `--option=value` are removed.
    pub flags: Vec<String>,
    /// The assignments before the program, or all of them if there is no program.
    pub env: Vec<Assignment>,
    /// The variables that what starts it removes from its environment.
    pub removed: RemovedVariables,
    /// The redirects.
    pub redirects: Vec<Redirect>,
    /// Paths that it reads, as far as its words show.
    pub reads: Vec<PathUse>,
    /// Paths that it writes or creates.
    pub writes: Vec<PathUse>,
    /// Folders in which it creates files whose names its words don't show.
    pub fills: Vec<PathUse>,
    /// Paths that it deletes or moves away.
    pub deletes: Vec<PathUse>,
    /// Where it runs.
    pub place: Place,
    /// The programs that start it, outermost first (`sudo`, `xargs`, `bash`).
    pub through: Vec<String>,
    /// Where its standard input comes from.
    pub input: Input,
    /// The folders that are searched for it, if the text sets `PATH`. The inner `None` means that
    /// they can't be known.
    pub search_path: Option<Option<String>>,
    /// Program text in another language that it receives (`python -c …`, `awk '…'`).
    pub code: Option<String>,
    /// The folders in which it may run. Empty if they can't be known.
    pub folders: Vec<String>,
    /// Whether every word is known.
    pub known: bool,
    /// Whether it runs only under a condition: in a branch, in a loop, after `||`, or after `&&`
    /// and a program that may fail.
    pub perhaps: bool,
    /// What follows if it fails.
    pub failing: Failing,
    /// Whether it runs once for each element of an unknown list: in a loop over the output of a
    /// program.
    pub repeats: bool,
    /// When it runs.
    pub timing: Timing,
}

/// Variables that a command doesn't get, because `env -i` or `env -u NAME` starts it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemovedVariables {
    /// Whether every variable is removed that isn't set for the command.
    pub all: bool,
    /// The names of single ones.
    pub names: Vec<String>,
}

impl Command {
    /// Returns the words after the program.
    pub fn words_after_program(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Returns the texts of the words after the program.
    pub fn texts_after_program(&self) -> impl DoubleEndedIterator<Item = &str> + Clone {
        self.words_after_program().iter().map(|it| it.text.as_str())
    }

    /// Returns the words after the subcommand, or after a program without one.
    pub fn arguments(&self) -> &[Word] {
        self.words.get(self.head.max(1)..).unwrap_or_default()
    }

    /// Returns the arguments after the subcommand that are neither options nor values of options.
    pub fn operands(&self) -> impl Iterator<Item = &Word> {
        let mut ends = false;
        self.arguments().iter().filter(move |word| {
            if !ends && word.text == "--" {
                ends = true;
                return false;
            }
            !word.is_option_value && (ends || !word.text.starts_with('-') || word.text == "-")
        })
    }

    /// Returns the program with its subcommand: `git push`.
    pub fn name(&self) -> String {
        match &self.subcommand {
            Some(subcommand) => format!("{} {subcommand}", self.program),
            None => self.program.clone(),
        }
    }

    /// Returns the normal form: the program, the subcommand and the arguments after it, without
    /// what is between program and subcommand (`-C …`).
    pub fn line(&self) -> String {
        let mut line = self.name();
        for word in self.arguments() {
            line.push(' ');
            line.push_str(&word.text);
        }
        line
    }

    /// Returns whether an option is among the flags.
    pub fn has_flag(&self, flag: &str) -> bool {
        self.flags.iter().any(|it| it == flag)
    }
}

/// Where a command runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Place {
    /// On this machine.
    #[default]
    Here,
    /// In a container or a virtual machine of this machine.
    Container,
    /// On another machine.
    Remote,
}

/// What follows if a command fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Failing {
    /// Nothing that the text mentions.
    #[default]
    Counts,
    /// Something else runs instead: it is followed by `||`.
    HasAlternative,
}

/// When a command runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Timing {
    /// Before what follows it.
    #[default]
    InOrder,
    /// In parallel with what follows it, perhaps much longer: in the background.
    Beside,
    /// The same, repeatedly: in a loop in the background.
    BesideAgain,
}

impl Timing {
    /// Returns when the body of a loop runs.
    pub(crate) const fn repeated(self) -> Self {
        match self {
            Self::InOrder => Self::InOrder,
            Self::Beside | Self::BesideAgain => Self::BesideAgain,
        }
    }
}

/// Where standard input comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Input {
    /// From the caller of the text.
    #[default]
    Inherited,
    /// This text.
    Text(String),
    /// Names of files that match these patterns.
    Names(Vec<String>),
    /// The output of a program.
    Output(String),
    /// A file.
    File(String),
}

/// One word as the command gets it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four things that are true of a word or not, independent of each other"
)]
pub struct Word {
    /// The text without quotes. Parts that can't be known are included as written.
    pub text: String,
    /// Whether the whole text is known before it runs.
    pub known: bool,
    /// Whether it is a pattern of file names.
    pub pattern: bool,
    /// Whether part of it was quoted.
    pub quoted: bool,
    /// Whether it is the value of the option before it.
    pub is_option_value: bool,
    /// The variables that were replaced by their default because their value isn't known:
    /// `${NAME:-text}`.
    pub instead_of: Vec<String>,
}

impl Word {
    /// Makes a word of known text.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            known: true,
            ..Self::default()
        }
    }
}

/// An assignment before a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// The value that it is set to.
    pub value: Word,
}

/// A redirect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// What it does.
    pub kind: RedirectKind,
    /// The file, or the descriptor that is duplicated.
    pub target: Word,
    /// Whether it redirects standard output: `> x`, not `2> x`.
    pub takes_output: bool,
}

/// What a redirect does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>|`, `&>`, `<>`
    Write,
    /// `>>`, `&>>`
    Append,
    /// `>&1`, `<&-`
    Descriptor,
    /// `<<`, `<<<`
    Text,
}

/// A path that a command uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathUse {
    /// The path as written, with quotes resolved.
    pub written: String,
    /// The absolute path, once for every folder in which the command may run. `..` is kept as
    /// written, because links decide what it means. Empty if it can't be known.
    pub paths: Vec<String>,
    /// Whether it is a pattern.
    pub pattern: bool,
    /// Whether it is known.
    pub known: bool,
}
