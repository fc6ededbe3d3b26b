//! Validates arguments against the subset of JSON Schema that tools use.

use serde_json::Value;

use crate::{Arguments, ToolError};

#[cfg(test)]
mod tests;

/// Validates arguments against an object schema (BT-3, LO-3).
///
/// It supports `type`, `properties`, `required`, `items`, `enum`, `minimum`, `minLength` and
/// `minItems`, and ignores other keywords and undeclared properties. A `null` for an optional
/// property counts as absent.
///
/// # Errors
/// Names every violation, such as `params/limit must be integer`.
pub fn check(schema: &Value, arguments: &Arguments) -> Result<(), ToolError> {
    let mut faults = Vec::new();
    check_object(schema, arguments, "params", &mut faults);
    if faults.is_empty() {
        return Ok(());
    }
    Err(ToolError::invalid(faults.join(", ")))
}

fn check_object(schema: &Value, object: &Arguments, place: &str, faults: &mut Vec<String>) {
    let required: Vec<&str> = schema["required"]
        .as_array()
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    for name in &required {
        if !object.contains_key(*name) {
            faults.push(format!("{place} must have required property '{name}'"));
        }
    }
    let Some(properties) = schema["properties"].as_object() else {
        return;
    };
    for (name, property) in properties {
        match object.get(name) {
            None => {}
            Some(Value::Null) if !required.contains(&name.as_str()) => {}
            Some(value) => check_value(property, value, &format!("{place}/{name}"), faults),
        }
    }
}

fn check_value(schema: &Value, value: &Value, place: &str, faults: &mut Vec<String>) {
    if let Some(fault) = type_fault(&schema["type"], value) {
        faults.push(format!("{place} {fault}"));
        return;
    }
    if let Some(allowed) = schema["enum"].as_array()
        && !allowed.contains(value)
    {
        let words: Vec<String> = allowed.iter().map(Value::to_string).collect();
        faults.push(format!("{place} must be one of {}", words.join(" ")));
    }
    match value {
        Value::Object(object) => check_object(schema, object, place, faults),
        Value::Array(items) => {
            check_length(&schema["minItems"], items.len(), place, "items", faults);
            if schema["items"].is_object() {
                for (index, item) in items.iter().enumerate() {
                    check_value(&schema["items"], item, &format!("{place}/{index}"), faults);
                }
            }
        }
        Value::String(text) => {
            let length = text.chars().count();
            check_length(&schema["minLength"], length, place, "characters", faults);
        }
        Value::Number(number) => {
            if let (Some(least), Some(number)) = (schema["minimum"].as_f64(), number.as_f64())
                && number < least
            {
                faults.push(format!("{place} must be >= {least}"));
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

fn check_length(least: &Value, length: usize, place: &str, unit: &str, faults: &mut Vec<String>) {
    if let Some(least) = least.as_u64()
        && u64::try_from(length).is_ok_and(|length| length < least)
    {
        faults.push(format!("{place} must NOT have fewer than {least} {unit}"));
    }
}

/// Returns how `value` violates the schema's `type`, which is one word or a list of words.
fn type_fault(declared: &Value, value: &Value) -> Option<String> {
    let words: Vec<&str> = match declared {
        Value::String(word) => vec![word],
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    if words.is_empty() || words.iter().any(|word| has_type(value, word)) {
        return None;
    }
    Some(format!("must be {}", words.join(" or ")))
}

fn has_type(value: &Value, word: &str) -> bool {
    // Some models write the type names in capitals.
    match word.to_ascii_lowercase().as_str() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64()
                || value.is_u64()
                || value.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        _ => true,
    }
}
