//! Counts of a session, for `--output-format json` (AG-CLI-5).
//!
//! The fields are named as scripts that read the output of Gemini CLI know them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hookloop_model::Usage;
use hookloop_tools::FileChange;
use serde::Serialize;

use crate::telemetry::CallDecision;

/// What a session used.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Stats {
    /// By model.
    pub models: BTreeMap<String, ModelStats>,
    /// Of all tools.
    pub tools: ToolStats,
    /// Of files.
    pub files: FileStats,
}

/// What a model was asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ModelStats {
    /// Of the requests.
    pub api: RequestStats,
    /// Of the tokens.
    pub tokens: TokenStats,
}

/// How a model was asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestStats {
    /// How many requests were made.
    pub total_requests: u64,
    /// How many of them failed.
    pub total_errors: u64,
    /// How long the answers took, hooks that judged them included, in milliseconds.
    pub total_latency_ms: u64,
}

/// Tokens, as the model counts them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TokenStats {
    /// Of the prompts, without what was cached.
    pub input: u64,
    /// Of the prompts.
    pub prompt: u64,
    /// Of the answers.
    pub candidates: u64,
    /// Of all.
    pub total: u64,
    /// Of the prompts, as far as they were cached.
    pub cached: u64,
    /// Of the thoughts.
    pub thoughts: u64,
    /// Of results of tools that the model itself called.
    pub tool: u64,
}

/// What tools did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolStats {
    /// How many calls there were.
    pub total_calls: u64,
    /// How many went well.
    pub total_success: u64,
    /// How many failed or were refused.
    pub total_fail: u64,
    /// How long they took with their hooks, in milliseconds.
    pub total_duration_ms: u64,
    /// What was decided about them.
    pub total_decisions: DecisionStats,
    /// The same by tool.
    pub by_name: BTreeMap<String, CallStats>,
}

/// What one tool did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallStats {
    /// How many calls there were.
    pub count: u64,
    /// How many went well.
    pub success: u64,
    /// How many failed or were refused.
    pub fail: u64,
    /// How long they took with their hooks, in milliseconds.
    pub duration_ms: u64,
    /// What was decided about them.
    pub decisions: DecisionStats,
}

/// What was decided about calls; nothing is about one of no tool, or whose arguments the tool
/// doesn't take.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DecisionStats {
    /// How many the user said yes to.
    pub accept: u64,
    /// How many hooks, the policy or the user said no to.
    pub reject: u64,
    /// How many the user said yes to with other arguments.
    pub modify: u64,
    /// How many nobody had to be asked about, or need be from now on.
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

/// What happened to files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileStats {
    /// How many calls changed a file.
    pub edits: u64,
    /// How many lines came in.
    pub total_lines_added: u64,
    /// How many lines went out.
    pub total_lines_removed: u64,
}

/// Whether a call went well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Success {
    Yes,
    No,
}

/// The running counts of a session, which its sub-agents add to as well.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counts(Arc<Mutex<Stats>>);

impl Counts {
    /// Returns the counts, to add to them.
    pub(crate) fn running(&self) -> MutexGuard<'_, Stats> {
        // Numbers are never half changed, so a poisoned lock guards nothing broken.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the counts so far.
    pub(crate) fn so_far(&self) -> Stats {
        self.running().clone()
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
        self.files.total_lines_added += whole(change.added_lines);
        self.files.total_lines_removed += whole(change.removed_lines);
    }

    fn model(&mut self, name: &str) -> &mut ModelStats {
        self.models.entry(name.to_owned()).or_default()
    }
}

fn whole(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
