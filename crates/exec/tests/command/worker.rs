//! Workers and the ways in which they end (HT-10 to HT-12), and commands with arguments (HT-4).

use std::sync::Arc;
use std::time::Duration;

use hookloop_engine::{Completion, Ending, Executor as _, Invocation, StopCause};
use hookloop_exec::CommandExecutor;
use hookloop_hook::Handler;
use hookloop_testkit::{is_process_alive, wait_until};

use crate::support::{Stage, number_in};

/// What a worker in bash begins with.
pub(crate) const GREETS: &str = r#"printf %s $$ > pid; echo '{"hookloop": 1}'; "#;

/// Lets scripts number events in the order in which they read them: the real ids aren't known
/// beforehand.
const NUMBERS: &str = r#"ids=()
read() {
    builtin read -r asked || return
    [[ $asked =~ ^\{\"id\":([0-9]+),\"payload\" ]] && ids+=("${BASH_REMATCH[1]}")
    return 0
}
numbered() {
    if [[ $1 =~ ^(.*\"id\":\ ?)([0-9]+)(.*)$ && -n ${ids[BASH_REMATCH[2] - 1]} ]]; then
        builtin printf %s "${BASH_REMATCH[1]}${ids[BASH_REMATCH[2] - 1]}${BASH_REMATCH[3]}"
    else
        builtin printf %s "$1"
    fi
}
echo() { builtin printf '%s\n' "$(numbered "$*")"; }
printf() {
    case $1 in
    %s) builtin printf %s "$(numbered "$2")" ;;
    *) builtin printf %s "$(numbered "$1")" ;;
    esac
}
"#;

pub(crate) fn asked(stage: &Stage, script: &str) -> Invocation {
    let mut invocation = stage.invocation("");
    let hook = Arc::make_mut(&mut invocation.hook);
    hook.handler = Handler::Worker {
        command: format!("{NUMBERS}{script}"),
        args: None,
        idle: Duration::from_mins(1),
    };
    invocation
}

pub(crate) async fn ask(executor: &CommandExecutor, stage: &Stage, script: &str) -> Completion {
    executor.execute(asked(stage, script)).await
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// HT-10: one process answers event after event, with replies, refusals and errors.
#[tokio::test]
async fn a_worker_answers_event_after_event() {
    let stage = Stage::new();
    let executor = stage.executor();
    let script = format!(
        r#"{GREETS} n=0; while read -r line; do n=$((n+1)); case $n in
            1) echo "noise" >&2; echo "{{\"id\": $n, \"reply\": {{\"n\": $n}}}}";;
            2) echo "{{\"id\": $n, \"refuse\": \"no $HOOKLOOP_WORKER\", \"reply\": {{}}}}";;
            3) echo "{{\"id\": $n, \"error\": \"broke\"}}";;
            *) echo "{{\"id\": $n, \"reply\": null}}";;
        esac; done"#
    );
    let first = ask(&executor, &stage, &script).await;
    assert_eq!(first.ending, Ending::Exited(0), "{first:?}");
    assert_eq!(text(&first.stdout.bytes), r#"{"n": 1}"#);
    let process = number_in(stage.path("pid")).await;
    let second = ask(&executor, &stage, &script).await;
    assert_eq!(second.ending, Ending::Exited(2));
    assert_eq!(text(&second.stderr.bytes), "no 1");
    let third = ask(&executor, &stage, &script).await;
    assert_eq!(third.ending, Ending::Exited(1));
    assert_eq!(text(&third.stderr.bytes), "broke");
    let fourth = ask(&executor, &stage, &script).await;
    assert_eq!(fourth.ending, Ending::Exited(0));
    assert_eq!(text(&fourth.stdout.bytes), "null");
    assert_eq!(number_in(stage.path("pid")).await, process);
    drop(executor);
    tokio::task::spawn_blocking(move || {
        wait_until("the worker is gone", || !is_process_alive(process));
    })
    .await
    .unwrap();
}

/// HT-10, IO-21: a program that doesn't greet couldn't start.
#[tokio::test]
async fn a_program_that_does_not_greet_could_not_start() {
    let stage = Stage::new();
    let executor = stage.executor();
    for (script, why) in [
        ("echo hello; sleep 600", "its first line isn't a greeting"),
        (
            "echo oops >&2; exit 3",
            "exit code 3 without a greeting; its last words: oops",
        ),
        (r#"echo '{"hookloop": 9}'; sleep 600"#, "another version"),
        (
            "no-such-program-anywhere",
            "exit code 127 without a greeting",
        ),
    ] {
        let completion = ask(&executor, &stage, script).await;
        let Ending::NotStarted(said) = &completion.ending else {
            panic!("{completion:?}");
        };
        assert!(said.contains(why), "{said}");
    }
}

/// HT-11: a worker that dies fails the event that it was working on, and is restarted, five times
/// at most.
#[tokio::test]
async fn a_worker_that_dies_fails_its_event_and_is_bounded() {
    let stage = Stage::new();
    let executor = stage.executor();
    let script = format!("{GREETS} read -r line; echo dying >&2; kill -KILL $$");
    for _ in 0..5 {
        let completion = ask(&executor, &stage, &script).await;
        assert_eq!(completion.ending, Ending::Exited(1), "{completion:?}");
        let said = text(&completion.stderr.bytes);
        assert!(
            said.contains("killed by signal 9") && said.contains("dying"),
            "{said}"
        );
    }
    let completion = ask(&executor, &stage, &script).await;
    assert!(
        matches!(&completion.ending, Ending::NotStarted(why) if why.contains("5 times")),
        "{completion:?}"
    );
}

/// HT-11: a worker that continues after its event was withdrawn is ended with its group, and the
/// next event has a new one.
#[tokio::test]
async fn a_worker_that_hangs_is_ended() {
    let stage = Stage::new();
    let executor = stage.executor();
    let script = format!(
        r#"{GREETS} trap '' TERM; read -r line; if [ -e second ]; then
            echo '{{"id": 1, "reply": {{}}}}'; read -r line; fi; touch second; sleep 600"#
    );
    let invocation = asked(&stage, &script);
    let stop = invocation.stop.clone();
    let (completion, process) = tokio::join!(executor.execute(invocation), async {
        let process = number_in(stage.path("pid")).await;
        crate::support::appears(&stage.path("second")).await;
        stop.stop(StopCause::Cancelled);
        process
    });
    assert_eq!(completion.ending, Ending::Stopped);
    let next = ask(&executor, &stage, &script).await;
    assert_eq!(next.ending, Ending::Exited(0), "{next:?}");
    assert_ne!(number_in(stage.path("pid")).await, process);
    assert!(!is_process_alive(process));
}

/// HT-11: what isn't an answer, or answers nothing, is reported with the next answer and decides
/// nothing; a flood of it ends the worker.
#[tokio::test]
async fn what_is_not_an_answer_decides_nothing() {
    let stage = Stage::new();
    let executor = stage.executor();
    let script = format!(
        r#"{GREETS} read -r line; echo '{{"id": 99, "refuse": "for nobody"}}';
            echo '{{"id": 1, "reply": {{}}}}'; cat >/dev/null"#
    );
    let completion = ask(&executor, &stage, &script).await;
    assert_eq!(completion.ending, Ending::Exited(0), "{completion:?}");
    assert!(
        completion
            .remarks
            .iter()
            .any(|it| it.contains("wasn't asked about")),
        "{:?}",
        completion.remarks
    );
    let flooding = format!("{GREETS} read -r line; yes; true");
    let completion = ask(&executor, &stage, &flooding).await;
    assert_eq!(completion.ending, Ending::Exited(1));
    let said = text(&completion.stderr.bytes);
    assert!(said.contains("too much that isn't an answer"), "{said}");
    let endless = format!("{GREETS} read -r line; tr '\\0' x </dev/zero; true");
    let completion = ask(&executor, &stage, &endless).await;
    // It is output over the cap, whose length can be caused by what is judged (IO-20).
    assert_eq!(completion.ending, Ending::Exited(0));
    assert!(completion.stdout.is_cut(), "{completion:?}");
}

/// HT-10, HT-11, IO-24: a refusal counts in a line that is longer than any answer, is unfinished,
/// or also reports an error; with several events at once, an overlong line that names none counts
/// for all of them.
#[tokio::test]
async fn no_refusal_is_lost_in_a_line_that_is_none() {
    let padding = "head -c 1100000 /dev/zero | tr '\\0' x";
    let deny = r#"{"id":1,"reply":{"decision":"deny","reason":"no "#;
    for (said, ending, is_cut) in [
        (
            format!("printf '%s' '{deny}'; {padding}; cat"),
            Ending::Exited(0),
            true,
        ),
        (
            format!("printf '%s' '{deny}'; kill -KILL $$"),
            Ending::Exited(1),
            false,
        ),
        (
            r#"printf '%s' '{"id":1,"reply":{"decision":"deny"},"error":"x"}'"#.to_owned(),
            Ending::Exited(1),
            false,
        ),
        (
            r#"echo '{"id":1,"decision":"deny"}'; cat"#.to_owned(),
            Ending::Exited(1),
            false,
        ),
    ] {
        let stage = Stage::new();
        let script = format!("{GREETS} read -r line; {said}");
        let completion = ask(&stage.executor(), &stage, &script).await;
        assert_eq!(completion.ending, ending, "{said}");
        assert_eq!(completion.stdout.is_cut(), is_cut, "{said}");
        let reply = text(&completion.stdout.bytes[..60.min(completion.stdout.bytes.len())]);
        assert!(reply.contains(r#""decision":"deny""#), "{said}: {reply}");
    }
    let refuse = r#"printf '%s' '{"id":1,"refuse":"no '"#;
    for end in [format!("{padding}; cat"), "exit".to_owned()] {
        let stage = Stage::new();
        let script = format!("{GREETS} read -r line; {refuse}; {end}");
        let completion = ask(&stage.executor(), &stage, &script).await;
        assert_eq!(completion.ending, Ending::Exited(2), "{end}");
        assert!(text(&completion.stderr.bytes).starts_with("no "), "{end}");
    }
    let stage = Stage::new();
    let executor = stage.executor();
    let script = format!(
        r#"echo '{{"hookloop": 1, "concurrency": 2}}'; read -r a; read -r b; {padding}; cat"#
    );
    let (first, second) = tokio::join!(
        ask(&executor, &stage, &script),
        ask(&executor, &stage, &script)
    );
    for completion in [first, second] {
        assert_eq!(completion.ending, Ending::Exited(0));
        assert!(completion.stdout.is_cut(), "{completion:?}");
    }
}

/// HT-10, IO-24: an answer without a line end counts when the event's time is over, whether or not
/// the worker ends then.
#[tokio::test]
async fn an_answer_without_a_line_end_counts() {
    for (said, ending, told) in [
        (r#"{"id":1,"refuse":"no"}"#, Ending::Exited(2), "no"),
        (r#"{"id":1,"refuse":"no, be"#, Ending::Exited(2), "no, be"),
        (
            r#"{"id":1,"reply":{"decision":"deny"}}"#,
            Ending::Exited(0),
            "deny",
        ),
    ] {
        for goes_on in ["cat", "trap '' TERM; cat; sleep 600"] {
            let stage = Stage::new();
            let executor = stage.executor();
            let script =
                format!("{GREETS} read -r line; printf '%s' '{said}'; touch said; {goes_on}");
            let invocation = asked(&stage, &script);
            let stop = invocation.stop.clone();
            let (completion, ()) = tokio::join!(executor.execute(invocation), async {
                crate::support::appears(&stage.path("said")).await;
                stop.stop(StopCause::TimedOut);
            });
            let words = text(&completion.stdout.bytes) + &text(&completion.stderr.bytes);
            assert!(words.contains(told), "{said}: {completion:?}");
            let is_late = completion.ending == Ending::Stopped;
            assert!(
                completion.ending == ending || is_late && told == "deny",
                "{said}: {completion:?}"
            );
        }
    }
}

/// HT-10, IO-24: half a line whose refusal isn't for the event that ends belongs to the one that
/// its other half names.
#[tokio::test]
async fn the_other_half_of_a_refusal_says_whom_it_refuses() {
    for (half, other) in [
        (r#"{"refuse":"no","#, r#""id":2}"#),
        (r#"{"refuse":"no","id":"#, r#"'"${ids[1]}"'}"#),
        (r#"{"refuse":"no","id":2"#, "}"),
    ] {
        let stage = Stage::new();
        let executor = stage.executor();
        let script = format!(
            r#"echo '{{"hookloop": 1, "concurrency": 2}}'; read -r a; read -r b
            printf '%s' '{half}'; touch said; read -r cancelled; echo '{other}'
            echo '{{"id": 1, "reply": {{}}}}'; cat"#
        );
        let invocation = asked(&stage, &script);
        let stop = invocation.stop.clone();
        let second = ask(&executor, &stage, &script);
        let (_, second, ()) = tokio::join!(
            executor.execute(invocation),
            tokio::time::timeout(Duration::from_secs(10), second),
            async {
                crate::support::appears(&stage.path("said")).await;
                // The half line is read before the time is over.
                tokio::time::sleep(Duration::from_millis(200)).await;
                stop.stop(StopCause::TimedOut);
            }
        );
        let second = second.unwrap();
        assert_eq!(second.ending, Ending::Exited(2), "{half}: {second:?}");
        assert_eq!(text(&second.stderr.bytes), "no", "{half}");
    }
}

/// HT-10, HT-11: a refusal that came too late is reported with the next event if its own was
/// withdrawn: nobody waits for that one's result.
#[tokio::test]
async fn a_late_refusal_is_told_though_the_event_was_cancelled() {
    let stage = Stage::new();
    let executor = stage.executor();
    let script = format!(
        r#"{GREETS} read -r a; echo '{{"id": 1, "reply": {{}}}}'; read -r b; touch asked
        read -r cancelled; echo '{{"id": 1, "refuse": "no"}}'; cat"#
    );
    assert_eq!(
        ask(&executor, &stage, &script).await.ending,
        Ending::Exited(0)
    );
    let cancelled = asked(&stage, &script);
    let stop = cancelled.stop.clone();
    let (cancelled, ()) = tokio::join!(executor.execute(cancelled), async {
        crate::support::appears(&stage.path("asked")).await;
        stop.stop(StopCause::Cancelled);
    });
    assert_eq!(cancelled.ending, Ending::Stopped, "{cancelled:?}");
    let next = ask(&executor, &stage, &script).await;
    let mut remarks = next.remarks.iter();
    assert!(remarks.any(|it| it.contains("refusal is lost")), "{next:?}");
}

/// HT-10, IO-24: what follows an answer in its line withdraws no refusal.
#[tokio::test]
async fn a_refusal_with_something_behind_it_counts() {
    for (said, ending, told) in [
        (
            r#"{"id":1,"refuse":"no"}{"cancel":1}"#,
            Ending::Exited(2),
            "no",
        ),
        (r#"{"id":1,"refuse":"no"} thanks"#, Ending::Exited(2), "no"),
        (
            r#"{"id":1,"reply":{"decision":"deny"}} log"#,
            Ending::Exited(1),
            "deny",
        ),
    ] {
        let stage = Stage::new();
        let script = format!("{GREETS} read -r line; echo '{said}'; read -r line");
        let completion = ask(&stage.executor(), &stage, &script).await;
        assert_eq!(completion.ending, ending, "{said}: {completion:?}");
        let words = text(&completion.stdout.bytes) + &text(&completion.stderr.bytes);
        assert!(words.contains(told), "{said}: {completion:?}");
    }
}

/// HT-11, IO-13: a worker that ends with exit code 2 while it is asked refuses, as a command would.
#[tokio::test]
async fn a_worker_refuses_with_its_exit_code() {
    for (says, why) in [
        ("echo 'not that' >&2; exit 2", "not that"),
        ("exit 2", "exit code 2"),
    ] {
        let stage = Stage::new();
        let script = format!("{GREETS} read -r line; {says}");
        let completion = ask(&stage.executor(), &stage, &script).await;
        assert_eq!(completion.ending, Ending::Exited(2), "{says}");
        assert!(
            text(&completion.stderr.bytes).contains(why),
            "{completion:?}"
        );
    }
}

/// HT-11: a worker that accepts several events at once gets them at once.
#[tokio::test]
async fn several_events_run_at_once() {
    let stage = Stage::new();
    let executor = stage.executor();
    let script = r#"echo '{"hookloop": 1, "concurrency": 2}'; read -r a; read -r b
        echo '{"id": 2, "reply": {"second": 2}}'; echo '{"id": 1, "reply": {"first": 1}}'; cat"#;
    let (first, second) = tokio::join!(
        ask(&executor, &stage, script),
        ask(&executor, &stage, script)
    );
    assert_eq!(text(&first.stdout.bytes), r#"{"first": 1}"#);
    assert_eq!(text(&second.stdout.bytes), r#"{"second": 2}"#);
}

/// HT-12: standard error belongs to the event that ran when it came, also what came right before
/// the answer; what came while none ran belongs to none.
#[tokio::test]
async fn standard_error_belongs_to_its_event() {
    let stage = Stage::new();
    let executor = stage.executor();
    let script = format!(
        r#"{GREETS} read -r line; printf '%s' "$(seq -s' ' 2000)" >&2; echo first >&2
            echo '{{"id": 1, "reply": {{}}}}'; sleep 0.1; echo between >&2; touch between
            read -r line; echo second >&2; echo '{{"id": 2, "reply": {{}}}}'
            read -r line; echo third >&2; echo '{{"id": 3, "refuse": "no"}}'; cat"#
    );
    let first = ask(&executor, &stage, &script).await;
    let said = text(&first.stderr.bytes);
    assert!(
        said.starts_with("1 2 3 ") && said.ends_with("2000first\n"),
        "{said}"
    );
    crate::support::appears(&stage.path("between")).await;
    // It is read while nobody asks.
    tokio::time::sleep(Duration::from_millis(50)).await;
    let second = ask(&executor, &stage, &script).await;
    assert_eq!(text(&second.stderr.bytes), "second\n");
    let third = ask(&executor, &stage, &script).await;
    assert_eq!(
        text(&third.stderr.bytes),
        "no",
        "a refusal's reason stands alone"
    );
}

/// HT-12: if several events run at once, standard error is the worker's: it belongs to none of
/// them, and is reported if the worker fails.
#[tokio::test]
async fn standard_error_of_several_is_the_workers() {
    let stage = Stage::new();
    let executor = stage.executor();
    let script = r#"echo '{"hookloop": 1, "concurrency": 3}'; read -r a; read -r b; read -r c
        echo whose >&2; sleep 0.1; echo '{"id": 2, "reply": {}}'; exit 4"#;
    let (first, second, third) = tokio::join!(
        ask(&executor, &stage, script),
        ask(&executor, &stage, script),
        ask(&executor, &stage, script)
    );
    assert_eq!((second.ending, second.stderr.total), (Ending::Exited(0), 0));
    for failed in [first, third] {
        assert_eq!(failed.ending, Ending::Exited(1));
        let said = text(&failed.stderr.bytes);
        assert!(
            said.contains("exit code 4") && said.contains("whose"),
            "{said}"
        );
    }
}

/// HT-12, ENV-3: a project's worker gets the environment and the folder that its command would get,
/// without secrets.
#[tokio::test]
async fn a_workers_environment_is_that_of_a_command() {
    let mut stage = Stage::new();
    let variables = &mut stage.surroundings.variables;
    variables.push(("SHOP_API_KEY".into(), "sk-0123456789abcdefghij".into()));
    variables.push(("PLAIN".into(), "yes".into()));
    let executor = stage.executor();
    let script = r#"echo '{"hookloop": 1}'; read -r line
        echo "{\"id\": 1, \"reply\": {\"systemMessage\": \"$SHOP_API_KEY,$PLAIN,$OWN,$PWD\"}}"; cat"#;
    let mut invocation = asked(&stage, script);
    let hook = Arc::make_mut(&mut invocation.hook);
    hook.source.layer = Some(hookloop_hook::Layer::Project);
    hook.env.insert("OWN".to_owned(), "own".to_owned());
    let completion = executor.execute(invocation).await;
    let said = text(&completion.stdout.bytes);
    let expected = format!("\",yes,own,{}\"", stage.sandbox.project().display());
    assert!(said.contains(&expected), "{said}");
    assert_eq!(completion.withheld_env, ["SHOP_API_KEY"]);
}

/// HT-4: a program with arguments gets them as they are, without a shell, our variables filled in.
#[tokio::test]
async fn arguments_reach_the_program_as_they_are() {
    let stage = Stage::new();
    let mut invocation = stage.invocation("");
    let hook = Arc::make_mut(&mut invocation.hook);
    hook.handler = Handler::Command {
        command: "printf".to_owned(),
        args: Some(
            ["[%s]", "a b", "$HOME;$(id)", "${GEMINI_PROJECT_DIR}/x"]
                .map(str::to_owned)
                .to_vec(),
        ),
        shell: None,
    };
    let completion = stage.executor().execute(invocation).await;
    assert_eq!(completion.ending, Ending::Exited(0), "{completion:?}");
    let project = stage.sandbox.project().display();
    assert_eq!(
        text(&completion.stdout.bytes),
        format!("[a b][$HOME;$(id)][{project}/x]")
    );
}

/// HT-4, IO-21: a hook whose shell isn't there can't start.
#[tokio::test]
async fn a_missing_shell_could_not_start() {
    let stage = Stage::new();
    let mut invocation = stage.invocation("exit 0");
    let hook = Arc::make_mut(&mut invocation.hook);
    hook.handler = Handler::Command {
        command: "exit 0".to_owned(),
        args: None,
        shell: Some(hookloop_hook::Shell::Cmd),
    };
    let completion = stage.executor().execute(invocation).await;
    assert_eq!(
        completion.ending,
        Ending::NotStarted("the shell cmd.exe isn't on the PATH".to_owned())
    );
}
