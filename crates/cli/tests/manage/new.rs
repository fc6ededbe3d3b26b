use serde_json::{Value, json};

use crate::world::World;

const LANGUAGES: [(&str, &str); 3] = [("bash", "sh"), ("python", "py"), ("node", "mjs")];

/// Every event, with the field of the outcome that shows the new hook's work, and its value.
const EFFECTS: [(&str, &str, &str); 11] = [
    ("SessionStart", "/additional_context", "git branch"),
    (
        "SessionEnd",
        "/system_messages/0",
        "The session ended (exit).",
    ),
    ("BeforeAgent", "/additional_context", "Today is 2"),
    ("AfterAgent", "/reason", "TODO"),
    ("BeforeModel", "/changes/llm_request", "\"temperature\":0.2"),
    (
        "BeforeToolSelection",
        "/changes/toolConfig",
        "\"read_file\"",
    ),
    ("AfterModel", "/reason", "INTERNAL-ONLY"),
    ("BeforeTool", "/reason", "DO-NOT-TOUCH"),
    ("AfterTool", "/additional_context", "run the tests"),
    ("PreCompress", "/system_messages/0", "compressed (auto)"),
    (
        "Notification",
        "/system_messages/0",
        "waits: Allow execution of: \"git push\"?",
    ),
];

fn create(world: &World, event: &str, language: &str, more: &[&str]) -> Value {
    let own = ["new", "mine", "--event", event, "--lang", language];
    let printed = world.json(&[&own, more].concat());
    assert_eq!(
        printed.code, 0,
        "{event} {language}: {} {}",
        printed.json, printed.stderr
    );
    printed.json
}

fn fire(world: &World, event: &str, created: &Value) -> Value {
    let payload = format!("@{}", created["payload"].as_str().unwrap());
    world
        .json(&["fire", event, "--only", "mine", "--input", &payload])
        .json
}

fn check_language(language: &str, more: &[&str]) {
    for (event, place, expected) in EFFECTS {
        let world = World::new();
        let created = create(&world, event, language, more);
        let fired = fire(&world, event, &created);
        let run = &fired["runs"][0];
        assert_eq!(run["failure"], Value::Null, "{event} {language}: {run}");
        let tested = world.hooks(&["test"]);
        assert_eq!(
            tested.code,
            Some(0),
            "{event} {language}: {}",
            tested.stdout
        );
        let checked = world.hooks(&["check", "--strict"]);
        assert_eq!(
            checked.code,
            Some(0),
            "{event} {language}: {}",
            checked.stdout
        );
        let changed = fired["outcome"].pointer(place).unwrap_or(&Value::Null);
        let changed = changed
            .as_str()
            .map_or_else(|| changed.to_string(), str::to_owned);
        assert!(
            changed.contains(expected),
            "{event} {language}: {changed}: {run}"
        );
        let ignored = fired["outcome"]["verdict"].as_str().unwrap();
        let refuses = place == "/reason";
        assert_eq!(ignored == "refused", refuses, "{event} {language}");
    }
}

/// CM-8: a new hook in bash runs at once on its sample, for every event.
#[test]
fn bash_hooks_run_at_once() {
    check_language("bash", &[]);
}

/// CM-8: a new hook in Python runs at once on its sample, for every event.
#[test]
fn python_hooks_run_at_once() {
    check_language("python", &[]);
}

/// CM-8: a new hook for Node.js runs at once on its sample, for every event.
#[test]
fn node_hooks_run_at_once() {
    check_language("node", &[]);
}

/// HT-13, CM-8: a new hook with the kit runs at once on its sample, for every event: as a worker if
/// it is asked more than once.
#[test]
fn python_hooks_with_the_kit_run_at_once() {
    check_language("python", &["--kit"]);
}

/// HT-13, CM-8: the same for Node.js.
#[test]
fn node_hooks_with_the_kit_run_at_once() {
    check_language("node", &["--kit"]);
}

/// HT-13: the file that `new --kit` writes is a worker here and a command in other agents, and
/// needs no installation.
#[test]
fn a_hook_with_the_kit_is_one_file_for_every_agent() {
    for (language, ending, program) in [("python", "py", "python3"), ("node", "mjs", "node")] {
        let world = World::new();
        create(
            &world,
            "BeforeTool",
            language,
            &["--kit", "--template", "env-files"],
        );
        let listed = world.json(&["list"]).json;
        let hook = &listed["hooks"][0];
        assert_eq!(
            (&hook["type"], &hook["trust"]),
            (&json!("worker"), &json!("trusted"))
        );
        let script = world.project().join(format!(".gemini/hooks/mine.{ending}"));
        let payload = json!({"hook_event_name": "PreToolUse", "tool_name": "Read",
            "tool_input": {"file_path": "/a/.env"}});
        let line = format!("printf %s '{payload}' | {program} '{}'", script.display());
        let output = world.sandbox.command("bash").args(["-c", &line]).output();
        let said: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
        let specific = &said["hookSpecificOutput"];
        assert_eq!(specific["permissionDecision"], "deny", "{language}: {said}");
    }
    let world = World::new();
    let refused = world.json(&[
        "new",
        "mine",
        "--event",
        "BeforeTool",
        "--lang",
        "bash",
        "--kit",
    ]);
    assert_ne!(refused.code, 0);
    assert!(!world.project().join(".gemini/hooks").exists());
}

/// CM-8: a hook of `new` stays out of the way if there is nothing for it to do.
#[test]
fn hooks_have_no_opinion_on_other_payloads() {
    let quiet = [
        (
            "BeforeTool",
            r#"{"tool_name":"read_file","tool_input":{"file_path":"TOUCH.md"}}"#,
        ),
        (
            "AfterAgent",
            r#"{"prompt_response":"TODO","stop_hook_active":true}"#,
        ),
        (
            "AfterAgent",
            r#"{"prompt":"TODO","prompt_response":"done","stop_hook_active":false}"#,
        ),
        (
            "AfterModel",
            r#"{"llm_request":{"model":"m","messages":[{"role":"user","content":"INTERNAL-ONLY"}]}}"#,
        ),
        (
            "AfterTool",
            r#"{"tool_response":{"llmContent":"x","error":{"message":"no"}}}"#,
        ),
    ];
    for (language, _) in LANGUAGES {
        for (event, input) in quiet {
            let world = World::new();
            create(&world, event, language, &[]);
            let fired = world
                .json(&["fire", event, "--only", "mine", "--input", input])
                .json;
            let run = &fired["runs"][0];
            assert_eq!(run["ending"]["exit_code"], 0, "{event} {language}: {run}");
            assert_eq!(run["reply"], Value::Null, "{event} {language}: {run}");
        }
    }
}

/// CM-8: a guard of `.env` files is written on request, and says so; its name has no meaning.
#[test]
fn the_template_says_what_a_guard_does() {
    for (more, of_env) in [(&[][..], false), (&["--template", "env-files"], true)] {
        for (language, kit) in [("bash", None), ("python", Some("--kit")), ("node", None)] {
            let world = World::new();
            let more: Vec<&str> = more.iter().copied().chain(kit).collect();
            let created = create(&world, "BeforeTool", language, &more);
            let hook = world.json(&["list"]).json["hooks"][0].take();
            let said = hook["description"].as_str().unwrap();
            assert_eq!(said.contains(".env"), of_env, "{language}: {said}");
            assert_eq!(
                fire(&world, "BeforeTool", &created)["outcome"]["verdict"],
                "refused"
            );
            let env = r#"{"tool_name":"read_file","tool_input":{"file_path":".env"}}"#;
            let fired = world.json(&["fire", "BeforeTool", "--only", "mine", "--input", env]);
            let is_refused = fired.json["outcome"]["verdict"] == "refused";
            assert_eq!(is_refused, of_env, "{language}");
        }
    }
}

/// CM-8: script, payload and settings entry are named; only the project's new hook is trusted.
#[test]
fn the_new_hook_alone_is_trusted() {
    let world = World::new();
    world.project_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "name": "other", "command": "true" }
    ] }] }));
    for (language, ending) in LANGUAGES {
        let name = format!("my.{language}-hook");
        let json = world
            .json(&["new", &name, "--event", "BeforeTool", "--lang", language])
            .json;
        let folder = world.project().join(".gemini");
        let files = [
            folder.join(format!("hooks/{name}.{ending}")),
            folder.join(format!("hooks/{name}.payload.json")),
            folder.join(format!("hooks/tests/BeforeTool/{name}/input.json")),
            folder.join(format!("hooks/tests/BeforeTool/{name}/expect.json")),
            folder.join("settings.json"),
        ];
        let files: Vec<&str> = files.iter().map(|it| it.to_str().unwrap()).collect();
        assert_eq!(json["files"], json!(files));
        assert_eq!(
            (&json["payload"], &json["label"]),
            (&json!(files[1]), &json!(name))
        );
    }
    let hooks = world.json(&["list"]).json["hooks"].take();
    let trust: Vec<&str> = hooks
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["trust"].as_str().unwrap())
        .collect();
    assert_eq!(trust, ["new", "trusted", "trusted", "trusted"]);
}

/// CM-8: `--scope user` creates a hook that runs in every project, and `--matcher` one for the
/// tools that the sample is about.
#[test]
fn scope_and_matcher_are_obeyed() {
    let world = World::new();
    let more = ["--scope", "user", "--matcher", "^run_shell_.*$"];
    let created = create(&world, "BeforeTool", "bash", &more);
    let hook = world.json(&["list"]).json["hooks"][0].take();
    assert_eq!(hook["source"]["layer"], "user");
    assert_eq!(
        (&hook["matcher"], &hook["trust"]),
        (&json!("^run_shell_.*$"), &json!("not_needed"))
    );
    let fired = fire(&world, "BeforeTool", &created);
    assert_eq!(fired["input"]["tool_name"], "run_shell_command");
    assert_eq!(fired["outcome"]["verdict"], "refused");
    assert!(!world.project().join(".gemini").exists());
}

/// CM-8: nothing is ever overwritten.
#[test]
fn nothing_is_overwritten() {
    let world = World::new();
    create(&world, "BeforeTool", "bash", &[]);
    let script = world.project().join(".gemini/hooks/mine.sh");
    std::fs::write(&script, "mine").unwrap();
    let again = world.json(&["new", "mine", "--event", "AfterTool", "--lang", "bash"]);
    assert_eq!(
        (again.code, &again.json["error"]["code"]),
        (1, &json!("already_exists"))
    );
    std::fs::remove_file(world.project().join(".gemini/settings.json")).unwrap();
    let again = world.json(&["new", "mine", "--event", "BeforeTool", "--lang", "bash"]);
    assert_eq!(
        (again.code, &again.json["error"]["code"]),
        (1, &json!("already_exists"))
    );
    assert_eq!(std::fs::read_to_string(script).unwrap(), "mine");
    assert!(!world.project().join(".gemini/settings.json").exists());
}

/// CM-8: bad input is an error, and leaves nothing behind.
#[test]
fn bad_input_leaves_nothing_behind() {
    let world = World::new();
    let lines = [
        (&["../x", "--event", "BeforeTool"][..], "bad_input"),
        (&[".x", "--event", "BeforeTool"], "bad_input"),
        (&["x", "--event", "BeforeTol"], "unknown_event"),
        (
            &["x", "--event", "BeforeAgent", "--matcher", "y"],
            "bad_input",
        ),
        (
            &["x", "--event", "AfterTool", "--template", "marker"],
            "bad_input",
        ),
    ];
    for (line, code) in lines {
        let printed = world.json(&[&["new", "--lang", "bash"], line].concat());
        assert_eq!(
            (printed.code, &printed.json["error"]["code"]),
            (1, &json!(code)),
            "{line:?}"
        );
    }
    assert!(!world.project().join(".gemini").exists());
    let settings = world.sandbox.project_settings("{ broken");
    let printed = world.json(&["new", "x", "--event", "BeforeTool", "--lang", "bash"]);
    assert_eq!(printed.json["error"]["code"], "invalid_settings");
    assert!(!world.project().join(".gemini/hooks/x.sh").exists());
    assert_eq!(std::fs::read_to_string(settings).unwrap(), "{ broken");
}

/// CM-8: the next commands to try are printed, and work unchanged.
#[test]
fn the_next_commands_work() {
    let world = World::new();
    let text = world
        .hooks(&["new", "mine", "--event", "BeforeTool", "--lang", "bash"])
        .stdout;
    let commands: Vec<&str> = text
        .lines()
        .filter_map(|it| it.strip_prefix("  hookloop "))
        .collect();
    assert_eq!(commands.len(), 4, "{text}");
    let codes = commands.iter().map(|line| {
        let line = line.split('#').next().unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        world.run_with(&words, &[], "").code.unwrap()
    });
    assert_eq!(codes.collect::<Vec<_>>(), [2, 0, 0, 0], "{text}");
}

/// HT-22: `new --lang rust --type plugin` writes a crate for every event, with its world, its entry
/// and a test; the built component waits for trust, and then decides.
#[test]
fn a_plugin_in_rust_is_a_crate_with_its_entry() {
    for (event, place, _) in EFFECTS {
        let world = World::new();
        let created = create(&world, event, "rust", &["--type", "plugin"]);
        let folder = world.project().join(".gemini/hooks/mine");
        let text = std::fs::read_to_string(folder.join("src/lib.rs")).unwrap();
        assert!(
            text.contains("export!(Hook);") && text.contains(event),
            "{text}"
        );
        assert!(!text.contains('@'), "{text}");
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        assert!(manifest.contains("[workspace]") && manifest.contains("cdylib"));
        let world_text = std::fs::read_to_string(folder.join("wit/hook.wit")).unwrap();
        assert!(world_text.contains("package hookloop:hook@1.0.0;"));
        // Nobody agreed to bytes that didn't exist.
        let built = folder.join("target/wasm32-wasip2/release/hook.wasm");
        std::fs::create_dir_all(built.parent().unwrap()).unwrap();
        let does = match place {
            "/reason" => json!({"refuse": "TODO INTERNAL-ONLY"}),
            _ => json!({"reply": {"systemMessage": "looked"}}),
        };
        std::fs::write(&built, hookloop_testkit::component(&does)).unwrap();
        let waiting = fire(&world, event, &created);
        assert_eq!(
            waiting["runs"].as_array().map_or(0, Vec::len),
            0,
            "{waiting}"
        );
        assert_eq!(world.hooks(&["trust", "mine"]).code, Some(0));
        let fired = fire(&world, event, &created);
        assert_eq!(fired["runs"][0]["failure"], Value::Null, "{event}: {fired}");
        let tested = world.hooks(&["test"]);
        assert_eq!(tested.code, Some(0), "{event}: {}", tested.stdout);
    }
}

/// HT-22: a new plugin isn't reported as trusted or running: it has to be built first.
#[test]
fn a_new_plugin_is_not_said_to_run() {
    for scope in ["project", "user"] {
        let world = World::new();
        let own = ["new", "mine", "--event", "BeforeTool", "--lang", "rust"];
        let printed = world.hooks(&[&own[..], &["--type", "plugin", "--scope", scope]].concat());
        assert_eq!(printed.code, Some(0), "{}", printed.stderr);
        let said = printed.stdout.lines().next().unwrap_or_default();
        assert!(said.contains("build it"), "{said}");
        assert!(
            !said.contains("at once") && !said.contains("is trusted"),
            "{said}"
        );
    }
}

/// HT-22: a language that doesn't support a type is reported, and nothing is written.
#[test]
fn a_language_and_a_type_go_together() {
    for more in [
        &["--lang", "rust"][..],
        &["--lang", "bash", "--type", "plugin"],
    ] {
        let world = World::new();
        let own = ["new", "mine", "--event", "BeforeTool"];
        let printed = world.hooks(&[&own, more].concat());
        assert_ne!(printed.code, Some(0), "{more:?}");
        assert!(!world.project().join(".gemini/hooks").exists(), "{more:?}");
    }
}

/// CM-8: `hooks test` runs the test that `new` writes for a hook of the user's.
#[test]
fn tests_of_the_users_hooks_are_found() {
    let world = World::new();
    create(&world, "BeforeTool", "bash", &["--scope", "user"]);
    let tested = world.json(&["test"]);
    assert_eq!(tested.code, 0, "{} {}", tested.json, tested.stderr);
    assert_eq!(tested.json["counts"]["passed"], 1, "{}", tested.json);
}
