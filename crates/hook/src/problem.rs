//! What is wrong with a configuration, as data.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::event_name::EventName;
use crate::id::HookId;
use crate::source::Source;

/// Says how grave a problem is (`cli-json.md` §2, "Diagnostic").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something configured was left out, or can't run.
    Error,
    /// Something is probably not what was meant.
    Warning,
    /// Worth knowing.
    Info,
}

impl Severity {
    /// Returns the word for it, as messages begin.
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
        /// Names the kind of a problem (`cli-json.md` §2, "Diagnostic").
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ProblemCode {
            $($(#[$doc])* $variant,)*
        }

        impl ProblemCode {
            /// All codes, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the code as JSON output spells it.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// Returns the severity that every problem of this code has.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)* }
            }
        }
    };
}

problem_codes! {
    /// The file isn't JSON.
    InvalidJson = "invalid_json", Error;
    /// The file exists and can't be read.
    UnreadableFile = "unreadable_file", Error;
    /// A value has another type than its key needs.
    WrongType = "wrong_type", Error;
    /// A field that must be there is not.
    MissingField = "missing_field", Error;
    /// A value of the right type can't be used.
    InvalidValue = "invalid_value", Error;
    /// A key of `hooks` names no event.
    UnknownEvent = "unknown_event", Error;
    /// Hooks stand outside of `hooks`, where nothing reads them.
    MisplacedHooks = "misplaced_hooks", Error;
    /// A hook's type is unknown, or not supported by this build.
    UnknownHookType = "unknown_hook_type", Error;
    /// An extension is broken and was left out (EX-5).
    ExtensionInvalid = "extension_invalid", Error;
    /// The trust store, or the list of trusted folders, can't be read.
    TrustFileInvalid = "trust_file_invalid", Error;
    /// A file that a command names by its path does not exist.
    ScriptMissing = "script_missing", Error;
    /// A script that a command starts is not executable.
    ScriptNotExecutable = "script_not_executable", Error;
    /// A program is not on the PATH, or a script's `#!` names a missing one.
    InterpreterMissing = "interpreter_missing", Error;
    /// A script's line ends are those of Windows, which a shell takes for part of its words.
    ScriptLineEnds = "script_line_ends", Warning;
    /// A script that names no interpreter: the shell runs it, whatever it is written in.
    ScriptWithoutInterpreter = "script_without_interpreter", Warning;
    /// A script contains no command: it lets everything pass.
    ScriptEmpty = "script_empty", Warning;
    /// A command isn't whole: a quote or bracket isn't closed.
    CommandUnreadable = "command_unreadable", Error;
    /// A command comes to nothing, because a variable of it isn't set.
    UnsetVariable = "unset_variable", Error;
    /// A hook's program speaks another agent's words: it would enforce nothing (CM-3).
    ForeignWords = "foreign_words", Error;
    /// A file that may contain guards can't be read: no agent runs without it (ST-5).
    SettingsUnreadable = "settings_unreadable", Error;
    /// A condition can't be compiled (HT-1).
    ConditionInvalid = "condition_invalid", Error;
    /// What a hook of its type needs is wrong (IO-21).
    HandlerInvalid = "handler_invalid", Error;
    /// A WebAssembly component can't be used (HT-20).
    PluginInvalid = "plugin_invalid", Error;
    /// An agent of the bridge obeys nothing (BR-1).
    AgentObeysNothing = "agent_obeys_nothing", Error;
    /// Somebody else could have written a file (TR-9).
    InsecureOwner = "insecure_owner", Error;
    /// A hook that was trusted in a folder is gone from its settings (TR-8).
    TrustedHookGone = "trusted_hook_gone", Error;
    /// A guard that nobody waits for (FD-22).
    AsyncGuard = "async_guard", Error;
    /// A hook runs files that trust can't watch (TR-1).
    Unpinned = "unpinned", Warning;
    /// Two hooks of one name and command differ in what they may do (PL-7).
    NearTwin = "near_twin", Warning;
    /// A condition can't be true, or asks for what is never there (HT-1).
    ConditionDoubtful = "condition_doubtful", Warning;
    /// A hook of rules contains no rules (HT-25).
    RulesEmpty = "rules_empty", Warning;
    /// The exit code by which a guard refuses is lost in its own command (IO-2).
    RefusalLost = "refusal_lost", Warning;
    /// Something is configured that has nothing to run.
    NothingToRun = "nothing_to_run", Warning;
    /// A file with hooks is where nothing reads it (ST-12).
    MisplacedFile = "misplaced_file", Warning;
    /// A matcher takes too long to compare (PL-12).
    MatcherSlow = "matcher_slow", Warning;
    /// A matcher fits another name of a tool only (PL-5).
    MatcherOnlyAlias = "matcher_only_alias", Warning;
    /// An event of another agent that never happens here (FD-11).
    EventNeverHappens = "event_never_happens", Warning;
    /// Something of a foreign hook can't be carried over (FD-23, BR-21).
    Lossy = "lossy", Warning;
    /// A setting would loosen what its layer may not touch (ST-13).
    LooseningIgnored = "loosening_ignored", Warning;
    /// A field means nothing in this place.
    UnknownField = "unknown_field", Warning;
    /// A key appears twice in an object; the last one counts.
    DuplicateKey = "duplicate_key", Warning;
    /// A matcher fits nothing that is known.
    MatcherNoTool = "matcher_no_tool", Warning;
    /// A plain word fits more tools than it names.
    MatcherExtraTool = "matcher_extra_tool", Warning;
    /// A matcher isn't a valid regular expression.
    MatcherInvalidRegex = "matcher_invalid_regex", Warning;
    /// An event without a subject has a matcher (PL-4).
    MatcherWithoutSubject = "matcher_without_subject", Warning;
    /// A timeout looks like a mistake of units.
    TimeoutSuspicious = "timeout_suspicious", Warning;
    /// A name or command appears twice in one event and layer.
    DuplicateHook = "duplicate_hook", Warning;
    /// A hook of a higher level takes this one's place (PL-7).
    ShadowedHook = "shadowed_hook", Warning;
    /// The system layer has locked a key that another layer sets (ST-6).
    LockedKey = "locked_key", Warning;
    /// An entry of a `disabled` list names no hook.
    UnknownDisabledName = "unknown_disabled_name", Warning;
    /// A field of a reply has no effect on its event.
    ReplyFieldIgnored = "reply_field_ignored", Warning;
    /// A hook waits for a person's trust (TR-2).
    UntrustedHook = "untrusted_hook", Warning;
    /// Something does not count because the folder is not trusted (TR-5, ST-7).
    FolderUntrusted = "folder_untrusted", Warning;
    /// A hook that could refuse doesn't say what its failure means (CM-3).
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

/// Describes one thing that is wrong, where, and what would be right (ST-5). It is shown in one line:
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
    /// How grave it is.
    pub severity: Severity,
    /// Its kind.
    pub code: ProblemCode,
    /// What is wrong.
    pub message: String,
    /// The remedy, in words; never empty.
    pub help: String,
    /// The right value, where there is one.
    pub suggestion: Option<String>,
    /// The place of the wrong thing itself.
    pub source: Source,
    /// The event it concerns.
    pub event: Option<EventName>,
    /// The hook it concerns.
    pub hook_id: Option<HookId>,
    /// The line of the file; a very long line is cut around the place.
    pub snippet: Option<String>,
}

impl Problem {
    /// Returns a problem without suggestion, event, hook and snippet.
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
