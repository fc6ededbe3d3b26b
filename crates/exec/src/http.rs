//! The executor for services: posts the payload, and reads the response as the reply (HT-15).

use std::collections::HashMap;
use std::error::Error;
use std::io::Read;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use hookloop_engine::{Captured, Completion, Ending, Invocation};
use hookloop_hook::{HttpRequest, Layer};
use hookloop_text::causes;
use hookloop_tls::{Way, client_config};
use reqwest::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName,
    HeaderValue, LOCATION, TRANSFER_ENCODING,
};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, Url};
use serde_json::Value;

/// How long the connection itself may take.
const CONNECT: Duration = Duration::from_secs(10);

/// How long to wait for the text beside a status that isn't an answer.
const WORDS: Duration = Duration::from_secs(1);

/// How long an unused connection is kept.
const IDLE_TIMEOUT: Duration = Duration::from_secs(90);

/// The header with which a service recognises a run that it was already asked about.
const RUN: &str = "idempotency-key";

/// What is reported about a guard whose service sends an empty answer: a service that looked and
/// one whose answer got lost can't be told apart.
const EMPTY: &str = "its service answered with an empty body, which counts as no opinion; a \
                     service that looked answers `{}`, or with the status 204";

/// Headers that belong to the protocol, or to us.
const OURS: &[&str] = &[
    "connection",
    "content-length",
    "host",
    RUN,
    "transfer-encoding",
    "upgrade",
];

/// The clients of services; connections are kept for all hooks.
#[derive(Debug, Default)]
pub(crate) struct Services(Mutex<HashMap<Route, Result<Client, String>>>);

/// How services are reached, and how long the connection itself may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Route {
    is_encrypted: bool,
    connect: Duration,
}

impl Route {
    /// A service that isn't connected when the hook's time is nearly over won't be asked any more:
    /// nothing has looked (IO-21).
    fn to(url: &Url, timeout: Duration) -> Self {
        Self {
            is_encrypted: url.scheme() == "https",
            connect: CONNECT.min(timeout.mul_f64(0.9)),
        }
    }
}

/// Returns the value of a variable that a hook may see.
type Variables<'v> = dyn Fn(&str) -> Option<String> + Send + Sync + 'v;

/// What was received of an answer so far: it counts even if the run is stopped before its end.
#[derive(Debug, Default)]
struct Received {
    /// Why the status isn't an answer, once it is known (IO-21).
    no_answer: Option<String>,
    /// Whether the status itself says that there is no content.
    is_without_content: bool,
    encoding: Encoding,
    body: Captured,
}

/// How a body is compressed, although nobody requested it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Encoding {
    /// Not at all.
    #[default]
    Plain,
    Gzip,
    Deflate,
    /// In a way that isn't understood.
    Other(String),
}

impl Services {
    /// Asks the service of a hook, until it has answered or the run is stopped.
    pub(crate) async fn ask(
        &self,
        request: &HttpRequest,
        run: &Invocation,
        allowed: &[String],
        variable: &Variables<'_>,
    ) -> Completion {
        let started = Instant::now();
        let cap = run.max_output_bytes;
        let received = Mutex::new(Received::default());
        let broken_off = match self.prepare_request(request, run, allowed, variable) {
            Ok(prepared) => tokio::select! {
                biased;
                () = run.stop.stopped() => Some(Ending::Stopped),
                broken_off = send(prepared, cap, &received) => broken_off,
            },
            Err(why) => Some(Ending::NotStarted(why)),
        };
        let received = received
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let is_without_content = received.is_without_content;
        let (ending, stdout) = received.read(broken_off, cap);
        let says_nothing = ending == Ending::Exited(0) && stdout.bytes.trim_ascii().is_empty();
        let unsaid = says_nothing && !is_without_content;
        Completion {
            stdout,
            duration: started.elapsed(),
            remarks_on_guards: unsaid.then(|| EMPTY.to_owned()).into_iter().collect(),
            ..Completion::ended(ending)
        }
    }

    /// Prepares a request; nothing is sent yet.
    fn prepare_request(
        &self,
        request: &HttpRequest,
        run: &Invocation,
        allowed: &[String],
        variable: &Variables<'_>,
    ) -> Result<reqwest::RequestBuilder, String> {
        let url = Url::parse(&request.url)
            .map_err(|error| format!("the address can't be read: {error}"))?;
        let is_own = matches!(run.hook.source.layer, Some(Layer::User | Layer::System));
        if !is_own && !allowed.iter().any(|it| is_below(it, &url)) {
            return Err(format!(
                "{} isn't one of the addresses in \"hooksConfig.http.allowed\" of the user's or \
                 the \
                 system's settings; hooks of projects and extensions may reach only those",
                redacted_url(&url)
            ));
        }
        let headers = headers(request, variable)?;
        let client = self.client(Route::to(&url, run.hook.timeout))?;
        Ok(client
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT_ENCODING, "identity")
            .header(RUN, run.run_id.as_str())
            .headers(headers)
            .body(run.input.text().into_owned()))
    }

    fn client(&self, route: Route) -> Result<Client, String> {
        // A client is inserted whole or not at all, so a poisoned lock guards nothing broken.
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        clients
            .entry(route)
            .or_insert_with(|| client(route))
            .clone()
    }
}

fn client(route: Route) -> Result<Client, String> {
    let way = if route.is_encrypted {
        Way::Encrypted
    } else {
        Way::Plain
    };
    Client::builder()
        .tls_backend_preconfigured(client_config(way)?)
        .connect_timeout(route.connect)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .user_agent(concat!("hookloop/", env!("CARGO_PKG_VERSION")))
        // A redirect would send the payload elsewhere.
        .redirect(Policy::none())
        .referer(false)
        // Proxy variables of the environment are ignored.
        .no_proxy()
        .build()
        .map_err(|error| causes(&error))
}

/// Explains why there is no answer. If there was no connection, only the innermost cause is of
/// interest; those around it name parts of the client.
fn unanswered(error: &reqwest::Error) -> String {
    if !error.is_connect() {
        return causes(error);
    }
    let mut cause: &dyn Error = error;
    while let Some(below) = cause.source() {
        cause = below;
    }
    format!("the service can't be reached: {cause}")
}

/// Sends a request, and reads the answer. Returns why that broke off, if it did.
async fn send(
    request: reqwest::RequestBuilder,
    cap: usize,
    received: &Mutex<Received>,
) -> Option<Ending> {
    let response = match request.send().await {
        Ok(response) => response,
        // The service wasn't reached, or sent no valid response, not even a status: nothing has
        // looked at the payload (IO-21).
        Err(error) => return Some(Ending::NotStarted(unanswered(&error.without_url()))),
    };
    let no_answer = no_answer(&response);
    let is_answer = no_answer.is_none();
    {
        let mut received = open(received);
        received.encoding = Encoding::of(&response);
        received.is_without_content = response.status() == StatusCode::NO_CONTENT;
        received.no_answer = no_answer;
    }
    let body = body(response, cap, received);
    let broken_off = if is_answer {
        body.await
    } else {
        // The status has decided already, so the body, which may give a reason, gets little time.
        tokio::time::timeout(WORDS, body).await.ok().flatten()
    };
    broken_off.map(|why| Ending::Failed(format!("the answer was cut off: {why}")))
}

/// Returns why the status of a response isn't an answer, if it isn't one (IO-21).
fn no_answer(response: &Response) -> Option<String> {
    let status = response.status();
    if status.is_redirection() {
        let elsewhere = response.headers().get(LOCATION);
        let elsewhere = elsewhere.map(|it| String::from_utf8_lossy(it.as_bytes()).into_owned());
        return Some(format!(
            "the service answered {status}, a redirect ({}); redirects aren't followed",
            elsewhere.as_deref().unwrap_or("without a destination")
        ));
    }
    if status == StatusCode::NO_CONTENT && announces_body(response) {
        return Some(format!(
            "the service answered {status} with a body, which can't be read with that status; an \
             answer with a body has the status 200"
        ));
    }
    (!status.is_success()).then(|| format!("the service answered {status}"))
}

/// Returns whether a response says that a body follows.
fn announces_body(response: &Response) -> bool {
    let headers = response.headers();
    let length = headers.get(CONTENT_LENGTH).map(HeaderValue::to_str);
    let is_empty = |it: Result<&str, _>| it.is_ok_and(|it| it.trim().parse() == Ok(0_u64));
    length.is_some_and(|it| !is_empty(it)) || headers.contains_key(TRANSFER_ENCODING)
}

impl Encoding {
    fn of(response: &Response) -> Self {
        let named = response.headers().get(CONTENT_ENCODING);
        let named = named.map(|it| String::from_utf8_lossy(it.as_bytes()).to_ascii_lowercase());
        match named.as_deref().map(str::trim) {
            None | Some("" | "identity") => Self::Plain,
            Some("gzip" | "x-gzip") => Self::Gzip,
            Some("deflate") => Self::Deflate,
            Some(other) => Self::Other(other.to_owned()),
        }
    }
}

impl Received {
    /// Reads what was received: how the run ended, and what was said. A status that isn't an answer
    /// stays that, whatever came after it.
    fn read(self, broken_off: Option<Ending>, cap: usize) -> (Ending, Captured) {
        let packed = match &self.encoding {
            Encoding::Plain => None,
            Encoding::Gzip => Some(unpacked(MultiGzDecoder::new(&*self.body.bytes), cap)),
            Encoding::Deflate => Some(inflate(&self.body.bytes, cap)),
            // The body may not be compressed at all, whatever its header says: a refusal in it must
            // be read.
            Encoding::Other(_) if is_text(&self.body.bytes) => None,
            Encoding::Other(_) => Some((Captured::default(), None)),
        };
        let (mut body, wrong) = packed.unwrap_or_else(|| (self.body.clone(), None));
        if wrong.is_some() && body.bytes.is_empty() {
            // The body may not be compressed at all, whatever its header says: a refusal in it must
            // be read.
            body = self.body.clone();
        }
        if self.body.is_cut() {
            body.total = body.total.max(body.bytes.len() as u64 + 1);
        }
        let ending = match (self.no_answer, broken_off, self.encoding) {
            (Some(why), _, _) => Ending::NotStarted(why),
            (None, Some(ending), _) => ending,
            // A body that can't be decoded may contain a refusal (IO-21).
            (None, None, Encoding::Other(name)) if !self.body.bytes.is_empty() => {
                Ending::NotStarted(format!(
                    "the service answered in the encoding {name:?}, which wasn't requested and \
                     isn't supported"
                ))
            }
            (None, None, _) => match wrong {
                Some(why) if !body.is_cut() => {
                    Ending::Failed(format!("the answer can't be decompressed: {why}"))
                }
                _ if body.is_cut() || is_reply(&body.bytes) => Ending::Exited(0),
                _ => Ending::Failed("the service's answer isn't a JSON object".to_owned()),
            },
        };
        (ending, body)
    }
}

/// Unpacks what is declared as deflated, which many services send without its frame.
fn inflate(packed: &[u8], cap: usize) -> (Captured, Option<String>) {
    let framed = unpacked(ZlibDecoder::new(packed), cap);
    if framed.1.is_none() || !framed.0.bytes.is_empty() {
        return framed;
    }
    let bare = unpacked(DeflateDecoder::new(packed), cap);
    // A truncated reply still counts as one: it may refuse.
    if bare.1.is_none() || bare.0.bytes.trim_ascii_start().starts_with(b"{") {
        return bare;
    }
    framed
}

/// Unpacks a body up to a cap, as far as that is possible, and returns what was wrong with it.
fn unpacked(mut packed: impl Read, cap: usize) -> (Captured, Option<String>) {
    let mut bytes = Vec::new();
    let mut piece = [0; 8 * 1024];
    while bytes.len() <= cap {
        match packed.read(&mut piece) {
            Ok(0) => return (uncut(bytes), None),
            Ok(length) => bytes.extend_from_slice(&piece[..length]),
            Err(error) => return (uncut(bytes), Some(error.to_string())),
        }
    }
    let total = bytes.len() as u64;
    bytes.truncate(cap);
    (Captured { bytes, total }, None)
}

fn uncut(bytes: Vec<u8>) -> Captured {
    let total = bytes.len() as u64;
    Captured { bytes, total }
}

/// Returns whether a body is text; the cap may have cut its last character.
fn is_text(body: &[u8]) -> bool {
    std::str::from_utf8(body).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// Returns whether a body is a reply: an object, or nothing at all.
fn is_reply(body: &[u8]) -> bool {
    body.trim_ascii().is_empty()
        || serde_json::from_slice(body).is_ok_and(|it: Value| it.is_object())
}

/// Reads a body up to a cap, and returns why it broke off, if it did.
async fn body(mut response: Response, cap: usize, received: &Mutex<Received>) -> Option<String> {
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => {
                let body = &mut open(received).body;
                body.total += chunk.len() as u64;
                let room = cap.saturating_sub(body.bytes.len());
                body.bytes.extend(chunk.iter().take(room));
                if body.is_cut() {
                    return None;
                }
            }
            Ok(None) => return None,
            Err(error) => return Some(causes(&error.without_url())),
        }
    }
}

fn open(received: &Mutex<Received>) -> MutexGuard<'_, Received> {
    // Its content is always complete, so a poisoned lock guards nothing broken.
    received.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Assembles the headers: `$VAR` and `${VAR}` mean variables that the hook may use.
fn headers(request: &HttpRequest, variable: &Variables<'_>) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    for (name, text) in &request.headers {
        let header = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| format!("the header {name:?} can't be sent"))?;
        if OURS.contains(&header.as_str()) {
            return Err(format!("the header {name:?} belongs to the protocol"));
        }
        let text = expand_variables(text, |wanted| {
            if !request.allowed_env.iter().any(|it| it == wanted) {
                return Err(format!(
                    "the header {name:?} uses ${wanted}, which \"allowedEnv\" doesn't name"
                ));
            }
            variable(wanted).ok_or_else(|| {
                format!("the header {name:?} needs ${wanted}, which isn't set or is withheld")
            })
        })?;
        let mut value = HeaderValue::from_str(&text)
            .map_err(|_| format!("the header {name:?} can't be sent with its value"))?;
        value.set_sensitive(true);
        headers.insert(header, value);
    }
    Ok(headers)
}

/// Returns which header of a hook can't be sent, and why. `variable` looks variables up (HT-15).
pub fn unsendable_header(
    request: &HttpRequest,
    variable: &(dyn Fn(&str) -> Option<String> + Send + Sync),
) -> Option<String> {
    headers(request, variable).err()
}

/// Inserts the values of variables into a text; `$` before anything else stays.
fn expand_variables(
    text: &str,
    mut value: impl FnMut(&str) -> Result<String, String>,
) -> Result<String, String> {
    let is_inside = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let mut expanded = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        expanded.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        let braced = behind
            .strip_prefix('{')
            .and_then(|it| it.split_once('}'))
            .filter(|(name, _)| !name.is_empty() && name.chars().all(is_inside));
        let end = behind.find(|it| !is_inside(it)).unwrap_or(behind.len());
        if let Some((name, after)) = braced {
            expanded.push_str(&value(name)?);
            rest = after;
        } else if end > 0 && !behind.starts_with(|it: char| it.is_ascii_digit()) {
            expanded.push_str(&value(&behind[..end])?);
            rest = &behind[end..];
        } else {
            expanded.push('$');
            rest = behind;
        }
    }
    expanded.push_str(rest);
    Ok(expanded)
}

/// Returns whether `hooksConfig.http.allowed` lets hooks of projects and extensions reach an
/// address (HT-15). An address that can't be parsed isn't allowed.
pub fn is_allowed(allowed: &[String], address: &str) -> bool {
    Url::parse(address).is_ok_and(|url| allowed.iter().any(|it| is_below(it, &url)))
}

/// Returns whether an address is of an origin, or is below another one: the path as a whole, or up
/// to one of its slashes.
fn is_below(allowed: &str, url: &Url) -> bool {
    let Ok(allowed) = Url::parse(allowed) else {
        return false;
    };
    let same_origin = allowed.scheme() == url.scheme()
        && allowed.host_str().is_some()
        && allowed.host() == url.host()
        && allowed.port_or_known_default() == url.port_or_known_default();
    // A user name or a password in an address are credentials, which weren't allowed.
    let names_nobody = url.username().is_empty() && url.password().is_none();
    let folder = allowed.path().trim_end_matches('/');
    let is_inside = url
        .path()
        .strip_prefix(folder)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') && is_contained(rest));
    same_origin && names_nobody && (folder.is_empty() || is_inside)
}

/// Returns whether a path never goes up, however a service reads it: some read `%2f` and `%5c` as
/// separators, some decode escapes twice, and some leave out what follows `;`.
fn is_contained(path: &str) -> bool {
    let mut plain = path.to_owned();
    // Terminates, because each round removes at least one character.
    while let Some(next) = unescaped(&plain) {
        plain = next;
    }
    plain.split(['/', '\\']).all(|part| {
        let name = part.split(';').next().unwrap_or_default();
        let name = name.trim_matches(|sign: char| sign.is_whitespace() || sign.is_control());
        name != ".." && name != "."
    })
}

/// Decodes the escapes of a path once; nothing if there are none.
fn unescaped(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, behind @ ..] = rest {
        let escaped = match rest {
            [b'%', high, low, ..] => hex(*high).zip(hex(*low)).map(|(high, low)| high << 4 | low),
            _ => None,
        };
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() {
            &rest[3..]
        } else {
            behind
        };
    }
    (bytes.len() < path.len()).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

fn hex(sign: u8) -> Option<u8> {
    let digit = char::from(sign).to_digit(16)?;
    u8::try_from(digit).ok()
}

/// Returns an address without name, password and query, to be shown.
fn redacted_url(url: &Url) -> String {
    let host = url.host_str().unwrap_or("");
    let port = url.port().map(|it| format!(":{it}")).unwrap_or_default();
    format!("{}://{host}{port}{}", url.scheme(), url.path())
}

#[cfg(test)]
mod tests {
    use super::{expand_variables, is_allowed};

    /// HT-15: an allowed address is an origin or the beginning of a path, up to a slash.
    #[test]
    fn allowed_addresses_keep_their_borders() {
        let allowed = |list: &[&str], address: &str| {
            let list: Vec<String> = list.iter().map(|it| (*it).to_owned()).collect();
            is_allowed(&list, address)
        };
        let origin = &["https://hooks.example:8443"];
        assert!(allowed(origin, "https://hooks.example:8443/any?x=1"));
        assert!(allowed(
            &["https://hooks.example"],
            "https://HOOKS.example:443/"
        ));
        assert!(!allowed(origin, "https://hooks.example/any"));
        assert!(!allowed(origin, "http://hooks.example:8443/any"));
        assert!(!allowed(origin, "https://hooks.example:8443@evil.example/"));
        assert!(!allowed(origin, "https://a:b@hooks.example:8443/"));
        assert!(!allowed(
            &["https://hooks.example"],
            "https://hooks.example.evil/"
        ));
        let path = &["https://hooks.example/team"];
        assert!(allowed(path, "https://hooks.example/team"));
        assert!(allowed(path, "https://hooks.example/team/check"));
        assert!(!allowed(path, "https://hooks.example/teams"));
        assert!(!allowed(path, "https://hooks.example/team/../other"));
        for escape in [
            "%2e%2e/other",
            "..%2fother",
            "%2e%2e%2fother",
            "a/..%5c..%5cother",
            "..%252f..%252fother",
            "..;/other",
            "..;a=b/other",
            "%2e%2e%3b/other",
            "..%00/../../other",
        ] {
            let address = format!("https://hooks.example/team/{escape}");
            assert!(!allowed(path, &address), "{address}");
        }
        assert!(allowed(
            path,
            "https://hooks.example/team/a%20b;v=1/..c/%C3%A9"
        ));
        assert!(allowed(origin, "https://hooks.example:8443/a%2fb"));
        assert!(!allowed(&[], "https://hooks.example/"));
        assert!(!allowed(&["hooks.example", ""], "https://hooks.example/"));
    }

    /// HT-15: variables are replaced in headers in either spelling.
    #[test]
    fn variables_are_put_in() {
        let known = |name: &str| match name {
            "T" => Ok("v".to_owned()),
            other => Err(other.to_owned()),
        };
        assert_eq!(
            expand_variables("Bearer $T", known).as_deref(),
            Ok("Bearer v")
        );
        assert_eq!(expand_variables("a${T}b$T-", known).as_deref(), Ok("avbv-"));
        assert_eq!(
            expand_variables("5$ $1 ${}", known).as_deref(),
            Ok("5$ $1 ${}")
        );
        assert_eq!(expand_variables("$TX", known), Err("TX".to_owned()));
    }
}
