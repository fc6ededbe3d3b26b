//! Guards that check for an event by a name that doesn't exist (CM-3, EV-3): the code after that
//! check never runs.

use hookloop_dialects::{ForeignEvent, foreign_event, is_word_of_an_event, supported_dialects};
use hookloop_hook::EventName;
use hookloop_settings::nearest;
use hookloop_text::shorten::excerpt;

use super::Flaw;
use super::source::{is_part, literal};

/// Looks for a comparison of the event's name with what isn't an event's name, if nothing else is
/// compared.
pub(super) fn check_event_name(text: &str) -> Option<Flaw> {
    const FIELD: &str = "hook_event_name";
    let quoted = text.split(['"', '\'', '`']);
    // Other agents' words in it are reported separately.
    let mut quoted = quoted;
    let is_spoken_for = |it: &str| it.parse::<EventName>().is_ok() || is_word_of_an_event(it);
    let names_one = quoted.any(is_spoken_for);
    let lines = text.lines().enumerate();
    let mut lines = lines.filter(|it| !it.1.trim_start().starts_with(['#', '/', '*']));
    if names_one || !text.contains(FIELD) {
        return None;
    }
    let bound = text.lines().find_map(|line| {
        let (name, _) = line.split_once('=').filter(|it| it.1.contains(FIELD))?;
        let name = name.trim_end().rsplit(|it| !is_part(it)).next()?;
        (name.len() > 1 && !name.starts_with("if")).then_some(name)
    });
    let (at, name) = lines.find_map(|(at, line)| {
        let mut values = [Some(FIELD), bound].into_iter().flatten();
        values.find_map(|value| Some((at, comparison_text(line, value)?)))
    })?;
    let known = EventName::ALL.iter().map(|it| it.as_str());
    let of_others = || {
        supported_dialects().find_map(|it| match foreign_event(it, name)? {
            ForeignEvent::Ours(event) => Some(event.as_str()),
            ForeignEvent::Never(_) => None,
        })
    };
    let help = match of_others().or_else(|| nearest(name, known)) {
        Some(meant) => format!("write \"{meant}\""),
        None => "write the name of the event as in the settings, such as \"BeforeTool\"".to_owned(),
    };
    let why = format!(
        "the event's name is compared with \"{}\", but no event has that name",
        excerpt(name)
    );
    Some(Flaw::for_comparison(at + 1, why, help))
}

/// Returns the text after a value's name in a line with which it is compared.
fn comparison_text<'l>(line: &'l str, value: &str) -> Option<&'l str> {
    line.match_indices(value).find_map(|(at, _)| {
        let rest = &line[at + value.len()..];
        if line[..at].ends_with(is_part) || rest.starts_with(is_part) {
            return None;
        }
        let operators = [" == ", " === ", " != ", " !== ", " = ", "==="];
        let found = operators
            .iter()
            .filter_map(|it| Some((rest.find(it)?, it.len())));
        let (at, length) = found.min()?;
        // Only the end of the field access is in between.
        let between = &rest[..at];
        let is_end = between.chars().all(|it| !is_part(it)) || between.contains("<<<");
        let text = literal(rest[at + length..].split([' ', ')', ';', ':']).next()?)?;
        let is_name = text.inner.len() > 3 && text.inner.chars().all(|it| is_part(it) || it == '-');
        (is_end && is_name).then_some(text.inner)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-3, EV-3: a name that no event has is found, and others aren't.
    #[test]
    fn names_that_no_event_has_are_found() {
        for text in [
            "[ \"$(jq -r .hook_event_name <<<\"$in\")\" = \"before_tool\" ] || exit 0",
            "event=$(jq -r .hook_event_name <<<\"$in\")\n[[ $event == \"BeforeTools\" ]] && exit 2",
            "if d[\"hook_event_name\"] != \"BeforeToolCall\":\n    sys.exit(0)",
            "if (d.hook_event_name === 'beforeTool') process.exit(2);",
            "if d[\"hook_event_name\"] != \"Stop\":\n    sys.exit(0)",
        ] {
            assert!(check_event_name(text).is_some(), "{text}");
        }
        for text in [
            "if d[\"hook_event_name\"] != \"BeforeTool\":\n    sys.exit(0)",
            "if d[\"hook_event_name\"] in (\"BeforeTool\", \"PreToolUse\"):\n    sys.exit(2)",
            "if d[\"hook_event_name\"] != \"beforeShellExecution\":\n    sys.exit(0)",
            "event=$(jq -r .hook_event_name <<<\"$in\")\n[[ $event == \"$WANTED\" ]] && exit 2",
            "if d[\"hook_event_name\"] == name and x == \"something\":\n    sys.exit(2)",
        ] {
            assert!(check_event_name(text).is_none(), "{text}");
        }
    }
}
