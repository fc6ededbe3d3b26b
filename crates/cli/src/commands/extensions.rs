//! The commands for extensions (EX-4): each works on values and returns what to print.

mod consent;
mod enablement;
mod install;
mod link;
mod list;
mod scaffold;
mod setting_values;
mod settings;
mod uninstall;
mod update;
mod view;
mod words;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use clap_complete::engine::ArgValueCompleter;
use hookloop_manage::CommandFailure;
use hookloop_session::{Environment, RunOptions, Workspace};
use tokio_util::sync::CancellationToken;

use crate::commands::person::{Change, Effect};
use crate::commands::scope::ScopeArguments;
use crate::commands::{Beside, Context, Format, Named, failed};
use crate::names::extension_names;
use crate::output::{Exit, Output};
use view::ExtensionChangeView;

/// Holds a command for extensions.
#[derive(Debug, Clone, Args)]
pub(crate) struct ExtensionsArguments {
    /// Print one JSON object
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// What is to be done; the list without it.
    #[command(subcommand)]
    pub(crate) command: Option<ExtensionsCommand>,
}

/// Names what is done with extensions.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum ExtensionsCommand {
    /// List all extensions
    List,
    /// Install an extension from a folder or a git repository
    Install(InstallArguments),
    /// Update one extension, or all
    Update(UpdateArguments),
    /// Remove one of your extensions
    Uninstall(ExtensionArguments),
    /// Enable an extension again
    Enable(EnablementArguments),
    /// Disable an extension
    Disable(EnablementArguments),
    /// Use an extension where it is, without copying it
    Link(LinkArguments),
    /// Set the values of an extension's settings, and show where they are stored
    Settings(ExtensionSettingsArguments),
    /// Create an extension with a first hook
    New(NewExtensionArguments),
}

/// Holds what was agreed to beforehand.
#[derive(Debug, Clone, Args)]
pub(crate) struct ConsentArguments {
    /// Agree to what the extension brings without being asked
    #[arg(long)]
    pub(crate) consent: bool,
    /// A setting of the extension; may be given several times
    #[arg(
        long = "setting",
        value_name = "NAME=VALUE",
        allow_hyphen_values = true
    )]
    pub(crate) settings: Vec<String>,
}

/// Holds the arguments of `install`.
#[derive(Debug, Clone, Args)]
pub(crate) struct InstallArguments {
    /// A folder, or the address of a git repository
    #[arg(value_name = "PATH|URL")]
    pub(crate) source: String,
    /// The branch or tag of the repository
    #[arg(long = "ref", value_name = "REF")]
    pub(crate) reference: Option<String>,
    #[command(flatten)]
    pub(crate) consent: ConsentArguments,
}

/// Holds the arguments of `update`.
#[derive(Debug, Clone, Args)]
pub(crate) struct UpdateArguments {
    /// The extension
    #[arg(
        value_name = "NAME",
        required_unless_present = "all",
        conflicts_with = "all",
        add = ArgValueCompleter::new(extension_names)
    )]
    pub(crate) name: Option<String>,
    /// All of your extensions
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) consent: ConsentArguments,
}

/// Names an extension.
#[derive(Debug, Clone, Args)]
pub(crate) struct ExtensionArguments {
    /// The extension
    #[arg(value_name = "NAME", add = ArgValueCompleter::new(extension_names))]
    pub(crate) name: String,
}

/// Holds the arguments of `settings`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ExtensionSettingsArguments {
    /// The extension
    #[arg(value_name = "NAME", add = ArgValueCompleter::new(extension_names))]
    pub(crate) name: String,
    /// A setting of the extension; may be given several times
    #[arg(
        long = "setting",
        value_name = "NAME=VALUE",
        allow_hyphen_values = true
    )]
    pub(crate) settings: Vec<String>,
}

/// Holds the arguments of `enable` and `disable`.
#[derive(Debug, Clone, Args)]
pub(crate) struct EnablementArguments {
    /// The extension
    #[arg(value_name = "NAME", add = ArgValueCompleter::new(extension_names))]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) scope: ScopeArguments,
}

/// Holds the arguments of `link`.
#[derive(Debug, Clone, Args)]
pub(crate) struct LinkArguments {
    /// The folder of the extension
    pub(crate) path: PathBuf,
    #[command(flatten)]
    pub(crate) consent: ConsentArguments,
}

/// Holds the arguments of `new`.
#[derive(Debug, Clone, Args)]
pub(crate) struct NewExtensionArguments {
    /// The folder to create; its name is the extension's
    pub(crate) path: PathBuf,
}

impl ExtensionsArguments {
    /// Says what the command does to what guards are made of (TR-11). A new one has to decide.
    pub(crate) fn effect(&self) -> Effect<'_> {
        let Some(command) = &self.command else {
            return Effect::Reads;
        };
        let path = match command {
            ExtensionsCommand::List => return Effect::Reads,
            ExtensionsCommand::New(arguments) => Some(arguments.path.as_path()),
            ExtensionsCommand::Install(_)
            | ExtensionsCommand::Update(_)
            | ExtensionsCommand::Uninstall(_)
            | ExtensionsCommand::Enable(_)
            | ExtensionsCommand::Disable(_)
            | ExtensionsCommand::Link(_)
            | ExtensionsCommand::Settings(_) => None,
        };
        Effect::Changes(Change {
            name: name(command),
            json: self.json,
            path,
        })
    }
}

/// Runs a command for extensions.
pub(crate) fn run(arguments: &ExtensionsArguments, environment: &Environment) -> Output {
    let list = ExtensionsCommand::List;
    let command = arguments.command.as_ref().unwrap_or(&list);
    let context = Context {
        name: name(command),
        format: Format::new(arguments.json, environment),
        environment,
        run: &RunOptions::default(),
        stop: CancellationToken::new(),
    };
    let done = match command {
        ExtensionsCommand::List => list::list(&context),
        ExtensionsCommand::Install(arguments) => install::install(&context, arguments),
        ExtensionsCommand::Update(arguments) => update::update(&context, arguments),
        ExtensionsCommand::Uninstall(arguments) => uninstall::uninstall(&context, &arguments.name),
        ExtensionsCommand::Enable(arguments) => enablement::enable(&context, arguments),
        ExtensionsCommand::Disable(arguments) => enablement::disable(&context, arguments),
        ExtensionsCommand::Link(arguments) => link::link(&context, arguments),
        ExtensionsCommand::Settings(arguments) => settings::settings(&context, arguments),
        ExtensionsCommand::New(arguments) => scaffold::new(&context, arguments),
    };
    done.unwrap_or_else(|failure| failed(&context, &failure))
}

fn name(command: &ExtensionsCommand) -> Named {
    Named(match command {
        ExtensionsCommand::List => "extensions list",
        ExtensionsCommand::Install(_) => "extensions install",
        ExtensionsCommand::Update(_) => "extensions update",
        ExtensionsCommand::Uninstall(_) => "extensions uninstall",
        ExtensionsCommand::Enable(_) => "extensions enable",
        ExtensionsCommand::Disable(_) => "extensions disable",
        ExtensionsCommand::Link(_) => "extensions link",
        ExtensionsCommand::Settings(_) => "extensions settings",
        ExtensionsCommand::New(_) => "extensions new",
    })
}

/// Holds what became of extensions.
#[derive(Debug, Default)]
struct Done {
    /// The extensions that are another now.
    names: Vec<String>,
    /// The files and folders that were written.
    files: Vec<std::path::PathBuf>,
    /// What was done, for people.
    told: String,
    /// What they should know besides.
    notices: String,
}

impl Done {
    fn new(name: &str, file: &Path, told: String) -> Self {
        Self {
            names: vec![name.to_owned()],
            files: vec![file.to_owned()],
            told,
            notices: String::new(),
        }
    }

    /// Tells of it, with the diagnostics of the workspace as it is now.
    fn report(self, context: &Context<'_>, exit: Exit) -> Result<Output, CommandFailure> {
        let workspace = Workspace::open(context.environment, context.run);
        let view = ExtensionChangeView {
            changed: !self.files.is_empty(),
            names: self.names,
            files: self
                .files
                .iter()
                .map(|it| it.to_string_lossy().into_owned())
                .collect(),
        };
        let mut output = context.say(Beside::of_sources(&workspace), view, |_| self.told)?;
        output.notices.push_str(&self.notices);
        Ok(output.ending(exit))
    }
}
