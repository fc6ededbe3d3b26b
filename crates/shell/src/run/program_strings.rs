//! Strings in program text: what a program is started with.

/// The most strings that are noted.
const MOST: usize = 64;

/// The longest string that is put together, in bytes.
const LONGEST: usize = 4096;

/// What names of a program text stand for, in the order in which they are assigned.
#[derive(Debug, Default)]
pub(super) struct Constants(Vec<(String, String)>);

impl Constants {
    /// Finds the names that are assigned a string: `b = "ma" + "in"`, `const b = 'main'`,
    /// `$b = "main"`.
    pub(super) fn of(code: &str) -> Self {
        let mut constants = Self::default();
        for (at, _) in code.match_indices('=') {
            let (before, behind) = (&code[..at], &code[at + 1..]);
            let before = before.strip_suffix(':').unwrap_or(before).trim_end();
            let start = before.rfind(|it| !is_of_name(it)).map_or(0, |it| it + 1);
            // A multi-byte letter is no part of a name.
            let name = before.get(start..).unwrap_or_default();
            let is_name = name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_');
            if !is_name || constants.0.len() >= MOST {
                continue;
            }
            if let Some((value, _)) = string(behind.trim_start(), &constants)
                && value.len() <= LONGEST
            {
                constants.0.push((name.to_owned(), value));
            }
        }
        constants
    }

    /// Returns all that a name stands for on the way.
    fn values<'c>(&'c self, name: &str) -> impl Iterator<Item = &'c str> {
        let known = self.0.iter().filter(move |(known, _)| known == name);
        known.map(|(_, value)| value.as_str())
    }

    /// Returns what a name stands for in the end.
    fn last(&self, name: &str) -> Option<&str> {
        let mut known = self.0.iter().rev();
        known
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// Puts what names stand for into a template: `{b}` of Python, `${b}`, `#{b}` of Ruby, `$b`.
    fn filled(&self, template: String, is_formatted: bool) -> String {
        if self.0.is_empty() || !template.contains(['{', '$']) {
            return template;
        }
        let mut text = template;
        for (name, _) in &self.0 {
            let value = self.last(name).unwrap_or_default();
            for place in [format!("${{{name}}}"), format!("#{{{name}}}")] {
                text = text.replace(&place, value);
            }
            if is_formatted {
                text = text.replace(&format!("{{{name}}}"), value);
            }
            text = filled_bare(&text, name, value);
            if text.len() > LONGEST {
                break;
            }
        }
        text
    }
}

/// Puts a value where a name is behind a `$`.
fn filled_bare(text: &str, name: &str, value: &str) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('$') {
        filled.push_str(before);
        rest = match behind.strip_prefix(name) {
            Some(after) if !after.starts_with(is_of_name) => {
                filled.push_str(value);
                after
            }
            _ => {
                filled.push('$');
                behind
            }
        };
    }
    filled.push_str(rest);
    filled
}

const fn is_of_name(it: char) -> bool {
    it.is_ascii_alphanumeric() || it == '_'
}

/// Reads the name that a text begins with, and what is behind it.
fn name_at(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('$').unwrap_or(text);
    let end = text.find(|it| !is_of_name(it)).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// Reads a string with all that is added to it, and returns what is behind it.
fn string<'t>(text: &'t str, constants: &Constants) -> Option<(String, &'t str)> {
    let (mut all, mut rest) = part(text, constants)?;
    loop {
        let behind = rest.trim_start();
        let added = behind
            .strip_prefix('+')
            .or_else(|| behind.strip_prefix('.'))
            .and_then(|it| part(it.trim_start(), constants));
        let Some((more, after)) = added else {
            return Some((all, rest));
        };
        if all.len() > LONGEST {
            return None;
        }
        all.push_str(&more);
        rest = after;
    }
}

/// Reads one part of a string: a literal, or the name of a constant.
fn part<'t>(text: &'t str, constants: &Constants) -> Option<(String, &'t str)> {
    let unprefixed = text
        .strip_prefix(['f', 'r', 'b'])
        .filter(|it| it.starts_with(['\'', '"']));
    if let Some((literal, rest)) = string_literal(unprefixed.unwrap_or(text)) {
        let is_formatted = unprefixed.is_some() && text.starts_with('f');
        return Some((constants.filled(literal, is_formatted), rest));
    }
    let (name, rest) = name_at(text)?;
    // What is called or looked into is another value.
    if rest.starts_with(['(', '[']) {
        return None;
    }
    Some((constants.last(name)?.to_owned(), rest))
}

/// Reads what a program is started with at the start of an argument list, as shell text: a string,
/// a list of strings, or each value of a name. The file of a program may be followed by the name by
/// which it is called.
pub(super) fn arguments(text: &str, has_name_twice: bool, constants: &Constants) -> Vec<String> {
    let named = text.trim_start().strip_prefix('(').map(str::trim_start);
    let named = named.and_then(name_at).map(|(name, _)| name);
    let values: Vec<String> = named
        .into_iter()
        .flat_map(|it| constants.values(it))
        .map(str::to_owned)
        .collect();
    let first = first_argument(text, has_name_twice, constants);
    values.into_iter().chain(first).collect()
}

/// Reads a string, or a list of strings, at the start of an argument list. Behind the file of a
/// program may be the name that it goes by.
fn first_argument(text: &str, has_name_twice: bool, constants: &Constants) -> Option<String> {
    let mut rest = text.trim_start().trim_start_matches('(').trim_start();
    // `os.spawnlp(os.P_WAIT, 'rm', …)`
    if rest.starts_with("os.P_") || rest.starts_with("P_") {
        rest = rest.split_once(',').map_or(rest, |(_, it)| it).trim_start();
    }
    if let Some(words) = listed_words(rest.trim_start_matches('*')) {
        return Some(words);
    }
    let mut words: Vec<String> = Vec::new();
    let mut is_list = false;
    loop {
        rest = rest.trim_start();
        if let Some(inner) = rest.strip_prefix('[') {
            is_list = true;
            rest = inner;
            continue;
        }
        let (word, after) = string(rest, constants)?;
        rest = after.trim_start();
        words.push(word);
        // A concatenation is more than the literal.
        let goes_on = |it: char| it.is_alphanumeric() || "+.$%&".contains(it);
        if rest.starts_with(goes_on)
            && let Some(word) = words.last_mut()
        {
            word.push_str("$COMPUTED");
        }
        match rest.strip_prefix(',') {
            Some(next) => rest = next,
            None => break,
        }
        let next = rest.trim_start();
        let goes_on =
            next.starts_with(['\'', '"', '[']) || is_list && string(next, constants).is_some();
        if !goes_on {
            break;
        }
    }
    let is_twice =
        |it: &[String]| it.len() > 1 && it[0].rsplit('/').next() == it[1].rsplit('/').next();
    if has_name_twice && is_twice(&words) {
        words.remove(1);
    }
    match &words[..] {
        [text] if !is_list => Some(text.clone()),
        [] => None,
        _ => Some(crate::join(words.iter().map(String::as_str))),
    }
}

/// Reads a list of plain words: `qw(rm -rf x)` in Perl, `%w[rm -rf x]` in Ruby.
fn listed_words(text: &str) -> Option<String> {
    let rest = ["qw", "%w", "%W"]
        .iter()
        .find_map(|it| text.strip_prefix(it))?
        .trim_start();
    let opening = rest.chars().next().filter(char::is_ascii_punctuation)?;
    let closing = match opening {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    };
    let words = rest[1..].split(closing).next()?;
    Some(crate::join(words.split_whitespace()))
}

fn string_literal(text: &str) -> Option<(String, &str)> {
    let quote = text
        .chars()
        .next()
        .filter(|it| ['\'', '"', '`'].contains(it))?;
    let mut literal = String::new();
    let mut characters = text[1..].char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => {
                if let Some((_, next)) = characters.next() {
                    literal.push(match next {
                        'n' => '\n',
                        't' => '\t',
                        other => other,
                    });
                }
            }
            _ if character == quote => return Some((literal, &text[at + 2..])),
            other => literal.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Constants, arguments};

    fn of(code: &str) -> Vec<String> {
        let at = code.find("run").map_or(0, |it| it + 3);
        arguments(&code[at..], false, &Constants::of(code))
    }

    /// HT-30: a string that program text puts together from constants is what it starts.
    #[test]
    fn constants_are_put_together() {
        for (code, started) in [
            (
                "b='ma'+'in'; run(['git','push','HEAD:'+b])",
                "git push HEAD:main",
            ),
            ("b='main'; run(['git', 'push', b])", "git push main"),
            ("b='main'; run(f'git push {b}')", "git push main"),
            ("const b = \"main\"; run(`git push ${b}`)", "git push main"),
            ("b = 'main'; run(\"git push #{b}\")", "git push main"),
            ("$b = 'main'; run(\"git push $b\")", "git push main"),
            ("$a = 'git '; $b = $a . 'push'; run($b)", "git push"),
            ("b := \"push\"; run(\"git \" + b)", "git push"),
            ("run(['git', 'push', b])", "git push"),
            ("run('git push ' + b)", "git push $COMPUTED"),
            ("bb='x'; run(\"git $b\")", "git $b"),
        ] {
            let started = started.replace("$COMPUTED", "");
            let found = of(code);
            let last = found.last().unwrap().replace("$COMPUTED", "");
            assert_eq!(last.trim_end(), started.trim_end(), "{code}");
        }
    }

    /// HT-30: a name that is given another value counts with each of them.
    #[test]
    fn every_value_of_a_name_counts() {
        let started = of("c='rm -rf x'; run(c); c='ls'");
        assert!(started.contains(&"rm -rf x".to_owned()), "{started:?}");
    }
}
