//! Calls and their responses, for APIs that pair them by ids.

use std::collections::{HashSet, VecDeque};

use serde_json::{Map, Value};

use crate::chunk::{Candidate, Chunk};
use crate::content::{Content, Speaker};
use crate::function::{FunctionCall, FunctionResponse};
use crate::http::failure::plain_line;
use crate::part::Part;

/// The response to a call that has none, since servers require a response for each.
pub(crate) const UNANSWERED: &str = "The call wasn't answered.";

/// A call that waits for its response.
struct OpenCall {
    id: String,
    name: String,
    /// The id of the call in the conversation, which the response repeats.
    own_id: Option<String>,
}

/// Gives every call a separate id, and finds the call that a response is for.
#[derive(Default)]
pub(crate) struct Pairing {
    /// The calls of the model's last turn that have no response yet.
    open: VecDeque<OpenCall>,
    /// Every id so far: an id may stand for one call only.
    ids: HashSet<String>,
}

impl Pairing {
    /// Takes a call, and returns its id.
    pub(crate) fn call(&mut self, call: &FunctionCall) -> String {
        let own_id = call.id.clone().filter(|id| !id.is_empty());
        let id = match own_id.clone().filter(|id| !self.ids.contains(id)) {
            Some(id) => id,
            None => self.new_id(),
        };
        self.ids.insert(id.clone());
        self.open.push_back(OpenCall {
            id: id.clone(),
            name: call.name.clone(),
            own_id,
        });
        id
    }

    /// Returns the id of the call to which this responds; `None` if there is no such call.
    pub(crate) fn answered(&mut self, response: &FunctionResponse) -> Option<String> {
        let by_id = |call: &OpenCall| call.own_id.is_some() && call.own_id == response.id;
        let place = self.open.iter().position(by_id).or_else(|| {
            let by_name = |call: &OpenCall| call.name == response.name;
            self.open.iter().position(by_name)
        });
        Some(self.open.remove(place?)?.id)
    }

    /// Takes out the calls without a response.
    pub(crate) fn take_unanswered(&mut self) -> impl Iterator<Item = String> + use<> {
        std::mem::take(&mut self.open).into_iter().map(|it| it.id)
    }

    /// Finds an id for a call without one: the same in each request, so that servers find what
    /// they have cached.
    fn new_id(&self) -> String {
        let mut number = self.ids.len();
        loop {
            let id = format!("call_{number}");
            if !self.ids.contains(&id) {
                return id;
            }
            number += 1;
        }
    }
}

/// Writes a result: only the output if there is nothing else, so that the model doesn't have to
/// read text as JSON.
pub(crate) fn result_text(response: &Map<String, Value>) -> String {
    match response.get("output") {
        Some(Value::String(output)) if response.len() == 1 => output.clone(),
        _ => Value::Object(response.clone()).to_string(),
    }
}

/// Writes a result without a call, as a text.
pub(crate) fn orphan_text(response: &FunctionResponse) -> String {
    let text = result_text(&response.response);
    format!("Result of {}: {text}", response.name)
}

/// Builds a call from the arguments that were written for it. Models write arguments that aren't
/// JSON, or are cut off in the middle; that is for them to correct, and doesn't end the turn
/// (LO-3).
pub(crate) fn read_call(id: Option<String>, name: String, arguments: &str) -> FunctionCall {
    let (args, unreadable_args) = match arguments.trim() {
        "" | "null" => (Map::new(), None),
        text => match serde_json::from_str(text) {
            Ok(args) => (args, None),
            Err(_) => (Map::new(), Some(plain_line(text))),
        },
    };
    FunctionCall {
        id,
        unreadable_args,
        ..FunctionCall::new(name, args)
    }
}

/// Returns a note that there was something that the format can't express.
pub(crate) fn placeholder(what: &str) -> String {
    format!("[{what}: not shown]")
}

/// Builds a chunk of what the model says.
pub(crate) fn model_chunk(parts: Vec<Part>) -> Chunk {
    Chunk {
        candidates: vec![Candidate {
            content: Some(Content::new(Speaker::Model, parts)),
            index: Some(0),
            ..Candidate::default()
        }],
        ..Chunk::default()
    }
}
