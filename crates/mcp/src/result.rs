//! Converts a server's result for the model and the user.

use hookloop_tools::{Capture, ErrorKind, Output, ToolError};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;

/// Returns a tool's result: texts as they are, and a description of other content. Of a long
/// result, the beginning and the end are kept.
pub(crate) fn from_call(result: &CallToolResult) -> Output {
    let mut parts: Vec<String> = result.content.iter().map(block_text).collect();
    if parts.is_empty() {
        parts.extend(result.structured_content.as_ref().map(Value::to_string));
    }
    let text = capped(&parts);
    if result.is_error == Some(true) {
        let text = if text.is_empty() {
            "the tool failed and doesn't say why".to_owned()
        } else {
            text
        };
        return Output::failed(ToolError::new(ErrorKind::McpFailed, text));
    }
    if text.is_empty() {
        return Output::new("(the tool returned nothing)", "(nothing)");
    }
    Output::new(text.clone(), text)
}

/// Returns the contents of a resource.
pub(crate) fn from_resource(contents: &[ResourceContents]) -> Output {
    let parts: Vec<String> = contents.iter().map(contents_text).collect();
    match capped(&parts) {
        text if text.is_empty() => Output::new("(the resource is empty)", "(empty)"),
        text => Output::new(text.clone(), text),
    }
}

/// Joins parts into one text, and omits the middle if it is too long.
fn capped(parts: &[String]) -> String {
    let mut capture = Capture::default();
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            capture.push(b"\n");
        }
        capture.push(part.as_bytes());
    }
    capture.text()
}

/// Returns a block's text, or a description of other content.
pub(crate) fn block_text(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => not_shown("image", Some(&image.mime_type), &image.data),
        ContentBlock::Audio(audio) => not_shown("audio", Some(&audio.mime_type), &audio.data),
        ContentBlock::Resource(embedded) => contents_text(&embedded.resource),
        ContentBlock::ResourceLink(link) => format!("[resource {}: {}]", link.uri, link.name),
        _ => "[content of an unknown kind, not shown]".to_owned(),
    }
}

fn contents_text(contents: &ResourceContents) -> String {
    match contents {
        ResourceContents::TextResourceContents { uri, text, .. } => {
            format!("[resource {uri}]\n{text}")
        }
        ResourceContents::BlobResourceContents {
            uri,
            mime_type,
            blob,
            ..
        } => not_shown(&format!("resource {uri}"), mime_type.as_deref(), blob),
        _ => "[a resource of an unknown kind, not shown]".to_owned(),
    }
}

/// Describes data encoded in base64.
fn not_shown(what: &str, mime_type: Option<&str>, data: &str) -> String {
    let kind = mime_type.unwrap_or("unknown kind");
    format!("[{what}, {kind}, {} bytes, not shown]", data.len() / 4 * 3)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn result(value: Value) -> Output {
        from_call(&serde_json::from_value(value).expect("a result"))
    }

    /// TO-3: texts are passed on, and for everything else the model gets a description.
    #[test]
    fn every_kind_of_content_is_told() {
        let output = result(json!({"content": [
            {"type": "text", "text": "hello"},
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "resource", "resource": {"uri": "a:b", "text": "inside"}},
            {"type": "resource", "resource": {"uri": "a:c", "blob": "AAAAAAAA"}},
            {"type": "resource_link", "uri": "a:d", "name": "d"},
        ]}));
        assert_eq!(
            output.llm_content,
            "hello\n[image, image/png, 3 bytes, not shown]\n[resource a:b]\ninside\n\
             [resource a:c, unknown kind, 6 bytes, not shown]\n[resource a:d: d]"
        );
        assert_eq!(output.error, None);
    }

    /// TO-3: an error of the tool is an error result, even without text.
    #[test]
    fn an_error_is_an_error() {
        let output = result(json!({"content": [{"type": "text", "text": "no"}], "isError": true}));
        let error = output.error.expect("an error");
        assert_eq!(
            (error.kind, error.message.as_str()),
            (ErrorKind::McpFailed, "no")
        );
        assert!(
            result(json!({"content": [], "isError": true}))
                .error
                .is_some()
        );
    }

    /// TO-3: without content the structured result counts; a long one is cut in the middle.
    #[test]
    fn structure_counts_and_length_is_bounded() {
        let output = result(json!({"content": [], "structuredContent": {"a": 1}}));
        assert_eq!(output.llm_content, "{\"a\":1}");
        let long = "x".repeat(1 << 20);
        let output = result(json!({"content": [{"type": "text", "text": long}]}));
        assert!(output.llm_content.len() < 150_000);
        assert!(output.llm_content.contains("bytes left out"));
    }
}
