//! What the `puppet` can do: its arguments are actions, performed in order.
//!
//! | action | effect |
//! |---|---|
//! | `echo-stdin` | copies its input to standard output |
//! | `save-stdin PATH` | writes all of its input to a file |
//! | `close-stdin` | closes its input without reading it |
//! | `stdout TEXT`, `stderr TEXT`, `reply JSON` | writes a text (`reply` is `stdout`) |
//! | `flood-stdout BYTES`, `flood-stderr BYTES` | writes so many bytes |
//! | `close-stdout`, `close-stderr` | closes an output |
//! | `half-char` | writes `{"systemMessage":"hé"}` in two parts that split the `é` |
//! | `invalid-utf8` | writes bytes that aren't text |
//! | `exit N`, `die SIGNAL` | ends with a code, or by a signal (`TERM`, `KILL`, …, or a number) |
//! | `sleep MS`, `wait-for PATH` | waits for a time, or until a file exists (a handshake) |
//! | `ignore-sigterm` | continues when it is asked to end |
//! | `fork-and-leave MS` | leaves a child that holds its outputs for so long |
//! | `stubborn-child MS` | the same, and the child continues when it is asked to end |
//! | `setsid-child MS` | the same, the child in a session of its own |
//! | `touch PATH`, `append PATH TEXT` | makes a file, adds a line to a file |
//! | `pid-file PATH` | writes the number of the child that it left last, else its own |
//! | `save-env PATH` | writes its environment: `NAME=VALUE`, each ended by a NUL |
//! | `save-args PATH` | writes its own name and arguments, each ended by a NUL |
//! | `save-cwd PATH` | writes its current directory |
//!
//! Files appear complete: they are written beside their place and renamed.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read as _, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, getpgid, getpgrp, getpid, kill_process, setsid};

const INTERVAL: Duration = Duration::from_millis(2);

/// Performs actions in order, and returns the code to exit with.
pub fn perform(arguments: Vec<OsString>) -> io::Result<ExitCode> {
    let mut puppet = Puppet {
        arguments: arguments.into(),
        child: None,
    };
    while let Some(action) = puppet.arguments.pop_front() {
        if let Some(code) = puppet.act(&action.to_string_lossy())? {
            return Ok(code);
        }
    }
    Ok(ExitCode::SUCCESS)
}

struct Puppet {
    arguments: VecDeque<OsString>,
    child: Option<u32>,
}

impl Puppet {
    fn act(&mut self, action: &str) -> io::Result<Option<ExitCode>> {
        match action {
            "exit" => return Ok(Some(ExitCode::from(self.number::<u8>()?))),
            "die" => die(&self.text()?)?,
            "sleep" => thread::sleep(Duration::from_millis(self.number()?)),
            "wait-for" => wait_for(&self.path()?),
            "ignore-sigterm" => {
                let seen = Arc::new(AtomicBool::new(false));
                signal_hook::flag::register(signal_hook::consts::SIGTERM, seen)?;
            }
            "fork-and-leave" => self.leave_child(&[])?,
            "stubborn-child" => self.leave_child(&["ignore-sigterm"])?,
            "setsid-child" => {
                self.leave_child(&["new-session"])?;
                self.wait_for_new_session();
            }
            "new-session" => drop(setsid()?),
            _ => self.act_on_streams(action)?,
        }
        Ok(None)
    }

    fn act_on_streams(&mut self, action: &str) -> io::Result<()> {
        match action {
            "echo-stdin" => drop(io::copy(&mut io::stdin(), &mut io::stdout())?),
            "close-stdin" => rustix::stdio::dup2_stdin(File::open("/dev/null")?)?,
            "close-stdout" => rustix::stdio::dup2_stdout(null_output()?)?,
            "close-stderr" => rustix::stdio::dup2_stderr(null_output()?)?,
            "stdout" | "reply" => write(&mut io::stdout(), self.next()?.as_bytes())?,
            "stderr" => write(&mut io::stderr(), self.next()?.as_bytes())?,
            "flood-stdout" => flood(&mut io::stdout(), self.number()?)?,
            "flood-stderr" => flood(&mut io::stderr(), self.number()?)?,
            "half-char" => {
                write(&mut io::stdout(), b"{\"systemMessage\":\"h\xc3")?;
                // Usually long enough for the reader to see the first part alone.
                thread::sleep(Duration::from_millis(20));
                write(&mut io::stdout(), b"\xa9\"}")?;
            }
            "invalid-utf8" => write(&mut io::stdout(), b"caf\xe9 \xff")?,
            _ => self.act_on_files(action)?,
        }
        Ok(())
    }

    fn act_on_files(&mut self, action: &str) -> io::Result<()> {
        let path = self.path()?;
        match action {
            "save-stdin" => {
                let mut input = Vec::new();
                io::stdin().read_to_end(&mut input)?;
                write_atomically(&path, &input)
            }
            "touch" => write_atomically(&path, b""),
            "append" => {
                let mut file = File::options().create(true).append(true).open(&path)?;
                let mut line = self.next()?.into_encoded_bytes();
                line.push(b'\n');
                file.write_all(&line)
            }
            "pid-file" => {
                let process = self.child.unwrap_or_else(std::process::id);
                write_atomically(&path, process.to_string().as_bytes())
            }
            "save-env" => {
                let variables = std::env::vars_os();
                write_atomically(
                    &path,
                    &nul_ended(variables.map(|(mut name, value)| {
                        name.push("=");
                        name.push(value);
                        name
                    })),
                )
            }
            "save-args" => write_atomically(&path, &nul_ended(std::env::args_os())),
            "save-cwd" => write_atomically(&path, std::env::current_dir()?.as_os_str().as_bytes()),
            _ => Err(io::Error::other(format!("unknown action {action}"))),
        }
    }

    /// Starts a child that inherits the streams and keeps running.
    fn leave_child(&mut self, first: &[&str]) -> io::Result<()> {
        let child = Command::new(std::env::current_exe()?)
            .args(first)
            .arg("sleep")
            .arg(self.next()?)
            .stdin(Stdio::null())
            .spawn()?;
        self.child = Some(child.id());
        Ok(())
    }

    /// Waits until the child has left the group, so that what follows can rely on it.
    fn wait_for_new_session(&self) {
        let child = self
            .child
            .and_then(|child| Pid::from_raw(child.cast_signed()));
        while child.is_some_and(|child| getpgid(Some(child)) == Ok(getpgrp())) {
            thread::sleep(INTERVAL);
        }
    }

    fn next(&mut self) -> io::Result<OsString> {
        self.arguments
            .pop_front()
            .ok_or_else(|| io::Error::other("an argument is missing"))
    }

    fn text(&mut self) -> io::Result<String> {
        self.next().map(|text| text.to_string_lossy().into_owned())
    }

    fn path(&mut self) -> io::Result<PathBuf> {
        self.next().map(PathBuf::from)
    }

    fn number<T: std::str::FromStr>(&mut self) -> io::Result<T> {
        let text = self.text()?;
        text.parse()
            .map_err(|_| io::Error::other(format!("{text} isn't a number that fits")))
    }
}

fn null_output() -> io::Result<File> {
    File::options().write(true).open("/dev/null")
}

fn write(stream: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    stream.write_all(bytes)?;
    stream.flush()
}

fn flood(stream: &mut impl Write, bytes: u64) -> io::Result<()> {
    io::copy(&mut io::repeat(b'x').take(bytes), stream)?;
    stream.flush()
}

fn die(signal: &str) -> io::Result<()> {
    let signal = match signal.trim_start_matches("SIG") {
        "HUP" => Signal::HUP,
        "INT" => Signal::INT,
        "ABRT" => Signal::ABORT,
        "KILL" => Signal::KILL,
        "SEGV" => Signal::SEGV,
        "TERM" => Signal::TERM,
        number => number
            .parse()
            .ok()
            .and_then(Signal::from_named_raw)
            .ok_or_else(|| io::Error::other(format!("unknown signal {number}")))?,
    };
    // Rust's own handler catches the first SIGSEGV, and then gives way.
    for _ in 0..2 {
        kill_process(getpid(), signal)?;
    }
    Ok(())
}

fn wait_for(path: &Path) {
    while !path.exists() {
        thread::sleep(INTERVAL);
    }
}

fn nul_ended(texts: impl Iterator<Item = OsString>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for text in texts {
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(0);
    }
    bytes
}

/// Writes a file atomically.
fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(OsStr::from_bytes(
        format!(".{}", std::process::id()).as_bytes(),
    ));
    fs::write(&beside, bytes)?;
    fs::rename(&beside, path)
}
