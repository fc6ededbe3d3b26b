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
enum Wanted<'a> {
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
            Wanted::Show => self.say(NoticeKind::Answer, shown(self.assets.context())),
            Wanted::List => self.say(NoticeKind::Answer, listed(self.assets.context())),
            Wanted::Refresh => self.refresh_memory(session),
            Wanted::Add("") => {
                let text = "Error: /memory add needs the fact to remember";
                self.say(NoticeKind::Error, text.to_owned());
            }
            Wanted::Add(fact) => self.remember(session, fact),
            Wanted::Unknown => {
                let text = "Error: /memory knows show, list, refresh and add TEXT";
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
        let text = format!("Read again. {}", listed(self.assets.context()));
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

fn understand(arguments: &str) -> Wanted<'_> {
    let (word, rest) = arguments
        .split_once(char::is_whitespace)
        .unwrap_or((arguments, ""));
    match (word, rest.trim()) {
        ("" | "show", "") => Wanted::Show,
        ("list", "") => Wanted::List,
        ("refresh" | "reload", "") => Wanted::Refresh,
        ("add", fact) => Wanted::Add(fact),
        _ => Wanted::Unknown,
    }
}

fn listed(context: &Context) -> String {
    let mut text = match context.files.len() {
        0 => "No context files are loaded.".to_owned(),
        1 => "1 context file is loaded:".to_owned(),
        count => format!("{count} context files are loaded; the last one counts most:"),
    };
    // Writing to a string can't fail.
    for file in &context.files {
        let _ = write!(text, "\n  {}", file.path.display());
    }
    text + &left_out(context)
}

fn shown(context: &Context) -> String {
    if context.files.is_empty() {
        return listed(context);
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
    text + &left_out(context)
}

fn left_out(context: &Context) -> String {
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
            ("", Wanted::Show),
            ("show", Wanted::Show),
            ("list", Wanted::List),
            ("refresh", Wanted::Refresh),
            ("add  I like tea ", Wanted::Add("I like tea")),
            ("add", Wanted::Add("")),
            ("forget", Wanted::Unknown),
            ("list all", Wanted::Unknown),
        ] {
            assert_eq!(understand(arguments), wanted, "{arguments}");
        }
    }
}
