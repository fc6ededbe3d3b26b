//! How a call gets permission: first from its hooks, then from the policy, then from the user
//! (LO-1, BT-5…9). The strictest always wins.

use hookloop_engine::{Cleared, Consents, SystemMessage, Unsettled, UserConsent};
use hookloop_events::{NotificationInput, NotificationType, Reason, ToolArguments, ToolCall};
use hookloop_tools::{ErrorKind, Tool, ToolError};
use serde_json::Value;

use crate::apply::before_tool::{self, CallFate};
use crate::approval::{AllowAlways, Permission};
use crate::frontend::{Confirmation, Consent, SessionEvent};
use crate::grants::SessionGrant;
use crate::scope::Scope;
use crate::telemetry::CallDecision;
use crate::unrun::NotRun;

/// A call that may run.
pub(crate) struct Permitted {
    pub(crate) call: Cleared<ToolCall>,
    /// Who permitted it.
    pub(crate) decision: CallDecision,
}

impl Permitted {
    fn boxed(call: Cleared<ToolCall>, decision: CallDecision) -> Box<Self> {
        Box::new(Self { call, decision })
    }
}

/// How hooks, policy and user left a call that none of them refused.
enum Round {
    /// It may run.
    Permitted(Box<Permitted>),
    /// The user edited the arguments: a new call, through the hooks again (BT-8).
    Edited(ToolArguments),
}

/// Obtains the permission for a call from the hooks of that call, the policy and the user. Hooks
/// may rewrite the arguments and the user may edit them: `call` is left as it runs, or would have
/// run.
///
/// # Errors
/// The call may not run: the model is told why, or the turn ends.
pub(crate) async fn obtain(
    scope: &Scope,
    tool: &dyn Tool,
    call: &mut ToolCall,
) -> Result<Permitted, NotRun> {
    let mut edited = None;
    loop {
        match round(scope, tool, call).await? {
            Round::Permitted(permitted) => {
                return Ok(Permitted {
                    decision: edited.unwrap_or(permitted.decision),
                    ..*permitted
                });
            }
            Round::Edited(arguments) => {
                edited = Some(CallDecision::Modify);
                call.changed_arguments = Vec::new();
                call.arguments = arguments.into();
                tool.validate(&call.arguments)?;
            }
        }
    }
}

async fn round(scope: &Scope, tool: &dyn Tool, call: &mut ToolCall) -> Result<Round, NotRun> {
    let validate = |call: &ToolCall| tool.validate(&call.arguments);
    scope.say_mode();
    let conclusion = match scope.hooks.before_tool(call.clone(), validate).await {
        Ok(conclusion) => conclusion,
        Err(Unsettled::Cancelled(cancelled)) => return Err(cancelled.into()),
        Err(Unsettled::Invalid {
            call: rewritten,
            error,
        }) => {
            *call = *rewritten;
            return Err(rewritten_invalid(&error).into());
        }
    };
    let fate = before_tool::apply(conclusion.outcome)?;
    // Hooks may have rewritten the arguments (BT-3), so everything below uses the new ones.
    if !fate.call().changed_arguments.is_empty() {
        call.clone_from(fate.call());
    }
    match (permission(scope, tool, call), fate) {
        (Permission::Refused(why), _) => {
            Err(ToolError::new(ErrorKind::PolicyViolation, why).into())
        }
        (Permission::Granted, CallFate::Cleared(cleared)) => {
            let permitted = Permitted::boxed(cleared, CallDecision::AutoAccept);
            Ok(Round::Permitted(permitted))
        }
        // A hook that may consent for the user consented to exactly this call (FD-21).
        (Permission::Ungranted, CallFate::Cleared(cleared))
            if !conclusion.consents.counting.is_empty() =>
        {
            let permitted = Permitted::boxed(cleared, CallDecision::AutoAccept);
            Ok(Round::Permitted(permitted))
        }
        (_, fate) => {
            let words = Words {
                messages: conclusion.messages,
                unheard: unheard_consents(&fate, &conclusion.consents),
                asking: &conclusion.asking,
            };
            ask(scope, tool, fate, words).await
        }
    }
}

/// What hooks said about a call that the user is asked about.
struct Words<'w> {
    messages: Vec<SystemMessage>,
    /// Why the hooks' consent doesn't count.
    unheard: Vec<SystemMessage>,
    /// The hooks that ask.
    asking: &'w [String],
}

/// Returns, for hooks that consented, why the user is still asked (FD-21, FD-23).
fn unheard_consents(fate: &CallFate, consents: &Consents) -> Vec<SystemMessage> {
    if matches!(fate, CallFate::Asked(..)) {
        return Vec::new();
    }
    let message = |hook: &String, text: &str| SystemMessage {
        hook: hook.clone(),
        text: text.to_owned(),
    };
    let counting = consents.counting.iter().map(|hook| {
        let text = "it allows this call, which still needs your consent";
        message(hook, text)
    });
    let others = consents.others.iter().map(|hook| {
        let text = "it allows this call, which doesn't skip the confirmation: that needs \
            `hooksConfig.allowSkipsConfirmation` in the user's or the system's settings, and works \
            for hooks configured there";
        message(hook, text)
    });
    counting.chain(others).collect()
}

/// Asks the policy (TO-6).
fn permission(scope: &Scope, tool: &dyn Tool, call: &ToolCall) -> Permission {
    let services = &scope.services;
    services.policy.permission_in_session(
        tool,
        &call.arguments,
        services.mode.get(),
        &services.grants,
    )
}

/// Returns what "Allow always" means for a call, if it would count (TO-6): no earlier consent
/// counts for a plan, for what is always asked about, nor for files that guards depend on.
fn for_session(scope: &Scope, tool: &dyn Tool, call: &ToolCall) -> Option<SessionGrant> {
    let services = &scope.services;
    let policy = &services.policy;
    if policy.allow_always == AllowAlways::Forbidden {
        return None;
    }
    let grant = SessionGrant::for_call(tool.declaration(), call);
    let grants = services.grants.with(grant.clone());
    let mode = services.mode.get();
    let permission = policy.permission_in_session(tool, &call.arguments, mode, &grants);
    (permission == Permission::Granted).then_some(grant)
}

/// Asks the user, after the alert was announced to `Notification` hooks (NO-1, NO-2).
async fn ask(
    scope: &Scope,
    tool: &dyn Tool,
    fate: CallFate,
    words: Words<'_>,
) -> Result<Round, NotRun> {
    let (mut messages, asking) = (words.messages, words.asking);
    messages.extend(words.unheard.iter().cloned());
    let call = fate.call();
    let preview = tool.preview(&call.arguments);
    let mut details = preview.details();
    details.insert("tool_name".to_owned(), Value::from(call.name.as_str()));
    let alert = NotificationInput {
        notification_type: NotificationType::ToolPermission,
        message: format!("Tool {} requires confirmation", call.name),
        details: Value::Object(details),
    };
    messages.extend(scope.hooks.notification(&alert).await?.messages);
    let reason = match &fate {
        CallFate::Cleared(_) => None,
        CallFate::Asked(_, reason) => Some(reason),
    };
    let for_session = for_session(scope, tool, call);
    let request = Confirmation {
        agent: scope.hooks.identity().agent.as_ref(),
        call,
        preview: &preview,
        reason,
        asking,
        messages: &messages,
        for_session: for_session.as_ref(),
    };
    let consent = scope.services.frontend.confirm(request).await;
    // Cancelling isn't an answer.
    scope.proceed()?;
    let decision = match consent {
        Consent::Given => CallDecision::Accept,
        Consent::GivenForSession => match for_session {
            Some(grant) => {
                scope.services.grants.add(grant);
                CallDecision::AutoAccept
            }
            // The choice wasn't offered, so the consent counts for this call only.
            None => CallDecision::Accept,
        },
        Consent::Edited(arguments) => return Ok(Round::Edited(arguments)),
        Consent::Declined => return Err(declined_error().into()),
        Consent::Nobody => {
            // Nobody was asked, so nobody saw these messages beside a question.
            for SystemMessage { hook, text } in &words.unheard {
                let text = format!("hook \"{hook}\": {text}");
                scope.show(&SessionEvent::Warning(&text));
            }
            return Err(match reason {
                None => needs_confirmation(&call.name, preview.caution.as_deref()),
                Some(reason) => nobody_to_ask(reason),
            }
            .into());
        }
    };
    // Meanwhile, the mode may have become one that refuses this call.
    if let Permission::Refused(why) = permission(scope, tool, fate.call()) {
        return Err(ToolError::new(ErrorKind::PolicyViolation, why).into());
    }
    let call = match fate {
        CallFate::Cleared(cleared) => cleared,
        CallFate::Asked(pending, _) => pending.approved(UserConsent::given_by_user()),
    };
    Ok(Round::Permitted(Permitted::boxed(call, decision)))
}

fn rewritten_invalid(error: &ToolError) -> ToolError {
    let message = format!(
        "a hook changed the parameters to ones that the tool doesn't accept: {}",
        error.message
    );
    ToolError::new(ErrorKind::InvalidParams, message)
}

fn declined_error() -> ToolError {
    ToolError::new(ErrorKind::Cancelled, "the user didn't allow this call")
}

fn needs_confirmation(tool: &str, caution: Option<&str>) -> ToolError {
    let why = caution.map(|it| format!(" {it}")).unwrap_or_default();
    // Scripts that drive Gemini CLI look for the last sentence.
    let message = format!(
        "Tool \"{tool}\" needs confirmation, and nobody is there to give it.{why} Tool execution \
         denied by policy: Tool \"{tool}\" not found among those that run without asking"
    );
    ToolError::new(ErrorKind::PolicyViolation, message)
}

/// Turns a hook's question that nobody can answer into a refusal (BT-5).
fn nobody_to_ask(reason: &Reason) -> ToolError {
    let message = format!(
        "Tool execution blocked: {reason} (a hook asks for confirmation, and nobody is there to \
         give it)"
    );
    ToolError::new(ErrorKind::PolicyViolation, message)
}
