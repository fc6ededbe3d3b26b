//! Estimates how many tokens a conversation has, and how many a model accepts (LO-5).

use crate::content::Content;
use crate::part::{Part, PartData};

/// Tokens of a character within ASCII, in hundredths.
const ASCII: u64 = 25;
/// Tokens of any other character, in hundredths.
const OTHER: u64 = 130;
/// Tokens of an image, whatever its size.
const IMAGE: u64 = 3_000;
/// Tokens of another file, such as a PDF, whatever its size.
const FILE: u64 = 25_800;
/// The window of models that aren't listed.
const DEFAULT_WINDOW: u64 = 1_048_576;

/// Lists the windows of models by the start of their names, longer starts first.
const WINDOWS: &[(&str, u64)] = &[
    ("gemini-", 1_048_576),
    ("claude-", 200_000),
    ("gpt-5", 400_000),
    ("gemma", 131_072),
    ("gpt-oss", 131_072),
    ("gpt-4.1", 1_047_576),
    ("gpt-4o", 128_000),
    ("llama", 131_072),
    ("qwen", 131_072),
    ("mistral", 131_072),
];

/// Estimates the tokens of contents: a quarter for each ASCII character, 1.3 for any other
/// character, and a fixed number for an image or file (LO-5).
pub fn estimate_tokens<'a>(contents: impl IntoIterator<Item = &'a Content>) -> u64 {
    let parts = contents.into_iter().flat_map(|content| &content.parts);
    parts.map(hundredths).sum::<u64>().div_ceil(100)
}

/// Estimates the tokens of a text in the same way (LO-5).
pub fn estimate_tokens_of_text(text: &str) -> u64 {
    text_tokens(text).div_ceil(100)
}

/// Returns the size of a model's context window, in tokens (LO-5).
pub fn window_tokens(model: &str) -> u64 {
    // Routers prefix models' names with the maker: `google/gemini-2.5-pro`.
    let name = model.rsplit('/').next().unwrap_or(model);
    WINDOWS
        .iter()
        .find(|(start, _)| name.starts_with(start))
        .map_or(DEFAULT_WINDOW, |(_, window)| *window)
}

fn hundredths(part: &Part) -> u64 {
    match &part.data {
        PartData::Text(text) => text_tokens(text),
        PartData::InlineData(data) => media_tokens(&data.mime_type),
        PartData::FileData(file) => media_tokens(file.mime_type.as_deref().unwrap_or_default()),
        PartData::FunctionCall(_) | PartData::FunctionResponse(_) | PartData::Other => {
            serde_json::to_string(part).map_or(0, |json| text_tokens(&json))
        }
    }
}

fn media_tokens(mime_type: &str) -> u64 {
    100 * if mime_type.starts_with("image/") {
        IMAGE
    } else {
        FILE
    }
}

fn text_tokens(text: &str) -> u64 {
    if text.is_ascii() {
        return u64::try_from(text.len()).map_or(u64::MAX, |it| it.saturating_mul(ASCII));
    }
    text.chars()
        .map(|letter| if letter.is_ascii() { ASCII } else { OTHER })
        .sum()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// LO-5: ASCII counts a quarter, other characters more, images a fixed number.
    #[test]
    fn tokens_are_estimated() {
        assert_eq!(estimate_tokens([&Content::user("a".repeat(400))]), 100);
        assert_eq!(estimate_tokens([&Content::user("한".repeat(10))]), 13);
        let image: Content = serde_json::from_value(json!({"parts": [
            {"inlineData": {"mimeType": "image/png", "data": "A".repeat(1_000_000)}}]}))
        .unwrap();
        assert_eq!(estimate_tokens([&image]), 3_000);
        assert_eq!(estimate_tokens([]), 0);
    }

    /// LO-5: function calls and responses count with their JSON.
    #[test]
    fn function_responses_count() {
        let response: Content = serde_json::from_value(json!({"parts": [
            {"functionResponse": {"name": "glob", "response": {"output": "a".repeat(4_000)}}}]}))
        .unwrap();
        assert!(estimate_tokens([&response]) > 1_000);
    }

    /// LO-5: the window is known for common models and large for the others.
    #[test]
    fn windows_are_known() {
        assert_eq!(window_tokens("gemini-2.5-pro"), 1_048_576);
        assert_eq!(window_tokens("openai/gpt-4o-mini"), 128_000);
        assert_eq!(window_tokens("unheard-of"), 1_048_576);
    }
}
