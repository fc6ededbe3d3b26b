//! The trace stays within its size limit.

use std::fs;

use hookloop_trace::{Limits, RunFilter, TraceProblem, TraceStore};

use crate::store::Trace;
use crate::support::run;

const CAP: u64 = 1024 * 1024;

/// Everything that the trace takes on disk, in bytes.
fn size_on_disk(trace: &Trace) -> u64 {
    fs::read_dir(trace.folder.path())
        .unwrap()
        .map(|file| file.unwrap())
        // An index in shared memory, which has a separate size.
        .filter(|file| !file.file_name().to_string_lossy().ends_with("-shm"))
        .map(|file| file.metadata().unwrap().len())
        .sum()
}

fn sized(id: &str, bytes: usize) -> hookloop_engine::RunRecord {
    let mut large = run("a", id);
    large.content.stdout = "x".repeat(bytes);
    large
}

/// CM-6: however much is recorded, the files stay within `hooksConfig.trace.maxBytes`.
#[test]
fn the_files_stay_within_the_cap() {
    let mut trace = Trace::with_max_bytes(CAP);
    for number in 0..240_usize {
        trace.record(vec![sized(&number.to_string(), number % 40 * 1000)]);
        assert!(size_on_disk(&trace) <= CAP, "after {number}");
    }
    assert!(size_on_disk(&trace) > CAP / 4, "much room is wasted");
}

/// CM-6: the oldest runs are deleted first; what stays is the newest, without gaps.
#[test]
fn the_oldest_go_first() {
    let mut trace = Trace::with_max_bytes(CAP);
    for number in 0..150 {
        let problems = trace.record(vec![sized(&number.to_string(), 10_000)]);
        assert!(problems.is_empty());
    }
    let ids = trace.ids(&RunFilter::default());
    assert!(ids.len() > 30 && ids.len() < 100, "{}", ids.len());
    let youngest: Vec<String> = (150 - ids.len()..150).map(|it| it.to_string()).collect();
    assert_eq!(ids, youngest);
}

/// CM-6: inputs are deleted with their runs, including shared ones.
#[test]
fn inputs_go_with_their_runs() {
    let mut trace = Trace::with_max_bytes(CAP);
    for number in 0..150 {
        let input = format!(
            "{{\"number\":{number},\"text\":\"{}\"}}",
            "x".repeat(20_000)
        );
        let mut one = run("a", "1");
        let mut two = run("b", "2");
        one.content.input = input.as_str().into();
        two.content.input = input.as_str().into();
        trace.record(vec![one, two]);
        assert!(size_on_disk(&trace) <= CAP);
    }
    let runs = trace.all();
    assert!(runs.len() > 40, "inputs are stored twice: {}", runs.len());
    for run in &runs {
        assert!(run.input.is_some());
    }
    let last = runs.last().unwrap().input.as_ref().unwrap().get();
    assert!(last.starts_with("{\"number\":149,"));
}

/// CM-6: a lowered limit applies from the next run on.
#[test]
fn a_lowered_cap_holds() {
    let mut trace = Trace::with_max_bytes(4 * CAP);
    for number in 0..200 {
        trace.record(vec![sized(&number.to_string(), 10_000)]);
    }
    assert!(size_on_disk(&trace) > CAP);
    trace.store = TraceStore::open(&trace.path, Limits { max_bytes: CAP }).unwrap();
    trace.record(vec![run("a", "last")]);
    assert!(size_on_disk(&trace) <= CAP);
    assert!(trace.store.run("last").unwrap().is_some());
}

/// CM-6: a run that is larger than the trace may be is cut, kept and reported with its place.
#[test]
fn an_oversized_run_is_cut_and_reported() {
    let mut trace = Trace::with_max_bytes(CAP);
    trace.record(vec![run("a", "small")]);
    let mut huge = run("b", "huge");
    huge.content.input = format!("{{\"text\":\"{}\"}}", "é".repeat(2_000_000)).into();
    huge.content.stdout = "é".repeat(3_000_000);
    let problems = trace.record(vec![huge]);
    let report = problems.iter().map(ToString::to_string).collect::<String>();
    assert!(
        matches!(problems[..], [TraceProblem::Cut { .. }]),
        "{report}"
    );
    assert!(
        report.contains("\"b\" (/app/.gemini/settings.json:7:11)"),
        "{report}"
    );
    assert!(size_on_disk(&trace) <= CAP);
    let kept = trace.store.run("huge").unwrap().unwrap();
    assert!(kept.truncated);
    assert!(kept.input.is_none());
    let stdout = kept.stdout.unwrap();
    assert!(!stdout.is_empty() && stdout.chars().all(|it| it == 'é'));
}

/// CM-6: a limit below the size of an empty trace is reported, and nothing breaks.
#[test]
fn a_cap_that_is_too_small_is_reported() {
    let mut trace = Trace::with_max_bytes(1);
    let problems = trace.record(vec![run("a", "1")]);
    let is_said = |problem: &TraceProblem| matches!(problem, TraceProblem::CapTooSmall { .. });
    assert!(problems.iter().any(is_said));
    assert!(trace.all().is_empty());
}

/// CM-6: a follower's position stays right when runs were deleted.
#[test]
fn positions_are_never_given_twice() {
    let mut trace = Trace::with_max_bytes(CAP);
    let mut cursor = trace.store.end().unwrap();
    for number in 0..150 {
        trace.record(vec![sized(&number.to_string(), 10_000)]);
        let (new, next) = trace.store.follow(cursor, &RunFilter::default()).unwrap();
        assert_eq!(new.len(), 1);
        assert_eq!(new[0].run_id, number.to_string());
        cursor = next;
    }
}
