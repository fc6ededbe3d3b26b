//! What tool calls change about guards, observed around them.

use hookloop_agent::{LiveFate, ToolEnd};
use serde_json::json;

use super::*;

/// A screen that keeps its warnings.
#[derive(Default)]
struct Warned(Mutex<Vec<String>>);

impl Frontend for Warned {
    fn show(&self, event: &SessionEvent<'_>) {
        if let SessionEvent::Warning(text) = event {
            self.0.lock().expect("warnings").push((*text).to_owned());
        }
    }

    fn confirm<'a>(&'a self, _request: Confirmation<'a>) -> BoxFuture<'a, Consent> {
        Box::pin(async { Consent::Declined })
    }

    fn typed_by_person(&self, _call: &ToolCall) {}

    fn audience(&self) -> Audience {
        Audience::Present
    }
}

/// A session without a model: its screen, and a home folder with a guard and an extension.
struct Scene {
    folder: tempfile::TempDir,
    screen: Arc<Warned>,
    comparing: Comparing,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (project, home) = (folder.path().join("project"), folder.path().join("home"));
        let guard = r#"{"hooks": {"BeforeTool": [{"hooks": [
            {"type": "command", "name": "guard", "command": "sh ~/.gemini/hooks/guard.sh"}]}]}}"#;
        std::fs::create_dir_all(&project).expect("a folder");
        for (file, text) in [
            (".gemini/settings.json", guard),
            (
                ".gemini/hooks/guard.sh",
                "date >> \"$(dirname \"$0\")/guard.log\"\n",
            ),
            (".gemini/hooks/state.json", "[]"),
            (
                ".gemini/extensions/kit/gemini-extension.json",
                r#"{"name": "kit", "version": "1.0.0"}"#,
            ),
            (".gemini/extensions/kit/seen.txt", ""),
        ] {
            let file = home.join(file);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            std::fs::write(&file, text).expect("a file");
        }
        let workspace = hookloop_host::Workspace::open(&Opening::of(&project, &home));
        let watch = CallWatch::new(Protected::of(&workspace), project, Some(home));
        let screen = Arc::new(Warned::default());
        let shown = Arc::<Warned>::clone(&screen);
        let comparing = Comparing::new(shown, Watching::new(watch), Arc::default());
        Self {
            folder,
            screen,
            comparing,
        }
    }

    fn begins(&self, number: usize) -> ToolCall {
        let call = ToolCall {
            id: number.to_string(),
            name: "run_shell_command".to_owned(),
            arguments: ToolArguments::from_iter([("command".to_owned(), json!("make"))]).into(),
            mcp: None,
            original_request_name: None,
            changed_arguments: Vec::new(),
        };
        self.comparing.show(&SessionEvent::ToolRequested(&call));
        call
    }

    fn ends(&self, call: &ToolCall) {
        self.comparing.show(&SessionEvent::ToolFinished(ToolEnd {
            call,
            display: "",
            error: None,
            live: LiveFate::Stands,
            change: None,
        }));
    }

    /// Lets a program run in the home folder.
    fn runs(&self, script: &str) {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", script]);
        let home = self.folder.path().join("home");
        let status = shell.current_dir(home).status().expect("a shell");
        assert!(status.success(), "{script}");
    }

    /// Lets a hook run.
    fn hook(&self, script: &str) {
        self.comparing.hook_begins();
        self.runs(script);
        self.comparing.hook_ended();
    }

    /// Returns the warnings since the last time.
    fn warned(&self) -> Vec<String> {
        std::mem::take(&mut *self.screen.0.lock().expect("warnings"))
    }
}

/// TR-8: what hooks write beside themselves while they run isn't reported as a call's doing, even
/// if calls run side by side; what a call writes there is, before and after hooks, and so is what
/// changes a guard itself.
#[test]
fn what_hooks_write_beside_themselves_is_theirs() {
    const LOG: &str = "date >> .gemini/hooks/guard.log; echo x >> .gemini/extensions/kit/seen.txt";
    let scene = Scene::new();
    // Each case: what the first hook, the call and the hook after it do, and what is reported.
    let cases = [
        (LOG, "true", LOG, &[][..]),
        ("rm .gemini/hooks/guard.log", "true", LOG, &[]),
        (
            LOG,
            "echo '[1]' > .gemini/hooks/state.json",
            LOG,
            &["state.json"],
        ),
        ("true", LOG, "true", &["guard.log", "seen.txt"]),
        (
            "true",
            "echo x > .gemini/hooks/new",
            "rm .gemini/hooks/new",
            &["new"],
        ),
        (
            "true",
            "true",
            "echo exit >> .gemini/hooks/guard.sh",
            &["guard.sh"],
        ),
        (
            "echo '{}' > .gemini/settings.json",
            "true",
            "true",
            &["settings.json"],
        ),
        (
            "mkdir -p .gemini/agents; echo x > .gemini/agents/a.md",
            "true",
            "true",
            &["a.md"],
        ),
        (
            "mkdir -p .gemini/extensions/kit/commands; echo x > .gemini/extensions/kit/commands/a.toml",
            "true",
            "true",
            &["a.toml"],
        ),
    ];
    for (number, (before, during, behind, told)) in cases.into_iter().enumerate() {
        let call = scene.begins(number);
        scene.hook(before);
        scene.runs(during);
        scene.hook(behind);
        scene.ends(&call);
        let warned = scene.warned();
        assert_eq!(warned.len(), told.len(), "{before}; {during}: {warned:?}");
        let is_told = |it: &&str| warned.iter().any(|text| text.contains(it));
        assert!(told.iter().all(is_told), "{before}; {during}: {warned:?}");
    }
    let calls = [scene.begins(20), scene.begins(21)];
    scene.hook(LOG);
    scene.comparing.hook_begins();
    scene.runs(LOG);
    scene.ends(&calls[0]);
    scene.comparing.hook_ended();
    assert_eq!(scene.warned(), [] as [&str; 0]);
    scene.runs(LOG);
    scene.ends(&calls[1]);
    assert_eq!(scene.warned().len(), 2);
}

/// TR-8, TU-5: what a person changes by a command of their own isn't a tool's doing; what a call of
/// the model changes without consent is reported, also after that, and also if hooks ran.
#[test]
fn what_a_person_typed_is_not_held_against_a_tool() {
    let scene = Scene::new();
    let mut number = 0;
    let mut call = |typed: bool| {
        number += 1;
        let call = scene.begins(number);
        scene.runs(&format!("echo ' {number}' >> .gemini/settings.json"));
        scene.runs(&format!("echo {number} > .gemini/hooks/state.json"));
        scene.hook("true");
        if typed {
            scene.comparing.typed_by_person(&call);
        }
        scene.ends(&call);
        scene.warned().len()
    };
    assert_eq!(call(true), 0);
    assert_eq!(call(false), 2);
}

/// TR-6, TR-8: the files of guards that are loaded while a session runs are compared like all
/// others.
#[test]
fn what_is_watched_grows() {
    let scene = Scene::new();
    let lib = scene.folder.path().join("home/lib.sh");
    let change = |number: usize| {
        let call = scene.begins(number);
        std::fs::write(&lib, format!("{number}")).expect("a file");
        scene.ends(&call);
        scene.warned().len()
    };
    assert_eq!(change(1), 0);
    let home = scene.folder.path().join("home");
    let settings = home.join(".gemini/settings.json");
    let text = std::fs::read_to_string(&settings).expect("settings");
    let text = text.replace("~/.gemini/hooks/guard.sh", "~/lib.sh");
    std::fs::write(&settings, text).expect("settings");
    let opening = Opening::of(scene.folder.path().join("project"), home);
    let workspace = hookloop_host::Workspace::open(&opening);
    scene.comparing.watch.add(Protected::of(&workspace));
    assert_eq!(change(2), 1);
}

/// TR-8: consent to a command that installs something covers what it adds beside the file in
/// question; consent to another command covers only that file and its content.
#[test]
fn a_yes_covers_what_was_asked_about() {
    let protected = Protected::default();
    let asked = Path::new("/project/.venv/bin/python3");
    let cases = [
        ("python3 -m venv .venv", "/project/.venv/bin/python3", true),
        ("python3 -m venv .venv", "/project/.venv/bin/python", true),
        ("uv venv", "/project/.venv/bin/python", true),
        (
            "python3 -m venv .venv",
            "/project/.gemini/settings.json",
            false,
        ),
        ("cp -r a .venv", "/project/.venv/bin/python", false),
        ("npm test", "/project/.venv/bin/python", false),
        ("rm -rf .venv", "/project/.venv/bin/python3/x", true),
    ];
    for (command, changed, is_covered) in cases {
        let arguments = ToolArguments::from_iter([("command".to_owned(), json!(command))]);
        let call = ToolCall::new("1", "run_shell_command", arguments);
        let mut agreed = Agreed::default();
        agreed.add(&call, Some(asked.to_path_buf()));
        assert_eq!(
            agreed.covers(Path::new(changed), &protected),
            is_covered,
            "{command}: {changed}"
        );
    }
}
