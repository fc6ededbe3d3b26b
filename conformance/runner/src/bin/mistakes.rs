//! Prints how the program handles the mistakes of the catalogue (CM-11): a score, and what is
//! wrong.

use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use hookloop_conformance::{CaseFolder, Verdict, find_mistakes, make_mistake};

fn main() -> ExitCode {
    let cases = find_mistakes();
    let results = judge_all(&cases);
    let (text, all_well) = report(&results);
    match io::stdout().write_all(text.as_bytes()) {
        Ok(()) if all_well => ExitCode::SUCCESS,
        Ok(()) | Err(_) => ExitCode::FAILURE,
    }
}

type Judged<'a> = (&'a CaseFolder, Result<Verdict, String>);

fn judge_all(cases: &[CaseFolder]) -> Vec<Judged<'_>> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(cases.len()));
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let judged = make_mistake(case);
                    if let Ok(mut results) = results.lock() {
                        results.push((case, judged));
                    }
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_by(|left, right| left.0.name.cmp(&right.0.name));
    results
}

fn report(results: &[Judged<'_>]) -> (String, bool) {
    let mut text = String::new();
    for (case, judged) in results {
        let wrong = match judged {
            Ok(verdict) if verdict.wrong.is_empty() => continue,
            Ok(verdict) => verdict.wrong.join("\n"),
            Err(error) => error.clone(),
        };
        text.extend([&case.name, "\n", &wrong, "\n\n"]);
    }
    let count = |holds: fn(&Verdict) -> bool| {
        let verdicts = results
            .iter()
            .filter_map(|(_, judged)| judged.as_ref().ok());
        verdicts.filter(|verdict| holds(verdict)).count()
    };
    let silent = count(|it| it.silent);
    let score = format!(
        "{} mistakes: place told {}, cause told {}, remedy told {}, as expected {}, silent {silent}\n",
        results.len(),
        count(|it| it.place),
        count(|it| it.cause),
        count(|it| it.remedy),
        count(|it| it.wrong.is_empty()),
    );
    text.push_str(&score);
    let all_well = silent == 0 && count(|it| it.wrong.is_empty()) == results.len();
    (text, all_well)
}
