//! What a person sees: everything that hooks say, and why a hook didn't run.

use std::io::{self, Write as _};

use hookloop_engine::events::SessionIdentity;
use hookloop_engine::{Lifecycle, Observer};
use hookloop_host::Host;

/// Shows what happens to hooks.
#[derive(Debug, Clone, Copy)]
pub struct Screen;

/// Shows a line to people. The work continues even if nobody can see it.
pub fn show(line: &str) {
    drop(writeln!(io::stderr(), "{line}"));
}

/// Shows what is wrong with the hooks of a host.
pub fn show_problems(host: &Host) {
    for problem in host.problems() {
        show(&problem.to_string());
    }
}

impl Observer for Screen {
    fn observe(&self, _session: &SessionIdentity, happening: &Lifecycle) {
        match happening {
            Lifecycle::Skipped { hook, causes, .. } => {
                for cause in causes {
                    show(&format!(
                        "hook \"{}\" is skipped: {}",
                        hook.label(),
                        cause.message()
                    ));
                }
            }
            Lifecycle::Concluded(concluded) => {
                for message in &concluded.messages {
                    show(&format!("hook \"{}\" says: {}", message.hook, message.text));
                }
                for notice in &concluded.notices {
                    show(&format!(
                        "{}: hook \"{}\": {}",
                        notice.source, notice.hook, notice.text
                    ));
                }
            }
            _ => {}
        }
    }
}
