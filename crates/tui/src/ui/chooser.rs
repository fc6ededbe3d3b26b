//! A list to choose from on the screen.

use crossterm::event::Event;

use crate::chooser::{Chooser, ChooserIntent};
use crate::lines::Awaited;
use crate::message::Message;
use crate::painter::Live;
use crate::ui::{REST, Ui, WakeCause};
use crate::view::Leave;

impl Ui {
    /// Shows a list until the user chooses something or closes it.
    pub async fn choose(&mut self, chooser: &mut Chooser) -> ChooserIntent {
        let intent = loop {
            if let Some(leave) = self.leave {
                break ChooserIntent::Leave(leave);
            }
            let size = self.size();
            let asked = Awaited::Question(chooser.numbered());
            self.draw(chooser.live(size), asked);
            match self.wait(self.pause(REST)).await {
                WakeCause::Event(Some(Event::Key(key))) if !key.is_release() => {
                    if let Some(intent) = chooser.key(key, size) {
                        break intent;
                    }
                }
                WakeCause::Line(Some(line)) => {
                    if let Some(intent) = chooser.line(&line) {
                        break intent;
                    }
                }
                WakeCause::Line(None) => self.leave = Some(Leave::InputEnded),
                WakeCause::Message(Some(Message::Interrupted)) => break ChooserIntent::Close,
                WakeCause::Event(Some(Event::Paste(text))) => chooser.paste(&text),
                WakeCause::Event(Some(Event::Resize(columns, rows))) => self.resize(columns, rows),
                WakeCause::Event(None) => self.leave = Some(Leave::Terminated),
                WakeCause::Message(Some(message)) => self.take(message),
                _ => {}
            }
        };
        self.draw(Live::default(), Awaited::Nothing);
        intent
    }
}
