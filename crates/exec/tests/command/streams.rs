use std::time::Duration;

use hookloop_engine::events::llm::{LlmMessage, LlmRequest, Role};
use hookloop_engine::events::{BeforeModel, BeforeModelInput, EventName, Payload, payload};
use hookloop_engine::{Ending, Executor as _, Lifetime};

use crate::support::{Stage, direct, shell};

const MEBIBYTE: usize = 1024 * 1024;

/// IO-2: a hook that never reads its input, or closes it, does no harm at 10 MiB.
#[tokio::test]
async fn unread_input_does_no_harm() {
    let stage = Stage::new();
    for command in [
        direct("exit 0"),
        shell("exit 0"),
        direct("close-stdin reply {} exit 0"),
    ] {
        let mut invocation = stage.invocation(&command);
        invocation.input = vec![b'x'; 10 * MEBIBYTE].into();
        let completion = stage.executor().execute(invocation).await;
        assert_eq!(completion.ending, Ending::Exited(0), "{command}");
    }
}

/// IO-2: input and output flow at the same time, so that large ones don't block each other.
#[tokio::test]
async fn large_input_is_read_while_output_is_written() {
    let stage = Stage::new();
    let input: Vec<u8> = (0..10 * MEBIBYTE)
        .map(|at| u8::try_from(at % 251).unwrap())
        .collect();
    for command in [
        direct("echo-stdin"),
        shell("echo-stdin"),
        "tee /dev/stderr".to_owned(),
    ] {
        let mut invocation = stage.invocation(&command);
        invocation.input = input.clone().into();
        invocation.max_output_bytes = 16 * MEBIBYTE;
        let completion = stage.executor().execute(invocation).await;
        assert_eq!(completion.ending, Ending::Exited(0), "{command}");
        assert!(completion.stdout.bytes[..] == input[..], "{command}");
        assert!(!completion.stdout.is_cut());
    }
}

/// IO-17: the largest cap that can be configured is one, too.
#[tokio::test]
async fn the_largest_cap_is_survived() {
    let stage = Stage::new();
    let mut invocation = stage.invocation(&direct("stdout out"));
    invocation.max_output_bytes = usize::MAX;
    let completion = stage.executor().execute(invocation).await;
    assert_eq!(completion.stdout.bytes, b"out");
}

/// IO-1: a payload that shares its history with others arrives as one object, through a pipe and
/// through a file, whatever its length.
#[tokio::test]
async fn a_payload_in_pieces_is_one_object() {
    let stage = Stage::new();
    for length in [20_000, 65_000, 3 * MEBIBYTE] {
        let mut invocation = stage.invocation(&direct("echo-stdin"));
        invocation.event = EventName::BeforeModel;
        invocation.max_output_bytes = 16 * MEBIBYTE;
        let llm_request = LlmRequest {
            model: "m".to_owned(),
            messages: vec![LlmMessage {
                role: Role::User,
                content: "é\n".repeat(length / 4),
            }],
            config: serde_json::Map::new(),
            tool_config: None,
        };
        let input = BeforeModelInput {
            llm_request: llm_request.into(),
        };
        invocation.input = payload::<BeforeModel>(&invocation.session, "now", &input);
        assert!(
            !invocation.input.pieces()[1].is_empty(),
            "it has a shared piece"
        );
        let timeout = Duration::from_mins(10);
        for lifetime in [Lifetime::Bound, Lifetime::Detached { timeout }] {
            invocation.lifetime = lifetime;
            let completion = stage.executor().execute(invocation.clone()).await;
            assert!(completion.stdout.bytes == invocation.input.text().as_bytes());
            assert!(serde_json::from_slice::<serde_json::Value>(&completion.stdout.bytes).is_ok());
        }
    }
}

/// IO-1: the input ends with end of file, also an empty one.
#[tokio::test]
async fn input_ends() {
    let stage = Stage::new();
    let mut invocation = stage.invocation(&direct("echo-stdin stdout !"));
    let completion = stage.executor().execute(invocation.clone()).await;
    assert_eq!(completion.stdout.bytes, b"{}!");
    invocation.input = Payload::default();
    assert_eq!(
        stage.executor().execute(invocation).await.stdout.bytes,
        b"!"
    );
}

/// IO-1: a hook that closes its outputs first still gets all of its input.
#[tokio::test]
async fn input_is_delivered_after_the_outputs_are_closed() {
    let stage = Stage::new();
    let mut invocation =
        stage.invocation(&direct("close-stdout close-stderr save-stdin input exit 0"));
    invocation.input = vec![b'x'; 3 * MEBIBYTE].into();
    let completion = stage.executor().execute(invocation).await;
    assert_eq!(completion.ending, Ending::Exited(0));
    assert_eq!(stage.read("input").len(), 3 * MEBIBYTE);
}

/// IO-16: a character that is split over two writes arrives whole; bytes are never changed.
#[tokio::test]
async fn bytes_arrive_as_written() {
    let stage = Stage::new();
    let completion = stage.run(&direct("half-char")).await;
    assert_eq!(
        completion.stdout.bytes,
        "{\"systemMessage\":\"hé\"}".as_bytes()
    );
    let completion = stage.run(&direct("invalid-utf8")).await;
    assert_eq!(completion.stdout.bytes, b"caf\xe9 \xff");
}

/// IO-15: standard error is captured beside standard output.
#[tokio::test]
async fn both_outputs_are_captured() {
    let completion = Stage::new()
        .run(&direct("stdout out stderr err stdout more"))
        .await;
    assert_eq!(completion.stdout.bytes, b"outmore");
    assert_eq!(completion.stderr.bytes, b"err");
}

/// IO-17: past the cap output is read and dropped, and counted.
#[tokio::test]
async fn output_is_capped() {
    let stage = Stage::new();
    for (cap, flood) in [(0, 1), (1, 100_000), (4096, 4097), (100_000, 5_000_000)] {
        let mut invocation = stage.invocation(&direct(&format!(
            "flood-stdout {flood} flood-stderr {flood} exit 3"
        )));
        invocation.max_output_bytes = cap;
        let completion = stage.executor().execute(invocation).await;
        assert_eq!(completion.ending, Ending::Exited(3));
        for captured in [&completion.stdout, &completion.stderr] {
            assert_eq!((captured.bytes.len(), captured.total), (cap, flood));
            assert!(captured.is_cut());
        }
    }
}

/// IO-17: output of just the cap's length isn't cut.
#[tokio::test]
async fn output_up_to_the_cap_is_whole() {
    let stage = Stage::new();
    for cap in [1, 4096, 65536, 300_000] {
        let mut invocation = stage.invocation(&direct(&format!("flood-stdout {cap}")));
        invocation.max_output_bytes = cap;
        let completion = stage.executor().execute(invocation).await;
        assert_eq!(completion.stdout.bytes.len(), cap);
        assert!(!completion.stdout.is_cut());
    }
}
