//! What is known of the two output streams.

use std::io::{IsTerminal, stderr, stdout};

use terminal_size::{Width, terminal_size_of};

use crate::environment::Environment;
use crate::text::style::Palette;

/// The narrowest width that text is laid out for, in columns.
const NARROWEST: usize = 40;

/// Describes where text goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terminal {
    /// Its width in columns; nothing where it is no terminal, and lines may be of any length.
    pub(crate) width: Option<usize>,
    /// Whether it is coloured.
    pub(crate) palette: Palette,
}

impl Terminal {
    /// Looks at standard output.
    pub(crate) fn of_output(environment: &Environment) -> Self {
        let width = terminal_size_of(stdout()).map(|(width, _)| width);
        Self::new(stdout().is_terminal(), width, environment)
    }

    /// Looks at standard error.
    pub(crate) fn of_notices(environment: &Environment) -> Self {
        let width = terminal_size_of(stderr()).map(|(width, _)| width);
        Self::new(stderr().is_terminal(), width, environment)
    }

    fn new(is_terminal: bool, width: Option<Width>, environment: &Environment) -> Self {
        let width = width.map(|Width(columns)| usize::from(columns).max(NARROWEST));
        let palette = if is_terminal && environment.allows_colour() {
            Palette::Coloured
        } else {
            Palette::Plain
        };
        Self {
            width: width.filter(|_| is_terminal),
            palette,
        }
    }
}
