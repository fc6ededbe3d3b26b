//! The event and the subject that a command is asked about.

use clap::Args;
use hookloop_events::{EventName, SubjectKind};
use hookloop_manage::{CommandFailure, Subject, near_matches};

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

/// Takes the subject of an event from the arguments. One that the event does not have, or that it never
/// has, is a mistake.
pub(crate) fn subject(
    event: EventName,
    arguments: &SubjectArguments,
) -> Result<Subject<'_>, CommandFailure> {
    let kind = event.subject_kind();
    if arguments.tool.is_some() && kind != SubjectKind::Tool {
        return Err(without_effect(event, "--tool"));
    }
    if arguments.trigger.is_some() && kind != SubjectKind::Word {
        return Err(without_effect(event, "--trigger"));
    }
    let Some(field) = event.subject_field() else {
        return Ok(Subject::None);
    };
    let words = event.subject_words();
    match arguments.tool.as_deref().or(arguments.trigger.as_deref()) {
        None => Ok(Subject::Unknown),
        Some(value) if kind == SubjectKind::Word && !words.contains(&value) => {
            let known = words.join(", ");
            let message = format!("{event} has no {field} \"{value}\"; use one of: {known}");
            Err(CommandFailure::bad_input(message).with_candidates(near_matches(value, words)))
        }
        Some(value) => Ok(Subject::Known { field, value }),
    }
}

fn without_effect(event: EventName, option: &str) -> CommandFailure {
    let instead = match event.subject_kind() {
        SubjectKind::Tool => "; use --tool",
        SubjectKind::Word => "; use --trigger",
        SubjectKind::None => "",
    };
    CommandFailure::bad_input(format!("{option} has no effect on {event}{instead}"))
}
