//! The terminal session (AG-CLI-1, `agent.md` §6): carries out the user's actions.

mod carry_out;
mod commands;
mod completions;
mod editor;
mod extensions;
mod memory;
mod models;
mod panel;
mod past_input;
mod recall;
mod resume;
mod rewind;
mod stats;
mod trust;

use std::collections::BTreeSet;
use std::io::{IsTerminal, stdin, stdout};
use std::sync::{Arc, OnceLock};

use hookloop_agent::{Parts, Session, StartContext};
use hookloop_engine::Patience;
use hookloop_events::EndReason;
use hookloop_exec::LaterEnvironment;
use hookloop_host::Stamps;
use hookloop_model::{Content, ModelClient};
use hookloop_tui::{
    HookNotifications, Hyperlinks, Intent, Leave, Link, Notice, NoticeKind, Palette, Setup, Status,
    Surface, TrustAnswer, Ui, WatchResult, Welcome,
};
use tokio_util::sync::CancellationToken;

use crate::assets::Assets;
use crate::background::Background;
use crate::checkpoints::Checkpoints;
use crate::companions::Companions;
use crate::custom_commands::CustomCommands;
use crate::environment::Environment;
use crate::exit::{CANCELLED, SessionError};
use crate::guarded::GuardedWorkspace;
use crate::hook_commands::HookCommands;
use crate::hook_counts::HookCounts;
use crate::interactive::completions::SessionCompletions;
use crate::interactive::past_input::PastInput;
use crate::mcp::Mcp;
use crate::options::{Options, RunOptions};
use crate::signals::{Received, Signals};
use crate::stage::Stage as _;
use crate::standing::Announcement;
use crate::stored::Stored;
use crate::suspects::Suspects;
use crate::workspace::{Workspace, opening};
use crate::{build, choose_session, model, notices, standing, watchdog};

/// Returns whether somebody sits in front of a terminal (AG-CLI-1).
pub(crate) fn is_wanted(options: &Options, environment: &Environment) -> bool {
    options.prompt.is_none()
        && stdin().is_terminal()
        && stdout().is_terminal()
        && !environment.is_automated()
}

/// Runs a terminal session and returns the program's exit code.
pub(crate) fn run(
    options: &Options,
    run: &RunOptions,
    environment: &Environment,
    commands: &Arc<dyn HookCommands>,
) -> Result<u8, SessionError> {
    // Taken before anything is read, so that later changes are noticed.
    let before = Stamps::before_loading(&opening(environment, run));
    let workspace = Workspace::open(environment, run);
    let resumed = match &options.resume {
        None => None,
        Some(choice) => Some(choose_session(&workspace, environment, choice)?),
    };
    // The screen opens later. From then on, the client's notices must go through it.
    let link: Arc<OnceLock<Arc<Link>>> = Arc::default();
    let screen = Arc::clone(&link);
    let tell = move |it: &str| match screen.get() {
        Some(link) => link.say(Notice::new(NoticeKind::Warning, it)),
        None => notices::print(it),
    };
    model::authentication::check(&workspace.settings, environment)?;
    let model = model::client(options, environment, &workspace.settings.agent, tell)?;
    let place = Place {
        options,
        run,
        environment,
        commands,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(SessionError::Runtime)?;
    let stamps = Stamps::of(&workspace).keeping(&before);
    let code = runtime.block_on(place.open(workspace, stamps, model, &link, resumed));
    // A thread that still runs a command must not delay the end.
    runtime.shutdown_background();
    code
}

/// What a session was started with.
#[derive(Clone, Copy)]
struct Place<'a> {
    options: &'a Options,
    run: &'a RunOptions,
    environment: &'a Environment,
    /// Carries out commands for hooks.
    commands: &'a Arc<dyn HookCommands>,
}

impl Place<'_> {
    /// Opens the screen, asks about hooks that aren't trusted, and runs the session.
    async fn open(
        self,
        mut workspace: Workspace,
        stamps: Stamps,
        model: Arc<dyn ModelClient>,
        screen: &OnceLock<Arc<Link>>,
        resumed: Option<Stored>,
    ) -> Result<u8, SessionError> {
        let completions = Arc::new(SessionCompletions::new(self.environment, &workspace));
        let past = Arc::new(PastInput::for_project(
            &workspace.state_dir(self.environment),
        ));
        let setup = self.setup(&workspace, &completions, &past);
        let mut ui = Ui::open(setup).map_err(SessionError::Terminal)?;
        // Can't fail: it is set only here.
        drop(screen.set(Arc::clone(ui.link())));
        let restore = match ui.surface() {
            Surface::Painted => hookloop_tui::restore,
            Surface::Lines => || {},
        };
        listen_for_signals(Arc::clone(ui.link()), restore);
        if trust::settle(&mut ui, &mut workspace, self).await == TrustAnswer::Quit {
            ui.close().await;
            return Ok(0);
        }
        completions.update(&workspace);
        let is_person =
            crate::person::answerer(self.environment) == hookloop_host::Answerer::Person;
        if !is_person {
            Suspects::of(self.environment).hold(&mut workspace);
        }
        let announcement = Announcement::of(&workspace, self.environment);
        let renewed = standing::renew(&mut workspace);
        let warnings = announcement.warnings.into_iter().chain(renewed);
        for line in warnings.chain(announcement.beside_welcome) {
            ui.say(&Notice::new(NoticeKind::Warning, line));
        }
        ui.flush().await;
        if is_person && let Err(line) = Suspects::of(self.environment).forget() {
            ui.say(&Notice::new(NoticeKind::Warning, line));
        }
        let link = Arc::clone(ui.link());
        let (options, environment) = (self.options, self.environment);
        let mut built = build::session(options, environment, &workspace, model, &link, resumed)?;
        built.parts.start_context = StartContext::FirstTurn;
        completions.take_servers(&built.companions.mcp);
        let checkpoints = Checkpoints::for_transcript(built.parts.transcript.path());
        built.parts.toolbox = checkpoints.watching(built.parts.toolbox, &built.files);
        let mut conversation = Conversation {
            place: self,
            status: self.status(&workspace, Some(&built.parts)),
            later: built.later,
            guarded: GuardedWorkspace {
                workspace,
                stamps,
                hooks: built.hooks.clone(),
                tainted: built.tainted,
                holding: built.holding,
                strictness: options.strictness,
                goes_on: false,
            },
            completions,
            past,
            assets: built.assets,
            custom: CustomCommands::default(),
            hook_counts: built.hook_counts,
            checkpoints,
            files: built.files,
            mcp: built.companions.mcp.clone(),
            ui,
        };
        let resumed = built.resumed;
        // Boxed: the future of a session is too large for the caller's stack.
        Ok(Box::pin(conversation.hold(built.parts, built.companions, resumed)).await)
    }

    fn setup(
        self,
        workspace: &Workspace,
        completions: &Arc<SessionCompletions>,
        past: &Arc<PastInput>,
    ) -> Setup {
        let are_named = workspace.settings.switches.notifications.value;
        let prints_lines = self.options.screen_reader || self.environment.has_dumb_terminal();
        Setup {
            surface: if prints_lines {
                Surface::Lines
            } else {
                Surface::Painted
            },
            palette: self.palette(),
            hyperlinks: if self.environment.has_hyperlinks() {
                Hyperlinks::Written
            } else {
                Hyperlinks::Plain
            },
            notifications: if are_named {
                HookNotifications::Shown
            } else {
                HookNotifications::Hidden
            },
            status: self.status(workspace, None),
            completions: Arc::<SessionCompletions>::clone(completions),
            history: Arc::<PastInput>::clone(past),
            interrupted: watchdog::interrupted,
        }
    }

    fn palette(self) -> Palette {
        match self.environment.terminal_background() {
            _ if !self.environment.allows_colour() => Palette::Plain,
            Background::Light => Palette::Light,
            Background::Dark => Palette::Dark,
            Background::Unknown => Palette::Either,
        }
    }

    fn status(self, workspace: &Workspace, parts: Option<&Parts>) -> Status {
        let environment = self.environment;
        let current = &environment.current_dir;
        let folder = match current.strip_prefix(&environment.home) {
            Ok(inside) if inside.as_os_str().is_empty() => "~".to_owned(),
            Ok(inside) => format!("~/{}", inside.display()),
            Err(_) => current.display().to_string(),
        };
        Status {
            folder,
            model: parts.map(|it| it.model_name.clone()).unwrap_or_default(),
            approval_mode: parts
                .map(|it| it.policy.mode.to_string())
                .unwrap_or_default(),
            hooks: hooks_that_may_run(workspace),
        }
    }
}

fn hooks_that_may_run(workspace: &Workspace) -> usize {
    let listed = workspace.listed().list();
    listed.iter().filter(|it| it.causes.is_empty()).count()
}

fn welcome(
    version: &str,
    workspace: &Workspace,
    status: &Status,
    resumed: Option<usize>,
) -> Welcome {
    let listed = workspace.listed().list();
    let running = listed.iter().filter(|it| it.causes.is_empty());
    let events: BTreeSet<_> = running.map(|it| it.hook.event).collect();
    Welcome {
        program: format!("hookloop {version}"),
        model: status.model.clone(),
        folder: status.folder.clone(),
        hooks: status.hooks,
        events: events.len(),
        idle: listed.len() - status.hooks,
        resumed,
    }
}

fn listen_for_signals(link: Arc<Link>, restore: fn()) {
    watchdog::begin(restore);
    // Starts listening now, not when the task is first polled.
    let mut signals = Signals::listen();
    tokio::spawn(async move {
        // Without a painted screen, Ctrl+C arrives as a signal, and so does that of a program that
        // has the terminal. It has the meaning that the key has (LO-4).
        while signals.recv().await == Received::Interrupt {
            link.interrupt();
        }
        link.terminate();
    });
}

/// A session with everything that its commands need.
struct Conversation<'a> {
    place: Place<'a>,
    guarded: GuardedWorkspace,
    /// What hooks set for later shell commands.
    later: LaterEnvironment,
    completions: Arc<SessionCompletions>,
    /// What was written in this and earlier sessions.
    past: Arc<PastInput>,
    /// The model's context about the project.
    assets: Assets,
    /// Commands that user, project and extensions wrote (TU-5).
    custom: CustomCommands,
    /// What `/rewind` goes back to.
    checkpoints: Checkpoints,
    /// What hooks have done so far (TU-6).
    hook_counts: Arc<HookCounts>,
    /// The files that prompts may refer to.
    files: Arc<hookloop_tools::Workspace>,
    mcp: Mcp,
    ui: Ui,
    status: Status,
}

impl Conversation<'_> {
    /// Runs the session from its start to its end, and returns the exit code.
    async fn hold(
        &mut self,
        parts: Parts,
        companions: Companions,
        resumed: Option<Vec<Arc<Content>>>,
    ) -> u8 {
        let parting = parts.hooks.clone();
        self.find_commands();
        self.greet(resumed.as_deref());
        let leave = match self.start(parts, resumed, &companions).await {
            WatchResult::Left(leave) => {
                // Leaving during the start ends the session like any other way (SE-1).
                self.ui.finish(parting.session_end(end_reason(leave))).await;
                leave
            }
            WatchResult::Done(mut session) => {
                let leave = self.converse(&mut session).await;
                // The hooks of `SessionEnd` go through the gate like any others.
                self.refresh();
                self.ui.finish(session.end(end_reason(leave))).await;
                leave
            }
        };
        self.ui.finish(companions.end()).await;
        match leave {
            Leave::Exit | Leave::InputEnded => 0,
            Leave::Terminated => CANCELLED,
        }
    }

    fn greet(&mut self, resumed: Option<&[Arc<Content>]>) {
        self.ui.set_status(self.status.clone());
        let resumed_with = resumed.map(<[_]>::len);
        let version = self.place.environment.version;
        let welcome = welcome(version, &self.guarded.workspace, &self.status, resumed_with);
        self.ui.welcome(&welcome);
        if let Some(history) = resumed {
            self.ui.recall(&recall::conversation(history));
        }
        let options = self.place.options;
        let words = (!options.words.is_empty()).then(|| options.words.join(" "));
        if let Some(prompt) = options.prompt_interactive.clone().or(words) {
            self.ui.submit(prompt);
        }
    }

    async fn start(
        &mut self,
        parts: Parts,
        resumed: Option<Vec<Arc<Content>>>,
        companions: &Companions,
    ) -> WatchResult<Session> {
        let cancel = CancellationToken::new();
        let root = &self.guarded.workspace.project_root;
        let starting = async {
            let hooks = match cancel.run_until_cancelled(companions.ready()).await {
                Some(()) => parts.hooks.with_cancel(cancel.clone()),
                // Cancelling the wait for servers doesn't cancel the `SessionStart` hooks.
                None => parts.hooks.clone(),
            };
            let parts = Parts { hooks, ..parts };
            match resumed {
                None => Session::start(parts, root).await,
                Some(history) => Session::resume(parts, history).await,
            }
        };
        self.ui.watch(starting, &cancel).await
    }

    /// Carries out what the user wants until the user leaves.
    async fn converse(&mut self, session: &mut Session) -> Leave {
        loop {
            let asked = session.next_turn_of_hook(Patience::ForEver);
            let intent = tokio::select! {
                biased;
                intent = self.ui.next() => intent,
                Some(prompt) = asked => {
                    match self.turn_of_hook(session, &prompt).await {
                        Some(leave) => return leave,
                        None => continue,
                    }
                }
            };
            if let Some(problem) = self.checkpoints.take_failure() {
                self.say(NoticeKind::Warning, format!("[WARNING] {problem}"));
            }
            if let Some(problem) = self.past.take_failure() {
                self.say(NoticeKind::Warning, format!("[WARNING] {problem}"));
            }
            let left = match intent {
                Intent::Leave(leave) => Some(leave),
                Intent::Prompt(prompt) => self.turn(session, &prompt).await,
                Intent::Shell(command) => self.shell(session, &command).await,
                Intent::NextMode => {
                    self.change_mode(session);
                    None
                }
                Intent::Edit(draft) => {
                    self.edit(&draft).await;
                    None
                }
                Intent::Custom(name, arguments) => self.custom(session, &name, &arguments).await,
                Intent::Command(command, arguments) => {
                    self.carry_out(session, command, &arguments).await
                }
            };
            if let Some(leave) = left {
                return leave;
            }
        }
    }

    /// Loads the hooks again if a file that they come from changed (TR-6), before any of them may
    /// run.
    fn refresh(&mut self) {
        if let Some(news) = self.guarded.refresh(self.place.environment) {
            self.tell_of_reload(&news);
        }
    }

    /// Loads the hooks again, through the same gate as at the start, and reports what is different
    /// now (TR-6).
    fn reload(&mut self) {
        let news = self.guarded.reload(self.place.environment);
        self.tell_of_reload(&news);
    }

    /// Finds the commands of the user, the project and extensions, and reports what is wrong with
    /// any of them.
    fn find_commands(&mut self) {
        let link = Arc::clone(self.ui.link());
        let (environment, workspace) = (self.place.environment, &self.guarded.workspace);
        let mut tell = |problem: String| link.report(&problem);
        self.custom = CustomCommands::find(environment, workspace, &mut tell);
        self.completions.take_commands(&self.custom);
    }

    fn tell_of_reload(&mut self, news: &[Notice]) {
        self.completions.update(&self.guarded.workspace);
        self.status.hooks = hooks_that_may_run(&self.guarded.workspace);
        self.ui.set_status(self.status.clone());
        for notice in news {
            self.ui.say(notice);
        }
    }

    /// Releases hooks that stay in force, if the prompt says so (TR-8); returns whether it did.
    fn releases_hooks(&mut self, prompt: &str) -> bool {
        let released = self
            .guarded
            .release_retained_hooks(prompt, self.place.environment);
        if let Some(notice) = &released {
            self.ui.say(notice);
        }
        released.is_some()
    }

    /// Returns whether a prompt is held back because guards may be missing, and reports it (ST-5).
    fn is_held(&mut self, prompt: &str) -> bool {
        let notices = self.guarded.hold_notices(prompt, self.place.environment);
        for notice in notices.iter().flatten() {
            self.ui.say(notice);
        }
        notices.is_some()
    }

    fn say(&mut self, kind: NoticeKind, text: String) {
        self.ui.say(&Notice::new(kind, text));
    }
}

/// Returns why the session ends, from how the user left (SE-1).
const fn end_reason(leave: Leave) -> EndReason {
    match leave {
        Leave::Exit => EndReason::Exit,
        Leave::InputEnded => EndReason::PromptInputExit,
        Leave::Terminated => EndReason::Other,
    }
}
