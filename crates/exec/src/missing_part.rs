//! What a hook needs of the program that runs it, and what this program was built without (IO-21).

use std::fmt;

use hookloop_hook::Handler;

/// A part that was left out when the program was built: hooks that need it couldn't start (IO-21).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingPart {
    /// Its name in messages.
    pub name: &'static str,
    /// The feature with which the program has it.
    pub feature: &'static str,
}

impl MissingPart {
    /// Hooks that are services (HT-15).
    pub(crate) const HTTP: Self = Self::new("HTTP", "http");
    /// Hooks that are components of WebAssembly (HT-20).
    pub(crate) const PLUGINS: Self = Self::new("plugins", "plugins");

    /// Creates a part that a feature stands for.
    pub const fn new(name: &'static str, feature: &'static str) -> Self {
        Self { name, feature }
    }

    /// Returns what to do about it.
    pub fn remedy(self) -> String {
        format!(
            "install a package of Hookloop, or build the program with `--features {}`",
            self.feature
        )
    }
}

impl fmt::Display for MissingPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this program was built without {}", self.name)
    }
}

/// Returns what the executor of commands would need for a handler, if this program was built
/// without it.
pub fn missing_part(handler: &Handler) -> Option<MissingPart> {
    let (part, is_built) = match handler {
        Handler::Http(_) => (MissingPart::HTTP, cfg!(feature = "http")),
        Handler::Plugin(_) => (MissingPart::PLUGINS, cfg!(feature = "plugins")),
        _ => return None,
    };
    (!is_built).then_some(part)
}
