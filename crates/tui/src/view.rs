//! What the screen shows, and what keys mean on it: a state without effects.

mod draw;
mod keyboard;
mod open;

use hookloop_text::{Notice, NoticeKind, visible_row};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use crate::activity::Activity;
use crate::attention::Attention;
use crate::completion::Completions;
use crate::dialog::Dialog;
use crate::help;
use crate::hook_messages::LastTurn;
use crate::input::Input;
use crate::link::HookNotifications;
use crate::markdown::MarkdownStream;
use crate::message::{FinishedTool, Message};
use crate::painter::Size;
use crate::past::InputHistory;
use crate::questionnaire::Questionnaire;
use crate::scrollback::{Extent, Scrollback};
use crate::slash::{self, CustomCommand, SlashCommand, Typed};
use crate::styled::{Hyperlinks, Line, Palette, Tone};
use crate::view::keyboard::PendingNumber;
use crate::view::open::Open;
use crate::wrap::wrap_all;

/// How a session is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Surface {
    /// What changes is painted again.
    #[default]
    Painted,
    /// Lines follow each other, and nothing is painted twice: for terminals that can't do more, and
    /// for screen readers (TU-5).
    Lines,
}

/// The configuration of the screen.
pub struct Setup {
    /// How the session is shown.
    pub surface: Surface,
    /// Whether text is coloured.
    pub palette: Palette,
    /// Whether the terminal is told which address a row is a part of.
    pub hyperlinks: Hyperlinks,
    /// Whether running hooks are named (ST-8).
    pub notifications: HookNotifications,
    /// What is below the input line.
    pub status: Status,
    /// What completes words.
    pub completions: Arc<dyn Completions>,
    /// What keeps what the user writes.
    pub history: Arc<dyn InputHistory>,
    /// What is called at once when Ctrl-C is pressed, on the thread that reads keys: the session's
    /// may hang (LO-4).
    pub interrupted: fn(),
}

/// What is below the input line.
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
    /// A command, with its arguments.
    Command(SlashCommand, String),
    /// A command of user, project or an extension, with its arguments (TU-5).
    Custom(String, String),
    /// To write in an editor, beginning with this text (TU-5).
    Edit(String),
    /// To leave.
    Leave(Leave),
}

/// How the user leaves; the reason of `SessionEnd` follows from it (SE-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leave {
    /// `/quit`, or Ctrl+C twice.
    Exit,
    /// Ctrl+D at the prompt.
    InputEnded,
    /// A signal, or the terminal is gone.
    Terminated,
}

/// What a key requires immediately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    /// End what runs (LO-4).
    Cancel,
    Leave(Leave),
    /// Draw everything again on an empty screen.
    ClearScreen,
    /// Let the shell continue until it calls the program back (TU-5).
    Suspend,
}

/// Whether something runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Idle,
    Busy {
        since: Instant,
    },
    /// It was cancelled and hasn't ended yet.
    Cancelling {
        since: Instant,
    },
}

/// The state of the screen.
pub(crate) struct View {
    pub(crate) surface: Surface,
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
    /// How long another Ctrl+C leaves, if the hint offers that.
    leaving_until: Instant,
    /// What the user submitted while something ran.
    waiting: VecDeque<String>,
    /// How many approval modes further the user wants.
    wanted_modes: usize,
    /// Whether the user wants to write in an editor.
    editor: Wanted,
    /// What hooks said since the last prompt (TU-6).
    last_turn: LastTurn,
    /// Who gets the keys while something is asked.
    attention: Attention,
    /// A number that may be a choice, or the beginning of a text, and when it was pressed.
    pending: Option<PendingNumber>,
    /// Whether what runs is a shell command that the user typed: all of its output is shown.
    runs_typed_command: bool,
}

/// Whether something is requested as soon as nothing runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Yes,
    No,
}

impl View {
    pub(crate) fn new(setup: Setup, size: Size) -> Self {
        Self {
            scrollback: Scrollback::new(size.columns, setup.palette),
            palette: setup.palette,
            surface: setup.surface,
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
            leaving_until: Instant::now(),
            waiting: VecDeque::new(),
            wanted_modes: 0,
            editor: Wanted::No,
            last_turn: LastTurn::default(),
            attention: Attention::default(),
            pending: None,
            runs_typed_command: false,
        }
    }

    pub(crate) fn set_status(&mut self, status: Status) {
        self.status = status;
    }

    /// Switches to other colours, for what is drawn from now on.
    pub(crate) const fn set_palette(&mut self, palette: Palette) {
        self.palette = palette;
        self.scrollback.set_palette(palette);
    }

    pub(crate) const fn resize(&mut self, size: Size) {
        self.size = size;
        self.scrollback.resize(size.columns);
    }

    /// Takes a prompt as if the user had typed it.
    pub(crate) fn submit(&mut self, text: String) {
        if self.surface == Surface::Lines {
            // The prompt hasn't been shown yet.
            self.scrollback.prompt(&text);
        }
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
        self.pending = None;
        self.dialogs.clear();
        if !matches!(self.phase, Phase::Cancelling { .. }) {
            self.hint = None;
        }
        // Otherwise it stays, so that pressing Ctrl+C twice leaves, however fast the turn ended
        // (LO-4).
        self.phase = Phase::Idle;
    }

    /// Records that what runs was cancelled.
    fn cancel(&mut self, now: Instant) -> Act {
        if let Phase::Busy { since } = self.phase {
            self.phase = Phase::Cancelling { since };
        }
        if self.is_ineffective_answer() || self.typed_consent().is_some() {
            // Text typed as an answer isn't a prompt (TU-3).
            self.input.clear();
        }
        for open in self.dialogs.drain(..) {
            if let Some(call) = open.call() {
                self.activity.answered(call, now);
            }
            open.decline();
        }
        self.take_waiting_back();
        Act::Cancel
    }

    /// Returns the waiting texts to the user, before the current draft: after a cancelled turn they
    /// may no longer be meant.
    fn take_waiting_back(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        let mut texts: Vec<String> = self.waiting.drain(..).collect();
        if self.surface == Surface::Lines {
            // There is no input line to put it into.
            let text = format!(
                "Not sent, since the turn was cancelled: {}",
                texts.join("\n")
            );
            self.say(&Notice::new(NoticeKind::Info, text));
            return;
        }
        if !self.input.is_empty() {
            texts.push(self.input.take());
        }
        self.input.put(texts.join("\n"));
    }

    /// Takes the next thing that the user wants, and shows it.
    pub(crate) fn next_intent(&mut self) -> Option<Intent> {
        if let Some(left) = self.wanted_modes.checked_sub(1) {
            self.wanted_modes = left;
            return Some(Intent::NextMode);
        }
        if self.editor == Wanted::Yes {
            self.editor = Wanted::No;
            return Some(Intent::Edit(self.input.take()));
        }
        while let Some(text) = self.waiting.pop_front() {
            if self.surface == Surface::Painted {
                self.scrollback.prompt(&text);
            }
            let known = self.completions.commands();
            let intent = match slash::understand(&text, &known) {
                Typed::Prompt(text) => Intent::Prompt(text),
                Typed::Shell(command) => Intent::Shell(command),
                Typed::Custom(name, arguments) => Intent::Custom(name, arguments),
                Typed::Command(SlashCommand::Help, _) => {
                    self.show_help(&known);
                    continue;
                }
                Typed::Command(SlashCommand::Last, _) => {
                    self.show_last_turn();
                    continue;
                }
                Typed::Command(SlashCommand::Quit, _) => Intent::Leave(Leave::Exit),
                Typed::Command(SlashCommand::Editor, text) => Intent::Edit(text),
                Typed::Command(command, arguments) => Intent::Command(command, arguments),
                Typed::Unknown(name) => {
                    self.show_unknown(&name, &known);
                    continue;
                }
            };
            self.runs_typed_command = matches!(intent, Intent::Shell(_));
            if matches!(
                intent,
                Intent::Prompt(_) | Intent::Shell(_) | Intent::Custom(..)
            ) {
                self.last_turn.begin();
            }
            return Some(intent);
        }
        None
    }

    /// Puts a text into the input line, as if it had been typed there.
    pub(crate) fn put_draft(&mut self, text: String) {
        self.attention.spoil_word();
        self.input.put(text);
    }

    /// Records that the question, if there is one, was drawn (TU-3).
    pub(crate) fn drawn(&mut self, now: Instant) {
        if !self.dialogs.is_empty() {
            self.attention.show(now);
        }
    }

    /// Returns the number of the question, while it isn't known to be on the screen (TU-3).
    pub(crate) fn unseen_question(&self) -> Option<usize> {
        let question = self.attention.unseen_question();
        question.filter(|_| !self.dialogs.is_empty())
    }

    /// Records that another program used the screen: the question has to be read again (TU-3).
    pub(crate) const fn mark_covered(&mut self) {
        self.attention.hide();
        self.pending = None;
    }

    /// Shows what hooks said since the last prompt (TU-6).
    fn show_last_turn(&mut self) {
        let lines = wrap_all(&self.last_turn.lines(), self.size.columns, 6);
        self.scrollback.block(lines);
    }

    fn show_help(&mut self, known: &[CustomCommand]) {
        let text = help::text(known);
        self.scrollback
            .notice(&Notice::new(NoticeKind::Answer, text));
    }

    fn show_unknown(&mut self, name: &str, known: &[CustomCommand]) {
        let own = known.iter().map(|it| it.name.as_str());
        let names: Vec<&str> = slash::ALL.iter().map(|it| it.name()).chain(own).collect();
        let near = hookloop_settings::nearest(name, names.iter().copied());
        let remedy = match (slash::elsewhere::replacement(name), near) {
            (Some(instead), _) => instead.to_owned(),
            (None, Some(near)) => format!("did you mean /{near}?"),
            (None, None) => "/help lists the commands".to_owned(),
        };
        let text = format!("There is no command /{name}; {remedy}");
        self.scrollback
            .notice(&Notice::new(NoticeKind::Error, text));
    }

    /// Records what happened in the session.
    pub(crate) fn take(&mut self, message: Message, now: Instant) -> Option<Act> {
        match message {
            Message::ModelText(text) => {
                for block in self.stream.push(&text) {
                    self.scrollback.markdown_block(&block);
                }
            }
            Message::ResponseEnded => self.settle_stream(),
            Message::ToolRequested(call) => {
                self.settle_stream();
                if self.surface == Surface::Lines {
                    let text = format!(
                        "Calls {}{}",
                        visible_row(&call.tool),
                        call.summary.within(usize::MAX)
                    );
                    self.scrollback.block(vec![Line::plain(text.trim_end())]);
                }
                self.activity.tool_requested(call, now);
            }
            Message::ToolProgress { call_id, text } => self.activity.tool_progress(&call_id, &text),
            Message::ToolFinished(tool) => self.finish_tool(&tool, now),
            Message::HookStarted(hook) => self.activity.hook_started(hook),
            Message::HookFinished(key) => self.activity.hook_finished(&key),
            Message::HooksSaid(runs) => self.last_turn.add(runs),
            Message::Said(notice) => self.say(&notice),
            Message::Asked(question, answer) => {
                let dialog = Dialog::new(*question, self.palette);
                self.ask(Open::Call(dialog, answer));
            }
            Message::Questioned(questions, answer) => {
                self.ask(Open::Questions(Questionnaire::new(questions), answer));
            }
            Message::Interrupted => {
                let hinted = self.is_leaving(now);
                self.hint = None;
                let act = self.interrupt(hinted, now);
                if let (Surface::Lines, Some(hint)) = (self.surface, self.hint) {
                    self.say(&Notice::new(NoticeKind::Info, hint));
                }
                return act;
            }
            Message::Terminated => return Some(Act::Leave(Leave::Terminated)),
        }
        None
    }

    /// Shows a notice.
    pub(crate) fn say(&mut self, notice: &Notice) {
        // A hook's message must not split a paragraph of the model's text.
        if notice.kind != NoticeKind::Hook {
            self.settle_stream();
        }
        self.scrollback.notice(notice);
    }

    fn settle_stream(&mut self) {
        for block in self.stream.finish() {
            self.scrollback.markdown_block(&block);
        }
    }

    fn finish_tool(&mut self, tool: &FinishedTool, now: Instant) {
        let (duration, tail) = match self.activity.tool_finished(&tool.call.id) {
            Some((since, tail)) => (Some(now.duration_since(since)), tail),
            None => (None, String::new()),
        };
        let extent = if self.runs_typed_command {
            Extent::Whole
        } else {
            Extent::Folded
        };
        // A cancelled call will produce no more output than it has shown.
        let shown = if tool.was_cut_short { &tail } else { "" };
        let refuser = tool
            .error
            .as_deref()
            .and_then(|it| self.last_turn.refused_by(it));
        self.scrollback.tool(tool, shown, duration, extent);
        if let Some(hook) = refuser {
            let text = format!("  refused by the hook \"{}\"", visible_row(hook));
            let line = Line::new(text, Tone::Faint);
            self.scrollback
                .below(wrap_all(&[line], self.size.columns, 2));
        }
    }

    fn ask(&mut self, open: Open) {
        if matches!(self.phase, Phase::Cancelling { .. }) {
            // A cancelled call no longer needs consent, and gets none.
            open.decline();
            return;
        }
        self.settle_stream();
        if let Some(whole) = open.whole(self.size) {
            self.scrollback.block(whole);
        }
        if self.dialogs.is_empty() {
            self.attention.ask();
            self.pending = None;
        }
        self.dialogs.push_back(open);
    }
}

#[cfg(test)]
mod snapshots;
#[cfg(test)]
mod tests;
