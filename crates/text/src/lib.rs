//! What people read, whoever wrote it: text of models, hooks, tools, servers and files made
//! harmless for a terminal or a page, words that can be copied into a shell, lines that fit a
//! width, and the lines that report hooks.
//!
//! There is one place for each of these in the whole product (OUT-9). Nothing here reads or writes
//! anything: text comes in, text goes out.

mod causes;
pub mod escape;
mod excerpt;
pub mod hook_lines;
pub mod markup;
mod notice;
mod quote;
pub mod shorten;
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
pub use style::{Palette, Style};
pub use table::{Cell, Table};
pub use wrap::{Indents, columns, paragraph, wrap};

/// Describes where text goes.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    /// Its width in columns; nothing if it isn't a terminal, and lines may be of any length.
    pub width: Option<usize>,
    /// Whether it is coloured.
    pub palette: Palette,
}
