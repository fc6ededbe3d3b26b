//! The keyring of Linux and its relatives: the Secret Service, which the keyrings of the desktops
//! offer over D-Bus.
//!
//! It is spoken to directly: a client library for D-Bus would take longer to build than all the
//! rest of the program. Secrets go over the socket of the session as they are, as the protocol
//! allows ("plain"): whoever could read them there could ask the service for them just as well.

mod address;
mod bus;
mod message;
#[cfg(test)]
mod tests;
mod wire;

use std::time::Duration;

use hookloop_settings::{Keyring, KeyringError, SecretName};

use bus::Bus;
use message::Method;
use wire::Writer;

const SERVICE: &str = "org.freedesktop.secrets";
const ROOT: &str = "/org/freedesktop/secrets";
/// What stands for no object: no prompt, no collection.
const NOTHING: &str = "/";

/// Speaks to the Secret Service.
#[derive(Debug)]
pub(super) struct SecretService {
    /// The address of the session's bus; nothing where there is none.
    address: Option<String>,
    limit: Duration,
}

impl SecretService {
    pub(super) fn new(address: Option<String>, limit: Duration) -> Self {
        Self { address, limit }
    }

    fn open(&self) -> Result<Session, KeyringError> {
        let absent = || KeyringError::Absent("the session has no bus".to_owned());
        let address = self.address.as_ref().ok_or_else(absent)?;
        Session::open(Bus::connect(address, self.limit)?)
    }
}

impl Keyring for SecretService {
    fn read(&self, name: &SecretName) -> Result<Option<String>, KeyringError> {
        let mut session = self.open()?;
        let found = session.search(name)?;
        let item = match (found.unlocked.first(), found.locked.first()) {
            (Some(item), _) => item.clone(),
            (None, Some(item)) => {
                session.unlock(item)?;
                item.clone()
            }
            (None, None) => return Ok(None),
        };
        session.secret(&item).map(Some)
    }

    fn write(&self, name: &SecretName, secret: &str) -> Result<(), KeyringError> {
        let mut session = self.open()?;
        let collection = session.default_collection()?;
        session.unlock(&collection)?;
        session.create(&collection, name, secret)
    }

    fn remove(&self, name: &SecretName) -> Result<(), KeyringError> {
        let mut session = self.open()?;
        let found = session.search(name)?;
        for item in found.unlocked.iter().chain(&found.locked) {
            session.delete(item)?;
        }
        Ok(())
    }
}

/// The items that a search found.
struct Found {
    unlocked: Vec<String>,
    locked: Vec<String>,
}

/// A session with the service, over which secrets go.
struct Session {
    bus: Bus,
    path: String,
}

impl Session {
    fn open(mut bus: Bus) -> Result<Self, KeyringError> {
        let mut body = Writer::default();
        body.text("plain").signature("s").text("");
        let answer = bus.call(service("OpenSession"), "sv", body)?;
        let mut values = answer.body();
        let path = values
            .signature()
            .filter(|kind| *kind == "s")
            .and_then(|_| values.text())
            .and_then(|_| values.text());
        Ok(Self {
            path: path.ok_or_else(not_understood)?.to_owned(),
            bus,
        })
    }

    fn search(&mut self, name: &SecretName) -> Result<Found, KeyringError> {
        let mut body = Writer::default();
        body.texts(&attributes(name));
        let answer = self.bus.call(service("SearchItems"), "a{ss}", body)?;
        let mut values = answer.body();
        let mut list = || values.text_list().ok_or_else(not_understood);
        Ok(Found {
            unlocked: list()?,
            locked: list()?,
        })
    }

    /// Unlocks an object where nobody has to be asked. A person who has to unlock it does so with
    /// the desktop's means: there is no time to wait for that here.
    fn unlock(&mut self, object: &str) -> Result<(), KeyringError> {
        let mut body = Writer::default();
        body.list(4, |list| {
            list.text(object);
        });
        let answer = self.bus.call(service("Unlock"), "ao", body)?;
        let mut values = answer.body();
        let unlocked = values.text_list().ok_or_else(not_understood)?;
        if unlocked.iter().any(|it| it == object) {
            Ok(())
        } else {
            Err(locked())
        }
    }

    fn secret(&mut self, item: &str) -> Result<String, KeyringError> {
        let mut body = Writer::default();
        body.text(&self.path);
        let method = Method {
            destination: SERVICE,
            path: item,
            interface: "org.freedesktop.Secret.Item",
            name: "GetSecret",
        };
        let answer = self.bus.call(method, "o", body)?;
        let mut values = answer.body();
        let secret = values
            .text()
            .and_then(|_| values.byte_list())
            .and_then(|_| values.byte_list())
            .ok_or_else(not_understood)?;
        String::from_utf8(secret.to_vec())
            .map_err(|_| KeyringError::Failed("the secret is no text".to_owned()))
    }

    fn default_collection(&mut self) -> Result<String, KeyringError> {
        let mut body = Writer::default();
        body.text("default");
        let answer = self.bus.call(service("ReadAlias"), "s", body)?;
        match answer.body().text() {
            None => Err(not_understood()),
            Some(NOTHING) => Err(KeyringError::Absent(
                "it has no default collection".to_owned(),
            )),
            Some(path) => Ok(path.to_owned()),
        }
    }

    fn create(
        &mut self,
        collection: &str,
        name: &SecretName,
        secret: &str,
    ) -> Result<(), KeyringError> {
        let mut body = Writer::default();
        body.list(8, |properties| {
            properties
                .align(8)
                .text("org.freedesktop.Secret.Item.Label")
                .signature("s")
                .text(&format!("{}: {}", name.service, name.account))
                .align(8)
                .text("org.freedesktop.Secret.Item.Attributes")
                .signature("a{ss}")
                .texts(&attributes(name));
        });
        body.align(8)
            .text(&self.path)
            .byte_list(&[])
            .byte_list(secret.as_bytes())
            .text("text/plain; charset=utf8")
            .boolean(true);
        let method = Method {
            destination: SERVICE,
            path: collection,
            interface: "org.freedesktop.Secret.Collection",
            name: "CreateItem",
        };
        let answer = self.bus.call(method, "a{sv}(oayays)b", body)?;
        let mut values = answer.body();
        let item = values.text().ok_or_else(not_understood)?;
        if item == NOTHING {
            Err(locked())
        } else {
            Ok(())
        }
    }

    fn delete(&mut self, item: &str) -> Result<(), KeyringError> {
        let method = Method {
            destination: SERVICE,
            path: item,
            interface: "org.freedesktop.Secret.Item",
            name: "Delete",
        };
        let answer = self.bus.call(method, "", Writer::default())?;
        match answer.body().text() {
            None => Err(not_understood()),
            Some(NOTHING) => Ok(()),
            Some(_) => Err(locked()),
        }
    }
}

const fn service(name: &str) -> Method<'_> {
    Method {
        destination: SERVICE,
        path: ROOT,
        interface: "org.freedesktop.Secret.Service",
        name,
    }
}

/// What an item is found by.
fn attributes(name: &SecretName) -> [(&str, &str); 2] {
    [("service", &name.service), ("account", &name.account)]
}

fn not_understood() -> KeyringError {
    KeyringError::Failed("its answer makes no sense".to_owned())
}

fn locked() -> KeyringError {
    KeyringError::Failed("it is locked; unlock it, and try again".to_owned())
}
