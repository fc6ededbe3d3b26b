//! Which hooks would run, as text for people (CM-4).

use hookloop_engine::{Explanation, HookStatus, Mode};
use hookloop_events::EventName;
use hookloop_session::{manner_texts, origin};
use hookloop_text::{Indents, Style, Terminal, paragraph, visible};
use hookloop_trust::Standing;
use serde_json::{Map, Value};

use crate::view::SubjectView;

/// Formats for every hook whether it would run, or why not, followed by the plan.
pub fn explanation(heading: &str, explanation: &Explanation, terminal: Terminal) -> String {
    let palette = terminal.palette;
    let mut text = format!("{}\n", palette.paint(Style::Strong, heading));
    if explanation.hooks.is_empty() {
        text.push_str("  no hook is configured for this event\n");
        return text;
    }
    for status in &explanation.hooks {
        let (word, style) = match status.runs() {
            Some(true) if status.refuses => ("refuses", Style::Error),
            Some(true) => ("runs", Style::Good),
            Some(false) => ("doesn't run", Style::Faint),
            None => ("may run", Style::Warning),
        };
        let label = visible(status.hook.label());
        text.extend([format!("  {}: {label}\n", palette.paint(style, word))]);
        text.extend([format!("      {}\n", origin(&status.hook.source))]);
        if let Some(runs) = status.hook.beside_label() {
            let line = format!("{}: {runs}", status.hook.handler.type_name());
            let indents = Indents::new("      ", "        ");
            text.push_str(&paragraph(&visible(&line), indents, terminal.width));
        }
        for manner in manner_texts(&status.hook) {
            let indents = Indents::new("      ", "        ");
            text.push_str(&paragraph(&visible(&manner), indents, terminal.width));
        }
        if let (true, Standing::Modified { message, .. }) = (status.refuses, &status.standing) {
            let why =
                format!("it isn't what was agreed to, so it doesn't run, and refuses: {message}");
            let indents = Indents::new("      ", "        ");
            text.push_str(&paragraph(&visible(&why), indents, terminal.width));
        }
        text.push_str(&causes(status, explanation, terminal));
    }
    text + &plan(explanation, terminal)
}

/// Formats what keeps a hook from running.
fn causes(status: &HookStatus, explanation: &Explanation, terminal: Terminal) -> String {
    let line = |cause: &hookloop_engine::SkipCause| {
        let place = cause
            .other_hook()
            .and_then(|id| explanation.hooks.iter().find(|other| other.hook.id == *id))
            .map(|other| format!(" ({})", other.hook.source));
        let message = visible(&(cause.message() + &place.unwrap_or_default()));
        paragraph(&message, Indents::new("      ", "        "), terminal.width)
    };
    let causes: String = status.causes.iter().map(line).collect();
    causes + &condition_text(status, terminal)
}

/// Formats which part of a condition, or of rules, is true or false (HT-26).
fn condition_text(status: &HookStatus, terminal: Terminal) -> String {
    let indents = Indents::new("      ", "        ");
    let lines = status.explained.iter();
    lines
        .map(|line| paragraph(&visible(line), indents, terminal.width))
        .collect()
}

/// Lists the hooks that don't run, with the causes.
pub fn skipped_text(explanation: &Explanation, terminal: Terminal) -> String {
    let hooks = explanation.hooks.iter();
    let skipped = hooks.filter(|status| status.runs() != Some(true));
    skipped
        .map(|status| {
            let word = terminal.palette.paint(Style::Faint, "skipped");
            let label = visible(status.hook.label());
            format!("  {word}: {label}\n") + &causes(status, explanation, terminal)
        })
        .collect()
}

fn plan(explanation: &Explanation, terminal: Terminal) -> String {
    let labels: Vec<String> = explanation
        .planned()
        .map(|status| {
            let refuses = if status.refuses { " (refuses)" } else { "" };
            visible(status.hook.label()) + refuses
        })
        .collect();
    let plan = match (labels.len(), explanation.mode) {
        (0, _) => "Plan: nothing runs".to_owned(),
        (1, _) => format!("Plan: {}", labels[0]),
        (_, Mode::Parallel) => format!("Plan, all at once: {}", labels.join(", ")),
        (_, Mode::Sequential) => format!("Plan, one after another: {}", labels.join(", then ")),
    };
    paragraph(&plan, Indents::new("", "  "), terminal.width)
}

/// Returns a heading with an event, and its subject if known.
pub fn event_heading(event: EventName, subject: Option<SubjectView<'_>>) -> String {
    match subject {
        Some(SubjectView { field, value }) => format!("{event} ({field}: {})", visible(value)),
        None => match event.subject_field() {
            Some(field) => format!("{event} ({field} not given)"),
            None => event.to_string(),
        },
    }
}

/// Returns a heading with a fired event, and the subject of its payload.
pub fn fired_heading(event: EventName, input: &Map<String, Value>) -> String {
    let subject = event.subject_field().and_then(|field| {
        let value = input.get(field)?.as_str()?;
        Some(SubjectView { field, value })
    });
    event_heading(event, subject)
}
