//! Starts a program of a case and waits for it, for a bounded time.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::TIMEOUT_SECONDS;
use crate::case::SignalAt;
use crate::world::World;

const INTERVAL: Duration = Duration::from_millis(5);

/// One start of a program.
pub(crate) struct Launch {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) folder: PathBuf,
    pub(crate) stdin: String,
    pub(crate) signal: Option<SignalAt>,
    pub(crate) environment: Vec<(String, String)>,
}

/// Its result.
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) duration: Duration,
}

/// Runs a program to its end.
pub(crate) fn run(world: &World, launch: Launch) -> Result<Finished, String> {
    // Files, not pipes: what continues detached must not keep us waiting, and hooks of a case can
    // look at what was shown so far.
    let (stdout, stderr) = (world.root.join("stdout"), world.root.join("stderr"));
    let create = |path: &Path| File::create(path).map_err(|error| error.to_string());
    let mut command = Command::new(&launch.program);
    command
        .args(&launch.arguments)
        .current_dir(&launch.folder)
        .env_clear()
        .envs(launch.environment)
        .stdin(Stdio::piped())
        .stdout(create(&stdout)?)
        .stderr(create(&stderr)?);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let started = Instant::now();
    let mut child = command
        .spawn()
        .map_err(|error| format!("{}: {error}", launch.program.display()))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that doesn't read its input closes the pipe.
        let input = launch.stdin;
        thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    }
    let status = wait(world, &mut child, launch.signal.as_ref())?;
    let read = |path: &Path| fs::read(path).map(|it| String::from_utf8_lossy(&it).into_owned());
    Ok(Finished {
        code: status.code(),
        stdout: read(&stdout).map_err(|error| error.to_string())?,
        stderr: read(&stderr).map_err(|error| error.to_string())?,
        duration: started.elapsed(),
    })
}

fn wait(
    world: &World,
    child: &mut Child,
    mut signal: Option<&SignalAt>,
) -> Result<ExitStatus, String> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            return match signal {
                None => Ok(status),
                Some(signal) => Err(format!("it ended before {} existed", signal.once_exists)),
            };
        }
        if let Some(due) = signal.filter(|it| world.path(&it.once_exists).exists()) {
            send(child, &due.name)?;
            signal = None;
        }
        if started.elapsed() > Duration::from_secs(TIMEOUT_SECONDS) {
            send(child, "TERM")?;
            thread::sleep(Duration::from_secs(2));
            drop(child.kill());
            drop(child.wait());
            let stderr = fs::read_to_string(world.root.join("stderr")).unwrap_or_default();
            return Err(format!(
                "it didn't end within {TIMEOUT_SECONDS} s; stderr:\n{stderr}"
            ));
        }
        thread::sleep(INTERVAL);
    }
}

#[cfg(unix)]
fn send(child: &Child, name: &str) -> Result<(), String> {
    use rustix::process::{Pid, Signal, kill_process};
    let signal = match name {
        "INT" => Signal::INT,
        "TERM" => Signal::TERM,
        "HUP" => Signal::HUP,
        "QUIT" => Signal::QUIT,
        "KILL" => Signal::KILL,
        other => return Err(format!("there is no signal {other}")),
    };
    kill_process(Pid::from_child(child), signal).map_err(|error| error.to_string())
}

#[cfg(not(unix))]
fn send(_child: &Child, name: &str) -> Result<(), String> {
    Err(format!("there is no signal {name} here"))
}

/// Waits until a condition is true; the time is a bound, not a measure of speed.
pub(crate) fn eventually(mut holds: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    while !holds() {
        if started.elapsed() > Duration::from_secs(10) {
            return false;
        }
        thread::sleep(INTERVAL);
    }
    true
}
