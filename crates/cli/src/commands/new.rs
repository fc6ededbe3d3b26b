//! `hooks new`: a hook that runs at once, its settings entry, and a payload to fire it with (CM-8).

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use hookloop_manage::{
    CommandFailure, Created, CreatedView, Form, HookWishes, Language, NewType, Scope, Template,
    create_hook, still_off_warnings,
};
use hookloop_text::visible;

use crate::commands::context::{AdditionalReport, Context};
use crate::names::event_names;
use crate::output::Output;

/// Contains the arguments of `new` (CM-8).
#[derive(Debug, Clone, Args)]
pub(crate) struct NewArguments {
    /// The hook's name: letters, digits, "-", "_" and "."
    pub(crate) name: String,
    /// The event, such as `BeforeTool`
    #[arg(long, add = ArgValueCompleter::new(event_names))]
    pub(crate) event: String,
    /// What the hook checks at first (for `BeforeTool`)
    #[arg(long, value_enum)]
    pub(crate) template: Option<Template>,
    /// The language to write the hook in
    #[arg(long, value_enum)]
    pub(crate) lang: Language,
    /// Use the language's kit, and write a worker (python and node)
    #[arg(long)]
    pub(crate) kit: bool,
    /// The type of the hook
    #[arg(long = "type", value_enum, default_value = "command")]
    pub(crate) kind: NewType,
    /// The tools, sources, reasons or triggers that the hook is for (default: all)
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) matcher: Option<String>,
    /// Whose settings to add the hook to
    #[arg(long, value_enum, default_value = "project")]
    pub(crate) scope: Scope,
}

/// Creates a hook. The person asked for it, so it is trusted as it is created.
pub(crate) fn new(
    context: &Context<'_>,
    arguments: &NewArguments,
) -> Result<Output, CommandFailure> {
    let wishes = HookWishes {
        name: &arguments.name,
        event: &arguments.event,
        template: arguments.template,
        language: arguments.lang,
        form: if arguments.kit {
            Form::Kit
        } else {
            Form::Plain
        },
        kind: arguments.kind,
        matcher: arguments.matcher.as_deref(),
        scope: arguments.scope,
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
fn describe(created: &Created, kind: NewType) -> String {
    let name = visible(&created.name);
    let trust = match (kind, created.scope) {
        (NewType::Plugin, Scope::Project) => "build it, then trust what was built",
        (NewType::Plugin, Scope::User) => "build it, and it runs in every project",
        (NewType::Command, Scope::Project) => "it is trusted in its present form, and runs at once",
        (NewType::Command, Scope::User) => "it runs at once, in every project",
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
