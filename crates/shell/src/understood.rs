//! What is understood of a command (HT-30).

/// A shell text, understood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Understood {
    /// The text, and every shell text in it, was read by the grammar.
    pub parsed: bool,
    /// Why something can't be seen through; empty where everything is seen.
    pub blind_spots: Vec<BlindSpot>,
    /// Every simple command that would run, in the order in which it is met.
    pub commands: Vec<Command>,
    /// Functions, aliases and traps that the text defines.
    pub definitions: Vec<Definition>,
    /// What it leaves in files, as far as that is known: their absolute paths, and what they hold.
    pub written: Vec<(String, String)>,
}

impl Understood {
    /// Reports that something can't be seen through (HT-30).
    pub fn opaque(&self) -> bool {
        !self.blind_spots.is_empty()
    }
}

/// Something that can't be seen through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlindSpot {
    /// Why.
    pub why: Blind,
    /// The text it is about, as written, or the program whose output it is.
    pub written: String,
}

/// Why something can't be seen through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Blind {
    /// The text isn't a shell command that the grammar knows.
    Unreadable,
    /// The program is computed: `$X`, `$(…)`.
    ComputedProgram,
    /// A text that a shell runs is computed: `eval "$X"`, `bash -c "$X"`.
    ComputedText,
    /// The output of a program is run by a shell or an interpreter: `curl … | sh`.
    PipedText,
    /// It nests or unfolds further than is followed.
    TooDeep,
}

/// What a text defines rather than runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// What it is.
    pub kind: DefinitionKind,
    /// Its name: of the function or alias, or the signals of a trap.
    pub name: String,
}

/// What is defined.
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
    /// The program's base name without quotes and backslashes; empty for a command of nothing but
    /// assignments or redirects.
    pub program: String,
    /// The first word as the shell would look it up (`/bin/rm`).
    pub invoked: String,
    /// The subcommand, for programs that have some: `push` of `git -C … push`, `container rm` of
    /// `docker container rm`.
    pub subcommand: Option<String>,
    /// The words with the program, quotes resolved.
    pub words: Vec<Word>,
    /// How many of the words come before the first argument of the subcommand.
    pub(crate) head: usize,
    /// Every option, clusters split, values of `--option=value` taken off.
    pub flags: Vec<String>,
    /// The assignments in front of the program, or all there is.
    pub env: Vec<Assignment>,
    /// The redirects.
    pub redirects: Vec<Redirect>,
    /// Paths that it reads, as far as its words tell.
    pub reads: Vec<PathUse>,
    /// Paths that it writes or creates.
    pub writes: Vec<PathUse>,
    /// Folders into which it puts files whose names its words don't tell.
    pub fills: Vec<PathUse>,
    /// Paths that it deletes or moves away.
    pub deletes: Vec<PathUse>,
    /// Where it runs.
    pub place: Place,
    /// The programs that start it, outermost first (`sudo`, `xargs`, `bash`).
    pub through: Vec<String>,
    /// Where its standard input comes from.
    pub input: Input,
    /// The folders that are searched for it, as `PATH` was set in this text; nothing inside where that can't be
    /// known.
    pub search_path: Option<Option<String>>,
    /// Program text in another language that it is given (`python -c …`, `awk '…'`).
    pub code: Option<String>,
    /// The folders that it may run in; empty where they can't be known.
    pub folders: Vec<String>,
    /// Every word is known.
    pub known: bool,
    /// It runs only if something turns out one way: in a branch, in a loop, behind `||`, behind
    /// `&&` and a program that may fail.
    pub perhaps: bool,
    /// What follows where it fails.
    pub failing: Failing,
    /// It runs once for each of what can't be known: in a loop over the output of a program.
    pub repeats: bool,
    /// When it runs.
    pub timing: Timing,
}

impl Command {
    /// The words behind the program.
    pub fn args(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// The words behind the subcommand, or behind a program that has none.
    pub fn behind(&self) -> &[Word] {
        self.words.get(self.head.max(1)..).unwrap_or_default()
    }

    /// The arguments that aren't options and no values of options, behind the subcommand.
    pub fn operands(&self) -> impl Iterator<Item = &Word> {
        let mut ends = false;
        self.behind().iter().filter(move |word| {
            if !ends && word.text == "--" {
                ends = true;
                return false;
            }
            !word.is_option_value && (ends || !word.text.starts_with('-') || word.text == "-")
        })
    }

    /// The program with its subcommand: `git push`.
    pub fn name(&self) -> String {
        match &self.subcommand {
            Some(subcommand) => format!("{} {subcommand}", self.program),
            None => self.program.clone(),
        }
    }

    /// The normal form: program, subcommand and the arguments behind it; what is between
    /// program and subcommand (`-C …`) is left out.
    pub fn line(&self) -> String {
        let mut line = self.name();
        for word in self.behind() {
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

/// What follows where a command fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Failing {
    /// Nothing that its text names.
    #[default]
    Counts,
    /// Something else runs in its place: it is in front of `||`.
    HasAlternative,
}

/// When a command runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Timing {
    /// Before what follows it.
    #[default]
    InOrder,
    /// Beside what follows it, and maybe long after: in the background.
    Beside,
    /// So, again and again: in a loop in the background.
    BesideAgain,
}

impl Timing {
    /// Returns when the body of a loop runs.
    pub(crate) const fn again(self) -> Self {
        match self {
            Self::InOrder => Self::InOrder,
            Self::Beside | Self::BesideAgain => Self::BesideAgain,
        }
    }
}

/// Where standard input comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Input {
    /// From whoever runs the text.
    #[default]
    Inherited,
    /// It is this text.
    Text(String),
    /// Names of files that fit these patterns.
    Names(Vec<String>),
    /// It is the output of a program.
    Output(String),
    /// It is a file.
    File(String),
}

/// One word as the command gets it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four things that are true of a word or not, independent of each other"
)]
pub struct Word {
    /// The text without quotes. What can't be known is in it as written.
    pub text: String,
    /// The whole text is known before it runs.
    pub known: bool,
    /// It is a pattern of file names.
    pub pattern: bool,
    /// Some of it was quoted.
    pub quoted: bool,
    /// It is the value of the option in front of it.
    pub is_option_value: bool,
    /// The variables in whose place another text stands, because nobody knows them: `${NAME:-text}`.
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

/// An assignment in front of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// What it is set to.
    pub value: Word,
}

/// A redirect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// What it does.
    pub kind: RedirectKind,
    /// The file, or the descriptor that is copied.
    pub target: Word,
    /// It takes what the program prints on standard output: `> x`, not `2> x`.
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
    /// The path as written, quotes resolved.
    pub written: String,
    /// The absolute path, one for every folder that the command may run in; `..` is in it as
    /// written, since links decide what it means. Empty where it can't be known.
    pub paths: Vec<String>,
    /// It is a pattern.
    pub pattern: bool,
    /// It is known.
    pub known: bool,
}
