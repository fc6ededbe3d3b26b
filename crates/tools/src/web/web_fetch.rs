//! The tool `web_fetch`.

use std::sync::Arc;

use serde_json::json;

use super::grounding::{Grounding, GroundingKind, answer};
use crate::arguments::{required_text, text};
use crate::{
    Access, Arguments, BoxFuture, Declaration, Output, Preview, RunContext, Subject, Tool,
    ToolError, schema,
};

/// How many addresses a prompt may hold.
const MOST_ADDRESSES: usize = 20;

/// Reads web pages (`agent.md` §4).
pub struct WebFetch {
    declaration: Declaration,
    grounding: Option<Arc<dyn Grounding>>,
}

impl WebFetch {
    /// Makes the tool; without grounding the model learns that it can't read pages.
    pub fn new(grounding: Option<Arc<dyn Grounding>>) -> Self {
        Self {
            declaration: Declaration {
                name: "web_fetch".to_owned(),
                description: "Reads the web pages whose addresses are in the prompt (up to 20), \
                    and answers what the prompt asks of them."
                    .to_owned(),
                parameters: json!({
                    "type": "object",
                    "properties": {
                        "prompt": {
                            "type": "string",
                            "minLength": 1,
                            "description": "The addresses, which begin with http:// or https://, \
                                and what to do with the pages.",
                        },
                    },
                    "required": ["prompt"],
                }),
                access: Access::Web,
            },
            grounding,
        }
    }
}

impl Tool for WebFetch {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        schema::check(&self.declaration.parameters, arguments)?;
        match addresses(required_text(arguments, "prompt")?).len() {
            0 => Err(ToolError::invalid(
                "params/prompt must hold at least one address that begins with http:// or https://",
            )),
            count if count > MOST_ADDRESSES => Err(ToolError::invalid(format!(
                "params/prompt must NOT hold more than {MOST_ADDRESSES} addresses"
            ))),
            _ => Ok(()),
        }
    }

    fn preview(&self, arguments: &Arguments) -> Preview {
        let prompt = text(arguments, "prompt").unwrap_or_default();
        Preview::new(
            "Confirm Web Fetch",
            Subject::Info {
                prompt: prompt.to_owned(),
                urls: addresses(prompt),
            },
        )
    }

    fn run<'a>(&'a self, arguments: Arguments, context: RunContext<'a>) -> BoxFuture<'a, Output> {
        Box::pin(async move {
            let prompt = text(&arguments, "prompt").unwrap_or_default();
            answer(
                self.grounding.as_ref(),
                GroundingKind::Fetch,
                prompt,
                context,
            )
            .await
        })
    }
}

/// Returns the addresses in a prompt, each once, without the signs that text puts around them.
fn addresses(prompt: &str) -> Vec<String> {
    let mut addresses: Vec<String> = Vec::new();
    for word in prompt.split(|letter: char| letter.is_whitespace() || "<>\"`".contains(letter)) {
        let begin = ["https://", "http://"]
            .iter()
            .filter_map(|it| word.find(it))
            .min();
        let Some(begin) = begin else { continue };
        let address = word[begin..].trim_end_matches(['.', ',', ';', '!', '?', ')', ']', '\'']);
        let host = address.split_once("://").map_or("", |(_, host)| host);
        if !host.is_empty() && !addresses.iter().any(|known| known == address) {
            addresses.push(address.to_owned());
        }
    }
    addresses
}

#[cfg(test)]
mod tests {
    use super::addresses;

    /// TO-6: the user sees every address that a prompt would reach, each once.
    #[test]
    fn all_addresses_are_found() {
        let prompt = "Compare (https://a.example/x?y=1), <http://b.example/> and https://a.example/x?y=1. \
                      Not ftp://c or https://";
        assert_eq!(
            addresses(prompt),
            ["https://a.example/x?y=1", "http://b.example/"]
        );
    }
}
