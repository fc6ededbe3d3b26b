//! Extensions (EX-1, EX-2, EX-3, EX-5).

use std::path::MAIN_SEPARATOR;

use hookloop_hook::{Enablement, ExtensionScope};
use hookloop_settings::{ExtensionChoice, LayerState};

use crate::fixture::{Fixture, hooks, labels, told};

const USER: &str = "home/.gemini/extensions";
const PROJECT: &str = "project/.gemini/extensions";

fn with(fixture: Fixture, folder: &str, name: &str, command: &str) -> Fixture {
    fixture
        .file(
            &format!("{folder}/{name}/gemini-extension.json"),
            format!(r#"{{"name": "{name}", "version": "1"}}"#),
        )
        .file(
            &format!("{folder}/{name}/hooks/hooks.json"),
            hooks("BeforeTool", &[command]),
        )
}

/// EX-1, PL-6: extensions of home and project load by name, the user's first.
#[test]
fn extensions_load_by_name() {
    let fixture = with(Fixture::new(), USER, "b", "ub");
    let fixture = with(fixture, USER, "a", "ua");
    let fixture = with(fixture, PROJECT, "c", "pc");
    let settings = fixture.load();
    assert_eq!(labels(&settings), ["ua", "ub", "pc"]);
    let scopes: Vec<_> = settings
        .hooks
        .iter()
        .map(|hook| hook.extension.as_ref().unwrap().scope)
        .collect();
    assert_eq!(
        scopes,
        [
            ExtensionScope::User,
            ExtensionScope::User,
            ExtensionScope::Project
        ]
    );
    assert!(settings.hooks[2].is_from_project() && !settings.hooks[0].is_from_project());
    assert_eq!(settings.extensions.len(), 3);
}

/// EX-2: variables are replaced in every string of `hooks.json`.
#[test]
fn variables_are_replaced_everywhere() {
    let fixture = Fixture::new()
        .file(
            &format!("{USER}/e/gemini-extension.json"),
            r#"{"name": "e"}"#,
        )
        .file(
            &format!("{USER}/e/hooks/hooks.json"),
            r#"{"hooks": {"BeforeTool": [{"matcher": "${/}", "hooks": [{"type": "command",
"command": "node \"${extensionPath}${/}x.js\" ${HOME} ${workspacePath}", "name": "${pathSeparator}",
"env": {"P": "${extensionPath}"}}]}]}}"#,
        );
    let settings = fixture.load();
    let path = fixture.root().join(USER).join("e");
    let (path, root) = (path.display(), fixture.request.project_root.display());
    let hook = &settings.hooks[0];
    assert_eq!(
        hook.command(),
        format!("node \"{path}{MAIN_SEPARATOR}x.js\" ${{HOME}} {root}")
    );
    assert_eq!(hook.env["P"], path.to_string());
    assert_eq!(hook.matcher.as_deref(), Some(std::path::MAIN_SEPARATOR_STR));
    assert_eq!(hook.name.as_deref(), Some(std::path::MAIN_SEPARATOR_STR));
}

/// EX-3: only declared settings come from `.env`.
#[test]
fn declared_settings_are_in_the_environment() {
    let fixture = Fixture::new()
        .file(
            &format!("{USER}/e/gemini-extension.json"),
            r#"{"name": "e", "settings": [{"name": "Key", "envVar": "KEY"}]}"#,
        )
        .file(&format!("{USER}/e/.env"), "KEY=\"v\"\nPATH=/evil\n")
        .file(
            &format!("{USER}/e/hooks/hooks.json"),
            hooks("BeforeTool", &["e"]),
        );
    let fixture = with(fixture, USER, "other", "o");
    let settings = fixture.load();
    let environment = |index: usize| {
        &settings.hooks[index]
            .extension
            .as_ref()
            .unwrap()
            .settings_env
    };
    assert_eq!(environment(0), &[("KEY".to_owned(), "v".to_owned())]);
    assert!(environment(1).is_empty());
}

/// EX-5: broken extensions are reported and left out, the others load.
#[test]
fn broken_extensions_are_left_out() {
    let fixture = with(Fixture::new(), USER, "good", "good")
        .file(&format!("{USER}/a/gemini-extension.json"), "{\"name\": ")
        .file(&format!("{USER}/b/readme"), "no manifest")
        .file(
            &format!("{USER}/c/gemini-extension.json"),
            "{\"version\": \"1\"}",
        )
        .file(
            &format!("{USER}/d/gemini-extension.json"),
            "{\"name\": \"../x\"}",
        )
        .file(
            &format!("{USER}/e/gemini-extension.json"),
            "{\"name\": \"e\"}",
        )
        .file(&format!("{USER}/e/hooks/hooks.json"), "{\"hooks\": {]}}")
        .file(
            &format!("{USER}/f/gemini-extension.json"),
            "{\"name\": \"f\"}",
        )
        .file(&format!("{USER}/f/hooks/hooks.json"), "{}")
        .file(&format!("{USER}/g/gemini-extension.json"), b"\xFF")
        .file(
            &format!("{USER}/same/gemini-extension.json"),
            "{\"name\": \"good\"}",
        )
        .file(&format!("{USER}/.git/x"), "hidden")
        .file(&format!("{USER}/a file"), "no folder");
    let settings = fixture.load();
    assert_eq!(labels(&settings), ["good"]);
    assert_eq!(
        told(&settings.problems),
        [
            "extension_invalid 1:10",
            "extension_invalid",
            "extension_invalid 1:1",
            "extension_invalid 1:10",
            "extension_invalid 1:12",
            "extension_invalid 1:1",
            "extension_invalid 1:1",
            "extension_invalid",
        ]
    );
}

/// EX-5, ST-5: one bad hook of an extension doesn't affect a good one.
#[test]
fn a_bad_hook_of_an_extension_goes_alone() {
    let fixture = Fixture::new()
        .file(
            &format!("{USER}/e/gemini-extension.json"),
            r#"{"name": "e"}"#,
        )
        .file(
            &format!("{USER}/e/hooks/hooks.json"),
            r#"{"hooks": {"disabled": ["guard"], "BeforeTool": [{"hooks": [{"type": "command"},
{"type": "command", "command": "good"}]}]}}"#,
        );
    let settings = fixture.load();
    let broken: Vec<_> = settings
        .hooks
        .iter()
        .map(|it| it.broken.is_some())
        .collect();
    assert_eq!(broken, [true, false]);
    assert_eq!(labels(&settings)[1], "good");
    assert_eq!(
        told(&settings.problems),
        ["unknown_field 1:12", "missing_field 1:61"]
    );
    assert!(settings.switches.disabled.is_empty());
}

/// EX-4: hooks of a disabled extension stay listed.
#[test]
fn disabled_extensions_stay_listed() {
    let enablement = |fixture: &Fixture| -> Vec<Enablement> {
        let settings = fixture.load();
        settings
            .hooks
            .iter()
            .map(|hook| hook.extension.as_ref().unwrap().enablement)
            .collect()
    };
    let (on, off) = (Enablement::Enabled, Enablement::Disabled);
    let both = || with(with(Fixture::new(), USER, "e", "u"), PROJECT, "p", "p");
    let disabled = r#"{"extensions": {"disabled": ["e", "p"]}}"#;
    assert_eq!(enablement(&both()), [on, on]);
    assert_eq!(enablement(&both().user(disabled)), [off, off]);
    // ST-7: an untrusted project can't switch off the user's extension.
    assert_eq!(enablement(&both().project(disabled)), [on, off]);
    assert_eq!(
        told(&both().project(disabled).load().problems),
        ["folder_untrusted 1:30"]
    );
    assert_eq!(enablement(&both().project(disabled).trusted()), [off, off]);
    let rules = r#"{"e": {"overrides": ["!/*"]}, "p": {"overrides": ["!/*"]}}"#;
    let file = "extension-enablement.json";
    assert_eq!(
        enablement(&both().file(&format!("{USER}/{file}"), rules)),
        [off, off]
    );
    assert_eq!(
        enablement(&both().file(&format!("{PROJECT}/{file}"), rules)),
        [on, off]
    );
    let fixture = both();
    let root = fixture.request.project_root.display().to_string();
    let rules = format!(r#"{{"e": {{"overrides": ["!/*", "{root}/"]}}}}"#);
    assert_eq!(
        enablement(&fixture.file(&format!("{USER}/{file}"), rules)),
        [on, on]
    );
    let mut fixture = both();
    fixture.request.extensions = ExtensionChoice::Only(vec!["E".to_owned()]);
    assert_eq!(enablement(&fixture), [on, off]);
}

/// EX-4, EX-5: a list of disabled extensions that can't be read is reported.
#[test]
fn a_broken_enablement_file_is_reported() {
    let fixture = with(Fixture::new(), USER, "e", "u")
        .file(&format!("{USER}/extension-enablement.json"), "{oops");
    let settings = fixture.load();
    assert_eq!(told(&settings.problems), ["extension_invalid"]);
    assert_eq!(labels(&settings), ["u"]);
}

/// TR-5: extensions of a distrusted folder are listed, and marked.
#[test]
fn extensions_of_a_distrusted_folder_are_listed() {
    let settings = with(Fixture::new(), PROJECT, "p", "p")
        .do_not_trust()
        .load();
    assert_eq!(labels(&settings), ["p"]);
    assert_eq!(settings.layers.last().unwrap().state, LayerState::Untrusted);
    assert_eq!(told(&settings.problems), ["folder_untrusted"]);
}

/// EX-1, TR-5: a manifest's servers start only where the project is trusted; variables are
/// replaced.
#[test]
fn a_strange_projects_extension_starts_no_servers() {
    let manifest = r#"{"name": "p", "version": "2", "contextFileName": ["C.md"], "excludeTools": ["x"],
"mcpServers": {"s": {"command": "${extensionPath}/s"}}}"#;
    let fixture = Fixture::new().file(&format!("{PROJECT}/p/gemini-extension.json"), manifest);
    let settings = fixture.load();
    assert!(settings.extensions[0].mcp_servers.is_empty());
    assert_eq!(settings.extensions[0].exclude_tools, ["x"]);
    assert_eq!(told(&settings.problems), ["folder_untrusted"]);
    let fixture = fixture.trusted();
    let extension = &fixture.load().extensions[0];
    let command = extension.mcp_servers[0].1["command"].as_str().unwrap();
    assert_eq!(command, format!("{}/s", extension.origin.path.display()));
    assert_eq!(
        (
            extension.version.as_str(),
            extension.context_file_names.len()
        ),
        ("2", 1)
    );
}
