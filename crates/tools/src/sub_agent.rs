//! A sub-agent: its instruction, and the tools that it may call (TO-4).

use std::path::PathBuf;

use hookloop_events::tool_name;

/// A sub-agent, as defined in its file (TO-4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubAgent {
    /// Its name.
    pub name: String,
    /// When to use it, for the model.
    pub description: String,
    /// The tools that it may call; `None` for all tools of the session.
    pub tools: Option<ToolList>,
    /// Its model; `None` for the session's model.
    pub model: Option<String>,
    /// Its instruction.
    pub instruction: String,
    /// Its file.
    pub file: PathBuf,
}

/// The tools that a sub-agent may call: names in which `*` stands for any text (TO-4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolList {
    /// The names, as written.
    pub names: Vec<String>,
    /// Their lines in the file, from 1.
    pub line: u32,
}

impl ToolList {
    /// Returns whether the list contains a tool, by any of its names (PL-5).
    pub fn names_tool(&self, tool: &str) -> bool {
        self.names.iter().any(|name| names(name, tool))
    }

    /// Returns the names in the list that match none of these tools.
    pub fn unknown_tools<'a>(&'a self, tools: &[&str]) -> Vec<&'a str> {
        let is_unknown = |name: &&String| !tools.iter().any(|tool| names(name, tool));
        let unknown = self.names.iter().filter(is_unknown);
        unknown.map(String::as_str).collect()
    }
}

fn names(name: &str, tool: &str) -> bool {
    let fits = |known: &str| matches(name, known);
    fits(tool) || tool_name::other_names(tool).iter().any(|it| fits(it))
}

/// Returns whether a text has the form of a pattern in which `*` stands for any letters.
fn matches(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let Some(last) = pieces.next_back() else {
        return rest.is_empty();
    };
    for piece in pieces {
        match rest.find(piece) {
            Some(place) => rest = &rest[place + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: &[&str]) -> ToolList {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        ToolList { names, line: 1 }
    }

    /// TO-4: a list names tools by any of their names, and by what these have in common.
    #[test]
    fn tools_are_named_in_all_ways() {
        for (name, tool) in [
            ("read_file", "read_file"),
            ("ReadFileTool", "read_file"),
            ("grep_search", "search_file_content"),
            ("mcp__docs__*", "mcp__docs__find"),
            ("mcp_docs_*", "mcp__docs__find"),
            ("*", "glob"),
            ("*_f*le", "read_file"),
            ("**", "glob"),
        ] {
            assert!(list(&["x", name]).names_tool(tool), "{name} {tool}");
        }
        for (name, tool) in [
            ("read", "read_file"),
            ("file", "read_file"),
            ("read_*_file", "read_file"),
            ("a*a", "a"),
            ("", "glob"),
        ] {
            assert!(!list(&[name]).names_tool(tool), "{name} {tool}");
        }
        assert!(!list(&[]).names_tool("glob"));
        let unknown = ["globs", "mcp__x__*"];
        assert_eq!(
            list(&["glob", unknown[0], unknown[1]]).unknown_tools(&["glob", "replace"]),
            unknown
        );
    }
}
