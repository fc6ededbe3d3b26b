//! A connection to the session's bus.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use hookloop_settings::KeyringError;

use super::address::connect;
use super::message::{Kind, Message, Method, call};
use super::wire::Writer;

const BUS: Method<'_> = Method {
    destination: "org.freedesktop.DBus",
    path: "/org/freedesktop/DBus",
    interface: "org.freedesktop.DBus",
    name: "Hello",
};

/// The errors of the bus that mean that nobody offers the service.
const NOBODY: [&str; 3] = [
    "org.freedesktop.DBus.Error.ServiceUnknown",
    "org.freedesktop.DBus.Error.NameHasNoOwner",
    "org.freedesktop.DBus.Error.Spawn",
];

/// Calls methods of other programs. All calls together end at a deadline.
#[derive(Debug)]
pub(super) struct Bus {
    stream: BufReader<UnixStream>,
    serial: u32,
    limit: Duration,
    deadline: Instant,
}

impl Bus {
    /// Connects to the bus at an address, and introduces itself.
    pub(super) fn connect(address: &str, limit: Duration) -> Result<Self, KeyringError> {
        let stream = connect(address).map_err(|error| {
            KeyringError::Absent(format!("the session's bus can't be reached: {error}"))
        })?;
        let mut bus = Self {
            stream: BufReader::new(stream),
            serial: 0,
            limit,
            deadline: Instant::now() + limit,
        };
        bus.authenticate().map_err(|error| bus.failed(&error))?;
        bus.call(BUS, "", Writer::default())?;
        Ok(bus)
    }

    /// Says whose process this is, which the bus checks itself.
    fn authenticate(&mut self) -> io::Result<()> {
        let user = rustix::process::getuid().as_raw().to_string();
        let digits = user.bytes().fold(String::new(), |digits, byte| {
            digits + &format!("{byte:02x}")
        });
        self.write(format!("\0AUTH EXTERNAL {digits}\r\n").as_bytes())?;
        let mut line = String::new();
        self.set_timeout()?;
        self.stream.read_line(&mut line)?;
        if !line.starts_with("OK") {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "the bus does not let this program in",
            ));
        }
        self.write(b"BEGIN\r\n")
    }

    /// Calls a method and waits for what it returns.
    pub(super) fn call(
        &mut self,
        method: Method<'_>,
        signature: &str,
        body: Writer,
    ) -> Result<Message, KeyringError> {
        self.serial += 1;
        let message = call(method, self.serial, signature, body);
        self.write(&message).map_err(|error| self.failed(&error))?;
        loop {
            let message = self.next().map_err(|error| self.failed(&error))?;
            if message.answers != Some(self.serial) {
                continue;
            }
            match message.kind {
                Kind::Return => return Ok(message),
                Kind::Error => return Err(refused(&message)),
                Kind::Other => {}
            }
        }
    }

    fn next(&mut self) -> io::Result<Message> {
        self.set_timeout()?;
        Message::read(&mut self.stream)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.set_timeout()?;
        self.stream.get_mut().write_all(bytes)
    }

    fn set_timeout(&self) -> io::Result<()> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let stream = self.stream.get_ref();
        stream.set_read_timeout(Some(left))?;
        stream.set_write_timeout(Some(left))
    }

    fn failed(&self, error: &io::Error) -> KeyringError {
        match error.kind() {
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => {
                KeyringError::TimedOut(self.limit)
            }
            _ => KeyringError::Failed(error.to_string()),
        }
    }
}

fn refused(message: &Message) -> KeyringError {
    let name = message.error.as_deref().unwrap_or("an error without name");
    let text = message.body().text().unwrap_or_default();
    let what = format!("{name}: {text}");
    if NOBODY.iter().any(|nobody| name.starts_with(nobody)) {
        KeyringError::Absent(what)
    } else {
        KeyringError::Failed(what)
    }
}
