//! The question whether a call may run, as a permission request to the editor (BT-5, TO-6).

use std::path::Path;

use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest,
    SessionId, ToolCallContent, ToolCallId, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use hookloop_agent::{Confirmation, Consent};
use hookloop_text::visible_lines;
use hookloop_tools::Subject;
use serde_json::json;

use crate::calls;

const ALLOW_ONCE: &str = "allow_once";
const ALLOW_ALWAYS: &str = "allow_always";
const REJECT: &str = "reject_once";

/// The person's answer to a question.
pub(crate) enum Answer {
    CommandOutput(Consent),
    /// The editor cancelled the turn instead.
    Cancelled,
}

/// Asks a question about a call.
pub(crate) fn request(
    session: SessionId,
    call: ToolCallId,
    confirmation: &Confirmation<'_>,
    folder: &Path,
) -> RequestPermissionRequest {
    let agent = confirmation.agent.map(|it| it.agent_name.as_str());
    let title = match &confirmation.preview.subject {
        Subject::Plan { .. } => confirmation.preview.title.clone(),
        _ => calls::title(confirmation.call, agent),
    };
    let fields = ToolCallUpdateFields::new()
        .title(title)
        .kind(calls::kind(&confirmation.call.name))
        .status(ToolCallStatus::Pending)
        .content(content(confirmation))
        .locations(calls::locations(&confirmation.call.arguments, folder))
        .raw_input(json!(confirmation.call.arguments));
    let always = confirmation.for_session.map(|grant| {
        let worded = match confirmation.reason {
            None => format!("Allow always: {grant}"),
            Some(_) => format!("Allow always: {grant}; the hook may ask again"),
        };
        PermissionOption::new(ALLOW_ALWAYS, worded, PermissionOptionKind::AllowAlways)
    });
    let once = PermissionOption::new(ALLOW_ONCE, "Allow once", PermissionOptionKind::AllowOnce);
    let reject = PermissionOption::new(REJECT, "No", PermissionOptionKind::RejectOnce);
    let options = [Some(once), always, Some(reject)];
    let options: Vec<_> = options.into_iter().flatten().collect();
    RequestPermissionRequest::new(session, ToolCallUpdate::new(call, fields), options)
}

/// Interprets the answer; whatever isn't a yes is a no. Neither is a yes to something that wasn't
/// offered: an editor that answers by itself may always choose the same.
pub(crate) fn answer(outcome: &RequestPermissionOutcome, offered: &[PermissionOption]) -> Answer {
    match outcome {
        RequestPermissionOutcome::Cancelled => Answer::Cancelled,
        RequestPermissionOutcome::Selected(selected) => {
            let is_offered = offered.iter().any(|it| it.option_id == selected.option_id);
            Answer::CommandOutput(match &*selected.option_id.0 {
                _ if !is_offered => Consent::Declined,
                ALLOW_ONCE => Consent::Given,
                ALLOW_ALWAYS => Consent::GivenForSession,
                _ => Consent::Declined,
            })
        }
        _ => Answer::CommandOutput(Consent::Declined),
    }
}

/// Returns what hooks and the tool say about the call, followed by what it would do.
fn content(confirmation: &Confirmation<'_>) -> Vec<ToolCallContent> {
    let mut content = calls::text(&visible_lines(&remarks(confirmation).join("\n\n")));
    match &confirmation.preview.subject {
        Subject::Edit { change, .. } => content.extend(change.as_deref().map(calls::diff)),
        Subject::Exec {
            command, directory, ..
        } => {
            let fence = fence(command);
            let place = directory.display();
            let shown = format!("{fence}sh\n{command}\n{fence}\nin {place}");
            content.extend(calls::text(&shown));
        }
        Subject::Info { prompt, urls } => {
            let lines = std::iter::once(prompt).chain(urls).cloned();
            content.extend(calls::text(&lines.collect::<Vec<_>>().join("\n\n")));
        }
        Subject::Plan { plan } => content.extend(calls::text(plan)),
        Subject::Mcp {
            server_name,
            tool_name,
        } => {
            let what = format!("{tool_name} of the MCP server {server_name}");
            content.extend(calls::text(&visible_lines(&what)));
        }
    }
    content
}

fn remarks(confirmation: &Confirmation<'_>) -> Vec<String> {
    let mut remarks: Vec<String> = confirmation.preview.caution.iter().cloned().collect();
    if let Some(reason) = confirmation.reason {
        let hooks: Vec<String> = confirmation
            .asking
            .iter()
            .map(|it| format!("\"{it}\""))
            .collect();
        remarks.push(match hooks.as_slice() {
            [] => format!("A hook asks: {reason}"),
            [hook] => format!("The hook {hook} asks: {reason}"),
            hooks => format!("The hooks {} ask: {reason}", hooks.join(", ")),
        });
    }
    let changed = &confirmation.call.changed_arguments;
    if !changed.is_empty() {
        remarks.push(format!("A hook changed: {}", changed.join(", ")));
    }
    if let Some(problem) = &confirmation.preview.problem {
        remarks.push(format!("This call would fail: {}", problem.message));
    }
    let messages = confirmation.messages.iter();
    remarks.extend(messages.map(|it| hookloop_text::hook_lines::system_message(&it.text)));
    remarks
}

/// Returns a Markdown fence that no line of the text closes.
fn fence(text: &str) -> String {
    let longest = text.split(|it| it != '`').map(str::len).max();
    "`".repeat(longest.unwrap_or_default().max(2) + 1)
}

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::SelectedPermissionOutcome;

    use super::*;

    /// TU-7: only the answers for a yes are one; any other answer is a no.
    #[test]
    fn what_is_not_a_yes_is_a_no() {
        let option = |id| PermissionOption::new(id, id, PermissionOptionKind::AllowOnce);
        let offered = [ALLOW_ONCE, ALLOW_ALWAYS, REJECT].map(option);
        let said = |option: &'static str, offered: &[PermissionOption]| {
            let selected = SelectedPermissionOutcome::new(option);
            match answer(&RequestPermissionOutcome::Selected(selected), offered) {
                Answer::CommandOutput(consent) => consent,
                Answer::Cancelled => panic!("an option was chosen"),
            }
        };
        assert_eq!(said(ALLOW_ONCE, &offered), Consent::Given);
        assert_eq!(said(ALLOW_ALWAYS, &offered), Consent::GivenForSession);
        for other in [REJECT, "reject_always", "", "allow", "ALLOW_ONCE"] {
            assert_eq!(said(other, &offered), Consent::Declined, "{other}");
        }
        let once = [ALLOW_ONCE, REJECT].map(option);
        assert_eq!(said(ALLOW_ALWAYS, &once), Consent::Declined);
        let cancelled = answer(&RequestPermissionOutcome::Cancelled, &offered);
        assert!(matches!(cancelled, Answer::Cancelled));
    }

    /// TU-7: a command can't close the block in which it is shown.
    #[test]
    fn a_fence_is_longer_than_what_stands_in_it() {
        assert_eq!(fence("ls"), "```");
        assert_eq!(fence("a ```` b `"), "`````");
    }
}
