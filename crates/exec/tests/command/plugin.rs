//! Components of WebAssembly and the ways in which they end (HT-20, HT-21).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hookloop_engine::{Completion, Ending, Executor as _, Invocation, StopCause};
use hookloop_hook::{Handler, Layer, Plugin, PluginGrants};
use hookloop_testkit::component;
use serde_json::{Value, json};

use crate::support::Stage;

fn asked(stage: &Stage, plugin: Plugin) -> Invocation {
    let mut invocation = stage.invocation("");
    Arc::make_mut(&mut invocation.hook).handler = Handler::Plugin(plugin);
    invocation
}

fn named(file: &str) -> Plugin {
    Plugin {
        plugin: file.to_owned(),
        ..Plugin::default()
    }
}

fn put(stage: &Stage, file: &str, does: &Value) {
    std::fs::write(stage.path(file), component(does)).unwrap();
}

/// Asks a fresh component that behaves as told.
async fn ask(does: Value) -> Completion {
    let stage = Stage::new();
    put(&stage, "hook.wasm", &does);
    let invocation = asked(&stage, named("hook.wasm"));
    stage.executor().execute(invocation).await
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn failed(completion: &Completion) -> &str {
    match &completion.ending {
        Ending::Failed(why) => why,
        other => panic!("it failed: {other:?}"),
    }
}

fn not_started(completion: &Completion) -> &str {
    match &completion.ending {
        Ending::NotStarted(why) => why,
        other => panic!("it couldn't start: {other:?}"),
    }
}

/// HT-20: a component replies, refuses or has no opinion, and what it logs is beside it.
#[tokio::test]
async fn a_component_answers() {
    let reply = ask(json!({"reply": {"decision": "allow"}, "log": "looked"})).await;
    assert_eq!(reply.ending, Ending::Exited(0), "{reply:?}");
    assert_eq!(text(&reply.stdout.bytes), r#"{"decision":"allow"}"#);
    assert_eq!(text(&reply.stderr.bytes), "info: looked\n");
    let refusal = ask(json!({"refuse": "not here", "log": "looked"})).await;
    assert_eq!(refusal.ending, Ending::Exited(2), "{refusal:?}");
    assert_eq!(text(&refusal.stderr.bytes), "not here");
    assert!(
        text(&refusal.stdout.bytes).contains("looked"),
        "{refusal:?}"
    );
    let none = ask(json!("none")).await;
    assert_eq!((none.ending, none.stdout.total), (Ending::Exited(0), 0));
}

/// HT-21, IO-20: a trap, more memory than is given, and an answer that can't be read are failures
/// of this run, each with its cause; no answer is silently cut or dropped.
#[tokio::test]
async fn a_component_that_misbehaves_fails() {
    for (does, says) in [
        (json!("trap"), "unreachable"),
        (json!("grow"), "64 MiB"),
        (json!({"says": "no object"}), "JSON object"),
        (json!({"says": ""}), "JSON object"),
        (json!({"says": "[{}]"}), "JSON object"),
    ] {
        let completion = ask(does.clone()).await;
        let why = failed(&completion);
        assert!(
            why.to_lowercase().contains(&says.to_lowercase()),
            "{does}: {why}"
        );
    }
    // What can't be read may be a refusal (IO-21).
    for (does, says) in [
        (json!("no_text"), "utf-8"),
        (json!("refuses_no_text"), "utf-8"),
        (json!("astray"), "out of bounds"),
    ] {
        let completion = ask(does.clone()).await;
        let why = not_started(&completion);
        assert!(why.contains(says), "{does}: {why}");
    }
    // What is said beside an answer doesn't affect it.
    let logs = ask(json!("logs_no_text")).await;
    assert_eq!(logs.ending, Ending::Exited(2), "{logs:?}");
    let huge = ask(json!("huge")).await;
    assert_eq!(huge.ending, Ending::Exited(0));
    assert!(huge.stdout.is_cut() && huge.stdout.bytes.len() <= 1024 * 1024);
}

/// HT-20, IO-21: what isn't a component for hooks couldn't start, and says what is wrong.
#[tokio::test]
async fn what_is_not_a_component_for_hooks_could_not_start() {
    for (does, says) in [
        ("core", "wasm32-wasip2"),
        ("other_world", "hookloop:hook/hook@1.0.0"),
        ("other_import", "wasi:http"),
        ("large", "64 MiB"),
    ] {
        let completion = ask(json!(does)).await;
        let why = not_started(&completion);
        assert!(why.contains(says), "{does}: {why}");
    }
    let stage = Stage::new();
    let executor = stage.executor();
    std::fs::write(stage.path("text.wasm"), "#!/bin/sh\n").unwrap();
    std::fs::write(stage.path("cut.wasm"), &component(&json!("none"))[..60]).unwrap();
    std::fs::create_dir(stage.path("folder.wasm")).unwrap();
    for file in ["missing.wasm", "text.wasm", "cut.wasm", "folder.wasm"] {
        let completion = executor.execute(asked(&stage, named(file))).await;
        assert!(not_started(&completion).contains(file), "{completion:?}");
    }
}

/// HT-21, IO-31: a loop without end, a flood and a wait end when they are told to, whether at the
/// start or in the middle; others continue meanwhile.
#[tokio::test]
async fn no_component_outlives_its_deadline() {
    for does in ["loop", "loop_at_start", "flood", "sleep"] {
        let stage = Stage::new();
        put(&stage, "hook.wasm", &json!(does));
        put(&stage, "other.wasm", &json!({"refuse": "no"}));
        let executor = stage.executor();
        let run = async || {
            let invocation = asked(&stage, named("hook.wasm"));
            let stop = invocation.stop.clone();
            let other = async {
                let completion = executor.execute(asked(&stage, named("other.wasm"))).await;
                tokio::time::sleep(Duration::from_millis(50)).await;
                stop.stop(StopCause::TimedOut);
                completion
            };
            tokio::join!(executor.execute(invocation), other)
        };
        let (mut completion, mut other) = run().await;
        // If the compiler is slow, it is asked once it is compiled.
        for _ in 0..100 {
            let is_late = does != "loop_at_start" && completion.ending != Ending::Stopped;
            if is_late {
                not_started(&completion);
                (completion, other) = run().await;
            }
        }
        if does == "loop_at_start" {
            // A component that was never asked has looked at nothing (IO-21).
            assert!(
                not_started(&completion).contains("timeout"),
                "{completion:?}"
            );
        } else {
            assert_eq!(completion.ending, Ending::Stopped, "{does}");
        }
        assert_eq!(other.ending, Ending::Exited(2), "{does}");
        assert!(completion.stderr.bytes.len() <= 1024 * 1024);
    }
}

/// HT-21: each event has an instance of its own, unless one is to stay; one that failed doesn't.
#[tokio::test]
async fn an_instance_stays_where_it_is_told_to() {
    let stage = Stage::new();
    let executor = stage.executor();
    put(&stage, "counts.wasm", &json!("counts"));
    put(&stage, "once.wasm", &json!("refuses_once"));
    let says = async |live: bool| {
        let plugin = Plugin {
            live,
            ..named("counts.wasm")
        };
        let completion = executor.execute(asked(&stage, plugin)).await;
        text(&completion.stdout.bytes)
    };
    for _ in 0..2 {
        assert_eq!(says(false).await, r#"{"systemMessage":"1"}"#);
    }
    for run in 1..4 {
        assert_eq!(says(true).await, format!(r#"{{"systemMessage":"{run}"}}"#));
    }
    let once = Plugin {
        live: true,
        ..named("once.wasm")
    };
    for is_refused in [true, false, true, false] {
        let completion = executor.execute(asked(&stage, once.clone())).await;
        assert_eq!(
            completion.ending == Ending::Exited(2),
            is_refused,
            "{completion:?}"
        );
    }
}

/// HT-21: what the host's calls allocate in an instance that stays is freed: it doesn't grow.
#[tokio::test]
async fn an_instance_that_stays_does_not_grow() {
    let stage = Stage::new();
    let executor = stage.executor();
    put(&stage, "hook.wasm", &json!("reads"));
    let plugin = Plugin {
        live: true,
        ..named("hook.wasm")
    };
    let mut invocation = asked(&stage, plugin);
    // Twenty of them are more than an instance may have.
    invocation.input = format!("{{\"a\":\"{}\"}}", "x".repeat(4 << 20)).into();
    for run in 0..20 {
        let completion = executor.execute(invocation.clone()).await;
        assert_eq!(completion.ending, Ending::Exited(0), "{run}");
    }
}

/// HT-20: a component sees no variable and no folder but those that it was granted, and those of
/// its own entry.
#[tokio::test]
async fn a_component_has_no_rights_but_those_that_were_granted() {
    let stage = Stage::new();
    let executor = stage.executor();
    put(&stage, "environment.wasm", &json!("environment"));
    put(&stage, "folders.wasm", &json!("folders"));
    std::fs::create_dir(stage.path("data")).unwrap();
    let count = async |file: &str, grants: PluginGrants, own: &[&str]| {
        let mut invocation = asked(
            &stage,
            Plugin {
                grants,
                ..named(file)
            },
        );
        let own = own.iter().map(|name| ((*name).to_owned(), "x".to_owned()));
        Arc::make_mut(&mut invocation.hook).env = own.collect::<BTreeMap<_, _>>();
        let completion = executor.execute(invocation).await;
        let said: Value = serde_json::from_slice(&completion.stdout.bytes)
            .unwrap_or_else(|_| panic!("{completion:?}"));
        said["systemMessage"].as_str().unwrap().to_owned()
    };
    let env = |names: &[&str]| PluginGrants {
        env: names.iter().map(|it| (*it).to_owned()).collect(),
        ..PluginGrants::default()
    };
    let read = |names: &[&str]| PluginGrants {
        read: names.iter().map(|it| (*it).to_owned()).collect(),
        ..PluginGrants::default()
    };
    assert_eq!(count("environment.wasm", env(&[]), &[]).await, "0");
    assert_eq!(count("environment.wasm", env(&["HOME"]), &[]).await, "1");
    assert_eq!(
        count("environment.wasm", env(&["NOT_SET"]), &["A", "B"]).await,
        "2"
    );
    assert_eq!(count("folders.wasm", read(&[]), &[]).await, "0");
    assert_eq!(count("folders.wasm", read(&["missing"]), &[]).await, "0");
    // By its name in the settings, and by its real one.
    assert_eq!(count("folders.wasm", read(&["data"]), &[]).await, "2");
}

/// HT-20: what a project grants reaches nothing outside that its words don't name, whatever links
/// lead there; a right that can't be read isn't one.
#[cfg(unix)]
#[tokio::test]
async fn a_grant_of_a_project_means_no_more_than_it_says() {
    let stage = Stage::new();
    let executor = stage.executor();
    put(&stage, "folders.wasm", &json!("folders"));
    let outside = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path(), stage.path("data")).unwrap();
    let run = async |layer: Layer, grants: PluginGrants| {
        let mut invocation = asked(
            &stage,
            Plugin {
                grants,
                ..named("folders.wasm")
            },
        );
        Arc::make_mut(&mut invocation.hook).source.layer = Some(layer);
        executor.execute(invocation).await
    };
    let read = |name: &str| PluginGrants {
        read: vec![name.to_owned()],
        ..PluginGrants::default()
    };
    let net = |address: &str| PluginGrants {
        net: vec![address.to_owned()],
        ..PluginGrants::default()
    };
    let absolute = stage.path("data").to_string_lossy().into_owned();
    for name in ["data", "./data", "../..", "data/../x", &absolute] {
        let completion = run(Layer::Project, read(name)).await;
        assert!(
            not_started(&completion).contains("right to read"),
            "{name}: {completion:?}"
        );
    }
    for (layer, name) in [
        (Layer::User, "data".to_owned()),
        (
            Layer::Project,
            outside.path().to_string_lossy().into_owned(),
        ),
    ] {
        let completion = run(layer, read(&name)).await;
        assert_eq!(completion.ending, Ending::Exited(0), "{name}");
    }
    for address in ["https://a.example", "*:443", "a.example"] {
        let completion = run(Layer::User, net(address)).await;
        assert!(
            not_started(&completion).contains("right to reach"),
            "{address}"
        );
    }
}

/// TR-1, HT-20: the bytes that run are those that somebody agreed to, however the file is reached
/// and whenever it changes.
#[cfg(unix)]
#[tokio::test]
async fn only_the_bytes_that_were_agreed_to_run() {
    use sha2::{Digest as _, Sha256};
    let stage = Stage::new();
    let executor = stage.executor();
    put(&stage, "guard.wasm", &json!({"refuse": "no"}));
    put(&stage, "none.wasm", &json!("none"));
    let real = std::fs::canonicalize(stage.path("guard.wasm")).unwrap();
    let bytes = std::fs::read(&real).unwrap();
    let digest = format!("{:x}", Sha256::digest(&bytes));
    let agreed = Arc::new(BTreeMap::from([(real, digest)]));
    let run = async |file: &str| {
        let mut invocation = asked(&stage, named(file));
        invocation.agreed = Some(Arc::clone(&agreed));
        executor.execute(invocation).await
    };
    std::os::unix::fs::symlink("guard.wasm", stage.path("link.wasm")).unwrap();
    for file in ["guard.wasm", "link.wasm", "./x/../guard.wasm"] {
        let completion = run(file).await;
        let is_there = file != "./x/../guard.wasm" || completion.ending == Ending::Exited(2);
        assert!(is_there, "{file}: {completion:?}");
    }
    let other = run("none.wasm").await;
    assert!(not_started(&other).contains("agreed"), "{other:?}");
    put(&stage, "guard.wasm", &json!("none"));
    for file in ["guard.wasm", "link.wasm"] {
        let completion = run(file).await;
        assert!(
            not_started(&completion).contains("agreed"),
            "{file}: {completion:?}"
        );
    }
}

/// HT-20: compiled components are kept below a private folder, and used again only if unchanged.
#[cfg(unix)]
#[tokio::test]
async fn what_is_compiled_is_kept_under_seal() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut stage = Stage::new();
    let folder = stage.path("compiled");
    stage.surroundings.compiled = Some(folder.clone());
    let executor = stage.executor();
    put(&stage, "guard.wasm", &json!({"refuse": "kept under seal"}));
    let completion = executor.execute(asked(&stage, named("guard.wasm"))).await;
    assert_eq!(completion.ending, Ending::Exited(2), "{completion:?}");
    let rights = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(rights(&folder), 0o700);
    let files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|it| it.unwrap().path())
        .collect();
    assert_eq!(files.len(), 2, "{files:?}");
    for file in &files {
        assert_eq!(rights(file), 0o600, "{file:?}");
    }
}

/// HT-21: memory stays flat over many events, fresh and live.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn memory_stays_flat_over_many_events() {
    const EVENTS: usize = 1000;
    const MOST_GROWTH: u64 = 8 << 20;
    let stage = Stage::new();
    let executor = stage.executor();
    put(
        &stage,
        "hook.wasm",
        &json!({"reply": {"systemMessage": "hello"}, "log": "looked"}),
    );
    for live in [false, true] {
        let run = async |times: usize| {
            for _ in 0..times {
                let plugin = Plugin {
                    live,
                    ..named("hook.wasm")
                };
                let completion = executor.execute(asked(&stage, plugin)).await;
                assert_eq!(completion.ending, Ending::Exited(0), "{completion:?}");
            }
        };
        run(100).await;
        let before = resident();
        run(EVENTS).await;
        let grown = resident().saturating_sub(before);
        assert!(grown < MOST_GROWTH, "{grown} bytes more, live: {live}");
    }
}

/// How many bytes of this process are in memory.
#[cfg(target_os = "linux")]
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = statm.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}
