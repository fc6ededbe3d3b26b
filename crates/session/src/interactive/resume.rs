//! What `/resume` does: replaces the current session with an earlier one, and continues that
//! (SE-11).

use hookloop_agent::{Session, Transcript};
use hookloop_engine::SessionHooks;
use hookloop_tui::{Chooser, ChooserIntent, ChooserItem, Leave, NoticeKind, WatchResult};
use tokio_util::sync::CancellationToken;

use crate::build;
use crate::interactive::{Conversation, recall};
use crate::stored::{self, Stored};

/// What is known about the sessions of the project.
struct Known {
    /// All of them, oldest first, with their numbers.
    sessions: Vec<(usize, Stored)>,
    warnings: Vec<String>,
}

/// What another session begins with.
pub(super) struct Another {
    pub(super) hooks: SessionHooks,
    pub(super) transcript: Transcript,
    /// Ends its current work first.
    pub(super) cancel: CancellationToken,
}

impl Conversation<'_> {
    /// Lets the user choose a session, or uses the one that is named, and continues with it.
    pub(super) async fn resume(&mut self, session: &mut Session, arguments: &str) -> Option<Leave> {
        let folder = build::sessions_folder(&self.guarded.workspace, self.place.environment);
        let present = session.id().to_owned();
        let reading = tokio::task::spawn_blocking(move || {
            let (sessions, warnings) = stored::all(&folder);
            let numbered = (1..).zip(sessions);
            // An empty session can't be continued.
            let others = numbered.filter(|(_, it)| {
                it.session.session_id != present && !it.session.history.is_empty()
            });
            Known {
                sessions: others.collect(),
                warnings,
            }
        });
        let cancel = CancellationToken::new();
        let known = match self.ui.watch(reading, &cancel).await {
            WatchResult::Left(leave) => return Some(leave),
            WatchResult::Done(Err(_)) => return None,
            WatchResult::Done(Ok(_)) if cancel.is_cancelled() => return None,
            WatchResult::Done(Ok(known)) => known,
        };
        for warning in known.warnings {
            self.say(NoticeKind::Warning, format!("[WARNING] {warning}"));
        }
        if known.sessions.is_empty() {
            let text = "This project has no other session to continue.";
            self.say(NoticeKind::Answer, text.to_owned());
            return None;
        }
        let chosen = if arguments.is_empty() {
            match self.choose(&known.sessions).await {
                ChooserIntent::Leave(leave) => return Some(leave),
                ChooserIntent::Close => return None,
                ChooserIntent::Choose(id) => id,
            }
        } else {
            arguments.to_owned()
        };
        let count = known.sessions.len();
        if let Some(stored) = find_session(known.sessions, &chosen) {
            return self.switch_to(session, stored).await;
        }
        let text = format!(
            "Error: there is no other session \"{chosen}\"; /resume without an argument lists all \
             {count}"
        );
        self.say(NoticeKind::Error, text);
        None
    }

    async fn choose(&mut self, sessions: &[(usize, Stored)]) -> ChooserIntent {
        let items = sessions
            .iter()
            .rev()
            .map(|(number, stored)| item(*number, stored));
        let mut chooser = Chooser::new("Sessions of this project", items.collect());
        self.ui.choose(&mut chooser).await
    }

    /// Ends the present session and begins the other one; hooks see both.
    async fn switch_to(&mut self, session: &mut Session, stored: Stored) -> Option<Leave> {
        self.refresh();
        let another = self.begin_another(Some(&stored)).await?;
        let history = stored.session.history;
        self.ui.recall(&recall::conversation(&history));
        let going = session.switch_to(another.hooks, another.transcript, history);
        let worked = self.ui.watch(going, &another.cancel).await;
        self.hook_counts.begin();
        let text = format!("Continuing the session of {}.", stored.session.started_at);
        self.say(NoticeKind::Info, text);
        worked.leave_reason()
    }

    /// Prepares another session on an empty screen, a stored one or a new one; nothing if that
    /// fails, which is reported.
    pub(super) async fn begin_another(&mut self, stored: Option<&Stored>) -> Option<Another> {
        let workspace = &self.guarded.workspace;
        let another = build::another_session(workspace, self.place.environment, stored);
        let (identity, transcript) = match another {
            Ok(another) => another,
            Err(error) => {
                self.say(NoticeKind::Error, format!("Error: {error}"));
                return None;
            }
        };
        self.later.begin(&identity.session_id);
        self.checkpoints.switch(transcript.path());
        self.ui.clear().await;
        let cancel = CancellationToken::new();
        let hooks = self.guarded.hooks.session(identity);
        Some(Another {
            hooks: hooks.with_cancel(cancel.clone()),
            transcript,
            cancel,
        })
    }
}

fn item(number: usize, stored: &Stored) -> ChooserItem {
    let session = &stored.session;
    let title = session.first_prompt.as_deref().unwrap_or_default();
    let texts = session.history.iter().map(|it| it.visible_text());
    ChooserItem {
        id: session.session_id.clone(),
        note: format!("{number:>3}. {}", minute(&session.started_at)),
        title: title.split_whitespace().collect::<Vec<_>>().join(" "),
        hidden: texts.collect::<Vec<_>>().join("\n") + &session.session_id,
    }
}

/// Shortens a time to the minute: `2026-01-02 03:04`.
fn minute(timestamp: &str) -> String {
    timestamp.replacen('T', " ", 1).chars().take(16).collect()
}

/// Finds the session that `latest`, a number or an id names.
fn find_session(sessions: Vec<(usize, Stored)>, choice: &str) -> Option<Stored> {
    let last = sessions.last().map(|(number, _)| *number);
    let is_it = |number: usize, stored: &Stored| match choice {
        "latest" => Some(number) == last,
        choice => stored.session.session_id == choice || choice.parse::<usize>() == Ok(number),
    };
    let mut found = sessions
        .into_iter()
        .filter(|(number, it)| is_it(*number, it));
    found.next().map(|(_, stored)| stored)
}
