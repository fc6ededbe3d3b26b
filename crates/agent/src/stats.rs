//! Statistics of a session, for `--output-format json` (AG-CLI-5).
//!
//! The fields have the names that scripts for Gemini CLI expect.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hookloop_model::Usage;
use hookloop_tools::FileChange;
use serde::Serialize;

use crate::telemetry::CallDecision;

/// The statistics of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Stats {
    /// By model.
    pub models: BTreeMap<String, ModelStats>,
    /// For all tools.
    pub tools: ToolStats,
    /// For files.
    pub files: FileStats,
}

/// The statistics of a model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ModelStats {
    /// Requests.
    pub api: RequestStats,
    /// Tokens.
    pub tokens: TokenStats,
}

/// Statistics of requests to a model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestStats {
    /// The number of requests.
    pub total_requests: u64,
    /// The number of failed requests.
    pub total_errors: u64,
    /// The total duration of the responses, including the hooks that judged them, in milliseconds.
    pub total_latency_ms: u64,
}

/// Token counts, as reported by the model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TokenStats {
    /// Prompt tokens that weren't cached.
    pub input: u64,
    /// All prompt tokens.
    pub prompt: u64,
    /// Response tokens.
    pub candidates: u64,
    /// All tokens.
    pub total: u64,
    /// Prompt tokens that were cached.
    pub cached: u64,
    /// Thought tokens.
    pub thoughts: u64,
    /// Tokens of the results of tools that the model's service ran itself.
    pub tool: u64,
}

/// Statistics of all tools.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolStats {
    /// The number of calls.
    pub total_calls: u64,
    /// The number of successful calls.
    pub total_success: u64,
    /// The number of calls that failed or were refused.
    pub total_fail: u64,
    /// The total duration, including hooks, in milliseconds.
    pub total_duration_ms: u64,
    /// The decisions about the calls.
    pub total_decisions: DecisionStats,
    /// The same for each tool.
    pub by_name: BTreeMap<String, CallStats>,
}

/// Statistics of one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallStats {
    /// The number of calls.
    pub count: u64,
    /// The number of successful calls.
    pub success: u64,
    /// The number of calls that failed or were refused.
    pub fail: u64,
    /// The total duration, including hooks, in milliseconds.
    pub duration_ms: u64,
    /// The decisions about the calls.
    pub decisions: DecisionStats,
}

/// Decisions about calls. Calls of unknown tools, and calls whose arguments the tool doesn't
/// accept, aren't counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DecisionStats {
    /// The number of calls that the user accepted.
    pub accept: u64,
    /// The number of calls that hooks, the policy or the user refused.
    pub reject: u64,
    /// The number of calls that the user accepted with other arguments.
    pub modify: u64,
    /// The number of calls that needed no confirmation, or that the user allowed for the rest of
    /// the session.
    pub auto_accept: u64,
}

impl DecisionStats {
    const fn count(&mut self, decision: CallDecision) {
        match decision {
            CallDecision::Accept => self.accept += 1,
            CallDecision::AutoAccept => self.auto_accept += 1,
            CallDecision::Modify => self.modify += 1,
            CallDecision::Reject => self.reject += 1,
        }
    }
}

/// Statistics of file changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileStats {
    /// The number of calls that changed a file.
    pub edits: u64,
    /// The number of lines added.
    pub total_lines_added: u64,
    /// The number of lines removed.
    pub total_lines_removed: u64,
}

/// Whether a call succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Success {
    Yes,
    No,
}

/// The running counts of a session, to which its sub-agents also add.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counts(Arc<Mutex<Stats>>);

impl Counts {
    /// Returns the counts, to add to them.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Stats> {
        // Numbers are never half changed, so a poisoned lock guards nothing broken.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the counts so far.
    pub(crate) fn snapshot(&self) -> Stats {
        self.lock().clone()
    }
}

impl Stats {
    pub(crate) fn count_request(&mut self, model: &str) {
        self.model(model).api.total_requests += 1;
    }

    pub(crate) fn count_error(&mut self, model: &str) {
        self.model(model).api.total_errors += 1;
    }

    pub(crate) fn count_latency(&mut self, model: &str, latency: Duration) {
        self.model(model).api.total_latency_ms += milliseconds(latency);
    }

    pub(crate) fn count_usage(&mut self, model: &str, usage: &Usage) {
        let tokens = &mut self.model(model).tokens;
        let prompt = usage.prompt_token_count.unwrap_or_default();
        let cached = usage.cached_content_token_count.unwrap_or_default();
        tokens.prompt += prompt;
        tokens.cached += cached;
        tokens.input += prompt.saturating_sub(cached);
        tokens.candidates += usage.candidates_token_count.unwrap_or_default();
        tokens.total += usage.total_token_count.unwrap_or_default();
        tokens.thoughts += usage.thoughts_token_count.unwrap_or_default();
        tokens.tool += usage.tool_use_prompt_token_count.unwrap_or_default();
    }

    pub(crate) fn count_call(&mut self, tool: &str, success: Success, duration: Duration) {
        let by_name = self.tools.by_name.entry(tool.to_owned()).or_default();
        self.tools.total_calls += 1;
        by_name.count += 1;
        self.tools.total_duration_ms += milliseconds(duration);
        by_name.duration_ms += milliseconds(duration);
        match success {
            Success::Yes => {
                self.tools.total_success += 1;
                by_name.success += 1;
            }
            Success::No => {
                self.tools.total_fail += 1;
                by_name.fail += 1;
            }
        }
    }

    pub(crate) fn count_decision(&mut self, tool: &str, decision: CallDecision) {
        self.tools.total_decisions.count(decision);
        let by_name = self.tools.by_name.entry(tool.to_owned()).or_default();
        by_name.decisions.count(decision);
    }

    pub(crate) fn count_edit(&mut self, change: Option<&FileChange>) {
        self.files.edits += 1;
        let Some(change) = change else {
            return;
        };
        self.files.total_lines_added += as_count(change.added_lines);
        self.files.total_lines_removed += as_count(change.removed_lines);
    }

    fn model(&mut self, name: &str) -> &mut ModelStats {
        self.models.entry(name.to_owned()).or_default()
    }
}

fn as_count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
