//! Why a hook doesn't run, or may not run (`cli-json.md` §2, "Cause").

use std::fmt;

use hookloop_hook::{HookId, Source};
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

/// A reason why a hook doesn't run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkipCause {
    /// Hooks are switched off (ST-6).
    HooksOff(Option<Source>),
    /// A `disabled` list names it (ST-7).
    DisabledByName(Source),
    /// Its extension is disabled (EX-4).
    ExtensionDisabled,
    /// Nobody has trusted it yet (TR-2).
    UntrustedNew,
    /// It has changed since it was trusted; the text describes the change (TR-2).
    UntrustedModified(String),
    /// Its folder is marked `DO_NOT_TRUST` (TR-5).
    FolderUntrusted(Option<Source>),
    /// It runs only in these other agents. The list is empty for a hook that calls the bridge
    /// (BR-12).
    OtherAgent(Vec<String>),
    /// It is a duplicate of this hook, which is more trusted or comes first (PL-7).
    Shadowed(HookId),
    /// Its matcher doesn't match the subject (PL-1, PL-3).
    MatcherMismatch {
        /// The matcher.
        matcher: String,
        /// The subject.
        subject: String,
    },
    /// It has a selective matcher, and the subject wasn't given (CM-4).
    SubjectUnknown,
    /// Another hook was selected (CM-5).
    NotSelected,
    /// Its `if` is false for the payload (HT-1).
    ConditionFalse(String),
    /// The payload isn't of the event that it was written for (FD-11).
    OtherEvent(String),
    /// Its `if` can't be evaluated for the payload, for this reason. The hook runs anyway (HT-1).
    ConditionUnreadable(String),
}

impl SkipCause {
    /// Returns the cause's code in JSON.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::HooksOff(_) => "hooks_off",
            Self::DisabledByName(_) => "disabled_by_name",
            Self::ExtensionDisabled => "extension_disabled",
            Self::UntrustedNew => "untrusted_new",
            Self::UntrustedModified(_) => "untrusted_modified",
            Self::FolderUntrusted(_) => "folder_untrusted",
            Self::OtherAgent(_) => "other_agent",
            Self::Shadowed(_) => "shadowed",
            Self::MatcherMismatch { .. } => "matcher_mismatch",
            Self::SubjectUnknown => "subject_unknown",
            Self::NotSelected => "not_selected",
            Self::ConditionFalse(_) | Self::OtherEvent(_) => "condition_false",
            Self::ConditionUnreadable(_) => "condition_unreadable",
        }
    }

    /// Returns whether the hook isn't meant for the subject at all.
    pub(crate) const fn is_mismatch(&self) -> bool {
        matches!(self, Self::MatcherMismatch { .. })
    }

    /// Returns whether the hook still runs.
    pub(crate) const fn is_remark(&self) -> bool {
        matches!(self, Self::ConditionUnreadable(_))
    }

    /// Returns the place in the settings that causes it, if there is one.
    pub const fn source(&self) -> Option<&Source> {
        match self {
            Self::HooksOff(source) | Self::FolderUntrusted(source) => source.as_ref(),
            Self::DisabledByName(source) => Some(source),
            _ => None,
        }
    }

    /// Returns the hook that runs instead, if there is one.
    pub const fn other_hook(&self) -> Option<&HookId> {
        match self {
            Self::Shadowed(hook) => Some(hook),
            _ => None,
        }
    }

    /// Describes the cause in a sentence, without the hook's name.
    pub fn message(&self) -> String {
        match self {
            Self::HooksOff(Some(source)) => format!("hooks are switched off at {source}"),
            Self::HooksOff(None) => "hooks are switched off by --no-hooks".to_owned(),
            Self::DisabledByName(source) => format!("disabled by name at {source}"),
            Self::ExtensionDisabled => "its extension is disabled".to_owned(),
            Self::UntrustedNew => "not trusted yet; `hookloop hooks trust` lets it run".to_owned(),
            Self::UntrustedModified(what) => {
                format!("{what}; `hookloop hooks trust` lets it run again")
            }
            Self::FolderUntrusted(Some(source)) => {
                format!("the folder is marked DO_NOT_TRUST at {source}")
            }
            Self::FolderUntrusted(None) => "the folder is marked DO_NOT_TRUST".to_owned(),
            Self::OtherAgent(agents) if agents.is_empty() => {
                "it calls the bridge, which is for other agents".to_owned()
            }
            Self::OtherAgent(agents) => format!("its `agents` names only {}", agents.join(", ")),
            Self::Shadowed(_) => {
                "the same hook already runs from a more trusted or earlier place".to_owned()
            }
            Self::MatcherMismatch { matcher, subject } => {
                format!("its matcher \"{matcher}\" doesn't match \"{subject}\"")
            }
            Self::SubjectUnknown => {
                "whether its matcher matches depends on a subject that wasn't given".to_owned()
            }
            Self::NotSelected => "another hook was chosen".to_owned(),
            Self::ConditionFalse(condition) => format!("its `if` is false: {condition}"),
            Self::OtherEvent(event) => format!("this isn't {event}, which it was written for"),
            Self::ConditionUnreadable(why) => {
                format!("its `if` can't be evaluated, so it runs: {why}")
            }
        }
    }
}

impl fmt::Display for SkipCause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message())
    }
}

impl Serialize for SkipCause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Cause", 4)?;
        object.serialize_field("code", self.code())?;
        object.serialize_field("message", &self.message())?;
        object.serialize_field("source", &self.source())?;
        object.serialize_field("hook_id", &self.other_hook().map(ToString::to_string))?;
        object.end()
    }
}
