use std::os::unix::fs::symlink;
use std::sync::Arc;

use hookloop_engine::{Ending, Executor as _, Signal, StopCause};

use crate::support::{Stage, direct, shell};

fn reason(ending: &Ending) -> &str {
    match ending {
        Ending::NotStarted(reason) => reason,
        other => panic!("it started: {other:?}"),
    }
}

/// IO-13, IO-14: exit codes come through, with and without a shell.
#[tokio::test]
async fn exit_codes_come_through() {
    let stage = Stage::new();
    for code in [0, 1, 2, 3, 42, 125, 255] {
        for command in [
            direct(&format!("exit {code}")),
            shell(&format!("exit {code}")),
        ] {
            assert_eq!(
                stage.run(&command).await.ending,
                Ending::Exited(code),
                "{command}"
            );
        }
    }
}

/// IO-20: a signal is distinguished from an exit code.
#[tokio::test]
async fn signals_are_reported() {
    let stage = Stage::new();
    for (name, number) in [("KILL", 9), ("TERM", 15), ("SEGV", 11)] {
        let completion = stage.run(&direct(&format!("stdout x die {name}"))).await;
        assert_eq!(completion.ending, Ending::Signalled(Signal(number)));
        assert_eq!(completion.stdout.bytes, b"x");
    }
    let completion = stage.run("kill -KILL $$; sleep 600").await;
    assert_eq!(completion.ending, Ending::Signalled(Signal(9)));
}

/// IO-20: a missing program and one that isn't executable couldn't start; the shell says why.
#[tokio::test]
async fn missing_programs_could_not_start() {
    let stage = Stage::new();
    stage.sandbox.file("plain.sh", "#!/bin/sh\nexit 0\n");
    for (command, part) in [
        ("no-such-program", "no-such-program: command not found"),
        ("./no/such/program", "No such file or directory"),
        ("./plain.sh", "Permission denied"),
        (
            "echo before >&2; no-such-program a b",
            "no-such-program: command not found",
        ),
        ("exit 127", "127"),
    ] {
        let completion = stage.run(command).await;
        let reason = reason(&completion.ending);
        assert!(reason.contains(part), "{command}: {reason}");
        assert!(!reason.contains('\n'), "{reason}");
    }
    assert_eq!(stage.run("echo out; exit 126").await.stdout.bytes, b"out\n");
}

/// IO-20: a script whose interpreter is missing couldn't start.
#[tokio::test]
async fn missing_interpreters_could_not_start() {
    let stage = Stage::new();
    stage.sandbox.script("hook", "#!/no/such/interpreter\n");
    let completion = stage.run("./hook").await;
    assert!(
        reason(&completion.ending).contains("./hook"),
        "{completion:?}"
    );
}

/// IO-20: a bad working directory is named.
#[tokio::test]
async fn bad_working_directories_are_named() {
    let stage = Stage::new();
    let file = stage.sandbox.file("file", "");
    for (cwd, part) in [(stage.path("gone"), "No such file"), (file, "not a folder")] {
        for command in ["true && true", "ls"] {
            let mut invocation = stage.invocation(command);
            Arc::make_mut(&mut invocation.session).cwd.clone_from(&cwd);
            let completion = stage.executor().execute(invocation).await;
            let reason = reason(&completion.ending);
            assert!(
                reason.contains(cwd.to_str().unwrap()) && reason.contains(part),
                "{reason}"
            );
        }
    }
}

/// IO-33: a hook that was cancelled before it began isn't started.
#[tokio::test]
async fn a_cancelled_hook_is_not_started() {
    let stage = Stage::new();
    let invocation = stage.invocation(&direct("touch started"));
    invocation.stop.stop(StopCause::Cancelled);
    assert_eq!(
        stage.executor().execute(invocation).await.ending,
        Ending::Stopped
    );
    assert!(!stage.path("started").exists());
}

/// IO-35: bash is the shell if it is on the PATH, whose lookup is the executor's own.
#[tokio::test]
async fn bash_is_the_shell() {
    let completion = Stage::new()
        .run("[[ a == a ]] && echo \"$BASH_VERSION $0\"")
        .await;
    assert_eq!(completion.ending, Ending::Exited(0));
    assert!(
        completion.stdout.bytes.ends_with(b"/bash\n"),
        "{completion:?}"
    );
}

/// IO-35: without bash on the PATH it is sh.
#[tokio::test]
async fn sh_is_the_shell_without_bash() {
    let mut stage = Stage::new();
    let folder = stage.path("bin");
    std::fs::create_dir(&folder).unwrap();
    symlink("/bin/sh", folder.join("sh")).unwrap();
    stage.set("PATH", folder.clone());
    let completion = stage.run("echo $0").await;
    let expected = format!("{}\n", folder.join("sh").display());
    assert_eq!(
        String::from_utf8(completion.stdout.bytes).unwrap(),
        expected
    );
}

/// IO-35: the session's working directory is the hook's, whatever the host's own is.
#[tokio::test]
async fn hooks_run_in_the_working_directory_of_the_session() {
    let mut stage = Stage::new();
    let cwd = stage.path("a b");
    std::fs::create_dir(&cwd).unwrap();
    for process_cwd in [None, std::env::current_dir().ok()] {
        stage.surroundings.process_cwd = process_cwd;
        for command in [direct("save-cwd saved"), shell("save-cwd saved")] {
            let mut invocation = stage.invocation(&command);
            Arc::make_mut(&mut invocation.session).cwd.clone_from(&cwd);
            stage.executor().execute(invocation).await;
            assert_eq!(stage.read("a b/saved"), cwd.to_str().unwrap().as_bytes());
            std::fs::remove_file(cwd.join("saved")).unwrap();
        }
    }
}
