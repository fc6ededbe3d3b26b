//! Measures what hooks cost, each figure beside what it should be compared with.
//!
//! ```text
//! cargo bench -p hookloop-benches [-- NAME …]
//! ```
//!
//! A NAME selects the groups whose name contains it; `--list` names them all. See `README.md`.

mod bridge;
mod children;
mod commands;
mod deadlines;
mod dialects;
mod handlers;
mod host;
mod idle;
mod pairs;
mod plugins;
mod program;
mod raw;
mod sessions;
mod table;

use std::env;
use std::error::Error;
use std::io::{Write as _, stderr, stdout};
use std::process::ExitCode;

use table::Row;

/// The result of an action, or why there is none.
pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

/// Figures that are measured together.
struct Group {
    name: &'static str,
    measure: fn() -> Outcome<Vec<Row>>,
}

const GROUPS: [Group; 23] = [
    Group {
        name: "no-hooks",
        measure: idle::no_hooks,
    },
    Group {
        name: "no-match",
        measure: idle::no_match,
    },
    Group {
        name: "planning",
        measure: idle::planning,
    },
    Group {
        name: "command",
        measure: commands::round_trip,
    },
    Group {
        name: "dialects",
        measure: dialects::beside_ours,
    },
    Group {
        name: "without-shell",
        measure: commands::without_shell,
    },
    Group {
        name: "parallel",
        measure: commands::parallel,
    },
    Group {
        name: "worker",
        measure: handlers::worker,
    },
    Group {
        name: "rule",
        measure: handlers::rule,
    },
    Group {
        name: "guards",
        measure: handlers::guards,
    },
    Group {
        name: "http",
        measure: handlers::http,
    },
    Group {
        name: "chunks",
        measure: handlers::chunks,
    },
    Group {
        name: "history",
        measure: commands::history,
    },
    Group {
        name: "large-host",
        measure: children::large_host,
    },
    Group {
        name: "overflow",
        measure: children::overflow,
    },
    Group {
        name: "kept",
        measure: children::kept,
    },
    Group {
        name: "plugin",
        measure: plugins::plugin,
    },
    Group {
        name: "deadline",
        measure: deadlines::deadline,
    },
    Group {
        name: "start",
        measure: program::cold_start,
    },
    Group {
        name: "turn",
        measure: program::turn,
    },
    Group {
        name: "long-session",
        measure: sessions::long_session,
    },
    Group {
        name: "bridge",
        measure: bridge::calls,
    },
    Group {
        name: "hooks-commands",
        measure: program::commands,
    },
];

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(stderr(), "failed to measure: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Outcome<ExitCode> {
    // As a session does.
    hookloop_exec::keep_freed_memory();
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [flag, task, argument] = arguments.as_slice()
        && flag == children::CHILD
    {
        children::be_child(task, argument.parse()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.iter().any(|it| it == "--list") {
        for group in GROUPS {
            writeln!(stdout(), "{}", group.name)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    // Cargo adds `--bench`.
    let names: Vec<&String> = arguments
        .iter()
        .filter(|it| !it.starts_with("--"))
        .collect();
    let is_selected =
        |group: &Group| names.is_empty() || names.iter().any(|name| group.name == *name);
    let (mut rows, mut code) = (Vec::new(), ExitCode::SUCCESS);
    for group in GROUPS.iter().filter(|group| is_selected(group)) {
        writeln!(stderr(), "measuring {} …", group.name)?;
        match (group.measure)() {
            Ok(measured) => rows.extend(measured),
            Err(error) => {
                code = ExitCode::FAILURE;
                rows.push(Row::new(group.name, format!("not measured: {error}")));
            }
        }
    }
    table::print(&rows)?;
    let missed = rows.iter().filter(|row| row.is_missed()).count();
    writeln!(stdout(), "{} figures, {missed} goals missed", rows.len())?;
    Ok(code)
}
