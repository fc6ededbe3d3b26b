//! Matches words of which only a few letters were typed (TU-5).

/// Ranks a candidate for what was typed; lower is better. Returns `None` if it doesn't match.
/// Candidates that begin with the typed letters come first, then those that contain them together,
/// then those that contain them in order. Case is ignored.
pub fn fuzzy_rank(candidate: &str, typed: &str) -> Option<usize> {
    let candidate = candidate.to_lowercase();
    let typed = typed.to_lowercase();
    if candidate.starts_with(&typed) {
        return Some(0);
    }
    if let Some(place) = candidate.find(&typed) {
        return Some(1 + place);
    }
    let mut letters = candidate.char_indices();
    let mut first = None;
    let mut last = 0;
    for wanted in typed.chars() {
        let (place, _) = letters.find(|(_, letter)| *letter == wanted)?;
        first.get_or_insert(place);
        last = place;
    }
    // The closer together the letters are, the better the match.
    Some(1000 + last - first.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TU-5: a beginning comes before letters in the middle, and those before scattered ones.
    #[test]
    fn better_matches_come_first() {
        let mut words = ["/skills", "/tools", "/hooks", "/help"];
        words.sort_by_key(|word| fuzzy_rank(word, "/hk").unwrap_or(usize::MAX));
        assert_eq!(words[0], "/hooks");
        assert_eq!(fuzzy_rank("README.md", "readme"), Some(0));
        assert!(fuzzy_rank("a_lib", "lib") < fuzzy_rank("l_i_b", "lib"));
        assert_eq!(fuzzy_rank("lib", "lbi"), None);
        assert_eq!(fuzzy_rank("ünï", "Ï"), Some(4));
    }
}
