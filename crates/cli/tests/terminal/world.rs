//! A world for one test: files, a script of answers, and a terminal that shows the session.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use hookloop_testkit::model_server::ModelServer;
use hookloop_testkit::{Sandbox, wait_until};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use serde_json::{Value, json};
use vt100::Parser;

/// The placeholder of the empty input line.
pub(crate) const PLACEHOLDER: &str = "  Type your message or @path/to/file";

pub(crate) const CONTROL_C: &str = "\x03";
pub(crate) const CONTROL_D: &str = "\x04";
pub(crate) const ESCAPE: &str = "\x1b";
pub(crate) const ENTER: &str = "\r";

pub(crate) struct World {
    pub(crate) sandbox: Sandbox,
    answers: Vec<Value>,
}

impl World {
    pub(crate) fn new() -> Self {
        let world = Self {
            sandbox: Sandbox::new(),
            answers: Vec::new(),
        };
        for event in ["SessionStart", "SessionEnd", "BeforeAgent", "BeforeTool"] {
            std::fs::write(world.log(event), "").unwrap();
        }
        world
    }

    /// Lets the model say something.
    pub(crate) fn says(mut self, chunks: &[&str]) -> Self {
        let parts = chunks.iter().map(|text| json!({ "text": text }));
        self.answers.push(answer(parts.collect()));
        self
    }

    /// Lets the model call a tool.
    pub(crate) fn calls(mut self, tool: &str, arguments: &Value) -> Self {
        let call = json!({ "functionCall": { "name": tool, "args": arguments } });
        self.answers.push(answer(vec![call]));
        self
    }

    /// Lets the model run two commands in one answer.
    pub(crate) fn runs_both(mut self, commands: [&str; 2]) -> Self {
        let calls = commands.map(|command| {
            let arguments = json!({ "command": command });
            json!({ "functionCall": { "name": "run_shell_command", "args": arguments } })
        });
        self.answers.push(answer(calls.into()));
        self
    }

    /// Lets the model run a command.
    pub(crate) fn runs(self, command: &str) -> Self {
        self.calls("run_shell_command", &json!({ "command": command }))
    }

    /// Lets the model run a command in the background.
    pub(crate) fn runs_background(self, command: &str) -> Self {
        let arguments = json!({ "command": command, "is_background": true });
        self.calls("run_shell_command", &arguments)
    }

    /// Lets the model say something, and run a command in the same answer.
    pub(crate) fn says_and_runs(mut self, text: &str, command: &str) -> Self {
        let arguments = json!({ "command": command });
        let call = json!({ "functionCall": { "name": "run_shell_command", "args": arguments } });
        self.answers
            .push(answer(vec![json!({ "text": text }), call]));
        self
    }

    /// Configures hooks of the user: of an event, a name and a command each.
    pub(crate) fn hooks(self, hooks: &[(&str, &str, &str)]) -> Self {
        self.sandbox.user_settings(&settings(hooks));
        self
    }

    /// Configures hooks of the project.
    pub(crate) fn project_hooks(self, hooks: &[(&str, &str, &str)]) -> Self {
        self.sandbox.project_settings(&settings(hooks));
        self
    }

    /// Returns the file to which a recording hook writes what it reads.
    pub(crate) fn log(&self, event: &str) -> PathBuf {
        self.sandbox.root().join(format!("{event}.log"))
    }

    /// Returns the command of a hook that records what it reads.
    pub(crate) fn noting(&self, event: &str) -> String {
        let log = self.log(event);
        format!("cat >> '{0}'; echo >> '{0}'", log.display())
    }

    /// Returns what hooks of an event have read so far.
    pub(crate) fn noted(&self, event: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.log(event)).unwrap();
        text.lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.sandbox.project().join(name)
    }

    /// Starts a session on a terminal of 80 columns.
    pub(crate) fn start(&self, options: &[&str]) -> Session {
        self.start_on(80, &[], options)
    }

    pub(crate) fn start_on(
        &self,
        columns: u16,
        variables: &[(&str, &str)],
        options: &[&str],
    ) -> Session {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_hookloop"));
        self.prepare(&mut command, variables);
        command.arg("--fake-responses");
        command.arg(self.script());
        command.args(options);
        Session::start(command, columns)
    }

    /// Starts a session with a model service.
    pub(crate) fn start_with(&self, service: &ModelServer, variables: &[(&str, &str)]) -> Session {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_hookloop"));
        let address = service.url();
        let mut all = vec![
            ("GEMINI_API_KEY", "key"),
            ("GOOGLE_GEMINI_BASE_URL", address.as_str()),
        ];
        all.extend(variables);
        self.prepare(&mut command, &all);
        Session::start(command, 80)
    }

    /// Starts a session below another program, which gets its command line after its own arguments.
    pub(crate) fn start_below(&self, program: &str, arguments: &[&str]) -> Session {
        let mut command = CommandBuilder::new(program);
        self.prepare(&mut command, &[]);
        command.args(arguments);
        command.args([env!("CARGO_BIN_EXE_hookloop"), "--fake-responses"]);
        command.arg(self.script());
        Session::start(command, 80)
    }

    fn script(&self) -> PathBuf {
        let lines: Vec<String> = self.answers.iter().map(Value::to_string).collect();
        let script = self.sandbox.root().join("answers.jsonl");
        std::fs::write(&script, lines.join("\n") + "\n").unwrap();
        script
    }

    fn prepare(&self, command: &mut CommandBuilder, variables: &[(&str, &str)]) {
        command.env_clear();
        for (name, value) in self.sandbox.variables() {
            command.env(name, value);
        }
        let system = self.sandbox.root().join("system.json");
        command.env("GEMINI_CLI_SYSTEM_SETTINGS_PATH", system);
        command.env("TERM", "xterm-256color");
        for (name, value) in variables {
            command.env(name, value);
        }
        command.cwd(self.sandbox.project());
    }
}

fn answer(parts: Vec<Value>) -> Value {
    let mut chunks: Vec<Value> = parts
        .into_iter()
        .map(|part| json!({ "candidates": [{ "content": { "role": "model", "parts": [part] } }] }))
        .collect();
    if let Some(last) = chunks.last_mut() {
        last["candidates"][0]["finishReason"] = json!("STOP");
    }
    json!({ "method": "generateContentStream", "response": chunks })
}

fn settings(hooks: &[(&str, &str, &str)]) -> String {
    let mut events = serde_json::Map::new();
    for (event, name, command) in hooks {
        let hook = json!({ "type": "command", "name": name, "command": command });
        let groups = events.entry(*event).or_insert_with(|| json!([]));
        groups
            .as_array_mut()
            .unwrap()
            .push(json!({ "hooks": [hook] }));
    }
    json!({ "hooks": events }).to_string()
}

const ROWS: u16 = 50;

/// A session on a terminal.
pub(crate) struct Session {
    terminal: Option<Box<dyn MasterPty + Send>>,
    keyboard: Option<Box<dyn Write + Send>>,
    child: Box<dyn Child + Send + Sync>,
    shown: Arc<Mutex<Shown>>,
    reader: thread::JoinHandle<()>,
    /// How many bytes the terminal takes at a time; 0 if there is no limit.
    limit: Arc<AtomicUsize>,
    /// Whether it takes nothing.
    is_stalled: Arc<AtomicBool>,
}

struct Shown {
    screen: Parser,
    bytes: Vec<u8>,
}

impl Session {
    pub(crate) fn start(command: CommandBuilder, columns: u16) -> Self {
        let pair = native_pty_system().openpty(size(columns)).unwrap();
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let shown = Arc::new(Mutex::new(Shown {
            screen: Parser::new(nonzero(ROWS), nonzero(columns), 1000),
            bytes: Vec::new(),
        }));
        let mut output = pair.master.try_clone_reader().unwrap();
        let screen = Arc::clone(&shown);
        let limit = Arc::new(AtomicUsize::new(0));
        let limited = Arc::clone(&limit);
        let is_stalled = Arc::new(AtomicBool::new(false));
        let stalled = Arc::clone(&is_stalled);
        let reader = thread::spawn(move || {
            let mut bytes = [0; 4096];
            let room = |bytes: &[u8]| {
                while stalled.load(Ordering::Relaxed) {
                    thread::sleep(Duration::from_millis(10));
                }
                let limit = limited.load(Ordering::Relaxed);
                if limit == 0 {
                    return bytes.len();
                }
                thread::sleep(Duration::from_millis(20));
                limit
            };
            while let Ok(count @ 1..) = {
                let room = room(&bytes);
                output.read(&mut bytes[..room])
            } {
                let mut shown = screen.lock().unwrap();
                shown.screen.process(&bytes[..count]);
                shown.bytes.extend(&bytes[..count]);
            }
        });
        Self {
            keyboard: Some(pair.master.take_writer().unwrap()),
            terminal: Some(pair.master),
            child,
            shown,
            reader,
            limit,
            is_stalled,
        }
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap()
    }

    /// Returns the rows of the screen.
    pub(crate) fn rows(&self) -> Vec<String> {
        let shown = self.shown();
        let screen = shown.screen.screen();
        let rows = screen.rows(0, screen.size().1.get());
        rows.map(|row| row.trim_end().to_owned()).collect()
    }

    /// Returns everything that was written to the terminal.
    pub(crate) fn bytes(&self) -> String {
        String::from_utf8_lossy(&self.shown().bytes).into_owned()
    }

    /// Waits until a text is on the screen.
    pub(crate) fn sees(&self, text: &str) {
        let found = || self.rows().iter().any(|row| row.contains(text));
        let last = std::cell::RefCell::new(Vec::new());
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            wait_until(text, || {
                *last.borrow_mut() = self.rows();
                found()
            });
        }));
        assert!(
            result.is_ok(),
            "{text:?} is missing:\n{}",
            last.borrow().join("\n")
        );
    }

    /// Waits until the input line is empty and nothing runs.
    pub(crate) fn is_at_prompt(&self) {
        wait_until("the prompt", || {
            let rows = self.rows();
            let is_free = rows.iter().any(|row| row.contains(PLACEHOLDER));
            is_free && !rows.iter().any(|row| row.contains("(esc to cancel"))
        });
    }

    /// Types.
    pub(crate) fn types(&mut self, text: &str) {
        let keyboard = self.keyboard.as_mut().unwrap();
        keyboard.write_all(text.as_bytes()).unwrap();
        keyboard.flush().unwrap();
    }

    /// Answers a question, once it accepts keys: then one of its choices is selected.
    pub(crate) fn answers(&mut self, key: &str) {
        self.sees("❯ ");
        self.types(key);
    }

    /// Types a line and sends it.
    pub(crate) fn sends(&mut self, text: &str) {
        self.is_at_prompt();
        self.types(text);
        self.types(ENTER);
    }

    pub(crate) fn resize(&self, columns: u16) {
        let mut shown = self.shown();
        shown
            .screen
            .screen_mut()
            .set_size(nonzero(ROWS), nonzero(columns));
        self.terminal
            .as_ref()
            .unwrap()
            .resize(size(columns))
            .unwrap();
    }

    /// Limits the terminal to 20,000 bytes a second from now on.
    pub(crate) fn slow_down(&self) {
        self.limit.store(400, Ordering::Relaxed);
    }

    /// Limits the terminal to 2,000 bytes a second from now on.
    pub(crate) fn slow_down_much(&self) {
        self.limit.store(40, Ordering::Relaxed);
    }

    /// Answers questions about the background until something is true, as most terminals do.
    pub(crate) fn answers_until(
        &mut self,
        what: &str,
        answered: &mut usize,
        is: impl Fn(&str) -> bool,
    ) {
        wait_until(what, || {
            let bytes = self.bytes();
            let asked = bytes.matches("\x1b]11;?\x1b\\").count();
            self.types(&"\x1b]11;rgb:0000/0000/0000\x1b\\".repeat(asked - *answered));
            *answered = asked;
            is(&bytes)
        });
    }

    /// Lets the terminal take nothing from now on.
    pub(crate) fn stall(&self) {
        self.is_stalled.store(true, Ordering::Relaxed);
    }

    /// Lets the terminal take something again.
    pub(crate) fn go_on(&self) {
        self.is_stalled.store(false, Ordering::Relaxed);
    }

    /// Waits for the end of a session whose terminal takes nothing, and returns the exit code;
    /// `None` if it didn't end within `limit`.
    pub(crate) fn ends_within(&mut self, limit: Duration) -> Option<u32> {
        let started = Instant::now();
        while started.elapsed() < limit {
            if let Some(code) = self.child.try_wait().unwrap() {
                return Some(code.exit_code());
            }
            thread::sleep(Duration::from_millis(10));
        }
        None
    }

    /// Sends a signal to the session's process.
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let process = rustix::process::Pid::from_raw(self.process()).unwrap();
        rustix::process::kill_process(process, signal).unwrap();
    }

    /// Disconnects the terminal, as closing its window does.
    pub(crate) fn hang_up(&mut self) {
        self.keyboard = None;
        // The reading thread keeps a part of it open, so the signal is also sent by hand.
        self.terminal = None;
        self.signal(rustix::process::Signal::HUP);
    }

    /// Returns the id of the session's process.
    pub(crate) fn process(&self) -> i32 {
        i32::try_from(self.child.process_id().unwrap()).unwrap()
    }

    /// Waits for the end, and returns the exit code.
    pub(crate) fn ends(&mut self) -> u32 {
        let mut code = None;
        wait_until("the session ends", || {
            code = self.child.try_wait().unwrap();
            code.is_some()
        });
        // The program's last output may still be in the terminal; what it left running may keep
        // that open.
        for _ in 0..100 {
            if self.reader.is_finished() {
                break;
            }
            thread::sleep(Duration::from_millis(10));
        }
        code.unwrap().exit_code()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        drop(self.child.kill());
        self.is_stalled.store(false, Ordering::Relaxed);
    }
}

fn nonzero(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).unwrap()
}

fn size(columns: u16) -> PtySize {
    PtySize {
        rows: ROWS,
        cols: columns,
        pixel_width: 0,
        pixel_height: 0,
    }
}
