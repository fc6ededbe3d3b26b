//! Places that claim to prove a statement.

use serde_json::Value;

use super::lists::is_id;
use crate::violation::Violation;

/// One place that names one id.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Claim {
    pub(crate) id: String,
    pub(crate) file: String,
    /// Line, from 1.
    pub(crate) line: usize,
}

/// Reads the field `proves` of a conformance case; a case that proves nothing is a violation.
pub(crate) fn claims_of_case(file: &str, text: &str) -> Result<Vec<Claim>, Violation> {
    let right = "a JSON object with \"proves\": [\"IO-10\"]";
    let case: Value = serde_json::from_str(text).map_err(|error| {
        Violation::new(
            file,
            error.line(),
            format!("the case can't be read: {error}"),
            right,
        )
    })?;
    let ids = case["proves"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let line = text
        .lines()
        .position(|line| line.contains("\"proves\""))
        .map_or(0, |at| at + 1);
    if ids.is_empty() || !ids.iter().all(|id| id.as_str().is_some_and(is_id)) {
        return Err(Violation::new(
            file,
            line,
            "the case doesn't say which ids it proves",
            right,
        ));
    }
    let claim = |id: &str| Claim {
        id: id.to_owned(),
        file: file.to_owned(),
        line,
    };
    Ok(ids.iter().filter_map(Value::as_str).map(claim).collect())
}

/// Finds the ids in the comments directly above test functions. A test that is ignored proves
/// nothing.
pub(crate) fn claims_of_tests(file: &str, text: &str) -> Vec<Claim> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut claims = Vec::new();
    let mut begin = 0;
    for (index, line) in lines.iter().enumerate() {
        if is_comment(line) || line.starts_with("#[") {
            continue;
        }
        let above = lines.get(begin..index).unwrap_or_default();
        let is_test = above.iter().any(|line| is_test_attribute(line));
        let is_ignored = above.iter().any(|line| line.starts_with("#[ignore"));
        if is_test && !is_ignored {
            for (offset, line) in above
                .iter()
                .enumerate()
                .filter(|(_, line)| is_comment(line))
            {
                let line_number = begin + offset + 1;
                claims.extend(ids_in(line).map(|id| Claim {
                    id: id.to_owned(),
                    file: file.to_owned(),
                    line: line_number,
                }));
            }
        }
        begin = index + 1;
    }
    claims
}

/// Finds the ids that comments name, anywhere.
pub(crate) fn citations<'a>(file: &'a str, text: &'a str) -> impl Iterator<Item = Claim> + 'a {
    text.lines().enumerate().flat_map(move |(index, line)| {
        let comment = line.trim_start().starts_with("//").then_some(line);
        comment.into_iter().flat_map(ids_in).map(move |id| Claim {
            id: id.to_owned(),
            file: file.to_owned(),
            line: index + 1,
        })
    })
}

/// Returns whether a comment begins with an id as its title, alone or among others:
/// `/// IO-1, IO-2: …`.
pub(crate) fn leads(claim: &Claim, text: &str) -> bool {
    let line = text.lines().nth(claim.line.saturating_sub(1));
    let comment = line.map(|it| it.trim_start().trim_start_matches('/'));
    let Some((title, _)) = comment.and_then(|it| it.split_once(':')) else {
        return false;
    };
    let mut ids = title.split(',').map(str::trim);
    ids.clone().all(is_id) && ids.any(|it| it == claim.id)
}

fn is_comment(line: &str) -> bool {
    line.starts_with("//") && !line.starts_with("//!")
}

fn is_test_attribute(line: &str) -> bool {
    line == "#[test]" || line.starts_with("#[tokio::test]") || line.starts_with("#[tokio::test(")
}

fn ids_in(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-')
        .map(|word| word.trim_matches('-'))
        .filter(|word| is_id(word))
}
