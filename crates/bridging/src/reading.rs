//! Standard input: read to its end, so that no agent sees a broken pipe (BR-31).

use std::io::Read;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Map, Value};

/// Reads the payload; an error says what is wrong, as a sentence without its end.
pub(crate) fn payload(longest: Duration) -> Result<Map<String, Value>, String> {
    let (sender, receiver) = mpsc::sync_channel(1);
    // An agent may leave it open: the reader must not keep the answer from being given.
    let reader = std::thread::Builder::new().name("payload".to_owned());
    let read = move || {
        let mut bytes = Vec::new();
        let result = std::io::stdin().lock().read_to_end(&mut bytes);
        let _ = sender.send(result.map(|_| bytes));
    };
    if let Err(error) = reader.spawn(read) {
        return Err(format!("standard input can't be read: {error}"));
    }
    match receiver.recv_timeout(longest) {
        Ok(Ok(bytes)) => parse(&bytes),
        Ok(Err(error)) => Err(format!("standard input can't be read: {error}")),
        Err(_) => Err("standard input didn't end in time".to_owned()),
    }
}

fn parse(bytes: &[u8]) -> Result<Map<String, Value>, String> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(payload)) => Ok(payload),
        Ok(_) => Err("the payload isn't a JSON object".to_owned()),
        Err(error) => Err(format!("the payload isn't JSON: {error}")),
    }
}
