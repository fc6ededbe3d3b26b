//! Hooks that stand where nothing reads them (ST-5): what looks installed must not be off in
//! silence.

use hookloop_events::EventName;
use jsonc_parser::ast::{ObjectProp, Value};

use crate::hook_read::FOREIGN_EVENTS;
use crate::near::nearest;
use crate::report::{Report, shorten};
use crate::syntax::key_start;
use hookloop_hook::ProblemCode;

/// The keys of a settings file that are about hooks.
const ROOTS: [&str; 2] = ["hooks", "hooksConfig"];

/// Reports the keys of a settings file that are events, or misspelt names of what holds them.
///
/// Other unknown keys are not looked at: a settings file is for more than hooks.
pub(crate) fn report_misplaced(report: &mut Report<'_>, members: &[&ObjectProp<'_>]) {
    for property in members {
        if !matches!(property.value, Value::Object(_) | Value::Array(_)) {
            continue;
        }
        let name = property.name.as_str();
        let (help, meant) = if let Some(event) = event_of(name) {
            let help = format!("move it into \"hooks\", as in \"hooks\": {{\"{event}\": […]}}");
            (help, None)
        } else if ROOTS.contains(&name) {
            continue;
        } else if let Some(meant) = nearest(name, ROOTS) {
            let help = format!("did you mean \"{meant}\"? names are case-sensitive");
            (help, Some(meant))
        } else {
            continue;
        };
        let message = format!(
            "hooks in \"{}\" have no effect: nothing reads it here",
            shorten(name)
        );
        let code = ProblemCode::MisplacedHooks;
        report.add_suggesting(code, key_start(property), (message, help), meant);
    }
}

/// Returns the event of ours that a key means.
fn event_of(name: &str) -> Option<&'static str> {
    let ours = EventName::ALL.map(|event| (event.as_str(), event));
    let mut known = ours.iter().chain(FOREIGN_EVENTS);
    let (_, event) = known.find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    Some(event.as_str())
}
