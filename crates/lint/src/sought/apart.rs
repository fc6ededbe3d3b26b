//! Whether a text that a program compares something with decides by itself (IO-27).

use super::refuses;
use super::texts::{Named, bare, is_variable, quoted_ranges};

/// Words that say that nothing is wrong.
const ALLOWS: [&str; 22] = [
    "exit 0",
    "exit(0",
    "return 0",
    "return False",
    "return false",
    " pass\n",
    "continue",
    "allow",
    "Allow",
    "ALLOW",
    "safe",
    "Safe",
    "SAFE",
    "except ",
    "exempt",
    "permit",
    "ignore",
    "IGNORE",
    "skip",
    "trusted",
    "white",
    "WHITE",
];

/// What inverts a comparison.
const TURNS: [&str; 11] = [
    "!",
    " not ",
    " -v",
    "-qv",
    "|| exit",
    "|| {",
    "|| return",
    "|| die",
    "unless",
    "== -1",
    "=== -1",
];

/// How conditions begin.
const CONDITIONS: [&str; 8] = [
    "if ", "if(", "elif ", "case ", "while ", "for ", "else if", "}",
];

/// How many lines a refusal may be away from its condition.
const MAX_DISTANCE: usize = 3;

/// Returns whether nothing inverts what a text decides, and nothing else is checked beside it.
pub(super) fn is_plain(lines: &[&str], one: &Named) -> bool {
    let uses: Vec<usize> = match list_name(lines, one) {
        Some(name) => (0..lines.len())
            .filter(|it| lines[*it].contains(&name))
            .collect(),
        None => vec![one.line],
    };
    !uses
        .iter()
        .any(|at| is_turned(lines[*at]) || says_yes(lines, *at))
        && !asks_more(lines[one.line])
}

fn is_turned(line: &str) -> bool {
    let fine = ["!!", "#!", "!== -1", "!= -1"];
    let line = fine
        .iter()
        .fold(line.to_owned(), |it, sign| it.replace(sign, ""));
    TURNS.iter().any(|it| line.contains(it))
}

/// Returns code in which each statement is a line.
fn statements(code: &str) -> String {
    code.replace([';', '&', '{', ':', ')'], "\n")
}

/// Returns whether a program, from a line on, says that nothing is wrong before it refuses.
fn says_yes(lines: &[&str], at: usize) -> bool {
    let near = lines[at..lines.len().min(at + MAX_DISTANCE + 1)].join("\n") + "\n";
    let mut text = String::new();
    for part in near.split_inclusive(['\n', ';']) {
        text.push_str(part);
        let found = text.contains("return True") || text.contains("return true");
        if found || refuses(&statements(&text)) {
            break;
        }
    }
    ALLOWS.iter().any(|it| text.contains(it))
}

/// Returns whether a condition checks something that isn't a text.
fn asks_more(line: &str) -> bool {
    let head = line.split([';', '{']).next().unwrap_or_default();
    let head = head.split(" then").next().unwrap_or_default();
    let is_of_shell = head.contains("[[ ");
    let end = if is_of_shell { head.rfind(']') } else { None };
    let tested = &head[..end.unwrap_or(head.len())];
    let has_signs = is_of_shell || head.contains("if (");
    let signs = if has_signs {
        tested.matches("&&").count()
    } else {
        0
    };
    let joined = tested.matches(" and ").count() + signs;
    let texts = quoted_ranges(tested)
        .into_iter()
        .filter(|it| !is_variable(&tested[it.0..it.1]));
    joined > 0 && joined + 1 > texts.count() + bare(tested).len()
}

/// Returns the name of the list that contains a text.
pub(super) fn list_name(lines: &[&str], one: &Named) -> Option<String> {
    const HEADS: [&str; 5] = ["const ", "let ", "var ", "my @", "local "];
    let mut before = one.before.as_str();
    for at in (one.line.saturating_sub(20)..=one.line).rev() {
        let is_open = before.matches(['[', '(']).count() > before.matches([']', ')']).count();
        let is_compared = ["==", "if ", "$("].iter().any(|it| before.contains(it));
        if let Some((name, _)) = before.split_once('=').filter(|_| is_open && !is_compared) {
            let name = HEADS
                .iter()
                .fold(name.trim(), |it, head| it.strip_prefix(head).unwrap_or(it));
            let name = name.split(':').next().unwrap_or_default().trim();
            let is_name =
                !name.is_empty() && name.chars().all(|it| it.is_alphanumeric() || it == '_');
            return is_name.then(|| name.to_owned());
        }
        let above = at.checked_sub(1).map(|it| lines[it])?;
        let begins = before.trim_start();
        let goes_on = begins.is_empty() || begins.starts_with(['"', '\'', ',']);
        if !goes_on || !above.trim_end().ends_with(['[', '(', ',', '{']) {
            return None;
        }
        before = above;
    }
    None
}

/// Returns whether another text decides nothing about this one: it is in the same list, or refuses
/// by itself as this one does.
pub(super) fn is_apart(lines: &[&str], one: &Named, other: &Named) -> bool {
    let mine = list_name(lines, one);
    if mine.is_some() && mine == list_name(lines, other) || one.alternatives == other.alternatives {
        return true;
    }
    if one.line != other.line {
        return refuses_itself(lines, one.line) && refuses_itself(lines, other.line);
    }
    // Texts of one list without a name: `in ("rm", "dd")`.
    let (first, second) = if one.before.len() < other.before.len() {
        (one, other)
    } else {
        (other, one)
    };
    let between = &second.before[first.before.len()..];
    let signs: String = between
        .chars()
        .rev()
        .take_while(|it| !it.is_alphanumeric())
        .collect();
    signs.contains(',') && !signs.contains(['&', '(', '['])
}

/// Returns whether a line refuses with no other condition after it.
fn refuses_itself(lines: &[&str], at: usize) -> bool {
    if refuses(&statements(lines[at])) {
        return true;
    }
    // An arm that ends there lets pass.
    if lines[at].contains(";;") {
        return false;
    }
    let behind = lines.iter().skip(at + 1).take(MAX_DISTANCE);
    for line in behind {
        let plain = line.trim_start();
        let is_condition =
            CONDITIONS.iter().any(|it| plain.starts_with(it)) || plain.contains("&& ");
        if is_condition {
            return false;
        }
        if refuses(&statements(line)) {
            return true;
        }
        if line.contains(";;") {
            return false;
        }
    }
    false
}
