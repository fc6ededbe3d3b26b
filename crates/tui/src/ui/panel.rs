//! The panel of hooks on the screen (CM-1).

use crossterm::event::Event;

use crate::lines::Awaited;
use crate::painter::Live;
use crate::panel::{Panel, PanelIntent};
use crate::ui::{REST, Ui, WakeCause};
use crate::view::Leave;

impl Ui {
    /// Shows the panel of hooks until the user requests an action. It stays on the screen while a
    /// hook is switched.
    pub async fn show_panel(&mut self, panel: &mut Panel) -> PanelIntent {
        let intent = loop {
            if let Some(leave) = self.leave {
                break PanelIntent::Leave(leave);
            }
            let size = self.size();
            self.draw(panel.live(size), Awaited::Nothing);
            match self.wait(self.pause(REST)).await {
                WakeCause::Event(Some(Event::Key(key))) if !key.is_release() => {
                    if let Some(intent) = panel.key(key, size) {
                        break intent;
                    }
                }
                WakeCause::Event(Some(Event::Paste(text))) => panel.paste(&text),
                WakeCause::Event(Some(Event::Resize(columns, rows))) => self.resize(columns, rows),
                WakeCause::Event(None) => self.leave = Some(Leave::Terminated),
                WakeCause::Message(Some(message)) => self.take(message),
                _ => {}
            }
        };
        if matches!(intent, PanelIntent::Close | PanelIntent::Leave(_)) {
            self.draw(Live::default(), Awaited::Nothing);
        }
        intent
    }
}
