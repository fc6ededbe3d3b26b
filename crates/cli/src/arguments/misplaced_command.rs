//! Recognises prompts that are meant as commands (CM-9): a user who wants to check a guard must not
//! send a question to a model.

use clap::Command;

use super::CommandLine;
use clap::CommandFactory as _;

/// Returns the command that was probably meant, if the words aren't a prompt: a single word that is
/// a command, or nearly one, or a command with valid arguments.
pub(super) fn command(words: &[String]) -> Option<String> {
    let has_blank = |word: &String| word.contains(char::is_whitespace);
    if words.is_empty() || words.iter().any(has_blank) {
        return None;
    }
    let grammar = CommandLine::command();
    let mut known = Vec::new();
    known.extend(names(&grammar).map(|name| (name, Vec::new())));
    if let Some(hooks) = grammar.find_subcommand("hooks") {
        known.extend(names(hooks).map(|name| (name, vec!["hooks".to_owned()])));
    }
    match words {
        [word] => {
            let near = |name: &str| strsim::osa_distance(word, name);
            let (name, above) = known.into_iter().min_by_key(|(name, _)| near(name))?;
            (near(&name) <= 1).then(|| {
                let meant = [above, vec![name]].concat().join(" ");
                mistake_message(word, &meant)
            })
        }
        [first, ..] => {
            let (_, above) = known.into_iter().find(|(name, _)| name == first)?;
            let line: Vec<String> = [above, words.to_vec()].concat();
            let program = std::iter::once("hookloop".to_owned());
            let parsed = CommandLine::command().try_get_matches_from(program.chain(line.clone()));
            parsed.ok()?;
            let line: Vec<_> = line
                .iter()
                .map(|it| hookloop_text::shell_word(it))
                .collect();
            Some(mistake_message(&words.join(" "), &line.join(" ")))
        }
        [] => None,
    }
}

/// Returns the names of the commands below one, with their aliases.
fn names(command: &Command) -> impl Iterator<Item = String> {
    let shown = command.get_subcommands().filter(|it| !it.is_hide_set());
    let all = shown.flat_map(|it| std::iter::once(it.get_name()).chain(it.get_all_aliases()));
    all.map(str::to_owned).collect::<Vec<_>>().into_iter()
}

fn mistake_message(words: &str, meant: &str) -> String {
    let words = hookloop_text::visible(words);
    format!(
        "'{words}' wasn't sent to the model, because it looks like a command: hookloop {meant}\n\
         To send it as a prompt: hookloop -p {}",
        hookloop_text::shell_word(&words)
    )
}
