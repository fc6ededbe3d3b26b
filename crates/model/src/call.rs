//! How model calls are named in messages.

use std::fmt;

use crate::request::Request;

/// How many characters of the user's text a message quotes.
const QUOTED: usize = 80;

/// The two ways to call a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The response arrives in chunks.
    Stream,
    /// The response arrives as a whole.
    Whole,
}

/// Describes a model call: its method, its model, and how the conversation ends (MO-3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallDescription {
    /// How the model is called.
    pub method: Method,
    /// The model's name.
    pub model: String,
    /// The user's last text, shortened.
    pub last_user_text: Option<String>,
    /// The tools whose results are at the end of the conversation.
    pub answered_tools: Vec<String>,
}

impl Method {
    /// Returns the method's name in Gemini's API, as used in scripts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stream => "generateContentStream",
            Self::Whole => "generateContent",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl CallDescription {
    /// Describes a call with a request.
    pub fn new(method: Method, request: &Request) -> Self {
        let last = request.contents.last();
        Self {
            method,
            model: request.model.clone(),
            last_user_text: request.last_user_text().map(|text| shortened(&text)),
            answered_tools: last
                .into_iter()
                .flat_map(|content| content.function_responses())
                .map(|response| response.name.clone())
                .collect(),
        }
    }
}

impl fmt::Display for CallDescription {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} of model \"{}\"", self.method, self.model)?;
        if let Some(text) = &self.last_user_text {
            write!(formatter, " after the user's text \"{text}\"")?;
        }
        if !self.answered_tools.is_empty() {
            let tools = self.answered_tools.join(", ");
            write!(formatter, ", with the results of {tools}")?;
        }
        Ok(())
    }
}

/// Cuts a text to one short line.
fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::Map;

    use super::*;
    use crate::content::Content;
    use crate::function::FunctionCall;

    /// MO-3: a call is named by method, model, the user's last text, and the tools answered.
    #[test]
    fn a_call_is_named() {
        let call = FunctionCall::new("glob", Map::new());
        let contents = [
            Content::user(format!("Fix\n  {}", "á".repeat(100))),
            Content::model("I look."),
            Content::responses([call.respond(Map::new())]),
        ];
        let request = Request::new("gemini", contents.map(Arc::new).into());
        let named = CallDescription::new(Method::Stream, &request).to_string();
        let text = format!("Fix {}…", "á".repeat(76));
        assert_eq!(
            named,
            format!(
                "generateContentStream of model \"gemini\" after the user's text \"{text}\", \
                 with the results of glob"
            )
        );
        let bare = CallDescription::new(Method::Whole, &Request::new("m", Vec::new()));
        assert_eq!(bare.to_string(), "generateContent of model \"m\"");
    }
}
