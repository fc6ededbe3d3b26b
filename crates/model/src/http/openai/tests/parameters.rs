//! Parameters that servers name differently, or not at all.

use std::sync::{Arc, Mutex};

use hookloop_testkit::model_server::{ModelServer, Reply};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::client::{ClearedRequest, ModelClient};
use crate::content::Content;
use crate::http::tests::{problem, stream, texts};
use crate::http::{OpenAiClient, OpenAiOptions, UnsentObserver};
use crate::http_error::HttpProblem;
use crate::request::{Request, RequestParts};
use crate::test_support::cleared;

const REFUSAL: &str = r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}"#;

const ANSWER: &str = r#"{"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}]}"#;

async fn configured(config: Value) -> ClearedRequest {
    let config: Map<String, Value> = serde_json::from_value(config).unwrap();
    cleared(Request::from(RequestParts {
        model: "gpt".to_owned(),
        contents: vec![Arc::new(Content::user("hi"))],
        config,
        ..RequestParts::default()
    }))
    .await
}

fn client(server: &ModelServer) -> OpenAiClient {
    OpenAiClient::new(OpenAiOptions::new(server.url())).unwrap()
}

fn limits(server: &ModelServer) -> Vec<(Value, Value)> {
    let bodies = server.requests().into_iter().map(|request| {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        (
            body["max_tokens"].clone(),
            body["max_completion_tokens"].clone(),
        )
    });
    bodies.collect()
}

/// MO-2: the response's limit is sent under the name that servers support; one that requires the
/// newer name gets it at once, and from then on.
#[tokio::test]
async fn the_bound_is_named_as_the_server_wants_it() {
    let server = ModelServer::start([
        Reply::json("400 Bad Request", REFUSAL),
        Reply::json("200 OK", ANSWER),
        Reply::json("200 OK", ANSWER),
    ]);
    let client = client(&server);
    let request = configured(json!({"maxOutputTokens": 9})).await;
    let (chunks, error) = stream(&client, &request).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(texts(&chunks), ["Hello", ""]);
    let whole = client.generate(&request, CancellationToken::new()).await;
    assert_eq!(whole.unwrap().visible_text(), "Hello");
    assert_eq!(
        limits(&server),
        [
            (json!(9), Value::Null),
            (Value::Null, json!(9)),
            (Value::Null, json!(9))
        ]
    );
}

/// MO-2: a server that refuses both names is called twice and no more; one that refuses the number,
/// or a request without a limit, once.
#[tokio::test]
async fn a_refusal_stays_one() {
    let too_large = r#"{"error":{"message":"max_tokens is too large: 9"}}"#;
    let newer = r#"{"error":{"message":"max_completion_tokens is unknown"}}"#;
    for (config, replies, asked) in [
        (json!({"maxOutputTokens": 9}), [REFUSAL, newer], 2),
        (json!({"maxOutputTokens": 9}), [too_large, ANSWER], 1),
        (json!({}), [REFUSAL, ANSWER], 1),
    ] {
        let replies = replies.map(|reply| Reply::json("400 Bad Request", reply));
        let server = ModelServer::start(replies);
        let (_, error) = stream(&client(&server), &configured(config).await).await;
        assert!(
            matches!(problem(error), HttpProblem::Refused { status: 400, .. }),
            "{replies:?}",
            replies = server.requests().len()
        );
        assert_eq!(server.requests().len(), asked);
    }
}

/// MO-2: a parameter that the API doesn't support is reported, once.
#[tokio::test]
async fn what_cannot_be_said_is_reported_once() {
    let server = ModelServer::start([(); 3].map(|()| Reply::json("200 OK", ANSWER)));
    let reported = Arc::new(Mutex::new(Vec::new()));
    let notices = Arc::clone(&reported);
    let client = OpenAiClient::new(OpenAiOptions {
        on_unsent: UnsentObserver::new(move |notice| {
            notices.lock().unwrap().push(notice.parameters.clone());
        }),
        ..OpenAiOptions::new(server.url())
    })
    .unwrap();
    for config in [
        json!({"temperature": 0.5, "thinkingConfig": {}}),
        json!({"thinkingConfig": {}, "candidateCount": 2}),
        json!({"candidateCount": 2}),
    ] {
        let (_, error) = stream(&client, &configured(config).await).await;
        assert!(error.is_none(), "{error:?}");
    }
    assert_eq!(
        *reported.lock().unwrap(),
        [["thinkingConfig"], ["candidateCount"]]
    );
}
