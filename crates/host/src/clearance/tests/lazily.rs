use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::LazyProtected;

/// BR-31: the protected files are determined when a command could touch something, and not before.
#[test]
fn who_only_looks_waits_for_no_list_of_what_is_protected() {
    let fixture = Fixture::new();
    let is_looked_for = |command: &str| {
        let opening = Opening::of(fixture.path("project"), fixture.path("home"));
        let workspace = Workspace::open(&opening);
        let asked = Arc::<AtomicBool>::default();
        let note = Arc::clone(&asked);
        let protected = LazyProtected::new(move || {
            note.store(true, Ordering::SeqCst);
            Protected::of(&workspace)
        });
        let home = Some(fixture.path("home"));
        let watch = CallWatch::new(protected, fixture.path("project"), home);
        let arguments = json!({"command": command});
        let concern = watch.concern(
            "run_shell_command",
            arguments.as_object().expect("an object"),
        );
        (asked.load(Ordering::SeqCst), concern.is_some())
    };
    for command in [
        "ls",
        "ls -la src # what is there",
        "grep -rn hook src",
        "cat README.md && wc -l src/main.rs",
        "cd src && pwd",
    ] {
        assert_eq!(is_looked_for(command), (false, false), "{command}");
    }
    for command in [
        "rm -rf .gemini",
        "echo '{}' > .gemini/settings.json",
        "ls && cp /dev/null tools/check.sh",
        "ln -s .gemini x && rm x/settings.json",
    ] {
        assert_eq!(is_looked_for(command), (true, true), "{command}");
    }
}
