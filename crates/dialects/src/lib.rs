//! The border where foreign spellings become ours; inside nobody sees them.
//!
//! Everything here is pure: text and values in, text and values out.

mod claude_code;
mod foreign;
mod migrate;
mod older;

pub use foreign::{
    ForeignValue, ForeignVariable, Heard, Said, exact_words, foreign_environment, foreign_payload,
    foreign_tool_names, heard, spoken_dialects,
};
pub use migrate::{
    Addition, Item, Migration, MigrationResult, Place, SourceText, already_there, migrate_claude,
    migrate_codex, migrate_cursor,
};
pub use older::modernise;
