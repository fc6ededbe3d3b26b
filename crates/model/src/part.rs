//! One part of a content: a text, a function call, an image, …

use serde::de::DeserializeOwned;
use serde::ser::{Error as _, SerializeMap};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::function::{FunctionCall, FunctionResponse};

/// One part of a content. Unknown fields are kept in `extra`, so reading and writing a part loses
/// nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// What the part contains.
    pub data: PartData,
    /// Whether the part is a thought of the model, which is kept and never shown (MO-1).
    pub thought: bool,
    /// Opaque data that the model expects back with this part.
    pub thought_signature: Option<String>,
    /// All other fields.
    pub extra: Map<String, Value>,
}

/// What a part contains.
#[derive(Debug, Clone, PartialEq)]
pub enum PartData {
    /// Text.
    Text(String),
    /// A function call by the model.
    FunctionCall(FunctionCall),
    /// The response to a call.
    FunctionResponse(FunctionResponse),
    /// Data, such as an image.
    InlineData(InlineData),
    /// A reference to a file that the model can read.
    FileData(FileReference),
    /// Anything else; it is in the part's `extra`.
    Other,
}

/// Data inside a part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InlineData {
    /// The data's media type, such as `image/png`.
    pub mime_type: String,
    /// The bytes in Base64.
    pub data: String,
    /// All other fields.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A file that the model can read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileReference {
    /// The file's media type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The address of the file.
    pub file_uri: String,
    /// All other fields.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Part {
    /// Creates a part with only this content.
    pub fn new(data: PartData) -> Self {
        Self {
            data,
            thought: false,
            thought_signature: None,
            extra: Map::new(),
        }
    }

    /// Creates a text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(PartData::Text(text.into()))
    }

    /// Returns the text that users and hooks can see, if the part is text and not a thought.
    pub fn visible_text(&self) -> Option<&str> {
        match &self.data {
            PartData::Text(text) if !self.thought => Some(text),
            _ => None,
        }
    }

    /// Returns the function call, if the part is one.
    pub fn function_call(&self) -> Option<&FunctionCall> {
        match &self.data {
            PartData::FunctionCall(call) => Some(call),
            _ => None,
        }
    }

    /// Returns the function response, if the part is one.
    pub fn function_response(&self) -> Option<&FunctionResponse> {
        match &self.data {
            PartData::FunctionResponse(response) => Some(response),
            _ => None,
        }
    }

    /// Returns whether the part contains anything that hooks can't see, and that must therefore
    /// survive the removal of its text (BM-2).
    pub(crate) fn has_hidden(&self) -> bool {
        self.visible_text().is_none() || self.thought_signature.is_some() || !self.extra.is_empty()
    }

    /// Replaces the text of a text part.
    pub(crate) fn set_text(&mut self, text: &str) {
        text.clone_into(match &mut self.data {
            PartData::Text(own) => own,
            _ => return,
        });
    }
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match &self.data {
            PartData::Text(text) => map.serialize_entry("text", text)?,
            PartData::FunctionCall(call) => map.serialize_entry("functionCall", call)?,
            PartData::FunctionResponse(response) => {
                map.serialize_entry("functionResponse", response)?;
            }
            PartData::InlineData(data) => map.serialize_entry("inlineData", data)?,
            PartData::FileData(file) => map.serialize_entry("fileData", file)?,
            PartData::Other => {}
        }
        if self.thought {
            map.serialize_entry("thought", &true)?;
        }
        if let Some(signature) = &self.thought_signature {
            map.serialize_entry("thoughtSignature", signature)?;
        }
        for (key, value) in &self.extra {
            if self.writes(key) {
                return Err(S::Error::custom(format!("a part has two fields \"{key}\"")));
            }
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl Part {
    /// Returns whether a field is written separately from `extra`.
    fn writes(&self, key: &str) -> bool {
        match key {
            "text" => matches!(self.data, PartData::Text(_)),
            "functionCall" => matches!(self.data, PartData::FunctionCall(_)),
            "functionResponse" => matches!(self.data, PartData::FunctionResponse(_)),
            "inlineData" => matches!(self.data, PartData::InlineData(_)),
            "fileData" => matches!(self.data, PartData::FileData(_)),
            "thought" => self.thought,
            "thoughtSignature" => self.thought_signature.is_some(),
            _ => false,
        }
    }
}

impl<'de> Deserialize<'de> for Part {
    /// Reads a part. A field with an unknown format stays in `extra` as it is.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = Map::deserialize(deserializer)?;
        let data = take(&mut fields, "functionCall")
            .map(PartData::FunctionCall)
            .or_else(|| take(&mut fields, "functionResponse").map(PartData::FunctionResponse))
            .or_else(|| take(&mut fields, "inlineData").map(PartData::InlineData))
            .or_else(|| take(&mut fields, "fileData").map(PartData::FileData))
            .or_else(|| take(&mut fields, "text").map(PartData::Text))
            .unwrap_or(PartData::Other);
        Ok(Self {
            data,
            thought: take(&mut fields, "thought").unwrap_or(false),
            thought_signature: take(&mut fields, "thoughtSignature"),
            extra: fields,
        })
    }
}

/// Takes a field out if it is of the wanted type.
fn take<T: DeserializeOwned>(fields: &mut Map<String, Value>, key: &str) -> Option<T> {
    let value = T::deserialize(fields.get(key)?).ok()?;
    // Not `swap_remove`: the order of the other fields stays.
    fields.shift_remove(key);
    Some(value)
}

#[cfg(test)]
mod tests;
