//! The front matter of a file of instructions: `---`, lines of `key: value`, `---`.

#[cfg(test)]
mod tests;

/// The head of a file, and the text after it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FrontMatter<'a> {
    /// The lines between the dashes; the first one is line 2 of the file.
    head: Vec<&'a str>,
    pub(crate) body: &'a str,
}

/// A line of a head that begins with a key, or with something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HeadLine<'a> {
    /// Its number in the file, from 1.
    pub(crate) line: u32,
    /// The key, if there is one.
    pub(crate) key: Option<&'a str>,
}

/// What the lines begin with that continue the previous one: indented lines, items and the end of a
/// list, comments.
const CONTINUING: [char; 5] = [' ', '\t', '-', ']', '#'];

/// Reads a file with a head.
///
/// It supports the parts of YAML in which heads are written: plain and quoted texts, texts over
/// several lines, folded (`>`) or not (`|`), and lists.
///
/// # Errors
/// Names the line, from 1, and what is wrong there.
pub(crate) fn read(text: &str) -> Result<FrontMatter<'_>, (u32, &'static str)> {
    let text = text.trim_start_matches('\u{feff}');
    let mut offset = 0;
    let mut lines = Vec::new();
    let mut body = None;
    for line in text.split_inclusive('\n') {
        offset += line.len();
        let line = line.trim_end();
        if lines.is_empty() && line != "---" {
            return Err((1, "the file must begin with a line of three dashes"));
        }
        if !lines.is_empty() && line == "---" {
            body = Some(&text[offset..]);
            break;
        }
        lines.push(line);
    }
    let Some(body) = body else {
        return Err((1, "a line of three dashes must end the front matter"));
    };
    lines.remove(0);
    Ok(FrontMatter { head: lines, body })
}

impl<'a> FrontMatter<'a> {
    /// Returns the text of a key, if it has one that isn't empty.
    pub(crate) fn text(&self, key: &str) -> Option<String> {
        let (first, index) = self.find(key)?;
        let more: Vec<&str> = self.head[index + 1..]
            .iter()
            .take_while(|line| line.is_empty() || line.starts_with([' ', '\t']))
            .map(|line| line.trim())
            .collect();
        let text = match first.chars().next() {
            Some('|') => more.join("\n"),
            Some('>') => more.join(" "),
            Some(quote @ ('"' | '\'')) => unquoted(first, quote),
            _ => {
                let mut words = vec![without_comment(first)];
                words.extend(more);
                words.join(" ")
            }
        };
        let text = text.trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// Returns the items of a key: a list in brackets, a list of lines that begin with a dash, or
    /// texts separated by commas.
    ///
    /// # Errors
    /// Returns what is wrong with the list. A key without anything after it isn't an empty list,
    /// since its meaning is unclear.
    pub(crate) fn list(&self, key: &str) -> Option<Result<Vec<String>, &'static str>> {
        let (first, index) = self.find(key)?;
        let more = self.head[index + 1..].iter();
        let more: Vec<&str> = more
            .take_while(|line| line.is_empty() || line.starts_with(CONTINUING))
            .map(|line| without_comment(line.trim()))
            .filter(|line| !line.is_empty())
            .collect();
        let first = without_comment(first);
        Some(match first.strip_prefix('[') {
            Some(begun) => {
                let text = format!("{begun} {}", more.join(" "));
                let inner = text.trim_end().strip_suffix(']');
                inner
                    .map(|inner| items(inner.split(',')))
                    .ok_or("a list that begins with a bracket must end with one")
            }
            None if !first.is_empty() && more.is_empty() => Ok(items(first.split(','))),
            None if first.is_empty() && !more.is_empty() => more
                .iter()
                .map(|line| line.strip_prefix('-').map(item))
                .collect::<Option<Vec<String>>>()
                .ok_or("each line of a list must begin with a dash"),
            None => Err("a list is expected here; an empty one is written []"),
        })
    }

    /// Returns the line of a key, from 1.
    pub(crate) fn line(&self, key: &str) -> Option<u32> {
        let (_, index) = self.find(key)?;
        Some(number(index))
    }

    /// Returns the lines that begin something, in order: all that are neither indented, nor an item
    /// of a list, nor a comment, nor empty.
    pub(crate) fn beginnings(&self) -> impl Iterator<Item = HeadLine<'a>> {
        let lines = self.head.iter().enumerate();
        let begins = |line: &str| !line.is_empty() && !line.starts_with(CONTINUING);
        lines
            .filter(move |(_, line)| begins(line))
            .map(|(index, line)| HeadLine {
                line: number(index),
                key: line
                    .split_once(':')
                    .filter(|(_, rest)| rest.is_empty() || rest.starts_with([' ', '\t']))
                    .map(|(key, _)| key.trim()),
            })
    }

    /// Finds the rest of a key's line, and the position of the line in the head.
    fn find(&self, key: &str) -> Option<(&'a str, usize)> {
        let mut lines = self.head.iter().enumerate();
        lines.find_map(|(index, line)| Some((rest_of(line, key)?.trim(), index)))
    }
}

/// Returns the number of a line of the head in its file.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX).saturating_add(2)
}

/// Removes a comment: it begins with a `#` after a space.
fn without_comment(text: &str) -> &str {
    if text.starts_with('#') {
        return "";
    }
    text.split(" #").next().unwrap_or(text).trim_end()
}

fn items<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<String> {
    texts.map(item).filter(|item| !item.is_empty()).collect()
}

fn item(text: &str) -> String {
    let text = text.trim();
    match text.chars().next() {
        Some(quote @ ('"' | '\'')) => unquoted(text, quote),
        _ => text.to_owned(),
    }
}

fn rest_of<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(key)?.trim_start().strip_prefix(':')?;
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then_some(rest)
}

fn unquoted(text: &str, quote: char) -> String {
    let mut value = String::new();
    let mut letters = text.chars().skip(1).peekable();
    while let Some(letter) = letters.next() {
        if quote == '"' && letter == '\\' {
            match letters.next() {
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some(other) => value.push(other),
                None => {}
            }
        } else if letter == quote {
            // A doubled single quote means one.
            if quote == '\'' && letters.next_if_eq(&'\'').is_some() {
                value.push('\'');
            } else {
                break;
            }
        } else {
            value.push(letter);
        }
    }
    value
}
