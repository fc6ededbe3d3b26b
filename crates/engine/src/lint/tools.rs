//! Which tools a matcher matches, and which were probably meant.

use std::sync::LazyLock;

use hookloop_events::{EventName, tool_name};
use hookloop_settings::NearNames;

use crate::matcher::{Fit, Matcher, other_names};

/// Something suspicious about a matcher of tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Finding {
    /// It isn't a regular expression; what was probably meant, if it is written like a file
    /// pattern.
    NoPattern { meant: Option<String> },
    /// The matcher, or one of its words, matches no known tool.
    NoTool { part: String, meant: Option<String> },
    /// A word names a whole server, and so no tool of it.
    WholeServer { part: String, meant: String },
    /// It matches tools, but only under these other names of theirs (PL-5).
    OnlyAlias { names: Vec<String> },
    /// A word that is meant for every tool, and is compared with names.
    Everything { word: String },
    /// Comparing it takes too long (PL-12).
    Slow,
    /// A plain word isn't a tool's name but matches several.
    ExtraTools {
        word: String,
        tools: Vec<&'static str>,
        meant: Option<String>,
    },
}

/// Names that tools of MCP servers may have: what matches one may be meant for another.
const MADE_UP: [&str; 3] = [
    "mcp__server__tool",
    "mcp__my-server__do_something",
    "mcp__files2__get-item.v1",
];

/// Words that are meant for every tool.
const MATCH_ALL_WORDS: [&str; 7] = [
    "any",
    "all",
    "every",
    "everything",
    "anything",
    "all_tools",
    "alltools",
];

/// The names that these tools have in another well-known agent.
const FOREIGN: &[(&str, &str)] = &[
    ("bash", "run_shell_command"),
    ("edit", "replace"),
    ("multiedit", "replace"),
    ("read", "read_file"),
    ("write", "write_file"),
    ("glob", "glob"),
    ("grep", "search_file_content"),
    ("ls", "list_directory"),
    ("webfetch", "web_fetch"),
    ("websearch", "google_web_search"),
    ("todowrite", "write_todos"),
    ("task", "delegate_to_agent"),
    ("createfile", "write_file"),
    ("newfile", "write_file"),
    ("editfile", "replace"),
    ("updatefile", "replace"),
    ("strreplace", "replace"),
    ("applypatch", "replace"),
    ("runcommand", "run_shell_command"),
    ("runterminalcmd", "run_shell_command"),
    ("executecommand", "run_shell_command"),
    ("executebash", "run_shell_command"),
    ("shell", "run_shell_command"),
    ("terminal", "run_shell_command"),
    ("exec", "run_shell_command"),
];

/// How far a matcher is looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Scrutiny {
    /// It is compared with names of tools.
    Names,
    /// It is parsed, but not compared: comparing could take forever.
    Syntax,
}

/// Looks for parts of a matcher that match no tool, or more tools than they name.
pub(super) fn look_at(event: EventName, matcher: &Matcher, scrutiny: Scrutiny) -> Vec<Finding> {
    if matcher.is_invalid_pattern() {
        let meant = pattern_of_glob(event, matcher.text());
        return vec![Finding::NoPattern { meant }];
    }
    let text = unanchored(matcher.text());
    if MATCH_ALL_WORDS
        .iter()
        .any(|it| it.eq_ignore_ascii_case(text))
    {
        let word = matcher.text().to_owned();
        return vec![Finding::Everything { word }];
    }
    if let Some(meant) = glob_of_servers(text) {
        let part = matcher.text().to_owned();
        let meant = Some(meant);
        return vec![Finding::NoTool { part, meant }];
    }
    let servers = whole_servers(event, matcher, scrutiny);
    if !servers.is_empty() {
        return servers;
    }
    if scrutiny == Scrutiny::Names
        && let Some(finding) = check_matcher(matcher)
    {
        return vec![finding];
    }
    let padded = padded_words(matcher.text());
    if !padded.is_empty() {
        return padded;
    }
    let Some(alternatives) = alternatives(matcher.text()) else {
        return match scrutiny {
            Scrutiny::Names if let Some(finding) = bracketed(matcher) => vec![finding],
            Scrutiny::Names => {
                let tools = matching_tools(matcher);
                let found = no_tool(matcher, matcher.text(), &tools);
                found.into_iter().collect()
            }
            Scrutiny::Syntax => Vec::new(),
        };
    };
    alternatives
        .into_iter()
        .filter_map(|alternative| alternative.look(event))
        .collect()
}

/// Returns the regular expression for names of MCP tools in which `*` means any part, as in
/// `mcp__*__write`: after `_`, it would repeat that.
fn glob_of_servers(text: &str) -> Option<String> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-*".contains(letter);
    let is_one = text.starts_with("mcp__") && text.chars().all(plain);
    let has_more_behind = text.split("_*").skip(1).any(|it| !it.is_empty());
    (is_one && has_more_behind).then(|| text.replace('*', ".*"))
}

/// Finds words that name a server and nothing after it, where that matches none of its tools: a
/// word is a whole name in the dialects of some agents, and in a pattern that says where a name
/// ends.
fn whole_servers(event: EventName, matcher: &Matcher, scrutiny: Scrutiny) -> Vec<Finding> {
    if scrutiny != Scrutiny::Names {
        return Vec::new();
    }
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    let parts = matcher.text().split('|').map(|part| {
        let part = part.trim_start_matches(['^', '(', '?', ':']);
        part.trim_end_matches(['$', ')'])
    });
    let mut found = Vec::new();
    for part in parts.filter(|part| part.chars().all(plain)) {
        let rest = part.strip_prefix(tool_name::MCP_PREFIX);
        let named = match (rest, part.strip_prefix("mcp_")) {
            (Some(server), _) if !server.contains("__") => Some((server, format!("{part}__.*"))),
            (None, Some(server)) if !server.contains('_') => Some((server, format!("{part}_.*"))),
            _ => None,
        };
        let Some((server, meant)) = named.filter(|(server, _)| !server.is_empty()) else {
            continue;
        };
        let tool = format!("{}{server}__do_something", tool_name::MCP_PREFIX);
        if matcher.compare(&tool, &other_names(event, &tool)) == Fit::No {
            let part = part.to_owned();
            found.push(Finding::WholeServer { part, meant });
        }
    }
    found
}

/// A tool with the names that it has besides its own (PL-5).
struct KnownTool {
    name: &'static str,
    others: Vec<String>,
}

impl KnownTool {
    fn of(name: &'static str) -> Self {
        Self {
            name,
            others: tool_name::other_names(name),
        }
    }

    fn fits(&self, matcher: &Matcher) -> bool {
        matcher.matches(self.name, &self.others)
    }
}

/// The built-in tools. Every matcher of tools is compared with them.
static BUILT_IN: LazyLock<Vec<KnownTool>> =
    LazyLock::new(|| tool_name::built_in().map(KnownTool::of).collect());

/// Tools that servers may have.
static OF_SERVERS: LazyLock<Vec<KnownTool>> =
    LazyLock::new(|| MADE_UP.into_iter().map(KnownTool::of).collect());

/// All names of all these tools, one in a line.
static ALL_NAMES: LazyLock<String> = LazyLock::new(|| {
    let tools = BUILT_IN.iter().chain(OF_SERVERS.iter());
    let names = tools.flat_map(|it| {
        let others = it.others.iter().map(String::as_str);
        std::iter::once(it.name).chain(others)
    });
    names.collect::<Vec<_>>().join("\n")
});

/// Returns whether no known tool has a name with one of a matcher's words: most words that name no
/// tool are far from all names.
fn is_far_from_all(matcher: &Matcher) -> bool {
    let words = matcher.contained_words();
    words.is_some_and(|it| !it.iter().any(|word| ALL_NAMES.contains(&**word)))
}

/// Compares a matcher with the known tools: does that finish in time, and does it match a name of
/// their own?
fn check_matcher(matcher: &Matcher) -> Option<Finding> {
    if is_far_from_all(matcher) {
        return None;
    }
    let mut names = Vec::new();
    let mut fits_own = false;
    for tool in BUILT_IN.iter().chain(OF_SERVERS.iter()) {
        match matcher.compare(tool.name, &tool.others) {
            Fit::Endless => return Some(Finding::Slow),
            Fit::Own => fits_own = true,
            Fit::Other(name) => names.push(name.to_owned()),
            Fit::No => {}
        }
    }
    let is_alias = !fits_own && !names.is_empty();
    is_alias.then_some(Finding::OnlyAlias { names })
}

/// Finds words with white space around them, as in `write_file | replace`: it is part of the
/// pattern, and no tool's name has any.
fn padded_words(text: &str) -> Vec<Finding> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
    text.split('|')
        .filter_map(|piece| {
            let word = piece.trim();
            let is_padded = word != piece && !word.is_empty() && word.chars().all(plain);
            is_padded.then(|| Finding::NoTool {
                part: piece.to_owned(),
                meant: nearest_tool(word).or_else(|| Some(word.to_owned())),
            })
        })
        .collect()
}

/// Returns whether a text is a file pattern, which matches no tool's name: `*.py`, `src/**`.
pub(super) fn is_of_files(text: &str) -> bool {
    text.contains('*') && (text.contains('/') || text.contains("*."))
}

/// Returns the regular expression for a pattern of names, in which `*` means anything.
pub(super) fn pattern_of_glob(event: EventName, text: &str) -> Option<String> {
    if is_of_files(text) {
        return None;
    }
    let mut pattern = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter == '*' && !pattern.ends_with(['.', ')', ']']) {
            pattern.push('.');
        }
        pattern.push(letter);
    }
    let is_other = pattern != text;
    (is_other && !Matcher::new(event, Some(&pattern)).is_invalid_pattern()).then_some(pattern)
}

/// Reports a part of a matcher that matches no tool; `tools` are the built-in ones that it matches.
fn no_tool(matcher: &Matcher, part: &str, tools: &[&str]) -> Option<Finding> {
    let fits_none = !part.contains("mcp_")
        && tools.is_empty()
        && (is_far_from_all(matcher) || !OF_SERVERS.iter().any(|tool| tool.fits(matcher)));
    fits_none.then(|| Finding::NoTool {
        part: part.to_owned(),
        meant: all_but(part)
            .or_else(|| any_of(part))
            .or_else(|| nearest_tool(part))
            .or_else(|| embedded_tool(part)),
    })
}

/// Returns the only tool that is named among other characters, as in `Bash(rm:*)` or `tool_name ==
/// 'write_file'`.
pub(super) fn embedded_tool(text: &str) -> Option<String> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let own = |word: &str| tool_name::canonical(&word.to_ascii_lowercase()).map(str::to_owned);
    let words = || text.split(|it| !is_part(it)).filter(|it| it.len() > 1);
    let mut named: Vec<String> = words().filter_map(own).collect();
    if named.is_empty() {
        // For another agent, only the first word counts, as in its own matchers.
        let first = words().next().filter(|it| text.starts_with(it));
        named.extend(first.and_then(foreign).map(str::to_owned));
    }
    named.dedup();
    let is_other = |it: &String| it != text;
    (named.len() == 1).then(|| named.remove(0)).filter(is_other)
}

/// Returns the pattern for all tools but one, as in `!read_file` or `not read_file`.
fn all_but(text: &str) -> Option<String> {
    let name = text
        .strip_prefix('!')
        .or_else(|| text.strip_prefix("not "))?;
    let name = nearest_tool(name.trim())?;
    Some(format!("^(?!{name}$).*$"))
}

/// Returns the pattern for any of several tools, as in `write_file, replace` or `[read, write]`.
fn any_of(text: &str) -> Option<String> {
    let own: Vec<&str> = text.split('-').collect();
    if own.len() > 1 && own.iter().all(|it| tool_name::canonical(it).is_some()) {
        return Some(own.join("|"));
    }
    let between = |sign: char| sign.is_whitespace() || ",;&+|/[]\"'`".contains(sign);
    let words = text.split(between).filter(|it| !it.is_empty());
    let words = words.filter(|it| !matches!(*it, "and" | "or"));
    // What a single word means is looked for elsewhere.
    words.clone().nth(1)?;
    let words: Option<Vec<String>> = words
        .map(|word| {
            tool_name::canonical(word).map_or_else(|| nearest_tool(word), |_| Some(word.to_owned()))
        })
        .collect();
    words.map(|it| it.join("|"))
}

/// Looks for a list of names in square brackets, which matches every name with one of their
/// letters.
fn bracketed(matcher: &Matcher) -> Option<Finding> {
    let text = matcher.text();
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    if inner.contains(['[', ']', '^', '\\']) {
        return None;
    }
    let meant = any_of(inner).or_else(|| tool_name::canonical(inner).map(str::to_owned))?;
    let tools = matching_tools(matcher);
    Some(Finding::ExtraTools {
        word: text.to_owned(),
        tools,
        meant: Some(meant),
    })
}

/// Returns the own names of the known tools that a matcher matches.
fn matching_tools(matcher: &Matcher) -> Vec<&'static str> {
    if is_far_from_all(matcher) {
        return Vec::new();
    }
    let fitting = BUILT_IN.iter().filter(|tool| tool.fits(matcher));
    fitting.map(|tool| tool.name).collect()
}

/// One plain word of a matcher.
struct Alternative<'a> {
    word: &'a str,
    /// The word as it is compared, with what anchors it.
    pattern: String,
}

impl Alternative<'_> {
    fn look(&self, event: EventName) -> Option<Finding> {
        let matcher = Matcher::new(event, Some(&self.pattern));
        let tools = matching_tools(&matcher);
        if tools.len() > 1 && tool_name::canonical(self.word).is_none() {
            return Some(Finding::ExtraTools {
                word: self.word.to_owned(),
                tools,
                meant: foreign(self.word).map(str::to_owned),
            });
        }
        no_tool(&matcher, self.word, &tools)
    }
}

/// Splits a matcher that is an alternation of plain words: `a|b`, `^(a|b)$`, `^a$|b$`.
fn alternatives(text: &str) -> Option<Vec<Alternative<'_>>> {
    let grouped = unanchored(text)
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    let (words, before, behind) = match grouped {
        Some(words) => (
            words,
            if text.starts_with('^') { "^" } else { "" },
            if text.ends_with('$') { "$" } else { "" },
        ),
        None => (text, "", ""),
    };
    words
        .split('|')
        .map(|piece| {
            let word = unanchored(piece);
            let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
            let is_word = !word.is_empty() && word.chars().all(plain);
            is_word.then_some(Alternative {
                word,
                pattern: format!("{before}{piece}{behind}"),
            })
        })
        .collect()
}

fn unanchored(text: &str) -> &str {
    let text = text.strip_prefix('^').unwrap_or(text);
    text.strip_suffix('$').unwrap_or(text)
}

/// All names of the built-in tools.
static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let own = tool_name::built_in();
    let others = tool_name::built_in().flat_map(tool_name::other_names);
    own.map(str::to_owned).chain(others).collect()
});

/// Returns the built-in tool that was probably meant by a name that no built-in tool has: another
/// agent's name for it, or a misspelt one. Tools of MCP servers have any names.
pub fn meant_tool(name: &str) -> Option<String> {
    let is_known = name.contains("mcp_") || NAMES.iter().any(|it| it == name);
    (!is_known).then(|| nearest_tool(name)).flatten()
}

/// Finds the tool's name that was probably meant.
fn nearest_tool(word: &str) -> Option<String> {
    static NEAR: LazyLock<NearNames<'_>> =
        LazyLock::new(|| NearNames::new(NAMES.iter().map(String::as_str)));
    let name = foreign(word).or_else(|| NEAR.nearest(word));
    name.map(str::to_owned)
}

fn foreign(word: &str) -> Option<&'static str> {
    let word: String = word.chars().filter(|it| !"_-".contains(*it)).collect();
    FOREIGN
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(&word))
        .map(|(_, ours)| *ours)
}
