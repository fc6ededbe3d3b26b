//! The file that the trust store is kept in: read whole, written whole, under a lock.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Map, Value};

use crate::record::TrustRecord;

/// The key that our own data stands under; all others are upstream's.
const OURS: &str = "hookloop";
const VERSION: u64 = 1;

/// Says why the trust store could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Its file is broken; it is never overwritten.
    #[error("{file} is broken ({reason}); repair or remove it")]
    Broken {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Its file can't be written.
    #[error("write {file}: {source}")]
    Write {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Holds the whole content of the file.
#[derive(Debug, Clone, Default)]
pub(crate) struct StoreContent {
    json: Map<String, Value>,
}

impl StoreContent {
    /// Reads a file; a missing one is empty.
    pub(crate) fn read(file: &Path) -> Result<Self, String> {
        let bytes = match std::fs::read(file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error.to_string()),
        };
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
        let json = match serde_json::from_slice(bytes) {
            Ok(Value::Object(json)) => json,
            Ok(_) => return Err("it is no object".to_owned()),
            Err(error) => return Err(error.to_string()),
        };
        let content = Self { json };
        content.check()?;
        Ok(content)
    }

    /// Makes sure that our own part can be understood, so that nothing in it is lost by writing.
    fn check(&self) -> Result<(), String> {
        let Some(ours) = self.json.get(OURS) else {
            return Ok(());
        };
        let version = ours.get("version").and_then(Value::as_u64);
        if version != Some(VERSION) {
            return Err(format!("\"{OURS}\" is not of version {VERSION}"));
        }
        let projects = match ours.get("projects") {
            None => return Ok(()),
            Some(Value::Object(projects)) => projects,
            Some(_) => return Err(format!("\"{OURS}.projects\" is no object")),
        };
        for (project, records) in projects {
            serde_json::from_value::<Vec<TrustRecord>>(records.clone())
                .map_err(|error| format!("the entries of \"{project}\": {error}"))?;
        }
        Ok(())
    }

    /// Returns our records of a project.
    pub(crate) fn records(&self, project: &str) -> Vec<TrustRecord> {
        let records = self
            .json
            .get(OURS)
            .and_then(|ours| ours.get("projects")?.get(project));
        // It was checked when it was read.
        records
            .and_then(|it| serde_json::from_value(it.clone()).ok())
            .unwrap_or_default()
    }

    /// Replaces our records of a project.
    pub(crate) fn set_records(&mut self, project: &str, records: &[TrustRecord]) {
        let ours = self
            .json
            .entry(OURS)
            .or_insert_with(|| Value::Object(Map::new()));
        let Value::Object(ours) = ours else { return };
        ours.insert("version".to_owned(), VERSION.into());
        let projects = ours
            .entry("projects")
            .or_insert_with(|| Value::Object(Map::new()));
        let Value::Object(projects) = projects else {
            return;
        };
        match serde_json::to_value(records) {
            Ok(value) if !records.is_empty() => {
                projects.insert(project.to_owned(), value);
            }
            _ => {
                projects.shift_remove(project);
            }
        }
    }

    /// Returns upstream's list of a project: texts `name:command` (TR-4).
    pub(crate) fn upstream(&self, project: &str) -> Vec<&str> {
        match self.json.get(project) {
            Some(Value::Array(list)) if project != OURS => {
                list.iter().filter_map(Value::as_str).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Takes entries out of upstream's list of a project.
    pub(crate) fn remove_upstream(&mut self, project: &str, keys: &[String]) {
        if let Some(Value::Array(list)) = self.json.get_mut(project) {
            list.retain(|entry| {
                !entry
                    .as_str()
                    .is_some_and(|it| keys.iter().any(|key| key == it))
            });
        }
    }

    /// Returns the keys that are upstream's: its projects.
    pub(crate) fn upstream_projects(&self) -> impl Iterator<Item = &str> {
        self.json
            .keys()
            .map(String::as_str)
            .filter(|key| *key != OURS)
    }
}

/// Changes the file: reads it anew under a lock, applies the change, and replaces it as a whole.
/// Two processes that do so at once lose nothing; a crash leaves the old file or the new one.
pub(crate) fn update(
    file: &Path,
    change: impl FnOnce(&mut StoreContent),
) -> Result<StoreContent, StoreError> {
    let failed = |source: io::Error| StoreError::Write {
        file: file.to_path_buf(),
        source,
    };
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let lock_file = with_suffix(file, ".lock");
    let lock = private(
        OpenOptions::new().create(true).truncate(false).write(true),
        &lock_file,
    )
    .map_err(failed)?;
    lock.lock().map_err(failed)?;
    let mut content = StoreContent::read(file).map_err(|reason| StoreError::Broken {
        file: file.to_path_buf(),
        reason,
    })?;
    change(&mut content);
    write(file, &content).map_err(failed)?;
    // The lock file stays: to remove it would let two processes lock two different files.
    drop(lock);
    Ok(content)
}

fn write(file: &Path, content: &StoreContent) -> io::Result<()> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    // A link keeps leading to the file.
    let target = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let temporary = with_suffix(&target, &format!(".{}-{number}.tmp", std::process::id()));
    // Left behind by a process of the same id that was killed.
    let _ = std::fs::remove_file(&temporary);
    let written =
        write_new(&temporary, content).and_then(|()| std::fs::rename(&temporary, &target));
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written?;
    // Makes the rename itself last; not every system can sync a folder.
    if let Some(folder) = target.parent()
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
    Ok(())
}

fn write_new(file: &Path, content: &StoreContent) -> io::Result<()> {
    let mut text = serde_json::to_string_pretty(&content.json)?;
    text.push('\n');
    let mut open = private(OpenOptions::new().create_new(true).write(true), file)?;
    open.write_all(text.as_bytes())?;
    open.sync_all()
}

/// Opens a file that only the user can read.
fn private(options: &mut OpenOptions, file: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(file)
}

fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
