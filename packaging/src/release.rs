//! What every package is made of.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::PackageError;
use crate::executable::{Linking, expect_built_for};
use crate::platform::Platform;
use crate::readme::{Published, for_packages, with_absolute_links};

/// The version of everything here.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// What the project is, in a line.
pub(crate) const SUMMARY: &str = "A hook engine for coding agents, and an agent that obeys it";
/// The licence, as SPDX names it.
pub(crate) const LICENSE: &str = env!("CARGO_PKG_LICENSE");

/// Where the project is.
pub(crate) const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// A file of a package, or a package.
#[derive(Debug, Clone)]
pub(crate) struct PackedFile {
    /// Its name, with `/` between folders.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) mode: Mode,
}

/// What may be done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Data,
    Program,
}

impl Mode {
    /// Returns the permissions, as Unix writes them.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            Self::Data => 0o644,
            Self::Program => 0o755,
        }
    }
}

impl PackedFile {
    pub(crate) fn data(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            name: name.into(),
            bytes: bytes.into(),
            mode: Mode::Data,
        }
    }

    pub(crate) fn program(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            mode: Mode::Program,
            ..Self::data(name, bytes)
        }
    }

    /// Returns the same file below a folder.
    pub(crate) fn below(&self, folder: &str) -> Self {
        Self {
            name: format!("{folder}/{}", self.name),
            ..self.clone()
        }
    }
}

/// What every package is made of.
#[derive(Debug)]
pub(crate) struct Release {
    pub(crate) platform: &'static Platform,
    pub(crate) program: Vec<u8>,
    pub(crate) linking: Linking,
    /// With links that work wherever it is shown.
    pub(crate) readme: Vec<u8>,
    pub(crate) license: Vec<u8>,
    /// `hookloop.1` and one for each command.
    pub(crate) manual: Vec<PackedFile>,
    /// For Bash, Zsh, Fish, PowerShell and Elvish, by the names that those look for.
    pub(crate) completions: Vec<PackedFile>,
    /// The Python package that hooks are written with (HT-13).
    pub(crate) python_kit: Vec<PackedFile>,
    /// The Node module that hooks are written with, and its types (HT-13).
    pub(crate) node_kit: Vec<PackedFile>,
}

impl Release {
    /// Reads the program and what is in the repository, and asks `runs_here` for the rest.
    pub(crate) fn gather(
        root: &Path,
        binary: &Path,
        runs_here: &Path,
        platform: &'static Platform,
    ) -> Result<Self, PackageError> {
        let read = |path: PathBuf| fs::read(&path).map_err(PackageError::at(&path));
        let program = read(binary.to_owned())?;
        let linking = expect_built_for(&program, platform)?;
        expect_all_parts(runs_here)?;
        let page = |name: &str| {
            let path = root.join(name);
            fs::read_to_string(&path).map_err(PackageError::at(&path))
        };
        let readme = for_packages(&page("README.md")?, &page("packaging/readme.md")?)
            .map_err(|heading| PackageError::Readme { heading })?;
        let manual = tempfile::tempdir()?;
        let folder = manual.path().to_string_lossy();
        said(runs_here, &["man", "--dir", &folder])?;
        let completion = |shell: &str, name: &str| {
            said(runs_here, &["completions", shell]).map(|text| PackedFile::data(name, text))
        };
        Ok(Self {
            platform,
            program,
            linking,
            readme: with_absolute_links(
                &readme,
                Published {
                    repository: REPOSITORY,
                    version: VERSION,
                },
            )
            .into_bytes(),
            license: read(root.join("LICENSE"))?,
            manual: files_below(manual.path())?,
            completions: vec![
                completion("bash", "hookloop.bash")?,
                completion("zsh", "_hookloop")?,
                completion("fish", "hookloop.fish")?,
                completion("powershell", "_hookloop.ps1")?,
                completion("elvish", "hookloop.elv")?,
            ],
            python_kit: files_below(&root.join("kits/python/hookloop"))?
                .iter()
                .map(|file| file.below("hookloop"))
                .collect(),
            node_kit: vec![
                PackedFile::data("index.mjs", read(root.join("kits/node/index.mjs"))?),
                PackedFile::data("index.d.mts", read(root.join("kits/node/index.d.ts"))?),
            ],
        })
    }
}

/// Hooks of all types that a program may have been built without.
const HOOKS_OF_ALL_PARTS: &str = r#"{"mcpServers": {"s": {"command": "true"}}, "hooks": {"BeforeTool": [{"hooks": [
  {"type": "http", "url": "https://localhost/"},
  {"type": "plugin", "plugin": "hook.wasm"},
  {"type": "mcp_tool", "server": "s", "tool": "t"}
]}]}}"#;

/// Checks that a program was built with everything that packages promise (IO-21).
fn expect_all_parts(program: &Path) -> Result<(), PackageError> {
    let project = tempfile::tempdir()?;
    let settings = project.path().join(".gemini/settings.json");
    fs::create_dir(project.path().join(".gemini"))?;
    fs::write(&settings, HOOKS_OF_ALL_PARTS).map_err(PackageError::at(&settings))?;
    // A path must mean the same in another folder; a name alone is looked up.
    let is_name = program.components().count() == 1;
    let path = if is_name {
        program.to_owned()
    } else {
        std::path::absolute(program)?
    };
    // Its exit code says nothing: the component doesn't exist, so there is always an error.
    let output = Command::new(path)
        .args(["hooks", "check", "--skip-trust", "--json"])
        .current_dir(&project)
        .env("HOME", project.path())
        .output()
        .map_err(PackageError::at(program))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let Some((_, rest)) = text.split_once("was built without ") else {
        return Ok(());
    };
    let part = rest.split(['"', ';', '\n']).next().unwrap_or_default();
    Err(PackageError::Incomplete {
        program: program.to_owned(),
        complaint: format!("was built without {part}"),
    })
}

/// Runs a program and returns what it prints.
fn said(program: &Path, arguments: &[&str]) -> Result<Vec<u8>, PackageError> {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .map_err(PackageError::at(program))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(PackageError::Program {
        program: program.to_owned(),
        arguments: arguments.join(" "),
        status: output.status,
        said: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

/// Returns the files below a folder in the order of their names.
fn files_below(folder: &Path) -> Result<Vec<PackedFile>, PackageError> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(current) = folders.pop() {
        for entry in fs::read_dir(&current).map_err(PackageError::at(&current))? {
            let path = entry?.path();
            let name = path.strip_prefix(folder).unwrap_or(&path);
            let name = name.to_string_lossy().replace('\\', "/");
            let is_generated = name.split('/').any(|part| part == "__pycache__")
                || name.split('/').any(|part| part.starts_with('.'));
            if is_generated {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = fs::read(&path).map_err(PackageError::at(&path))?;
                found.push(PackedFile::data(name, bytes));
            }
        }
    }
    found.sort_by(|one, two| one.name.cmp(&two.name));
    Ok(found)
}
