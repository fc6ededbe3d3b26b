//! Parses requests, and rejects those that aren't the page's own.

use std::io::{self, Read};

/// The maximum size of a request's head, in bytes.
const MAX_BYTES: usize = 16 * 1024;

/// How many headers a request may have.
const MAX_HEADERS: usize = 64;

/// The length of a token, in characters: two random numbers of 128 bits.
pub(crate) const TOKEN_LENGTH: usize = 64;

/// The content of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// The page.
    Page(Choice),
    /// The changing part of the page, unless the client already has it.
    Part(Choice, Option<String>),
    /// The page of one session.
    Session(Choice),
    /// The script that updates the page.
    Script,
}

/// Selects runs; an empty field doesn't restrict them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    /// Only runs that contain this text.
    pub(crate) search: String,
    /// Only runs of this agent.
    pub(crate) agent: String,
    /// Only runs of this session.
    pub(crate) session: String,
    /// Only runs of this project, by the name of its folder.
    pub(crate) project: String,
    /// Only runs of this kind, such as `refused`.
    pub(crate) show: String,
}

/// Why a request is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// It can't be parsed.
    Malformed,
    /// It names another host, as in DNS rebinding.
    Host,
    /// Its method isn't a read.
    Method,
    /// The token is wrong, or the page doesn't exist.
    Unknown,
}

/// Reads the head of a request; a body isn't read.
pub(crate) fn read_head(connection: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut piece = [0; 2048];
    while head.len() < MAX_BYTES {
        let read = connection.read(&mut piece)?;
        head.extend_from_slice(&piece[..read]);
        if read == 0 || head.windows(4).any(|window| window == b"\r\n\r\n") {
            break;
        }
    }
    Ok(head)
}

/// Parses a request, and rejects one that isn't the page's own.
pub(crate) fn understand(head: &[u8], port: u16, token: &str) -> Result<Target, Rejection> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(head) {
        Ok(httparse::Status::Complete(_)) => {}
        _ => return Err(Rejection::Malformed),
    }
    let mut hosts = request
        .headers
        .iter()
        .filter(|header| header.name.eq_ignore_ascii_case("host"));
    let host = hosts.next().map(|header| header.value);
    let is_here = ["127.0.0.1", "localhost"]
        .iter()
        .any(|name| host == Some(format!("{name}:{port}").as_bytes()));
    if !is_here || hosts.next().is_some() {
        return Err(Rejection::Host);
    }
    if request.method != Some("GET") {
        return Err(Rejection::Method);
    }
    let target = request.path.ok_or(Rejection::Malformed)?;
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let (given, rest) = path
        .strip_prefix('/')
        .and_then(|path| path.split_once('/'))
        .ok_or(Rejection::Unknown)?;
    if !is_same(given.as_bytes(), token.as_bytes()) {
        return Err(Rejection::Unknown);
    }
    let (choice, since) = read_query(query);
    match rest {
        "" => Ok(Target::Page(choice)),
        "part" => Ok(Target::Part(choice, since)),
        "session" if !choice.session.is_empty() => Ok(Target::Session(choice)),
        "follow.js" => Ok(Target::Script),
        _ => Err(Rejection::Unknown),
    }
}

/// Compares in constant time.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let differences = one
        .iter()
        .zip(other)
        .fold(0, |found, (one, other)| found | (one ^ other));
    one.len() == other.len() && other.len() == TOKEN_LENGTH && differences == 0
}

fn read_query(query: &str) -> (Choice, Option<String>) {
    let mut choice = Choice::default();
    let mut since = None;
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let value = value.into_owned();
        match &*name {
            "q" => choice.search = value,
            "agent" => choice.agent = value,
            "session" => choice.session = value,
            "project" => choice.project = value,
            "show" => choice.show = value,
            "since" => since = Some(value),
            _ => {}
        }
    }
    (choice, since)
}

impl Choice {
    /// Returns the query string for the same selection.
    pub(crate) fn query(&self) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        let fields = [
            ("q", &self.search),
            ("agent", &self.agent),
            ("session", &self.session),
            ("project", &self.project),
            ("show", &self.show),
        ];
        for (name, value) in fields {
            if !value.is_empty() {
                query.append_pair(name, value);
            }
        }
        query.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    fn asked(target: &str, host: &str) -> Result<Target, Rejection> {
        let head = format!("GET {target} HTTP/1.1\r\n{host}\r\n\r\n");
        understand(head.as_bytes(), 4711, TOKEN)
    }

    /// CM-6: a link to a selection is parsed as that selection, whatever it contains.
    #[test]
    fn a_choice_survives_its_link() {
        let choice = Choice {
            search: "a&b=<c> +%41é".to_owned(),
            agent: "codex".to_owned(),
            session: "../#?".to_owned(),
            project: "p".to_owned(),
            show: String::new(),
        };
        let target = format!("/{TOKEN}/?{}", choice.query());
        assert_eq!(
            asked(&target, "Host: localhost:4711"),
            Ok(Target::Page(choice))
        );
    }

    /// TR-7: only requests for the loopback interface's own names at this port are answered, and
    /// only if the host is named once.
    #[test]
    fn other_hosts_are_turned_away() {
        let target = format!("/{TOKEN}/");
        for host in [
            "host: evil.example:4711",
            "host: 127.0.0.1",
            "host: 127.0.0.1:4712",
            "host: 127.0.0.1:4711.evil.example",
            "host: 127.0.0.1:4711\r\nhost: evil.example",
            "x: y",
        ] {
            assert_eq!(asked(&target, host), Err(Rejection::Host), "{host}");
        }
    }
}
