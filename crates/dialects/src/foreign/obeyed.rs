//! Which refusals an agent itself obeys (FD-21). Here, every refusal that can be parsed counts. If
//! the hook's own agent would have let the action run, that is reported.

use hookloop_events::EventName;
use hookloop_events::refusal::Readable;
use serde_json::{Map, Value};

use super::{HookOutput, SPECIFIC, strict};

/// What an agent obeys before an action, as it was measured.
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four refusals that an agent obeys or not, independent of each other"
)]
pub(crate) struct Obeys {
    /// The agent's name.
    pub(crate) agent: &'static str,
    /// Words of `decision` at the top of a reply.
    pub(crate) decisions: &'static [&'static str],
    /// `permissionDecision` at the top of a reply.
    pub(crate) at_the_top: bool,
    /// `permissionDecision` among the event's own fields, and what has to be beside it.
    pub(crate) among_its_own: Option<&'static [&'static str]>,
    /// `permissionDecision: "ask"`.
    pub(crate) asks: bool,
    /// `continue: false`.
    pub(crate) stops: bool,
    /// A reply beside an exit code other than 0.
    pub(crate) beside_failure: bool,
    /// Exit code 2, and whether also without text on standard error.
    pub(crate) exit_2: ExitTwo,
}

/// What exit code 2 before an action means to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitTwo {
    /// It refuses.
    Refuses,
    /// It refuses with text on standard error.
    RefusesWithText,
    /// Nothing.
    Nothing,
}

/// Returns why an agent would let an action run that is refused here; nothing if it obeys, or if
/// nothing is refused.
pub(crate) fn lets_run(obeys: &Obeys, hook_output: &HookOutput<'_>) -> Option<String> {
    let agent = obeys.agent;
    match hook_output.event {
        EventName::BeforeTool | EventName::BeforeAgent => {}
        EventName::SessionStart => {
            let refusal = Readable::of(hook_output.event, hook_output.stdout).refusal;
            let is_lost = !obeys.stops && refusal.is_some_and(|it| it.stops());
            return is_lost.then(|| {
                format!(
                    "{agent} starts a session even if a reply says `\"continue\": false`; here it \
                     counts"
                )
            });
        }
        _ => return None,
    }
    let why = match hook_output.exit? {
        2 => match obeys.exit_2 {
            ExitTwo::Refuses => return None,
            ExitTwo::RefusesWithText if !hook_output.stderr.trim().is_empty() => return None,
            ExitTwo::RefusesWithText => "exit code 2 comes without text on standard error",
            ExitTwo::Nothing => "a hook of this event ends with exit code 2",
        },
        exit => {
            let why = refused_in(obeys, hook_output, exit)?;
            return Some(format!(
                "{agent} lets an action run if {why}; here it counts"
            ));
        }
    };
    Some(format!(
        "{agent} lets an action run if {why}; here it is a refusal"
    ))
}

/// Returns which refusal in a reply an agent doesn't obey, if it obeys none of them.
fn refused_in(obeys: &Obeys, hook_output: &HookOutput<'_>, exit: i32) -> Option<String> {
    // Most replies refuse nothing, and needn't be parsed again.
    let may_refuse = ["deny", "block", "ask", "false"];
    if !may_refuse.iter().any(|it| hook_output.stdout.contains(it)) {
        return None;
    }
    let _ = Readable::of(hook_output.event, hook_output.stdout).refusal?;
    let fields = strict::object_in(hook_output.stdout)?.fields;
    let own = fields.get(SPECIFIC).and_then(Value::as_object);
    if own.is_some_and(|it| it.contains_key("decision")) {
        return None; // the answer to a request for permission
    }
    let refusals = refusals(obeys, &fields, own);
    if refusals.iter().any(|it| it.is_obeyed) && (exit == 0 || obeys.beside_failure) {
        return None;
    }
    let first = refusals.into_iter().next()?;
    Some(if first.is_obeyed {
        format!("a reply comes with exit code {exit}")
    } else {
        first.written
    })
}

/// A refusal in a reply.
struct Refusal {
    /// How it is written, as the rest of a sentence.
    written: String,
    is_obeyed: bool,
}

fn refusals(
    obeys: &Obeys,
    fields: &Map<String, Value>,
    own: Option<&Map<String, Value>>,
) -> Vec<Refusal> {
    const PERMISSION: &str = "permissionDecision";
    let mut refusals = Vec::new();
    let text = |fields: &Map<String, Value>, name: &str| {
        let text = fields.get(name).and_then(Value::as_str);
        text.map(str::to_owned)
    };
    let refuses = |word: &String| matches!(word.as_str(), "deny" | "block" | "ask");
    let mut add = |written: String, is_obeyed: bool| {
        refusals.push(Refusal { written, is_obeyed });
    };
    if let Some(word) = text(fields, "decision").filter(refuses) {
        let is_obeyed = obeys.decisions.contains(&word.as_str());
        add(
            format!("a reply says `\"decision\": \"{word}\"`"),
            is_obeyed,
        );
    }
    let is_taken = |word: &str| word == "deny" || (word == "ask" && obeys.asks);
    if let Some(word) = text(fields, PERMISSION).filter(refuses) {
        let written = format!("`\"{PERMISSION}\": \"{word}\"` is at the top of a reply");
        add(written, obeys.at_the_top && is_taken(&word));
    }
    if let Some((own, word)) = own.and_then(|own| Some((own, text(own, PERMISSION)?)))
        && refuses(&word)
    {
        let lacks = obeys.among_its_own.map(|needed| {
            let is_there = |name: &&&str| text(own, name).is_none_or(|it| it.trim().is_empty());
            needed.iter().find(is_there)
        });
        let written = match lacks {
            Some(Some(name)) => format!("`{SPECIFIC}` has no `{name}`"),
            Some(None) | None => format!("`{SPECIFIC}` says `\"{PERMISSION}\": \"{word}\"`"),
        };
        add(written, lacks == Some(None) && is_taken(&word));
    }
    if fields.get("continue") == Some(&Value::Bool(false)) {
        add("a reply says `\"continue\": false`".to_owned(), obeys.stops);
    }
    refusals
}
