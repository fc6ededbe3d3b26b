//! Tests what other programs see of the environment of a program that took it over.
//!
//! The test starts itself again as that program, which must not have other threads yet. So it
//! doesn't use the ordinary harness, whose tests run in threads.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    return linux::main();
    #[cfg(not(target_os = "linux"))]
    ExitCode::SUCCESS
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
    use std::process::{Command, ExitCode, Stdio};

    use hookloop_environment::{Exposure, take};
    use libtest_mimic::{Arguments, Failed, Trial, run};

    pub(super) fn main() -> ExitCode {
        let exposure = match std::env::args().nth(1).as_deref() {
            Some("probe-hidden") => Exposure::Hidden,
            Some("probe-debuggable") => Exposure::Debuggable,
            _ => {
                let trials = vec![
                    Trial::test("secrets_leave_the_block_of_a_hidden_program", || {
                        secrets_leave_the_block("probe-hidden")
                    }),
                    Trial::test("secrets_leave_the_block_of_a_debuggable_program", || {
                        secrets_leave_the_block("probe-debuggable")
                    }),
                ];
                return run(&Arguments::from_args(), trials).exit_code();
            }
        };
        match probe(exposure) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        }
    }

    /// Takes over its environment, prints it, and waits until its input ends.
    fn probe(exposure: Exposure) -> io::Result<()> {
        let variables = take(exposure);
        let mut out = io::stdout().lock();
        for (name, value) in variables {
            writeln!(out, "{}={}", name.display(), value.display())?;
        }
        out.flush()?;
        io::stdin().read_to_end(&mut Vec::new()).map(drop)
    }

    /// ENV-3: the program has its secrets, and the system shows none of them; what isn't a secret
    /// is kept.
    fn secrets_leave_the_block(probe: &str) -> Result<(), Failed> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg(probe)
            .env_clear()
            .envs([
                ("GEMINI_API_KEY", "canary-one"),
                ("MY_PAT", "canary-two"),
                ("PLAIN", "https://u:canary-three@host/"),
                ("EDITOR", "stays"),
            ])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut printed = String::new();
        let mut out = BufReader::new(child.stdout.take().ok_or("no pipe")?);
        for _ in 0..4 {
            out.read_line(&mut printed)?;
        }
        let shown = std::fs::read(format!("/proc/{}/environ", child.id()));
        drop(child.stdin.take());
        check(child.wait()?.success(), "the probe failed")?;
        for canary in ["canary-one", "canary-two", "canary-three", "EDITOR=stays"] {
            check(printed.contains(canary), &printed)?;
        }
        match shown {
            Ok(shown) => {
                let shown = String::from_utf8_lossy(&shown);
                check(!shown.contains("canary"), &shown)?;
                check(shown.contains("EDITOR=stays"), &shown)
            }
            // If the system refuses to show the environment, nothing is shown.
            Err(error) => check(probe == "probe-hidden", &error.to_string()),
        }
    }

    fn check(holds: bool, otherwise: &str) -> Result<(), Failed> {
        if holds {
            Ok(())
        } else {
            Err(otherwise.to_owned().into())
        }
    }
}
