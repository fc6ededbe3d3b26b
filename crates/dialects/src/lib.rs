//! The border where foreign spellings become ours; inside nobody sees them.
//!
//! Everything here is pure: text and values in, text and values out.

mod migrate;
mod older;

pub use migrate::{
    Addition, Item, Migration, MigrationResult, Place, SourceText, already_there, migrate_claude,
    migrate_codex, migrate_cursor,
};
pub use older::modernise;
