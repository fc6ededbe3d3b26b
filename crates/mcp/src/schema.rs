//! Adapts the schema of a tool's arguments for models.

use serde_json::{Map, Value};

/// The largest schema that is passed on, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// Returns a tool's schema in the form that model services accept.
///
/// # Errors
/// No arguments can be checked against the schema; the text gives the reason.
pub(crate) fn clean(schema: &Map<String, Value>) -> Result<Value, String> {
    let mut schema = schema.clone();
    // Some model services refuse this keyword, which says nothing about arguments.
    schema.remove("$schema");
    let kind = schema
        .entry("type")
        .or_insert_with(|| Value::from("object"));
    if kind != "object" {
        return Err(format!("its arguments are {kind} instead of an object"));
    }
    let properties = schema
        .entry("properties")
        .or_insert_with(|| Value::Object(Map::new()));
    let Some(properties) = properties.as_object() else {
        return Err("\"properties\" of its schema isn't an object".to_owned());
    };
    if properties
        .values()
        .any(|it| !it.is_object() && !it.is_boolean())
    {
        return Err("a property of its schema isn't a schema".to_owned());
    }
    let required = schema.get("required");
    let is_list = |it: &Value| {
        it.as_array()
            .is_some_and(|it| it.iter().all(Value::is_string))
    };
    if !required.is_none_or(is_list) {
        return Err("\"required\" of its schema isn't a list of names".to_owned());
    }
    let schema = Value::Object(schema);
    let length = schema.to_string().len();
    if length > MAX_BYTES {
        return Err(format!(
            "its schema has {length} bytes, more than {MAX_BYTES}"
        ));
    }
    Ok(schema)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn cleaned(schema: &Value) -> Result<Value, String> {
        clean(schema.as_object().expect("an object"))
    }

    /// TO-3: what is missing in a schema is added, and what says nothing is taken away.
    #[test]
    fn a_schema_is_completed() {
        let schema = json!({"$schema": "x", "required": ["a"]});
        assert_eq!(
            cleaned(&schema).expect("sound"),
            json!({"required": ["a"], "type": "object", "properties": {}})
        );
    }

    /// TO-3: a schema that no arguments can be checked against is refused.
    #[test]
    fn a_broken_schema_is_refused() {
        for (schema, why) in [
            (json!({"type": "array"}), "instead of an object"),
            (json!({"properties": []}), "isn't an object"),
            (json!({"properties": {"a": 1}}), "isn't a schema"),
            (json!({"required": [1]}), "isn't a list of names"),
            (json!({"description": "x".repeat(MAX_BYTES)}), "bytes"),
        ] {
            let error = cleaned(&schema).expect_err("refused");
            assert!(error.contains(why), "{error}");
        }
    }
}
