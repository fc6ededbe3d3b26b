//! `onFailure: "deny"` as people write it under another name or in another place. It is reported
//! where it is, and counts: nobody who wrote it wants less (IO-21).

use jsonc_parser::ast::{Object, ObjectProp, Value};

use crate::corrections::{refuses_on_failure, says_refuse};
use crate::near::is_one_edit;
use crate::syntax::is_null;

/// The name that is read.
const NAME: &str = "onFailure";

/// Returns whether a field that nobody reads says that a failure refuses: a misspelt `onFailure`,
/// or one in other words. Somebody who wrote `warn` wants no more than the default.
pub(crate) fn wants_deny(property: &ObjectProp<'_>) -> bool {
    if is_one_edit(property.name.as_str(), NAME) {
        return !says_warn(&property.value);
    }
    refuses_on_failure(property)
}

/// Returns the value that says for all hooks of a file that a failure refuses, in a place where
/// nobody reads it: in `hooksConfig` under another name, in a misspelt `hooksConfig`, in `hooks`,
/// or anywhere else.
pub(crate) fn of_file<'v, 'a>(root: &'v Object<'a>) -> Option<&'v Value<'a>> {
    root.properties.iter().find_map(|property| {
        let name = property.name.as_str();
        match &property.value {
            Value::Object(config) if name == "hooksConfig" => in_config(config),
            // What can't be read may say it.
            value if name == "hooksConfig" => Some(value).filter(|it| !is_null(it)),
            Value::Object(config) if is_config(name) => in_misplaced(config),
            Value::Object(hooks) if name == "hooks" => in_misplaced(hooks),
            value if is_at_the_top(property) => Some(value),
            _ => elsewhere(property),
        }
    })
}

/// Returns the value that says so in a file of an extension, for all hooks of the extension: nobody
/// reads `hooksConfig` there, however it is spelled.
pub(crate) fn of_extension_file<'v, 'a>(root: &'v Object<'a>) -> Option<&'v Value<'a>> {
    root.properties.iter().find_map(|property| {
        let name = property.name.as_str();
        match &property.value {
            Value::Object(inner) if name == "hooks" || is_config(name) => in_misplaced(inner),
            value if is_at_the_top(property) => Some(value),
            _ => elsewhere(property),
        }
    })
}

fn is_config(name: &str) -> bool {
    name == "hooksConfig" || is_one_edit(name, "hooksConfig")
}

/// Returns whether a member at the top of a file says that a failure refuses: by the name alone, or
/// in other words.
pub(crate) fn is_at_the_top(property: &ObjectProp<'_>) -> bool {
    let value = &property.value;
    match value {
        Value::StringLit(_) if is_name(property.name.as_str()) => !says_warn(value),
        _ => refuses_on_failure(property),
    }
}

/// Looks into `hooksConfig` itself, where the right name is read.
fn in_config<'v, 'a>(config: &'v Object<'a>) -> Option<&'v Value<'a>> {
    let mut fields = config.properties.iter();
    fields.find_map(|it| match &it.value {
        value if wants_deny(it) => Some(value),
        value => below(value),
    })
}

/// Looks at a member of an object in which other programs have keys too.
fn elsewhere<'v, 'a>(property: &'v ObjectProp<'a>) -> Option<&'v Value<'a>> {
    match &property.value {
        value if is_clear(property) => Some(value),
        value => below(value),
    }
}

/// Looks at everything below a value. The parser bounds how deep that is.
fn below<'v, 'a>(value: &'v Value<'a>) -> Option<&'v Value<'a>> {
    match value {
        Value::Object(object) => object.properties.iter().find_map(elsewhere),
        Value::Array(list) => list.elements.iter().find_map(below),
        _ => None,
    }
}

/// Returns whether a member is a wish wherever it is: the name itself, with a word for a refusal.
pub(crate) fn is_clear(property: &ObjectProp<'_>) -> bool {
    is_name(property.name.as_str()) && says_refuse(&property.value)
}

/// Looks where the right name isn't read either.
pub(crate) fn in_misplaced<'v, 'a>(object: &'v Object<'a>) -> Option<&'v Value<'a>> {
    let mut fields = object.properties.iter();
    fields.find_map(|property| match &property.value {
        Value::Object(config) if property.name.as_str() == "hooksConfig" => in_misplaced(config),
        // A list is what an event has.
        Value::Array(_) => None,
        value if property.name.as_str() == NAME => (!says_warn(value)).then_some(value),
        value => wants_deny(property).then_some(value),
    })
}

/// Returns whether a group says for all of its hooks that a failure refuses. No group has such a
/// field.
pub(crate) fn of_group(group: &Object<'_>) -> bool {
    let mut fields = group.properties.iter();
    fields.any(|it| match it.name.as_str() {
        NAME => !says_warn(&it.value),
        _ => wants_deny(it),
    })
}

/// Returns whether a key is `onFailure`, a single edit away from it, or a path that ends with it
/// (`hooksConfig.onFailure`).
pub(crate) fn is_name(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    last == NAME || is_one_edit(last, NAME)
}

fn says_warn(value: &Value<'_>) -> bool {
    matches!(value, Value::StringLit(text) if text.value.trim().eq_ignore_ascii_case("warn"))
}
