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

use std::path::Path;

use hookloop_session::{Environment, RunOptions, Workspace};
use tokio_util::sync::CancellationToken;

use crate::arguments::{ExtensionsArguments, ExtensionsCommand};
use crate::commands::{CommandFailure, Context, Format, Named, failed};
use crate::output::{Exit, Output};
use crate::text;
use crate::views::{self, ExtensionChangeView};

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
        let problems = &workspace.problems;
        let (result, notices) = match context.format {
            Format::Json => {
                let view = ExtensionChangeView {
                    changed: !self.files.is_empty(),
                    names: self.names,
                    files: super::texts(&self.files),
                };
                let root = &workspace.project_root;
                let document = views::document(context.name, root, view, problems)?;
                (document, self.notices)
            }
            Format::Text { notices, .. } => (
                self.told,
                text::diagnostics(problems, notices) + &self.notices,
            ),
        };
        Ok(Output {
            result,
            notices,
            exit,
        })
    }
}
