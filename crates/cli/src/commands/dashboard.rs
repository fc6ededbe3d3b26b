//! `hookloop dashboard`: a local page of what hooks do, in all sessions of all agents (CM-6).

#[cfg(feature = "trace")]
use std::io::{Write, stdout};

use clap::Args;
use hookloop_session::Environment;

use crate::output::{Exit, Output};

/// Contains the arguments of `dashboard`.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct DashboardArguments {
    /// The port to listen on, on the loopback interface (default: any free port)
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 0,
        hide_default_value = true
    )]
    port: u16,
}

/// Serves the page until the program ends; runs no hook and changes nothing (TR-7).
#[cfg(feature = "trace")]
pub(crate) fn run(arguments: DashboardArguments, environment: &Environment) -> Output {
    use hookloop_dashboard::{Dashboard, Traces};
    let traces = Traces::below(
        environment.projects_dir(),
        hookloop_trace::Limits::default(),
    );
    let served = Dashboard::bind(traces, arguments.port).and_then(|dashboard| {
        let mut out = stdout().lock();
        writeln!(out, "{}", dashboard.url())?;
        writeln!(
            out,
            "Anyone who knows this address can read your traces. Ctrl-C stops the dashboard."
        )?;
        out.flush()?;
        drop(out);
        dashboard.serve()
    });
    match served {
        Ok(()) => Output::from_text(String::new()),
        Err(error) => {
            let port = arguments.port;
            let message =
                format!("the dashboard can't be served on port {port} of 127.0.0.1: {error}");
            Output::from_error(&message, Exit::Failed)
        }
    }
}

/// Returns the failure that there is no trace.
#[cfg(not(feature = "trace"))]
pub(crate) fn run(arguments: DashboardArguments, _: &Environment) -> Output {
    let port = arguments.port;
    let message = format!(
        "nothing is served on port {port}: this build has no dashboard, because it was built \
         without the feature \"trace\""
    );
    Output::from_error(&message, Exit::Failed)
}
