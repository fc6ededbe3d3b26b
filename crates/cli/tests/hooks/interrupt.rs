use std::process::{Command, Stdio};

use hookloop_testkit::{no_process_left, wait_until};

use crate::world::World;

/// IO-33, IO-34: a signal to the program ends the hooks that it runs, and the exit code says so.
#[test]
fn a_signal_ends_running_hooks() {
    for signal in ["INT", "TERM", "HUP"] {
        let world = World::new();
        world.user_command(
            "BeforeTool",
            "echo $$ > pid.new; mv pid.new pid; sleep 600 & wait",
        );
        let child = world
            .command(&["hooks", "fire", "BeforeTool", "--json"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let file = world.project().join("pid");
        wait_until("the hook runs", || file.exists());
        let sent = Command::new("kill")
            .args(["-s", signal, &child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{signal}");
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(json["runs"][0]["failure"]["kind"], "cancelled", "{signal}");
        let hook = std::fs::read_to_string(&file).unwrap();
        // A hook leads its own process group.
        no_process_left(hook.trim().parse().unwrap());
    }
}
