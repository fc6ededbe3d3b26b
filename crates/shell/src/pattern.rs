//! Patterns of file names: comparing them with text, and with each other.

/// Returns whether a text matches a pattern with `*`, `?` and `[…]`, as in `case`: `*` also matches
/// `/`.
pub fn matches(pattern: &str, text: &str) -> bool {
    if !pattern.bytes().any(|it| matches!(it, b'?' | b'[' | b'\\')) {
        return matches_stars(pattern, text);
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    matches_from(&pattern, &text)
}

/// Compares with a pattern whose only special character is `*`, as most are, without copying it.
fn matches_stars(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let (middle, tail) = rest.rsplit_once('*').unwrap_or(("", rest));
    let between = text.strip_prefix(head).and_then(|it| it.strip_suffix(tail));
    let Some(mut between) = between else {
        return false;
    };
    for piece in middle.split('*').filter(|it| !it.is_empty()) {
        let Some((_, behind)) = between.split_once(piece) else {
            return false;
        };
        between = behind;
    }
    true
}

/// Compares with one remembered `*`, which keeps the time within the product of both lengths.
fn matches_from(pattern: &[char], text: &[char]) -> bool {
    let (mut at, mut place) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while place < text.len() {
        if pattern.get(at) == Some(&'*') {
            star = Some((at, place));
            at += 1;
            continue;
        }
        if let Some(length) = match_one(&pattern[at.min(pattern.len())..], text[place]) {
            at += length;
            place += 1;
            continue;
        }
        let Some((begun, taken)) = star else {
            return false;
        };
        star = Some((begun, taken + 1));
        at = begun + 1;
        place = taken + 1;
    }
    pattern[at.min(pattern.len())..].iter().all(|it| *it == '*')
}

/// Compares one character with the head of a pattern; returns how long that head is.
fn match_one(pattern: &[char], character: char) -> Option<usize> {
    match pattern.first()? {
        '?' => Some(1),
        '\\' if pattern.len() > 1 => (pattern[1] == character).then_some(2),
        '[' => match class(pattern) {
            Some((length, class)) => class_holds(class, character).then_some(length),
            None => (character == '[').then_some(1),
        },
        plain => (*plain == character).then_some(1),
    }
}

/// Finds a bracket expression at the head of a pattern: its length, and what is in it.
fn class(pattern: &[char]) -> Option<(usize, &[char])> {
    let first = if matches!(pattern.get(1), Some('!' | '^')) {
        3
    } else {
        2
    };
    // The position after `[` or `[!`: a `]` there is a member.
    let mut at = first - 1;
    loop {
        match pattern.get(at)? {
            ']' if at >= first => return Some((at + 1, &pattern[1..at])),
            '[' => at = class_end(pattern, at).unwrap_or(at + 1),
            '\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Returns the end of `[:name:]`, `[=a=]` or `[.a.]`, which is inside a bracket expression.
fn class_end(pattern: &[char], at: usize) -> Option<usize> {
    let kind = *pattern.get(at + 1).filter(|it| ":=.".contains(**it))?;
    let close = (at + 2..pattern.len())
        .find(|it| pattern[*it] == kind && pattern.get(*it + 1) == Some(&']'))?;
    Some(close + 2)
}

/// Returns whether what is between `[` and `]` inside a bracket expression contains a character.
fn class_contains(named: &[char], character: char) -> bool {
    let name: String = named[1..named.len() - 1].iter().collect();
    if named[0] != ':' {
        // A collating name such as `period` is matched broadly.
        return name.chars().count() > 1 || name.eq_ignore_ascii_case(&character.to_string());
    }
    match name.as_str() {
        "alpha" => character.is_alphabetic(),
        "digit" => character.is_ascii_digit(),
        "alnum" => character.is_alphanumeric(),
        "upper" => character.is_uppercase(),
        "lower" => character.is_lowercase(),
        "space" => character.is_whitespace(),
        "blank" => matches!(character, ' ' | '\t'),
        "punct" => character.is_ascii_punctuation(),
        "cntrl" => character.is_control(),
        "xdigit" => character.is_ascii_hexdigit(),
        "word" => character.is_alphanumeric() || character == '_',
        "graph" => !character.is_control() && !character.is_whitespace(),
        "print" => !character.is_control(),
        _ => true,
    }
}

fn class_holds(class: &[char], character: char) -> bool {
    let (excludes, members) = match class.first() {
        Some('!' | '^') => (true, &class[1..]),
        _ => (false, class),
    };
    let mut at = 0;
    let mut holds = false;
    while at < members.len() {
        if let Some(end) = class_end(members, at).filter(|_| members[at] == '[') {
            holds |= class_contains(&members[at + 1..end - 1], character);
            at = end;
        } else if members[at] == '\\' && at + 1 < members.len() {
            holds |= members[at + 1] == character;
            at += 2;
        } else if at + 2 < members.len() && members[at + 1] == '-' {
            holds |= members[at] <= character && character <= members[at + 2];
            at += 3;
        } else {
            holds |= members[at] == character;
            at += 1;
        }
    }
    holds != excludes
}

/// Returns whether some name may match both patterns: `/e*c` and `/etc/*` don't exclude each other
/// component by component.
///
/// This is the widest reading: if the answer can't be known, it is `true`.
pub fn may_meet(one: &str, other: &str) -> bool {
    let mut first = one.split('/').filter(|it| !it.is_empty() && *it != ".");
    let mut second = other.split('/').filter(|it| !it.is_empty() && *it != ".");
    if one.starts_with('/') != other.starts_with('/') {
        return false;
    }
    loop {
        match (first.next(), second.next()) {
            (None, None) | (Some("**"), _) | (_, Some("**")) => return true,
            (Some(left), Some(right)) if component_may_meet(left, right) => {}
            _ => return false,
        }
    }
}

/// Returns whether one name may match both of two patterns without `/`.
pub fn component_may_meet(one: &str, other: &str) -> bool {
    let is_pattern = |text: &str| text.bytes().any(|it| matches!(it, b'*' | b'?' | b'['));
    match (is_pattern(one), is_pattern(other)) {
        (false, false) => one == other,
        (true, false) => hidden_fits(one, other),
        (false, true) => hidden_fits(other, one),
        (true, true) => {
            let (one, other): (Vec<char>, Vec<char>) =
                (one.chars().collect(), other.chars().collect());
            intersects(&pieces(&one), &pieces(&other))
        }
    }
}

/// What a pattern consists of.
enum Piece<'p> {
    /// `*`.
    Many,
    /// `?`.
    Any,
    One(char),
    Class(&'p [char]),
}

fn pieces(pattern: &[char]) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = pattern;
    while let Some(first) = rest.first() {
        let (length, piece) = match first {
            '*' => (1, Piece::Many),
            '?' => (1, Piece::Any),
            '\\' if rest.len() > 1 => (2, Piece::One(rest[1])),
            '[' => class(rest).map_or((1, Piece::One('[')), |(length, class)| {
                (length, Piece::Class(class))
            }),
            plain => (1, Piece::One(*plain)),
        };
        pieces.push(piece);
        rest = rest.get(length..).unwrap_or_default();
    }
    pieces
}

/// Returns whether some name matches both patterns. The time is proportional to the product of
/// their lengths; for patterns that are too long, the answer is that there may be one.
fn intersects(one: &[Piece<'_>], other: &[Piece<'_>]) -> bool {
    const MAX_LENGTH: usize = 300;
    if one.len() > MAX_LENGTH || other.len() > MAX_LENGTH {
        return true;
    }
    let agree = |left: &Piece<'_>, right: &Piece<'_>| match (left, right) {
        (Piece::One(left), Piece::One(right)) => left == right,
        (Piece::One(it), Piece::Class(class)) | (Piece::Class(class), Piece::One(it)) => {
            class_holds(class, *it)
        }
        _ => true,
    };
    let is_many = |it: Option<&Piece<'_>>| matches!(it, Some(Piece::Many));
    let ends_differ = |left: Option<&Piece<'_>>, right: Option<&Piece<'_>>| matches!((left, right), (Some(Piece::One(left)), Some(Piece::One(right))) if left != right);
    if ends_differ(one.first(), other.first()) || ends_differ(one.last(), other.last()) {
        return false;
    }
    // Whether the rest of one pattern, and that of the other from each position, match a common
    // name.
    let mut behind = vec![false; other.len() + 1];
    let mut row = behind.clone();
    for at in (0..=one.len()).rev() {
        for place in (0..=other.len()).rev() {
            let (left, right) = (one.get(at), other.get(place));
            row[place] = match (left, right) {
                (None, None) => true,
                _ if is_many(left) => behind[place] || right.is_some() && row[place + 1],
                _ if is_many(right) => row[place + 1] || left.is_some() && behind[place],
                (Some(left), Some(right)) => agree(left, right) && behind[place + 1],
                _ => false,
            };
        }
        std::mem::swap(&mut behind, &mut row);
    }
    behind[0]
}

/// Compares as the shell does: `*`, `?` and classes never match a leading dot.
fn hidden_fits(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') && !pattern.starts_with("\\.") {
        return false;
    }
    matches(pattern, name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{matches, matches_from, may_meet};

    proptest! {
        /// HT-30: patterns without other special characters than `*` are compared by a shorter way,
        /// which decides as the longer one does.
        #[test]
        fn the_short_way_decides_as_the_long_one(
            pattern in "[ab./*é]{0,8}",
            text in "[ab./é]{0,10}",
        ) {
            let long = |text: &str| text.chars().collect::<Vec<char>>();
            let expected = matches_from(&long(&pattern), &long(&text));
            prop_assert_eq!(matches(&pattern, &text), expected);
        }
    }

    /// HT-30: two patterns meet if some name matches both.
    #[test]
    fn patterns_meet_where_a_name_fits_both() {
        for (one, other, meet) in [
            ("a*", "*b", true),
            ("a*", "b*", false),
            ("file?", "*.pem", false),
            ("data[0-9].csv", "*.pem", false),
            ("x.p?m", "*.pem", true),
            ("[!a]*", "a?", false),
            ("*", "?", true),
            ("**", "[ab]c*", true),
            ("a\\*", "a?", true),
            ("a\\*", "b?", false),
            ("?", "??", false),
            ("[[:digit:]]*", "1?3", true),
            ("*a*b*", "*c*d*", true),
        ] {
            assert_eq!(super::component_may_meet(one, other), meet, "{one} {other}");
            assert_eq!(super::component_may_meet(other, one), meet, "{other} {one}");
        }
    }

    /// HT-30: patterns are compared as the shell compares them.
    #[test]
    fn patterns_are_compared() {
        assert!(matches("*.rs", "a.rs"));
        assert!(matches("a?c[0-9]", "abc7"));
        assert!(matches("[!a]*", "bcd"));
        assert!(!matches("[!a]*", "abc"));
        assert!(!matches("*.rs", "a.rsx"));
        assert!(matches("a*b*c", "axxbyyc"));
        assert!(matches("", ""));
        assert!(matches(".gemin[[:lower:]]/s", ".gemini/s"));
        assert!(matches("gemin[[=i=]]", "gemini"));
        assert!(matches("gemin[[.i.]]", "gemini"));
        assert!(matches("gemin[![:digit:]]", "gemini"));
        assert!(!matches("gemin[![:digit:]]", "gemin1"));
        assert!(matches("a[]x]b", "a]b"));
        assert!(!matches("a[[:digit:]]", "ab"));
        assert!(matches("a[[:digit:]_-]", "a-"));
        assert!(!matches("", "a"));
    }

    /// HT-30: a pattern that may name a path isn't mistaken for one that doesn't.
    #[test]
    fn patterns_may_name_the_same_path() {
        assert!(may_meet("/e*c/pass??", "/etc/passwd"));
        assert!(may_meet("/???/passwd", "/etc/passwd"));
        assert!(may_meet("/etc/*", "/etc/passwd"));
        assert!(!may_meet("/etc/*", "/etc/.hidden"));
        assert!(!may_meet("/usr/*", "/etc/passwd"));
        assert!(may_meet("/p/.e*", "/p/.env"));
        assert!(!may_meet("/p/*", "/p/.env"));
    }
}
