//! Carries out the user's actions: turns, and slash commands (TU-2).

use std::sync::Arc;

use hookloop_agent::Session;
use hookloop_tools::References;
use hookloop_tui::{Leave, Link, Notice, NoticeKind, SlashCommand, Surface, WatchResult};
use tokio_util::sync::CancellationToken;

use crate::custom_commands::{CustomCommand, Unsent, expand};
use crate::interactive::commands::{self, Running};
use crate::interactive::{Conversation, extensions, stats};
use crate::mcp::{McpLogin, McpPrompt};
use crate::stage::Stage as _;

/// Reports which files are attached to a prompt, and which aren't.
fn report_references(references: &References, link: &Link) {
    for left_out in &references.left_out {
        link.report(left_out);
    }
    if !references.included.is_empty() {
        let text = format!("With the content of {}", references.included.join(", "));
        link.say(Notice::new(NoticeKind::Info, text));
    }
}

/// What makes a prompt from what was typed after a slash.
enum Maker {
    Command(CustomCommand),
    Prompt(McpPrompt),
}

impl Conversation<'_> {
    /// Finds what a name after a slash means: commands take precedence over prompts of servers.
    fn maker(&self, name: &str) -> Option<Maker> {
        if let Some(command) = self.custom.by_name(name) {
            return Some(Maker::Command(command.clone()));
        }
        let is_taken = |name: &str| self.custom.has_taken(name);
        self.mcp.prompt(name, &is_taken).map(Maker::Prompt)
    }

    /// Runs a turn, with the files that the prompt refers to.
    pub(super) async fn turn(&mut self, session: &mut Session, prompt: &str) -> Option<Leave> {
        self.refresh();
        if self.releases_hooks(prompt) || self.is_held(prompt) {
            return None;
        }
        self.checkpoints.begin(prompt, session.history());
        let cancel = CancellationToken::new();
        let files = Arc::clone(&self.files);
        let link = Arc::clone(self.ui.link());
        let turn = async {
            let references = References::read(files, prompt, &cancel).await;
            report_references(&references, &link);
            session
                .prompt_with(prompt, references, cancel.clone())
                .await
        };
        let left = self.ui.watch(turn, &cancel).await.leave_reason();
        // Plan mode's tools may have changed the mode.
        self.show_mode(session);
        left
    }

    /// Runs a turn for a command of user, project or an extension (TU-5), or for a prompt of an MCP
    /// server (TO-3).
    pub(super) async fn custom(
        &mut self,
        session: &mut Session,
        name: &str,
        arguments: &str,
    ) -> Option<Leave> {
        self.refresh();
        if self.guarded.reads_commands() {
            self.find_commands();
        }
        let Some(maker) = self.maker(name) else {
            let text = format!("Error: the command /{name} no longer exists");
            self.say(NoticeKind::Error, text);
            return None;
        };
        if self.is_held(&format!("/{name} {arguments}")) {
            return None;
        }
        let typed = format!("/{name} {arguments}");
        self.checkpoints.begin(typed.trim(), session.history());
        let cancel = CancellationToken::new();
        let files = Arc::clone(&self.files);
        let link = Arc::clone(self.ui.link());
        let mcp = self.mcp.clone();
        // Boxed: the future of a command is too large for the caller's stack.
        let turn = Box::pin(async {
            let made = match &maker {
                Maker::Command(command) => expand(session, command, arguments, &cancel).await,
                Maker::Prompt(prompt) => mcp.expand(prompt, arguments, &cancel).await,
            };
            let expanded = match made {
                Ok(expanded) => expanded,
                Err(Unsent::Refused(why)) => {
                    let text = format!("Error: {why}");
                    link.say(Notice::new(NoticeKind::Error, text));
                    return;
                }
                Err(Unsent::Ended(_)) => return,
            };
            let references = References::read(files, &expanded.typed, &cancel).await;
            report_references(&references, &link);
            session
                .prompt_with(&expanded.prompt, references, cancel.clone())
                .await;
        });
        let left = self.ui.watch(turn, &cancel).await.leave_reason();
        self.show_mode(session);
        left
    }

    /// Runs a turn that a hook began, with what the hook said (FD-22). None of it counts as a
    /// person's word.
    pub(super) async fn turn_of_hook(
        &mut self,
        session: &mut Session,
        prompt: &str,
    ) -> Option<Leave> {
        self.refresh();
        // Whatever this text is, no person typed it.
        if self.is_held("") {
            let text = format!("[WARNING] a hook wanted to start a turn, but couldn't: {prompt}");
            self.say(NoticeKind::Warning, text);
            return None;
        }
        let cancel = CancellationToken::new();
        let turn = session.prompt_of_hook(prompt, cancel.clone());
        let left = self.ui.watch(turn, &cancel).await.leave_reason();
        self.show_mode(session);
        left
    }

    /// Runs a shell command that the user typed (TU-5).
    pub(super) async fn shell(&mut self, session: &mut Session, command: &str) -> Option<Leave> {
        self.refresh();
        if self.is_held(command) {
            return None;
        }
        let prompt = format!("!{command}");
        self.checkpoints.begin(&prompt, session.history());
        let cancel = CancellationToken::new();
        let running = session.shell(command, cancel.clone());
        self.ui.watch(running, &cancel).await.leave_reason()
    }

    /// Changes the approval mode to the next one (TU-5).
    pub(super) fn change_mode(&mut self, session: &mut Session) {
        session.set_approval_mode(session.approval_mode().next());
        self.show_mode(session);
    }

    fn show_mode(&mut self, session: &Session) {
        self.status.approval_mode = session.approval_mode().to_string();
        self.ui.set_status(self.status.clone());
    }

    pub(super) async fn carry_out(
        &mut self,
        session: &mut Session,
        command: SlashCommand,
        arguments: &str,
    ) -> Option<Leave> {
        let cancel = CancellationToken::new();
        match command {
            SlashCommand::Clear => {
                self.refresh();
                return self.clear(session).await;
            }
            SlashCommand::Compress => {
                self.refresh();
                let compressing = session.compress(cancel.clone());
                return self.ui.watch(compressing, &cancel).await.leave_reason();
            }
            SlashCommand::Hooks if commands::is_panel(arguments) => {
                return match self.ui.surface() {
                    Surface::Painted => self.panel().await,
                    Surface::Lines => self.manage_hooks("list").await,
                };
            }
            SlashCommand::Hooks => return self.manage_hooks(arguments).await,
            SlashCommand::Stats => {
                let settings = &self.guarded.workspace.settings.agent;
                let text =
                    stats::text(&session.stats(), settings) + "\n" + &self.hook_counts.text();
                self.say(NoticeKind::Answer, text);
            }
            SlashCommand::Tools => {
                self.say(NoticeKind::Answer, commands::tool_list(session.tools()));
            }
            SlashCommand::Model => return self.model(session, arguments).await,
            SlashCommand::Quit => return Some(Leave::Exit),
            // The screen handles these itself.
            SlashCommand::Help | SlashCommand::Last => {}
            SlashCommand::Editor => self.edit(arguments).await,
            SlashCommand::Rewind => return self.rewind(session).await,
            SlashCommand::Extensions if !matches!(arguments, "" | "list") => {
                let text = "Error: /extensions has only `list`".to_owned();
                self.say(NoticeKind::Error, text);
            }
            SlashCommand::Mcp => return self.servers(arguments).await,
            SlashCommand::Extensions => {
                let text = extensions::text(&self.guarded.workspace, self.place.run);
                self.say(NoticeKind::Answer, text);
            }
            SlashCommand::Memory => self.memory(session, arguments),
            SlashCommand::Resume => return self.resume(session, arguments).await,
        }
        None
    }

    /// Lists MCP servers, or logs in at one of them (TO-3).
    async fn servers(&mut self, arguments: &str) -> Option<Leave> {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        let (name, wish) = match words.as_slice() {
            [] | ["list"] => {
                let text = self.mcp.listing(&|name| self.custom.has_taken(name));
                self.say(NoticeKind::Answer, text);
                return None;
            }
            ["auth", name, "--forget"] => (*name, McpLogin::Forget),
            ["auth", name] => (*name, McpLogin::Begin),
            _ => {
                let text = "Error: /mcp has only list, auth NAME and auth NAME --forget".to_owned();
                self.say(NoticeKind::Error, text);
                return None;
            }
        };
        let cancel = CancellationToken::new();
        let link = Arc::clone(self.ui.link());
        let mcp = self.mcp.clone();
        let show = |line: &str| link.say(Notice::new(NoticeKind::Info, line));
        // Boxed: the future of a login is too large for the caller's stack.
        let working = Box::pin(cancel.run_until_cancelled(mcp.log_in(name, wish, &show)));
        match self.ui.watch(working, &cancel).await {
            WatchResult::Left(leave) => return Some(leave),
            WatchResult::Done(None) => {
                let text = "Nothing was authorised: cancelled.".to_owned();
                self.say(NoticeKind::Info, text);
            }
            WatchResult::Done(Some(Ok(said))) => self.say(NoticeKind::Answer, said),
            WatchResult::Done(Some(Err(why))) => {
                self.say(NoticeKind::Error, format!("Error: {why}"));
            }
        }
        None
    }

    /// Ends the session and starts another one on an empty screen (SE-11, SS-3).
    async fn clear(&mut self, session: &mut Session) -> Option<Leave> {
        let another = self.begin_another(None).await?;
        let root = &self.guarded.workspace.project_root;
        let clearing = session.clear(another.hooks, another.transcript, root);
        let worked = self.ui.watch(clearing, &another.cancel).await;
        self.say(NoticeKind::Info, "A new session has started.".to_owned());
        worked.leave_reason()
    }

    /// Runs a command for hooks as on the command line, and takes over what it changed, through the
    /// same gate as at the start (TR-6).
    async fn manage_hooks(&mut self, arguments: &str) -> Option<Leave> {
        let cancel = CancellationToken::new();
        let mut running = Running::begin(commands::split_words(arguments), self.place);
        let notices = match self.ui.watch(running.end(&cancel), &cancel).await {
            WatchResult::Left(leave) => {
                self.ui.finish(running.leave()).await;
                return Some(leave);
            }
            WatchResult::Done(notices) => notices,
        };
        for notice in notices {
            self.ui.say(&notice);
        }
        self.reload();
        None
    }
}
