//! Commands that are tried out: what is held back beforehand, and what they really do in bash.

use super::*;

/// Creates a watch for a session that begins now.
pub(super) fn begin(fixture: &Fixture) -> CallWatch {
    let searched = std::env::var_os("PATH").unwrap_or_default();
    let watch = fixture
        .watch()
        .with_variables(vec![("PATH".into(), searched)]);
    // File times are only as fine as the system's clock tick.
    std::thread::sleep(std::time::Duration::from_millis(20));
    watch
}

#[expect(clippy::expect_used, reason = "a test that can't be set up fails")]
pub(super) fn concern(watch: &CallWatch, command: &str) -> Option<Concern> {
    let arguments = json!({"command": command});
    let arguments = arguments.as_object().expect("an object");
    watch.concern("run_shell_command", arguments)
}

#[expect(clippy::expect_used, reason = "a test that can't be set up fails")]
pub(super) fn bash(fixture: &Fixture, text: &str) {
    let _ = std::process::Command::new("bash")
        .args(["-c", text])
        .current_dir(fixture.path("project"))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", fixture.path("home"))
        .stdin(std::process::Stdio::null())
        .output()
        .expect("bash");
}

pub(super) fn is_installed(program: &str) -> bool {
    let name = program.split(' ').next().unwrap_or_default();
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|it| it.join(name).is_file())
}

/// Commands that should change a guard, and those of them that misbehave.
#[derive(Debug, Default)]
pub(super) struct Trial {
    open: Vec<String>,
    idle: Vec<String>,
}

impl Trial {
    /// Examines a command beforehand, and runs it if its program is installed.
    pub(super) fn attack(&mut self, fixture: &Fixture, program: &str, command: &str) {
        self.attack_watched(fixture, &begin(fixture), program, command);
    }

    /// Does the same in a session that has begun.
    pub(super) fn attack_watched(
        &mut self,
        fixture: &Fixture,
        watch: &CallWatch,
        program: &str,
        command: &str,
    ) {
        if concern(watch, command).is_none() {
            self.open.push(command.to_owned());
        }
        if !is_installed(program) {
            return;
        }
        let before = watch.protected().snapshot();
        bash(fixture, command);
        if watch.protected().changes_since(&before).is_empty() {
            self.idle.push(command.to_owned());
        }
    }

    /// Asserts that each command was held back, and really changes a guard.
    pub(super) fn ends(self) {
        let Self { open, idle } = self;
        assert!(
            open.is_empty() && idle.is_empty(),
            "not held: {open:#?}, change nothing: {idle:#?}"
        );
    }
}

/// Asserts that commands are let through.
pub(super) fn assert_free(watch: &CallWatch, commands: &[&str]) {
    let blocked = commands.iter().filter_map(|command| {
        let found = concern(watch, command)?;
        Some(format!("{command}: {found:?}"))
    });
    let blocked: Vec<String> = blocked.collect();
    assert!(blocked.is_empty(), "{}", blocked.join("\n"));
}
