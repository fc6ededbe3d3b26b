//! A person logs in at a server over HTTP (TO-3, TR-11).

use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hookloop_mcp::{McpState, McpTokens, authorise, forget};
use hookloop_settings::{Keyring, KeyringError, SecretName};
use hookloop_testkit::model_server::{ModelServer, ReceivedRequest, Reply};
use reqwest::Url;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::scene::Stage;

/// A keyring that forgets everything in the end.
#[derive(Debug, Default)]
struct Memory(Mutex<HashMap<SecretName, String>>);

impl Keyring for Memory {
    fn read(&self, name: &SecretName) -> Result<Option<String>, KeyringError> {
        Ok(self.0.lock().expect("a lock").get(name).cloned())
    }

    fn write(&self, name: &SecretName, secret: &str) -> Result<(), KeyringError> {
        let mut secrets = self.0.lock().expect("a lock");
        secrets.insert(name.clone(), secret.to_owned());
        Ok(())
    }

    fn remove(&self, name: &SecretName) -> Result<(), KeyringError> {
        self.0.lock().expect("a lock").remove(name);
        Ok(())
    }
}

/// What an authorisation server remembers.
#[derive(Default)]
struct Memo {
    challenge: String,
    tokens_given: usize,
    /// Tokens up to this one aren't accepted any more.
    withheld_content: usize,
    /// The declared issuer of tokens.
    authority: String,
}

/// An authorisation server whose tokens last this long; `token-N` is the Nth that it issued.
fn authority(seconds: u64, memo: &Arc<Mutex<Memo>>) -> ModelServer {
    let memo = Arc::clone(memo);
    ModelServer::answering(move |request: &ReceivedRequest| {
        let issuer = format!("http://{}", request.header("host").unwrap_or_default());
        let (_, path) = request.line.split_once(' ').expect("a path");
        match path {
            "/.well-known/oauth-authorization-server" => {
                let metadata = json!({
                    "issuer": issuer,
                    "authorization_endpoint": format!("{issuer}/authorize"),
                    "token_endpoint": format!("{issuer}/token"),
                    "registration_endpoint": format!("{issuer}/register"),
                    "response_types_supported": ["code"],
                    "code_challenge_methods_supported": ["S256"],
                });
                Reply::json("200 OK", &metadata.to_string())
            }
            "/register" => {
                let asked = request.json();
                let client = json!({"client_id": "us", "redirect_uris": asked["redirect_uris"]});
                Reply::json("201 Created", &client.to_string())
            }
            "/token" => token(&form(&request.body), seconds, &memo),
            _ => Reply::whole("404 Not Found", &[], ""),
        }
    })
}

fn form(body: &[u8]) -> HashMap<String, String> {
    let text = String::from_utf8_lossy(body);
    let url = Url::parse(&format!("http://form/?{text}")).expect("a form");
    url.query_pairs().into_owned().collect()
}

/// Issues a token for the code with its verifier (PKCE), or for the last refresh token.
fn token(asked: &HashMap<String, String>, seconds: u64, memo: &Mutex<Memo>) -> Reply {
    let mut memo = memo.lock().expect("a lock");
    let text = |name: &str| asked.get(name).map(String::as_str).unwrap_or_default();
    let is_right = match text("grant_type") {
        "authorization_code" => {
            let digest = Sha256::digest(text("code_verifier"));
            let challenge = BASE64_URL_SAFE_NO_PAD.encode(digest);
            text("code") == "the-code" && challenge == memo.challenge
        }
        "refresh_token" => text("refresh_token") == format!("refresh-{}", memo.tokens_given),
        _ => false,
    };
    if !is_right {
        return Reply::json("400 Bad Request", r#"{"error": "invalid_grant"}"#);
    }
    memo.tokens_given += 1;
    let given = memo.tokens_given;
    let token = json!({
        "access_token": format!("token-{given}"), "token_type": "bearer",
        "expires_in": seconds, "refresh_token": format!("refresh-{given}"),
    });
    Reply::json("200 OK", &token.to_string())
}

/// A server with one tool that wants a token of its authority.
fn guarded(memo: &Arc<Mutex<Memo>>) -> ModelServer {
    let memo = Arc::clone(memo);
    ModelServer::answering(move |request: &ReceivedRequest| {
        let host = request.header("host").unwrap_or_default();
        if request.line == "GET /.well-known/oauth-protected-resource/mcp" {
            let servers = [memo.lock().expect("a lock").authority.clone()];
            let resource = format!("http://{host}/mcp");
            let metadata = json!({"resource": resource, "authorization_servers": servers});
            return Reply::json("200 OK", &metadata.to_string());
        }
        if request.line != "POST /mcp" {
            return Reply::whole("404 Not Found", &[], "");
        }
        let key = request.header("authorization").unwrap_or_default();
        let number = key.strip_prefix("Bearer token-").map(str::parse::<usize>);
        let memo = memo.lock().expect("a lock");
        let valid = memo.withheld_content + 1..=memo.tokens_given;
        if !number.is_some_and(|it| it.is_ok_and(|it| valid.contains(&it))) {
            let place = format!("http://{host}/.well-known/oauth-protected-resource/mcp");
            let challenge = format!("Bearer resource_metadata=\"{place}\"");
            let headers = [("www-authenticate", challenge.as_str())];
            return Reply::whole("401 Unauthorized", &headers, "who are you?");
        }
        answer(&request.json())
    })
}

fn answer(message: &Value) -> Reply {
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
            "serverInfo": {"name": "s", "version": "1"},
        }),
        "tools/list" => json!({"tools": [{"name": "look", "inputSchema": {"type": "object"}}]}),
        "tools/call" => json!({"content": [{"type": "text", "text": "seen"}]}),
        _ => return Reply::whole("202 Accepted", &[], ""),
    };
    let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
    Reply::json("200 OK", &answer.to_string())
}

/// All participants.
struct World {
    memo: Arc<Mutex<Memo>>,
    authority: ModelServer,
    server: ModelServer,
    tokens: McpTokens,
    keyring: Arc<Memory>,
}

impl World {
    fn new(seconds: u64) -> Self {
        let memo = Arc::<Mutex<Memo>>::default();
        let authority = authority(seconds, &memo);
        memo.lock().expect("a lock").authority = authority.url();
        let keyring = Arc::<Memory>::default();
        Self {
            server: guarded(&memo),
            tokens: McpTokens::new(Arc::<Memory>::clone(&keyring)),
            memo,
            authority,
            keyring,
        }
    }

    fn stage(&self) -> Stage {
        let configuration = json!({"httpUrl": format!("{}/mcp", self.server.url())});
        Stage::new()
            .server("web", configuration)
            .with_tokens(&self.tokens)
    }

    /// Logs in; the browser opens these addresses, derived from the one to which it was sent.
    async fn log_in(&self, goes_to: fn(&Url) -> Vec<String>) -> Result<(), String> {
        let memo = Arc::clone(&self.memo);
        let browser = move |line: &str| {
            let Some(at) = line.find("http://127.0.0.1") else {
                return;
            };
            let question = Url::parse(&line[at..]).expect("an address");
            assert_eq!(question.path(), "/authorize");
            memo.lock().expect("a lock").challenge = parameter(&question, "code_challenge");
            assert_eq!(parameter(&question, "code_challenge_method"), "S256");
            let places = goes_to(&question);
            std::thread::spawn(move || places.iter().for_each(|it| drop(get(it))));
        };
        let stage = self.stage();
        authorise(&stage.declared[0], &[], &self.tokens, &browser).await
    }

    /// Returns the `authorization` headers that the server got.
    fn keys(&self) -> Vec<String> {
        let requests = self.server.requests().into_iter();
        let keys = requests.filter_map(|it| Some(it.header("authorization")?.to_owned()));
        keys.collect()
    }
}

fn parameter(address: &Url, name: &str) -> String {
    let mut pairs = address.query_pairs();
    let found = pairs.find(|(known, _)| known == name);
    found
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

/// An address to which a browser returns with this.
fn back(question: &Url, more: &str) -> String {
    format!("{}?{more}", parameter(question, "redirect_uri"))
}

fn granted(question: &Url) -> Vec<String> {
    let state = parameter(question, "state");
    vec![back(question, &format!("code=the-code&state={state}"))]
}

fn get(address: &str) -> std::io::Result<String> {
    let address = Url::parse(address).expect("an address");
    let port = address.port().expect("a port");
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    let (path, query) = (address.path(), address.query().unwrap_or_default());
    let target = format!("{path}?{query}");
    stream.write_all(format!("GET {target} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

/// TO-3: a person logs in once; the token is sent if the server demands it, is refreshed when it
/// expires, and lasts for later sessions.
#[tokio::test]
async fn a_person_logs_in() {
    let world = World::new(3600);
    assert_eq!(world.log_in(granted).await, Ok(()));
    for _ in 0..2 {
        let scene = world.stage().ready().await;
        assert_eq!(scene.notices(), Vec::<String>::new());
        let output = scene.call("mcp__web__look", json!({})).await;
        assert_eq!(output.llm_content, "seen");
        scene.servers.close().await;
    }
    assert_eq!(world.memo.lock().expect("a lock").tokens_given, 1);
    assert!(world.keys().iter().all(|it| it == "Bearer token-1"));
    let asked = world.authority.requests();
    let register = asked.iter().find(|it| it.line == "POST /register");
    let register = register.expect("a registration").json();
    assert_eq!(register["token_endpoint_auth_method"], "none");
    let redirect = register["redirect_uris"][0].as_str().expect("an address");
    assert!(redirect.starts_with("http://127.0.0.1:"), "{redirect}");
}

/// TO-3: a token that expires, or that the server revokes, is refreshed.
#[tokio::test]
async fn tokens_are_refreshed() {
    let world = World::new(1);
    assert_eq!(world.log_in(granted).await, Ok(()));
    let scene = world.stage().ready().await;
    assert_eq!(scene.notices(), Vec::<String>::new());
    assert!(world.memo.lock().expect("a lock").tokens_given > 1);
    let output = scene.call("mcp__web__look", json!({})).await;
    assert_eq!(output.llm_content, "seen");
    let world = World::new(3600);
    assert_eq!(world.log_in(granted).await, Ok(()));
    let scene = world.stage().ready().await;
    world.memo.lock().expect("a lock").withheld_content = 1;
    let output = scene.call("mcp__web__look", json!({})).await;
    assert_eq!(output.llm_content, "seen");
    assert_eq!(
        world.keys().last().map(String::as_str),
        Some("Bearer token-2")
    );
}

/// TO-3: without a log-in the server is reported with the remedy, nobody is asked anything, and the
/// other servers continue; the same applies after logging out.
#[tokio::test]
async fn without_a_log_in_the_remedy_is_reported() {
    let world = World::new(3600);
    for round in 0..2 {
        let scene = world.stage().puppet("other", &[]).ready().await;
        scene.assert_told(&[
            "settings.json:1:1",
            "\"web\"",
            "401",
            "hookloop mcp auth web",
        ]);
        assert!(matches!(scene.servers.list()[0].state, McpState::Failed(_)));
        let output = scene.call("mcp__other__echo", json!({"text": "hi"})).await;
        assert_eq!(output.llm_content, "hi");
        if round == 0 {
            assert_eq!(world.authority.requests().len(), 0);
            assert_eq!(world.log_in(granted).await, Ok(()));
            assert_eq!(scene.servers.renew("web").await, Ok(()));
            let output = scene.call("mcp__web__look", json!({})).await;
            assert_eq!(output.llm_content, "seen");
            let stage = world.stage();
            let gone = forget(&stage.declared[0], &[], &world.tokens).await;
            assert_eq!(gone, Ok(()));
            assert!(world.keyring.0.lock().expect("a lock").is_empty());
        }
    }
}

/// TR-11, TO-3: a token belongs to the address that the person agreed to and to its issuer: a
/// server with the same name elsewhere gets none, and none is refreshed at another authority.
#[tokio::test]
async fn tokens_go_nowhere_else() {
    let world = World::new(3600);
    assert_eq!(world.log_in(granted).await, Ok(()));
    let other = guarded(&world.memo);
    let lure = Stage::new()
        .server("web", json!({"httpUrl": format!("{}/mcp", other.url())}))
        .with_tokens(&world.tokens)
        .ready()
        .await;
    lure.assert_told(&["\"web\"", "nobody has logged in"]);
    let requests = other.requests();
    assert!(
        requests
            .iter()
            .all(|it| it.header("authorization").is_none())
    );
    let foreign = World::new(1);
    assert_eq!(foreign.log_in(granted).await, Ok(()));
    let before = foreign.keys().len();
    let stranger = authority(1, &foreign.memo);
    foreign.memo.lock().expect("a lock").authority = stranger.url();
    let scene = foreign.stage().ready().await;
    scene.assert_told(&["\"web\"", "a different service than you agreed to"]);
    assert_eq!(foreign.keys().len(), before, "no token was sent");
    let asked = stranger
        .requests()
        .into_iter()
        .chain(foreign.authority.requests());
    let refreshed = asked.filter(|it| it.line == "POST /token");
    assert_eq!(refreshed.count(), 1, "the one of the log-in");
}

/// TO-3: only the answer to the request counts, whatever else connects; a no is a no.
#[tokio::test]
async fn only_the_right_answer_counts() {
    let world = World::new(3600);
    let knocks = |question: &Url| {
        let other = parameter(question, "redirect_uri").replace("/callback", "/");
        let mut places = vec![
            other,
            back(question, "code=stolen&state=guessed"),
            back(question, "code=stolen"),
            back(question, "error=access_denied&state=guessed"),
        ];
        places.extend(granted(question));
        places
    };
    assert_eq!(world.log_in(knocks).await, Ok(()));
    let world = World::new(3600);
    let denied = |question: &Url| {
        let state = parameter(question, "state");
        vec![back(
            question,
            &format!("error=access_denied&state={state}"),
        )]
    };
    let refused = world.log_in(denied).await.expect_err("nothing");
    assert!(
        refused.contains("nothing was granted: access_denied"),
        "{refused}"
    );
    let wrong = |question: &Url| {
        let state = parameter(question, "state");
        vec![back(question, &format!("code=wrong&state={state}"))]
    };
    assert!(world.log_in(wrong).await.is_err());
    assert!(world.keyring.0.lock().expect("a lock").is_empty());
}

/// TO-3: nobody logs in at a program, at an address that isn't encrypted, or if the settings
/// contain credentials.
#[tokio::test]
async fn some_servers_have_no_log_in() {
    for (configuration, why) in [
        (json!({"command": "x"}), "it is a program"),
        (json!({"httpUrl": "http://example.com/mcp"}), "https"),
        (
            json!({"httpUrl": "https://example.com", "headers": {"Authorization": "Bearer x"}}),
            "already have an Authorization header",
        ),
    ] {
        let stage = Stage::new().server("web", configuration);
        let tokens = McpTokens::new(Arc::<Memory>::default());
        let refused = authorise(&stage.declared[0], &[], &tokens, &|_| {}).await;
        let refused = refused.expect_err("no log-in");
        assert!(refused.contains(why), "{refused}");
    }
}
