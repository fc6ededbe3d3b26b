use std::fs;

use super::*;
use crate::script::{Matching, Script};
use crate::scripted::ScriptedClient;
use crate::test_support::{asking, scripted, stream_line, stream_texts, whole_line, whole_text};

fn recorded(path: &Path, lines: &str) -> RecordingClient {
    RecordingClient::append_to(path, Arc::new(scripted(lines, Matching::Strict))).unwrap()
}

/// MO-5: a recording replays as the session went, and is appended to.
#[tokio::test(flavor = "current_thread")]
async fn a_recording_replays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recorded.jsonl");
    let lines = stream_line(&["a", "b"]) + &whole_line("c") + &stream_line(&[]);
    fs::write(&path, whole_line("before")).unwrap();
    let client = recorded(&path, &lines);
    stream_texts(&client).await.unwrap();
    whole_text(&client).await.unwrap();
    stream_texts(&client).await.unwrap();

    let replay = ScriptedClient::new(Script::load(&path, Matching::Strict).unwrap());
    assert_eq!(whole_text(&replay).await.unwrap(), "before");
    assert_eq!(stream_texts(&replay).await.unwrap(), ["a", "b"]);
    assert_eq!(whole_text(&replay).await.unwrap(), "c");
    assert!(stream_texts(&replay).await.unwrap().is_empty());
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        whole_line("before") + &lines
    );
}

/// MO-5: a response that isn't read to its end is recorded as far as it came.
#[tokio::test(flavor = "current_thread")]
async fn a_dropped_answer_is_recorded_as_far_as_it_came() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recorded.jsonl");
    let client = recorded(&path, &stream_line(&["a", "b"]));
    let request = asking("hello").await;
    let mut stream = client
        .stream(&request, CancellationToken::new())
        .await
        .unwrap();
    stream.next().await.unwrap().unwrap();
    drop(stream);
    assert_eq!(fs::read_to_string(&path).unwrap(), stream_line(&["a"]));
    assert!(client.take_failure().is_none());
}

/// MO-5: a call that fails leaves no line.
#[tokio::test(flavor = "current_thread")]
async fn a_failed_call_leaves_no_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recorded.jsonl");
    let client = recorded(&path, "");
    assert!(stream_texts(&client).await.is_err());
    assert!(whole_text(&client).await.is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "");
}

/// MO-5: a recording that can't be written is an error, at once or at the next call.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "current_thread")]
async fn a_failure_to_record_is_reported() {
    let lines = whole_line("a") + &stream_line(&["b", "c"]) + &stream_line(&["d"]);
    let client = recorded(Path::new("/dev/full"), &lines);
    let error = whole_text(&client).await.unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("record the model's answer in /dev/full: ")
    );

    let request = asking("hello").await;
    let mut stream = client
        .stream(&request, CancellationToken::new())
        .await
        .unwrap();
    stream.next().await.unwrap().unwrap();
    drop(stream);
    assert!(matches!(
        stream_texts(&client).await,
        Err(ModelError::Recording(_))
    ));
    // Reported once; the next response is read, and recording it fails separately.
    let error = stream_texts(&client).await.unwrap_err();
    assert!(matches!(error, ModelError::Recording(_)));
}

/// MO-5: a recording that can't be opened is named.
#[test]
fn a_recording_that_cannot_be_opened_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("no such folder/recorded.jsonl");
    let inner = Arc::new(scripted("", Matching::Strict));
    let error = RecordingClient::append_to(&path, inner).err().unwrap();
    assert!(error.to_string().contains("no such folder"));
}
