//! Commands and hooks that are confined, judging by what they really can do (TO-2: `tools.sandbox`;
//! HT-4: `sandbox` of a hook).

use std::fs;
use std::io::Read as _;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use hookloop_testkit::{Finished, Sandbox, skipped};
use serde_json::{Value, json};

use crate::script::Script;
use crate::world::scripted;

/// A place that isn't a temporary folder, so that what is beside the project may not be written.
fn ground() -> Option<Sandbox> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let temporary = ["/tmp", "/var/tmp", "/dev/shm"].map(Path::new);
    let is_temporary = temporary.iter().any(|it| folder.starts_with(it));
    let confined = Command::new(env!("CARGO_BIN_EXE_hookloop"))
        .args(["__sandboxed", "--", "true"])
        .output()
        .unwrap();
    if is_temporary || !confined.status.success() {
        let why = if is_temporary {
            "the target folder is a temporary one, which may be written to".into()
        } else {
            String::from_utf8_lossy(&confined.stderr)
        };
        skipped("the sandbox of commands", &why);
        return None;
    }
    Some(Sandbox::below(folder))
}

/// Lets the model run a command in a mode, and returns its result: the run, and what the model
/// was told.
fn told(sandbox: &Sandbox, arguments: &Value, options: &[&str]) -> (Finished, String) {
    let script = Script::new()
        .calls("run_shell_command", arguments)
        .says("Done.");
    let mut all = vec!["-p", "go", "--yolo", "-o", "stream-json"];
    all.extend(options);
    let finished = sandbox.run(&mut scripted(sandbox, &script, &all), b"");
    let events = finished.stdout.lines();
    let events = events.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let result = events
        .filter(|it| it["type"] == "tool_result")
        .map(|it| it.to_string())
        .collect();
    (finished, result)
}

fn run(sandbox: &Sandbox, command: &str) -> String {
    told(sandbox, &json!({ "command": command }), &[]).1
}

fn settings(mode: &str) -> Value {
    json!({"tools": {"sandbox": mode}})
}

/// TO-2: with `on`, commands can write to the workspace and temporary folders, and nowhere else, by
/// whatever path, link, process or namespace they try it; permissions and times stay too.
#[test]
fn commands_write_to_the_workspace_alone() {
    let Some(sandbox) = ground() else { return };
    sandbox.user_settings(&settings("on").to_string());
    let outside = sandbox.root().join("outside");
    fs::create_dir(&outside).unwrap();
    let kept = outside.join("kept");
    fs::write(&kept, "kept").unwrap();
    let place = outside.display();
    let result = run(
        &sandbox,
        "echo in > new && mkdir d && mv new d/ && T=$(mktemp) && rm $T",
    );
    assert_eq!(
        fs::read_to_string(sandbox.project().join("d/new")).unwrap(),
        "in\n",
        "{result}"
    );
    let attempts = [
        format!("echo x > {place}/kept; echo x >> {place}/kept; echo x > {place}/other"),
        format!("ln -s {place} way; echo x > way/kept; echo x > way/other"),
        format!("echo x > /proc/self/root{place}/kept"),
        format!("echo x > /proc/$PPID/root{place}/kept; echo x > /proc/$PPID/cwd/../outside/kept"),
        format!("ln {place}/kept second; echo x > second"),
        format!(
            "chmod 600 {place}/kept; touch -d 2001-01-01 {place}/kept; truncate -s 0 {place}/kept"
        ),
        format!("mv {place}/kept .; rm -rf {place}; mv {place} moved"),
        format!("sh -c 'bash -c \"echo x > {place}/kept\"'"),
        format!(
            "setsid sh -c 'echo x > {place}/kept'; (setsid sh -c 'echo x > {place}/kept' &) ; sleep 0.2"
        ),
        format!("unshare -Urm sh -c 'mount -o remount,rw /; echo x > {place}/kept'"),
        format!("mount -o remount,rw,bind /; umount -l {place}; echo x > {place}/kept"),
        "kill -9 $PPID; kill -9 -1 2>/dev/null".to_owned(),
    ];
    let before = fs::metadata(&kept).unwrap();
    for attempt in attempts {
        let result = run(&sandbox, &attempt);
        assert_eq!(
            fs::read_to_string(&kept).unwrap(),
            "kept",
            "{attempt}: {result}"
        );
        let now = fs::metadata(&kept).unwrap();
        assert_eq!(now.permissions(), before.permissions(), "{attempt}");
        assert_eq!(
            now.modified().unwrap(),
            before.modified().unwrap(),
            "{attempt}"
        );
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1, "{attempt}");
    }
}

/// TO-2: a sandbox that is requested by Gemini CLI's variable is used, whatever the settings say,
/// and `false` removes none.
#[test]
fn a_variable_asks_for_a_sandbox() {
    let Some(sandbox) = ground() else { return };
    let place = sandbox.root().join("outside");
    fs::create_dir(&place).unwrap();
    let cases = [
        ("off", "true", true),
        ("off", "docker", true),
        ("off", "0", false),
        ("on", "false", true),
    ];
    for (set, asked, is_confined) in cases {
        sandbox.user_settings(&settings(set).to_string());
        let kept = place.join("file");
        let command = json!({"command": format!("echo x > {}", kept.display())});
        let script = Script::new()
            .calls("run_shell_command", &command)
            .says("Done.");
        let mut session = scripted(&sandbox, &script, &["-p", "go", "--yolo"]);
        sandbox.run(session.env("GEMINI_SANDBOX", asked), b"");
        assert_eq!(!kept.exists(), is_confined, "{set}, {asked}");
        let _ = fs::remove_file(&kept);
    }
}

/// TO-2, AG-CLI-9: a sandbox that is requested in the words of Gemini CLI's settings is used,
/// whichever layer says so.
#[test]
fn the_sandbox_of_tools_is_the_one_of_commands() {
    let Some(sandbox) = ground() else { return };
    let kept = sandbox.root().join("outside");
    let system = sandbox.root().join("system.json");
    let script = Script::new()
        .calls(
            "run_shell_command",
            &json!({"command": format!("echo x > {}", kept.display())}),
        )
        .says("Done.");
    for layer in ["system", "user", "project", "none"] {
        let of = |name: &str| {
            let asked_for = layer == name;
            json!({"security": {"toolSandboxing": asked_for}}).to_string()
        };
        sandbox.user_settings(&of("user"));
        sandbox.project_settings(&of("project"));
        fs::write(&system, of("system")).unwrap();
        let mut session = scripted(&sandbox, &script, &["-p", "go", "--yolo"]);
        sandbox.run(session.env("GEMINI_CLI_SYSTEM_SETTINGS_PATH", &system), b"");
        assert_eq!(kept.exists(), layer == "none", "{layer}");
    }
}

/// TO-2, TR-8: git's own folder, settings and files that hooks depend on stay unchanged, in the
/// workspace and in a home that is a temporary folder; they can't be moved away.
#[test]
fn guards_and_gits_folder_stay_as_they_are() {
    let Some(sandbox) = ground() else { return };
    let guard = sandbox.script("tools/deep/guard.sh", "#!/bin/sh\nexit 0\n");
    let hooks = json!({"AfterTool": [{"hooks": [
        {"type": "command", "name": "guard", "command": guard},
    ]}]});
    let mut all = settings("on");
    all["hooks"] = hooks;
    let user = sandbox.user_settings(&all.to_string());
    let project = sandbox.project_settings("{}");
    sandbox.file(".git/config", "[core]\n");
    sandbox.file("vendor/lib/.git/config", "[core]\n");
    let kept = [
        user.clone(),
        project,
        guard,
        sandbox.project().join(".git/config"),
        sandbox.project().join("vendor/lib/.git/config"),
    ];
    let before: Vec<_> = kept.iter().map(|it| fs::read(it).unwrap()).collect();
    let home = user.parent().unwrap().display().to_string();
    // Programs about which nothing is known except what they do.
    let attempts = [
        "tee .git/hooks/pre-commit .git/config .gemini/settings.json tools/deep/guard.sh < /dev/zero | head -c 1".to_owned(),
        "python3 -c 'import os; os.rename(\".git\", \"g\")'; python3 -c 'import os; os.rename(\"tools\", \"t\")'".to_owned(),
        "python3 -c 'import os; os.rename(\"tools/deep\", \"t\")'; python3 -c 'import shutil; shutil.rmtree(\".gemini\")'".to_owned(),
        format!("python3 -c 'open(\"{home}/settings.json\", \"w\")'"),
        "tee vendor/lib/.git/config vendor/lib/.git/hooks/pre-commit < /dev/zero | head -c 1".to_owned(),
        "python3 -c 'import os; os.rename(\"vendor/lib/.git\", \"g\")'; python3 -c 'import os; os.rename(\"vendor\", \"v\")'".to_owned(),
        "python3 -c 'import os; os.chmod(\"tools/deep/guard.sh\", 0)'".to_owned(),
    ];
    for attempt in attempts {
        let arguments = json!({ "command": attempt });
        let (_, result) = told(&sandbox, &arguments, &[]);
        for (file, before) in kept.iter().zip(&before) {
            assert_eq!(&fs::read(file).unwrap(), before, "{attempt}: {result}");
        }
        assert!(!sandbox.project().join(".git/hooks/pre-commit").exists());
    }
    // What is beside them can be changed.
    let result = run(&sandbox, "echo x > tools/deep/other");
    assert!(
        sandbox.project().join("tools/deep/other").exists(),
        "{result}"
    );
}

/// TO-2: the network is closed, this machine included, unless the settings open it;
/// sockets of other programs stay closed.
#[test]
fn the_network_is_as_configured() {
    let Some(sandbox) = ground() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let command = format!(
        "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}), 5).sendall(b\"hi\")'; \
         python3 -c 'import socket; socket.socket(socket.AF_UNIX)' && touch bus-open; \
         python3 -c 'import socket; socket.socketpair()' && touch pair-open"
    );
    for is_open in [false, true] {
        let mut all = settings("on");
        all["tools"]["sandboxNetworkAccess"] = json!(is_open);
        sandbox.user_settings(&all.to_string());
        let result = run(&sandbox, &command);
        assert_eq!(hears(&listener), is_open, "{result}");
        assert!(!sandbox.project().join("bus-open").exists(), "{result}");
        assert!(sandbox.project().join("pair-open").exists(), "{result}");
    }
}

/// Returns whether somebody has connected and said something. The command has ended: whoever
/// connected is in the queue already.
fn hears(listener: &TcpListener) -> bool {
    let Ok((mut stream, _)) = listener.accept() else {
        return false;
    };
    stream.set_nonblocking(false).unwrap();
    let mut said = [0; 2];
    stream.read_exact(&mut said).is_ok()
}

/// TO-2: with `ask` a call that has to leave the sandbox needs a person's consent even if nothing
/// else is asked about; if nobody is there it is refused and doesn't run. With `on` the argument
/// has no meaning: the command stays inside. A background command is confined as well.
#[test]
fn leaving_needs_a_person() {
    let Some(sandbox) = ground() else { return };
    let outside = sandbox.root().join("outside");
    let command = format!("echo x > {}; echo x > inside", outside.display());
    let inside = sandbox.project().join("inside");
    let call = json!({"command": command, "outside_sandbox": true});
    sandbox.user_settings(&settings("ask").to_string());
    let (_, result) = told(&sandbox, &call, &[]);
    assert!(result.contains("needs confirmation"), "{result}");
    assert!(result.contains("outside of the sandbox"), "{result}");
    assert!(!outside.exists() && !inside.exists());
    let (_, result) = told(&sandbox, &json!({ "command": command }), &[]);
    assert!(!outside.exists() && inside.exists(), "{result}");
    fs::remove_file(&inside).unwrap();
    sandbox.user_settings(&settings("on").to_string());
    let (_, result) = told(&sandbox, &call, &[]);
    assert!(!outside.exists() && inside.exists(), "{result}");
    fs::remove_file(&inside).unwrap();
    let background = json!({"command": command, "is_background": true});
    let (_, result) = told(&sandbox, &background, &[]);
    assert!(!outside.exists() && inside.exists(), "{result}");
}

/// TO-2, ST-13: a project's settings close the sandbox, and never open it: neither with another
/// mode nor with the network or further folders.
#[test]
fn a_project_opens_nothing() {
    let Some(sandbox) = ground() else { return };
    let outside = sandbox.root().join("outside");
    fs::create_dir(&outside).unwrap();
    let word = json!({"tools": {"sandbox": "off", "sandboxAllowedPaths": [outside]}});
    sandbox.user_settings(&settings("on").to_string());
    sandbox.project_settings(&word.to_string());
    let command = json!({"command": format!("echo x > {}/file", outside.display())});
    let (finished, result) = told(&sandbox, &command, &["--skip-trust"]);
    assert!(!outside.join("file").exists(), "{result}");
    let said = finished.stdout + &finished.stderr;
    assert!(said.contains("tools.sandboxAllowedPaths"), "{said}");
    // The user's own setting opens the folder.
    let mut own = settings("on");
    own["tools"]["sandboxAllowedPaths"] = json!([outside]);
    sandbox.user_settings(&own.to_string());
    let (_, result) = told(&sandbox, &command, &["--skip-trust"]);
    assert!(outside.join("file").exists(), "{result}");
    // Without a setting of the user's, the project's closes it.
    fs::remove_file(outside.join("file")).unwrap();
    sandbox.user_settings("{}");
    sandbox.project_settings(&settings("on").to_string());
    let (_, result) = told(&sandbox, &command, &[]);
    assert!(!outside.join("file").exists(), "{result}");
}

/// Runs the step that confines, with the project as the writable folder.
fn step(sandbox: &Sandbox, words: &[&str]) -> Finished {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
    command.args(["__sandboxed", "--write", "."]).args(words);
    sandbox.run(&mut command, b"")
}

/// TO-2: nobody gets more rights inside than outside: set-user-id bits and file capabilities have
/// no effect.
#[cfg(target_os = "linux")]
#[test]
fn nobody_inside_becomes_somebody_else() {
    use std::os::unix::fs::{PermissionsExt as _, chown};

    let Some(sandbox) = ground() else { return };
    let status = step(&sandbox, &["--", "cat", "/proc/self/status"]);
    assert_eq!(status.code, Some(0), "{}", status.stderr);
    assert!(
        status.stdout.contains("NoNewPrivs:\t1"),
        "{}",
        status.stdout
    );
    let program = sandbox.project().join("who");
    let of_system = ["/usr/bin/id", "/bin/id"].map(Path::new);
    let Some(id) = of_system.into_iter().find(|it| it.exists()) else {
        return skipped("programs that run as their owner", "there is no `id`");
    };
    fs::copy(id, &program).unwrap();
    let somebody = 65_534;
    if chown(&program, Some(somebody), None).is_err() {
        return skipped("programs that run as their owner", "only root can make one");
    }
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).unwrap();
    let outside = Command::new(&program).arg("-u").output().unwrap();
    if outside.stdout != format!("{somebody}\n").as_bytes() {
        return skipped(
            "programs that run as their owner",
            "the file system knows none",
        );
    }
    let inside = step(&sandbox, &["--", program.to_str().unwrap(), "-u"]);
    assert_ne!(
        inside.stdout.trim(),
        somebody.to_string(),
        "{}",
        inside.stderr
    );
}

/// TO-2: root inside has none of the rights by which what was made read-only becomes writable
/// again, not even inherited ones, and calls with other numbers are refused too.
#[test]
#[cfg(target_os = "linux")]
fn nobody_inside_can_mount() {
    let Some(sandbox) = ground() else { return };
    let status = step(&sandbox, &["--", "cat", "/proc/self/status"]).stdout;
    let set = |name: &str| {
        let line = status.lines().find_map(|it| it.strip_prefix(name));
        u64::from_str_radix(line.unwrap().trim(), 16).unwrap()
    };
    // The numbers of CAP_KILL, CAP_SYS_MODULE, CAP_SYS_PTRACE, CAP_SYS_ADMIN, CAP_SYS_RESOURCE.
    for right in [5, 16, 19, 21, 24] {
        assert_eq!(set("CapBnd:") >> right & 1, 0, "{right}: {status}");
    }
    assert_eq!(set("CapInh:") | set("CapAmb:"), 0, "{status}");
}

/// TO-2: a terminal in which a person types can't be read, whoever it belongs to, and no own
/// terminal is available.
#[test]
#[cfg(target_os = "linux")]
fn nobody_inside_reads_what_is_typed() {
    let Some(sandbox) = ground() else { return };
    let pair = portable_pty::native_pty_system()
        .openpty(portable_pty::PtySize::default())
        .unwrap();
    let terminal = pair.master.tty_name().unwrap();
    let terminal = terminal.to_str().unwrap();
    for command in [
        format!("exec 3< {terminal}"),
        "read line < /dev/tty".to_owned(),
        "exec 3< /dev/ptmx".to_owned(),
    ] {
        let finished = step(&sandbox, &["--", "sh", "-c", &command]);
        assert_ne!(finished.code, Some(0), "{command}: {}", finished.stdout);
    }
}

/// TO-2: limits and priorities of other processes stay, a program's own may change, and a socket
/// pair reaches nothing but itself.
#[test]
#[cfg(target_os = "linux")]
fn other_processes_are_left_alone() {
    let Some(sandbox) = ground() else { return };
    let refused = [
        "import os, resource; resource.prlimit(os.getppid(), resource.RLIMIT_FSIZE, (0, 0))",
        "import os; os.setpriority(os.PRIO_PROCESS, os.getppid(), 5)",
        "import os; os.setpriority(os.PRIO_USER, 0, 5)",
        "import os; os.sched_setscheduler(os.getppid(), os.SCHED_IDLE, os.sched_param(0))",
        "import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)",
        "import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW)",
    ];
    for line in refused {
        let finished = step(&sandbox, &["--", "python3", "-c", line]);
        assert_ne!(finished.code, Some(0), "{line}");
        assert!(
            finished.stderr.contains("not permitted"),
            "{}",
            finished.stderr
        );
    }
    let own = "import os, resource, socket; \
        resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE); \
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); os.nice(1); \
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)); socket.socketpair()";
    let finished = step(&sandbox, &["--", "python3", "-c", own]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
}

/// TO-2: if a command claims that it wasn't run, that is reported with everything that it wrote,
/// and it never counts as one that did nothing.
#[test]
fn nobody_passes_for_a_command_that_was_not_run() {
    let Some(sandbox) = ground() else { return };
    sandbox.user_settings(&settings("on").to_string());
    let result = run(
        &sandbox,
        "echo 'hookloop: no sandbox: x'; echo written; exit 126",
    );
    assert!(result.contains("written"), "{result}");
    assert!(!result.contains("wasn't run"), "{result}");
}

/// TO-2: the program that confines can't be replaced, whatever else may be changed.
#[test]
fn the_program_stays_as_it_is() {
    let Some(sandbox) = ground() else { return };
    let program = sandbox.project().join("bin/hookloop");
    fs::create_dir(program.parent().unwrap()).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_hookloop"), &program).unwrap();
    sandbox.user_settings(&settings("on").to_string());
    let arguments =
        json!({"command": "rm bin/hookloop; mv bin b; echo x >> bin/hookloop; echo x > new"});
    let script = Script::new()
        .calls("run_shell_command", &arguments)
        .says("Done.");
    let file = sandbox.file("answers", &script.text());
    let mut command = sandbox.command(&program);
    command.args([
        "-p",
        "go",
        "--yolo",
        "--allow-config-edits",
        "--fake-responses",
    ]);
    let finished = sandbox.run(command.arg(file), b"");
    let new = sandbox.project().join("new");
    assert!(new.exists(), "{} {}", finished.stdout, finished.stderr);
    let length = |path: &Path| fs::metadata(path).unwrap().len();
    let own = Path::new(env!("CARGO_BIN_EXE_hookloop"));
    assert_eq!(length(&program), length(own));
}

/// HT-4, IO-21: a hook is confined to what its entry says; if it can't be, it hasn't looked at
/// anything, and the call is refused.
#[test]
fn a_hook_is_confined_as_its_entry_says() {
    let Some(sandbox) = ground() else { return };
    let outside = sandbox.root().join("outside");
    let script = format!(
        "#!/bin/sh\necho x > {}\necho x > out/told\necho x > told\necho x > .gemini/told\nexit 0\n",
        outside.display()
    );
    sandbox.script("guard.sh", &script);
    for folder in ["out", ".gemini"] {
        fs::create_dir(sandbox.project().join(folder)).unwrap();
    }
    let entry = |confined: Value| {
        json!({"hooks": {"BeforeTool": [{"hooks": [{
            "type": "command", "name": "guard", "command": "./guard.sh", "sandbox": confined,
        }]}]}})
    };
    sandbox.user_settings(&entry(json!({"write": ["out"]})).to_string());
    let call = json!({"command": "echo ran > ran"});
    let (finished, result) = told(&sandbox, &call, &[]);
    let project = sandbox.project();
    assert!(project.join("ran").exists(), "{result} {}", finished.stderr);
    assert!(project.join("out/told").exists(), "{}", finished.stderr);
    assert!(!outside.exists() && !project.join("told").exists());
    fs::remove_file(project.join("ran")).unwrap();
    // What the entry says about temporary folders, or how it spells a folder, opens nothing.
    let mut all = entry(json!({"write": [".gemini/..", "out"]}));
    let hook = &mut all["hooks"]["BeforeTool"][0]["hooks"][0];
    hook["env"] = json!({"TMPDIR": sandbox.root()});
    sandbox.user_settings(&all.to_string());
    let (_, result) = told(&sandbox, &call, &[]);
    assert!(project.join("told").exists(), "{result}");
    assert!(!outside.exists() && !project.join(".gemini/told").exists());
    for file in ["ran", "told"] {
        fs::remove_file(project.join(file)).unwrap();
    }
    // Unreadable isn't unconfined.
    for confined in [json!(true), json!({"write": "out"})] {
        sandbox.user_settings(&entry(confined).to_string());
        let (_, result) = told(&sandbox, &call, &[]);
        assert!(!project.join("ran").exists(), "{result}");
        assert!(!project.join("told").exists(), "{result}");
    }
}

/// TO-2: the step that confines grants nothing: without arguments about folders nothing can be
/// written, and unknown arguments run nothing.
#[test]
fn the_step_that_confines_gives_nothing() {
    let Some(sandbox) = ground() else { return };
    let program = env!("CARGO_BIN_EXE_hookloop");
    let step = |words: &[&str]| {
        let mut command = sandbox.command(program);
        command.arg("__sandboxed").args(words);
        sandbox.run(&mut command, b"")
    };
    for words in [
        &["--", "touch", "file"][..],
        &["--write", "/", "--", "touch", "file"],
        &["--anything", "--", "touch", "file"],
        &["--write", ".", "touch", "file"],
        &[],
    ] {
        let finished = step(words);
        assert_ne!(finished.code, Some(0), "{words:?}");
        assert!(!sandbox.project().join("file").exists(), "{words:?}");
    }
    let inside = step(&["--write", ".", "--", "touch", "file"]);
    assert_eq!(inside.code, Some(0), "{}", inside.stderr);
    let missing = step(&["--", "no-such-program"]);
    assert_eq!(missing.code, Some(127), "{}", missing.stderr);
}
