use hookloop_events::McpContext;
use hookloop_sandbox::{Confinement, Sandbox};
use hookloop_tools::{
    Access, Arguments, BoxFuture, Declaration, EditsFile, Leaving, NoSession, Output, Preview,
    RunContext, ShellSandbox, ShellSettings, Tool, ToolError, Toolbox,
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::*;

struct Stage {
    folder: tempfile::TempDir,
    checkpoints: Checkpoints,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let checkpoints = Checkpoints::for_transcript(&folder.path().join("state/id.jsonl"));
        std::fs::create_dir(folder.path().join("work")).expect("a folder");
        Self {
            folder,
            checkpoints,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("work").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("a file");
    }

    fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.path(name)).ok()
    }

    /// Does something as a shell command would that names these files.
    fn shell(&self, named: &[&str], work: impl FnOnce()) {
        let paths = named.iter().map(|it| self.path(it)).collect();
        let root = self.folder.path().join("work");
        let what = "`work`".to_owned();
        let watch = watch::Watch::begin(&self.checkpoints, paths, Some(&root), what);
        work();
        drop(watch);
    }

    fn plan(&self, number: usize) -> Plan {
        self.checkpoints.plan(number, &|_| false)
    }

    fn go_back(&self, number: usize) -> Replaced {
        let mut replaced = self.checkpoints.replaced();
        for (path, past) in self.plan(number).restored {
            self.checkpoints
                .restore(&path, &past, &mut replaced)
                .expect("a file");
        }
        replaced
    }
}

/// TU-5: files that were changed, created and deleted since a prompt become what they were, also
/// when the session was resumed meanwhile.
#[test]
fn files_become_what_they_were() {
    let stage = Stage::new();
    stage.write("kept", "one");
    stage.write("gone", "still here");
    stage.checkpoints.begin("first", &[]);
    stage.shell(&["kept", "gone"], || {
        stage.write("kept", "two");
        std::fs::remove_file(stage.path("gone")).expect("a file");
        stage.write("new", "made");
    });
    stage.checkpoints.begin("second", &[]);
    stage.shell(&["kept"], || stage.write("kept", "three"));
    let transcript = stage.folder.path().join("state/id.jsonl");
    let again = Stage {
        checkpoints: Checkpoints::for_transcript(&transcript),
        ..stage
    };
    let prompts = again.checkpoints.all();
    let prompts: Vec<&str> = prompts.iter().map(|it| it.prompt.as_str()).collect();
    assert_eq!(prompts, ["first", "second"]);
    again.go_back(1);
    assert_eq!(again.read("kept").as_deref(), Some("two"));
    again.go_back(0);
    assert_eq!(again.read("kept").as_deref(), Some("one"));
    assert_eq!(again.read("gone").as_deref(), Some("still here"));
    assert_eq!(again.read("new"), None);
    again.checkpoints.forget_from(0, BTreeSet::new());
    assert!(Checkpoints::for_transcript(&transcript).all().is_empty());
}

/// TU-5: what somebody else changed since is named, and so is what wasn't copied.
#[test]
fn later_changes_and_losses_are_named() {
    let stage = Stage::new();
    stage.write("known", "one");
    stage.write("unknown", "one");
    stage.checkpoints.begin("first", &[]);
    stage.shell(&["known"], || {
        stage.write("known", "two");
        stage.write("unknown", "more than one");
    });
    assert!(stage.plan(0).changed_since.is_empty());
    stage.write("known", "by hand");
    let plan = stage.plan(0);
    assert_eq!(plan.changed_since, [stage.path("known")]);
    let loss = format!(
        "`work`: no copy was kept of {}",
        stage.path("unknown").display()
    );
    assert_eq!(plan.losses, [loss]);
}

/// TU-5: what somebody changed between two calls is named, even if the later call wrote over it.
#[test]
fn changes_between_calls_are_named() {
    let stage = Stage::new();
    stage.write("edited", "one");
    stage.write("untouched", "one");
    stage.checkpoints.begin("first", &[]);
    stage.shell(&["edited", "untouched"], || {
        stage.write("edited", "two");
        stage.write("untouched", "two");
    });
    stage.write("edited", "by hand");
    stage.checkpoints.begin("second", &[]);
    stage.shell(&["edited", "untouched"], || {
        stage.write("edited", "by hand and more");
        stage.write("untouched", "three");
    });
    assert_eq!(stage.plan(0).changed_since, [stage.path("edited")]);
    assert!(stage.plan(1).changed_since.is_empty());
}

/// TU-5: what a rewind restored isn't somebody else's change, and can be gone back from.
#[test]
fn a_rewind_of_files_can_be_gone_back_from() {
    let stage = Stage::new();
    stage.write("kept", "one");
    stage.checkpoints.begin("first", &[]);
    stage.shell(&["kept"], || stage.write("kept", "two"));
    stage.checkpoints.begin("second", &[]);
    stage.go_back(0);
    assert_eq!(stage.read("kept").as_deref(), Some("one"));
    stage.shell(&["kept"], || stage.write("kept", "three"));
    assert!(stage.plan(0).changed_since.is_empty());
    assert!(stage.plan(1).changed_since.is_empty());
    stage.go_back(1);
    assert_eq!(stage.read("kept").as_deref(), Some("two"));
}

/// TR-8: what guards are made of is never restored.
#[test]
fn protected_files_stay() {
    let stage = Stage::new();
    stage.write("settings.json", "guarded");
    stage.checkpoints.begin("first", &[]);
    stage.shell(&["settings.json"], || stage.write("settings.json", "{}"));
    let plan = stage
        .checkpoints
        .plan(0, &|path| path.ends_with("settings.json"));
    assert_eq!(plan.protected, [stage.path("settings.json")]);
    assert!(plan.restored.is_empty());
}

/// TU-5: a conversation that was shortened since can't be gone back in.
#[test]
fn a_shortened_conversation_is_noticed() {
    let stage = Stage::new();
    let said = |text: &str| Arc::new(Content::user(text));
    let history = [said("one"), said("two")];
    stage.checkpoints.begin("third", &history);
    let checkpoint = &stage.checkpoints.all()[0];
    assert!(still_begins_so(
        checkpoint,
        &[said("one"), said("two"), said("third")]
    ));
    assert!(!still_begins_so(checkpoint, &[said("summary")]));
    assert!(!still_begins_so(
        checkpoint,
        &[said("one"), said("other"), said("x")]
    ));
}

/// TO-2, TO-6: a watched tool asks a person whenever it would unwatched, and says which file it
/// writes.
#[test]
fn a_watched_tool_says_what_it_is() {
    let stage = Stage::new();
    let root = stage.folder.path().join("work");
    let files = hookloop_tools::Workspace::open(&root, &[]).expect("a workspace");
    let files = Arc::new(files);
    let shell = ShellSettings {
        sandbox: Some(ShellSandbox {
            sandbox: Sandbox::new(None),
            confinement: Confinement::default(),
            leaving: Leaving::Asked,
        }),
        ..ShellSettings::default()
    };
    let toolbox = Toolbox::built_in(&files, shell);
    let toolbox = stage.checkpoints.watching(toolbox, &files);
    let of =
        |value: serde_json::Value| -> Arguments { value.as_object().cloned().unwrap_or_default() };
    let command = toolbox.get("run_shell_command").expect("a tool");
    let inside = of(json!({ "command": "id" }));
    let outside = of(json!({ "command": "id", "outside_sandbox": true }));
    assert!(!command.needs_person(&inside));
    assert!(command.needs_person(&outside));
    assert!(command.validate(&of(json!({ "command": "" }))).is_err());
    let write = toolbox.get("write_file").expect("a tool");
    let arguments = of(json!({ "file_path": "a.txt", "content": "" }));
    let target = write.edits().map(|it| it.target(&arguments));
    assert!(matches!(target, Some(Ok(path)) if path.ends_with("a.txt")));
}

/// Lists the contents of the files below a folder.
fn contents(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        if entry.path().is_dir() {
            found.extend(contents(&entry.path()));
        } else {
            found.push(fs::read_to_string(entry.path()).expect("a file"));
        }
    }
    found.sort();
    found
}

/// TU-5: what is overwritten or removed is kept: a person may have written it, or put it there
/// while a call ran.
#[test]
fn nothing_that_is_replaced_is_lost() {
    let stage = Stage::new();
    stage.write("kept", "one");
    stage.write("mine", "by hand");
    stage.checkpoints.begin("first", &[]);
    stage.shell(&["kept", "new"], || {
        stage.write("kept", "two");
        stage.write("new", "made");
        stage.write("meanwhile", "of a person");
    });
    fs::rename(stage.path("mine"), stage.path("new")).expect("a file");
    assert_eq!(stage.plan(0).changed_since, [stage.path("new")]);
    let replaced = stage.go_back(0);
    assert_eq!(stage.read("new"), None);
    assert_eq!(stage.read("kept").as_deref(), Some("one"));
    let folder = replaced.folder().expect("a folder");
    assert_eq!(contents(folder), ["by hand", "of a person", "two"]);
    assert_ne!(stage.go_back(0).folder(), Some(folder));
}

/// TU-5: what can't be copied isn't replaced.
#[cfg(unix)]
#[test]
fn what_cannot_be_kept_stays() {
    let stage = Stage::new();
    stage.write("kept", "one");
    stage.checkpoints.begin("first", &[]);
    stage.shell(&["kept"], || stage.write("kept", "two"));
    fs::remove_file(stage.path("kept")).expect("a file");
    std::os::unix::fs::symlink("elsewhere", stage.path("kept")).expect("a link");
    let plan = stage.plan(0);
    let (path, past) = &plan.restored[0];
    let mut replaced = stage.checkpoints.replaced();
    let restored = stage.checkpoints.restore(path, past, &mut replaced);
    assert!(restored.is_err());
    assert!(stage.path("kept").is_symlink());
}

/// TU-5: when only the conversation goes back, changes of files count as made since an earlier
/// prompt.
#[test]
fn changes_outlive_the_conversation() {
    let stage = Stage::new();
    stage.write("kept", "one");
    stage.checkpoints.begin("first", &[]);
    stage.checkpoints.begin("second", &[]);
    stage.shell(&["kept"], || stage.write("kept", "two"));
    let changed = stage.checkpoints.changed_since(1);
    assert_eq!(changed, BTreeSet::from([stage.path("kept")]));
    stage.checkpoints.forget_from(1, changed);
    let transcript = stage.folder.path().join("state/id.jsonl");
    let again = Stage {
        checkpoints: Checkpoints::for_transcript(&transcript),
        ..stage
    };
    assert_eq!(again.checkpoints.all().len(), 1);
    again.go_back(0);
    assert_eq!(again.read("kept").as_deref(), Some("one"));
}

/// TU-5: the permissions of a file are restored; if they can't be, that is named.
#[cfg(unix)]
#[test]
fn rights_go_back_or_are_named() {
    use std::os::unix::fs::PermissionsExt as _;
    let stage = Stage::new();
    for name in ["named", "unnamed"] {
        stage.write(name, "one");
        fs::set_permissions(stage.path(name), Permissions::from_mode(0o640)).expect("rights");
    }
    stage.checkpoints.begin("first", &[]);
    stage.shell(&["named"], || {
        for name in ["named", "unnamed"] {
            fs::set_permissions(stage.path(name), Permissions::from_mode(0o755)).expect("rights");
        }
    });
    let loss = format!("{} (its permissions)", stage.path("unnamed").display());
    assert!(stage.plan(0).losses[0].contains(&loss));
    stage.go_back(0);
    let mode = |name: &str| Past::of(&stage.path(name)).mode;
    assert_eq!((mode("named"), mode("unnamed")), (Some(0o640), Some(0o755)));
}

/// TU-5: what isn't copied is named: folders that programs fill, more files than are copied, links,
/// and a repository's history.
#[test]
fn what_is_not_watched_is_named() {
    let stage = Stage::new();
    for folder in ["many", "target", "node_modules", ".git/logs"] {
        fs::create_dir_all(stage.path(folder)).expect("a folder");
    }
    stage.write(".git/logs/HEAD", "");
    for number in 0..=500 {
        stage.write(&format!("many/{number}"), "x");
    }
    stage.checkpoints.begin("first", &[]);
    stage.shell(&["many", "target"], || {
        for folder in ["many", "target", "node_modules", ".git/logs"] {
            fs::remove_dir_all(stage.path(folder)).expect("no folder");
        }
    });
    let losses = stage.plan(0).losses.join("\n");
    for named in [
        format!("some files of {}", stage.path("many").display()),
        format!(
            "{} (gone; programs fill it)",
            stage.path("target").display()
        ),
        format!(
            "{} (gone; programs fill it)",
            stage.path("node_modules").display()
        ),
        "(.git) stay".to_owned(),
    ] {
        assert!(losses.contains(&named), "{named}: {losses}");
    }
}

/// TU-5: that a tool of a server ran is named, whatever it did, even if the server came later.
#[tokio::test]
async fn tools_of_servers_are_named() {
    let stage = Stage::new();
    let root = stage.folder.path().join("work");
    let files = Arc::new(hookloop_tools::Workspace::open(&root, &[]).expect("a workspace"));
    let mut toolbox = stage.checkpoints.watching(Toolbox::default(), &files);
    toolbox.insert(Arc::new(OfServer(Declaration {
        name: "mcp_x_do".to_owned(),
        description: String::new(),
        parameters: json!({ "type": "object" }),
        access: Access::Mcp,
    })));
    stage.checkpoints.begin("first", &[]);
    let tool = toolbox.get("mcp_x_do").expect("a tool");
    let context = RunContext {
        cancel: CancellationToken::new(),
        progress: &|_| {},
        services: &NoSession,
    };
    tool.run(Arc::default(), context).await;
    let losses = stage.plan(0).losses;
    assert_eq!(losses.len(), 1);
    assert!(losses[0].starts_with("`mcp_x_do`: a tool of an MCP server"));
}

struct OfServer(Declaration);

impl Tool for OfServer {
    fn declaration(&self) -> &Declaration {
        &self.0
    }

    fn mcp_context(&self) -> Option<&McpContext> {
        None
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        self.0.check(arguments)
    }

    fn edits(&self) -> Option<&dyn EditsFile> {
        None
    }

    fn needs_person(&self, _arguments: &Arguments) -> bool {
        false
    }

    fn preview(&self, _arguments: &Arguments) -> Preview {
        Preview::info("Do it")
    }

    fn run<'a>(
        &'a self,
        _arguments: Arc<Arguments>,
        _context: RunContext<'a>,
    ) -> BoxFuture<'a, Output> {
        Box::pin(async { Output::new("", "") })
    }
}
