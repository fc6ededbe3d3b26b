//! What `/rewind` does: goes back to an earlier prompt, with the files that were changed since, or
//! without them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookloop_agent::{Session, WriteBack};
use hookloop_host::{Protected, Touch};
use hookloop_tui::{Chooser, ChooserIntent, ChooserItem, Leave, NoticeKind, Surface, WatchResult};
use tokio_util::sync::CancellationToken;

use crate::checkpoints::{Checkpoint, Past, Plan, still_begins_so};
use crate::interactive::Conversation;

/// How many files a question names.
const MAX_NAMED_FILES: usize = 10;

const BOTH: &str = "both";
const TALK: &str = "talk";
const FILES: &str = "files";
const OVERWRITE: &str = "overwrite";
const LEAVE: &str = "leave";

impl Conversation<'_> {
    /// Lets the user choose a prompt, says what would happen to files, and goes back to it.
    pub(super) async fn rewind(&mut self, session: &mut Session) -> Option<Leave> {
        let checkpoints = self.checkpoints.all();
        if checkpoints.is_empty() {
            let text = "There is no earlier prompt of this session to go back to.";
            self.say(NoticeKind::Answer, text.to_owned());
            return None;
        }
        let items = checkpoints.iter().enumerate().rev();
        let items = items.map(|(number, it)| item(number, it)).collect();
        let mut chooser = Chooser::new("Go back to before this prompt", items);
        let number: usize = match self.ui.choose(&mut chooser).await {
            ChooserIntent::Leave(leave) => return Some(leave),
            ChooserIntent::Close => return None,
            ChooserIntent::Choose(id) => id.parse().ok()?,
        };
        let checkpoint = checkpoints.get(number)?;
        let protected = Protected::of(&self.guarded.workspace);
        let is_protected =
            |path: &std::path::Path| protected.affected(Touch::Write, path).is_some();
        let plan = self.checkpoints.plan(number, &is_protected);
        self.tell_plan(&plan);
        let can_talk = still_begins_so(checkpoint, session.history());
        if !can_talk {
            let text = "The conversation has been shortened since, so it can't go back there.";
            self.say(NoticeKind::Warning, text.to_owned());
        }
        let choice = match self.ask_what(&plan, can_talk).await {
            Ok(choice) => choice?,
            Err(leave) => return Some(leave),
        };
        let stayed = if choice == TALK {
            self.checkpoints.changed_since(number)
        } else {
            match self.restore(plan, session).await {
                Ok(Some(stayed)) => stayed,
                // Cancelling the question about files cancels the rewind.
                Ok(None) => return None,
                Err(leave) => return Some(leave),
            }
        };
        if choice != FILES {
            session.go_back(checkpoint.messages);
            self.report_unrestored(number, &stayed);
            self.checkpoints.forget_from(number, stayed);
            let text = match self.ui.surface() {
                Surface::Painted => {
                    "The conversation is back where it was before this prompt.".to_owned()
                }
                // Without a painted screen, there is no input line to put the prompt into.
                Surface::Lines => format!(
                    "The conversation is back where it was before this prompt: {}",
                    checkpoint.prompt
                ),
            };
            self.ui.put_draft(checkpoint.prompt.clone());
            self.say(NoticeKind::Info, text);
        }
        self.refresh();
        None
    }

    /// Reports which files stay as they are though the conversation goes back, and whether a later
    /// rewind can still restore them.
    fn report_unrestored(&mut self, number: usize, stayed: &BTreeSet<PathBuf>) {
        if stayed.is_empty() {
            return;
        }
        let later = match number {
            0 => "no later /rewind restores them",
            _ => "/rewind to an earlier prompt restores them",
        };
        let text = format!(
            "These files have been changed since, and stay as they are; {later}:{}",
            list(stayed.iter().map(|it| it.display().to_string()).collect())
        );
        self.say(NoticeKind::Warning, text);
    }

    fn tell_plan(&mut self, plan: &Plan) {
        let restored: Vec<String> = plan
            .restored
            .iter()
            .map(|(path, past)| {
                let shown = path.display();
                if past.content.is_none() {
                    format!("{shown} (removed: it didn't exist)")
                } else if Past::of(path).differs_in_rights(past) {
                    format!("{shown} (its permissions)")
                } else {
                    shown.to_string()
                }
            })
            .collect();
        if restored.is_empty() {
            let text = "No file needs to be restored.";
            self.say(NoticeKind::Info, text.to_owned());
        } else {
            let text = format!("Files that would be restored:{}", list(restored));
            self.say(NoticeKind::Info, text);
        }
        let named = |paths: &[std::path::PathBuf]| {
            list(paths.iter().map(|it| it.display().to_string()).collect())
        };
        if !plan.protected.is_empty() {
            let text = format!(
                "[WARNING] hooks, settings or other guards depend on these files, so they stay as \
                 they are; check them yourself:{}",
                named(&plan.protected)
            );
            self.say(NoticeKind::Warning, text);
        }
        if !plan.losses.is_empty() {
            let text = format!(
                "[WARNING] this can't be restored:{}",
                list(plan.losses.clone())
            );
            self.say(NoticeKind::Warning, text);
        }
        if !plan.changed_since.is_empty() {
            let text = format!(
                "[WARNING] somebody else has changed these since:{}",
                named(&plan.changed_since)
            );
            self.say(NoticeKind::Warning, text);
        }
    }

    /// Asks what to restore.
    async fn ask_what(
        &mut self,
        plan: &Plan,
        can_talk: bool,
    ) -> Result<Option<&'static str>, Leave> {
        let has_files = !plan.restored.is_empty();
        let choices = [
            (BOTH, "conversation and files", can_talk && has_files),
            (TALK, "the conversation alone", can_talk),
            (FILES, "files alone", has_files),
        ];
        let choices: Vec<(&'static str, &str)> = choices
            .into_iter()
            .filter(|(.., is_offered)| *is_offered)
            .map(|(id, title, _)| (id, title))
            .collect();
        if choices.is_empty() {
            return Ok(None);
        }
        self.ask("What should be restored?", &choices).await
    }

    /// Restores files; those that somebody else changed since only with consent. Returns those that
    /// stay as they are.
    async fn restore(
        &mut self,
        plan: Plan,
        session: &Session,
    ) -> Result<Option<BTreeSet<PathBuf>>, Leave> {
        let mut left = Vec::new();
        if !plan.changed_since.is_empty() {
            let choices = [
                (LEAVE, "leave files that were changed since as they are"),
                (OVERWRITE, "overwrite it"),
            ];
            match self.ask("Files have been changed since", &choices).await? {
                Some(OVERWRITE) => {}
                Some(_) => left = plan.changed_since,
                None => return Ok(None),
            }
        }
        let mut count = 0;
        let mut stayed = BTreeSet::from_iter(plan.protected);
        let mut replaced = self.checkpoints.replaced();
        for (path, past) in plan.restored {
            // If a link has appeared in the path, it leads to another file.
            let is_same = self.files.resolve(&path.to_string_lossy()).ok().as_ref() == Some(&path);
            if left.contains(&path) {
                stayed.insert(path);
                continue;
            }
            let done = match self.refusal_of(&path, &past, session).await? {
                Some(why) => Err(std::io::Error::other(why)),
                None if is_same => self.checkpoints.restore(&path, &past, &mut replaced),
                None => Err(std::io::Error::other("another file is there now")),
            };
            match done {
                Ok(()) => count += 1,
                Err(error) => {
                    let text = format!("Error: {} stays as it is: {error}", path.display());
                    self.say(NoticeKind::Error, text);
                    stayed.insert(path);
                }
            }
        }
        let text = match count {
            1 => "1 file has been restored.".to_owned(),
            count => format!("{count} files have been restored."),
        };
        self.say(NoticeKind::Info, text);
        if let Some(folder) = replaced.folder() {
            let text = format!("The previous content is saved in {}", folder.display());
            self.say(NoticeKind::Info, text);
        }
        Ok(Some(stayed))
    }

    /// Returns why hooks, or the person whom they ask, leave a file as it is (EV-4).
    async fn refusal_of(
        &mut self,
        path: &Path,
        past: &Past,
        session: &Session,
    ) -> Result<Option<String>, Leave> {
        let Some(text) = self.checkpoints.text_of(path, past) else {
            return Ok(None);
        };
        let cancel = CancellationToken::new();
        let judging = session.may_write_back(path, &text, cancel.clone());
        let reason = match self.ui.watch(judging, &cancel).await {
            WatchResult::Left(leave) => return Err(leave),
            WatchResult::Done(WriteBack::Free) => return Ok(None),
            WatchResult::Done(WriteBack::Refused(why)) => return Ok(Some(why)),
            WatchResult::Done(WriteBack::Asked(reason)) => reason,
        };
        let heading = format!("A hook asks about {}: {reason}", path.display());
        let choices = [(LEAVE, "leave it as it is"), (OVERWRITE, "restore it")];
        let chosen = self.ask(&heading, &choices).await?;
        Ok((chosen != Some(OVERWRITE)).then_some(reason))
    }

    async fn ask(
        &mut self,
        heading: &str,
        choices: &[(&'static str, &str)],
    ) -> Result<Option<&'static str>, Leave> {
        let items = choices.iter().map(|(id, title)| ChooserItem {
            id: (*id).to_owned(),
            note: String::new(),
            title: (*title).to_owned(),
            hidden: String::new(),
        });
        let mut chooser = Chooser::new(heading, items.collect());
        match self.ui.choose(&mut chooser).await {
            ChooserIntent::Leave(leave) => Err(leave),
            ChooserIntent::Close => Ok(None),
            ChooserIntent::Choose(chosen) => {
                Ok(choices.iter().map(|(id, _)| *id).find(|id| *id == chosen))
            }
        }
    }
}

/// Lists files, as many as a person reads.
fn list(files: Vec<String>) -> String {
    let more = files.len().saturating_sub(MAX_NAMED_FILES);
    let shown = files
        .into_iter()
        .take(MAX_NAMED_FILES)
        .collect::<Vec<_>>()
        .join("\n  ");
    match more {
        0 => format!("\n  {shown}"),
        more => format!("\n  {shown}\n  … and {more} more"),
    }
}

fn item(number: usize, checkpoint: &Checkpoint) -> ChooserItem {
    let files = match checkpoint.changes.len() {
        0 => "no files".to_owned(),
        1 => "1 change".to_owned(),
        count => format!("{count} changes"),
    };
    let time: String = checkpoint.at.chars().skip(11).take(5).collect();
    ChooserItem {
        id: number.to_string(),
        note: format!("{time} {files:>10}"),
        title: checkpoint
            .prompt
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
        hidden: String::new(),
    }
}
