//! Approval modes, as an editor offers them (TO-6).

use agent_client_protocol::v1::schema::{SessionMode, SessionModeState};
use hookloop_agent::ApprovalMode;

/// Returns the mode of a session, and those that a person may choose. The mode that never asks is
/// among them only if the session is in it: it can't be reached from another one (TU-5).
pub(crate) fn state(current: ApprovalMode) -> SessionModeState {
    let mut modes = vec![
        ApprovalMode::Default,
        ApprovalMode::AutoEdit,
        ApprovalMode::Plan,
    ];
    if current == ApprovalMode::Yolo {
        modes.push(current);
    }
    let modes = modes.into_iter().map(to_session_mode).collect();
    SessionModeState::new(current.to_string(), modes)
}

/// Returns the mode that an editor requests, or why it isn't available.
pub(crate) fn parse_mode(id: &str, current: ApprovalMode) -> Result<ApprovalMode, String> {
    let mode: ApprovalMode = id.parse().map_err(|error| format!("{error}"))?;
    if mode == ApprovalMode::Yolo && current != ApprovalMode::Yolo {
        let text = "the mode \"yolo\" can't be reached from within a session; start hookloop with \
                    --yolo for it";
        return Err(text.to_owned());
    }
    Ok(mode)
}

fn to_session_mode(mode: ApprovalMode) -> SessionMode {
    let (name, description) = match mode {
        ApprovalMode::Default => (
            "Default",
            "Asks before writes, commands, web and MCP servers",
        ),
        ApprovalMode::AutoEdit => ("Auto-edit", "Doesn't ask before edits of files"),
        ApprovalMode::Plan => ("Plan", "Only reads, and writes plans"),
        ApprovalMode::Yolo => ("Yolo", "Never asks; hooks still decide"),
    };
    SessionMode::new(mode.to_string(), name).description(description.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TU-7, TU-5: the mode that never asks is neither offered nor set in a session that isn't in
    /// it.
    #[test]
    fn nobody_comes_to_the_mode_that_never_asks() {
        for current in [
            ApprovalMode::Default,
            ApprovalMode::AutoEdit,
            ApprovalMode::Plan,
        ] {
            let offered = state(current).available_modes;
            assert!(offered.iter().all(|it| &*it.id.0 != "yolo"));
            assert!(parse_mode("yolo", current).is_err());
            assert_eq!(parse_mode("plan", current), Ok(ApprovalMode::Plan));
        }
        assert_eq!(state(ApprovalMode::Yolo).available_modes.len(), 4);
        assert_eq!(
            parse_mode("yolo", ApprovalMode::Yolo),
            Ok(ApprovalMode::Yolo)
        );
        assert!(parse_mode("anything", ApprovalMode::Default).is_err());
    }
}
