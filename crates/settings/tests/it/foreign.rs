//! Hooks of other agents and of plugins: what can't be built is never silently off (FD-2, FD-3,
//! IO-21).

use hookloop_hook::{EventName, HookDeclaration, ProblemCode, Severity};
use hookloop_settings::{ProjectHistory, Settings, guards_without_on_failure};

use crate::fixture::Fixture;

const PLUGIN: &str = "home/.gemini/extensions/plug";

fn adopting(content: &str) -> Settings {
    let fixture = Fixture::new().user(r#"{"hooksConfig": {"adopt": ["claude-code"]}}"#);
    fixture.file("home/.claude/settings.json", content).load()
}

fn plugin(manifest: &str, files: &[(&str, &str)]) -> Fixture {
    let manifest_file = format!("{PLUGIN}/.claude-plugin/plugin.json");
    let mut fixture = Fixture::new().file(&manifest_file, manifest);
    for (name, content) in files {
        fixture = fixture.file(&format!("{PLUGIN}/{name}"), content);
    }
    fixture
}

fn in_plugin(content: &str) -> Settings {
    plugin(r#"{"name": "plug"}"#, &[("hooks/hooks.json", content)]).load()
}

fn errors(settings: &Settings) -> usize {
    let problems = settings.problems.iter();
    problems
        .filter(|it| it.code.severity() == Severity::Error)
        .count()
}

/// Returns whether nothing runs without a person hearing why.
fn is_closed(settings: &Settings) -> bool {
    !settings
        .broken_guards(ProjectHistory::NeverTrusted)
        .is_empty()
}

/// IO-21, FD-2, FD-3: an entry of another agent that can't be built is replaced by a hook of its
/// event that can't start, with its place, and reported as an error.
#[test]
fn a_hook_stands_where_an_entry_cannot_be_built() {
    for hooks in [
        r#"{"PreToolUse": {"hooks": []}}"#,
        r#"{"PreToolUse": "x"}"#,
        r#"{"PreToolUse": [{"hooks": ["x"]}]}"#,
        r#"{"PreToolUse": ["x"]}"#,
        r#"{"PreToolUse": [{"matcher": "Bash", "hook": [{"type": "command", "command": "exit 2"}]}]}"#,
        r#"{"PreToolUse": [{"type": "command", "command": "exit 2"}]}"#,
        r#"{"PreToolUse": [{"hooks": [{"type": "command"}]}]}"#,
        r#"{"PreToolUse": [{"hooks": [{"type": "command", "command": ["exit", "2"]}]}]}"#,
        r#"{"PreToolUse": [{"hooks": [{"type": "command", "command": " "}]}]}"#,
        r#"{"PreToolUse": [{"hooks": [{"type": "comand", "command": "exit 2"}]}]}"#,
        r#"{"PreToolUse": [{"hooks": [{"type": 3, "command": "exit 2"}]}]}"#,
        r#"{"PreToolUse": [{"hooks": [{"type": "command", "command": "false", "args": [1]}]}]}"#,
        r#"{"PreToolUse": [{"hooks": [{"type": "http"}]}]}"#,
        r#"{"PreToolUse": [{"matcher": 3, "hooks": [{"type": "command", "command": "exit 2"}]}]}"#,
        r#"{"PreToolUse": [{"matcher": "Bash(", "hooks": [{"type": "command", "command": "exit 2"}]}]}"#,
        r#"{"PreToolUs": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}"#,
        r#"{"pretooluse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}"#,
    ] {
        let content = format!(r#"{{"hooks": {hooks}}}"#);
        for settings in [adopting(&content), in_plugin(&content)] {
            let [hook] = &settings.hooks[..] else {
                panic!("{hooks}: {:?} {:?}", settings.hooks, settings.problems);
            };
            assert_eq!(hook.event, EventName::BeforeTool, "{hooks}");
            let broken = hook.broken.as_ref().expect(hooks);
            assert!(broken.source.position.is_some(), "{hooks}");
            assert!(errors(&settings) > 0, "{hooks}: {:?}", settings.problems);
        }
    }
}

/// IO-21: a mistake doesn't affect a good hook, and what can never happen here refuses nothing.
#[test]
fn good_hooks_stay_beside_a_mistake() {
    let content = r#"{"hooks": {
        "PreToolUse": [{"hooks": [{"type": "command"}, {"type": "command", "command": "good"}]}],
        "TeammateIdle": [{"hooks": [{"type": "command"}]}],
        "Xyzzy": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#;
    for settings in [adopting(content), in_plugin(content)] {
        let broken: Vec<bool> = settings
            .hooks
            .iter()
            .map(|it| it.broken.is_some())
            .collect();
        assert_eq!(broken, [true, false]);
        assert!(!is_closed(&settings));
    }
}

/// ST-5, FD-2, FD-3: if none of a file's hooks can be read, the file counts as broken.
#[test]
fn hooks_that_cannot_be_read_are_a_broken_file() {
    for content in [
        r#"{"hooks": []}"#,
        r#"{"hooks": 3}"#,
        r#"{"hooks": {"#,
        "[]",
    ] {
        assert!(is_closed(&adopting(content)), "{content}");
        assert!(is_closed(&in_plugin(content)), "{content}");
    }
    assert!(is_closed(&in_plugin(r#"{"PreToolUse": []}"#)));
}

const GUARD: &str = r#"{"PreToolUse": [{"hooks": [{"type": "command", "command": "guard"}]}]}"#;

/// FD-3: a plugin's manifest names files with hooks, contains hooks itself, or both in a list;
/// anything else is a broken file and not a plugin without hooks.
#[test]
fn a_manifest_holds_hooks_in_every_form() {
    let other = GUARD.replace("guard", "other");
    for (hooks, runs) in [
        (GUARD.to_owned(), vec!["guard"]),
        (format!(r#"{{"hooks": {GUARD}}}"#), vec!["guard"]),
        (format!("[{GUARD}]"), vec!["guard"]),
        (format!(r#"["./my.json", {GUARD}]"#), vec!["guard", "named"]),
        (
            format!(r#"[{GUARD}, {{"hooks": {other}}}]"#),
            vec!["guard", "other"],
        ),
        (r#""./my.json""#.to_owned(), vec!["named"]),
        ("null".to_owned(), vec![]),
        ("[]".to_owned(), vec![]),
    ] {
        let manifest = format!(r#"{{"name": "plug", "hooks": {hooks}}}"#);
        let named = format!(r#"{{"hooks": {}}}"#, GUARD.replace("guard", "named"));
        let settings = plugin(&manifest, &[("my.json", &named)]).load();
        let commands: Vec<&str> = settings
            .hooks
            .iter()
            .map(HookDeclaration::command)
            .collect();
        assert_eq!(commands, runs, "{hooks} {:?}", settings.problems);
        assert!(!is_closed(&settings), "{hooks}");
    }
    for hooks in [
        "3",
        "true",
        r#""""#,
        "[3]",
        "[true]",
        r#"["./missing.json"]"#,
    ] {
        let manifest = format!(r#"{{"name": "plug", "hooks": {hooks}}}"#);
        assert!(is_closed(&plugin(&manifest, &[]).load()), "{hooks}");
    }
}

/// FD-3: of a plugin for both agents the hooks that only its manifest for Claude Code names run
/// too, and a file that both name is read once.
#[test]
fn both_manifests_count() {
    let gemini = r#"{"name": "plug", "hooks": "./my.json"}"#;
    let named = format!(r#"{{"hooks": {}}}"#, GUARD.replace("guard", "named"));
    for (hooks, runs) in [
        (GUARD, vec!["named", "guard"]),
        (r#""./my.json""#, vec!["named"]),
    ] {
        let manifest = format!(r#"{{"name": "plug", "hooks": {hooks}}}"#);
        let files = [
            ("gemini-extension.json", gemini),
            ("my.json", named.as_str()),
        ];
        let settings = plugin(&manifest, &files).load();
        let commands: Vec<&str> = settings
            .hooks
            .iter()
            .map(HookDeclaration::command)
            .collect();
        assert_eq!(commands, runs, "{:?}", settings.problems);
    }
    let settings = plugin("{", &[("gemini-extension.json", r#"{"name": "plug"}"#)]).load();
    assert!(is_closed(&settings));
}

/// ST-5, EX-4: a plugin whose manifest is broken or gone may have contained a guard, a linked one
/// too; a disabled one contains none, nor does a folder that was never an extension.
#[test]
fn a_lost_manifest_is_a_broken_file() {
    assert!(is_closed(&plugin("{\"name\":", &[]).load()));
    assert!(is_closed(&plugin(r#"{"version": "1"}"#, &[]).load()));
    let hooks = format!(r#"{{"hooks": {GUARD}}}"#);
    let only_hooks = Fixture::new().file(&format!("{PLUGIN}/hooks/hooks.json"), &hooks);
    assert!(is_closed(&only_hooks.load()));
    let install = format!("{PLUGIN}/.gemini-extension-install.json");
    let linked = |fixture: Fixture| {
        let target = fixture.root().join("source");
        let said = serde_json::json!({"type": "link", "source": target});
        fixture.file(&install, said.to_string())
    };
    assert!(is_closed(&linked(Fixture::new()).load()));
    let manifest = "source/.claude-plugin/plugin.json";
    assert!(is_closed(
        &linked(Fixture::new().file(manifest, "{")).load()
    ));
    let whole = linked(Fixture::new().file(manifest, r#"{"name": "plug"}"#));
    assert!(!is_closed(&whole.load()));
    let off = r#"{"extensions": {"disabled": ["plug"]}}"#;
    assert!(!is_closed(&linked(Fixture::new().user(off)).load()));
    let stray = Fixture::new().file(&format!("{PLUGIN}/notes.txt"), "x");
    assert!(!is_closed(&stray.load()));
}

/// TR-10, FD-3: hooks of a project's extension aren't read through a link out of the project.
#[cfg(unix)]
#[test]
fn no_hooks_are_read_from_outside_the_project() {
    let folder = "project/.gemini/extensions/px";
    for manifest in ["gemini-extension.json", ".claude-plugin/plugin.json"] {
        let fixture = Fixture::new()
            .trusted()
            .file("outside/h.json", format!(r#"{{"hooks": {GUARD}}}"#))
            .file(&format!("{folder}/{manifest}"), r#"{"name": "px"}"#)
            .file(&format!("{folder}/hooks/beside"), "");
        let link = fixture.root().join(folder).join("hooks/hooks.json");
        std::os::unix::fs::symlink(fixture.root().join("outside/h.json"), link).unwrap();
        let settings = fixture.load();
        assert!(settings.hooks.is_empty(), "{:?}", settings.hooks);
        assert!(is_closed(&settings), "{:?}", settings.problems);
    }
}

/// BR-12: what `bridge install` wrote for another agent isn't reported if that agent's hooks are
/// adopted; any other command at the same place is.
#[test]
fn calls_of_the_bridge_are_not_complained_about() {
    let bridge = "/home/dev/.local/share/hookloop/bin/hookloop hooks bridge claude-code Stop";
    for (command, complaints) in [(bridge, 0), ("true", 2)] {
        let groups = format!(r#"[{{"hooks": [{{"type": "command", "command": "{command}"}}]}}]"#);
        let content =
            format!(r#"{{"hooks": {{"ConfigChange": {groups}, "PreToolUse": {groups}}}}}"#);
        let settings = adopting(&content);
        let hints = guards_without_on_failure(&settings);
        let found = settings.problems.len() + hints.len();
        assert_eq!(found, complaints, "{:?} {hints:?}", settings.problems);
    }
}

/// TR-10: what a project puts in the place of other agents' files may be a pipe, or endless: it
/// isn't read.
#[cfg(unix)]
#[test]
fn pipes_and_devices_in_other_agents_places_are_passed_by() {
    let fixture = Fixture::new();
    let fixture = fixture
        .file("project/.cursor/keep", "")
        .file("project/.claude/keep", "");
    let pipe = fixture.root().join("project/.claude/settings.json");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let endless = fixture.root().join("project/.cursor/hooks.json");
    std::os::unix::fs::symlink("/dev/zero", endless).unwrap();
    let (reported, heard) = std::sync::mpsc::channel();
    std::thread::spawn(move || reported.send(fixture.load().hooks.len()));
    let loaded = heard.recv_timeout(std::time::Duration::from_mins(1));
    assert_eq!(loaded, Ok(0));
}

/// BR-12, FD-2: what `bridge install` wrote isn't a hook of this program.
#[test]
fn calls_of_the_bridge_are_not_hooks() {
    let settings = adopting(
        r#"{"hooks": {"Stop": [{"hooks": [
            {"type": "command", "command": "/opt/hookloop hooks bridge claude-code Stop"},
            {"type": "command", "command": "./mine.sh"}]}]}}"#,
    );
    let commands: Vec<&str> = settings
        .hooks
        .iter()
        .map(HookDeclaration::command)
        .collect();
    assert_eq!(commands, ["./mine.sh"]);
}

/// FD-2: Codex's switch applies to both files of its folder, and to no other folder; that is
/// reported once.
#[test]
fn codex_turns_the_hooks_of_its_folder_off() {
    let hooks = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}}"#;
    for (features, count) in [("[features]\nhooks = false\n", 1), ("", 2)] {
        let fixture = Fixture::new().user(r#"{"hooksConfig": {"adopt": ["codex"]}}"#);
        let settings = fixture
            .file("project/.codex/config.toml", features)
            .file("project/.codex/hooks.json", hooks)
            .file("home/.codex/hooks.json", hooks)
            .load();
        assert_eq!(settings.hooks.len(), count, "{features}");
        let reported = settings.problems.iter();
        let reported = reported
            .filter(|it| it.code == ProblemCode::HooksOff)
            .count();
        assert_eq!(reported, 2 - count, "{:?}", settings.problems);
    }
}

/// FD-2: Codex puts a person's settings and a project's together: what the person turns off doesn't
/// run in a project that doesn't turn it on, and that is reported with the file that says so.
#[test]
fn a_person_turns_the_hooks_of_codex_off() {
    let hooks = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}}"#;
    for (of_project, count) in [
        ("", 0),
        ("[features]\nhooks = true\n", 1),
        ("[features]\nhooks = false\n", 0),
    ] {
        let fixture = Fixture::new().project(r#"{"hooksConfig": {"adopt": ["codex"]}}"#);
        let settings = fixture
            .file("home/.codex/config.toml", "[features]\nhooks = false\n")
            .file("project/.codex/config.toml", of_project)
            .file("project/.codex/hooks.json", hooks)
            .load();
        assert_eq!(settings.hooks.len(), count, "{of_project}");
        let reported = settings
            .problems
            .iter()
            .filter(|it| it.code == ProblemCode::HooksOff);
        let reported: Vec<&str> = reported.map(|it| it.message.as_str()).collect();
        assert_eq!(reported.len(), 1 - count, "{reported:?}");
        assert!(
            reported
                .iter()
                .all(|it| it.contains("home/.codex/config.toml")),
            "{reported:?}"
        );
    }
}

/// FD-14: hooks of the person's file of Cursor run in its folder, those of a project at the
/// project's root.
#[test]
fn hooks_of_cursor_run_where_cursor_runs_them() {
    let hooks = r#"{"version": 1, "hooks": {"stop": [{"command": "./hooks/a.sh"}]}}"#;
    let fixture = Fixture::new().user(r#"{"hooksConfig": {"adopt": ["cursor"]}}"#);
    let fixture = fixture
        .file("project/.cursor/hooks.json", hooks)
        .file("home/.cursor/hooks.json", hooks);
    let folder = fixture.root().join("home/.cursor");
    let settings = fixture.load();
    let commands: Vec<&str> = settings
        .hooks
        .iter()
        .map(HookDeclaration::command)
        .collect();
    let of_user = format!("cd {} && ./hooks/a.sh", folder.display());
    let of_project = "cd \"$CURSOR_PROJECT_DIR\" && ./hooks/a.sh";
    assert_eq!(commands.len(), 2);
    assert!(
        commands.contains(&of_project) && commands.contains(&of_user.as_str()),
        "{commands:?}"
    );
}

/// ST-5, FD-2: a folder of adopted files that was replaced by a link to nothing or by a file may
/// have contained a guard.
#[cfg(unix)]
#[test]
fn a_folder_of_adopted_files_that_leads_nowhere_is_broken() {
    let copilot = |is_there: &dyn Fn(&std::path::Path)| {
        let fixture = Fixture::new()
            .trusted()
            .project(r#"{"hooksConfig": {"adopt": ["copilot"]}}"#);
        let fixture = fixture.file("project/.github/keep", "");
        is_there(&fixture.root().join("project/.github/hooks"));
        is_closed(&fixture.load())
    };
    assert!(!copilot(&|_| {}));
    assert!(!copilot(&|folder| std::fs::create_dir(folder).unwrap()));
    assert!(copilot(&|folder| std::fs::write(folder, "").unwrap()));
    assert!(copilot(&|folder| {
        std::os::unix::fs::symlink("/no/such/folder", folder).unwrap();
    }));
}

/// What is reported of plugins in files of Claude Code, with these files below the home folder.
fn of_plugins(files: &[(&str, &str)]) -> Vec<(Severity, String)> {
    let mut fixture = Fixture::new()
        .user(r#"{"hooksConfig": {"adopt": ["claude-code"]}}"#)
        .file(
            "home/.claude/settings.json",
            r#"{"enabledPlugins": {"guard@market": true}}"#,
        );
    let root = fixture.root().to_owned();
    for (name, content) in files {
        fixture = fixture.file(name, content.replace("@root@", &root.display().to_string()));
    }
    let problems = fixture.load().problems.into_iter();
    let reported = problems.filter(|it| it.message.contains("guard@market"));
    reported
        .map(|it| (it.severity, format!("{} {}", it.message, it.help)))
        .collect()
}

/// FD-2, FD-3: hooks of a plugin that Claude Code enables run nowhere here, and that is reported
/// with what to do; nothing is reported about one without hooks, one that is off, or one that is
/// installed here.
#[test]
fn hooks_of_plugins_are_never_silently_off() {
    const NOTE: &str = "home/.claude/plugins/installed_plugins.json";
    let note = r#"{"version": 2, "plugins": {"guard@market": [{"scope": "user",
        "installPath": "@root@/cache/guard"}]}}"#;
    let hooks = ("cache/guard/hooks/hooks.json", r#"{"hooks": {}}"#);
    let plain = (
        "cache/guard/.claude-plugin/plugin.json",
        r#"{"name": "guard"}"#,
    );
    let inline = (
        "cache/guard/.claude-plugin/plugin.json",
        r#"{"name": "guard", "hooks": {}}"#,
    );
    let broken = ("cache/guard/.claude-plugin/plugin.json", "{");
    for with_hooks in [hooks, inline, broken] {
        let reported = of_plugins(&[(NOTE, note), with_hooks]);
        let [(Severity::Warning, text)] = &reported[..] else {
            panic!("{with_hooks:?}: {reported:?}");
        };
        assert!(text.contains("cache/guard"), "{text}");
    }
    assert_eq!(of_plugins(&[(NOTE, note), plain]), []);
    for unknown in [&[][..], &[(NOTE, note)], &[(NOTE, "{")]] {
        let reported = of_plugins(unknown);
        assert!(
            matches!(&reported[..], [(Severity::Info, _)]),
            "{unknown:?}: {reported:?}"
        );
    }
    let here = (
        "home/.gemini/extensions/guard/.claude-plugin/plugin.json",
        r#"{"name": "guard"}"#,
    );
    assert_eq!(of_plugins(&[(NOTE, note), hooks, here]), []);
    let local = (
        "project/.claude/settings.local.json",
        r#"{"enabledPlugins": {"guard@market": false}}"#,
    );
    assert_eq!(of_plugins(&[(NOTE, note), hooks, local]), []);
}
