//! Headless sessions in a sandbox: started, killed, waited for, continued.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use hookloop_testkit::model_server::ModelServer;
use hookloop_testkit::{Finished, Sandbox, processes_of};
use serde_json::{Value, json};

use crate::history;
use crate::script::Script;
use crate::service::Service;

/// How long a session may take: not a measure of speed, only a bound for one that would hang.
pub(crate) const TIMEOUT: Duration = Duration::from_mins(1);

/// Builds a command of the program under test, with nothing on its standard input.
pub(crate) fn hookloop(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
    command.args(arguments).stdin(Stdio::null());
    let system = sandbox.root().join("system.json");
    command.env("GEMINI_CLI_SYSTEM_SETTINGS_PATH", system);
    command
}

/// Writes what the model answers, and returns the file.
pub(crate) fn write_script(sandbox: &Sandbox, script: &Script) -> PathBuf {
    let path = sandbox.root().join("answers.jsonl");
    fs::write(&path, script.text()).unwrap();
    path
}

/// Builds a session with scripted answers.
pub(crate) fn scripted(sandbox: &Sandbox, script: &Script, arguments: &[&str]) -> Command {
    let mut command = hookloop(sandbox, arguments);
    let answers = write_script(sandbox, script);
    command.arg("--fake-responses").arg(answers);
    command
}

/// Builds a session with a service.
pub(crate) fn served(
    sandbox: &Sandbox,
    service: Service,
    server: &ModelServer,
    arguments: &[&str],
) -> Command {
    let mut command = hookloop(sandbox, arguments);
    command.envs(service.variables(&server.url()));
    command
}

/// A session while it runs.
pub(crate) struct Running {
    child: Child,
    stdout: JoinHandle<String>,
    stderr: JoinHandle<String>,
}

impl Running {
    /// Starts a session.
    pub(crate) fn start(mut command: Command) -> Self {
        Self::watched(&mut command, |_| {})
    }

    /// Starts a session; `seen` gets each line of its standard output.
    pub(crate) fn watched(
        command: &mut Command,
        mut seen: impl FnMut(&str) + Send + 'static,
    ) -> Self {
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut stderr = child.stderr.take().unwrap();
        let stdout = thread::spawn(move || {
            let mut all = String::new();
            let mut line = Vec::new();
            while stdout.read_until(b'\n', &mut line).is_ok_and(|it| it > 0) {
                let text = String::from_utf8_lossy(&line);
                if text.ends_with('\n') {
                    seen(&text);
                }
                all.push_str(&text);
                line.clear();
            }
            all
        });
        let stderr = thread::spawn(move || {
            let mut all = Vec::new();
            drop(stderr.read_to_end(&mut all));
            String::from_utf8_lossy(&all).into_owned()
        });
        Self {
            child,
            stdout,
            stderr,
        }
    }

    /// Returns the session's process.
    pub(crate) fn process(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.child)
    }

    /// Sends a signal to the session, if it still runs.
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let _ = rustix::process::kill_process(self.process(), signal);
    }

    /// Returns whether the session still runs.
    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits for the end; a session that hangs is killed, and the test fails.
    pub(crate) fn ends(mut self) -> Finished {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if started.elapsed() > TIMEOUT {
                drop(self.child.kill());
                panic!("the session hangs: {}", self.stderr.join().unwrap());
            }
            thread::sleep(Duration::from_millis(1));
        };
        Finished {
            code: status.code(),
            stdout: self.stdout.join().unwrap(),
            stderr: self.stderr.join().unwrap(),
        }
    }
}

/// Runs a command to its end.
pub(crate) fn run(command: Command) -> Finished {
    Running::start(command).ends()
}

/// A session that was continued.
pub(crate) struct Resumed {
    /// The session's id.
    pub(crate) session_id: String,
    /// What the model was told.
    pub(crate) request: Value,
}

/// Continues with the last session, and checks that the model gets a whole conversation.
///
/// # Errors
/// Returns what is wrong.
pub(crate) fn resume(sandbox: &Sandbox, prompt: &str) -> Result<Resumed, String> {
    let server = ModelServer::start([Service::Gemini.says("tok-resumed")]);
    let arguments = ["--resume", "latest", "-o", "json", "-p", prompt];
    let finished = run(served(sandbox, Service::Gemini, &server, &arguments));
    if finished.code != Some(0) {
        return Err(format!("exit {:?}: {}", finished.code, finished.stderr));
    }
    let answer: Value = serde_json::from_str(&finished.stdout).map_err(|it| it.to_string())?;
    let requests = server.requests();
    let request = requests.first().ok_or("nothing was sent")?.json();
    if let Some(flaw) = history::flaw(&request) {
        return Err(flaw);
    }
    Ok(Resumed {
        session_id: answer["session_id"].as_str().unwrap_or_default().to_owned(),
        request,
    })
}

/// Returns the transcripts of a sandbox.
pub(crate) fn transcripts(sandbox: &Sandbox) -> Vec<PathBuf> {
    files(sandbox, |path| {
        path.extension().is_some_and(|it| it == "jsonl")
            && path.parent().is_some_and(|it| it.ends_with("sessions"))
    })
}

/// Returns the files below the home folder with a given name.
pub(crate) fn files(sandbox: &Sandbox, is_wanted: impl Fn(&PathBuf) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![sandbox.home().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if is_wanted(&path) {
                found.push(path);
            }
        }
    }
    found
}

/// Waits until nothing that was started in a sandbox runs any more.
pub(crate) fn nothing_is_left(sandbox: &Sandbox) {
    let started = Instant::now();
    loop {
        let left = processes_of(sandbox.root());
        if left.is_empty() {
            return;
        }
        assert!(started.elapsed() < TIMEOUT, "left behind: {left:?}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Builds settings with one hook for each of these events.
pub(crate) fn hooks(hooks: &[(&str, &str)]) -> Value {
    let mut events = serde_json::Map::new();
    for (event, command) in hooks {
        let hook = json!({"type": "command", "name": event, "command": command});
        events.insert((*event).to_owned(), json!([{ "hooks": [hook] }]));
    }
    json!({ "hooks": events })
}

/// Returns the command of a hook that records what it reads, one line each.
pub(crate) fn noting(sandbox: &Sandbox, name: &str) -> String {
    let log = sandbox.root().join(name);
    format!("cat >> '{0}'; echo >> '{0}'", log.display())
}

/// Returns what a recording hook has read so far, except what it couldn't finish.
pub(crate) fn noted(sandbox: &Sandbox, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(sandbox.root().join(name)).unwrap_or_default();
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}
