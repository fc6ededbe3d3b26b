//! Tools that find files and text.

mod glob;
mod pattern;
mod search_file_content;

pub(crate) use glob::Glob;
pub(crate) use pattern::{Case, compile};
pub(crate) use search_file_content::SearchFileContent;
