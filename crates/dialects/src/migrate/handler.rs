//! One hook of theirs as one of ours.

use serde_json::{Map, Value};

use super::command::{foreign_reply_field, quoted_line, unset_variables, with_our_variables};
use super::family::{Family, matcher_text};
use super::matcher::{shorten, translate_tools, translate_words};
use super::report::{Addition, Item, MigrationResult, Report};
use super::tree::{Member, Node, Shape};
use super::verdict::Verdict;
use super::vocabulary::{EventRule, Subject, Target};

/// Longest timeout, in milliseconds (IO-30).
const LONGEST: f64 = 2_147_483_647.0;

/// What is said where the script is run in its own dialect (FD-4).
const DIALECT_NOTE: &str = "the script runs as it is, in its own dialect; Gemini CLI ignores \
    \"dialect\", so there it reads and answers in words that it doesn't know";

/// Holds where a hook was found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'s> {
    pub(super) family: Family,
    pub(super) event: &'s str,
    pub(super) matcher: Option<&'s Node>,
    /// Fields of its group that have no meaning here.
    pub(super) unknown_of_group: &'s [&'s str],
}

/// Converts a hook, and adds what became of it to the report.
pub(super) fn convert(report: &mut Report, source: &Source<'_>, node: &Node) {
    let mut item = report.item(node.offset);
    item.event_from = Some(source.event.to_owned());
    item.matcher_from = source.matcher.and_then(Node::text).map(str::to_owned);
    item.command = node.get("command").and_then(Node::text).map(str::to_owned);
    let mut verdict = Verdict::default();
    let converted = convert_to(&mut verdict, source, node, &mut item);
    let (result, message) = verdict.finish();
    item.result = result;
    item.message = message;
    match converted {
        Some(addition) if result != MigrationResult::NotPossible => item.addition = Some(addition),
        _ => item.matcher_to = None,
    }
    report.add(item);
}

fn convert_to(
    verdict: &mut Verdict,
    source: &Source<'_>,
    node: &Node,
    item: &mut Item,
) -> Option<Addition> {
    let Some(rule) = source.family.event(source.event) else {
        verdict.refuse(format!(
            "\"{}\" is no event of {}",
            shorten(source.event),
            source.family.name()
        ));
        return None;
    };
    let event = match rule.target {
        Target::Same(event) => event,
        Target::Nearly(event, difference) => {
            verdict.approximate(difference);
            event
        }
        Target::Nothing(reason) => {
            verdict.refuse(reason);
            return None;
        }
    };
    item.event_to = Some(event);
    item.matcher_to = match matcher_text(source.matcher) {
        Ok(matcher) => translate(verdict, source.family, rule, matcher),
        Err(reason) => {
            verdict.refuse(reason);
            None
        }
    };
    for field in source.unknown_of_group {
        verdict.approximate(dropped(field));
    }
    let hook = read_hook(verdict, source.family, node)?;
    match (rule.note, source.family.dialect()) {
        (Some(_), Some(_)) => verdict.note(DIALECT_NOTE),
        (Some(difference), None) => verdict.note(difference),
        (None, _) => {}
    }
    Some(Addition {
        event,
        matcher: item.matcher_to.clone(),
        hook,
    })
}

fn translate(
    verdict: &mut Verdict,
    family: Family,
    rule: &EventRule,
    matcher: &str,
) -> Option<String> {
    let selective = !matches!(matcher.trim(), "" | "*");
    match rule.subject {
        Subject::Tool => {
            let renamed = matcher.replace("MCP:", "mcp__.*__");
            let matcher = if family == Family::Cursor && renamed != matcher {
                verdict.approximate("there tools of MCP servers are named without their server");
                &renamed
            } else {
                matcher
            };
            let translated = translate_tools(verdict, matcher, family.tools(), family.word_mode());
            if family == Family::Codex
                && translated
                    .as_ref()
                    .is_some_and(|it| it.contains("write_file"))
            {
                verdict.approximate(
                    "there an edit is a patch in \"tool_input.command\", here the tools have \
                     \"file_path\" and the texts",
                );
            }
            translated
        }
        Subject::Words(words) => translate_words(verdict, matcher, words, family.word_mode()),
        Subject::Nothing => None,
        Subject::Untold(what) => {
            if selective {
                verdict.approximate(format!(
                    "{what} can't be told here, the matcher was dropped"
                ));
            }
            None
        }
        Subject::Fixed(fixed, what) => {
            if selective {
                verdict.approximate(format!(
                    "the matcher was dropped, it is about {what}; let the script look at \
                     \"tool_input\""
                ));
            }
            Some(fixed.to_owned())
        }
    }
}

/// Reads the fields of a hook; nothing if there is none that could run.
fn read_hook(verdict: &mut Verdict, family: Family, node: &Node) -> Option<Map<String, Value>> {
    let Some(members) = node.members() else {
        verdict.refuse("a hook is no object");
        return None;
    };
    if !is_command(verdict, family, node) {
        return None;
    }
    let command = read_command(verdict, family, node)?;
    let mut hook = Map::new();
    hook.insert("type".to_owned(), Value::from("command"));
    hook.insert("command".to_owned(), Value::from(command));
    if let Some(dialect) = family.dialect() {
        hook.insert("dialect".to_owned(), Value::from(dialect.as_str()));
    }
    for member in members {
        read_field(verdict, family, member, &mut hook);
    }
    Some(hook)
}

fn is_command(verdict: &mut Verdict, family: Family, node: &Node) -> bool {
    match node.get("type").map(|it| &it.shape) {
        Some(Shape::Text(kind)) if kind == "command" => true,
        Some(Shape::Text(kind)) => {
            verdict.refuse(format!(
                "hooks of type \"{}\" are not supported; write it as a command",
                shorten(kind)
            ));
            false
        }
        Some(_) => {
            verdict.refuse("the type is no string");
            false
        }
        None if family == Family::Cursor => true,
        None => {
            verdict.approximate("it has no type, and was taken for a command");
            true
        }
    }
}

fn read_command(verdict: &mut Verdict, family: Family, node: &Node) -> Option<String> {
    let Some(command) = node.get("command").and_then(Node::text) else {
        verdict.refuse("it has no command");
        return None;
    };
    if command.trim().is_empty() || command.contains('\0') {
        verdict.refuse("its command can't be run");
        return None;
    }
    let mut line = with_our_variables(command);
    if let Some(arguments) = node.get("args") {
        let texts: Option<Vec<&str>> = arguments
            .list()
            .and_then(|list| list.iter().map(Node::text).collect());
        let Some(texts) = texts else {
            verdict.refuse("its arguments are no list of strings");
            return None;
        };
        let words: Vec<String> = texts.into_iter().map(with_our_variables).collect();
        let words = std::iter::once(line.as_str()).chain(words.iter().map(String::as_str));
        line = quoted_line(words);
        verdict.approximate("program and arguments became a command for the shell");
    }
    let unset = unset_variables(command);
    if !unset.is_empty() {
        verdict.approximate(format!("{} is not set here", unset.join(", ")));
    }
    if family.dialect().is_none()
        && let Some((theirs, ours)) = foreign_reply_field(command)
    {
        verdict.approximate(format!(
            "the command answers with \"{theirs}\", which has no effect here: answer with {ours}"
        ));
    }
    Some(line)
}

fn read_field(
    verdict: &mut Verdict,
    family: Family,
    member: &Member,
    hook: &mut Map<String, Value>,
) {
    let value = &member.value;
    match member.key.as_str() {
        "type" | "command" | "args" => {}
        "matcher" if family == Family::Cursor => {}
        "timeout" | "timeoutSec" | "timeout_sec" => {
            if let Some(milliseconds) = read_timeout(verdict, value) {
                hook.insert("timeout".to_owned(), Value::from(milliseconds));
            }
        }
        key @ ("name" | "description") if value.text().is_some() => {
            hook.insert(key.to_owned(), Value::from(value.text()));
        }
        "if" => verdict.approximate(format!(
            "the condition \"if\"{} was dropped, the hook runs every time its matcher fits; let \
             the script look at \"tool_input\"",
            value
                .text()
                .map_or_else(String::new, |it| format!(": \"{}\"", shorten(it)))
        )),
        "async" | "asyncRewake" | "once" | "failClosed" if value.is_false() => {}
        "async" | "asyncRewake" => {
            verdict.approximate(format!(
                "\"{}\" was dropped, the agent waits for the hook",
                member.key
            ));
        }
        "once" => verdict.approximate("\"once\" was dropped, the hook runs every time"),
        "failClosed" if family == Family::Cursor && value.is_true() => {
            hook.insert("onFailure".to_owned(), Value::from("deny"));
        }
        "shell" if value.text() == Some("bash") => {}
        "shell" => verdict.approximate("\"shell\" was dropped, the command runs in bash or sh"),
        "loop_limit" => {
            verdict.approximate(
                "\"loop_limit\" was dropped; hooksConfig.maxRetries bounds all retries",
            );
        }
        // It is what a person sees, nothing more.
        "statusMessage" => verdict.note("\"statusMessage\" was dropped"),
        key => verdict.approximate(dropped(key)),
    }
}

fn dropped(field: &str) -> String {
    format!("\"{}\" has no counterpart and was dropped", shorten(field))
}

/// Turns seconds into milliseconds (CM-7).
fn read_timeout(verdict: &mut Verdict, value: &Node) -> Option<u64> {
    let milliseconds = match value.shape {
        Shape::Number(seconds) => (seconds * 1000.0).round(),
        _ => f64::NAN,
    };
    if (1.0..=LONGEST).contains(&milliseconds) {
        return format!("{milliseconds:.0}").parse().ok();
    }
    verdict.approximate("the timeout can't be used, the default of 60 s counts");
    None
}
