//! How a call gets permission: from its hooks first, then from the policy, then from the user
//! (LO-1, BT-5…9). The stricter always wins.

use hookloop_engine::{
    Cancelled, Cleared, Pending, SessionHooks, SystemMessage, Unsettled, UserConsent,
};
use hookloop_events::{NotificationInput, NotificationType, Reason, ToolArguments, ToolCall};
use hookloop_tools::{ErrorKind, Tool, ToolError};
use serde_json::Value;

use crate::apply::before_tool::{self, CallFate};
use crate::approval::Permission;
use crate::frontend::{Confirmation, Consent};
use crate::grants::SessionGrant;
use crate::turn::Turn;

/// Whether a call may run.
pub(crate) enum Clearance {
    /// It may.
    Cleared(Cleared<ToolCall>),
    /// It may not; the model is told why.
    Refused {
        /// The call as it would have run.
        call: ToolCall,
        /// Why it doesn't.
        error: ToolError,
    },
    /// The loop ends.
    Stopped(Reason),
}

/// A call that hooks let through, or would if the user agrees.
enum Candidate {
    Cleared(Cleared<ToolCall>),
    Asked(Pending<ToolCall>, Reason),
}

impl Candidate {
    fn call(&self) -> &ToolCall {
        match self {
            Self::Cleared(call) => call,
            Self::Asked(call, _) => call,
        }
    }
}

/// What a round of asking came to.
enum Round {
    Over(Box<Clearance>),
    /// The user edited the arguments: a new call, through the hooks again (BT-8).
    Again(ToolArguments),
}

impl Round {
    fn over(clearance: Clearance) -> Self {
        Self::Over(Box::new(clearance))
    }
}

/// Obtains the permission for a call from the hooks of that call, the policy and the user.
pub(crate) async fn obtain(
    turn: &Turn<'_>,
    hooks: &SessionHooks,
    tool: &dyn Tool,
    mut call: ToolCall,
) -> Clearance {
    loop {
        match round(turn, hooks, tool, call.clone()).await {
            Round::Over(clearance) => return *clearance,
            Round::Again(arguments) => {
                call.arguments = arguments;
                if let Err(error) = tool.validate(&call.arguments) {
                    return Clearance::Refused { call, error };
                }
            }
        }
    }
}

async fn round(turn: &Turn<'_>, hooks: &SessionHooks, tool: &dyn Tool, call: ToolCall) -> Round {
    let refused = |call, error| Round::over(Clearance::Refused { call, error });
    let validate = |call: &ToolCall| tool.validate(&call.arguments);
    let conclusion = match hooks.before_tool(call.clone(), validate).await {
        Ok(conclusion) => conclusion,
        Err(Unsettled::Cancelled(_)) => return refused(call, ToolError::cancelled()),
        Err(Unsettled::Invalid { call, error }) => {
            return refused(*call, rewritten_invalid(&error));
        }
    };
    let messages = conclusion.messages;
    let candidate = match before_tool::apply(conclusion.outcome) {
        CallFate::Cleared(cleared) => Candidate::Cleared(cleared),
        CallFate::Asked(pending, reason) => Candidate::Asked(pending, reason),
        CallFate::Refused(error) => return refused(call, error),
        CallFate::Stopped(reason) => return Round::over(Clearance::Stopped(reason)),
    };
    // Hooks may have rewritten the arguments (BT-3), so everything below looks at theirs.
    let call = candidate.call();
    let session = &turn.session;
    let permission = session.parts.policy.permission_in_session(
        tool.declaration(),
        &call.arguments,
        &session.grants,
    );
    if let Permission::Refused(why) = permission {
        return refused(
            call.clone(),
            ToolError::new(ErrorKind::PolicyViolation, why),
        );
    }
    match candidate {
        Candidate::Cleared(cleared) if permission == Permission::Granted => {
            Round::over(Clearance::Cleared(cleared))
        }
        candidate => ask(turn, hooks, tool, candidate, messages).await,
    }
}

/// Asks the user, after the alert was announced to `Notification` hooks (NO-1, NO-2).
async fn ask(
    turn: &Turn<'_>,
    hooks: &SessionHooks,
    tool: &dyn Tool,
    candidate: Candidate,
    mut messages: Vec<SystemMessage>,
) -> Round {
    let call = candidate.call().clone();
    let preview = tool.preview(&call.arguments);
    let mut details = preview.details();
    details.insert("tool_name".to_owned(), Value::from(call.name.as_str()));
    let alert = NotificationInput {
        notification_type: NotificationType::ToolPermission,
        message: format!("Tool {} requires confirmation", call.name),
        details: Value::Object(details),
    };
    match hooks.notification(&alert).await {
        Ok(conclusion) => messages.extend(conclusion.messages),
        // The turn is over, and nobody is asked about it any more.
        Err(Cancelled) => {
            return Round::over(Clearance::Refused {
                call,
                error: ToolError::cancelled(),
            });
        }
    }
    let reason = match &candidate {
        Candidate::Cleared(_) => None,
        Candidate::Asked(_, reason) => Some(reason),
    };
    let for_session = SessionGrant::of_call(tool.declaration(), &call);
    let request = Confirmation {
        agent: turn.hooks.identity().agent.as_ref(),
        call: &call,
        preview: &preview,
        reason,
        messages: &messages,
        for_session: &for_session,
    };
    let refused = |error| {
        Round::over(Clearance::Refused {
            call: call.clone(),
            error,
        })
    };
    let given = |candidate| {
        Round::over(Clearance::Cleared(match candidate {
            Candidate::Cleared(cleared) => cleared,
            Candidate::Asked(pending, _) => pending.approved(UserConsent::given_by_user()),
        }))
    };
    match turn.session.parts.frontend.confirm(request).await {
        Consent::Given => given(candidate),
        Consent::GivenForSession => {
            turn.session.grants.add(for_session);
            given(candidate)
        }
        Consent::Edited(arguments) => Round::Again(arguments),
        Consent::Declined => refused(declined()),
        Consent::Nobody => refused(match reason {
            None => needs_confirmation(&call.name),
            Some(reason) => nobody_to_ask(reason),
        }),
    }
}

fn rewritten_invalid(error: &ToolError) -> ToolError {
    let message = format!(
        "a hook changed the parameters to some that the tool does not take: {}",
        error.message
    );
    ToolError::new(ErrorKind::InvalidParams, message)
}

fn declined() -> ToolError {
    ToolError::new(ErrorKind::Cancelled, "the user did not allow this call")
}

fn needs_confirmation(tool: &str) -> ToolError {
    let message = format!("Tool \"{tool}\" needs a confirmation, and nobody is there to give it");
    ToolError::new(ErrorKind::PolicyViolation, message)
}

/// Words a hook's question that nobody can answer: a refusal (BT-5).
fn nobody_to_ask(reason: &Reason) -> ToolError {
    let message = format!(
        "Tool execution blocked: {reason} (a hook asks for a confirmation, and nobody is there \
         to give it)"
    );
    ToolError::new(ErrorKind::PolicyViolation, message)
}
