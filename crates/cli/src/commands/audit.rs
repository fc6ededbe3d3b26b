//! `hookloop audit`: the record that the guard `audit` keeps of what an agent does (HT-40).

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use hookloop_manage::{
    AuditView, CommandFailure, Verified, audit_voucher, count_tokens, record_event, verify_audit,
};
use hookloop_session::{Environment, Workspace};
use hookloop_settings::bounded::read_input;
use hookloop_text::counted;
use serde_json::Value;

use crate::commands::context::{AdditionalReport, Context, Format, failure_output};
use crate::output::{Exit, Output};

/// The maximum size of a payload, in bytes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Contains a command for the audit.
#[derive(Debug, Clone, Args)]
pub(crate) struct AuditArguments {
    /// Print one JSON object
    #[arg(long, global = true)]
    json: bool,
    /// What to do
    #[command(subcommand)]
    command: AuditCommand,
}

#[derive(Debug, Clone, Copy, Subcommand)]
enum AuditCommand {
    /// Look for log lines that were changed, cut or removed
    ///
    /// Each line contains the hash of the line before it, and head.json contains that of the last
    /// line. The chain isn't keyed: anyone who can write to the folder, including you, could
    /// rewrite all of it, or delete it and start another. To guard against that, keep a copy of
    /// head.json elsewhere, or send the decisions to a collector as well. Tool calls can't write to
    /// the folder without a person's consent. Exits with 1 if anything is wrong, and also if the
    /// guard "audit" is configured and there is no log.
    Verify,
    /// Append the event on standard input; what the guard "audit" runs
    #[command(hide = true)]
    Record,
    /// Count the tokens of the event on standard input; what the guard "cost-meter" runs
    #[command(hide = true)]
    Meter {
        /// How many tokens a session may use
        #[arg(long, value_name = "TOKENS")]
        budget: u64,
    },
}

/// Runs a command for the audit.
pub(crate) fn run(arguments: &AuditArguments, name: &str, environment: &Environment) -> Output {
    let format = Format::new(arguments.json, environment);
    let context = Context::plain(name, format, environment);
    let done = match arguments.command {
        AuditCommand::Verify => verify(&context),
        AuditCommand::Record => record(&context),
        AuditCommand::Meter { budget } => meter(&context, budget),
    };
    done.unwrap_or_else(|failure| failure_output(&context, &failure))
}

/// Reads the event on standard input.
fn event() -> Result<Value, CommandFailure> {
    let bytes = read_input(std::io::stdin().lock(), MAX_BYTES)
        .map_err(|error| CommandFailure::bad_input(format!("the event can't be read: {error}")))?;
    serde_json::from_slice(&bytes)
        .map_err(|error| CommandFailure::bad_input(format!("the event isn't JSON: {error}")))
}

/// Counts the tokens of an event, and answers it.
fn meter(context: &Context<'_>, budget: u64) -> Result<Output, CommandFailure> {
    let reply = count_tokens(context.environment, &event()?, budget)?;
    Ok(reply_of(reply))
}

/// Appends the event on standard input.
fn record(context: &Context<'_>) -> Result<Output, CommandFailure> {
    let voucher = audit_voucher(context.environment)?;
    let reply = record_event(context.environment, voucher, &event()?)?;
    Ok(reply_of(reply))
}

fn reply_of(reply: Option<Value>) -> Output {
    let reply = reply.map(|it| format!("{it}\n"));
    Output::from_text(reply.unwrap_or_default())
}

/// Verifies the log; any problem makes the command fail.
fn verify(context: &Context<'_>) -> Result<Output, CommandFailure> {
    let audit = verify_audit(context.task())?;
    let workspace = Workspace::open(context.environment, context.run);
    let folder = audit.folder.display().to_string();
    let verified = &audit.verified;
    let beside = AdditionalReport::without_problems(&workspace.project_root);
    let output = context.say(beside, AuditView::new(&audit), |_| {
        if audit.is_kept {
            describe(&folder, verified)
        } else {
            format!("No audit log is kept in {folder}; to keep one: hookloop guards add audit\n")
        }
    })?;
    Ok(output.ending(if verified.problems.is_empty() {
        Exit::Done
    } else {
        Exit::Failed
    }))
}

fn describe(folder: &str, verified: &Verified) -> String {
    let mut text = String::new();
    for (kind, list) in [("", &verified.problems), ("note: ", &verified.notes)] {
        for it in list {
            let line = it.line.map(|it| format!(":{it}")).unwrap_or_default();
            let _ = writeln!(text, "{kind}{}{line}: {}", it.file, it.what);
        }
    }
    if verified.unvouched > 0 {
        let _ = writeln!(
            text,
            "note: no session of Hookloop vouches for {}: recorded by hand or by another agent",
            counted(verified.unvouched, "line")
        );
    }
    let looked_at = format!(
        "{} in {} of {folder}",
        counted(verified.lines, "line"),
        counted(verified.files, "file")
    );
    let _ = match verified.problems.len() {
        0 => writeln!(text, "{looked_at}: none was changed, cut or removed."),
        count => writeln!(text, "{} with {looked_at}.", counted(count, "problem")),
    };
    text
}
