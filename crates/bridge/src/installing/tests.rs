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

/// BR-1, BR-2: each file that is ours alone is written again as it is, and goes with uninstalling, that
/// which only describes a plugin too.
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

/// BR-1, BR-2: the person's own entries, comments and order stay, and uninstalling leaves the file as
/// it was.
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

/// BR-1: in Codex ours stands first, since an index is part of its trust.
#[test]
fn ours_stands_first_in_codex() {
    let own = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"./mine.sh"}]}]}}"#;
    let after = installed(Agent::Codex, Some(own));
    let ours = after.find("hooks bridge codex PreToolUse").expect("ours");
    assert!(ours < after.find("./mine.sh").expect("mine"), "{after}");
}

/// BR-1: a file in whose place ours belongs is not overwritten if it is somebody else's.
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

/// BR-22: before tools and prompts a missing program is a refusal, in words that the agent obeys; at
/// ends, and at Codex's prompts, it isn't.
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
