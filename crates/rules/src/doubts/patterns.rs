//! Patterns of `matches` that can't match, or that were written for another place.

use cel::IdedExpr;
use cel::common::ast::{CallExpr, Expr, LiteralValue};
use regex_syntax::hir::{Hir, HirKind, Look};

use super::compared::{is_name, last_name};
use super::{Doubt, Meant};
use crate::effects::is_known_program;

/// What is sought in a field.
pub(super) enum Sought {
    /// This text, anywhere in the field or as a whole.
    Text(String),
    /// This text, at the beginning of the field.
    Beginning(String),
    /// Anything that this pattern matches.
    Pattern(Hir),
}

impl Sought {
    /// Reads what `x.startsWith("text")`, `x.endsWith("text")`, `x.contains("text")` and
    /// `x.matches("pattern")` seek; nothing for other calls.
    pub(super) fn of(call: &CallExpr) -> Option<(&IdedExpr, Self, String)> {
        let (of, text) = parts(call)?;
        let text = literal(text)?.to_owned();
        let sought = match call.func_name.as_str() {
            "startsWith" => Self::Beginning(text.clone()),
            "endsWith" | "contains" => Self::Text(text.clone()),
            "matches" => Self::Pattern(read(&text)?),
            _ => return None,
        };
        Some((of, sought, text))
    }

    /// Returns whether a field must contain such a character.
    pub(super) fn needs(&self, is_one: impl Fn(char) -> bool) -> bool {
        match self {
            Self::Text(text) | Self::Beginning(text) => text.contains(is_one),
            Self::Pattern(pattern) => needs(pattern, &is_one),
        }
    }

    /// Returns the text that a field has to begin with; nothing if that isn't known.
    pub(super) fn required_prefix(&self) -> Option<String> {
        match self {
            Self::Text(_) => None,
            Self::Beginning(text) => Some(text.clone()),
            Self::Pattern(pattern) => literal_prefix(pattern),
        }
    }
}

/// Returns what a pattern can't mean.
pub(super) fn doubt(call: &CallExpr) -> Option<Doubt> {
    let (of, pattern) = parts(call)?;
    if let Some(doubt) = check_swapped(call, of, pattern) {
        return Some(doubt);
    }
    if call.func_name != "matches" {
        return None;
    }
    let text = literal(pattern)?;
    let read = read(text)?;
    let field = last_name(of);
    let meant = if needs(&read, &is_escape) {
        Meant::Escape
    } else if is_delimited(text, &read, field) {
        Meant::Delimited
    } else if field.is_some_and(is_name) && begins_at_home(text) {
        Meant::Folder
    } else if is_impossible(&read) {
        Meant::Impossible
    } else if field.is_some_and(is_name) && repeats_slash(&read) && !text.contains("//") {
        Meant::Glob
    } else if text.ends_with("(?i)") {
        Meant::LateFlag
    } else if has_other_case(of, &read) {
        Meant::OtherCase
    } else {
        return None;
    };
    Some(Doubt::Compared(text.to_owned(), meant))
}

/// Judges `"text".contains(tool.input.command)`, where the text would have to contain the command.
fn check_swapped(call: &CallExpr, of: &IdedExpr, sought: &IdedExpr) -> Option<Doubt> {
    let text = literal(of)?;
    let field = last_name(sought)?;
    let is_swapped = match call.func_name.as_str() {
        "matches" | "startsWith" | "endsWith" => true,
        // One of several words may be meant.
        "contains" => ["command", "content", "prompt", "file_path"].contains(&field),
        _ => false,
    };
    is_swapped.then(|| Doubt::Compared(text.to_owned(), Meant::Swapped))
}

/// Returns what a call searches, and what it searches for: `x.contains(y)`, or `contains(x, y)`.
fn parts(call: &CallExpr) -> Option<(&IdedExpr, &IdedExpr)> {
    match (&call.target, &call.args[..]) {
        (Some(of), [sought]) => Some((of, sought)),
        (None, [of, sought]) => Some((of, sought)),
        _ => None,
    }
}

fn literal(expression: &IdedExpr) -> Option<&str> {
    match &expression.expr {
        Expr::Literal(LiteralValue::String(text)) => Some(text.inner()),
        _ => None,
    }
}

fn read(text: &str) -> Option<Hir> {
    regex_syntax::parse(text).ok()
}

/// Returns whether a character is what `\a`, `\b`, `\v` or `\f` means in a text of CEL: nobody
/// looks for those.
const fn is_escape(character: char) -> bool {
    matches!(character, '\u{7}' | '\u{8}' | '\u{B}' | '\u{C}')
}

/// Returns whether a pattern is between slashes, as other languages write one. A path can be
/// between slashes too.
fn is_delimited(text: &str, read: &Hir, field: Option<&str>) -> bool {
    const FLAGS: [&str; 6] = ["i", "g", "gi", "ig", "im", "gm"];
    let Some((inner, flags)) = text.strip_prefix('/').and_then(|it| it.rsplit_once('/')) else {
        return false;
    };
    if inner.is_empty() || inner.replace("\\/", "").contains('/') {
        return false;
    }
    let has_signs = [" ", "\\s", ".*", ".+"].iter().any(|it| inner.contains(it))
        || inner.starts_with("\\b")
        || inner.ends_with("\\b");
    match flags {
        "" => {
            is_impossible(read)
                || has_signs
                || field == Some("prompt")
                || (field == Some("command") && names_programs(inner))
        }
        flags => FLAGS.contains(&flags),
    }
}

/// Returns whether a pattern consists of names of programs: in a command, people look for `sudo`
/// and not for a folder that is called so.
fn names_programs(pattern: &str) -> bool {
    const USUAL: [&str; 12] = [
        "sudo", "doas", "su", "rm", "dd", "shred", "chmod", "chown", "kill", "git", "curl", "wget",
    ];
    let words = pattern.trim_matches(['(', ')', '^', '$']).split('|');
    let mut words = words.map(str::trim);
    words.all(|it| USUAL.contains(&it) || is_known_program(it))
}

/// Returns whether a pattern for a path begins with a folder that a shell would put there.
fn begins_at_home(text: &str) -> bool {
    let text = text.trim_start_matches('^');
    let text = text.strip_prefix('\\').unwrap_or(text);
    text.starts_with("~/") || text.starts_with("$HOME") || text.starts_with("${HOME}")
}

/// Returns whether nothing can match: the pattern requires a text before the beginning or after the
/// end, or no character at all.
fn is_impossible(pattern: &Hir) -> bool {
    match pattern.kind() {
        HirKind::Class(class) => class.minimum_len().is_none(),
        HirKind::Repetition(it) => it.min > 0 && is_impossible(&it.sub),
        HirKind::Capture(it) => is_impossible(&it.sub),
        HirKind::Alternation(all) => all.iter().all(is_impossible),
        HirKind::Concat(all) => {
            let has_text = |parts: &[Hir]| {
                let mut parts = parts.iter();
                parts.any(|it| it.properties().minimum_len().is_none_or(|it| it > 0))
            };
            all.iter().enumerate().any(|(at, it)| {
                is_impossible(it)
                    || (is_look_around(it, Look::Start) && has_text(&all[..at]))
                    || (is_look_around(it, Look::End) && has_text(&all[at + 1..]))
            })
        }
        HirKind::Empty | HirKind::Literal(_) | HirKind::Look(_) => false,
    }
}

/// Returns whether a pattern matches only at such a place.
fn is_look_around(pattern: &Hir, place: Look) -> bool {
    match pattern.kind() {
        HirKind::Look(look) => *look == place,
        HirKind::Repetition(it) => it.min > 0 && is_look_around(&it.sub, place),
        HirKind::Capture(it) => is_look_around(&it.sub, place),
        HirKind::Concat(all) => all.iter().any(|it| is_look_around(it, place)),
        HirKind::Alternation(all) => all.iter().all(|it| is_look_around(it, place)),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) => false,
    }
}

/// Returns whether everything that a pattern matches contains such a character.
fn needs(pattern: &Hir, is_one: &impl Fn(char) -> bool) -> bool {
    /// With larger classes nobody means each single character.
    const MANY: u32 = 64;
    match pattern.kind() {
        HirKind::Literal(text) => std::str::from_utf8(&text.0).is_ok_and(|it| it.contains(is_one)),
        HirKind::Class(regex_syntax::hir::Class::Unicode(class)) => {
            let ranges = class.ranges();
            !ranges.is_empty()
                && ranges.iter().all(|it| {
                    u32::from(it.end()) - u32::from(it.start()) < MANY
                        && (it.start()..=it.end()).all(is_one)
                })
        }
        HirKind::Repetition(it) => it.min > 0 && needs(&it.sub, is_one),
        HirKind::Capture(it) => needs(&it.sub, is_one),
        HirKind::Concat(all) => all.iter().any(|it| needs(it, is_one)),
        HirKind::Alternation(all) => all.iter().all(|it| needs(it, is_one)),
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(_) => false,
    }
}

/// Returns the text that everything that a pattern matches begins with.
fn literal_prefix(pattern: &Hir) -> Option<String> {
    let HirKind::Concat(all) = pattern.kind() else {
        return None;
    };
    match (all.first()?.kind(), all.get(1)?.kind()) {
        (HirKind::Look(Look::Start), HirKind::Literal(text)) => {
            std::str::from_utf8(&text.0).ok().map(str::to_owned)
        }
        _ => None,
    }
}

/// Returns whether a pattern repeats a slash: `src/*.py` was meant as a wildcard.
fn repeats_slash(pattern: &Hir) -> bool {
    match pattern.kind() {
        HirKind::Repetition(it) => {
            let is_slash = matches!(it.sub.kind(), HirKind::Literal(text) if *text.0 == *b"/");
            (is_slash && it.max.is_none()) || repeats_slash(&it.sub)
        }
        HirKind::Capture(it) => repeats_slash(&it.sub),
        HirKind::Concat(all) | HirKind::Alternation(all) => all.iter().any(repeats_slash),
        _ => false,
    }
}

/// Returns whether a pattern needs letters that can't occur in what it searches, because its case
/// is changed.
fn has_other_case(of: &IdedExpr, pattern: &Hir) -> bool {
    let Expr::Call(call) = &of.expr else {
        return false;
    };
    match call.func_name.as_str() {
        "lower" | "lowerAscii" => needs(pattern, &|it| it.is_ascii_uppercase()),
        "upperAscii" => needs(pattern, &|it| it.is_ascii_lowercase()),
        _ => false,
    }
}
