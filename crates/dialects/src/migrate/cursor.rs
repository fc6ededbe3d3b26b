//! Cursor's `hooks.json`: events with hooks, each with a matcher of its own.

use super::family::Family;
use super::handler::{self, Source};
use super::matcher::shorten;
use super::report::Report;
use super::tree::Node;

/// Reads the hooks of a file.
pub(super) fn read_hooks(report: &mut Report, root: &Node) {
    let Some(hooks) = root.get("hooks") else {
        if root.members().is_none() {
            report.switch(root.offset, "the file holds no object");
        }
        return;
    };
    let Some(events) = hooks.members() else {
        report.switch(hooks.offset, "\"hooks\" is no object");
        return;
    };
    for event in events {
        let Some(list) = event.value.list() else {
            let message = format!("\"{}\" is no list", shorten(&event.key));
            report.switch(event.value.offset, message);
            continue;
        };
        for hook in list {
            let source = Source {
                family: Family::Cursor,
                event: &event.key,
                matcher: hook.get("matcher"),
                unknown_of_group: &[],
            };
            handler::convert(report, &source, hook);
        }
    }
}
