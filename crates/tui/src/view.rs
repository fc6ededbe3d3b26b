//! What the screen shows, and what keys mean on it: a state without effects.

mod draw;
mod keyboard;
mod open;

use hookloop_text::{Notice, NoticeKind};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use crate::activity::Activity;
use crate::completion::Completions;
use crate::dialog::Dialog;
use crate::input::Input;
use crate::link::HookNotifications;
use crate::markdown::MarkdownStream;
use crate::message::{FinishedTool, Message};
use crate::painter::Size;
use crate::past::InputHistory;
use crate::questionnaire::Questionnaire;
use crate::scrollback::Scrollback;
use crate::slash::{self, SlashCommand, Typed};
use crate::styled::Palette;
use crate::view::open::Open;

/// What the screen is told before it opens.
pub struct Setup {
    /// Whether text is coloured.
    pub palette: Palette,
    /// Whether running hooks are named (ST-8).
    pub notifications: HookNotifications,
    /// What stands below the input line.
    pub status: Status,
    /// What completes words.
    pub completions: Arc<dyn Completions>,
    /// What keeps what the user writes.
    pub history: Arc<dyn InputHistory>,
}

/// What stands below the input line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    /// The folder that the session works in.
    pub folder: String,
    /// The model's name.
    pub model: String,
    /// The approval mode.
    pub approval_mode: String,
    /// How many hooks may run.
    pub hooks: usize,
}

/// What the user wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    /// A turn for this prompt.
    Prompt(String),
    /// A command for the shell (TU-5).
    Shell(String),
    /// The next approval mode (TU-5).
    NextMode,
    /// A command, with what was written behind it.
    Command(SlashCommand, String),
    /// To leave.
    Leave(Leave),
}

/// How the user leaves; the reason of `SessionEnd` follows from it (SE-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leave {
    /// `/quit`, or Ctrl-C twice.
    Exit,
    /// Ctrl-D at the prompt.
    InputEnded,
    /// A signal, or the terminal is gone.
    Terminated,
}

/// What a key demands at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    /// End what runs (LO-4).
    Cancel,
    Leave(Leave),
    /// Draw everything anew on an empty screen.
    ClearScreen,
}

/// Whether something runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Idle,
    Busy {
        since: Instant,
    },
    /// It was cancelled and has not ended yet.
    Cancelling {
        since: Instant,
    },
}

/// The state of the screen.
pub(crate) struct View {
    palette: Palette,
    status: Status,
    completions: Arc<dyn Completions>,
    history: Arc<dyn InputHistory>,
    size: Size,
    pub(crate) scrollback: Scrollback,
    stream: MarkdownStream,
    activity: Activity,
    dialogs: VecDeque<Open>,
    input: Input,
    phase: Phase,
    /// What the next key may do, if that is worth saying.
    hint: Option<&'static str>,
    /// What the user submitted while something ran.
    waiting: VecDeque<String>,
    /// How many approval modes further the user wants.
    wanted_modes: usize,
}

impl View {
    pub(crate) fn new(setup: Setup, size: Size) -> Self {
        Self {
            scrollback: Scrollback::new(size.columns, setup.palette),
            palette: setup.palette,
            status: setup.status,
            completions: setup.completions,
            size,
            stream: MarkdownStream::default(),
            activity: Activity::default(),
            dialogs: VecDeque::new(),
            input: Input::with_history(setup.history.entries()),
            history: setup.history,
            phase: Phase::Idle,
            hint: None,
            waiting: VecDeque::new(),
            wanted_modes: 0,
        }
    }

    pub(crate) fn set_status(&mut self, status: Status) {
        self.status = status;
    }

    pub(crate) const fn resize(&mut self, size: Size) {
        self.size = size;
        self.scrollback.resize(size.columns);
    }

    /// Takes a prompt as if the user had typed it.
    pub(crate) fn submit(&mut self, text: String) {
        self.waiting.push_back(text);
    }

    /// Begins something that takes time.
    pub(crate) fn begin_work(&mut self, now: Instant) {
        self.phase = Phase::Busy { since: now };
        self.hint = None;
    }

    /// Ends it: nothing of it stays on the screen.
    pub(crate) fn end_work(&mut self) {
        self.settle_stream();
        self.activity.clear();
        self.dialogs.clear();
        if !matches!(self.phase, Phase::Cancelling { .. }) {
            self.hint = None;
        }
        // Else it stays: whoever presses Ctrl-C twice leaves, however fast the turn ended (LO-4).
        self.phase = Phase::Idle;
    }

    /// Takes note that what runs was cancelled.
    fn cancel(&mut self) -> Act {
        if let Phase::Busy { since } = self.phase {
            self.phase = Phase::Cancelling { since };
        }
        self.dialogs.drain(..).for_each(Open::decline);
        self.take_waiting_back();
        Act::Cancel
    }

    /// Gives the user back what waits: after a cancelled turn it may no longer be meant.
    fn take_waiting_back(&mut self) {
        if !self.waiting.is_empty() && self.input.is_empty() {
            let texts: Vec<String> = self.waiting.drain(..).collect();
            self.input.put(texts.join("\n"));
        }
    }

    /// Takes the next thing that the user wants, and shows it.
    pub(crate) fn next_intent(&mut self) -> Option<Intent> {
        if let Some(left) = self.wanted_modes.checked_sub(1) {
            self.wanted_modes = left;
            return Some(Intent::NextMode);
        }
        while let Some(text) = self.waiting.pop_front() {
            self.scrollback.prompt(&text);
            match slash::understand(&text) {
                Typed::Prompt(text) => return Some(Intent::Prompt(text)),
                Typed::Shell(command) => return Some(Intent::Shell(command)),
                Typed::Command(SlashCommand::Help, _) => self.show_help(),
                Typed::Command(SlashCommand::Quit, _) => return Some(Intent::Leave(Leave::Exit)),
                Typed::Command(command, arguments) => {
                    return Some(Intent::Command(command, arguments));
                }
                Typed::Unknown(name) => self.show_unknown(&name),
            }
        }
        None
    }

    fn show_help(&mut self) {
        let commands = slash::ALL.iter().map(|command| {
            let name = format!("/{}", command.name());
            format!("{name:<12} {}\n", command.description())
        });
        let keys = "\nEnter sends, Shift+Enter, Alt+Enter or \\ Enter begins a new line.\n\
            !COMMAND runs a shell command, @PATH brings a file, ? shows this.\n\
            Tab completes, Shift+Tab changes the approval mode, Ctrl+R searches what was written.\n\
            Ctrl+L clears the screen. Esc cancels what runs. Ctrl+C twice or Ctrl+D leaves.";
        let text = commands.collect::<String>() + keys;
        self.scrollback
            .notice(&Notice::new(NoticeKind::Answer, text));
    }

    fn show_unknown(&mut self, name: &str) {
        let names: Vec<&str> = slash::ALL.iter().map(|it| it.name()).collect();
        let near = hookloop_settings::nearest(name, names.iter().copied());
        let remedy = match near {
            Some(near) => format!("did you mean /{near}?"),
            None => "/help lists the commands".to_owned(),
        };
        let text = format!("There is no command /{name}; {remedy}");
        self.scrollback
            .notice(&Notice::new(NoticeKind::Error, text));
    }

    /// Takes note of what happened in the session.
    pub(crate) fn take(&mut self, message: Message, now: Instant) -> Option<Act> {
        match message {
            Message::ModelText(text) => {
                if let Some(settled) = self.stream.push(&text) {
                    self.scrollback.markdown(&settled);
                }
            }
            Message::ResponseEnded => self.settle_stream(),
            Message::ToolRequested(call) => {
                self.settle_stream();
                self.activity.tool_requested(call, now);
            }
            Message::ToolProgress { call_id, text } => self.activity.tool_progress(&call_id, &text),
            Message::ToolFinished(tool) => self.finish_tool(&tool, now),
            Message::HookStarted(hook) => self.activity.hook_started(hook),
            Message::HookFinished(key) => self.activity.hook_finished(&key),
            Message::Said(notice) => self.say(&notice),
            Message::Asked(question, answer) => {
                self.ask(Open::Call(Dialog::new(*question), answer));
            }
            Message::Questioned(questions, answer) => {
                self.ask(Open::Questions(Questionnaire::new(questions), answer));
            }
            Message::Terminated => return Some(Act::Leave(Leave::Terminated)),
        }
        None
    }

    /// Shows a notice.
    pub(crate) fn say(&mut self, notice: &Notice) {
        // A hook's message while the model speaks must not tear a paragraph apart.
        if notice.kind != NoticeKind::Hook {
            self.settle_stream();
        }
        self.scrollback.notice(notice);
    }

    fn settle_stream(&mut self) {
        if let Some(text) = self.stream.finish() {
            self.scrollback.markdown(&text);
        }
    }

    fn finish_tool(&mut self, tool: &FinishedTool, now: Instant) {
        let since = self.activity.tool_finished(&tool.call.id);
        let duration = since.map(|since| now.duration_since(since));
        self.scrollback.tool(tool, duration);
    }

    fn ask(&mut self, open: Open) {
        if matches!(self.phase, Phase::Cancelling { .. }) {
            // What was cancelled needs no consent any more, and gets none.
            open.decline();
            return;
        }
        self.settle_stream();
        if let Some(whole) = open.whole(self.size) {
            self.scrollback.block(whole);
        }
        self.dialogs.push_back(open);
    }
}

#[cfg(test)]
mod tests;
