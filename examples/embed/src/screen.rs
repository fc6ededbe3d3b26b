//! What a person sees: the steps, and everything that hooks say or leave undone.

use std::io::{self, Write as _};

use hookloop_engine::events::SessionIdentity;
use hookloop_engine::{Lifecycle, Observer};

/// Shows what happens to hooks.
pub(crate) struct Screen;

/// Shows a line. A screen that is gone must not keep the bot from its work.
pub(crate) fn show(line: &str) {
    drop(writeln!(io::stdout(), "{line}"));
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
            Lifecycle::Planned { .. } | Lifecycle::Started { .. } | Lifecycle::Finished { .. } => {}
        }
    }
}
