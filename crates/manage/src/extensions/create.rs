//! A new extension to start from (EX-4).

use std::path::{Path, PathBuf};

use hookloop_extensions::already_exists;
use serde_json::json;

use crate::failure::CommandFailure;
use crate::new::{Mode, create_all};

/// The script of its first hook.
const HOOK: &str = "#!/usr/bin/env bash
# Tells the agent that this extension is active. Standard input is one JSON object that describes
# the event; standard output is the answer, one JSON object and nothing else.
cat >/dev/null

cat <<'JSON'
{\"hookSpecificOutput\": {\"hookEventName\": \"SessionStart\", \"additionalContext\": \"The extension NAME is active.\"}}
JSON
";

/// An extension that was created.
#[derive(Debug)]
pub struct CreatedExtension {
    /// Its name: that of its folder.
    pub name: String,
    /// Its files.
    pub files: Vec<PathBuf>,
}

/// Creates the folder of an extension; an existing one is never touched.
pub fn create_extension(folder: &Path) -> Result<CreatedExtension, CommandFailure> {
    let name = folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it);
    if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
        return Err(CommandFailure::bad_input(format!(
            "\"{name}\" can't be the name of an extension: use letters, digits, \"-\", \"_\" and \
             \".\""
        )));
    }
    if folder.symlink_metadata().is_ok() {
        return Err(already_exists(folder).into());
    }
    let manifest = json!({
        "name": name,
        "version": "0.1.0",
        "contextFileName": "GEMINI.md",
    });
    let hooks = json!({ "hooks": { "SessionStart": [{ "hooks": [{
        "type": "command",
        "name": format!("{name}-hello"),
        "command": "bash \"${extensionPath}${/}hooks${/}hello.sh\"",
    }] }] } });
    let [manifest_file, hooks_file, script, context_file] = [
        "gemini-extension.json",
        "hooks/hooks.json",
        "hooks/hello.sh",
        "GEMINI.md",
    ]
    .map(|path| folder.join(path));
    let text_of_context = format!("# {name}\n\nWhat the model should know about {name}.\n");
    let files = [
        (&manifest_file, format!("{manifest:#}\n"), Mode::Data),
        (&hooks_file, format!("{hooks:#}\n"), Mode::Data),
        (&script, HOOK.replace("NAME", &name), Mode::Program),
        (&context_file, text_of_context, Mode::Data),
    ];
    create_all(&files)?;
    let files = files.iter().map(|(path, _, _)| (*path).clone());
    Ok(CreatedExtension {
        files: files.collect(),
        name,
    })
}
