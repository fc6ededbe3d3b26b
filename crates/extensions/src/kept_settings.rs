//! Where the settings of an extension are kept, for its hooks alone (EX-3): secrets in the keyring
//! where there is one, everything else in its `.env` file.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;

use hookloop_settings::{KEYRING_FILE, Keyring, KeyringError, SecretName};

use crate::bundle::SettingDeclaration;
use crate::failure::Failure;
use crate::staging::not_writable;

/// Values by variable.
pub type Values = BTreeMap<String, String>;

/// The file that values are kept in.
const FILE: &str = ".env";

/// An extension whose settings are kept.
pub struct Keeper<'a> {
    /// Where secrets go.
    pub keyring: &'a dyn Keyring,
    /// The extension's name.
    pub name: &'a str,
    /// The folder that it is used from.
    pub place: &'a Path,
}

/// Says which settings have values, and where those are.
#[derive(Debug, Default)]
pub struct Kept {
    /// The variables in the file.
    pub in_file: Vec<String>,
    /// The variables in the keyring.
    pub in_keyring: Vec<String>,
    /// Why secrets that were given now are not in the keyring.
    pub failure: Option<KeyringError>,
}

impl Kept {
    /// Looks at what an extension's folder says.
    pub fn of(folder: &Path) -> Self {
        let text = std::fs::read_to_string(folder.join(FILE)).unwrap_or_default();
        let names = text.lines().filter_map(name_of);
        Self {
            in_file: names.map(str::to_owned).collect(),
            in_keyring: listed(folder),
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
    /// Keeps values: secrets in the keyring, else in the file, which only its owner may read.
    /// `folder` is where the extension stands now, which may be aside of its place.
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
        let mut listed = listed(folder);
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

    /// Takes the secrets of an extension out of the keyring; returns those that stay, and why.
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

/// Copies what is kept in the folder of the extension that is replaced.
pub fn keep(from: &Path, to: &Path) -> Result<(), Failure> {
    for name in [FILE, KEYRING_FILE] {
        let file = to.join(name);
        match std::fs::read_to_string(from.join(name)) {
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

/// Says in an extension's folder that the keyring keeps nothing for it any more.
pub fn unlist(folder: &Path) -> Result<(), Failure> {
    write_list(folder, &[])
}

/// Returns the variables that the keyring keeps.
fn listed(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join(KEYRING_FILE)).unwrap_or_default();
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

/// Adds values to the file; those that the keyring keeps now go out of it. Other lines stay.
fn write_values(folder: &Path, values: &Values, in_keyring: &[String]) -> Result<(), Failure> {
    let file = folder.join(FILE);
    let before = match std::fs::read_to_string(&file) {
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
        let _ = writeln!(text, "{variable}={}", quoted(value));
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

/// Writes a file at once, which only its owner may read.
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

fn quoted(value: &str) -> String {
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
