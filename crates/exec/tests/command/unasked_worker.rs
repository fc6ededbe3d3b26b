//! Workers that answer what they weren't asked, and those that can't be asked (HT-10, HT-11).

use hookloop_engine::{Ending, Executor as _, StopCause};

use crate::support::{Stage, appears};
use crate::worker::{GREETS, ask, asked, text};

/// HT-11: what a worker said before it was asked isn't an answer, whether it was there before the
/// first event or came with the answer to another one; what it says after that counts.
#[tokio::test]
async fn an_answer_before_the_question_is_none() {
    let allow = r#"echo '{"id": 1, "reply": {"decision": "allow"}}'; "#;
    let half = r#"printf '{"reply": {"decision": "allow"}, '; "#;
    let refuse = r#"echo '{"id": 1, "refuse": "no"}'; cat"#;
    for early in [allow.to_owned(), allow.repeat(3), half.to_owned()] {
        let stage = Stage::new();
        let script = format!("{GREETS} {early} read -r line; echo; {refuse}");
        let completion = ask(&stage.executor(), &stage, &script).await;
        assert_eq!(completion.ending, Ending::Exited(2), "{early}");
        assert!(!completion.remarks.is_empty(), "{completion:?}");
    }
    // Nor does a refusal decide what nobody had asked.
    let stage = Stage::new();
    let executor = stage.executor();
    let script = format!(
        r#"{GREETS} read -r line; echo '{{"id": 2, "refuse": "too early"}}'; echo '{{"id": 1, "reply": {{}}}}';
            read -r line; echo '{{"id": 2, "reply": {{"n": 2}}}}'; cat"#
    );
    let first = ask(&executor, &stage, &script).await;
    assert_eq!(first.ending, Ending::Exited(0), "{first:?}");
    assert!(
        first.remarks.iter().any(|it| it.contains("too early")),
        "{first:?}"
    );
    let second = ask(&executor, &stage, &script).await;
    assert_eq!(text(&second.stdout.bytes), r#"{"n": 2}"#, "{second:?}");
}

/// HT-11, IO-21: a worker that can't be asked any more has looked at nothing, whatever it says.
#[tokio::test]
async fn who_closes_its_input_was_not_asked() {
    let stage = Stage::new();
    let script = format!(
        r#"{GREETS} exec <&-; touch closed; while [ ! -e go ]; do sleep 0.01; done
            echo '{{"id": 1, "reply": {{"decision": "allow"}}}}'; sleep 600"#
    );
    let mut invocation = asked(&stage, &script);
    // More than a pipe can buffer.
    invocation.input = format!(r#"{{"x": "{}"}}"#, "x".repeat(1 << 20))
        .as_str()
        .into();
    let executor = stage.executor();
    let (completion, ()) = tokio::join!(executor.execute(invocation), async {
        crate::support::appears(&stage.path("closed")).await;
        std::fs::write(stage.path("go"), "").unwrap();
    });
    assert!(
        matches!(completion.ending, Ending::NotStarted(_)),
        "{completion:?}"
    );
}

/// HT-10, IO-21: a worker that didn't greet before the timeout has looked at nothing, and neither
/// has one that others kept busy.
#[tokio::test]
async fn who_was_never_asked_could_not_start() {
    for script in ["printf %s $$ > pid; sleep 600", "SERVES"] {
        let stage = Stage::new();
        let executor = stage.executor();
        let serves = format!("{GREETS} read -r line; touch busy; sleep 600");
        let script = script.replace("SERVES", &serves);
        let [first, second] = [(); 2].map(|()| asked(&stage, &script));
        let stops = [first.stop.clone(), second.stop.clone()];
        let is_busy = script.contains("busy");
        let (first, second, ()) =
            tokio::join!(executor.execute(first), executor.execute(second), async {
                let file = if is_busy { "busy" } else { "pid" };
                crate::support::appears(&stage.path(file)).await;
                for stop in &stops {
                    stop.stop(StopCause::TimedOut);
                }
            });
        assert_eq!(first.ending == Ending::Stopped, is_busy, "{first:?}");
        assert!(matches!(second.ending, Ending::NotStarted(_)), "{second:?}");
    }
}

/// HT-11: a line that began before the question isn't about it, whatever follows: neither half a
/// refusal nor an answer over the cap, though they name no event and there is only one.
#[tokio::test]
async fn a_line_that_began_before_the_question_is_about_nothing() {
    const FIRST: &str = r"builtin read -r asked; id=${asked#*:}; id=${id%%,*};";
    for (early, then, has_room) in [
        (r#"{\"refuse\": \"too early\""#, "exit 0", true),
        (
            r#"{\"reply\": {\"decision\": \"allow\", \"reason\": \""#,
            "head -c 50000 /dev/zero | tr '\\0' x; sleep 600",
            false,
        ),
    ] {
        let stage = Stage::new();
        let executor = stage.executor();
        let written = stage.path("written");
        let script = format!(
            r#"builtin echo '{{"hookloop": 1}}'; {FIRST} builtin printf "{{\"id\": $id, \"reply\": {{}}}}\n{early}"
                : > '{}'; builtin read -r asked; {then}"#,
            written.display()
        );
        let first = ask(&executor, &stage, &script).await;
        assert_eq!(first.ending, Ending::Exited(0), "{first:?}");
        // Bash writes line by line, and the next question may be faster.
        appears(&written).await;
        let mut invocation = asked(&stage, &script);
        if !has_room {
            invocation.max_output_bytes = 1000;
        }
        let second = executor.execute(invocation).await;
        assert_ne!(second.ending, Ending::Exited(2), "{second:?}");
        assert!(second.stdout.bytes.is_empty(), "{second:?}");
        assert!(has_room || second.stdout.is_cut(), "{second:?}");
    }
}

/// HT-11, IO-21: a worker that ends with the question unread in its pipe has looked at nothing; one
/// that has read of it fails.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn who_dies_beside_its_question_has_not_looked() {
    for (reads, could_not_start) in [("", true), ("builtin read -r -n 1 asked;", false)] {
        let stage = Stage::new();
        let script =
            format!("{GREETS} until builtin read -t 0; do sleep 0.01; done; {reads} exit 3");
        let completion = ask(&stage.executor(), &stage, &script).await;
        let is_it = matches!(completion.ending, Ending::NotStarted(_));
        assert_eq!(is_it, could_not_start, "{completion:?}");
    }
}
