//! What a model gets of the conversation, and whether it is complete.

use std::collections::BTreeSet;

use serde_json::Value;

/// The beginning of every word that a test looks for.
const MARK: &str = "tok-";

/// Finds the words in a text that a test put there to find them again, such as `tok-7`.
pub(crate) fn tokens(text: &str) -> BTreeSet<String> {
    text.split(|character: char| !character.is_ascii_alphanumeric() && character != '-')
        .filter_map(|word| word.find(MARK).map(|at| &word[at..]))
        .filter(|word| word.len() > MARK.len())
        .map(str::to_owned)
        .collect()
}

/// Returns what is wrong with the conversation of a request to Gemini's API: speakers alternate,
/// and every call has its response.
pub(crate) fn flaw(request: &Value) -> Option<String> {
    let contents = request["contents"].as_array()?;
    if contents.first()?["role"] != "user" {
        return Some("the conversation doesn't begin with the user".to_owned());
    }
    for pair in contents.windows(2) {
        let (one, next) = (&pair[0], &pair[1]);
        if one["role"] == next["role"] {
            return Some(format!("two turns of one speaker: {one} {next}"));
        }
        let (calls, responses) = (named(one, "functionCall"), named(next, "functionResponse"));
        if calls != responses {
            return Some(format!("calls {calls:?} have the responses {responses:?}"));
        }
    }
    let last = contents.last()?;
    if last["role"] != "user" || !named(last, "functionCall").is_empty() {
        return Some(format!("the conversation ends with {last}"));
    }
    let is_empty = |content: &Value| content["parts"].as_array().is_none_or(Vec::is_empty);
    contents
        .iter()
        .find(|content| is_empty(content))
        .map(|content| format!("a turn says nothing: {content}"))
}

/// Returns the ids and names of a content's calls or responses.
fn named<'c>(content: &'c Value, field: &str) -> Vec<(Option<&'c str>, Option<&'c str>)> {
    let parts = content["parts"].as_array().into_iter().flatten();
    parts
        .filter_map(|part| part.get(field))
        .map(|it| (it["id"].as_str(), it["name"].as_str()))
        .collect()
}
