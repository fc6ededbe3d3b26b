//! A full disk.

use std::process::Command;

use hookloop_testkit::{Sandbox, wait_until};
use rustix::process::{Resource, Rlimit, prlimit};
use serde_json::json;

use crate::history::tokens;
use crate::script::Script;
use crate::world::{Running, resume, scripted};

/// Keeps a command from writing files above a size, in blocks of 512 bytes.
fn limited(command: &Command, blocks: u32) -> Command {
    let mut shell = Command::new("/bin/sh");
    // The limit is reported by a signal, too; without that it looks like a full disk.
    let start = format!("trap '' XFSZ; ulimit -S -f {blocks}; exec \"$0\" \"$@\"");
    shell.args(["-c", &start]).arg(command.get_program());
    shell.args(command.get_args()).env_clear();
    let variables = command.get_envs();
    shell.envs(variables.filter_map(|(name, value)| value.map(|value| (name, value))));
    if let Some(folder) = command.get_current_dir() {
        shell.current_dir(folder);
    }
    shell
}

/// SE-10: when the disk becomes full in the middle of an entry, the session continues and reports
/// it. What was written is completed when there is room again; nothing is missing.
#[test]
fn a_full_disk_breaks_no_transcript() {
    for there_is_room_again in [false, true] {
        let sandbox = Sandbox::new();
        let print = |number: u32| format!("printf 'tok-%s-{number} %0999d' out 0");
        let calls = |script: Script, number| {
            script.calls("run_shell_command", &json!({ "command": print(number) }))
        };
        let wait = "touch full; while [ ! -e freed ]; do sleep 0.01; done";
        let script = (0..6).fold(Script::new(), calls);
        let script = script.calls("run_shell_command", &json!({ "command": wait }));
        let script = (6..8).fold(script, calls).says("tok-done");
        let session = scripted(&sandbox, &script, &["--yolo", "-p", "tok-prompt"]);
        let session = Running::start(limited(&session, 10));
        let is_full = || sandbox.project().join("full").exists();
        wait_until("the disk is full", is_full);
        if there_is_room_again {
            let none = Rlimit {
                current: None,
                maximum: None,
            };
            prlimit(Some(session.process()), Resource::Fsize, none).unwrap();
        }
        sandbox.file("freed", "");
        let finished = session.ends();
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let is_told = finished.stderr.contains("is incomplete");
        // Hooks may have read it while something was missing.
        assert!(is_told, "{}", finished.stderr);
        for prompt in ["tok-again", "tok-once-more"] {
            let resumed = resume(&sandbox, prompt).unwrap();
            let kept = tokens(&resumed.request["contents"].to_string());
            for word in ["tok-prompt", "tok-out-0", prompt] {
                assert!(kept.contains(word), "{word} isn't in {kept:?}");
            }
            for word in ["tok-out-4", "tok-out-7", "tok-done"] {
                assert_eq!(kept.contains(word), there_is_room_again, "{word}: {kept:?}");
            }
        }
    }
}
