//! Entries that call the bridge: other agents run them, we never do (BR-12).

use hookloop_shell::{Surroundings, understand};

/// What our wrapper may run beside the bridge itself.
const BESIDE: [&str; 5] = ["[", "test", "echo", "printf", "exit"];

/// Tells whether a command does nothing but call the bridge: the program itself, or the wrapper
/// that `bridge install` writes. A command that runs anything else is a hook as any other.
pub fn calls_bridge(command: &str) -> bool {
    if !command.contains("hooks bridge") {
        return false;
    }
    let around = Surroundings {
        folder: None,
        home: None,
        repository: None,
        variables: None,
        files: None,
    };
    let understood = understand(command, around);
    let is_bridge = |it: &hookloop_shell::Command| {
        let words: Vec<&str> = it.words.iter().map(|word| word.text.as_str()).collect();
        it.program.trim_end_matches(".exe") == "hookloop"
            && is_installed(&it.invoked, &it.program)
            && it.env.is_empty()
            && matches!(words.as_slice(), [_, "hooks", "bridge", _, ..])
    };
    // The wrapper keeps what the bridge said and how it ended.
    let keeps_result = |it: &hookloop_shell::Command| {
        let is_own = |name: &str| matches!(name, "o" | "r");
        it.program.is_empty() && !it.env.is_empty() && it.env.iter().all(|set| is_own(&set.name))
    };
    let is_beside = |it: &hookloop_shell::Command| {
        it.program.is_empty() || BESIDE.contains(&it.program.as_str())
    };
    let commands = &understood.commands;
    understood.parsed
        && understood.definitions.is_empty()
        // What comes before it may decide by itself, as may what runs in its place.
        && commands.iter().find(|it| !keeps_result(it)).is_some_and(is_bridge)
        && commands.iter().all(|it| {
            let writes = it.writes.iter().chain(&it.deletes).next().is_some();
            (is_bridge(it) || is_beside(it)) && !writes && it.through.is_empty()
        })
}

/// Tells whether a program is named as an installed one is: alone, or by its absolute path. One below the
/// working directory is whatever the project put there.
fn is_installed(invoked: &str, program: &str) -> bool {
    let is_on_drive = invoked.as_bytes().get(1) == Some(&b':');
    invoked == program || invoked.starts_with('/') || is_on_drive
}

#[cfg(test)]
mod tests {
    use super::calls_bridge;

    /// BR-12: the bridge's own entries are known, alone and in their wrapper; a guard that only
    /// names the bridge stays a guard.
    #[test]
    fn the_bridges_own_entries_are_known() {
        for command in [
            "/home/dev/.local/share/hookloop/bin/hookloop hooks bridge codex PreToolUse",
            "hookloop hooks bridge claude-code Stop",
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
        ] {
            assert!(!calls_bridge(command), "{command}");
        }
    }
}
