//! A list to choose from on the screen.

use crossterm::event::Event;

use crate::chooser::{Chooser, ChooserIntent};
use crate::lines::Asked;
use crate::message::Message;
use crate::painter::Live;
use crate::ui::{REST, Ui, Woken};
use crate::view::Leave;

impl Ui {
    /// Shows a list until the user chooses something or closes it.
    pub async fn choose(&mut self, chooser: &mut Chooser) -> ChooserIntent {
        let intent = loop {
            if let Some(leave) = self.leave {
                break ChooserIntent::Leave(leave);
            }
            let size = self.size();
            let asked = Asked::Question(chooser.numbered());
            self.draw(chooser.live(size), asked);
            match self.wait(self.pause(REST)).await {
                Woken::Event(Some(Event::Key(key))) if !key.is_release() => {
                    if let Some(intent) = chooser.key(key, size) {
                        break intent;
                    }
                }
                Woken::Line(Some(line)) => {
                    if let Some(intent) = chooser.line(&line) {
                        break intent;
                    }
                }
                Woken::Line(None) => self.leave = Some(Leave::InputEnded),
                Woken::Message(Some(Message::Interrupted)) => break ChooserIntent::Close,
                Woken::Event(Some(Event::Paste(text))) => chooser.paste(&text),
                Woken::Event(Some(Event::Resize(columns, rows))) => self.resize(columns, rows),
                Woken::Event(None) => self.leave = Some(Leave::Terminated),
                Woken::Message(Some(message)) => self.take(message),
                _ => {}
            }
        };
        self.draw(Live::default(), Asked::Nothing);
        intent
    }
}
