//! The text of a Python or JavaScript program, with everything that isn't code marked (CM-3).

use crate::refusal::Language;

/// A program, and the same text with comments replaced by blanks and the insides of strings by
/// meaningless characters: places in both are the same.
pub(super) struct Source<'t> {
    pub(super) text: &'t str,
    pub(super) plain: String,
    pub(super) language: Language,
}

/// A call of a function, as it is written.
pub(super) struct Call<'s> {
    /// Where its name begins, and where its closing bracket ends.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Its arguments, as they are written.
    pub(super) arguments: Vec<&'s str>,
}

/// A text between quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Literal<'s> {
    pub(super) inner: &'s str,
    /// Backslashes in it mean nothing to the language.
    pub(super) is_raw: bool,
}

impl<'t> Source<'t> {
    pub(super) fn read(text: &'t str, language: Language) -> Self {
        let plain = mask(text, language);
        Self {
            text,
            plain,
            language,
        }
    }

    /// Returns the number of the line in which a place is.
    pub(super) fn line_of(&self, at: usize) -> usize {
        1 + self.text[..at].matches('\n').count()
    }

    /// Returns where a name is that isn't part of another one.
    pub(super) fn places<'s>(&'s self, name: &'s str) -> impl Iterator<Item = usize> + 's {
        let found = self.plain.match_indices(name);
        found.map(|(at, _)| at).filter(move |at| {
            let before = self.plain[..*at].chars().next_back();
            let behind = self.plain[at + name.len()..].chars().next();
            let goes_on_before = name.starts_with(is_part) && before.is_some_and(is_part);
            let goes_on_behind = name.ends_with(is_part) && behind.is_some_and(is_part);
            !goes_on_before && !goes_on_behind
        })
    }

    /// Returns the calls of a function, by the end of its name.
    pub(super) fn calls<'s>(&'s self, name: &'s str) -> impl Iterator<Item = Call<'s>> + 's {
        self.places(name).filter_map(move |start| {
            let open = start + name.len();
            let rest = self.plain[open..].strip_prefix('(')?;
            let end = open + 1 + closing(rest)?;
            Some(Call {
                start,
                end: end + 1,
                arguments: self.split(open + 1, end),
            })
        })
    }

    /// Takes a list apart at its commas.
    fn split(&self, start: usize, end: usize) -> Vec<&str> {
        let (mut parts, mut depth, mut from) = (Vec::new(), 0_i32, start);
        for (at, letter) in self.plain[start..end].char_indices() {
            match letter {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                ',' if depth == 0 => {
                    parts.push(self.text[from..start + at].trim());
                    from = start + at + 1;
                }
                _ => {}
            }
        }
        let last = self.text[from..end].trim();
        if !last.is_empty() {
            parts.push(last);
        }
        parts
    }

    /// Returns whether the value of what is between two places is ignored.
    pub(super) fn is_dropped(&self, start: usize, end: usize) -> bool {
        let before = self.plain[..start].trim_end_matches([' ', '\t']);
        let behind = self.plain[end..].trim_start_matches([' ', '\t']);
        let ends = behind.is_empty() || behind.starts_with(['\n', '\r', ';', '}']);
        let is_own_line = || {
            let before = before.trim_end();
            !before.ends_with([
                '=', '(', ',', '?', '&', '|', '+', '[', '>', '<', '!', '.', '\\',
            ]) && !before.ends_with("return")
        };
        let begins = match self.language {
            Language::JavaScript => {
                let before = before.trim_end();
                let word = before.rsplit(|it| !is_part(it)).next().unwrap_or_default();
                is_own_line()
                    && (before.is_empty()
                        || before.ends_with([';', '{', '}', ')'])
                        || word == "else"
                        || self.plain[..start]
                            .trim_end_matches([' ', '\t'])
                            .ends_with('\n'))
            }
            _ => {
                before.is_empty()
                    || before.ends_with([';'])
                    || before.ends_with('\n') && is_own_line()
                    || before.ends_with(':') && is_head(before)
            }
        };
        begins && ends
    }

    /// Returns the body of the function of a name, as it is written, with the place at which it
    /// begins.
    pub(super) fn function(&self, name: &str) -> Option<(usize, &str)> {
        match self.language {
            Language::Python => self.python_function(name),
            _ => self.script_function(name),
        }
    }

    fn python_function(&self, name: &str) -> Option<(usize, &str)> {
        let head = format!("def {name}(");
        let at = self.places(&head).next()?;
        let line = self.plain[..at].rfind('\n').map_or(0, |it| it + 1);
        let own = indentation(&self.plain[line..]);
        let mut end = self.plain[at..]
            .find('\n')
            .map_or(self.plain.len(), |it| at + it + 1);
        for line in self.plain[end..].split_inclusive('\n') {
            if !line.trim().is_empty() && indentation(line) <= own {
                break;
            }
            end += line.len();
        }
        Some((at, &self.text[at..end]))
    }

    fn script_function(&self, name: &str) -> Option<(usize, &str)> {
        let heads = [
            format!("function {name}("),
            format!("function {name} ("),
            format!("const {name} = "),
            format!("const {name}="),
            format!("let {name} = "),
        ];
        let at = heads.iter().find_map(|head| self.places(head).next())?;
        let open = at + self.plain[at..].find('{')?;
        let end = open + 1 + closing(&self.plain[open + 1..])?;
        Some((at, &self.text[at..=end]))
    }

    /// Returns whether a function's calls return before it is done.
    pub(super) fn is_asynchronous(&self, name: &str) -> bool {
        let heads = match self.language {
            Language::Python => vec![format!("async def {name}(")],
            _ => vec![
                format!("async function {name}("),
                format!("const {name} = async "),
                format!("const {name}=async "),
                format!("const {name} = async("),
                format!("const {name}=async("),
            ],
        };
        heads.iter().any(|it| self.plain.contains(it.as_str()))
    }

    /// Returns the text without a part of it.
    pub(super) fn text_without(&self, part: std::ops::Range<usize>) -> String {
        format!("{}\n{}", &self.text[..part.start], &self.text[part.end..])
    }
}

/// Returns what is between the quotes, if a text is nothing but a quoted text.
pub(super) fn literal(written: &str) -> Option<Literal<'_>> {
    let written = written.trim();
    let prefix = written.find(['"', '\'', '`'])?;
    let (prefix, quoted) = written.split_at(prefix);
    let is_prefix = prefix.len() < 3
        && prefix
            .chars()
            .all(|it| matches!(it, 'r' | 'R' | 'b' | 'B' | 'u'));
    let sign = quoted.chars().next()?;
    let inner = quoted[1..].strip_suffix(sign)?;
    let is_one = !inner.is_empty() && !inner.contains(sign);
    (is_prefix && is_one).then(|| Literal {
        inner,
        is_raw: prefix.contains(['r', 'R']),
    })
}

/// Returns the text between quotes with which something begins.
pub(super) fn first_literal(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let sign = text
        .chars()
        .next()
        .filter(|it| matches!(it, '"' | '\'' | '`'))?;
    let end = text[1..].find(sign)?;
    Some(&text[1..=end])
}

/// Returns the text between quotes with which something begins, if nothing changes it: no
/// `.lower()`, no `+`, no interpolation.
pub(super) fn whole_literal(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let sign = text.chars().next()?;
    if !matches!(sign, '"' | '\'' | '`') {
        return None;
    }
    let mut is_escaped = false;
    let end = text.char_indices().skip(1).find(|(_, letter)| {
        let ends = *letter == sign && !is_escaped;
        is_escaped = *letter == '\\' && !is_escaped;
        ends
    });
    let (inner, behind) = (&text[1..end?.0], &text[end?.0 + 1..]);
    let behind = behind.trim_start_matches([' ', '\t']);
    let goes_on = behind.starts_with(['.', '[', '%', '+', '?', '"', '\'', '`']);
    let is_put_in = sign == '`' && inner.contains("${");
    (!goes_on && !is_put_in).then_some(inner)
}

pub(super) const fn is_part(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

pub(crate) fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// Returns whether a line is the head of a block: `if x:`.
fn is_head(line: &str) -> bool {
    let line = line.rsplit('\n').next().unwrap_or(line).trim_start();
    let heads = [
        "if ", "else", "elif ", "for ", "while ", "try", "except", "finally", "with ", "def ",
    ];
    heads.iter().any(|it| line.starts_with(it))
}

/// Returns where the bracket before a text closes.
pub(super) fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return Some(at),
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Replaces comments by blanks, and what is between quotes by `_`.
fn mask(text: &str, language: Language) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let (end, sign) = skip_non_code(rest, &masked, language);
        if end == 0 {
            masked.push(letter);
            rest = &rest[letter.len_utf8()..];
            continue;
        }
        let quote = if sign == '_' {
            quote_length(rest, language)
        } else {
            0
        };
        let inner = quote..end.saturating_sub(quote).max(quote);
        let code = if sign == '_' {
            put_in(rest, inner.clone(), &masked)
        } else {
            Vec::new()
        };
        let mut code = code.into_iter().peekable();
        let mut skipped = 0;
        for (at, letter) in rest[..end].char_indices() {
            if at < skipped {
                continue;
            }
            // Interpolated code is masked as code: the rest of the string becomes blanks.
            if let Some(part) = code.next_if(|it| it.start + inner.start == at) {
                masked.push(' ');
                masked.push_str(&mask(&rest[at + 1..at + part.len() - 1], language));
                masked.push(' ');
                skipped = at + part.len();
                continue;
            }
            let is_kept = letter == '\n' || sign == '_' && !inner.contains(&at);
            if is_kept {
                masked.push(letter);
            } else {
                masked.extend(std::iter::repeat_n(sign, letter.len_utf8()));
            }
        }
        rest = &rest[end..];
    }
    masked
}

/// Returns where something is interpolated into a text, with its braces: `f"{x}"`, `${x}` between
/// backticks.
fn put_in(rest: &str, inner: std::ops::Range<usize>, before: &str) -> Vec<std::ops::Range<usize>> {
    let prefix = before.len() - before.trim_end_matches(is_part).len();
    let prefix = before[before.len() - prefix..].to_ascii_lowercase();
    let is_template = rest.starts_with('`');
    let is_formatted = matches!(prefix.as_str(), "f" | "rf" | "fr") && !is_template;
    if !is_template && !is_formatted {
        return Vec::new();
    }
    let sign = if is_template { "${" } else { "{" };
    let inner = &rest[inner];
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = inner[from..].find(sign).map(|it| it + from) {
        let open = at + sign.len();
        if sign == "{" && inner[open..].starts_with('{') {
            from = open + 1;
            continue;
        }
        let Some(end) = closing(&inner[open..]).map(|it| open + it) else {
            break;
        };
        found.push(open - 1..end + 1);
        from = end + 1;
    }
    found
}

/// Returns how much of a text isn't code, and what replaces it.
fn skip_non_code(rest: &str, before: &str, language: Language) -> (usize, char) {
    let is_script = language == Language::JavaScript;
    let line_end = || rest.find('\n').unwrap_or(rest.len());
    if rest.starts_with('#') && (!is_script || before.is_empty())
        || is_script && rest.starts_with("//")
    {
        return (line_end(), ' ');
    }
    if is_script && rest.starts_with("/*") {
        return (rest[2..].find("*/").map_or(rest.len(), |it| it + 4), ' ');
    }
    if rest.starts_with(['"', '\'']) || is_script && rest.starts_with('`') {
        return (quoted_length(rest, language), '_');
    }
    let begins = before.trim_end_matches([' ', '\t']).chars().next_back();
    let is_value = begins.is_none_or(|it| "(,=:[!&|?{};\n".contains(it));
    if is_script && rest.starts_with('/') && is_value {
        return (expression_length(rest), '_');
    }
    (0, ' ')
}

fn quote_length(rest: &str, language: Language) -> usize {
    let is_triple =
        language == Language::Python && (rest.starts_with("\"\"\"") || rest.starts_with("'''"));
    if is_triple { 3 } else { 1 }
}

/// Returns how long a text with its quotes is.
fn quoted_length(rest: &str, language: Language) -> usize {
    let quote = &rest[..quote_length(rest, language)];
    let mut is_escaped = false;
    for (at, letter) in rest.char_indices().skip(quote.len()) {
        let is_line_end = letter == '\n' && quote.len() == 1 && quote != "`";
        if is_line_end && !is_escaped {
            return at;
        }
        if !is_escaped && rest[at..].starts_with(quote) {
            return at + quote.len();
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    rest.len()
}

/// Returns how long a regular expression with its slashes is; nothing for what isn't one.
fn expression_length(rest: &str) -> usize {
    let (mut is_escaped, mut in_class) = (false, false);
    for (at, letter) in rest.char_indices().skip(1) {
        match letter {
            '\n' => return 0,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return at + 1,
            _ => {}
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-3: what is in strings and comments isn't mistaken for code, in Python and JavaScript.
    #[test]
    fn texts_and_comments_are_no_code() {
        for (language, text, plain) in [
            (Language::Python, "x = 'a#b' # c", "x = '___'    "),
            (Language::Python, "'''a\n'b'''", "'''_\n__'''"),
            (
                Language::JavaScript,
                "a = /'\\//g; // 'x",
                "a = /___/g;      ",
            ),
            (
                Language::JavaScript,
                "a / b; `x\ny` /* ' */",
                "a / b; `_\n_`        ",
            ),
            (Language::JavaScript, "f('ä')", "f('__')"),
            // Interpolated code stays as it is.
            (Language::Python, "f'a {b} c'", "f'__ b __'"),
            (
                Language::Python,
                "rf'{{a}} {b[\"x\"]}'",
                "rf'______ b[\"_\"] '",
            ),
            (Language::Python, "'a {b} c'", "'_______'"),
            (Language::Python, "half'{b}'", "half'___'"),
            (Language::JavaScript, "`a ${b} c`", "`___ b __`"),
            (Language::JavaScript, "'a ${b} c'", "'________'"),
            (Language::JavaScript, "`a ${b`", "`_____`"),
        ] {
            assert_eq!(Source::read(text, language).plain, plain, "{text}");
        }
    }

    /// CM-3: calls are found with their arguments, and whether their value is used.
    #[test]
    fn calls_are_taken_apart() {
        let text = "x = f(1, g(2, 3))\nf('a,b')\nif y: f()\n";
        let source = Source::read(text, Language::Python);
        let found: Vec<_> = source.calls("f").collect();
        let arguments: Vec<_> = found.iter().map(|it| it.arguments.clone()).collect();
        assert_eq!(arguments, [vec!["1", "g(2, 3)"], vec!["'a,b'"], vec![]]);
        let dropped: Vec<bool> = found
            .iter()
            .map(|it| source.is_dropped(it.start, it.end))
            .collect();
        assert_eq!(dropped, [false, true, true]);
        let text = "if (a) f(1); b(f(2)); const c =\n f(3)\nf(4)";
        let source = Source::read(text, Language::JavaScript);
        let dropped: Vec<bool> = source
            .calls("f")
            .map(|it| source.is_dropped(it.start, it.end))
            .collect();
        assert_eq!(dropped, [true, false, false, true]);
    }
}
