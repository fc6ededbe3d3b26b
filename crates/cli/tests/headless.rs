//! What headless runs report to programs and to people (AG-CLI-3 to AG-CLI-8), especially about
//! hooks.
#![expect(clippy::unwrap_used, reason = "a test that can't go on fails")]

use std::io::Write as _;
use std::process::Stdio;
use std::time::Duration;

use hookloop_testkit::{Finished, Sandbox};
use serde_json::{Value, json};

/// A model that answers "Done." once.
fn answers(sandbox: &Sandbox) -> String {
    let chunk = json!({"candidates": [{
        "content": {"role": "model", "parts": [{"text": "Done."}]},
        "finishReason": "STOP",
    }]});
    let line = json!({"method": "generateContentStream", "response": [chunk]});
    let file = sandbox.root().join("answers.jsonl");
    std::fs::write(&file, format!("{line}\n")).unwrap();
    file.to_str().unwrap().to_owned()
}

fn run(sandbox: &Sandbox, arguments: &[&str]) -> Finished {
    let answers = answers(sandbox);
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
    command.args(["--fake-responses", &answers]).args(arguments);
    sandbox.run(&mut command, b"")
}

fn hooks(event: &str, entry: &Value) -> String {
    json!({"hooks": {event: [{"hooks": [entry]}]}}).to_string()
}

fn command(name: &str, command: &str) -> Value {
    json!({"type": "command", "name": name, "command": command})
}

fn object(finished: &Finished) -> Value {
    serde_json::from_str(&finished.stdout).unwrap()
}

/// The settings of the user and the project, and what one warning must say.
struct Silence {
    user: String,
    project: String,
    told: &'static [&'static str],
}

/// AG-CLI-5, ST-11: every configured hook that doesn't do its work is in `warnings` of the JSON,
/// and among the events of stream-json after the first one, with name and cause.
#[test]
fn programs_are_told_of_hooks_that_did_not_do_their_work() {
    let nothing = || "{}".to_owned();
    let off = json!({"hooks": {"BeforeAgent": [{"hooks": [command("guard", "true")]}]},
        "hooksConfig": {"disabled": ["guard"]}});
    let cases = [
        Silence {
            user: nothing(),
            project: hooks("BeforeAgent", &command("untrusted-guard", "true")),
            told: &["untrusted-guard", "nobody has agreed"],
        },
        Silence {
            user: hooks("BeforeAgent", &command("failing-guard", "exit 7")),
            project: nothing(),
            told: &["failing-guard", "7"],
        },
        Silence {
            user: off.to_string(),
            project: nothing(),
            told: &["guard", "disabled by name"],
        },
    ];
    for case in cases {
        let sandbox = Sandbox::new();
        sandbox.user_settings(&case.user);
        sandbox.project_settings(&case.project);
        let says = |text: &str| case.told.iter().all(|part| text.contains(part));
        let finished = run(&sandbox, &["-o", "json", "-p", "hi"]);
        let warnings = object(&finished)["warnings"].clone();
        let warnings = warnings.as_array().unwrap();
        let reported = warnings
            .iter()
            .filter_map(Value::as_str)
            .filter(|it| says(it));
        assert_eq!(reported.count(), 1, "{:?}: {warnings:?}", case.told);
        let finished = run(&sandbox, &["-o", "stream-json", "-p", "hi"]);
        let lines = finished.stdout.lines();
        let events: Vec<Value> = lines.map(|it| serde_json::from_str(it).unwrap()).collect();
        assert_eq!(events[0]["type"], "init");
        let is_told = |event: &&Value| {
            event["severity"] == "warning" && event["message"].as_str().is_some_and(says)
        };
        assert_eq!(
            events.iter().filter(is_told).count(),
            1,
            "{}",
            finished.stdout
        );
    }
}

/// AG-CLI-5: what hooks say to the person is in `warnings` of the JSON and among the events of
/// stream-json, each once, wherever in the session it was said; what they say to the model isn't.
#[test]
fn messages_of_hooks_are_told_to_programs() {
    let events = ["SessionStart", "BeforeAgent", "BeforeModel", "AfterAgent"];
    let says = |event: &&str| {
        let own = json!({"hookEventName": event, "additionalContext": "for the model"});
        let own = if *event == "BeforeAgent" {
            own
        } else {
            json!({})
        };
        let reply = json!({"systemMessage": format!("said at {event}"), "hookSpecificOutput": own});
        let hook = command(event, &format!("echo '{reply}'"));
        ((*event).to_owned(), json!([{"hooks": [hook]}]))
    };
    let hooks: serde_json::Map<String, Value> = events.iter().map(says).collect();
    let sandbox = Sandbox::new();
    sandbox.user_settings(&json!({ "hooks": hooks }).to_string());
    let count = |texts: &[String], event: &str| {
        let said = format!("said at {event}");
        texts.iter().filter(|it| it.ends_with(&said)).count()
    };
    let finished = run(&sandbox, &["-o", "json", "-p", "hi"]);
    let object = object(&finished);
    let warnings: Vec<String> = serde_json::from_value(object["warnings"].clone()).unwrap();
    let finished = run(&sandbox, &["-o", "stream-json", "-p", "hi"]);
    let lines = finished.stdout.lines();
    let lines = lines.map(|it| serde_json::from_str::<Value>(it).unwrap());
    let messages: Vec<String> = lines
        .filter_map(|it| it["message"].as_str().map(str::to_owned))
        .collect();
    for event in events {
        assert_eq!(count(&warnings, event), 1, "{event}: {warnings:?}");
        assert_eq!(count(&messages, event), 1, "{event}: {}", finished.stdout);
    }
    assert!(!warnings.concat().contains("for the model"), "{warnings:?}");
}

/// AG-CLI-5: if nothing is wrong, there is an empty list of warnings.
#[test]
fn warnings_are_there_without_any() {
    let finished = run(&Sandbox::new(), &["-o", "json", "-p", "hi"]);
    assert_eq!(object(&finished)["warnings"], json!([]));
    assert!(object(&finished).get("incomplete").is_none());
    assert_eq!(finished.code, Some(0));
}

/// AG-CLI-4, AG-CLI-5, AG-CLI-7: a run that couldn't start prints the same object, with the cause
/// and the exit code.
#[test]
fn a_run_that_cannot_start_says_so_in_the_chosen_form() {
    let auth = json!({"security": {"auth": {"enforcedType": "oauth-personal"}}});
    let yolo = json!({"security": {"disableYoloMode": true}});
    let cases: [(Value, &[&str], i32, &str); 4] = [
        (auth, &["-p", "hi"], 41, "enforcedType"),
        (json!({}), &[], 42, "no prompt"),
        (yolo, &["--yolo", "-p", "hi"], 52, "disableYoloMode"),
        (
            json!({}),
            &["-i", "hi"],
            42,
            "cannot be used when input is piped",
        ),
    ];
    for (settings, arguments, code, told) in cases {
        let sandbox = Sandbox::new();
        sandbox.user_settings(&settings.to_string());
        let finished = run(&sandbox, &[&["-o", "json"], arguments].concat());
        assert_eq!(finished.code, Some(code), "{}", finished.stderr);
        let object = object(&finished);
        assert_eq!(object["error"]["code"], code);
        let message = object["error"]["message"].as_str().unwrap();
        assert!(message.contains(told), "{message}");
        assert!(object["warnings"].is_array() && object["stats"].is_object());
        let finished = run(&sandbox, &[&["-o", "stream-json"], arguments].concat());
        let last: Value = serde_json::from_str(finished.stdout.lines().last().unwrap()).unwrap();
        assert_eq!(
            (&last["type"], &last["status"]),
            (&json!("result"), &json!("error"))
        );
    }
}

/// AG-CLI-5, LO-3: programs learn that a hook ended an answer in the middle, whether it refused or
/// failed, and the rest of it is nowhere.
#[test]
fn half_an_answer_is_marked_for_programs() {
    let sandbox = Sandbox::new();
    let part = |text: &str, end: Value| {
        json!({"candidates": [{"content": {"role": "model", "parts": [{ "text": text }]},
            "finishReason": end}]})
    };
    let chunks = [
        part("All is fi", json!(null)),
        part("SECRET", json!("STOP")),
    ];
    let line = json!({"method": "generateContentStream", "response": chunks});
    let file = sandbox.root().join("half.jsonl");
    std::fs::write(&file, format!("{line}\n")).unwrap();
    for refusal in ["echo why >&2; exit 2", "exit 7"] {
        let guard = format!("if grep -q SECRET; then {refusal}; fi");
        let mut guard = command("guard", &guard);
        guard["onFailure"] = json!("deny");
        sandbox.user_settings(&hooks("AfterModel", &guard));
        for form in ["json", "stream-json"] {
            let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
            command.arg("--fake-responses").arg(&file);
            command.args(["-o", form, "-p", "hi"]);
            let finished = sandbox.run(&mut command, b"");
            let last = match form {
                "json" => finished.stdout.as_str(),
                _ => finished.stdout.lines().last().unwrap(),
            };
            let last: Value = serde_json::from_str(last).unwrap();
            assert_eq!(last["incomplete"], "a hook stopped it here", "{form}");
            assert!(finished.stderr.contains("This answer is incomplete"));
            assert!(!finished.stdout.contains("SECRET"));
        }
    }
}

/// AG-CLI-4: a turn that a hook refused counts as done, one that was refused because a hook failed
/// doesn't.
#[test]
fn a_refusal_by_failure_is_not_a_success() {
    for (entry, code) in [
        (
            json!({"type": "command", "name": "g", "command": "echo no >&2; exit 2"}),
            0,
        ),
        (
            json!({"type": "command", "name": "g", "command": "exit 7", "onFailure": "deny"}),
            1,
        ),
    ] {
        let sandbox = Sandbox::new();
        sandbox.user_settings(&hooks("BeforeAgent", &entry));
        let finished = run(&sandbox, &["-p", "hi"]);
        assert_eq!(finished.code, Some(code), "{entry}: {}", finished.stderr);
    }
}

/// AG-CLI-3: beside a prompt, an open pipe that says nothing isn't waited for; one that says
/// something is read to its end.
#[test]
fn a_silent_pipe_is_not_waited_for() {
    let sandbox = Sandbox::new();
    let answers = answers(&sandbox);
    let start = || {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
        command.args([
            "--fake-responses",
            &answers,
            "-o",
            "stream-json",
            "-p",
            "hi",
        ]);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let mut silent = start();
    let open_pipe = silent.stdin.take();
    let output = silent.wait_with_output().unwrap();
    drop(open_pipe);
    assert!(output.status.success());
    let mut speaking = start();
    let mut input = speaking.stdin.take().unwrap();
    input.write_all(b"first ").unwrap();
    input.flush().unwrap();
    // Longer than the wait for a silent pipe.
    std::thread::sleep(Duration::from_millis(700));
    input.write_all(b"second").unwrap();
    drop(input);
    let output = speaking.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("first second\\n\\nhi"), "{text}");
}

/// AG-CLI-3: if the only prompt would be an open pipe that says nothing, the run ends and says so.
#[test]
fn a_silent_pipe_alone_asks_nothing() {
    let sandbox = Sandbox::new();
    let answers = answers(&sandbox);
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
    command.args(["--fake-responses", &answers]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut silent = command.spawn().unwrap();
    let open_pipe = silent.stdin.take();
    let output = silent.wait_with_output().unwrap();
    drop(open_pipe);
    assert_eq!(output.status.code(), Some(42));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("No input provided via stdin."), "{stderr}");
}

/// AG-CLI-8: a reader of a pipe isn't told which hooks run; with a request for details it is.
#[test]
fn running_hooks_are_named_for_those_who_wait() {
    let sandbox = Sandbox::new();
    sandbox.user_settings(&hooks("BeforeAgent", &command("guard", "true")));
    let line = "Executing hook: guard";
    assert!(!run(&sandbox, &["-p", "hi"]).stderr.contains(line));
    assert!(
        run(&sandbox, &["--debug", "-p", "hi"])
            .stderr
            .contains(line)
    );
}

/// HT-3: with a request for details, what a hook says about itself is shown while it runs, and not
/// written to any terminal.
#[test]
fn hooks_say_of_themselves_what_they_do() {
    let sandbox = Sandbox::new();
    let mut hook = command("guard", "true");
    hook["statusMessage"] = json!("Looking at it\u{1b}[2J…");
    sandbox.user_settings(&hooks("BeforeAgent", &hook));
    let reported = run(&sandbox, &["--debug", "-p", "hi"]).stderr;
    assert!(
        reported.contains("Looking at it") && reported.contains("guard, 1/1"),
        "{reported}"
    );
    assert!(!reported.contains('\u{1b}'), "{reported:?}");
    assert!(!run(&sandbox, &["-p", "hi"]).stderr.contains("Looking"));
}

/// ST-11: a session says in one line how many hooks are active and how many aren't; nothing if none
/// is configured.
#[test]
fn a_session_says_how_many_hooks_watch() {
    let sandbox = Sandbox::new();
    assert!(!run(&sandbox, &["-p", "hi"]).stderr.contains("active"));
    sandbox.user_settings(&hooks("BeforeAgent", &command("mine", "true")));
    sandbox.project_settings(&hooks("BeforeAgent", &command("theirs", "true")));
    let reported = run(&sandbox, &["-p", "hi"]).stderr;
    assert!(
        reported.contains("1 hook active; 1 configured hook doesn't run"),
        "{reported}"
    );
    assert!(reported.contains("theirs"), "{reported}");
}

/// AG-CLI-9: whichever layer forbids the mode that never asks, no session begins in it, and the
/// place is named; no other layer allows it again.
#[test]
fn the_mode_that_never_asks_is_forbidden_by_any_layer() {
    for layer in ["system", "user", "project"] {
        let sandbox = Sandbox::new();
        let of = |name: &str| {
            let forbids = layer == name;
            json!({"security": {"disableYoloMode": forbids}}).to_string()
        };
        let system = sandbox.root().join("system.json");
        std::fs::write(&system, of("system")).unwrap();
        sandbox.user_settings(&of("user"));
        sandbox.project_settings(&of("project"));
        let answers = answers(&sandbox);
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
        command.args(["--fake-responses", &answers, "-y", "-p", "hi"]);
        command.env("GEMINI_CLI_SYSTEM_SETTINGS_PATH", &system);
        let finished = sandbox.run(&mut command, b"");
        assert_eq!(finished.code, Some(52), "{layer}: {}", finished.stderr);
        let place = "settings.json:1:32: \"security.disableYoloMode\"";
        let place = place.replace(
            "settings",
            if layer == "system" {
                "system"
            } else {
                "settings"
            },
        );
        assert!(finished.stderr.contains(&place), "{}", finished.stderr);
    }
}

/// AG-CLI-7: a session gets the given id, once.
#[test]
fn a_session_gets_the_id_that_it_is_given() {
    let sandbox = Sandbox::new();
    let arguments = ["-o", "json", "--session-id", "mine-1", "-p", "hi"];
    assert_eq!(object(&run(&sandbox, &arguments))["session_id"], "mine-1");
    assert_eq!(run(&sandbox, &arguments).code, Some(42));
    assert_eq!(
        run(&sandbox, &["--session-id", "../x", "-p", "hi"]).code,
        Some(42)
    );
}

/// AG-CLI-7: servers are added, listed and removed as in the reference.
#[test]
fn servers_are_added_listed_and_removed() {
    let sandbox = Sandbox::new();
    let run = |arguments: &[&str]| {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
        command.arg("mcp").args(arguments);
        sandbox.run(&mut command, b"")
    };
    let scope = ["--scope", "user"];
    assert_eq!(
        run(&[&["add"], &scope[..], &["files", "serve", "--all"]].concat()).code,
        Some(0)
    );
    let listed = run(&["list"]).stdout;
    assert!(listed.contains("files: serve --all (stdio)"), "{listed}");
    let unknown = run(&[&["remove"], &scope[..], &["fils"]].concat());
    assert!(unknown.code == Some(1) && unknown.stderr.contains("\"files\""));
    assert_eq!(
        run(&[&["remove"], &scope[..], &["files"]].concat()).code,
        Some(0)
    );
    assert!(!run(&["list"]).stdout.contains("files"));
    // A server of a project that nobody trusts isn't started, which is reported.
    let added = run(&["add", "local", "serve"]);
    let hidden = |said: &str| said.contains("\"local\"") && said.contains("settings.json:");
    assert!(hidden(&added.stderr), "{}", added.stderr);
    let listed = run(&["list"]);
    let is_told = listed.stdout.contains("local: serve") && listed.stdout.contains("disabled by");
    assert!(is_told, "{}", listed.stdout);
}

/// TU-5: a prompt that calls a command from a file is the command's prompt, after what was piped
/// in; its shell command passes through hooks and policy, and if it may not run nothing is sent.
#[cfg(unix)]
#[test]
fn commands_of_files_are_called_without_a_terminal() {
    let sandbox = Sandbox::new();
    let log = sandbox.root().join("prompts.log");
    let note = command(
        "note",
        &format!("cat >> '{0}'; echo >> '{0}'", log.display()),
    );
    sandbox.user_settings(&hooks("BeforeAgent", &note));
    let file = sandbox.home().join(".gemini/commands/say.toml");
    sandbox.file(file, "prompt = 'Say {{args}}: !{echo ran {{args}}}'\n");
    let answers = answers(&sandbox);
    let run = |arguments: &[&str]| {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
        command.args(["--fake-responses", &answers]).args(arguments);
        sandbox.run(&mut command, b"piped in")
    };
    let finished = run(&["-p", "/say it all"]);
    assert_eq!(finished.code, Some(1));
    assert!(
        finished.stderr.contains("/say wasn't sent"),
        "{}",
        finished.stderr
    );
    assert!(!log.exists());
    let finished = run(&["-y", "-p", "/say it all"]);
    assert_eq!(finished.stdout.trim(), "Done.");
    let noted: Value = serde_json::from_str(&std::fs::read_to_string(&log).unwrap()).unwrap();
    let prompt = noted["prompt"].as_str().unwrap();
    assert!(prompt.starts_with("piped in\n\nSay it all: "), "{prompt}");
    assert!(prompt.contains("Output: ran it all"), "{prompt}");
}

/// TO-3, EV-4: a prompt of an MCP server is called by its name, passes through the hooks of a
/// person's prompt with the server's text, and isn't sent to the model if one of them refuses it;
/// nothing that the server wrote refers to files.
#[cfg(all(unix, feature = "mcp"))]
#[test]
fn prompts_of_servers_are_called_without_a_terminal() {
    let sandbox = Sandbox::new();
    let logs = ["agent", "model"].map(|it| sandbox.root().join(it));
    let note = |log: &std::path::Path| format!("cat >> '{0}'; echo >> '{0}'", log.display());
    let guard = format!(
        "input=$(cat); printf '%s\\n' \"$input\" >> '{}'; \
         case \"$input\" in *Mallory*) echo 'not her' >&2; exit 2;; esac",
        logs[0].display()
    );
    let puppet = hookloop_testkit::mcp_puppet();
    let settings = json!({
        "mcpServers": {"srv": {"command": puppet, "args": ["prompts"]}},
        "hooks": {
            "BeforeAgent": [{"hooks": [command("guard", &guard)]}],
            "BeforeModel": [{"hooks": [command("note", &note(&logs[1]))]}],
        },
    });
    sandbox.user_settings(&settings.to_string());
    sandbox.file("secret.txt", "the secret\n");
    let file = sandbox.home().join(".gemini/commands/greet.toml");
    sandbox.file(file, "prompt = 'of a file'\n");
    let run = |prompt: &str| {
        let answers = answers(&sandbox);
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
        command.args(["--fake-responses", &answers, "-p", prompt]);
        sandbox.run(&mut command, b"piped in")
    };
    let read = |log: &std::path::Path| std::fs::read_to_string(log).unwrap_or_default();
    let finished = run("/srv.greet the world");
    assert_eq!(finished.stdout.trim(), "Done.", "{}", finished.stderr);
    let noted: Value = serde_json::from_str(&read(&logs[0])).unwrap();
    let text = "piped in\n\nGreet {\"name\":\"the world\"} @secret.txt\n\n[assistant]\nGladly.";
    assert_eq!(noted["prompt"], text);
    let request = read(&logs[1]);
    assert!(request.contains("@secret.txt") && !request.contains("the secret"));
    let finished = run("/greet");
    assert_eq!(finished.stdout.trim(), "Done.");
    assert!(read(&logs[0]).contains("of a file"));
    std::fs::remove_file(&logs[1]).unwrap();
    let finished = run("/srv.greet Mallory");
    assert!(finished.stderr.contains("not her"), "{}", finished.stderr);
    assert!(!finished.stdout.contains("Done."));
    let finished = run("/srv.greet");
    assert_eq!(finished.code, Some(1));
    assert!(
        finished
            .stderr
            .contains("/srv.greet wasn't sent: it needs name"),
        "{}",
        finished.stderr
    );
    assert!(!logs[1].exists(), "{}", read(&logs[1]));
}

/// AG-CLI-7, AG-CLI-5: if the environment requests another way of authenticating than the settings
/// enforce, nothing starts, and the object names both.
#[test]
fn an_enforced_way_of_authenticating_is_not_another() {
    let sandbox = Sandbox::new();
    let settings = json!({"security": {"auth": {"enforcedType": "gemini-api-key"}}});
    sandbox.user_settings(&settings.to_string());
    let answers = answers(&sandbox);
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
    command.args(["--fake-responses", &answers, "-o", "json", "-p", "hi"]);
    command.env("GOOGLE_GENAI_USE_GCA", "true");
    let finished = sandbox.run(&mut command, b"");
    assert_eq!(finished.code, Some(41), "{}", finished.stderr);
    let error = &object(&finished)["error"];
    assert_eq!(error["code"], 41);
    assert_eq!(error["type"], "Error");
    let message = error["message"].as_str().unwrap();
    for part in [
        "enforced authentication type is 'gemini-api-key'",
        "current type is 'oauth-personal'",
    ] {
        assert!(message.contains(part), "{message}");
    }
    // Callers of Gemini CLI parse standard error from the first brace to the last.
    let begin = finished.stderr.find('{').unwrap();
    let reported: Value = serde_json::from_str(&finished.stderr[begin..]).unwrap();
    assert_eq!(&reported["error"], error);
}

/// TO-1, TR-5: tools can access the folders that settings include, of a project only if it is
/// trusted; a missing one is reported, and prevents nothing.
#[test]
fn settings_include_further_folders() {
    for (layer, option, is_reached) in [
        ("user", None, true),
        ("project", None, false),
        ("project", Some("--skip-trust"), true),
    ] {
        let sandbox = Sandbox::new();
        let beside = sandbox.root().join("beside");
        std::fs::create_dir(&beside).unwrap();
        let folders = [&beside, &sandbox.root().join("gone")];
        let settings = json!({"context": {"includeDirectories": folders}}).to_string();
        match layer {
            "user" => sandbox.user_settings(&settings),
            _ => sandbox.project_settings(&settings),
        };
        let file = beside.join("new.txt");
        let call = json!({"functionCall": {"name": "write_file", "args": {
            "file_path": file, "content": "text",
        }}});
        let line = |part: &Value| {
            let content = json!({"role": "model", "parts": [part]});
            let chunk = json!({"candidates": [{"content": content, "finishReason": "STOP"}]});
            json!({"method": "generateContentStream", "response": [chunk]}).to_string()
        };
        let lines = [line(&call), line(&json!({"text": "Done."}))];
        let model = sandbox.root().join("model.jsonl");
        std::fs::write(&model, lines.join("\n")).unwrap();
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
        command.arg("--fake-responses").arg(&model);
        command.args(["--approval-mode", "auto_edit", "-p", "write"]);
        command.args(option);
        let finished = sandbox.run(&mut command, b"");
        assert_eq!(finished.code, Some(0), "{layer}: {}", finished.stderr);
        assert_eq!(
            file.exists(),
            is_reached,
            "{layer} {option:?}: {}",
            finished.stderr
        );
        let named = finished.stderr.contains("gone") || !is_reached;
        assert!(named, "{layer} {option:?}: {}", finished.stderr);
    }
}
