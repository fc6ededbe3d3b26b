use super::*;

struct Stage {
    folder: tempfile::TempDir,
    checkpoints: Checkpoints,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let checkpoints = Checkpoints::of_transcript(&folder.path().join("state/id.jsonl"));
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

    fn go_back(&self, number: usize) {
        for (path, past) in self.plan(number).restored {
            self.checkpoints.restore(&path, &past).expect("a file");
        }
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
        checkpoints: Checkpoints::of_transcript(&transcript),
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
    again.checkpoints.forget_from(0);
    assert!(Checkpoints::of_transcript(&transcript).all().is_empty());
}

/// TU-5: what somebody else changed since is named, and so is what no copy was kept of.
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
