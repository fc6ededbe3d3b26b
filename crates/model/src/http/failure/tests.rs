use super::*;

/// MO-1: `Retry-After` is seconds or a date; a date in the past is now.
#[test]
fn retry_after_is_seconds_or_a_date() {
    let now: Timestamp = "2026-01-05T10:00:00Z".parse().unwrap();
    let cases = [
        ("12", Some(Duration::from_secs(12))),
        (" 0.5 ", Some(Duration::from_millis(500))),
        (
            "Mon, 05 Jan 2026 10:00:30 GMT",
            Some(Duration::from_secs(30)),
        ),
        ("Mon, 05 Jan 2026 09:00:00 GMT", Some(Duration::ZERO)),
        ("-3", None),
        ("soon", None),
        ("inf", None),
    ];
    for (header, expected) in cases {
        assert_eq!(retry_after(header, now), expected, "{header}");
    }
}

/// MO-1, MO-2: the message is found in every form that servers use.
#[test]
fn messages_are_found() {
    let cases = [
        (r#"{"error":{"message":"m","code":400}}"#, "m"),
        (r#"[{"error":{"message":"m"}}]"#, "m"),
        (r#"{"error":"m"}"#, "m"),
        (r#"{"object":"error","message":"m"}"#, "m"),
        (r#"{"detail":"m"}"#, "m"),
        (r#"{"code":7}"#, r#"{"code":7}"#),
        ("  m \n n ", "m n"),
        ("", "the server gives no reason"),
    ];
    for (body, message) in cases {
        assert_eq!(Report::read(body.as_bytes()).message, message, "{body}");
    }
}

/// MO-1: only a duration that can be waited for counts.
#[test]
fn durations_are_read() {
    assert_eq!(
        protobuf_duration("13.25s"),
        Some(Duration::from_millis(13_250))
    );
    for text in ["13", "s", "-1s", "NaNs", "1e99s"] {
        assert_eq!(protobuf_duration(text), None, "{text}");
    }
}
