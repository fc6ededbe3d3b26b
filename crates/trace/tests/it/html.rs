//! The report of a session.

use hookloop_engine::{Failure, RunResult, Suppression};
use hookloop_events::EventName;
use hookloop_trace::html::report;
use serde_json::json;

use crate::store::Trace;
use crate::support::{hook, replying, run, run_of};

const HOSTILE: &str = "</pre><script>alert(1)</script><img src=x onerror='alert(2)'>\" onclick=\"&lt;\u{202e}\u{1b}[31m";

/// Returns the texts between `<` and `>`.
fn tags(page: &str) -> Vec<&str> {
    page.split('<')
        .skip(1)
        .map(|part| part.split('>').next().unwrap())
        .collect()
}

/// CM-6: whatever hooks, files and tools put into a run, the page's markup stays its own.
#[test]
fn hostile_content_is_escaped() {
    let mut declared = hook(EventName::BeforeTool, "x");
    declared.name = Some(HOSTILE.to_owned());
    declared.source.file = std::path::Path::new(HOSTILE).into();
    let mut hostile = run_of(declared, HOSTILE);
    hostile.started_at = HOSTILE.to_owned();
    hostile.content.stdout = HOSTILE.to_owned();
    hostile.content.stderr = HOSTILE.to_owned();
    hostile.content.input = json!({"tool_name": HOSTILE, HOSTILE: 1}).to_string().into();
    hostile.content.reply = replying(EventName::BeforeTool, "x", &json!({"reason": HOSTILE}))
        .content
        .reply;
    hostile.failure = Some(Failure::NotStarted(HOSTILE.to_owned()));
    hostile.withheld_env = vec![HOSTILE.to_owned()];
    let mut trace = Trace::new();
    trace.record(vec![hostile]);
    let page = report(HOSTILE, &trace.all(), &[]);

    let mut harmless = Trace::new();
    let mut plain = run("x", "1");
    plain.content.stdout = "x".to_owned();
    plain.content.stderr = "x".to_owned();
    plain.content.reply = replying(EventName::BeforeTool, "x", &json!({"reason": "x"}))
        .content
        .reply;
    plain.failure = Some(Failure::NotStarted("x".to_owned()));
    plain.withheld_env = vec!["x".to_owned()];
    harmless.record(vec![plain]);
    let expected = report("session", &harmless.all(), &[]);
    assert_eq!(tags(&page), tags(&expected));
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(!page.contains(['\u{202e}', '\u{1b}']));
}

/// CM-6: the page needs nothing from elsewhere and runs no script.
#[test]
fn the_page_is_self_contained() {
    let mut trace = Trace::new();
    trace.record(vec![run("a", "1")]);
    let page = report("session-1", &trace.all(), &[]);
    assert!(page.contains("content=\"default-src 'none'; style-src 'unsafe-inline';"));
    for forbidden in [
        "<script", "<link", "<img", "src=", "href=", "url(", "@import", "http:", "https:",
    ] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    assert!(page.contains("width=device-width"));
    assert!(page.contains("prefers-color-scheme: dark"));
}

/// CM-6: the timeline has each firing with its subject and its runs, in order.
#[test]
fn the_timeline_is_in_order() {
    let mut trace = Trace::new();
    let mut refused = run("guard", "1");
    refused.result = RunResult::Refused;
    trace.record(vec![refused, run("format", "2")]);
    trace.record(vec![run_of(hook(EventName::AfterAgent, "review"), "3")]);
    let page = report("session-1", &trace.all(), &[]);
    assert_eq!(page.matches("<li class=\"firing").count(), 2);
    assert_eq!(page.matches("<li class=\"run ").count(), 3);
    let places: Vec<usize> = [
        "BeforeTool",
        "write_file",
        ">guard<",
        ">format<",
        "AfterAgent",
        ">review<",
    ]
    .map(|text| page.find(text).unwrap())
    .to_vec();
    assert!(places.is_sorted(), "{places:?}");
    assert!(page.contains("/app/.gemini/settings.json:7:11"));
    assert!(page.contains("id=\"show-refused\" checked> refused"));
}

/// OUT-2: the page only shows of a suppressed run that it ran.
#[test]
fn suppressed_content_is_not_shown() {
    let mut trace = Trace::new();
    let mut quiet = run("quiet", "1");
    quiet.content.stdout = "CANARY".to_owned();
    quiet.suppression = Suppression::Suppressed;
    trace.record(vec![quiet]);
    let page = report("session-1", &trace.all(), &[]);
    assert!(!page.contains("CANARY"));
    assert!(page.contains("keeps its content out of records"));
}

/// CM-6: a session without runs, and a text that is too long for a page, are reported as such.
#[test]
fn what_is_missing_is_said() {
    assert!(report("session-1", &[], &[]).contains("No hook ran in this session"));
    let mut trace = Trace::new();
    let mut chatty = run("a", "1");
    chatty.content.stdout = "é".repeat(100_000);
    trace.record(vec![chatty]);
    let page = report("session-1", &trace.all(), &[]);
    assert!(page.contains("134464 more bytes are in the trace"));
}
