//! What hooks that aren't a process for each event cost, beside the same work without the engine.

use std::hint::black_box;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use hookloop_engine::events::llm::LlmResponse;
use hookloop_engine::events::{BeforeModelOutcome, EventName};
use hookloop_engine::{ArrivedChunk, Cleared, ResponseFlow};
use hookloop_exec::places_of;
use hookloop_hook::{Chunks, Handler, HookDeclaration, HttpRequest, Rule, Rules};
use hookloop_model::Request;
use hookloop_rules::{Call, RuleSet, facts_of};
use hookloop_shell::{Surroundings, understand};
use hookloop_tls::{Way, client_config};
use serde_json::{Map, json};

use crate::Outcome;
use crate::host::{Host, call, hook, hook_for, payload_before, variables};
use crate::idle::request;
use crate::pairs::{interleaved, median, nanoseconds, time, time_each};
use crate::table::{Row, time_text};

const LIMIT: Duration = Duration::from_secs(3);
const KIB: usize = 1024;

/// The number of chunks of a response.
const CHUNKS: usize = 200;
/// How long a model takes for a chunk of a response that has to be joined.
const BETWEEN_CHUNKS: Duration = Duration::from_millis(1);

/// A command as agents write them, with a folder, a variable, a pipe and a redirection.
const COMMAND_OF_200_BYTES: &str = "cd crates/engine && RUST_BACKTRACE=1 cargo test --locked \
    --package engine -- --nocapture matcher 2>&1 | tee target/matcher.log | grep -E '^(test|error)' \
    | head -n 40 && git diff --stat HEAD~1 -- src/matcher.rs";

/// A worker in Python: it reads each payload, and has no opinion.
const WORKER: &str = "import json, sys
sys.stdout.write('{\"hookloop\": 1}\\n')
sys.stdout.flush()
for line in sys.stdin:
    frame = json.loads(line)
    if 'payload' in frame:
        sys.stdout.write('{\"id\": %d, \"reply\": {}}\\n' % frame['id'])
        sys.stdout.flush()
";

/// The same hook as a process for each event.
const COMMAND: &str = "import json, sys; json.load(sys.stdin)";

/// A worker without an engine: a process, a line to it, a line back.
struct Bare {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Bare {
    fn start() -> Outcome<Self> {
        let mut child = Command::new("python3")
            .args(["-c", WORKER])
            .env_clear()
            .envs(variables())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().ok_or("it has no input")?;
        let output = child.stdout.take().ok_or("it has no output")?;
        let mut bare = Self {
            child,
            input,
            output: BufReader::new(output),
        };
        bare.read()?;
        Ok(bare)
    }

    fn read(&mut self) -> Outcome<String> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(line)
    }

    fn ask(&mut self, line: &str) -> Outcome<()> {
        self.input.write_all(line.as_bytes())?;
        if self.read()?.contains("reply") {
            return Ok(());
        }
        Err("the worker didn't answer".into())
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn as_worker(hook: HookDeclaration) -> HookDeclaration {
    HookDeclaration {
        handler: Handler::Worker {
            command: "python3".to_owned(),
            args: Some(vec!["-c".to_owned(), WORKER.to_owned()]),
            idle: Duration::from_mins(1),
        },
        ..hook
    }
}

fn as_python(hook: HookDeclaration) -> HookDeclaration {
    HookDeclaration {
        handler: Handler::Command {
            command: "python3".to_owned(),
            args: Some(vec!["-c".to_owned(), COMMAND.to_owned()]),
            shell: None,
        },
        ..hook
    }
}

/// An event with a worker.
pub(crate) fn worker() -> Outcome<Vec<Row>> {
    let host = Host::new(vec![as_worker(hook(0, "", None))])?;
    let call = call(KIB);
    let mut bare = Bare::start()?;
    let line = format!(
        "{{\"id\":1,\"payload\":{}}}\n",
        payload_before(call.clone())?
    );
    let pairs = interleaved(
        LIMIT,
        || {
            let call = call.clone();
            time(|| {
                host.before_tool(call);
                Ok(())
            })
        },
        || time(|| bare.ask(&line)),
    )?;
    host.check(7)?;
    Ok(vec![
        Row::of(
            "event with a worker, 1 KiB",
            "the same worker by a bare pipe",
            &pairs,
        )
        .at_most(1.3, pairs.ratio),
    ])
}

/// An event with a rule.
pub(crate) fn rule() -> Outcome<Vec<Row>> {
    let rules: Vec<Rule> = serde_json::from_value(json!([{
        "name": "no-push",
        "when": "shell.commands.exists(c, c.program == \"git\" && \"push\" in c.args)",
        "then": "deny",
        "reason": "no",
    }]))?;
    let handler = Handler::Rule {
        rules: Rules::Inline(rules.clone()),
    };
    let host = Host::new(vec![HookDeclaration {
        handler,
        ..hook(0, "", None)
    }])?;
    let mut call = call(0);
    let command = "git status --short && cargo build --release | tee build.log";
    Arc::make_mut(&mut call.arguments).insert("command".to_owned(), command.into());
    let payload = json!({"session_id": "s", "cwd": host.session.identity().cwd,
        "tool_name": call.name, "tool_input": call.arguments});
    let set = RuleSet::read(&rules).map_err(|error| error.to_string())?;
    let places = places_of(
        &host.session.identity().cwd,
        &[("HOME".into(), "/root".into())],
    );
    let pairs = interleaved(
        LIMIT,
        || {
            let call = call.clone();
            time(|| {
                host.before_tool(call);
                Ok(())
            })
        },
        || {
            time(|| {
                let facts = facts_of(&Call {
                    payload: &payload,
                    places: &places,
                    asks: set.asks(),
                });
                Ok(set.judge(&facts))
            })
        },
    )?;
    host.check(7)?;
    Ok(vec![
        Row::of(
            "event with a rule about a command",
            "its bare evaluation",
            &pairs,
        )
        .at_most(2.0, pairs.ratio),
    ])
}

/// What understanding a command costs, and an event that all guards with rules judge.
pub(crate) fn guards() -> Outcome<Vec<Row>> {
    let around = Surroundings {
        folder: Some("/home/me/project"),
        home: Some("/home/me"),
        ..Surroundings::default()
    };
    let command = COMMAND_OF_200_BYTES;
    let understood = interleaved(
        LIMIT,
        || {
            Ok(time_each(20, || {
                drop(black_box(understand(command, around)));
            }))
        },
        || Ok(time_each(20, || drop(black_box(command.to_owned())))),
    )?;
    let mut hooks = Vec::new();
    for guard in hookloop_rules::guards()? {
        if guard.event == "BeforeTool" && guard.hook.is_none() {
            let rules = Rules::Inline(guard.rules_with(&Map::new())?);
            hooks.push(HookDeclaration {
                handler: Handler::Rule { rules },
                ..hook(hooks.len(), "", None)
            });
        }
    }
    let count = hooks.len();
    let host = Host::new(hooks)?;
    let idle = Host::new(Vec::new())?;
    let mut call = call(0);
    Arc::make_mut(&mut call.arguments).insert("command".to_owned(), command.into());
    let fire = |host: &Host| {
        let call = call.clone();
        time(|| {
            host.before_tool(call);
            Ok(())
        })
    };
    let judged = interleaved(LIMIT, || fire(&host), || fire(&idle))?;
    host.check(7 * count)?;
    Ok(vec![
        Row::of(
            format!("understanding a command of {} bytes", command.len()),
            "a copy of its text",
            &understood,
        )
        .goal("≤ 30 µs", understood.measured <= 30e3),
        Row::of(
            format!("{count} guards about that command"),
            "an event without hooks",
            &judged,
        )
        .goal("≤ 200 µs", judged.measured <= 200e3),
    ])
}

/// An event with a service.
pub(crate) fn http() -> Outcome<Vec<Row>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/check", listener.local_addr()?);
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            thread::spawn(move || drop(serve(connection)));
        }
    });
    let host = Host::new(vec![HookDeclaration {
        handler: Handler::Http(HttpRequest {
            url: url.clone(),
            ..HttpRequest::default()
        }),
        ..hook(0, "", None)
    }])?;
    let client = reqwest::Client::builder()
        .tls_backend_preconfigured(client_config(Way::Plain)?)
        .no_proxy()
        .build()?;
    let call = call(KIB);
    let body = payload_before(call.clone())?;
    let pairs = interleaved(
        LIMIT,
        || {
            let call = call.clone();
            time(|| {
                host.before_tool(call);
                Ok(())
            })
        },
        || {
            let request = client.post(&url).body(body.clone());
            time(|| {
                let answer = async { request.send().await?.error_for_status()?.bytes().await };
                Ok(host.runtime.block_on(answer)?)
            })
        },
    )?;
    host.check(7)?;
    Ok(vec![
        Row::of(
            "event with a service, 1 KiB",
            "a bare request, connection kept",
            &pairs,
        )
        .at_most(1.2, pairs.ratio),
    ])
}

/// Answers every request with an empty reply, and keeps the connection.
fn serve(connection: TcpStream) -> Outcome<()> {
    connection.set_nodelay(true)?;
    let mut output = connection.try_clone()?;
    let mut input = BufReader::new(connection);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if input.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let lower = line.to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse()?;
            }
            if line == "\r\n" {
                break;
            }
        }
        input.read_exact(&mut vec![0; length])?;
        output.write_all(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}",
        )?;
    }
}

/// A response of 200 chunks through one Python hook.
pub(crate) fn chunks() -> Outcome<Vec<Row>> {
    let of = |number| hook_for(EventName::AfterModel, number, "", None);
    let worker = Host::new(vec![as_worker(of(0))])?;
    let each = Host::new(vec![as_python(of(0))])?;
    let joined = Host::new(vec![HookDeclaration {
        chunks: Chunks::Joined,
        ..as_python(of(0))
    }])?;
    let idle = Host::new(Vec::new())?;
    // The worker is running when the first chunk arrives, as in a session.
    response(&worker, 1)?;
    let pairs = interleaved(
        2 * LIMIT,
        || response(&worker, CHUNKS),
        || response(&each, CHUNKS / 10).map(|tenth| tenth * 10.0),
    )?;
    worker.check(CHUNKS)?;
    let (mut firings, mut firsts) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        let before = joined.proceeded();
        let first = joined_response(&joined)?;
        firings.push(f64::from(joined.proceeded() - before));
        let alone = response(&idle, 1)? + response(&each, 1)?;
        firsts.push(first / alone);
    }
    let (firings, first) = (median(firings), median(firsts));
    let total = pairs.measured;
    Ok(vec![
        Row::of(
            "200 chunks through a Python worker",
            "a process for each chunk",
            &pairs,
        )
        .goal("≤ 15 ms", total <= 15e6),
        Row::new(
            "200 chunks, 1 ms apart, joined",
            format!("{firings} firings"),
        )
        .goal("≤ 10", firings <= 10.0),
        Row::new("first text of it", time_text(first * response(&each, 1)?))
            .beside("without hooks, and one firing", first)
            .at_most(1.2, first),
    ])
}

async fn cleared(host: &Host) -> Outcome<Cleared<Request>> {
    match host.session.before_model(request(1, 10)).await?.outcome {
        BeforeModelOutcome::Send(cleared) => Ok(cleared),
        _ => Err("the request wasn't cleared".into()),
    }
}

/// Passes a response through hooks that read every chunk, and returns how long that takes.
fn response(host: &Host, count: usize) -> Outcome<f64> {
    let text = "a piece of what a model says ";
    let chunk = LlmResponse::of_text(text);
    host.runtime.block_on(async {
        let request = cleared(host).await?;
        let mut text_before = String::new();
        let started = Instant::now();
        for _ in 0..count {
            let arrived = ArrivedChunk {
                response: &chunk,
                text_before: &text_before,
            };
            drop(host.session.after_model(&request, arrived).await?);
            text_before.push_str(text);
        }
        Ok(nanoseconds(started.elapsed()))
    })
}

/// Passes a response through a hook that joins chunks, and returns when its first text was passed
/// on.
fn joined_response(host: &Host) -> Outcome<f64> {
    host.runtime.block_on(async {
        let request = cleared(host).await?;
        let flow = host.session.response_flow(&request);
        let mut flow: ResponseFlow = flow.ok_or("no hook joins chunks")?;
        let started = Instant::now();
        let mut first = None;
        let mut ticks = tokio::time::interval(BETWEEN_CHUNKS);
        let mut sent = 0;
        loop {
            tokio::select! {
                biased;
                _ = ticks.tick(), if sent < CHUNKS => {
                    flow.push(&LlmResponse::of_text("a piece of what a model says "));
                    sent += 1;
                    if sent == CHUNKS {
                        flow.finish();
                    }
                }
                passed = flow.passed() => match passed {
                    Some(text) => {
                        text?;
                        first.get_or_insert_with(|| nanoseconds(started.elapsed()));
                    }
                    None => break,
                },
            }
        }
        Ok(first.ok_or("nothing was passed")?)
    })
}
