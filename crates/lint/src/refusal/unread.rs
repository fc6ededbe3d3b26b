//! Guards in shell whose condition is always empty, or never matches (CM-3).

use hookloop_events::tool_name;
use hookloop_hook::{Dialect, HookDeclaration};
use hookloop_settings::{is_one_edit, likely_tool, tool_of_others, tools_of};
use hookloop_shell::{Command, Input, RedirectKind};
use hookloop_text::shorten::excerpt;

use super::uncalled::{has_hidden_parts, sources};
use crate::alone::understand_alone;
use crate::never_set::sets;

/// Shortest name in which a single edit counts as a mistake.
const MIN_LENGTH: usize = 4;

/// What is wrong, and what to write.
pub(super) type Found = (String, String);

/// Looks into a script that refuses; `is_set` says which variables hooks get.
pub(super) fn find(
    hook: &HookDeclaration,
    text: &str,
    is_set: &dyn Fn(&str) -> bool,
) -> Option<Found> {
    let lines = text.lines().filter(|it| !it.trim_start().starts_with('#'));
    let code = lines.collect::<Vec<_>>().join("\n");
    if sources(&code) || code.contains("eval") || has_hidden_parts(&code) {
        return None;
    }
    misspelt_variable(&code, is_set)
        .or_else(|| read_twice(&code))
        .or_else(|| tool_of_another_agent(hook, &code))
}

/// Looks for a variable that nothing sets, and that is one edit away from one which the script
/// sets.
fn misspelt_variable(code: &str, is_set: &dyn Fn(&str) -> bool) -> Option<Found> {
    let mut set: Vec<&str> = Vec::new();
    for line in code.lines() {
        let parts = line.split([';', '&', '|', '(', '{']);
        let words = parts.filter_map(|part| part.split_whitespace().next());
        let names = words.filter_map(|word| Some(word.split_once('=')?.0));
        let is_name = |it: &&str| it.len() >= MIN_LENGTH && it.chars().all(is_part);
        set.extend(names.filter(is_name));
    }
    let mut used = code.match_indices('$').filter_map(|(at, _)| {
        let rest = &code[at + 1..];
        let plain = rest.strip_prefix('{').unwrap_or(rest);
        let end = plain.find(|it| !is_part(it)).unwrap_or(plain.len());
        let is_whole = !rest.starts_with('{') || plain[end..].starts_with('}');
        let is_name = plain.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_');
        (is_whole && is_name && end >= MIN_LENGTH).then(|| &plain[..end])
    });
    used.find_map(|name| {
        // A name without a `$` may be an assignment.
        let is_named = code.match_indices(name).any(|(at, _)| {
            let before = code[..at].chars().next_back();
            let is_used = before.is_some_and(|it| matches!(it, '$' | '{') || is_part(it));
            !is_used && !code[at + name.len()..].starts_with(is_part)
        });
        let is_bound = code.contains(&format!("as ${name}"));
        if is_named || is_bound || is_set(name) || sets(code, name) {
            return None;
        }
        let meant = set.iter().find(|it| is_one_edit(name, it))?;
        Some((
            format!("\"${name}\" is always empty: nothing sets it, but \"{meant}\" is set"),
            format!("write \"${meant}\""),
        ))
    })
}

const fn is_part(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Looks for a second program that reads standard input after the first one read all of it.
fn read_twice(code: &str) -> Option<Found> {
    let has_functions = code.contains("()") || code.contains("function ");
    let changes_input = code.lines().any(|it| it.trim_start().starts_with("exec "));
    if has_functions || changes_input {
        return None;
    }
    let understood = understand_alone(code);
    if !understood.parsed {
        return None;
    }
    let mut readers = understood.commands.iter().filter(|it| reads_all(it));
    let first = readers.next().filter(|it| !it.perhaps)?;
    let mut behind = understood
        .commands
        .iter()
        .skip_while(|it| !std::ptr::eq(*it, first))
        .skip(1);
    let second =
        behind.find(|it| !it.perhaps && (it.program == "jq" && reads_all(it) || searches(it)))?;
    let shown = |it: &Command| excerpt(&it.line());
    Some((
        format!(
            "\"{}\" reads nothing: \"{}\" before it has read all of standard input",
            shown(second),
            shown(first)
        ),
        "read it once, input=$(cat), and use that: jq … <<<\"$input\"".to_owned(),
    ))
}

/// Returns whether a program certainly reads standard input to its end.
fn reads_all(command: &Command) -> bool {
    let operands = command.operands().count();
    let mut redirects = command.redirects.iter();
    let has_file = redirects.any(|it| matches!(it.kind, RedirectKind::Read | RedirectKind::Text));
    let takes_none = [
        "-n",
        "--null-input",
        "--args",
        "--jsonargs",
        "-f",
        "--from-file",
        "-h",
        "--help",
    ];
    let reads = match command.program.as_str() {
        "cat" => operands == 0,
        "jq" => operands == 1 && !takes_none.iter().any(|it| command.has_flag(it)),
        _ => false,
    };
    reads && !has_file && command.input == Input::Inherited && command.through.is_empty()
}

/// Returns whether a program looks for something in standard input.
fn searches(command: &Command) -> bool {
    let mut redirects = command.redirects.iter();
    let has_file = redirects.any(|it| matches!(it.kind, RedirectKind::Read | RedirectKind::Text));
    let names_pattern = ["-e", "-f", "--regexp", "--file", "-r", "-R"]
        .iter()
        .any(|it| command.has_flag(it));
    let is_one = matches!(command.program.as_str(), "grep" | "egrep" | "fgrep");
    let is_own = command.input == Input::Inherited && command.through.is_empty();
    is_one && is_own && !has_file && !names_pattern && command.operands().count() == 1
}

/// Looks for the tool's name compared with names that another agent's tools have, and none of ours.
fn tool_of_another_agent(hook: &HookDeclaration, code: &str) -> Option<Found> {
    if hook.dialect != Dialect::Hookloop {
        return None;
    }
    if tools_of(hook).is_empty() {
        return None;
    }
    let name = code.lines().find_map(|line| {
        let (name, value) = line
            .trim_start()
            .split_once("=$(")
            .or(line.trim_start().split_once("=\"$("))?;
        let name = name.rsplit(' ').next()?;
        (value.contains(".tool_name") && !name.is_empty() && name.chars().all(is_part))
            .then_some(name)
    })?;
    let compared = compared_with(code, name);
    let known = |word: &str| tool_name::canonical(word).is_some() || word.contains("mcp");
    if compared.iter().any(|it| known(it)) {
        return None;
    }
    let of_others = compared
        .iter()
        .find_map(|it| Some((*it, tool_of_others(it)?)));
    let of_nobody = || {
        let is_plain = |it: &str| {
            let has_letter = it.contains(|it: char| it.is_ascii_alphabetic());
            has_letter && it.chars().all(|it| is_part(it) || matches!(it, ' ' | '-'))
        };
        let others = || compared.iter().copied().filter(|it| *it != "*");
        let first = others()
            .next()
            .filter(|it| !matches!(*it, "null" | "None"))?;
        let is_all = others().all(is_plain);
        Some((first, likely_tool(first).filter(|_| is_all)?))
    };
    let (word, meant) = of_others.or_else(of_nobody)?;
    Some((
        format!("compares the tool's name with \"{word}\", but no tool here has that name"),
        format!("write \"{meant}\""),
    ))
}

/// Returns the words that a variable is compared with, in tests and in branches of `case`.
fn compared_with<'c>(code: &'c str, name: &str) -> Vec<&'c str> {
    let variables = [
        format!("\"${name}\""),
        format!("${name}"),
        format!("\"${{{name}}}\""),
    ];
    let mut words = Vec::new();
    for variable in &variables {
        for (at, _) in code.match_indices(variable.as_str()) {
            let behind = code[at + variable.len()..].trim_start();
            let right = behind
                .strip_prefix("==")
                .or_else(|| behind.strip_prefix('='));
            if let Some(right) = right {
                words.extend(right.split_whitespace().next());
            }
            if code[..at].trim_end().ends_with("case") {
                let body = behind.split("esac").next().unwrap_or(behind);
                let heads = body
                    .lines()
                    .filter_map(|line| Some(line.split_once(')')?.0));
                let heads = heads.map(|it| it.trim_start_matches("in ").trim());
                words.extend(heads.flat_map(|it| it.split('|')));
            }
        }
    }
    words
        .into_iter()
        .map(|it| it.trim().trim_matches(['"', '\'', ';']))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookloop_hook::EventName;

    fn found(code: &str) -> Option<Found> {
        let hook = HookDeclaration::in_process(EventName::BeforeTool, "guard");
        find(&hook, code, &|it| it == "given_name")
    }

    /// CM-3: what is always empty, or never matches, is found.
    #[test]
    fn what_never_fits_is_found() {
        for code in [
            "file=$(jq -r .tool_input.file_path)\n[ \"$flie\" = out.txt ] && exit 2",
            "input=$(cat)\necho \"$inputt\" | grep -q x && exit 2",
            "t=$(jq -r .tool_name)\nf=$(jq -r .tool_input.file_path)\n[ \"$f\" = x ] && exit 2",
            "cat > /dev/null\nf=$(jq -r .tool_input.file_path)\n[ \"$f\" = x ] && exit 2",
            "t=$(cat | jq -r .tool_name)\nf=$(cat | jq -r .x)\ng=$(jq .y)\nexit 2",
            "t=$(jq -r .tool_name)\n[ \"$t\" = Write ] && exit 2",
            "t=$(jq -r .tool_name)\n[ \"$t\" = Run_Shell_Command ] && exit 2",
            "t=$(jq -r .tool_name)\ncase $t in\n  shell|terminal) exit 2;;\n  *) exit 0;;\nesac",
            "cat >> hooks.log\nif grep -q 'rm -rf'; then exit 2; fi",
            "t=\"$(jq -r .tool_name)\"\n[[ $t == \"Bash\" ]] && exit 2",
            "t=$(jq -r .tool_name)\ncase \"$t\" in\n  Write|Edit) exit 2;;\n  *) exit 0;;\nesac",
        ] {
            assert!(found(code).is_some(), "{code}");
        }
    }

    /// CM-3: nothing is reported about what may be set, read or meant.
    #[test]
    fn what_may_fit_is_not_reported() {
        for code in [
            "file=$(jq -r .tool_input.file_path)\n[ \"$file\" = out.txt ] && exit 2",
            "given_nam=1\necho $given_name\nexit 2",
            "files=\"a b\"\nfor file in $files; do echo \"$file\"; done\nexit 2",
            "file=x\necho ${flie:-none}\nexit 2",
            "item=1\njq '.[] as $items | $items'\nexit 2",
            "item=1\njq --arg items \"$item\" '.[$items]'\nexit 2",
            "file=x\n. ./lib.sh\necho $flie\nexit 2",
            "input=$(cat)\nt=$(jq -r .tool_name <<<\"$input\")\nf=$(jq -r .x <<<\"$input\")\nexit 2",
            "input=$(cat)\nt=$(echo \"$input\" | jq -r .tool_name)\nexit 2",
            "t=$(jq -r .tool_name)\nv=$(jq -r .version package.json)\nexit 2",
            "t=$(jq -r .tool_name)\nif [ -f x ]; then jq . < x; fi\nexit 2",
            "t=$(jq -r .tool_name)\njq -n '{a: 1}'\nexit 2",
            "if [ -t 0 ]; then x=$(jq -r .a); else x=$(jq -r .b); fi\nexit 2",
            "t=$(jq -r .tool_name)\n[ \"$t\" = write_file ] || [ \"$t\" = Write ] && exit 2",
            "t=$(jq -r .tool_name)\n[ \"$t\" = glob ] && exit 2",
            "t=$(jq -r .tool_name)\ncase $t in\n  run_*) exit 2;;\nesac",
            "tee -a hooks.log | grep -q 'rm -rf' && exit 2",
            "cat >> hooks.log\ngrep -q x hooks.log && exit 2",
        ] {
            assert_eq!(found(code), None, "{code}");
        }
    }
}
