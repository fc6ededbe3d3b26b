//! Guards that have nothing to read, or read it twice, and those that keep their reply to
//! themselves (CM-3, IO-2).

use hookloop_shell::{Command, Input, RedirectKind};
use hookloop_text::shorten::excerpt;

use super::source::{Source, indentation, is_part};
use super::{Flaw, exits_with_two, refuses_by_reply};
use crate::alone::understand_alone;
use crate::refusal::Language;

/// Programs that read standard input.
const READERS: [&str; 12] = [
    "cat", "jq", "grep", "egrep", "read", "python3", "python", "node", "perl", "awk", "sed", "tee",
];

/// Looks for a script whose standard input is discarded before anything reads it.
pub(super) fn check_consumed_input(text: &str) -> Option<Flaw> {
    let help = "remove \"</dev/null\": the event is on standard input";
    let is_from_nothing = |line: &str| {
        let line = line.replace("0<", "<").replace("< ", "<");
        line.starts_with("exec </dev/null")
    };
    let mut lines = text.lines().map(str::trim);
    if let Some(at) = lines.position(is_from_nothing) {
        let before = text
            .lines()
            .take(at)
            .filter(|it| !it.trim_start().starts_with('#'));
        let is_read = before
            .flat_map(|it| it.split(|it: char| !is_part(it)))
            .any(|it| READERS.contains(&it));
        let why = "\"exec </dev/null\" discards the event before anything has read it";
        return (!is_read).then(|| Flaw::new(at + 1, why, help));
    }
    let understood = understand_alone(text);
    if !understood.parsed {
        return None;
    }
    let reads = |it: &&Command| READERS.contains(&it.program.as_str()) || it.program.contains('/');
    let from_nothing = |it: &&Command| {
        let mut redirects = it.redirects.iter();
        redirects.any(|it| it.kind == RedirectKind::Read && it.target.text == "/dev/null")
    };
    let mut readers = understood.commands.iter().filter(reads);
    let reader = readers.clone().find(from_nothing)?;
    let others = readers.any(|it| {
        !from_nothing(&it) && matches!(it.input, Input::Inherited) && it.operands().count() < 2
    });
    let only_fetches = matches!(reader.program.as_str(), "cat" | "jq" | "read");
    let line = text.lines().position(|it| it.contains("/dev/null"));
    (!others && only_fetches).then(|| {
        let why = format!(
            "\"{} </dev/null\" reads nothing of the event",
            reader.program
        );
        Flaw::new(line.map_or(1, |it| it + 1), why, help)
    })
}

/// Looks for a command whose script doesn't get the event: another text replaces it, or the script
/// itself.
pub(super) fn check_command(text: &str) -> Option<(String, String)> {
    const SHELLS: [&str; 4] = ["bash", "sh", "dash", "zsh"];
    let text = text.trim();
    if text.contains(['$', '`', ';', '&', '\n']) && !text.contains("$GEMINI_PROJECT_DIR") {
        return None;
    }
    let first = text.split_whitespace().next().unwrap_or_default();
    let (before, behind) = text.split_once('|').unwrap_or((text, ""));
    let is_single = !behind.contains('|');
    if matches!(first, "echo" | "printf")
        && is_single
        && !before.contains('$')
        && !behind.is_empty()
    {
        let why = format!("what \"{first}\" prints replaces the event, which nothing reads");
        let help = format!(
            "remove \"{}\" and the \"|\" after it",
            excerpt(before.trim())
        );
        return Some((why, help));
    }
    let is_shell = |it: &str| SHELLS.contains(&it.trim());
    let given = text.split_once('<').filter(|it| is_shell(it.0));
    let script = given.map(|it| it.1.trim()).or_else(|| {
        let script = before.strip_prefix("cat ")?.trim();
        is_shell(behind).then_some(script)
    })?;
    let is_one = !script.contains([' ', '<', '|']) && !script.is_empty();
    is_one.then(|| {
        let why = "the shell reads the script where the event is, so the script can't read it";
        (why.to_owned(), format!("write \"bash {script}\""))
    })
}

/// Looks for a pattern that is the call itself, looked for in a text of the script:
/// `echo "rm" | grep "$cmd"`.
pub(super) fn searched_in_a_text(text: &str) -> Option<Flaw> {
    let lines = text.lines().enumerate();
    let mut lines = lines.filter(|it| !it.1.trim_start().starts_with('#'));
    lines.find_map(|(at, line)| {
        let (before, behind) = line.split_once("| grep ")?;
        let (_, said) = before.rsplit_once("echo ")?;
        let said = said.trim();
        let is_fixed = said.len() > 2 && !said.contains('$') && said.starts_with(['"', '\'']);
        let mut words = behind.split_whitespace();
        let pattern = words.find(|it| !it.starts_with('-'))?;
        let is_variable = pattern.starts_with("\"$") || pattern.starts_with('$');
        (is_fixed && is_variable).then(|| {
            let pattern = pattern.trim_end_matches([';', ')', '\'']);
            let why = format!("it searches for {pattern} in {}", excerpt(said));
            let help = format!("write echo {pattern} | grep -q {}", excerpt(said));
            Flaw::for_comparison(at + 1, why, help)
        })
    })
}

/// Looks for a reply that is assigned to a variable, but never printed.
pub(super) fn check_unprinted_reply(text: &str) -> Option<Flaw> {
    if exits_with_two(text) || !refuses_by_reply(text) {
        return None;
    }
    text.lines().enumerate().find_map(|(at, line)| {
        let (before, value) = line
            .split_once("=$(")
            .or_else(|| line.split_once("=\"$("))?;
        let name = &before[before.trim_end_matches(is_part).len()..];
        let called = value
            .split(|it: char| !is_part(it))
            .next()
            .unwrap_or_default();
        let body = body_of(text, called);
        let replies = refuses_by_reply(value) || body.is_some_and(refuses_by_reply);
        let is_used = text.contains(&format!("${name}")) || text.contains(&format!("${{{name}"));
        let others = text.replacen(line, "", 1);
        let others = body.map_or_else(|| others.clone(), |body| others.replacen(body, "", 1));
        let is_only = !refuses_by_reply(&others) && text.matches(called).count() < 3;
        let is_one = !name.is_empty() && !before.trim_start().starts_with('#') && replies;
        (is_one && !is_used && is_only).then(|| {
            let why = format!("the reply is put into \"{name}\", which nothing prints");
            Flaw::new(
                at + 1,
                why,
                format!("write printf '%s\\n' \"${name}\" after it"),
            )
        })
    })
}

/// Returns the body of a function.
fn body_of<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    if name.is_empty() {
        return None;
    }
    let heads = [format!("{name}()"), format!("{name} ()")];
    let at = heads.iter().find_map(|it| text.find(it.as_str()))?;
    let rest = &text[at..];
    let end = rest.find("\n}").or_else(|| rest.find("; }"));
    Some(&rest[..end.unwrap_or(rest.len())])
}

/// Looks for a program that reads the event a second time, when nothing is left of it.
pub(super) fn read_again(source: &Source<'_>) -> Option<Flaw> {
    let reads: &[&str] = match source.language {
        Language::Python => &[
            "json.load(sys.stdin)",
            "sys.stdin.read()",
            "sys.stdin.buffer.read()",
            "sys.stdin.readlines()",
        ],
        Language::JavaScript => &[
            "readFileSync(0",
            "readFileSync('/dev/stdin'",
            "readFileSync(\"/dev/stdin\"",
        ],
        Language::Shell => return None,
    };
    let mut places: Vec<usize> = reads
        .iter()
        .flat_map(|it| source.text.match_indices(it).map(|(at, _)| at))
        .filter(|at| !source.plain[*at..].starts_with(' '))
        .collect();
    places.sort_unstable();
    let mut places = places.into_iter();
    let (first, second) = (places.next()?, places.next()?);
    let line = |at: usize| {
        let start = source.plain[..at].rfind('\n').map_or(0, |it| it + 1);
        &source.plain[start..]
    };
    // In a function or a branch, only one of the two may run; the body of a `try` runs.
    let between = &source.plain[first..second];
    let is_branch = ["else", "elif ", "def ", "function", "=>", "except", "catch"]
        .iter()
        .any(|it| between.contains(it));
    let is_first_certain = match source.language {
        Language::Python => indentation(line(first)) == 0,
        _ => !source.plain[..first].contains("function") && !source.plain[..first].contains("=>"),
    };
    let may_wind_back = source.plain.contains(".seek(") || source.plain.contains("import io");
    (is_first_certain && !is_branch && !may_wind_back).then(|| {
        let why = format!(
            "it reads standard input again, and line {} has read all of it",
            source.line_of(first)
        );
        let help = "read it once, and keep what was read";
        Flaw::new(source.line_of(second), why, help)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-3: commands that give their script something else than the event are found, and others
    /// aren't.
    #[test]
    fn what_takes_the_place_of_the_event_is_found() {
        for text in [
            "echo '{}' | ./guard.sh",
            "bash < guard.sh",
            "cat guard.sh | sh",
        ] {
            assert!(check_command(text).is_some(), "{text}");
        }
        for text in [
            "./guard.sh",
            "tee log | ./guard.sh",
            "echo \"$(cat)\" | ./guard.sh",
            "bash guard.sh",
            "cat",
        ] {
            assert!(check_command(text).is_none(), "{text}");
        }
        assert!(searched_in_a_text("echo \"rm -rf\" | grep -q \"$cmd\" && exit 2").is_some());
        assert!(searched_in_a_text("echo \"$cmd\" | grep -q \"$bad\" && exit 2").is_none());
    }

    /// CM-3, IO-2: a script that has nothing to read, or keeps its reply, is found.
    #[test]
    fn input_that_is_taken_away_is_found() {
        for text in [
            "exec </dev/null\nif grep -q x; then exit 2; fi",
            "exec 0< /dev/null\ninput=$(cat)\n[ \"$input\" = x ] && exit 2",
            "input=$(cat </dev/null)\nif [[ $input == *x* ]]; then exit 2; fi",
            "cmd=$(jq -r .tool_input.command < /dev/null)\n[ \"$cmd\" = x ] && exit 2",
        ] {
            assert!(check_consumed_input(text).is_some(), "{text}");
        }
        for text in [
            "input=$(cat)\nexec </dev/null\n[ \"$input\" = x ] && exit 2",
            "input=$(cat)\ngit log -1 </dev/null\n[ \"$input\" = x ] && exit 2",
            "input=$(cat)\njq -n 1 </dev/null\n[ \"$input\" = x ] && exit 2",
            "python3 check.py </dev/null\nif grep -q x; then exit 2; fi",
        ] {
            assert!(check_consumed_input(text).is_none(), "{text}");
        }
    }

    /// CM-3: a reply in a variable that nothing prints is found.
    #[test]
    fn a_reply_that_is_kept_is_found() {
        let function = "decide() { echo '{\"decision\":\"deny\"}'; }\n";
        for (text, is_kept) in [
            ("if grep -q x; then out=$(decide); fi", true),
            ("if grep -q x; then out=$(decide); echo \"$out\"; fi", false),
            ("out=$(decide)\ndecide", false),
            ("if grep -q x; then decide; fi", false),
        ] {
            let text = format!("{function}{text}");
            assert_eq!(check_unprinted_reply(&text).is_some(), is_kept, "{text}");
        }
        assert!(check_unprinted_reply("r=$(jq -n '{decision: \"deny\"}')\nexit 0").is_some());
        assert!(check_unprinted_reply("r=$(jq -n '{decision: \"deny\"}')\necho \"$r\"").is_none());
    }

    /// CM-3: a second reading of the event is found, and one of two branches isn't.
    #[test]
    fn a_second_reading_is_found() {
        use Language::{JavaScript, Python};
        for (language, text, is_again) in [
            (
                Python,
                "n = json.load(sys.stdin)['tool_name']\ntry:\n    c = json.load(sys.stdin)\nexcept ValueError:\n    c = ''\n",
                true,
            ),
            (
                Python,
                "log(sys.stdin.read())\nd = json.load(sys.stdin)\n",
                true,
            ),
            (
                JavaScript,
                "log(fs.readFileSync(0));\nconst d = JSON.parse(fs.readFileSync(0));\n",
                true,
            ),
            (Python, "d = json.load(sys.stdin)\n", false),
            (
                Python,
                "if x:\n    d = json.load(sys.stdin)\nelse:\n    d = sys.stdin.read()\n",
                false,
            ),
            (
                Python,
                "def a():\n    return json.load(sys.stdin)\ndef b():\n    return sys.stdin.read()\n",
                false,
            ),
        ] {
            let source = Source::read(text, language);
            assert_eq!(read_again(&source).is_some(), is_again, "{text}");
        }
    }
}
