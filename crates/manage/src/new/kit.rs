//! The text of a new hook that contains the kit for its language (HT-13): one file, nothing to
//! install; a worker here, and a command in other agents.

use hookloop_events::EventName;

use super::{Language, Plan, Template, guide};

macro_rules! bodies {
    ($event:literal) => {
        [
            include_str!(concat!("templates/kit/", $event, ".py")),
            include_str!(concat!("templates/kit/", $event, ".mjs")),
        ]
    };
}

const PYTHON: &str = include_str!("../../kits/python/hookloop/__init__.py");
const NODE: &str = include_str!("../../kits/node/index.mjs");

/// Returns a working script that contains the kit; `None` for a language without one.
pub(super) fn text(plan: &Plan<'_>) -> Option<String> {
    let [python, node] = match (plan.event, plan.template) {
        (EventName::BeforeTool, Template::Marker) => bodies!("before_tool_marker"),
        (event, _) => by_event!(event, bodies),
    };
    let name = plan.name;
    let (mark, program, kit, body) = match plan.language {
        Language::Bash | Language::Rust => return None,
        Language::Python => ("#", "python3", PYTHON, python),
        Language::Node => ("//", "node", NODE, node),
    };
    let comment: String = comment(plan)
        .iter()
        .map(|line| format!("{mark} {line}").trim_end().to_owned() + "\n")
        .collect();
    let kit = kit.trim_end();
    Some(format!(
        "#!/usr/bin/env {program}\n{comment}\n{kit}\n\n\n{mark} ---- {name} ----\n\n{body}"
    ))
}

/// Returns whether a hook for an event should be a long-lived process; for an event that fires once
/// per session, it shouldn't.
pub(super) const fn is_long_lived(event: EventName) -> bool {
    !matches!(event, EventName::SessionStart | EventName::SessionEnd)
}

fn comment(plan: &Plan<'_>) -> Vec<String> {
    let event = plan.event;
    let guide = guide::of(event);
    let mut lines = vec![
        format!("{}: {}.", plan.name, guide::purpose(event, plan.template)),
        String::new(),
        "Your part is at the end; above it is Hookloop's kit, so that there is nothing to".to_owned(),
        "install. Hookloop starts this file once and asks it about each event; other agents start it"
            .to_owned(),
        "for each event. Functions print to standard error.".to_owned(),
        String::new(),
        format!("{event} fires {}.", guide.fires),
        "A call's payload contains:".to_owned(),
    ];
    let fields = guide.reads.iter();
    lines.extend(fields.map(|(field, meaning)| format!("  {field:<18} {meaning}")));
    lines
}
