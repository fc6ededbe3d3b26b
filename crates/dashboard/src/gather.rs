//! Reads the traces of all projects for the page.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use hookloop_engine::RunResult;
use hookloop_trace::{
    FILE_NAME, Limits, Loss, Origin, QueryError, RunFilter, StoredRun, TraceStore, html,
    nearest_rank,
};
use jiff::Timestamp;
use serde_json::Value;

use crate::request::Choice;

/// How many of a project's latest runs are read.
const MAX_RUNS: u32 = 1000;

/// How many seconds after its last run a session counts as active.
const LIVELY_SECONDS: i64 = 300;

/// The name of this program as an agent.
pub(crate) const OWN: &str = "hookloop";

/// The fields of a reply that change what the agent does.
const REWRITES: [&str; 6] = [
    "tool_input",
    "llm_request",
    "llm_response",
    "toolConfig",
    "tailToolCallRequest",
    "updatedInput",
];

/// The traces of all projects.
#[derive(Debug)]
pub struct Traces {
    folder: PathBuf,
    limits: Limits,
}

/// A run and its project.
pub(crate) struct Entry {
    pub(crate) run: StoredRun,
    /// The name of the project's folder.
    pub(crate) project: Arc<str>,
    pub(crate) is_rewrite: bool,
}

/// The data of the page.
#[derive(Default)]
pub(crate) struct Gathered {
    /// A mark that changes when a trace does.
    pub(crate) mark: String,
    /// The selected runs, latest first.
    pub(crate) entries: Vec<Entry>,
    /// Their totals, before the selection by kind.
    pub(crate) numbers: Numbers,
    /// The sessions of the selected runs, latest first.
    pub(crate) sessions: Vec<Session>,
    /// What agents couldn't do in the selected sessions, latest first (BR-21).
    pub(crate) losses: Vec<Loss>,
    /// The hooks of the selected runs, sorted by name.
    pub(crate) hooks: Vec<Hook>,
    /// All agents that have runs.
    pub(crate) agents: BTreeSet<String>,
    /// Problems with reading traces.
    pub(crate) problems: Vec<String>,
}

/// Totals of runs.
#[derive(Debug, Default, Clone)]
pub(crate) struct Numbers {
    pub(crate) runs: usize,
    pub(crate) refused: usize,
    pub(crate) rewrites: usize,
    pub(crate) failed: usize,
    /// Runs in shadow mode that would have refused, asked or changed something.
    pub(crate) shadow: usize,
    durations: Vec<f64>,
}

/// A session of an agent.
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) agent: String,
    pub(crate) project: Arc<str>,
    /// The folder that it works in, if hooks received it.
    pub(crate) folder: Option<String>,
    pub(crate) last_at: String,
    pub(crate) is_live: bool,
    pub(crate) numbers: Numbers,
}

/// A hook of any project.
pub(crate) struct Hook {
    pub(crate) label: String,
    pub(crate) is_shadow: bool,
    pub(crate) numbers: Numbers,
}

impl Numbers {
    fn add(&mut self, entry: &Entry) {
        let run = &entry.run;
        self.runs += 1;
        self.durations.push(run.duration_ms);
        if run.failure.is_some() {
            self.failed += 1;
        }
        let is_refusal = matches!(run.result, RunResult::Refused | RunResult::Stopped);
        if run.shadow {
            if is_refusal || entry.is_rewrite || run.result == RunResult::Ask {
                self.shadow += 1;
            }
            return;
        }
        if is_refusal {
            self.refused += 1;
        }
        if entry.is_rewrite {
            self.rewrites += 1;
        }
    }

    fn finish(&mut self) {
        self.durations.sort_by(f64::total_cmp);
    }

    /// Returns a percentile of the durations, in milliseconds.
    pub(crate) fn percentile(&self, percent: usize) -> Option<f64> {
        nearest_rank(&self.durations, percent)
    }
}

impl Entry {
    /// Returns the agent whose session it is.
    pub(crate) fn agent(&self) -> &str {
        self.run.agent.as_deref().unwrap_or(OWN)
    }

    fn matches(&self, choice: &Choice, search: &str) -> bool {
        let is_chosen = |chosen: &str, value: &str| chosen.is_empty() || chosen == value;
        is_chosen(&choice.agent, self.agent())
            && is_chosen(&choice.session, &self.run.session_id)
            && is_chosen(&choice.project, &self.project)
            && (search.is_empty() || self.holds(search))
    }

    /// Returns whether any data of the run contains a lower-case text.
    fn holds(&self, search: &str) -> bool {
        let run = &self.run;
        let json = |value: &Option<Box<_>>| {
            let value: Option<&serde_json::value::RawValue> = value.as_deref();
            value.map_or_else(String::new, |value| value.get().to_owned())
        };
        let texts = [
            run.label.clone(),
            run.event.to_string(),
            run.session_id.clone(),
            run.run_id.clone(),
            self.agent().to_owned(),
            run.source.to_string(),
            run.failure
                .as_ref()
                .map_or_else(String::new, |it| it.message.clone()),
            run.stdout.clone().unwrap_or_default(),
            run.stderr.clone().unwrap_or_default(),
            json(&run.input),
            json(&run.reply),
        ];
        texts
            .iter()
            .any(|text| text.to_lowercase().contains(search))
    }

    /// Returns whether the run is of the given kind.
    fn is_of(&self, kind: &str) -> bool {
        let result = self.run.result;
        match kind {
            "refused" => matches!(result, RunResult::Refused | RunResult::Stopped),
            "asked" => result == RunResult::Ask,
            "rewritten" => self.is_rewrite,
            "failed" => self.run.failure.is_some(),
            "shadow" => self.run.shadow,
            _ => true,
        }
    }
}

impl Traces {
    /// Reads traces below the folder that contains a folder per project.
    pub fn below(folder: impl Into<PathBuf>, limits: Limits) -> Self {
        Self {
            folder: folder.into(),
            limits,
        }
    }

    /// Returns a text that changes when a trace does, and every minute, because sessions cease to
    /// be active.
    pub(crate) fn mark(&self) -> String {
        let seconds = |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut newest = 0;
        let mut bytes = 0;
        for project in self.projects().unwrap_or_default() {
            // The latest writes are in the write-ahead log beside it.
            for file in [FILE_NAME.to_owned(), format!("{FILE_NAME}-wal")] {
                if let Ok(metadata) = fs::metadata(project.join(file)) {
                    let changed = metadata.modified().map(seconds).unwrap_or_default();
                    newest = newest.max(changed.as_nanos());
                    bytes += metadata.len();
                }
            }
        }
        let minute = seconds(SystemTime::now()).as_secs() / 60;
        format!("{newest}-{bytes}-{minute}")
    }

    /// Returns the folders of projects that have a trace.
    fn projects(&self) -> io::Result<Vec<PathBuf>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut projects = Vec::new();
        for entry in entries {
            let folder = entry?.path();
            if folder.join(FILE_NAME).is_file() {
                projects.push(folder);
            }
        }
        projects.sort();
        Ok(projects)
    }

    /// Reads the selected data.
    pub(crate) fn gather(&self, choice: &Choice) -> Gathered {
        let mut gathered = Gathered {
            mark: self.mark(),
            ..Gathered::default()
        };
        let projects = self.projects().unwrap_or_else(|error| {
            gathered
                .problems
                .push(format!("the traces can't be searched for: {error}"));
            Vec::new()
        });
        let search = choice.search.to_lowercase();
        let mut folders = BTreeMap::new();
        for folder in projects {
            let name: Arc<str> = folder
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into();
            match self.runs(&folder, &latest_filter(choice)) {
                Err(problem) => gathered.problems.push(problem),
                Ok((runs, losses)) => {
                    let losses = losses.into_iter();
                    let chosen = losses.filter(|it| matches(it, &name, choice, &search));
                    gathered.losses.extend(chosen);
                    for run in runs {
                        let entry = Entry {
                            is_rewrite: is_rewrite(&run),
                            run,
                            project: Arc::clone(&name),
                        };
                        gathered.agents.insert(entry.agent().to_owned());
                        if entry.matches(choice, &search) {
                            note_folder(&mut folders, &entry);
                            gathered.entries.push(entry);
                        }
                    }
                }
            }
        }
        gathered.entries.sort_by(|one, other| {
            let key = |entry: &Entry| (entry.run.started_at.clone(), entry.run.position);
            key(other).cmp(&key(one))
        });
        gathered
            .losses
            .sort_by(|one, other| other.lost_at.cmp(&one.lost_at));
        gathered.sum_up(&folders);
        gathered.entries.retain(|entry| entry.is_of(&choice.show));
        gathered
    }

    /// Returns the page of a session.
    pub(crate) fn session(&self, choice: &Choice) -> String {
        let filter = RunFilter {
            session: Some(choice.session.clone()),
            ..RunFilter::default()
        };
        let projects = self.projects().unwrap_or_default().into_iter();
        let (mut runs, mut losses) = (Vec::new(), Vec::new());
        let chosen =
            projects.filter(|it| choice.project.is_empty() || it.ends_with(&choice.project));
        for (of_project, lost) in chosen.filter_map(|it| self.runs(&it, &filter).ok()) {
            runs.extend(of_project);
            losses.extend(lost);
        }
        let is_chosen = |agent: &str| choice.agent.is_empty() || agent == choice.agent;
        runs.retain(|run| is_chosen(run.agent.as_deref().unwrap_or(OWN)));
        losses.retain(|loss| is_chosen(&loss.agent));
        html::report(&choice.session, &runs, &losses)
    }

    /// Reads the runs of a project, and what agents couldn't do in it. The error is text for
    /// people.
    fn runs(
        &self,
        folder: &Path,
        filter: &RunFilter,
    ) -> Result<(Vec<StoredRun>, Vec<Loss>), String> {
        let store = TraceStore::open_existing(&folder.join(FILE_NAME), self.limits)
            .map_err(|error| format!("failed to {error}"))?;
        let unread = |error: QueryError| format!("failed to {error}");
        store.map_or_else(
            || Ok(Default::default()),
            |store| {
                let runs = store.runs(filter).map_err(unread)?;
                Ok((runs, store.losses(filter).map_err(unread)?))
            },
        )
    }
}

/// Returns whether a loss is selected, and contains a lower-case text.
fn matches(loss: &Loss, project: &str, choice: &Choice, search: &str) -> bool {
    let is_chosen = |chosen: &str, value: &str| chosen.is_empty() || chosen == value;
    let holds = |text: &str| text.to_lowercase().contains(search);
    is_chosen(&choice.agent, &loss.agent)
        && is_chosen(&choice.session, &loss.session_id)
        && is_chosen(&choice.project, project)
        && [&loss.agent, &loss.session_id, &loss.text]
            .into_iter()
            .any(|it| holds(it))
}

/// Returns the filter for reading: a selected session may be older than the project's latest runs.
fn latest_filter(choice: &Choice) -> RunFilter {
    RunFilter {
        session: (!choice.session.is_empty()).then(|| choice.session.clone()),
        last: Some(MAX_RUNS),
        ..RunFilter::default()
    }
}

fn is_rewrite(run: &StoredRun) -> bool {
    let reply = run
        .reply
        .as_deref()
        .map(|reply| serde_json::from_str(reply.get()));
    let Some(Ok(Value::Object(reply))) = reply else {
        return false;
    };
    let specific = reply.get("hookSpecificOutput");
    REWRITES.iter().any(|field| {
        reply.contains_key(*field) || specific.is_some_and(|specific| specific.get(field).is_some())
    })
}

/// Identifies a session: several agents may use the same id.
type Key = (Arc<str>, String, String);

fn key(entry: &Entry) -> Key {
    (
        Arc::clone(&entry.project),
        entry.agent().to_owned(),
        entry.run.session_id.clone(),
    )
}

/// Records the folder that a session works in, from the input of its hooks.
fn note_folder(folders: &mut BTreeMap<Key, String>, entry: &Entry) {
    let key = key(entry);
    if folders.contains_key(&key) {
        return;
    }
    let input = entry.run.input.as_deref();
    let input: Option<Value> = input.and_then(|input| serde_json::from_str(input.get()).ok());
    if let Some(folder) = input.as_ref().and_then(|input| input.get("cwd")?.as_str()) {
        folders.insert(key, folder.to_owned());
    }
}

impl Gathered {
    /// Computes the totals of the selected runs: overall, by session, and by hook.
    fn sum_up(&mut self, folders: &BTreeMap<Key, String>) {
        let mut sessions: Vec<Session> = Vec::new();
        let mut places: BTreeMap<Key, usize> = BTreeMap::new();
        let mut hooks: BTreeMap<String, Hook> = BTreeMap::new();
        let now = Timestamp::now();
        for entry in &self.entries {
            self.numbers.add(entry);
            let key = key(entry);
            // Fired and replayed runs don't belong to an agent's session.
            if entry.run.origin != Origin::Session {
                add_to_hook(&mut hooks, entry);
                continue;
            }
            let place = *places.entry(key.clone()).or_insert_with(|| {
                // The latest run of a session comes first.
                sessions.push(Session {
                    id: entry.run.session_id.clone(),
                    agent: entry.agent().to_owned(),
                    project: Arc::clone(&entry.project),
                    folder: folders.get(&key).cloned(),
                    last_at: entry.run.started_at.clone(),
                    is_live: is_lively(&entry.run, now),
                    numbers: Numbers::default(),
                });
                sessions.len() - 1
            });
            if let Some(session) = sessions.get_mut(place) {
                session.numbers.add(entry);
            }
            add_to_hook(&mut hooks, entry);
        }
        self.sessions = sessions;
        self.hooks = hooks.into_values().collect();
        self.numbers.finish();
        for hook in &mut self.hooks {
            hook.numbers.finish();
        }
    }
}

fn add_to_hook(hooks: &mut BTreeMap<String, Hook>, entry: &Entry) {
    let hook = hooks
        .entry(entry.run.label.clone())
        .or_insert_with(|| Hook {
            label: entry.run.label.clone(),
            is_shadow: entry.run.shadow,
            numbers: Numbers::default(),
        });
    hook.numbers.add(entry);
}

fn is_lively(run: &StoredRun, now: Timestamp) -> bool {
    let started: Option<Timestamp> = run.started_at.parse().ok();
    started.is_some_and(|started| now.as_second() - started.as_second() < LIVELY_SECONDS)
}
