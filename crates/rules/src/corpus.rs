//! Measuring guards against commands whose answer is known (HT-41).

use serde_json::{Map, json};

use crate::effects::Places;
use crate::facts::{Call, facts_of};
use crate::guards::Guard;
use crate::rules::RuleSet;

/// The corpora of a guard.
#[derive(Debug, Clone, Copy)]
pub struct Corpus {
    /// The guard.
    pub guard: &'static str,
    /// Commands that it has to refuse or ask about, one a line; `\n` is a line break.
    pub dangerous: &'static str,
    /// Commands that it has to leave alone.
    pub harmless: &'static str,
}

macro_rules! corpus {
    ($guard:literal) => {
        Corpus {
            guard: $guard,
            dangerous: include_str!(concat!("../../../guards/corpus/", $guard, ".dangerous.txt")),
            harmless: include_str!(concat!("../../../guards/corpus/", $guard, ".harmless.txt")),
        }
    };
}

/// All corpora.
pub const CORPORA: &[Corpus] = &[
    corpus!("dangerous-commands"),
    corpus!("env-files"),
    corpus!("branch-policy"),
    corpus!("package-install"),
    corpus!("network"),
];

/// What came of measuring a guard.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Measured {
    /// How many dangerous commands there are.
    pub dangerous: usize,
    /// Those that passed.
    pub missed: Vec<String>,
    /// How many harmless commands there are.
    pub harmless: usize,
    /// Those that were refused or asked about.
    pub false_alarms: Vec<String>,
}

/// Tells what a set of rules says about a command, as the call of a tool.
pub fn judge_command(rules: &RuleSet, command: &str, places: &Places) -> crate::rules::Judgement {
    let payload = json!({
        "hook_event_name": "BeforeTool",
        "session_id": "",
        "cwd": places.workspace,
        "tool_name": "run_shell_command",
        "tool_input": {"command": command},
    });
    rules.judge(&facts_of(&Call {
        payload: &payload,
        places,
    }))
}

/// Measures a guard against its corpora, with its options as they are by default.
pub fn measure(guard: &Guard, corpus: &Corpus) -> Measured {
    let rules = guard.rules_with(&Map::new()).unwrap_or_default();
    let Ok(rules) = RuleSet::read(&rules) else {
        return Measured::default();
    };
    let places = Places {
        workspace: "/home/u/p".to_owned(),
        home: "/home/u".to_owned(),
        branch: Some("feature/x".to_owned()),
        protected_branches: vec!["*".to_owned()],
        ..Places::default()
    };
    let refused = |line: &str| {
        let command = line.replace("\\n", "\n");
        judge_command(&rules, &command, &places)
            .strictest()
            .is_some()
    };
    let mut measured = Measured::default();
    for line in corpus.dangerous.lines().filter(|it| !it.trim().is_empty()) {
        measured.dangerous += 1;
        if !refused(line) {
            measured.missed.push(line.to_owned());
        }
    }
    for line in corpus.harmless.lines().filter(|it| !it.trim().is_empty()) {
        measured.harmless += 1;
        if refused(line) {
            measured.false_alarms.push(line.to_owned());
        }
    }
    measured
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::{CORPORA, measure};
    use crate::guards::guard;

    /// HT-41: of the ways past a guard at least 95 of 100 are refused or asked about, and of the
    /// harmless commands at most one of 100.
    #[test]
    fn guards_keep_what_they_promise() {
        let mut failures = String::new();
        for corpus in CORPORA {
            let measured = measure(&guard(corpus.guard).unwrap(), corpus);
            let too_many_missed = measured.missed.len() * 20 > measured.dangerous;
            let too_many_alarms = measured.false_alarms.len() * 100 > measured.harmless;
            if too_many_missed || too_many_alarms {
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
