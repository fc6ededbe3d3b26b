//! Commands of this program that are set loose from the agent above them (TR-11).

use super::*;

/// TR-11: where commands of this program ask by themselves, those are held that may not see an agent above them.
#[test]
fn commands_that_are_set_loose_are_held() {
    let fixture = Fixture::new();
    let own = OwnProgram {
        files: Vec::new(),
        changes: |_| true,
        judged: Judged::SetLoose,
    };
    let watch = fixture.watch().asking_for(own);
    for (command, is_held) in [
        ("hookloop hooks disable guard", false),
        ("sh -c 'hookloop hooks disable guard'", false),
        (
            "setsid env -i PATH=$PATH hookloop hooks disable guard",
            true,
        ),
        (
            "(setsid sh -c 'sleep 1; env -i hookloop hooks disable guard' &)",
            true,
        ),
        (
            "env -i tmux new-session -d 'hookloop hooks disable guard'",
            true,
        ),
        ("env -i HOME=/tmp/x setsid hookloop -p go", true),
        ("setsid cargo test", false),
    ] {
        let arguments = json!({ "command": command });
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let concern = watch.concern("run_shell_command", &arguments);
        assert_eq!(
            matches!(concern, Some(Concern::Changes(_))),
            is_held,
            "{command}"
        );
    }
}
