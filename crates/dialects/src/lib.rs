//! The border where foreign spellings become ours; inside nobody sees them.
//!
//! Everything here is pure: text and values in, text and values out.

mod older;

pub use older::modernise;
