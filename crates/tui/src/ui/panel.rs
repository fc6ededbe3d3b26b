//! The panel of hooks on the screen (CM-1).

use crossterm::event::Event;

use crate::lines::Asked;
use crate::painter::Live;
use crate::panel::{Panel, PanelIntent};
use crate::ui::{REST, Ui, Woken};
use crate::view::Leave;

impl Ui {
    /// Shows the panel of hooks until the user requests an action. It stays on the screen while a hook is
    /// switched.
    pub async fn show_panel(&mut self, panel: &mut Panel) -> PanelIntent {
        let intent = loop {
            if let Some(leave) = self.leave {
                break PanelIntent::Leave(leave);
            }
            let size = self.size();
            self.draw(panel.live(size), Asked::Nothing);
            match self.wait(self.pause(REST)).await {
                Woken::Event(Some(Event::Key(key))) if !key.is_release() => {
                    if let Some(intent) = panel.key(key, size) {
                        break intent;
                    }
                }
                Woken::Event(Some(Event::Paste(text))) => panel.paste(&text),
                Woken::Event(Some(Event::Resize(columns, rows))) => self.resize(columns, rows),
                Woken::Event(None) => self.leave = Some(Leave::Terminated),
                Woken::Message(Some(message)) => self.take(message),
                _ => {}
            }
        };
        if matches!(intent, PanelIntent::Close | PanelIntent::Leave(_)) {
            self.draw(Live::default(), Asked::Nothing);
        }
        intent
    }
}
