//! Runs a hook in its own dialect (FD-1): its input, the meaning of its answer, and the names that
//! its matcher accepts. Each dialect is a folder with the same structure.
//!
//! Only what is understood completely is translated. Everything else (broken JSON, exit codes,
//! signals, timeouts) goes unchanged to the parser of replies, which finds a refusal in every
//! spelling. So a dialect can't lose one (FD-21).

use std::borrow::Cow;
use std::time::Duration;

use hookloop_events::refusal::{Readable, Refusal};
use hookloop_events::{Decision, EventName};
use hookloop_hook::{Dialect, Refusing};
use serde_json::{Map, Value};

use crate::foreign::call::exit_code_of;
use crate::foreign::obeyed::lets_run;
use crate::foreign::tools::omitted_arguments;
use crate::foreign::{
    DialectTables, ForeignValue, ForeignVariable, HookDialect, HookOutput, OutgoingPayload,
    SPECIFIC, ToolRule, TranslatedOutput, Words, condition, strict,
};
use crate::part::Part;
use crate::vocabulary::{EventRule, NOTIFY, Target, events_of};
use crate::{claude_code, codex, copilot, cursor, gemini_cli, qwen};

/// Returns the known tools of a dialect; none for our own.
pub fn tools_of(dialect: Dialect) -> &'static [ToolRule] {
    tables(dialect).map_or(&[], |tables| tables.tools)
}

pub(crate) fn tables(dialect: Dialect) -> Option<&'static DialectTables> {
    match dialect {
        Dialect::Hookloop => None,
        Dialect::GeminiCli => Some(&gemini_cli::TABLES),
        Dialect::ClaudeCode => Some(&claude_code::TABLES),
        Dialect::Codex => Some(&codex::TABLES),
        Dialect::Cursor => Some(&cursor::TABLES),
        Dialect::Copilot => Some(&copilot::TABLES),
        Dialect::Qwen => Some(&qwen::TABLES),
    }
}

/// Returns the dialects that are translated. Hooks of other dialects can't be run (IO-21).
pub fn supported_dialects() -> impl Iterator<Item = Dialect> {
    Dialect::ALL.iter().copied()
}

/// Returns whether a dialect is translated. Hooks of other dialects can't be run (IO-21).
pub fn is_supported(dialect: Dialect) -> bool {
    supported_dialects().any(|it| it == dialect)
}

/// The counterpart of a dialect's event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForeignEvent {
    /// This event of ours, or some of its firings.
    Ours(EventName),
    /// It never happens here, for this reason (FD-11).
    Never(&'static str),
}

/// Returns the counterpart of a dialect's event, or `None` if the dialect has no event with this
/// name.
///
/// ```
/// use hookloop_dialects::{ForeignEvent, foreign_event};
/// use hookloop_hook::{Dialect, EventName};
///
/// let event = foreign_event(Dialect::ClaudeCode, "PreToolUse");
/// assert!(matches!(event, Some(ForeignEvent::Ours(EventName::BeforeTool))));
/// assert!(foreign_event(Dialect::ClaudeCode, "beforeToolUse").is_none());
/// ```
pub fn foreign_event(dialect: Dialect, name: &str) -> Option<ForeignEvent> {
    Some(match rule_of(dialect, name)?.target {
        Target::Same(event) | Target::Nearly(event, _) => ForeignEvent::Ours(event),
        Target::Nothing(reason) => ForeignEvent::Never(reason),
    })
}

/// Returns the events of a dialect that occur here, each with our event (FD-11).
pub fn foreign_events(dialect: Dialect) -> impl Iterator<Item = (&'static str, EventName)> {
    let rules = events_of(dialect).iter().copied().flatten();
    rules.filter_map(|rule| match rule.target {
        Target::Same(event) | Target::Nearly(event, _) => Some((rule.name, event)),
        Target::Nothing(_) => None,
    })
}

/// Returns whether a hook with this event of its dialect runs at the same firings, with the same
/// payloads, as a hook that names no event (FD-11).
pub fn is_whole_event(dialect: Dialect, name: &str) -> bool {
    rule_of(dialect, name).is_some_and(|rule| rule.says_nothing_more(dialect))
}

/// Returns whether two hooks at one of our events are at two different events of their dialect
/// (FD-11). A hook that names none is at the event that corresponds to all of ours, if there is
/// one.
pub fn are_two_events(dialect: Dialect, event: EventName, names: [Option<&str>; 2]) -> bool {
    let whole = || {
        let mut rules = events_of(dialect).iter().copied().flatten();
        let is_whole = |rule: &&EventRule| {
            matches!(rule.target, Target::Same(it) if it == event)
                && rule.says_nothing_more(dialect)
        };
        rules.find(is_whole).map(|rule| rule.name)
    };
    let [one, two] = names.map(|name| name.or_else(whole));
    // Copilot has two spellings for each event.
    matches!((one, two), (Some(one), Some(two)) if !one.eq_ignore_ascii_case(two))
}

fn rule_of(dialect: Dialect, name: &str) -> Option<&'static EventRule> {
    let mut rules = events_of(dialect).iter().copied().flatten();
    rules.find(|rule| rule.name == name)
}

/// Returns whether a firing of ours is one of theirs. Agents distinguish successful and failed
/// results differently: Codex has one event for both, and for Claude Code and Qwen Code a command
/// failed if its exit code says so.
fn holds(dialect: Dialect, rule: &EventRule, ours: &Map<String, Value>) -> bool {
    let failed = || Part::Failed.holds(ours) || exit_code_of(ours).is_some_and(|it| it != 0);
    match (dialect, rule.part) {
        (Dialect::Codex, Part::Succeeded) => true,
        (Dialect::ClaudeCode | Dialect::Qwen, Part::Succeeded) => !failed(),
        (Dialect::ClaudeCode | Dialect::Qwen, Part::Failed) => failed(),
        _ => rule.part.holds(ours),
    }
}

/// Returns the dialect's event that a firing is, for a hook that stands for whichever happens.
fn dialect_event(dialect: Dialect, ours: &Map<String, Value>) -> Option<&'static str> {
    let name = ours.get("hook_event_name")?.as_str()?;
    let mut rules = events_of(dialect).iter().copied().flatten();
    let rule = rules.find(|rule| {
        let event = match rule.target {
            Target::Same(event) | Target::Nearly(event, _) => event,
            Target::Nothing(_) => return false,
        };
        event.as_str() == name && !rule.part.names_tools() && holds(dialect, rule, ours)
    })?;
    Some(rule.name)
}

/// Translates our payload to a dialect, or returns `None` if the dialect is ours (FD-10).
///
/// ```
/// use hookloop_dialects::{HookDialect, foreign_payload};
/// use hookloop_hook::Dialect;
/// use serde_json::json;
///
/// let ours = json!({
///     "session_id": "1", "cwd": "/srv/shop", "hook_event_name": "BeforeTool",
///     "tool_name": "run_shell_command", "tool_input": {"command": "ls"}
/// });
/// let hook_dialect = HookDialect {
///     dialect: Dialect::ClaudeCode,
///     event: None,
///     condition: None,
/// };
/// let theirs = ours.as_object().and_then(|ours| foreign_payload(hook_dialect, ours));
/// let theirs = theirs.ok_or("the dialect isn't ours")?;
/// assert_eq!(theirs["hook_event_name"], "PreToolUse");
/// assert_eq!(theirs["tool_name"], "Bash");
/// # Ok::<_, &str>(())
/// ```
pub fn foreign_payload(
    hook_dialect: HookDialect<'_>,
    ours: &Map<String, Value>,
) -> Option<Map<String, Value>> {
    let tables = tables(hook_dialect.dialect)?;
    let own = ours.get("hook_event_name").and_then(Value::as_str);
    let event = hook_dialect
        .event
        .or_else(|| dialect_event(hook_dialect.dialect, ours))
        .or(own)
        .unwrap_or_default();
    Some((tables.payload)(&OutgoingPayload { ours, event }))
}

/// Returns whether a hook runs at a firing of our event: whether its own event occurs, and its `if`
/// allows it. An `if` that can't be evaluated allows it (FD-11, FD-12).
pub fn is_due(hook_dialect: HookDialect<'_>, ours: &Map<String, Value>) -> bool {
    let rule = hook_dialect
        .event
        .and_then(|name| rule_of(hook_dialect.dialect, name));
    if rule.is_some_and(|rule| !holds(hook_dialect.dialect, rule, ours)) {
        return false;
    }
    if goes_on(ours) && !sees_every_prompt(hook_dialect.dialect) {
        return false;
    }
    if is_for_sub_agent(ours) && !sees_sub_agents(hook_dialect.dialect) {
        return false;
    }
    match (hook_dialect.condition, tables(hook_dialect.dialect)) {
        // Gemini CLI has no conditions of its own, so this is one of ours.
        _ if hook_dialect.dialect == Dialect::GeminiCli => true,
        (Some(condition), Some(tables)) => condition::holds(hook_dialect, tables, condition, ours),
        _ => true,
    }
}

/// Returns whether [`is_due`] depends on the payload for a hook of an event of ours; if not, it is
/// always true. Agents differ in which prompts their hooks see.
pub fn depends_on_payload(hook_dialect: HookDialect<'_>, event: EventName) -> bool {
    let depends = hook_dialect.event.is_some()
        || hook_dialect.condition.is_some()
        || event == EventName::BeforeAgent;
    hook_dialect.dialect != Dialect::Hookloop && depends
}

/// Returns whether the failure of a hook is a refusal in its dialect, if its entry doesn't say. In
/// Copilot, every failure before a tool is, except a timeout (FD-20).
pub fn refuses_by_failing(dialect: Dialect, event: EventName) -> bool {
    dialect == Dialect::Copilot && event == EventName::BeforeTool
}

/// Returns whether a hook is a program that its agent only notifies, ignoring its output: Codex's
/// `notify` (FD-20).
pub fn is_notified_only(hook_dialect: HookDialect<'_>) -> bool {
    hook_dialect.dialect == Dialect::Codex && hook_dialect.event == Some(NOTIFY)
}

/// Returns why a condition can't be evaluated in a dialect, so that its hook always runs, or `None`
/// if it can (FD-12).
pub fn unread_condition(dialect: Dialect, condition: &str) -> Option<String> {
    condition::unreadable_reason(dialect, tables(dialect)?, condition)
}

/// The key in our payload of the flag that no person wrote the prompt: a hook made the turn
/// continue, or started it.
pub const TURN_GOES_ON: &str = "turn_goes_on";

/// Returns whether a firing is a prompt that a hook gave.
fn goes_on(ours: &Map<String, Value>) -> bool {
    ours.get(TURN_GOES_ON) == Some(&Value::Bool(true))
        && ours.get("hook_event_name").and_then(Value::as_str) == Some("BeforeAgent")
}

/// Returns whether an agent fires its event for prompts also if a hook made the turn continue. The
/// others fire it only for what a person wrote.
const fn sees_every_prompt(dialect: Dialect) -> bool {
    matches!(
        dialect,
        Dialect::Qwen | Dialect::GeminiCli | Dialect::Hookloop
    )
}

/// Returns whether a firing is a prompt that a sub-agent begins with.
fn is_for_sub_agent(ours: &Map<String, Value>) -> bool {
    ours.contains_key("agent_id")
        && ours.get("hook_event_name").and_then(Value::as_str) == Some("BeforeAgent")
}

/// Returns whether an agent fires its event of prompts also for those that sub-agents begin with.
const fn sees_sub_agents(dialect: Dialect) -> bool {
    !matches!(
        dialect,
        Dialect::ClaudeCode | Dialect::Cursor | Dialect::Qwen
    )
}

/// The key under which a host stores why the hook's input can't be provided in full (FD-10). Such a
/// hook counts as not started.
pub const UNTOLD: &str = "untold";

/// Returns whether a hook may announce in its first line that nobody needs to wait for it (FD-22):
/// in Claude Code, at events that have no action left to refuse.
pub const fn may_announce_async(dialect: Dialect, event: EventName) -> bool {
    matches!(dialect, Dialect::ClaudeCode)
        && matches!(
            event,
            EventName::AfterTool
                | EventName::SessionStart
                | EventName::SessionEnd
                | EventName::Notification
        )
}

/// Returns what a hook wrote after it announced in its first line that nobody needs to wait for it,
/// or `None` without such an announcement (FD-22).
pub fn after_async_announcement(dialect: Dialect, stdout: &str) -> Option<&str> {
    match dialect {
        Dialect::ClaudeCode => claude_code::without_announcement(stdout),
        _ => None,
    }
}

/// Translates the output of a hook in a dialect to ours (FD-20). Returns `None` if it must be
/// parsed unchanged.
///
/// If a refusal counts here although the hook's agent would let the action run, that is reported
/// (FD-21).
///
/// ```
/// use hookloop_dialects::{HookOutput, HookDialect, translate_output};
/// use hookloop_hook::{Dialect, EventName};
/// use serde_json::{Map, json};
///
/// let payload = Map::from_iter([("hook_event_name".to_owned(), json!("BeforeTool"))]);
/// let hook_output = HookOutput {
///     event: EventName::BeforeTool,
///     payload: &payload,
///     exit: Some(0),
///     stdout: r#"{"permission": "deny", "userMessage": "not here"}"#,
///     stderr: "",
///     loop_limit: None,
/// };
/// let hook_dialect = HookDialect {
///     dialect: Dialect::Cursor,
///     event: Some("beforeShellExecution"),
///     condition: None,
/// };
/// let translation = translate_output(hook_dialect, &hook_output).ok_or("Cursor's words aren't ours")?;
/// assert!(translation.stdout.contains(r#""decision":"deny""#));
/// # Ok::<_, &str>(())
/// ```
pub fn translate_output(
    hook_dialect: HookDialect<'_>,
    hook_output: &HookOutput<'_>,
) -> Option<TranslatedOutput> {
    let translation = translate(hook_dialect, hook_output);
    let tables = tables(hook_dialect.dialect)?;
    let obeys = (tables.obeys)(hook_dialect.event, hook_output.event);
    let Some((obeys, remark)) = obeys.and_then(|it| Some((it, lets_run(&it, hook_output)?))) else {
        return translation;
    };
    let mut translation =
        translation.or_else(|| Some(TranslatedOutput::verbatim(hook_output, hook_output.exit?)))?;
    if !translation
        .remarks
        .iter()
        .any(|it| it.starts_with(obeys.agent))
    {
        translation.remarks.push(remark);
    }
    Some(translation)
}

fn translate(
    hook_dialect: HookDialect<'_>,
    hook_output: &HookOutput<'_>,
) -> Option<TranslatedOutput> {
    let tables = tables(hook_dialect.dialect)?;
    if hook_dialect.dialect == Dialect::Cursor && hook_dialect.event == Some(RESPONSE) {
        return translate_notification(hook_output);
    }
    let mut translation = (tables.reply)(hook_output)?;
    if hook_dialect
        .event
        .is_some_and(|it| it.eq_ignore_ascii_case("subagentStart"))
    {
        tell_sub_agent(hook_output, &mut translation);
    }
    if is_laxer(hook_dialect.dialect, hook_output, &translation) {
        return None;
    }
    // In Gemini CLI, new arguments are merged into the old ones, as here.
    if hook_output.event == EventName::BeforeTool && hook_dialect.dialect != Dialect::GeminiCli {
        translation.removed =
            omitted_arguments(tables.tools, hook_output.payload, &translation.stdout);
    }
    Some(translation)
}

/// The event of Cursor that reports what the model answered.
const RESPONSE: &str = "afterAgentResponse";

/// Reads the answer of a hook that is only notified: no answer has an effect there, and one that
/// wants some is reported (FD-23). A failure stays one.
fn translate_notification(hook_output: &HookOutput<'_>) -> Option<TranslatedOutput> {
    let (0 | 2) = hook_output.exit? else {
        return None;
    };
    let answers = strict::object_in(hook_output.stdout).is_some_and(|read| !read.fields.is_empty());
    let mut translation = TranslatedOutput::reply(&Value::Object(Map::new()));
    if hook_output.exit == Some(2) || answers {
        let remark = format!("its answer has no effect: `{RESPONSE}` only informs");
        translation.remarks.push(remark);
    }
    Some(translation)
}

/// Puts what a hook says at the start of a sub-agent before the sub-agent's task: it is context for
/// the sub-agent, not for the agent that waits for it (FD-20).
fn tell_sub_agent(hook_output: &HookOutput<'_>, translation: &mut TranslatedOutput) {
    let Ok(Value::Object(mut fields)) = serde_json::from_str(&translation.stdout) else {
        return;
    };
    let Some(Value::Object(own)) = fields.get_mut(SPECIFIC) else {
        return;
    };
    let asked = hook_output
        .payload
        .get("tool_input")
        .and_then(Value::as_object);
    let (Some(Value::String(context)), Some(asked)) = (own.get("additionalContext"), asked) else {
        return;
    };
    let context = context.clone();
    let mut input = asked.clone();
    if let Some(Value::Object(new)) = own.get("tool_input") {
        input.extend(new.clone());
    }
    let Some(Value::String(task)) = input.get_mut("objective") else {
        return;
    };
    *task = format!("{context}\n\n{task}");
    own.remove("additionalContext");
    own.insert("tool_input".to_owned(), Value::Object(input));
    translation.stdout = Value::Object(fields).to_string();
}

/// Returns whether a refusal can be read in what a hook wrote that its translation doesn't contain.
/// It is then read as it is, and every readable refusal counts (FD-21).
fn is_laxer(
    dialect: Dialect,
    hook_output: &HookOutput<'_>,
    translation: &TranslatedOutput,
) -> bool {
    let counts = |refusal: &Refusal| match hook_output.event.refusing(dialect) {
        Refusing::Always => true,
        Refusing::ByStopping => refusal.stops(),
        Refusing::Never => false,
    };
    let written = Readable::of(hook_output.event, hook_output.stdout).refusal;
    let Some(written) = written.filter(|it| counts(it) && translation.exit != 2) else {
        return false;
    };
    let left = Readable::of(hook_output.event, &translation.stdout).refusal;
    let stops = left.as_ref().is_some_and(Refusal::stops);
    let decision = left.as_ref().and_then(Refusal::decision);
    match (dialect, hook_output.event) {
        // In these agents, a refusal accompanies the result, as context for the model.
        (Dialect::ClaudeCode | Dialect::Qwen, EventName::AfterTool) => written.stops() && !stops,
        // In Cursor, a stop drops the prompt, and ends nothing else.
        (Dialect::Cursor, EventName::BeforeAgent) => !stops && decision < Some(Decision::Deny),
        (_, EventName::SessionStart) => !stops,
        _ => !stops && (written.stops() || decision < written.decision()),
    }
}

/// Returns the names of one of our tools in a dialect (FD-12).
pub fn foreign_tool_names(dialect: Dialect, tool: &str) -> Vec<Cow<'static, str>> {
    let Some(tables) = tables(dialect) else {
        return Vec::new();
    };
    let rule = tables.tools.iter().find(|rule| rule.ours == tool);
    let named = rule.into_iter().flat_map(|rule| rule.theirs);
    let named = named.map(|name| Cow::Borrowed(*name));
    named.chain(tables.mcp.of(tool).map(Cow::Owned)).collect()
}

/// Which names of a tool a negative pattern is compared with (FD-12).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Excluding {
    /// Only ours, because the pattern names our tools.
    Ours,
    /// Only these, because the pattern uses the dialect's names.
    Theirs(Vec<Cow<'static, str>>),
    /// All of them, because the pattern doesn't show whose names it uses.
    Any,
}

/// Returns which names of a tool a negative pattern of a dialect is compared with, at the dialect's
/// own event or at ours. A tool has a single name in other agents, except in those that also
/// compare its aliases.
pub fn excluding(dialect: Dialect, event: Option<&str>, pattern: &str, tool: &str) -> Excluding {
    let mut names = foreign_tool_names(dialect, tool);
    if names.is_empty() {
        return Excluding::Ours;
    }
    let words = words_of_pattern(pattern);
    let tools = tables(dialect).map_or(&[][..], |tables| tables.tools);
    let is_theirs = |word: &&str| tools.iter().any(|rule| rule.theirs.contains(word));
    let is_ours = |word: &&str| tools.iter().any(|rule| rule.ours == *word);
    let names_theirs = words.iter().any(is_theirs);
    let names_ours = words.iter().any(|word| is_ours(word) && !is_theirs(word));
    match (names_ours, names_theirs || event.is_some()) {
        (true, _) if !names_theirs => return Excluding::Ours,
        (false, true) => {}
        _ => return Excluding::Any,
    }
    let compares_aliases = match dialect {
        Dialect::Codex | Dialect::Qwen => true,
        Dialect::Copilot => event.is_none_or(|it| it.starts_with(char::is_uppercase)),
        _ => false,
    };
    if !compares_aliases {
        names.truncate(1);
    }
    Excluding::Theirs(names)
}

/// Returns the words of a pattern, without its escapes.
fn words_of_pattern(pattern: &str) -> Vec<&str> {
    let word = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let mut words = Vec::new();
    for (at, part) in pattern.split('\\').enumerate() {
        // The character after a backslash belongs to it.
        let escaped = part.chars().next().filter(|_| at > 0);
        let part = &part[escaped.map_or(0, char::len_utf8)..];
        words.extend(part.split(|it| !word(it)).filter(|it| !it.is_empty()));
    }
    words
}

/// Returns the words of a matcher that is a list of exact names in a dialect, or `None` if it is a
/// pattern (FD-12).
pub fn exact_words(dialect: Dialect, matcher: &str) -> Option<Vec<&str>> {
    let separators: &[char] = match tables(dialect)?.words {
        Words::ListWithCommas => &['|', ','],
        Words::List => &['|'],
        Words::Anchored | Words::Anywhere => return None,
    };
    let is_plain = |sign: char| {
        sign.is_ascii_alphanumeric() || "_- ".contains(sign) || separators.contains(&sign)
    };
    matcher.chars().all(is_plain).then(|| {
        let words = matcher.split(separators).map(str::trim);
        words.filter(|word| !word.is_empty()).collect()
    })
}

/// Returns a matcher's pattern with its meaning in the dialect: some agents compare it with whole
/// names (FD-12).
pub fn foreign_pattern(dialect: Dialect, matcher: &str) -> Cow<'_, str> {
    match tables(dialect).map(|tables| tables.words) {
        Some(Words::Anchored) => Cow::Owned(format!("^(?:{})$", matcher.trim())),
        _ => Cow::Borrowed(matcher),
    }
}

/// Returns the variables in the environment of a dialect's hook, in addition to the inherited ones
/// (FD-14).
pub fn foreign_environment(dialect: Dialect) -> &'static [ForeignVariable] {
    tables(dialect).map_or(&[], |tables| tables.environment)
}

/// Returns the names of a dialect's variables that contain the project's folder (FD-14).
pub fn project_variables(dialect: Dialect) -> impl Iterator<Item = &'static str> {
    let variables = foreign_environment(dialect).iter();
    variables
        .filter(|it| it.value == ForeignValue::ProjectRoot)
        .map(|it| it.name)
}

/// Returns how a dialect's hook refers to the project's folder, with the same meaning in the agent
/// for which the hook was written (FD-14).
pub const fn project_folder(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Hookloop | Dialect::GeminiCli => "$GEMINI_PROJECT_DIR",
        Dialect::ClaudeCode | Dialect::Copilot => "$CLAUDE_PROJECT_DIR",
        Dialect::Codex => "$(git rev-parse --show-toplevel)",
        Dialect::Cursor => "$CURSOR_PROJECT_DIR",
        Dialect::Qwen => "$QWEN_PROJECT_DIR",
    }
}

/// Returns the timeout of a dialect's hook that sets none, or `None` if the default here applies
/// (FD-14).
pub fn default_timeout(dialect: Dialect, event: EventName) -> Option<Duration> {
    let seconds = match dialect {
        Dialect::Hookloop | Dialect::GeminiCli | Dialect::Cursor | Dialect::Qwen => return None,
        Dialect::ClaudeCode if event == EventName::BeforeAgent => 30,
        Dialect::Codex if event == EventName::SessionEnd => 1,
        Dialect::ClaudeCode | Dialect::Codex => 600,
        Dialect::Copilot => 30,
    };
    Some(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests;
