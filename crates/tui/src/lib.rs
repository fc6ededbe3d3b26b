//! The terminal session: draws what happens in a session, and sends the user's actions. It contains
//! no policy, and reads neither settings nor files.
//!
//! [`Ui`] owns the terminal; its [`Link`] is the port for the agent and the hook engine. Finished
//! output goes to the terminal's own scrollback, and only a small area below it is redrawn. That
//! area can grow and shrink, and the cursor is moved only relative to it: the terminal is never
//! asked for the cursor's position, because a late or missing answer must not block the session.
//! The terminal is asked for its background colour, and nothing waits for the answer; one that
//! gives it is asked again after longer output, to learn what has arrived. All text is escaped
//! before it is drawn.
//!
//! ```
//! use hookloop_tui::fuzzy_rank;
//!
//! let mut commands = ["/skills", "/tools", "/hooks", "/help"];
//! commands.sort_by_key(|it| fuzzy_rank(it, "/hk").unwrap_or(usize::MAX));
//! assert_eq!(commands[0], "/hooks");
//! ```

mod activity;
mod attention;
mod call_text;
mod chooser;
mod code;
mod completion;
mod dialog;
mod diff;
mod editor;
mod fuzzy;
mod ground;
mod help;
mod hook_messages;
mod input;
mod keys;
mod lines;
mod link;
mod markdown;
mod menu;
mod message;
mod outlet;
mod pace;
mod painter;
mod panel;
mod past;
mod question;
mod questionnaire;
mod reader;
mod recalled;
mod scrollback;
mod search;
mod slash;
mod styled;
mod terminal;
mod transit;
mod trust;
mod ui;
mod view;
mod welcome;
mod window;
mod wrap;

pub use chooser::{Chooser, ChooserIntent, ChooserItem};
pub use completion::Completions;
pub use fuzzy::fuzzy_rank;
pub use hookloop_text::{Notice, NoticeKind};
pub use link::{HookNotifications, Link};
pub use panel::{Panel, PanelIntent, PanelItem, PanelMark, PanelSwitch};
pub use past::InputHistory;
pub use recalled::{Recalled, RecalledEnd};
pub use slash::{CustomCommand, SlashCommand};
pub use styled::{Hyperlinks, Palette};
pub use terminal::restore;
pub use trust::{TrustAnswer, TrustFile, TrustItem, TrustView};
pub use ui::{Ui, WatchResult};
pub use view::{Intent, Leave, Setup, Status, Surface};
pub use welcome::Welcome;
