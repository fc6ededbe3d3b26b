//! The release binary as a whole: its start, a turn without a terminal, the commands for hooks.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::Outcome;
use crate::children::status_of;
use crate::pairs::{interleaved, time};
use crate::table::Row;

const LIMIT: Duration = Duration::from_secs(3);

const MIB: f64 = 1024.0 * 1024.0;
const ANSWER: &str = r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"hi"}]},"finishReason":"STOP"}]}"#;

/// How long the program takes to start, beside a program that does nothing.
pub(crate) fn cold_start() -> Outcome<Vec<Row>> {
    let stage = Stage::new()?;
    let hello = stage.hello()?;
    let pairs = interleaved(
        LIMIT,
        || time(|| stage.run(&stage.program, &["--version"])),
        || time(|| stage.run(&hello, &[])),
    )?;
    Ok(vec![
        Row::of("hookloop --version", "a static hello", &pairs).at_most(2.0, pairs.ratio),
    ])
}

/// A turn whose answer comes from a script, beside `curl` of the same answer.
pub(crate) fn turn() -> Outcome<Vec<Row>> {
    let stage = Stage::new()?;
    let script = stage.scripted_answer()?;
    let arguments = ["-p", "hello", "--fake-responses", &script];
    let address = format!("http://{}/", serve()?);
    let curl = ["-sS", "--data", "{}", &address];
    let pairs = interleaved(
        LIMIT,
        || time(|| stage.run(&stage.program, &arguments)),
        || time(|| stage.run(Path::new("curl"), &curl)),
    )?;
    let peak = (0..20)
        .map(|_| stage.peak(&arguments))
        .collect::<Outcome<Vec<f64>>>()?
        .into_iter()
        .fold(0.0, f64::max);
    Ok(vec![
        Row::of("headless turn, scripted", "curl of the same answer", &pairs)
            .at_most(2.0, pairs.ratio),
        Row::new("memory of that turn", format!("{:.1} MB", peak / MIB))
            .goal("≤ 10 MB", peak > 0.0 && peak <= 10.0 * MIB),
    ])
}

/// The commands for hooks in a project with 10,000 of them, beside reading the file.
pub(crate) fn commands() -> Outcome<Vec<Row>> {
    let stage = Stage::new()?;
    let settings = stage.settings(10_000)?;
    let mut rows = Vec::new();
    let list: &[&str] = &["hooks", "list", "--json"];
    let why: &[&str] = &[
        "hooks",
        "why",
        "BeforeTool",
        "--tool",
        "write_file",
        "--json",
    ];
    let check: &[&str] = &["hooks", "check", "--json"];
    for (name, arguments) in [("list", list), ("why", why), ("check", check)] {
        let pairs = interleaved(
            LIMIT,
            || time(|| stage.run_any(&stage.program, arguments)),
            || time(|| stage.run(Path::new("cat"), &[&settings.to_string_lossy()])),
        )?;
        rows.push(Row::of(
            format!("hooks {name}, 10,000 hooks"),
            "cat of the settings",
            &pairs,
        ));
    }
    rows.extend(with_many_hooks(&stage)?);
    Ok(rows)
}

/// How many hooks a project has at most that somebody still wants to work with.
const MANY: usize = 100_000;

/// How long a command may take with that many, in nanoseconds.
const LONGEST: f64 = 1e9;

/// Sessions and commands with 100,000 hooks, beside reading the file.
fn with_many_hooks(stage: &Stage) -> Outcome<Vec<Row>> {
    let settings = stage.settings(MANY)?;
    let script = stage.scripted_answer()?;
    let session: &[&str] = &["-p", "hello", "--fake-responses", &script];
    let list: &[&str] = &["hooks", "list", "--json"];
    let check: &[&str] = &["hooks", "check", "--json"];
    let mut rows = Vec::new();
    for (name, arguments) in [
        ("a whole session", session),
        ("hooks list", list),
        ("hooks check", check),
    ] {
        let pairs = interleaved(
            LIMIT,
            || time(|| stage.run_any(&stage.program, arguments)),
            || time(|| stage.run(Path::new("cat"), &[&settings.to_string_lossy()])),
        )?;
        rows.push(
            Row::of(
                format!("{name}, 100,000 hooks"),
                "cat of the settings",
                &pairs,
            )
            .goal("≤ 1 s", pairs.measured <= LONGEST),
        );
    }
    Ok(rows)
}

/// A separate home and project, and the program.
pub(crate) struct Stage {
    folder: TempDir,
    pub(crate) program: PathBuf,
}

impl Stage {
    pub(crate) fn new() -> Outcome<Self> {
        let folder = tempfile::tempdir()?;
        for name in ["home/.gemini", "project/.git"] {
            fs::create_dir_all(folder.path().join(name))?;
        }
        // An installed program is a copy. What a linker has just written starts more slowly: the
        // system keeps it in smaller pieces.
        let program = folder.path().join("hookloop");
        fs::copy(release_binary()?, &program)?;
        Ok(Self { folder, program })
    }

    /// Returns the home that programs see.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Returns the project in which programs run.
    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// Writes a script with one answer, and returns its path.
    fn scripted_answer(&self) -> Outcome<String> {
        let script = self.folder.path().join("script.jsonl");
        let line = format!("{{\"method\":\"generateContentStream\",\"response\":[{ANSWER}]}}\n");
        fs::write(&script, line)?;
        Ok(script.to_string_lossy().into_owned())
    }

    pub(crate) fn command(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .current_dir(self.project())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        command
    }

    fn run(&self, program: &Path, arguments: &[&str]) -> Outcome<()> {
        let output = self.command(program, arguments).output()?;
        if output.status.success() {
            return Ok(());
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        Err(format!("{} {arguments:?}: {errors}", program.display()).into())
    }

    /// Runs a command whose exit code is its result.
    fn run_any(&self, program: &Path, arguments: &[&str]) -> Outcome<()> {
        let code = self.command(program, arguments).status()?.code();
        match code {
            Some(0 | 1) => Ok(()),
            other => Err(format!("{} {arguments:?}: {other:?}", program.display()).into()),
        }
    }

    /// Returns the largest amount of memory that a run was observed to use.
    fn peak(&self, arguments: &[&str]) -> Outcome<f64> {
        let mut child = self.command(&self.program, arguments).spawn()?;
        let process = child.id().to_string();
        let mut peak = 0.0;
        // A process that has ended reports nothing any more.
        while let Ok(bytes) = status_of(&process, "VmHWM:") {
            peak = bytes;
        }
        child.wait()?;
        Ok(peak)
    }

    /// Builds a program that prints a word, linked like the distributed one.
    fn hello(&self) -> Outcome<PathBuf> {
        let source = self.folder.path().join("hello.rs");
        fs::write(&source, "fn main() { println!(\"hello\"); }")?;
        let program = self.folder.path().join("hello");
        let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let output = Command::new(rustc)
            .args(["-Copt-level=3", "-Cpanic=abort", "-Cstrip=symbols"])
            .args(["-Ctarget-feature=+crt-static", "-Crelocation-model=static"])
            .arg("-o")
            .args([&program, &source])
            .output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        Ok(program)
    }

    /// Writes settings of the user with this many hooks.
    fn settings(&self, count: usize) -> Outcome<PathBuf> {
        let mut groups = String::new();
        for number in 0..count {
            let comma = if number == 0 { "" } else { "," };
            write!(
                groups,
                "{comma}\n      {{\"matcher\": \"tool_{number}\", \"hooks\": [{{\"type\": \
                 \"command\", \"name\": \"hook-{number}\", \"command\": \"exit {number}\"}}]}}"
            )?;
        }
        let path = self.folder.path().join("home/.gemini/settings.json");
        fs::write(
            &path,
            format!("{{\n  \"hooks\": {{\n    \"BeforeTool\": [{groups}\n    ]\n  }}\n}}\n"),
        )?;
        Ok(path)
    }
}

/// Builds the release binary if it is missing or old, and returns its path.
fn release_binary() -> Outcome<PathBuf> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["build", "--quiet", "--release", "--package", "hookloop"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!("the release binary can't be built: {errors}").into());
    }
    let own = env::current_exe()?;
    let folder = own.ancestors().nth(2).ok_or("this program is nowhere")?;
    Ok(folder
        .join("hookloop")
        .with_extension(env::consts::EXE_EXTENSION))
}

/// Serves the answer of a model forever, and returns where.
fn serve() -> Outcome<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?.to_string();
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            // A client that disconnected has finished its measurement.
            let _ = answer(connection);
        }
    });
    Ok(address)
}

fn answer(mut connection: TcpStream) -> std::io::Result<()> {
    let mut request = [0_u8; 8 * 1024];
    let _ = connection.read(&mut request)?;
    write!(
        connection,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\ndata: \
         {ANSWER}\r\n\r\n"
    )
}
