//! Determines whose guards a call enforces (BR-25).
//!
//! An agent passes the variables in its settings to everything that it runs, and a project has such
//! settings. So whatever decides was recorded when the bridge was installed, below the home folder
//! in the path by which the bridge is called. No variable can move that.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use hookloop_bridge::Agent;
use hookloop_session::Environment;
use hookloop_trust::real_path;

use crate::setting::Setting;
use crate::{Variables, files};

/// The variables that say where a person's settings, trust and records are.
const PLACES: [&str; 7] = [
    "HOME",
    "GEMINI_CLI_HOME",
    "XDG_STATE_HOME",
    "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
    "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
    "USERPROFILE",
    "ProgramData",
];

/// The variables that count as a person's consent.
pub(crate) const CONSENTS: [&str; 2] = ["GEMINI_CLI_TRUST_WORKSPACE", "HOOKLOOP_OWNER_CHECK"];

/// Where programs are looked for.
pub(crate) const SEARCH_PATH: &str = "PATH";

/// What was recorded for an agent: variables by name.
type Note = BTreeMap<String, String>;

/// The records by the agents' names.
type Notes = BTreeMap<String, Note>;

/// Returns whether a variable makes shells run or omit code at startup. A hook needs none.
pub(crate) fn begins_shells(name: &str) -> bool {
    matches!(name, "SHELLOPTS" | "BASHOPTS" | "BASH_ENV" | "ENV") || name.starts_with("BASH_FUNC_")
}

/// Returns whether a variable says where a person's settings, trust and records are.
pub(crate) fn is_place(name: &str) -> bool {
    places().any(|it| it == name)
}

fn places() -> impl Iterator<Item = &'static str> {
    let is_here = |name: &&str| cfg!(windows) || !matches!(*name, "USERPROFILE" | "ProgramData");
    PLACES.into_iter().filter(is_here)
}

/// Returns the file in a home folder that contains what was recorded.
pub(crate) fn file(home: &Path) -> PathBuf {
    home.join(".local/share/hookloop/surroundings.json")
}

/// Records the environment of the person who installs, for the calls of an agent.
pub(crate) fn note(setting: &Setting<'_>, agent: Agent) -> io::Result<()> {
    let mut all = read_notes(&setting.home)?;
    all.insert(
        agent.word().to_owned(),
        from_environment(setting.environment),
    );
    write(&setting.home, &all)
}

fn write(home: &Path, all: &Notes) -> io::Result<()> {
    let file = file(home);
    files::make_folders(&file)?;
    let text = format!("{}\n", serde_json::to_string_pretty(all)?);
    files::write(&file, &text, false)
}

/// Returns what the environment says.
fn from_environment(environment: &Environment) -> Note {
    let set_variable = |name: &str| Some((name.to_owned(), environment.variable(name)?));
    let absolute = |(name, value): (String, String)| {
        let path = environment.current_dir.join(value);
        (name, path.to_string_lossy().into_owned())
    };
    // A relative path is ignored.
    let counts = |(name, value): &(String, String)| {
        name != "XDG_STATE_HOME" || Path::new(value).is_absolute()
    };
    let places = places()
        .filter_map(set_variable)
        .filter(counts)
        .map(absolute);
    let others = CONSENTS.into_iter().chain([SEARCH_PATH]);
    places.chain(others.filter_map(set_variable)).collect()
}

/// What is still recorded after an agent's record was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Noted {
    /// Of other agents.
    OfOthers,
    /// Nothing: the file is gone.
    Nothing,
}

/// Removes what was recorded for an agent.
///
/// # Errors
/// The file can't be read, written or removed.
pub(crate) fn forget(home: &Path, agent: Agent) -> io::Result<Noted> {
    let mut all = read_notes(home)?;
    let was_noted = all.remove(agent.word()).is_some();
    if !all.is_empty() {
        if was_noted {
            write(home, &all)?;
        }
        return Ok(Noted::OfOthers);
    }
    match std::fs::remove_file(file(home)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(Noted::Nothing),
    }
}

/// Parses the records. What can't be parsed is useless, so nothing is lost when it is replaced.
fn read_notes(home: &Path) -> io::Result<Notes> {
    let text = files::read(&file(home))?.unwrap_or_default();
    Ok(serde_json::from_str(&text).unwrap_or_default())
}

fn read(home: &Path) -> io::Result<Option<Notes>> {
    let text = files::read(&file(home))?;
    let all = text.map(|it| serde_json::from_str(&it)).transpose();
    all.map_err(io::Error::other)
}

/// What the value of a variable has to be.
#[derive(Debug, PartialEq, Eq)]
enum RequiredValue {
    /// This.
    Value(String),
    /// Not set.
    Absent,
    /// It wasn't recorded.
    Unknown,
}

/// The person for whom the bridge was installed.
#[derive(Debug)]
pub(crate) struct Person {
    agent: Agent,
    home: PathBuf,
    /// What was recorded; `None` if the bridge was installed before there were records.
    noted: Option<Note>,
}

impl Person {
    /// Finds the person by the path of the link by which the bridge is called; `None` if it is
    /// called in another way.
    pub(crate) fn called_by(link: &Path, agent: Agent) -> Result<Option<Self>, String> {
        let home = link
            .is_absolute()
            .then(|| link.ancestors().nth(5))
            .flatten();
        let Some(home) = home.filter(|home| files::link(home) == link) else {
            return Ok(None);
        };
        Self::at(home, agent).map(Some)
    }

    /// Returns the person of a home folder.
    pub(crate) fn at(home: &Path, agent: Agent) -> Result<Self, String> {
        let all = read(home).map_err(|error| {
            let (file, word) = (file(home), agent.word());
            format!(
                "{} can't be read, so it isn't known whose hooks are meant ({error}): hookloop bridge \
                 install {word}",
                file.display()
            )
        })?;
        Ok(Self {
            agent,
            home: home.to_owned(),
            noted: all.and_then(|mut all| all.remove(agent.word())),
        })
    }

    /// Returns whether anything was recorded.
    pub(crate) const fn is_noted(&self) -> bool {
        self.noted.is_some()
    }

    /// Returns where programs were looked for when the bridge was installed.
    pub(crate) fn search_path(&self) -> Option<&str> {
        self.noted.as_ref()?.get(SEARCH_PATH).map(String::as_str)
    }

    /// Returns whether it is known what the value of a variable has to be.
    pub(crate) fn knows(&self, name: &str) -> bool {
        is_place(name) && self.required_value(name) != RequiredValue::Unknown
    }

    /// Returns what the value of a variable has to be.
    fn required_value(&self, name: &str) -> RequiredValue {
        let noted = |value: Option<&String>| {
            value
                .cloned()
                .map_or(RequiredValue::Absent, RequiredValue::Value)
        };
        match &self.noted {
            Some(all) => noted(all.get(name)),
            None if name == "HOME" => {
                RequiredValue::Value(self.home.to_string_lossy().into_owned())
            }
            // Variables that move the records weren't set when the records were written.
            None if matches!(name, "GEMINI_CLI_HOME" | "XDG_STATE_HOME")
                && self.has_usual_record() =>
            {
                RequiredValue::Absent
            }
            None => RequiredValue::Unknown,
        }
    }

    /// Returns whether the installation was recorded where nothing moves records to another place.
    fn has_usual_record(&self) -> bool {
        let records = self.home.join(".local/state/hookloop/bridge/installed");
        let begin = format!("{}-", self.agent.word());
        let mut entries = std::fs::read_dir(records).into_iter().flatten().flatten();
        entries.any(|it| it.file_name().to_string_lossy().starts_with(&begin))
    }

    /// Resets variables to their values when the bridge was installed, and reports those that
    /// differed.
    pub(crate) fn restore(&self, variables: &mut Variables) -> Vec<String> {
        let mut notices = Vec::new();
        let again = format!("hookloop bridge install {}", self.agent.word());
        for name in places() {
            let is = value(variables, name);
            let wanted = match self.required_value(name) {
                RequiredValue::Value(value) => Some(value),
                RequiredValue::Absent => None,
                RequiredValue::Unknown => {
                    notices.extend(is.map(|it| {
                        format!(
                            "{name} is {it:?}, and it wasn't recorded at the installation whether \
                             that is yours: {again}"
                        )
                    }));
                    continue;
                }
            };
            if is_same(is.as_deref(), wanted.as_deref()) {
                continue;
            }
            let shown = |value: Option<&str>| {
                value.map_or_else(|| "not set".to_owned(), |it| format!("{it:?}"))
            };
            notices.push(format!(
                "{name} is {}, but was {} when the bridge was installed, which is what is used; if \
                 the new value is yours: {again}",
                shown(is.as_deref()),
                shown(wanted.as_deref())
            ));
            variables.retain(|(known, _)| known != name);
            variables.extend(wanted.map(|it| (name.into(), OsString::from(it))));
        }
        for name in CONSENTS {
            let noted = self.noted.as_ref().and_then(|it| it.get(name));
            let Some(is) = value(variables, name).filter(|is| Some(is) != noted) else {
                continue;
            };
            notices.push(format!(
                "{name} is {is:?}, but wasn't set when the bridge was installed, so it is ignored; \
                 if it is yours: {again}"
            ));
            variables.retain(|(known, _)| known != name);
        }
        notices
    }
}

/// Returns a variable; an empty one counts as absent.
fn value(variables: &[(OsString, OsString)], name: &str) -> Option<String> {
    let mut found = variables.iter().filter(|(known, _)| known == name);
    let value = found.next()?.1.to_string_lossy().into_owned();
    (!value.is_empty()).then_some(value)
}

/// Returns whether two paths lead to the same place.
fn is_same(one: Option<&str>, other: Option<&str>) -> bool {
    let real = |path: &str| real_path(Path::new(path));
    match (one, other) {
        (Some(one), Some(other)) => {
            one == other || real(one).is_some_and(|it| real(other) == Some(it))
        }
        (one, other) => one == other,
    }
}
