//! Guards whose refusal by exit code is lost in their own command (CM-3, IO-13).

mod codes;
mod comparisons;
mod elsewhere;
mod patterns;
mod uncalled;
mod unended;
mod unread;

use hookloop_hook::{EventName, HookDeclaration, OnFailure, ProblemCode, Refusing};
use hookloop_shell::{LostBy, LostStatus, Understood, lost_statuses};

use super::Complaint;
use super::read::Script;
use super::variables::Variables;
use crate::alone::understand_alone;
pub(super) use comparisons::is_expression;
pub(super) use elsewhere::refuses as refuses_by_reply;
use hookloop_text::shorten::excerpt;
pub(super) use uncalled::Language;
use uncalled::sources;

/// Events that can't refuse, and at which people expect it.
const NON_REFUSING_EVENTS: [EventName; 5] = [
    EventName::Notification,
    EventName::BeforeToolSelection,
    EventName::SessionStart,
    EventName::SessionEnd,
    EventName::PreCompress,
];

fn refuses_nothing(hook: &HookDeclaration, shown: &str) -> Complaint {
    let message = format!(
        "exit code 2 of {shown} refuses nothing: {} can't refuse",
        hook.event
    );
    let help = "put the hook at BeforeTool to refuse calls, at BeforeAgent to refuse prompts, or \
                at BeforeModel to refuse requests";
    Complaint::new(ProblemCode::RefusalLost, message, help)
}

/// Returns whether a script refuses by its reply, and isn't one for several events.
fn replies_alone(text: &str) -> bool {
    let asks = [
        "hook_event_name",
        "BeforeTool",
        "BeforeAgent",
        "BeforeModel",
    ];
    elsewhere::refuses(text) && !asks.iter().any(|it| text.contains(it))
}

fn ineffective_complaint(hook: &HookDeclaration, shown: &str) -> Complaint {
    let mut complaint = refuses_nothing(hook, shown);
    complaint.message = format!(
        "the refusal in {shown} has no effect: {} can't refuse",
        hook.event
    );
    complaint
}

/// Looks for a part of the command that refuses with exit code 2 without anybody noticing.
///
/// Only what refuses this way is looked for: what merely keeps a log may well run silently.
pub(super) fn check_lost_refusal(
    hook: &HookDeclaration,
    variables: &Variables<'_>,
    understood: &Understood,
    text: &str,
    scripts: &[Script],
    loads_others: &dyn Fn(&Script) -> bool,
) -> Option<Complaint> {
    let guard = scripts.iter().find(|it| exits_with_two(&it.text));
    if hook.refusing() != Refusing::Always {
        if !NON_REFUSING_EVENTS.contains(&hook.event) {
            return None;
        }
        let is_in_command = || exits_with_two(&text.replace([';', '&', '{', '('], "\n"));
        if let Some(script) = scripts
            .iter()
            .find(|it| guard.is_none() && replies_alone(&it.text))
        {
            return Some(ineffective_complaint(hook, &script.display_path()));
        }
        let shown = guard.map(Script::display_path);
        let shown = shown.or_else(|| is_in_command().then(|| "the command".to_owned()))?;
        return Some(refuses_nothing(hook, &shown));
    }
    let refuses = guard.is_some() || exits_with_two(text);
    if hook.once {
        let is_guard = hook.on_failure == OnFailure::Deny || refuses;
        if is_guard && !hook.asynchronous {
            return Some(consumed_complaint());
        }
    }
    if hook.asynchronous {
        return (refuses && !hook.rewakes).then(unheard_complaint);
    }
    let refuses_in = |lost: &LostStatus| {
        let mut named = scripts.iter().filter(|it| runs(&lost.written, &it.name()));
        lost.is_own_shell && exits_with_two(&lost.written)
            || named.any(|it| exits_with_two(&it.text))
    };
    if let Some(found) = lost_statuses(text).into_iter().find(refuses_in) {
        return Some(complaint(hook, text, found));
    }
    let target = elsewhere::find(text, Language::Shell)
        .or_else(|| elsewhere::script_output_target(understood, scripts));
    if let Some(target) = target {
        return Some(redirected_complaint("the command", &target));
    }
    let is_set = |name: &str| variables.may_be_set(name);
    if let Some(complaint) = codes::find("the command", text, Language::Shell, &is_set) {
        return Some(complaint);
    }
    let is_sourced = sources(text);
    scripts.iter().find_map(|script| {
        if let Some(complaint) = check_unspoken_refusal(script, is_sourced, &is_set) {
            return Some(complaint);
        }
        let refuses = exits_with_two(&script.text) || elsewhere::refuses(&script.text);
        if let Some(complaint) = reads_words(script, text).filter(|_| !loads_others(script)) {
            return Some(complaint);
        }
        let language = Language::of(&script.name(), &script.text).filter(|_| refuses);
        if let Some((why, help)) = language.and_then(|it| patterns::find(&script.text, it)) {
            let message = format!("{}: {why}, so it never matches", script.display_path());
            return Some(Complaint::new(ProblemCode::RefusalLost, message, help));
        }
        let line = script.text.lines().next().unwrap_or_default();
        if Language::of("", line) != Some(Language::Shell) {
            return None;
        }
        ends_a_part(script)
            .or_else(|| reads_arguments(script, text))
            .or_else(|| comparisons::find(&script.display_path(), &script.text).filter(|_| refuses))
            .or_else(|| {
                let found = unread::find(hook, &script.text, &is_set).filter(|_| refuses);
                found.map(|(why, help)| script_complaint(script, &why, help))
            })
    })
}

/// Returns whether a part of a command runs a script, and doesn't only test for it or read it.
fn runs(written: &str, name: &str) -> bool {
    const ASK: [&str; 8] = ["[", "test", "[[", ".", "source", "ls", "stat", "chmod"];
    if !written.contains(name) {
        return false;
    }
    let understood = understand_alone(written);
    let mut commands = understood.commands.iter();
    !understood.parsed
        || commands.any(|command| {
            let mut words = command.words.iter();
            !ASK.contains(&command.program.as_str()) && words.any(|it| it.text.contains(name))
        })
}

/// Looks for an `exit 2` in a script that ends only a part of it: in a pipe, or in brackets.
fn ends_a_part(script: &Script) -> Option<Complaint> {
    let (shown, script) = (script.display_path(), script.text.as_str());
    let of_a_part = |lost: &LostStatus| lost.is_own_shell && exits_with_two(&lost.written);
    let statuses = lost_statuses(script);
    if let Some(function) = statuses
        .iter()
        .find_map(|lost| function_that_refuses(lost, script))
    {
        return Some(returned_complaint(&shown, function));
    }
    if let Some((lost, next)) = statuses.iter().find_map(|it| Some((it, overtakes(it)?))) {
        return Some(overtaken_complaint(&shown, &lost.written, next));
    }
    let found = statuses.into_iter().find(of_a_part)?;
    if let LostBy::Trap(trap) = &found.by {
        let message = format!(
            "exit code 2 of {shown} is lost, and so is its refusal: at its end, \"{}\" changes it \
             to 0",
            excerpt(trap)
        );
        let help = "remove the \"exit 0\" from the trap";
        return Some(Complaint::new(ProblemCode::RefusalLost, message, help));
    }
    let line = found.written.lines().find(|it| exits_with_two(it));
    let message = format!(
        "exit code 2 in {shown} (\"{}\") only ends a subshell of it, so its refusal is lost",
        excerpt(line.unwrap_or(&found.written).trim())
    );
    let help = match &found.by {
        LostBy::Background => "remove the \"&\": nothing waits for a command in the background",
        LostBy::Substitution(_) => {
            "assign its output to a variable, and write \"|| exit\" after it: x=$(…) || exit"
        }
        _ => {
            "write \"set -eo pipefail\" into the script's second line, or refuse outside the pipe \
             and the brackets"
        }
    };
    Some(Complaint::new(ProblemCode::RefusalLost, message, help))
}

/// Returns the successful exit that replaces the code with which a program in a script refuses.
fn overtakes(lost: &LostStatus) -> Option<&str> {
    let LostBy::Next(next) = &lost.by else {
        return None;
    };
    let mut words = lost.written.split_whitespace();
    let program = words.next().unwrap_or_default();
    let flags = hookloop_shell::inline_options(program)?;
    let is_inline = flags.is_empty() || words.any(|word| flags.contains(&word));
    let next = next.trim();
    let ends_well = ["exit 0", "exit", "true", ":"].contains(&next);
    let is_alone = !lost.written.contains("||") && !lost.written.contains("$?");
    let code = lost.written.replace(['\'', '"', '{', ';', '&'], "\n");
    (is_inline && ends_well && is_alone && exits_with_two(&code)).then_some(next)
}

fn overtaken_complaint(shown: &str, written: &str, next: &str) -> Complaint {
    let message = format!(
        "{shown}: exit code 2 of \"{}\" is lost, and so is its refusal: that of \"{next}\" after \
         it counts",
        excerpt(written.trim())
    );
    let help = format!("write \"|| exit\" after it, or remove \"{next}\"");
    Complaint::new(ProblemCode::RefusalLost, message, help)
}

/// Looks for a script that decides by its arguments, as those of git do: a hook has none, unless
/// its command has some.
fn reads_arguments(script: &Script, text: &str) -> Option<Complaint> {
    const ARGUMENTS: [&str; 4] = ["$1", "${1}", "$@", "$*"];
    const INPUT: [&str; 12] = [
        "cat", "read", "jq", "stdin", "python", "node", "perl", "ruby", "<&0", "tee", "awk", "$(<",
    ];
    let lines = script.text.lines();
    let code: Vec<&str> = lines
        .filter(|it| !it.trim_start().starts_with('#'))
        .collect();
    let says = |word: &str| code.iter().any(|line| line.contains(word));
    let named = ARGUMENTS.into_iter().find(|it| says(it))?;
    let is_alone = gives_nothing(text, &script.name());
    let may_be_fine =
        INPUT.iter().any(|it| says(it)) || says("()") || says("function ") || says("set --");
    if !is_alone || may_be_fine || !exits_with_two(&script.text) {
        return None;
    }
    let message = format!(
        "{} decides by \"{named}\", but a hook gets no arguments: it would enforce nothing",
        script.display_path()
    );
    let help = "read the event on standard input: tool=$(jq -r .tool_name)";
    Some(Complaint::new(ProblemCode::ForeignWords, message, help))
}

/// Returns whether a command gives its script no arguments: `./guard.sh`, `bash ~/guard.sh`.
fn gives_nothing(text: &str, script: &str) -> bool {
    let text = text.trim().trim_end_matches(['"', '\'']);
    let may_give =
        text.contains(['|', ';', '&', '<', '>', '(', '`', '\n']) || text.contains("xargs");
    text.ends_with(script) && !may_give
}

/// Looks for a program in another language that decides by its arguments, if it has none.
fn reads_words(script: &Script, text: &str) -> Option<Complaint> {
    const INPUT: [&str; 8] = [
        "stdin",
        "input(",
        "fileinput",
        "/dev/fd/0",
        "readFileSync(0",
        "open(0",
        "argparse",
        "click",
    ];
    let (name, code) = (script.name(), script.text.as_str());
    let words: &[&str] = match Language::of(&name, code)? {
        Language::Shell => return None,
        Language::Python => &["sys.argv[", "in sys.argv", "sys.argv)"],
        Language::JavaScript => &["process.argv[", "process.argv."],
    };
    // A script that counts its arguments can also be called by hand.
    let is_read = |word: &str| {
        let mut places = code.match_indices(word);
        places.any(|(at, _)| !code[..at].ends_with("len("))
    };
    let named = words.iter().find(|it| is_read(it))?;
    // Words after the script in the command are its arguments.
    let is_last = text
        .trim_end()
        .trim_end_matches(['"', '\''])
        .ends_with(&*name);
    let reads = INPUT.iter().any(|it| code.contains(it));
    if !is_last || reads || !(exits_with_two(code) || elsewhere::refuses(code)) {
        return None;
    }
    let message = format!(
        "{} decides by \"{}\", but a hook gets no arguments: it would enforce nothing",
        script.display_path(),
        named
            .trim_end_matches(['[', ')', '.'])
            .trim_start_matches("in ")
    );
    let help =
        "read the event on standard input: json.load(sys.stdin), or JSON.parse(fs.readFileSync(0))";
    Some(Complaint::new(ProblemCode::ForeignWords, message, help))
}

/// Looks for a script whose only refusal never leaves it. What is sourced ends as part of the
/// command, which may call its functions.
fn check_unspoken_refusal(
    script: &Script,
    is_sourced: bool,
    is_set: &dyn Fn(&str) -> bool,
) -> Option<Complaint> {
    let (shown, text) = (script.display_path(), script.text.as_str());
    let language = Language::of(&script.name(), text)?;
    if let Some(target) = elsewhere::find(text, language) {
        return Some(redirected_complaint(&shown, &target));
    }
    if is_sourced {
        return None;
    }
    if let Some(complaint) = codes::find(&shown, text, language, is_set) {
        return Some(complaint);
    }
    if let Some((why, help)) = unended::find(text, language) {
        return Some(script_complaint(script, &why, help));
    }
    let function = uncalled::find(text, language)?;
    let message = format!(
        "exit code 2 in {shown} is in the function \"{function}\", which nothing calls: it would \
         refuse nothing"
    );
    let help = format!("call \"{function}\" where the script should refuse");
    Some(Complaint::new(ProblemCode::RefusalLost, message, help))
}

fn script_complaint(script: &Script, why: &str, help: String) -> Complaint {
    let message = format!("{}: {why}, so it refuses nothing", script.display_path());
    Complaint::new(ProblemCode::RefusalLost, message, help)
}

fn redirected_complaint(what: &str, target: &str) -> Complaint {
    let message = format!(
        "{what} writes the reply that refuses to another place ({target}): only standard output is \
         read, so its refusal is lost"
    );
    let help = "print the reply, and nothing else, to standard output";
    Complaint::new(ProblemCode::RefusalLost, message, help)
}

/// Returns the name of a function that refuses by its return value, if the lost refusal is a call
/// of it.
fn function_that_refuses<'l>(lost: &'l LostStatus, script: &str) -> Option<&'l str> {
    let name = lost.written.split_whitespace().next()?;
    let is_called_alone = matches!(lost.by, LostBy::Next(_) | LostBy::Or(_))
        && !lost.written.contains(['|', '&', ';']);
    let heads = [
        format!("{name}()"),
        format!("{name} ()"),
        format!("function {name}"),
    ];
    let mut lines = script.lines();
    let head = lines.find(|line| {
        let line = line.trim_start();
        heads.iter().any(|it| line.starts_with(it.as_str()))
    })?;
    let is_whole = head.trim_end().ends_with('}');
    let body = lines.take_while(|line| !is_whole && line.trim_end() != "}");
    let mut body = std::iter::once(head).chain(body);
    let returns =
        body.any(|line| line.contains("return 2") && exits_with_two(&line.replace(';', "\n")));
    (is_called_alone && returns).then_some(name)
}

fn returned_complaint(shown: &str, function: &str) -> Complaint {
    let message = format!(
        "what \"{function}\" returns in {shown} is lost, and so is its refusal: the script \
         continues after it"
    );
    let help = format!("write \"{function} || exit\" where it is called, or \"exit 2\" in it");
    Complaint::new(ProblemCode::RefusalLost, message, help)
}

fn consumed_complaint() -> Complaint {
    Complaint::new(
        ProblemCode::RefusalLost,
        "with \"once\", it only runs for the first call, whether or not that call is to be \
         refused: afterwards it refuses nothing",
        "remove \"once\"",
    )
}

fn unheard_complaint() -> Complaint {
    Complaint::new(
        ProblemCode::RefusalLost,
        "it refuses with exit code 2, but with \"async\" nobody waits for it: its refusal is lost",
        "remove \"async\"",
    )
}

fn complaint(hook: &HookDeclaration, text: &str, lost: LostStatus) -> Complaint {
    let (why, help) = match &lost.by {
        LostBy::Or(handler) => (
            format!("\"|| {}\" replaces it", excerpt(handler)),
            format!("remove \"|| {}\"", excerpt(handler)),
        ),
        LostBy::Next(next) => (
            format!("that of \"{}\" after it counts", excerpt(next)),
            "make it the last command, or join them with \"&&\"".to_owned(),
        ),
        LostBy::Pipe(end) => (
            format!("that of \"{}\", the last of the pipe, counts", excerpt(end)),
            "write \"set -o pipefail; \" in front of the command".to_owned(),
        ),
        LostBy::Background => (
            "with \"&\", nobody waits for it".to_owned(),
            "remove the \"&\", and the \"nohup\" if there is one".to_owned(),
        ),
        LostBy::Substitution(by) => (
            format!("its output becomes an argument of \"{by}\", whose exit code counts"),
            format!("run it on its own, without \"{by}\""),
        ),
        LostBy::Trap(trap) => (
            format!("at the end, \"{}\" changes it to 0", excerpt(trap)),
            "remove the \"exit 0\" from the trap".to_owned(),
        ),
        LostBy::Negation => (
            "\"!\" makes it a success".to_owned(),
            "remove the \"!\"".to_owned(),
        ),
    };
    let mut message = format!(
        "exit code 2 of \"{}\" is lost, and so is its refusal: {why}",
        excerpt(&lost.written)
    );
    if lost.by != LostBy::Background {
        message.push_str("; only a refusal in JSON on standard output would have an effect");
    }
    // With arguments, the text differs from the file's.
    let is_as_written = text == hook.command();
    Complaint {
        suggestion: lost.without.filter(|_| is_as_written),
        ..Complaint::new(ProblemCode::RefusalLost, message, help)
    }
}

/// Returns whether a program's text names 2 as its exit code, in the languages that hooks are
/// written in: `exit 2`, `sys.exit(2)`, `process.exit(2)`, `process.exitCode = 2`, `SystemExit(2)`,
/// `return 2`.
pub(super) fn exits_with_two(text: &str) -> bool {
    let lines = text.lines().map(str::trim_start);
    let mut code = lines.filter(|line| !line.starts_with(['#', '/']));
    code.any(|line| {
        let line = line.to_ascii_lowercase();
        ["exit", "return"].iter().any(|word| {
            line.match_indices(word).any(|(at, word)| {
                let rest = &line[at + word.len()..];
                let rest = rest.strip_prefix("code").unwrap_or(rest);
                let value = rest.trim_start_matches([' ', '\t', '(', '=', ':', '"', '\'']);
                let is_apart = value.len() < rest.len();
                let mut value = value.chars();
                is_apart
                    && value.next() == Some('2')
                    && !value.next().is_some_and(|it| it.is_ascii_alphanumeric())
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-3: exit code 2 is found in the languages of hooks, and nothing else is mistaken for it.
    #[test]
    fn an_exit_with_two_is_found() {
        for text in [
            "#!/bin/sh\nexit 2",
            "grep x && exit 2",
            "sys.exit(2)",
            "raise SystemExit(2)",
            "process.exit(2);",
            "process.exitCode = 2;",
            "    return 2",
            "exit \"2\"",
            "os._exit( 2 )",
        ] {
            assert!(exits_with_two(text), "{text}");
        }
        for text in [
            "exit 0",
            "exit 22",
            "# exit 2",
            "// exit(2)",
            "exited2",
            "exit2",
            "echo 2",
            "",
        ] {
            assert!(!exits_with_two(text), "{text}");
        }
    }
}
