//! The timeline for people.

use hookloop_engine::RunResult;
use hookloop_events::{EventName, Verdict};
use hookloop_session::Workspace;
use hookloop_text::{Style, Terminal, visible};
use serde_json::{Map, Value};

use crate::document::end;
use crate::page::{AFTER, ATTENTION, BAD, BEFORE, GOOD, INSIDE, NO_MARK, Page, SO, hook_line};
use crate::quiet::{QuietChunks, ReportedFailures};
use crate::timeline::{FiredEvent, HookRun, Reading, Step, ToolReturn, Turn, plain};

/// Formats the introduction: the project's folder, and the hooks. `missing` are programs that hooks
/// need but that aren't installed.
pub(crate) fn opening(workspace: &Workspace, missing: &[&str], terminal: Terminal) -> String {
    let mut page = Page::new(terminal);
    page.heading("hookloop demo");
    page.paragraph(
        "An agent works in a temporary project. Its model answers from a script; everything else \
         is \
         real: the engine, the hooks and their processes, the files. Nothing leaves this machine, \
         and \
         your own settings aren't touched.",
        Style::Plain,
    );
    page.gap();
    let mut hooks: Vec<(&str, Vec<&str>, &str)> = Vec::new();
    for vouched in workspace.vouched.iter().filter(|it| it.may_run()) {
        let (label, event) = (vouched.hook.label(), vouched.hook.event.as_str());
        if let Some((_, events, _)) = hooks.iter_mut().find(|(known, ..)| *known == label) {
            events.push(event);
        } else {
            let description = vouched.hook.description.as_deref().unwrap_or_default();
            hooks.push((label, vec![event], description));
        }
    }
    page.paragraph(
        &format!(
            "{} hooks, trusted for this demo (a project's hooks never run before you agree):",
            hooks.len()
        ),
        Style::Plain,
    );
    for (label, events, description) in hooks {
        page.verbatim(
            &format!("{:<17}{}", visible(label), events.join(", ")),
            Style::Strong,
        );
        page.verbatim(&format!("{:<17}{}", "", visible(description)), Style::Faint);
    }
    for program in missing {
        page.gap();
        page.paragraph(
            &format!(
                "{program} isn't on the PATH: the hooks that need it can't start, and the engine \
                 reports it where they would have run."
            ),
            Style::Warning,
        );
    }
    page.into_text()
}

/// Formats what happened before the first turn.
pub(crate) fn session_start(
    steps: &[Step],
    reported: &mut ReportedFailures,
    terminal: Terminal,
) -> String {
    let mut page = Page::new(terminal);
    if !steps.is_empty() {
        page.heading("0  The session starts");
        show_steps(&mut page, steps, reported);
    }
    page.into_text()
}

/// Formats a turn.
pub(crate) fn turn(
    number: usize,
    turn: &Turn,
    reported: &mut ReportedFailures,
    terminal: Terminal,
) -> String {
    let mut page = Page::new(terminal);
    page.heading(&format!("{number}  {}", turn.title));
    page.entry("you", NO_MARK, turn.prompt, Style::Strong);
    show_steps(&mut page, &turn.steps, reported);
    let (how, why) = end(&turn.end);
    if how != "completed" {
        let how = [Some(how.to_owned()), why];
        let how: Vec<String> = how.into_iter().flatten().collect();
        page.entry("the end", ATTENTION, &how.join(": "), Style::Plain);
    }
    page.gap();
    for (index, effect) in turn.effects.iter().enumerate() {
        let label = if index == 0 { "so" } else { "" };
        if effect.holds {
            page.entry(label, GOOD, effect.claim, Style::Plain);
        } else {
            page.entry(
                label,
                BAD,
                &format!("not so: {}", effect.claim),
                Style::Plain,
            );
        }
    }
    page.into_text()
}

/// Formats the steps, in order.
fn show_steps(page: &mut Page, steps: &[Step], reported: &mut ReportedFailures) {
    let mut quiet = QuietChunks::default();
    // The model's text arrives in chunks, with events between them that needn't be shown.
    let mut model_text = String::new();
    for step in steps {
        match step {
            Step::HookReply(text) => {
                model_text.push_str(text);
                continue;
            }
            Step::Event(event) if quiet.takes(event, reported) => continue,
            Step::Asked(reading) if reading.notes().next().is_none() => continue,
            _ => {}
        }
        show_model_text(page, &mut model_text);
        match step {
            Step::Event(event) => {
                if event.event == EventName::AfterAgent {
                    quiet.show(page);
                }
                show_event(page, event, reported);
            }
            Step::Called(call) => {
                let call = format!("{} {}", call.name, arguments(&call.arguments));
                page.entry("calls", NO_MARK, &call, Style::Plain);
            }
            Step::Returned(tool) => show_result(page, tool),
            Step::Asked(reading) => {
                reading
                    .notes()
                    .for_each(|note| page.entry("reads", NO_MARK, note, Style::Faint));
            }
            Step::Retried(_) => {
                let text = "the reason is the next prompt";
                page.entry("tries again", SO, text, Style::Plain);
            }
            Step::Noticed(text) => page.entry("", ATTENTION, text, Style::Plain),
            Step::HookReply(_) => {}
        }
    }
    show_model_text(page, &mut model_text);
    quiet.show(page);
}

fn show_model_text(page: &mut Page, model_text: &mut String) {
    let text = std::mem::take(model_text);
    if !text.trim().is_empty() {
        page.entry("model", NO_MARK, text.trim(), Style::Plain);
    }
}

impl Reading {
    /// Returns the context that hooks added to results of tools.
    fn notes(&self) -> impl Iterator<Item = &str> {
        let lines = self.results.iter().flat_map(|result| result.lines());
        lines.filter_map(|line| line.strip_prefix("[System] "))
    }
}

/// Formats a tool's most important argument on one line.
fn arguments(arguments: &Map<String, Value>) -> String {
    let first = ["command", "file_path", "dir_path", "pattern"];
    let value = first.iter().find_map(|name| arguments.get(*name));
    value.map(plain).unwrap_or_default()
}

fn show_result(page: &mut Page, tool: &ToolReturn) {
    match &tool.error {
        // The event above it shows why.
        Some(error) if error.starts_with("Tool execution blocked") => {}
        Some(error) => page.entry("result", BAD, error, Style::Plain),
        None => {
            let first = tool.display.lines().next().unwrap_or_default();
            page.entry("result", NO_MARK, first, Style::Plain);
        }
    }
}

fn show_event(page: &mut Page, event: &FiredEvent, reported: &mut ReportedFailures) {
    for (index, hook) in event.hooks.iter().enumerate() {
        let label = if index == 0 { event.event.as_str() } else { "" };
        show_hook(page, label, hook);
    }
    for notice in &event.notices {
        if reported.is_news(notice) {
            page.entry("", ATTENTION, notice, Style::Warning);
        } else {
            page.entry("", INSIDE, "as before", Style::Faint);
        }
    }
    for rewrite in &event.rewrites {
        page.diff(BEFORE, rewrite.before.as_deref().unwrap_or_default());
        page.diff(AFTER, &rewrite.after);
    }
    if event.outcome.verdict != Verdict::Proceed || !event.rewrites.is_empty() {
        page.entry("", SO, &event.outcome.action, Style::Plain);
    }
}

fn show_hook(page: &mut Page, label: &str, hook: &HookRun) {
    let (mark, word) = match hook.result {
        RunResult::Proceed if hook.rewrote() => (GOOD, "rewrites"),
        RunResult::Proceed if hook.said.additional_context.is_some() => (GOOD, "adds context"),
        RunResult::Proceed => (GOOD, ""),
        RunResult::Ask => (ATTENTION, "asks"),
        RunResult::Refused => (BAD, "refuses"),
        RunResult::Stopped => (BAD, "stops the agent"),
        RunResult::Failed => (ATTENTION, "fails"),
    };
    page.entry(
        label,
        mark,
        &hook_line(&hook.label, hook.duration_ms, word),
        Style::Plain,
    );
    let reply = &hook.said;
    let texts = [
        &reply.reason,
        &reply.system_message,
        &reply.additional_context,
    ];
    for text in texts.into_iter().flatten() {
        page.entry("", INSIDE, text, Style::Faint);
    }
}
