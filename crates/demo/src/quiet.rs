//! What the timeline omits because it contains nothing new.

use std::collections::HashSet;

use hookloop_engine::RunResult;
use hookloop_events::EventName;
use hookloop_text::Style;

use crate::page::{ATTENTION, GOOD, Page, hook_line};
use crate::timeline::FiredEvent;

/// Collects the chunks that hooks left unchanged: a line for each would bury the rest.
#[derive(Debug, Default)]
pub(crate) struct QuietChunks(Vec<QuietHook>);

#[derive(Debug)]
struct QuietHook {
    label: String,
    result: RunResult,
    chunks: usize,
    milliseconds: f64,
}

impl QuietChunks {
    /// Collects an event, if it is such a chunk, and contains nothing new.
    pub(crate) fn takes(&mut self, event: &FiredEvent, reported: &ReportedFailures) -> bool {
        let is_quiet = event.event == EventName::AfterModel
            && (event.is_uneventful() || event.is_failure_alone())
            && event.notices.iter().all(|notice| reported.knows(notice));
        for hook in event.hooks.iter().filter(|_| is_quiet) {
            let is_same = |it: &&mut QuietHook| it.label == hook.label && it.result == hook.result;
            if let Some(known) = self.0.iter_mut().find(is_same) {
                known.chunks += 1;
                known.milliseconds += hook.duration_ms;
            } else {
                self.0.push(QuietHook {
                    label: hook.label.clone(),
                    result: hook.result,
                    chunks: 1,
                    milliseconds: hook.duration_ms,
                });
            }
        }
        is_quiet
    }

    /// Shows the collected chunks, and clears them.
    pub(crate) fn show(&mut self, page: &mut Page) {
        for hook in std::mem::take(&mut self.0) {
            let QuietHook {
                label,
                result,
                chunks,
                milliseconds,
            } = hook;
            let counted = if chunks == 1 {
                "1 chunk".to_owned()
            } else {
                format!("{chunks} chunks")
            };
            let (mark, word) = match result {
                RunResult::Failed => (ATTENTION, format!("fails, as before ({counted})")),
                _ => (GOOD, format!("{counted}, unchanged")),
            };
            let line = hook_line(&label, milliseconds, &word);
            page.entry("AfterModel", mark, &line, Style::Plain);
        }
    }
}

/// Records which failures have been shown: each is reported in full once.
#[derive(Debug, Default)]
pub(crate) struct ReportedFailures(HashSet<String>);

impl ReportedFailures {
    /// Returns whether a text is new, and records it.
    pub(crate) fn is_news(&mut self, text: &str) -> bool {
        self.0.insert(text.to_owned())
    }

    fn knows(&self, text: &str) -> bool {
        self.0.contains(text)
    }
}
