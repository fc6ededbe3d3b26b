//! Every conformance case as a separate test, named `<event>::<case>`.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = hookloop_conformance::find().into_iter().map(|case| {
        let name = case.name.clone();
        Trial::test(name, move || {
            hookloop_conformance::run(&case).map_err(Failed::from)
        })
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}
