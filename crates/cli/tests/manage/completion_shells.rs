//! Completion in real shells, on a terminal: a key is pressed, and the line is examined.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hookloop_testkit::skipped;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use serde_json::json;

use crate::world::World;

/// A shell on a terminal, as somebody would see it.
struct Shell {
    screen: Arc<Mutex<vt100::Parser>>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn portable_pty::Child + Send + Sync>,
    _terminal: Box<dyn portable_pty::MasterPty + Send>,
}

impl Drop for Shell {
    fn drop(&mut self) {
        // One that has ended need not be ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Shell {
    /// Starts a shell with the program on its path; returns `None` if it isn't installed.
    fn start(world: &World, words: &[&str]) -> Option<Self> {
        let program = ["/usr/local/bin", "/usr/bin", "/bin"]
            .iter()
            .map(|folder| Path::new(folder).join(words[0]))
            .find(|file| file.exists());
        let Some(program) = program else {
            skipped(
                &format!("completions of {}", words[0]),
                "it isn't installed",
            );
            return None;
        };
        let size = PtySize {
            rows: 40,
            cols: 120,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(&words[1..]);
        command.env_clear();
        for (name, value) in world.sandbox.variables() {
            command.env(name, value);
        }
        let folder = Path::new(env!("CARGO_BIN_EXE_hookloop")).parent().unwrap();
        command.env("PATH", format!("{}:/usr/bin:/bin", folder.display()));
        command.env("GEMINI_CLI_SYSTEM_SETTINGS_PATH", world.system_file());
        command.env("TERM", "xterm");
        command.cwd(world.project());
        let child = pair.slave.spawn_command(command).unwrap();
        let mut output = pair.master.try_clone_reader().unwrap();
        let screen = Arc::new(Mutex::new(vt100::Parser::new(
            NonZeroU16::new(40).unwrap(),
            NonZeroU16::new(120).unwrap(),
            0,
        )));
        let seen = Arc::clone(&screen);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                seen.lock().unwrap().process(&bytes[..count]);
            }
        });
        Some(Self {
            keys: pair.master.take_writer().unwrap(),
            screen,
            child,
            _terminal: pair.master,
        })
    }

    fn text(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    fn shows(&self, text: &str) {
        let started = Instant::now();
        while !self.text().contains(text) {
            let waited = started.elapsed();
            assert!(
                waited < Duration::from_mins(1),
                "no {text:?} in:\n{}",
                self.text()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Types the beginning of a command line and the key for completion.
    fn completes(&mut self, typed: &str, whole: &str) {
        assert!(!self.text().contains(whole));
        self.types(typed);
        self.shows(typed);
        self.types("\t");
        self.shows(whole);
        // Clears the line.
        self.types("\x15");
    }
}

/// Loads the script into a shell, and completes a command and the name of a hook.
fn completes(words: &[&str], before: &str, script: &str) {
    let world = World::new();
    world.user_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "name": "guard", "command": "touch ran" },
    ] }] }));
    let Some(mut shell) = Shell::start(&world, words) else {
        return;
    };
    let text = world.run_with(&["completions", script], &[], "").stdout;
    let file = world.sandbox.file("complete", &text);
    // In two pieces, so that the typed line isn't mistaken for the output.
    shell.types(&format!(
        "{before}source {}; printf '%s%s\\n' rea dy\r",
        file.display()
    ));
    shell.shows("ready");
    shell.completes("hookloop hooks disable-a", "hookloop hooks disable-all");
    shell.completes("hookloop hooks disable gu", "hookloop hooks disable guard");
    assert!(!world.project().join("ran").exists());
}

/// CM-2: bash completes commands and the names of hooks.
#[test]
fn bash_completes_on_a_terminal() {
    completes(&["bash", "--norc", "--noprofile", "-i"], "", "bash");
}

/// CM-2: zsh completes commands and the names of hooks.
#[test]
fn zsh_completes_on_a_terminal() {
    let before = "autoload -U compinit; compinit -u -D; ";
    completes(&["zsh", "-f", "-i"], before, "zsh");
}

/// CM-2: fish completes commands and the names of hooks.
#[test]
fn fish_completes_on_a_terminal() {
    completes(&["fish", "--no-config", "-i"], "", "fish");
}
