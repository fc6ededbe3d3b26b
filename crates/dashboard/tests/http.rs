//! The dashboard over real HTTP.
#![expect(clippy::unwrap_used, reason = "a test whose ground is missing fails")]

#[path = "../../trace/src/test_support.rs"]
mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;

use hookloop_dashboard::{Dashboard, Traces};
use hookloop_engine::{Failure, RunRecord, RunResult};
use hookloop_events::EventName;
use hookloop_hook::Mode;
use hookloop_trace::{FILE_NAME, Limits, Loss, Occasion, Origin, TraceStore};
use serde_json::json;
use tempfile::TempDir;

const HOSTILE: &str =
    "</code><script>alert(1)</script><img src=x onerror='alert(2)'>\" onclick=\"&lt;\u{202e}";

/// A dashboard with the traces of some projects.
struct World {
    folder: TempDir,
    url: String,
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let traces = Traces::below(folder.path(), Limits::default());
        let dashboard = Dashboard::bind(traces, 0).unwrap();
        let url = dashboard.url();
        thread::spawn(move || dashboard.serve());
        Self { folder, url }
    }

    /// Writes a firing into the trace of a project.
    fn record(&self, project: &str, agent: Option<&str>, runs: Vec<RunRecord>) {
        let path = self.folder.path().join(project).join(FILE_NAME);
        let occasion = Occasion {
            origin: Origin::Session,
            agent: agent.map(str::to_owned),
        };
        let mut store = TraceStore::open(&path, Limits::default()).unwrap();
        store.record(occasion, &support::shared(runs)).unwrap();
    }

    /// Returns address and token.
    fn parts(&self) -> (&str, &str) {
        let rest = self.url.strip_prefix("http://").unwrap();
        let (address, token) = rest.split_once('/').unwrap();
        (address, token.trim_end_matches('/'))
    }

    fn send(&self, line: &str, host: &str) -> Answer {
        let mut connection = TcpStream::connect(self.parts().0).unwrap();
        write!(connection, "{line} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer {
            status,
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    /// Gets a path below the address.
    fn get(&self, below: &str) -> Answer {
        let (address, token) = self.parts();
        let answer = self.send(&format!("GET /{token}/{below}"), address);
        assert_eq!(answer.status / 100, 2, "{below}: {}", answer.body);
        answer
    }
}

fn refused(name: &str) -> RunRecord {
    let mut run = support::run(name, name);
    run.result = RunResult::Refused;
    run.content.stderr = format!("{name} says no");
    run
}

/// TR-7, CM-6: without the token nothing is shown, even if everything else is right, nor under
/// another host's name.
#[test]
fn only_who_knows_the_address_is_answered() {
    let world = World::new();
    world.record("app", None, vec![refused("guard")]);
    let (address, token) = world.parts();
    assert_eq!(token.len(), 64);
    let wrong = "0".repeat(64);
    for target in [
        "/".to_owned(),
        format!("/{wrong}/"),
        format!("/{}/", &token[..63]),
        format!("/{token}0/"),
        format!("/{token}"),
        format!("/?token={token}"),
        format!("/{token}/../{token}/x"),
        format!("/{wrong}/part"),
    ] {
        let answer = world.send(&format!("GET {target}"), address);
        assert_eq!(answer.status, 404, "{target}");
        assert!(!answer.body.contains("guard") && !answer.body.contains(token));
    }
    for host in [
        "evil.example",
        "evil.example:80",
        "127.0.0.1",
        "localhost:1",
    ] {
        let answer = world.send(&format!("GET /{token}/"), host);
        assert_eq!(answer.status, 421, "{host}");
        assert!(!answer.body.contains("guard"));
    }
    let port = address.rsplit(':').next().unwrap();
    let by_name = world.send(&format!("GET /{token}/"), &format!("localhost:{port}"));
    assert_eq!(by_name.status, 200);
    assert!(by_name.body.contains("guard says no"));
}

/// TR-7: the page can only be read.
#[test]
fn only_looking_is_possible() {
    let world = World::new();
    let (address, token) = world.parts();
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "HEAD"] {
        let answer = world.send(&format!("{method} /{token}/"), address);
        assert_eq!(answer.status, 405, "{method}");
    }
    assert_eq!(world.send("nonsense", address).status, 400);
}

/// CM-6: the page can't load anything from elsewhere, and can be neither framed nor cached.
#[test]
fn the_page_is_closed_up() {
    let world = World::new();
    let answer = world.get("");
    for header in [
        "content-security-policy: default-src 'none'; style-src 'unsafe-inline'; script-src 'self';",
        "frame-ancestors 'none'",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "cache-control: no-store",
    ] {
        assert!(answer.head.contains(header), "{header}");
    }
    assert!(!answer.head.contains("access-control"));
    for forbidden in ["http:", "https:", "url(", "@import", "<link", "<img"] {
        assert!(!answer.body.contains(forbidden), "{forbidden}");
    }
    assert!(answer.body.contains("width=device-width"));
    assert!(
        world
            .get("follow.js")
            .head
            .contains("content-type: text/javascript")
    );
}

/// CM-6: whatever hooks, agents and tools wrote, the markup stays the page's own.
#[test]
fn hostile_text_stays_text() {
    let record = |world: &World, text: &str| {
        let mut declared = support::hook(EventName::BeforeTool, "x");
        declared.name = Some(text.to_owned());
        let mut run = support::run_of(declared, text);
        run.session_id = text.to_owned();
        run.started_at = text.to_owned();
        run.content.stdout = text.to_owned();
        run.content.input = json!({"tool_name": text, "cwd": text}).to_string().into();
        run.failure = Some(Failure::NotStarted(text.to_owned()));
        world.record("app", Some(text), vec![run]);
    };
    let tags = |page: &str| {
        let tags = page.split('<').skip(1);
        let tags = tags.map(|part| part.split_whitespace().next().unwrap().to_owned());
        tags.map(|tag| tag.split('>').next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let (hostile, harmless) = (World::new(), World::new());
    record(&hostile, HOSTILE);
    record(&harmless, "x");
    let query = "?q=%3Cscript%3E%22%3E&session=%22%3E%3Cscript%3E";
    for (one, other) in [("", ""), ("part", "part"), (query, "?q=y&session=y")] {
        let page = hostile.get(one).body;
        assert_eq!(tags(&page), tags(&harmless.get(other).body), "{one}");
        assert!(!page.contains('\u{202e}'));
    }
    let page = hostile.get("").body;
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(!page.contains("onclick=\""));
}

/// BR-30: sessions of all agents and projects are on one page, and can be selected.
#[test]
fn sessions_of_all_agents_stand_together() {
    let world = World::new();
    world.record("app", None, vec![refused("guard")]);
    let mut other = refused("lint");
    other.session_id = "session-of-codex".to_owned();
    world.record("site", Some("codex"), vec![other]);
    let page = world.get("").body;
    assert!(page.contains("session-1") && page.contains("session-of-codex"));
    assert!(page.contains(">codex</span>") && page.contains(">hookloop</span>"));
    let of_codex = world.get("?agent=codex").body;
    assert!(of_codex.contains("lint says no") && !of_codex.contains("guard says no"));
    let of_own = world.get("?agent=hookloop").body;
    assert!(!of_own.contains("lint says no") && of_own.contains("guard says no"));
    let timeline = world
        .get("session?session=session-of-codex&agent=codex&project=site")
        .body;
    assert!(timeline.contains("Hooks of a session") && timeline.contains("lint says no"));
    assert!(!timeline.contains("guard says no"));
}

/// CM-6, HT-2: refusals, rewrites, failures, durations and what shadow mode would have done are
/// counted.
#[test]
fn what_happened_is_counted() {
    let world = World::new();
    let reply = json!({"hookSpecificOutput": {"tool_input": {"command": "ls"}}});
    let rewriting = support::replying(EventName::BeforeTool, "rewriter", &reply);
    let mut failing = support::run("failing", "failing");
    failing.failure = Some(Failure::NotStarted("gone".to_owned()));
    failing.result = RunResult::Failed;
    let mut shadowed = refused("trial");
    Arc::make_mut(&mut shadowed.hook).mode = Mode::Shadow;
    world.record(
        "app",
        None,
        vec![refused("guard"), rewriting, failing, shadowed],
    );
    let page = world.get("").body;
    for (name, number) in [
        ("sessions", "1"),
        ("runs", "4"),
        ("refused or stopped", "1"),
        ("rewritten", "1"),
        ("failed", "1"),
        ("would have counted, in shadow", "1"),
        ("p50", "12.3 ms"),
        ("p95", "12.3 ms"),
    ] {
        let cell = format!("<dt>{name}</dt><dd>{number}</dd>");
        assert!(page.contains(&cell), "{cell} in {page}");
    }
    assert!(page.contains("in shadow: would have counted 1 ×"));
    for (kind, name) in [
        ("refused", "guard"),
        ("rewritten", "rewriter"),
        ("failed", "failing"),
    ] {
        let page = world.get(&format!("?show={kind}")).body;
        let key = |name: &str| format!("data-key=\"{name}\"");
        assert!(page.contains(&key(name)), "{kind}");
        let others = ["guard", "rewriter", "failing"]
            .into_iter()
            .filter(|other| *other != name);
        for other in others {
            assert!(!page.contains(&key(other)), "{kind}: {other}");
        }
    }
}

/// CM-6: a search examines everything that was recorded, ignoring case.
#[test]
fn a_search_finds_what_was_said() {
    let world = World::new();
    world.record("app", None, vec![refused("guard"), refused("lint")]);
    let found = world.get("?q=GUARD+says").body;
    assert!(found.contains("data-key=\"guard\"") && !found.contains("data-key=\"lint\""));
    assert!(
        world
            .get("?q=nothing-of-this-kind")
            .body
            .contains("No run matches.")
    );
}

/// CM-6: a client that has seen everything is told so, and a new run is reported at the next
/// request.
#[test]
fn the_page_follows_the_trace() {
    let world = World::new();
    world.record("app", None, vec![refused("first")]);
    let mark = |page: &str| {
        page.split("data-mark=\"")
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap()
            .to_owned()
    };
    // A minute may end between two looks, which is a change as well; it doesn't twice in a row.
    let is_quiet = |_| {
        let seen = mark(&world.get("part").body);
        world.get(&format!("part?since={seen}")).status == 204
    };
    assert!((0..2).any(is_quiet));
    let seen = mark(&world.get("part").body);
    world.record("app", None, vec![refused("second")]);
    let news = world.get(&format!("part?since={seen}"));
    assert_eq!(news.status, 200);
    assert!(news.body.contains("second says no") && news.body.contains("first says no"));
}

/// CM-6: a trace that can't be read is reported on the page, and hides no other.
#[test]
fn a_broken_trace_is_said() {
    let world = World::new();
    world.record("app", None, vec![refused("guard")]);
    let broken = world.folder.path().join("broken");
    std::fs::create_dir(&broken).unwrap();
    std::fs::write(
        broken.join(FILE_NAME),
        "no database, and longer than a header of one",
    )
    .unwrap();
    let page = world.get("").body;
    assert!(page.contains("role=\"alert\"") && page.contains("broken"));
    assert!(page.contains("guard says no"));
}

/// TR-7: without any trace the page is empty, and nothing is created for it.
#[test]
fn looking_leaves_nothing() {
    let world = World::new();
    assert!(world.get("").body.contains("No hook has run yet"));
    assert_eq!(std::fs::read_dir(world.folder.path()).unwrap().count(), 0);
}

/// TR-7: clients that never send a request don't block others, however many they are and however
/// slowly they send.
#[test]
fn clients_that_say_nothing_keep_nobody_out() {
    let world = World::new();
    let (address, _) = world.parts();
    let mut silent: Vec<TcpStream> = Vec::new();
    for _ in 0..100 {
        let mut connection = TcpStream::connect(address).unwrap();
        // It may have been sent away already.
        let _ = connection.write_all(b"G");
        silent.push(connection);
        if silent.len().is_multiple_of(10) {
            assert_eq!(world.get("").status, 200);
        }
    }
}

/// BR-21: what agents couldn't do is shown, escaped, and found by a search and by its session.
#[test]
fn losses_are_shown() {
    let world = World::new();
    let path = world.folder.path().join("project").join(FILE_NAME);
    let mut store = TraceStore::open(&path, Limits::default()).unwrap();
    let loss = |session_id: &str, text: &str| Loss {
        session_id: session_id.to_owned(),
        agent: "goose".to_owned(),
        event: EventName::BeforeTool,
        lost_at: "2026-01-02T03:04:05.678Z".to_owned(),
        text: text.to_owned(),
    };
    let losses = [loss("one", "no rewrite"), loss("two", HOSTILE)];
    store.lose(&losses).unwrap();
    drop(store);
    let page = world.get("").body;
    assert!(
        page.contains("no rewrite") && page.contains("&lt;img src=x"),
        "{page}"
    );
    assert!(!page.contains("<img"), "{page}");
    for (query, has) in [
        ("?q=REWRITE", true),
        ("?q=question", false),
        ("?session=one", true),
        ("?session=two", false),
    ] {
        assert_eq!(world.get(query).body.contains("no rewrite"), has, "{query}");
    }
}
