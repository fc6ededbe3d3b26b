//! The immutable registry of all configured hooks, each with its origin, its standing, and what
//! keeps it from running for every subject (PL-6, PL-10).

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use hookloop_events::EventName;
use hookloop_hook::{Enablement, Grouping, HookDeclaration, HookId};
use hookloop_settings::HookSwitches;
use hookloop_trust::{Acceptance, Standing, Vouched};

use crate::cause::SkipCause;
use crate::identity::Identity;
use crate::matcher::Matcher;

/// What `agents` calls the agent that hosts the hooks here (BR-12).
const THIS_AGENT: &str = "hookloop";

/// A configured hook with what is known about it before any event fires.
#[derive(Debug)]
pub(crate) struct Registered {
    pub(crate) hook: Arc<HookDeclaration>,
    pub(crate) standing: Standing,
    pub(crate) matcher: Arc<Matcher>,
    /// What keeps it from running whatever the subject.
    pub(crate) causes: Vec<SkipCause>,
    /// What two hooks that are the same share (PL-7).
    pub(crate) identity: Identity,
    /// It runs files that trust doesn't watch (TR-1).
    pub(crate) unpinned: bool,
    /// Whether it never runs and refuses, because it isn't what was agreed to (TR-6, TR-8).
    pub(crate) refuses: bool,
}

/// All hooks at one moment. A reload creates a new registry; an event in flight keeps its own.
#[derive(Debug, Default)]
pub struct Registry {
    /// The hooks by id, once somebody has asked for one.
    pub(crate) by_id: OnceLock<HashMap<HookId, Arc<HookDeclaration>>>,
    events: [Vec<Registered>; EventName::ALL.len()],
}

/// Whether hooks are switched on for this run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RunSwitch {
    /// As configured in the settings (ST-6).
    #[default]
    AsConfigured,
    /// `--no-hooks`.
    Off,
}

impl Registry {
    /// Registers hooks, in layer order (PL-6). A hook can't be registered without its standing.
    pub fn new(
        hooks: Vec<Vouched>,
        switches: &HookSwitches,
        run: RunSwitch,
        project_root: &std::path::Path,
    ) -> Self {
        let mut registry = Self::default();
        // Many hooks share a matcher, and compiling a pattern costs more than the rest of a hook.
        let mut matchers: HashMap<_, Arc<Matcher>> = HashMap::new();
        for vouched in hooks {
            let causes = standing_causes(&vouched, switches, run);
            let unpinned = !vouched.unpinned().is_empty();
            let refuses = vouched.accepted == Acceptance::Refuses;
            let hook = vouched.hook;
            registry.events[hook.event.index()].push(Registered {
                matcher: Arc::clone(
                    matchers
                        .entry((
                            hook.event,
                            hook.dialect,
                            hook.dialect_event.clone(),
                            hook.matcher.clone(),
                        ))
                        .or_insert_with(|| Arc::new(Matcher::of(&hook))),
                ),
                identity: Identity::new(&hook, project_root),
                standing: vouched.standing,
                causes,
                unpinned,
                refuses,
                hook,
            });
        }
        registry
    }

    /// Appends hooks that stay in force although the settings don't contain them any more (TR-8).
    /// No switch affects them.
    pub fn keep(&mut self, hooks: &[Vouched], project_root: &std::path::Path) {
        self.by_id = OnceLock::new();
        for vouched in hooks.iter().filter(|it| it.may_run()) {
            let mut hook = HookDeclaration::clone(&vouched.hook);
            if !hook.id.as_str().ends_with("-kept") {
                hook.id = HookId::from_text(&format!("{}-kept", hook.id));
            }
            let hook = Arc::new(hook);
            self.events[hook.event.index()].push(Registered {
                matcher: Arc::new(Matcher::of(&hook)),
                identity: Identity::new(&hook, project_root),
                standing: vouched.standing.clone(),
                causes: Vec::new(),
                unpinned: !vouched.unpinned().is_empty(),
                refuses: vouched.accepted == Acceptance::Refuses,
                hook,
            });
        }
    }

    /// Adds an in-process hook of the host after the configured ones.
    pub(crate) fn push_in_process(&mut self, hook: Arc<HookDeclaration>) {
        self.by_id = OnceLock::new();
        self.events[hook.event.index()].push(Registered {
            matcher: Arc::new(Matcher::of(&hook)),
            identity: Identity::new(&hook, std::path::Path::new("")),
            standing: Standing::NotNeeded,
            causes: Vec::new(),
            unpinned: false,
            refuses: false,
            hook,
        });
    }

    /// Lets only the hooks with this label run (CM-5). The others are still listed.
    pub fn select_only(&mut self, label: &str) {
        for registered in self.events.iter_mut().flatten() {
            if registered.hook.label() != label {
                registered.causes.push(SkipCause::NotSelected);
            }
        }
    }

    /// Plans for another agent that hosts the hooks. Hooks whose `agents` doesn't name it don't
    /// run, and neither do those that it runs by itself (BR-12).
    pub fn host_in(&mut self, agent: &str, runs_itself: impl Fn(&HookDeclaration) -> bool) {
        for registered in self.events.iter_mut().flatten() {
            let is_of_agents = |it: &SkipCause| matches!(it, SkipCause::OtherAgent(_));
            registered.causes.retain(|it| !is_of_agents(it));
            let causes = other_agent(&registered.hook, agent);
            registered.causes.extend(causes);
            if registered.causes.is_empty() && runs_itself(&registered.hook) {
                let cause = SkipCause::OtherAgent(vec![agent.to_owned()]);
                registered.causes.push(cause);
            }
        }
    }

    /// Returns whether no hook is configured for an event (EV-2).
    pub fn is_idle(&self, event: EventName) -> bool {
        self.hooks_for(event).is_empty()
    }

    /// Returns the hooks of an event, in order.
    pub(crate) fn hooks_for(&self, event: EventName) -> &[Registered] {
        &self.events[event.index()]
    }

    /// Returns all hooks by event, in the order of listings.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Registered> {
        self.events.iter().flatten()
    }

    /// Returns whether a hook with this label exists.
    pub fn knows_label(&self, label: &str) -> bool {
        self.all()
            .any(|registered| registered.hook.label() == label)
    }
}

impl Registered {
    /// Returns whether its group requires hooks to run one after another (PL-8).
    pub(crate) fn is_sequential(&self) -> bool {
        self.hook.grouping == Grouping::Sequential
    }

    /// Returns whether its matcher may be compared unasked: it isn't a pattern, or a person has
    /// agreed to it (TR-2).
    pub(crate) fn is_safe_to_compare(&self) -> bool {
        let is_vouched = !self.causes.iter().any(|cause| {
            matches!(
                cause,
                SkipCause::UntrustedNew
                    | SkipCause::UntrustedModified(_)
                    | SkipCause::FolderUntrusted(_)
            )
        });
        is_vouched || !self.matcher.is_pattern()
    }

    pub(crate) fn id(&self) -> &HookId {
        &self.hook.id
    }
}

fn standing_causes(vouched: &Vouched, switches: &HookSwitches, run: RunSwitch) -> Vec<SkipCause> {
    let hook = &vouched.hook;
    let mut causes = Vec::new();
    match (run, switches.turned_off_by(hook)) {
        (RunSwitch::Off, _) => causes.push(SkipCause::HooksOff(None)),
        (RunSwitch::AsConfigured, Some(source)) => {
            causes.push(SkipCause::HooksOff(Some(source.clone())));
        }
        (RunSwitch::AsConfigured, None) => {}
    }
    let entries = switches.disabled_by(hook);
    causes.extend(
        entries
            .into_iter()
            .map(|entry| SkipCause::DisabledByName(entry.source.clone())),
    );
    if hook
        .extension
        .as_ref()
        .is_some_and(|it| it.enablement == Enablement::Disabled)
    {
        causes.push(SkipCause::ExtensionDisabled);
    }
    causes.extend(untrusted_cause(vouched));
    causes.extend(other_agent(hook, THIS_AGENT));
    causes
}

/// Returns the cause if a hook doesn't run in an agent: `agents` names others, or it calls the
/// bridge and so would call itself (BR-12).
fn other_agent(hook: &HookDeclaration, agent: &str) -> Option<SkipCause> {
    if let Some(agents) = &hook.agents
        && !agents.iter().any(|it| it == agent)
    {
        return Some(SkipCause::OtherAgent(agents.clone()));
    }
    hookloop_dialects::calls_bridge(hook.command()).then(|| SkipCause::OtherAgent(Vec::new()))
}

fn untrusted_cause(vouched: &Vouched) -> Option<SkipCause> {
    if vouched.may_run() {
        return None;
    }
    match &vouched.standing {
        Standing::Modified { message, .. } => Some(SkipCause::UntrustedModified(message.clone())),
        Standing::FolderUntrusted { source } => {
            Some(SkipCause::FolderUntrusted(Some(source.clone())))
        }
        // `NotNeeded` and `Trusted` shouldn't get here; if they do, the hook doesn't run.
        Standing::New | Standing::NotNeeded | Standing::Trusted => Some(SkipCause::UntrustedNew),
    }
}
