//! The head of a skill's file: `---`, lines of `key: value`, `---`.

/// What the head of a file says, and the text after it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FrontMatter<'a> {
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) body: &'a str,
}

/// Reads a file with a head.
///
/// Of YAML it knows what heads are written in: plain and quoted texts, and texts over several
/// lines, folded (`>`) or not (`|`).
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
        return Err((1, "a line of three dashes must end the head of the file"));
    };
    let head = lines.get(1..).unwrap_or_default();
    Ok(FrontMatter {
        name: value(head, "name"),
        description: value(head, "description"),
        body,
    })
}

fn value(head: &[&str], key: &str) -> Option<String> {
    let index = head.iter().position(|line| rest_of(line, key).is_some())?;
    let first = rest_of(head[index], key)?.trim();
    let more: Vec<&str> = head[index + 1..]
        .iter()
        .take_while(|line| line.is_empty() || line.starts_with([' ', '\t']))
        .map(|line| line.trim())
        .collect();
    let text = match first.chars().next() {
        Some('|') => more.join("\n"),
        Some('>') => more.join(" "),
        Some(quote @ ('"' | '\'')) => unquoted(first, quote),
        _ => {
            // A comment begins with a sign after a space.
            let first = first.split(" #").next().unwrap_or(first);
            let mut words = vec![first];
            words.extend(more);
            words.join(" ")
        }
    };
    let text = text.trim().to_owned();
    (!text.is_empty()).then_some(text)
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
            // Single quotes are doubled to mean one.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// TO-5: name and description are read in every way that they are written.
    #[test]
    fn heads_are_read_in_all_ways() {
        let ways = [
            (
                "name: plain # note\ndescription: one\n  two",
                "plain",
                "one two",
            ),
            (
                "name: \"a \\\"b\\\"\"\ndescription: 'it''s'",
                "a \"b\"",
                "it's",
            ),
            (
                "x: 1\ndescription: >\n  one\n  two\nname: n",
                "n",
                "one two",
            ),
            (
                "name:  n\ndescription: |\n  one\n\n  two",
                "n",
                "one\n\ntwo",
            ),
        ];
        for (head, name, description) in ways {
            let text = format!("---\r\n{head}\n---\nbody\n---\n");
            let read = read(&text).expect("a head");
            assert_eq!(read.name.as_deref(), Some(name));
            assert_eq!(read.description.as_deref(), Some(description));
            assert_eq!(read.body, "body\n---\n");
        }
    }

    /// TO-5: a file without a head says so.
    #[test]
    fn a_file_without_a_head_is_refused() {
        assert!(read("name: x").is_err() && read("---\nname: x").is_err());
        assert_eq!(read("---\nnames: x\n---\n").expect("a head").name, None);
    }

    proptest! {
        /// TO-5: whatever a file holds, it is read or refused.
        #[test]
        fn no_file_breaks_it(text in "(---|name:|description:|[\"'|>é #\\\\a]|\n|\r\n){0,20}") {
            drop(read(&text));
        }
    }
}
