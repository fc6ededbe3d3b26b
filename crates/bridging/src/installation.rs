//! What `bridge install` writes into other agents' settings, and `bridge uninstall` removes (BR-1,
//! BR-2).

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookloop_bridge::{Agent, InstallScope, InstalledFile};

use crate::files;
use crate::program::{self, Program};
use crate::records::{self, Record, RecordedFile, Remaining, RemovedByPerson, now};
use crate::setting::{SCOPES, Setting, is_in, last_called};
use crate::surroundings::{self, Noted};

/// Why the bridge couldn't be installed or removed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// Its kind.
    pub kind: FailureKind,
    /// The message for people.
    pub message: String,
}

/// The kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// This version of the agent is known to ignore hooks (BR-1).
    ObeysNothing,
    /// The agent has no such settings.
    NoSuchScope,
    /// A file can't be read or parsed, and its content would be lost if it were written.
    InvalidSettings,
    /// A file can't be written.
    NotWritable,
    /// An internal error.
    Internal,
}

impl Failure {
    fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { kind, message }
    }
}

/// The result of an installation.
#[derive(Debug)]
pub struct Installed {
    /// The agent's program; `None` if it isn't on the `PATH`.
    pub program: Option<Program>,
    /// The files that make the agent call the bridge.
    pub wanted: Vec<PathBuf>,
    /// Those of them that were written.
    pub written: Vec<PathBuf>,
}

fn not_written(path: &Path, error: &io::Error) -> Failure {
    let message = format!("{} can't be written: {error}", path.display());
    Failure::new(FailureKind::NotWritable, message)
}

/// A planned edit of a file.
struct Edit<'f> {
    file: &'f InstalledFile,
    before: Option<String>,
    after: String,
}

impl Edit<'_> {
    fn changes(&self) -> bool {
        let can_run = !self.file.is_program || files::is_runnable(&self.file.path);
        self.before.as_deref() != Some(self.after.as_str()) || !can_run
    }

    /// Makes the edit; replaced content that is in no record is kept.
    fn make(&self, setting: &Setting<'_>, recorded: Option<&str>) -> io::Result<()> {
        let path = &self.file.path;
        let before = self.before.as_deref();
        if before != Some(self.after.as_str()) {
            let lost = before.filter(|it| self.file.is_own && Some(*it) != recorded);
            if let Some(text) = lost {
                records::back_up(&setting.state, path, text)?;
            }
            files::write(path, &self.after, self.file.is_program)?;
        }
        if self.file.is_program && !files::is_runnable(path) {
            files::make_runnable(path)?;
        }
        Ok(())
    }
}

/// Finds the agent's program, and rejects versions that are known to obey nothing.
fn find_program(agent: Agent, setting: &Setting<'_>) -> Result<Option<Program>, Failure> {
    let found = program::find(agent, setting.environment);
    let version = found.as_ref().and_then(|it| it.version.as_deref());
    let Some(version) = version.filter(|it| agent.obeys_nothing(it)) else {
        return Ok(found);
    };
    let message = format!(
        "{} {version} obeys no hook at all: nothing was installed; install one of {}",
        agent.name(),
        agent.observed_versions().join(", ")
    );
    Err(Failure::new(FailureKind::ObeysNothing, message))
}

/// Determines the new contents of files, before anything is written.
fn plan_edits<'f>(
    agent: Agent,
    wanted: &'f [InstalledFile],
    link: &Path,
) -> Result<Vec<Edit<'f>>, Failure> {
    let invalid = |file: &InstalledFile, what: &dyn Display| {
        let message = format!("{}: {what}", file.path.display());
        Failure::new(FailureKind::InvalidSettings, message)
    };
    let edits = wanted.iter().map(|file| {
        let before = files::read(&file.path).map_err(|error| invalid(file, &error))?;
        let after = agent
            .install(file, before.as_deref(), link)
            .map_err(|error| invalid(file, &error))?;
        Ok(Edit {
            file,
            before,
            after,
        })
    });
    edits.collect()
}

/// Records what a file was before the bridge was added, and after.
fn note(agent: Agent, record: &mut Record, edit: &Edit<'_>) {
    let path = &edit.file.path;
    let before = match (record.of(path), &edit.before) {
        (Some(recorded), Some(before)) if recorded.after == *before => recorded.before.clone(),
        (_, Some(text)) if agent.is_installed_in(text) => agent
            .uninstall(edit.file, text)
            .unwrap_or_else(|_| Some(text.clone())),
        (_, before) => before.clone(),
    };
    record.files.retain(|it| it.path != *path);
    record.files.push(RecordedFile {
        path: path.clone(),
        before,
        after: edit.after.clone(),
    });
}

/// Makes an agent call the bridge. Nothing is written if a file can't be read or parsed.
pub fn install(
    setting: &Setting<'_>,
    agent: Agent,
    scope: InstallScope,
) -> Result<Installed, Failure> {
    let found = find_program(agent, setting)?;
    let mut wanted = setting.files(agent, scope);
    wanted.extend(setting.file_beside(agent, scope));
    if wanted.is_empty() {
        let message = format!(
            "{} doesn't read hooks from a project; leave --scope out",
            agent.name()
        );
        return Err(Failure::new(FailureKind::NoSuchScope, message));
    }
    let not_kept = |error: io::Error| not_written(&setting.state, &error);
    let _lock = files::lock(&setting.state).map_err(not_kept)?;
    let mut record = setting.record(agent, scope).unwrap_or_default();
    let known = record.clone();
    let link = files::link(&setting.home);
    let edits = plan_edits(agent, &wanted, &link)?;
    let program = setting.environment.program.clone().ok_or_else(|| {
        Failure::new(FailureKind::Internal, "the path of this program is unknown")
    })?;
    let made =
        files::keep_link(&setting.home, &program).map_err(|error| not_written(&link, &error))?;
    records::note_link_folders(&setting.state, &made).map_err(not_kept)?;
    surroundings::note(setting, agent)
        .map_err(|error| not_written(&surroundings::file(&setting.home), &error))?;
    for edit in &edits {
        note(agent, &mut record, edit);
        let path = &edit.file.path;
        let made = files::make_folders(path).map_err(|error| not_written(path, &error))?;
        record.folders.extend(made);
    }
    if record.at == 0 || edits.iter().any(Edit::changes) {
        record.at = now();
    }
    // The backup comes first: what it lacks can't be restored.
    record
        .write(&setting.state, agent, scope, &setting.project)
        .map_err(not_kept)?;
    let mut written = Vec::new();
    for edit in edits.iter().filter(|it| it.changes()) {
        let path = &edit.file.path;
        let recorded = known.of(path).map(|it| it.after.as_str());
        edit.make(setting, recorded)
            .map_err(|error| not_written(path, &error))?;
        written.push(path.clone());
    }
    records::note_taken_out(
        &setting.state,
        agent,
        scope,
        &setting.project,
        RemovedByPerson::No,
    )
    .map_err(not_kept)?;
    Ok(Installed {
        program: found,
        wanted: wanted.into_iter().map(|it| it.path).collect(),
        written,
    })
}

/// The result of a removal.
#[derive(Debug)]
pub struct Uninstalled {
    /// The files that were changed, including those that were removed.
    pub changed: Vec<PathBuf>,
    /// Those of them that `install` had created, and that were removed.
    pub removed: Vec<PathBuf>,
    /// Places where the agent's settings still call the bridge and that we must not edit.
    pub remaining: Vec<RemainingCall>,
    /// Another scope of the agent's settings that also calls the bridge.
    pub elsewhere: Option<InstallScope>,
    /// The agents whose running sessions may continue with the previous settings.
    pub restart: Vec<Agent>,
    /// What happens in those sessions until they are restarted.
    pub until_then: StaleCalls,
}

/// What a session does that still calls the bridge although the settings don't any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StaleCalls {
    /// The hooks answer as before.
    HooksAnswer,
    /// The program that it calls is gone, so it refuses whatever waits for hooks.
    Refuses,
}

impl StaleCalls {
    fn from_setting(setting: &Setting<'_>) -> Self {
        if files::link(&setting.home).exists() {
            Self::HooksAnswer
        } else {
            Self::Refuses
        }
    }
}

/// A call of the bridge that only its author can remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemainingCall {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
}

/// Finds what still calls the bridge in files.
fn remaining(setting: &Setting<'_>, agent: Agent, files: &[PathBuf]) -> Vec<RemainingCall> {
    let link = files::link(&setting.home);
    let mut calls = Vec::new();
    for path in files {
        // An unreadable file was an error earlier, or isn't run by this agent.
        let text = files::read(path).ok().flatten().unwrap_or_default();
        let lines = agent.calling_lines(&text, &link).into_iter();
        calls.extend(lines.map(|line| RemainingCall {
            path: path.clone(),
            line,
        }));
    }
    calls
}

/// Returns whether settings of any agent, of the person or of this project, still call the link.
/// Those that can't be read may.
fn is_link_called(setting: &Setting<'_>) -> bool {
    Agent::ALL.into_iter().any(|agent| {
        SCOPES.into_iter().any(|scope| {
            let files = setting.files(agent, scope).into_iter().map(|it| it.path);
            let mut files: Vec<PathBuf> = files.collect();
            files.extend(setting.switching_files_of(agent, scope));
            files.extend(setting.further_files(agent, scope));
            files.iter().any(|it| files::read(it).is_err())
                || !remaining(setting, agent, &files).is_empty()
        })
    })
}

/// Returns the files that may contain entries of the bridge: the agent's settings, copies that it
/// made, and what was written where its folder was at that time.
fn edited(
    setting: &Setting<'_>,
    agent: Agent,
    scope: InstallScope,
    record: &Record,
) -> Vec<InstalledFile> {
    let mut all = setting.files(agent, scope);
    let is_there = |it: &InstalledFile| it.path.exists();
    let copies = setting.files_with_copies(agent, scope);
    all.extend(copies.into_iter().filter(is_there));
    for recorded in &record.files {
        if !all.iter().any(|it| it.path == recorded.path) {
            let own = all.first().is_some_and(|it| it.is_own);
            all.push(InstalledFile {
                path: recorded.path.clone(),
                is_own: own,
                is_program: false,
            });
        }
    }
    all
}

/// Removes the bridge from an agent's settings, and returns what still calls it.
pub fn uninstall(
    setting: &Setting<'_>,
    agent: Agent,
    scope: InstallScope,
) -> Result<Uninstalled, Failure> {
    let _lock = files::lock(&setting.state).map_err(|error| not_written(&setting.state, &error))?;
    let record = setting.record(agent, scope).unwrap_or_default();
    let all = edited(setting, agent, scope, &record);
    // What can't be read or understood is found before anything is changed.
    let edits = plan_removals(agent, &all, &record)?;
    records::note_taken_out(
        &setting.state,
        agent,
        scope,
        &setting.project,
        RemovedByPerson::Yes,
    )
    .map_err(|error| not_written(&setting.state, &error))?;
    let (mut changed, mut removed) = (Vec::new(), Vec::new());
    for Removal { file, now, after } in edits {
        let recorded = record.of(&file.path).map(|it| it.after.as_str());
        let done = match &after {
            Some(text) => files::write(&file.path, text, file.is_program),
            None if file.is_own && recorded != Some(now.as_str()) => {
                records::back_up(&setting.state, &file.path, &now)
                    .and_then(|_| files::remove(&file.path))
            }
            None => files::remove(&file.path),
        };
        done.map_err(|error| not_written(&file.path, &error))?;
        changed.push(file.path.clone());
        if after.is_none() {
            removed.push(file.path.clone());
        }
    }
    let mut paths: Vec<PathBuf> = all.iter().map(|it| it.path.clone()).collect();
    let further = setting.further_files(agent, scope);
    for path in setting
        .switching_files_of(agent, scope)
        .into_iter()
        .chain(further)
    {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let remaining = remaining(setting, agent, &paths);
    let left = Record::forget(&setting.state, agent, scope, &setting.project)
        .map_err(|error| not_written(&setting.state, &error))?;
    if left != Remaining::InAgent && remaining.is_empty() {
        let noted = surroundings::forget(&setting.home, agent)
            .map_err(|error| not_written(&surroundings::file(&setting.home), &error))?;
        // Records can be in several places. A record of another agent, or an entry in its files,
        // means that it calls the link: without the link, it would refuse everything.
        if left == Remaining::Nowhere && noted == Noted::Nothing && !is_link_called(setting) {
            forget_link(setting);
        }
    }
    remove_folders(record.folders);
    let mut others = SCOPES.into_iter().filter(|it| *it != scope);
    let until_then = StaleCalls::from_setting(setting);
    let running = |_| running_on(setting, agent, until_then);
    let restart = changed.first().map_or_else(Vec::new, running);
    Ok(Uninstalled {
        changed,
        removed,
        remaining,
        elsewhere: others.find(|it| is_in(setting, agent, *it)),
        restart,
        until_then,
    })
}

/// Removes the link that no agent calls any more, and what is stored for those that do.
fn forget_link(setting: &Setting<'_>) {
    let _ = std::fs::remove_file(files::link(&setting.home));
    files::remove_empty(&records::take_link_folders(&setting.state));
    records::forget_all(&setting.state);
}

/// Removes the folders that were created, if they are empty.
fn remove_folders(mut folders: Vec<PathBuf>) {
    folders.sort_by_key(|it| std::cmp::Reverse(it.components().count()));
    for folder in folders {
        files::remove_empty(&[folder]);
    }
}

/// How recently an agent must have called for its session possibly to be running still.
const RECENTLY: Duration = Duration::from_hours(7 * 24);

/// Returns the agents whose sessions may continue with the settings from when they began: the one
/// from which the bridge was removed and, if the link that they all call is gone, those that called
/// recently.
fn running_on(setting: &Setting<'_>, agent: Agent, until_then: StaleCalls) -> Vec<Agent> {
    let since = now().saturating_sub(RECENTLY.as_secs());
    let called = |it: &Agent| last_called(setting, *it).is_some_and(|at| at >= since);
    let others = Agent::ALL
        .into_iter()
        .filter(|it| *it != agent && until_then == StaleCalls::Refuses)
        .filter(called);
    std::iter::once(agent).chain(others).collect()
}

/// A file without the bridge, planned but not written yet.
struct Removal<'f> {
    file: &'f InstalledFile,
    /// What it contains.
    now: String,
    /// What is left; `None` if the file is removed.
    after: Option<String>,
}

/// Determines what is left of files without the bridge: those that change.
fn plan_removals<'f>(
    agent: Agent,
    all: &'f [InstalledFile],
    record: &Record,
) -> Result<Vec<Removal<'f>>, Failure> {
    let mut edits = Vec::new();
    for file in all {
        let invalid = |what: &dyn Display| {
            let message = format!("{}: {what}", file.path.display());
            Failure::new(FailureKind::InvalidSettings, message)
        };
        let Some(now) = files::read(&file.path).map_err(|error| invalid(&error))? else {
            continue;
        };
        let after = match record.of(&file.path) {
            Some(recorded) if recorded.after == now => recorded.before.clone(),
            recorded => {
                let left = agent
                    .uninstall(file, &now)
                    .map_err(|error| invalid(&error))?;
                let was_none = recorded.is_some_and(|it| it.before.is_none());
                left.filter(|text| !(was_none && is_blank(text)))
            }
        };
        if after.as_deref() != Some(now.as_str()) {
            edits.push(Removal { file, now, after });
        }
    }
    Ok(edits)
}

/// Returns whether a text is empty of content: what is left of a file that didn't exist before.
fn is_blank(text: &str) -> bool {
    matches!(
        text.split_whitespace().collect::<String>().as_str(),
        "" | "{}" | "{\"version\":1}"
    )
}
