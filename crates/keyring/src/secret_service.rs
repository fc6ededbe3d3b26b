//! The keyring of Linux and similar systems: the Secret Service, which desktops' keyrings provide
//! over D-Bus.
//!
//! Secrets are sent unencrypted over the session's socket, as the protocol allows ("plain"):
//! whoever could read them there could ask the service for them just as well.

mod address;
mod bus;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::time::Duration;

use hookloop_settings::{Keyring, KeyringError, SecretName};
use zbus::{Connection, ObjectPath, OwnedObjectPath, OwnedVariant, Variant};

use bus::call;

/// The path of the service's own object.
const ROOT: ObjectPath<'_> = ObjectPath::from_static_str_unchecked("/org/freedesktop/secrets");
const SERVICE: &str = "org.freedesktop.Secret.Service";
const COLLECTION: &str = "org.freedesktop.Secret.Collection";
const ITEM: &str = "org.freedesktop.Secret.Item";
/// The path that means no object: no prompt, no collection.
const NOTHING: &str = "/";

/// A client of the Secret Service.
#[derive(Debug)]
pub(super) struct SecretService {
    /// The address of the session bus, if there is one.
    address: Option<String>,
    limit: Duration,
}

impl SecretService {
    pub(super) fn new(address: Option<String>, limit: Duration) -> Self {
        Self { address, limit }
    }

    /// Runs a request to the service, with one time limit for all its steps.
    fn ask<T>(
        &self,
        question: impl AsyncFnOnce(Session) -> Result<T, KeyringError>,
    ) -> Result<T, KeyringError> {
        let absent = || KeyringError::Absent("the session has no bus".to_owned());
        let address = self.address.as_ref().ok_or_else(absent)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| KeyringError::Failed(format!("it can't be asked: {error}")))?;
        let asked = async { question(Session::open(bus::connect(address).await?).await?).await };
        runtime
            .block_on(async { tokio::time::timeout(self.limit, asked).await })
            .unwrap_or(Err(KeyringError::TimedOut(self.limit)))
    }
}

impl Keyring for SecretService {
    fn read(&self, name: &SecretName) -> Result<Option<String>, KeyringError> {
        self.ask(async |session| {
            let found = session.search(name).await?;
            let item = match (found.unlocked.first(), found.locked.first()) {
                (Some(item), _) => item,
                (None, Some(item)) => {
                    session.unlock(item).await?;
                    item
                }
                (None, None) => return Ok(None),
            };
            session.secret(item).await.map(Some)
        })
    }

    fn write(&self, name: &SecretName, secret: &str) -> Result<(), KeyringError> {
        self.ask(async |session| {
            let collection = session.default_collection().await?;
            session.unlock(&collection).await?;
            session.create(&collection, name, secret).await
        })
    }

    fn remove(&self, name: &SecretName) -> Result<(), KeyringError> {
        self.ask(async |session| {
            let found = session.search(name).await?;
            for item in found.unlocked.iter().chain(&found.locked) {
                session.delete(item).await?;
            }
            Ok(())
        })
    }
}

/// The items that a search found.
struct FoundItems {
    unlocked: Vec<OwnedObjectPath>,
    locked: Vec<OwnedObjectPath>,
}

/// A session with the service, over which secrets are transferred.
struct Session {
    bus: Connection,
    path: OwnedObjectPath,
}

impl Session {
    async fn open(bus: Connection) -> Result<Self, KeyringError> {
        let algorithm = ("plain", Variant::from(""));
        let (_, path): (OwnedVariant, OwnedObjectPath) =
            call(&bus, &ROOT, SERVICE, "OpenSession", &algorithm).await?;
        Ok(Self { bus, path })
    }

    async fn search(&self, name: &SecretName) -> Result<FoundItems, KeyringError> {
        let attributes = item_attributes(name);
        let (unlocked, locked) =
            call(&self.bus, &ROOT, SERVICE, "SearchItems", &attributes).await?;
        Ok(FoundItems { unlocked, locked })
    }

    /// Unlocks an object, if that needs no person. There is no time here to wait for one, who can
    /// unlock it with the desktop's own means.
    async fn unlock(&self, object: &ObjectPath<'_>) -> Result<(), KeyringError> {
        let (unlocked, _prompt): (Vec<OwnedObjectPath>, OwnedObjectPath) =
            call(&self.bus, &ROOT, SERVICE, "Unlock", &vec![object]).await?;
        if unlocked.iter().any(|it| **it == *object) {
            Ok(())
        } else {
            Err(locked())
        }
    }

    async fn secret(&self, item: &ObjectPath<'_>) -> Result<String, KeyringError> {
        type Secret = (OwnedObjectPath, Vec<u8>, Vec<u8>, String);
        let ((_session, _parameters, secret, _kind),): (Secret,) =
            call(&self.bus, item, ITEM, "GetSecret", &self.path).await?;
        String::from_utf8(secret)
            .map_err(|_| KeyringError::Failed("the secret isn't text".to_owned()))
    }

    async fn default_collection(&self) -> Result<OwnedObjectPath, KeyringError> {
        let collection: OwnedObjectPath =
            call(&self.bus, &ROOT, SERVICE, "ReadAlias", &"default").await?;
        if collection.as_str() == NOTHING {
            return Err(KeyringError::Absent(
                "it has no default collection".to_owned(),
            ));
        }
        Ok(collection)
    }

    async fn create(
        &self,
        collection: &ObjectPath<'_>,
        name: &SecretName,
        secret: &str,
    ) -> Result<(), KeyringError> {
        let label = format!("{}: {}", name.service, name.account);
        let properties = HashMap::from([
            ("org.freedesktop.Secret.Item.Label", Variant::from(label)),
            (
                "org.freedesktop.Secret.Item.Attributes",
                Variant::from(item_attributes(name)),
            ),
        ]);
        let none: &[u8] = &[];
        let secret = (
            &self.path,
            none,
            secret.as_bytes(),
            "text/plain; charset=utf8",
        );
        let replace = true;
        let body = (properties, secret, replace);
        let (item, _prompt): (OwnedObjectPath, OwnedObjectPath) =
            call(&self.bus, collection, COLLECTION, "CreateItem", &body).await?;
        if item.as_str() == NOTHING {
            Err(locked())
        } else {
            Ok(())
        }
    }

    async fn delete(&self, item: &ObjectPath<'_>) -> Result<(), KeyringError> {
        let prompt: OwnedObjectPath = call(&self.bus, item, ITEM, "Delete", &()).await?;
        if prompt.as_str() == NOTHING {
            Ok(())
        } else {
            Err(locked())
        }
    }
}

/// The attributes that identify an item.
fn item_attributes(name: &SecretName) -> HashMap<&str, &str> {
    HashMap::from([
        ("service", name.service.as_str()),
        ("account", name.account.as_str()),
    ])
}

fn locked() -> KeyringError {
    KeyringError::Failed("it is locked; unlock it, and try again".to_owned())
}
