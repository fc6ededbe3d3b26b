//! Keys that occur more than once in a reply. JSON doesn't define which occurrence counts, so the
//! user gets a report that part of the reply was dropped.

use std::collections::BTreeSet;
use std::fmt;

use serde::Deserializer as _;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::Deserializer;

/// Returns the keys that the text of an object repeats, in the order of their names.
pub(crate) fn repeated_keys(text: &str) -> impl Iterator<Item = String> {
    let keys = Deserializer::from_str(text).deserialize_map(Repeated);
    keys.unwrap_or_default().into_iter()
}

struct Repeated;

impl<'de> Visitor<'de> for Repeated {
    type Value = BTreeSet<String>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut repeated = BTreeSet::new();
        let mut seen = BTreeSet::new();
        while let Some(key) = object.next_key::<String>()? {
            object.next_value::<IgnoredAny>()?;
            if !seen.insert(key.clone()) {
                repeated.insert(key);
            }
        }
        Ok(repeated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ST-5: what appears twice is named.
    #[test]
    fn repeated_keys_are_known() {
        let text = r#"{"b":1,"a":{"c":1,"c":2},"b":2,"b":3,"decision":"deny","decision":"deny"}"#;
        assert_eq!(repeated_keys(text).collect::<Vec<_>>(), ["b", "decision"]);
        assert_eq!(repeated_keys("[1]").count(), 0);
        assert_eq!(repeated_keys(r#"{"a":1"#).count(), 0);
    }
}
