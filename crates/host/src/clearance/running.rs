//! Programs that interfere with a process that is already running. The agent is one, and a limit or
//! a debugger on it decides how its hooks end (TR-8).

use hookloop_shell::{Command, Timing, Word};

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

/// How a shell refers to itself and to its own jobs.
const OWN: [&str; 5] = ["$$", "$!", "$BASHPID", "${BASHPID}", "self"];

/// Calls in program text that interfere with another process.
const CALLS: [&str; 3] = ["prlimit", "ptrace", "process_vm_writev"];

/// Calls in program text that start something in the background.
const DETACHING: [&str; 8] = [
    "fork",
    "setsid",
    "daemon",
    "start_new_session",
    "detached",
    "nohup",
    "Thread",
    "threading",
];

/// Calls in program text that find other processes.
const FINDING: [&str; 8] = [
    "/proc", "pgrep", "pkill", "killall", "psutil", "pidof", "ps -", "ps a",
];

/// Programs that end processes by name.
const BY_NAME: [&str; 5] = ["pkill", "killall", "killall5", "skill", "slay"];

/// Words for loops.
const AGAIN: [&str; 4] = ["while", "until", "for", "watch"];

/// Returns the process that program text would interfere with: one that is already running, or,
/// from the background, any that it finds.
pub(super) fn handled_by_text(text: &str) -> Option<String> {
    let holds = |words: &[&'static str]| words.iter().copied().find(|it| text.contains(it));
    if let Some(call) = holds(&CALLS) {
        return Some(call.to_owned());
    }
    if text.contains("getattr(resource") {
        return Some("getattr(resource".to_owned());
    }
    let is_foreign = holds(&["ctypes", "cffi", "ffi-napi", "Fiddle"]).is_some();
    if is_foreign && text.contains("syscall") {
        return Some("syscall".to_owned());
    }
    if text.contains("/proc/")
        && let Some(file) = holds(&["/mem\"", "/mem'", "/mem`", "oom_score_adj", "oom_adj"])
    {
        return Some(format!("/proc/…{file}"));
    }
    let kills = holds(&["kill", "terminate("]);
    kills
        .filter(|_| holds(&DETACHING).is_some() && holds(&FINDING).is_some())
        .map(str::to_owned)
}

/// `while :; do pkill grep; done &`: ending processes by name while hooks run also ends processes
/// of hooks.
pub(super) fn kills_beside(command: &Command, text: &str) -> Option<String> {
    let is_part = |it: char| it.is_alphanumeric() || "_-./".contains(it);
    let mut words = text.split(|it| !is_part(it));
    let goes_on =
        command.timing != Timing::InOrder || command.repeats || words.any(|it| AGAIN.contains(&it));
    let finds = || FINDING.iter().any(|it| text.contains(it));
    let is_unknown = || {
        let through_list = command
            .through
            .iter()
            .any(|it| it == "xargs" || it == "parallel");
        through_list
            || command
                .operands()
                .any(|it| !it.known && !OWN.contains(&it.text.as_str()))
    };
    let is_meant = BY_NAME.contains(&command.program.as_str())
        || command.program == "fuser" && command.has_flag("-k")
        || command.program == "kill" && finds() && is_unknown();
    (is_meant && goes_on).then(|| describe(command))
}

/// Returns the process that a command would interfere with, unless it certainly isn't the agent.
pub(super) fn target_process(command: &Command) -> Option<String> {
    let code = command.code.as_deref().unwrap_or_default();
    if CALLS.iter().any(|it| code.contains(it)) {
        return Some(describe(command));
    }
    let (program, options) = HANDLERS.iter().find(|(name, _)| *name == command.program)?;
    let words = command.words.as_slice();
    let mut given = command.values_of(options).into_iter();
    let named = given.any(|it| may_be_agent(&it.text, it.known));
    let attaches = |word: &Word| word.text.contains("attach ") || !word.known;
    let is_led = *program == "gdb" && words.iter().skip(1).any(attaches);
    let is_operand = |word: &Word| may_be_agent(&word.text, word.known);
    let is_given = *program == "reptyr" && command.operands().any(is_operand);
    (named || is_led || is_given).then(|| describe(command))
}

fn describe(command: &Command) -> String {
    command.line().chars().take(80).collect()
}

/// Returns whether a process id may be the agent's. `kill` needn't be checked: an agent that was
/// ended permits nothing.
fn may_be_agent(id: &str, is_known: bool) -> bool {
    if OWN.contains(&id) {
        return false;
    }
    match id.parse::<u32>() {
        Ok(id) if is_known => id == std::process::id(),
        _ => true,
    }
}
