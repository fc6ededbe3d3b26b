//! Guards behind a test for what they need (CM-3): if it is missing, the hook silently does
//! nothing.

use hookloop_shell::{Command, Understood};

/// Programs that decide nothing by themselves.
const NEUTRAL_PROGRAMS: [&str; 10] = [
    "[", "test", "[[", "command", "which", "type", "hash", "cd", "true", ":",
];

/// Questions of `test` that only a file which is there answers with yes.
const QUESTIONS: [&str; 6] = ["-x", "-f", "-e", "-r", "-s", "-a"];

/// Returns whether a command of a text runs only if a test finds it, and nothing runs in its place.
pub(super) fn is_conditional(
    text: &str,
    understood: &Understood,
    command: &Command,
    word: &str,
) -> bool {
    // What is in `[[ … ]]` isn't a command.
    let mut tests = text.split("[[ ").skip(1);
    let is_asked = tests.any(|it| QUESTIONS.iter().any(|question| it.starts_with(question)));
    let plain = |word: &str| word.trim_start_matches("./").to_owned();
    let word = plain(word);
    let asks = |it: &Command| {
        let has = |text: &str| it.words.iter().any(|it| it.text == text);
        matches!(it.program.as_str(), "[" | "test" | "[[")
            && it.words.iter().any(|it| plain(&it.text) == word)
            && QUESTIONS.iter().any(|it| has(it))
    };
    let is_it = |it: &Command| it.words.iter().any(|it| plain(&it.text) == word);
    command.perhaps
        && (is_asked || understood.commands.iter().any(asks))
        && understood
            .commands
            .iter()
            .all(|it| is_it(it) || is_idle(it))
}

/// Returns the programs that a test looks for, if nothing runs without them.
pub(super) fn required_programs(understood: &Understood) -> Vec<(&Command, &str)> {
    let asked = |command: &Command| {
        let asks = match command.program.as_str() {
            "command" => command.has_flag("-v") || command.has_flag("-V"),
            "which" | "type" | "hash" => true,
            _ => false,
        };
        asks && !command.perhaps
    };
    let runs_without = |it: &Command| !it.perhaps && !is_idle(it);
    if understood.commands.iter().any(runs_without) {
        return Vec::new();
    }
    let is_all_idle = understood.commands.iter().all(is_idle);
    let commands = understood
        .commands
        .iter()
        .filter(|it| asked(it) && !is_all_idle);
    let names = commands.filter_map(|command| {
        let mut operands = command
            .words
            .iter()
            .skip(1)
            .filter(|it| !it.text.starts_with('-'));
        let name = operands.next().filter(|it| it.known && !it.pattern)?;
        (operands.next().is_none() && !name.text.contains('/')).then_some((command, &*name.text))
    });
    names.collect()
}

/// Returns whether a command does nothing by itself: it tests, or ends the hook as if nothing were
/// wrong.
fn is_idle(command: &Command) -> bool {
    let is_good_end = || {
        let code = command.words.get(1).map(|it| it.text.as_str());
        command.program == "exit" && matches!(code, None | Some("0"))
    };
    command.program.is_empty()
        || NEUTRAL_PROGRAMS.contains(&command.program.as_str())
        || is_good_end()
}

/// Programs that only notify a person: no guard is lost without them.
const TELLING: [&str; 16] = [
    "afplay",
    "aplay",
    "canberra-gtk-play",
    "espeak",
    "espeak-ng",
    "ffplay",
    "mpg123",
    "mpv",
    "notify-send",
    "osascript",
    "paplay",
    "play",
    "pw-play",
    "say",
    "spd-say",
    "terminal-notifier",
];

/// Returns whether a program only notifies a person.
pub(super) fn only_tells(program: &str) -> bool {
    TELLING.contains(&program)
}

/// Returns whether a text may refuse something: by how it ends, or by what it prints.
pub(super) fn may_refuse(text: &str, understood: &Understood) -> bool {
    let replies = ["decision", "continue", "permission"];
    let ends_badly = |it: &Command| {
        let code = it.words.get(1).map(|word| word.text.as_str());
        matches!(it.program.as_str(), "exit" | "return" | "kill") && !matches!(code, Some("0"))
    };
    replies.iter().any(|it| text.contains(it)) || understood.commands.iter().any(ends_badly)
}
