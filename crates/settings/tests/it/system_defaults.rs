//! The defaults of the system, below its settings (ST-1).

use hookloop_hook::{EventName, Layer, OnFailure};
use hookloop_settings::{LayerState, SandboxMode};

use crate::fixture::{Fixture, hooks, labels, told};

const DEFAULTS: &str = "system-defaults.json";

/// ST-1, ST-2: hooks of the defaults are the system's, after those of its settings.
#[test]
fn hooks_of_the_defaults_are_the_systems() {
    let fixture = Fixture::new()
        .project(hooks("BeforeTool", &["p"]))
        .user(hooks("BeforeTool", &["u"]))
        .system(hooks("BeforeTool", &["s"]))
        .file(DEFAULTS, hooks("BeforeTool", &["d"]));
    let settings = fixture.load();
    assert_eq!(labels(&settings), ["p", "u", "s", "d"]);
    let guard = &settings.hooks[3];
    assert_eq!(
        (guard.event, guard.source.layer),
        (EventName::BeforeTool, Some(Layer::System))
    );
    assert!(guard.source.file.ends_with(DEFAULTS));
    let listed = settings
        .layers
        .iter()
        .find(|it| it.file.ends_with(DEFAULTS));
    assert!(listed.is_some_and(|it| it.state == LayerState::Loaded && it.layer == Layer::System));
    assert_eq!(told(&settings.problems), [""; 0]);
}

/// ST-1: single values of any other file count before the defaults; lists are joined.
#[test]
fn defaults_are_below_everything_else() {
    let low = r#"{"model": {"name": "low", "maxSessionTurns": 7}, "hooksConfig": {"maxRetries": 1},
        "tools": {"sandbox": "on", "exclude": ["a"]}, "mcpServers": {"x": {"command": "low"}, "y": {"command": "low"}}}"#;
    let high = r#"{"model": {"name": "high"}, "hooksConfig": {"maxRetries": 2},
        "tools": {"sandbox": "ask", "exclude": ["b"]}, "mcpServers": {"x": {"command": "high"}}}"#;
    let fixture = Fixture::new().file(DEFAULTS, low).system(high);
    let settings = fixture.load();
    let agent = &settings.agent;
    assert_eq!(
        agent.model_name.as_ref().map(|it| it.value.as_str()),
        Some("high")
    );
    assert_eq!(agent.max_session_turns.as_ref().map(|it| it.value), Some(7));
    assert_eq!(settings.switches.max_retries.value, 2);
    assert_eq!(
        agent.tools.sandbox.as_ref().map(|it| it.value),
        Some(SandboxMode::Ask)
    );
    let excluded: Vec<&str> = agent
        .tools
        .exclude
        .iter()
        .map(|it| it.value.as_str())
        .collect();
    assert_eq!(excluded, ["b", "a"]);
    let commands = agent
        .mcp_servers
        .iter()
        .map(|it| &it.configuration["command"]);
    assert_eq!(commands.collect::<Vec<_>>(), ["high", "low"]);
    let settings = Fixture::new().file(DEFAULTS, low).user(high).load();
    assert_eq!(
        settings.agent.model_name.map(|it| it.value),
        Some("high".to_owned())
    );
    let sandbox = settings.agent.tools.sandbox.map(|it| it.value);
    assert_eq!(
        sandbox,
        Some(SandboxMode::On),
        "a user opens nothing of the system's"
    );
}

/// ST-1, ST-13: what the defaults forbid or make stricter stays so, whatever the settings beside
/// them say.
#[test]
fn what_the_defaults_forbid_stays_forbidden() {
    let low = r#"{"hooksConfig": {"onFailure": "deny", "strict": true, "locked": ["enabled"]},
        "security": {"disableYoloMode": true}}"#;
    let high = r#"{"hooksConfig": {"onFailure": "warn", "strict": false},
        "security": {"disableYoloMode": false}}"#;
    let user = r#"{"hooksConfig": {"enabled": false}}"#;
    let settings = Fixture::new()
        .file(DEFAULTS, low)
        .system(high)
        .user(user)
        .load();
    assert_eq!(settings.switches.on_failure.value, OnFailure::Deny);
    assert!(settings.switches.strict.value && settings.switches.enabled.value);
    assert!(settings.agent.restrictions.of_never_asking().is_some());
    assert_eq!(told(&settings.problems), ["locked_key 1:29"]);
}

/// ST-5: defaults that can't be read may contain a guard, and no agent runs without it.
#[test]
fn broken_defaults_are_a_broken_layer() {
    for text in ["{\"hooks\": {", "[]", "\u{fffd}"] {
        let settings = Fixture::new().file(DEFAULTS, text).load();
        let broken = &settings.broken_files;
        assert_eq!(broken.len(), 1, "{text}");
        assert_eq!(broken[0].layer, Layer::System);
        assert!(broken[0].problem.source.file.ends_with(DEFAULTS));
    }
}

/// ST-1: they may appear elsewhere; a file that is both is read once.
#[test]
fn defaults_may_appear_elsewhere() {
    let mut fixture = Fixture::new()
        .file(DEFAULTS, hooks("BeforeTool", &["beside"]))
        .file("other/low.json", hooks("BeforeTool", &["elsewhere"]));
    fixture.request.system.defaults = fixture.root().join("other/low.json");
    assert_eq!(labels(&fixture.load()), ["elsewhere"]);
    fixture.request.system.settings = fixture.request.system.defaults.clone();
    assert_eq!(labels(&fixture.load()), ["elsewhere"]);
}
