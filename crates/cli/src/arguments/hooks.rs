//! The commands for hooks (`management.md` §4).

use clap::{Args, Subcommand, ValueEnum};
use clap_complete::engine::ArgValueCompleter;

use crate::arguments::manage::{MigrateArguments, NewArguments, ScopeArguments, SwitchArguments};
use crate::arguments::trace::{ReplayArguments, TestArguments, TraceArguments};
use crate::names::hook_labels;

/// Holds a command for hooks.
#[derive(Debug, Clone, Args)]
pub(crate) struct HooksArguments {
    /// Print one JSON object
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// What is to be done; the list without it.
    #[command(subcommand)]
    pub(crate) command: Option<HooksCommand>,
}

/// Names what is done with hooks.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum HooksCommand {
    /// List all hooks, where they come from, and whether they run
    #[command(visible_aliases = ["panel", "show"])]
    List,
    /// Say for every hook of an event whether it would run, and why; runs nothing
    Why(WhyArguments),
    /// Fire an event with a realistic payload, and show what its hooks do
    Fire(FireArguments),
    /// Look for everything that is wrong with the configuration; runs nothing
    Check(CheckArguments),
    /// Trust the project's hooks as they are now: all, or those named
    Trust(NamesArguments),
    /// Take trust away from the project's hooks: all, or those named
    Untrust(NamesArguments),
    /// Show what hooks did: every run that is recorded
    Trace(TraceArguments),
    /// Run today's hooks on the input of a recorded run, and show what changed
    Replay(ReplayArguments),
    /// Run tests of hooks: payloads in a folder, with what must come of them
    Test(TestArguments),
    /// Show what hooks run, and what changed since they were trusted; runs nothing
    Review(ReviewArguments),
    /// Let a hook run again that was disabled by its name
    Enable(SwitchArguments),
    /// Keep a hook from running, by its name
    Disable(SwitchArguments),
    /// Turn hooks on
    EnableAll(ScopeArguments),
    /// Turn all hooks off
    DisableAll(ScopeArguments),
    /// Create a hook that runs at once, with a payload to try it with
    New(NewArguments),
    /// Print the JSON Schema of settings files
    Schema,
    /// Take over the hooks of another agent; runs and trusts nothing
    Migrate(MigrateArguments),
}

impl HooksCommand {
    /// Returns how the command is called, if what it does outlasts the run: options that hold for
    /// this run alone would be without effect on it.
    pub(crate) const fn lasting(&self) -> Option<&'static str> {
        match self {
            Self::Trust(_) | Self::Untrust(_) => Some("'trust' and 'untrust'"),
            Self::Trace(_) => Some("'trace'"),
            Self::Review(_) => Some("'review'"),
            Self::Enable(_) | Self::Disable(_) => Some("'enable' and 'disable'"),
            Self::EnableAll(_) | Self::DisableAll(_) => Some("'enable-all' and 'disable-all'"),
            Self::New(_) => Some("'new'"),
            Self::Schema => Some("'schema'"),
            Self::Migrate(_) => Some("'migrate'"),
            _ => None,
        }
    }
}

/// Holds the arguments of `why` (CM-4).
#[derive(Debug, Clone, Args)]
pub(crate) struct WhyArguments {
    /// The event, such as `BeforeTool`
    pub(crate) event: String,
    #[command(flatten)]
    pub(crate) subject: SubjectArguments,
}

/// Says what matchers are compared with.
#[derive(Debug, Clone, Args)]
pub(crate) struct SubjectArguments {
    /// The tool, for `BeforeTool` and `AfterTool`
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// The source, reason, trigger or type, for the other events that have one
    #[arg(long)]
    pub(crate) trigger: Option<String>,
}

/// Holds the arguments of `fire` (CM-5).
#[derive(Debug, Clone, Args)]
pub(crate) struct FireArguments {
    /// The event, such as `BeforeTool`
    pub(crate) event: String,
    #[command(flatten)]
    pub(crate) subject: SubjectArguments,
    /// JSON, @FILE, or - for standard input; its keys replace those of the payload
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    pub(crate) input: Option<String>,
    /// The user's prompt
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) prompt: Option<String>,
    /// Run only the hooks of this name
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Option<String>,
}

/// Holds the arguments of `check` (CM-3).
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct CheckArguments {
    /// Fail on warnings too
    #[arg(long)]
    pub(crate) strict: bool,
    /// Print annotations of GitHub, or SARIF for code scanning
    #[arg(long, value_enum, conflicts_with = "json")]
    pub(crate) format: Option<ReportFormat>,
}

/// Names a form in which CI systems read what was found (CM-3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Workflow commands of GitHub Actions
    Github,
    /// SARIF 2.1.0
    Sarif,
}

/// Names the hooks that a command is about.
#[derive(Debug, Clone, Args)]
pub(crate) struct NamesArguments {
    /// Names of hooks, or commands of those without one; all without any
    #[arg(value_name = "NAME", add = ArgValueCompleter::new(hook_labels))]
    pub(crate) names: Vec<String>,
}

/// Holds the arguments of `review` (TR-4).
#[derive(Debug, Clone, Args)]
pub(crate) struct ReviewArguments {
    /// The name of a hook, or the command of one without; all of the project without it
    #[arg(value_name = "NAME", add = ArgValueCompleter::new(hook_labels))]
    pub(crate) name: Option<String>,
}
