//! Keys stay secret, and go to the configured server only.

use super::*;
use crate::http::Proxies;
use crate::test_support::asking;

/// MO-1: neither options nor errors show a key, even if the server repeats it.
#[tokio::test]
async fn keys_are_never_shown() {
    let server = ModelServer::start([
        Reply::json(
            "401 Unauthorized",
            &format!("{{\"error\":\"key {KEY} is wrong\"}}"),
        ),
        Reply::events(&[&format!("{} {KEY}", "x".repeat(480))]),
    ]);
    let options = gemini_options(&server);
    assert!(!format!("{options:?}").contains(KEY));
    let (client, _) = gemini(&server);
    let error = http_error(stream(&client, &asking("hi").await).await.1);
    assert_eq!(
        error.problem.to_string(),
        "401: the API key wasn't accepted: key [key] is wrong"
    );
    // Cutting the message must not leave part of the key.
    let error = http_error(stream(&client, &asking("hi").await).await.1);
    let shown = format!("{error} {error:?}");
    assert!(!shown.contains("test-"), "{shown}");
}

/// MO-2: a password in an address isn't shown either, nor that of a proxy.
#[tokio::test]
async fn passwords_in_addresses_are_never_shown() {
    let server = ModelServer::start([Reply::json("400 Bad Request", "{}")]);
    let address = server.url().replace("//", "//me:hush@") + "/v1?token=hush";
    let mut options = OpenAiOptions::new(address);
    options.transport.proxies = Proxies {
        https: Some("http://me:hush@localhost:1".to_owned()),
        ..Proxies::default()
    };
    assert!(!format!("{:?}", options.transport).contains("hush"));
    let client = OpenAiClient::new(options).unwrap();
    let error = http_error(stream(&client, &asking("hi").await).await.1);
    assert_eq!(error.server, server.url() + "/v1");
    assert!(!format!("{error} {error:?}").contains("hush"));
}

/// MO-1: a redirect isn't followed, since the key would be sent along.
#[tokio::test]
async fn redirects_are_not_followed() {
    let other = ModelServer::start([gemini_reply()]);
    let server = ModelServer::start([Reply::whole("302 Found", &[("location", &other.url())], "")]);
    let (client, _) = gemini(&server);
    let problem = problem(stream(&client, &asking("hi").await).await.1);
    let message = format!(
        "the server has moved to {}; set the base URL to its new address",
        other.url()
    );
    assert_eq!(
        problem,
        HttpProblem::Refused {
            status: 302,
            message
        }
    );
    assert!(other.requests().is_empty());
}

/// MO-4: unusable settings are reported when the client is built, without secrets.
#[test]
fn unusable_settings_are_reported_early() {
    let cases = [
        ("ftp://host/", "key", "\"ftp\" is neither http nor https"),
        ("host", "hush", "relative URL without a base"),
        (
            "http://host",
            "hu\u{1}sh",
            "the API key contains characters that aren't allowed in a header",
        ),
    ];
    for (base_url, key, expected) in cases {
        let options = GeminiOptions {
            base_url: base_url.to_owned(),
            ..GeminiOptions::new(ApiKey::new(key))
        };
        let error = GeminiClient::new(options).err().unwrap();
        assert_eq!(error.problem, HttpProblem::Settings(expected.to_owned()));
        assert_eq!(error.attempts, 0);
        assert!(!error.to_string().contains("hu\u{1}sh"));
    }
}

/// MO-2: a proxy is used for the hosts that aren't excepted.
#[tokio::test]
async fn proxies_are_used() {
    let done = r#"{"choices":[{"message":{"content":"Hello"}}]}"#;
    for (none_for, through_proxy) in [(None, 1), (Some("other, model.test"), 0)] {
        let proxy = ModelServer::start([Reply::json("200 OK", done)]);
        let mut options = OpenAiOptions::new("http://model.test:9/v1");
        options.transport.attempts = 1;
        options.transport.connect_timeout = Duration::from_millis(100);
        options.transport.proxies = Proxies {
            http: Some(proxy.url()),
            none_for: none_for.map(str::to_owned),
            ..Proxies::default()
        };
        let client = OpenAiClient::new(options).unwrap();
        let request = asking("hi").await;
        let answer = client.generate(&request, CancellationToken::new()).await;
        assert_eq!(answer.is_ok(), through_proxy == 1, "{answer:?}");
        assert_eq!(proxy.requests().len(), through_proxy);
    }
}

/// MO-2: `localhost` is the loopback interface, whatever resolvers say.
#[tokio::test]
async fn localhost_needs_no_resolver() {
    let server = ModelServer::start([Reply::events(&[
        r#"{"choices":[{"delta":{"content":"Hello"},"finish_reason":"stop"}]}"#,
        "[DONE]",
    ])]);
    let options = OpenAiOptions::new(format!("http://localhost:{}/v1/", server.port()));
    let client = OpenAiClient::new(options).unwrap();
    let (chunks, error) = stream(&client, &asking("hi").await).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(texts(&chunks).concat(), "Hello");
    assert_eq!(server.requests()[0].line, "POST /v1/chat/completions");
}
