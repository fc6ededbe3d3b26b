//! The variables that a project's settings of an agent set for all that this agent runs (BR-25).

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hookloop_bridge::{Agent, InstallScope};
use hookloop_session::Environment;
use hookloop_settings::{find_project_root, read_dotenv};
use serde_json::Value;

use crate::files;
use crate::setting::{Setting, started_in};
use crate::surroundings::{CONSENTS, Person, SEARCH_PATH, begins_shells, is_place};

/// A variable that a file sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SetVariable {
    pub(crate) name: String,
    value: String,
    file: PathBuf,
    line: usize,
    /// Whether it counts only where nothing else sets the variable.
    yields: bool,
}

impl SetVariable {
    /// Returns the file and the line.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.file.display(), self.line)
    }

    /// Tells whether it is in force in an environment.
    fn is_in(&self, environment: &Environment) -> bool {
        let name = self.name.as_str();
        let mut variables = environment.variables.iter();
        let is_equal = variables.any(|(known, value)| known == name && *value == *self.value);
        // How another program reads the value of such a file isn't known to the letter.
        let may_be = self.yields
            && !matches!(name, "HOME" | "USERPROFILE" | "ProgramData")
            && (is_place(name) || CONSENTS.contains(&name))
            && environment.variable(name).is_some();
        is_equal || may_be
    }

    /// Tells whether the variable decides whose guards hold, or reaches what calls the bridge before
    /// the bridge does.
    pub(crate) fn decides(&self, agent: Agent) -> bool {
        let name = self.name.as_str();
        is_place(name)
            || CONSENTS.contains(&name)
            || agent.moved_by() == Some(name)
            || begins_shells(name)
            || ["LD_", "DYLD_"].iter().any(|it| name.starts_with(it))
    }
}

/// Takes out of a call's environment what the project set. Its own hooks alone get it; what decides whose
/// guards hold counts for nothing, or refuses where nobody knows what it should be. Returns what the
/// person is to be told.
pub(crate) fn part(
    agent: Agent,
    environment: &mut Environment,
    person: Option<&Person>,
) -> Result<Vec<String>, String> {
    let mut told = Vec::new();
    for set in of_project(agent, environment) {
        let name = set.name.as_str();
        if !set.is_in(environment) || person.is_some_and(|it| it.knows(name)) {
            continue;
        }
        let is_it = |(known, _): &(OsString, OsString)| known == name;
        let place = set.place();
        let own_path = person.and_then(Person::search_path);
        if is_place(name)
            || agent.moved_by() == Some(name)
            || name == SEARCH_PATH && own_path.is_none()
        {
            return Err(format!(
                "{place} sets {name} for all that {} runs, so nobody knows whether your guards hold: take \
                 it out there",
                agent.name()
            ));
        }
        let all = std::mem::take(&mut environment.variables).into_iter();
        let (set_by_project, own): (Vec<_>, Vec<_>) = all.partition(is_it);
        environment.variables = own;
        if name == SEARCH_PATH {
            environment
                .variables
                .extend(own_path.map(|it| (SEARCH_PATH.into(), it.into())));
        }
        if name == SEARCH_PATH || CONSENTS.contains(&name) {
            told.push(format!(
                "{place} sets {name} for all that {} runs; your hooks run without it",
                agent.name()
            ));
        } else {
            environment.of_project.extend(set_by_project);
        }
    }
    Ok(told)
}

/// Returns what the project's files set: those of the folder that the agent was started in, and of those
/// above it up to the project's root. Where it was started can be set, too, so those of the folder that
/// it is in now count as well.
pub(crate) fn of_project(agent: Agent, environment: &Environment) -> Vec<SetVariable> {
    let homes = [
        Some(environment.home.clone()),
        environment.home_of_programs(),
    ];
    let is_home = |folder: &Path| homes.iter().flatten().any(|home| home == folder);
    let mut folders: Vec<PathBuf> = Vec::new();
    for start in [
        started_in(agent, environment),
        environment.process_dir.clone(),
    ] {
        let root = find_project_root(&start, &environment.home);
        let above = start.ancestors().take_while(|it| it.starts_with(&root));
        for folder in above.filter(|it| !is_home(it)) {
            if !folders.iter().any(|it| it == folder) {
                folders.push(folder.to_owned());
            }
        }
    }
    let files = folders.iter().flat_map(|folder| {
        let files = agent.switching_files(InstallScope::Project, folder, None);
        let dotenv = dotenv_files(agent).iter().map(move |it| folder.join(it));
        files.into_iter().chain(dotenv)
    });
    files.flat_map(|file| set_in(&file)).collect()
}

/// Returns what the person's own settings of an agent set.
pub(crate) fn of_person(agent: Agent, setting: &Setting<'_>) -> Vec<SetVariable> {
    let files = setting.switching_files_of(agent, InstallScope::User);
    files.iter().flat_map(|it| set_in(it)).collect()
}

/// Names the files of variables that an agent reads in a folder.
const fn dotenv_files(agent: Agent) -> &'static [&'static str] {
    match agent {
        Agent::GeminiCli => &[".gemini/.env", ".env"],
        Agent::Qwen => &[".qwen/.env", ".gemini/.env", ".env"],
        _ => &[],
    }
}

/// Returns what a file sets; one that can't be read or understood sets nothing there either.
fn set_in(file: &Path) -> Vec<SetVariable> {
    let Ok(Some(text)) = files::read(file) else {
        return Vec::new();
    };
    let is_json = file.extension().is_some_and(|it| it == "json");
    let pairs = if is_json {
        of_json(&text)
    } else if file.file_name().is_some_and(|it| it == ".env") {
        read_dotenv(&text)
    } else {
        Vec::new()
    };
    let line_of = |name: &str| {
        let quoted = format!("\"{name}\"");
        let holds = |line: &str| {
            if is_json {
                line.contains(&quoted)
            } else {
                line.contains(name)
            }
        };
        text.lines().position(holds).map_or(1, |it| it + 1)
    };
    pairs
        .into_iter()
        .map(|(name, value)| SetVariable {
            line: line_of(&name),
            name,
            value,
            file: file.to_owned(),
            yields: !is_json,
        })
        .collect()
}

fn of_json(text: &str) -> Vec<(String, String)> {
    let text = text.trim_start_matches('\u{feff}');
    let strict = serde_json::from_str::<Value>(text).ok();
    let settings = strict.or_else(|| {
        let text = hookloop_settings::SettingsText::new(text).ok()?;
        text.to_value().ok()
    });
    let settings = settings.unwrap_or_default();
    let variables = settings.get("env").and_then(Value::as_object);
    let variables = variables.into_iter().flatten();
    let said = variables.filter_map(|(name, value)| {
        let value = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            _ => return None,
        };
        Some((name.clone(), value))
    });
    said.collect()
}
