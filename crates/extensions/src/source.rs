//! The source of an extension, and its record (EX-4).

use std::path::{Path, PathBuf};

use hookloop_settings::bounded::read_text;
use hookloop_settings::manifest_of;
use serde_json::{Map, Value, json};

use crate::failure::Failure;
use crate::marketplace::plugins_listed_in;
use crate::staging::not_writable;

/// The file that records the source of an extension.
pub(crate) const METADATA: &str = ".gemini-extension-install.json";

/// The message for a folder that isn't an extension.
pub(crate) const NO_MANIFEST: &str =
    "it has neither gemini-extension.json nor .claude-plugin/plugin.json";

/// The source of an extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A git repository, and optionally a branch or tag.
    Git {
        /// Its address.
        url: String,
        /// The branch or tag.
        reference: Option<String>,
    },
    /// A folder that is copied.
    Local(PathBuf),
    /// A folder that is used where it is.
    Link(PathBuf),
}

impl Source {
    /// Parses a source as a person enters it: an address, or an existing folder.
    pub fn parse(text: &str, reference: Option<&str>, current_dir: &Path) -> Result<Self, Failure> {
        if is_address(text) {
            return Ok(Self::Git {
                url: text.to_owned(),
                reference: reference.map(str::to_owned),
            });
        }
        if text.contains("://") || text.contains("::") {
            return Err(Failure::bad_input(format!(
                "\"{text}\" isn't an address that can be fetched safely: use https, ssh or file"
            )));
        }
        if reference.is_some() {
            let message = "--ref has no effect on a folder; it names a branch of a repository";
            return Err(Failure::bad_input(message));
        }
        Ok(Self::Local(folder(current_dir, Path::new(text))?))
    }

    /// Returns the source for a folder that has to be linked.
    pub fn link(path: &Path, current_dir: &Path) -> Result<Self, Failure> {
        Ok(Self::Link(folder(current_dir, path)?))
    }

    /// Reads the recorded source of an extension; `None` if it was put there by hand.
    pub fn read_recorded(extension: &Path) -> Option<Self> {
        let text = read_text(&extension.join(METADATA)).ok()?;
        let json: Map<String, Value> = serde_json::from_str(&text).ok()?;
        let text_of = |key: &str| json.get(key).and_then(Value::as_str).map(str::to_owned);
        let source = text_of("source")?;
        match text_of("type")?.as_str() {
            "git" => Some(Self::Git {
                url: source,
                reference: text_of("ref"),
            }),
            "local" => Some(Self::Local(source.into())),
            "link" => Some(Self::Link(source.into())),
            _ => None,
        }
    }

    /// Records the source of an extension.
    pub fn remember(&self, extension: &Path) -> Result<(), Failure> {
        let json = match self {
            Self::Git { url, reference } => match reference {
                Some(reference) => json!({ "source": url, "type": "git", "ref": reference }),
                None => json!({ "source": url, "type": "git" }),
            },
            Self::Local(path) => json!({ "source": path.to_string_lossy(), "type": "local" }),
            Self::Link(path) => json!({ "source": path.to_string_lossy(), "type": "link" }),
        };
        let file = extension.join(METADATA);
        std::fs::write(&file, format!("{json:#}\n")).map_err(|error| not_writable(&file, &error))
    }

    /// Formats the source for people.
    pub fn describe(&self) -> String {
        match self {
            Self::Git {
                url,
                reference: Some(reference),
            } => format!("{url} ({reference})"),
            Self::Git { url, .. } => url.clone(),
            Self::Local(path) | Self::Link(path) => path.display().to_string(),
        }
    }
}

/// Returns whether a text is the address of a git repository. Unencrypted addresses, and those that
/// make git run a program (`ext::`), are rejected.
fn is_address(text: &str) -> bool {
    let schemes = ["https://", "ssh://", "git+ssh://", "file://"];
    let is_url = schemes.iter().any(|scheme| text.starts_with(scheme));
    // `user@host:path`, the short form of ssh.
    let short = text.split_once(':').is_some_and(|(host, path)| {
        host.contains('@')
            && !host.contains(['/', '\\'])
            && !host.starts_with('-')
            && !path.starts_with(':')
    });
    is_url || short
}

fn folder(current_dir: &Path, path: &Path) -> Result<PathBuf, Failure> {
    let absolute = current_dir.join(path);
    match absolute.canonicalize() {
        Ok(folder) if manifest_of(&folder).is_file() => Ok(folder),
        Ok(folder) if folder.is_dir() => {
            let why = plugins_listed_in(&folder).unwrap_or_else(|| NO_MANIFEST.to_owned());
            let shown = absolute.display();
            Err(Failure::bad_input(format!(
                "{shown} isn't an extension: {why}"
            )))
        }
        Ok(_) => Err(Failure::bad_input(format!(
            "{} isn't a folder",
            absolute.display()
        ))),
        Err(error) => Err(Failure::bad_input(format!(
            "{} can't be read: {error}",
            absolute.display()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// EX-4: only addresses that are encrypted, or on this machine, are fetched.
    #[test]
    fn only_safe_addresses_are_fetched() {
        for address in [
            "https://example.com/x.git",
            "git@host:me/x",
            "ssh://h/x",
            "file:///x",
        ] {
            let source = Source::parse(address, None, Path::new("/"));
            assert!(matches!(source, Ok(Source::Git { .. })), "{address}");
        }
        let unsafe_ones = [
            "http://example.com/x",
            "git://h/x",
            "ext::sh -c id",
            "a@b::x",
            "-u@h:x",
        ];
        for address in unsafe_ones {
            assert!(
                Source::parse(address, None, Path::new("/")).is_err(),
                "{address}"
            );
        }
    }
}
