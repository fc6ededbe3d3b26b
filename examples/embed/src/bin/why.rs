//! Why: says which hooks would judge a tool call, why the others wouldn't, and what the last ones
//! answered. No hook runs.
//!
//! ```text
//! why PROJECT TOOL
//! ```

use std::error::Error;
use std::io::{self, Write as _};
use std::process::ExitCode;

use hookloop_engine::Subject;
use hookloop_engine::events::EventName;
use hookloop_example_embed::{ended, show_problems};
use hookloop_host::Host;
use hookloop_trace::{FILE_NAME, Limits, RunFilter, TraceStore};

/// How many runs are shown.
const LAST: u32 = 10;

fn main() -> ExitCode {
    ended(explain())
}

fn explain() -> Result<ExitCode, Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let (Some(project), Some(tool)) = (words.next(), words.next()) else {
        return Err("usage: why PROJECT TOOL".into());
    };
    let host = Host::open(project)?;
    show_problems(&host);
    let mut out = io::stdout();
    let explanation = host.explain(EventName::BeforeTool, Subject::Known(&tool));
    for status in &explanation.hooks {
        let label = status.hook.label();
        match status.runs() {
            Some(false) => writeln!(out, "{label} doesn't run")?,
            Some(true) => writeln!(out, "{label} runs")?,
            // Not for a known tool.
            None => writeln!(out, "{label} may run")?,
        }
        for cause in &status.causes {
            writeln!(out, "  {cause}")?;
        }
    }
    let path = host.state_folder().join(FILE_NAME);
    // There is no trace before something was recorded.
    if let Some(trace) = TraceStore::open_existing(&path, Limits::default())? {
        let filter = RunFilter {
            event: Some(EventName::BeforeTool),
            last: Some(LAST),
            ..RunFilter::default()
        };
        for run in trace.runs(&filter)? {
            let (at, label, result) = (&run.started_at, &run.label, run.result.as_str());
            let line = run.summary_line().unwrap_or_default();
            writeln!(out, "{at} {label}: {result} {line}")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
