//! Every mistake of the catalogue as a separate test, named `<area>::<mistake>` (CM-10, CM-11).

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = hookloop_conformance::find_mistakes()
        .into_iter()
        .map(|case| {
            let name = case.name.clone();
            Trial::test(name, move || {
                let verdict = hookloop_conformance::make_mistake(&case)?;
                if verdict.wrong.is_empty() {
                    return Ok(());
                }
                Err(Failed::from(verdict.wrong.join("\n")))
            })
        });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}
