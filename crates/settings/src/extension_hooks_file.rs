//! The files of an extension that contain hooks (EX-1, FD-3).

use std::path::{Component, Path, PathBuf};

use hookloop_dialects::foreign_event;
use hookloop_hook::{Dialect, EventName};
use jsonc_parser::ast::{Object, Value};

use crate::syntax::member;

/// A file with an extension's hooks.
pub(crate) struct HooksFile {
    /// Its path from the extension's folder.
    pub(crate) path: PathBuf,
    /// Whether an extension without it has no hooks there.
    pub(crate) may_be_missing: bool,
}

impl HooksFile {
    pub(crate) const USUAL: &'static str = "hooks/hooks.json";

    /// The file that an extension need not name.
    pub(crate) fn default_file() -> Self {
        Self {
            path: PathBuf::from(Self::USUAL),
            may_be_missing: true,
        }
    }

    /// A file that a manifest names (FD-3); nothing if it is outside of the extension.
    pub(crate) fn from_manifest(extension: &Path, name: &str) -> Option<Self> {
        let root = "${CLAUDE_PLUGIN_ROOT}/";
        let name = name.strip_prefix(root).unwrap_or(name);
        let name = name.strip_prefix("${extensionPath}/").unwrap_or(name);
        let mut path = PathBuf::new();
        for component in Path::new(name).components() {
            match component {
                Component::CurDir => {}
                Component::Normal(part) => path.push(part),
                _ => return None,
            }
        }
        let (real, above) = (
            extension.join(&path).canonicalize(),
            extension.canonicalize(),
        );
        let leads_out = real
            .ok()
            .zip(above.ok())
            .is_some_and(|(real, above)| !real.starts_with(above));
        (!path.as_os_str().is_empty() && !leads_out).then_some(Self {
            path,
            may_be_missing: false,
        })
    }
}

/// Returns whether a file of hooks is written in the words of Claude Code: it has an event that
/// only that agent has, and none that only we have (FD-3).
pub(crate) fn is_claude(root: &Object<'_>) -> bool {
    let Some(Value::Object(events)) = member(root, "hooks").map(|it| &it.value) else {
        return false;
    };
    let names = || events.properties.iter().map(|it| it.name.as_str());
    let is_ours = |name: &str| name.parse::<EventName>().is_ok();
    let is_theirs = |name: &str| foreign_event(Dialect::ClaudeCode, name).is_some();
    names().any(|name| is_theirs(name) && !is_ours(name))
        && !names().any(|name| is_ours(name) && !is_theirs(name))
}
