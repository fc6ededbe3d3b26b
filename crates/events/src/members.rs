//! The members of a JSON object, including duplicates.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

/// The members of a JSON object, in order, including duplicates: a refusal must not be lost because
/// a later member with the same name contradicts it (IO-24).
#[derive(Debug, Clone)]
pub struct Members<V>(pub Vec<(String, V)>);

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Members<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for All<V> {
            type Value = Members<V>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<V>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(All(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::Members;

    /// IO-24: every value of a repeated name is there, in order; what isn't an object has no
    /// members.
    #[test]
    fn repeated_names_all_stay() {
        let read: Members<bool> = serde_json::from_str(r#"{"a":false,"b":true,"a":true}"#).unwrap();
        let members: Vec<_> = read
            .0
            .iter()
            .map(|(name, it)| (name.as_str(), *it))
            .collect();
        assert_eq!(members, [("a", false), ("b", true), ("a", true)]);
        assert!(serde_json::from_str::<Members<bool>>("[true]").is_err());
    }
}
