//! Copies of the bridge's entries that agents or people made (BR-1, BR-2).

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::world::World;

fn write(file: &Path, text: &str) {
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

fn read(file: &Path) -> Option<String> {
    std::fs::read_to_string(file).ok()
}

struct Droid {
    world: World,
    scope: &'static str,
    folder: PathBuf,
}

impl Droid {
    fn each() -> [Self; 2] {
        ["user", "project"].map(|scope| {
            let world = World::new();
            let base = match scope {
                "user" => world.sandbox.home().to_path_buf(),
                _ => world.sandbox.project().to_path_buf(),
            };
            let folder = base.join(".factory");
            Self {
                world,
                scope,
                folder,
            }
        })
    }

    fn says(&self, verb: &str) -> Option<i32> {
        let words = ["bridge", verb, "droid", "--scope", self.scope];
        let done = self.world.run(&words);
        done.code
    }

    fn is_obeyed(&self) -> bool {
        self.world.run(&["bridge", "doctor", "droid"]).code == Some(0)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The hooks that its settings have after the installation.
    fn installed(&self) -> Value {
        let text = read(&self.file("settings.json")).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["hooks"].clone()
    }
}

const OF_PERSON: &str = "// Mine.\n{\n    \"PreToolUse\": [\n        {\"hooks\": [{\"type\": \"command\", \"command\": \"true\"}]}\n    ],\n    \"Stop\": [],\n    \"showHookOutput\": false // quiet\n}\n// The end.";

/// BR-1, BR-2: if Droid reads hooks from a file beside its settings, ours are put there, too, and
/// removed again: the file is what it was, to the last byte.
#[test]
fn droids_file_of_hooks_gets_ours_and_is_as_it_was_afterwards() {
    for name in ["hooks.json", "hooks/hooks.json"] {
        for droid in Droid::each() {
            let file = droid.file(name);
            write(&file, OF_PERSON);
            assert_eq!(droid.says("install"), Some(0));
            assert!(droid.is_obeyed(), "{name}");
            let written = read(&file).unwrap();
            assert!(
                written.contains("hooks bridge droid PreToolUse"),
                "{written}"
            );
            assert!(written.contains("hooks bridge droid Stop"), "{written}");
            // The settings have this one.
            assert!(!written.contains("SessionStart"), "{written}");
            assert_eq!(droid.says("install"), Some(0));
            assert_eq!(read(&file).unwrap(), written, "a second time");
            // Without a record, what was added is removed.
            let text = written.replace("false // quiet", "true // quiet");
            write(&file, &text);
            assert_eq!(droid.says("uninstall"), Some(0));
            let left = read(&file).unwrap();
            assert!(
                !left.contains("hookloop") && left.contains("// quiet"),
                "{left}"
            );
            write(&file, OF_PERSON);
            assert_eq!(droid.says("install"), Some(0));
            assert_eq!(droid.says("uninstall"), Some(0));
            assert_eq!(read(&file).as_deref(), Some(OF_PERSON));
            assert!(!droid.file("settings.json").exists());
        }
    }
}

/// BR-2: what Droid itself copied is gone after uninstalling, wherever it put it, and a person's
/// hooks beside it stay.
#[test]
fn what_droid_copied_is_gone_after_uninstalling() {
    for droid in Droid::each() {
        assert_eq!(droid.says("install"), Some(0));
        let ours = droid.installed();
        let mut more = ours.clone();
        let mine = json!({"matcher": "Execute", "hooks": [{"type": "command", "command": "true"}]});
        more["PreToolUse"]
            .as_array_mut()
            .unwrap()
            .push(mine.clone());
        let archived = droid.file("hooks/hooks.migrated.json");
        write(&archived, &ours.to_string());
        for (hooks, left) in [(&ours, None), (&more, Some(json!({"PreToolUse": [mine]})))] {
            // It moves them there: they are gone from the settings.
            let beside = droid.file("hooks.json");
            write(&beside, &serde_json::to_string_pretty(hooks).unwrap());
            write(&droid.file("settings.json"), "{}");
            let listed = droid.world.run(&["bridge", "list", "--json"]).stdout;
            assert!(listed.contains("droid"), "{listed}");
            assert_eq!(droid.says("uninstall"), Some(0));
            let found = read(&beside).map(|it| serde_json::from_str::<Value>(&it).unwrap());
            assert_eq!(found, left);
            assert!(!archived.exists());
            assert_eq!(droid.says("install"), Some(0));
        }
    }
}

/// BR-2: a copy of ours that somebody made under another name, where the agent looks for hooks, is
/// reported with its place, and what it calls is kept.
#[test]
fn a_copy_under_another_name_is_reported() {
    let settings = ".claude/settings.json";
    for (agent, from, to) in [
        ("claude-code", settings, ".claude/settings.local.json"),
        ("codex", ".codex/hooks.json", ".codex/work.config.toml"),
        (
            "copilot",
            ".copilot/hooks/hookloop.json",
            ".copilot/hooks/mine.json",
        ),
        (
            "qwen",
            ".qwen/settings.json",
            ".qwen/extensions/mine/hooks/hooks.json",
        ),
        (
            "goose",
            ".agents/plugins/hookloop/hooks/hooks.json",
            ".agents/plugins/mine/hooks/hooks.json",
        ),
        (
            "opencode",
            ".config/opencode/plugin/hookloop.js",
            ".config/opencode/plugins/mine.js",
        ),
        (
            "cline",
            ".cline/hooks/PreToolUse",
            ".cline/hooks/TaskStart.sh",
        ),
        (
            "gemini-cli",
            ".gemini/settings.json",
            ".gemini/extensions/mine/hooks/hooks.json",
        ),
    ] {
        let world = World::new();
        let home = world.sandbox.home();
        assert_eq!(world.run(&["bridge", "install", agent]).code, Some(0));
        let text = read(&home.join(from)).unwrap();
        write(&home.join(to), &text);
        let done = world.run(&["bridge", "uninstall", agent]);
        let said = format!("{}{}", done.stdout, done.stderr);
        assert_eq!(done.code, Some(1), "{agent}: {said}");
        assert!(said.contains(to), "{agent}: {said}");
        assert!(home.join(".local/share/hookloop/bin/hookloop").exists());
        std::fs::remove_file(home.join(to)).unwrap();
        assert_eq!(world.run(&["bridge", "uninstall", agent]).code, Some(0));
        assert!(!home.join(".local/share/hookloop/bin/hookloop").exists());
    }
}
