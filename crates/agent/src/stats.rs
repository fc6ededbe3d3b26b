//! Counts of a session, for `--output-format json` (AG-CLI-5).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookloop_model::Usage;
use serde::Serialize;

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
    /// How many requests were made.
    pub requests: u64,
    /// How many of them failed.
    pub errors: u64,
    /// Tokens of the prompts, as the model counts.
    pub prompt_tokens: u64,
    /// Tokens of the answers, as the model counts.
    pub answer_tokens: u64,
}

/// What tools did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ToolStats {
    /// How many calls there were.
    pub total_calls: u64,
    /// How many went well.
    pub total_success: u64,
    /// How many failed or were refused.
    pub total_fail: u64,
    /// The same by tool.
    pub by_name: BTreeMap<String, CallStats>,
}

/// What one tool did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CallStats {
    /// How many calls there were.
    pub count: u64,
    /// How many went well.
    pub success: u64,
    /// How many failed or were refused.
    pub fail: u64,
}

/// What happened to files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FileStats {
    /// How many calls changed a file.
    pub edits: u64,
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
    /// Returns the counts so far.
    pub(crate) fn so_far(&self) -> Stats {
        self.stats().clone()
    }

    fn stats(&self) -> MutexGuard<'_, Stats> {
        // Numbers are never half changed, so a poisoned lock guards nothing broken.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn count_request(&self, model: &str) {
        self.stats()
            .models
            .entry(model.to_owned())
            .or_default()
            .requests += 1;
    }

    pub(crate) fn count_error(&self, model: &str) {
        self.stats()
            .models
            .entry(model.to_owned())
            .or_default()
            .errors += 1;
    }

    pub(crate) fn count_usage(&self, model: &str, usage: &Usage) {
        let mut stats = self.stats();
        let counts = stats.models.entry(model.to_owned()).or_default();
        counts.prompt_tokens += usage.prompt_token_count.unwrap_or_default();
        counts.answer_tokens += usage.candidates_token_count.unwrap_or_default();
    }

    pub(crate) fn count_call(&self, tool: &str, success: Success) {
        let mut stats = self.stats();
        let tools = &mut stats.tools;
        let by_name = tools.by_name.entry(tool.to_owned()).or_default();
        tools.total_calls += 1;
        by_name.count += 1;
        match success {
            Success::Yes => {
                tools.total_success += 1;
                by_name.success += 1;
            }
            Success::No => {
                tools.total_fail += 1;
                by_name.fail += 1;
            }
        }
    }

    pub(crate) fn count_edit(&self) {
        self.stats().files.edits += 1;
    }
}
