//! How soon the engine returns from a hook that doesn't end.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::Outcome;
use crate::host::{Host, call, hook};
use crate::pairs::nanoseconds;
use crate::table::{Row, time_text};

const TIMEOUT: Duration = Duration::from_millis(300);
/// The grace period of a hook that was asked to end (IO-31).
const GRACE: Duration = Duration::from_secs(1);
const ALLOWANCE: Duration = Duration::from_millis(50);

/// Hooks that ignore their deadline, each in a different way.
pub(crate) fn deadline() -> Outcome<Vec<Row>> {
    let cases = [
        ("hook that sleeps", "sleep 60; exit 0"),
        (
            "hook that ignores SIGTERM",
            "trap '' TERM; while :; do sleep 1; done",
        ),
        ("hook that stops itself", "kill -STOP $$; exit 0"),
        ("hook whose child holds its output", "sleep 60 & wait"),
        (
            "hook that floods for ever",
            "trap '' TERM; while :; do head -c 1000000 /dev/zero; done",
        ),
    ];
    cases
        .map(|(what, text)| case(what, text))
        .into_iter()
        .collect()
}

fn case(what: &str, text: &str) -> Outcome<Row> {
    let folder = tempfile::tempdir()?;
    let written = folder.path().join("process");
    let command = format!("echo $$ > '{}'; {text}", written.display());
    let mut declared = hook(0, &command, None);
    declared.timeout = TIMEOUT;
    let host = Host::new(vec![declared])?;
    let started = Instant::now();
    host.before_tool(call(1024));
    let elapsed = started.elapsed();
    let left = if is_alive(&written)? {
        "a process is left"
    } else {
        "no process left"
    };
    let limit = TIMEOUT + GRACE + ALLOWANCE;
    let is_reached = elapsed <= limit && left == "no process left";
    Ok(Row::new(what, time_text(nanoseconds(elapsed)))
        .and(left)
        .beside(
            format!("{} timeout + 1 s grace", time_text(nanoseconds(TIMEOUT))),
            elapsed.as_secs_f64() / (TIMEOUT + GRACE).as_secs_f64(),
        )
        .goal("≤ timeout + grace + 50 ms", is_reached))
}

/// Returns whether the process whose id is in a file runs.
fn is_alive(file: &Path) -> Outcome<bool> {
    let number = fs::read_to_string(file)?;
    let status = fs::read_to_string(format!("/proc/{}/stat", number.trim()));
    // A process that has ended but wasn't waited for doesn't count.
    Ok(status.is_ok_and(|it| !it.contains(") Z ")))
}
