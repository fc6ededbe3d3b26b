//! Variables in the settings of a server: `$NAME`, `${NAME}`, `${NAME:-default}`.

use std::ffi::OsString;

/// Replaces the variables in a text, and collects the names of those that aren't set.
///
/// A reference to a variable that isn't set stays as it is, as in Gemini CLI.
pub(crate) fn expand(
    text: &str,
    environment: &[(OsString, OsString)],
    missing: &mut Vec<String>,
) -> String {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(begin) = rest.find('$') {
        expanded.push_str(&rest[..begin]);
        let variable = &rest[begin..];
        let Some((name, default, length)) = reference(variable) else {
            expanded.push('$');
            rest = &variable[1..];
            continue;
        };
        match (value(name, environment), default) {
            (Some(value), _) => expanded.push_str(&value),
            (None, Some(default)) => expanded.push_str(default),
            (None, None) => {
                missing.push(name.to_owned());
                expanded.push_str(&variable[..length]);
            }
        }
        rest = &variable[length..];
    }
    expanded.push_str(rest);
    expanded
}

/// Parses a reference at the beginning of a text: its name, its default, and its length in bytes.
fn reference(text: &str) -> Option<(&str, Option<&str>, usize)> {
    let after = &text[1..];
    if let Some(inner) = after.strip_prefix('{') {
        let end = inner.find('}')?;
        let (name, default) = match inner[..end].split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (&inner[..end], None),
        };
        return is_name(name).then_some((name, default, end + 3));
    }
    let end = after
        .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .unwrap_or(after.len());
    let name = &after[..end];
    is_name(name).then_some((name, None, end + 1))
}

fn is_name(name: &str) -> bool {
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Returns the value of a variable; if a name appears several times, the last value counts.
pub(crate) fn value(name: &str, environment: &[(OsString, OsString)]) -> Option<String> {
    let found = environment.iter().rev().find(|(known, _)| known == name);
    found.map(|(_, value)| value.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn environment() -> Vec<(OsString, OsString)> {
        vec![
            ("TOKEN".into(), "old".into()),
            ("TOKEN".into(), "$HOME secret".into()),
        ]
    }

    /// TO-3: variables are replaced once; those that aren't set stay and are reported.
    #[test]
    fn variables_are_replaced_once() {
        let mut missing = Vec::new();
        let text = "Bearer $TOKEN ${TOKEN} ${NONE:-x}${NONE} $1 $ ${ü} ${TOKEN";
        assert_eq!(
            expand(text, &environment(), &mut missing),
            "Bearer $HOME secret $HOME secret x${NONE} $1 $ ${ü} ${TOKEN"
        );
        assert_eq!(missing, ["NONE"]);
    }

    proptest! {
        /// TO-3: text without variables stays unchanged, and nothing ever panics.
        #[test]
        fn other_text_stays(text in "[a-z{}:é-]{0,20}", any in "[$a-zA-Z_{}:é-]{0,20}") {
            let mut missing = Vec::new();
            prop_assert_eq!(expand(&text, &environment(), &mut missing), text);
            expand(&any, &environment(), &mut missing);
        }
    }
}
