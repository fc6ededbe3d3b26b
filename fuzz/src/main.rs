//! The driver: damages committed seeds and feeds them to a target.
//!
//! ```text
//! cargo xtask fuzz <target>|all [--seconds N] [--seed S] [--record]
//! cargo xtask fuzz <target> --input FILE
//! ```

mod drive;
mod mutate;
mod random;
mod reshape;

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use drive::{Ending, Plan, Record, drive, keep, replay};
use hookloop_fuzz::targets::{TARGETS, Target};

const USAGE: &str = "usage: hookloop-fuzz <target>|all [--seconds N] [--seed S] [--record]\n       \
                     hookloop-fuzz <target> --input FILE";

/// What the command line asks for.
struct Request {
    targets: Vec<Target>,
    input: Option<PathBuf>,
    plan: Plan,
}

fn main() -> ExitCode {
    let Some(request) = read_request(env::args().skip(1)) else {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        let _ = writeln!(io::stderr(), "{USAGE}\ntargets: {}", names.join(", "));
        return ExitCode::from(2);
    };
    match run(&request) {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(io::stderr(), "failed to fuzz: {error}");
            ExitCode::FAILURE
        }
    }
}

fn read_request(mut arguments: impl Iterator<Item = String>) -> Option<Request> {
    let name = arguments.next()?;
    let targets: Vec<Target> = TARGETS
        .iter()
        .filter(|target| name == "all" || target.name == name)
        .copied()
        .collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).to_owned();
    let (seed, record) = (1, Record::Broken);
    let mut plan = Plan {
        duration: Duration::from_secs(10),
        seed,
        record,
        folder,
    };
    let mut input = None;
    while let Some(option) = arguments.next() {
        match option.as_str() {
            "--seconds" => plan.duration = Duration::from_secs(arguments.next()?.parse().ok()?),
            "--seed" => plan.seed = arguments.next()?.parse().ok()?,
            "--record" => plan.record = Record::Every,
            "--input" => input = Some(PathBuf::from(arguments.next()?)),
            _ => return None,
        }
    }
    (!targets.is_empty()).then_some(Request {
        targets,
        input,
        plan,
    })
}

fn run(request: &Request) -> io::Result<ExitCode> {
    let mut code = ExitCode::SUCCESS;
    let mut output = io::stdout();
    for target in &request.targets {
        let name = target.name;
        let ending = match &request.input {
            Some(file) => replay(*target, file)?,
            None => drive(*target, &request.plan)?,
        };
        let (what, input) = match ending {
            Ending::Passed(tried) => {
                writeln!(
                    output,
                    "{name}: {tried} inputs, seed {}: passed",
                    request.plan.seed
                )?;
                continue;
            }
            Ending::Panicked(input) => ("panicked", input),
            Ending::Hung(input) => ("didn't come back", input),
        };
        let path = match &request.input {
            Some(file) => file.clone(),
            None => keep(&request.plan.folder, name, &input)?,
        };
        writeln!(output, "{name}: {what}; the input is in {}", path.display())?;
        code = ExitCode::FAILURE;
    }
    Ok(code)
}
