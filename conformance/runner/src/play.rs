//! Runs a case from setting it up to comparing its result.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use crate::case::{AgentRun, Case, Step};
use crate::launch::{Finished, Launch};
use crate::world::{SYSTEM_PATH, Telemetry, World};
use crate::{answers, expectation, launch, program};

/// The variable that keeps the folders of a case that failed.
const KEEP: &str = "CONFORMANCE_KEEP";

/// Runs the case of a folder.
pub(crate) fn play(folder: &Path) -> Result<(), String> {
    let path = folder.join("case.json");
    let text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let unreadable = |error| format!("{}: {error}", path.display());
    let name = read_name(&text).map_err(unreadable)?;
    let mut world = World::new(&name)?;
    let text = world.fill(&text, json_escaped);
    let case: Case = serde_json::from_str(&text).map_err(unreadable)?;
    if case.title.is_empty() || case.proves.is_empty() {
        return Err(format!("{}: it must say what it proves", path.display()));
    }
    let telemetry = if case.runs_agent() {
        Telemetry::Written
    } else {
        Telemetry::None
    };
    world.furnish(folder, &case.setup, telemetry)?;
    for step in &case.first {
        run(&world, &case, step)?;
    }
    let finished = run(&world, &case, &case.run)?;
    let wrong = expectation::check(&world, &case, &finished);
    if wrong.is_empty() {
        return Ok(());
    }
    let report = format!(
        "{}\n{}\n\nexit code {:?}\n--- stdout\n{}\n--- stderr\n{}",
        case.title,
        wrong.join("\n"),
        finished.code,
        finished.stdout,
        finished.stderr
    );
    if std::env::var_os(KEEP).is_some() {
        return Err(format!("{report}\n--- kept in {}", world.keep().display()));
    }
    Err(report)
}

pub(crate) fn read_name(text: &str) -> serde_json::Result<String> {
    let case: serde_json::Value = serde_json::from_str(text)?;
    let name = case["setup"]["project_name"].as_str().unwrap_or("project");
    Ok(name.to_owned())
}

pub(crate) fn json_escaped(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn run(world: &World, case: &Case, step: &Step) -> Result<Finished, String> {
    let hookloop = |arguments: Vec<OsString>| -> Result<Launch, String> {
        Ok(Launch {
            program: program::hookloop()?,
            arguments,
            folder: world.project.join(&case.setup.cwd),
            stdin: String::new(),
            signal: None,
            environment: world.environment.clone(),
        })
    };
    let words = |words: &[String]| words.iter().map(OsString::from).collect::<Vec<_>>();
    let launched = match step {
        Step::Agent(agent) => Launch {
            stdin: agent.stdin.clone(),
            signal: agent.signal.clone(),
            ..hookloop(agent_arguments(world, agent)?)?
        },
        Step::Hooks(arguments) => {
            let mut all = words(&["hooks".to_owned()]);
            all.extend(words(arguments));
            hookloop(all)?
        }
        Step::Hookloop(arguments) => hookloop(words(arguments))?,
        Step::Shell(line) => Launch {
            program: "bash".into(),
            arguments: words(&["-ec".to_owned(), line.clone()]),
            folder: world.project.clone(),
            stdin: String::new(),
            signal: None,
            environment: shell_environment(world),
        },
    };
    launch::run(world, launched)
}

/// Returns the case's environment with a PATH that the shell can work with.
pub(crate) fn shell_environment(world: &World) -> Vec<(String, String)> {
    let mut environment = world.environment.clone();
    environment.retain(|(name, _)| name != "PATH");
    environment.push(("PATH".to_owned(), SYSTEM_PATH.to_owned()));
    environment
}

fn agent_arguments(world: &World, agent: &AgentRun) -> Result<Vec<OsString>, String> {
    let mut arguments = Vec::new();
    if let Some(answers) = &agent.model {
        let path = world.root.join("model.jsonl");
        fs::write(&path, answers::lines(answers)).map_err(|error| error.to_string())?;
        arguments.extend([OsString::from("--fake-responses"), path.into_os_string()]);
    }
    arguments.extend(agent.args.iter().map(OsString::from));
    if let Some(prompt) = &agent.prompt {
        arguments.extend([OsString::from("--prompt"), OsString::from(prompt)]);
    }
    Ok(arguments)
}
