//! An agent isn't a person (TR-11): under an agent, commands that change files that guards depend
//! on ask first.

use std::path::Path;

use hookloop_host::{Answer, OuterAgents};
use hookloop_session::Environment;
use hookloop_settings::find_project_root;

use crate::failure::{CommandFailure, FailureCode};

/// Permits a command that a person gave, or that a person at the agent's terminal confirms. A
/// command with a separate home and project affects no agent, and is permitted too. `path` is the
/// path that the command would write to, if it was given one.
pub fn permit_change(
    environment: &Environment,
    command: &str,
    path: Option<&Path>,
) -> Result<(), CommandFailure> {
    let agents = OuterAgents::find(&environment.variables);
    if agents.is_empty() {
        return Ok(());
    }
    let root = find_project_root(&environment.current_dir, &environment.home);
    let elsewhere = path.map(|it| environment.current_dir.join(it));
    let concerned = agents
        .concerned_by(&environment.home, &root)
        .or_else(|| agents.owner_of(&elsewhere?));
    let Some(agent) = concerned else {
        return Ok(());
    };
    let question = format!(
        "{} runs `hookloop {command}` in {}, which changes files that its guards depend on. Allow it?",
        agent.name,
        root.display()
    );
    match agents.ask_person(&question) {
        Answer::Yes => Ok(()),
        Answer::No => Err(CommandFailure::new(
            FailureCode::Declined,
            format!(
                "an agent ({}) started this, and no person agreed to it: `hookloop {command}` \
                 changes files that the agent's guards depend on; run it yourself in your own \
                 terminal",
                agent.name
            ),
        )),
    }
}
