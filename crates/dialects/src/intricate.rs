//! Expressions that would take too long to evaluate.

/// Returns whether a pattern has nested repetitions, or too many in a row: finding that it doesn't
/// match could take too long.
pub(crate) fn takes_for_ever(pattern: &str) -> bool {
    const MAX_CONSECUTIVE: usize = 6;
    let repeats = |letter: Option<char>| matches!(letter, Some('*' | '+' | '{'));
    let mut letters = pattern.chars().peekable();
    // The number of repetitions in each open group.
    let mut open = vec![0_usize];
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
            }
            '(' => open.push(0),
            '|' => {
                if let [only] = open.as_mut_slice() {
                    *only = 0;
                }
            }
            ')' if open.len() > 1 => {
                let inside = open.pop().unwrap_or_default();
                if inside > 0 && repeats(letters.peek().copied()) {
                    return true;
                }
                if let Some(outside) = open.last_mut() {
                    *outside += inside;
                }
            }
            letter if repeats(Some(letter)) => {
                if let Some(innermost) = open.last_mut() {
                    *innermost += 1;
                }
            }
            _ => {}
        }
        if open.iter().any(|count| *count > MAX_CONSECUTIVE) {
            return true;
        }
    }
    false
}
