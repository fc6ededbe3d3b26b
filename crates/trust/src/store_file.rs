//! The trust store's file. It is read and written as a whole, under a lock.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use hookloop_settings::bounded::{read_file, sync_folder, unwaiting_options};
use hookloop_settings::lock_within;
use serde_json::{Map, Value};

use crate::fingerprint::RULES;
use crate::record::TrustRecord;

/// The key that our own data is under; all others are upstream's.
const OURS: &str = "hookloop";
const VERSION: u64 = 1;

/// How long to wait for others who change the file.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Why the trust store couldn't be changed.
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

/// Contains the whole content of the file.
#[derive(Debug, Clone, Default)]
pub(crate) struct StoreContent {
    json: Map<String, Value>,
}

impl StoreContent {
    /// Reads a file; a missing one is empty.
    pub(crate) fn read(file: &Path) -> Result<Self, String> {
        let bytes = match read_file(file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error.to_string()),
        };
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
        let json = match serde_json::from_slice(bytes) {
            Ok(Value::Object(json)) => json,
            Ok(_) => return Err("it isn't an object".to_owned()),
            Err(error) => return Err(error.to_string()),
        };
        let content = Self { json };
        content.check()?;
        Ok(content)
    }

    /// Returns whether this is what is left after a person's agreements in an earlier content were
    /// lost: our part is gone, which no command removes, or everything is.
    pub(crate) fn has_lost(&self, earlier: &Self) -> bool {
        let is_ours_gone = earlier.json.contains_key(OURS) && !self.json.contains_key(OURS);
        is_ours_gone || (self.json.is_empty() && !earlier.json.is_empty())
    }

    /// Checks that our own part can be understood, so that writing loses nothing in it.
    fn check(&self) -> Result<(), String> {
        let Some(ours) = self.json.get(OURS) else {
            return Ok(());
        };
        let version = ours.get("version").and_then(Value::as_u64);
        if version != Some(VERSION) {
            return Err(format!("\"{OURS}\" isn't of version {VERSION}"));
        }
        let projects = match ours.get("projects") {
            None => return Ok(()),
            Some(Value::Object(projects)) => projects,
            Some(_) => return Err(format!("\"{OURS}.projects\" isn't an object")),
        };
        for (project, records) in projects {
            let Value::Array(records) = records else {
                return Err(format!("the entries of \"{project}\" aren't a list"));
            };
            for record in records.iter().filter(|it| !is_of_newer_rules(it)) {
                serde_json::from_value::<TrustRecord>(record.clone())
                    .map_err(|error| format!("the entries of \"{project}\": {error}"))?;
            }
        }
        Ok(())
    }

    /// Returns our records of a project, if this version knows the rules that made them (TR-12).
    pub(crate) fn records(&self, project: &str) -> Vec<TrustRecord> {
        let records = self.raw_records(project).iter();
        // The records were validated when they were read.
        records
            .filter(|it| !is_of_newer_rules(it))
            .filter_map(|it| serde_json::from_value(it.clone()).ok())
            .collect()
    }

    fn raw_records(&self, project: &str) -> &[Value] {
        let ours = self.json.get(OURS);
        ours.and_then(|ours| ours.get("projects")?.get(project)?.as_array())
            .map_or(&[], Vec::as_slice)
    }

    /// Returns the projects that have records.
    pub(crate) fn projects(&self) -> Vec<String> {
        let ours = self.json.get(OURS);
        let projects = ours.and_then(|ours| ours.get("projects")?.as_object());
        projects.map_or_else(Vec::new, |it| it.keys().cloned().collect())
    }

    /// Replaces our records of a project; those of newer rules stay as they are (TR-12).
    pub(crate) fn set_records(&mut self, project: &str, records: &[TrustRecord]) {
        let newer = self
            .raw_records(project)
            .iter()
            .filter(|it| is_of_newer_rules(it));
        let mut all: Vec<Value> = newer.cloned().collect();
        // Serialising can't fail: a record is plain data.
        all.extend(
            records
                .iter()
                .filter_map(|it| serde_json::to_value(it).ok()),
        );
        self.set_ours(
            "projects",
            project,
            (!all.is_empty()).then_some(Value::Array(all)),
        );
    }

    /// Returns what was agreed to of a project's settings (ST-13).
    pub(crate) fn settings(&self, project: &str) -> Option<Map<String, Value>> {
        let ours = self.json.get(OURS)?;
        ours.get("settings")?.get(project)?.as_object().cloned()
    }

    /// Replaces what was agreed to of a project's settings.
    pub(crate) fn set_settings(&mut self, project: &str, content: &Map<String, Value>) {
        let content = (!content.is_empty()).then(|| Value::Object(content.clone()));
        self.set_ours("settings", project, content);
    }

    /// Returns whether a person's command left a file with this digest, or removed it.
    pub(crate) fn is_settled(&self, file: &str, digest: Option<&str>) -> bool {
        let noted = || self.json.get(OURS)?.get("settled")?.get(file);
        noted().is_some_and(|it| it.as_str() == digest)
    }

    /// Notes what a person's command left in a file.
    pub(crate) fn set_settled(&mut self, file: &str, digest: Option<&str>) {
        self.set_ours(
            "settled",
            file,
            Some(digest.map_or(Value::Null, Value::from)),
        );
    }

    /// Replaces a project's entry in one of our maps.
    fn set_ours(&mut self, map: &str, project: &str, value: Option<Value>) {
        let empty = || Value::Object(Map::new());
        let ours = self.json.entry(OURS).or_insert_with(empty);
        let Value::Object(ours) = ours else { return };
        ours.insert("version".to_owned(), VERSION.into());
        let map = ours.entry(map).or_insert_with(empty);
        let Value::Object(map) = map else { return };
        match value {
            Some(value) => {
                map.insert(project.to_owned(), value);
            }
            None => {
                map.shift_remove(project);
            }
        }
    }

    /// Returns upstream's list for a project: texts `name:command` (TR-4).
    pub(crate) fn upstream(&self, project: &str) -> Vec<&str> {
        match self.json.get(project) {
            Some(Value::Array(list)) if project != OURS => {
                list.iter().filter_map(Value::as_str).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Removes entries from upstream's list for a project.
    pub(crate) fn remove_upstream(&mut self, project: &str, keys: &[String]) {
        if let Some(Value::Array(list)) = self.json.get_mut(project) {
            list.retain(|entry| {
                !entry
                    .as_str()
                    .is_some_and(|it| keys.iter().any(|key| key == it))
            });
        }
    }

    /// Returns the keys that belong to upstream: its projects.
    pub(crate) fn upstream_projects(&self) -> impl Iterator<Item = &str> {
        self.json
            .keys()
            .map(String::as_str)
            .filter(|key| *key != OURS)
    }
}

fn is_of_newer_rules(record: &Value) -> bool {
    let rules = record.get("rules").and_then(Value::as_u64);
    rules.is_some_and(|rules| rules > u64::from(RULES))
}

/// Changes the file: reads it again under a lock, applies the change, and replaces it completely.
/// Two processes that do so at once lose nothing; a crash leaves the old file or the new one. The
/// wait for others is bounded: a process that keeps the lock forever doesn't stop anybody silently.
pub(crate) fn update(
    file: &Path,
    change: impl FnOnce(&mut StoreContent),
) -> Result<StoreContent, StoreError> {
    update_within(file, MAX_WAIT, change)
}

fn update_within(
    file: &Path,
    longest: Duration,
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
        unwaiting_options().create(true).truncate(false).write(true),
        &lock_file,
    )
    .map_err(failed)?;
    lock_within(&lock, &lock_file, longest).map_err(failed)?;
    let mut content = StoreContent::read(file).map_err(|reason| StoreError::Broken {
        file: file.to_path_buf(),
        reason,
    })?;
    change(&mut content);
    write(file, &content).map_err(failed)?;
    // The lock file stays: if it were removed, two processes could lock two different files.
    drop(lock);
    Ok(content)
}

fn write(file: &Path, content: &StoreContent) -> io::Result<()> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    // Writes to a link's target, so that the link stays.
    let target = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let temporary = with_suffix(&target, &format!(".{}-{number}.tmp", std::process::id()));
    // A killed process with the same id may have left it behind.
    let _ = std::fs::remove_file(&temporary);
    let written =
        write_new(&temporary, content).and_then(|()| std::fs::rename(&temporary, &target));
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written?;
    if let Some(folder) = target.parent() {
        sync_folder(folder);
    }
    Ok(())
}

fn write_new(file: &Path, content: &StoreContent) -> io::Result<()> {
    let mut text = serde_json::to_string_pretty(&content.json)?;
    text.push('\n');
    let mut open = private(unwaiting_options().create_new(true).write(true), file)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// TR-7: somebody who keeps the store's lock doesn't block changes of trust forever, and what
    /// blocks them is reported.
    #[test]
    fn a_lock_that_stays_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("trusted_hooks.json");
        let lock = with_suffix(&file, ".lock");
        let holder = File::create(&lock).expect("a file");
        holder.lock().expect("a lock");
        let error = update_within(&file, Duration::ZERO, |_| panic!("changed under a lock"));
        let error = error.expect_err("locked").to_string();
        assert!(error.contains(&lock.display().to_string()), "{error}");
        drop(holder);
        assert!(update_within(&file, Duration::ZERO, |_| {}).is_ok());
    }
}
