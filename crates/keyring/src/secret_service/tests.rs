//! The Secret Service against a fake one, which speaks D-Bus over its own socket.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde::Serialize;
use serde::de::DeserializeOwned;
use zbus::wire::LE;
use zbus::wire::serialized::{Context, Data};
use zbus::{DynamicType, Message, Type};

use super::*;

/// How the fake behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Obliging,
    /// Everything is locked, and only a person could unlock it.
    Locked,
    /// Accepts connections and says nothing.
    Silent,
    /// Answers each call with these bytes, which mean nothing.
    Babbling(&'static [u8]),
    /// Answers each call with a number.
    Confused,
    /// Greets with these bytes, which aren't a greeting, and disconnects.
    Rude(&'static [u8]),
    /// The bus exists, and nobody offers the service.
    Vacant,
}

type Items = Arc<Mutex<HashMap<(String, String), Vec<u8>>>>;

struct Fake {
    _folder: tempfile::TempDir,
    address: String,
    items: Items,
}

impl Fake {
    fn new(manner: Manner) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bus");
        let listener = UnixListener::bind(&path).unwrap();
        Self {
            address: format!("unix:path={},guid=0", path.display()),
            _folder: folder,
            items: accept(listener, manner),
        }
    }

    fn service(&self, limit: Duration) -> SecretService {
        SecretService::new(Some(self.address.clone()), limit)
    }
}

/// Serves everybody who connects, with the items that are returned.
fn accept(listener: UnixListener, manner: Manner) -> Items {
    let items = Items::default();
    let served = Arc::clone(&items);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let items = Arc::clone(&served);
            thread::spawn(move || serve(stream, manner, &items));
        }
    });
    items
}

/// A message: byte order, kind, flags, version, length of the body, serial, fields.
type Header<'a> = (u8, u8, u8, u8, u32, u32, Vec<(u8, Variant<'a>)>);

/// The parts of a call that the fake examines.
struct Call {
    /// A call that is answered like it.
    twin: Message,
    member: String,
    path: String,
    body: Data<'static, 'static>,
}

impl Call {
    fn read(source: &mut impl Read) -> Option<Self> {
        let mut bytes = vec![0; 16];
        source.read_exact(&mut bytes).ok()?;
        let number =
            |place: usize| u32::from_le_bytes(bytes[place..place + 4].try_into().unwrap()) as usize;
        let (body, fields) = (number(4), number(12));
        let start = (16 + fields).next_multiple_of(8);
        bytes.resize(start + body, 0);
        source.read_exact(&mut bytes[16..]).ok()?;
        let whole = Data::new(bytes, Context::new(LE, 0));
        let ((.., serial, fields), _): (Header<'_>, _) = whole.deserialize().unwrap();
        let text = |code: u8| {
            let (_, value) = fields.iter().find(|(it, _)| *it == code)?;
            match value {
                Variant::ObjectPath(path) => Some(path.to_string()),
                Variant::Str(text) => Some(text.to_string()),
                _ => None,
            }
        };
        let (path, member) = (text(1)?, text(3)?);
        let twin =
            Message::method_call(path.as_str(), member.as_str()).serial(serial.try_into().ok()?);
        Some(Self {
            twin: twin.build(&()).unwrap(),
            member,
            path,
            body: whole.slice(start..),
        })
    }

    fn answer<T: Serialize + DynamicType>(&self, body: &T) -> Message {
        Message::method_return(&self.twin.header())
            .build(body)
            .unwrap()
    }

    fn refusal(&self, error: &str, text: &str) -> Message {
        Message::error(&self.twin.header(), error)
            .build(&text)
            .unwrap()
    }

    fn body<T: DeserializeOwned + Type>(&self) -> T {
        self.body.deserialize().unwrap().0
    }
}

fn serve(stream: UnixStream, manner: Manner, items: &Items) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut stream = stream;
    let mut line = || reader.read_until(b'\n', &mut Vec::new()).ok();
    match manner {
        Manner::Silent => {
            drop(reader.read_to_end(&mut Vec::new()));
            return None;
        }
        Manner::Rude(greeting) => {
            line()?;
            return stream.write_all(greeting).ok();
        }
        _ => {}
    }
    line()?;
    stream
        .write_all(format!("OK {}\r\n", "0f".repeat(16)).as_bytes())
        .ok()?;
    line()?;
    stream.write_all(b"ERROR\r\n").ok()?;
    line()?;
    while let Some(call) = Call::read(&mut reader) {
        if call.member == "Hello" {
            stream.write_all(call.answer(&":1.1").data()).ok()?;
            continue;
        }
        // An unrelated signal precedes each answer.
        let signal = Message::signal(ROOT, "org.example.Bus", "Nothing");
        stream.write_all(signal.build(&()).unwrap().data()).ok()?;
        let answer = match manner {
            Manner::Babbling(bytes) => {
                stream.write_all(bytes).ok()?;
                continue;
            }
            Manner::Vacant => call.refusal(
                "org.freedesktop.DBus.Error.ServiceUnknown",
                "nobody is there",
            ),
            Manner::Confused => call.answer(&7_u32),
            _ => carry_out(&call, manner, &mut items.lock().unwrap()),
        };
        stream.write_all(answer.data()).ok()?;
    }
    None
}

fn key(attributes: &HashMap<String, String>) -> (String, String) {
    (attributes["service"].clone(), attributes["account"].clone())
}

fn path_of(service: &str, account: &str) -> ObjectPath<'static> {
    let bytes = format!("{service}\n{account}");
    let path = bytes.bytes().fold("/item/".to_owned(), |path, byte| {
        path + &format!("{byte:02x}")
    });
    path.try_into().unwrap()
}

fn carry_out(
    call: &Call,
    manner: Manner,
    items: &mut HashMap<(String, String), Vec<u8>>,
) -> Message {
    type Secret = (OwnedObjectPath, Vec<u8>, Vec<u8>, String);
    let nothing = ObjectPath::try_from(NOTHING).unwrap();
    let none: Vec<ObjectPath<'_>> = Vec::new();
    let session = ObjectPath::try_from("/session").unwrap();
    match call.member.as_str() {
        "OpenSession" => {
            let (algorithm, _): (String, OwnedVariant) = call.body();
            assert_eq!(algorithm, "plain");
            call.answer(&(Variant::from(""), session))
        }
        "SearchItems" => {
            let key = key(&call.body());
            let found: Vec<_> = items
                .keys()
                .filter(|it| **it == key)
                .map(|(service, account)| path_of(service, account))
                .collect();
            match manner {
                Manner::Locked => call.answer(&(none, found)),
                _ => call.answer(&(found, none)),
            }
        }
        "Unlock" if manner == Manner::Locked => {
            call.answer(&(none, ObjectPath::try_from("/prompt").unwrap()))
        }
        "Unlock" => call.answer(&(call.body::<Vec<OwnedObjectPath>>(), nothing)),
        "ReadAlias" => call.answer(&ObjectPath::try_from("/collection").unwrap()),
        "GetSecret" => {
            assert_eq!(*call.body::<OwnedObjectPath>(), session);
            let found = items
                .iter()
                .find(|((service, account), _)| path_of(service, account).as_str() == call.path);
            let (_, secret) = found.unwrap();
            let parameters: &[u8] = &[];
            call.answer(&((session, parameters, secret, "text/plain"),))
        }
        "CreateItem" => {
            let (properties, secret, replace): (HashMap<String, OwnedVariant>, Secret, bool) =
                call.body();
            let attributes = &properties["org.freedesktop.Secret.Item.Attributes"];
            assert_eq!(*secret.0, session);
            assert!(replace, "an older value is replaced");
            let attributes = attributes.try_clone().unwrap().try_into().unwrap();
            items.insert(key(&attributes), secret.2);
            call.answer(&(ObjectPath::try_from("/item/new").unwrap(), nothing))
        }
        "Delete" => {
            items.retain(|(service, account), _| path_of(service, account).as_str() != call.path);
            call.answer(&nothing)
        }
        other => panic!("{other} isn't expected"),
    }
}

const LIMIT: Duration = Duration::from_secs(20);

fn name(variable: &str) -> SecretName {
    SecretName::new("tools", "/e".as_ref(), variable)
}

/// EX-3: secrets are kept, replaced, read and removed, each by its name.
#[test]
fn secrets_are_kept() {
    let fake = Fake::new(Manner::Obliging);
    let service = fake.service(LIMIT);
    assert_eq!(service.read(&name("KEY")), Ok(None));
    service.write(&name("KEY"), "old").unwrap();
    service.write(&name("KEY"), "s3cret: ü\n\"x\"").unwrap();
    service.write(&name("OTHER"), "").unwrap();
    assert_eq!(
        service.read(&name("KEY")),
        Ok(Some("s3cret: ü\n\"x\"".to_owned()))
    );
    assert_eq!(service.read(&name("OTHER")), Ok(Some(String::new())));
    service.remove(&name("KEY")).unwrap();
    service.remove(&name("KEY")).unwrap();
    assert_eq!(service.read(&name("KEY")), Ok(None));
    assert_eq!(fake.items.lock().unwrap().len(), 1);
}

/// EX-3: a bus without a file is reached too, after addresses where nobody listens.
#[cfg(target_os = "linux")]
#[test]
fn an_abstract_address_is_reached() {
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::net::SocketAddr;

    let bus = format!("hookloop test {}", uuid::Uuid::new_v4());
    let socket = SocketAddr::from_abstract_name(&bus).unwrap();
    let items = accept(UnixListener::bind_addr(&socket).unwrap(), Manner::Obliging);
    let escaped = bus.replace(' ', "%20");
    let list = format!("unix:path=/nowhere/bus;tcp:host=x,port=1;unix:abstract={escaped}");
    let service = SecretService::new(Some(list), LIMIT);
    service.write(&name("KEY"), "x").unwrap();
    assert_eq!(items.lock().unwrap().len(), 1);
}

/// EX-3: a locked keyring is reported; nothing is stored or read.
#[test]
fn a_locked_keyring_says_so() {
    let fake = Fake::new(Manner::Locked);
    let service = fake.service(LIMIT);
    let written = service.write(&name("KEY"), "x").unwrap_err();
    assert!(written.to_string().contains("locked"), "{written}");
    let key = (
        "hookloop extension tools".to_owned(),
        "KEY of /e".to_owned(),
    );
    fake.items.lock().unwrap().insert(key, b"x".to_vec());
    let read = service.read(&name("KEY")).unwrap_err();
    assert!(read.to_string().contains("locked"), "{read}");
}

/// EX-3: no bus, a bus without the service, and a socket without a listener count as no keyring.
#[test]
fn no_keyring_is_told_from_one_that_fails() {
    let absent = |service: SecretService| {
        let error = service.read(&name("KEY")).unwrap_err();
        assert!(matches!(error, KeyringError::Absent(_)), "{error}");
    };
    absent(SecretService::new(None, LIMIT));
    absent(SecretService::new(
        Some("unix:path=/nowhere/bus".to_owned()),
        LIMIT,
    ));
    absent(SecretService::new(Some("launchd:env=X".to_owned()), LIMIT));
    absent(Fake::new(Manner::Vacant).service(LIMIT));
}

/// EX-3: a bus that disconnects, or sends what isn't a message, is a keyring that failed.
#[test]
fn a_bus_that_makes_no_sense_is_reported() {
    // A header contains the lengths of the body and the fields: here, two gigabytes.
    let endless = b"l\x02\0\x01\0\0\0\x80\x02\0\0\0\0\0\0\x80";
    let fields_without_end = b"l\x02\0\x01\0\0\0\0\x02\0\0\0\x08\0\0\0\x05\x01g\0\xff\xff\xff\xff";
    let nested = b"l\x02\0\x01\0\0\0\0\x02\0\0\0\x08\0\0\0\x05\x05((((\0\0";
    let babble: [&[u8]; 4] = [&[b'x'; 64], endless, fields_without_end, nested];
    let rude: [&[u8]; 5] = [
        b"",
        b"\r\n",
        b"\xff\xfe\r\n",
        b"OK 1234\r\n",
        b"REJECTED\r\n",
    ];
    let babbling = babble.into_iter().map(Manner::Babbling);
    for manner in babbling.chain(rude.into_iter().map(Manner::Rude)) {
        let read = Fake::new(manner).service(LIMIT).read(&name("KEY"));
        assert!(
            matches!(read, Err(KeyringError::Failed(_))),
            "{manner:?}: {read:?}"
        );
    }
}

/// EX-3: an answer with another structure than the service's is a keyring that failed.
#[test]
fn an_answer_of_another_shape_is_reported() {
    let read = Fake::new(Manner::Confused)
        .service(LIMIT)
        .read(&name("KEY"));
    assert!(matches!(read, Err(KeyringError::Failed(_))), "{read:?}");
}

/// EX-3: a bus that says nothing is abandoned at the limit.
#[test]
fn a_silent_bus_is_given_up() {
    let limit = Duration::from_millis(50);
    let read = Fake::new(Manner::Silent).service(limit).read(&name("KEY"));
    assert_eq!(read, Err(KeyringError::TimedOut(limit)));
}
