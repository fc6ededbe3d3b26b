//! Calls that change how Node reads scripts of hooks (TR-8): the `type` of a `package.json`. Everything else of such a
//! file is the project's.

use std::path::{Path, PathBuf};

use hookloop_shell::{Command, Place as RunsAt};
use serde_json::{Map, Value};

use super::commands::Place;
use super::reading::bytes_of;

/// A longer description isn't read, in bytes.
const LONGEST: u64 = 1 << 20;

/// Programs that write descriptions.
const WRITERS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];

impl Place {
    /// Returns the description that a call of a file tool would change so that a script is read in another way.
    pub(super) fn described_otherwise(
        &self,
        path: &str,
        arguments: &Map<String, Value>,
    ) -> Option<PathBuf> {
        let path = self.path_of(path);
        let file = self.protected.described_by(&path)?;
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        let written = match (text("content"), text("old_string"), text("new_string")) {
            (Some(content), ..) => content.to_owned(),
            (None, Some(old), Some(new)) => {
                let bytes = bytes_of(&file, LONGEST).unwrap_or_default();
                let before = String::from_utf8_lossy(&bytes);
                if old.is_empty() {
                    new.to_owned()
                } else {
                    before.replace(old, new)
                }
            }
            _ => return None,
        };
        self.protected.read_otherwise(&path, &written)
    }

    /// Returns the description that a command would change, where the text that it stands in speaks of types.
    pub(super) fn described_by(&self, command: &Command, text: &str) -> Option<PathBuf> {
        if command.place != RunsAt::Here {
            return None;
        }
        if !text.contains("type") && !text.contains("es6") && !text.contains("esm") {
            return None;
        }
        let mut written = command.writes.iter().flat_map(|it| &it.paths);
        let written = written.find_map(|it| self.protected.described_by(Path::new(it)));
        written.or_else(|| {
            let writes = ["pkg", "init", "create"];
            let subcommand = command.subcommand.as_deref().unwrap_or_default();
            if !WRITERS.contains(&&*command.program) || !writes.contains(&subcommand) {
                return None;
            }
            // Asked what stands there, it writes nothing.
            let mut operands = command.operands();
            if subcommand == "pkg" && operands.any(|it| it.text == "get") {
                return None;
            }
            let mut folders = command
                .folders
                .iter()
                .map(|it| Path::new(it).join("package.json"));
            folders.find_map(|it| self.protected.described_by(&it))
        })
    }
}
