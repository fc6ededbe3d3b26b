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
    let (mut other, mut rows) = (Vec::new(), Rows::default());
    let mut nearest = None;
    for candidate in candidates {
        fold_into(candidate, &mut other);
        let longest = other.len().max(folded.len());
        let limit = match nearest {
            None => (longest / 3).clamp(1, 4),
            Some((0, _)) => break,
            // Only what is nearer than the nearest so far counts.
            Some((distance, _)) => (longest / 3).clamp(1, 4).min(distance - 1),
        };
        if other.is_empty() || other.len().abs_diff(folded.len()) > limit {
            continue;
        }
        if let Some(distance) = rows.distance(&folded, &other, limit) {
            nearest = Some((distance, candidate));
        }
    }
    nearest.map(|(_, candidate)| candidate)
}

fn fold(word: &str) -> Vec<char> {
    let mut folded = Vec::with_capacity(word.len().min(LONGEST + 1));
    fold_into(word, &mut folded);
    folded
}

fn fold_into(word: &str, folded: &mut Vec<char>) {
    folded.clear();
    // One more than the longest word is enough to know that it is too long.
    let characters = word
        .chars()
        .filter(|character| !matches!(character, '_' | '-' | ' '))
        .take(LONGEST + 1);
    for character in characters {
        if character.is_ascii() {
            folded.push(character.to_ascii_lowercase());
        } else {
            folded.extend(character.to_lowercase());
        }
    }
}

/// The rows of the table of distances, kept from word to word: thousands of matchers may be
/// compared with every tool.
#[derive(Debug, Default)]
struct Rows {
    before_last: Vec<usize>,
    last: Vec<usize>,
    current: Vec<usize>,
}

impl Rows {
    /// Counts insertions, deletions, replacements and swaps of neighbours, up to a limit.
    fn distance(&mut self, left: &[char], right: &[char], limit: usize) -> Option<usize> {
        self.last.clear();
        self.last.extend(0..=right.len());
        let mut least_of_last = 0;
        for (row, left_char) in left.iter().enumerate() {
            self.current.clear();
            self.current.push(row + 1);
            for (column, right_char) in right.iter().enumerate() {
                let replaced = self.last[column] + usize::from(left_char != right_char);
                let mut best = replaced
                    .min(self.last[column + 1] + 1)
                    .min(self.current[column] + 1);
                let swapped = row > 0
                    && column > 0
                    && left[row - 1] == *right_char
                    && right[column - 1] == *left_char;
                if swapped {
                    best = best.min(self.before_last[column - 1] + 1);
                }
                self.current.push(best);
            }
            // A later row is built of this one, or, by a swap, of the one before with one more.
            let least = self.current.iter().copied().min().unwrap_or_default();
            if least > limit && least_of_last >= limit {
                return None;
            }
            least_of_last = least;
            std::mem::swap(&mut self.before_last, &mut self.last);
            std::mem::swap(&mut self.last, &mut self.current);
        }
        Some(self.last[right.len()]).filter(|distance| *distance <= limit)
    }
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

    /// ST-3: of several near names it is the nearest one, and the first of those as near.
    #[test]
    fn the_nearest_is_meant() {
        assert_eq!(nearest("fiel", ["fill", "file", "fell"]), Some("fill"));
        assert_eq!(
            nearest("toolbar", ["toolbox", "toolbars"]),
            Some("toolbars")
        );
        assert_eq!(
            nearest("a_file", ["afire", "afile", "afile2"]),
            Some("afile")
        );
    }
}
