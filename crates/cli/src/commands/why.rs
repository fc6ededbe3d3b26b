//! `hooks why`: for every hook of an event, whether it would run, and why (CM-4).

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use hookloop_engine::Subject;
use hookloop_events::EventName;
use hookloop_manage::{
    CommandFailure, ExplanationView, Staged, SubjectView, WhyView, Wishes, event, explain_payload,
    text,
};
use hookloop_session::uncovered;
use hookloop_text::visible;

use crate::commands::context::{AdditionalReport, Context};
use crate::commands::fire::{SubjectArguments, read_given};
use crate::names::event_names;
use crate::output::Output;

/// Contains the arguments of `why` (CM-4).
#[derive(Debug, Clone, Args)]
pub(crate) struct WhyArguments {
    /// The event, such as `BeforeTool`
    #[arg(add = ArgValueCompleter::new(event_names))]
    pub(crate) event: String,
    #[command(flatten)]
    pub(crate) subject: SubjectArguments,
    /// What the event is about, so that conditions can be decided: JSON, @FILE, or - for standard
    /// input
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    pub(crate) input: Option<String>,
}

/// Explains which hooks of an event would run; runs nothing (TR-7).
pub(crate) fn why(
    context: &Context<'_>,
    arguments: &WhyArguments,
) -> Result<Output, CommandFailure> {
    let event = event(&arguments.event)?;
    let subject = arguments.subject.of(event)?;
    let workspace = context.task().workspace();
    let registry = workspace.registry();
    let explanation = match &arguments.input {
        None => registry.explain(event, subject.for_engine()),
        Some(input) => {
            let wishes = Wishes {
                given: read_given(Some(input), &context.environment.current_dir)?,
                subject: Some(subject),
                prompt: None,
            };
            let staged = Staged::new(context.environment, &workspace, event, wishes)?;
            let task = context.task();
            explain_payload(task, &workspace, &registry, event, &staged.payload)
        }
    };
    let view = WhyView {
        event,
        subject: SubjectView::of(subject),
        explanation: ExplanationView::new(&explanation),
    };
    let output = context.say(AdditionalReport::all(&workspace), view, |output| {
        let heading = text::event_heading(event, SubjectView::of(subject));
        let mut explained = text::explanation(&heading, &explanation, output);
        if let (Subject::Known(name), EventName::BeforeTool) = (subject.for_engine(), event) {
            for line in uncovered(&registry, &[name.to_owned()]) {
                explained.push_str(&visible(&line));
                explained.push('\n');
            }
        }
        explained
    })?;
    let doubt: Vec<String> = arguments.subject.doubt().into_iter().collect();
    Ok(output.warn(&doubt))
}
