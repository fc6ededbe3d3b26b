use std::cell::RefCell;
use std::path::Path;

use hookloop_hook::Handler;
use hookloop_lint::{FileProbe, Probed};

use super::*;

/// Files that a test changes.
#[derive(Default)]
struct Files(RefCell<BTreeMap<PathBuf, String>>);

impl Files {
    fn write(&self, path: &str, text: &str) {
        self.0.borrow_mut().insert(path.into(), text.to_owned());
    }
}

impl FileProbe for Files {
    fn probe(&self, path: &Path) -> Probed {
        if self.0.borrow().contains_key(path) {
            Probed::Executable
        } else {
            Probed::Missing
        }
    }

    fn text(&self, path: &Path) -> Option<String> {
        self.0.borrow().get(path).cloned()
    }

    fn real_path(&self, path: &Path) -> Option<PathBuf> {
        Some(path.to_owned())
    }

    fn names_in(&self, _: &Path) -> Vec<String> {
        Vec::new()
    }

    fn home(&self) -> Option<&Path> {
        None
    }

    fn is_on_path(&self, _: &str, _: Option<&str>) -> bool {
        true
    }

    fn variable(&self, _: &str) -> Option<String> {
        None
    }

    fn withheld_variables(&self, _: &HookDeclaration) -> Vec<String> {
        Vec::new()
    }
}

fn hook(event: EventName, command: &str) -> HookDeclaration {
    HookDeclaration {
        handler: Handler::command(command),
        ..HookDeclaration::in_process(event, "guard")
    }
}

fn found(event: EventName, command: &str, files: &dyn FileProbe) -> Vec<LookedFor> {
    let place = Place {
        root: Path::new("/p"),
        current: Path::new("/p"),
    };
    find_looked_for(&hook(event, command), place, files)
}

fn remark(event: EventName, command: &str, payload: &Value) -> Option<String> {
    let found = found(event, command, &Files::default());
    let payload = payload.as_object()?;
    let seen = Seen::of(event, payload);
    found.iter().find_map(|it| seen.remark(it))
}

/// IO-27: keys and passwords of an event stay in it: what is shown is the argument's name and the
/// program's own text.
#[test]
fn nothing_of_the_event_is_shown() {
    let guard = "jq -r .tool_input.command | grep -q '^\"curl -u' && exit 2; exit 0";
    let call = json!({"tool_name": "run_shell_command", "tool_input": {
        "command": "curl -u admin:hunter2 https://example.org", "token": "hunter2"
    }});
    let reported = remark(EventName::BeforeTool, guard, &call).unwrap_or_default();
    assert!(reported.contains("curl -u"), "{reported}");
    assert!(reported.contains("\"command\""), "{reported}");
    assert!(
        !reported.contains("hunter2") && !reported.contains("example.org"),
        "{reported}"
    );
    let guard = "jq -r .prompt | grep -q '^\"my password' && exit 2; exit 0";
    let prompt = json!({"prompt": "my password: hunter2"});
    let reported = remark(EventName::BeforeAgent, guard, &prompt).unwrap_or_default();
    assert!(reported.contains("my password"), "{reported}");
    assert!(!reported.contains("hunter2"), "{reported}");
}

/// IO-27: what was found in a script is valid only for the same bytes, and while the same files are
/// there and absent.
#[test]
fn a_script_that_changed_is_looked_into_anew() {
    let files = Files::default();
    files.write(
        "/p/guard.sh",
        "#!/bin/sh\ngrep -q '^rm -rf a' && exit 2\nexit 0\n",
    );
    let witness = Witness::of(&files);
    let first = found(EventName::BeforeTool, "/p/guard.sh", &witness);
    assert_eq!(
        first.first().map(LookedFor::text).as_deref(),
        Some("rm -rf a")
    );
    let seen = witness.into_seen();
    assert!(seen.is_still_so(&files));
    // As long as before.
    files.write(
        "/p/guard.sh",
        "#!/bin/sh\ngrep -q '^rm -rf b' && exit 2\nexit 0\n",
    );
    assert!(!seen.is_still_so(&files));
    let witness = Witness::of(&files);
    let second = found(EventName::BeforeTool, "/p/guard.sh", &witness);
    assert_eq!(
        second.first().map(LookedFor::text).as_deref(),
        Some("rm -rf b")
    );
    let seen = witness.into_seen();
    files.0.borrow_mut().clear();
    assert!(!seen.is_still_so(&files));
}
