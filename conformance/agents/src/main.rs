//! `cargo xtask agents [NAME…]`: installs real agents into a cache outside of the repository, lets
//! each of them run turns against a scripted model with our bridge as its hook, and looks at what
//! happened on the disk and what the model was told (BR-41). `--page` prints `docs/agents.md` from
//! the results that were recorded (BR-42).
//!
//! Nothing of an agent is part of this repository, and an agent that isn't available is skipped,
//! loudly and counted.

mod example;
mod expected;
mod install;
mod outcome;
mod page;
mod playground;
mod proof;
mod results;
mod times;

use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use hookloop_rehearsal::agents::{AGENTS, Agent};

use install::{Cache, Versions};
use proof::{Bounds, Proof};
use results::{AgentResult, Results};

/// Proves in turns of real agents that what our hooks say is obeyed there.
#[derive(Debug, Parser)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of the command line that stands alone"
)]
#[command(name = "cargo xtask agents", version)]
struct Options {
    /// The agents; those that gate a change without any: claude-code, codex, goose
    #[arg(value_name = "NAME")]
    agents: Vec<String>,
    /// All agents that are known
    #[arg(long, conflicts_with = "agents")]
    all: bool,
    /// Take the newest versions and not those that were observed
    #[arg(long)]
    latest: bool,
    /// Write what was seen to conformance/agents/results.json, and docs/agents.md from it
    #[arg(long, conflicts_with = "latest")]
    record: bool,
    /// Print docs/agents.md from the results that were recorded; runs nothing
    #[arg(long, exclusive = true)]
    page: bool,
    /// Let the guards of `examples/hooks` decide in a turn of each agent, and print its result
    #[arg(long, conflicts_with_all = ["record", "all"])]
    example: bool,
    /// Measure what a hook costs in turns of each agent: its own, and the same through the bridge
    #[arg(long, conflicts_with_all = ["record", "example"])]
    times: bool,
    /// Where agents are installed; without it hookloop-agents in the user's cache folder
    #[arg(long, value_name = "FOLDER")]
    cache: Option<PathBuf>,
    /// The program whose bridge is proven
    #[arg(long, value_name = "FILE", required_unless_present = "page")]
    program: Option<PathBuf>,
    /// Keep the folders of turns, and name them
    #[arg(long)]
    keep: bool,
    /// How many agents take their turns at the same time
    #[arg(long, value_name = "NUMBER", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..))]
    at_once: u8,
    /// Begin no turn after so many seconds; what is left is skipped
    #[arg(long, value_name = "SECONDS")]
    within: Option<u64>,
}

/// How many agents came to which end.
#[derive(Debug, Default)]
struct Tally {
    proven: usize,
    failed: usize,
    skipped: usize,
}

fn main() -> ExitCode {
    let options = Options::parse();
    match run(&options) {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(io::stderr(), "failed: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<ExitCode, Box<dyn std::error::Error>> {
    if options.page {
        let text = page::page(&Results::load()?);
        io::stdout().lock().write_all(text.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let chosen = chosen(options)?;
    let program = options.program.as_deref().unwrap_or("hookloop".as_ref());
    let program = std::fs::canonicalize(program)
        .map_err(|error| format!("{} can't be used: {error}", program.display()))?;
    let versions = versions_of(options);
    let cache = Cache::new(options.cache.as_deref())?;
    if options.example {
        return show_examples(&chosen, &cache, versions, &program);
    }
    if options.times {
        return show_times(&chosen, &cache, versions, &program);
    }
    prove_all(options, chosen, &cache, &program)
}

const fn versions_of(options: &Options) -> Versions {
    if options.latest {
        Versions::Latest
    } else {
        Versions::Observed
    }
}

/// Lets the chosen agents prove what their hooks, bridged, are worth.
fn prove_all(
    options: &Options,
    chosen: Vec<&'static Agent>,
    cache: &Cache,
    program: &Path,
) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut tally = Tally::default();
    let bounds = Bounds {
        end: options
            .within
            .map(|seconds| Instant::now() + Duration::from_secs(seconds)),
        keep: options.keep,
    };
    // One after another: npm alone would have the machine.
    let mut waiting = VecDeque::new();
    for agent in chosen {
        match cache.install(agent, versions_of(options)) {
            Ok(installed) => waiting.push_back((agent, installed)),
            Err(error) => {
                tally.skipped += 1;
                say(&heading(agent))?;
                say(&format!("  SKIPPED: it isn't available: {error}"))?;
            }
        }
    }
    let at_once = usize::from(options.at_once).min(waiting.len());
    let waiting = Mutex::new(waiting);
    let next = || waiting.lock().ok()?.pop_front();
    thread::scope(|scope| {
        let (sender, proofs) = mpsc::channel();
        for _ in 0..at_once {
            let sender = sender.clone();
            scope.spawn(|| {
                let sender = sender;
                while let Some((agent, installed)) = next() {
                    let proof = proof::prove(agent, &installed, program, &bounds);
                    if sender.send((agent, proof)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        // An agent is told of as a whole, and at once: a later one may take long, or be given up.
        for (agent, proof) in proofs {
            say(&heading(agent))?;
            let proof = proof?;
            tally.count(&proof)?;
            if options.record && proof.is_whole {
                let mut results = Results::load_or_begin()?;
                results.put(proof.result);
                results.save()?;
                page::write(&results)?;
            }
        }
        Ok::<_, Box<dyn std::error::Error>>(())
    })?;
    say(&format!(
        "\n{} proven, {} failed, {} SKIPPED",
        tally.proven, tally.failed, tally.skipped
    ))?;
    Ok(if tally.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Lets the guards of `examples/hooks` decide in a turn of each agent, and tells its result.
fn show_examples(
    agents: &[&'static Agent],
    cache: &Cache,
    versions: Versions,
    program: &Path,
) -> Result<ExitCode, Box<dyn std::error::Error>> {
    for &agent in agents {
        let installed = cache.install(agent, versions)?;
        say(&example::play(agent, &installed, program)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Measures what a hook costs in turns of each agent, with a copy of the program: one that the
/// linker has just written starts more slowly than an installed one.
fn show_times(
    agents: &[&'static Agent],
    cache: &Cache,
    versions: Versions,
    program: &Path,
) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let copy = folder.path().join("hookloop");
    std::fs::copy(program, &copy)?;
    let mut code = ExitCode::SUCCESS;
    for &agent in agents {
        let installed = cache.install(agent, versions)?;
        match times::measure(agent, &installed, &copy) {
            Ok(text) => say(&text)?,
            Err(error) => {
                code = ExitCode::FAILURE;
                say(&format!("{}: not measured: {error}", agent.title))?;
            }
        }
    }
    Ok(code)
}

impl Tally {
    /// Prints what was observed of an agent, and counts it.
    fn count(&mut self, proof: &Proof) -> io::Result<()> {
        say(&format!("  version {}", proof.result.version))?;
        if let Some(folder) = &proof.kept {
            say(&format!("  in {}", folder.display()))?;
        }
        tell(&proof.result)?;
        if !proof.result.is_as_expected() {
            self.failed += 1;
        } else if proof.is_whole {
            self.proven += 1;
        } else {
            self.skipped += 1;
            say("  SKIPPED: the time ran out before everything was proven")?;
        }
        Ok(())
    }
}

fn heading(agent: &Agent) -> String {
    format!("\n{} ({})", agent.title, agent.package)
}

fn chosen(options: &Options) -> Result<Vec<&'static Agent>, String> {
    if options.all {
        return Ok(AGENTS.iter().collect());
    }
    let gate = ["claude-code", "codex", "goose"].map(str::to_owned);
    let names = if options.agents.is_empty() {
        &gate[..]
    } else {
        &options.agents
    };
    let find = |name: &String| {
        Agent::by_name(name).ok_or_else(|| {
            let known: Vec<_> = AGENTS.iter().map(|agent| agent.name).collect();
            format!(
                "no agent is named \"{name}\"; the agents are {}",
                known.join(", ")
            )
        })
    };
    names.iter().map(find).collect()
}

fn tell(found: &AgentResult) -> io::Result<()> {
    for check in &found.checks {
        let mark = if check.is_as_expected() { "ok " } else { "NO " };
        let seconds = check.seconds;
        say(&format!(
            "  {mark} {} -> {} ({seconds:.1} s){}",
            check.claim.words(),
            check.seen.words(),
            if check.note.is_empty() {
                String::new()
            } else {
                format!(": {}", check.note)
            }
        ))?;
    }
    Ok(())
}

fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}
