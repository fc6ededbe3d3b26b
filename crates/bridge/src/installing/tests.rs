use std::path::Path;

use super::*;

const PROGRAM: &str = "/home/dev/.local/share/hookloop/bin/hookloop";

fn file(agent: Agent) -> InstalledFile {
    let files = agent.files(InstallScope::User, Path::new("/home/dev"), None);
    files.last().expect("a file").clone()
}

fn installed(agent: Agent, before: Option<&str>) -> String {
    agent
        .install(&file(agent), before, Path::new(PROGRAM))
        .expect("installed")
}

/// BR-1: for every agent, a second install changes nothing, and what is installed is recognised.
#[test]
fn installing_twice_changes_nothing() {
    for agent in Agent::ALL {
        for file in agent.files(InstallScope::User, Path::new("/home/dev"), None) {
            let install = |before| agent.install(&file, before, Path::new(PROGRAM));
            let once = install(None).expect("installed");
            assert_eq!(install(Some(&once)), Ok(once.clone()), "{}", agent.name());
        }
        assert!(agent.is_installed_in(&installed(agent, None)));
    }
}

/// BR-1, BR-2: each file that is completely ours is recognised and restored, and removed by
/// uninstalling, including one that only describes a plugin.
#[test]
fn every_file_of_ours_is_recognised() {
    for agent in Agent::ALL {
        let files = agent.files(InstallScope::User, Path::new("/home/dev"), None);
        for file in files.iter().filter(|file| file.is_own) {
            let write = |before| {
                agent
                    .install(file, before, Path::new(PROGRAM))
                    .expect("ours")
            };
            let once = write(None);
            let path = file.path.display();
            assert_eq!(write(Some(&once)), once, "{path}");
            assert_eq!(agent.uninstall(file, &once).expect("ours"), None, "{path}");
        }
    }
}

/// BR-1, BR-2: the person's own entries, comments and order stay, and uninstalling leaves the file
/// as it was.
#[test]
fn what_a_person_wrote_stays() {
    let own = "{\n  // mine\n  \"model\": \"x\",\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \
        \"matcher\": \"Bash\",\n        \"hooks\": [{ \"type\": \"command\", \"command\": \"./mine.sh\" }]\n      \
        }\n    ]\n  }\n}\n";
    for agent in [Agent::ClaudeCode, Agent::Qwen, Agent::Droid, Agent::Codex] {
        let after = installed(agent, Some(own));
        assert!(
            after.contains("// mine") && after.contains("./mine.sh"),
            "{after}"
        );
        assert_eq!(installed(agent, Some(&after)), after);
        let left = agent.uninstall(&file(agent), &after).expect("uninstalled");
        assert_eq!(left.as_deref(), Some(own), "{}", agent.name());
    }
    let own = "# mine\ndefault_model = \"x\" # best\n\n[[hooks]]\nevent = \"Stop\"\ncommand = \"./mine.sh\"\n";
    let after = installed(Agent::Kimi, Some(own));
    assert!(after.starts_with(own), "{after}");
    let left = Agent::Kimi
        .uninstall(&file(Agent::Kimi), &after)
        .expect("uninstalled");
    assert_eq!(left.as_deref(), Some(own));
}

/// BR-1: in Codex our entry is first, since an index is part of its trust.
#[test]
fn ours_stands_first_in_codex() {
    let own = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"./mine.sh"}]}]}}"#;
    let after = installed(Agent::Codex, Some(own));
    let ours = after.find("hooks bridge codex PreToolUse").expect("ours");
    assert!(ours < after.find("./mine.sh").expect("mine"), "{after}");
}

/// BR-1: a file in the place of ours isn't overwritten if it is somebody else's.
#[test]
fn a_file_of_somebody_else_is_kept() {
    let agent = Agent::Cline;
    let result = agent.install(
        &file(agent),
        Some("#!/bin/sh\n./mine\n"),
        Path::new(PROGRAM),
    );
    assert!(result.is_err());
}

/// BR-22: before tools and prompts a missing program is a refusal, in words that the agent obeys;
/// at ends, and at Codex's prompts, it isn't.
#[test]
fn a_missing_program_refuses_where_an_action_waits() {
    let missing = Path::new("/nowhere/hookloop");
    for agent in Agent::ALL {
        for event in agent.registered_events() {
            let command = command_for(agent, event, missing);
            let is_wrapped = command.starts_with('{');
            let waits = matches!(agent.moment(event), Some(Moment::BeforeTool));
            assert!(is_wrapped || !waits, "{} {event}", agent.name());
            let ends = matches!(agent.moment(event), Some(Moment::End));
            assert!(!(is_wrapped && ends), "{} {event}", agent.name());
        }
    }
    let codex = command_for(Agent::Codex, "UserPromptSubmit", missing);
    assert!(!codex.starts_with('{'));
}

/// BR-1: existing entries are recognised in whatever order a person put the events, and beside
/// empty lists and nulls; in Codex, whose trust counts, ours must still be first.
#[test]
fn what_is_there_is_recognised_in_any_order() {
    for agent in [Agent::ClaudeCode, Agent::Qwen, Agent::Droid, Agent::Codex] {
        for own in [
            r#"{"hooks":{"Stop":[],"PreToolUse":[]}}"#,
            r#"{"hooks":{"Stop":null,"PreToolUse":null}}"#,
            r#"{"hooks":{}}"#,
            r#"{"hooks":null}"#,
            r#"{"hooks":{"SessionEnd":[{"hooks":[{"type":"command","command":"./mine.sh"}]}]}}"#,
        ] {
            let once = installed(agent, Some(own));
            assert_eq!(
                installed(agent, Some(&once)),
                once,
                "{} {own}",
                agent.name()
            );
        }
    }
    let own = "[[hooks]]\nevent = \"Stop\"\ncommand = \"./mine.sh\"\n";
    for own in [own, "hooks = []\n"] {
        let once = installed(Agent::Kimi, Some(own));
        assert_eq!(installed(Agent::Kimi, Some(&once)), once);
    }
    let foreign = r#"{"hooks":[{"type":"command","command":"./theirs.sh"}]}"#;
    let once = installed(Agent::Codex, Some("{}"));
    let pushed = once.replacen(
        r#""PreToolUse": ["#,
        &format!(r#""PreToolUse": [{foreign},"#),
        1,
    );
    assert_ne!(pushed, once);
    let again = installed(Agent::Codex, Some(&pushed));
    let ours = again.find("hooks bridge codex PreToolUse").expect("ours");
    assert!(ours < again.find("./theirs.sh").expect("theirs"), "{again}");
}

/// BR-2: uninstalling without a record leaves the person's text as it was, including line ends.
#[test]
fn line_ends_stay() {
    let json = "{\r\n  \"model\": \"x\"\r\n}\r\n";
    let groups = "{\r\n  \"hooks\": {\r\n    \"Stop\": [\r\n      { \"hooks\": [] }\r\n    ]\r\n  }\r\n}\r\n";
    for agent in [Agent::ClaudeCode, Agent::Qwen, Agent::Codex] {
        for own in [json, groups] {
            let after = installed(agent, Some(own));
            assert!(!after.replace("\r\n", "").contains('\n'), "{after:?}");
            let left = agent.uninstall(&file(agent), &after).expect("uninstalled");
            assert_eq!(left.as_deref(), Some(own), "{}", agent.name());
        }
    }
    let own = "model = \"x\"\r\n";
    let after = installed(Agent::Kimi, Some(own));
    let left = Agent::Kimi.uninstall(&file(Agent::Kimi), &after);
    assert_eq!(left.expect("uninstalled").as_deref(), Some(own));
    // Without entries of ours, nothing changes.
    for (agent, own) in [
        (Agent::ClaudeCode, r#"{"hooks": {}}"#),
        (Agent::ClaudeCode, r#"{"hooks": {"Stop": []}}"#),
        (Agent::Kimi, "hooks = []\n"),
        (Agent::Kimi, "a = 1 # x\r\n"),
    ] {
        let left = agent.uninstall(&file(agent), own).expect("read");
        assert_eq!(left.as_deref(), Some(own));
    }
}

/// BR-3: what an agent would interpret as a refusal; if exit codes don't count, the output must
/// contain it.
#[test]
fn a_refusal_is_what_the_agent_obeys() {
    assert!(Agent::ClaudeCode.is_refused_by(Some(2), ""));
    assert!(!Agent::Cline.is_refused_by(Some(2), ""));
    assert!(!Agent::Cline.is_refused_by(Some(2), r#"{"permissionDecision":"deny"}"#));
    assert!(Agent::Cline.is_refused_by(Some(0), r#"{"cancel":true}"#));
    assert!(!Agent::Qwen.is_refused_by(Some(2), ""));
    assert!(Agent::Qwen.is_refused_by(Some(0), r#"{"continue":false}"#));
}

/// BR-1, BR-2: handlers that a person put beside ours, in our group or ours in theirs, stay when
/// the bridge is removed, and are no reason to register an event twice.
#[test]
fn single_handlers_of_mixed_groups_are_taken_out() {
    let mine = r#"{"type":"command","command":"./mine.sh"}"#;
    for agent in [Agent::ClaudeCode, Agent::Qwen, Agent::Droid, Agent::Codex] {
        let once = installed(agent, None);
        let mut value: serde_json::Value = serde_json::from_str(&once).expect("JSON");
        let own: serde_json::Value = serde_json::from_str(mine).expect("JSON");
        let handlers = value["hooks"]["PreToolUse"][0]["hooks"].as_array_mut();
        handlers.expect("handlers").push(own.clone());
        let mixed = value.to_string();
        assert_eq!(installed(agent, Some(&mixed)), mixed, "{}", agent.name());
        let left = agent.uninstall(&file(agent), &mixed).expect("uninstalled");
        let left: serde_json::Value = serde_json::from_str(&left.expect("left")).expect("JSON");
        assert_eq!(
            left["hooks"],
            serde_json::json!({"PreToolUse": [{"hooks": [own]}]})
        );
        // In a group whose matcher is narrower, our entry guards too little.
        value["hooks"]["PreToolUse"][0]["matcher"] = "Bash".into();
        let again = installed(agent, Some(&value.to_string()));
        assert_eq!(
            again
                .matches(&format!("hooks bridge {} PreToolUse", agent.word()))
                .count(),
            1,
            "{again}"
        );
        assert!(again.contains("./mine.sh"), "{again}");
    }
}

/// BR-2: what still calls the bridge is found by its line, whoever wrote it; what only mentions it
/// isn't.
#[test]
fn remaining_calls_are_found_by_line() {
    let link = Path::new(PROGRAM);
    let lines = |agent: Agent, text: &str| agent.calling_lines(text, link);
    let handler = |command: &str| {
        format!(
            "{{\n\"hooks\": {{\"Stop\": [{{\"hooks\": [\n{{\"command\": \"{command}\"}}]}}]}}}}"
        )
    };
    for command in [
        "./log.sh; hookloop hooks bridge claude-code Stop",
        "/home/dev/.local/share/hookloop/bin/hookloop hooks fire",
    ] {
        assert_eq!(
            lines(Agent::ClaudeCode, &handler(command)),
            [3],
            "{command}"
        );
    }
    let script = format!("#!/bin/sh\n./mine\n{PROGRAM} hooks bridge cline PreToolUse\n");
    assert_eq!(lines(Agent::Cline, &script), [3]);
    let toml = format!("[[hooks]]\nevent = \"Stop\"\ncommand = \"x; {PROGRAM} y\"\n");
    assert_eq!(lines(Agent::Kimi, &toml), [3]);
    for text in [
        &handler("./mine.sh"),
        &handler("hookloop hooks bridge codex Stop"),
        r#"{"permissions": {"allow": ["Bash(hookloop hooks bridge claude-code:*)"]}}"#,
        "{\n// hookloop hooks bridge claude-code Stop\n}",
        "",
    ] {
        assert!(lines(Agent::ClaudeCode, text).is_empty(), "{text}");
    }
    assert!(
        lines(
            Agent::Cline,
            "#!/bin/sh\n# hookloop hooks bridge cline Stop\n"
        )
        .is_empty()
    );
}
