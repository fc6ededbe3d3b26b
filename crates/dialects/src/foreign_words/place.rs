//! Where a word is in a line of a script.

/// A line of a script that isn't a comment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// From 1.
    pub(super) number: u32,
    pub(super) text: &'a str,
}

/// Where a word is, and what surrounds it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot<'a> {
    /// The character in the line, from 1.
    pub(super) column: u32,
    pub(super) before: &'a str,
    pub(super) behind: &'a str,
}

/// Returns the lines of a script that contain code: no comments, no texts that stand for
/// themselves.
pub(super) fn lines_of_code(text: &str) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut quoted: Option<&str> = None;
    for (index, text) in text.lines().enumerate() {
        let trimmed = text.trim_start();
        if let Some(quotes) = quoted {
            if text.contains(quotes) {
                quoted = None;
            }
            continue;
        }
        let opens = ["\"\"\"", "'''"]
            .into_iter()
            .find(|it| trimmed.starts_with(it));
        if let Some(quotes) = opens {
            let is_closed =
                trimmed.len() > quotes.len() && trimmed[quotes.len()..].contains(quotes);
            quoted = Some(quotes).filter(|_| !is_closed);
            continue;
        }
        let is_comment = ["#", "//", "/*", "* "]
            .iter()
            .any(|it| trimmed.starts_with(it));
        if !is_comment {
            let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
            lines.push(Line { number, text });
        }
    }
    lines
}

/// Returns whether a text contains a word as a whole.
pub(super) fn holds(text: &str, word: &str) -> bool {
    let line = Line { number: 1, text };
    line.spots(word).next().is_some()
}

impl<'a> Line<'a> {
    /// Finds a word wherever it is as a whole.
    pub(super) fn spots(self, word: &str) -> impl Iterator<Item = Spot<'a>> {
        let length = word.len();
        let text = self.text;
        let starts: Vec<usize> = text.match_indices(word).map(|(at, _)| at).collect();
        starts.into_iter().filter_map(move |at| {
            let (before, behind) = (&text[..at], &text[at + length..]);
            let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
            let is_whole = !before.ends_with(is_part) && !behind.starts_with(is_part);
            is_whole.then(|| Spot {
                column: u32::try_from(before.chars().count() + 1).unwrap_or(u32::MAX),
                before,
                behind,
            })
        })
    }
}

impl Spot<'_> {
    fn char_before(&self) -> Option<char> {
        self.before.chars().next_back()
    }

    fn char_after(&self) -> Option<char> {
        self.behind.chars().next()
    }

    /// Returns whether it is compared with something: as a text, as one of several, or as a
    /// pattern.
    pub(super) fn is_compared(&self) -> bool {
        let right = self.char_after().unwrap_or('\n');
        match self.char_before().unwrap_or('\n') {
            '\'' | '"' | '`' => "'\"`|)$\\".contains(right),
            '|' | '(' | '^' => "|)$'\"`".contains(right) || right.is_whitespace(),
            '=' => true,
            '/' => "/|".contains(right) && self.opens_pattern(),
            left if left.is_whitespace() => {
                ")|".contains(right) || self.follows_comparison() || self.is_searched_for()
            }
            _ => false,
        }
    }

    fn follows_comparison(&self) -> bool {
        let last = self
            .before
            .split_whitespace()
            .next_back()
            .unwrap_or_default();
        ["=", "==", "!=", "===", "!==", "=~"].contains(&last)
    }

    /// Returns whether the slash before it opens a pattern, and isn't part of a path.
    fn opens_pattern(&self) -> bool {
        let before = self.before.strip_suffix('/').unwrap_or(self.before);
        before.is_empty() || before.ends_with([' ', '(', '=', '!', ',', '~'])
    }

    fn is_searched_for(&self) -> bool {
        let right = self.char_after().unwrap_or('\n');
        let is_end = right.is_whitespace() || ";|&)".contains(right);
        let mut words = self.before.split_whitespace();
        is_end && words.any(|word| word.trim_start_matches(['(', '$', '`']).ends_with("grep"))
    }

    /// Returns whether it is a pattern of `case` by itself: `Write)`.
    pub(super) fn is_pattern_of_case(&self) -> bool {
        self.before.trim().is_empty() && self.behind.starts_with(')')
    }

    /// Returns whether it is read as a field: `.x`, `["x"]`, `get("x")`, `{ x }`.
    pub(super) fn is_field(&self) -> bool {
        let right = self.char_after().unwrap_or('\n');
        match self.char_before() {
            Some('.') => right != '(',
            Some('\'' | '"') => "'\"".contains(right),
            _ => {
                // `const { x, y } = …`
                let is_taken_apart = self.behind.contains('}') && self.behind.contains('=');
                self.before.contains('{') && !self.before.contains('}') && is_taken_apart
            }
        }
    }

    /// Returns whether it is read as a field of the hook's input, and not of something in it.
    pub(super) fn is_top_field(&self) -> bool {
        let before = self.before.strip_suffix('.');
        let right = self.char_after().unwrap_or('\n');
        let is_whole = right.is_whitespace() || "'\"`)|,]?".contains(right);
        let of_jq = before.is_some_and(|it| it.is_empty() || it.ends_with([' ', '\'', '"', '(']));
        let is_read = ["get('", "get(\"", "['", "[\""]
            .iter()
            .any(|it| self.before.ends_with(it));
        (of_jq && is_whole && self.before.contains("jq")) || (is_read && "'\"".contains(right))
    }

    /// Returns whether it is the key of an object that is written.
    pub(super) fn is_key(&self) -> bool {
        let behind = self.behind.trim_start_matches('\\');
        let quoted = behind.strip_prefix(['"', '\'']);
        let is_quoted = self.before.ends_with(['"', '\'']);
        if let Some(behind) = quoted.filter(|_| is_quoted) {
            let behind = behind.trim_start();
            let is_set = behind.strip_prefix(']').map(str::trim_start);
            return behind.starts_with(':')
                || is_set.is_some_and(|it| it.starts_with('=') && !it.starts_with("=="));
        }
        let opens = self.before.trim_end().ends_with(['{', ',']);
        (opens && self.behind.trim_start().starts_with(':'))
            || (self.before.ends_with('.') && self.behind.trim_start().starts_with("= "))
    }

    /// Returns whether the value of a variable is needed: not if there is a default, or if the
    /// script only checks whether it is set.
    pub(super) fn is_variable(&self) -> bool {
        let is_asked = ["-n ", "-z ", "-v "]
            .iter()
            .any(|it| self.before.contains(it));
        let has_default = self.behind.starts_with([':', '-', '+', '?'])
            && self.before.ends_with('{')
            || self.behind.starts_with(['\'', '"'])
                && self.behind[1..].trim_start().starts_with(',')
            || self.behind.trim_start().starts_with("||")
            || self.behind.trim_start().starts_with("??");
        let is_read = self.before.ends_with(['$', '{', '"', '\'', '.']);
        is_read && !is_asked && !has_default
    }
}
