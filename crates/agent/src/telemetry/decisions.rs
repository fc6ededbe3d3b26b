//! Who decided what, where and why (TE-4), so that a fleet's collector can count refusals.

use hookloop_engine::{Concluded, RunRecord, RunResult};
use hookloop_events::SessionIdentity;
use hookloop_tools::ToolError;
use serde_json::{Map, Value, json};

use super::{CallReport, Telemetry};

impl Telemetry {
    /// Reports each hook that didn't simply let an action continue: it refused, asked, stopped or
    /// failed. Content that it withholds is left out (OUT-2).
    pub(super) fn decision(&self, session: &SessionIdentity, concluded: &Concluded) {
        for run in &concluded.runs {
            if run.result == RunResult::Proceed {
                continue;
            }
            self.write(session, "decision", |attributes| {
                let mut set = |name: &str, value: Value| attributes.insert(name.to_owned(), value);
                set("decision", json!(run.result.as_str()));
                set("decided_by", json!("hook"));
                set("hook_event_name", json!(run.event));
                set("hook_name", json!(run.hook.label()));
                set("hook_source", json!(run.hook.source.to_string()));
                set("hook_layer", json!(run.hook.source.layer));
                set("run_id", json!(run.run_id));
                set("cwd", json!(session.cwd));
                if let Some(failure) = &run.failure {
                    set("error_type", json!(failure.kind()));
                }
                self.add_reason(attributes, run);
            });
        }
    }

    /// Adds the subject of a decision, and its reason, if they may be recorded.
    fn add_reason(&self, attributes: &mut Map<String, Value>, run: &RunRecord) {
        let Some(content) = run.recordable_content() else {
            return;
        };
        let input: Option<Value> = serde_json::from_str(&content.input.text()).ok();
        let tool = input.as_ref().and_then(|it| it.get("tool_name"));
        if let Some(tool) = tool {
            attributes.insert("function_name".to_owned(), tool.clone());
        }
        // Output of a hook that failed isn't a reason for a decision.
        if run.result == RunResult::Failed {
            return;
        }
        let reply = content.reply.as_ref().map(|it| json!(it));
        let reason = reply.as_ref().and_then(|it| {
            let reason = it.get("reason").or_else(|| it.get("stopReason"));
            reason.and_then(Value::as_str).map(str::to_owned)
        });
        let spoken = || Some(content.stderr.trim().to_owned()).filter(|it| !it.is_empty());
        if let Some(reason) = reason.or_else(spoken) {
            self.content(attributes, "reason", || reason);
        }
    }

    /// Reports a call that the policy refused, or that nobody was there to accept.
    pub(super) fn policy_decision(
        &self,
        session: &SessionIdentity,
        report: &CallReport<'_>,
        error: &ToolError,
    ) {
        self.write(session, "decision", |attributes| {
            let mut set = |name: &str, value: Value| attributes.insert(name.to_owned(), value);
            set("decision", json!("refused"));
            set("decided_by", json!("policy"));
            set("function_name", json!(report.call.name));
            set("cwd", json!(session.cwd));
            let reason = self.error_text(|| error.message.clone(), error.kind.as_str());
            set("reason", json!(reason));
        });
    }
}
