//! What hooks said in the last turn (TU-6).

use std::collections::VecDeque;
use std::time::Duration;

use hookloop_engine::{Concluded, RunRecord, RunResult};
use hookloop_hook::Mode;

use crate::styled::{Line, Style, Tone};
use hookloop_text::{visible_cells, visible_row};

/// How many runs are kept; a hook for every chunk of a response makes many.
const MAX_RUNS: usize = 200;
/// How many lines of what a hook said are shown.
const LINES: usize = 12;

/// A run of a hook, as far as it is reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HookRun {
    pub(crate) event: String,
    pub(crate) label: String,
    pub(crate) result: RunResult,
    /// Whether its answer had no effect, because it runs in shadow.
    pub(crate) mode: Mode,
    pub(crate) duration: Duration,
    /// What it said, with the kind of each text.
    pub(crate) said: Vec<(&'static str, String)>,
}

impl HookRun {
    fn of(record: &RunRecord) -> Self {
        let mut said = Vec::new();
        let mut say = |what, text: &str| {
            if !text.trim().is_empty() {
                said.push((what, text.trim().to_owned()));
            }
        };
        if let Some(failure) = &record.failure {
            say("failed", &failure.to_string());
        }
        match record.recordable_content() {
            None => say("said", "(it keeps its output out of records)"),
            Some(content) => {
                if let Some(reply) = &content.reply {
                    let texts = [
                        ("reason", &reply.reason),
                        ("stop reason", &reply.stop_reason),
                        ("message", &reply.system_message),
                    ];
                    for (what, text) in texts {
                        say(what, text.as_deref().unwrap_or_default());
                    }
                    for (name, value) in &reply.specific {
                        let text = match value.as_str() {
                            Some(text) => format!("{name}: {text}"),
                            None => format!("{name}: {value}"),
                        };
                        say("answer", &text);
                    }
                }
                say("stderr", &content.stderr);
            }
        }
        Self {
            event: record.event.to_string(),
            label: record.hook.label().to_owned(),
            result: record.result,
            mode: record.hook.mode,
            duration: record.duration,
            said,
        }
    }

    /// Returns whether another run would read the same.
    fn reads_like(&self, other: &Self) -> bool {
        let key = |it: &Self| {
            (
                it.event.clone(),
                it.label.clone(),
                it.result,
                it.said.clone(),
            )
        };
        key(self) == key(other)
    }
}

/// The runs of one turn, oldest first; identical ones are grouped.
#[derive(Debug, Default)]
pub(crate) struct LastTurn {
    runs: VecDeque<(HookRun, usize)>,
    /// How many of them were dropped because there were too many.
    given_up: usize,
}

/// Returns the runs of an event that ended.
pub(crate) fn runs_of(concluded: &Concluded) -> Vec<HookRun> {
    concluded.runs.iter().map(|it| HookRun::of(it)).collect()
}

impl LastTurn {
    /// Returns the hook that refused with a text which is part of the error, unless its name is,
    /// too.
    pub(crate) fn refused_by(&self, error: &str) -> Option<&str> {
        let (_, error) = error.split_once("Tool execution blocked: ")?;
        let runs = self.runs.iter().rev().map(|(run, _)| run);
        let mut refused =
            runs.filter(|it| it.result == RunResult::Refused && it.mode != Mode::Shadow);
        let found = refused.find(|it| {
            !error.contains(&it.label)
                && it
                    .said
                    .iter()
                    .any(|(_, text)| error.contains(text.as_str()))
        });
        found.map(|it| it.label.as_str())
    }

    /// Forgets everything: another turn begins.
    pub(crate) fn begin(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn add(&mut self, runs: Vec<HookRun>) {
        for run in runs {
            match self.runs.back_mut() {
                Some((last, times)) if last.reads_like(&run) => {
                    last.duration += run.duration;
                    *times += 1;
                }
                _ => self.runs.push_back((run, 1)),
            }
        }
        while self.runs.len() > MAX_RUNS {
            self.runs.pop_front();
            self.given_up += 1;
        }
    }

    /// Draws the runs, for the scrollback.
    pub(crate) fn lines(&self) -> Vec<Line> {
        if self.runs.is_empty() {
            return vec![Line::plain("No hook ran in the last turn.")];
        }
        let mut lines = vec![Line::new(
            "What hooks said in the last turn:",
            Style::default().strong(),
        )];
        if self.given_up > 0 {
            let text = format!("… {} earlier runs: hookloop hooks trace", self.given_up);
            lines.push(Line::new(text, Tone::Faint));
        }
        for (run, times) in &self.runs {
            lines.push(head(run, *times));
            for (what, text) in &run.said {
                let text = visible_cells(text);
                for (index, row) in text.lines().take(LINES).enumerate() {
                    let name = if index == 0 {
                        format!("    {what}: ")
                    } else {
                        "      ".to_owned()
                    };
                    lines.push(Line::new(name, Tone::Faint).with(row, Tone::Plain));
                }
                let left_out = text.lines().count().saturating_sub(LINES);
                if left_out > 0 {
                    let text = format!("      … {left_out} more lines");
                    lines.push(Line::new(text, Tone::Faint));
                }
            }
        }
        lines
    }
}

fn head(run: &HookRun, times: usize) -> Line {
    let (word, tone) = word(run.result, run.mode);
    let times = match times {
        1 => String::new(),
        times => format!(" {times} times"),
    };
    // A number and its unit stay together.
    let took = format!(" · {}\u{a0}ms{times}", run.duration.as_millis());
    Line::new(format!("  {} ", visible_row(&run.event)), Tone::Accent)
        .with(visible_row(&run.label), Style::default().strong())
        .with(format!(" · {word}"), tone)
        .with(took, Tone::Faint)
}

const fn word(result: RunResult, mode: Mode) -> (&'static str, Tone) {
    match (result, mode) {
        (RunResult::Proceed, _) => ("no objection", Tone::Good),
        (RunResult::Failed, _) => ("failed", Tone::Bad),
        (RunResult::Ask, Mode::Active) => ("asked", Tone::Warning),
        (RunResult::Refused, Mode::Active) => ("refused", Tone::Bad),
        (RunResult::Stopped, Mode::Active) => ("stopped", Tone::Bad),
        (RunResult::Ask, _) => ("would have asked (in shadow)", Tone::Faint),
        (RunResult::Refused, _) => ("would have refused (in shadow)", Tone::Faint),
        (RunResult::Stopped, _) => ("would have stopped (in shadow)", Tone::Faint),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(label: &str, result: RunResult, said: &[(&'static str, &str)]) -> HookRun {
        HookRun {
            event: "BeforeTool".to_owned(),
            label: label.to_owned(),
            result,
            mode: Mode::Active,
            duration: Duration::from_millis(12),
            said: said
                .iter()
                .map(|(what, it)| (*what, (*it).to_owned()))
                .collect(),
        }
    }

    fn texts(turn: &LastTurn) -> Vec<String> {
        turn.lines().iter().map(Line::text).collect()
    }

    /// TU-6: each run is reported with its result and what the hook said; identical ones are
    /// grouped, and one in shadow says so.
    #[test]
    fn the_runs_of_a_turn_are_told() {
        let mut turn = LastTurn::default();
        assert_eq!(texts(&turn), ["No hook ran in the last turn."]);
        let quiet = run("quiet", RunResult::Proceed, &[]);
        turn.add(vec![quiet.clone(), quiet]);
        turn.add(vec![run(
            "guard",
            RunResult::Refused,
            &[("reason", "no\nnever")],
        )]);
        turn.add(vec![HookRun {
            mode: Mode::Shadow,
            ..run("new", RunResult::Ask, &[])
        }]);
        let expected = [
            "What hooks said in the last turn:",
            "  BeforeTool quiet · no objection · 24\u{a0}ms 2 times",
            "  BeforeTool guard · refused · 12\u{a0}ms",
            "    reason: no",
            "      never",
            "  BeforeTool new · would have asked (in shadow) · 12\u{a0}ms",
        ];
        assert_eq!(texts(&turn), expected);
        turn.begin();
        assert_eq!(texts(&turn).len(), 1);
    }

    /// TU-6, OUT-9: what a hook wrote contains no terminal control sequences, and a flood of runs
    /// is limited, with a note about what is missing.
    #[test]
    fn what_is_told_is_harmless_and_bounded() {
        let mut turn = LastTurn::default();
        for index in 0..MAX_RUNS + 3 {
            let said = format!("\x1b[2J{index}");
            turn.add(vec![run("loud", RunResult::Failed, &[("stderr", &said)])]);
        }
        let texts = texts(&turn);
        assert!(texts.iter().all(|it| !it.contains('\x1b')));
        assert_eq!(texts[1], "… 3 earlier runs: hookloop hooks trace");
        assert_eq!(texts.len(), 2 + 2 * MAX_RUNS);
    }
}
