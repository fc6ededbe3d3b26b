//! Suggestions for a name that doesn't exist.

use hookloop_settings::nearest;

/// The maximum number of candidates.
const MAX_CANDIDATES: usize = 3;

/// Returns the names most similar to a word, best first: misspelt ones, then those that contain the
/// word.
pub fn near_matches(word: &str, names: &[&str]) -> Vec<String> {
    let mut left: Vec<&str> = Vec::new();
    for name in names {
        if !left.contains(name) {
            left.push(name);
        }
    }
    let mut found = Vec::new();
    while found.len() < MAX_CANDIDATES {
        let Some(near) = nearest(word, left.iter().copied()) else {
            break;
        };
        left.retain(|name| *name != near);
        found.push(near.to_owned());
    }
    let folded = word.to_lowercase();
    let holding = left
        .iter()
        .filter(|name| !folded.is_empty() && name.to_lowercase().contains(&folded));
    found.extend(
        holding
            .take(MAX_CANDIDATES - found.len())
            .map(|name| (*name).to_owned()),
    );
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-5: near matches are given best first, each once, and none for a word that is far from
    /// all.
    #[test]
    fn near_matches_are_given_best_first() {
        let names = ["AfterTool", "BeforeTool", "BeforeTool", "BeforeModel"];
        assert_eq!(near_matches("beforetool", &names)[0], "BeforeTool");
        assert_eq!(near_matches("Model", &names), ["BeforeModel"]);
        assert!(near_matches("Zebra", &names).is_empty());
        assert!(near_matches("", &names).is_empty());
    }
}
