//! Which files are read, and how they are combined (ST-1, ST-2, TR-5).

use hookloop_hook::Layer;
use hookloop_settings::{LayerState, find_project_root};

use crate::fixture::{Fixture, hooks, labels, told};

fn states(settings: &hookloop_settings::Settings) -> Vec<(Layer, LayerState)> {
    settings
        .layers
        .iter()
        .map(|layer| (layer.layer, layer.state))
        .collect()
}

/// ST-1, ST-2: hooks of all layers are in the order of the layers, then of the file.
#[test]
fn hooks_are_in_the_order_of_layers() {
    let fixture = Fixture::new()
        .project(hooks("BeforeTool", &["p1", "p2"]))
        .user(hooks("BeforeTool", &["u"]))
        .system(hooks("AfterTool", &["s"]))
        .file(
            "home/.gemini/extensions/e/gemini-extension.json",
            r#"{"name": "e"}"#,
        )
        .file(
            "home/.gemini/extensions/e/hooks/hooks.json",
            hooks("BeforeTool", &["e"]),
        );
    let settings = fixture.load();
    assert_eq!(labels(&settings), ["p1", "p2", "u", "s", "e"]);
    let loaded = LayerState::Loaded;
    assert_eq!(
        states(&settings),
        [
            (Layer::Project, loaded),
            (Layer::User, loaded),
            (Layer::System, loaded),
            (Layer::Extension, loaded)
        ]
    );
    assert_eq!(settings.hooks[4].source.extension.as_deref(), Some("e"));
    assert!(Layer::Project < Layer::User && Layer::System < Layer::Extension);
}

/// ST-1: missing files aren't a problem.
#[test]
fn missing_files_are_no_problem() {
    let settings = Fixture::new().load();
    assert_eq!(told(&settings.problems), [""; 0]);
    assert!(
        settings
            .layers
            .iter()
            .all(|layer| layer.state == LayerState::Missing)
    );
}

/// ST-5: a file that isn't JSON is reported with the place, and only its layer counts as empty.
#[test]
fn a_broken_file_empties_its_layer_only() {
    for (text, place) in [
        ("{\"a\": 1,\n oops}", "invalid_json 2:2"),
        ("{\"a\": 1\n \"b\": 2}", "invalid_json 2:2"),
        ("{\"a\": [1,\n 2", "invalid_json 2:3"),
        ("{\"a\": \"x\n\", \"b\": \"c\"}", "invalid_json 1:9"),
        ("", "invalid_json 1:1"),
        ("  // nothing", "invalid_json 1:13"),
        ("{} {}", "invalid_json 1:4"),
        ("{'a': 1}", "invalid_json 1:2"),
        ("{\"é\": \\}", "invalid_json 1:7"),
        ("[1]", "wrong_type 1:1"),
        ("\"x\"", "wrong_type 1:1"),
    ] {
        let fixture = Fixture::new()
            .project(text)
            .user(hooks("BeforeTool", &["u"]));
        let settings = fixture.load();
        assert_eq!(told(&settings.problems), [place], "{text}");
        assert_eq!(labels(&settings), ["u"], "{text}");
        assert_eq!(
            states(&settings)[0],
            (Layer::Project, LayerState::Invalid),
            "{text}"
        );
    }
}

/// ST-1: a byte order mark and CRLF line ends are read; places are those a person sees.
#[test]
fn marks_and_line_ends_are_read() {
    let text = "\u{FEFF}{\"hooks\": {\r\n\t\"é\": [],\r\n\"AfterTool\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"a\"}]}]}}";
    let settings = Fixture::new().project(text).load();
    assert_eq!(labels(&settings), ["a"]);
    assert_eq!(told(&settings.problems), ["unknown_event 2:2"]);
    assert_eq!(
        settings.problems[0].snippet.as_deref(),
        Some("\t\"é\": [],")
    );
}

/// ST-1: the project's root is the nearest folder upward with `.gemini` or `.git`, never home.
#[test]
fn the_project_root_is_found_upward() {
    let fixture = Fixture::new();
    let root = fixture.root();
    let deep = root.join("home/work/repo/src/deep");
    std::fs::create_dir_all(&deep).unwrap();
    let home = root.join("home");
    assert_eq!(find_project_root(&deep, &home), deep);
    std::fs::create_dir_all(root.join("home/work/repo/.git")).unwrap();
    assert_eq!(find_project_root(&deep, &home), root.join("home/work/repo"));
    std::fs::create_dir_all(root.join("home/work/repo/src/.gemini")).unwrap();
    assert_eq!(
        find_project_root(&deep, &home),
        root.join("home/work/repo/src")
    );
    assert_eq!(find_project_root(&home, &home), home);
}

/// ST-1: in the home folder the user's file counts once, as the user's.
#[test]
fn the_home_folder_is_not_a_project() {
    let mut fixture = Fixture::new().user(hooks("BeforeTool", &["u"]));
    fixture.request.project_root = fixture.request.home.clone();
    let settings = fixture.load();
    assert_eq!(labels(&settings), ["u"]);
    assert_eq!(settings.hooks[0].source.layer, Some(Layer::User));
}

/// TR-5: of a folder marked `DO_NOT_TRUST` the hooks are listed, and nothing else counts.
#[test]
fn a_distrusted_folder_only_lists_its_hooks() {
    let mut fixture = Fixture::new()
        .project(
            r#"{"hooksConfig": {"enabled": false, "disabled": ["p"]}, "model": {"name": "m"},
"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "p"}]}]}}"#,
        )
        .do_not_trust();
    // TR-3 doesn't help.
    fixture.request.run = hookloop_settings::RunTrust::Option;
    let settings = fixture.load();
    assert_eq!(labels(&settings), ["p"]);
    assert_eq!(
        states(&settings)[0],
        (Layer::Project, LayerState::Untrusted)
    );
    assert!(settings.switches.enabled.value && settings.switches.disabled.is_empty());
    assert!(settings.agent.model_name.is_none());
    assert!(settings.lookup(&["model", "name"]).is_none());
    assert!(!settings.workspace.is_trusted() && !settings.workspace.lets_hooks_run());
    assert_eq!(told(&settings.problems), ["folder_untrusted"]);
    assert!(
        settings.problems[0]
            .source
            .file
            .ends_with("trustedFolders.json")
    );
}

/// ST-5: a settings file that can't be read is reported, and the others load.
#[cfg(unix)]
#[test]
fn unreadable_files_are_reported() {
    use std::os::unix::fs::symlink;
    let fixture = Fixture::new().user(hooks("BeforeTool", &["u"]));
    let file = fixture.root().join("project/.gemini/settings.json");
    for target in ["/dev/zero", "/no/such/file", "/"] {
        symlink(target, &file).unwrap();
        let settings = fixture.load();
        assert_eq!(told(&settings.problems), ["unreadable_file"], "{target}");
        assert_eq!(labels(&settings), ["u"]);
        assert_eq!(
            states(&settings)[0],
            (Layer::Project, LayerState::Unreadable)
        );
        std::fs::remove_file(&file).unwrap();
    }
}

/// ST-4: a settings file that is a link is named as the link.
#[cfg(unix)]
#[test]
fn a_link_is_named_as_the_link() {
    let fixture = Fixture::new();
    let target = fixture.write("elsewhere.json", hooks("BeforeTool", &["p"]));
    let file = fixture.root().join("project/.gemini/settings.json");
    std::os::unix::fs::symlink(target, &file).unwrap();
    assert_eq!(&*fixture.load().hooks[0].source.file, file);
}

/// ST-5: a link to nothing, or a file in a folder's place, anywhere on the way to what may contain
/// a guard isn't an absence: no agent runs. If nothing is there, nothing is reported.
#[cfg(unix)]
#[test]
fn a_link_to_nothing_on_the_way_keeps_the_agent_from_starting() {
    let extension = "home/.gemini/extensions/e";
    let whole = || {
        let manifest = r#"{"name": "e"}"#;
        let fixture = Fixture::new().trusted().user(hooks("BeforeTool", &["u"]));
        fixture
            .project(hooks("BeforeTool", &["p"]))
            .file(&format!("{extension}/gemini-extension.json"), manifest)
            .file(
                &format!("{extension}/hooks/hooks.json"),
                hooks("BeforeTool", &["e"]),
            )
            .file(
                "project/.gemini/extensions/f/gemini-extension.json",
                manifest,
            )
    };
    let closed = |fixture: &Fixture| {
        let settings = fixture.load();
        let history = hookloop_settings::ProjectHistory::NeverTrusted;
        let broken = settings.broken_guards(history);
        assert!(settings.problems.len() >= broken.len());
        !broken.is_empty()
    };
    assert!(!closed(&whole()));
    let places = [
        "home/.gemini",
        "home/.gemini/extensions",
        extension,
        "home/.gemini/extensions/e/hooks",
        "project/.gemini",
        "project/.gemini/extensions",
        "project/.gemini/extensions/f",
    ];
    for place in places {
        let fixture = whole();
        let place = fixture.root().join(place);
        let kept = fixture.root().join("kept");
        std::fs::rename(&place, &kept).unwrap();
        assert!(!closed(&fixture), "{}", place.display());
        std::os::unix::fs::symlink(&kept, &place).unwrap();
        assert!(!closed(&fixture), "{}", place.display());
        std::fs::rename(&kept, fixture.root().join("moved")).unwrap();
        assert!(closed(&fixture), "{}", place.display());
        std::fs::remove_file(&place).unwrap();
        std::fs::write(&place, "").unwrap();
        // A file among the extensions isn't an extension.
        let is_among = place.ends_with("extensions/e") || place.ends_with("extensions/f");
        assert_eq!(closed(&fixture), !is_among, "{}", place.display());
    }
}

/// ST-5: a dead link in an untrusted project keeps nobody from working, and a disabled extension
/// contains no guard.
#[cfg(unix)]
#[test]
fn links_to_nothing_that_would_not_count_are_only_told() {
    use hookloop_settings::ProjectHistory::NeverTrusted;
    use std::os::unix::fs::symlink;
    let fixture = Fixture::new();
    let folder = fixture.root().join("project/.gemini");
    std::fs::remove_dir(&folder).unwrap();
    symlink("/no/such/folder", &folder).unwrap();
    let settings = fixture.load();
    assert!(settings.broken_guards(NeverTrusted).is_empty());
    assert!(!settings.problems.is_empty());
    let fixture = Fixture::new().user(r#"{"extensions": {"disabled": ["off"]}}"#);
    let folder = fixture.root().join("home/.gemini/extensions");
    std::fs::create_dir_all(&folder).unwrap();
    symlink("/no/such/folder", folder.join("off")).unwrap();
    let settings = fixture.load();
    assert!(settings.broken_guards(NeverTrusted).is_empty());
    assert_eq!(told(&settings.problems), ["extension_invalid"]);
}

/// AG-CLI-9, ST-5: a prohibition of tools that can't be read would forbid nothing, so no agent
/// runs.
#[test]
fn an_unreadable_prohibition_keeps_the_agent_from_starting() {
    use hookloop_settings::ProjectHistory::NeverTrusted;
    for key in ["core", "exclude", "confirmationRequired"] {
        for (value, is_broken) in [
            (r#""read_file""#, true),
            ("5", true),
            ("{}", true),
            (r#"["read_file", 5]"#, true),
            (r#"["read_file"]"#, false),
            ("[]", false),
            ("null", false),
        ] {
            let text = format!(r#"{{"tools": {{"{key}": {value}}}}}"#);
            let settings = Fixture::new().user(&text).load();
            assert_eq!(
                !settings.broken_guards(NeverTrusted).is_empty(),
                is_broken,
                "{text}"
            );
        }
    }
}
