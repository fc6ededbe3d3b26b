//! Settings of the agent that aren't about hooks.

use hookloop_hook::{Layer, ProblemCode};

use crate::fixture::{Fixture, load_text, told};

const ALL: &str = r#"{
"model": {"name": "m", "maxSessionTurns": -1, "compressionThreshold": 0.5,
    "idleTimeout": "90s"},
"openai": {"baseUrl": "u", "apiKey": "k"},
"contextCompression": {"targetTokenCount": 1000},
"general": {"defaultApprovalMode": "plan", "plan": {"directory": "plans"}}, "context": {"fileName": ["A.md"]},
"tools": {"core": ["glob"], "exclude": ["x"], "allowed": ["y"], "confirmationRequired": ["z"]},
"telemetry": {"enabled": true, "target": "local", "outfile": "f", "otlpEndpoint": "o",
  "otlpProtocol": "http", "logPrompts": false},
"security": {"environmentVariableRedaction": {"enabled": true, "allowed": ["A"], "blocked": ["B"]}},
"mcpServers": {"s": {"command": "c"}}}"#;

/// LO-5, TO-6, TE-1, ENV-3: all settings are read.
#[test]
fn all_settings_are_read() {
    let settings = Fixture::new().trusted().user(ALL).load();
    assert_eq!(told(&settings.problems), [""; 0]);
    let agent = &settings.agent;
    assert_eq!(agent.model_name.as_ref().unwrap().value, "m");
    assert_eq!(agent.openai.base_url.as_ref().unwrap().value, "u");
    assert_eq!(agent.openai.api_key.as_ref().unwrap().value, "k");
    assert!(!format!("{agent:?}").contains("\"k\""));
    assert_eq!(agent.max_session_turns.as_ref().unwrap().value, -1);
    assert!((agent.compression_threshold.as_ref().unwrap().value - 0.5).abs() < 1e-9);
    let idle_timeout = agent.idle_timeout.as_ref().unwrap().value;
    assert_eq!(idle_timeout, std::time::Duration::from_secs(90));
    assert_eq!(agent.target_token_count.as_ref().unwrap().value, 1000);
    assert_eq!(agent.approval_mode.as_ref().unwrap().value, "plan");
    assert_eq!(agent.plan_directory.as_ref().unwrap().value, "plans");
    assert_eq!(agent.context_file_names.as_ref().unwrap().value, ["A.md"]);
    assert_eq!(agent.tools.core.as_ref().unwrap().value, ["glob"]);
    assert_eq!(agent.tools.allowed.as_ref().unwrap().value, ["y"]);
    assert_eq!(agent.tools.exclude[0].value, "x");
    assert_eq!(agent.tools.confirmation_required[0].value, "z");
    assert!(agent.telemetry.enabled.as_ref().unwrap().value);
    assert_eq!(agent.telemetry.outfile.as_ref().unwrap().value, "f");
    assert_eq!(agent.telemetry.otlp_endpoint.as_ref().unwrap().value, "o");
    assert_eq!(
        agent.telemetry.otlp_protocol.as_ref().unwrap().value,
        "http"
    );
    assert!(!agent.telemetry.log_prompts.as_ref().unwrap().value);
    assert_eq!(
        agent
            .environment_redaction
            .enabled
            .as_ref()
            .map(|it| it.value),
        Some(true)
    );
    assert_eq!(agent.environment_redaction.blocked[0].value, "B");
    assert_eq!(agent.mcp_servers[0].configuration["command"], "c");
    let found = settings.lookup(&["model", "name"]).unwrap();
    assert_eq!(
        (found.value, found.source.unwrap().position.unwrap().line),
        ("m".into(), 2)
    );
}

/// TR-5, ENV-3: a project that isn't trusted starts no servers, grants and discloses nothing.
#[test]
fn a_strange_project_only_makes_the_agent_stricter() {
    let fixture = Fixture::new()
        .project(ALL)
        .user(r#"{"tools": {"core": ["read_file"]}}"#);
    let settings = fixture.load();
    let agent = &settings.agent;
    assert_eq!(agent.model_name.as_ref().unwrap().value, "m");
    assert_eq!(agent.tools.core.as_ref().unwrap().value, ["read_file"]);
    assert_eq!(agent.tools.exclude.len(), 1);
    assert!(agent.tools.allowed.is_none() && agent.approval_mode.is_none());
    // Plans may not be written where it says, so that is reported.
    assert!(agent.plan_directory.is_none());
    assert!(agent.openai.base_url.is_none() && agent.openai.api_key.is_none());
    assert!(agent.telemetry.outfile.is_none() && agent.telemetry.otlp_endpoint.is_none());
    assert!(agent.telemetry.enabled.is_none() && agent.telemetry.otlp_protocol.is_none());
    assert!(agent.environment_redaction.enabled.is_none());
    assert!(agent.environment_redaction.allowed.is_empty());
    assert!(agent.environment_redaction.blocked.is_empty());
    assert!(agent.mcp_servers.is_empty() && settings.lookup(&["model"]).is_none());
    assert_eq!(
        settings.problems.len(),
        17,
        "{:?}",
        told(&settings.problems)
    );
    assert!(
        settings
            .problems
            .iter()
            .all(|it| ["folder_untrusted", "loosening_ignored"].contains(&it.code.as_str()))
    );
}

/// ST-6: scalars and servers come from the highest layer, stricter lists are united.
#[test]
fn layers_are_merged() {
    let fixture = Fixture::new()
        .trusted()
        .project(r#"{"tools": {"exclude": ["p"]}, "mcpServers": {"s": {"command": "p"}}}"#)
        .user(
            r#"{"model": "old-format", "tools": {"exclude": ["u"]}, "mcpServers": {"s": {}, "t": {}}}"#,
        )
        .system(r#"{"model": {"name": "sys"}, "telemetry": {"target": "gcp"}}"#);
    let agent = fixture.load().agent;
    let model = agent.model_name.unwrap();
    assert_eq!(
        (model.value.as_str(), model.layer()),
        ("old-format", Some(Layer::User))
    );
    assert_eq!(agent.telemetry.target.unwrap().value, "gcp");
    let excluded: Vec<_> = agent.tools.exclude.into_iter().map(|it| it.value).collect();
    assert_eq!(excluded, ["p", "u"]);
    let servers: Vec<_> = agent
        .mcp_servers
        .iter()
        .map(|server| server.name.as_str())
        .collect();
    assert_eq!(servers, ["s", "t"]);
    assert_eq!(agent.mcp_servers[0].configuration["command"], "p");
}

/// ST-5: values that can't be used are reported where they are.
#[test]
fn wrong_values_are_reported() {
    let settings = load_text(
        r#"{"model": {"compressionThreshold": 7, "maxSessionTurns": 0, "name": 5,
    "idleTimeout": 0},
"tools": {"core": "glob", "exclude": [3]}, "mcpServers": {"s": 1}}"#,
    );
    assert_eq!(
        told(&settings.problems),
        [
            "invalid_value 1:36",
            "invalid_value 1:58",
            "wrong_type 1:69",
            "invalid_value 2:20",
            "wrong_type 3:19",
            "wrong_type 3:39",
            "wrong_type 3:64",
        ]
    );
    assert!(settings.agent.tools.core.is_none());
}

/// ST-5, TO-2: a sandbox that is required under a misspelt key is there, and this is reported with
/// its place; a word about something else has no effect.
#[test]
fn a_sandbox_under_a_misspelt_key_is_not_off() {
    use hookloop_settings::SandboxMode::{Off, On};
    let read = |text: &str| {
        let settings = Fixture::new().user(text).load();
        let reported = told(&settings.problems);
        (settings.agent.tools.sandbox.map(|it| it.value), reported)
    };
    for (text, expected) in [
        (r#"{"tools": {"sandBox": true}}"#, "invalid_value 1:12"),
        (r#"{"tools": {"sandbx": "ask"}}"#, "invalid_value 1:12"),
        (r#"{"tools": {"useSandbox": true}}"#, "invalid_value 1:12"),
        (r#"{"sandbox": true}"#, "invalid_value 1:2"),
        (
            r#"{"tool": {"core": []}, "Sandbox": "docker"}"#,
            "invalid_value 1:24",
        ),
        (
            r#"{"tools": {"sandbox": "off", "sand_box": true}}"#,
            "invalid_value 1:30",
        ),
        (
            r#"{"tools": {"sandboxMode": {"enabled": true}}}"#,
            "invalid_value 1:12",
        ),
    ] {
        assert_eq!(read(text), (Some(On), vec![expected.to_owned()]), "{text}");
    }
    for text in [
        r#"{"tools": {"sandBox": false}}"#,
        r#"{"tools": {"sandboxNetworkAcess": true}}"#,
        r#"{"tools": {"sandboxAllowedPath": ["/"]}}"#,
    ] {
        assert_eq!(
            read(text),
            (None, vec!["invalid_value 1:12".to_owned()]),
            "{text}"
        );
    }
    assert_eq!(read(r#"{"tools": {"shell": {}}}"#), (None, vec![]));
    assert_eq!(
        read(r#"{"tools": {"sandbox": "off"}}"#),
        (Some(Off), vec![])
    );
}

/// ST-13, TE-1: the layer that owns the telemetry says where it goes; a project changes nothing of
/// the user's, and the user nothing of the system's. Prompts that are left out in a higher layer
/// stay out.
#[test]
fn telemetry_belongs_to_the_most_trusted_layer_that_has_some() {
    let settings = |project: &str, user: &str, system: &str| {
        let layer = |telemetry: &str| format!(r#"{{"telemetry": {{{telemetry}}}}}"#);
        let fixture = Fixture::new().trusted().project(layer(project));
        fixture.user(layer(user)).system(layer(system)).load()
    };
    let own = r#""enabled": true, "outfile": "ours.log""#;
    let other = r#""enabled": false, "target": "x", "outfile": "theirs.log",
        "otlpEndpoint": "http://a", "otlpProtocol": "http", "logPrompts": true"#;
    for (project, user, system) in [(other, own, ""), (other, "", own), ("", other, own)] {
        let loaded = settings(project, user, system);
        let telemetry = &loaded.agent.telemetry;
        assert!(telemetry.enabled.as_ref().unwrap().value);
        assert_eq!(telemetry.outfile.as_ref().unwrap().value, "ours.log");
        assert!(telemetry.otlp_endpoint.is_none() && telemetry.target.is_none());
        assert_eq!(loaded.problems.len(), 5, "{:?}", loaded.problems);
    }
    let alone = settings(other, "", "");
    assert_eq!(alone.agent.telemetry.outfile.unwrap().value, "theirs.log");
    assert_eq!(alone.problems.len(), 0);
    let quiet = r#""logPrompts": false"#;
    for (project, user) in [
        (other, quiet),
        (quiet, own),
        (r#""logPrompts": true"#, quiet),
    ] {
        let telemetry = settings(project, user, "").agent.telemetry;
        assert!(!telemetry.log_prompts.unwrap().value, "{project} {user}");
    }
}

/// ST-13, TO-2: the strictest layer says whether commands are confined, and what opens the sandbox
/// is never a project's; what can't be read requires one.
#[test]
fn a_sandbox_is_opened_by_no_less_trusted_layer() {
    use hookloop_settings::SandboxMode::{Ask, Off, On};
    let mode = |project: &str, user: &str, system: &str| {
        let layer = |word: &str| match word {
            "" => "{}".to_owned(),
            word => format!(r#"{{"tools": {{"sandbox": {word}}}}}"#),
        };
        let fixture = Fixture::new().trusted().project(layer(project));
        let settings = fixture.user(layer(user)).system(layer(system)).load();
        let reported = told(&settings.problems).len();
        (settings.agent.tools.sandbox.map(|it| it.value), reported)
    };
    assert_eq!(mode("", "", ""), (None, 0));
    assert_eq!(mode("true", "false", ""), (Some(On), 0));
    assert_eq!(mode("\"off\"", "\"ask\"", ""), (Some(Ask), 1));
    assert_eq!(mode("false", "\"off\"", "\"on\""), (Some(On), 2));
    assert_eq!(mode("", "\"off\"", ""), (Some(Off), 0));
    assert_eq!(mode("", "\"docker\"", ""), (Some(On), 1));
    assert_eq!(mode("", "7", ""), (Some(On), 1));
    let opened = r#"{"tools": {"sandboxNetworkAccess": true, "sandboxAllowedPaths": ["/"]}}"#;
    let settings = Fixture::new().trusted().project(opened).load();
    let tools = &settings.agent.tools;
    assert!(tools.sandbox_network.is_none() && tools.sandbox_paths.is_none());
    assert_eq!(settings.problems.len(), 2);
    let closed = r#"{"tools": {"sandboxNetworkAccess": false}}"#;
    let fixture = Fixture::new().trusted().project(closed).user(opened);
    let tools = fixture.load().agent.tools;
    assert!(!tools.sandbox_network.unwrap().value);
    assert_eq!(tools.sandbox_paths.unwrap().value, ["/"]);
    let settings = Fixture::new().user(opened).system(closed).load();
    assert!(!settings.agent.tools.sandbox_network.unwrap().value);
}

/// TO-1, TR-5: folders that tools may touch are those of all layers; an untrusted project names
/// none.
#[test]
fn included_folders_are_united_and_no_strange_projects() {
    let named = |folder: &str| format!(r#"{{"context": {{"includeDirectories": ["{folder}"]}}}}"#);
    let fixture = || {
        let fixture = Fixture::new().project(named("../p"));
        fixture.user(named("~/u")).system(named("/s"))
    };
    let folders = |settings: &hookloop_settings::Settings| {
        let named = settings.agent.include_directories.iter();
        named.map(|it| it.value.clone()).collect::<Vec<_>>()
    };
    let trusted = fixture().trusted().load();
    assert_eq!(folders(&trusted), ["/s", "~/u", "../p"]);
    let strange = fixture().load();
    assert_eq!(folders(&strange), ["/s", "~/u"]);
    let reported = strange.problems.iter();
    let reported = reported.filter(|it| it.code == ProblemCode::FolderUntrusted);
    assert_eq!(reported.count(), 1);
}
