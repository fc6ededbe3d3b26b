//! Files of secrets that a code host is asked for by its interface.

use hookloop_shell::Command;

use super::{Effect, note, secret_names};

/// Finds the files of secrets that a command fetches: `gh api repos/a/b/contents/.env`.
pub(super) fn fetched(command: &Command, effects: &mut Vec<Effect>) {
    let asks = ["gh", "glab"].contains(&command.program.as_str())
        && command.args().first().is_some_and(|it| it.text == "api");
    for word in command.args().iter().filter(|_| asks) {
        let path = word.text.split(['?', '#']).next().unwrap_or("");
        let path = path.replace("%2E", ".").replace("%2F", "/");
        let names = |it: &str| secret_names::secret_kind(it, false).is_some();
        if path.contains('/') && path.split('/').any(names) {
            note(effects, "env.read", command, &word.text);
        }
    }
}
