use hookloop_testkit::Sandbox;
use serde_json::{Value, json};

fn hookloop(sandbox: &Sandbox, words: &[&str]) -> hookloop_testkit::Finished {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
    command.arg("mcp").args(words);
    sandbox.run(&mut command, b"")
}

fn servers(sandbox: &Sandbox, of: &str) -> Value {
    let file = match of {
        "user" => sandbox.home().join(".gemini/settings.json"),
        _ => sandbox.project().join(".gemini/settings.json"),
    };
    let text = std::fs::read_to_string(file).unwrap_or_else(|_| "{}".to_owned());
    let settings: Value = serde_json::from_str(&text).unwrap();
    settings["mcpServers"].clone()
}

/// AG-CLI-7: `mcp add` accepts the options of the reference, in any position, and writes their
/// names in settings.
#[test]
fn a_server_is_added_with_the_options_of_the_reference() {
    let sandbox = Sandbox::new();
    let added = hookloop(
        &sandbox,
        &[
            "add",
            "-e",
            "KEY=a=b",
            "--env",
            "OTHER=",
            "--timeout",
            "500",
            "--trust",
            "--description",
            "Words",
            "--include-tools",
            "a,b",
            "--exclude-tools",
            "c",
            "one",
            "node",
            "--",
            "-x",
            "server.js",
        ],
    );
    assert_eq!(added.code, Some(0), "{}", added.stderr);
    assert!(
        added
            .stdout
            .contains("MCP server \"one\" added to project settings. (stdio)"),
        "{}",
        added.stdout
    );
    assert_eq!(
        servers(&sandbox, "project")["one"],
        json!({"command": "node", "args": ["-x", "server.js"],
            "env": {"KEY": "a=b", "OTHER": ""}, "includeTools": ["a", "b"],
            "excludeTools": ["c"], "timeout": 500, "trust": true, "description": "Words"})
    );
    let over_http = hookloop(
        &sandbox,
        &[
            "add",
            "-s",
            "user",
            "--transport",
            "http",
            "-H",
            "Authorization: Bearer x:y",
            "two",
            "https://example.com/mcp",
        ],
    );
    assert_eq!(over_http.code, Some(0), "{}", over_http.stderr);
    assert_eq!(
        servers(&sandbox, "user")["two"],
        json!({"httpUrl": "https://example.com/mcp", "headers": {"Authorization": "Bearer x:y"}})
    );
    let with_events = [
        "add",
        "-s",
        "user",
        "-t",
        "sse",
        "three",
        "http://localhost:1/sse",
    ];
    assert_eq!(hookloop(&sandbox, &with_events).code, Some(0));
    assert_eq!(
        servers(&sandbox, "user")["three"],
        json!({"url": "http://localhost:1/sse", "type": "sse"})
    );
    let list = hookloop(&sandbox, &["list"]);
    assert!(
        list.stdout.contains("http://localhost:1/sse (sse)"),
        "{}",
        list.stdout
    );
}

/// AG-CLI-7: an option that doesn't apply to a server, or can't be read, is refused; nothing is
/// written, and no secret is repeated.
#[test]
fn options_without_use_are_refused() {
    let sandbox = Sandbox::new();
    let refused: [&[&str]; 5] = [
        &["add", "-H", "A: b", "one", "node"],
        &["add", "-e", "A=b", "one", "https://example.com"],
        &["add", "-e", "my-secret", "one", "node"],
        &["add", "-t", "http", "one", "node"],
        &["add", "--timeout", "0", "one", "node"],
    ];
    for words in refused {
        let finished = hookloop(&sandbox, words);
        assert_ne!(finished.code, Some(0), "{words:?}");
        assert!(
            !finished.stderr.contains("my-secret"),
            "{}",
            finished.stderr
        );
        assert_eq!(servers(&sandbox, "project"), Value::Null, "{words:?}");
    }
}

/// AG-CLI-7: what no server can be is refused, whether it is an address or a program, and nothing
/// is written.
#[test]
fn what_no_server_can_be_is_refused() {
    let sandbox = Sandbox::new();
    let refused: [&[&str]; 12] = [
        &["ftp://example.com"],
        &["file:///tmp/server"],
        &["HTTP+UNIX://socket"],
        &["http://"],
        &["https:///mcp"],
        &["http://:80/mcp"],
        &["https://user@/mcp"],
        &["http://localhost:port/mcp"],
        &["http://localhost:65536/"],
        &["-t", "stdio", "https://example.com"],
        &["./no-such-server"],
        &["/no/such/server"],
    ];
    for words in refused {
        let (command, options) = words.split_last().unwrap();
        let words = [&["add"], options, &["one", command]].concat();
        let finished = hookloop(&sandbox, &words);
        assert_eq!(finished.code, Some(1), "{words:?} {}", finished.stderr);
        assert!(finished.stdout.is_empty(), "{words:?}");
        assert_eq!(servers(&sandbox, "project"), Value::Null, "{words:?}");
    }
    let program = sandbox.project().join("server");
    std::fs::write(&program, "#!/bin/sh\n").unwrap();
    for (name, command) in [
        ("a", "./server"),
        ("b", program.to_str().unwrap()),
        ("c", "$HOME/server"),
        ("d", "http://[::1]:8080/mcp"),
        ("e", "https://user:word@example.com?x=1"),
    ] {
        let finished = hookloop(&sandbox, &["add", name, command]);
        assert_eq!(finished.code, Some(0), "{command} {}", finished.stderr);
    }
}

/// AG-CLI-7: a server that is added again is updated, and the old entry is reported; a name that
/// tools can't have is refused, and nothing is written.
#[test]
fn an_existing_name_is_updated_and_an_unfit_one_refused() {
    let sandbox = Sandbox::new();
    assert_eq!(
        hookloop(&sandbox, &["add", "one", "first-4711"]).code,
        Some(0)
    );
    let again = hookloop(&sandbox, &["add", "one", "second"]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert!(again.stdout.contains("updated") && again.stdout.contains("first-4711"));
    assert_eq!(servers(&sandbox, "project")["one"]["command"], "second");
    let before = servers(&sandbox, "project");
    for name in ["", " ", "a b", "a.b", "a__b", "ü"] {
        let refused = hookloop(&sandbox, &["add", name, "node"]);
        assert_eq!(refused.code, Some(1), "{name:?}");
        assert!(
            refused.stderr.contains("can't be the name"),
            "{}",
            refused.stderr
        );
    }
    assert_eq!(servers(&sandbox, "project"), before);
}

/// AG-CLI-7: a server is removed from one scope; another one that also contains the name is
/// reported, and so is the place of a name that isn't in this scope. Comments beside it stay.
#[test]
fn a_name_in_several_scopes_is_removed_from_one_and_the_other_told() {
    let sandbox = Sandbox::new();
    for scope in ["project", "user"] {
        let added = hookloop(&sandbox, &["add", "-s", scope, "one", "node"]);
        assert_eq!(added.code, Some(0), "{}", added.stderr);
    }
    let removed = hookloop(&sandbox, &["remove", "one"]);
    assert!(removed.stdout.contains("still in"), "{}", removed.stdout);
    assert!(
        removed.stdout.contains("--scope user"),
        "{}",
        removed.stdout
    );
    assert_eq!(servers(&sandbox, "user")["one"]["command"], "node");
    let gone = hookloop(&sandbox, &["remove", "one"]);
    assert_eq!(gone.code, Some(1));
    assert!(gone.stderr.contains("--scope user"), "{}", gone.stderr);
    let file = sandbox.project().join(".gemini/settings.json");
    let text = "{\n  \"mcpServers\": {\n    // mine\n    \"two\": {\"command\": \"x\"},\n    \"one\": {\"command\": \"y\"}\n  }\n}\n";
    std::fs::write(&file, text).unwrap();
    assert_eq!(hookloop(&sandbox, &["remove", "one"]).code, Some(0));
    let left = std::fs::read_to_string(&file).unwrap();
    assert!(
        left.contains("// mine") && left.contains("two") && !left.contains("one"),
        "{left}"
    );
}

/// TO-3, AG-CLI-7: `mcp auth` shows the address to open, accepts what the browser returns, and
/// sessions without a terminal use it; before that, and after `--forget`, they name the remedy.
#[cfg(all(unix, feature = "mcp"))]
#[test]
fn a_person_logs_in_on_the_command_line() {
    use std::io::{BufRead as _, BufReader};
    use std::process::Stdio;

    let sandbox = Sandbox::new();
    let server = hookloop_testkit::log_in::server_with_log_in();
    let address = format!("{}/mcp", server.url());
    let settings = json!({"mcpServers": {"web": {"httpUrl": address}, "own": {"command": "x"}}});
    sandbox.user_settings(&settings.to_string());
    let prepared = |words: &[&str]| {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
        command.env("GEMINI_FORCE_FILE_STORAGE", "true").args(words);
        for screen in ["DISPLAY", "WAYLAND_DISPLAY"] {
            command.env_remove(screen);
        }
        command
    };
    let answers = sandbox.root().join("answers.jsonl");
    let chunk = json!({"candidates": [{
        "content": {"role": "model", "parts": [{"text": "Done."}]}, "finishReason": "STOP",
    }]});
    let line = json!({"method": "generateContentStream", "response": [chunk]});
    std::fs::write(&answers, format!("{line}\n")).unwrap();
    let answers = answers.display().to_string();
    let needs_log_in = || {
        let mut session = prepared(&["--fake-responses", &answers, "-p", "hi"]);
        let session = sandbox.run(&mut session, b"");
        assert_eq!(session.stdout.trim(), "Done.", "{}", session.stderr);
        session.stderr.contains("hookloop mcp auth web")
    };
    assert!(needs_log_in());
    let mut command = prepared(&["mcp", "auth", "web"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut running = command.stderr(Stdio::piped()).spawn().unwrap();
    let said = BufReader::new(running.stderr.take().unwrap());
    let mut lines = said.lines().map(Result::unwrap);
    let line = lines.find(|it| it.contains("/authorize?")).unwrap();
    let question = &line[line.find("http://").unwrap()..];
    let page = hookloop_testkit::log_in::consent(question);
    assert!(page.contains("You can close this window"), "{page}");
    assert!(running.wait().unwrap().success());
    assert!(!needs_log_in());
    let forgotten = sandbox.run(&mut prepared(&["mcp", "auth", "web", "--forget"]), b"");
    assert_eq!(forgotten.code, Some(0), "{}", forgotten.stderr);
    assert!(needs_log_in());
    for (name, why) in [("own", "it is a program"), ("wep", "did you mean \"web\"?")] {
        let refused = sandbox.run(&mut prepared(&["mcp", "auth", name]), b"");
        assert_eq!(refused.code, Some(1));
        assert!(refused.stderr.contains(why), "{}", refused.stderr);
    }
}

/// AG-CLI-7, TR-5: a server of a folder that nobody trusts is listed, with what keeps it from
/// starting.
#[test]
fn servers_of_an_untrusted_folder_are_listed() {
    let sandbox = Sandbox::new();
    assert_eq!(
        hookloop(&sandbox, &["add", "foo", "echo", "hi"]).code,
        Some(0)
    );
    let list = hookloop(&sandbox, &["list"]);
    assert!(
        list.stdout.contains("foo: echo hi") && list.stdout.contains("disabled by"),
        "{}",
        list.stdout
    );
}
