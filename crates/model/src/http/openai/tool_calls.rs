//! Calls of tools, assembled from their pieces.

use serde_json::{Map, Value};

use crate::function::FunctionCall;
use crate::http::calls::read_call;
use crate::http::openai::event::{CallDelta, FunctionDelta};

/// The calls of a response so far.
#[derive(Debug, Default)]
pub(crate) struct ToolCalls(Vec<Assembling>);

#[derive(Debug, Default)]
struct Assembling {
    index: Option<usize>,
    id: Option<String>,
    name: String,
    arguments: String,
}

impl ToolCalls {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a piece. Servers differ in what they repeat: some give neither id nor index, some give
    /// each call the index 0, some repeat id and name with every piece.
    pub(crate) fn add(&mut self, delta: CallDelta) {
        let function = delta.function.unwrap_or_default();
        let id = delta.id.filter(|id| !id.is_empty());
        let place = self.find_call(delta.index, id.as_deref(), function.name.as_deref());
        let call = match place.and_then(|place| self.0.get_mut(place)) {
            Some(call) => call,
            None => self.0.push_mut(Assembling {
                index: delta.index,
                ..Assembling::default()
            }),
        };
        call.take(id, function);
    }

    /// Finds the call that a piece continues; `None` if it begins another one.
    fn find_call(
        &self,
        index: Option<usize>,
        id: Option<&str>,
        name: Option<&str>,
    ) -> Option<usize> {
        let place = match (index, id) {
            (Some(_), _) => self.0.iter().rposition(|call| call.index == index),
            (None, Some(id)) => self
                .0
                .iter()
                .rposition(|call| call.id.as_deref() == Some(id)),
            (None, None) => self.0.len().checked_sub(1),
        }?;
        let call = self.0.get(place)?;
        (!call.is_over(id, name)).then_some(place)
    }

    /// Returns the calls. They are complete: the response has ended.
    pub(crate) fn finish(&mut self) -> impl Iterator<Item = FunctionCall> + use<> {
        std::mem::take(&mut self.0)
            .into_iter()
            .map(Assembling::finish)
    }
}

impl Assembling {
    /// Returns whether a piece with this id and name belongs to another call.
    fn is_over(&self, id: Option<&str>, name: Option<&str>) -> bool {
        match (self.id.as_deref(), id) {
            (Some(own), Some(other)) => own != other,
            _ => match name.filter(|name| !name.is_empty() && !self.name.is_empty()) {
                None => false,
                Some(name) => {
                    name != self.name
                        || serde_json::from_str::<Map<String, Value>>(&self.arguments).is_ok()
                }
            },
        }
    }

    fn take(&mut self, id: Option<String>, function: FunctionDelta) {
        self.id = self.id.take().or(id);
        if let Some(name) = function.name.filter(|_| self.name.is_empty()) {
            self.name = name;
        }
        match function.arguments {
            Some(Value::String(piece)) => self.arguments.push_str(&piece),
            None | Some(Value::Null) => {}
            Some(whole) => self.arguments = whole.to_string(),
        }
    }

    /// Ends the call.
    fn finish(self) -> FunctionCall {
        read_call(self.id, self.name, &self.arguments)
    }
}
