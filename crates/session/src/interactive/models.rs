//! What `/model` does: uses another model from the next request on (TU-2).

use std::collections::BTreeSet;

use hookloop_agent::Session;
use hookloop_settings::AgentSettings;
use hookloop_tui::{Chooser, ChooserIntent, ChooserItem, Leave, NoticeKind, WatchResult};
use tokio_util::sync::CancellationToken;

use crate::interactive::Conversation;

impl Conversation<'_> {
    /// Asks the model that is named, or lets the user choose one.
    pub(super) async fn model(&mut self, session: &mut Session, name: &str) -> Option<Leave> {
        if name.contains(char::is_whitespace) {
            let text = "Error: the name of a model is one word".to_owned();
            self.say(NoticeKind::Error, text);
            return None;
        }
        if !name.is_empty() {
            self.ask_model(session, name);
            return None;
        }
        let cancel = CancellationToken::new();
        let listing = session.models(cancel.clone());
        let offered = match self.ui.watch(listing, &cancel).await {
            WatchResult::Left(leave) => return Some(leave),
            WatchResult::Done(_) if cancel.is_cancelled() => return None,
            WatchResult::Done(Ok(offered)) => offered,
            WatchResult::Done(Err(error)) => {
                let text = format!("[WARNING] the models of the service can't be listed: {error}");
                self.say(NoticeKind::Warning, text);
                Vec::new()
            }
        };
        let settings = &self.guarded.workspace.settings.agent;
        let names = choices(session.model(), settings, offered);
        if names.len() == 1 {
            let text = format!(
                "Model: {}\nNo other model is known; /model NAME switches to the model of that \
                 name.",
                session.model()
            );
            self.say(NoticeKind::Answer, text);
            return None;
        }
        let items = names.into_iter().map(|name| {
            let served = settings.models.profile(&name).model;
            item(name, session.model(), served)
        });
        let mut chooser = Chooser::new("Models", items.collect());
        match self.ui.choose(&mut chooser).await {
            ChooserIntent::Leave(leave) => return Some(leave),
            ChooserIntent::Close => {}
            ChooserIntent::Choose(name) => self.ask_model(session, &name),
        }
        None
    }

    fn ask_model(&mut self, session: &mut Session, name: &str) {
        session.ask_model(name);
        name.clone_into(&mut self.status.model);
        self.ui.set_status(self.status.clone());
        let profile = self.guarded.workspace.settings.agent.models.profile(name);
        let stands_for = (profile.model != name).then(|| format!(" = {}", profile.model));
        let text = format!("Model: {name}{}", stands_for.unwrap_or_default());
        self.say(NoticeKind::Answer, text);
    }
}

/// Returns the models to choose from: the present one, those of the settings, and those of the
/// service.
fn choices(present: &str, settings: &AgentSettings, offered: Vec<String>) -> Vec<String> {
    let usual = settings.model_name.iter().map(|it| it.value.clone());
    let priced = settings.prices.iter().map(|(name, _)| name.clone());
    let set = settings.models.names().map(str::to_owned);
    let offered: BTreeSet<String> = offered.into_iter().collect();
    let mut names = vec![present.to_owned()];
    for name in usual.chain(set).chain(priced).chain(offered) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn item(name: String, present: &str, served: String) -> ChooserItem {
    let mut title = name.clone();
    // An alias says what it stands for.
    if name != served {
        title = format!("{title} = {served}");
    }
    if name == present {
        title.push_str(" (current)");
    }
    ChooserItem {
        note: String::new(),
        title,
        hidden: served,
        id: name,
    }
}

#[cfg(test)]
mod tests {
    use hookloop_settings::Provided;

    use super::*;

    /// TU-2: the current model comes first, then those of the settings and the service's, each
    /// once.
    #[test]
    fn models_are_listed_once() {
        let settings = AgentSettings {
            model_name: Some(Provided::default_of("usual".to_owned())),
            ..AgentSettings::default()
        };
        let offered = ["z", "usual", "a", "now"].map(str::to_owned);
        let names = choices("now", &settings, offered.into());
        assert_eq!(names, ["now", "usual", "a", "z"]);
    }
}
