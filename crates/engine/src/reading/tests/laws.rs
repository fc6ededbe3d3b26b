//! Laws of reading that apply to all outputs and endings.

use hookloop_events::{
    AfterAgent, AfterModel, AfterTool, BeforeAgent, BeforeModel, BeforeTool, BeforeToolSelection,
    Event, Notification, PreCompress, Ruling, SessionEnd, SessionStart,
};
use hookloop_hook::OnFailure;
use proptest::prelude::*;

use super::{Case, captured};
use crate::failure::Failure;
use crate::port::{Completion, Ending, Leak, Signal};
use crate::stop::StopCause;

/// Bytes that a hook may write: anything, and above all what looks like a reply.
fn output() -> impl Strategy<Value = Vec<u8>> {
    let fragments = prop::sample::select(vec![
        "{",
        "}",
        "\"",
        "[",
        "]",
        ",",
        ":",
        " ",
        "\n",
        "\\",
        "\\ud83d",
        "\u{feff}",
        "null",
        "1e999",
        "\"decision\":",
        "\"deny\"",
        "\"allow\"",
        "\"ask\"",
        "\"continue\":",
        "false",
        "true",
        "\"reason\":",
        "\"hookSpecificOutput\":",
        "{\"tool_input\":",
        "\"systemMessage\":",
        "x",
        "{\"decision\":\"deny\"}",
        "{\"continue\":false}",
        "{\"reason\":\"é\"}",
    ]);
    let pieces = prop::collection::vec(fragments, 0..12).prop_map(|all| all.concat().into_bytes());
    prop_oneof![prop::collection::vec(any::<u8>(), 0..40), pieces]
}

fn ending() -> impl Strategy<Value = (Ending, Option<StopCause>)> {
    prop_oneof![
        prop_oneof![Just(0), Just(1), Just(2), any::<i32>()]
            .prop_map(|code| (Ending::Exited(code), None)),
        any::<i32>().prop_map(|number| (Ending::Signalled(Signal(number)), None)),
        Just((Ending::NotStarted("missing".to_owned()), None)),
        Just((Ending::Stopped, Some(StopCause::TimedOut))),
        Just((Ending::Stopped, Some(StopCause::Cancelled))),
        Just((Ending::Stopped, None)),
    ]
}

fn any_case() -> impl Strategy<Value = Case> {
    let parts = (
        output(),
        output(),
        ending(),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
    );
    parts.prop_map(
        |(stdout, stderr, (ending, stop_cause), strict, cut, leaks)| {
            let mut case = Case {
                completion: Completion {
                    stdout: captured(&stdout),
                    stderr: captured(&stderr),
                    leak: if leaks { Leak::Leaked } else { Leak::None },
                    ..Completion::ended(ending)
                },
                stop_cause,
                on_failure: if strict {
                    OnFailure::Deny
                } else {
                    OnFailure::Warn
                },
            };
            case.completion.stdout.total += u64::from(cut);
            case
        },
    )
}

/// Reads the ruling of an event that can refuse.
fn rulings(case: &Case) -> [Option<Ruling>; 6] {
    [
        case.read::<BeforeTool>().answer.map(|it| it.ruling),
        case.read::<AfterTool>().answer.map(|it| it.ruling),
        case.read::<BeforeAgent>().answer.map(|it| it.ruling),
        case.read::<AfterAgent>().answer.map(|it| it.ruling),
        case.read::<BeforeModel>().answer.map(|it| it.ruling),
        case.read::<AfterModel>().answer.map(|it| it.ruling),
    ]
}

fn refuses(ruling: Option<&Ruling>) -> bool {
    matches!(ruling, Some(Ruling::Deny(..) | Ruling::Stop(_)))
}

fn has_decided(case: &Case) -> bool {
    case.completion.ending != Ending::Stopped || case.stop_cause == Some(StopCause::TimedOut)
}

fn reads_without_failing<E: Event>(case: &Case) {
    let reading = case.read::<E>();
    // Remarks and failures are also formatted as text, which must not panic either.
    let _ = reading.failure.map(|failure| failure.to_string());
}

proptest! {
    /// IO-20: whatever a hook writes and however it ends, reading it never panics.
    #[test]
    fn anything_can_be_read(case in any_case()) {
        rulings(&case);
        reads_without_failing::<SessionStart>(&case);
        reads_without_failing::<SessionEnd>(&case);
        reads_without_failing::<PreCompress>(&case);
        reads_without_failing::<Notification>(&case);
        reads_without_failing::<BeforeToolSelection>(&case);
    }

    /// IO-14, IO-20…24: with every spelling, every ending and every damage, a refusal, stop or
    /// question stays one. Only a cancelled hook has decided nothing (EV-5).
    #[test]
    fn a_refusal_never_becomes_an_allow(
        mut case in any_case().prop_filter("a cancelled hook has decided nothing", has_decided),
        refusal in prop::sample::select(vec![
            r#""decision":"deny""#, r#""decision":"Block""#, r#""decision":"ask""#,
            r#""permissionDecision":"deny""#, r#""permission":"deny""#, r#""approved":false"#,
            r#""hookSpecificOutput":{"permissionDecision":"deny"}"#, r#""continue":false"#,
            r#""blocked":"True""#, r#""decision":"reject""#,
        ]),
        damage in 0_usize..10,
    ) {
        let text = format!("{{\"reason\":\"r\",{refusal},\"other\":[1,{{}}]}}");
        let damaged = match damage {
            0 => text,
            1 => text.trim_end_matches('}').to_owned(),
            2 => text.replace('"', "'"),
            3 => text.replace('"', ""),
            4 => text.replace("[1,", "[NaN,"),
            5 => text.replace("\"r\"", "\"a \"b\" c\""),
            6 => text.replace("\"r\"", "\"5\" disk\""),
            7 => format!("{text} and more"),
            8 => text.replace("\"r\"", "5"),
            _ => text.replace(",\"other\"", " \"other\""),
        };
        case.completion.stdout.bytes = damaged.into_bytes();
        case.completion.stdout.total = case.completion.stdout.bytes.len() as u64
            + case.completion.stdout.total % 2;
        for ruling in rulings(&case) {
            let is_held = matches!(ruling, Some(Ruling::Ask(_))) || refuses(ruling.as_ref());
            prop_assert!(is_held, "{ruling:?} {}", String::from_utf8_lossy(&case.completion.stdout.bytes));
        }
    }

    /// IO-13: exit 2 refuses on every event that can refuse, whatever is written.
    #[test]
    fn exit_2_always_refuses(mut case in any_case()) {
        case.completion.ending = Ending::Exited(2);
        for ruling in rulings(&case) {
            prop_assert!(refuses(ruling.as_ref()), "{ruling:?}");
        }
    }

    /// IO-14, IO-22: a refusal that is all of standard output refuses, however the hook ends and
    /// whatever else the object contains; only cancelling and a cut remove it.
    #[test]
    fn a_readable_refusal_always_refuses(
        mut case in any_case(),
        refusal in prop::sample::select(vec![
            r#""decision":"deny""#, r#""decision":"Block""#, r#""continue":false"#,
        ]),
        rest in prop::sample::select(vec![
            "", r#","reason":"r""#, r#","systemMessage":[]"#, r#","suppressOutput":1"#,
            r#","hookSpecificOutput":{"tool_input":3,"llm_response":3,"clearContext":3}"#,
            r#","hookSpecificOutput":{"hookEventName":"Nothing"}"#, r#","x":1e999"#,
            r#","reason":"\ud83d""#,
        ]),
    ) {
        prop_assume!(case.stop_cause != Some(StopCause::Cancelled));
        prop_assume!(case.completion.ending != Ending::Stopped || case.stop_cause.is_some());
        case.completion.stdout = captured(format!("{{{refusal}{rest}}}").as_bytes());
        for ruling in rulings(&case) {
            prop_assert!(refuses(ruling.as_ref()), "{ruling:?}");
        }
    }

    /// IO-21, EV-5: with `onFailure: "deny"` every failure refuses; a cancelled hook says nothing,
    /// and the event then has no outcome.
    #[test]
    fn every_failure_refuses_where_it_is_wanted(mut case in any_case()) {
        case.on_failure = OnFailure::Deny;
        let reading = case.read::<BeforeTool>();
        match &reading.failure {
            Some(Failure::Cancelled) => prop_assert_eq!(reading.answer, None),
            Some(_) => {
                let ruling = reading.answer.map(|it| it.ruling);
                let asks = matches!(ruling, Some(Ruling::Ask(_)));
                prop_assert!(asks || refuses(ruling.as_ref()));
            }
            None => {}
        }
    }

    /// IO-14: a failing hook grants nothing: neither a rewrite nor a message.
    #[test]
    fn a_failure_grants_nothing(case in any_case()) {
        let reading = case.read::<BeforeTool>();
        if reading.failure.is_some() {
            prop_assert_eq!(reading.answer.and_then(|it| it.tool_input), None);
            prop_assert_eq!(reading.reply.and_then(|it| it.system_message), None);
        }
    }
}
