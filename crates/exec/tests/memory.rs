//! Memory while a hook floods; alone in its process, so that nothing else counts.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that fails says so by a panic")]

use std::sync::Arc;

use hookloop_engine::{Executor as _, Invocation, Lifetime, StopSignal};
use hookloop_events::{EventName, SessionIdentity};
use hookloop_exec::{CommandExecutor, Surroundings};
use hookloop_hook::{Handler, HookDeclaration};
use hookloop_testkit::{Sandbox, puppet};

const CAP: usize = 8 << 20;

/// The largest amount of memory that this process has ever used, in bytes.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    line.trim()
        .trim_end_matches(" kB")
        .parse::<usize>()
        .unwrap()
        << 10
}

/// IO-17: memory stays flat, however much a hook writes.
#[tokio::test]
async fn memory_stays_flat() {
    let sandbox = Sandbox::new();
    let mut hook = HookDeclaration::in_process(EventName::BeforeTool, "flood");
    let total = 300_u64 << 20;
    let command = format!("{} flood-stdout {total}", puppet().display());
    hook.handler = Handler::command(command);
    let session = SessionIdentity {
        session_id: "6b1f".into(),
        transcript_path: sandbox.project().join("transcript"),
        cwd: sandbox.project().to_owned(),
        agent: None,
    };
    let invocation = Invocation {
        hook: Arc::new(hook),
        event: EventName::BeforeTool,
        session: Arc::new(session),
        input: "{}".into(),
        max_output_bytes: CAP,
        stop: StopSignal::new(),
        lifetime: Lifetime::Bound,
        first_line: None,
        is_alone: true,
        run_id: String::new(),
        trace_parent: None,
        agreed: None,
    };
    let variables = sandbox.variables().into_iter();
    let executor = CommandExecutor::new(Surroundings {
        variables: variables
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
        ..Surroundings::default()
    });
    let before = peak();
    let completion = executor.execute(invocation).await;
    assert_eq!(
        (completion.stdout.bytes.len(), completion.stdout.total),
        (CAP, total)
    );
    assert!(peak() - before < 3 * CAP, "{} bytes", peak() - before);
}
