//! The targets, and what a driver has to know of each.

pub mod reply;
pub mod settings;

/// One reader under test.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The name on the command line, also that of its folder of seeds.
    pub name: &'static str,
    /// Reads the bytes; panics when a promise is broken.
    pub run: fn(&[u8]),
    /// Words that the reader knows, to put into the input.
    pub words: &'static [&'static str],
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target {
        name: "reply",
        run: reply::run,
        words: reply::WORDS,
    },
    Target {
        name: "settings",
        run: settings::run,
        words: settings::WORDS,
    },
];
