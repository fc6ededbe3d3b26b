//! Compares a value with what is expected.

use regress::Regex;
use serde_json::{Map, Value};

/// Returns what is wrong with a value; an expectation is a value to equal, or an object with one
/// operator: `$contains`, `$lacks`, `$matches`, `$absent`, `$not`, `$length`, `$has`, `$includes`,
/// `$type`, `$all`.
pub(crate) fn mismatch(expected: &Value, actual: Option<&Value>) -> Option<String> {
    let operator = expected
        .as_object()
        .filter(|fields| fields.len() == 1)
        .and_then(|fields| fields.iter().next())
        .filter(|(name, _)| name.starts_with('$'));
    let fits = match operator {
        None => actual == Some(expected),
        Some((name, operand)) => match applies(name, operand, actual) {
            Ok(fits) => fits,
            Err(wrong) => return Some(wrong),
        },
    };
    let shown = actual.map_or_else(|| "nothing".to_owned(), Value::to_string);
    (!fits).then(|| format!("expected {expected}, found {shown}"))
}

fn applies(name: &str, operand: &Value, actual: Option<&Value>) -> Result<bool, String> {
    if name == "$absent" {
        return Ok(actual.is_none() == (operand == &Value::Bool(true)));
    }
    if name == "$not" {
        return Ok(mismatch(operand, actual).is_some());
    }
    let Some(actual) = actual else {
        return Ok(false);
    };
    let operands = || match operand {
        Value::Array(all) => all.clone(),
        one => vec![one.clone()],
    };
    let text = text(actual);
    Ok(match name {
        "$contains" => operands().iter().all(|it| text.contains(as_text(it))),
        "$lacks" => operands().iter().all(|it| !text.contains(as_text(it))),
        "$matches" => Regex::new(as_text(operand))
            .map_err(|error| format!("{operand}: {error}"))?
            .find(&text)
            .is_some(),
        "$length" => length(actual) == operand.as_u64(),
        "$type" => kind(actual) == as_text(operand),
        "$has" => operand
            .as_object()
            .is_some_and(|fields| mismatches(fields, actual).is_empty()),
        "$includes" => actual
            .as_array()
            .is_some_and(|all| all.iter().any(|it| mismatch(operand, Some(it)).is_none())),
        "$all" => operands()
            .iter()
            .all(|it| mismatch(it, Some(actual)).is_none()),
        other => return Err(format!("there is no operator {other}")),
    })
}

/// Compares fields by JSON pointer; a name without a leading `/` is one operator on the whole.
pub(crate) fn mismatches(fields: &Map<String, Value>, actual: &Value) -> Vec<String> {
    fields
        .iter()
        .filter_map(|(pointer, expected)| {
            if pointer.starts_with('$') {
                let whole = Value::Object(Map::from_iter([(pointer.clone(), expected.clone())]));
                return mismatch(&whole, Some(actual));
            }
            let path = if pointer.starts_with('/') {
                pointer.clone()
            } else {
                format!("/{pointer}")
            };
            mismatch(expected, at(actual, &path).as_ref())
                .map(|wrong| format!("{pointer}: {wrong}"))
        })
        .collect()
}

/// Follows a JSON pointer; negative numbers count from the end, and a text that contains JSON is
/// parsed.
fn at(value: &Value, pointer: &str) -> Option<Value> {
    let mut found = value.clone();
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        if let Value::String(text) = &found {
            found = serde_json::from_str(text).ok()?;
        }
        found = match &found {
            Value::Object(fields) => fields.get(&token)?.clone(),
            Value::Array(all) => all.get(index(&token, all.len())?)?.clone(),
            _ => return None,
        };
    }
    Some(found)
}

fn index(token: &str, length: usize) -> Option<usize> {
    match token.strip_prefix('-') {
        Some(back) => length.checked_sub(back.parse().ok()?),
        None => token.parse().ok(),
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn as_text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn length(value: &Value) -> Option<u64> {
    let length = match value {
        Value::Array(all) => all.len(),
        Value::Object(fields) => fields.len(),
        Value::String(text) => text.chars().count(),
        _ => return None,
    };
    u64::try_from(length).ok()
}

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wrong(fields: &Value, actual: &Value) -> usize {
        mismatches(fields.as_object().unwrap(), actual).len()
    }

    #[test]
    fn pointers_count_back_and_look_into_texts() {
        let actual = json!({"all": [1, {"text": "{\"a\": [2, 3]}"}]});
        assert_eq!(wrong(&json!({"/all/-1/text/a/-1": 3}), &actual), 0);
        assert_eq!(wrong(&json!({"/all/-1/text/a/-1": 4}), &actual), 1);
    }

    #[test]
    fn operators_tell_what_fits_from_what_does_not() {
        let actual = json!({"text": "a no is a no", "list": [1, 2], "none": null});
        for (fits, operator) in [
            (true, json!({"/text": {"$contains": "is a no"}})),
            (false, json!({"/text": {"$contains": ["a", "yes"]}})),
            (true, json!({"/text": {"$lacks": "yes"}})),
            (false, json!({"/gone": {"$lacks": "yes"}})),
            (true, json!({"/gone": {"$absent": true}})),
            (false, json!({"/none": {"$absent": true}})),
            (true, json!({"/list": {"$includes": 2}})),
            (false, json!({"/list": {"$length": 3}})),
            (true, json!({"/text": {"$matches": "^a no"}})),
            (false, json!({"/text": {"$not": {"$type": "string"}}})),
            (true, json!({"$contains": "is a no"})),
        ] {
            assert_eq!(wrong(&operator, &actual) == 0, fits, "{operator}");
        }
    }

    #[test]
    fn an_unknown_operator_never_fits() {
        assert_eq!(wrong(&json!({"/a": {"$like": 1}}), &json!({"a": 1})), 1);
    }
}
