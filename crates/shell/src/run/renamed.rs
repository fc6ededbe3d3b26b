//! Names that program text binds to functions that start programs, and parts that it computes.

/// Returns the names that program text gives to functions which start a program: `{execSync: x}`,
/// `system as x`, `x = subprocess.run`.
pub(super) fn renamed_starters<'c>(code: &'c str, starters: &[&str]) -> Vec<&'c str> {
    let is_inside = |it: char| it.is_alphanumeric() || it == '_';
    let mut names = Vec::new();
    for name in starters.iter().filter(|it| it.len() > 3) {
        for (at, _) in code.match_indices(name) {
            let behind = &code[at + name.len()..];
            if code[..at].ends_with(is_inside) || behind.starts_with(is_inside) {
                continue;
            }
            let given = behind.trim_start();
            let given = given
                .strip_prefix(':')
                .or_else(|| given.strip_prefix("as "));
            if let Some(given) = given.map(str::trim_start) {
                let end = given.find(|it| !is_inside(it)).unwrap_or(given.len());
                names.push(&given[..end]);
            } else if behind.is_empty() || behind.starts_with([';', '\n']) {
                let statement = code[..at].rsplit([';', '\n']).next().unwrap_or("");
                let name = statement
                    .split_once('=')
                    .map_or("", |(name, _)| name.trim_end());
                names.push(name.rsplit(|it| !is_inside(it)).next().unwrap_or(""));
            }
        }
    }
    names.retain(|it| !it.is_empty() && !["true", "false", "null", "None"].contains(it));
    names
}

/// Returns shell text of a language that computes parts of it, `#{Dir.home}`, with what stands for
/// them in a shell.
pub(super) fn with_computed(text: &str) -> String {
    let mut written = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("#{") {
        let Some((inner, after)) = behind.split_once('}') else {
            break;
        };
        written.push_str(before);
        let is_home = ["Dir.home", "ENV[\"HOME\"]", "ENV['HOME']"].contains(&inner.trim());
        written.push_str(if is_home { "$HOME" } else { "$COMPUTED" });
        rest = after;
    }
    written.push_str(rest);
    written
}

#[cfg(test)]
mod tests {
    use super::{renamed_starters, with_computed};

    /// HT-30: what starts a program may be called by another name.
    #[test]
    fn starters_may_be_renamed() {
        let starters = ["system", "execSync", "run"];
        for code in [
            "const {execSync: x} = require('child_process'); x('a')",
            "from os import system as x; x('a')",
            "const x = require('child_process').execSync; x('a')",
        ] {
            assert_eq!(renamed_starters(code, &starters), ["x"], "{code}");
        }
        assert!(renamed_starters("system('a')", &starters).is_empty());
    }

    /// HT-30: what a language computes inside of a text is unknown there, and isn't a shell
    /// comment.
    #[test]
    fn computed_parts_stay_parts() {
        assert_eq!(
            with_computed("rm -r #{Dir.home}/x #{a}"),
            "rm -r $HOME/x $COMPUTED"
        );
        assert_eq!(with_computed("ls #{"), "ls #{");
    }
}
