//! `/memory`: shows the model's context about the project, reads it again, and adds to it (TO-5).

use std::fmt::Write as _;
use std::sync::Arc;

use hookloop_agent::Session;
use hookloop_tools::remember;
use hookloop_tui::NoticeKind;

use crate::Stage as _;
use crate::assets::{self, Context};
use crate::instruction::instruction;
use crate::interactive::Conversation;

/// What follows `/memory`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemoryRequest<'a> {
    Show,
    List,
    Refresh,
    Add(&'a str),
    /// It can't be understood.
    Unknown,
}

impl Conversation<'_> {
    /// Carries out `/memory`.
    pub(super) fn memory(&mut self, session: &mut Session, arguments: &str) {
        match understand(arguments) {
            MemoryRequest::Show => {
                self.say(NoticeKind::Answer, show_content(self.assets.context()));
            }
            MemoryRequest::List => self.say(NoticeKind::Answer, list_files(self.assets.context())),
            MemoryRequest::Refresh => self.refresh_memory(session),
            MemoryRequest::Add("") => {
                let text = "Error: /memory add needs a fact to remember";
                self.say(NoticeKind::Error, text.to_owned());
            }
            MemoryRequest::Add(fact) => self.remember(session, fact),
            MemoryRequest::Unknown => {
                let text = "Error: /memory has only show, list, refresh and add TEXT";
                self.say(NoticeKind::Error, text.to_owned());
            }
        }
    }

    /// Reads the context files again; the model gets them from the next turn on.
    fn refresh_memory(&mut self, session: &mut Session) {
        let link = Arc::clone(self.ui.link());
        self.assets
            .refresh(self.place.environment, &self.guarded.workspace, &|it| {
                link.report(it);
            });
        let own = instruction(&self.place.environment.current_dir);
        session.instruct(self.assets.instruction(&own));
        let text = format!("Read again. {}", list_files(self.assets.context()));
        self.say(NoticeKind::Answer, text);
    }

    /// Adds a fact to the user's context file, as the tool `save_memory` does.
    fn remember(&mut self, session: &mut Session, fact: &str) {
        let file = assets::memory_file(self.place.environment);
        match remember(&file, fact) {
            Ok(fact) => self.say(
                NoticeKind::Info,
                format!("Okay, I've remembered that: \"{fact}\""),
            ),
            Err(error) => {
                self.say(NoticeKind::Error, format!("Error: {}", error.message));
                return;
            }
        }
        self.refresh_memory(session);
    }
}

fn understand(arguments: &str) -> MemoryRequest<'_> {
    let (word, rest) = arguments
        .split_once(char::is_whitespace)
        .unwrap_or((arguments, ""));
    match (word, rest.trim()) {
        ("" | "show", "") => MemoryRequest::Show,
        ("list", "") => MemoryRequest::List,
        ("refresh" | "reload", "") => MemoryRequest::Refresh,
        ("add", fact) => MemoryRequest::Add(fact),
        _ => MemoryRequest::Unknown,
    }
}

fn list_files(context: &Context) -> String {
    let mut text = match context.files.len() {
        0 => "No context files are loaded.".to_owned(),
        1 => "1 context file is loaded:".to_owned(),
        count => format!("{count} context files are loaded; the last one takes precedence:"),
    };
    // Writing to a string can't fail.
    for file in &context.files {
        let _ = write!(text, "\n  {}", file.path.display());
    }
    text + &omitted_files(context)
}

fn show_content(context: &Context) -> String {
    if context.files.is_empty() {
        return list_files(context);
    }
    let mut text = String::new();
    for file in &context.files {
        let _ = write!(
            text,
            "--- {} ---\n{}\n\n",
            file.path.display(),
            file.text.trim()
        );
    }
    text.truncate(text.trim_end().len());
    text + &omitted_files(context)
}

fn omitted_files(context: &Context) -> String {
    let mut text = String::new();
    for path in &context.left_out {
        let _ = write!(
            text,
            "\nleft out, because the folder is marked DO_NOT_TRUST: {}",
            path.display()
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TU-2: `/memory` alone shows the context, and an unknown subcommand does nothing.
    #[test]
    fn memory_knows_its_words() {
        for (arguments, wanted) in [
            ("", MemoryRequest::Show),
            ("show", MemoryRequest::Show),
            ("list", MemoryRequest::List),
            ("refresh", MemoryRequest::Refresh),
            ("add  I like tea ", MemoryRequest::Add("I like tea")),
            ("add", MemoryRequest::Add("")),
            ("forget", MemoryRequest::Unknown),
            ("list all", MemoryRequest::Unknown),
        ] {
            assert_eq!(understand(arguments), wanted, "{arguments}");
        }
    }
}
