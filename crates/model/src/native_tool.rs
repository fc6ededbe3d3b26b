//! Tools that the model's own service runs.

use std::fmt;

/// A tool that Gemini's API runs itself. The agent neither declares it nor responds to its calls
/// (`agent.md` §4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NativeTool {
    /// Searches the web.
    GoogleSearch,
    /// Reads the pages whose addresses are in the conversation.
    UrlContext,
}

impl NativeTool {
    /// Returns the name of the tool's field in a request.
    pub const fn field(self) -> &'static str {
        match self {
            Self::GoogleSearch => "googleSearch",
            Self::UrlContext => "urlContext",
        }
    }
}

impl fmt::Display for NativeTool {
    /// Writes what the tool does, so that it continues a sentence after "can't".
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::GoogleSearch => "search the web",
            Self::UrlContext => "read web pages",
        })
    }
}
