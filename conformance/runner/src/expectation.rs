//! Compares the result of a case with what it expects; every difference is reported.

mod processes;
mod records;

use std::fs;

use serde_json::{Map, Value};

use crate::case::{Case, Expect, Fields, Streams};
use crate::hook_script;
use crate::launch::{Finished, eventually};
use crate::matching::{mismatch, mismatches};
use crate::world::World;

/// Returns everything that isn't as expected.
pub(crate) fn check(world: &World, case: &Case, finished: &Finished) -> Vec<String> {
    let expect = &case.expect;
    let mut wrong = Vec::new();
    if !expect.any_exit && finished.code != Some(expect.exit) {
        wrong.push(format!(
            "exit code: expected {}, found {:?}",
            expect.exit, finished.code
        ));
    }
    wrong.extend(check_text("stdout", &expect.stdout, &finished.stdout));
    wrong.extend(check_text("stderr", &expect.stderr, &finished.stderr));
    wrong.extend(check_output(expect, &finished.stdout));
    wrong.extend(check_files(world, &expect.files));
    wrong.extend(check_inputs(world, expect));
    wrong.extend(records::check(world, expect));
    wrong.extend(processes::check(world, expect));
    let took = finished.duration.as_millis();
    if expect
        .took
        .under_ms
        .is_some_and(|bound| took > u128::from(bound))
        || expect
            .took
            .over_ms
            .is_some_and(|bound| took < u128::from(bound))
    {
        wrong.push(format!("it took {took} ms"));
    }
    wrong
}

fn check_text(what: &str, expected: &Streams, text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if expected.is.as_ref().is_some_and(|whole| whole != text) {
        wrong.push(format!(
            "{what}: expected {:?}, found {text:?}",
            expected.is
        ));
    }
    let missing = expected.contains.iter().filter(|it| !text.contains(*it));
    wrong.extend(missing.map(|it| format!("{what}: {it:?} is missing")));
    let unwanted = expected.lacks.iter().filter(|it| text.contains(*it));
    wrong.extend(unwanted.map(|it| format!("{what}: {it:?} must not occur")));
    for (part, count) in &expected.counts {
        let found = text.matches(part.as_str()).count();
        if found != *count {
            wrong.push(format!(
                "{what}: {part:?} occurs {found} times, expected {count}"
            ));
        }
    }
    let mut rest = text;
    for part in &expected.in_order {
        match rest.split_once(part.as_str()) {
            Some((_, after)) => rest = after,
            None => wrong.push(format!("{what}: {part:?} is missing, or out of order")),
        }
    }
    wrong
}

fn check_output(expect: &Expect, stdout: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if !expect.json.is_empty() {
        match serde_json::from_str::<Value>(stdout) {
            Ok(value) => wrong.extend(mismatches(&expect.json, &value)),
            Err(error) => wrong.push(format!("stdout isn't one JSON value: {error}")),
        }
    }
    if !expect.lines.is_empty() {
        match hook_script::noted(stdout) {
            Ok(lines) => wrong.extend(in_order("stdout", &expect.lines, &lines)),
            Err(error) => wrong.push(error),
        }
    }
    wrong
}

fn in_order(what: &str, expected: &[Fields], found: &[Value]) -> Vec<String> {
    let mut rest = found.iter();
    expected
        .iter()
        .filter(|fields| !rest.any(|line| mismatches(fields, line).is_empty()))
        .map(|fields| format!("{what}: no line with {}", Value::Object((*fields).clone())))
        .collect()
}

fn check_files(world: &World, files: &Map<String, Value>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, expected) in files {
        let path = world.path(name);
        let found = || {
            let bytes = fs::read(&path).ok()?;
            Some(Value::from(String::from_utf8_lossy(&bytes).into_owned()))
        };
        let expected = match expected {
            Value::Null => Value::Object(Map::from_iter([("$absent".to_owned(), true.into())])),
            other => other.clone(),
        };
        // Hooks that continue after the program has ended write a little later.
        eventually(|| mismatch(&expected, found().as_ref()).is_none());
        let mismatch = mismatch(&expected, found().as_ref());
        wrong.extend(mismatch.map(|it| format!("file {name}: {it}")));
    }
    wrong
}

fn check_inputs(world: &World, expect: &Expect) -> Vec<String> {
    let notes = world.root.join("inputs");
    let mut wrong = Vec::new();
    for (hook, expected) in &expect.hook_inputs {
        let read = || fs::read_to_string(notes.join(format!("{hook}.jsonl"))).unwrap_or_default();
        eventually(|| hook_script::noted(&read()).is_ok_and(|it| it.len() >= expected.len()));
        match hook_script::noted(&read()) {
            Err(error) => wrong.push(format!("{hook}: {error}")),
            Ok(found) if found.len() != expected.len() => wrong.push(format!(
                "hook {hook} ran {} times, expected {}: {}",
                found.len(),
                expected.len(),
                Value::Array(found)
            )),
            Ok(found) => {
                for (index, (fields, input)) in expected.iter().zip(&found).enumerate() {
                    let each = mismatches(fields, input);
                    wrong.extend(
                        each.iter()
                            .map(|it| format!("hook {hook}, run {}: {it}", index + 1)),
                    );
                }
            }
        }
    }
    if let Some(order) = &expect.order {
        let text = fs::read_to_string(notes.join("order")).unwrap_or_default();
        let found: Vec<&str> = text.lines().collect();
        if found != *order {
            wrong.push(format!(
                "hooks started in the order {found:?}, expected {order:?}"
            ));
        }
    }
    wrong
}
