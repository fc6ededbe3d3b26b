//! The arguments of a hook's tool, with values from the payload inserted (HT-50).

use serde_json::{Map, Value};

/// Replaces `${path.to.it}` in the strings of arguments by values of the payload. A string that
/// consists of one reference becomes the value itself, with its type; inside a longer string, a
/// value that isn't a string is inserted as JSON. Inserted text isn't expanded again.
///
/// # Errors
/// The payload lacks a value; the text names it. An empty string instead could make a guard permit
/// what it should refuse.
pub(crate) fn expand_placeholders(input: &Value, payload: &Value) -> Result<Value, String> {
    Ok(match input {
        Value::String(text) => expand_text(text, payload)?,
        Value::Array(list) => {
            let list: Result<Vec<_>, _> = list
                .iter()
                .map(|it| expand_placeholders(it, payload))
                .collect();
            Value::Array(list?)
        }
        Value::Object(object) => {
            let mut filled_in = Map::with_capacity(object.len());
            for (key, value) in object {
                filled_in.insert(key.clone(), expand_placeholders(value, payload)?);
            }
            Value::Object(filled_in)
        }
        other => other.clone(),
    })
}

fn expand_text(text: &str, payload: &Value) -> Result<Value, String> {
    let sole_path = text
        .strip_prefix("${")
        .and_then(|rest| rest.strip_suffix('}'))
        .filter(|path| is_path(path));
    if let Some(path) = sole_path {
        return value_at(path, payload).cloned();
    }
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${") {
        written.push_str(before);
        if let Some((path, after)) = behind.split_once('}').filter(|(path, _)| is_path(path)) {
            match value_at(path, payload)? {
                Value::String(value) => written.push_str(value),
                value => written.push_str(&value.to_string()),
            }
            rest = after;
        } else {
            written.push_str("${");
            rest = behind;
        }
    }
    written.push_str(rest);
    Ok(Value::String(written))
}

/// Returns whether a text is a path of names separated by dots.
fn is_path(text: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .chars()
                .all(|it| it.is_alphanumeric() || "_-".contains(it))
    };
    text.split('.').all(is_name)
}

fn value_at<'p>(path: &str, payload: &'p Value) -> Result<&'p Value, String> {
    let found = path
        .split('.')
        .try_fold(payload, |value, name| match value {
            Value::Array(list) => list.get(name.parse::<usize>().ok()?),
            other => other.get(name),
        });
    found.ok_or_else(|| {
        format!("\"input\" takes ${{{path}}} from the payload, which doesn't contain it")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// HT-50: templates take values from the payload; alone they keep their type, in a text they
    /// are text, and inserted text isn't expanded again.
    #[test]
    fn values_are_put_in() {
        let payload = json!({"cwd": "/w", "tool_input": {"file_path": "a ${cwd} b", "count": 3,
            "lines": ["x", "y"]}});
        let input = json!({"path": "${tool_input.file_path}", "all": "${tool_input}",
            "text": "at ${cwd}/x: ${tool_input.count} ${tool_input.lines.1}", "n": 1,
            "deep": [{"a": "${tool_input.count}"}], "plain": "$cwd ${} ${a b} ${x"});
        let filled = expand_placeholders(&input, &payload).expect("filled");
        assert_eq!(
            filled,
            json!({"path": "a ${cwd} b", "all": payload["tool_input"],
                "text": "at /w/x: 3 y", "n": 1, "deep": [{"a": 3}],
                "plain": "$cwd ${} ${a b} ${x"})
        );
    }

    /// HT-50: a value that the payload doesn't have is an error, and not an empty text.
    #[test]
    fn what_is_missing_is_said() {
        let payload = json!({"tool_input": {"command": "ls"}});
        for text in [
            "${tool_input.file_path}",
            "a ${tool_input.command.x} b",
            "${nothing}",
        ] {
            let error = expand_placeholders(&json!({"a": text}), &payload).expect_err("missing");
            assert!(error.contains("payload"), "{error}");
        }
    }
}
