//! The texts that a guard looks for, as far as they can be determined. If a call contains one of
//! them and the guard lets it pass without a word, the guard's test doesn't match what it reads
//! (IO-27).
//!
//! Only programs that decide by the event alone are examined, and only texts that nothing else in
//! them can outweigh: a guard that lets `git push` pass on some branches isn't reported.

mod apart;
mod conditions;
mod extent;
mod fits;
mod other_conditions;
mod results;
mod runs;
mod texts;

use hookloop_hook::{Dialect, HookDeclaration, Refusing};
use hookloop_settings::Settings;

use super::read::{self, Script};
use super::variables::Variables;
use super::{FileProbe, Linter, Place, Programs, text_of};
use extent::Extent;

/// A text that a program of a hook looks for, and where (IO-27).
#[derive(Debug, Clone)]
pub struct LookedFor {
    place: String,
    sought: Sought,
    /// The tools that the program names.
    tools: Vec<&'static str>,
    /// The arguments that it reads.
    keys: Vec<&'static str>,
}

impl LookedFor {
    /// Returns where it is: a file with its line, or the command.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Returns the text, as it is shown.
    pub fn text(&self) -> String {
        self.sought.parts.join(" … ")
    }

    /// Returns a value made of the text and nothing else: something to try the program with
    /// (IO-27).
    pub fn sample(&self) -> String {
        self.sought.parts.join(" ")
    }

    /// Returns whether a value of an event certainly is what is looked for: a command that begins
    /// with it, a path that ends with it, another text with these words.
    pub fn matches(&self, tool: Option<&str>, key: &str, value: &str) -> bool {
        let is_asked = |tool: &str| self.tools.is_empty() || self.tools.contains(&tool);
        tool.is_none_or(is_asked)
            && (tool.is_none() || self.may_read(key))
            && self.sought.matches(key, value)
    }

    /// Returns whether the program names an argument.
    pub fn names(&self, key: &str) -> bool {
        self.keys.contains(&key) || fits::is_path(key) && self.keys.contains(&"path")
    }

    fn may_read(&self, key: &str) -> bool {
        self.keys.is_empty() || self.names(key)
    }
}

/// A text that a program looks for: parts that follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sought {
    /// The line in which it is, counted from 1.
    line: usize,
    parts: Vec<String>,
    extent: Extent,
}

/// How a program can learn something other than the event.
const OTHERS: [&str; 70] = [
    "\"git\"",
    "'git'",
    "date",
    "[ -f",
    "[ -e",
    "[ -d",
    "[ -x",
    "[ -s",
    "[ -r",
    "[[ -f",
    "[[ -e",
    "[[ -d",
    "test -",
    "hostname",
    "whoami",
    "pgrep",
    "stat(",
    "stat ",
    " ls ",
    " find ",
    "RANDOM",
    "sqlite",
    " nc ",
    "environ",
    "getenv",
    "process.env",
    "ENV{",
    "os.path.",
    ".exists",
    "exists(",
    "existsSync",
    "is_file",
    "isfile",
    "subprocess",
    "popen",
    "os.system",
    "system(",
    "datetime",
    "time.",
    "localtime",
    "random",
    "requests",
    "urllib",
    "socket",
    "http",
    "fetch(",
    "child_process",
    "Date",
    "spawn",
    "import_module",
    "require(\"./",
    "require('./",
    "from .",
    "from \"./",
    "from './",
    "source ",
    "\n. ",
    "len(",
    ".length",
    ".count(",
    "size(",
    "seen",
    "state",
    "counter",
    "cache",
    "open3",
    ">>",
    "mode",
    "MODE",
    "opts",
];

/// Words that say that something is refused.
const REFUSALS: [&str; 18] = [
    "exit 2",
    "exit(2",
    "exitcode=2",
    "exitcode = 2",
    "systemexit(2",
    "return 2",
    "code = 2",
    "rc=2",
    "deny",
    "denied",
    "block",
    "refuse",
    "forbid",
    "throw ",
    "raise ",
    "die ",
    "quit()",
    "continue\": false",
];

/// Tools whose names programs compare.
const TOOLS: [&str; 9] = [
    "run_shell_command",
    "write_file",
    "replace",
    "read_file",
    "read_many_files",
    "list_directory",
    "web_fetch",
    "glob",
    "save_memory",
];

/// Arguments that programs read.
const KEYS: [&str; 7] = [
    "command",
    "file_path",
    "path",
    "content",
    "new_string",
    "prompt",
    "pattern",
];

/// Returns the texts that the programs of a hook look for, if such a text in a call decides:
/// nothing for a hook that can't refuse, or may decide by more than the event.
pub fn find_looked_for(
    hook: &HookDeclaration,
    place: Place<'_>,
    probe: &dyn FileProbe,
) -> Vec<LookedFor> {
    let is_ours = matches!(hook.dialect, Dialect::Hookloop | Dialect::GeminiCli);
    if hook.refusing() != Refusing::Always || hook.asynchronous || !is_ours {
        return Vec::new();
    }
    let settings = Settings::default();
    let linter = Linter {
        settings: &settings,
        place,
        probe,
    };
    let Some(text) = text_of(hook, place.root).filter(|_| hook.broken.is_none()) else {
        return Vec::new();
    };
    let variables = Variables::of(hook, place, probe);
    let understood = linter.understand(&text, &variables);
    let looked = Programs {
        hook,
        text: &text,
        understood: &understood,
        place,
        probe,
        variables: &variables,
    }
    .look();
    let scripts = read::scripts(&linter, hook, looked.scripts.iter());
    if scripts.is_empty() {
        return in_text(&text, "the command");
    }
    // With several scripts, the decision isn't one's alone.
    match scripts.as_slice() {
        [script] => in_script(script),
        _ => Vec::new(),
    }
}

fn in_script(script: &Script) -> Vec<LookedFor> {
    let mut found = in_text(&script.text, &script.display_path());
    for one in &mut found {
        one.place = format!("{}:{}", one.place, one.sought.line);
    }
    found
}

fn in_text(text: &str, place: &str) -> Vec<LookedFor> {
    let keys: Vec<_> = KEYS.into_iter().filter(|it| text.contains(it)).collect();
    let tools: Vec<_> = TOOLS.into_iter().filter(|it| names(text, it)).collect();
    let found = find(text).into_iter().map(|sought| LookedFor {
        place: place.to_owned(),
        sought,
        tools: tools.clone(),
        keys: keys.clone(),
    });
    found.collect()
}

/// Returns whether a program names a tool, and doesn't call a function of that name.
fn names(text: &str, tool: &str) -> bool {
    text.match_indices(tool).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + tool.len()..].chars().next();
        let is_apart = |it: Option<char>| it.is_none_or(|it| !it.is_alphanumeric() && it != '_');
        is_apart(before) && is_apart(behind) && before != Some('.') && behind != Some('(')
    })
}

/// Returns what a program looks for.
fn find(text: &str) -> Vec<Sought> {
    let lines = code_lines(text);
    let code = lines.join("\n");
    let counted = [".length)", ".length > 0", ".length === 0"];
    let asked = counted
        .iter()
        .fold(code.clone(), |it, one| it.replace(one, ""));
    let is_of_more = OTHERS.iter().any(|it| asked.contains(it));
    let is_of_more = is_of_more || runs::asks_a_program(&lines);
    if is_of_more || reads_variables(&lines) || opens_files(&code) || !refuses(&code) {
        return Vec::new();
    }
    let named = texts::compared_texts(&lines);
    let others = |at: usize| named.iter().enumerate().filter(move |it| it.0 != at);
    let decides = |at: usize| {
        apart::is_plain(&lines, &named[at])
            && other_conditions::is_alone(&lines, &named[at])
            && others(at).all(|(_, other)| apart::is_apart(&lines, &named[at], other))
    };
    let found = (0..named.len()).filter(|at| decides(*at)).flat_map(|at| {
        let one = &named[at];
        let extent = extent::of(&lines, one);
        let telling = one.alternatives.iter().filter(|it| fits::tells(it));
        telling.map(move |parts| Sought {
            line: one.line + 1,
            parts: parts.clone(),
            extent,
        })
    });
    found.collect()
}

/// Returns whether a part of a program says that something is refused.
fn refuses(code: &str) -> bool {
    let code = code.to_ascii_lowercase();
    REFUSALS.iter().any(|it| code.contains(it))
}

/// Returns the lines of a program; of those that are a comment, or are in a text of several lines,
/// nothing.
fn code_lines(text: &str) -> Vec<&str> {
    let mut open: Option<&str> = None;
    let lines = text.lines().map(|line| {
        let quotes = ["\"\"\"", "'''"];
        let opening = open.or_else(|| quotes.into_iter().find(|it| line.contains(it)));
        let Some(quote) = opening else {
            return without_comment(line);
        };
        let is_turned = line.matches(quote).count() % 2 == 1;
        if is_turned {
            open = if open.is_some() { None } else { opening };
        }
        ""
    });
    lines.collect()
}

fn without_comment(line: &str) -> &str {
    let plain = line.trim_start();
    let is_comment = ["#", "//", "* ", "/*"]
        .iter()
        .any(|it| plain.starts_with(it));
    if is_comment {
        return "";
    }
    // Within quotes it isn't one.
    let is_outside = |at: &usize| {
        ['"', '\'']
            .iter()
            .all(|it| line[..*at].matches(*it).count() % 2 == 0)
    };
    let behind = [" # ", " // "].iter().filter_map(|it| line.find(it));
    let end = behind.filter(is_outside).min();
    &line[..end.unwrap_or(line.len())]
}

/// Returns whether a program decides by a variable of a shell that it doesn't set.
fn reads_variables(lines: &[&str]) -> bool {
    let is_set = |name: &str| {
        let heads = ["read -r ", "local ", "readonly ", "declare "];
        lines.iter().any(|line| {
            line.trim_start().starts_with(&format!("{name}="))
                || heads.iter().any(|it| line.contains(&format!("{it}{name}")))
        })
    };
    let known = ["BASH_REMATCH", "PIPESTATUS", "BASH_SOURCE", "IFS"];
    let is_strange = |name: &str| {
        let is_large = name.len() > 1 && name.starts_with(|it: char| it.is_ascii_uppercase());
        is_large && !name.starts_with("GEMINI") && !known.contains(&name) && !is_set(name)
    };
    lines.iter().any(|line| {
        line.match_indices('$').any(|(at, _)| {
            let rest = line[at + 1..].trim_start_matches('{');
            let end = rest
                .find(|it: char| !it.is_ascii_alphanumeric() && it != '_')
                .unwrap_or(rest.len());
            is_strange(&rest[..end])
        })
    })
}

/// Returns whether a program opens another file than its input.
fn opens_files(code: &str) -> bool {
    let opens = |word: &str| {
        code.match_indices(word).any(|(at, word)| {
            let rest = code[at + word.len()..].trim_start_matches(['"', '\'', ' ']);
            let is_input = ["0", "/dev/stdin", "process.stdin"]
                .iter()
                .any(|it| rest.starts_with(it));
            !is_input
        })
    };
    let reads = ["< \"$", "<\"$", " -f ", " -qf "];
    ["open(", "readFileSync(", "readFile("]
        .iter()
        .any(|it| opens(it))
        || reads.iter().any(|it| code.contains(it))
}

#[cfg(test)]
mod tests;
