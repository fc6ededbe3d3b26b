//! Converts one of their hooks to one of ours.

use serde_json::{Map, Value};

use super::Manner;
use super::agent::Agent;
use super::command::{
    Family, quoted_line, running_in, speaks_foreign, unset_variables, with_our_variables,
};
use super::conversion::{Conversion, Source};
use super::matcher::{matcher_text, shorten};
use super::readers::note_readers;
use super::report::{Addition, Fault, Item, MigrationResult, Report};
use super::running::{ignored, loop_limit, read_manner_of_running, read_timeout};
use super::subject::{OwnCondition, condition_of, translate};
use super::tree::{Member, Node, Shape};
use super::verdict::Verdict;
use crate::bridge_entry::calls_bridge;
use crate::part::Part;
use crate::vocabulary::{EventRule, NOTIFY, Target};

/// The message if the script runs in its own dialect (FD-4).
const DIALECT_NOTE: &str = "the script runs unchanged, in its own dialect; Gemini CLI ignores \
    \"dialect\", so there the script gets and writes words that don't match";

/// The message about a script that wasn't rewritten with its entry, if nothing more specific is
/// known (FD-4).
const FOREIGN_SCRIPT: &str = "its script uses an unknown dialect";

/// Converts a hook, and adds what happened to it to the report.
pub(super) fn convert(report: &mut Report, source: &Source<'_>, node: &Node) {
    convert_from(report, source, node, Verdict::of(report.manner));
}

/// Adds to the report something in the place of a hook that can't be built, with the reason.
pub(super) fn stand_in(report: &mut Report, source: &Source<'_>, node: &Node, why: &str) {
    let mut verdict = Verdict::of(report.manner);
    verdict.mistype(why);
    convert_from(report, source, node, verdict);
}

/// Converts Codex's `notify`: a program that is notified of the end of a turn in its last argument.
/// Nothing waits for it, and nothing that it prints has any effect (FD-20).
pub(super) fn convert_notify(report: &mut Report, member: &Member) {
    let mut item = report.item(member.offset);
    item.event_from = Some(member.key.clone());
    let words = match &member.value.shape {
        Shape::Text(text) => Some(vec![text.as_str()]),
        Shape::List(list) => list.iter().map(Node::text).collect(),
        _ => None,
    };
    let words = words.filter(|words| words.first().is_some_and(|it| !it.trim().is_empty()));
    let Some(words) = words else {
        item.message = Some("\"notify\" isn't a list of a program and its arguments".to_owned());
        return report.add(item);
    };
    if report.manner == Manner::Rewritten {
        item.message = Some(
            "\"notify\" gets the end of a turn as its last argument: write it as an AfterAgent \
             hook that reads its input from standard input"
                .to_owned(),
        );
        return report.add(item);
    }
    let command = format!("{} \"$(cat)\"", quoted_line(words));
    item.event_to = Some(hookloop_events::EventName::AfterAgent);
    item.command = Some(command.clone());
    item.result = MigrationResult::Converted;
    let mut hook = Map::new();
    let mut put = |name: &str, value: Value| hook.insert(name.to_owned(), value);
    put("type", Value::from("command"));
    put("command", Value::from(command));
    put("dialect", Value::from(Agent::Codex.dialect().as_str()));
    put("dialectEvent", Value::from(NOTIFY));
    put("async", Value::Bool(true));
    put("mode", Value::from("shadow"));
    if report.manner == Manner::InDialect {
        item.message = Some(DIALECT_NOTE.to_owned());
        hook.insert("from".to_owned(), Value::from(place_of(&item)));
    }
    item.addition = Some(Addition {
        event: hookloop_events::EventName::AfterAgent,
        matcher: None,
        grouping: hookloop_hook::Grouping::Parallel,
        hook,
    });
    report.add(item);
}

fn convert_from(report: &mut Report, source: &Source<'_>, node: &Node, mut verdict: Verdict) {
    let mut item = report.item(node.offset);
    item.event_from = Some(source.event.to_owned());
    item.matcher_from = source.matcher.and_then(Node::text).map(str::to_owned);
    item.command = describe_run(source.agent, node).map(str::to_owned);
    let conversion = Conversion {
        agent: source.agent,
        manner: report.manner,
        source,
        runs_in: report.runs_in.as_deref(),
        environment: &report.environment,
    };
    if item.command.as_deref().is_some_and(calls_bridge) {
        verdict.refuse(format!(
            "it calls Hookloop's own bridge, which is for {} alone",
            source.agent.name()
        ));
    }
    let converted = convert_to(&mut verdict, conversion, node, &mut item);
    item.unfit = verdict.take_unfit();
    let (result, message, fault) = verdict.finish();
    item.result = result;
    item.message = message;
    item.fault = match source.agent.event(source.event) {
        None => Fault::Event,
        Some(_) => fault,
    };
    let stands = result != MigrationResult::NotPossible
        || (item.fault == Fault::Entry && conversion.manner.stays());
    match converted {
        Some(addition) if stands => item.addition = Some(addition),
        _ => item.matcher_to = None,
    }
    report.add(item);
}

fn convert_to(
    verdict: &mut Verdict,
    conversion: Conversion<'_>,
    node: &Node,
    item: &mut Item,
) -> Option<Addition> {
    let (agent, source) = (conversion.agent, conversion.source);
    let Some(rule) = agent.event(source.event) else {
        verdict.refuse(format!(
            "\"{}\" isn't an event of {}",
            shorten(source.event),
            agent.name()
        ));
        return None;
    };
    let event = match rule.target {
        Target::Same(event) => event,
        Target::Nearly(event, difference) => {
            let is_told = match conversion.manner {
                Manner::Rewritten => true,
                Manner::InDialect => !rule.differs_in_words_alone(),
                Manner::InPlace | Manner::InPlugin => rule.part == Part::Changing,
            };
            if is_told {
                verdict.approximate(difference);
            }
            event
        }
        Target::Nothing(reason) => {
            verdict.refuse(reason);
            return None;
        }
    };
    item.event_to = Some(event);
    item.matcher_to = match matcher_text(source.matcher) {
        Ok(matcher) => translate(verdict, conversion, rule, matcher, own_condition(node)),
        Err(reason) => {
            verdict.mistype(reason);
            None
        }
    };
    let is_asked = rule.part == Part::Changing; // never about what only looks
    if agent == Agent::Codex && event == hookloop_events::EventName::BeforeTool && !is_asked {
        note_readers(verdict, item.matcher_to.as_deref());
    }
    for field in source.unknown_of_group {
        drop_field(verdict, conversion.manner, field);
    }
    let mut hook = read_hook(verdict, conversion, node)?;
    if conversion.keeps_words() {
        name_event(&mut hook, conversion, rule);
        if conversion.manner == Manner::InDialect {
            verdict.note(DIALECT_NOTE);
            hook.insert("from".to_owned(), Value::from(place_of(item)));
        }
    } else {
        verdict.will_not_work(rule.note.unwrap_or(FOREIGN_SCRIPT));
    }
    Some(Addition {
        event,
        matcher: item.matcher_to.clone(),
        grouping: source.grouping,
        hook,
    })
}

/// Returns whether a hook has an `if` of its own, which leaves no place for another.
fn own_condition(node: &Node) -> OwnCondition {
    if node.get("if").is_some() {
        OwnCondition::Stated
    } else {
        OwnCondition::Absent
    }
}

/// Sets which of their events a hook is for, if ours corresponds to several of theirs (FD-11), and
/// keeps what its matcher says beyond a subject of ours.
fn name_event(hook: &mut Map<String, Value>, conversion: Conversion<'_>, rule: &EventRule) {
    if !rule.says_nothing_more(conversion.agent.dialect()) {
        hook.insert("dialectEvent".to_owned(), Value::from(rule.name));
    }
    if let Some(condition) = condition_of(conversion, rule) {
        hook.entry("if").or_insert(Value::from(condition));
    }
}

/// Writes where a hook is, in the form of `from`: the file relative to its agent's folder, and the
/// line.
fn place_of(item: &Item) -> String {
    let mut parts: Vec<_> = item.source.path.components().rev().collect();
    let begin = parts
        .iter()
        .position(|it| it.as_os_str().to_string_lossy().starts_with('.'));
    parts.truncate(begin.map_or(1, |it| it + 1));
    let path: std::path::PathBuf = parts.into_iter().rev().collect();
    format!("{}:{}", path.display(), item.source.line)
}

/// Reads the fields of a hook; nothing if there isn't one that could run.
fn read_hook(
    verdict: &mut Verdict,
    conversion: Conversion<'_>,
    node: &Node,
) -> Option<Map<String, Value>> {
    let mut hook = Map::new();
    let members = node.members().unwrap_or_else(|| {
        verdict.mistype("a hook isn't an object");
        Vec::new()
    });
    match other_type(node) {
        Some("prompt") if conversion.agent == Agent::Copilot => {
            verdict.refuse(SUBMITTED);
            return None;
        }
        // A type that this build doesn't support stays, as a hook that can't start (FD-24).
        Some(kind) if conversion.manner.stays() => {
            hook.insert("type".to_owned(), Value::from(kind));
        }
        Some(kind) if conversion.keeps_words() && TYPES.contains(&kind) => {
            verdict.note(format!(
                "Gemini CLI has no hooks of type \"{kind}\" and ignores it"
            ));
            hook.insert("type".to_owned(), Value::from(kind));
        }
        _ => {
            let command = is_command(verdict, conversion.agent, node)
                .then(|| read_command(verdict, conversion, node))
                .flatten();
            if command.is_none() && !conversion.manner.stays() {
                return None;
            }
            hook.insert("type".to_owned(), Value::from("command"));
            hook.extend(command.map(|it| ("command".to_owned(), Value::from(it))));
        }
    }
    if conversion.keeps_words() {
        let dialect = conversion.agent.dialect().as_str();
        hook.insert("dialect".to_owned(), Value::from(dialect));
    }
    if let Some(member) = node.repeated_within() {
        // Which of the two counts can't be guessed, so the rest isn't used, either.
        verdict.mistype(format!("\"{}\" occurs twice in it", shorten(&member.key)));
        return Some(hook);
    }
    let is_other = hook.get("type").and_then(Value::as_str) != Some("command");
    for member in members {
        match field_of_other_types(&member.key) {
            Some(name) if is_other => {
                hook.insert(name.to_owned(), member.value.to_json());
            }
            _ => read_field(verdict, conversion, member, &mut hook),
        }
    }
    if conversion.keeps_words() && conversion.agent == Agent::Cursor && node.says_null("loop_limit")
    {
        let limit = loop_limit(verdict, None);
        hook.extend(limit.map(|limit| ("loopLimit".to_owned(), Value::from(limit))));
    }
    if !is_other && !conversion.environment.is_empty() {
        let mut variables = conversion.environment.clone();
        if let Some(Value::Object(own)) = hook.remove("env") {
            variables.extend(own);
        }
        hook.insert("env".to_owned(), Value::Object(variables));
    }
    Some(hook)
}

/// The message about Copilot's hooks of type `prompt`, which ask no model for an answer.
const SUBMITTED: &str = "there its prompt is submitted on the user's behalf when a session starts, \
                         which no hook does here";

/// The types of hooks other than commands that also exist here (FD-24).
const TYPES: [&str; 3] = ["http", "mcp_tool", "prompt"];

/// Returns the type of a hook that isn't a command (FD-24).
fn other_type(node: &Node) -> Option<&str> {
    node.get("type")?.text().filter(|kind| *kind != "command")
}

/// Returns the name here of a field that only hooks of another type than `command` have.
fn field_of_other_types(name: &str) -> Option<&'static str> {
    Some(match name {
        "url" => "url",
        "headers" => "headers",
        "allowedEnvVars" | "allowedEnv" => "allowedEnv",
        "prompt" => "prompt",
        "model" => "model",
        "server" => "server",
        "tool" => "tool",
        "input" => "input",
        _ => return None,
    })
}

/// Returns the command of a hook: Copilot has one for each shell.
fn command_of(agent: Agent, node: &Node) -> Option<&str> {
    let names: &[&str] = match agent {
        Agent::Copilot => &["bash", "linux", "command", "exec"],
        _ => &["command"],
    };
    names.iter().find_map(|name| node.get(name)?.text())
}

/// Returns whether a hook of Copilot only has commands for other systems than this one.
fn is_for_other_systems(agent: Agent, node: &Node) -> bool {
    let names = ["powershell", "windows", "osx"];
    let is_text = |name: &&str| node.get(name).and_then(Node::text).is_some();
    agent == Agent::Copilot && names.iter().any(is_text)
}

/// Returns what people see as what a hook runs: its command, or what represents it.
fn describe_run(agent: Agent, node: &Node) -> Option<&str> {
    let others = ["url", "tool", "prompt"];
    command_of(agent, node).or_else(|| others.iter().find_map(|name| node.get(name)?.text()))
}

fn is_command(verdict: &mut Verdict, agent: Agent, node: &Node) -> bool {
    match node.get("type").map(|it| &it.shape) {
        Some(Shape::Text(kind)) if kind == "command" => true,
        Some(Shape::Text(kind)) => {
            verdict.refuse(format!(
                "hooks of type \"{}\" aren't supported; write it as a command",
                shorten(kind)
            ));
            false
        }
        Some(_) => {
            verdict.mistype("the type isn't a string");
            false
        }
        None if matches!(agent, Agent::Cursor | Agent::Copilot) => true,
        None => {
            verdict.approximate("it has no type, so it was treated as a command");
            true
        }
    }
}

fn read_command(verdict: &mut Verdict, conversion: Conversion<'_>, node: &Node) -> Option<String> {
    let Some(command) = command_of(conversion.agent, node) else {
        if is_for_other_systems(conversion.agent, node) {
            verdict.refuse("it has no command for this system");
        } else {
            verdict.mistype("it has no command");
        }
        return None;
    };
    if command.trim().is_empty() || command.contains('\0') {
        verdict.mistype("its command can't be run");
        return None;
    }
    let ours = |text: &str| {
        if conversion.keeps_words() {
            text.to_owned()
        } else {
            with_our_variables(text)
        }
    };
    let mut line = ours(command);
    if let Some(arguments) = node.get("args") {
        let texts: Option<Vec<&str>> = arguments
            .list()
            .and_then(|list| list.iter().map(Node::text).collect());
        let Some(texts) = texts else {
            verdict.mistype("its arguments aren't a list of strings");
            return None;
        };
        let words: Vec<String> = texts.into_iter().map(ours).collect();
        let words = std::iter::once(line.as_str()).chain(words.iter().map(String::as_str));
        line = quoted_line(words);
        verdict.rewritten("the program and its arguments became a shell command");
    }
    let family = Family::of(node.get("shell").and_then(Node::text));
    let of_hook = node.get("cwd").and_then(Node::text);
    let of_hook = of_hook.filter(|_| conversion.agent == Agent::Copilot);
    let of_file = conversion.runs_in.map(|it| ours(&it.to_string_lossy()));
    for folder in of_hook.map(str::to_owned).into_iter().chain(of_file) {
        line = running_in(&folder, &line, family);
    }
    let unset = unset_variables(command, conversion.agent, conversion.manner);
    if !unset.is_empty() {
        verdict.approximate(format!("{} isn't set here", unset.join(", ")));
    }
    if !conversion.keeps_words()
        && let Some((theirs, ours)) = speaks_foreign(command)
    {
        verdict.approximate(format!(
            "the command answers with \"{theirs}\", which has no effect here: answer with {ours}"
        ));
    }
    Some(line)
}

fn read_field(
    verdict: &mut Verdict,
    conversion: Conversion<'_>,
    member: &Member,
    hook: &mut Map<String, Value>,
) {
    let (agent, keeps_words) = (conversion.agent, conversion.keeps_words());
    let value = &member.value;
    let is_command = hook.get("type").and_then(Value::as_str) == Some("command");
    let mut keep = |name: &str, value: Value| hook.insert(name.to_owned(), value);
    match member.key.as_str() {
        "type" | "command" | "args" => {}
        "matcher" if matches!(agent, Agent::Cursor | Agent::Copilot) => {}
        "bash" | "linux" | "exec" | "cwd" | "powershell" | "windows" | "osx"
            if agent == Agent::Copilot => {}
        "comment" if agent == Agent::Copilot => {
            keep("description", Value::from(value.text()));
        }
        "env" => match texts_of(value) {
            Some(variables) => _ = keep("env", Value::Object(variables)),
            None => verdict.approximate("\"env\" has values that aren't strings, and was dropped"),
        },
        "timeout" | "timeoutSec" | "timeout_sec" => {
            let units = match member.key.as_str() {
                // For other types, every agent uses seconds.
                "timeout" if is_command => agent.units_per_second(),
                _ => 1.0,
            };
            if let Some(milliseconds) = read_timeout(verdict, value, units) {
                keep("timeout", Value::from(milliseconds));
            }
        }
        key @ ("name" | "description") if value.text().is_some() => {
            keep(key, Value::from(value.text()));
        }
        "if" if keeps_words && value.text().is_some() => {
            keep("if", Value::from(value.text()));
            verdict.approximate_unless_stays(conversion.manner, || ignored(member, value));
        }
        "if" => verdict.approximate(format!(
            "the condition \"if\"{} was dropped, so the hook runs whenever its matcher matches; \
             let the script check \"tool_input\"",
            value
                .text()
                .map_or_else(String::new, |it| format!(": \"{}\"", shorten(it)))
        )),
        "async" | "asyncRewake" | "once" | "failClosed" if value.is_false() => {}
        "async" | "asyncRewake" | "once" => {
            read_manner_of_running(verdict, conversion, member, hook);
        }
        "failClosed" if agent == Agent::Cursor && value.is_true() => {
            keep("onFailure", Value::from("deny"));
        }
        "failClosed" if agent == Agent::Cursor => {
            verdict.mistype("\"failClosed\" isn't true or false");
        }
        "shell" if value.text() == Some("bash") => {}
        "shell" => verdict.approximate("\"shell\" was dropped, the command runs in bash or sh"),
        "loop_limit" if keeps_words && agent == Agent::Cursor => {
            if let Some(limit) = loop_limit(verdict, Some(value)) {
                keep("loopLimit", Value::from(limit));
            }
            verdict.approximate_unless_stays(conversion.manner, || ignored(member, value));
        }
        "loop_limit" => {
            verdict.approximate(
                "\"loop_limit\" was dropped; hooksConfig.maxRetries bounds all retries",
            );
        }
        "statusMessage" if keeps_words && value.text().is_some() => {
            keep("statusMessage", Value::from(value.text()));
        }
        // It only affects what a person sees.
        "statusMessage" => verdict.note("\"statusMessage\" was dropped"),
        key => drop_field(verdict, conversion.manner, key),
    }
}

/// Reports that a field means nothing here. Remarks that people write for themselves don't mean
/// anything in its own agent, either.
fn drop_field(verdict: &mut Verdict, manner: Manner, key: &str) {
    const NOTES: [&str; 8] = [
        "description",
        "name",
        "comment",
        "comments",
        "note",
        "notes",
        "id",
        "title",
    ];
    let is_note = key.starts_with(['_', '/', '#', '$']) || NOTES.contains(&key);
    if !(is_note && manner.stays()) {
        verdict.approximate(dropped_message(key));
    }
}

/// Returns an object of texts.
fn texts_of(value: &Node) -> Option<Map<String, Value>> {
    let members = value.members()?.into_iter();
    let texts = members.map(|it| Some((it.key.clone(), Value::from(it.value.text()?))));
    texts.collect()
}

fn dropped_message(field: &str) -> String {
    format!("\"{}\" has no counterpart and was dropped", shorten(field))
}
