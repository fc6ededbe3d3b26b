//! Finding what was probably meant.

/// Longest word for which a near match is looked for; longer ones are no typing mistakes.
const LONGEST: usize = 64;

/// Returns the candidate that a mistyped word most probably means (ST-3): the same but for case
/// and `_`/`-`, else the one with the smallest edit distance of at most a third of its length.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = fold(word);
    if folded.is_empty() || folded.len() > LONGEST {
        return None;
    }
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let other = fold(candidate);
            let limit = (other.len().max(folded.len()) / 3).clamp(1, 4);
            if other.is_empty() || other.len().abs_diff(folded.len()) > limit {
                return None;
            }
            let distance = distance(&folded, &other);
            (distance <= limit).then_some((distance, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn fold(word: &str) -> Vec<char> {
    // One more than the longest word is enough to know that it is too long.
    word.chars()
        .filter(|character| !matches!(character, '_' | '-' | ' '))
        .take(LONGEST + 1)
        .flat_map(char::to_lowercase)
        .collect()
}

/// Counts insertions, deletions, replacements and swaps of neighbours.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (row, left_char) in left.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, right_char) in right.iter().enumerate() {
            let replaced = last[column] + usize::from(left_char != right_char);
            let mut best = replaced.min(last[column + 1] + 1).min(current[column] + 1);
            let swapped = row > 0
                && column > 0
                && left[row - 1] == *right_char
                && right[column - 1] == *left_char;
            if swapped {
                best = best.min(before_last[column - 1] + 1);
            }
            current.push(best);
        }
        before_last = std::mem::replace(&mut last, current);
    }
    last[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ST-3: the right spelling is suggested for another case and for typing mistakes.
    #[test]
    fn finds_what_was_meant() {
        let names = ["BeforeTool", "AfterTool", "BeforeModel"];
        assert_eq!(nearest("beforetool", names), Some("BeforeTool"));
        assert_eq!(nearest("before_tool", names), Some("BeforeTool"));
        assert_eq!(nearest("BeforTool", names), Some("BeforeTool"));
        assert_eq!(nearest("BeforeTolo", names), Some("BeforeTool"));
        assert_eq!(nearest("Zebra", names), None);
        assert_eq!(nearest("", names), None);
        assert_eq!(nearest(&"x".repeat(100_000), names), None);
    }
}
