//! Commands of this program that are detached from the agent above them (TR-11).

use super::*;

/// TR-11: if commands of this program ask by themselves, those that may not detect an agent above
/// them are held back.
#[test]
fn commands_that_are_set_loose_are_held() {
    let fixture = Fixture::new();
    let own = OwnProgram {
        files: Vec::new(),
        changes: |_| true,
        judged: Judged::SetLoose,
    };
    let watch = fixture.watch().with_own_program(own);
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

/// TR-8: what handles a process that runs, and may be the agent, needs a yes: a limit that makes
/// hooks crash would let calls through. Programs that the call starts itself, and other processes,
/// are left alone.
#[test]
fn the_running_agent_is_not_handled() {
    let fixture = Fixture::new();
    let watch = fixture.watch();
    let own = std::process::id();
    for (command, is_held) in [
        ("prlimit --pid $PPID --stack=4096".to_owned(), true),
        ("prlimit -p$PPID --nproc=1".to_owned(), true),
        (format!("prlimit --pid={own} --as=1000000"), true),
        (
            "strace -f -e inject=execve:error=EPERM -p $(pgrep -n node)".to_owned(),
            true,
        ),
        (format!("gdb -p {own} -batch -ex 'call exit(0)'"), true),
        (
            "gdb -batch -ex \"attach $PPID\" -ex detach".to_owned(),
            true,
        ),
        ("nsenter -t $PPID -m true".to_owned(), true),
        ("sudo prlimit --pid $PPID --stack=4096".to_owned(), true),
        ("/usr/bin/prlimit --pi $PPID --stack=4096".to_owned(), true),
        ("bash -c 'prlimit -p $PPID --as=1'".to_owned(), true),
        ("p=$PPID; prlimit -p $p --as=1".to_owned(), true),
        (
            "python3 -c 'import os, resource; resource.prlimit(os.getppid(), 3, (4096, 4096))'"
                .to_owned(),
            true,
        ),
        ("prlimit --nofile=1024 cargo test".to_owned(), false),
        ("prlimit --pid $$ --core=0".to_owned(), false),
        ("prlimit --pid 1".to_owned(), false),
        ("strace -f -o trace.txt true".to_owned(), false),
        ("gdb -batch -ex run -ex bt --args ./a.out".to_owned(), false),
    ] {
        let arguments = json!({ "command": command });
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let concern = watch.concern("run_shell_command", &arguments);
        assert_eq!(concern.is_some(), is_held, "{command}: {concern:?}");
    }
}
