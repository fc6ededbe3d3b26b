//! The content of telemetry and transcript.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::check_text;
use crate::case::{Expect, Fields};
use crate::hook_script;
use crate::matching::mismatches;
use crate::world::World;

/// Returns everything that isn't as expected.
pub(crate) fn check(world: &World, expect: &Expect) -> Vec<String> {
    let text = fs::read_to_string(world.telemetry_file()).unwrap_or_default();
    let records: Vec<Value> = match hook_script::noted(&text) {
        Ok(lines) => lines
            .into_iter()
            .map(|line| line["attributes"].clone())
            .collect(),
        Err(error) => return vec![format!("telemetry: {error}")],
    };
    let mut wrong = Vec::new();
    if let Some(expected) = &expect.requests {
        wrong.extend(check_requests(expected, &records));
    }
    for fields in &expect.telemetry {
        if !records
            .iter()
            .any(|record| mismatches(fields, record).is_empty())
        {
            let wanted = Value::Object(fields.clone());
            let kind = &fields["event.name"];
            let near: Vec<_> = records
                .iter()
                .filter(|it| it["event.name"] == *kind)
                .collect();
            wrong.push(format!(
                "telemetry: no record with {wanted}, only {near:#?}"
            ));
        }
    }
    for (kind, count) in &expect.telemetry_counts {
        let found = of_kind(&records, kind).count();
        if found != *count {
            wrong.push(format!(
                "telemetry: {found} records of {kind}, expected {count}"
            ));
        }
    }
    let unwanted = expect
        .telemetry_lacks
        .iter()
        .filter(|it| text.contains(*it));
    wrong.extend(unwanted.map(|it| format!("telemetry: {it:?} must not occur")));
    wrong.extend(check_text(
        "transcript",
        &expect.transcript,
        &transcripts(world),
    ));
    wrong
}

fn of_kind<'r>(records: &'r [Value], kind: &str) -> impl Iterator<Item = &'r Value> {
    let name = format!("gemini_cli.{kind}");
    records
        .iter()
        .filter(move |record| record["event.name"] == name.as_str())
}

fn check_requests(expected: &[Fields], records: &[Value]) -> Vec<String> {
    let sent: Vec<Value> = of_kind(records, "api_request")
        .map(|record| record["request_text"].as_str().unwrap_or_default())
        .map(|text| serde_json::from_str(text).unwrap_or(Value::Null))
        .collect();
    if sent.len() != expected.len() {
        let found = sent.len();
        return vec![format!(
            "{found} requests went to the model, expected {}",
            expected.len()
        )];
    }
    let pairs = expected.iter().zip(&sent).enumerate();
    pairs
        .flat_map(|(index, (fields, request))| {
            let each = mismatches(fields, request);
            each.into_iter()
                .map(move |it| format!("request {}: {it}", index + 1))
        })
        .collect()
}

/// Returns the text of all transcripts.
fn transcripts(world: &World) -> String {
    let mut files = Vec::new();
    collect(&world.home.join(".local/state"), &mut files);
    files.sort();
    files
        .iter()
        .map(|path| fs::read_to_string(path).unwrap_or_default())
        .collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|it| it == "jsonl") {
            files.push(path);
        }
    }
}
