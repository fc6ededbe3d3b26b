//! Reads the fields of an entry about its hook's dialect (FD-1, FD-11, FD-14).

use hookloop_dialects::{ForeignEvent, default_timeout, foreign_event};
use hookloop_hook::{Dialect, EventName, HookDeclaration, ProblemCode};
use hookloop_text::shorten::excerpt;
use jsonc_parser::ast::{Object, Value};

use crate::hook_read::HookReader;
use crate::syntax::{member, start};

impl HookReader<'_, '_> {
    /// Returns our event for one that a dialect of the hooks below it has (FD-12).
    pub(crate) fn event_of_dialect(&self, name: &str, groups: &Value<'_>) -> Option<EventName> {
        let of_file = self.dialect.as_ref().ok().copied().flatten();
        let mut dialects = Vec::from_iter(of_file);
        let Value::Array(groups) = groups else {
            return None;
        };
        for group in groups.elements.iter().filter_map(Value::as_object) {
            dialects.extend(dialect_of(group));
            if let Some(Value::Array(hooks)) = member(group, "hooks").map(|it| &it.value) {
                let hooks = hooks.elements.iter().filter_map(Value::as_object);
                dialects.extend(hooks.filter_map(dialect_of));
            }
        }
        dialects
            .into_iter()
            .find_map(|dialect| match foreign_event(dialect, name)? {
                ForeignEvent::Ours(event) => Some(event),
                ForeignEvent::Never(_) => None,
            })
    }

    /// Reads how often a hook's follow-up counts in a turn (FD-20). A value that can't be read is
    /// reported, and the dialect's own limit applies: it decides nothing about an action.
    pub(crate) fn loop_limit(&mut self, value: &Value<'_>) -> Option<u32> {
        let read = value.as_number_lit().and_then(|it| it.value.parse().ok());
        if read.is_none() {
            let message = "\"loopLimit\" must be a whole number, 0 or more";
            let help = "write how often a turn may be continued; until then 5 is used";
            let code = ProblemCode::InvalidValue;
            self.report.add(code, start(value), message, help);
        }
        read
    }

    /// Compares a hook's `dialectEvent` with its dialect and its event, and sets the dialect's
    /// default for how long it may take. With an event that the dialect doesn't have, it could be a
    /// guard that is never asked: such a hook can't start.
    pub(crate) fn dialect_event(&mut self, hook: &mut HookDeclaration, object: &Object<'_>) {
        if hook.dialect == Dialect::Hookloop && hook.dialect_event.is_none() {
            return;
        }
        if hook.places.timeout.is_none()
            && let Some(timeout) = default_timeout(hook.dialect, hook.event)
        {
            hook.timeout = timeout;
        }
        let Some(name) = hook.dialect_event.clone() else {
            return;
        };
        let place =
            member(object, "dialectEvent").map_or_else(|| start(object), |it| start(&it.value));
        let message = match foreign_event(hook.dialect, &name) {
            Some(ForeignEvent::Ours(event)) if event == hook.event => return,
            Some(ForeignEvent::Ours(event)) => {
                format!("\"{}\" is {event} here, not {}", excerpt(&name), hook.event)
            }
            Some(ForeignEvent::Never(reason)) => {
                format!("\"{}\" never happens here: {reason}", excerpt(&name))
            }
            None => format!(
                "\"{}\" isn't an event of the dialect {}",
                excerpt(&name),
                hook.dialect
            ),
        };
        let help =
            "write an event of the dialect that happens here, or leave the field out".to_owned();
        let code = ProblemCode::InvalidValue;
        let fault = self.report.fault(code, place, message, help, None);
        hook.broken.get_or_insert(fault);
    }
}

fn dialect_of(object: &Object<'_>) -> Option<Dialect> {
    let word = member(object, "dialect")?.value.as_string_lit()?;
    Dialect::from_word(&word.value)
}
