//! The variables that a project's settings of an agent set for everything that this agent runs
//! (BR-25).

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hookloop_bridge::{Agent, InstallScope};
use hookloop_session::Environment;
use serde_json::Value;

use crate::setting::{Setting, started_in};
use crate::surroundings::{CONSENTS, Person, SEARCH_PATH, begins_shells, is_place};

/// A variable that a file sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SetVariable {
    pub(crate) name: String,
    /// Its value, if that is known exactly.
    value: Option<String>,
    file: PathBuf,
    line: usize,
    /// Whether it counts only if nothing else sets the variable.
    yields: bool,
}

/// What the files of a project or a person set.
#[derive(Debug, Default)]
pub(crate) struct FileVariables {
    /// The variables.
    pub(crate) set: Vec<SetVariable>,
    /// The files that may set variables and can't be understood: which, and why.
    pub(crate) unclear: Vec<String>,
}

impl SetVariable {
    /// Returns the file and the line.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.file.display(), self.line)
    }

    /// Returns whether it is in force in an environment.
    fn is_in(&self, environment: &Environment) -> bool {
        let name = self.name.as_str();
        let mut variables = environment.variables.iter();
        let Some((_, now)) = variables.find(|(known, _)| known == name) else {
            return false;
        };
        // Variables that every system sets take precedence over a file that doesn't override.
        let is_always_set = matches!(name, "HOME" | "USERPROFILE" | "ProgramData" | SEARCH_PATH);
        self.value
            .as_ref()
            .map_or_else(|| !(self.yields && is_always_set), |value| *now == **value)
    }

    /// Returns whether the variable decides whose guards apply, or affects what calls the bridge
    /// before the bridge does.
    pub(crate) fn decides(&self, agent: Agent) -> bool {
        let name = self.name.as_str();
        is_place(name)
            || CONSENTS.contains(&name)
            || agent.moved_by() == Some(name)
            || begins_shells(name)
            || ["LD_", "DYLD_"].iter().any(|it| name.starts_with(it))
    }
}

/// Removes what the project set from a call's environment. Only its own hooks get it; a variable
/// that decides whose guards apply has no effect, or refuses if it isn't known what its value
/// should be. Returns what the person has to be told.
pub(crate) fn strip(
    agent: Agent,
    environment: &mut Environment,
    person: Option<&Person>,
) -> Result<Vec<String>, String> {
    let mut notices = Vec::new();
    let files = from_project(agent, environment, person);
    if let Some(unclear) = files.unclear.first() {
        return Err(format!(
            "{unclear}, so it isn't known what it sets for everything that {} runs, and whether \
             your guards work: fix it",
            agent.name()
        ));
    }
    for set in files.set {
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
                "{place} sets {name} for everything that {} runs, so it isn't known whether your \
                 guards work: remove it there",
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
            notices.push(format!(
                "{place} sets {name} for everything that {} runs; your hooks run without it",
                agent.name()
            ));
        } else {
            environment.of_project.extend(set_by_project);
        }
    }
    Ok(notices)
}

/// Returns what the project's files set: those of the folder in which the agent was started, and of
/// those above it up to the outermost project's root. If it was started can be set, too, so those
/// of the current folder also count. So can the home folder: unless it was recorded, it doesn't end
/// the search for files that could have moved it.
pub(crate) fn from_project(
    agent: Agent,
    environment: &Environment,
    person: Option<&Person>,
) -> FileVariables {
    let is_known = |name: &str| person.is_some_and(|it| it.knows(name));
    let homes = [
        Some(environment.home.clone()).filter(|_| is_known("GEMINI_CLI_HOME")),
        environment.home_of_programs(),
    ];
    let is_home = |folder: &Path| homes.iter().flatten().any(|home| home == folder);
    let mut folders: Vec<PathBuf> = Vec::new();
    let mut above: Vec<PathBuf> = Vec::new();
    let mut starts = vec![
        started_in(agent, environment),
        environment.process_dir.clone(),
    ];
    starts.dedup();
    for start in &starts {
        let below_home: Vec<&Path> = start.ancestors().take_while(|it| !is_home(it)).collect();
        // Repositories may be nested, and agents continue upward.
        let is_root = |it: &&Path| it.join(".git").exists() || it.join(".gemini").exists();
        let last = below_home.iter().rposition(is_root).unwrap_or(0);
        let from_home = start.ancestors().skip(below_home.len());
        above.extend(from_home.map(Path::to_owned));
        for folder in below_home.into_iter().take(last + 1) {
            if !folders.iter().any(|it| it == folder) {
                folders.push(folder.to_owned());
            }
        }
    }
    let settings = |folder: &PathBuf| agent.switching_files(InstallScope::Project, folder, None);
    let files = folders.iter().flat_map(|folder| {
        let dotenv = dotenv_files(agent).iter().map(move |it| folder.join(it));
        settings(folder).into_iter().chain(dotenv)
    });
    let mut all = read_files(files);
    if !is_known("HOME") {
        let of_home = read_files(above.iter().flat_map(settings));
        let moves = |it: &SetVariable| matches!(it.name.as_str(), "HOME" | "USERPROFILE");
        all.set.extend(of_home.set.into_iter().filter(moves));
        all.unclear.extend(of_home.unclear);
    }
    all
}

/// Returns what the person's own settings of an agent set.
pub(crate) fn from_person(agent: Agent, setting: &Setting<'_>) -> FileVariables {
    read_files(
        setting
            .switching_files_of(agent, InstallScope::User)
            .into_iter(),
    )
}

/// Names the files of variables that an agent reads in a folder.
const fn dotenv_files(agent: Agent) -> &'static [&'static str] {
    match agent {
        Agent::GeminiCli => &[".gemini/.env", ".env"],
        Agent::Qwen => &[".qwen/.env", ".gemini/.env", ".env"],
        _ => &[],
    }
}

/// Returns what files set.
fn read_files(files: impl Iterator<Item = PathBuf>) -> FileVariables {
    let mut all = FileVariables::default();
    for file in files {
        let is_dotenv = file.file_name().is_some_and(|it| it == ".env");
        if !is_dotenv && file.extension().is_none_or(|it| it != "json") {
            continue;
        }
        let text = match hookloop_settings::read_bytes(&file) {
            // Agents also read files that aren't UTF-8.
            Ok(bytes) => String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned(),
            Err(why) => {
                all.unclear
                    .push(format!("{} can't be read ({why})", file.display()));
                continue;
            }
        };
        if is_dotenv {
            all.set.extend(in_dotenv(&file, &text));
        } else {
            match in_json(&file, &text) {
                Ok(set) => all.set.extend(set),
                Err(why) => all
                    .unclear
                    .push(format!("{} can't be parsed ({why})", file.display())),
            }
        }
    }
    all
}

/// Returns the names that a file of variables can set, however an agent reads it: how it interprets
/// the values isn't known exactly. Readers accept line ends as spaces, so a name and its sign may
/// be on several lines, and a line begins after each character that ends one in any of their
/// languages.
fn in_dotenv(file: &Path, text: &str) -> Vec<SetVariable> {
    let mut all: Vec<SetVariable> = Vec::new();
    let (mut line, mut begins) = (1, true);
    for (at, letter) in text.char_indices() {
        if begins && !is_space(letter) {
            let set = names_at(&text[at..]).into_iter().map(|name| SetVariable {
                name: name.to_owned(),
                value: None,
                file: file.to_owned(),
                line,
                yields: true,
            });
            all.extend(set);
            begins = false;
        }
        begins |= ends_line(letter);
        if letter == '\n' || letter == '\r' && !text[at + 1..].starts_with('\n') {
            line += 1;
        }
    }
    all
}

/// How many words may precede a name.
const MAX_WORDS_BEFORE: usize = 4;

/// Returns the names that an assignment at this position sets. For one reader the preceding word
/// may be joined to the name, and for another be part of it.
fn names_at(text: &str) -> Vec<&str> {
    let is_in_name = |it: char| it.is_alphanumeric() || matches!(it, '_' | '.' | '-');
    let mut rest = text;
    for _ in 0..=MAX_WORDS_BEFORE {
        let bare = rest.trim_start_matches(['"', '\'', '`']);
        let end = bare.find(|it| !is_in_name(it)).unwrap_or(bare.len());
        let (name, behind) = bare.split_at(end);
        let behind = behind
            .trim_start_matches(['"', '\'', '`'])
            .trim_start_matches(is_space);
        if !name.is_empty() && behind.starts_with(['=', ':', '+']) {
            let joined = name.strip_prefix("export").filter(|it| !it.is_empty());
            return std::iter::once(name).chain(joined).collect();
        }
        if !matches!(
            name,
            "export" | "set" | "setenv" | "declare" | "typeset" | "readonly" | "env" | "-x"
        ) {
            break;
        }
        rest = behind;
    }
    Vec::new()
}

/// Returns whether a character ends a line for one of the readers.
const fn ends_line(letter: char) -> bool {
    matches!(
        letter,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// Returns whether a character is a space for one of the readers.
fn is_space(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '\u{feff}' | '\0' | '\u{1c}'..='\u{1f}')
}

/// Returns what settings set. Settings that can't be parsed set nothing if they can't have a member
/// for variables.
fn in_json(file: &Path, text: &str) -> Result<Vec<SetVariable>, String> {
    let text = text.trim_start_matches('\u{feff}');
    let strict = serde_json::from_str::<Value>(text);
    let settings = strict.or_else(|_| {
        let settings = hookloop_settings::SettingsText::new(text);
        settings.and_then(|it| it.to_value())
    });
    let settings = match settings {
        Ok(settings) => settings,
        Err(error) if text.contains("env") || text.contains("\\u") => return Err(error.to_string()),
        Err(_) => Value::Null,
    };
    let variables = settings.get("env").and_then(Value::as_object);
    let set = variables.into_iter().flatten().map(|(name, value)| {
        let value = match value {
            Value::String(text) if is_plain(text) => Some(text.clone()),
            Value::Number(number) if number.is_i64() => Some(value.to_string()),
            Value::Bool(_) => Some(value.to_string()),
            // How an agent would convert it isn't known.
            _ => None,
        };
        let quoted = format!("\"{name}\"");
        let before = text.lines().position(|line| line.contains(&quoted));
        SetVariable {
            name: name.clone(),
            value,
            file: file.to_owned(),
            line: before.map_or(1, |it| it + 1),
            yields: false,
        }
    });
    Ok(set.collect())
}

/// Returns whether a value is the same for every agent: some expand other variables and the home
/// folder in it, or trim it.
fn is_plain(text: &str) -> bool {
    text.trim() == text && !text.starts_with('~') && !text.contains(['$', '%', '`', '\\'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let set = in_dotenv(Path::new(".env"), text).into_iter();
        set.map(|it| it.name).collect()
    }

    /// BR-25: a line in a file of variables is found if any reader of such files interprets it as
    /// setting a variable.
    #[test]
    fn whatever_sets_a_variable_is_seen() {
        for text in [
            "HOME=/x",
            "HOME = /x",
            "HOME: /x",
            "HOME : /x",
            "\u{feff}HOME=/x",
            " \u{feff} HOME\u{feff}=/x",
            "export HOME=/x",
            "export\tHOME=/x",
            "export\n\nHOME=/x",
            "exportHOME=/x",
            "set -x HOME=/x",
            "HOME\n=/x",
            "HOME\n\n \t=\n/x",
            "A=1\rHOME=/x",
            "A=1\r\nHOME=/x",
            "# a comment\u{2028}HOME=/x",
            "# a comment\u{2029}HOME=/x",
            "# a comment\u{b}HOME=/x",
            "# a comment\u{85}HOME=/x",
            "A='\nHOME=/x\n'",
            "A=\"b\\\"\nHOME=/x",
            "'HOME'=/x",
            "\"HOME\" = /x",
            "HOME\u{a0}=/x",
            "HOME+=/x",
            "HOME=",
        ] {
            assert!(names(text).iter().any(|it| it == "HOME"), "{text:?}");
        }
        for text in [
            "",
            "# HOME=/x",
            "HOME",
            "see HOME=/x",
            "A=1 # HOME=/x",
            "\n\n",
        ] {
            assert!(!names(text).iter().any(|it| it == "HOME"), "{text:?}");
        }
        let set = in_dotenv(Path::new(".env"), "A=1\r\n\r\nB=2\rC=3\nD=4");
        let places = set.iter().map(|it| (it.name.as_str(), it.line));
        assert_eq!(
            places.collect::<Vec<_>>(),
            [("A", 1), ("B", 3), ("C", 4), ("D", 5)]
        );
    }

    /// BR-25: what settings set counts whatever type the value has, since agents convert it to
    /// text.
    #[test]
    fn every_kind_of_value_sets_a_variable() {
        let text =
            r#"{"env": {"A": "x", "B": 1, "C": true, "D": null, "E": ["x"], "F": {"x": 1}}}"#;
        let set = in_json(Path::new("settings.json"), text).unwrap();
        let names = set.iter().map(|it| it.name.as_str());
        assert_eq!(names.collect::<Vec<_>>(), ["A", "B", "C", "D", "E", "F"]);
    }
}
