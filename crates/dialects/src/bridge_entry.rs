//! Hook entries that call the bridge: other agents run them, and we never do (BR-12).

use hookloop_shell::{Command, Surroundings, Understood, understand};

/// What may start the bridge and do nothing else: shells, and programs that say how it runs.
const LAUNCHERS: [&str; 11] = [
    "sh", "bash", "zsh", "dash", "exec", "command", "env", "nice", "nohup", "time", "timeout",
];

/// The parts of the two wrappers that `bridge install` writes around the call: the beginning, what
/// follows the call, and the end. Between the last two, the wrapper says in the agent's words that
/// the bridge failed.
const WRAPPERS: [[&str; 3]; 2] = [
    [
        "{ ",
        "; r=$?; [ $r = 0 ] || [ $r = 2 ] || { ",
        " >&2; r=2; }; exit $r; }",
    ],
    [
        "{ o=$(",
        "); r=$?; case \"$r:$o\" in 0: | 0:'{'*'}') printf %s \"$o\" ;; *) ",
        " >&2 ;; esac; exit 0; }",
    ],
];

/// Returns whether a command does nothing except call the bridge: it is the program itself, in any
/// spelling, or the wrapper that `bridge install` writes. A command that does anything else is an
/// ordinary hook.
pub fn calls_bridge(command: &str) -> bool {
    if !command.contains("bridge") || !command.contains("hookloop") {
        return false;
    }
    let plain = command.split_whitespace().collect::<Vec<_>>().join(" ");
    let wrapped = WRAPPERS.iter().any(|[begin, behind, end]| {
        let inner = plain
            .strip_prefix(begin)
            .and_then(|it| it.strip_suffix(end));
        let parts = inner.and_then(|it| it.split_once(behind));
        parts.is_some_and(|(call, words)| is_call(call) && only_speaks(words))
    });
    wrapped || is_call(command.trim())
}

/// Returns whether a command is a call of the bridge and nothing else, through programs that only
/// start it.
fn is_call(command: &str) -> bool {
    let understood = parse_command(&for_shell(command));
    let (calls, carriers): (Vec<_>, Vec<_>) =
        understood.commands.iter().partition(|it| is_bridge(it));
    let [call] = calls.as_slice() else {
        return false;
    };
    let mut through: Vec<&str> = call.through.iter().map(String::as_str).collect();
    let is_through = through.iter().all(|it| LAUNCHERS.contains(it));
    // Each must be a command of its own, with nothing else beside them.
    for carrier in &carriers {
        let Some(at) = through.iter().position(|it| *it == carrier.program) else {
            return false;
        };
        through.remove(at);
    }
    let goes_nowhere =
        |it: &Command| it.redirects.is_empty() && it.writes.is_empty() && it.deletes.is_empty();
    // The agent obeys the exit code, so it must not be changed.
    let is_turned = command.trim_start().starts_with('!') || command.trim_end().ends_with('&');
    understood.parsed
        && !is_turned
        && understood.definitions.is_empty()
        && is_through
        && !call.perhaps
        && !call.repeats
        && understood.commands.iter().all(goes_nowhere)
}

/// Writes a command of a Windows shell as one of the shell that is parsed: paths with slashes, and
/// without PowerShell's call operator.
fn for_shell(command: &str) -> String {
    let called = command.strip_prefix('&').map_or(command, str::trim_start);
    let path = called.trim_start_matches(['"', '\'']);
    let is_of_windows = path.as_bytes().get(1..3) == Some(b":\\") || path.starts_with("\\\\");
    if is_of_windows {
        called.replace('\\', "/")
    } else {
        command.to_owned()
    }
}

fn parse_command(command: &str) -> Understood {
    let around = Surroundings {
        folder: None,
        home: None,
        repository: None,
        variables: None,
        files: None,
    };
    understand(command, around)
}

fn is_bridge(call: &Command) -> bool {
    let words: Vec<&str> = call.words.iter().map(|word| word.text.as_str()).collect();
    let [program, "hooks", "bridge", _, _, ..] = words.as_slice() else {
        return false;
    };
    let name = program.rsplit('/').next().unwrap_or_default();
    let name = name
        .strip_suffix(".exe")
        .or_else(|| name.strip_suffix(".EXE"));
    let name = name.unwrap_or_else(|| program.rsplit('/').next().unwrap_or_default());
    name == "hookloop" && is_installed(program) && call.env.is_empty()
}

/// Returns whether a program is named as an installed one is: by its name alone, or by its absolute
/// path. One below the working directory is whatever the project put there.
fn is_installed(program: &str) -> bool {
    let is_on_drive = program.as_bytes().get(1) == Some(&b':');
    let homes = ["/", "~/", "$HOME/", "${HOME}/"];
    let is_absolute = homes.iter().any(|it| program.starts_with(it));
    let climbs = program.split('/').any(|it| it == "..");
    !program.contains('/') || (is_absolute || is_on_drive) && !climbs
}

/// Returns whether commands only print something.
fn only_speaks(words: &str) -> bool {
    let understood = parse_command(words);
    let speaks = |it: &Command| {
        let does = it
            .reads
            .iter()
            .chain(&it.writes)
            .chain(&it.deletes)
            .next()
            .is_some();
        it.program == "echo"
            && it.env.is_empty()
            && it.redirects.is_empty()
            && it.through.is_empty()
            && !does
    };
    understood.parsed && understood.definitions.is_empty() && understood.commands.iter().all(speaks)
}

#[cfg(test)]
mod tests {
    use super::calls_bridge;

    /// BR-12: the bridge's own entries are recognised, alone and in their wrapper; a guard that
    /// only names the bridge stays a guard.
    #[test]
    fn the_bridges_own_entries_are_known() {
        for command in [
            "/home/dev/.local/share/hookloop/bin/hookloop hooks bridge codex PreToolUse",
            "hookloop hooks bridge claude-code Stop",
            "  hookloop  hooks   bridge claude-code Stop --raw",
            "exec hookloop 'hooks' \"bridge\" claude-code Stop",
            "sh -c 'hookloop hooks bridge claude-code Stop'",
            "~/.local/share/hookloop/bin/hookloop hooks bridge claude-code Stop",
            "\"$HOME/.local/share/hookloop/bin/hookloop\" hooks bridge claude-code Stop",
            "C:\\Tools\\hookloop.exe hooks bridge claude-code Stop",
            "\"C:\\Program Files\\hookloop.exe\" hooks bridge claude-code Stop",
            "& 'C:\\Program Files\\hookloop.exe' hooks bridge claude-code Stop",
            "{ '/opt/it/hookloop' hooks bridge claude-code PreToolUse; r=$?; [ $r = 0 ] || [ $r = 2 ] \
             || { echo \"hookloop failed ($r): blocked\" >&2; r=2; }; exit $r; }",
            "{ o=$(/opt/it/hookloop hooks bridge cline PreToolUse); r=$?; case \"$r:$o\" in 0: | 0:'{'*'}') \
             printf %s \"$o\" ;; *) echo '{\"cancel\":true}'; echo \"hookloop failed ($r)\" >&2 ;; esac; \
             exit 0; }",
        ] {
            assert!(calls_bridge(command), "{command}");
        }
        for command in [
            "./guard.sh",
            "./guard.sh # hookloop hooks bridge codex PreToolUse",
            "./guard.sh; hookloop hooks bridge codex PreToolUse",
            "hookloop hooks bridge codex PreToolUse | ./guard.sh",
            "hookloop hooks bridge codex X > /tmp/file",
            "evil hooks bridge codex PreToolUse",
            "o=$(hookloop hooks bridge cline PreToolUse | ./guard.sh); echo \"$o\"",
            "echo hookloop hooks bridge codex",
            "./hookloop hooks bridge codex PreToolUse",
            "bin/hookloop hooks bridge codex PreToolUse",
            "PATH=. hookloop hooks bridge codex PreToolUse",
            "test -f .frozen && exit 2; hookloop hooks bridge codex PreToolUse",
            "[ ! -f .frozen ] || exit 2; hookloop hooks bridge codex PreToolUse",
            "exit 2; hookloop hooks bridge codex PreToolUse",
            "PATH=.; hookloop hooks bridge codex PreToolUse",
            "hookloop hooks bridge codex PreToolUse; exit 2",
            "hookloop hooks bridge codex PreToolUse; test -f .frozen && exit 2",
            "hookloop hooks bridge codex PreToolUse && echo '{\"decision\":\"block\"}'",
            "hookloop hooks bridge codex PreToolUse; [[ -f .frozen ]] && exit 2",
            "{ hookloop hooks bridge codex X; r=$?; [ $r = 0 ] || [ $r = 2 ] || { ./guard.sh; echo x >&2; r=2; }; \
             exit $r; }",
            "{ hookloop hooks bridge codex X; ./guard.sh; r=$?; [ $r = 0 ] || [ $r = 2 ] || { echo x >&2; r=2; }; \
             exit $r; }",
            "{ hookloop hooks bridge codex X; r=$?; [ $r = 0 ] || [ $r = 2 ] || { echo $(./guard.sh) >&2; r=2; }; \
             exit $r; }",
            "! hookloop hooks bridge codex X",
            "hookloop hooks bridge codex X &",
            "if [ -f .frozen ]; then exit 2; fi; hookloop hooks bridge codex X",
            "hookloop hooks bridge codex \"$(./guard.sh)\"",
            "hookloop hooks bridge codex X < /etc/hosts",
            "xargs hookloop hooks bridge codex X",
            "sh guard.sh; exec hookloop hooks bridge codex X",
            "sh -c ./guard.sh; sh -c 'hookloop hooks bridge codex X'",
            "/opt/../work/hookloop hooks bridge codex X",
            "hookloop hooks bridge",
        ] {
            assert!(!calls_bridge(command), "{command}");
        }
    }
}
