//! Hooks that nobody waits for, in another agent (FD-22). A separate process runs them, so that the
//! agent gets its answer without them. What they say, and how they failed, is stored for the
//! session's next call (BR-14), and their runs are in the trace like all others.
//!
//! The process reads its task from a file, which is also its standard input, and removes it when
//! everything is stored. The file stays locked while a process that the call started has it open.
//! If it exists and isn't locked, the next call knows that the process was killed.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitCode};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookloop_bridge::{Agent, Firing, Moment, TranslatedPayload};
use hookloop_engine::{Notice, WithheldContent};
use hookloop_events::EventName;
use hookloop_hook::{HookDeclaration, quoted};
use hookloop_host::make_private_folder;
use hookloop_process::LeftAlone;
use hookloop_session::recording::{self, Lost};
use hookloop_session::{Environment, RunOptions, Workspace};
use hookloop_settings::bounded::open_regular;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::firing::{AsyncAnnouncement, Fire};
use crate::lasting::Answering;
use crate::late::{Actor, LateReplies, MAX_DURATION, TASK};
use crate::memory::Place;
use crate::{AgentCall, ProgramPort, Variables};

/// How long to wait for other calls of the session when everything has been said.
const MAX_WAIT: Duration = Duration::from_mins(1);

/// How long ended hooks may take to end.
const GRACE: Duration = Duration::from_secs(5);

/// How much of what the model doesn't get is shown to the person, in bytes per hook.
const MAX_SHOWN_BYTES: usize = 2048;

/// What the process of such hooks must know: the event, as it was understood.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct UnawaitedTask {
    who: Actor,
    /// The id under which the session is remembered.
    pub(crate) remembered_as: String,
    /// The project whose hooks count.
    project: PathBuf,
    firings: Vec<(EventName, Map<String, Value>)>,
    /// The hooks: their ids, and their names.
    hooks: Vec<(String, String)>,
    /// Whether other hooks withheld what these read.
    is_taken_back: bool,
    /// The variables that only the project's own hooks get (BR-25).
    of_project: Vec<String>,
    /// Whether what decides was recorded at the installation (BR-25).
    pub(crate) is_noted: bool,
    /// Set if the process also answers the call.
    pub(crate) answering: Option<Answering>,
}

impl UnawaitedTask {
    const fn withheld_content(&self) -> WithheldContent {
        if self.is_taken_back {
            WithheldContent::Content
        } else {
            WithheldContent::Nothing
        }
    }
}

/// How many such processes a session may have at a time.
const MAX_CONCURRENT: usize = 8;

/// Names a hook, with its place.
pub(crate) fn describe_hook(hook: &HookDeclaration) -> String {
    format!("{} ({})", quoted(hook.label()), hook.source)
}

/// A call whose hooks that nobody waits for have to be started.
pub(crate) struct UnawaitedCall<'a> {
    pub(crate) arguments: &'a AgentCall,
    pub(crate) environment: &'a Environment,
    /// Whether what decides was recorded at the installation.
    pub(crate) is_noted: bool,
    pub(crate) translated: &'a TranslatedPayload,
    pub(crate) firings: &'a [Firing],
    pub(crate) remembered_as: &'a str,
    pub(crate) hooks: &'a [Arc<HookDeclaration>],
    pub(crate) withheld_content: WithheldContent,
}

impl UnawaitedCall<'_> {
    /// Starts the process of the hooks.
    ///
    /// # Errors
    /// It can't be started, or too many of the session are running, so they don't run.
    pub(crate) fn start(&self, place: &Place) -> io::Result<()> {
        let mut child = self.spawn(place, None)?;
        // Only a test of the call waits until everything has been reported.
        if self.arguments.state.is_some() {
            child.wait()?;
        }
        Ok(())
    }

    /// Starts a process that runs the hooks, and answers the call if it gets what is needed for
    /// that.
    ///
    /// # Errors
    /// It can't be started, or too many of the session are running.
    pub(crate) fn spawn(&self, place: &Place, answering: Option<Answering>) -> io::Result<Child> {
        let environment = self.environment;
        let program = environment.program.as_deref();
        let program = program.ok_or_else(|| io::Error::other("this program isn't found"))?;
        let (firings, hooks) = (self.firings.iter(), self.hooks.iter());
        let of_project = environment.of_project.iter();
        let names_of_project = of_project.map(|(name, _)| name.to_string_lossy().into_owned());
        let task = UnawaitedTask {
            who: Actor::of(self.translated),
            remembered_as: self.remembered_as.to_owned(),
            project: environment.current_dir.clone(),
            firings: firings.map(|it| (it.event, it.fields.clone())).collect(),
            hooks: hooks
                .map(|it| (it.id.to_string(), describe_hook(it)))
                .collect(),
            is_taken_back: self.withheld_content == WithheldContent::Content,
            of_project: names_of_project.collect(),
            is_noted: self.is_noted,
            answering,
        };
        let running = unfinished_errands(place).filter(|(_, file)| file.try_lock().is_err());
        if running.count() >= MAX_CONCURRENT {
            let what =
                format!("{MAX_CONCURRENT} calls of this session have asynchronous hooks running");
            return Err(io::Error::other(what));
        }
        let (path, input) = write(&task, place)?;
        let started = self.start_with(program, &path, input, task.answering.as_ref());
        if started.is_err() {
            // No process will read it.
            drop(std::fs::remove_file(path));
        }
        started
    }

    fn start_with(
        &self,
        program: &Path,
        path: &Path,
        input: File,
        answering: Option<&Answering>,
    ) -> io::Result<Child> {
        let environment = self.environment;
        let AgentCall {
            agent,
            event,
            raw,
            state,
            timeout,
            ..
        } = self.arguments;
        let words = ["hooks", "bridge", agent, event, "--unawaited"];
        let mut arguments = words.map(OsString::from).to_vec();
        arguments.push(path.as_os_str().to_owned());
        if let Some(state) = state {
            arguments.extend([OsString::from("--state"), state.clone().into_os_string()]);
        }
        if *raw {
            arguments.push(OsString::from("--raw"));
        }
        arguments.extend(
            ["--timeout".to_owned(), timeout.as_secs_f64().to_string()].map(OsString::from),
        );
        let variables = [&*environment.variables, &environment.of_project].concat();
        let left = LeftAlone {
            program,
            arguments: &arguments,
            variables: &variables,
            folder: &environment.current_dir,
            input,
        };
        match answering {
            Some(_) => left.start_heard(),
            None => left.start(),
        }
    }
}

/// Writes a task where the session's next calls find it, locked; others see all of it or nothing.
fn write(task: &UnawaitedTask, place: &Place) -> io::Result<(PathBuf, File)> {
    let (folder, begin) = place.errands_folder();
    make_private_folder(&folder)?;
    let (mut input, hidden) = tempfile::NamedTempFile::new_in(&folder)?.into_parts();
    input.lock()?;
    input.write_all(&serde_json::to_vec(task)?)?;
    input.rewind()?;
    let path = folder.join(format!("{begin}{}.{TASK}", uuid::Uuid::new_v4()));
    hidden.persist(&path).map_err(|error| error.error)?;
    Ok((path, input))
}

/// Returns the unfinished tasks of a session: those in progress are locked.
fn unfinished_errands(place: &Place) -> impl Iterator<Item = (PathBuf, File)> {
    let (folder, begin) = place.errands_folder();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|it| it.path());
    let own = paths.filter(move |it| {
        let name = it.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(&begin) && it.extension().is_some_and(|it| it == TASK)
    });
    own.filter_map(|it| Some((it.clone(), open_regular(&it).ok()?.0)))
}

/// Reports hooks whose process was ended before it had stored what they said, once.
pub(crate) fn report_unfinished(place: &Place) -> Vec<String> {
    let mut notices = Vec::new();
    for (path, file) in unfinished_errands(place) {
        // A process that is still working holds the lock, and one that has finished has removed the
        // file.
        if file.try_lock().is_err() || !path.exists() {
            continue;
        }
        let task = serde_json::from_reader::<_, UnawaitedTask>(&file);
        let hooks = task.map(|it| it.hooks).unwrap_or_default();
        let hooks: Vec<String> = hooks.into_iter().map(|(_, named)| named).collect();
        notices.push(format!(
            "asynchronous hooks were ended before they answered: {}",
            hooks.join(", ")
        ));
        // A file that stays is reported again.
        drop(std::fs::remove_file(path));
    }
    notices
}

/// What happened to a task.
pub(crate) enum Ran {
    /// Its hooks ran, and what they said is stored.
    ToItsEnd(ExitCode),
    /// The call that left it waits for an answer.
    AnswersFirst {
        asked: Box<UnawaitedTask>,
        environment: Box<Environment>,
    },
}

/// Runs the hooks that nobody waits for, as the process that a call left behind.
pub(crate) fn run(
    arguments: &AgentCall,
    errand_file: &Path,
    agent: Agent,
    variables: Variables,
    program: ProgramPort,
) -> Ran {
    // Nobody reads this process's output, because its parent has ended.
    let Ok(task) = serde_json::from_reader::<_, UnawaitedTask>(io::stdin().lock()) else {
        return Ran::ToItsEnd(ExitCode::FAILURE);
    };
    let Some(environment) = environment_of(&task, arguments, variables, program) else {
        return Ran::ToItsEnd(ExitCode::FAILURE);
    };
    if task.answering.is_some() {
        return Ran::AnswersFirst {
            asked: Box::new(task),
            environment: Box::new(environment),
        };
    }
    let run = RunOptions {
        is_noted: task.is_noted,
        ..RunOptions::default()
    };
    let workspace = Workspace::open(&environment, &run);
    let fire = Fire {
        agent,
        environment: &environment,
        workspace: &workspace,
        deadline: Instant::now() + MAX_DURATION,
        grace: GRACE,
        announcing: AsyncAnnouncement::InVain,
    };
    let gone = task.hooks.iter().filter(|(id, _)| {
        let mut vouched = workspace.vouched.iter();
        !vouched.any(|it| it.hook.id.as_str() == id && it.may_run())
    });
    let gone = gone.map(|(_, named)| {
        format!("hook {named} didn't run: its entry, or the trust in it, changed at that moment")
    });
    let mut translated = fire
        .fire_unawaited(&task.who, &task.firings, task.withheld_content())
        .unwrap_or_else(|why| LateReplies {
            notices: vec![format!("asynchronous hooks didn't run: {why}")],
            ..LateReplies::default()
        });
    translated.notices.extend(gone);
    let keeping = Keeping {
        environment: &environment,
        workspace: &workspace,
        agent,
        session_id: &task.who.session_id,
        remembered_as: &task.remembered_as,
        event: task.firings.first().map(|(event, _)| *event),
    };
    Ran::ToItsEnd(keeping.keep(translated, errand_file))
}

/// For whom what hooks said is stored.
pub(crate) struct Keeping<'a> {
    pub(crate) environment: &'a Environment,
    pub(crate) workspace: &'a Workspace,
    pub(crate) agent: Agent,
    /// The session, as the agent names it.
    pub(crate) session_id: &'a str,
    /// The id under which it is remembered.
    pub(crate) remembered_as: &'a str,
    /// The event at which they ran.
    pub(crate) event: Option<EventName>,
}

impl Keeping<'_> {
    /// Stores what hooks said for the session's next call, and removes what would report that it
    /// wasn't stored.
    pub(crate) fn keep(&self, mut translated: LateReplies, errand_file: &Path) -> ExitCode {
        let agent = self.agent;
        if !reaches_model(agent) {
            translated.notices.extend(
                translated
                    .for_model
                    .drain(..)
                    .map(|it| too_late_for(agent, &it)),
            );
        }
        let until = Instant::now() + MAX_WAIT;
        let state = self.environment.state_dir();
        let place = Place::of(&state, agent, self.remembered_as, until);
        let notices = translated.notices.clone();
        let kept = if translated.for_model.is_empty() && notices.is_empty() {
            Ok(())
        } else {
            place.update(|it| it.keep_late(translated))
        };
        // Everything has been reported, so the file that would say otherwise is removed.
        let removed = std::fs::remove_file(errand_file);
        let Err(error) = kept.and(removed) else {
            return ExitCode::SUCCESS;
        };
        // The next call can't report it, so it is at least recorded in the trace.
        let mut texts = notices;
        texts.push(format!(
            "what asynchronous hooks said can't be saved for the next call: {error}"
        ));
        if let Some(event) = self.event {
            let lost = Lost {
                agent: agent.word(),
                session_id: self.session_id,
                event,
                texts: &texts,
            };
            // If this fails, too, there is nobody left to report to.
            drop(recording::lose(self.workspace, self.environment, lost));
        }
        ExitCode::FAILURE
    }
}

/// Returns the environment of the call. What decides was settled there, so the variables have the
/// right values.
fn environment_of(
    task: &UnawaitedTask,
    arguments: &AgentCall,
    variables: Variables,
    program: ProgramPort,
) -> Option<Environment> {
    let is_of_project = |(name, _): &(OsString, OsString)| {
        let mut names = task.of_project.iter();
        names.any(|it| name == it.as_str())
    };
    let (of_project, own): (Vec<_>, Vec<_>) = variables.into_iter().partition(is_of_project);
    let environment = (program.environment)(own).ok()?;
    Some(Environment {
        of_project,
        state: arguments.state.clone(),
        current_dir: task.project.clone(),
        ..environment
    })
}

/// Returns whether anything that an agent gets after its answer reaches its model.
fn reaches_model(agent: Agent) -> bool {
    let mut moments = agent.events().iter();
    moments.any(|(_, moment)| *moment != Moment::SessionEnd && agent.tells_model(*moment))
}

/// Reports to the person what came too late for the agent's model.
fn too_late_for(agent: Agent, notice: &Notice) -> String {
    let shown = &notice.text[..notice.text.floor_char_boundary(MAX_SHOWN_BYTES)];
    let cut = if shown.len() < notice.text.len() {
        " […]"
    } else {
        ""
    };
    format!(
        "hook {} ({}) said something too late for {}: {shown}{cut}",
        quoted(&notice.hook),
        notice.source,
        agent.name()
    )
}

/// Returns which effects of a hook that nobody waits for an agent can't apply (BR-21).
pub(crate) fn losses(agent: Agent, hook: &HookDeclaration) -> Vec<String> {
    if !hook.asynchronous {
        return Vec::new();
    }
    let (label, source, name) = (quoted(hook.label()), &hook.source, agent.name());
    let mut losses = Vec::new();
    if !reaches_model(agent) {
        losses.push(format!(
            "hook {label} ({source}) is \"async\", and {name} can't pass anything to its model \
             later: what the hook says is shown to you with the next call"
        ));
    }
    if hook.rewakes {
        losses.push(format!(
            "hook {label} ({source}) requests turns (\"asyncRewake\"), and {name} can't be made to \
             start one: the model gets what the hook says with the next call that reaches it"
        ));
    }
    losses
}
