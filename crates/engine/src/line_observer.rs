//! What a person has to know about hooks, as lines.

use hookloop_events::SessionIdentity;
use hookloop_text::{hook_lines, visible};

use crate::lifecycle::{Lifecycle, Observer};

/// An observer that passes on what a person has to know about hooks, line by line: which ones don't
/// run, what they say, which ones failed, and which answers had no effect.
///
/// The lines are safe for a terminal, whatever a hook said (OUT-9). A host with a screen of its own
/// implements [`Observer`] instead.
///
/// ```
/// use std::sync::Arc;
///
/// use hookloop_engine::{Hooks, LineObserver};
///
/// let hooks = Hooks::builder()
///     .observer(Arc::new(LineObserver::new(|line| eprintln!("{line}"))))
///     .build();
/// # let _ = hooks;
/// ```
pub struct LineObserver<F> {
    show: F,
}

impl<F: Fn(&str) + Send + Sync> LineObserver<F> {
    /// Creates an observer that shows each line with `show`.
    pub const fn new(show: F) -> Self {
        Self { show }
    }

    fn show(&self, line: &str) {
        (self.show)(&visible(line));
    }
}

impl<F: Fn(&str) + Send + Sync> Observer for LineObserver<F> {
    fn observe(&self, _session: &SessionIdentity, lifecycle: &Lifecycle) {
        match lifecycle {
            Lifecycle::Skipped { hook, causes, .. } => {
                for cause in causes {
                    let why = cause.message();
                    self.show(&hook_lines::not_run(hook.label(), &hook.source, &why));
                }
            }
            Lifecycle::Concluded(concluded) => {
                for message in &concluded.messages {
                    self.show(&hook_lines::said(&message.hook, &message.text));
                }
                for notice in concluded.notices.iter().chain(&concluded.late) {
                    let place = &notice.source;
                    self.show(&hook_lines::notice(&notice.hook, place, &notice.text));
                }
            }
            Lifecycle::Planned { .. } | Lifecycle::Started { .. } | Lifecycle::Finished { .. } => {}
        }
    }
}
