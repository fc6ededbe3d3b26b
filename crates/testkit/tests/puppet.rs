//! The puppet and the sandbox do what other tests rely on.
#![cfg(unix)]

use hookloop_testkit::{Sandbox, puppet, wait_until};

/// A sandbox shows nothing of the user's environment, and runs in its project.
#[test]
fn a_sandbox_is_clean() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(puppet());
    let finished = sandbox.run(command.args(["save-env", "env", "save-cwd", "cwd"]), b"");
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let text = std::fs::read_to_string(sandbox.project().join("env")).unwrap();
    let mut names: Vec<_> = text
        .split_terminator('\0')
        .filter_map(|it| it.split('=').next())
        .collect();
    names.sort_unstable();
    // The first one keeps tests away from the keyring of whoever runs them.
    assert_eq!(names, ["GEMINI_FORCE_FILE_STORAGE", "HOME", "PATH"]);
    let cwd = std::fs::read_to_string(sandbox.project().join("cwd")).unwrap();
    assert_eq!(cwd, sandbox.project().to_str().unwrap());
}

#[test]
fn actions_are_performed_in_order() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(puppet());
    let finished = sandbox.run(
        command.args([
            "stdout",
            "a ",
            "echo-stdin",
            "stderr",
            "b",
            "exit",
            "7",
            "stdout",
            "c",
        ]),
        b"in",
    );
    assert_eq!(
        (finished.code, &*finished.stdout, &*finished.stderr),
        (Some(7), "a in", "b")
    );
}

#[test]
fn unknown_actions_fail_loudly() {
    let sandbox = Sandbox::new();
    let finished = sandbox.run(sandbox.command(puppet()).args(["dance", "x"]), b"");
    assert_eq!(finished.code, Some(99));
    assert!(finished.stderr.contains("dance"), "{}", finished.stderr);
}

#[test]
fn a_signal_kills_it() {
    let sandbox = Sandbox::new();
    for signal in ["TERM", "SEGV", "9"] {
        let finished = sandbox.run(sandbox.command(puppet()).args(["die", signal]), b"");
        assert_eq!(finished.code, None, "{signal}");
    }
}

#[test]
fn files_of_the_sandbox_are_where_hooks_look() {
    let sandbox = Sandbox::new();
    let settings = sandbox.project_settings("{}");
    assert!(settings.ends_with("project/.gemini/settings.json"));
    assert!(sandbox.user_settings("{}").starts_with(sandbox.home()));
    let script = sandbox.script("hooks/a.sh", "#!/bin/sh\necho ran\n");
    assert_eq!(
        sandbox.run(&mut sandbox.command(script), b"").stdout,
        "ran\n"
    );
    wait_until("what is true already", || true);
}
