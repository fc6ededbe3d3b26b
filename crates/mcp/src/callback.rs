//! The redirect target for the browser: a listener on this machine that accepts one answer (TO-3).

use std::time::Duration;

use reqwest::Url;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// The path of the redirect address.
const PATH: &str = "/callback";

/// How large a request may be, in bytes.
const MAX_BYTES: usize = 16 * 1024;

/// How long a browser may take to send its request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// Waits for a browser.
pub(crate) struct Callback {
    listener: TcpListener,
    /// The redirect address.
    pub(crate) address: String,
}

impl Callback {
    /// Listens on a free port.
    ///
    /// # Errors
    /// There is no free port.
    pub(crate) async fn listen() -> Result<Self, String> {
        let failed = |error| format!("no browser can be redirected to this machine: {error}");
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        Ok(Self {
            listener,
            address: format!("http://127.0.0.1:{port}{PATH}"),
        })
    }

    /// Waits for the answer with this `state`, and returns its whole address. Other requests are
    /// rejected.
    ///
    /// # Errors
    /// Nothing was granted; the text gives the reason.
    pub(crate) async fn answer(&self, state: &str) -> Result<Url, String> {
        loop {
            let Ok((mut stream, _)) = self.listener.accept().await else {
                continue;
            };
            let read = tokio::time::timeout(REQUEST_TIMEOUT, target(&mut stream)).await;
            let address = read
                .ok()
                .flatten()
                .and_then(|it| self.parse_answer(&it, state));
            let (status, text) = match &address {
                None => ("404 Not Found", "There is nothing here."),
                Some(address) if denial(address).is_some() => {
                    ("200 OK", "Nothing was granted. You can close this window.")
                }
                Some(_) => ("200 OK", "Thank you. You can close this window."),
            };
            let head = "content-type: text/plain; charset=utf-8\r\nconnection: close";
            let length = text.len();
            let answer =
                format!("HTTP/1.1 {status}\r\n{head}\r\ncontent-length: {length}\r\n\r\n{text}");
            // Even if the browser has closed the connection, its request counts.
            let answered = async {
                stream.write_all(answer.as_bytes()).await?;
                stream.shutdown().await
            };
            drop(tokio::time::timeout(REQUEST_TIMEOUT, answered).await);
            if let Some(address) = address {
                return match denial(&address) {
                    Some(why) => Err(format!("nothing was granted: {why}")),
                    None => Ok(address),
                };
            }
        }
    }

    /// Reads the answer, if it has this `state`.
    fn parse_answer(&self, target: &str, state: &str) -> Option<Url> {
        let address = Url::parse(&self.address).ok()?.join(target).ok()?;
        let is_ours = address.path() == PATH
            && address.host_str() == Some("127.0.0.1")
            && parameter(&address, "state").as_deref() == Some(state);
        let is_whole =
            parameter(&address, "code").is_some() || parameter(&address, "error").is_some();
        (is_ours && is_whole).then_some(address)
    }
}

/// Returns a query parameter of an address.
pub(crate) fn parameter(address: &Url, name: &str) -> Option<String> {
    let mut pairs = address.query_pairs();
    let found = pairs.find(|(known, _)| known == name);
    found.map(|(_, value)| value.into_owned())
}

fn denial(address: &Url) -> Option<String> {
    let error = parameter(address, "error")?;
    Some(match parameter(address, "error_description") {
        Some(description) => format!("{error} ({description})"),
        None => error,
    })
}

/// Reads the target of a browser's request.
async fn target(stream: &mut TcpStream) -> Option<String> {
    let mut request = Vec::new();
    let mut piece = [0; 1024];
    while !request.windows(4).any(|it| it == b"\r\n\r\n") {
        let length = stream.read(&mut piece).await.ok()?;
        request.extend_from_slice(piece.get(..length)?);
        if length == 0 || request.len() > MAX_BYTES {
            return None;
        }
    }
    let text = String::from_utf8(request).ok()?;
    let mut words = text.lines().next()?.split(' ');
    match (words.next(), words.next()) {
        (Some("GET"), Some(target)) if target.starts_with('/') => Some(target.to_owned()),
        _ => None,
    }
}
