//! The question before a tool runs, as values for the screen (TU-3).

use std::sync::Arc;

use hookloop_agent::Confirmation;
use hookloop_events::ToolArguments;
use hookloop_tools::Subject;

use crate::diff::diff_lines;
use crate::markdown;
use crate::styled::{Line, Palette, Style, Tone};
use crate::wrap::wrap_all;
use hookloop_text::{visible_cells, visible_row};

/// A question about a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Question {
    /// The call's id.
    pub(crate) call: String,
    pub(crate) matter: Matter,
    pub(crate) arguments: Arc<ToolArguments>,
    /// What hooks and the tool say about it.
    pub(crate) remarks: Vec<Line>,
    /// What "Allow always" means, if it is offered.
    pub(crate) always: Option<String>,
}

/// What the user has to agree to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Matter {
    /// That a tool runs.
    Call {
        tool: String,
        /// What the call would do: a diff, a command, or the arguments.
        subject: Vec<Line>,
    },
    /// That a plan, in Markdown, is carried out (TO-6).
    Plan(String),
}

impl Matter {
    /// Returns what is asked, in a line.
    pub(crate) fn title(&self) -> Line {
        let strong = Style::default().strong();
        match self {
            Self::Call { tool, .. } => Line::plain("Allow ")
                .with(tool.clone(), strong)
                .with("?", Style::default()),
            Self::Plan(_) => Line::new("Carry out this plan?", strong),
        }
    }

    /// Returns its subject, in lines that fit.
    pub(crate) fn lines(&self, columns: usize, palette: Palette) -> Vec<Line> {
        match self {
            Self::Call { subject, .. } => wrap_all(subject, columns, 2),
            Self::Plan(plan) => {
                let mut lines = vec![Line::default()];
                lines.extend(markdown::render(plan, columns, palette));
                lines
            }
        }
    }
}

impl From<&Confirmation<'_>> for Question {
    fn from(confirmation: &Confirmation<'_>) -> Self {
        let call = confirmation.call;
        let always = confirmation
            .for_session
            .map(|grant| match confirmation.reason {
                None => grant.to_string(),
                Some(_) => format!("{grant}; the hook may ask again"),
            });
        let tool = match confirmation.agent {
            None => call.name.clone(),
            Some(agent) => format!("{}: {}", agent.agent_name, call.name),
        };
        let matter = match &confirmation.preview.subject {
            Subject::Plan { plan } => Matter::Plan(plan.clone()),
            _ => Matter::Call {
                tool: visible_row(&tool),
                subject: subject(confirmation),
            },
        };
        Self {
            call: call.id.clone(),
            matter,
            arguments: Arc::clone(&call.arguments),
            remarks: remarks(confirmation),
            always: always.map(|it| visible_row(&it)),
        }
    }
}

fn subject(confirmation: &Confirmation<'_>) -> Vec<Line> {
    let arguments = || plain_lines(&pretty(&confirmation.call.arguments));
    match &confirmation.preview.subject {
        Subject::Edit {
            file_path, diff, ..
        } => {
            let file = visible_row(&file_path.to_string_lossy());
            let mut lines = vec![Line::new(file, Style::default().strong())];
            let stays = diff.trim().is_empty();
            if stays && confirmation.preview.problem.is_some() {
                lines.extend(arguments());
            } else if stays {
                let text = "The file stays as it is: it already contains what would be written.";
                lines.push(Line::plain(text));
            } else {
                lines.extend(diff_lines(diff));
            }
            lines
        }
        Subject::Exec {
            command, directory, ..
        } => {
            let mut lines = plain_lines(command);
            for (index, line) in lines.iter_mut().enumerate() {
                let mark = if index == 0 { "$ " } else { "  " };
                let text = line.text();
                *line = Line::new(mark, Tone::Faint).with(text, Style::default().strong());
            }
            let place = visible_row(&directory.to_string_lossy());
            lines.push(Line::new(format!("in {place}"), Tone::Faint));
            lines
        }
        Subject::Info { prompt, urls } => {
            let mut lines = plain_lines(prompt);
            lines.extend(
                urls.iter()
                    .map(|url| Line::new(visible_row(url), Tone::Link)),
            );
            lines.extend(arguments());
            lines
        }
        Subject::Plan { plan } => plain_lines(plan),
        Subject::Mcp {
            server_name,
            tool_name,
        } => {
            let title = format!("{tool_name} of the MCP server {server_name}");
            let mut lines = vec![Line::plain(visible_row(&title))];
            lines.extend(arguments());
            lines
        }
    }
}

fn remarks(confirmation: &Confirmation<'_>) -> Vec<Line> {
    let mut lines = Vec::new();
    if let Some(caution) = &confirmation.preview.caution {
        lines.extend(toned(caution, Tone::Warning));
    }
    let changed = &confirmation.call.changed_arguments;
    if !changed.is_empty() {
        let names = visible_row(&changed.join(", "));
        lines.push(Line::new(format!("A hook changed: {names}"), Tone::Warning));
    }
    if let Some(problem) = &confirmation.preview.problem {
        let text = format!("This call would fail: {}", problem.message);
        lines.extend(toned(&text, Tone::Warning));
    }
    if let Some(reason) = confirmation.reason {
        let asks = describe_askers(confirmation.asking);
        lines.extend(toned(&format!("{asks}: {reason}"), Tone::Warning));
    }
    for message in confirmation.messages {
        let text = format!("Hook system message: {}", message.text);
        lines.extend(toned(&text, Tone::Accent));
    }
    lines
}

/// Returns which hooks ask (TU-6).
fn describe_askers(labels: &[String]) -> String {
    match labels {
        [] => "A hook asks".to_owned(),
        [hook] => format!("The hook \"{hook}\" asks"),
        hooks => format!("The hooks \"{}\" ask", hooks.join("\", \"")),
    }
}

/// Returns arguments in a form that people read and edit.
pub(crate) fn pretty(arguments: &ToolArguments) -> String {
    serde_json::to_string_pretty(arguments).unwrap_or_default()
}

fn plain_lines(text: &str) -> Vec<Line> {
    toned(text, Tone::Plain)
}

fn toned(text: &str, tone: Tone) -> Vec<Line> {
    let text = visible_cells(text);
    text.lines().map(|line| Line::new(line, tone)).collect()
}
