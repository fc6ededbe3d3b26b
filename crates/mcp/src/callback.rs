//! Where the browser comes back to: a listener on this machine that takes one answer (TO-3).

use std::time::Duration;

use reqwest::Url;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// The path that is answered.
const PATH: &str = "/callback";

/// How large a request may be, in bytes.
const LARGEST: usize = 16 * 1024;

/// How long a browser may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(5);

/// Waits for a browser.
pub(crate) struct Callback {
    listener: TcpListener,
    /// Where the browser is to be sent.
    pub(crate) address: String,
}

impl Callback {
    /// Listens on a port that is free.
    ///
    /// # Errors
    /// There is none.
    pub(crate) async fn listen() -> Result<Self, String> {
        let failed = |error| format!("no browser can come back to this machine: {error}");
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        Ok(Self {
            listener,
            address: format!("http://127.0.0.1:{port}{PATH}"),
        })
    }

    /// Waits for the answer to the question with this state, and returns the whole address that it
    /// came with. Anything else that knocks is sent away.
    ///
    /// # Errors
    /// Says why nothing was granted.
    pub(crate) async fn answer(&self, state: &str) -> Result<Url, String> {
        loop {
            let Ok((mut stream, _)) = self.listener.accept().await else {
                continue;
            };
            let read = tokio::time::timeout(PATIENCE, target(&mut stream)).await;
            let address = read
                .ok()
                .flatten()
                .and_then(|it| self.understood(&it, state));
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
            // A browser that has gone has still said what it wanted.
            let told = async {
                stream.write_all(answer.as_bytes()).await?;
                stream.shutdown().await
            };
            drop(tokio::time::timeout(PATIENCE, told).await);
            if let Some(address) = address {
                return match denial(&address) {
                    Some(why) => Err(format!("nothing was granted: {why}")),
                    None => Ok(address),
                };
            }
        }
    }

    /// Reads the answer to the question with this state.
    fn understood(&self, target: &str, state: &str) -> Option<Url> {
        let address = Url::parse(&self.address).ok()?.join(target).ok()?;
        let is_ours = address.path() == PATH
            && address.host_str() == Some("127.0.0.1")
            && parameter(&address, "state").as_deref() == Some(state);
        let is_whole =
            parameter(&address, "code").is_some() || parameter(&address, "error").is_some();
        (is_ours && is_whole).then_some(address)
    }
}

/// Returns a parameter of an address.
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

/// Reads what a browser asks for.
async fn target(stream: &mut TcpStream) -> Option<String> {
    let mut request = Vec::new();
    let mut piece = [0; 1024];
    while !request.windows(4).any(|it| it == b"\r\n\r\n") {
        let length = stream.read(&mut piece).await.ok()?;
        request.extend_from_slice(piece.get(..length)?);
        if length == 0 || request.len() > LARGEST {
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
