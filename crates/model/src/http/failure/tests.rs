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

fn answer_of<'a>(status: u16, body: &'a str, origins: &'a ModelOrigins) -> ErrorAnswer<'a> {
    ErrorAnswer {
        status,
        retry_after_ms: None,
        retry_after: None,
        body: body.as_bytes(),
        model: "no-such-1",
        origins,
        hint: "",
    }
}

/// MO-1, MO-2: whatever a service answers to a model that it doesn't have, the message contains the
/// name, and where it comes from; another refusal isn't taken for that.
#[test]
fn an_unknown_model_is_named() {
    let origins = ModelOrigins::new(|name| Some(format!("somebody wrote {name}")));
    let unknown = [
        // Gemini's API, OpenAI's two, Anthropic's, Ollama, vLLM, OpenRouter, LiteLLM
        (
            404,
            r#"{"error":{"code":404,"message":"models/no-such-1 is not found for API version v1beta","status":"NOT_FOUND"}}"#,
        ),
        (
            400,
            r#"{"error":{"code":400,"message":"* GenerateContentRequest.model: unexpected model name format: no-such-1","status":"INVALID_ARGUMENT"}}"#,
        ),
        (
            404,
            r#"{"error":{"message":"The model `no-such-1` does not exist","type":"invalid_request_error","code":"model_not_found"}}"#,
        ),
        (
            400,
            r#"{"error":{"message":"The requested model 'no-such-1' does not exist.","type":"invalid_request_error","param":"model","code":"model_not_found"}}"#,
        ),
        (
            403,
            r#"{"error":{"message":"Project `p` does not have access to it","code":"model_not_found"}}"#,
        ),
        (
            404,
            r#"{"type":"error","error":{"type":"not_found_error","message":"model: no-such-1"}}"#,
        ),
        (
            404,
            r#"{"error":"model \"no-such-1\" not found, try pulling it first"}"#,
        ),
        (
            400,
            r#"{"error":{"message":"no-such-1 is not a valid model ID","code":400}}"#,
        ),
        (
            400,
            r#"{"error":{"message":"Invalid model name passed in model=no-such-1"}}"#,
        ),
    ];
    for (status, body) in unknown {
        let failure = Failure::from_answer(&answer_of(status, body, &origins));
        let told = failure.problem.to_string();
        let question = "(is the model's name \"no-such-1\" right? somebody wrote no-such-1)";
        assert!(told.starts_with(&format!("{status}: ")), "{told}");
        assert!(told.ends_with(question), "{told}");
        assert_eq!(failure.retry, Retry::Never);
    }
    let others = [
        (
            400,
            r#"{"error":{"message":"max_tokens is too large for the model no-such-1"}}"#,
        ),
        (403, r#"{"error":{"message":"not allowed"}}"#),
        (
            500,
            r#"{"error":{"message":"the model no-such-1 was not found in the cache"}}"#,
        ),
    ];
    for (status, body) in others {
        let failure = Failure::from_answer(&answer_of(status, body, &origins));
        let told = failure.problem.to_string();
        assert!(!told.contains("somebody wrote"), "{told}");
    }
}
