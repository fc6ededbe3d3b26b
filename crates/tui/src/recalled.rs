//! The part of a resumed conversation that is shown again (SE-11).

use std::sync::Arc;

use hookloop_events::ToolArguments;
use hookloop_text::{Notice, NoticeKind};

use crate::call_text::Summary;
use crate::message::{CallLine, FinishedTool};
use crate::scrollback::{Extent, Scrollback};

/// An entry of an earlier conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Recalled {
    /// A prompt of the user.
    Prompt(String),
    /// A response of the model, as Markdown.
    Answer(String),
    /// A tool call.
    Tool {
        /// Its name.
        name: String,
        /// Its arguments.
        arguments: Arc<ToolArguments>,
        /// How it ended.
        end: RecalledEnd,
    },
    /// The line that marks the response before it as incomplete (LO-3).
    Incomplete(String),
    /// A note about the conversation.
    Note(String),
}

/// How a call of an earlier conversation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecalledEnd {
    /// With a result.
    Done,
    /// With an error.
    Failed,
}

impl Scrollback {
    /// Adds a part of an earlier conversation; a tool's call takes one line.
    pub(crate) fn recall(&mut self, piece: &Recalled) {
        match piece {
            Recalled::Prompt(text) => self.prompt(text),
            Recalled::Answer(text) => self.markdown(text),
            Recalled::Tool {
                name,
                arguments,
                end,
            } => {
                let call = CallLine {
                    id: String::new(),
                    tool: name.clone(),
                    summary: Summary::of(arguments),
                };
                let tool = FinishedTool {
                    call,
                    display: String::new(),
                    error: (*end == RecalledEnd::Failed).then(String::new),
                    was_cut_short: false,
                };
                self.tool(&tool, "", None, Extent::Folded);
            }
            Recalled::Incomplete(note) => {
                self.notice(&Notice::new(NoticeKind::Warning, note.clone()));
            }
            Recalled::Note(text) => self.notice(&Notice::new(NoticeKind::Info, text.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::styled::{Line, Palette};

    /// SE-11: prompts, answers and tools of an earlier session are shown, a tool in one line.
    #[test]
    fn an_earlier_conversation_is_shown() {
        let mut scrollback = Scrollback::new(40, Palette::Plain);
        let tool = |end| Recalled::Tool {
            name: "write_file".to_owned(),
            arguments: json!({ "file_path": "a.txt", "content": "long\nlong" })
                .as_object()
                .cloned()
                .unwrap_or_default()
                .into(),
            end,
        };
        for piece in [
            Recalled::Prompt("do it".to_owned()),
            tool(RecalledEnd::Done),
            tool(RecalledEnd::Failed),
            Recalled::Answer("# Done\n\nAll of **it**.".to_owned()),
        ] {
            scrollback.recall(&piece);
        }
        let rows: Vec<String> = scrollback.take().iter().map(Line::text).collect();
        let expected = [
            "> do it",
            "",
            "✓ write_file a.txt",
            "",
            "✗ write_file a.txt",
            "",
            "Done",
            "",
            "All of it.",
        ];
        assert_eq!(rows, expected);
    }
}
