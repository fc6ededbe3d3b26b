//! Files that `/rewind` restores. That isn't a call of the model, but it is a write, so the hooks
//! of `write_file` judge it (EV-4, TU-5).

use std::path::Path;
use std::sync::Arc;

use hookloop_engine::Unsettled;
use hookloop_events::ToolCall;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::apply::before_tool::{self, CallFate};
use crate::session::Session;
use crate::turn_end::TurnEnd;
use crate::unrun::NotRun;

/// The tool whose hooks judge what is written.
const WRITE: &str = "write_file";

/// The hooks' decision about restoring a file (EV-4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteBack {
    /// It may be written.
    Free,
    /// A hook wants the person to be asked, for this reason (BT-5).
    Asked(String),
    /// It must not be written, for this reason.
    Refused(String),
}

impl Session {
    /// Asks the hooks of `write_file` whether a file may be restored (EV-4). Nothing is written
    /// here. A hook that would rewrite the content refuses, because only the original content is of
    /// use.
    pub async fn may_write_back(
        &self,
        path: &Path,
        content: &str,
        cancel: CancellationToken,
    ) -> WriteBack {
        let scope = self.scope(cancel);
        scope.say_mode();
        let arguments = Map::from_iter([
            ("file_path".to_owned(), Value::from(path.to_string_lossy())),
            ("content".to_owned(), Value::from(content)),
        ]);
        let call = ToolCall {
            id: format!("rewind-{}", uuid::Uuid::new_v4()),
            name: WRITE.to_owned(),
            arguments: Arc::new(arguments),
            mcp: None,
            original_request_name: None,
            changed_arguments: Vec::new(),
        };
        let tool = self.conversation.offer.toolbox.get(WRITE).map(Arc::clone);
        let validate = |call: &ToolCall| {
            let tool = tool.as_ref();
            tool.map_or(Ok(()), |it| it.validate(&call.arguments))
        };
        let conclusion = match scope.hooks.before_tool(call, validate).await {
            Ok(conclusion) => conclusion,
            Err(Unsettled::Cancelled(_)) => return refused("its hooks were cancelled"),
            Err(Unsettled::Invalid { .. }) => return refused(REWRITTEN),
        };
        let (changed, reason) = match before_tool::apply(conclusion.outcome) {
            Ok(CallFate::Cleared(call)) => (call.changed_arguments.len(), None),
            Ok(CallFate::Asked(call, reason)) => (call.changed_arguments.len(), Some(reason)),
            Err(NotRun::Error(error)) => return refused(&error.message),
            Err(NotRun::Ends(TurnEnd::Stopped(reason))) => return refused(reason.as_str()),
            Err(NotRun::Ends(end)) => return refused(end.word()),
        };
        match reason {
            _ if changed > 0 => refused(REWRITTEN),
            Some(reason) => WriteBack::Asked(reason.as_str().to_owned()),
            None => WriteBack::Free,
        }
    }
}

const REWRITTEN: &str = "a hook requires different content";

fn refused(why: &str) -> WriteBack {
    WriteBack::Refused(why.to_owned())
}
