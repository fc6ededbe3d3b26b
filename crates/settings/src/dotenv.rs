//! `.env` files: of an extension (EX-3), and of the user.

/// Parses the `NAME=value` lines of a `.env` file (EX-3), with comments, `export` and quotes. The
/// last line of a name counts.
pub fn read(text: &str) -> Vec<(String, String)> {
    let mut variables: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        let line = line.strip_prefix("export ").unwrap_or(line);
        let Some((name, value)) = line.split_once('=') else {
            continue;
        };
        let name = name.trim();
        // A variable can't contain a NUL character.
        if name.is_empty() || line.starts_with('#') || line.contains('\0') {
            continue;
        }
        let value = unquote(value.trim());
        match variables.iter_mut().find(|(known, _)| known == name) {
            Some(known) => known.1 = value,
            None => variables.push((name.to_owned(), value)),
        }
    }
    variables
}

fn unquote(value: &str) -> String {
    if let Some(rest) = value.strip_prefix('\'')
        && let Some(end) = rest.find('\'')
    {
        return rest[..end].to_owned();
    }
    if let Some(rest) = value.strip_prefix('"') {
        let mut unquoted = String::new();
        let mut characters = rest.chars();
        while let Some(character) = characters.next() {
            match character {
                '"' => return unquoted,
                '\\' => match characters.next() {
                    Some('n') => unquoted.push('\n'),
                    Some(other @ ('"' | '\\' | '$')) => unquoted.push(other),
                    Some(other) => unquoted.extend(['\\', other]),
                    None => unquoted.push('\\'),
                },
                other => unquoted.push(other),
            }
        }
    }
    match value.find(" #") {
        Some(comment) => value[..comment].trim_end().to_owned(),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// EX-3: the usual spellings of a `.env` file are read.
    #[test]
    fn usual_spellings_are_read() {
        let text = "\n# note=1\nA=1\nexport B=\"x \\\"y\\\" # z\" # c\nC='a\\n' \nD=v # c\nA=2\nbad\nE=\r\n";
        let pairs = read(text);
        let pairs: Vec<_> = pairs
            .iter()
            .map(|(n, v)| (n.as_str(), v.as_str()))
            .collect();
        assert_eq!(
            pairs,
            [
                ("A", "2"),
                ("B", "x \"y\" # z"),
                ("C", "a\\n"),
                ("D", "v"),
                ("E", "")
            ],
        );
    }
}
