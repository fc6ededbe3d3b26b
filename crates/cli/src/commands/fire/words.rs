//! The result of firing an event, as text for people (CM-5).

use hookloop_engine::RunEnding;
use hookloop_events::{Decision, Verdict};
use hookloop_hook::quoted;
use hookloop_manage::Fired;
use hookloop_manage::text::{ShownRun, fired_heading, run_text, skipped_text};
use hookloop_session::{OutcomeView, short_label};
use hookloop_text::{Indents, Style, Terminal, paragraph, visible};

/// Shows each hook's ending, streams, reply and time, what was skipped, and the outcome.
pub(crate) fn describe_fired(fired: &Fired, terminal: Terminal) -> String {
    let heading = fired_heading(fired.event, &fired.input);
    let mut text = format!("{}\n", terminal.palette.paint(Style::Strong, &heading));
    for run in fired.runs() {
        text.push_str(&run_text(&ShownRun::from_record(run), terminal));
    }
    text.push_str(&skipped_text(&fired.explanation, terminal));
    let mut outcome = fired.outcome.clone();
    // The reason why a hook couldn't start is shown above, and isn't repeated.
    let runs = fired.runs().iter();
    for run in runs.filter(|it| it.ending == RunEnding::NotStarted) {
        if let (Some(failure), Some(reason)) = (&run.failure, &mut outcome.reason) {
            let label = quoted(&short_label(&run.hook));
            *reason = reason.replace(&failure.to_string(), &format!("{label} failed, as above"));
        }
    }
    text + &outcome_text(&outcome, terminal)
}

/// Formats the combined outcome.
pub(crate) fn outcome_text(outcome: &OutcomeView, terminal: Terminal) -> String {
    let (word, style) = match outcome.verdict {
        Verdict::Proceed => ("proceed", Style::Good),
        Verdict::Refused => ("refused", Style::Error),
        Verdict::Stopped => ("stopped", Style::Error),
        Verdict::Cancelled => ("cancelled", Style::Error),
    };
    let mut text = format!("Outcome: {}\n", terminal.palette.paint(style, word));
    let decision = outcome.decision.map(|decision| match decision {
        Decision::Allow => "allow".to_owned(),
        Decision::Ask => "ask; nobody is there to answer".to_owned(),
        Decision::Deny => "deny".to_owned(),
    });
    let changes = serde_json::to_string(&outcome.changes).unwrap_or_default();
    let notes = [
        ("decision", decision),
        ("reason", outcome.reason.clone()),
        ("stop reason", outcome.stop_reason.clone()),
        ("context", outcome.additional_context.clone()),
        ("changes", (!outcome.changes.is_empty()).then_some(changes)),
    ];
    let messages = outcome
        .system_messages
        .iter()
        .map(|it| ("message", Some(it.clone())));
    let late = outcome.late.iter().map(|it| {
        let line = format!("hook {} said: {}", quoted(&it.hook), it.text);
        ("too late to decide", Some(line))
    });
    for (name, value) in notes.into_iter().chain(messages).chain(late) {
        let Some(value) = value else { continue };
        let mut lines = value.lines();
        let first = format!("{name}: {}", visible(lines.next().unwrap_or_default()));
        text.push_str(&paragraph(
            &first,
            Indents::new("  ", "    "),
            terminal.width,
        ));
        for line in lines {
            text.push_str(&paragraph(
                &visible(line),
                Indents::all("    "),
                terminal.width,
            ));
        }
    }
    text + &paragraph(
        &format!("agent: {}", visible(&outcome.action)),
        Indents::new("  ", "    "),
        terminal.width,
    )
}
