//! The trace of a project: one database in the project's state folder, which only the user can
//! read.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use hookloop_engine::{Clock, Observer, SystemClock};
use hookloop_events::refusal::refusal_list;
use hookloop_hook::{HookDeclaration, Problem, ProblemCode};
use hookloop_trace::{
    FILE_NAME, HookStats, IgnoredField, Limits, Loss, Occasion, OpenError, Origin, QueryError,
    RunFilter, TraceObserver, TraceStore,
};

use super::{Known, Lost, ShadowsOfHooks, Statistics, StatisticsOfHooks};
use crate::environment::Environment;
use crate::workspace::Workspace;

/// Records the runs of a command, and reports what went wrong at its end.
pub struct Recorder {
    observer: Arc<TraceObserver>,
    problems: Arc<Mutex<Vec<String>>>,
}

impl Recorder {
    /// Begins to record for `fire` (CM-5).
    pub fn for_fire(workspace: &Workspace, environment: &Environment) -> Self {
        Self::new(workspace, environment, Origin::Fire)
    }

    /// Begins to record what hooks do in another agent (BR-30).
    pub fn for_bridge(workspace: &Workspace, environment: &Environment, agent: &str) -> Self {
        let occasion = Occasion {
            origin: Origin::Session,
            agent: Some(agent.to_owned()),
        };
        Self::new(workspace, environment, occasion)
    }

    /// Begins to record for `replay` (CM-6).
    pub fn for_replay(workspace: &Workspace, environment: &Environment) -> Self {
        Self::new(workspace, environment, Origin::Replay)
    }

    fn new(
        workspace: &Workspace,
        environment: &Environment,
        occasion: impl Into<Occasion>,
    ) -> Self {
        let problems = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&problems);
        let observer = observer(workspace, environment, occasion, move |problem| {
            let mut problems = kept.lock().unwrap_or_else(PoisonError::into_inner);
            problems.push(problem.to_owned());
        });
        Self {
            observer: Arc::new(observer),
            problems,
        }
    }

    /// Returns what observes the engine.
    pub fn observer(&self) -> Arc<dyn Observer> {
        Arc::<TraceObserver>::clone(&self.observer)
    }

    /// Waits until everything is written, and returns what went wrong.
    pub fn finish(self) -> Vec<String> {
        self.observer.flush();
        let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *problems)
    }
}

/// Returns what records a session; what is pending is written when it is dropped. Nothing is opened
/// before a hook ran.
pub fn for_session(
    workspace: &Workspace,
    environment: &Environment,
    tell: impl Fn(&str) + Send + Sync + 'static,
) -> Arc<dyn Observer> {
    Arc::new(observer(workspace, environment, Origin::Session, tell))
}

fn observer(
    workspace: &Workspace,
    environment: &Environment,
    occasion: impl Into<Occasion>,
    tell: impl Fn(&str) + Send + Sync + 'static,
) -> TraceObserver {
    let (path, limits) = (path(workspace, environment), limits(workspace));
    TraceObserver::on_first_run(
        move || TraceStore::open(&path, limits),
        occasion,
        move |problem| tell(&problem.to_string()),
    )
}

/// Opens the project's trace to read it; nothing if no hook ever ran (TR-7).
pub fn open(
    workspace: &Workspace,
    environment: &Environment,
) -> Result<Option<TraceStore>, OpenError> {
    TraceStore::open_existing(&path(workspace, environment), limits(workspace))
}

/// Records what hooks wanted but another agent can't do (BR-21); returns why that failed.
pub fn lose(workspace: &Workspace, environment: &Environment, lost: Lost<'_>) -> Option<String> {
    let lost_at = SystemClock.now();
    let texts = lost.texts.iter();
    let losses: Vec<Loss> = texts
        .map(|text| Loss {
            session_id: lost.session_id.to_owned(),
            agent: lost.agent.to_owned(),
            event: lost.event,
            lost_at: lost_at.clone(),
            text: text.clone(),
        })
        .collect();
    if losses.is_empty() {
        return None;
    }
    let opened = TraceStore::open(&path(workspace, environment), limits(workspace));
    match opened.map(|mut store| store.lose(&losses)) {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(format!("failed to {error}")),
        Err(error) => Some(format!("failed to {error}")),
    }
}

/// Sums up what the hooks of a workspace did (CM-1).
pub fn statistics(workspace: &Workspace, environment: &Environment) -> Known<StatisticsOfHooks> {
    read_known(workspace, environment, |store| {
        let hooks = workspace.vouched.iter().map(|it| &it.hook.id);
        let stats = store.stats(hooks)?.into_iter();
        Ok(stats
            .map(|(id, stats)| (id, to_statistics(stats)))
            .collect())
    })
}

/// Counts what hooks in shadow would have done (HT-2).
pub fn in_shadow(workspace: &Workspace, environment: &Environment) -> Known<ShadowsOfHooks> {
    read_known(workspace, environment, |store| {
        let mut counts = ShadowsOfHooks::new();
        store.visit(&RunFilter::default(), |run| {
            if run.shadow {
                counts.entry(run.hook_id).or_default().count(run.result);
            }
            ControlFlow::Continue(())
        })?;
        Ok(counts)
    })
}

/// Returns a problem for each field of recent replies that had no effect, of hooks that are
/// still configured (CM-3).
pub fn ignored_fields(workspace: &Workspace, environment: &Environment) -> Known<Vec<Problem>> {
    read_known(workspace, environment, |store| {
        let ignored = store.ignored_fields()?;
        let hook_of = |field: &IgnoredField| {
            let found = workspace
                .vouched
                .iter()
                .find(|it| it.hook.id == field.hook_id);
            found.map(|it| &*it.hook)
        };
        Ok(ignored
            .iter()
            .filter_map(|field| Some(problem(field, hook_of(field)?)))
            .collect())
    })
}

fn problem(field: &IgnoredField, hook: &HookDeclaration) -> Problem {
    let IgnoredField {
        event,
        field: name,
        run_id,
        ..
    } = field;
    Problem {
        event: Some(*event),
        hook_id: Some(hook.id.clone()),
        ..Problem::new(
            ProblemCode::ReplyFieldIgnored,
            hook.source.clone(),
            format!(
                "hook \"{}\" replies with `{name}`, which has no effect on {event}",
                hook.label()
            ),
            format!(
                "leave `{name}` out of the reply, or use a field of {event}; to refuse, write \
                 `decision` and `reason` (what else counts as a refusal: {}); the reply: hookloop \
                 hooks trace {run_id}",
                refusal_list()
            ),
        )
    }
}

fn read_known<T: Default>(
    workspace: &Workspace,
    environment: &Environment,
    read: impl FnOnce(&TraceStore) -> Result<T, QueryError>,
) -> Known<T> {
    let failed = |what: &dyn std::fmt::Display| Known {
        value: T::default(),
        warnings: vec![format!("failed to {what}")],
    };
    match open(workspace, environment) {
        Ok(None) => Known {
            value: T::default(),
            warnings: Vec::new(),
        },
        Ok(Some(store)) => match read(&store) {
            Ok(value) => Known {
                value,
                warnings: Vec::new(),
            },
            Err(error) => failed(&error),
        },
        Err(error) => failed(&error),
    }
}

fn to_statistics(stats: HookStats) -> Statistics {
    Statistics {
        runs: stats.runs,
        last_run_at: stats.last_run_at,
        last_result: stats.last_result,
        last_output: stats.last_output,
        last_error: stats.last_error,
        p50_ms: stats.p50_ms,
        p95_ms: stats.p95_ms,
    }
}

fn path(workspace: &Workspace, environment: &Environment) -> PathBuf {
    workspace.state_dir(environment).join(FILE_NAME)
}

fn limits(workspace: &Workspace) -> Limits {
    Limits {
        max_bytes: workspace.settings.switches.trace_max_bytes.value,
    }
}
