//! The fingerprint of a hook (TR-1).

use hookloop_hook::HookDeclaration;
use sha2::{Digest, Sha256};

use crate::named_files::{FileReader, NamedFile, hexadecimal};

/// Holds what trust is given to: a hook's event, matcher, name, command and env, and the bytes of
/// the files inside the project that its command names (TR-1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// SHA-256 over all of it, in hexadecimal digits.
    pub digest: String,
    /// The files, by path.
    pub files: Vec<NamedFile>,
    /// SHA-256 over the settings of the hook's extension, which are in its environment (EX-3);
    /// nothing if there are none. The values themselves may be secrets, and are not kept.
    pub extension_settings: Option<String>,
}

impl Fingerprint {
    /// Takes the fingerprint of a hook as it is now; reads files, runs nothing (TR-7).
    pub(crate) fn take(hook: &HookDeclaration, reader: &mut FileReader) -> Self {
        let files = reader.named_by(hook.command());
        let mut hasher = Sha256::new();
        let mut part = |text: Option<&str>| {
            // The length in front keeps neighbouring texts apart.
            let length = text.map_or(u64::MAX, |text| text.len() as u64);
            hasher.update(length.to_le_bytes());
            hasher.update(text.unwrap_or_default());
        };
        part(Some("hookloop-1"));
        part(Some(hook.event.as_str()));
        part(hook.matcher.as_deref());
        part(hook.name.as_deref());
        part(Some(hook.command()));
        part(Some(&hook.env.len().to_string()));
        for (name, value) in &hook.env {
            part(Some(name));
            part(Some(value));
        }
        let extension_settings = extension_settings(hook);
        part(extension_settings.as_deref());
        for file in &files {
            part(Some(&file.path));
            part(Some(&file.state.mark()));
        }
        Self {
            digest: hexadecimal(&hasher.finalize()),
            files,
            extension_settings,
        }
    }
}

fn extension_settings(hook: &HookDeclaration) -> Option<String> {
    let settings = &hook.extension.as_ref()?.settings_env;
    if settings.is_empty() {
        return None;
    }
    let mut hasher = Sha256::new();
    for text in settings.iter().flat_map(|(name, value)| [name, value]) {
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    }
    Some(hexadecimal(&hasher.finalize()))
}
