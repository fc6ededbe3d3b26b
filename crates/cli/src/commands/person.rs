//! An agent is no person (TR-11): below one, commands that change what guards are made of ask.

use hookloop_host::{Answer, OuterAgents, ask_person};
use hookloop_session::Environment;
use hookloop_settings::find_project_root;

use crate::commands::CommandFailure;
use crate::commands::failure::FailureCode;

/// Lets a command go on that a person gave, or that a person in front of the agent's terminal
/// agrees to; a command on a home and project of its own is nobody's business.
pub(crate) fn agrees(environment: &Environment, command: &str) -> Result<(), CommandFailure> {
    let agents = OuterAgents::find(&environment.variables);
    if agents.is_empty() {
        return Ok(());
    }
    let root = find_project_root(&environment.current_dir, &environment.home);
    let Some(agent) = agents.concerned_by(&environment.home, &root) else {
        return Ok(());
    };
    let question = format!(
        "{} runs `hookloop {command}` in {}, which changes what its guards are made of. Let it?",
        agent.name,
        root.display()
    );
    match ask_person(agent, &question) {
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
