//! Rewrites matchers so that they have the same meaning here (CM-7).

use std::borrow::Borrow;

use hookloop_events::tool_name;
use regress::Regex;

use super::report::Unfit;
use super::tree::{Node, Shape};
use super::verdict::Verdict;
use crate::intricate::takes_for_ever;
use crate::vocabulary::{ToolName, our_names};

/// Longest pattern that is looked into, in bytes.
const MAX_LENGTH: usize = 1000;

/// Names that tools of MCP servers may have: a pattern that matches one may be meant for such
/// tools.
const MCP_PROBES: [&str; 3] = ["mcp__server__tool", "mcp__my-server__get_item", "mcp__a__b"];

/// How a matcher of plain words is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordMode {
    /// Exact names, in a list with `|` or commas.
    ListWithCommas,
    /// Exact names, in a list with `|`.
    List,
    /// As an expression that must match the whole name.
    Anchored,
    /// No differently from any other pattern.
    Pattern,
}

/// What becomes of rules of permissions, such as `Bash(git:*)`, that are in the place of a matcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rules {
    /// One becomes the hook's `if`.
    Conditions,
    /// It becomes an `if` that other readers of the file ignore.
    ConditionsHere,
    /// Only the names of their tools count.
    Dropped,
}

/// Translates a matcher of tools. `None`, unless the verdict is a refusal, means all tools.
pub(super) fn translate_tools(
    verdict: &mut Verdict,
    matcher: &str,
    tools: &[ToolName],
    mode: WordMode,
    rules: Rules,
) -> Option<String> {
    let matcher = matcher.trim();
    if matcher.is_empty() || matcher == "*" {
        return None;
    }
    if let Some(words) = plain_words(matcher, mode) {
        return exact_names(verdict, &words, tools);
    }
    let rule = named_by_rule(matcher, tools).map(|name| vec![name]);
    let listed = || with_arguments(matcher, tools).filter(|names| names.len() > 1);
    if let Some(words) = rule.or_else(listed) {
        verdict.approximate(became_of_rules(matcher, words.len() == 1, rules));
        return exact_names(verdict, &words, tools);
    }
    translate_pattern(verdict, matcher, tools, mode)
}

/// Writes `server-tool`, an agent's name for a tool of an MCP server, as it is named here, and
/// `server/tool`, its name where the agent asks for permission; nothing if a pattern contains no
/// such name. Both parts may contain a dash, so each reading counts.
pub(super) fn servers_tools(matcher: &str) -> Option<String> {
    let mut found = false;
    let is_letter = |it: char| is_word_letter(it) || it == '/';
    let result = rewrite_words(matcher, is_letter, |name, _| {
        let between = if name.contains('/') { '/' } else { '-' };
        let parted = name.match_indices(between);
        let readings: Vec<String> = parted
            .map(|(at, _)| format!("{}__{}", &name[..at], &name[at + 1..]))
            .collect();
        found |= !readings.is_empty();
        one_of(&readings)
    });
    found.then(|| format!("(?:{})?(?:{result})", tool_name::MCP_PREFIX))
}

/// Translates a matcher that is compared with one of a few words.
pub(super) fn translate_words(
    verdict: &mut Verdict,
    matcher: &str,
    words: &[(&'static str, &'static [&'static str])],
    mode: WordMode,
) -> Option<String> {
    let matcher = matcher.trim();
    if matcher.is_empty() || matcher == "*" {
        return None;
    }
    let fitting: Vec<&str> = if let Some(list) = plain_words(matcher, mode) {
        list
    } else if let Some(pattern) = compile(verdict, matcher) {
        let fitting = words.iter().map(|(word, _)| *word);
        fitting
            .filter(|word| pattern.find(word).is_some())
            .collect()
    } else {
        return None;
    };
    let mut kept: Vec<&str> = Vec::new();
    let mut lost: Vec<&str> = Vec::new();
    let mut is_known = true;
    for word in fitting {
        match words.iter().find(|(theirs, _)| *theirs == word) {
            Some((_, [])) => lost.push(word),
            Some((_, ours)) => kept.extend(ours.iter().copied()),
            None => {
                is_known = false;
                lost.push(word);
            }
        }
    }
    if kept.is_empty() {
        let lost = if lost.is_empty() { vec![matcher] } else { lost };
        verdict.refuse(format!("the event has no {} here", join_names(&lost)));
        return None;
    }
    if !lost.is_empty() {
        let message = format!("the event has no {} here", join_names(&lost));
        // Values that exist only in the other agent aren't needed here.
        if is_known {
            verdict.rewritten(message);
        } else {
            verdict.approximate(message);
        }
    }
    unique(&mut kept);
    Some(kept.join("|"))
}

/// Returns the words of a matcher that consists only of plain words.
fn plain_words(matcher: &str, mode: WordMode) -> Option<Vec<&str>> {
    let separators: &[char] = match mode {
        WordMode::ListWithCommas => &['|', ','],
        WordMode::List => &['|'],
        WordMode::Anchored | WordMode::Pattern => return None,
    };
    let words: Vec<&str> = matcher.split(separators).map(str::trim).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let plain = words.iter().all(|word| word.chars().all(is_word_letter));
    plain.then_some(words)
}

const fn is_word_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
}

/// Returns the tool of a matcher that is exactly one rule with a pattern for arguments:
/// `Bash(git:*)`. What matches a tool's name as a pattern, such as `Bash(.*)`, is a pattern.
pub(super) fn named_by_rule<'m>(matcher: &'m str, tools: &[ToolName]) -> Option<&'m str> {
    let matcher = matcher.trim();
    let [name] = with_arguments(matcher, tools)?[..] else {
        return None;
    };
    let fits_some = |pattern: &Regex| {
        let names = tools.iter().map(|(name, _)| *name).chain(MCP_PROBES);
        names.into_iter().any(|name| pattern.find(name).is_some())
    };
    let is_pattern = takes_for_ever(matcher) || Regex::new(matcher).is_ok_and(|it| fits_some(&it));
    (!is_pattern).then_some(name)
}

/// Returns the message about rules in the place of a matcher.
fn became_of_rules(matcher: &str, is_one: bool, rules: Rules) -> String {
    let matcher = shorten(matcher);
    let became = match rules {
        Rules::Conditions if is_one => "it became \"if\"",
        Rules::ConditionsHere if is_one => "it became \"if\", which Gemini CLI ignores",
        _ => {
            return format!(
                "there a matcher is compared only with the tool's name, but \"{matcher}\" has a \
                 pattern for arguments: that was dropped, so the hook runs for every call of the \
                 tool; let the script check \"tool_input\""
            );
        }
    };
    format!(
        "there a matcher is compared only with the tool's name, so the rule \"{matcher}\" matches \
         none, and the hook never runs; here {became}, so it runs for the calls that the rule is about"
    )
}

/// Returns the names of tools, if at least one has a pattern of arguments: `Bash(git:*)`.
fn with_arguments<'m>(matcher: &'m str, tools: &[ToolName]) -> Option<Vec<&'m str>> {
    let mut depth = 0_usize;
    let parts = matcher.split(|letter| {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && matches!(letter, '|' | ',')
    });
    let mut has_arguments = false;
    let mut names = Vec::new();
    for part in parts.map(str::trim) {
        let name = match part.split_once('(') {
            // There are no such rules of tools of MCP servers: it is a pattern of their names.
            Some((name, rest))
                if rest.ends_with(')') && !name.starts_with(tool_name::MCP_PREFIX) =>
            {
                has_arguments = true;
                name
            }
            Some(_) => return None,
            None => part,
        };
        let known = our_names(tools, name).is_some() || name.starts_with(tool_name::MCP_PREFIX);
        if !known || !name.chars().all(is_word_letter) {
            return None;
        }
        names.push(name);
    }
    has_arguments.then_some(names)
}

fn exact_names(verdict: &mut Verdict, words: &[&str], tools: &[ToolName]) -> Option<String> {
    let mut kept: Vec<&str> = Vec::new();
    let mut lost: Vec<&str> = Vec::new();
    for &word in words {
        match our_names(tools, word) {
            Some([]) => lost.push(word),
            Some(ours) => kept.extend(ours.iter().copied()),
            None => {
                if !word.starts_with(tool_name::MCP_PREFIX) {
                    let unfit = Unfit {
                        part: word.to_owned(),
                        is_all: words.len() == 1,
                    };
                    let message = format!("no tool named {} is known", shorten(word));
                    verdict.unfit(unfit, message);
                }
                kept.push(word);
            }
        }
    }
    if words.is_empty() {
        verdict.refuse("the matcher names no tool");
    }
    tell_lost(verdict, &lost, kept.is_empty());
    unique(&mut kept);
    exact_pattern(&kept)
}

fn tell_lost(verdict: &mut Verdict, lost: &[&str], is_all: bool) {
    let message = format!("there is no counterpart of {}", join_names(lost));
    match (lost.is_empty(), is_all) {
        (true, _) => {}
        (false, true) => verdict.refuse(message),
        // If something else is left, values that never occur here can be dropped.
        (false, false) => verdict.rewritten(message),
    }
}

/// Writes names as a pattern that matches them and nothing else.
fn exact_pattern(names: &[&str]) -> Option<String> {
    match names {
        [] => None,
        [one] => Some(format!("^{one}$")),
        more => Some(format!("^(?:{})$", more.join("|"))),
    }
}

/// Writes names as such a pattern; without any the matcher stays as it is. No pattern at all would
/// mean all tools.
fn exactly_or(names: &[&str], matcher: &str) -> Option<String> {
    exact_pattern(names).or_else(|| Some(matcher.to_owned()))
}

/// Translates a pattern word by word, and then checks whether it matches the same tools.
fn translate_pattern(
    verdict: &mut Verdict,
    matcher: &str,
    tools: &[ToolName],
    mode: WordMode,
) -> Option<String> {
    let theirs = compile(verdict, matcher)?;
    let (fitting, others): (Vec<&ToolName>, Vec<&ToolName>) = tools
        .iter()
        .partition(|(name, _)| theirs.find(name).is_some());
    let fits_mcp =
        MCP_PROBES.iter().any(|name| theirs.find(name).is_some()) || matcher.contains("mcp__");
    let may_fit_mcp = fits_mcp || may_fit_others(matcher, mode);
    let expected: Vec<&str> = flat(&fitting);
    if expected.is_empty() && !fits_mcp {
        let lost: Vec<&str> = fitting.iter().map(|(name, _)| *name).collect();
        let unfit = Unfit {
            part: matcher.to_owned(),
            is_all: !may_fit_mcp,
        };
        if may_fit_mcp && lost.is_empty() {
            // The names of servers' tools aren't known, so a guard of them stays.
            verdict.matches_servers_alone(unfit);
            return Some(matcher.to_owned());
        }
        if lost.is_empty() {
            verdict.unfit(unfit, "it matches no tool");
            tell_lost(verdict, &[matcher], true);
        } else {
            tell_lost(verdict, &lost, true);
        }
        return None;
    }
    let lost: Vec<&str> = fitting
        .iter()
        .filter(|(_, ours)| ours.is_empty())
        .map(|(name, _)| *name)
        .collect();
    // A pattern that matches nearly everything wasn't written for these in particular.
    if fitting.len() < others.len() {
        tell_lost(verdict, &lost, false);
    }
    let translated = by_words(matcher, tools);
    let Ok(pattern) = Regex::new(&translated) else {
        verdict.rewritten("the pattern was rewritten so that it matches the same tools");
        return exactly_or(&expected, matcher);
    };
    let mut everything = flat(&fitting);
    everything.extend(flat(&others));
    let fits_too =
        |name: &&&str| matches_tool(&translated, &pattern, name) && !expected.contains(name);
    let excess: Vec<&str> = everything.iter().filter(fits_too).copied().collect();
    // A tool that matches only under another name still counts as missing, for readers of the
    // pattern.
    let is_missing = |name: &&&str| pattern.find(name).is_none();
    let missing: Vec<&str> = expected.iter().filter(is_missing).copied().collect();
    if excess.is_empty() && missing.is_empty() {
        return Some(translated);
    }
    verdict.rewritten("the pattern was rewritten so that it matches the same tools");
    let is_of_servers = fits_mcp || may_fit_mcp && mode == WordMode::Anchored;
    if !is_of_servers {
        return exactly_or(&expected, matcher);
    }
    let kept = if excess.is_empty() {
        format!("(?:{translated})")
    } else {
        let excess = excess.join("|");
        format!("^(?!(?:{excess})$)(?=.*(?:{translated}))")
    };
    Some(match exact_pattern(&missing) {
        None => kept,
        Some(rest) => format!("{kept}|{rest}"),
    })
}

/// Returns whether a pattern may match an unlisted name of a server's tool: it leaves letters open,
/// or what surrounds them. If such names have a prefix, the beginning of a name decides.
fn may_fit_others(pattern: &str, mode: WordMode) -> bool {
    let is_whole = pattern.starts_with('^') && pattern.ends_with('$');
    let begins_otherwise = mode != WordMode::Anchored
        && pattern.strip_prefix('^').is_some_and(|rest| {
            rest.starts_with(|it: char| it.is_ascii_alphanumeric() && !"mM".contains(it))
        });
    // Tool names don't contain these.
    let is_no_name = pattern.contains([' ', ',']);
    let is_open = !is_whole || pattern.contains(['.', '[', '*', '+', '\\']);
    is_open && !begins_otherwise && !is_no_name
}

fn flat(tools: &[&ToolName]) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = tools
        .iter()
        .flat_map(|(_, ours)| ours.iter().copied())
        .collect();
    unique(&mut names);
    names
}

/// Returns whether a pattern matches one of our tools, under its own name or, if the pattern is
/// compared with those, another one (PL-5).
fn matches_tool(text: &str, pattern: &Regex, name: &str) -> bool {
    let plain = |it: char| is_word_letter(it) || "^$|()".contains(it);
    let minds_others = text.replace(".*", "").chars().all(plain);
    pattern.find(name).is_some()
        || (minds_others
            && tool_name::other_names(name)
                .iter()
                .any(|other| pattern.find(other).is_some()))
}

fn compile(verdict: &mut Verdict, matcher: &str) -> Option<Regex> {
    if matcher.len() > MAX_LENGTH || takes_for_ever(matcher) {
        verdict.mistype("the matcher is too complex to be analysed");
        return None;
    }
    let compiled = Regex::new(matcher).ok();
    if compiled.is_none() {
        verdict.mistype(format!(
            "the matcher \"{}\" isn't a regular expression",
            shorten(matcher)
        ));
    }
    compiled
}

/// Replaces whole words of a pattern that are names of theirs by ours.
fn by_words(pattern: &str, tools: &[ToolName]) -> String {
    let is_letter = |it: char| it.is_ascii_alphanumeric() || it == '_';
    rewrite_words(pattern, is_letter, |word, behind| {
        // A quantifier for the last letter would repeat our whole name.
        let is_whole = !behind.starts_with(['?', '*', '+', '{']);
        one_of(our_names(tools, word).filter(|_| is_whole)?)
    })
}

/// Returns a pattern that matches these texts, which are patterns themselves; nothing if there are
/// none.
fn one_of<T: Borrow<str>>(texts: &[T]) -> Option<String> {
    match texts {
        [] => None,
        [one] => Some(one.borrow().to_owned()),
        more => Some(format!("(?:{})", more.join("|"))),
    }
}

/// Replaces words of a pattern, given what follows them; a word without a replacement stays. In
/// classes, escapes and names of groups there are no words.
fn rewrite_words(
    pattern: &str,
    is_letter: impl Fn(char) -> bool,
    mut other: impl FnMut(&str, &str) -> Option<String>,
) -> String {
    let mut result = String::with_capacity(pattern.len());
    let mut rest = pattern;
    let mut in_class = false;
    while let Some(letter) = rest.chars().next() {
        let word = rest.find(|it| !is_letter(it)).unwrap_or(rest.len());
        let length = if letter == '\\' {
            1 + rest[1..].chars().next().map_or(0, char::len_utf8)
        } else if !in_class && names_group(rest) {
            rest.find('>').map_or(3, |end| end + 1)
        } else if word > 0 && !in_class {
            let (name, behind) = rest.split_at(word);
            result.push_str(&other(name, behind).unwrap_or_else(|| name.to_owned()));
            rest = behind;
            continue;
        } else {
            letter.len_utf8()
        };
        match letter {
            '[' => in_class = true,
            ']' => in_class = false,
            _ => {}
        }
        result.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    result
}

fn names_group(pattern: &str) -> bool {
    let behind = pattern.strip_prefix("(?<");
    behind.is_some_and(|it| !it.starts_with(['=', '!']))
}

fn unique(names: &mut Vec<&str>) {
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(*name));
}

fn join_names(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| shorten(name)).collect();
    names.join(", ")
}

/// Cuts a text that a message quotes.
pub(super) fn shorten(text: &str) -> String {
    const MAX_CHARACTERS: usize = 80;
    match text.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the text of a matcher, or a refusal's reason.
pub(super) fn matcher_text(matcher: Option<&Node>) -> Result<&str, &'static str> {
    match matcher.map(|it| &it.shape) {
        None => Ok(""),
        Some(Shape::Text(text)) => Ok(text),
        Some(_) => Err("the matcher isn't a string"),
    }
}
