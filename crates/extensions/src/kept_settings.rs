//! Stores the settings of an extension, for its hooks alone (EX-3): secrets in the keyring if there
//! is one, everything else in the extension's `.env` file.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;

use hookloop_settings::bounded::read_text;
use hookloop_settings::{KEYRING_FILE, Keyring, KeyringError, SecretName};

use crate::bundle::SettingDeclaration;
use crate::failure::Failure;
use crate::staging::not_writable;

/// Values by variable.
pub type Values = BTreeMap<String, String>;

/// The file for values.
const FILE: &str = ".env";

/// Stores the settings of one extension.
pub struct Keeper<'a> {
    /// The keyring for secrets.
    pub keyring: &'a dyn Keyring,
    /// The extension's name.
    pub name: &'a str,
    /// The folder from which it is used.
    pub place: &'a Path,
}

/// Which settings have values, and where those are stored.
#[derive(Debug, Default)]
pub struct Kept {
    /// The variables stored in the file.
    pub in_file: Vec<String>,
    /// The variables stored in the keyring.
    pub in_keyring: Vec<String>,
    /// Why newly given secrets aren't in the keyring.
    pub failure: Option<KeyringError>,
}

impl Kept {
    /// Reads which variables an extension's folder lists.
    pub fn of(folder: &Path) -> Self {
        let text = read_text(&folder.join(FILE)).unwrap_or_default();
        let names = text.lines().filter_map(name_of);
        Self {
            in_file: names.map(str::to_owned).collect(),
            in_keyring: keyring_variables(folder),
            failure: None,
        }
    }

    /// Returns all variables that have values.
    pub fn names(&self) -> Vec<String> {
        self.in_file
            .iter()
            .chain(&self.in_keyring)
            .cloned()
            .collect()
    }
}

impl Keeper<'_> {
    /// Stores values: secrets in the keyring, if possible, all others in the file, which only its
    /// owner may read. `folder` is the extension's current folder, which may differ from its final
    /// one.
    pub fn store(
        &self,
        folder: &Path,
        declared: &[SettingDeclaration],
        values: &Values,
    ) -> Result<Kept, Failure> {
        let is_secret = |variable: &str| {
            let mut declared = declared.iter();
            declared.any(|it| it.sensitive && it.variable == variable)
        };
        let mut failure = None;
        let mut listed = keyring_variables(folder);
        let mut in_file = Values::new();
        for (variable, value) in values {
            listed.retain(|it| it != variable);
            if is_secret(variable) && failure.is_none() {
                match self.keyring.write(&self.secret(variable), value) {
                    Ok(()) => {
                        listed.push(variable.clone());
                        continue;
                    }
                    Err(error) => failure = Some(error),
                }
            }
            in_file.insert(variable.clone(), value.clone());
        }
        if !values.is_empty() {
            write_list(folder, &listed)?;
            write_values(folder, &in_file, &listed)?;
        }
        Ok(Kept {
            failure,
            ..Kept::of(folder)
        })
    }

    /// Deletes the secrets of an extension from the keyring; returns those that couldn't be
    /// deleted, and why.
    pub fn forget(&self, variables: &[String]) -> Vec<(String, KeyringError)> {
        let removed = variables.iter().map(|variable| {
            let result = self.keyring.remove(&self.secret(variable));
            (variable.clone(), result)
        });
        removed
            .filter_map(|(variable, result)| Some((variable, result.err()?)))
            .collect()
    }

    fn secret(&self, variable: &str) -> SecretName {
        SecretName::new(self.name, self.place, variable)
    }
}

/// Copies the stored settings from the folder of the replaced extension.
pub fn keep(from: &Path, to: &Path) -> Result<(), Failure> {
    for name in [FILE, KEYRING_FILE] {
        let file = to.join(name);
        match read_text(&from.join(name)) {
            Ok(text) => write(&file, &text)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                return Err(Failure::bad_input(format!(
                    "the extension's settings can't be read: {error}"
                )));
            }
        }
    }
    Ok(())
}

/// Records in an extension's folder that the keyring no longer contains any of its settings.
pub fn unlist(folder: &Path) -> Result<(), Failure> {
    write_list(folder, &[])
}

/// Returns the variables that are recorded as stored in the keyring.
fn keyring_variables(folder: &Path) -> Vec<String> {
    let text = read_text(&folder.join(KEYRING_FILE)).unwrap_or_default();
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

fn write_list(folder: &Path, variables: &[String]) -> Result<(), Failure> {
    let file = folder.join(KEYRING_FILE);
    if variables.is_empty() {
        return match std::fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(not_writable(&file, &error))
            }
            _ => Ok(()),
        };
    }
    let mut text = "# settings whose values the keyring keeps\n".to_owned();
    for variable in variables {
        text.extend([variable.as_str(), "\n"]);
    }
    write(&file, &text)
}

/// Adds values to the file, and removes those that the keyring stores now. Other lines stay.
fn write_values(folder: &Path, values: &Values, in_keyring: &[String]) -> Result<(), Failure> {
    let file = folder.join(FILE);
    let before = match read_text(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(not_writable(&file, &error)),
    };
    let mut text = String::new();
    for line in before.lines() {
        let replaced =
            |name: &str| values.contains_key(name) || in_keyring.iter().any(|it| it == name);
        if !name_of(line).is_some_and(replaced) {
            text.extend([line, "\n"]);
        }
    }
    for (variable, value) in values {
        // Writing to a string can't fail.
        let _ = writeln!(text, "{variable}={}", quote(value));
    }
    if text == before {
        return Ok(());
    }
    write(&file, &text)
}

/// Returns the variable that a line of the file sets.
fn name_of(line: &str) -> Option<&str> {
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, _) = line.split_once('=').filter(|_| !line.starts_with('#'))?;
    Some(name.trim())
}

/// Writes a file atomically, readable by its owner alone.
fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let write = || {
        // Temporary files are readable by their owner alone.
        let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
        temporary.write_all(text.as_bytes())?;
        temporary.as_file().sync_all()?;
        temporary.persist(file)?;
        io::Result::Ok(())
    };
    write().map_err(|error| not_writable(file, &error))
}

fn quote(value: &str) -> String {
    let mut quoted = String::from("\"");
    for character in value.chars() {
        match character {
            '\n' => quoted.push_str("\\n"),
            '"' | '\\' | '$' => quoted.extend(['\\', character]),
            other => quoted.push(other),
        }
    }
    quoted + "\""
}
