//! The server: one connection, one request, one answer.

use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use uuid::Uuid;

use crate::gather::Traces;
use crate::page;
use crate::request::{Asked, Rejection, read_head, understand};

/// How long a client may take for its request and for reading the answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many clients are served at once; browsers open a few connections in advance.
const MOST_CLIENTS: usize = 32;

/// What the page may load: its own style, and its own script.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";

/// A page of what hooks do, on the loopback interface.
#[derive(Debug)]
pub struct Dashboard {
    listener: TcpListener,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    traces: Traces,
    token: String,
    port: u16,
    clients: AtomicUsize,
}

struct Answer {
    status: &'static str,
    content_type: &'static str,
    body: String,
}

impl Dashboard {
    /// Takes a port of the loopback interface, any free one for 0.
    ///
    /// # Errors
    /// The port is taken, or may not be used.
    pub fn bind(traces: Traces, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let port = listener.local_addr()?.port();
        let token = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
        Ok(Self {
            listener,
            shared: Arc::new(Shared {
                traces,
                token,
                port,
                clients: AtomicUsize::new(0),
            }),
        })
    }

    /// Returns the address of the page; who knows it may read the traces.
    pub fn url(&self) -> String {
        let Shared { token, port, .. } = &*self.shared;
        format!("http://127.0.0.1:{port}/{token}/")
    }

    /// Answers until the process ends.
    ///
    /// # Errors
    /// The system starts no thread.
    pub fn serve(self) -> io::Result<()> {
        // A connection that can't be taken has gone again.
        for connection in self.listener.incoming().flatten() {
            let shared = Arc::clone(&self.shared);
            if shared.clients.fetch_add(1, Ordering::SeqCst) >= MOST_CLIENTS {
                shared.clients.fetch_sub(1, Ordering::SeqCst);
                continue;
            }
            thread::Builder::new()
                .name("hookloop-dashboard".to_owned())
                .spawn(move || {
                    let client = Client(&shared);
                    // The client has gone if this fails.
                    let _ = client.0.serve(connection);
                })?;
        }
        Ok(())
    }
}

/// Counts a client until it is served, however that ends.
struct Client<'a>(&'a Shared);

impl Drop for Client<'_> {
    fn drop(&mut self) {
        self.0.clients.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Shared {
    fn serve(&self, mut connection: TcpStream) -> io::Result<()> {
        connection.set_read_timeout(Some(PATIENCE))?;
        connection.set_write_timeout(Some(PATIENCE))?;
        let head = read_head(&mut connection)?;
        let answer = match understand(&head, self.port, &self.token) {
            Ok(asked) => self.answer(&asked),
            Err(rejection) => rejected(rejection),
        };
        let Answer {
            status,
            content_type,
            body,
        } = answer;
        write!(
            connection,
            "HTTP/1.1 {status}\r\ncontent-type: {content_type}; charset=utf-8\r\n\
             content-length: {length}\r\nconnection: close\r\ncache-control: no-store\r\n\
             content-security-policy: {POLICY}\r\nx-content-type-options: nosniff\r\n\
             x-frame-options: DENY\r\nreferrer-policy: no-referrer\r\n\
             cross-origin-opener-policy: same-origin\r\n\
             cross-origin-resource-policy: same-origin\r\n\r\n{body}",
            length = body.len(),
        )?;
        connection.flush()
    }

    fn answer(&self, asked: &Asked) -> Answer {
        match asked {
            Asked::Page(choice) => html(page::page(&self.traces.gather(choice), choice)),
            Asked::Part(choice, since) => {
                let mark = self.traces.mark();
                if since.as_ref() == Some(&mark) {
                    return Answer {
                        status: "204 No Content",
                        ..html(String::new())
                    };
                }
                html(page::part(&self.traces.gather(choice), choice))
            }
            Asked::Session(choice) => html(self.traces.session(choice)),
            Asked::Script => Answer {
                status: "200 OK",
                content_type: "text/javascript",
                body: page::SCRIPT.to_owned(),
            },
        }
    }
}

const fn html(body: String) -> Answer {
    Answer {
        status: "200 OK",
        content_type: "text/html",
        body,
    }
}

fn rejected(rejection: Rejection) -> Answer {
    let (status, body) = match rejection {
        Rejection::Malformed => ("400 Bad Request", "The request can't be understood.\n"),
        Rejection::Host => ("421 Misdirected Request", "This is another host.\n"),
        Rejection::Method => (
            "405 Method Not Allowed",
            "There is nothing to change here.\n",
        ),
        Rejection::Unknown => (
            "404 Not Found",
            "There is nothing here. The whole address stands where `hookloop dashboard` was started.\n",
        ),
    };
    Answer {
        status,
        content_type: "text/plain",
        body: body.to_owned(),
    }
}
