//! What settings exclude from sessions, in the words of Gemini CLI (AG-CLI-9), judging by what the
//! model is offered.

use std::fs;

use hookloop_testkit::model_server::ModelServer;
use hookloop_testkit::{Sandbox, mcp_puppet};
use serde_json::{Value, json};

use crate::service::Service;

/// A server, a skill and a sub-agent of the user, and one additional setting.
fn prepared(setting: &Value) -> Sandbox {
    let sandbox = Sandbox::new();
    // Tools that would ask aren't offered if nobody is there to answer.
    let server = json!({"command": mcp_puppet(), "trust": true});
    let mut settings = json!({"mcpServers": {"srv": server, "other": server}});
    let more = setting.as_object().unwrap().clone();
    settings.as_object_mut().unwrap().extend(more);
    sandbox.user_settings(&settings.to_string());
    let own = sandbox.home().join(".gemini");
    let skill = "---\nname: plumbing\ndescription: About pipes.\n---\nPipes.\n";
    sandbox.file(own.join("skills/plumbing/SKILL.md"), skill);
    let agent = "---\nname: digger\ndescription: Digs.\n---\nDig.\n";
    sandbox.file(own.join("agents/digger.md"), agent);
    sandbox
}

/// Returns what the model is offered.
fn offered(sandbox: &Sandbox) -> String {
    let server = ModelServer::answering(|_| Service::Gemini.says("Done."));
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
    command.args(["-p", "hi"]);
    command.envs(Service::Gemini.variables(&server.url()));
    let finished = sandbox.run(&mut command, b"");
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    server.requests()[0].json().to_string()
}

fn listed(sandbox: &Sandbox, of: &str) -> String {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
    let finished = sandbox.run(command.args([of, "list"]), b"");
    finished.stdout + &finished.stderr
}

/// AG-CLI-9: what a setting excludes isn't offered to the model, and the lists name the setting.
#[test]
fn what_is_kept_out_is_not_offered() {
    let [servers, skill, agent] = [
        &["mcp__srv__", "mcp__other__"][..],
        &["plumbing"],
        &["digger"],
    ];
    let all = [servers, skill, agent].concat();
    let cases = [
        (json!({}), &[][..]),
        (json!({"mcp": {"excluded": ["SRV"]}}), &servers[..1]),
        (json!({"mcp": {"allowed": ["other"]}}), &servers[..1]),
        (json!({"admin": {"mcp": {"enabled": false}}}), servers),
        (json!({"skills": {"disabled": ["plumbing"]}}), skill),
        (json!({"admin": {"skills": {"enabled": false}}}), skill),
        (
            json!({"agents": {"overrides": {"digger": {"enabled": false}}}}),
            agent,
        ),
        (json!({"experimental": {"enableAgents": false}}), agent),
    ];
    for (setting, kept_out) in cases {
        let sandbox = prepared(&setting);
        let offered = offered(&sandbox);
        for name in &all {
            let is_offered = offered.contains(name);
            assert_eq!(is_offered, !kept_out.contains(name), "{setting}: {name}");
        }
        let lists = listed(&sandbox, "mcp") + &listed(&sandbox, "skills");
        let is_listed = kept_out.iter().any(|it| !agent.contains(it));
        let says = lists.contains("settings.json:1:") && lists.contains("out");
        assert_eq!(
            says && lists.contains("disabled by") || lists.contains("disables the skill"),
            is_listed,
            "{setting}: {lists}"
        );
    }
}

/// AG-CLI-7, AG-CLI-9: a disabled server and skill aren't offered; the server is reported at the
/// start, with the place; what is enabled again is offered.
#[test]
fn what_is_switched_off_is_told_and_comes_back() {
    let sandbox = prepared(&json!({}));
    let switch = |words: &[&str]| {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
        let finished = sandbox.run(command.args(words), b"");
        assert_eq!(finished.code, Some(0), "{words:?}: {}", finished.stderr);
    };
    switch(&["mcp", "disable", "srv"]);
    switch(&["skills", "disable", "plumbing", "--scope", "user"]);
    let text = offered(&sandbox);
    assert!(!text.contains("mcp__srv__") && !text.contains("plumbing"));
    assert!(text.contains("mcp__other__"));
    assert!(listed(&sandbox, "mcp").contains("\"mcp.excluded\""));
    let server = ModelServer::answering(|_| Service::Gemini.says("Done."));
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
    command.args(["-p", "hi", "-o", "json"]);
    command.envs(Service::Gemini.variables(&server.url()));
    let listing = sandbox.run(&mut command, b"");
    let json: Value = serde_json::from_str(&listing.stdout).unwrap();
    let places = |it: &Value| it["warnings"].to_string().contains("settings.json:");
    assert!(
        places(&json) && listing.stderr.contains("\"srv\""),
        "{}",
        listing.stderr
    );
    switch(&["mcp", "enable", "SRV"]);
    switch(&["skills", "enable", "plumbing"]);
    let text = offered(&sandbox);
    assert!(text.contains("mcp__srv__") && text.contains("plumbing"));
}

/// AG-CLI-7: what another layer excludes can't be included, and its place is named; an unknown name
/// isn't a success.
#[test]
fn what_another_layer_keeps_out_stays_out() {
    let sandbox = prepared(&json!({"mcp": {"allowed": ["other"]}}));
    for (words, named) in [
        (["mcp", "enable", "srv"], "settings.json:1:"),
        (["mcp", "disable", "srf"], "\"srv\""),
        (["skills", "enable", "plumbin"], "\"plumbing\""),
    ] {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
        let finished = sandbox.run(command.args(words), b"");
        assert_eq!(finished.code, Some(1), "{words:?}");
        assert!(finished.stderr.contains(named), "{}", finished.stderr);
    }
}

/// AG-CLI-7: a sound extension is valid, a broken one isn't, and neither is installed.
#[test]
fn an_extension_is_validated() {
    let sandbox = Sandbox::new();
    let manifests = [
        (json!({"name": "x", "version": "1"}).to_string(), 0),
        ("{\"name\": ".to_owned(), 1),
        (json!({"version": "1"}).to_string(), 1),
    ];
    for (manifest, code) in manifests {
        let folder = sandbox.root().join("extension");
        sandbox.file(folder.join("gemini-extension.json"), &manifest);
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
        command.args(["extensions", "validate"]).arg(&folder);
        let finished = sandbox.run(&mut command, b"");
        assert_eq!(finished.code, Some(code), "{manifest}: {}", finished.stderr);
        let extensions = sandbox.home().join(".gemini/extensions");
        let left = fs::read_dir(extensions).map_or(0, Iterator::count);
        assert_eq!(left, 0);
    }
}

/// AG-CLI-9, EX-4: an extension that the settings exclude isn't installed either, and the setting
/// is named.
#[test]
fn what_is_kept_out_is_not_installed() {
    let lists = json!({"security": {"allowedExtensions": ["^https://good/"]}});
    let sandbox = prepared(&lists);
    let folder = sandbox.root().join("extension");
    let manifest = json!({"name": "x", "version": "1"}).to_string();
    sandbox.file(folder.join("gemini-extension.json"), &manifest);
    let install = |verb: &str| {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
        command.args(["extensions", verb]).arg(&folder);
        sandbox.run(&mut command, b"y\n")
    };
    for verb in ["install", "link"] {
        let finished = install(verb);
        assert_eq!(finished.code, Some(1), "{}", finished.stderr);
        let expected = "\"security.allowedExtensions\" keeps extensions from";
        assert!(finished.stderr.contains(expected), "{}", finished.stderr);
    }
    let place = sandbox.home().join(".gemini/extensions/x");
    assert!(!place.exists());
    sandbox.user_settings("{}");
    assert_eq!(install("install").code, Some(0));
    assert!(place.exists());
}

/// AG-CLI-9, TO-6: policy files that settings name count, and a missing one prevents the start.
#[test]
fn files_of_rules_that_settings_name_count() {
    let sandbox = prepared(&json!({"policyPaths": ["rules"]}));
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
    command.args(["-p", "hi"]).env("GEMINI_API_KEY", "key");
    let finished = sandbox.run(&mut command, b"");
    assert_eq!(finished.code, Some(52), "{}", finished.stderr);
    assert!(
        finished.stderr.contains("settings.json:1:"),
        "{}",
        finished.stderr
    );
    // A project's own files don't count.
    let rule = "[[rule]]\ntoolName = \"*\"\ndecision = \"allow\"\npriority = 100\n";
    sandbox.file(sandbox.project().join("rules/own.toml"), rule);
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
    command.args(["-p", "hi"]).env("GEMINI_API_KEY", "key");
    assert_eq!(sandbox.run(&mut command, b"").code, Some(52));
    let rule = "[[rule]]\ntoolName = \"glob\"\ndecision = \"deny\"\npriority = 100\n";
    sandbox.file(sandbox.home().join(".gemini/rules/own.toml"), rule);
    let offered = offered(&sandbox);
    assert!(!offered.contains("\"glob\"") && offered.contains("\"read_file\""));
    fs::remove_dir_all(sandbox.home().join(".gemini/rules")).unwrap();
    fs::remove_dir_all(sandbox.project().join("rules")).unwrap();
}
