//! What a person sees.

use std::io::{self, Write as _};

use hookloop_host::Host;

/// Shows a line to people. The work continues even if nobody can see it.
pub fn show(line: &str) {
    drop(writeln!(io::stderr(), "{line}"));
}

/// Shows what is wrong with the hooks of a host.
pub fn show_problems(host: &Host) {
    for problem in host.problems() {
        show(&problem.to_string());
    }
}
