//! Inputs that try to break the loader.

use std::fmt::Write as _;

use hookloop_settings::LayerState;
use proptest::prelude::*;

use crate::fixture::{Fixture, hooks, labels, load_text, told};

/// ST-5: nesting without end isn't JSON, and exhausts nothing.
#[test]
fn deep_nesting_is_survived() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let text = format!(
            "{{\"x\": {}1{}}}",
            open.repeat(1_000_000),
            close.repeat(1_000_000)
        );
        let settings = load_text(text);
        assert_eq!(settings.problems.len(), 1);
        assert_eq!(settings.problems[0].code.as_str(), "invalid_json");
        assert!(settings.problems[0].snippet.as_ref().unwrap().len() < 2000);
    }
    let brackets_in_texts = format!("{{\"x\": \"{}\"}}", "[".repeat(100_000));
    assert_eq!(told(&load_text(brackets_in_texts).problems), [""; 0]);
}

/// ST-5: a very long text is read like any other.
#[test]
fn long_texts_are_read() {
    let long = "x".repeat(5 * 1024 * 1024);
    let settings = load_text(hooks("BeforeTool", &[&long, "b"]));
    assert_eq!(settings.hooks[0].command().len(), long.len());
    assert_eq!(settings.hooks[1].command(), "b");
    let settings = load_text(format!("{{\"hooks\": {{\"{long}\": []}}}}"));
    assert_eq!(told(&settings.problems), ["unknown_event 1:12"]);
    assert!(settings.problems[0].message.len() < 1000);
}

/// ST-5: a file that is too large isn't read into memory.
#[test]
fn huge_files_are_refused() {
    let fixture = Fixture::new().user(hooks("BeforeTool", &["u"]));
    let file = fixture.write("project/.gemini/settings.json", "");
    std::fs::File::options()
        .write(true)
        .open(file)
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    let settings = fixture.load();
    assert_eq!(told(&settings.problems), ["unreadable_file"]);
    assert_eq!(labels(&settings), ["u"]);
}

/// ST-5: bytes that aren't UTF-8 are reported at the first one.
#[test]
fn invalid_utf8_is_reported() {
    let settings = load_text(b"{\n\"\xC3\xA9\xFF\": 1}");
    assert_eq!(told(&settings.problems), ["invalid_json 2:3"]);
    assert_eq!(settings.layers[0].state, LayerState::Invalid);
    let settings = load_text(b"\xEF\xBB\xBF{\xFF");
    assert_eq!(told(&settings.problems), ["invalid_json 1:2"]);
}

/// ST-5: very many problems are counted, not all kept.
#[test]
fn problems_without_end_are_counted() {
    let mut text = "{\"hooks\": {".to_owned();
    for number in 0..3000 {
        let _ = write!(text, "\"E{number}\": [],");
    }
    let settings = load_text(text + "}}");
    assert_eq!(settings.problems.len(), 1001);
    assert!(
        settings.problems[1000]
            .message
            .contains("2000 further problems")
    );
}

/// ST-5: many hooks in one line get right places.
#[test]
fn ten_thousand_hooks_load() {
    let commands: Vec<String> = (0..10_000).map(|number| format!("c{number}")).collect();
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    let text = hooks("BeforeTool", &commands);
    let last = text.rfind("{\"type\"").unwrap() + 1;
    let settings = load_text(&text);
    assert_eq!(settings.hooks.len(), 10_000);
    assert_eq!(
        settings.hooks[9_999].source.position.unwrap().column as usize,
        last
    );
}

/// ST-5: wrong types at each level of the settings are reported, never more than that.
#[test]
fn wrong_types_at_each_level() {
    for wrong in ["5", "\"x\"", "[3]", "true", "{\"enabled\": 3}"] {
        for key in [
            "hooks",
            "hooksConfig",
            "tools",
            "telemetry",
            "security",
            "model",
            "mcpServers",
        ] {
            let settings = load_text(format!("{{\"{key}\": {wrong}}}"));
            assert_eq!(labels(&settings), [""; 0]);
            assert!(settings.problems.len() <= 1, "{key} {wrong}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// ST-5: no text makes loading panic.
    #[test]
    fn any_text_is_survived(text in "[\\[\\]{}:,\"'/*\\\\ \n\r\t\u{0}a1é-]{0,60}") {
        let settings = load_text(&text);
        prop_assert!(settings.problems.iter().all(|problem| !problem.help.is_empty()));
    }

    /// ST-5: no bytes make loading panic.
    #[test]
    fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        load_text(bytes);
    }

    /// ST-5: no cut or changed settings file makes loading panic.
    #[test]
    fn any_damage_is_survived(cut in 0_usize..240, byte in any::<u8>()) {
        let mut text = br#"{"hooks": {"BeforeTool": [{"matcher": "a", "hooks": [{"type": "command", "command": "c", "timeout": "5s", "env": {"A": "b"}}]}]}, "hooksConfig": {"disabled": ["x"], "maxRetries": 3, "locked": []}}"#.to_vec();
        let cut = cut % text.len();
        text[cut] = byte;
        load_text(&text);
        load_text(&text[..cut]);
    }
}
