//! Hooks of the person that changed.

use std::fs;

use super::*;
use crate::protected::{Protected, Touch};

/// A home folder with a guard in a project without one.
struct Scene(tempfile::TempDir);

impl Scene {
    fn new() -> Self {
        let scene = Self(tempfile::tempdir().expect("a folder"));
        scene.write("project/.gemini/settings.json", "{}");
        scene.write("home/guards/a.sh", "exit 2\n");
        scene.write("home/guards/b.sh", "exit 2\n");
        scene
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().canonicalize().expect("a path").join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.path(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, text).expect("a file");
    }

    /// Loads these guards of the person.
    fn with(&self, guards: &[&str]) -> Workspace {
        let hooks = guards.iter().map(|name| {
            let command = format!("sh ~/guards/{name}.sh");
            serde_json::json!({"hooks": [{"type": "command", "name": name, "command": command}]})
        });
        let hooks: Vec<_> = hooks.collect();
        let settings = serde_json::json!({"hooks": {"BeforeTool": hooks}});
        self.write("home/.gemini/settings.json", &settings.to_string());
        Workspace::open(&Opening::of(self.path("project"), self.path("home")))
    }

    fn objection(&self, vouching: &Vouching, workspace: &Workspace, name: &str) -> Option<String> {
        let mut hooks = workspace.vouched.iter().map(|it| &it.hook);
        let hook = hooks.find(|it| it.label() == name).expect("a hook");
        vouching.objection(hook, &self.path("project"))
    }
}

/// Makes a gate that holds the hooks of a workspace.
fn holding(workspace: &Workspace) -> Gate<()> {
    Gate::new((), workspace).holding(&Held::begin(workspace, Protected::default()))
}

/// TR-8: however many hooks there are, their files are recorded and protected before anything else
/// happens: a server that a project brings could change one at once.
#[test]
fn many_hooks_are_held_before_anything_can_change_them() {
    let scene = Scene::new();
    let names: Vec<String> = (0..300).map(|it| format!("g{it}")).collect();
    for name in &names {
        scene.write(&format!("home/guards/{name}.sh"), "exit 2\n");
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let workspace = scene.with(&names);
    let held = Held::begin(&workspace, Protected::default());
    scene.write("home/guards/g299.sh", "exit 0\n");
    let vouching = Gate::new((), &workspace).holding(&held).vouching();
    let objection = scene.objection(&vouching, &workspace, "g299");
    assert!(objection.is_some_and(|it| it.contains("changed since")));
    assert_eq!(scene.objection(&vouching, &workspace, "g0"), None);
    let file = scene.path("home/guards/g298.sh");
    let affected = held.protected().affected(Touch::Write, &file);
    assert_eq!(affected, Some(file));
}

/// TR-6, TR-8: a hook that is loaded during a session is compared with its files at that time; one
/// that existed before is compared with those at the start.
#[test]
fn hooks_that_are_loaded_later_are_held_too() {
    for (changed, is_held) in [("a", true), ("b", true), ("c", false)] {
        let scene = Scene::new();
        let vouching = holding(&scene.with(&["a"])).vouching();
        let both = scene.with(&["a", "b"]);
        vouching.take_up(&both);
        vouching.take_up(&both);
        scene.write(&format!("home/guards/{changed}.sh"), "exit 0\n");
        vouching.take_up(&both);
        for name in ["a", "b"] {
            let objection = scene.objection(&vouching, &both, name);
            assert_eq!(
                objection.is_some(),
                is_held && name == changed,
                "{name}: {objection:?}"
            );
            assert!(objection.is_none_or(|it| it.contains("start a new session")));
        }
    }
}

/// TR-8: what a hook loads only since it was recorded is compared too.
#[test]
fn what_a_hook_loads_since_is_held_too() {
    for (changed, is_held) in [("lib", true), ("other", false)] {
        let scene = Scene::new();
        let workspace = scene.with(&["a"]);
        let tainted = Arc::<Tainted>::default();
        let gate = Gate::new((), &workspace)
            .refusing_tainted(&tainted)
            .holding(&Held::begin(&workspace, Protected::default()));
        let vouching = gate.vouching();
        scene.write("home/guards/a.sh", ". ~/guards/lib.sh\nexit 2\n");
        scene.write("home/guards/lib.sh", "true\n");
        // A person has agreed to that change.
        tainted.settle(scene.path("home/guards/a.sh"));
        vouching.take_up(&workspace);
        assert_eq!(scene.objection(&vouching, &workspace, "a"), None);
        scene.write(&format!("home/guards/{changed}.sh"), "exit 0\n");
        let objection = scene.objection(&vouching, &workspace, "a");
        assert_eq!(objection.is_some(), is_held, "{changed}: {objection:?}");
    }
}

/// TR-8: if it isn't known what earlier sessions changed, hooks of the person refuse; those whose
/// content is compared with what was agreed to don't.
#[test]
fn without_a_record_of_changes_own_hooks_refuse() {
    let scene = Scene::new();
    let workspace = scene.with(&["a"]);
    let tainted = Arc::<Tainted>::default();
    let vouching = Gate::new((), &workspace)
        .refusing_tainted(&tainted)
        .vouching();
    assert_eq!(scene.objection(&vouching, &workspace, "a"), None);
    tainted.lose_earlier(scene.path("home/changed-guards.jsonl"));
    let objection = scene
        .objection(&vouching, &workspace, "a")
        .unwrap_or_default();
    assert!(
        objection.contains("hooks trust") && objection.contains("changed-guards"),
        "{objection}"
    );
    let hook = &workspace.vouched[0].hook;
    let own = crate::own_hooks(&workspace);
    assert!(
        own.len() == 1
            && own[0].0.id == hook.id
            && own[0].1.contains(&scene.path("home/guards/a.sh"))
    );
}

/// TR-8: a project's hook that isn't what was agreed to because a tool call changed it refuses, and
/// one that somebody else changed is skipped.
#[test]
fn hooks_of_the_project_that_tools_changed_refuse() {
    for (changed, refuses) in [
        ("project/tools/g.sh", true),
        ("project/.gemini/settings.json", true),
        ("project/other.sh", false),
    ] {
        let scene = Scene::new();
        let hook = serde_json::json!({"type": "command", "name": "g", "command": "sh tools/g.sh"});
        let settings = serde_json::json!({"hooks": {"BeforeTool": [{"hooks": [hook]}]}});
        scene.write("project/.gemini/settings.json", &settings.to_string());
        scene.write("project/tools/g.sh", "exit 2\n");
        let opening = Opening::of(scene.path("project"), scene.path("home"));
        let mut workspace = Workspace::open(&opening);
        let seen = workspace.vouched.clone();
        let seen: Vec<&Vouched> = seen.iter().collect();
        workspace.trust_as_seen(&seen).expect("a store");
        scene.write("project/tools/g.sh", "exit 0\n");
        let mut workspace = Workspace::open(&opening);
        let refusing = |workspace: &Workspace| workspace.refuses(&workspace.vouched[0]);
        assert!(!refusing(&workspace), "{changed}");
        workspace.remember_changed([scene.path(changed)]);
        assert_eq!(refusing(&workspace), refuses, "{changed}");
        assert_eq!(refusing(&workspace.reopen()), refuses, "{changed}");
    }
}

/// A trusted hook of the project that npm runs.
fn with_script(scene: &Scene) -> Workspace {
    let settings = serde_json::json!({"hooks": {"BeforeTool": [{"hooks": [
        {"type": "command", "name": "guard", "command": "npm run -s guard"}]}]}});
    scene.write("project/.gemini/settings.json", &settings.to_string());
    scene.write("project/package.json", r#"{"scripts": {"guard": "true"}}"#);
    let open = || Workspace::open(&Opening::of(scene.path("project"), scene.path("home")));
    let mut workspace = open();
    let vouched: Vec<_> = workspace.vouched.iter().collect();
    let agreed = workspace
        .store
        .trust_as_seen(&scene.path("project"), &vouched);
    agreed.expect("a store");
    open()
}

/// TR-8: if a tool call removed a script from the file that names it, that is a change of what was
/// agreed to; so is any change if it isn't known what tool calls changed.
#[test]
fn what_was_agreed_to_counts_where_it_is_gone() {
    for (changed, is_lost, refuses) in [
        (Some("project/package.json"), false, true),
        (Some("project/other.json"), false, false),
        (None, false, false),
        (None, true, true),
    ] {
        let scene = Scene::new();
        assert!(with_script(&scene).vouched[0].may_run());
        scene.write("project/package.json", r#"{"scripts": {}}"#);
        let mut workspace =
            Workspace::open(&Opening::of(scene.path("project"), scene.path("home")));
        workspace.remember_changed(changed.map(|it| scene.path(it)));
        if is_lost {
            workspace.lose_changed();
        }
        let vouched = workspace.vouched[0].clone();
        assert_eq!(
            workspace.refuses(&vouched),
            refuses,
            "{changed:?} {is_lost}"
        );
        assert_eq!(workspace.reopen().refuses(&vouched), refuses);
    }
}

/// TR-8: a hook that refuses in place of another one only reports what changed in its entry and
/// files.
#[test]
fn what_refuses_tells_what_changed_alone() {
    let scene = Scene::new();
    drop(with_script(&scene));
    scene.write("project/package.json", r#"{"scripts": {"guard": "false"}}"#);
    let workspace = Workspace::open(&Opening::of(scene.path("project"), scene.path("home")));
    let vouching = Gate::new((), &workspace).vouching();
    let standing = workspace.vouched[0].refusing_replacements();
    let hook = &standing[0].hook;
    let objection = vouching.objection(hook, &scene.path("project"));
    let objection = objection.unwrap_or_default();
    assert!(objection.contains("package.json"), "{objection}");
    assert!(!objection.contains("onFailure"), "{objection}");
}

/// TR-6: what a run says whose files were exchanged meanwhile lets nothing through, also if they
/// are back where they were; a refusal of it counts. Whoever reads them, or changes others beside
/// them, changes nothing.
#[test]
fn a_run_whose_files_are_exchanged_allows_nothing() {
    use hookloop_engine::Ending;

    let scene = Scene::new();
    let (file, other) = (scene.path("home/guards/a.sh"), scene.path("home/other.sh"));
    let folder = scene.path("home/guards");
    let away = scene.path("home/away");
    let rename = |from: &Path, to: &Path| fs::rename(from, to).expect("a new name");
    let cases: [(&str, bool, &dyn Fn()); 7] = [
        ("read", false, &|| drop(fs::read(&file))),
        ("another beside it", false, &|| {
            scene.write("home/guards/log", "1");
        }),
        ("moved and put back", true, &|| {
            rename(&file, &away);
            rename(&away, &file);
        }),
        ("another in its place", true, &|| {
            fs::copy(&file, &other).expect("a copy");
            rename(&other, &file);
        }),
        ("written with the same text", true, &|| {
            scene.write("home/guards/a.sh", "exit 2\n");
        }),
        ("gone", true, &|| {
            fs::remove_file(&file).expect("it is there");
        }),
        ("another folder in its place", true, &|| {
            rename(&folder, &away);
            scene.write("home/guards/a.sh", "exit 2\n");
        }),
    ];
    for (what, is_exchanged, change) in cases {
        let before = Steady::of("sh ~/guards/a.sh", BTreeSet::from([file.clone()]));
        change();
        for (ending, allows) in [(Ending::Exited(0), true), (Ending::Exited(2), false)] {
            let judged = before.judge(Completion::ended(ending.clone()));
            let is_kept = judged.ending == ending;
            assert_eq!(is_kept, !(is_exchanged && allows), "{what}: {ending:?}");
        }
    }
}

/// TR-6: a hook that makes its script executable before it starts it hasn't exchanged it.
#[test]
fn rights_that_a_hook_sets_exchange_nothing() {
    use std::os::unix::fs::PermissionsExt as _;

    use hookloop_engine::Ending;

    let scene = Scene::new();
    let file = scene.path("home/guards/a.sh");
    for (command, is_kept) in [("chmod +x a.sh && ./a.sh", true), ("./a.sh", false)] {
        let before = Steady::of(command, BTreeSet::from([file.clone()]));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("its rights");
        let judged = before.judge(Completion::ended(Ending::Exited(0)));
        assert_eq!(judged.ending == Ending::Exited(0), is_kept, "{command}");
    }
}
