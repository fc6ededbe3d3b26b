//! The Secret Service against a fake one, which speaks D-Bus over a socket of its own.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Arc, Mutex};
use std::thread;

use super::wire::{ByteOrder, Reader};
use super::*;

/// How the fake behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Obliging,
    /// Everything is locked, and only a person could unlock it.
    Locked,
    /// Accepts connections and says nothing.
    Silent,
    /// Answers with bytes that mean nothing.
    Babbling,
    /// The bus is there, and nobody offers the service.
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
        let items = Items::default();
        let served = Arc::clone(&items);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let items = Arc::clone(&served);
                thread::spawn(move || serve(stream, manner, &items));
            }
        });
        Self {
            address: format!("unix:path={},guid=0", path.display()),
            _folder: folder,
            items,
        }
    }

    fn service(&self, limit: Duration) -> SecretService {
        SecretService::new(Some(self.address.clone()), limit)
    }
}

/// A call, as far as the fake looks at it.
struct Call {
    serial: u32,
    member: String,
    path: String,
    body: Vec<u8>,
}

fn read_call(source: &mut impl Read) -> Option<Call> {
    let mut fixed = [0; 16];
    source.read_exact(&mut fixed).ok()?;
    let number = |place: usize| {
        Reader::new(&fixed[place..], ByteOrder::Little)
            .number()
            .unwrap()
    };
    let (body, serial, fields) = (number(4) as usize, number(8), number(12) as usize);
    let padded = (16 + fields).next_multiple_of(8) - 16;
    let mut rest = vec![0; padded + body];
    source.read_exact(&mut rest).ok()?;
    let mut call = Call {
        serial,
        member: String::new(),
        path: String::new(),
        body: rest.split_off(padded),
    };
    // The fields begin at a multiple of eight too.
    let mut reader = Reader::new(&rest[..fields], ByteOrder::Little);
    while reader.is_before(fields) {
        let code = reader.align(8)?.byte()?;
        match reader.signature()? {
            "g" => {
                reader.signature()?;
            }
            _ => match (code, reader.text()?.to_owned()) {
                (1, text) => call.path = text,
                (3, text) => call.member = text,
                _ => {}
            },
        }
    }
    Some(call)
}

fn answer(serial: u32, error: Option<&str>, body: Writer) -> Vec<u8> {
    let body = body.into_bytes();
    let mut message = Writer::default();
    let kind = if error.is_some() { 3 } else { 2 };
    message.byte(b'l').byte(kind).byte(0).byte(1);
    message.number(u32::try_from(body.len()).unwrap()).number(1);
    message.list(8, |fields| {
        fields.align(8).byte(5).signature("u").number(serial);
        if let Some(error) = error {
            fields.align(8).byte(4).signature("s").text(error);
        }
    });
    message.align(8).extend(&body);
    message.into_bytes()
}

fn serve(stream: UnixStream, manner: Manner, items: &Items) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut stream = stream;
    if manner == Manner::Silent {
        drop(reader.read_to_end(&mut Vec::new()));
        return None;
    }
    reader.read_until(b'\n', &mut Vec::new()).ok()?;
    stream.write_all(b"OK 1234\r\n").ok()?;
    reader.read_until(b'\n', &mut Vec::new()).ok()?;
    while let Some(call) = read_call(&mut reader) {
        if manner == Manner::Babbling {
            stream.write_all(&[b'x'; 64]).ok()?;
            continue;
        }
        // A signal that nobody waits for comes before each answer.
        let mut signal = answer(0, None, Writer::default());
        signal[1] = 4;
        stream.write_all(&signal).ok()?;
        if manner == Manner::Vacant && call.member != "Hello" {
            let error = "org.freedesktop.DBus.Error.ServiceUnknown";
            let mut body = Writer::default();
            body.text("nobody is there");
            stream
                .write_all(&answer(call.serial, Some(error), body))
                .ok()?;
            continue;
        }
        let body = carry_out(&call, manner, items)?;
        stream.write_all(&answer(call.serial, None, body)).ok()?;
    }
    None
}

/// Reads a dictionary of texts.
fn pairs(reader: &mut Reader<'_>) -> Option<HashMap<String, String>> {
    let mut pairs = HashMap::new();
    let length = reader.number()?;
    reader.align(8)?;
    // Both of our attributes.
    for _ in 0..if length == 0 { 0 } else { 2 } {
        let key = reader.align(8)?.text()?.to_owned();
        pairs.insert(key, reader.text()?.to_owned());
    }
    Some(pairs)
}

fn key(pairs: &HashMap<String, String>) -> (String, String) {
    (pairs["service"].clone(), pairs["account"].clone())
}

fn carry_out(call: &Call, manner: Manner, items: &Items) -> Option<Writer> {
    let mut arguments = Reader::new(&call.body, ByteOrder::Little);
    let mut items = items.lock().unwrap();
    let mut body = Writer::default();
    let list = |body: &mut Writer, texts: &[String]| {
        body.list(4, |list| {
            for text in texts {
                list.text(text);
            }
        });
    };
    let path_of = |key: &(String, String)| {
        let bytes = format!("{}\n{}", key.0, key.1);
        bytes.bytes().fold("/item/".to_owned(), |path, byte| {
            path + &format!("{byte:02x}")
        })
    };
    match call.member.as_str() {
        "Hello" => {
            body.text(":1.1");
        }
        "OpenSession" => {
            assert_eq!(arguments.text(), Some("plain"));
            body.signature("s").text("").text("/session");
        }
        "SearchItems" => {
            let key = key(&pairs(&mut arguments)?);
            let found: Vec<String> = items.keys().filter(|it| **it == key).map(path_of).collect();
            let none = Vec::new();
            let (open, shut) = match manner {
                Manner::Locked => (&none, &found),
                _ => (&found, &none),
            };
            list(&mut body, open);
            list(&mut body, shut);
        }
        "Unlock" if manner == Manner::Locked => {
            list(&mut body, &[]);
            body.text("/prompt");
        }
        "Unlock" => {
            list(&mut body, &arguments.text_list()?);
            body.text("/");
        }
        "ReadAlias" => {
            body.text("/collection");
        }
        "GetSecret" => {
            let (_, secret) = items.iter().find(|(key, _)| path_of(key) == call.path)?;
            body.text("/session")
                .byte_list(&[])
                .byte_list(secret)
                .text("text/plain");
        }
        "CreateItem" => {
            arguments.number()?;
            arguments.align(8)?.text()?;
            arguments.signature()?;
            arguments.text()?;
            arguments.align(8)?.text()?;
            arguments.signature()?;
            let attributes = pairs(&mut arguments)?;
            assert_eq!(arguments.align(8)?.text(), Some("/session"));
            arguments.byte_list()?;
            let secret = arguments.byte_list()?.to_vec();
            arguments.text()?;
            assert_eq!(arguments.number(), Some(1), "an older value is replaced");
            items.insert(key(&attributes), secret);
            body.text("/item/new").text("/");
        }
        "Delete" => {
            items.retain(|key, _| path_of(key) != call.path);
            body.text("/");
        }
        other => panic!("{other} is not expected"),
    }
    Some(body)
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

/// EX-3: a keyring that is locked says so; nothing is stored or read.
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

/// EX-3: no bus, a bus without the service, and a socket that nobody listens at are no keyring.
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
    let babble = Fake::new(Manner::Babbling)
        .service(LIMIT)
        .read(&name("KEY"));
    assert!(matches!(babble, Err(KeyringError::Failed(_))), "{babble:?}");
}

/// EX-3: a bus that says nothing is given up at the limit.
#[test]
fn a_silent_bus_is_given_up() {
    let limit = Duration::from_millis(50);
    let read = Fake::new(Manner::Silent).service(limit).read(&name("KEY"));
    assert_eq!(read, Err(KeyringError::TimedOut(limit)));
}
