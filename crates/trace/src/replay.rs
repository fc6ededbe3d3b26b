//! The differences between a recorded firing and a current one (CM-6).

use hookloop_engine::RunEnding;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::run::StoredRun;

/// One difference (`cli-json.md` §3, `changes`).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// The hook's name, else its command.
    pub label: String,
    /// The path of the field, such as `reply.decision`.
    pub field: String,
    /// The recorded value; null if there was none.
    pub before: Value,
    /// The current value; null if there is none.
    pub after: Value,
}

/// Compares the runs of a recorded firing with current ones (CM-6). Runs are paired by the hook's
/// identity, or otherwise by its label. A run without a counterpart differs in all its fields,
/// `result` first.
///
/// Ids, times and durations aren't compared, because they differ in every run. Nor is standard
/// output if the reply is the same: only its spelling differs.
pub fn changes(recorded: &[StoredRun], today: &[StoredRun]) -> Vec<Change> {
    let pairs = pairs(recorded, today);
    let mut changes = Vec::new();
    for (before, after) in pairs {
        let Some(label) = after.or(before).map(|run| run.label.as_str()) else {
            continue;
        };
        let mut difference = Difference {
            label,
            changes: &mut changes,
        };
        difference.compare_runs(before, after);
    }
    changes
}

type Pair<'a> = (Option<&'a StoredRun>, Option<&'a StoredRun>);

/// Pairs the runs, in the order of the current plan, followed by those that no longer exist.
fn pairs<'a>(recorded: &'a [StoredRun], today: &'a [StoredRun]) -> Vec<Pair<'a>> {
    let mut left: Vec<Option<&StoredRun>> = recorded.iter().map(Some).collect();
    let mut pairs: Vec<Pair<'a>> = today.iter().map(|after| (None, Some(after))).collect();
    let criteria: [fn(&StoredRun, &StoredRun) -> bool; 2] = [
        |before, after| before.hook_id == after.hook_id,
        |before, after| before.label == after.label,
    ];
    for fits in criteria {
        for (before, after) in &mut pairs {
            let (None, Some(after)) = (&before, after) else {
                continue;
            };
            let place = left
                .iter_mut()
                .find(|candidate| candidate.is_some_and(|it| fits(it, after)));
            *before = place.and_then(Option::take);
        }
    }
    pairs.extend(
        left.into_iter()
            .flatten()
            .map(|before| (Some(before), None)),
    );
    pairs
}

struct Difference<'a> {
    label: &'a str,
    changes: &'a mut Vec<Change>,
}

impl Difference<'_> {
    fn compare_runs(&mut self, before: Option<&StoredRun>, after: Option<&StoredRun>) {
        let both = [before, after];
        self.field("result", both, |run| json(&run.result));
        self.field("ending.kind", both, |run| Value::from(run.ending.kind()));
        self.field("ending.exit_code", both, |run| {
            Value::from(run.ending.exit_code())
        });
        self.field("ending.signal", both, |run| signal(&run.ending));
        self.field("failure.kind", both, |run| {
            Value::from(run.failure.as_ref().map(|failure| failure.kind.as_str()))
        });
        self.field("failure.message", both, |run| {
            Value::from(run.failure.as_ref().map(|failure| failure.message.as_str()))
        });
        self.field("truncated", both, |run| Value::from(run.truncated));
        self.field("withheld_env", both, |run| {
            Value::from(run.withheld_env.clone())
        });
        self.field("suppressed", both, |run| Value::from(run.suppressed));
        // If one side is suppressed, the contents can't be compared; the difference itself is
        // reported above (OUT-2).
        if both.into_iter().flatten().any(|run| run.suppressed) {
            return;
        }
        let replies = both.map(|run| run.and_then(|run| parse(run.reply.as_deref())));
        if replies.iter().any(Option::is_none) {
            self.field("stdout", both, |run| Value::from(run.stdout.as_deref()));
        }
        self.field("stderr", both, |run| Value::from(run.stderr.as_deref()));
        let [before, after] = replies.map(Option::unwrap_or_default);
        self.value("reply", &before, &after);
    }

    /// Compares one field of both runs.
    fn field(
        &mut self,
        name: &str,
        runs: [Option<&StoredRun>; 2],
        read: impl Fn(&StoredRun) -> Value,
    ) {
        let [before, after] = runs.map(|run| run.map(&read).unwrap_or_default());
        self.value(name, &before, &after);
    }

    /// Compares two values, and objects key by key, so that the path leads to the difference.
    fn value(&mut self, path: &str, before: &Value, after: &Value) {
        let nothing = Map::new();
        let (old, new) = match (before, after) {
            (Value::Object(old), Value::Object(new)) => (old, new),
            (Value::Object(old), Value::Null) => (old, &nothing),
            (Value::Null, Value::Object(new)) => (&nothing, new),
            _ if before == after => return,
            _ => {
                self.changes.push(Change {
                    label: self.label.to_owned(),
                    field: path.to_owned(),
                    before: before.clone(),
                    after: after.clone(),
                });
                return;
            }
        };
        for (key, value) in old {
            let after = new.get(key).unwrap_or(&Value::Null);
            self.value(&append_key(path, key), value, after);
        }
        for (key, value) in new {
            if !old.contains_key(key) {
                self.value(&append_key(path, key), &Value::Null, value);
            }
        }
    }
}

/// Appends a key to a path; an ambiguous one is quoted in brackets.
fn append_key(path: &str, key: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "_-$".contains(character);
    if !key.is_empty() && key.chars().all(is_plain) {
        format!("{path}.{key}")
    } else {
        format!("{path}[{}]", Value::from(key))
    }
}

fn parse(json: Option<&RawValue>) -> Option<Value> {
    let text = json?.get();
    // JSON that is nested too deeply is compared as text.
    Some(serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)))
}

fn signal(ending: &RunEnding) -> Value {
    Value::from(ending.signal().map(|signal| signal.to_string()))
}

fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}
