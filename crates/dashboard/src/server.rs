//! The server: one request and one response per connection.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use uuid::Uuid;

use crate::gather::Traces;
use crate::page;
use crate::request::{Rejection, Target, read_head, understand};

/// How long a client may take to send its request and to read the response.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(10);

/// How many clients are served at once; browsers open a few connections in advance.
const MAX_CLIENTS: usize = 32;

/// How many threads may exist for a moment, until rejected clients have gone.
const MAX_THREADS: usize = 2 * MAX_CLIENTS;

/// What the page may load: its own style, and its own script.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";

/// A page that shows what hooks do, served on the loopback interface.
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
    waiting: Waiting,
}

/// The clients that haven't sent their request yet, by number, oldest first. If there are too many,
/// the oldest is disconnected, so that idle clients can't keep others out.
#[derive(Debug, Default)]
struct Waiting {
    next: AtomicUsize,
    clients: Mutex<BTreeMap<usize, TcpStream>>,
}

impl Waiting {
    /// Adds a client.
    fn add(&self, connection: &TcpStream) -> io::Result<usize> {
        let connection = connection.try_clone()?;
        let number = self.next.fetch_add(1, Ordering::SeqCst);
        self.clients().insert(number, connection);
        Ok(number)
    }

    /// Removes a client; returns whether it was still connected.
    fn remove(&self, number: usize) -> bool {
        self.clients().remove(&number).is_some()
    }

    /// Disconnects the oldest client, if there is one.
    fn make_room(&self) {
        if let Some((_, oldest)) = self.clients().pop_first() {
            // Fails if the client has gone.
            let _ = oldest.shutdown(Shutdown::Both);
        }
    }

    fn clients(&self) -> MutexGuard<'_, BTreeMap<usize, TcpStream>> {
        // Every change is a single operation, so a poisoned lock guards nothing broken.
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection with a deadline.
struct Timed<'c> {
    connection: &'c TcpStream,
    until: Instant,
}

impl Timed<'_> {
    fn remaining(&self) -> io::Result<Duration> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(left)
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.connection.set_read_timeout(Some(self.remaining()?))?;
        self.connection.read(buffer)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.connection.set_write_timeout(Some(self.remaining()?))?;
        self.connection.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.connection.flush()
    }
}

struct Answer {
    status: &'static str,
    content_type: &'static str,
    body: String,
}

impl Dashboard {
    /// Listens on a port of the loopback interface; 0 means any free port.
    ///
    /// # Errors
    /// The port is in use, or access is denied.
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
                waiting: Waiting::default(),
            }),
        })
    }

    /// Returns the address of the page. Whoever knows it can read the traces.
    pub fn url(&self) -> String {
        let Shared { token, port, .. } = &*self.shared;
        format!("http://127.0.0.1:{port}/{token}/")
    }

    /// Serves requests until the process ends.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn serve(self) -> io::Result<()> {
        // A connection that can't be accepted has already been closed.
        for connection in self.listener.incoming().flatten() {
            let shared = Arc::clone(&self.shared);
            match shared.clients.fetch_add(1, Ordering::SeqCst) {
                MAX_THREADS.. => {
                    shared.clients.fetch_sub(1, Ordering::SeqCst);
                    shared.waiting.make_room();
                    continue;
                }
                MAX_CLIENTS.. => shared.waiting.make_room(),
                _ => {}
            }
            thread::Builder::new()
                .name("hookloop-dashboard".to_owned())
                .spawn(move || {
                    let client = Client(&shared);
                    // Fails if the client has gone.
                    let _ = client.0.serve(&connection);
                })?;
        }
        Ok(())
    }
}

/// Counts a client until it has been served, however that ends.
struct Client<'a>(&'a Shared);

impl Drop for Client<'_> {
    fn drop(&mut self) {
        self.0.clients.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Shared {
    fn serve(&self, connection: &TcpStream) -> io::Result<()> {
        let mut timed = Timed {
            connection,
            until: Instant::now() + CLIENT_TIMEOUT,
        };
        let number = self.waiting.add(connection)?;
        let head = read_head(&mut timed);
        if !self.waiting.remove(number) {
            return Ok(());
        }
        let head = head?;
        let answer = match understand(&head, self.port, &self.token) {
            Ok(asked) => self.answer(&asked),
            Err(rejection) => rejection_answer(rejection),
        };
        let Answer {
            status,
            content_type,
            body,
        } = answer;
        timed.until = Instant::now() + CLIENT_TIMEOUT;
        write!(
            timed,
            "HTTP/1.1 {status}\r\ncontent-type: {content_type}; charset=utf-8\r\n\
             content-length: {length}\r\nconnection: close\r\ncache-control: no-store\r\n\
             content-security-policy: {POLICY}\r\nx-content-type-options: nosniff\r\n\
             x-frame-options: DENY\r\nreferrer-policy: no-referrer\r\n\
             cross-origin-opener-policy: same-origin\r\n\
             cross-origin-resource-policy: same-origin\r\n\r\n{body}",
            length = body.len(),
        )?;
        timed.flush()
    }

    fn answer(&self, asked: &Target) -> Answer {
        match asked {
            Target::Page(choice) => html(page::page(&self.traces.gather(choice), choice)),
            Target::Part(choice, since) => {
                let mark = self.traces.mark();
                if since.as_ref() == Some(&mark) {
                    return Answer {
                        status: "204 No Content",
                        ..html(String::new())
                    };
                }
                html(page::part(&self.traces.gather(choice), choice))
            }
            Target::Session(choice) => html(self.traces.session(choice)),
            Target::Script => Answer {
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

fn rejection_answer(rejection: Rejection) -> Answer {
    let (status, body) = match rejection {
        Rejection::Malformed => ("400 Bad Request", "The request is malformed.\n"),
        Rejection::Host => (
            "421 Misdirected Request",
            "This isn't the host of the dashboard.\n",
        ),
        Rejection::Method => ("405 Method Not Allowed", "Nothing can be changed here.\n"),
        Rejection::Unknown => (
            "404 Not Found",
            "There is nothing here. `hookloop dashboard` printed the whole address when it started.\n",
        ),
    };
    Answer {
        status,
        content_type: "text/plain",
        body: body.to_owned(),
    }
}
