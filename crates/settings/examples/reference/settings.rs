//! What the schema says about the keys of settings files.

use serde_json::Value;

use crate::row;

/// Returns the table of all keys.
pub(crate) fn table() -> String {
    let schema = hookloop_settings::json_schema();
    let mut table = Table {
        schema: &schema,
        text: String::from("| key | value | default | meaning |\n|---|---|---|---|\n"),
    };
    table.add_properties("", &schema);
    table.text
}

struct Table<'a> {
    schema: &'a Value,
    text: String,
}

impl<'a> Table<'a> {
    /// Adds a row for each property of an object, and for what is inside them.
    fn add_properties(&mut self, above: &str, object: &'a Value) {
        let mut groups_are_listed = false;
        for (key, property) in object["properties"].as_object().into_iter().flatten() {
            // A name that is in the wrong place isn't a key.
            if property["not"].is_object() && property["type"].is_null() {
                continue;
            }
            let mut path = format!("{above}{key}");
            let mut meaning = property["description"].as_str().unwrap_or_default();
            if is_list_of_groups(property) {
                // All events have the same shape, and a table of their own.
                if groups_are_listed {
                    continue;
                }
                groups_are_listed = true;
                path = format!("{above}EVENT");
                meaning = "The groups of hooks of an event.";
            }
            self.add_row(&path, property, meaning);
            self.add_inside(&path, property);
        }
    }

    fn add_row(&mut self, path: &str, property: &Value, meaning: &str) {
        let default = match &property["default"] {
            Value::Null => String::new(),
            value => format!("`{value}`"),
        };
        let value = self.kind(property);
        let meaning = meaning.replace('|', "\\|");
        self.text += &row(&[&format!("`{path}`"), &value, &default, &meaning]);
    }

    fn add_inside(&mut self, path: &str, property: &'a Value) {
        let shapes = self.shapes(property);
        for shape in shapes {
            self.add_properties(&format!("{path}."), shape);
            if shape["items"].is_object() {
                self.add_inside(&format!("{path}[]"), &shape["items"]);
            }
            if shape["additionalProperties"].is_object() {
                self.add_inside(&format!("{path}.NAME"), &shape["additionalProperties"]);
            }
        }
    }

    /// Returns what a value may be, without "nothing".
    fn shapes(&self, value: &'a Value) -> Vec<&'a Value> {
        if let Some(reference) = value["$ref"].as_str() {
            let name = reference.trim_start_matches("#/definitions/");
            return self.shapes(&self.schema["definitions"][name]);
        }
        let choices = choices_of(value);
        match choices {
            Some(choices) => choices.iter().flat_map(|it| self.shapes(it)).collect(),
            None if value["type"] == "null" => Vec::new(),
            None => vec![value],
        }
    }

    /// Returns in words what a value may be.
    fn kind(&self, value: &Value) -> String {
        if let Some(reference) = value["$ref"].as_str() {
            let name = reference.trim_start_matches("#/definitions/");
            return self.kind(&self.schema["definitions"][name]);
        }
        if let Some(choices) = choices_of(value) {
            let kinds = choices.iter().map(|it| self.kind(it));
            return kinds
                .filter(|it| !it.is_empty())
                .collect::<Vec<_>>()
                .join(" or ");
        }
        if let Some(word) = value.get("const") {
            return format!("`{word}`");
        }
        if let Some(words) = value["enum"].as_array() {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            return words.join(" or ");
        }
        let types = match &value["type"] {
            Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
            one => one.as_str().into_iter().collect::<Vec<_>>(),
        };
        let named = types.into_iter().filter(|name| *name != "null");
        let named = named.map(|name| match name {
            "array" => format!("list of: {}", self.kind(&value["items"])),
            "string" => "text".to_owned(),
            other => other.to_owned(),
        });
        named.collect::<Vec<_>>().join(" or ")
    }
}

/// Returns what a value may be, one or the other.
fn choices_of(value: &Value) -> Option<&Vec<Value>> {
    let lone = value["allOf"]
        .as_array()
        .filter(|_| value["properties"].is_null());
    value["anyOf"]
        .as_array()
        .or(value["oneOf"].as_array())
        .or(lone)
}

fn is_list_of_groups(property: &Value) -> bool {
    property["items"]["$ref"] == "#/definitions/Group"
}
