//! Whether a person is there (TR-11): only a person can agree to loosen guards, and an agent that
//! started the session and types into it isn't one.

use std::sync::Arc;

use hookloop_agent::{Audience, Confirmation, Consent, Frontend, SessionEvent};
use hookloop_engine::BoxFuture;
use hookloop_events::ToolCall;
use hookloop_host::{Answerer, OuterAgents};
use hookloop_settings::find_project_root;

use crate::environment::Environment;

/// Returns who answers what a session asks. Everything that asks somebody to loosen something must
/// ask here first.
pub(crate) fn answerer(environment: &Environment) -> Answerer {
    let agents = OuterAgents::find(&environment.variables);
    let root = find_project_root(&environment.current_dir, &environment.home);
    agents.answerer(&environment.home, &root)
}

/// Returns where calls are shown and asked about, and the audience: the screen, or, if an agent
/// would answer in a person's place, the screen without anybody in front of it.
pub(crate) fn in_front<S: Frontend + 'static>(
    screen: &Arc<S>,
    environment: &Environment,
) -> (Arc<dyn Frontend>, Audience) {
    let screen: Arc<dyn Frontend> = Arc::<S>::clone(screen);
    let frontend = match answerer(environment) {
        Answerer::Person => screen,
        Answerer::Agent(_) => Arc::new(Unattended(screen)),
    };
    let audience = frontend.audience();
    (frontend, audience)
}

/// A screen with no person in front of it: it shows, but is never asked.
struct Unattended(Arc<dyn Frontend>);

impl Frontend for Unattended {
    fn show(&self, event: &SessionEvent<'_>) {
        self.0.show(event);
    }

    fn confirm<'a>(&'a self, _request: Confirmation<'a>) -> BoxFuture<'a, Consent> {
        Box::pin(async { Consent::Nobody })
    }

    /// It was typed, but not by a person.
    fn typed_by_person(&self, _call: &ToolCall) {}

    fn audience(&self) -> Audience {
        Audience::Absent
    }
}
