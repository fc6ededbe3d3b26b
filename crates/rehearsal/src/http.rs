//! As much of HTTP/1.1 as clients of model services speak.

use std::io::{self, BufRead, Read, Write};

/// The largest body that is read, in bytes: a conversation of a test, with all tools.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The longest line of a request's head, in bytes.
const MAX_LINE_LENGTH: u64 = 64 * 1024;

/// A request as it arrived.
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) body: Vec<u8>,
}

/// What is answered.
pub(crate) struct Response {
    pub(crate) status: &'static str,
    pub(crate) content_type: &'static str,
    pub(crate) body: String,
}

/// Reads the next request of a connection; nothing when the client has closed it.
pub(crate) fn read_request(
    reader: &mut impl BufRead,
    writer: &mut impl Write,
) -> io::Result<Option<Request>> {
    let first = read_line(reader)?;
    let mut words = first.split(' ');
    let (Some(method), Some(target)) = (words.next(), words.next()) else {
        return Ok(None);
    };
    let mut length = 0;
    let mut is_chunked = false;
    loop {
        let line = read_line(reader)?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        match (name.to_ascii_lowercase().as_str(), value.trim()) {
            ("content-length", value) => length = value.parse().map_err(io::Error::other)?,
            ("transfer-encoding", value) => is_chunked = value.eq_ignore_ascii_case("chunked"),
            ("expect", _) => writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?,
            _ => {}
        }
    }
    let body = if is_chunked {
        read_chunks(reader)?
    } else {
        read_exactly(reader, length)?
    };
    Ok(Some(Request {
        method: method.to_owned(),
        target: target.to_owned(),
        body,
    }))
}

/// Writes a response whole: a stream of a script is known to its end.
pub(crate) fn write_response(writer: &mut impl Write, response: &Response) -> io::Result<()> {
    let Response {
        status,
        content_type,
        body,
    } = response;
    let length = body.len();
    write!(
        writer,
        "HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\n\
         cache-control: no-store\r\n\r\n{body}"
    )?;
    writer.flush()
}

fn read_line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    reader.take(MAX_LINE_LENGTH).read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}

fn read_exactly(reader: &mut impl BufRead, length: u64) -> io::Result<Vec<u8>> {
    if length > MAX_BYTES {
        return Err(io::Error::other("the request's body is too large"));
    }
    let mut body = Vec::new();
    let read = reader.take(length).read_to_end(&mut body)?;
    if read as u64 == length {
        Ok(body)
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

fn read_chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = read_line(reader)?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(size, 16).map_err(io::Error::other)?;
        if size.saturating_add(body.len() as u64) > MAX_BYTES {
            return Err(io::Error::other("the request's body is too large"));
        }
        body.extend(read_exactly(reader, size)?);
        let ending = read_line(reader)?;
        if size == 0 {
            // Trailers, up to the empty line.
            let mut trailer = ending;
            while !trailer.is_empty() {
                trailer = read_line(reader)?;
            }
            return Ok(body);
        }
    }
}
