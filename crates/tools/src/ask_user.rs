//! The tool `ask_user`, and the port to the user.

use std::sync::Arc;

use hookloop_events::McpContext;
use serde_json::{Map, Value, json};
use tokio::sync::Mutex;

use crate::arguments::{flag, text};
use crate::wording::append;
use crate::{
    Access, Arguments, BoxFuture, Declaration, EditsFile, ErrorKind, Output, Preview, RunContext,
    Tool, ToolError, schema,
};

/// A question to the user (`agent.md` §4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The whole question.
    pub question: String,
    /// A short heading; may be empty.
    pub header: String,
    /// How it can be answered.
    pub kind: QuestionKind,
}

/// How a question can be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuestionKind {
    /// With one of the choices, or in the user's own words.
    One(Vec<Choice>),
    /// With any number of the choices, or in the user's own words.
    Several(Vec<Choice>),
    /// In the user's own words. The text is a placeholder.
    Words(String),
    /// With yes or no.
    YesOrNo,
}

/// One of the answers to choose from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The answer.
    pub label: String,
    /// An explanation; may be empty.
    pub description: String,
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoAnswer {
    /// The user doesn't want to answer.
    Dismissed,
    /// Nobody can answer.
    Nobody,
    /// Somebody is there, but only reads the answer: no question can be asked.
    NoDialog,
}

/// Asks the user: the port to the screen.
pub trait Asker: Send + Sync {
    /// Asks questions (at least one), and returns an answer for each, in order.
    ///
    /// The future is dropped when the turn is cancelled. It is never called twice at a time.
    fn ask<'a>(&'a self, questions: &'a [Question])
    -> BoxFuture<'a, Result<Vec<String>, NoAnswer>>;
}

/// Asks the user questions (`agent.md` §4).
pub struct AskUser {
    declaration: Declaration,
    asker: Option<Arc<dyn Asker>>,
    /// Calls that only read run in parallel, and two dialogs at once are too many.
    turn: Mutex<()>,
}

impl AskUser {
    /// Creates the tool. Without an asker, the model is told that nobody can answer.
    pub fn new(asker: Option<Arc<dyn Asker>>) -> Self {
        Self {
            declaration: Declaration {
                name: "ask_user".to_owned(),
                description: "Asks the user up to four questions, if a decision is theirs and \
                    nothing in the workspace settles it."
                    .to_owned(),
                parameters: parameters(),
                access: Access::Read,
            },
            asker,
            turn: Mutex::default(),
        }
    }
}

fn parameters() -> Value {
    json!({
        "type": "object",
        "properties": {
            "questions": {
                "type": "array",
                "minItems": 1,
                "maxItems": 4,
                "items": {
                    "type": "object",
                    "properties": {
                        "question": {
                            "type": "string",
                            "minLength": 1,
                            "description": "The whole question.",
                        },
                        "header": {
                            "type": "string",
                            "description": "A few words for it.",
                        },
                        "type": {
                            "type": "string",
                            "enum": ["choice", "text", "yesno"],
                            "description": "How it is answered; by default, with a choice.",
                        },
                        "options": {
                            "type": "array",
                            "description": "The choices, two to four; the user may also answer in their own words.",
                            "items": {
                                "type": "object",
                                "properties": {
                                    "label": {"type": "string", "minLength": 1},
                                    "description": {"type": "string"},
                                },
                                "required": ["label"],
                            },
                        },
                        "multiSelect": {
                            "type": "boolean",
                            "description": "Whether several choices may be selected.",
                        },
                        "placeholder": {
                            "type": "string",
                            "description": "Shown in an empty text field.",
                        },
                    },
                    "required": ["question"],
                },
            },
        },
        "required": ["questions"],
    })
}

impl Tool for AskUser {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn mcp_context(&self) -> Option<&McpContext> {
        None
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        schema::check(&self.declaration.parameters, arguments)?;
        questions(arguments).map(drop)
    }

    fn edits(&self) -> Option<&dyn EditsFile> {
        None
    }

    fn needs_person(&self, _arguments: &Arguments) -> bool {
        false
    }

    fn preview(&self, _arguments: &Arguments) -> Preview {
        Preview::info("Ask the user")
    }

    fn run<'a>(
        &'a self,
        arguments: Arc<Arguments>,
        context: RunContext<'a>,
    ) -> BoxFuture<'a, Output> {
        Box::pin(async move {
            let questions = match questions(&arguments) {
                Ok(questions) => questions,
                Err(error) => return Output::failed(error),
            };
            let Some(asker) = &self.asker else {
                return without_answer(NoAnswer::Nobody);
            };
            let dialogue = async {
                let _turn = self.turn.lock().await;
                asker.ask(&questions).await
            };
            tokio::select! {
                biased;
                () = context.cancel.cancelled() => Output::failed(ToolError::cancelled()),
                answers = dialogue => match answers {
                    Ok(answers) => answered(&questions, &answers),
                    Err(why) => without_answer(why),
                },
            }
        })
    }
}

fn without_answer(why: NoAnswer) -> Output {
    match why {
        NoAnswer::Dismissed => Output::new(
            "User dismissed ask_user dialog without answering.",
            "Not answered",
        ),
        NoAnswer::Nobody => Output::failed(ToolError::new(
            ErrorKind::Unavailable,
            "nobody is there to answer: this session runs without a user. Decide yourself, and \
             say what you assumed",
        )),
        NoAnswer::NoDialog => Output::failed(ToolError::new(
            ErrorKind::Unavailable,
            "the user's editor shows no questions of a tool. Ask in your answer, and end it there, \
             or decide yourself and say what you assumed",
        )),
    }
}

fn answered(questions: &[Question], answers: &[String]) -> Output {
    let mut by_index = Map::new();
    let mut shown = String::from("User answered:");
    for (index, (question, answer)) in questions.iter().zip(answers).enumerate() {
        by_index.insert(index.to_string(), Value::from(answer.as_str()));
        let name = if question.header.is_empty() {
            &question.question
        } else {
            &question.header
        };
        append(&mut shown, format_args!("\n  {name} → {answer}"));
    }
    Output::new(json!({ "answers": by_index }).to_string(), shown)
}

fn questions(arguments: &Arguments) -> Result<Vec<Question>, ToolError> {
    let items = arguments.get("questions").and_then(Value::as_array);
    let items: Vec<&Arguments> = items
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .collect();
    if items.is_empty() || items.len() > 4 {
        return Err(ToolError::invalid(
            "params/questions must be one to four questions",
        ));
    }
    items.into_iter().map(question).collect()
}

fn question(item: &Arguments) -> Result<Question, ToolError> {
    let own = |name: &str| text(item, name).unwrap_or_default().to_owned();
    let choices: Vec<Choice> = item
        .get("options")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .filter_map(|option| {
            Some(Choice {
                label: text(option, "label")?.to_owned(),
                description: text(option, "description").unwrap_or_default().to_owned(),
            })
        })
        .collect();
    let kind = match text(item, "type") {
        Some("text") => QuestionKind::Words(own("placeholder")),
        Some("yesno") => QuestionKind::YesOrNo,
        // Without choices, the answer is free text.
        None if choices.is_empty() => QuestionKind::Words(own("placeholder")),
        _ if choices.len() < 2 => {
            return Err(ToolError::invalid(
                "params/questions: a question of type choice needs at least two options",
            ));
        }
        _ if flag(item, "multiSelect") => QuestionKind::Several(choices),
        _ => QuestionKind::One(choices),
    };
    Ok(Question {
        question: own("question"),
        header: own("header"),
        kind,
    })
}
