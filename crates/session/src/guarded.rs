//! Watches over the guards of an interactive session: changed hooks and settings are loaded again
//! before they count (TR-6), and nothing is sent while guards may be missing (ST-5).

use std::path::Path;
use std::sync::Arc;

use hookloop_engine::Hooks;
use hookloop_hook::Problem;
use hookloop_host::{Answerer, Stamps, Tainted};
use hookloop_settings::Strictness;
use hookloop_text::{Notice, NoticeKind};

use crate::build;
use crate::environment::Environment;
use crate::hook_words::problem_line;
use crate::news;
use crate::person;
use crate::watching::Holding;
use crate::workspace::Workspace;

/// What a person writes to continue without the files that can't be read, for this session.
const CONTINUE_WITHOUT: &str = "go on without them";

/// What guards a session, and what it was loaded from.
pub(crate) struct GuardedWorkspace {
    pub(crate) workspace: Workspace,
    /// The files that it was loaded from, as they were then (TR-6).
    pub(crate) stamps: Stamps,
    pub(crate) hooks: Hooks,
    /// What tool calls changed although guards depend on it (TR-8).
    pub(crate) tainted: Arc<Tainted>,
    /// What makes sure that hooks run only as they were loaded, including those loaded while the
    /// session runs.
    pub(crate) holding: Holding,
    pub(crate) strictness: Strictness,
    /// Whether the person continues although guards may be missing (ST-5).
    pub(crate) goes_on: bool,
}

impl GuardedWorkspace {
    /// Loads the hooks again if a file that they come from changed (TR-6), before any of them may
    /// run; returns what is different, or nothing if nothing changed.
    pub(crate) fn refresh(&mut self, environment: &Environment) -> Option<Vec<Notice>> {
        let now = Stamps::of(&self.workspace);
        if now == self.stamps {
            return None;
        }
        // Changes that a tool call made to settings have no effect in this session (TR-8), nor do
        // later changes by others: they can't be distinguished.
        if let Some(file) = now.tainted(&self.tainted) {
            self.stamps = now;
            let text = format!(
                "[WARNING] settings of hooks changed, but aren't loaded in this session, because a \
                 tool call changed {}; check it, and start a new session",
                file.display()
            );
            return Some(vec![Notice::new(NoticeKind::Warning, text)]);
        }
        Some(self.reload(environment))
    }

    /// Returns whether commands may be read again: what a tool call did to them takes no effect in
    /// this session (TR-8).
    pub(crate) fn reads_commands(&self) -> bool {
        let is_of_commands = |file: &Path| {
            file.iter()
                .any(|part| part == "commands" || part == "extensions")
        };
        self.tainted.changed(is_of_commands).is_none()
    }

    /// Loads the hooks again, through the same gate as at the start, and reports what is different
    /// now (TR-6). An event in flight keeps the hooks that it began with.
    pub(crate) fn reload(&mut self, environment: &Environment) -> Vec<Notice> {
        let before = Stamps::of(&self.workspace);
        let workspace = self.workspace.reopen();
        self.stamps = Stamps::of(&workspace).keeping(&before);
        // Settings that break during a session don't remove any guard: the last good state stays
        // (ST-5).
        let broken = workspace.start_refusals(Strictness::AsConfigured, environment);
        let was_whole = || {
            let before = &self.workspace;
            let refusals = before.start_refusals(Strictness::AsConfigured, environment);
            refusals.is_empty()
        };
        if !broken.is_empty() && was_whole() {
            let warnings = broken.iter().map(|problem| {
                let text = format!(
                    "[WARNING] {}; the previous hooks and settings stay in force",
                    problem_line(problem)
                );
                Notice::new(NoticeKind::Warning, text)
            });
            return warnings.collect();
        }
        let news = news::compare(&self.workspace, &workspace, environment);
        self.workspace = workspace;
        self.holding.take_up(&self.workspace);
        self.hooks.replace(build::registry(&self.workspace));
        news
    }

    /// Releases hooks that stay in force, if a person's prompt says so (TR-8); reports that it did,
    /// or that no person wrote it (TR-11).
    pub(crate) fn release_retained_hooks(
        &mut self,
        prompt: &str,
        environment: &Environment,
    ) -> Option<Notice> {
        if self.workspace.retained_hooks().is_empty() || prompt.trim() != news::LET_GO {
            return None;
        }
        if let Answerer::Agent(agent) = person::answerer(environment) {
            let text = format!("[WARNING] the hooks stay in force: {}", no_person(&agent));
            return Some(Notice::new(NoticeKind::Warning, text));
        }
        self.workspace.drop_retained_hooks();
        self.hooks.replace(build::registry(&self.workspace));
        let text = "The hooks and settings are now used as they are.";
        Some(Notice::new(NoticeKind::Info, text))
    }

    /// Returns why a prompt is held back, if guards may be missing (ST-5).
    pub(crate) fn hold_notices(
        &mut self,
        prompt: &str,
        environment: &Environment,
    ) -> Option<Vec<Notice>> {
        let refusals = self.workspace.start_refusals(self.strictness, environment);
        if self.goes_on || refusals.is_empty() {
            return None;
        }
        let answerer = person::answerer(environment);
        if prompt.trim() == CONTINUE_WITHOUT && answerer == Answerer::Person {
            self.goes_on = true;
            let text = "[WARNING] this session continues, but guards may be missing from it";
            return Some(vec![Notice::new(NoticeKind::Warning, text)]);
        }
        let lines = refusals
            .iter()
            .map(|problem| format!("[ERROR] {}", problem_line(problem)));
        let way_out = match answerer {
            Answerer::Person => {
                let words = CONTINUE_WITHOUT;
                format!("or write \"{words}\" to continue in this session")
            }
            Answerer::Agent(agent) => no_person(&agent),
        };
        let remedy = format!(
            "[ERROR] guards may be missing, so nothing is sent: fix this and send the prompt \
             again, {way_out}"
        );
        let all = lines.chain([remedy]);
        Some(all.map(|it| Notice::new(NoticeKind::Error, it)).collect())
    }
}

/// Returns why what was written doesn't count (TR-11).
fn no_person(agent: &str) -> String {
    format!(
        "an agent ({agent}) started this session, and nothing that it writes can dismiss a guard"
    )
}

/// Returns what keeps the agent from starting, each with its place and remedy (ST-5, ST-11).
pub(crate) fn refusal(problems: &[Problem]) -> String {
    let mut text = String::from("guards may be missing, so the agent doesn't start:");
    for problem in problems {
        text.push_str("\n  ");
        text.push_str(&problem_line(problem));
    }
    text
}
