//! Text for people: makes the text of models, hooks, tools, servers and files safe for a terminal
//! or a page, quotes words for a shell, wraps lines, and formats the lines that report about hooks.
//!
//! The whole product uses these functions for it, and no others (OUT-9). They are pure.

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
pub use quote::{powershell_word, quote, shell_argument, shell_word, shell_word_expanding};
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
