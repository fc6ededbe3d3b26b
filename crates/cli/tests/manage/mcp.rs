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

/// AG-CLI-7: `mcp add` takes the options of the reference, wherever they stand, and writes what the
/// settings call them.
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

/// AG-CLI-7: what has no use for a server, or can't be read, is refused; nothing is written, and no
/// secret is repeated.
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
