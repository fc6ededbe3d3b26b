//! Codex, Cursor, Copilot and Qwen Code.

use super::*;

fn taken_over(agent: Agent, path: &str, text: &str) -> Migration {
    let source = SourceText {
        path: Path::new(path),
        text,
        runs_in: None,
    };
    migrate(agent, Manner::InDialect, &[source])
}

fn codex(path: &str, text: &str) -> Migration {
    taken_over(Agent::Codex, path, text)
}

fn cursor(hooks: &Value) -> Migration {
    let text = json!({"version": 1, "hooks": hooks}).to_string();
    taken_over(Agent::Cursor, ".cursor/hooks.json", &text)
}

/// CM-7: Codex's hooks are the same in JSON and in TOML, places included.
#[test]
fn codex_is_read_from_both_files() {
    let json = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash",
        "hooks": [{"type": "command", "command": "a", "timeout": 5}]}]}}"#;
    let toml = "model = \"x\"\n[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n\
        [[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"a\"\ntimeout = 5\n\
        [hooks.state]\nx = 1\n";
    let from_json = codex("hooks.json", json);
    let from_toml = codex("config.toml", toml);
    let expected = json!({"BeforeTool": [{"matcher": "^run_shell_command$",
        "hooks": [{"type": "command", "command": "a", "dialect": "codex", "timeout": 5000}]}]});
    assert_eq!(hooks_of(&from_json), expected);
    assert_eq!(hooks_of(&from_toml), expected);
    assert_eq!(only(from_toml).source.line, 4);
    assert_eq!(results(&codex("config.toml", "a = ")), [NotPossible]);
    assert_eq!(
        results(&codex("config.toml", "notify = [1]")),
        [NotPossible]
    );
}

/// FD-2, FD-20: Codex's `notify` program runs at the end of a turn with the notification in its
/// last argument; nothing waits for it, and nothing that it prints has any effect.
#[test]
fn the_program_that_codex_notifies_is_a_hook() {
    let item = only(codex("config.toml", r#"notify = ["python3", "/a b/n.py"]"#));
    assert_eq!(item.result, Converted);
    let hook = item.addition.unwrap().hook;
    let expected = json!({"type": "command", "command": r#"python3 "/a b/n.py" "$(cat)""#,
        "dialect": "codex", "dialectEvent": "notify", "async": true, "mode": "shadow",
        "from": "config.toml:1"});
    assert_eq!(Value::Object(hook), expected);
}

/// CM-7, FD-10: Codex's one tool for edits is two here, and its script reads them as a patch.
#[test]
fn codex_edits_are_two_tools() {
    let text = r#"{"hooks": {"PostToolUse": [{"matcher": "apply_patch",
        "hooks": [{"type": "command", "command": "a"}]}]}}"#;
    let item = only(codex("hooks.json", text));
    assert_eq!(item.matcher_to.as_deref(), Some("^(?:write_file|replace)$"));
    assert_eq!(item.result, Converted);
    let comma = text.replace("apply_patch", "Edit, Write");
    assert_eq!(only(codex("hooks.json", &comma)).result, NotPossible);
}

/// CM-7: Cursor's events are converted, those for one kind of tool with a matcher.
#[test]
fn cursor_events_are_mapped() {
    let hook = json!({"command": "c"});
    for (theirs, ours, matcher, result) in [
        ("preToolUse", "BeforeTool", None, Converted),
        ("postToolUse", "AfterTool", None, Converted),
        (
            "beforeShellExecution",
            "BeforeTool",
            Some("^run_shell_command$"),
            Converted,
        ),
        (
            "beforeMCPExecution",
            "BeforeTool",
            Some("^mcp__"),
            Converted,
        ),
        (
            "afterFileEdit",
            "AfterTool",
            Some("^(?:write_file|replace)$"),
            Converted,
        ),
        ("beforeSubmitPrompt", "BeforeAgent", None, Converted),
        ("stop", "AfterAgent", None, Converted),
        ("preCompact", "PreCompress", None, Converted),
        ("sessionStart", "SessionStart", None, Converted),
    ] {
        let item = only(cursor(&json!({theirs: [hook]})));
        assert_eq!(item.event_to.map(EventName::as_str), Some(ours), "{theirs}");
        assert_eq!(item.matcher_to.as_deref(), matcher, "{theirs}");
        assert_eq!(item.result, result, "{theirs}: {}", explanation(&item));
    }
    let lost = only(cursor(&json!({"workspaceOpen": [hook]})));
    assert_eq!(lost.result, NotPossible);
}

/// CM-7, IO-21: Cursor's fail-closed hooks stay so; its matchers are patterns.
#[test]
fn cursor_hooks_keep_their_meaning() {
    let hook = json!({"command": "c", "matcher": "Shell|Write", "failClosed": true, "timeout": 2});
    let item = only(cursor(&json!({"preToolUse": [hook]})));
    assert_eq!(
        item.matcher_to.as_deref(),
        Some("run_shell_command|(?:write_file|replace)")
    );
    let hook = item.addition.unwrap().hook;
    assert_eq!(
        Value::Object(hook),
        json!({"type": "command", "command": "c", "dialect": "cursor", "onFailure": "deny",
            "timeout": 2000, "from": ".cursor/hooks.json:1"})
    );
    let shell = json!({"command": "c", "matcher": "rm -rf"});
    let item = only(cursor(&json!({"beforeShellExecution": [shell]})));
    assert!(explanation(&item).contains("text of the command"));
    let kept = item.addition.unwrap().hook;
    assert_eq!(
        (&kept["if"], &kept["dialectEvent"]),
        (&json!("rm -rf"), &json!("beforeShellExecution"))
    );
    for (limit, ours) in [(json!(3), json!(3)), (Value::Null, json!(1_000_000))] {
        let looping = json!({"command": "c", "loop_limit": limit});
        let item = only(cursor(&json!({"stop": [looping]})));
        assert_eq!(item.addition.unwrap().hook["loopLimit"], ours);
    }
    for (limit, why) in [
        (json!(-1), "is less than 0 (-1)"),
        (json!("3"), "isn't a number"),
    ] {
        let looping = json!({"command": "c", "loop_limit": limit});
        let item = only(cursor(&json!({"stop": [looping]})));
        assert!(explanation(&item).contains(why), "{item:?}");
        assert!(item.addition.unwrap().hook.get("loopLimit").is_none());
    }
    let prompt = json!({"type": "prompt", "prompt": "p"});
    let item = only(cursor(&json!({"stop": [prompt]})));
    assert_eq!(item.addition.unwrap().hook["prompt"], "p");
}

/// CM-7: Cursor's MCP tools go by other names.
#[test]
fn cursor_mcp_tools_are_not_lost() {
    let hook = json!({"command": "c", "matcher": "MCP:search"});
    let item = only(cursor(&json!({"preToolUse": [hook]})));
    assert_eq!(item.matcher_to.as_deref(), Some("mcp__.*__search"));
    assert_eq!(item.result, Approximated);
}

/// FD-4: Copilot's hooks are read from its form, with their folder, variables and time, and each
/// spelling of an event keeps its own words.
#[test]
fn copilot_hooks_are_taken_over() {
    let text = r#"{"version": 1, "hooks": {
        "preToolUse": [{"type": "command", "bash": "./guard", "powershell": "x", "cwd": "scripts",
            "timeoutSec": 5, "env": {"A": "b"}, "comment": "guards", "matcher": "bash|edit"}],
        "PreToolUse": [{"command": "g"}], "errorOccurred": [{"bash": "e"}]}}"#;
    let migration = taken_over(Agent::Copilot, ".github/hooks/a.json", text);
    assert_eq!(results(&migration), [Converted, Converted, NotPossible]);
    let hooks = hooks_of(&migration);
    assert_eq!(
        hooks["BeforeTool"][0],
        json!({"matcher": "^(?:run_shell_command|replace)$", "hooks": [{"type": "command",
            "command": "cd scripts && ./guard", "dialect": "copilot", "timeout": 5000,
            "env": {"A": "b"}, "description": "guards"}]})
    );
    assert_eq!(
        hooks["BeforeTool"][1]["hooks"][0]["dialectEvent"],
        "PreToolUse"
    );
}

/// FD-12: a pattern that matches none of an agent's own tools may be a guard of those of MCP
/// servers, whose names nobody knows: it is kept in every dialect, and never dropped as one that
/// matches nothing.
#[test]
fn patterns_of_tools_of_servers_are_kept() {
    let of_family = |matcher: &str| {
        let hooks = json!([{"matcher": matcher, "hooks": [{"type": "command", "command": "c"}]}]);
        json!({"hooks": {"PreToolUse": hooks}}).to_string()
    };
    let of_copilot = |matcher: &str| {
        let hooks = json!([{"type": "command", "matcher": matcher, "bash": "c"}]);
        json!({"version": 1, "hooks": {"preToolUse": hooks}}).to_string()
    };
    let of_cursor = |matcher: &str| {
        let hooks = json!([{"matcher": matcher, "command": "c"}]);
        json!({"version": 1, "hooks": {"preToolUse": hooks}}).to_string()
    };
    for matcher in [
        ".*delete.*",
        "memory[-_].*",
        "(?:drop|delete)_.*",
        "^.*_remove$",
    ] {
        for (agent, text) in [
            (Agent::ClaudeCode, of_family(matcher)),
            (Agent::Codex, of_family(matcher)),
            (Agent::Qwen, of_family(matcher)),
            (Agent::Copilot, of_copilot(matcher)),
            (Agent::Cursor, of_cursor(matcher)),
        ] {
            for manner in [Manner::InPlace, Manner::InDialect] {
                let source = SourceText {
                    path: Path::new("hooks.json"),
                    text: &text,
                    runs_in: None,
                };
                let done = migrate(agent, manner, &[source]);
                let item = &done.items[0];
                assert!(
                    item.addition.is_some(),
                    "{agent:?} {matcher}: {}",
                    explanation(item)
                );
            }
        }
    }
}

/// CM-7, FD-12: Copilot calls the tools of MCP servers `server-tool`; a matcher with such a name,
/// or a pattern of them, matches the same tools here, and no others.
#[test]
fn copilot_names_tools_of_servers() {
    for (theirs, fits, fits_not) in [
        (
            "github-create_issue",
            &["mcp__github__create_issue"][..],
            "mcp__github__create_issue_2",
        ),
        (
            "github-.*",
            &["mcp__github__create_issue"],
            "mcp__gitlab__create",
        ),
        (
            ".*-create",
            &["mcp__a__create", "mcp__a-b__create"],
            "write_file",
        ),
        ("(?:a|b)-x", &["mcp__a__x", "mcp__b__x"], "mcp__c__x"),
        (
            "my-server-get",
            &["mcp__my__server-get", "mcp__my-server__get"],
            "mcp__my__get",
        ),
        ("my_srv/say_hi", &["mcp__my_srv__say_hi"], "mcp__my__srv"),
        ("my-srv/.*", &["mcp__my-srv__say-hi"], "mcp__my__srv"),
        (
            "bash|fs-create",
            &["run_shell_command", "mcp__fs__create"],
            "write_file",
        ),
    ] {
        let text =
            json!({"version": 1, "hooks": {"preToolUse": [{"bash": "g", "matcher": theirs}]}});
        let migration = taken_over(Agent::Copilot, ".github/hooks/a.json", &text.to_string());
        let item = only(migration);
        assert_eq!(item.result, Converted, "{theirs}: {}", explanation(&item));
        let pattern = item.matcher_to.expect("a matcher");
        let pattern = regress::Regex::new(&pattern).expect("a pattern");
        for name in fits {
            assert!(pattern.find(name).is_some(), "{theirs}: {name}");
        }
        assert!(pattern.find(fits_not).is_none(), "{theirs}: {fits_not}");
    }
}

/// FD-12: Copilot compares a matcher without the white space around it, with all names that it has
/// for a tool.
#[test]
fn copilot_matchers_name_tools_by_each_name() {
    for (theirs, ours) in [
        ("Task", "delegate_to_agent"),
        ("Agent", "delegate_to_agent"),
        ("task", "delegate_to_agent"),
        (" Bash ", "run_shell_command"),
        ("bash ", "run_shell_command"),
    ] {
        for event in ["preToolUse", "PreToolUse"] {
            let hooks = json!({event: [{"bash": "g", "matcher": theirs}]});
            let text = json!({"version": 1, "hooks": hooks}).to_string();
            let item = only(taken_over(Agent::Copilot, ".github/hooks/a.json", &text));
            let pattern = item.matcher_to.unwrap_or_else(|| panic!("{theirs}"));
            let pattern = regress::Regex::new(&pattern).expect("a pattern");
            assert!(pattern.find(ours).is_some(), "{event} {theirs}");
            assert!(pattern.find("write_file").is_none(), "{event} {theirs}");
        }
    }
}

/// FD-12: where an agent's `if` isn't a rule of permissions, a rule in the place of a matcher
/// counts for every call of its tool.
#[test]
fn rules_become_conditions_where_conditions_are_rules() {
    let hook =
        |matcher: &str| json!({"type": "command", "command": "g", "bash": "g", "matcher": matcher});
    let grouped = |matcher: &str| json!({"matcher": matcher, "hooks": [hook(matcher)]});
    for (agent, file, entry, condition) in [
        (
            Agent::Codex,
            ".codex/hooks.json",
            grouped("Bash(rm:*)"),
            true,
        ),
        (
            Agent::Qwen,
            ".qwen/settings.json",
            grouped("Bash(rm:*)"),
            true,
        ),
        (
            Agent::Copilot,
            ".github/hooks/a.json",
            hook("bash(rm:*)"),
            false,
        ),
        (
            Agent::Cursor,
            ".cursor/hooks.json",
            hook("Shell(rm:*)"),
            false,
        ),
    ] {
        let event = if agent == Agent::Cursor {
            "preToolUse"
        } else {
            "PreToolUse"
        };
        let text = json!({"version": 1, "hooks": {event: [entry]}}).to_string();
        let item = only(taken_over(agent, file, &text));
        assert_eq!(
            item.matcher_to.as_deref(),
            Some("^run_shell_command$"),
            "{agent:?}"
        );
        let added = item.addition.expect("it is taken over");
        let written = added.hook.get("if").and_then(Value::as_str);
        assert_eq!(written, condition.then_some("Bash(rm:*)"), "{agent:?}");
    }
}

/// FD-4: the times of Qwen Code's commands are milliseconds already.
#[test]
fn qwen_hooks_are_taken_over() {
    let text = r#"{"hooks": {"PreToolUse": [{"matcher": "edit", "hooks": [
        {"type": "command", "command": "g", "timeout": 5000}]}]}}"#;
    let item = only(taken_over(Agent::Qwen, ".qwen/settings.json", text));
    let addition = item.addition.unwrap();
    assert_eq!(addition.hook["timeout"], 5000);
    assert_eq!(addition.hook["dialect"], "qwen");
    assert_eq!(addition.matcher.as_deref(), Some("replace"));
}

/// FD-2, ST-5: no guard under a key that appears twice in an adopted file is dropped: `hooks`,
/// events, lists and matchers all count, and a hook that says something twice can't be built.
#[test]
fn what_appears_twice_in_a_file_all_counts() {
    let of = |text: &str| {
        let path = Path::new(".claude/settings.json");
        migrate(
            Agent::ClaudeCode,
            Manner::InPlace,
            &[SourceText {
                path,
                text,
                runs_in: None,
            }],
        )
    };
    let hook = |command: &str| json!({"type": "command", "command": command}).to_string();
    let (a, b) = (hook("a"), hook("b"));
    for text in [
        format!(
            r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{a}]}}]}}, "hooks": {{"PreToolUse": [{{"hooks": [{b}]}}]}}}}"#
        ),
        format!(
            r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{a}]}}], "PreToolUse": [{{"hooks": [{b}]}}]}}}}"#
        ),
        format!(r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{a}], "hooks": [{b}]}}]}}}}"#),
    ] {
        let migration = of(&text);
        assert_eq!(migration.additions().count(), 2, "{text}");
        let faults: Vec<Fault> = migration.items.iter().map(|it| it.fault).collect();
        assert!(faults.contains(&Fault::Repeated), "{text}");
    }
    let both = of(&format!(
        r#"{{"hooks": {{"PreToolUse": [{{"matcher": "Bash", "matcher": "Write", "hooks": [{a}]}}]}}}}"#
    ));
    let matchers: Vec<_> = both.additions().map(|it| it.matcher.as_deref()).collect();
    assert_eq!(
        matchers,
        [Some("^run_shell_command$"), Some("^write_file$")]
    );
    let twice = of(
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "a", "if": "Bash",
            "command": "b"}]}]}}"#,
    );
    let item = only(twice);
    assert_eq!(item.fault, Fault::Entry);
    let stands = item.addition.expect("something stands in its place").hook;
    assert_eq!(stands.get("if"), None, "it stands there for every call");
    let on = of(&format!(
        r#"{{"disableAllHooks": false, "disableAllHooks": true, "hooks": {{"PreToolUse": [{{"hooks": [{a}]}}]}}}}"#
    ));
    assert_eq!(on.additions().count(), 1);
}

/// FD-12: for a guard of Codex's commands, the report names our tools that do what is a command
/// there.
#[test]
fn guards_of_codex_are_told_what_reads_here() {
    let of = |matcher: &str| {
        let text = json!({"hooks": {"PreToolUse": [{"matcher": matcher,
            "hooks": [{"type": "command", "command": "a"}]}]}});
        let item = only(codex("hooks.json", &text.to_string()));
        assert_eq!(item.result, Converted);
        explanation(&item).contains("read_file")
    };
    assert!(of("Bash"));
    assert!(!of("apply_patch"));
    assert!(!of("*"));
    let asked = json!({"hooks": {"PermissionRequest": [{"matcher": "Bash",
        "hooks": [{"type": "command", "command": "a"}]}]}});
    let item = only(codex("hooks.json", &asked.to_string()));
    assert!(
        !explanation(&item).contains("read_file"),
        "{}",
        explanation(&item)
    );
}

/// FD-4: a hook that keeps its dialect reads and answers as it did: our words aren't mentioned, and
/// nothing differs.
#[test]
fn typed_events_stay_what_they_are() {
    let hooks = json!({"beforeShellExecution": [{"command": "a"}], "afterFileEdit": [{"command": "b"}],
        "subagentStop": [{"command": "c"}]});
    let migration = cursor(&hooks);
    assert_eq!(results(&migration), [Converted; 3]);
    assert!(
        !migration
            .items
            .iter()
            .any(|it| explanation(it).contains("must contain"))
    );
    let text = json!({"version": 1, "hooks": hooks}).to_string();
    let file = SourceText {
        path: Path::new(".cursor/hooks.json"),
        text: &text,
        runs_in: None,
    };
    let rewritten = migrate(Agent::Cursor, Manner::Rewritten, &[file]);
    assert!(
        rewritten
            .items
            .iter()
            .any(|it| explanation(it).contains("must contain"))
    );
}

/// FD-14: the hooks of a person run where Cursor runs them: all of a command, and no part of it
/// elsewhere.
#[test]
fn hooks_of_a_person_run_in_their_folder() {
    let text = json!({"version": 1, "hooks": {"stop": [{"command": "./hooks/a.sh"},
        {"command": "./b.sh; ./c.sh # both"}]}})
    .to_string();
    let file = SourceText {
        path: Path::new("/home/a b/.cursor/hooks.json"),
        text: &text,
        runs_in: Some(Path::new("/home/a b/.cursor")),
    };
    for manner in [Manner::InPlace, Manner::InDialect, Manner::Rewritten] {
        let migration = migrate(Agent::Cursor, manner, &[file]);
        let commands: Vec<_> = migration
            .additions()
            .map(|it| &it.hook["command"])
            .collect();
        let folder = r#"cd "/home/a b/.cursor" && "#;
        assert_eq!(*commands[0], format!("{folder}./hooks/a.sh"));
        assert_eq!(
            *commands[1],
            format!("{folder}{{ ./b.sh; ./c.sh # both\n}}")
        );
    }
}

/// FD-2: Codex's own switch turns hooks off; a file that also says the opposite doesn't.
#[test]
fn codex_says_in_its_features_whether_hooks_run() {
    let hook = "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"a\"\n";
    let of = |features: &str| {
        let text = format!("{features}\n{hook}");
        let file = SourceText {
            path: Path::new("config.toml"),
            text: &text,
            runs_in: None,
        };
        let is_off = hooks_switch(Agent::Codex, &file) == HooksSwitch::Off;
        let migration = migrate(Agent::Codex, Manner::InPlace, &[file]);
        assert_eq!(
            migration.additions().count(),
            usize::from(!is_off),
            "{features}"
        );
        let is_told = migration.items.iter().any(|it| it.fault == Fault::Off);
        assert_eq!(is_told, is_off, "{features}");
        let copied = migrate(Agent::Codex, Manner::InDialect, &[file]);
        assert_eq!(copied.additions().count(), 1);
        assert_eq!(copied.items.len(), 1 + usize::from(is_off), "{features}");
        is_off
    };
    assert!(of("[features]\nhooks = false"));
    assert!(of("features.hooks = false"));
    assert!(!of("[features]\nhooks = true"));
    assert!(!of("[features]\nother = false"));
}

/// BR-12: what `bridge install` wrote isn't a hook to take over.
#[test]
fn entries_of_the_bridge_are_left_out() {
    let bridge = "/opt/hookloop hooks bridge codex Stop";
    for manner in [Manner::InPlace, Manner::InDialect, Manner::Rewritten] {
        let text = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": bridge},
            {"type": "command", "command": "a"}]}]}})
        .to_string();
        let file = SourceText {
            path: Path::new("hooks.json"),
            text: &text,
            runs_in: None,
        };
        let migration = migrate(Agent::Codex, manner, &[file]);
        let commands: Vec<_> = migration
            .additions()
            .map(|it| &it.hook["command"])
            .collect();
        assert_eq!(commands, ["a"]);
    }
}

/// FD-14, IO-21: hooks of Qwen Code that aren't commands have their time in seconds; a `failClosed`
/// that is neither true nor false closes; `MCP` stands for the tools of all servers in Cursor.
#[test]
fn values_mean_what_they_mean_there() {
    let qwen = |hook: Value| {
        let text = json!({"hooks": {"Stop": [{"hooks": [hook]}]}}).to_string();
        let path = Path::new(".qwen/settings.json");
        let migration = migrate(
            Agent::Qwen,
            Manner::InPlace,
            &[SourceText {
                path,
                text: &text,
                runs_in: None,
            }],
        );
        only(migration).addition.unwrap().hook["timeout"].clone()
    };
    let command = json!({"type": "command", "command": "a", "timeout": 5000});
    assert_eq!(qwen(command), json!(5000));
    let http = json!({"type": "http", "url": "http://127.0.0.1/", "timeout": 5});
    assert_eq!(qwen(http), json!(5000));
    let closed = cursor(&json!({"preToolUse": [{"command": "c", "failClosed": "true"}]}));
    assert_eq!(only(closed).fault, Fault::Entry);
    let item = only(cursor(
        &json!({"preToolUse": [{"command": "c", "matcher": "MCP"}]}),
    ));
    assert_eq!(item.matcher_to.as_deref(), Some("mcp__"));
}
