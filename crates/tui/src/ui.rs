//! The screen at work: it waits for keys and for what happens, and draws.

mod chooser;
mod panel;

use std::future::Future;
use std::io::{self, Write};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::Event;
use hookloop_text::Notice;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio_util::sync::CancellationToken;

use crate::link::Link;
use crate::message::Message;
use crate::painter::{Live, Painter};
use crate::recalled::Recalled;
use crate::terminal::{self, RawTerminal};
use crate::trust::{self, TrustAnswer, TrustItem, TrustPrompt, TrustView};
use crate::view::{Act, Intent, Leave, Setup, Status, View};
use crate::welcome::Welcome;

/// The least time between two frames.
const FRAME: Duration = Duration::from_millis(16);
/// The time between two frames while something runs.
const TICK: Duration = Duration::from_millis(100);
/// The time between two frames while nothing happens.
const REST: Duration = Duration::from_hours(1);

/// The terminal session's screen.
pub struct Ui {
    view: View,
    painter: Painter<Box<dyn Write + Send>>,
    events: UnboundedReceiver<Event>,
    messages: UnboundedReceiver<Message>,
    painted: Option<Instant>,
    leave: Option<Leave>,
    /// Keeps the channel open, whoever else gives the link up.
    link: Arc<Link>,
    // The last field: the terminal is put back when everything else is gone.
    _terminal: RawTerminal,
}

/// How something ended that the user could watch.
#[derive(Debug)]
pub enum Worked<T> {
    /// It came to its end.
    Done(T),
    /// The user left before, and it was dropped.
    Left(Leave),
}

impl<T> Worked<T> {
    /// Returns how the user left, if that is what happened.
    pub fn left(self) -> Option<Leave> {
        match self {
            Self::Done(_) => None,
            Self::Left(leave) => Some(leave),
        }
    }
}

/// What woke the screen.
enum Woken {
    Event(Option<Event>),
    Message(Option<Message>),
    Time,
}

impl Ui {
    /// Takes the terminal over.
    pub fn open(setup: Setup) -> io::Result<Self> {
        let (sender, messages) = unbounded_channel();
        let link = Arc::new(Link::new(sender, setup.notifications));
        let out = terminal::output()?;
        let raw = RawTerminal::enter()?;
        let size = terminal::size();
        let painter = Painter::new(out, setup.palette, size);
        Ok(Self {
            painter,
            view: View::new(setup, size),
            events: terminal::read_events(size),
            messages,
            painted: None,
            leave: None,
            link,
            _terminal: raw,
        })
    }

    /// Returns the port for the agent and the engine.
    pub fn link(&self) -> &Arc<Link> {
        &self.link
    }

    /// Changes what stands below the input line.
    pub fn set_status(&mut self, status: Status) {
        self.view.set_status(status);
    }

    /// Shows what a session begins with (TU-1).
    pub fn welcome(&mut self, welcome: &Welcome) {
        self.view.scrollback.welcome(welcome);
    }

    /// Tells the user something.
    pub fn say(&mut self, notice: &Notice) {
        self.view.say(notice);
    }

    /// Takes a prompt as if the user had typed it.
    pub fn submit(&mut self, prompt: String) {
        self.view.submit(prompt);
    }

    /// Shows what an earlier conversation was (SE-11).
    pub fn recall(&mut self, conversation: &[Recalled]) {
        for piece in conversation {
            self.view.scrollback.recall(piece);
        }
    }

    /// Begins anew on an empty screen; the scrollback stays.
    pub fn clear(&mut self) {
        self.view.scrollback.take();
        self.view.scrollback.begin_anew();
        self.act(Act::ClearScreen);
    }

    /// Asks whether hooks of the project may run (TR-2).
    pub async fn ask_trust(&mut self, items: &[TrustItem], view: TrustView) -> TrustAnswer {
        let list = trust::list(items, view, self.painter.size().columns);
        self.view.scrollback.block(list);
        let mut prompt = TrustPrompt::new(items, view);
        let answer = loop {
            let live = prompt.live(self.painter.size().columns);
            self.draw(live);
            match self.wait(REST).await {
                Woken::Event(Some(Event::Key(key))) if key.is_press() => {
                    if let Some(answer) = prompt.key(key) {
                        break answer;
                    }
                }
                Woken::Event(Some(Event::Resize(columns, rows))) => self.resize(columns, rows),
                Woken::Event(None) | Woken::Message(Some(Message::Terminated)) => {
                    self.leave = Some(Leave::Terminated);
                    break TrustAnswer::Quit;
                }
                Woken::Message(Some(message)) => {
                    self.view.take(message, Instant::now());
                }
                _ => {}
            }
            if self.leave.is_some() {
                break TrustAnswer::Quit;
            }
        };
        self.draw(Live::default());
        answer
    }

    /// Waits for what the user wants next.
    pub async fn next(&mut self) -> Intent {
        loop {
            if let Some(leave) = self.leave {
                return Intent::Leave(leave);
            }
            if let Some(intent) = self.view.next_intent() {
                self.paint();
                return intent;
            }
            let pause = self.paint_in_time(REST);
            let woken = self.wait(pause).await;
            if let Some(act) = self.handle(woken) {
                self.act(act);
            }
        }
    }

    /// Lets the user watch something, cancel it (LO-4) or leave.
    pub async fn during<T>(
        &mut self,
        work: impl Future<Output = T>,
        cancel: &CancellationToken,
    ) -> Worked<T> {
        let mut work = pin!(work);
        self.view.begin_work(Instant::now());
        let ended = loop {
            if let Some(leave) = self.leave {
                break Worked::Left(leave);
            }
            let pause = self.paint_in_time(TICK);
            let woken = tokio::select! {
                biased;
                output = &mut work => break Worked::Done(output),
                woken = self.wait(pause) => woken,
            };
            match self.handle(woken) {
                Some(Act::Cancel) => cancel.cancel(),
                Some(act) => self.act(act),
                None => {}
            }
        };
        // What was said to the very end belongs to it.
        self.take_all();
        self.view.end_work();
        self.paint();
        ended
    }

    /// Waits for the last work of a session, and shows what is said meanwhile. It is not held up
    /// by keys, and needs no terminal any more.
    pub async fn part<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            self.draw(Live::default());
            let message = tokio::select! {
                biased;
                output = &mut work => {
                    self.take_all();
                    self.draw(Live::default());
                    return output;
                }
                message = self.messages.recv() => message,
            };
            if let Some(message) = message {
                self.take(message);
            }
        }
    }

    /// Lets something write to the terminal as if there were no screen.
    pub fn aside<T>(&mut self, write: impl FnOnce() -> T) -> T {
        self.draw(Live::default());
        terminal::aside(write)
    }

    /// Gives the terminal back; what was said stays on it.
    pub fn close(mut self) {
        self.take_all();
        self.view.end_work();
        self.draw(Live::default());
    }

    async fn wait(&mut self, pause: Duration) -> Woken {
        tokio::select! {
            // Keys come first: a flood of output must not keep Ctrl-C from being heard.
            biased;
            event = self.events.recv() => Woken::Event(event),
            message = self.messages.recv() => Woken::Message(message),
            () = tokio::time::sleep(pause) => Woken::Time,
        }
    }

    fn handle(&mut self, woken: Woken) -> Option<Act> {
        match woken {
            Woken::Event(Some(event)) => self.take_event(event),
            // Without its terminal nobody watches the session.
            Woken::Event(None) => Some(Act::Leave(Leave::Terminated)),
            Woken::Message(Some(message)) => {
                self.take(message);
                self.take_all();
                None
            }
            Woken::Message(None) | Woken::Time => None,
        }
    }

    fn take_all(&mut self) {
        while let Ok(message) = self.messages.try_recv() {
            self.take(message);
        }
    }

    fn take(&mut self, message: Message) {
        if let Some(Act::Leave(leave)) = self.view.take(message, Instant::now()) {
            self.leave.get_or_insert(leave);
        }
    }

    fn take_event(&mut self, event: Event) -> Option<Act> {
        match event {
            Event::Key(key) => return self.view.key(key),
            Event::Paste(text) => self.view.paste(&text),
            Event::Resize(columns, rows) => self.resize(columns, rows),
            Event::FocusGained | Event::FocusLost | Event::Mouse(_) => {}
        }
        None
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Leave(leave) => {
                self.leave.get_or_insert(leave);
            }
            Act::ClearScreen => self.note_failure(Painter::clear),
            // Nothing runs that could be cancelled.
            Act::Cancel => {}
        }
    }

    fn resize(&mut self, columns: u16, rows: u16) {
        let size = terminal::size_of(columns, rows);
        self.painter.resize(size);
        self.view.resize(size);
    }

    /// Paints unless the last frame was just now, and returns how long to wait for the next one.
    fn paint_in_time(&mut self, pause: Duration) -> Duration {
        match self.painted.map(|painted| painted.elapsed()) {
            Some(elapsed) if elapsed < FRAME => FRAME.saturating_sub(elapsed),
            _ => {
                self.paint();
                pause
            }
        }
    }

    fn paint(&mut self) {
        let live = self.view.live(Instant::now());
        self.draw(live);
    }

    fn draw(&mut self, live: Live) {
        let finished = self.view.scrollback.take();
        self.painted = Some(Instant::now());
        self.note_failure(|painter| painter.paint(&finished, live));
    }

    /// A terminal that can't be written to is gone.
    fn note_failure<F>(&mut self, paint: F)
    where
        F: FnOnce(&mut Painter<Box<dyn Write + Send>>) -> io::Result<()>,
    {
        if paint(&mut self.painter).is_err() {
            self.leave.get_or_insert(Leave::Terminated);
        }
    }
}
