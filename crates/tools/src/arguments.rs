//! Reads single arguments. An optional argument that is `null` counts as absent.

use serde_json::Value;

use crate::ToolError;

/// The arguments of a call, as given by the model or a hook.
pub type Arguments = serde_json::Map<String, Value>;

/// Returns the text argument `name`.
pub fn text<'a>(arguments: &'a Arguments, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str)
}

/// Returns the text argument `name`, which the schema requires.
///
/// # Errors
///
/// The error names the missing property, for the model (LO-3).
pub fn required_text<'a>(arguments: &'a Arguments, name: &str) -> Result<&'a str, ToolError> {
    text(arguments, name)
        .ok_or_else(|| ToolError::invalid(format!("params must have required property '{name}'")))
}

/// Returns the whole-number argument `name`; models also write `10.0` for ten.
pub(crate) fn whole_number(arguments: &Arguments, name: &str) -> Option<usize> {
    let value = arguments.get(name)?;
    if let Some(number) = value.as_u64() {
        return usize::try_from(number).ok();
    }
    let number = value.as_f64()?;
    if number.fract() != 0.0 || number.is_sign_negative() {
        return None;
    }
    format!("{number:.0}").parse().ok()
}

/// Returns whether the argument `name` is `true`.
pub(crate) fn flag(arguments: &Arguments, name: &str) -> bool {
    arguments.get(name).and_then(Value::as_bool) == Some(true)
}

/// Returns the texts of the array argument `name`.
pub(crate) fn texts<'a>(arguments: &'a Arguments, name: &str) -> Vec<&'a str> {
    arguments
        .get(name)
        .and_then(Value::as_array)
        .map(|items| items.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default()
}
