//! Replies after exit 0.

use hookloop_events::{AfterTool, BeforeModel, BeforeModelAnswer, Ruling};

use super::{Remark, case};
use super::{check, exit, verdict};
use crate::port::Ending;

/// IO-10: after exit 0 standard output is the reply, and without one there is no opinion.
#[test]
fn a_reply_stands_on_standard_output() {
    check(&[
        ("empty", exit(0, ""), "none []"),
        ("blank", exit(0, " \n\t"), "none []"),
        (
            "an object",
            exit(0, r#"{"decision":"deny","reason":"no"}"#),
            "deny no []",
        ),
        (
            "spaces around",
            exit(0, "\n {\"decision\":\"allow\"} \n"),
            "allow []",
        ),
        ("no opinion", exit(0, "{}"), "silent []"),
        (
            "a byte order mark",
            exit(0, "\u{feff}{\"decision\":\"deny\"}"),
            "deny Blocked by hook \"guard\" []",
        ),
        (
            "standard error isn't a reply",
            case(Ending::Exited(0), "", r#"{"decision":"deny"}"#),
            "none []",
        ),
        (
            "half a surrogate pair",
            exit(0, r#"{"decision":"deny","reason":"cut \ud83d"}"#),
            "deny cut \u{fffd} []",
        ),
    ]);
}

/// AG-1: a refusal stays one even if the same reply withdraws it, and a repeated key is reported.
#[test]
fn a_repeated_word_does_not_take_a_refusal_back() {
    for reply in [
        r#"{"decision":"deny","reason":"no","decision":"allow"}"#,
        r#"{"decision":"allow","reason":"no","decision":"deny"}"#,
        r#"{"decision":"deny","reason":"no","decision":null}"#,
    ] {
        let reading = exit(0, reply).before_tool();
        assert_eq!(verdict(&reading), "deny no []", "{reply}");
        assert_eq!(reading.remarks.len(), 1, "{reply}");
        let quoted = serde_json::Value::from(reply).to_string();
        assert_eq!(verdict(&exit(0, &quoted).before_tool()), "deny no []");
        assert!(verdict(&exit(1, reply).before_tool()).starts_with("deny no"));
    }
    let stop = exit(
        0,
        r#"{"continue":false,"stopReason":"end","continue":true}"#,
    );
    assert_eq!(verdict(&stop.before_tool()), "stop end []");
    let text = exit(0, r#"{"reason":"a","reason":"b"}"#).before_tool();
    assert_eq!(
        text.remarks.len(),
        2,
        "it is told of the repetition, and of the lone reason"
    );
}

/// OUT-4: space around the word that decides isn't part of it.
#[test]
fn space_around_a_decision_is_none_of_it() {
    let padded = exit(0, r#"{"decision":" deny\n","reason":"no"}"#);
    assert_eq!(verdict(&padded.before_tool()), "deny no []");
}

/// IO-11: text is an allow with a message; a refusal in it is reported to have no effect.
#[test]
fn text_is_an_allow_with_a_message() {
    for (stdout, lost) in [
        ("all fine", None),
        ("\"quoted text\"", None),
        ("log\n{\"decision\":\"deny\"}", Some("decision")),
        ("log {\"continue\":false} more", Some("continue")),
        ("log {\"permission\":\"deny\"} more", Some("permission")),
        ("log {\"decision\":\"allow\"}", None),
        ("see {} and {\"decision\":\"block\"", Some("decision")),
    ] {
        let reading = exit(0, stdout).before_tool();
        assert_eq!(verdict(&reading), "allow []", "{stdout}");
        assert_eq!(
            reading.remarks,
            [Remark::Polluted {
                lost: lost.map(str::to_owned)
            }],
            "{stdout}"
        );
        assert_eq!(reading.lost_refusal, lost.is_some(), "{stdout}");
        let message = reading.reply.unwrap().system_message;
        assert_eq!(message.as_deref(), Some(stdout));
    }
    assert_eq!(
        verdict(&exit(0, "all fine").strict().before_tool()),
        "fail malformed reply: standard output isn't JSON [malformed_reply]"
    );
}

/// IO-12: a text that contains an object is read; other JSON is malformed.
#[test]
fn a_text_may_hold_the_reply() {
    check(&[
        (
            "a text",
            exit(0, r#""{\"decision\":\"deny\",\"reason\":\"no\"}""#),
            "deny no []",
        ),
        (
            "a broken one",
            exit(0, r#""{\"decision\":\"deny\",\"reason\":\"no\"} x""#),
            "deny no [malformed_reply]",
        ),
        (
            "a list",
            exit(0, r#"[{"decision":"deny","reason":"no"}]"#),
            "none [malformed_reply]",
        ),
        ("a number", exit(0, "1"), "none [malformed_reply]"),
        ("truth", exit(0, "true"), "none [malformed_reply]"),
        ("null", exit(0, "null"), "none [malformed_reply]"),
        (
            "a strict list",
            exit(0, "[]").strict(),
            "fail malformed reply: an object is expected, but it is a list [malformed_reply]",
        ),
    ]);
}

/// OUT-3: a stop wins over the decision; its reason is `stopReason`, else `reason`, else a
/// sentence.
#[test]
fn a_stop_has_a_reason() {
    check(&[
        (
            "its own",
            exit(0, r#"{"continue":false,"stopReason":"end","reason":"r"}"#),
            "stop end []",
        ),
        (
            "the reason",
            exit(0, r#"{"continue":false,"reason":"r","decision":"allow"}"#),
            "stop r []",
        ),
        (
            "none",
            exit(0, r#"{"continue":false,"stopReason":" "}"#),
            "stop Stopped by hook \"guard\" []",
        ),
        (
            "going on is nothing",
            exit(0, r#"{"continue":true,"stopReason":"end"}"#),
            "silent []",
        ),
    ]);
}

/// OUT-4, OUT-5: decisions are read in any case, with their aliases; others are malformed.
#[test]
fn decisions_have_aliases() {
    let decides = |word: &str| exit(0, &format!(r#"{{"decision":"{word}","reason":"r"}}"#));
    check(&[
        ("allow", decides("allow"), "allow []"),
        ("Approve", decides("Approve"), "allow []"),
        ("DENY", decides("DENY"), "deny r []"),
        ("block", decides("block"), "deny r []"),
        ("ask", decides("Ask"), "ask r []"),
        ("another word", decides("maybe"), "none [malformed_reply]"),
        ("an empty word", decides(""), "none [malformed_reply]"),
        (
            "no reason",
            exit(0, r#"{"decision":"deny","reason":"  "}"#),
            "deny Blocked by hook \"guard\" []",
        ),
    ]);
}

/// OUT-6: the event's own fields may name their event, and no other one.
#[test]
fn own_fields_name_their_event() {
    let named = |name: &str| {
        let reply =
            r#"{"decision":"deny","reason":"r","hookSpecificOutput":{"hookEventName":"NAME"}}"#;
        exit(0, &reply.replace("NAME", name))
    };
    check(&[
        ("its own", named("BeforeTool"), "deny r []"),
        (
            "another one",
            named("AfterTool"),
            "deny r [malformed_reply]",
        ),
        (
            "in another case",
            named("beforetool"),
            "deny r [malformed_reply]",
        ),
    ]);
    let allow = r#"{"decision":"allow","hookSpecificOutput":{"hookEventName":"AfterTool"}}"#;
    check(&[(
        "it grants nothing",
        exit(0, allow),
        "none [malformed_reply]",
    )]);
}

/// OUT-7: an older spelling is read as the current one, also beside exit code 2.
#[test]
fn older_spellings_are_read() {
    let reply = r#"{"syntheticResponse":{"text":"hi"}}"#;
    for code in [0, 2] {
        let BeforeModelAnswer { response, .. } =
            exit(code, reply).read::<BeforeModel>().answer.unwrap();
        assert_eq!(response.unwrap().text.as_deref(), Some("hi"), "exit {code}");
    }
}

/// IO-23: a reason without a decision has no effect, which is reported.
#[test]
fn a_reason_alone_is_reported() {
    let reported = |reply: &str| {
        let remarks = exit(0, reply).before_tool().remarks;
        let mut fields = remarks.into_iter().filter_map(|remark| match remark {
            Remark::UnknownField(field) => Some(field.field),
            _ => None,
        });
        fields.next()
    };
    for (reply, field) in [
        (r#"{"reason": "no"}"#, Some("reason")),
        (r#"{"decision": null, "reason": "no"}"#, Some("reason")),
        (r#"{"stopReason": "no"}"#, Some("stopReason")),
        (r#"{"decision": "allow", "reason": "ok"}"#, None),
        (r#"{"continue": false, "stopReason": "no"}"#, None),
        (r#"{"continue": false, "reason": "no"}"#, None),
        (r#"{"reason": " "}"#, None),
        ("{}", None),
    ] {
        assert_eq!(reported(reply).as_deref(), field, "{reply}");
    }
}

/// Every way of leaving out, doubling or exchanging one letter of a word.
fn misspelt(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let mut found = Vec::new();
    for at in 0..letters.len() {
        let mut without = letters.clone();
        without.remove(at);
        found.push(without);
        let mut doubled = letters.clone();
        doubled.insert(at, letters[at]);
        found.push(doubled);
        if at > 0 && letters[at] != letters[at - 1] {
            let mut exchanged = letters.clone();
            exchanged.swap(at, at - 1);
            found.push(exchanged);
        }
    }
    found.into_iter().map(String::from_iter).collect()
}

/// IO-23: a refusal under a misspelt key refuses if failures do, and is reported in any case; other
/// words under such a key, and a hook that says that it knows better, are left alone.
#[test]
fn a_misspelt_refusal_refuses_if_failures_do() {
    let keys = misspelt("decision").into_iter().chain([
        "desicion".to_owned(),
        "Desision".to_owned(),
        "dеcision".to_owned(), // with a Cyrillic letter
        "permission_desicion".to_owned(),
    ]);
    for key in keys {
        for word in ["deny", "block", "rejected"] {
            let on_top = exit(0, &format!(r#"{{"{key}":"{word}","reason":"no"}}"#));
            let own = exit(
                0,
                &format!(r#"{{"hookSpecificOutput":{{"{key}":"{word}"}}}}"#),
            );
            for reply in [on_top, own] {
                let lenient = reply.before_tool();
                assert_eq!(verdict(&lenient), "silent []", "{reply:?}");
                assert_eq!(lenient.unknown_fields.len(), 1, "{reply:?}");
                let strict = reply.strict().before_tool();
                assert_eq!(strict.failure.map(|it| it.kind()), Some("malformed_reply"));
                let ruling = strict.answer.map(|it| it.ruling);
                assert!(
                    matches!(ruling, Some(Ruling::Deny(..))),
                    "{key}: {ruling:?}"
                );
            }
        }
        let allows = exit(0, &format!(r#"{{"{key}":"allow"}}"#)).strict();
        assert_eq!(verdict(&allows.before_tool()), "silent []", "{key}");
    }
    for reply in [
        r#"{"hookSpecificOuput":{"permissionDecision":"deny"}}"#,
        r#"{"hook_specific_outptu":{"desicion":"block"}}"#,
        r#"{"desicion":{"behavior":"deny"}}"#,
        r#"{"Decision":["deny"]}"#,
        r#"{"contine":false}"#,
        r#"{"blok":true}"#,
        r#"{"alowed":false}"#,
    ] {
        let strict = exit(0, reply).strict().before_tool();
        let ruling = strict.answer.map(|it| it.ruling);
        assert!(
            matches!(ruling, Some(Ruling::Deny(..))),
            "{reply}: {ruling:?}"
        );
    }
    let after = exit(0, r#"{"hookSpecificOutput":{"desicion":"deny"}}"#).strict();
    assert!(after.read::<AfterTool>().failure.is_none(), "data (AT-5)");
}
