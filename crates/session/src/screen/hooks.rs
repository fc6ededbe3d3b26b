//! What the user sees of hooks in a headless session: which hooks run, their messages, and
//! everything that didn't have its intended effect.

use std::collections::HashSet;
use std::sync::{Mutex, OnceLock, PoisonError};

use hookloop_engine::{Concluded, Lifecycle, RunRecord, SkipCause};
use hookloop_events::EventName;
use hookloop_hook::{HookDeclaration, HookId, Layer};
use hookloop_text::hook_lines;

use crate::hook_words::short_label;
use crate::notices;
use crate::options::Detail;
use crate::screen::HookNotifications;

/// Tells the user about hooks, on standard error.
pub(crate) struct HookNotices {
    notifications: OnceLock<HookNotifications>,
    detail: Detail,
    /// Hooks of chunks that were announced already: a line for each chunk would bury the rest.
    announced: Mutex<HashSet<HookId>>,
}

/// How the user and programs get it.
#[derive(Clone, Copy)]
pub(crate) struct Telling<'a> {
    /// Writes a warning to standard error, and keeps it.
    pub(crate) warn: &'a dyn Fn(&str),
    /// Keeps what was written to standard error for programs, which don't see that.
    pub(crate) keep: &'a dyn Fn(&str),
}

impl HookNotices {
    pub(crate) fn new(detail: Detail) -> Self {
        Self {
            notifications: OnceLock::new(),
            detail,
            announced: Mutex::default(),
        }
    }

    /// Sets whether hooks are named while they run; the first call counts.
    pub(crate) fn name_hooks(&self, notifications: HookNotifications) {
        let _ = self.notifications.set(notifications);
    }

    /// Shows what happened, if the user should know; anything without its intended effect is a
    /// warning.
    pub(crate) fn show(&self, lifecycle: &Lifecycle, tell: Telling<'_>) {
        match lifecycle {
            Lifecycle::Started {
                event,
                hook,
                number,
                of,
            } => {
                let is_shown = self.notifications.get() == Some(&HookNotifications::Shown);
                if is_shown && self.is_news(*event, hook) {
                    notices::print(&executing(hook, *number, *of));
                }
            }
            Lifecycle::Skipped { hook, causes, .. } => {
                for cause in causes {
                    warn_of_skipped(hook, cause, tell.warn);
                }
            }
            Lifecycle::Concluded(concluded) => {
                if self.detail == Detail::Streams {
                    concluded.runs.iter().for_each(|run| show_run(run));
                }
                show_conclusion(concluded, tell);
            }
            _ => {}
        }
    }

    fn is_news(&self, event: EventName, hook: &HookDeclaration) -> bool {
        event != EventName::AfterModel
            || self
                .announced
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(hook.id.clone())
    }
}

/// Returns the text that a hook runs, in its own words if it has some (HT-3); hooks of the system
/// stay unnamed (ST-8).
fn executing(hook: &HookDeclaration, number: usize, of: usize) -> String {
    let label = short_label(hook);
    let is_named = hook.source.layer != Some(Layer::System);
    let shown_name = is_named.then_some(label.as_str());
    match &hook.status_message {
        Some(message) => hook_lines::status(message, shown_name, number, of),
        None => hook_lines::executing(shown_name, number, of),
    }
}

/// Reports a hook that is the same as another one and yet differs (PL-7); the other causes are
/// reported when the session starts.
fn warn_of_skipped(hook: &HookDeclaration, cause: &SkipCause, warn: &dyn Fn(&str)) {
    if let SkipCause::Shadowed(_) = cause {
        warn(&hook_lines::not_run(
            &short_label(hook),
            &hook.source,
            &cause.message(),
        ));
    }
}

/// Shows how a hook ended and what it wrote, unless it keeps that to itself (IO-15, OUT-2).
fn show_run(run: &RunRecord) {
    let hook = &run.hook;
    let mut text = format!(
        "[DEBUG] {} hook \"{}\" ({}): {:?} after {} ms",
        run.event,
        short_label(hook),
        hook.source,
        run.ending,
        run.duration.as_millis()
    );
    match run.recordable_content() {
        Some(content) => {
            text.push_str(&stream("stdout", &content.stdout));
            text.push_str(&stream("stderr", &content.stderr));
        }
        None => text.push_str("; its output is suppressed"),
    }
    notices::print(&text);
}

fn stream(name: &str, text: &str) -> String {
    let text = text.trim_end();
    if text.is_empty() {
        String::new()
    } else {
        format!("\n[DEBUG]   {name}: {text}")
    }
}

fn show_conclusion(concluded: &Concluded, tell: Telling<'_>) {
    for message in &concluded.messages {
        let line = hook_lines::system_message(&message.text);
        notices::print(&line);
        (tell.keep)(&line);
    }
    for notice in &concluded.notices {
        (tell.warn)(&hook_lines::notice(
            &notice.hook,
            &notice.source,
            &notice.text,
        ));
    }
}
