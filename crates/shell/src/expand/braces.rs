//! `{a,b}` and `{1..3}`.

/// How many words are written out at most.
const MAX_WORDS: usize = 1024;

/// Expands the braces of a word as written; quotes stay. `None` if they stand for more words than
/// are written out.
pub(super) fn expand_braces(word: &str) -> Option<Vec<String>> {
    let mut expanded = Vec::new();
    expand_into(word, &mut expanded);
    (expanded.len() <= MAX_WORDS).then_some(expanded)
}

fn expand_into(word: &str, expanded: &mut Vec<String>) {
    if expanded.len() > MAX_WORDS {
        return;
    }
    let Some((start, end, alternatives)) = first_braces(word) else {
        expanded.push(word.to_owned());
        return;
    };
    for alternative in alternatives {
        let next = format!("{}{alternative}{}", &word[..start], &word[end..]);
        // Braces before it are literal; those inside and after it are expanded next.
        expand_into(&next, expanded);
    }
}

/// Finds the first braces that expand: where they begin and end, and what they stand for.
fn first_braces(word: &str) -> Option<(usize, usize, Vec<String>)> {
    let bytes = word.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\'' => at = skip_to(bytes, at, b'\''),
            b'"' => at = skip_to(bytes, at, b'"'),
            b'$' if bytes
                .get(at + 1)
                .is_some_and(|it| *it == b'{' || *it == b'(') =>
            {
                at = crate::syntax::balanced(word, at + 1)? - 1;
            }
            b'{' => {
                if let Some(found) = braces_at(word, at) {
                    return Some(found);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

fn skip_to(bytes: &[u8], from: usize, quote: u8) -> usize {
    let behind = bytes.iter().skip(from + 1);
    let length = behind.take_while(|it| **it != quote).count();
    from + 1 + length
}

fn braces_at(word: &str, start: usize) -> Option<(usize, usize, Vec<String>)> {
    let bytes = word.as_bytes();
    let (mut depth, mut at, mut begun) = (0_usize, start, start + 1);
    let mut alternatives = Vec::new();
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\'' => at = skip_to(bytes, at, b'\''),
            b'"' => at = skip_to(bytes, at, b'"'),
            b'{' => depth += 1,
            b',' if depth == 1 => {
                alternatives.push(word.get(begun..at)?.to_owned());
                begun = at + 1;
            }
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    let last = word.get(begun..at)?;
                    if alternatives.is_empty() {
                        return Some((start, at + 1, sequence(last)?));
                    }
                    alternatives.push(last.to_owned());
                    return Some((start, at + 1, alternatives));
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Reads `1..3` or `a..c`.
fn sequence(text: &str) -> Option<Vec<String>> {
    let (from, to) = text.split_once("..")?;
    let (to, step) = to.split_once("..").unwrap_or((to, "1"));
    let step = usize::try_from(step.parse::<i64>().ok()?.abs().max(1)).ok()?;
    if let (Ok(from), Ok(to)) = (from.parse::<i64>(), to.parse::<i64>()) {
        let numbers: Vec<String> = if from <= to {
            (from..=to)
                .step_by(step)
                .take(MAX_WORDS + 1)
                .map(|it| it.to_string())
                .collect()
        } else {
            (to..=from)
                .rev()
                .step_by(step)
                .take(MAX_WORDS + 1)
                .map(|it| it.to_string())
                .collect()
        };
        return Some(numbers);
    }
    let one = |text: &str| {
        let mut characters = text.chars();
        characters.next().filter(|_| characters.next().is_none())
    };
    let (from, to) = (one(from)?, one(to)?);
    Some(if from <= to {
        (from..=to).step_by(step).map(String::from).collect()
    } else {
        (to..=from).rev().step_by(step).map(String::from).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::{MAX_WORDS, expand_braces};

    /// HT-30: braces stand for the words that bash makes of them.
    #[test]
    fn braces_are_written_out() {
        let expanded = |word: &str| expand_braces(word).unwrap_or_default();
        assert_eq!(expanded("a{b,c}d"), ["abd", "acd"]);
        assert_eq!(expanded("{r,}m"), ["rm", "m"]);
        assert_eq!(expanded("{a,{b,c}}x"), ["ax", "bx", "cx"]);
        assert_eq!(expanded("{1..3}"), ["1", "2", "3"]);
        assert_eq!(expanded("{c..a}"), ["c", "b", "a"]);
        assert_eq!(expanded("'{a,b}'{}{a}"), ["'{a,b}'{}{a}"]);
        assert_eq!(expanded("${x,,}{a,b}"), ["${x,,}a", "${x,,}b"]);
    }

    /// HT-30: if there are too many words, none is left out: it isn't known which they are.
    #[test]
    fn braces_for_too_many_words_are_not_known() {
        let many = "a,".repeat(MAX_WORDS);
        assert_eq!(expand_braces(&format!("{{{many}b}}")), None);
        assert_eq!(expand_braces("{1..100000}"), None);
        assert_eq!(expand_braces("{1..60}{1..60}"), None);
        assert_eq!(
            expand_braces("{1..30}{1..30}").map(|it| it.len()),
            Some(900)
        );
    }
}
