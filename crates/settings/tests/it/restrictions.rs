//! What settings forbid in the words of Gemini CLI, in every layer (AG-CLI-9).

use hookloop_hook::{Enablement, Layer};
use hookloop_settings::{ExtensionSource, Restrictions, SandboxMode, Settings};

use crate::fixture::{Fixture, load_text, told};

/// The same text as the settings of each layer, the project's in an untrusted folder and in a
/// trusted one.
fn in_each_layer(text: &str) -> [(Layer, Settings); 4] {
    [
        (Layer::System, Fixture::new().system(text).load()),
        (Layer::User, Fixture::new().user(text).load()),
        (Layer::Project, Fixture::new().project(text).load()),
        (
            Layer::Project,
            Fixture::new().trusted().project(text).load(),
        ),
    ]
}

/// AG-CLI-9, TO-2, ST-13: a request for the sandbox of tools in the words of Gemini CLI counts, in
/// every layer, even if the value can't be read or the word is misspelt; and `false` opens nothing.
#[test]
fn the_sandbox_of_tools_is_the_one_of_commands() {
    let mode = |settings: &Settings| settings.agent.tools.sandbox.as_ref().map(|it| it.value);
    let words = [
        (r#"{"security": {"toolSandboxing": true}}"#, 0),
        (r#"{"security": {"toolSandboxing": "yes"}}"#, 1),
        (r#"{"security": {"toolSandboxing": 1}}"#, 1),
        (r#"{"security": {"toolSandbxing": true}}"#, 1),
        (r#"{"security": {"sandbox": "docker"}}"#, 1),
        (r#"{"toolSandboxing": true}"#, 1),
    ];
    for (text, problems) in words {
        for (layer, settings) in in_each_layer(text) {
            assert_eq!(mode(&settings), Some(SandboxMode::On), "{text} {layer:?}");
            assert_eq!(settings.problems.len(), problems, "{text} {layer:?}");
            let place = settings.agent.tools.sandbox.unwrap().source.unwrap();
            assert_eq!((place.layer, place.position.is_some()), (Some(layer), true));
        }
    }
    for (layer, settings) in in_each_layer(r#"{"security": {"toolSandboxing": false}}"#) {
        assert_eq!(
            (mode(&settings), settings.problems.len()),
            (None, 0),
            "{layer:?}"
        );
    }
    let settings = Fixture::new()
        .user(r#"{"tools": {"sandbox": "on"}}"#)
        .project(r#"{"security": {"toolSandboxing": false}}"#)
        .load();
    assert_eq!(mode(&settings), Some(SandboxMode::On));
    let settings = Fixture::new()
        .system(r#"{"security": {"toolSandboxing": true}}"#)
        .user(r#"{"tools": {"sandbox": "off"}}"#)
        .load();
    assert_eq!(mode(&settings), Some(SandboxMode::On));
    assert_eq!(told(&settings.problems), ["loosening_ignored 1:23"]);
}

type Asks = fn(&Restrictions) -> bool;

/// AG-CLI-9: what is forbidden is forbidden in every layer, also by a value that can't be read, and
/// no layer lifts what another one forbids.
#[test]
fn what_is_forbidden_counts_in_every_layer() {
    let yolo: Asks = |it| it.of_never_asking().is_some();
    let always: Asks = |it| it.of_allow_always().is_some();
    let server: Asks = |it| it.of_mcp_server("one").is_some();
    let skill: Asks = |it| it.of_skill("one").is_some();
    let agent: Asks = |it| it.of_sub_agent("one").is_some();
    let way: Asks = |it| it.of_authentication("gemini-api-key").is_some();
    let cases = [
        (r#"{"security": {"disableYoloMode": #}}"#, "true", yolo),
        (r#"{"security": {"disableAlwaysAllow": #}}"#, "true", always),
        (r#"{"admin": {"secureModeEnabled": #}}"#, "true", yolo),
        (r#"{"admin": {"secureModeEnabled": #}}"#, "true", always),
        (r#"{"admin": {"mcp": {"enabled": #}}}"#, "false", server),
        (r#"{"admin": {"skills": {"enabled": #}}}"#, "false", skill),
        (r#"{"skills": {"enabled": #}}"#, "false", skill),
        (r#"{"skills": {"disabled": #}}"#, r#"["One"]"#, skill),
        (r#"{"mcp": {"excluded": #}}"#, r#"["two", " one "]"#, server),
        (r#"{"mcp": {"allowed": #}}"#, r#"["two"]"#, server),
        (
            r#"{"admin": {"mcp": {"config": #}}}"#,
            r#"{"two": {}}"#,
            server,
        ),
        (r#"{"experimental": {"enableAgents": #}}"#, "false", agent),
        (
            r#"{"agents": {"overrides": {"one": {"enabled": #}}}}"#,
            "false",
            agent,
        ),
        (
            r#"{"security": {"auth": {"enforcedType": #}}}"#,
            r#""vertex-ai""#,
            way,
        ),
    ];
    for text in [
        r#"{"agents": {"overrides": 7}}"#,
        r#"{"agents": {"overrides": {"one": false}}}"#,
        r#"{"agents": {"overrides": {"one": "off"}}}"#,
    ] {
        for (layer, settings) in in_each_layer(text) {
            assert!(agent(&settings.agent.restrictions), "{text} {layer:?}");
        }
    }
    for (text, value, is_forbidden) in cases {
        for value in [value, "7"] {
            let text = text.replace('#', value);
            for (layer, settings) in in_each_layer(&text) {
                let restrictions = &settings.agent.restrictions;
                assert!(is_forbidden(restrictions), "{text} {layer:?}");
                let is_told = !settings.problems.is_empty();
                let is_odd = value == "7" || text.contains("config");
                assert_eq!(is_told, is_odd, "{text}: {:?}", settings.problems);
            }
        }
        let allows = match value {
            "true" => "false",
            "false" => "true",
            _ => "null",
        };
        let settings = Fixture::new()
            .system(text.replace('#', value))
            .user(text.replace('#', allows))
            .project(text.replace('#', allows))
            .trusted()
            .load();
        let restrictions = &settings.agent.restrictions;
        assert!(is_forbidden(restrictions), "{text}");
        let settings = load_text(text.replace('#', allows));
        assert!(!is_forbidden(&settings.agent.restrictions), "{text}");
    }
}

/// AG-CLI-9: of several lists of servers, only those named by all of them count; an empty one says
/// nothing.
#[test]
fn lists_of_servers_are_joined_to_the_narrowest() {
    let settings = Fixture::new()
        .system(r#"{"mcp": {"allowed": ["a", "b"]}}"#)
        .user(r#"{"mcp": {"allowed": []}}"#)
        .project(r#"{"mcp": {"allowed": ["b", "c"]}}"#)
        .load();
    let restrictions = &settings.agent.restrictions;
    let counts = |name: &str| restrictions.of_mcp_server(name).is_none();
    assert_eq!(["a", "b", "c"].map(counts), [false, true, false]);
    let place = restrictions.of_mcp_server("a").unwrap().place();
    assert!(
        place.ends_with("settings.json:1:21: \"mcp.allowed\""),
        "{place}"
    );
}

/// AG-CLI-9: what Gemini CLI switched off in its own file stays out; what can't be read there
/// forbids, and is reported.
#[test]
fn servers_that_the_reference_switched_off_stay_out() {
    let cases = [
        (r#"{"one": {"enabled": false}}"#, [true, false], 0),
        (
            r#"{" ONE ": {"enabled": false}, "two": {}}"#,
            [true, false],
            0,
        ),
        (r#"{"one": {"enabled": true}}"#, [false, false], 0),
        (r#"{"one": {"enabled": "no"}}"#, [true, false], 1),
        (r#"{"one": false}"#, [true, false], 1),
        ("[]", [true, true], 1),
        ("{", [true, true], 1),
        ("{}", [false, false], 0),
    ];
    for (text, expected, problems) in cases {
        let fixture = Fixture::new().file("home/.gemini/mcp-server-enablement.json", text);
        let settings = fixture.load();
        let restrictions = &settings.agent.restrictions;
        let is_out = |name: &str| restrictions.of_mcp_server(name).is_some();
        assert_eq!(["one", "two"].map(is_out), expected, "{text}");
        assert_eq!(settings.problems.len(), problems, "{text}");
        assert!(settings.broken_files.is_empty(), "{text}");
    }
}

const MANIFEST: &str = r#"{"name": "x", "version": "1"}"#;
const HOOK: &str =
    r#"{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "c"}]}]}}"#;

fn extension(kind: &str, source: &str) -> Fixture {
    extension_in("home/.gemini/extensions/x", kind, source)
}

fn extension_in(folder: &str, kind: &str, source: &str) -> Fixture {
    let installed = format!(r#"{{"type": "{kind}", "source": "{source}"}}"#);
    Fixture::new()
        .file(&format!("{folder}/gemini-extension.json"), MANIFEST)
        .file(&format!("{folder}/hooks/hooks.json"), HOOK)
        .file(
            &format!("{folder}/.gemini-extension-install.json"),
            installed,
        )
}

/// AG-CLI-9, ST-13: extensions that the user's or the system's settings keep out take no part,
/// which is reported with the setting's place; a project switches no guard off that way, and that
/// is reported.
#[test]
fn extensions_are_kept_out_and_that_is_reported() {
    let blocks = r#"{"security": {"blockGitExtensions": true}}"#;
    let lists = r#"{"security": {"allowedExtensions": ["^https://good/"]}}"#;
    let both =
        r#"{"security": {"blockGitExtensions": true, "allowedExtensions": ["^https://good/"]}}"#;
    let broken = r#"{"security": {"allowedExtensions": ["("]}}"#;
    let off = r#"{"admin": {"extensions": {"enabled": false}}}"#;
    let cases = [
        (blocks, "git", "https://good/x", false),
        (blocks, "github-release", "https://good/x", false),
        (blocks, "local", "/folder", true),
        (lists, "git", "https://good/x", true),
        (lists, "git", "https://bad/x", false),
        (lists, "local", "/folder", false),
        (both, "git", "https://good/x", true),
        (broken, "git", "https://good/x", false),
        (off, "local", "/folder", false),
    ];
    for (text, kind, source, is_in) in cases {
        for settings in [
            extension(kind, source).system(text).load(),
            extension(kind, source).user(text).load(),
        ] {
            let is_enabled = settings.extensions[0].origin.enablement == Enablement::Enabled;
            assert_eq!(is_enabled, is_in, "{text} {kind} {source}");
            let tells = settings.problems.iter().any(|it| {
                it.message.contains("disables the extension \"x\"") && it.source.position.is_some()
            });
            assert_eq!(tells, !is_in, "{text} {kind} {source}");
        }
        let settings = extension(kind, source).trusted().project(text).load();
        let is_enabled = settings.extensions[0].origin.enablement == Enablement::Enabled;
        assert!(is_enabled, "{text}");
        assert!(
            told(&settings.problems)
                .iter()
                .any(|it| it.starts_with("loosening_ignored"))
        );
    }
    let restrictions = Fixture::new().user(lists).load().agent.restrictions;
    assert!(
        restrictions
            .of_extension(ExtensionSource::Unknown)
            .is_some()
    );
}

/// AG-CLI-9: what a project says about where its own extensions came from satisfies no list, and
/// doesn't get them past what forbids that source.
#[test]
fn a_project_vouches_for_no_extension_of_its_own() {
    let lists = r#"{"security": {"allowedExtensions": ["^https://good/", "^/folder"]}}"#;
    let blocks = r#"{"security": {"blockGitExtensions": true}}"#;
    let cases = [
        (lists, "git", "https://good/x", false),
        (lists, "local", "/folder", false),
        (lists, "link", "/folder", false),
        (blocks, "git", "https://good/x", false),
        (blocks, "local", "/folder", true),
        ("{}", "git", "https://good/x", true),
    ];
    let folder = "project/.gemini/extensions/x";
    for (text, kind, source, is_in) in cases {
        let fixture = || extension_in(folder, kind, source).trusted();
        for settings in [fixture().system(text).load(), fixture().user(text).load()] {
            let is_enabled = settings.extensions[0].origin.enablement == Enablement::Enabled;
            assert_eq!(is_enabled, is_in, "{text} {kind} {source}");
            let mut problems = settings.problems.iter();
            let tells = problems.any(|it| it.message.contains("disables the extension \"x\""));
            assert_eq!(tells, !is_in, "{text} {kind} {source}");
        }
    }
}

/// AG-CLI-9: a setting for what isn't available here is reported with its place; what is off there
/// is no loss here.
#[test]
fn what_is_not_to_be_had_is_reported() {
    let cases = [
        (r#"{"security": {"enableConseca": true}}"#, "lossy 1:15"),
        (
            r#"{"security": {"auth": {"useExternal": true}}}"#,
            "lossy 1:24",
        ),
        (
            r#"{"admin": {"mcp": {"requiredConfig": {"s": {}}}}}"#,
            "lossy 1:20",
        ),
        (r#"{"mcp": {"serverCommand": "c"}}"#, "lossy 1:10"),
        (r#"{"tools": {"discoveryCommand": "c"}}"#, "lossy 1:12"),
        (
            r#"{"context": {"fileFiltering": {"customIgnoreFilePaths": ["f"]}}}"#,
            "lossy 1:32",
        ),
        (r#"{"excludeTools": ["x"]}"#, "invalid_value 1:2"),
        (r#"{"disableYoloMode": true}"#, "invalid_value 1:2"),
        (
            r#"{"security": {"disableYolo": true}}"#,
            "invalid_value 1:15",
        ),
        (r#"{"mcp": {"exclude": ["x"]}}"#, "invalid_value 1:10"),
        (r#"{"admin": {"secureMode": true}}"#, "invalid_value 1:12"),
        (r#"{"mcp": ["x"]}"#, "wrong_type 1:9"),
        (r#"{"agents": {"overrides": false}}"#, "wrong_type 1:26"),
        (
            r#"{"agents": {"overrides": {"one": false}}}"#,
            "wrong_type 1:34",
        ),
        (
            r#"{"agents": {"overrides": {"one": {"enable": false}}}}"#,
            "invalid_value 1:35",
        ),
        (
            r#"{"agents": {"overrides": {"one": {"disabled": true}}}}"#,
            "invalid_value 1:35",
        ),
    ];
    for (text, problem) in cases {
        for (layer, settings) in in_each_layer(text) {
            assert_eq!(told(&settings.problems), [problem], "{text} {layer:?}");
        }
    }
    let quiet = r#"{"security": {"enableConseca": false, "enablePermanentToolApproval": true,
        "auth": {"selectedType": "gemini-api-key", "useExternal": false}}, "mcp": {"allowed": []},
        "agents": {"overrides": {"x": {"modelConfig": {}}}, "browser": {"headless": true}},
        "experimental": {"worktrees": true}, "admin": {"mcp": {"enabled": true, "config": {}}},
        "context": {"fileFiltering": {"respectGitIgnore": true, "customIgnoreFilePaths": []}}}"#;
    assert_eq!(told(&load_text(quiet).problems), [""; 0]);
}

/// AG-CLI-9, ST-13: files of rules are named by the user and the system, not by a project.
#[test]
fn a_project_names_no_policy_files() {
    let text = r#"{"policyPaths": ["a"], "adminPolicyPaths": ["b"]}"#;
    for (layer, settings) in in_each_layer(text) {
        let paths = settings
            .agent
            .policy_paths
            .iter()
            .map(|it| it.value.as_str());
        let (expected, problems) = if layer == Layer::Project {
            (vec![], 2)
        } else {
            (vec!["a", "b"], 0)
        };
        assert_eq!(paths.collect::<Vec<_>>(), expected);
        assert_eq!(settings.problems.len(), problems);
    }
}
