//! `extensions new`: an extension to begin with (EX-4).

use hookloop_extensions::already_there;
use serde_json::json;

use super::{Done, NewExtensionArguments};
use crate::commands::new::{Mode, create_all};
use crate::commands::shell_words::quoted;
use crate::commands::{CommandFailure, Context};
use crate::output::{Exit, Output};

/// The hook that it begins with.
const HOOK: &str = "#!/usr/bin/env bash
# Tells the agent that this extension is there. Standard input is one JSON object that describes
# the event; standard output is the answer, one JSON object and nothing else.
cat >/dev/null

cat <<'JSON'
{\"hookSpecificOutput\": {\"hookEventName\": \"SessionStart\", \"additionalContext\": \"The extension NAME is active.\"}}
JSON
";

/// Creates the folder of an extension; an existing one is never touched.
pub(super) fn new(
    context: &Context<'_>,
    arguments: &NewExtensionArguments,
) -> Result<Output, CommandFailure> {
    let folder = context.environment.current_dir.join(&arguments.path);
    let name = folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it);
    if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
        return Err(CommandFailure::bad_input(format!(
            "\"{name}\" can't be the name of an extension: use letters, digits, \"-\", \"_\" and \".\""
        )));
    }
    if folder.symlink_metadata().is_ok() {
        return Err(already_there(&folder).into());
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
    let shown = quoted(&arguments.path.to_string_lossy());
    let told = format!(
        "created: {}\nTry it:\n  hookloop extensions link {}\n",
        hookloop_text::visible(&folder.to_string_lossy()),
        hookloop_text::visible(&shown)
    );
    let mut done = Done::new(&name, &folder, told);
    done.files = files.iter().map(|(path, _, _)| (*path).clone()).collect();
    done.report(context, Exit::Done)
}
