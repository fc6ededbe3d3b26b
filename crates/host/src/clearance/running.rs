//! Programs that lay hands on a process that runs already. The agent is one, and a limit or a debugger that is
//! put on it decides how its hooks end (TR-8).

use hookloop_shell::{Command, Word};

/// Programs, and the options that name the process.
const HANDLERS: [(&str, &[&str]); 8] = [
    ("criu", &["-t", "--tree"]),
    ("gdb", &["-p", "-pid", "--pid"]),
    ("lldb", &["-p", "--attach-pid", "-n", "--attach-name"]),
    ("ltrace", &["-p"]),
    ("nsenter", &["-t", "--target"]),
    ("prlimit", &["-p", "--pid"]),
    ("reptyr", &[]),
    ("strace", &["-p", "--attach"]),
];

/// What a shell writes for itself and for what it began: nobody else's processes.
const OWN: [&str; 5] = ["$$", "$!", "$BASHPID", "${BASHPID}", "self"];

/// What program text calls to lay hands on another process.
const CALLS: [&str; 3] = ["prlimit", "ptrace", "process_vm_writev"];

/// Returns what a command would handle, if it isn't plain that it is some process beside the agent.
pub(super) fn handled(command: &Command) -> Option<String> {
    let code = command.code.as_deref().unwrap_or_default();
    if CALLS.iter().any(|it| code.contains(it)) {
        return Some(shown(command));
    }
    let (program, options) = HANDLERS.iter().find(|(name, _)| *name == command.program)?;
    let words = command.words.as_slice();
    let named = (1..words.len()).any(|at| {
        options
            .iter()
            .filter_map(|option| value(option, words, at))
            .any(|(text, is_known)| may_be_agent(&text, is_known))
    });
    let attaches = |word: &Word| word.text.contains("attach ") || !word.known;
    let is_led = *program == "gdb" && words.iter().skip(1).any(attaches);
    let is_operand = |word: &Word| may_be_agent(&word.text, word.known);
    let is_given = *program == "reptyr" && command.operands().any(is_operand);
    (named || is_led || is_given).then(|| shown(command))
}

fn shown(command: &Command) -> String {
    command.line().chars().take(80).collect()
}

/// Returns the value that the option has which a word is, with whether it is known: `-p 1`, `-p1`, `--pid=1`.
fn value(option: &str, words: &[Word], at: usize) -> Option<(String, bool)> {
    let word = &words[at];
    let rest = word.text.strip_prefix(option)?;
    if rest.is_empty() {
        let next = words.get(at + 1)?;
        return Some((next.text.clone(), next.known));
    }
    let is_long = option.starts_with("--");
    let rest = match rest.strip_prefix('=') {
        Some(rest) => rest,
        None if is_long => return None,
        None => rest,
    };
    Some((rest.to_owned(), word.known))
}

/// Tells whether a process of this id may be the agent's. `kill` isn't asked about: an agent that is gone
/// lets nothing through.
fn may_be_agent(id: &str, is_known: bool) -> bool {
    if OWN.contains(&id) {
        return false;
    }
    match id.parse::<u32>() {
        Ok(id) if is_known => id == std::process::id(),
        _ => true,
    }
}
