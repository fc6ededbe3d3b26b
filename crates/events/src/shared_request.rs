//! The hooks' view of a request, shared between events and serialised once.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::llm::LlmRequest;

/// A request as hooks see it. Cloning it is cheap, and a history of megabytes is serialised once,
/// however many events and chunks include it.
#[derive(Debug, Clone)]
pub struct SharedRequest(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    request: LlmRequest,
    json: OnceLock<Arc<RawValue>>,
}

impl SharedRequest {
    /// Shares a request.
    pub fn new(request: LlmRequest) -> Self {
        Self(Arc::new(Inner {
            request,
            json: OnceLock::new(),
        }))
    }

    /// Returns a changed copy of the request.
    #[must_use]
    pub fn changed(&self, change: impl FnOnce(&mut LlmRequest)) -> Self {
        let mut request = self.0.request.clone();
        change(&mut request);
        Self::new(request)
    }

    /// Returns the request as JSON.
    pub(crate) fn json(&self) -> Option<Arc<RawValue>> {
        self.written().ok().map(Arc::clone)
    }

    fn written(&self) -> serde_json::Result<&Arc<RawValue>> {
        if let Some(json) = self.0.json.get() {
            return Ok(json);
        }
        let json = serde_json::value::to_raw_value(&self.0.request)?;
        Ok(self.0.json.get_or_init(|| json.into()))
    }
}

impl Deref for SharedRequest {
    type Target = LlmRequest;

    fn deref(&self) -> &LlmRequest {
        &self.0.request
    }
}

impl PartialEq for SharedRequest {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.request == other.0.request
    }
}

impl From<LlmRequest> for SharedRequest {
    fn from(request: LlmRequest) -> Self {
        Self::new(request)
    }
}

impl Serialize for SharedRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let json = self.written().map_err(S::Error::custom)?;
        json.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SharedRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        LlmRequest::deserialize(deserializer).map(Self::new)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;

    fn request() -> SharedRequest {
        SharedRequest::new(LlmRequest {
            model: "m".to_owned(),
            messages: Vec::new(),
            config: Map::new(),
            tool_config: None,
        })
    }

    fn kept(request: &SharedRequest) -> Option<*const RawValue> {
        request
            .0
            .json
            .get()
            .map(|json| std::ptr::from_ref::<RawValue>(json))
    }

    /// IO-1: a request is serialised once, for all that share it.
    #[test]
    fn a_request_is_serialised_once() {
        let first = request();
        let second = first.clone();
        assert_eq!(kept(&second), None);
        let text = serde_json::to_string(&first).unwrap();
        let written = kept(&second).expect("the other one has it too");
        assert_eq!(serde_json::to_string(&second).unwrap(), text);
        assert_eq!(kept(&first), Some(written), "it wasn't written again");
    }

    /// PL-8: a change creates a separate request, which is serialised again.
    #[test]
    fn a_change_is_written_anew() {
        let before = request();
        let text = serde_json::to_string(&before).unwrap();
        let after = before.changed(|request| request.model = "n".to_owned());
        assert_eq!(
            serde_json::to_string(&after).unwrap(),
            text.replace("\"m\"", "\"n\"")
        );
        assert_eq!(serde_json::to_string(&before).unwrap(), text);
        assert_ne!(before, after);
    }

    /// IO-1: its value is the same as that of the request it shares.
    #[test]
    fn it_is_the_same_as_a_value() {
        let shared = request();
        let value = serde_json::to_value(&shared).unwrap();
        assert_eq!(value, serde_json::to_value(&*shared).unwrap());
        assert_eq!(
            serde_json::from_value::<SharedRequest>(value).unwrap(),
            shared
        );
    }
}
