//! A disk that takes no more.

use std::process::Command;

use hookloop_testkit::Sandbox;
use serde_json::json;

use crate::history::tokens;
use crate::script::Script;
use crate::world::{resume, run, scripted};

/// Lets a command write no file above a size, in blocks of 512 bytes.
fn limited(command: &Command, blocks: u32) -> Command {
    let mut shell = Command::new("/bin/sh");
    // The limit is told by a signal, too; without that it looks like a full disk.
    let start = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    shell.args(["-c", &start]).arg(command.get_program());
    shell.args(command.get_args()).env_clear();
    let variables = command.get_envs();
    shell.envs(variables.filter_map(|(name, value)| value.map(|value| (name, value))));
    if let Some(folder) = command.get_current_dir() {
        shell.current_dir(folder);
    }
    shell
}

/// SE-10: when the disk is full in the middle of an entry, the session goes on and says so, and
/// what was written before is gone on with.
#[test]
fn a_full_disk_costs_nothing_that_was_written() {
    let sandbox = Sandbox::new();
    let command = |number: u32| format!("printf 'tok-%s-{number} %0999d' out 0");
    let script = (0..8).fold(Script::new(), |script, number| {
        script.calls("run_shell_command", &json!({ "command": command(number) }))
    });
    let script = script.says("done");
    let session = scripted(&sandbox, &script, &["--yolo", "-p", "tok-prompt"]);
    let finished = run(limited(&session, 10));
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(finished.stdout.contains("done"), "{}", finished.stdout);
    let said = finished.stderr.contains("is incomplete");
    assert!(said, "{}", finished.stderr);
    for prompt in ["tok-again", "tok-once-more"] {
        let resumed = resume(&sandbox, prompt).unwrap();
        let kept = tokens(&resumed.request["contents"].to_string());
        for word in ["tok-prompt", "tok-out-0", prompt] {
            assert!(kept.contains(word), "{word} is not in {kept:?}");
        }
        assert!(!kept.contains("tok-out-7"), "the limit was too high");
    }
}
