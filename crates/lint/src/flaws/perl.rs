//! Guards in Perl whose refusal doesn't become the program's exit code (CM-3, IO-13).

use super::source::is_part;
use super::{Flaw, exits_with_two, refuses_by_reply, says_no};
use crate::read::Script;

/// Returns whether a script is in Perl: by its first line, else by its ending.
pub(super) fn is_perl(script: &Script) -> bool {
    let line = script.text.lines().next().unwrap_or_default();
    match line.strip_prefix("#!") {
        Some(named) => named.contains("perl"),
        None => script
            .name()
            .rsplit_once('.')
            .is_some_and(|(_, it)| it == "pl"),
    }
}

/// Looks into a program.
pub(super) fn find(text: &str) -> Option<Flaw> {
    let code = without_comments(text);
    check_eval(&code)
        .or_else(|| code_too_large(&code))
        .or_else(|| check_end_block(&code))
        .or_else(|| only_in_a_child(&code))
        .or_else(|| check_returned_code(&code))
        .or_else(|| only_warned(&code))
        .or_else(|| field_that_isnt_there(&code))
}

/// Empties lines that are comments: the lines keep their numbers.
fn without_comments(text: &str) -> String {
    let lines = text.lines().map(|it| {
        if it.trim_start().starts_with('#') {
            ""
        } else {
            it
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn line_of(code: &str, at: usize) -> usize {
    code[..at].matches('\n').count() + 1
}

/// Returns where the block that begins before a place ends.
fn block(code: &str, from: usize) -> Option<usize> {
    super::source::closing(&code[from..]).map(|it| from + it)
}

fn text_without(code: &str, from: usize, to: usize) -> String {
    format!("{}\n{}", &code[..from], &code[to..])
}

/// Returns whether a part may end with a code that isn't 0: by a number, a variable or an
/// exception.
fn may_refuse(code: &str) -> bool {
    let ends = |word: &str| {
        code.match_indices(word).any(|(at, _)| {
            let before = &code[..at];
            let rest = code[at + word.len()..].trim_start_matches([' ', '(']);
            let is_word = !before.ends_with(|it| is_part(it) || it == '$');
            is_word && !rest.starts_with([';', '0', ')', '}']) && !rest.is_empty()
        })
    };
    ends("exit") || ends("die") || ends("croak") || refuses_by_reply(code)
}

/// Looks for an exception that refuses, which `eval` catches and nobody looks at.
fn check_eval(code: &str) -> Option<Flaw> {
    code.match_indices("eval").find_map(|(at, _)| {
        let open = at + code[at..].find('{')?;
        let is_block = code[at + 4..open].trim().is_empty() && !code[..at].ends_with(is_part);
        let end = block(code, open + 1)?;
        let inside = &code[open..end];
        let rest = text_without(code, at, end);
        let looks = [
            "$@",
            "$EVAL_ERROR",
            "or do",
            "or die",
            "or exit",
            "|| exit",
            "|| die",
        ];
        let is_looked_at = looks.iter().any(|it| rest.contains(it));
        let refuses = inside.contains("die") && says_no_or_decides(inside);
        (is_block && refuses && !inside.contains("exit") && !is_looked_at && !may_refuse(&rest))
            .then(|| {
                Flaw::new(
                    line_of(code, at),
                    "\"eval\" catches the \"die\" that should refuse, and the program continues",
                    "write exit 2 if $@; after it",
                )
            })
    })
}

/// Returns whether an exception is raised because of what was asked.
fn says_no_or_decides(inside: &str) -> bool {
    says_no(inside) || inside.contains("=~") || inside.contains(" eq ")
}

/// Looks for an exit code that the system reduces to nothing.
fn code_too_large(code: &str) -> Option<Flaw> {
    code.match_indices("exit").find_map(|(at, _)| {
        let value = code[at + 4..].trim_start_matches([' ', '(']);
        let digits = &value[..value
            .find(|it: char| !it.is_ascii_digit())
            .unwrap_or(value.len())];
        let number: u32 = digits.parse().ok()?;
        (number > 255 && number.is_multiple_of(256)).then(|| {
            let why = format!("\"exit {number}\" ends with 0: an exit code has eight bits");
            Flaw::new(line_of(code, at), why, "write exit 2")
        })
    })
}

/// Looks for an `END` block that replaces the exit code.
fn check_end_block(code: &str) -> Option<Flaw> {
    let at = code.find("END {").or_else(|| code.find("END{"))?;
    let end = block(code, at + code[at..].find('{')? + 1)?;
    let inside: String = code[at..end].split_whitespace().collect();
    let is_good = inside.contains("$?=0") || inside.contains("exit0") || inside.contains("exit(0)");
    let refuses = exits_with_two(&text_without(code, at, end).replace([';', '{'], "\n"));
    (is_good && refuses && !refuses_by_reply(code)).then(|| {
        Flaw::new(
            line_of(code, at),
            "\"END\" changes exit code 2 to 0",
            "remove \"$? = 0\" from \"END\"",
        )
    })
}

/// Looks for a child that refuses while the parent ignores it.
fn only_in_a_child(code: &str) -> Option<Flaw> {
    code.find("fork")?;
    let heads = [
        "$pid == 0",
        "!$pid",
        "not $pid",
        "unless $pid",
        "unless ($pid",
        "!fork",
        "fork == 0",
    ];
    let head = heads.iter().find_map(|it| code.find(it))?;
    let open = head + code[head..].find('{')?;
    let end = block(code, open + 1)?;
    let rest = text_without(code, open, end);
    let refuses = exits_with_two(&code[open..end].replace([';', '{'], "\n"));
    (refuses && !rest.contains("$?") && !may_refuse(&rest)).then(|| {
        Flaw::new(
            line_of(code, open),
            "exit code 2 ends only the child that fork makes, and the program continues",
            "write exit($? >> 8) after waitpid",
        )
    })
}

/// Looks for a function that returns the exit code, but whose calls ignore it.
fn check_returned_code(code: &str) -> Option<Flaw> {
    code.match_indices("sub ").find_map(|(at, _)| {
        let rest = code[at + 4..].trim_start();
        let name = &rest[..rest.find(|it| !is_part(it)).unwrap_or(0)];
        let open = at + code[at..].find('{')?;
        let end = block(code, open + 1)?;
        let outside = text_without(code, at, end);
        let returns = code[open..end].contains("return 2") && !may_refuse(&code[open..end]);
        if name.is_empty() || !returns || may_refuse(&outside) {
            return None;
        }
        let call = format!("{name}(");
        let mut calls = outside
            .match_indices(&call)
            .filter(|(it, _)| !outside[..*it].ends_with(is_part));
        let is_dropped = |at: usize| {
            let before = outside[..at].trim_end();
            before.is_empty() || before.ends_with([';', '}', '{'])
        };
        let has_one = calls.clone().next().is_some();
        (has_one && calls.all(|(it, _)| is_dropped(it))).then(|| {
            let why = format!("what \"{name}\" returns is ignored, and the program ends with 0");
            Flaw::new(line_of(code, at), why, format!("write exit({name}(…))"))
        })
    })
}

/// Looks for a condition under which the program only warns.
fn only_warned(code: &str) -> Option<Flaw> {
    if may_refuse(code) || code.contains("$?") || code.contains("system") || code.contains("exec") {
        return None;
    }
    code.match_indices("warn").find_map(|(at, _)| {
        let line = code[at..].lines().next().unwrap_or_default();
        let before = code[..at].rsplit(';').next().unwrap_or_default();
        let decides = before.contains("=~") || before.contains(" eq ");
        (decides && says_no(line)).then(|| {
            Flaw::new(
                line_of(code, at),
                "\"warn\" only prints the refusal, and the program continues and ends with 0",
                "write exit 2; after it",
            )
        })
    })
}

/// Looks for a key of the event as others write it.
fn field_that_isnt_there(code: &str) -> Option<Flaw> {
    const FIELDS: [(&str, &str); 6] = [
        ("toolInput", "tool_input"),
        ("toolName", "tool_name"),
        ("tool_args", "tool_input"),
        ("toolArgs", "tool_input"),
        ("hookEventName", "hook_event_name"),
        ("filePath", "file_path"),
    ];
    if !may_refuse(code) || code.contains("encode_json") && code.contains("dialect") {
        return None;
    }
    FIELDS.iter().find_map(|(written, meant)| {
        let forms = [
            format!("{{{written}}}"),
            format!("{{'{written}'}}"),
            format!("{{\"{written}\"}}"),
        ];
        let at = forms.iter().find_map(|it| code.find(it.as_str()))?;
        let names_ours = code.contains(&format!("{{{meant}}}"));
        (!names_ours).then(|| {
            let why = format!("no event has \"{written}\"");
            Flaw::for_comparison(line_of(code, at), why, format!("read \"{meant}\""))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-3: programs in Perl whose refusal is lost are found, and those that refuse aren't.
    #[test]
    fn refusals_that_are_lost_are_found() {
        for (text, is_found) in [
            ("eval { die \"no\" if $in =~ /rm/; };\nprint \"{}\";", true),
            ("if ($in =~ /rm/) { exit 512; }", true),
            ("END { $? = 0 }\nif ($in =~ /rm/) { exit 2; }", true),
            (
                "my $pid = fork();\nif ($pid == 0) { exit 2 if $in =~ /rm/; exit 0 }\nwaitpid($pid, 0);",
                true,
            ),
            (
                "sub check { return 2 if $_[0] =~ /rm/; return 0; }\ncheck($in);",
                true,
            ),
            (
                "if ($in =~ /rm/) { warn \"not allowed\"; }\nprint \"{}\";",
                true,
            ),
            ("if ($d->{toolInput}{command} =~ /rm/) { exit 2; }", true),
            ("eval { die \"no\" if $in =~ /rm/; };\nexit 2 if $@;", false),
            (
                "my $d = eval { decode_json($in) } or exit 2;\nexit 2 if $d->{tool_name} eq 'x';",
                false,
            ),
            ("if ($in =~ /rm/) { print STDERR \"no\"; exit 2; }", false),
            ("END { unlink $file }\nif ($in =~ /rm/) { exit 2; }", false),
            (
                "my $pid = fork();\nif ($pid == 0) { exit 2 }\nwaitpid($pid, 0);\nexit($? >> 8);",
                false,
            ),
            (
                "sub check { return 2 if $_[0] =~ /rm/; return 0; }\nexit(check($in));",
                false,
            ),
            ("if ($in =~ /rm/) { warn \"not allowed\"; exit 2; }", false),
            ("if ($d->{tool_input}{command} =~ /rm/) { exit 2; }", false),
            ("# eval { die \"no\" };\nexit 2;", false),
        ] {
            assert_eq!(find(&without_comments(text)).is_some(), is_found, "{text}");
        }
    }
}
