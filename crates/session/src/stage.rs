//! What a session is assembled for: the part that concerns the screen.

use std::sync::Arc;

use hookloop_agent::Frontend;
use hookloop_engine::Observer;
use hookloop_text::Notice;
use hookloop_tools::{Asker, OpenFiles};
#[cfg(feature = "terminal")]
use hookloop_tui::{Link, NoticeKind};

use crate::notices;
use crate::screen::Screen;

/// Shows a session, and observes its hooks.
pub trait Stage: Frontend + Observer + 'static {
    /// Tells the user what a part of the session can't do.
    fn report(&self, problem: &str) {
        notices::print(&format!("warning: {problem}"));
    }

    /// Tells the user something.
    fn tell(&self, notice: Notice) {
        notices::print(&notice.text);
    }

    /// Returns who answers the model's questions; nobody unless somebody is there.
    fn asker(self: Arc<Self>) -> Option<Arc<dyn Asker>> {
        None
    }

    /// Returns the editor in which the person has files open; none unless it reports them (TU-7).
    fn open_files(self: Arc<Self>) -> Option<Arc<dyn OpenFiles>> {
        None
    }
}

impl Stage for Screen {
    fn report(&self, problem: &str) {
        self.warning_line(&format!("warning: {problem}"));
    }
}

#[cfg(feature = "terminal")]
impl Stage for Link {
    /// Other threads must not write to a terminal that is drawn on.
    fn report(&self, problem: &str) {
        self.say(Notice::new(
            NoticeKind::Warning,
            format!("[WARNING] {problem}"),
        ));
    }

    fn tell(&self, notice: Notice) {
        self.say(notice);
    }

    fn asker(self: Arc<Self>) -> Option<Arc<dyn Asker>> {
        Some(self)
    }
}
