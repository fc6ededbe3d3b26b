//! The agent's side of the screen: passes on everything that happens, in order.

use hookloop_agent::{Audience, Confirmation, Consent, Frontend, SessionEvent};
use hookloop_engine::{BoxFuture, Lifecycle, Observer};
use hookloop_events::{SessionIdentity, ToolCall};
use hookloop_text::Notice;
use hookloop_tools::{Asker, NoAnswer};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use crate::message::{HookLine, Message};
use crate::question::Question;

/// Whether "Executing hook: …" is shown (ST-8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookNotifications {
    /// It is.
    Shown,
    /// It isn't.
    Hidden,
}

/// The terminal session's port for the agent and the hook engine.
#[derive(Debug, Clone)]
pub struct Link {
    messages: UnboundedSender<Message>,
    notifications: HookNotifications,
}

impl Link {
    pub(crate) const fn new(
        messages: UnboundedSender<Message>,
        notifications: HookNotifications,
    ) -> Self {
        Self {
            messages,
            notifications,
        }
    }

    /// Shows a notice to the user.
    pub fn say(&self, notice: Notice) {
        self.send(Message::Said(notice));
    }

    /// Cancels what is running; called again, it leaves the session (LO-4).
    pub fn interrupt(&self) {
        self.send(Message::Interrupted);
    }

    /// Ends the session, as a signal does (SE-1).
    pub fn terminate(&self) {
        self.send(Message::Terminated);
    }

    fn send(&self, message: Message) {
        // Fails if the screen has gone, and then there is nobody to report to.
        drop(self.messages.send(message));
    }
}

impl Frontend for Link {
    fn show(&self, event: &SessionEvent<'_>) {
        self.send(Message::from_event(event));
    }

    fn confirm<'a>(&'a self, request: Confirmation<'a>) -> BoxFuture<'a, Consent> {
        let question = Box::new(Question::from(&request));
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            self.send(Message::Asked(question, answer));
            // If the screen has gone, there is no answer, and so no consent.
            answered.await.unwrap_or(Consent::Declined)
        })
    }

    /// What a person typed is shown like any other call.
    fn typed_by_person(&self, _call: &ToolCall) {}

    fn audience(&self) -> Audience {
        Audience::Present
    }
}

impl Asker for Link {
    fn ask<'a>(
        &'a self,
        questions: &'a [hookloop_tools::Question],
    ) -> BoxFuture<'a, Result<Vec<String>, NoAnswer>> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            self.send(Message::Questioned(questions.to_vec(), answer));
            // If the screen has gone, there is no answer.
            answered.await.unwrap_or(Err(NoAnswer::Nobody))
        })
    }
}

impl Observer for Link {
    fn observe(&self, _session: &SessionIdentity, lifecycle: &Lifecycle) {
        match lifecycle {
            Lifecycle::Started {
                event,
                hook,
                number,
                of,
            } if self.notifications == HookNotifications::Shown => {
                let line = HookLine::new(*event, hook, *number, *of);
                self.send(Message::HookStarted(line));
            }
            Lifecycle::Finished { event, hook, .. } => {
                self.send(Message::HookFinished((*event, hook.id.clone())));
            }
            Lifecycle::Skipped { hook, causes, .. } => {
                for message in causes
                    .iter()
                    .filter_map(|it| Message::from_skipped(hook, it))
                {
                    self.send(message);
                }
            }
            Lifecycle::Concluded(concluded) => {
                for message in Message::from_conclusion(concluded) {
                    self.send(message);
                }
            }
            _ => {}
        }
    }
}
