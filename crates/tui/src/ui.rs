//! The screen at work: it waits for keys and events, and draws.

mod chooser;
mod front;
mod panel;
mod settling;
mod sparing;

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::Event;
use hookloop_text::{Notice, NoticeKind};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio_util::sync::CancellationToken;

use crate::attention::KeyHandling;
use crate::lines::Awaited;
use crate::link::Link;
use crate::message::Message;
use crate::outlet::Arrival;
use crate::pace::Backlog;
use crate::painter::{Live, Size};
use crate::recalled::Recalled;
use crate::terminal::{self, Continued};
use crate::trust::{self, TrustAnswer, TrustItem, TrustPrompt, TrustView};
use crate::ui::front::{Front, Next};
use crate::ui::settling::Before;
use crate::ui::sparing::Sparing;
use crate::view::{Act, Intent, Leave, Setup, Status, Surface, View};
use crate::welcome::Welcome;

/// The minimum time between two frames.
const FRAME: Duration = Duration::from_millis(16);
/// The time between two frames while something runs.
const TICK: Duration = Duration::from_millis(100);
/// The time between two frames while nothing happens.
const REST: Duration = Duration::from_hours(1);
/// How long after the terminal was retaken the shell's signal refers to that.
const JUST_NOW: Duration = Duration::from_secs(1);
/// How long there may be no output, if nothing is painted, before it is reported that something
/// runs.
const SILENCE: Duration = Duration::from_secs(10);

/// Since when there was no output, if nothing is painted, and how long that may last.
struct Silence {
    since: Instant,
    patience: Duration,
}

/// The terminal session's screen.
pub struct Ui {
    view: View,
    front: Front,
    continued: Continued,
    messages: UnboundedReceiver<Message>,
    painted: Option<Instant>,
    sparing: Sparing,
    /// Knows when what was drawn has arrived at the terminal.
    arrival: Arrival,
    /// Whether something had to be drawn while the last frame was on its way.
    is_behind: bool,
    /// The question that was drawn and hasn't arrived at the terminal yet.
    handed: Option<usize>,
    /// What is known about the terminal for which finished lines wait.
    backlog: Backlog,
    leave: Option<Leave>,
    input: Input,
    /// When the terminal was last retaken.
    returned: Option<Instant>,
    /// How many bytes the terminal had taken when it was waited for in vain.
    stuck_at: Option<u64>,
    /// Whether a signal has cancelled what runs.
    wants_cancel: bool,
    /// Keeps the channel open, whoever else drops the link.
    link: Arc<Link>,
}

/// How something that the user could watch ended.
#[derive(Debug)]
pub enum WatchResult<T> {
    /// It came to its end.
    Done(T),
    /// The user left before, and it was dropped.
    Left(Leave),
}

impl<T> WatchResult<T> {
    /// Returns how the user left, if so.
    pub fn leave_reason(self) -> Option<Leave> {
        match self {
            Self::Done(_) => None,
            Self::Left(leave) => Some(leave),
        }
    }
}

/// Whether the user can still type, if nothing is painted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    Open,
    Ended,
}

/// What woke the screen.
enum WakeCause {
    Event(Option<Event>),
    /// A line, if nothing is painted.
    Line(Option<String>),
    Message(Option<Message>),
    Time,
}

impl Ui {
    /// Takes the terminal over.
    pub fn open(setup: Setup) -> io::Result<Self> {
        let (sender, messages) = unbounded_channel();
        let link = Arc::new(Link::new(sender, setup.notifications));
        let front = Front::open(&setup)?;
        let size = front.size();
        Ok(Self {
            arrival: front.arrival(),
            is_behind: false,
            handed: None,
            backlog: Backlog::default(),
            front,
            view: View::new(setup, size),
            continued: Continued::listen(),
            messages,
            painted: None,
            sparing: Sparing::default(),
            leave: None,
            input: Input::Open,
            returned: None,
            stuck_at: None,
            wants_cancel: false,
            link,
        })
    }

    /// Returns how the session is shown.
    pub const fn surface(&self) -> Surface {
        self.view.surface
    }

    /// Puts a text into the input line, as if it had been typed there.
    pub fn put_draft(&mut self, text: String) {
        self.view.put_draft(text);
    }

    /// Lets another program use the terminal, and retakes it (TU-5). A signal that ends the session
    /// drops the other program; then there is no result.
    pub async fn lend<T>(&mut self, run: impl Future<Output = T>) -> Option<T> {
        self.flush().await;
        if self.leave.is_some() {
            return None;
        }
        self.front.release();
        let mut run = Box::pin(run);
        let ran = loop {
            let message = tokio::select! {
                biased;
                ran = &mut run => break Some(ran),
                message = self.messages.recv() => message,
            };
            match message {
                // Ctrl+C is the other program's as long as it has the terminal.
                None | Some(Message::Interrupted) => {}
                Some(message) => self.take(message),
            }
            if self.leave.is_some() {
                break None;
            }
        };
        drop(run);
        self.come_back();
        ran
    }

    /// Lets the shell continue until it calls the program back.
    async fn suspend(&mut self) {
        self.flush().await;
        if self.leave.is_some() {
            return;
        }
        self.front.release();
        terminal::stop();
        self.come_back();
    }

    /// Draws everything again, for the terminal's current size.
    fn come_back(&mut self) {
        self.returned = Some(Instant::now());
        self.handed = None;
        self.view.mark_covered();
        if let Some(size) = self.front.come_back() {
            self.view.resize(size);
        }
    }

    const fn size(&self) -> Size {
        self.front.size()
    }

    /// Returns the port for the agent and the engine.
    pub fn link(&self) -> &Arc<Link> {
        &self.link
    }

    /// Changes what is below the input line.
    pub fn set_status(&mut self, status: Status) {
        self.view.set_status(status);
    }

    /// Shows what a session begins with (TU-1).
    pub fn welcome(&mut self, welcome: &Welcome) {
        self.view.scrollback.welcome(welcome);
    }

    /// Shows a notice to the user.
    pub fn say(&mut self, notice: &Notice) {
        self.view.say(notice);
    }

    /// Takes a prompt as if the user had typed it.
    pub fn submit(&mut self, prompt: String) {
        self.view.submit(prompt);
    }

    /// Shows an earlier conversation (SE-11).
    pub fn recall(&mut self, conversation: &[Recalled]) {
        for piece in conversation {
            self.view.scrollback.recall(piece);
        }
    }

    /// Starts again on an empty screen; the scrollback stays.
    pub async fn clear(&mut self) {
        if self.is_behind {
            // Earlier output must not be cleared along with the rest.
            self.flush().await;
        }
        self.view.scrollback.take();
        self.view.scrollback.begin_anew();
        self.act(Act::ClearScreen).await;
    }

    /// Asks whether hooks of the project may run (TR-2).
    pub async fn ask_trust(&mut self, items: &[TrustItem], view: TrustView) -> TrustAnswer {
        let list = trust::list(items, view, self.size().columns);
        self.view.scrollback.block(list);
        let mut prompt = TrustPrompt::new(items, view, Instant::now());
        let answer = loop {
            let patience = prompt.patience(Instant::now());
            let (heed, pause) = if patience.is_zero() || self.view.surface == Surface::Lines {
                (KeyHandling::Keys, REST)
            } else {
                (KeyHandling::NotYet, patience)
            };
            let live = prompt.live(self.size().columns, heed);
            let asked = Awaited::Question(live.lines.clone());
            self.draw(live, asked);
            match self.wait(self.pause(pause)).await {
                WakeCause::Line(Some(written)) => {
                    if let Some(answer) = prompt.line(&written) {
                        break answer;
                    }
                }
                WakeCause::Event(Some(Event::Key(key))) if key.is_press() => {
                    if let Some(answer) = prompt.key(key, Instant::now()) {
                        break answer;
                    }
                }
                WakeCause::Event(Some(Event::Resize(columns, rows))) => self.resize(columns, rows),
                WakeCause::Event(None) | WakeCause::Message(Some(Message::Terminated)) => {
                    self.leave = Some(Leave::Terminated);
                    break TrustAnswer::Quit;
                }
                WakeCause::Line(None) | WakeCause::Message(Some(Message::Interrupted)) => {
                    break TrustAnswer::Quit;
                }
                WakeCause::Message(Some(message)) => {
                    self.view.take(message, Instant::now());
                }
                _ => {}
            }
            if self.leave.is_some() {
                break TrustAnswer::Quit;
            }
        };
        self.draw(Live::default(), Awaited::Nothing);
        answer
    }

    /// Waits for what the user wants next.
    pub async fn next(&mut self) -> Intent {
        loop {
            if let Some(leave) = self.leave {
                return Intent::Leave(leave);
            }
            if let Some(intent) = self.view.next_intent() {
                match self.view.surface {
                    Surface::Painted => self.paint(),
                    // The requested output comes first, then the question again.
                    Surface::Lines => self.draw(Live::default(), Awaited::Nothing),
                }
                return intent;
            }
            if self.input == Input::Ended {
                return Intent::Leave(Leave::InputEnded);
            }
            let rest = self.view.rest_of_hint(Instant::now());
            let pause = self.paint_in_time(rest.unwrap_or(REST));
            let woken = self.wait(pause).await;
            if let Some(act) = self.handle(woken) {
                self.act(act).await;
            }
        }
    }

    /// Lets the user watch something, cancel it (LO-4) or leave.
    pub async fn watch<T>(
        &mut self,
        work: impl Future<Output = T>,
        cancel: &CancellationToken,
    ) -> WatchResult<T> {
        let mut work = pin!(work);
        self.view.begin_work(Instant::now());
        self.wants_cancel = false;
        let mut silence = Silence {
            since: Instant::now(),
            patience: SILENCE,
        };
        let ended = loop {
            if let Some(leave) = self.leave {
                break WatchResult::Left(leave);
            }
            self.break_silence(&mut silence);
            let pause = self.paint_in_time(TICK);
            let woken = tokio::select! {
                biased;
                output = &mut work => break WatchResult::Done(output),
                woken = self.wait(pause) => woken,
            };
            let act = self.handle(woken);
            match act.or_else(|| self.view.take_due(Instant::now())) {
                Some(Act::Cancel) => cancel.cancel(),
                Some(act) => self.act(act).await,
                None => {}
            }
            if std::mem::take(&mut self.wants_cancel) {
                cancel.cancel();
            }
        };
        // Output up to the very end belongs to the turn.
        self.take_all();
        self.view.end_work();
        if cancel.is_cancelled() && self.front.is_slow() {
            // Nobody wants to wait for the rest: only what takes about a second is kept.
            let scrollback = &mut self.view.scrollback;
            scrollback.give_way(self.front.share().saturating_mul(4));
        }
        self.paint();
        ended
    }

    /// Waits for the last work of a session, and shows what is said meanwhile. Keys don't delay it,
    /// and it doesn't need a terminal any more.
    pub async fn finish<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            self.draw(Live::default(), Awaited::Nothing);
            let pause = self.pause(REST);
            let message = tokio::select! {
                biased;
                output = &mut work => {
                    self.take_all();
                    // Output that a slow terminal hasn't accepted won't be drawn again.
                    self.settle(Before::End).await;
                    return output;
                }
                message = self.messages.recv() => message,
                () = tokio::time::sleep(pause) => None,
            };
            if let Some(message) = message {
                self.take(message);
            }
        }
    }

    /// Releases the terminal; what was said stays on it.
    pub async fn close(mut self) {
        self.take_all();
        self.view.end_work();
        self.settle(Before::End).await;
    }

    /// Reports that something runs, if nothing is painted and there was no output for a while.
    fn break_silence(&mut self, silence: &mut Silence) {
        if self.view.surface == Surface::Painted || silence.since.elapsed() < silence.patience {
            return;
        }
        let text = self.view.busy_text(Instant::now());
        self.view.say(&Notice::new(NoticeKind::Info, text));
        silence.since = Instant::now();
        silence.patience = silence.patience.saturating_mul(2);
    }

    async fn wait(&mut self, pause: Duration) -> WakeCause {
        tokio::select! {
            // Keys come first: a flood of output must not delay Ctrl+C.
            biased;
            next = self.front.next() => match next {
                Next::Woken(woken) => woken,
                Next::Ground(palette) => {
                    self.view.set_palette(palette);
                    WakeCause::Time
                }
            },
            message = self.messages.recv() => WakeCause::Message(message),
            () = self.continued.next() => {
                // A continue after our own stop has been handled already.
                let is_own = self.returned.is_some_and(|it| it.elapsed() < JUST_NOW);
                if !is_own {
                    self.come_back();
                }
                WakeCause::Time
            }
            () = self.arrival.next(), if self.is_behind || self.handed.is_some() => WakeCause::Time,
            () = tokio::time::sleep(pause) => WakeCause::Time,
        }
    }

    fn handle(&mut self, woken: WakeCause) -> Option<Act> {
        match woken {
            WakeCause::Event(Some(event)) => self.take_event(event),
            // Without a terminal, nobody watches the session.
            WakeCause::Event(None) => Some(Act::Leave(Leave::Terminated)),
            WakeCause::Line(Some(line)) => self.view.line(&line, Instant::now()),
            WakeCause::Line(None) => {
                self.input = Input::Ended;
                self.view.input_ended(Instant::now())
            }
            WakeCause::Message(Some(message)) => {
                self.take(message);
                self.take_all();
                None
            }
            WakeCause::Message(None) | WakeCause::Time => None,
        }
    }

    fn take_all(&mut self) {
        while let Ok(message) = self.messages.try_recv() {
            self.take(message);
        }
    }

    fn take(&mut self, message: Message) {
        let act = self.view.take(message, Instant::now());
        self.act_later(act);
    }

    /// Does what a key or a message requires where the terminal can't be used meanwhile.
    fn act_later(&mut self, act: Option<Act>) {
        match act {
            Some(Act::Leave(leave)) => self.leave_by(leave),
            Some(Act::Cancel) => self.wants_cancel = true,
            Some(Act::ClearScreen | Act::Suspend) | None => {}
        }
    }

    /// Records how the session is left. A signal ends it sooner than the user who is leaving
    /// already.
    fn leave_by(&mut self, leave: Leave) {
        if leave == Leave::Terminated || self.leave.is_none() {
            self.leave = Some(leave);
        }
    }

    fn take_event(&mut self, event: Event) -> Option<Act> {
        self.sparing.end();
        match event {
            Event::Key(key) => return self.view.key(key, Instant::now()),
            Event::Paste(text) => self.view.paste(&text, Instant::now()),
            Event::Resize(columns, rows) => self.resize(columns, rows),
            Event::FocusGained | Event::FocusLost | Event::Mouse(_) => {}
        }
        None
    }

    async fn act(&mut self, act: Act) {
        match act {
            Act::Leave(leave) => self.leave_by(leave),
            Act::ClearScreen => self.clear_screen(),
            Act::Suspend => self.suspend().await,
            // Nothing is running that could be cancelled.
            Act::Cancel => {}
        }
    }

    fn resize(&mut self, columns: u16, rows: u16) {
        let size = self.front.resize(terminal::size_of(columns, rows));
        self.view.resize(size);
    }

    fn clear_screen(&mut self) {
        if self.front.clear().is_err() {
            self.leave_by(Leave::Terminated);
        }
    }

    fn paint(&mut self) {
        match self.view.surface {
            Surface::Painted => {
                let now = Instant::now();
                if self.handed.is_some() && self.front.is_settled() && !self.front.is_busy() {
                    // Output that hasn't arrived can't have been read (TU-3).
                    let arrived = self.handed.take();
                    if arrived == self.view.unseen_question() {
                        self.view.drawn(now);
                    }
                }
                let live = self.view.live(now);
                self.draw(live, Awaited::Nothing);
                if !self.is_behind {
                    self.handed = self.view.unseen_question();
                    if self.handed.is_some() {
                        self.front.ask_for_arrival();
                    }
                }
            }
            Surface::Lines => {
                let asked = self.view.prompt_state();
                self.draw(Live::default(), asked);
            }
        }
    }

    /// Shows what is finished, and below it what changes or what is asked. A terminal that can't be
    /// written to is gone; the wait for a slow one is limited to the frame that is on its way: of
    /// the finished lines it gets as much as it accepts at once, and what would take too long is
    /// dropped (TU-5).
    fn draw(&mut self, live: Live, asked: Awaited) {
        let scrollback = &mut self.view.scrollback;
        let now = Instant::now();
        let written = self.front.written();
        let room = self.backlog.room(scrollback.bytes(), written, now);
        if !self.front.is_unsure() {
            scrollback.give_way(room);
        }
        self.is_behind = self.front.is_busy();
        if self.is_behind {
            return;
        }
        let finished = scrollback.take_some(self.front.share());
        // A question comes after all earlier output.
        let is_last = self.view.surface == Surface::Painted || scrollback.bytes() == 0;
        let asked = if is_last { asked } else { Awaited::Nothing };
        self.painted = Some(now);
        let before = self.front.untested();
        if self.front.draw(&finished, live, asked).is_err() {
            self.leave_by(Leave::Terminated);
        }
        let after = self.front.untested().filter(|_| finished.is_empty());
        let bytes = before.zip(after).map(|(before, after)| after - before);
        self.sparing.drew(bytes, now);
    }
}
