//! The commands for extensions (EX-4).

use std::path::PathBuf;

use clap::{Args, Subcommand};
use clap_complete::engine::ArgValueCompleter;

use crate::arguments::manage::ScopeArguments;
use crate::names::extension_names;

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
    /// Fetch the newest state of an extension: of one, or of all
    Update(UpdateArguments),
    /// Remove an extension of the user's
    Uninstall(ExtensionArguments),
    /// Let an extension take part again
    Enable(EnablementArguments),
    /// Keep an extension from taking part
    Disable(EnablementArguments),
    /// Use an extension where it is, without copying it
    Link(LinkArguments),
    /// Give values to the settings of an extension, and say where they are kept
    Settings(ExtensionSettingsArguments),
    /// Create an extension with a hook to begin with
    New(NewExtensionArguments),
}

/// Holds what was agreed to beforehand.
#[derive(Debug, Clone, Args)]
pub(crate) struct ConsentArguments {
    /// Agree to what the extension brings, without being asked
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
    /// All extensions of the user's
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
