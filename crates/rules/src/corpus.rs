//! Measures guards against commands with known verdicts (HT-41).

use serde_json::{Map, Value, json};

use crate::effects::Places;
use crate::facts::{Call, facts_of};
use crate::guards::{Guard, GuardError};
use crate::rules::{Judgement, RuleSet};

/// The corpora of a guard.
#[derive(Debug, Clone, Copy)]
pub struct Corpus {
    /// The guard.
    pub guard: &'static str,
    /// Commands that it must refuse or ask about, one per line; `\n` is a line break. A line that
    /// is a JSON object is a call with `tool_name` and `tool_input`, or another event with its
    /// name.
    pub dangerous: &'static str,
    /// Commands that it must let pass.
    pub harmless: &'static str,
}

macro_rules! corpus {
    ($guard:literal) => {
        Corpus {
            guard: $guard,
            dangerous: include_str!(concat!("../guards/corpus/", $guard, ".dangerous.txt")),
            harmless: include_str!(concat!("../guards/corpus/", $guard, ".harmless.txt")),
        }
    };
}

/// All corpora.
pub const CORPORA: &[Corpus] = &[
    corpus!("dangerous-commands"),
    corpus!("env-files"),
    corpus!("secrets"),
    corpus!("branch-policy"),
    corpus!("package-install"),
    corpus!("network"),
];

/// The measurements of a guard.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Measured {
    /// The number of dangerous commands.
    pub dangerous: usize,
    /// The dangerous commands that passed.
    pub missed: Vec<String>,
    /// The number of harmless commands.
    pub harmless: usize,
    /// The harmless commands that it refused or asked about.
    pub false_alarms: Vec<String>,
}

impl Measured {
    /// Returns whether at least 95 % of the dangerous lines are stopped, and at most 1 % of the
    /// harmless ones (HT-41).
    pub const fn is_good(&self) -> bool {
        self.missed.len() * 20 <= self.dangerous && self.false_alarms.len() * 100 <= self.harmless
    }
}

/// Returns what a set of rules says about a command in a tool call.
pub fn judge_command(rules: &RuleSet, command: &str, places: &Places) -> Judgement {
    judge_payload(rules, &payload_of_command(command, places), places)
}

/// Returns what a set of rules says about a line of a corpus.
fn judge_line(rules: &RuleSet, line: &str, places: &Places) -> Judgement {
    judge_payload(rules, &payload_of(line, places), places)
}

fn judge_payload(rules: &RuleSet, payload: &Value, places: &Places) -> Judgement {
    rules.judge(&facts_of(&Call {
        payload,
        places,
        asks: rules.asks(),
    }))
}

/// Returns the payload of a line of a corpus.
fn payload_of(line: &str, places: &Places) -> Value {
    let call = serde_json::from_str::<Value>(line)
        .ok()
        .filter(Value::is_object);
    let Some(mut payload) = call else {
        return payload_of_command(&line.replace("\\n", "\n"), places);
    };
    if payload["hook_event_name"].is_null() {
        payload["hook_event_name"] = json!("BeforeTool");
    }
    payload["session_id"] = json!("");
    payload["cwd"] = json!(places.workspace);
    payload
}

fn payload_of_command(command: &str, places: &Places) -> Value {
    json!({
        "hook_event_name": "BeforeTool",
        "session_id": "",
        "cwd": places.workspace,
        "tool_name": "run_shell_command",
        "tool_input": {"command": command},
    })
}

/// Measures a guard against its corpora, with default options.
pub fn measure(guard: &Guard, corpus: &Corpus) -> Result<Measured, GuardError> {
    let rules = RuleSet::read(&guard.rules_with(&Map::new())?)?;
    let places = Places {
        workspace: "/home/u/p".to_owned(),
        home: "/home/u".to_owned(),
        branch: Some("feature/x".to_owned()),
        protected_branches: vec!["*".to_owned()],
        ..Places::default()
    };
    let is_held_up = |line: &&str| judge_line(&rules, line, &places).strictest().is_some();
    let lines = |text: &'static str| text.lines().filter(|it| !it.trim().is_empty());
    let missed = lines(corpus.dangerous).filter(|it| !is_held_up(it));
    let false_alarms = lines(corpus.harmless).filter(is_held_up);
    Ok(Measured {
        dangerous: lines(corpus.dangerous).count(),
        missed: missed.map(str::to_owned).collect(),
        harmless: lines(corpus.harmless).count(),
        false_alarms: false_alarms.map(str::to_owned).collect(),
    })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use serde_json::Map;

    use super::{CORPORA, measure, payload_of};
    use crate::effects::Places;
    use crate::facts::{Call, Facts, facts_of};
    use crate::guards::guard;
    use crate::rules::RuleSet;

    /// HT-25: all guards that judge a call share its facts, and decide as each would alone, in
    /// whatever order they are asked.
    #[test]
    fn shared_facts_change_no_judgement() {
        let guards: Vec<RuleSet> = crate::guards()
            .unwrap()
            .iter()
            .map(|it| RuleSet::read(&it.rules_with(&Map::new()).unwrap()).unwrap())
            .collect();
        let places = Places {
            workspace: "/home/u/p".to_owned(),
            home: "/home/u".to_owned(),
            ..Places::default()
        };
        let lines = CORPORA.iter().flat_map(|it| {
            let harmless = it.harmless.lines().step_by(40);
            it.dangerous.lines().step_by(40).chain(harmless)
        });
        for (at, line) in lines.filter(|it| !it.trim().is_empty()).enumerate() {
            let payload = payload_of(line, &places);
            let call = |rules: &RuleSet| Call {
                payload: &payload,
                places: &places,
                asks: rules.asks(),
            };
            let mut shared = Facts::default();
            for step in 0..guards.len() {
                let rules = &guards[(at + step * 5) % guards.len()];
                let alone = rules.judge(&facts_of(&call(rules)));
                assert_eq!(rules.judge(shared.complete(&call(rules))), alone, "{line}");
            }
        }
    }

    /// HT-41: of the ways past a guard at least 95 of 100 are refused or asked about, and of the
    /// harmless commands at most one of 100.
    #[test]
    fn guards_keep_what_they_promise() {
        let mut failures = String::new();
        for corpus in CORPORA {
            let measured = measure(&guard(corpus.guard).unwrap().unwrap(), corpus).unwrap();
            if !measured.is_good() {
                let _ = write!(
                    failures,
                    "{}: missed {} of {}: {:#?}\nfalse alarms {} of {}: {:#?}\n",
                    corpus.guard,
                    measured.missed.len(),
                    measured.dangerous,
                    measured.missed.iter().take(90).collect::<Vec<_>>(),
                    measured.false_alarms.len(),
                    measured.harmless,
                    measured.false_alarms.iter().take(90).collect::<Vec<_>>(),
                );
            }
        }
        assert!(failures.is_empty(), "{failures}");
    }
}
