//! Tool results: translates an agent's results to ours, and replaces a result by a reason.

use serde_json::{Map, Value, json};

/// The fields in which agents keep the text of a result, the best first.
const TEXTS: [&str; 8] = [
    "textResultForLlm",
    "text_result_for_llm",
    "stdout",
    "content",
    "text",
    "result",
    "output",
    "file",
];

/// Converts one of their results to ours.
pub(crate) fn from_theirs(result: &Value) -> Value {
    if result.get("llmContent").is_some() {
        return result.clone();
    }
    let text = text_of(result);
    json!({"llmContent": text, "returnDisplay": text})
}

/// Converts an error to our result.
pub(crate) fn from_error(error: &Value) -> Value {
    let text = match error {
        Value::String(text) => text.clone(),
        Value::Object(fields) => match fields.get("message").and_then(Value::as_str) {
            Some(message) => message.to_owned(),
            None => error.to_string(),
        },
        other => other.to_string(),
    };
    json!({"llmContent": text, "returnDisplay": text, "error": {"message": text}})
}

/// Returns the text of a result, whatever its shape.
fn text_of(result: &Value) -> String {
    match result {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<String> = parts.iter().map(text_of).collect();
            texts.join("\n")
        }
        Value::Object(fields) => {
            let found = TEXTS.iter().find_map(|name| fields.get(*name));
            let Some(found) = found else {
                return result.to_string();
            };
            let text = text_of(found);
            match fields.get("stderr").and_then(Value::as_str) {
                Some(errors) if !errors.is_empty() => format!("{text}\n{errors}"),
                _ => text,
            }
        }
        other => other.to_string(),
    }
}

/// Replaces a result by a reason, in the form of the result: one with another form is ignored by
/// Claude Code.
pub(crate) fn in_its_place(result: &Value, reason: &str) -> Value {
    match result {
        Value::Array(parts) => {
            let text = parts.first().is_some_and(|it| it.get("text").is_some());
            if text {
                json!([{"type": "text", "text": reason}])
            } else {
                json!([reason])
            }
        }
        Value::Object(fields) => {
            let mut emptied = without_texts(fields);
            let place = TEXTS.iter().find(|name| fields.contains_key(**name));
            let place = place.copied().unwrap_or("content");
            let inner = match fields.get(place) {
                Some(inner @ (Value::Object(_) | Value::Array(_))) => in_its_place(inner, reason),
                _ => Value::from(reason),
            };
            emptied.insert(place.to_owned(), inner);
            Value::Object(emptied)
        }
        _ => Value::from(reason),
    }
}

/// Removes every text from a result except those that say what it is, and where.
fn without_texts(fields: &Map<String, Value>) -> Map<String, Value> {
    const KEPT_FIELDS: [&str; 4] = ["type", "filePath", "file_path", "status"];
    let emptied = fields.iter().map(|(name, value)| {
        let value = match value {
            Value::String(_) if !KEPT_FIELDS.contains(&name.as_str()) => Value::from(""),
            Value::Array(_) => json!([]),
            Value::Object(inner) => Value::Object(self::without_texts(inner)),
            other => other.clone(),
        };
        (name.clone(), value)
    });
    emptied.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BR-20: what replaces a withheld result has its form, and none of its content.
    #[test]
    fn a_reason_takes_the_shape_of_a_result() {
        let shell = json!({"stdout": "SECRET", "stderr": "SECRET", "interrupted": false});
        assert_eq!(
            in_its_place(&shell, "no"),
            json!({"stdout": "no", "stderr": "", "interrupted": false})
        );
        let read =
            json!({"type": "text", "file": {"filePath": "/a", "content": "SECRET", "numLines": 2}});
        assert_eq!(
            in_its_place(&read, "no"),
            json!({"type": "text", "file": {"filePath": "/a", "content": "no", "numLines": 2}})
        );
        let mcp = json!([{"type": "text", "text": "SECRET"}, {"type": "text", "text": "SECRET"}]);
        assert_eq!(
            in_its_place(&mcp, "no"),
            json!([{"type": "text", "text": "no"}])
        );
        let edit = json!({
            "filePath": "/a", "oldString": "SECRET", "originalFile": "SECRET",
            "structuredPatch": [{"lines": ["-SECRET"]}], "userModified": false
        });
        let hidden = in_its_place(&edit, "no");
        assert!(!hidden.to_string().contains("SECRET"), "{hidden}");
        assert!(hidden.to_string().contains("no"), "{hidden}");
    }
}
