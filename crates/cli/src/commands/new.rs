//! `hooks new`: a hook that runs at once, its settings entry, and a payload to fire it with (CM-8).

use clap::{Args, ValueEnum};
use hookloop_manage::{
    CommandFailure, Created, CreatedView, Form, HookWishes, Language, NewType, Scope, Template,
    create_hook, still_off_warnings,
};
use hookloop_text::visible;

use crate::commands::context::{AdditionalReport, Context};
use crate::commands::scope::ScopeArgument;
use crate::output::Output;

/// Contains the arguments of `new` (CM-8).
#[derive(Debug, Clone, Args)]
pub(crate) struct NewArguments {
    /// The hook's name: letters, digits, "-", "_" and "."
    pub(crate) name: String,
    /// The event, such as `BeforeTool`
    #[arg(long)]
    pub(crate) event: String,
    /// What the hook checks at first (for `BeforeTool`)
    #[arg(long, value_enum)]
    pub(crate) template: Option<TemplateArgument>,
    /// The language to write the hook in
    #[arg(long, value_enum)]
    pub(crate) lang: LanguageArgument,
    /// Use the language's kit, and write a worker (python and node)
    #[arg(long)]
    pub(crate) kit: bool,
    /// The type of the hook
    #[arg(long = "type", value_enum, default_value = "command")]
    pub(crate) kind: TypeArgument,
    /// The tools, sources, reasons or triggers that the hook is for (default: all)
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) matcher: Option<String>,
    /// Whose settings to add the hook to
    #[arg(long, value_enum, default_value = "project")]
    pub(crate) scope: ScopeArgument,
}

/// Names the language of a new hook (CM-8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LanguageArgument {
    /// A shell script
    Bash,
    /// A Python 3 script
    Python,
    /// A script for Node.js
    Node,
    /// A crate that builds a WebAssembly component (with `--type plugin`)
    Rust,
}

/// Names what a new guard of tool calls does at first (CM-8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TemplateArgument {
    /// Refuse calls that contain a text from a list (the default)
    Marker,
    /// Refuse calls that name a .env file
    EnvFiles,
}

impl From<TemplateArgument> for Template {
    fn from(template: TemplateArgument) -> Self {
        match template {
            TemplateArgument::Marker => Self::Marker,
            TemplateArgument::EnvFiles => Self::EnvFiles,
        }
    }
}

/// Names how a new hook runs (HT-22).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TypeArgument {
    /// A program for each event
    Command,
    /// A WebAssembly component
    Plugin,
}

impl From<LanguageArgument> for Language {
    fn from(language: LanguageArgument) -> Self {
        match language {
            LanguageArgument::Bash => Self::Bash,
            LanguageArgument::Python => Self::Python,
            LanguageArgument::Node => Self::Node,
            LanguageArgument::Rust => Self::Rust,
        }
    }
}

impl From<TypeArgument> for NewType {
    fn from(kind: TypeArgument) -> Self {
        match kind {
            TypeArgument::Command => Self::Command,
            TypeArgument::Plugin => Self::Plugin,
        }
    }
}

/// Creates a hook. The person asked for it, so it is trusted as it is created.
pub(crate) fn new(
    context: &Context<'_>,
    arguments: &NewArguments,
) -> Result<Output, CommandFailure> {
    let wishes = HookWishes {
        name: &arguments.name,
        event: &arguments.event,
        template: arguments.template.map(Into::into),
        language: arguments.lang.into(),
        form: if arguments.kit {
            Form::Kit
        } else {
            Form::Plain
        },
        kind: arguments.kind.into(),
        matcher: arguments.matcher.as_deref(),
        scope: arguments.scope.into(),
    };
    let created = create_hook(context.task(), &wishes)?;
    let beside = AdditionalReport::all(&created.workspace);
    let output = context.say(beside, CreatedView::new(&created), |_| {
        describe(&created, arguments.kind)
    })?;
    let untrusted = created.untrusted.as_ref().map(ToString::to_string);
    Ok(output
        .warn(still_off_warnings(&created.workspace, &created.name))
        .warn(untrusted))
}

/// Lists the created files, and suggested next commands.
fn describe(created: &Created, kind: TypeArgument) -> String {
    let name = visible(&created.name);
    let trust = match (kind, created.scope) {
        (TypeArgument::Plugin, Scope::Project) => "build it, then trust what was built",
        (TypeArgument::Plugin, Scope::User) => "build it, and it runs in every project",
        (TypeArgument::Command, Scope::Project) => {
            "it is trusted in its present form, and runs at once"
        }
        (TypeArgument::Command, Scope::User) => "it runs at once, in every project",
    };
    let mut text = format!("created: {name}; {trust}\n");
    for file in &created.files {
        text.extend(["  ", &visible(&file.to_string_lossy()), "\n"]);
    }
    text.push_str("Try it:\n");
    for command in &created.next {
        text.extend(["  ", &visible(command), "\n"]);
    }
    text
}
