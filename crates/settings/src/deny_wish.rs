//! `onFailure: "deny"` as people write it under another name or in another place. It is reported where it is,
//! and counts: nobody who wrote it wants less (IO-21).

use jsonc_parser::ast::{Object, ObjectProp, Value};

use crate::corrections::refuses_on_failure;
use crate::near::is_one_edit;

/// The name that is read.
const NAME: &str = "onFailure";

/// Returns whether a field that nobody reads says that a failure refuses: a misspelt `onFailure`, or one in
/// other words. Somebody who wrote `warn` wants no more than the default.
pub(crate) fn wants_deny(property: &ObjectProp<'_>) -> bool {
    if is_one_edit(property.name.as_str(), NAME) {
        return !says_warn(&property.value);
    }
    refuses_on_failure(property)
}

/// Returns the value that says for all hooks of a file that a failure refuses, in a place where nobody reads
/// it: in `hooksConfig` under another name, in a misspelt `hooksConfig`, in `hooks`, or at the top.
pub(crate) fn of_file<'v, 'a>(root: &'v Object<'a>) -> Option<&'v Value<'a>> {
    let mut wishes = root.properties.iter().filter_map(|property| {
        let name = property.name.as_str();
        match &property.value {
            Value::Object(config) if name == "hooksConfig" => in_config(config),
            Value::Object(config) if is_one_edit(name, "hooksConfig") => in_misplaced(config),
            Value::Object(hooks) if name == "hooks" => in_misplaced(hooks),
            // Other programs have keys here too, so only the name itself counts.
            value @ Value::StringLit(_) if is_name(name) && !says_warn(value) => Some(value),
            _ => None,
        }
    });
    wishes.next()
}

/// Looks into `hooksConfig` itself, where the right name is read.
fn in_config<'v, 'a>(config: &'v Object<'a>) -> Option<&'v Value<'a>> {
    let mut fields = config.properties.iter();
    let found = fields.find(|it| wants_deny(it));
    found.map(|it| &it.value)
}

/// Looks where the right name isn't read either.
fn in_misplaced<'v, 'a>(object: &'v Object<'a>) -> Option<&'v Value<'a>> {
    let mut fields = object.properties.iter();
    fields.find_map(|property| match &property.value {
        Value::Object(config) if property.name.as_str() == "hooksConfig" => in_misplaced(config),
        // A list is what an event has.
        Value::Array(_) => None,
        value if property.name.as_str() == NAME => (!says_warn(value)).then_some(value),
        value => wants_deny(property).then_some(value),
    })
}

/// Returns whether a group says for all of its hooks that a failure refuses. No group has such a field.
pub(crate) fn of_group(group: &Object<'_>) -> bool {
    let mut fields = group.properties.iter();
    fields.any(|it| match it.name.as_str() {
        NAME => !says_warn(&it.value),
        _ => wants_deny(it),
    })
}

fn is_name(name: &str) -> bool {
    name == NAME || is_one_edit(name, NAME)
}

fn says_warn(value: &Value<'_>) -> bool {
    matches!(value, Value::StringLit(text) if text.value.trim().eq_ignore_ascii_case("warn"))
}
