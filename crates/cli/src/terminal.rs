//! Properties of the two output streams.

use std::io::{IsTerminal, stderr, stdout};

use hookloop_session::Environment;
use hookloop_text::{Palette, Terminal};
use terminal_size::{Width, terminal_size_of};

/// The narrowest width that text is laid out for, in columns.
const MIN_WIDTH: usize = 40;

/// Returns the properties of standard output.
pub(crate) fn for_output(environment: &Environment) -> Terminal {
    let width = terminal_size_of(stdout()).map(|(width, _)| width);
    terminal(stdout().is_terminal(), width, environment)
}

/// Returns the properties of standard error.
pub(crate) fn for_notices(environment: &Environment) -> Terminal {
    let width = terminal_size_of(stderr()).map(|(width, _)| width);
    terminal(stderr().is_terminal(), width, environment)
}

fn terminal(is_terminal: bool, width: Option<Width>, environment: &Environment) -> Terminal {
    let width = width.map(|Width(columns)| usize::from(columns).max(MIN_WIDTH));
    let palette = if is_terminal && environment.allows_colour() {
        Palette::Coloured
    } else {
        Palette::Plain
    };
    Terminal {
        width: width.filter(|_| is_terminal),
        palette,
    }
}
