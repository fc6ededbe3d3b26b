//! Problems with a configuration, as data.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::event_name::EventName;
use crate::id::HookId;
use crate::source::Source;

/// The severity of a problem (`cli-json.md` §2, "Diagnostic").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something that was configured is left out or can't run.
    Error,
    /// Something is probably not what was meant.
    Warning,
    /// Worth knowing.
    Info,
}

impl Severity {
    /// Returns the word with which messages begin.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "note",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

macro_rules! problem_codes {
    ($($(#[$doc:meta])* $variant:ident = $text:literal, $severity:ident;)*) => {
        /// The kind of a problem (`cli-json.md` §2, "Diagnostic").
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ProblemCode {
            $($(#[$doc])* $variant,)*
        }

        impl ProblemCode {
            /// All codes, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the code, as in JSON.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// Returns the severity of all problems with this code.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)* }
            }
        }
    };
}

problem_codes! {
    /// The file isn't valid JSON.
    InvalidJson = "invalid_json", Error;
    /// The file exists but can't be read.
    UnreadableFile = "unreadable_file", Error;
    /// A value has the wrong type for its key.
    WrongType = "wrong_type", Error;
    /// A required field is missing.
    MissingField = "missing_field", Error;
    /// A value of the right type can't be used.
    InvalidValue = "invalid_value", Error;
    /// A key of `hooks` isn't an event.
    UnknownEvent = "unknown_event", Error;
    /// Hooks are outside `hooks`, where nothing reads them.
    MisplacedHooks = "misplaced_hooks", Error;
    /// The type of a hook is unknown, or not supported by this build.
    UnknownHookType = "unknown_hook_type", Error;
    /// An extension is broken and was left out (EX-5).
    ExtensionInvalid = "extension_invalid", Error;
    /// The trust store, or the list of trusted folders, can't be read.
    TrustFileInvalid = "trust_file_invalid", Error;
    /// A file that a command names by its path doesn't exist.
    ScriptMissing = "script_missing", Error;
    /// A script that a command starts isn't executable.
    ScriptNotExecutable = "script_not_executable", Error;
    /// A program isn't on the PATH, or a script's `#!` names a missing program.
    InterpreterMissing = "interpreter_missing", Error;
    /// A script has Windows line endings, which a shell treats as part of its words.
    ScriptLineEnds = "script_line_ends", Warning;
    /// A script names no interpreter, so the shell runs it, whatever its language is.
    ScriptWithoutInterpreter = "script_without_interpreter", Warning;
    /// A script contains no command, so it lets everything pass.
    ScriptEmpty = "script_empty", Warning;
    /// A command is incomplete: a quote or bracket isn't closed.
    CommandUnreadable = "command_unreadable", Error;
    /// A command is empty, because one of its variables isn't set.
    UnsetVariable = "unset_variable", Error;
    /// A hook's program uses another agent's format, and would enforce nothing (CM-3).
    ForeignWords = "foreign_words", Error;
    /// A file that may contain guards can't be read. No agent runs without it (ST-5).
    SettingsUnreadable = "settings_unreadable", Error;
    /// A condition can't be compiled (HT-1).
    ConditionInvalid = "condition_invalid", Error;
    /// A required field for this type of hook is wrong (IO-21).
    HandlerInvalid = "handler_invalid", Error;
    /// A WebAssembly component can't be used (HT-20).
    PluginInvalid = "plugin_invalid", Error;
    /// An agent with the bridge ignores all answers (BR-1).
    AgentObeysNothing = "agent_obeys_nothing", Error;
    /// Somebody else could have written a file (TR-9).
    InsecureOwner = "insecure_owner", Error;
    /// A hook that was trusted in a folder is gone from its settings (TR-8).
    TrustedHookGone = "trusted_hook_gone", Error;
    /// A guard that nothing waits for (FD-22).
    AsyncGuard = "async_guard", Error;
    /// A hook runs files that trust can't watch (TR-1).
    Unpinned = "unpinned", Warning;
    /// Two hooks with the same name and command differ in what they may do (PL-7).
    NearTwin = "near_twin", Warning;
    /// A condition is never true, or uses something that doesn't exist (HT-1).
    ConditionDoubtful = "condition_doubtful", Warning;
    /// A hook of rules contains no rules (HT-25).
    RulesEmpty = "rules_empty", Warning;
    /// The exit code of a refusal is lost in the hook's own command (IO-2).
    RefusalLost = "refusal_lost", Warning;
    /// Something is configured that has nothing to run.
    NothingToRun = "nothing_to_run", Warning;
    /// A file with hooks is in a place where nothing reads it (ST-12).
    MisplacedFile = "misplaced_file", Warning;
    /// A matcher takes too long to compare (PL-12).
    MatcherSlow = "matcher_slow", Warning;
    /// A matcher matches a tool only by another of its names (PL-5).
    MatcherOnlyAlias = "matcher_only_alias", Warning;
    /// An event of another agent that never happens here (FD-11).
    EventNeverHappens = "event_never_happens", Warning;
    /// Part of another agent's hook can't be translated (FD-23, BR-21).
    Lossy = "lossy", Warning;
    /// A setting would loosen something that its layer may not change (ST-13).
    LooseningIgnored = "loosening_ignored", Warning;
    /// A field has no meaning in this place.
    UnknownField = "unknown_field", Warning;
    /// A key appears twice in an object; the last one counts.
    DuplicateKey = "duplicate_key", Warning;
    /// A matcher matches nothing that is known.
    MatcherNoTool = "matcher_no_tool", Warning;
    /// A plain word matches more tools than it names.
    MatcherExtraTool = "matcher_extra_tool", Warning;
    /// A matcher isn't a valid regular expression.
    MatcherInvalidRegex = "matcher_invalid_regex", Warning;
    /// An event without a subject has a matcher (PL-4).
    MatcherWithoutSubject = "matcher_without_subject", Warning;
    /// A timeout looks like a mistake in its unit.
    TimeoutSuspicious = "timeout_suspicious", Warning;
    /// A name or command occurs twice in one event and layer.
    DuplicateHook = "duplicate_hook", Warning;
    /// A hook with higher authority replaces this one (PL-7).
    ShadowedHook = "shadowed_hook", Warning;
    /// The system layer has locked a key that another layer sets (ST-6).
    LockedKey = "locked_key", Warning;
    /// An entry of a `disabled` list isn't the name of a hook.
    UnknownDisabledName = "unknown_disabled_name", Warning;
    /// A field of a reply has no effect at its event.
    ReplyFieldIgnored = "reply_field_ignored", Warning;
    /// A hook isn't trusted yet (TR-2).
    UntrustedHook = "untrusted_hook", Warning;
    /// Something has no effect because the folder isn't trusted (TR-5, ST-7).
    FolderUntrusted = "folder_untrusted", Warning;
    /// A hook that can refuse doesn't configure what its failure means (CM-3).
    GuardWithoutOnFailure = "guard_without_on_failure", Info;
    /// A hook is in shadow: its answer has no effect (HT-2).
    Shadow = "shadow", Info;
    /// Hooks are turned off (ST-6).
    HooksOff = "hooks_off", Info;
}

impl fmt::Display for ProblemCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Serialize for ProblemCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A problem, with its place and remedy (ST-5). It is displayed as one line:
///
/// ```
/// use hookloop_hook::{Position, Problem, ProblemCode, Source};
///
/// let file = Source::of_file(std::path::Path::new("/srv/shop/.gemini/settings.json"));
/// let place = file.at(Position { line: 4, column: 7 });
/// let problem = Problem::new(
///     ProblemCode::UnknownEvent,
///     place,
///     "there is no event \"BeforeTols\"",
///     "write BeforeTool",
/// );
/// assert_eq!(
///     problem.to_string(),
///     "/srv/shop/.gemini/settings.json:4:7: error: there is no event \"BeforeTols\" (write BeforeTool)"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Its severity.
    pub severity: Severity,
    /// Its kind.
    pub code: ProblemCode,
    /// What is wrong.
    pub message: String,
    /// The remedy; never empty.
    pub help: String,
    /// The right value, if there is one.
    pub suggestion: Option<String>,
    /// The place of the error itself.
    pub source: Source,
    /// The event it concerns.
    pub event: Option<EventName>,
    /// The hook it concerns.
    pub hook_id: Option<HookId>,
    /// The line of the file. A very long line is cut around the place.
    pub snippet: Option<String>,
}

impl Problem {
    /// Creates a problem without suggestion, event, hook and snippet.
    pub fn new(
        code: ProblemCode,
        source: Source,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self {
            severity: code.severity(),
            code,
            message: message.into(),
            help: help.into(),
            suggestion: None,
            source,
            event: None,
            hook_id: None,
            snippet: None,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            source,
            severity,
            message,
            help,
            ..
        } = self;
        write!(formatter, "{source}: {severity}: {message}")?;
        if help.is_empty() {
            return Ok(());
        }
        write!(formatter, " ({help})")
    }
}
