//! The environment of a call: the person's own, whatever an agent's settings set (BR-25).

use hookloop_bridge::Agent;
use hookloop_session::Environment;

use crate::surroundings::{Person, begins_shells};
use crate::{AgentCall, ProgramPort, Variables, project_variables};

/// The environment of a call, and what the person has to be told about it.
pub(crate) struct CallSurroundings {
    pub(crate) environment: Environment,
    pub(crate) notices: Vec<String>,
    /// Whether what decides was recorded at the installation.
    pub(crate) is_noted: bool,
}

/// Returns the environment of a call: what decides is the person's, whatever the agent's settings
/// set.
///
/// # Errors
/// A project decides, or it isn't known whose hooks are meant.
pub(crate) fn around(
    arguments: &AgentCall,
    agent: Agent,
    mut variables: Variables,
    program: ProgramPort,
) -> Result<CallSurroundings, String> {
    variables.retain(|(name, _)| !begins_shells(&name.to_string_lossy()));
    let link = arguments.invoked.as_deref();
    let person = link.map(|it| Person::called_by(it, agent)).transpose()?;
    let person = person.flatten();
    let notices = person.as_ref().map(|it| it.restore(&mut variables));
    let environment = (program.environment)(variables);
    let mut environment = environment.map_err(|error| error.to_string())?;
    environment.state.clone_from(&arguments.state);
    let mut notices = notices.unwrap_or_default();
    notices.extend(project_variables::strip(
        agent,
        &mut environment,
        person.as_ref(),
    )?);
    Ok(CallSurroundings {
        environment,
        notices,
        is_noted: person.is_some_and(|it| it.is_noted()),
    })
}
