//! Random histories: whatever the model answers, hooks say or fail to say, and the user answers and
//! cancels, the promises hold.
//!
//! A history is a tape of bytes that every choice is read from, so a failing one shrinks to a short
//! tape, and plays the same each time: one thread, virtual time, nothing from outside.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use hookloop_agent::{Consent, LiveFate, TurnEnd};
use hookloop_engine::{Concluded, Lifecycle};
use hookloop_model::Content;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{RngSeed, TestCaseError, TestRunner};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::stage::{
    Act, Answer, HookBook, Log, Plot, Screen, Shown, Stage, Step, StubTool, TURN, call, chunk,
    denies, hook, says, thought,
};

/// Where choices are read from; at its end every choice is the simplest one.
#[derive(Clone)]
struct Tape(Arc<Mutex<std::vec::IntoIter<u8>>>);

impl Tape {
    fn below(&self, bound: u8) -> u8 {
        self.0.lock().unwrap().next().unwrap_or_default() % bound
    }
}

/// What hooks decided, as they decided it.
#[derive(Default)]
struct Book {
    /// The calls that a hook refused, by their number.
    refused: HashSet<u64>,
    /// Those that a hook wants the user to be asked about.
    asked: HashSet<u64>,
    /// Values that a hook made, with the hook: it needn't read them again (BT-10).
    made: HashSet<(String, u64)>,
    /// Texts that a hook withheld.
    withheld: HashSet<String>,
    /// Hooks that crashed, once per crash.
    crashes: Vec<String>,
    stops: u32,
    numbers: u64,
}

impl Book {
    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }
}

/// A hook of a history.
#[derive(Clone)]
struct Actor {
    event: &'static str,
    name: String,
    strict: bool,
    tape: Tape,
    book: Arc<Mutex<Book>>,
    log: Log,
    cancel: CancellationToken,
}

impl Actor {
    fn act(&self, input: &Value) -> Act {
        match self.tape.below(16) {
            9 => {
                self.note_refusal(input);
                denies("no")
            }
            10 => {
                self.note_refusal(input);
                if self.event == "BeforeToolSelection" {
                    return Act::silent();
                }
                self.book.lock().unwrap().stops += 1;
                says(&json!({"continue": false, "stopReason": "halt"}))
            }
            11 => {
                self.note_refusal(input);
                Act::exits(2, "never")
            }
            12 => {
                self.note_failure(input);
                self.book.lock().unwrap().crashes.push(self.name.clone());
                Act::exits(1, "crashed")
            }
            13 => {
                self.note_failure(input);
                Act::Hangs
            }
            14 => {
                self.note_refusal(input);
                self.cancel.cancel();
                Act::Hangs
            }
            15 => self.own_words(input),
            _ => Act::silent(),
        }
    }

    /// Returns what only hooks of this event can say.
    fn own_words(&self, input: &Value) -> Act {
        let specific = |fields: Value| says(&json!({"hookSpecificOutput": fields}));
        match self.event {
            "BeforeTool" if self.tape.below(2) == 0 => {
                let n = number_of(input);
                self.book.lock().unwrap().asked.extend(n);
                says(&json!({"decision": "ask", "reason": "sure?"}))
            }
            "BeforeTool" => {
                let mut book = self.book.lock().unwrap();
                let made = book.number();
                book.made.insert((self.name.clone(), made));
                specific(json!({"tool_input": {"n": made}}))
            }
            "AfterTool" if self.tape.below(2) == 0 => {
                let next = self.book.lock().unwrap().number();
                let request = json!({"name": "look", "args": {"n": next}});
                specific(json!({"tailToolCallRequest": request}))
            }
            "AfterModel" => {
                self.book.lock().unwrap().withheld.extend(word_in(input));
                specific(json!({"llm_response": {
                    "candidates": [{"content": {"role": "model", "parts": ["replaced"]}}]}}))
            }
            "BeforeToolSelection" => specific(json!({"toolConfig": {"mode": "NONE"}})),
            _ => specific(json!({"additionalContext": "by the way"})),
        }
    }

    fn note_failure(&self, input: &Value) {
        if self.strict {
            self.note_refusal(input);
        }
    }

    /// Records that whatever the hook reads may not happen, or must be nowhere.
    fn note_refusal(&self, input: &Value) {
        let mut book = self.book.lock().unwrap();
        match self.event {
            "BeforeTool" => book.refused.extend(number_of(input)),
            "BeforeModel" => self.log.push(Step::Refused),
            "AfterTool" => {
                let secret = input["tool_response"]["llmContent"].as_str();
                let secret = secret.and_then(|it| it.split_whitespace().next());
                let is_one = secret.filter(|it| it.starts_with("secret-"));
                book.withheld.extend(is_one.map(str::to_owned));
            }
            "AfterModel" => book.withheld.extend(word_in(input)),
            _ => {}
        }
    }
}

/// Returns the model's word that a hook reads; a text that another hook made doesn't count.
fn word_in(input: &Value) -> Option<String> {
    let said = input["content"].as_str().unwrap_or_default();
    said.starts_with("word-").then(|| said.to_owned())
}

fn number_of(input: &Value) -> Option<u64> {
    input["tool_input"]["n"].as_u64()
}

fn answer(tape: &Tape, book: &Mutex<Book>) -> Answer {
    let word = || format!("word-{}-", book.lock().unwrap().number());
    let called = |tool: &str| {
        let n = book.lock().unwrap().number();
        call(tool, json!({"n": n}))
    };
    let one = |parts: Value, finish: Option<&str>| Answer::Chunks(vec![chunk(parts, finish)]);
    match tape.below(10) {
        1 | 2 => one(json!([{"text": word()}, called("look")]), Some("STOP")),
        3 => one(
            json!([called("look"), called("look"), called("change")]),
            Some("STOP"),
        ),
        4 => one(
            json!([called("change"), called("look"), called("nothing")]),
            Some("STOP"),
        ),
        5 => Answer::Chunks(vec![
            chunk(json!([{"text": word()}]), None),
            chunk(json!([{"text": word()}, called("change")]), Some("STOP")),
        ]),
        6 => one(json!([{"text": word()}, called("look")]), None),
        7 => one(json!([thought()]), Some("STOP")),
        8 => one(json!([]), Some("MALFORMED_FUNCTION_CALL")),
        9 if tape.below(2) == 0 => Answer::Fails,
        9 => Answer::Cancels,
        _ => one(json!([{"text": word()}]), Some("STOP")),
    }
}

/// What is known about a history afterwards.
struct Told {
    stage: Stage,
    ends: Vec<TurnEnd>,
    book: Arc<Mutex<Book>>,
    /// The names of the hooks of `BeforeTool`.
    guards: Vec<String>,
}

async fn tell(tape: Vec<u8>) -> Told {
    let tape = Tape(Arc::new(Mutex::new(tape.into_iter())));
    let book = Arc::new(Mutex::new(Book::default()));
    let log = Log::default();
    let cancel = CancellationToken::new();
    let mut hooks = HookBook::default();
    let mut guards = Vec::new();
    for event in TURN {
        for index in 0..tape.below(3) {
            let name = format!("{event}-{index}");
            let actor = Actor {
                event,
                name: name.clone(),
                strict: tape.below(2) == 1,
                tape: tape.clone(),
                book: Arc::clone(&book),
                log: log.clone(),
                cancel: cancel.clone(),
            };
            let declared = hook(event, &name);
            if event == "BeforeTool" {
                guards.push(name);
            }
            let strict = actor.strict;
            let act = Act::decides(move |input| actor.act(input));
            if strict {
                hooks.add_strict(declared, act);
            } else {
                hooks.add(declared, act);
            }
        }
    }
    let count = 1 + tape.below(5);
    let mut answers: Vec<Answer> = (0..count).map(|_| answer(&tape, &book)).collect();
    answers.extend((0..40).map(|_| {
        let word = format!("word-{}-", book.lock().unwrap().number());
        Answer::Chunks(vec![chunk(json!([{"text": word}]), Some("STOP"))])
    }));
    let mut plot = Plot {
        hooks,
        log: log.clone(),
        cancel: cancel.clone(),
        // Anyone who is asked says yes to even numbers.
        screen: Screen::deciding(|arguments| match arguments["n"].as_u64() {
            Some(n) if n % 2 == 0 => Consent::Given,
            _ => Consent::Declined,
        }),
        ..Plot::of(answers)
    }
    .tool(StubTool::revealing("look"))
    .tool(StubTool::revealing_edit("change"));
    plot.limits.model_calls = 12;
    plot.limits.retries = 3;
    let mut stage = plot.stage().await;
    let mut ends = Vec::new();
    for prompt in ["first", "second"] {
        log.push(Step::Prompted);
        ends.push(stage.prompt(prompt).await);
        // A cancelled turn is over; the next one isn't.
        if cancel.is_cancelled() {
            break;
        }
    }
    Told {
        stage,
        ends,
        book,
        guards,
    }
}

/// A "no" is a no, for a call and for a request; a question is a question (promise 1, BT-1, BT-5,
/// BM-4).
fn assert_no_is_no(told: &Told) -> Result<(), TestCaseError> {
    let book = told.book.lock().unwrap();
    let steps = told.stage.log.steps();
    let mut refused = false;
    for (index, step) in steps.iter().enumerate() {
        match step {
            Step::Prompted => refused = false,
            Step::Refused => refused = true,
            Step::Asked(_) => prop_assert!(!refused, "a refused request was made"),
            Step::Ran(tool, arguments) => {
                let n = arguments["n"].as_u64().unwrap();
                prop_assert!(
                    !book.refused.contains(&n),
                    "{tool} {n} was refused, and ran"
                );
                let asked = book.asked.contains(&n) || tool == "change";
                prop_assert!(!asked || n % 2 == 0, "{tool} {n} was declined, and ran");
                for guard in &told.guards {
                    let has_read = steps[..index].iter().any(|step| {
                        matches!(step, Step::Hook(fired) if fired.hook == *guard
                            && number_of(&fired.input) == Some(n))
                    });
                    let made_it = book.made.contains(&(guard.clone(), n));
                    prop_assert!(has_read || made_it, "{guard} never read {tool} {n}");
                }
            }
            Step::Hook(_) | Step::Confirmed(..) => {}
        }
    }
    Ok(())
}

/// Returns everything that the records of hook runs contain.
fn trace(stage: &Stage) -> String {
    let mut trace = String::new();
    for lifecycle in stage.observed() {
        let Lifecycle::Concluded(concluded) = lifecycle else {
            continue;
        };
        for run in &concluded.runs {
            let content = &run.content;
            trace.push_str(&content.input.text());
            trace.push_str(&content.stdout);
            trace.push_str(&content.stderr);
            write!(trace, "{:?}{:?}", content.reply, run.failure).unwrap();
        }
        let Concluded {
            messages,
            notices,
            summary,
            ..
        } = &concluded;
        write!(trace, "{messages:?}{notices:?}{summary:?}").unwrap();
    }
    trace
}

/// Nothing that was withheld is in any record, on the screen, or with the model (AT-1, AM-2, AM-3).
fn assert_withheld_is_nowhere(told: &Told) -> Result<(), TestCaseError> {
    let withheld = &told.book.lock().unwrap().withheld;
    if withheld.is_empty() {
        return Ok(());
    }
    let stage = &told.stage;
    let requests = stage.model.requests().into_iter().map(|it| it.json);
    let shown = stage.screen.shown().into_iter();
    let shown = shown.filter(|it| !matches!(it, Shown::Progress(_)));
    let places = [
        ("transcript", stage.transcript()),
        ("telemetry", stage.telemetry()),
        ("trace", trace(stage)),
        ("requests", requests.collect()),
        ("screen", format!("{:?}", shown.collect::<Vec<_>>())),
    ];
    for text in withheld {
        for (place, record) in &places {
            prop_assert!(
                !record.contains(text.as_str()),
                "{text} is in the {place}: {record}"
            );
        }
    }
    Ok(())
}

/// Live output of a result that was withheld is removed (AT-1).
fn assert_live_output_is_taken_back(told: &Told) -> Result<(), TestCaseError> {
    for shown in told.stage.screen.shown() {
        if let Shown::Finished {
            error: Some(error),
            live,
            ..
        } = shown
            && (error.starts_with("Tool result blocked") || error.starts_with("Agent execution"))
        {
            let never_ran = error.starts_with("Agent execution") && live == LiveFate::Stands;
            prop_assert!(!never_ran && live == LiveFate::WithheldContent, "{error}");
        }
    }
    Ok(())
}

/// Every call of the model got exactly one result, in the model's order, and a resumed session
/// continues with exactly this history (LO-2, SE-10, SE-11).
fn assert_each_call_has_one_result(told: &Told) -> Result<(), TestCaseError> {
    let history = told.stage.history();
    for (index, content) in history.iter().enumerate() {
        let calls: Vec<_> = content.function_calls().map(|it| &it.name).collect();
        let next = history.get(index + 1);
        let responses = next.into_iter().flat_map(Content::function_responses);
        let responses: Vec<_> = responses.map(|it| &it.name).collect();
        prop_assert_eq!(calls, responses, "{:#?}", history);
    }
    prop_assert_eq!(told.stage.resumed(), history);
    Ok(())
}

/// Hooks that crashed are reported, each time (promise 2).
fn assert_never_silently_off(is_reported: &Told) -> Result<(), TestCaseError> {
    let mut reported: Vec<String> = Vec::new();
    for lifecycle in is_reported.stage.observed() {
        if let Lifecycle::Concluded(concluded) = lifecycle {
            let failed = concluded.runs.iter().filter(|run| run.failure.is_some());
            for run in failed {
                let label = run.hook.label().to_owned();
                let is_reported = concluded.notices.iter().any(|it| it.hook.contains(&label));
                prop_assert!(
                    is_reported || told_by_cancel(run),
                    "nobody was told of {label}"
                );
                reported.push(label);
            }
        }
    }
    for crash in &is_reported.book.lock().unwrap().crashes {
        let place = reported.iter().position(|it| it == crash);
        prop_assert!(place.is_some(), "{crash} crashed in silence");
        reported.swap_remove(place.unwrap());
    }
    Ok(())
}

/// Returns whether a run was ended with its turn: that is the user's doing, and not reported.
fn told_by_cancel(run: &hookloop_engine::RunRecord) -> bool {
    run.ending.kind() == "cancelled"
}

/// A stop ends the turn as a stop, unless the user cancelled meanwhile (OUT-3).
fn assert_a_stop_stops(told: &Told) -> Result<(), TestCaseError> {
    let stops = told.book.lock().unwrap().stops;
    let stopped = told
        .ends
        .iter()
        .filter(|end| matches!(end, TurnEnd::Stopped(_) | TurnEnd::Cancelled));
    prop_assert!(stops == 0 || stopped.count() > 0, "{:?}", told.ends);
    Ok(())
}

fn check(tape: Vec<u8>) -> Result<(), TestCaseError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let reported = runtime.block_on(tell(tape));
    assert_no_is_no(&reported)?;
    assert_withheld_is_nowhere(&reported)?;
    assert_live_output_is_taken_back(&reported)?;
    assert_each_call_has_one_result(&reported)?;
    assert_never_silently_off(&reported)?;
    assert_a_stop_stops(&reported)
}

/// What each of the tests below tries. They share the seed of the run, so each begins at another
/// place: with the same one, they would all try the same histories.
fn histories_of(part: u64) -> ProptestConfig {
    let shared = ProptestConfig::default();
    ProptestConfig {
        cases: 2_500,
        failure_persistence: None,
        rng_seed: match shared.rng_seed {
            RngSeed::Fixed(seed) => RngSeed::Fixed(seed ^ (part << 40)),
            RngSeed::Random => RngSeed::Random,
        },
        ..shared
    }
}

fn tape() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..80)
}

macro_rules! histories {
    ($($name:ident: $part:literal),*) => {
        $(
            proptest! {
                #![proptest_config(histories_of($part))]
                /// BT-1, AT-1, LO-2, OUT-3, EV-5: the promises hold in every history.
                #[test]
                fn $name(tape in tape()) {
                    check(tape)?;
                }
            }
        )*

        /// The tests try ten thousand histories together, and not a part of them several times.
        #[test]
        fn each_part_tries_histories_of_its_own() {
            let parts = [$($part),*];
            let firsts = parts.map(|part| {
                let mut runner = TestRunner::new(histories_of(part));
                let tapes = (0..10).map(|_| tape().new_tree(&mut runner).unwrap().current());
                tapes.collect::<Vec<_>>()
            });
            let distinct: HashSet<_> = firsts.iter().collect();
            assert_eq!(distinct.len(), parts.len());
            let cases = parts.map(|part| histories_of(part).cases);
            assert_eq!(cases.into_iter().sum::<u32>(), 10_000);
        }
    };
}

// Four parts, which run in parallel: ten thousand histories.
histories!(
    the_promises_hold_in_every_history: 0,
    the_promises_hold_in_more_histories: 1,
    the_promises_hold_in_yet_more_histories: 2,
    the_promises_hold_in_all_histories: 3
);
