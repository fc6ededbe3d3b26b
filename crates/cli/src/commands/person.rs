//! An agent isn't a person (TR-11): below one, commands that change what guards are made of ask.

use std::path::Path;

use hookloop_host::{Answer, OuterAgents};
use hookloop_manage::{CommandFailure, FailureCode};
use hookloop_session::{Environment, RunOptions};
use hookloop_settings::find_project_root;

use tokio_util::sync::CancellationToken;

use crate::commands::{Context, Format, Named, failed};
use crate::output::Output;

/// Says what a command does to what guards are made of. Each has to decide, so that none forgets to
/// ask.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Effect<'a> {
    /// It reads, or changes what is nobody's guard.
    Reads,
    /// It changes settings, hooks, trust, extensions, guards, servers or the bridge.
    Changes(Change<'a>),
}

impl Effect<'_> {
    /// Tells whether guards are changed.
    pub(crate) const fn changes(self) -> bool {
        matches!(self, Self::Changes(_))
    }
}

/// Names a command that changes what guards are made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Change<'a> {
    /// Its canonical name.
    pub(crate) name: Named,
    /// Whether it prints JSON.
    pub(crate) json: bool,
    /// A path that it is given to write to, wherever that is.
    pub(crate) path: Option<&'a Path>,
}

/// Lets a command go on that changes nothing, that a person gave, or that a person agrees to; else
/// returns what it says. Every command passes here before it is carried out.
pub(crate) fn permit(effect: Effect<'_>, environment: &Environment) -> Result<(), Output> {
    let Effect::Changes(change) = effect else {
        return Ok(());
    };
    agrees(environment, change).map_err(|failure| {
        let context = Context {
            name: change.name,
            format: Format::new(change.json, environment),
            environment,
            run: &RunOptions::default(),
            stop: CancellationToken::new(),
        };
        failed(&context, &failure)
    })
}

/// Lets a command go on that a person gave, or that a person in front of the agent's terminal
/// agrees to; a command on a home and project of its own is nobody's business.
fn agrees(environment: &Environment, change: Change<'_>) -> Result<(), CommandFailure> {
    let command = change.name.0;
    let agents = OuterAgents::find(&environment.variables);
    if agents.is_empty() {
        return Ok(());
    }
    let root = find_project_root(&environment.current_dir, &environment.home);
    let elsewhere = change.path.map(|it| environment.current_dir.join(it));
    let concerned = agents
        .concerned_by(&environment.home, &root)
        .or_else(|| agents.owner_of(&elsewhere?));
    let Some(agent) = concerned else {
        return Ok(());
    };
    let question = format!(
        "{} runs `hookloop {command}` in {}, which changes what its guards are made of. Let it?",
        agent.name,
        root.display()
    );
    match agents.ask_person(&question) {
        Answer::Yes => Ok(()),
        Answer::No => Err(CommandFailure::new(
            FailureCode::Declined,
            format!(
                "an agent ({}) started this, and no person agreed: `hookloop {command}` changes \
                 what its guards are made of; run it yourself in a terminal of your own",
                agent.name
            ),
        )),
    }
}
