//! Figures that need a separate process: this program, started again.

use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _, stdin, stdout};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::Outcome;
use crate::host::{Host, call, hook};
use crate::pairs::{Nanoseconds, interleaved, time_each};
use crate::table::Row;

/// The prefix of a child's task.
pub(crate) const CHILD: &str = "--child";

const MIB: usize = 1024 * 1024;
/// The cap of each output of a hook by default (IO-17).
const CAP: usize = 8 * MIB;

/// Starting hooks from a large process, beside a small one.
pub(crate) fn large_host() -> Outcome<Vec<Row>> {
    let mut large = Spawner::start("1024")?;
    let mut small = Spawner::start("10")?;
    let pairs = interleaved(Duration::from_secs(5), || large.spawn(), || small.spawn())?;
    Ok(vec![
        Row::of("no-op hook from a process of 1 GB", "from 10 MB", &pairs)
            .at_most(1.1, pairs.ratio),
    ])
}

/// A child that runs a hook on request, and reports how long that took.
struct Spawner {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Spawner {
    fn start(megabytes: &str) -> Outcome<Self> {
        let mut child = Command::new(env::current_exe()?)
            .args([CHILD, "spawner", megabytes])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (questions, answers) = (child.stdin.take(), child.stdout.take());
        Ok(Self {
            child,
            questions: questions.ok_or("no input")?,
            answers: BufReader::new(answers.ok_or("no output")?),
        })
    }

    fn spawn(&mut self) -> Outcome<Nanoseconds> {
        writeln!(self.questions)?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        Ok(answer.trim().parse()?)
    }
}

impl Drop for Spawner {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How much memory is used by a hook that writes far more than is kept.
pub(crate) fn overflow() -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for megabytes in [60, 600] {
        let growth = ask("overflow", megabytes)?;
        let ratio = growth / as_float(CAP);
        rows.push(
            Row::new(
                format!("hook that writes {megabytes} MB"),
                format!("{:.1} MiB of growth", growth / as_float(MIB)),
            )
            .beside("8 MiB, the cap", ratio)
            .at_most(3.0, ratio),
        );
    }
    Ok(rows)
}

/// What stays in memory after a finished event.
pub(crate) fn kept() -> Outcome<Vec<Row>> {
    let bytes = ask("kept", 9_000)?;
    Ok(vec![
        Row::new("kept of each finished event", format!("{bytes:.1} bytes"))
            .goal("0: below 8 bytes", bytes < 8.0),
    ])
}

/// Lets a child do its task, and returns the number that it prints.
fn ask(task: &str, argument: usize) -> Outcome<f64> {
    let output = Command::new(env::current_exe()?)
        .args([CHILD, task, &argument.to_string()])
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(format!("the child for `{task}` ended with {}", output.status).into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

/// Does the task of a child.
pub(crate) fn be_child(task: &str, argument: usize) -> Outcome<()> {
    match task {
        "spawner" => be_spawner(argument),
        "overflow" => print(grow(argument)?),
        "kept" => print(keep(argument)?),
        _ => Err(format!("no child knows the task `{task}`").into()),
    }
}

fn print(number: f64) -> Outcome<()> {
    Ok(writeln!(stdout(), "{number}")?)
}

fn be_spawner(megabytes: usize) -> Outcome<()> {
    // Written to, so that every page is there.
    let ballast = vec![1_u8; megabytes * MIB];
    let host = Host::new(vec![hook(0, "exit 0", None)])?;
    for line in stdin().lock().lines() {
        line?;
        print(time_each(1, || host.before_tool(call(1024))))?;
    }
    std::hint::black_box(&ballast);
    host.check(1)
}

/// Returns by how many bytes the process grew at most while a hook wrote.
fn grow(megabytes: usize) -> Outcome<f64> {
    let host = Host::new(vec![hook(0, "exit 0", Some("warm-up"))])?;
    host.before_tool(call(1024));
    let command = format!("head -c {} /dev/zero", megabytes * 1_000_000);
    let flooding = Host::new(vec![hook(0, &command, None)])?;
    let before = status("VmHWM:")?;
    flooding.before_tool(call(1024));
    Ok(status("VmHWM:")? - before)
}

/// Returns how many bytes stay of each event, between the first thousand and the last one.
fn keep(events: usize) -> Outcome<f64> {
    let host = Host::new(vec![hook(0, "/bin/true", None)])?;
    for _ in 0..1_000 {
        host.before_tool(call(1024));
    }
    let before = status("VmRSS:")?;
    for _ in 0..events {
        host.before_tool(call(1024));
    }
    let after = status("VmRSS:")?;
    host.check(events)?;
    Ok((after - before) / as_float(events))
}

/// Reads a size of this process from what the system reports about it, in bytes.
fn status(field: &str) -> Outcome<f64> {
    status_of("self", field)
}

/// Reads a size of a process, in bytes.
pub(crate) fn status_of(process: &str, field: &str) -> Outcome<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = text.lines().find_map(|line| line.strip_prefix(field));
    let kibibytes: f64 = line
        .ok_or_else(|| format!("the system doesn't report {field}"))?
        .trim()
        .trim_end_matches(" kB")
        .parse()?;
    Ok(kibibytes * 1024.0)
}

fn as_float(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::MAX, f64::from)
}
