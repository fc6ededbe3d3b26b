//! The policies in a hook's entry, each as its own type.

use std::time::Duration;

use serde::Serialize;

/// The default timeout of a hook (IO-30).
pub const DEFAULT_TIMEOUT: Duration = Duration::from_mins(1);

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $name {
            /// All values, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the word, as in settings.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// Returns the value for a word. Words are case-sensitive.
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.as_str() == word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.as_str())
            }
        }

        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}
pub(crate) use words;

words! {
    /// What a hook's failure means (IO-21). Greater values refuse more.
    OnFailure {
        /// Explicit: continue with a warning, even if the hook couldn't start.
        Warn = "warn",
        /// The default: continue with a warning; but before an action, a hook that couldn't start
        /// refuses.
        #[default]
        Default = "default",
        /// Refuse, on events that can refuse.
        Deny = "deny",
    }
}

words! {
    /// The dialect of a hook: the format of its payload, environment and reply (FD-1).
    Dialect {
        /// The documented contract of `hooks.md`.
        #[default]
        Hookloop = "hookloop",
        /// Gemini CLI as it ships, where it differs from its documentation.
        GeminiCli = "gemini-cli",
        /// Claude Code.
        ClaudeCode = "claude-code",
        /// Codex.
        Codex = "codex",
        /// Cursor.
        Cursor = "cursor",
        /// Copilot.
        Copilot = "copilot",
        /// Qwen Code.
        Qwen = "qwen",
    }
}

words! {
    /// Whether a hook's answer counts (HT-2).
    Mode {
        /// It counts.
        #[default]
        Active = "active",
        /// It is recorded and has no effect.
        Shadow = "shadow",
    }
}

words! {
    /// How `AfterModel` passes on the chunks of a response (AM-1, AM-7).
    Chunks {
        /// The event fires once for each chunk.
        #[default]
        Each = "each",
        /// The event fires once for all chunks that arrived while hooks ran on an earlier one.
        Joined = "joined",
    }
}

words! {
    /// What an `AfterTool` hook holds back until it has answered (AT-1).
    Withholds {
        /// Live output on the person's screen.
        #[default]
        Screen = "screen",
    }
}

/// How much of a response is held back until an `AfterModel` hook reads it (AM-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HoldBack {
    /// Until a line is complete.
    Line,
    /// Until a sentence is complete (UAX 29).
    Sentence,
    /// This many characters, 16 to 4096.
    Characters(u16),
}
