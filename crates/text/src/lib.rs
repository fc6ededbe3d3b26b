//! Text for people: makes the text of models, hooks, tools, servers and files safe for a terminal
//! or a page, quotes words for a shell, wraps lines, and formats the lines that report about hooks.
//!
//! The whole product uses these functions for it, and no others (OUT-9). They are pure.
//!
//! Escape text first, and then lay it out: what is escaped is safe to print, and has a width.
//!
//! ```
//! use hookloop_text::{Indents, paragraph, shell_word, visible};
//!
//! // What a hook said can't move the cursor, or hide what was printed before it.
//! let said = visible("no pushes\u{1b}[2K on Friday");
//! assert_eq!(said, "no pushes\\u{1b}[2K on Friday");
//!
//! // Lines are wrapped, never cut.
//! assert_eq!(
//!     paragraph(&said, Indents::new("denied: ", "        "), Some(26)),
//!     "denied: no pushes\\u{1b}[2K\n        on Friday\n"
//! );
//!
//! // A command in a message can be copied into a shell, whatever is in it.
//! assert_eq!(format!("cat {}", shell_word("it's here")), r"cat 'it'\''s here'");
//! ```
//!
//! - [`escape`] makes text safe for a terminal, and [`markup`] for a page; [`VisibleStream`] does
//!   the same for text that arrives in pieces.
//! - [`quote`](fn@quote), [`shell_word`], [`shell_argument`] and [`powershell_word`] quote
//!   words.
//! - [`wrap`](mod@wrap), [`shorten`] and [`Table`] fit text to a width; [`Excerpt`] marks a place in
//!   a line.
//! - [`hook_lines`] formats the lines that report on hooks.

mod causes;
pub mod escape;
mod excerpt;
pub mod hook_lines;
pub mod markup;
mod notice;
mod quote;
pub mod shorten;
mod signal;
mod style;
mod table;
pub mod wrap;

pub use causes::causes;
pub use escape::{
    VisibleStream, harmless, is_dangerous, visible, visible_cells, visible_lines, visible_row,
};
pub use excerpt::Excerpt;
pub use notice::{Notice, NoticeKind};
pub use quote::{
    powershell_string, powershell_word, quote, shell_argument, shell_word, shell_word_expanding,
};
pub use shorten::counted;
pub use signal::signal_name;
pub use style::{Palette, Style};
pub use table::{Cell, Table};
pub use wrap::{Indents, columns, paragraph, wide_breaks, wrap};

/// The place where text is shown.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    /// Its width in columns; `None` if it isn't a terminal, so that lines may be of any length.
    pub width: Option<usize>,
    /// Whether it supports colours.
    pub palette: Palette,
}
