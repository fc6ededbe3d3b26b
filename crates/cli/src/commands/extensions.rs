//! The commands for extensions (EX-4): each works on values and returns what to print.

mod consent;
mod words;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use clap_complete::engine::ArgValueCompleter;
use hookloop_hook::{Problem, Severity};
use hookloop_manage::{
    Agreement, CommandFailure, InstalledExtension, SwitchedExtension, Update, create_extension,
    disable_extension, enable_extension, install_extension, link_extension, list_extensions,
    set_extension_settings, uninstall_extension, update_extension, update_extensions,
    validate_extension,
};
use hookloop_session::{Environment, Workspace};
use hookloop_text::{shell_word, visible};
use serde::Serialize;

use crate::commands::context::{AdditionalReport, Context, Format, failure_output};
use crate::commands::person::{Change, Effect};
use crate::commands::switch::ScopeArguments;
use crate::names::extension_names;
use crate::output::{Exit, Output};
pub(crate) use consent::AtTerminal;

/// Contains a command for extensions.
#[derive(Debug, Clone, Args)]
pub(crate) struct ExtensionsArguments {
    /// Print one JSON object
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// What to do; the list without it.
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
    Uninstall {
        /// The extension
        #[arg(value_name = "NAME", add = ArgValueCompleter::new(extension_names))]
        name: String,
    },
    /// Enable an extension again
    Enable(EnablementArguments),
    /// Disable an extension
    Disable(EnablementArguments),
    /// Use an extension where it is, without copying it
    Link {
        /// The folder of the extension
        path: PathBuf,
        #[command(flatten)]
        consent: ConsentArguments,
    },
    /// Set the values of an extension's settings, and show where they are stored
    Settings {
        /// The extension
        #[arg(value_name = "NAME", add = ArgValueCompleter::new(extension_names))]
        name: String,
        /// A setting of the extension; may be given several times
        #[arg(
            long = "setting",
            value_name = "NAME=VALUE",
            allow_hyphen_values = true
        )]
        settings: Vec<String>,
    },
    /// Create an extension with a first hook
    New {
        /// The folder to create; its name is the extension's
        path: PathBuf,
    },
    /// Check the extension of a folder, and show what it brings; nothing is installed
    Validate {
        /// The folder of the extension
        path: PathBuf,
    },
}

/// Contains what was agreed to in advance.
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

/// Contains the arguments of `install`.
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

/// Contains the arguments of `update`.
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

/// Contains the arguments of `enable` and `disable`.
#[derive(Debug, Clone, Args)]
pub(crate) struct EnablementArguments {
    /// The extension
    #[arg(value_name = "NAME", add = ArgValueCompleter::new(extension_names))]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) scope: ScopeArguments,
}

impl ExtensionsArguments {
    /// Returns the command's effect on files that guards depend on (TR-11). Every new command has
    /// to define it.
    pub(crate) fn effect(&self) -> Effect<'_> {
        let Some(command) = &self.command else {
            return Effect::Reads;
        };
        let path = match command {
            ExtensionsCommand::List | ExtensionsCommand::Validate { .. } => return Effect::Reads,
            ExtensionsCommand::New { path } => Some(path.as_path()),
            ExtensionsCommand::Install(_)
            | ExtensionsCommand::Update(_)
            | ExtensionsCommand::Uninstall { .. }
            | ExtensionsCommand::Enable(_)
            | ExtensionsCommand::Disable(_)
            | ExtensionsCommand::Link { .. }
            | ExtensionsCommand::Settings { .. } => None,
        };
        Effect::Changes(Change {
            json: self.json,
            path,
        })
    }
}

/// Runs a command for extensions.
pub(crate) fn run(
    arguments: &ExtensionsArguments,
    name: &str,
    environment: &Environment,
) -> Output {
    let list = ExtensionsCommand::List;
    let command = arguments.command.as_ref().unwrap_or(&list);
    let format = Format::new(arguments.json, environment);
    let context = Context::plain(name, format, environment);
    carry_out(command, &context).unwrap_or_else(|failure| failure_output(&context, &failure))
}

fn carry_out(command: &ExtensionsCommand, context: &Context<'_>) -> Result<Output, CommandFailure> {
    let task = context.task();
    match command {
        ExtensionsCommand::List => list(context),
        ExtensionsCommand::Install(wanted) => {
            let consent = at_terminal(context, wanted.consent.consent);
            let agreement = agreement(&consent, &wanted.consent.settings);
            let reference = wanted.reference.as_deref();
            let installed = install_extension(task, &wanted.source, reference, agreement)?;
            Done::default().with(installed, "installed").report(context)
        }
        ExtensionsCommand::Link { path, consent } => {
            let asked = at_terminal(context, consent.consent);
            let linked = link_extension(task, path, agreement(&asked, &consent.settings))?;
            Done::default().with(linked, "linked").report(context)
        }
        ExtensionsCommand::Update(wanted) => {
            let consent = at_terminal(context, wanted.consent.consent);
            let agreement = agreement(&consent, &wanted.consent.settings);
            update(context, wanted.name.as_deref(), agreement)
        }
        ExtensionsCommand::Uninstall { name } => uninstall(context, name),
        ExtensionsCommand::Enable(wanted) => {
            let switched = enable_extension(task, &wanted.name, wanted.scope.scope)?;
            switched_to(context, &wanted.name, "enabled", switched)
        }
        ExtensionsCommand::Disable(wanted) => {
            let switched = disable_extension(task, &wanted.name, wanted.scope.scope)?;
            switched_to(context, &wanted.name, "disabled", switched)
        }
        ExtensionsCommand::Settings { name, settings } => set(context, name, settings),
        ExtensionsCommand::New { path } => create(context, path),
        ExtensionsCommand::Validate { path } => validate(context, path),
    }
}

const fn at_terminal<'a>(context: &Context<'a>, has_agreed: bool) -> AtTerminal<'a> {
    AtTerminal {
        environment: context.environment,
        has_agreed,
    }
}

const fn agreement<'a>(consent: &'a AtTerminal<'_>, values: &'a [String]) -> Agreement<'a> {
    Agreement { consent, values }
}

/// Lists all extensions; runs nothing (TR-7).
fn list(context: &Context<'_>) -> Result<Output, CommandFailure> {
    let workspace = Workspace::open(context.environment, context.run);
    let view = list_extensions(&workspace, context.environment);
    context.say(AdditionalReport::all(&workspace), &view, |output| {
        words::extensions(&view.extensions, output)
    })
}

/// Updates one extension, or all, from their sources.
fn update(
    context: &Context<'_>,
    name: Option<&str>,
    agreement: Agreement<'_>,
) -> Result<Output, CommandFailure> {
    let task = context.task();
    let updates = match name {
        Some(name) => {
            let update = update_extension(task, name, agreement)?;
            vec![(name.to_owned(), Ok(update))]
        }
        None => update_extensions(task, agreement),
    };
    let mut done = Done::default();
    for (name, update) in updates {
        let shown = visible(&name);
        match update {
            Ok(Update::Updated(installed)) => done = done.with(*installed, "updated"),
            Ok(Update::UpToDate) => done.text.extend(["up to date: ", &shown, "\n"]),
            Ok(Update::Linked) => {
                done.text
                    .extend(["linked, and always up to date: ", &shown, "\n"]);
            }
            Err(failure) => {
                done.warnings
                    .push(format!("\"{name}\": {}", failure.message));
                done.exit = Exit::Failed;
            }
        }
    }
    if done.text.is_empty() && done.exit == Exit::Done {
        "there are no extensions to update\n".clone_into(&mut done.text);
    }
    done.report(context)
}

/// Removes one of the user's extensions; of a linked one, only the link.
fn uninstall(context: &Context<'_>, name: &str) -> Result<Output, CommandFailure> {
    let uninstalled = uninstall_extension(context.task(), name)?;
    let text = match &uninstalled.linked {
        Some(target) => words::unlinked(name, target),
        None => format!("uninstalled: {}\n", visible(name)),
    };
    let done = Done {
        names: vec![name.to_owned()],
        files: vec![uninstalled.folder],
        text,
        warnings: uninstalled.warnings,
        exit: Exit::Done,
    };
    done.report(context)
}

/// Reports that an extension is enabled or disabled.
fn switched_to(
    context: &Context<'_>,
    name: &str,
    verb: &str,
    switched: SwitchedExtension,
) -> Result<Output, CommandFailure> {
    let done = Done {
        names: vec![name.to_owned()],
        text: words::extension_switched(name, verb, !switched.files.is_empty()),
        files: switched.files,
        exit: if switched.stays_disabled.is_some() {
            Exit::Failed
        } else {
            Exit::Done
        },
        warnings: switched.stays_disabled.into_iter().collect(),
    };
    done.report(context)
}

/// Sets values, asks for missing ones if a person is present, and reports where all of them are
/// stored.
fn set(context: &Context<'_>, name: &str, values: &[String]) -> Result<Output, CommandFailure> {
    // If values are given as arguments, as in a script, the others aren't asked for.
    let consent = at_terminal(context, !values.is_empty());
    let agreement = agreement(&consent, values);
    let settings = set_extension_settings(context.task(), name, agreement)?;
    let done = Done {
        text: words::extension_settings(&settings.bundle, &settings.kept),
        names: vec![settings.bundle.name],
        files: settings.written.into_iter().collect(),
        warnings: settings.warnings,
        exit: Exit::Done,
    };
    done.report(context)
}

/// Creates the folder of an extension; an existing one is never touched.
fn create(context: &Context<'_>, path: &Path) -> Result<Output, CommandFailure> {
    let folder = context.environment.current_dir.join(path);
    let created = create_extension(&folder)?;
    let shown = shell_word(&path.to_string_lossy());
    let text = format!(
        "created: {}\nTry it:\n  hookloop extensions link {}\n",
        visible(&folder.to_string_lossy()),
        visible(&shown)
    );
    let done = Done {
        names: vec![created.name],
        files: created.files,
        text,
        ..Done::default()
    };
    done.report(context)
}

/// Shows the contents of a folder's extension, and its problems.
fn validate(context: &Context<'_>, path: &Path) -> Result<Output, CommandFailure> {
    let bundle = validate_extension(context.task(), path)?;
    let beside = AdditionalReport {
        problems: &bundle.problems,
        ..AdditionalReport::without_problems(&context.environment.current_dir)
    };
    let names = [bundle.name.clone()];
    let view = DoneView {
        changed: false,
        names: &names,
        files: Vec::new(),
    };
    let is_broken = |it: &Problem| it.severity == Severity::Error;
    let is_broken = bundle.problems.iter().any(is_broken);
    let mut output = context.say(beside, view, |terminal| {
        let brings = words::bundle(&bundle, &[], terminal);
        let verdict = if is_broken { "is broken" } else { "is valid" };
        format!("{brings}{} {verdict}\n", visible(&bundle.name))
    })?;
    if is_broken {
        output.exit = Exit::Failed;
    }
    Ok(output)
}

/// Contains what was done to extensions.
#[derive(Debug, Default)]
struct Done {
    /// The extensions that were changed.
    names: Vec<String>,
    /// The files and folders that were written.
    files: Vec<PathBuf>,
    /// What was done, for people.
    text: String,
    /// Warnings for people, each as a sentence.
    warnings: Vec<String>,
    /// The exit code.
    exit: Exit,
}

/// Shows what was done to extensions.
#[derive(Debug, Serialize)]
struct DoneView<'a> {
    changed: bool,
    names: &'a [String],
    files: Vec<Cow<'a, str>>,
}

impl Done {
    /// Adds an installed extension.
    fn with(mut self, installed: InstalledExtension, verb: &str) -> Self {
        let InstalledExtension {
            bundle,
            place,
            warnings,
        } = installed;
        self.text
            .push_str(&words::describe_installed(&bundle, &place, verb));
        self.names.push(bundle.name);
        self.files.push(place);
        self.warnings.extend(warnings);
        self
    }

    /// Formats the result, with the diagnostics of the resulting workspace.
    fn report(self, context: &Context<'_>) -> Result<Output, CommandFailure> {
        let workspace = Workspace::open(context.environment, context.run);
        let view = DoneView {
            changed: !self.files.is_empty(),
            names: &self.names,
            files: self.files.iter().map(|it| it.to_string_lossy()).collect(),
        };
        let output = context.say(AdditionalReport::for_sources(&workspace), view, |_| {
            self.text
        })?;
        Ok(output.warn(&self.warnings).ending(self.exit))
    }
}
