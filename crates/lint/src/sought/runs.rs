//! Whether a program runs another one, and doesn't only look for its name (IO-27).

/// Programs that know something other than the event, and whose names guards look for.
const PROGRAMS: [&str; 4] = ["git", "curl", "wget", "docker"];

/// Behind which a command begins.
const BEGINS: [&str; 14] = [
    "$(", "`", "| ", ";", "&&", "||", "then", "if", "elif", "while", "do", "!", "{", "<(",
];

/// Returns whether one of the programs is run.
pub(super) fn asks_a_program(lines: &[&str]) -> bool {
    lines.iter().any(|line| {
        PROGRAMS.iter().any(|program| {
            let mut places = line.match_indices(program).map(|it| it.0);
            places.any(|at| is_run(line, at, program))
        })
    })
}

/// Returns whether a name begins a command: it is at the start of one, outside of a text or in a
/// substitution.
fn is_run(line: &str, at: usize, program: &str) -> bool {
    let (before, behind) = (&line[..at], &line[at + program.len()..]);
    let is_called = behind.starts_with(' ') || behind.is_empty();
    if !is_called {
        return false;
    }
    let plain = before.trim_end();
    let substituted = plain.ends_with("$(") || plain.ends_with('`') || plain.ends_with("<(");
    // `"$(cd "$root" && git status)"`
    let is_within = before.rfind("$(").is_some_and(|it| {
        !before[it..].contains(')') && (plain.ends_with("&&") || plain.ends_with(';'))
    });
    if substituted || is_within {
        return true;
    }
    let is_in_text = ['"', '\'', '/']
        .iter()
        .any(|it| before.matches(*it).count() % 2 == 1);
    // A pattern without quotes: `git push|git pull)`.
    let is_pattern = behind.split([';', '&']).next().is_some_and(|it| {
        let end = it.find(')');
        end.is_some_and(|end| !it[..end].contains('('))
    }) && !before.contains('(');
    let begins = plain.is_empty()
        || BEGINS.iter().any(|it| {
            let start = before.strip_suffix(' ').unwrap_or(before);
            plain.ends_with(it.trim_end()) && (start.len() < before.len() || !it.ends_with(' '))
        });
    begins && !is_in_text && !is_pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    /// IO-27: a guard that runs git decides by more than the event; one that looks for its name
    /// doesn't.
    #[test]
    fn running_a_program_isnt_looking_for_it() {
        for text in [
            "branch=$(git branch --show-current)",
            "b=\"$(git rev-parse HEAD)\"",
            "git diff --quiet || exit 2",
            "if git diff --quiet; then exit 0; fi",
            "if ! git diff --quiet; then exit 2; fi",
            "cd x && git status",
            "b=\"$(cd \"$root\" && git status)\"",
            "b=`git branch`",
            "  curl -s localhost | grep -q open || exit 2",
            "mapfile -t files < <(git ls-files)",
        ] {
            assert!(asks_a_program(&[text]), "{text}");
        }
        for text in [
            "[[ $cmd == *\"git push\"* ]] && exit 2",
            "case \"$cmd\" in git\\ push*) exit 2;; esac",
            "if \"git push\" in cmd:",
            "grep -qE '^(rm|git push)'",
            "if (/(rm|git push) --force/.test(cmd)) process.exit(2);",
            "exit 2 if $c =~ /git push/;",
            "  'git push --force',",
            "\"curl \"*) exit 2 ;;",
        ] {
            assert!(!asks_a_program(&[text]), "{text}");
        }
    }
}
