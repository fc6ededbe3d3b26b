//! The workspace as `cargo metadata` and the file system know it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use serde_json::Value;

use crate::source::SourceFile;

/// Folders at the root that contain our Rust code.
const CODE_FOLDERS: [&str; 7] = [
    "benches",
    "conformance/agents",
    "conformance/runner",
    "crates",
    "examples",
    "fuzz",
    "xtask",
];

/// Why the workspace couldn't be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorkspaceError {
    #[error("couldn't start `cargo metadata`: {0}")]
    Start(io::Error),
    #[error("`cargo metadata` failed: {0}")]
    Cargo(String),
    #[error("the output of `cargo metadata` isn't understood: {0}")]
    Metadata(#[from] serde_json::Error),
    #[error("couldn't read {path}: {cause}")]
    Read { path: String, cause: io::Error },
}

/// One package of the workspace, with its dependencies.
#[derive(Debug)]
pub(crate) struct Package {
    /// Its name as Cargo knows it.
    pub(crate) name: String,
    /// Its `Cargo.toml`, from the root, with forward slashes.
    pub(crate) manifest: String,
    /// The manifest's text, to find lines in.
    pub(crate) text: String,
    /// Its dependencies.
    pub(crate) dependencies: Vec<Dependency>,
}

/// One entry of a package's dependencies.
#[derive(Debug)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) kind: DependencyKind,
}

/// The kind of a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DependencyKind {
    Normal,
    Build,
    Development,
}

/// Root, target folder and members.
#[derive(Debug)]
pub(crate) struct Workspace {
    root: PathBuf,
    target: PathBuf,
    repository: String,
    packages: Vec<Package>,
}

impl Workspace {
    /// Asks Cargo for the workspace that the current folder belongs to.
    pub(crate) fn load() -> Result<Self, WorkspaceError> {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .output()
            .map_err(WorkspaceError::Start)?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(WorkspaceError::Cargo(text));
        }
        let metadata: Value = serde_json::from_slice(&output.stdout)?;
        let root = PathBuf::from(text_of(&metadata, "workspace_root"));
        let target = PathBuf::from(text_of(&metadata, "target_directory"));
        let packages = list_of(&metadata, "packages")
            .iter()
            .map(|package| read_package(&root, package))
            .collect::<Result<_, _>>()?;
        let mut members = list_of(&metadata, "packages").iter();
        let repository = members.find_map(|package| package["repository"].as_str());
        Ok(Self {
            root,
            target,
            repository: repository.unwrap_or_default().to_owned(),
            packages,
        })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Returns the address of the repository, as the manifests give it.
    pub(crate) fn repository(&self) -> &str {
        &self.repository
    }

    pub(crate) fn packages(&self) -> &[Package] {
        &self.packages
    }

    /// Reads every Rust file of ours, in the order of their paths.
    pub(crate) fn rust_files(&self) -> Result<Vec<SourceFile>, WorkspaceError> {
        let mut files = Vec::new();
        for folder in CODE_FOLDERS {
            collect(&self.root, &self.root.join(folder), &mut files)?;
        }
        files.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(files)
    }
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<SourceFile>) -> Result<(), WorkspaceError> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder).map_err(|cause| unreadable(folder, cause))? {
        let path = entry.map_err(|cause| unreadable(folder, cause))?.path();
        if path.is_dir() {
            if path.file_name() != Some(OsStr::new("target")) {
                collect(root, &path, files)?;
            }
        } else if path.extension() == Some(OsStr::new("rs")) {
            files.push(SourceFile::new(&relative(root, &path), read(&path)?));
        }
    }
    Ok(())
}

fn read_package(root: &Path, package: &Value) -> Result<Package, WorkspaceError> {
    let manifest = PathBuf::from(text_of(package, "manifest_path"));
    let dependencies = list_of(package, "dependencies")
        .iter()
        .map(|dependency| Dependency {
            name: text_of(dependency, "name").to_owned(),
            kind: match text_of(dependency, "kind") {
                "dev" => DependencyKind::Development,
                "build" => DependencyKind::Build,
                _ => DependencyKind::Normal,
            },
        })
        .collect();
    Ok(Package {
        name: text_of(package, "name").to_owned(),
        manifest: relative(root, &manifest),
        text: read(&manifest)?,
        dependencies,
    })
}

/// Writes `path` as seen from `root`, with forward slashes on every platform.
pub(crate) fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root)
        .unwrap_or(path)
        .to_string_lossy()
        .replace('\\', "/")
}

fn read(path: &Path) -> Result<String, WorkspaceError> {
    fs::read_to_string(path).map_err(|cause| unreadable(path, cause))
}

fn unreadable(path: &Path, cause: io::Error) -> WorkspaceError {
    WorkspaceError::Read {
        path: path.display().to_string(),
        cause,
    }
}

fn text_of<'value>(value: &'value Value, field: &str) -> &'value str {
    value[field].as_str().unwrap_or_default()
}

fn list_of<'value>(value: &'value Value, field: &str) -> &'value [Value] {
    value[field]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
}
