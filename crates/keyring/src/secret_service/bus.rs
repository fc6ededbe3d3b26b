//! A connection to the session bus.

use hookloop_settings::KeyringError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use zbus::connection::Builder;
use zbus::{Connection, DBusError as _, DynamicType, Error, ObjectPath, Type};

use super::address::sockets;

/// The service's name on the bus.
const SERVICE: &str = "org.freedesktop.secrets";

/// The bus errors that mean that nobody provides the service.
const NOBODY: [&str; 3] = [
    "org.freedesktop.DBus.Error.ServiceUnknown",
    "org.freedesktop.DBus.Error.NameHasNoOwner",
    "org.freedesktop.DBus.Error.Spawn",
];

/// Connects to the first address of a list that can be reached.
pub(super) async fn connect(addresses: &str) -> Result<Connection, KeyringError> {
    let mut last = "it has no address of this kind".to_owned();
    for address in sockets(addresses) {
        match Builder::address(address).build().await {
            Ok(connection) => return Ok(connection),
            Err(Error::Connection(error, _)) => last = error.to_string(),
            Err(error) => return Err(to_keyring_error(&error)),
        }
    }
    Err(KeyringError::Absent(format!(
        "the session's bus can't be reached: {last}"
    )))
}

/// Calls a method of an object of the service, and returns its answer.
pub(super) async fn call<Question, Answer>(
    bus: &Connection,
    object: &ObjectPath<'_>,
    interface: &str,
    method: &str,
    question: &Question,
) -> Result<Answer, KeyringError>
where
    Question: Serialize + DynamicType,
    Answer: DeserializeOwned + Type,
{
    let message = bus
        .call_method(Some(SERVICE), object, Some(interface), method, question)
        .await
        .map_err(|error| to_keyring_error(&error))?;
    let answer = message.body().deserialize();
    answer.map_err(|error| KeyringError::Failed(format!("its answer is invalid: {error}")))
}

/// Distinguishes a missing service from one that refuses.
fn to_keyring_error(error: &Error) -> KeyringError {
    let name = match error {
        Error::FDO(error) => Some(error.name().to_string()),
        Error::MethodError(name, ..) => Some(name.to_string()),
        _ => None,
    };
    if name.is_some_and(|name| NOBODY.iter().any(|nobody| name.starts_with(nobody))) {
        KeyringError::Absent(error.to_string())
    } else {
        KeyringError::Failed(error.to_string())
    }
}
