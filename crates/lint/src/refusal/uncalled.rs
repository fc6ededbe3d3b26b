//! Guards whose refusal is in a function that nothing calls (CM-3, IO-2).

use std::collections::HashMap;

use super::exits_with_two;

/// The languages in which functions are distinguished from what runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// What a shell reads.
    Shell,
    Python,
    JavaScript,
}

impl Language {
    /// Returns the language of a script, by its first line, else by its ending.
    pub(crate) fn of(name: &str, script: &str) -> Option<Self> {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let by_ending = || Self::from_language(hookloop_shell::Language::from_extension(ending));
        let Some(line) = script.lines().next().and_then(|it| it.strip_prefix("#!")) else {
            return by_ending();
        };
        match hookloop_shell::Language::from_script(script) {
            // Shells that aren't compatible with `sh`, like fish, don't count.
            Some(hookloop_shell::Language::Shell) => is_read_by_sh(line).then_some(Self::Shell),
            None if line.contains("uv run") => by_ending(),
            named => Self::from_language(named),
        }
    }

    const fn from_language(language: Option<hookloop_shell::Language>) -> Option<Self> {
        match language {
            Some(hookloop_shell::Language::Shell) => Some(Self::Shell),
            Some(hookloop_shell::Language::Python) => Some(Self::Python),
            Some(hookloop_shell::Language::JavaScript) => Some(Self::JavaScript),
            _ => None,
        }
    }

    pub(crate) fn is_comment(self, line: &str) -> bool {
        let line = line.trim_start();
        match self {
            Self::Shell | Self::Python => line.starts_with('#'),
            Self::JavaScript => line.starts_with("//") || line.starts_with('*'),
        }
    }

    /// Returns the name of the function that a line begins to define.
    fn defines(self, line: &str) -> Option<&str> {
        let is_inner = line.starts_with([' ', '\t']);
        match self {
            Self::Shell => {
                let line = line.trim_start();
                let (name, rest) = match line.strip_prefix("function ") {
                    Some(rest) => split_name(rest.trim_start())?,
                    None => split_name(line).filter(|(_, it)| it.trim_start().starts_with("()"))?,
                };
                let rest = rest.trim_start().trim_start_matches("()").trim_start();
                (rest.is_empty() || rest.starts_with('{')).then_some(name)
            }
            Self::Python if !is_inner => {
                let line = line.strip_prefix("async ").unwrap_or(line);
                split_name(line.strip_prefix("def ")?).map(|(name, _)| name)
            }
            Self::JavaScript if !is_inner => {
                let plain = line.strip_prefix("async ").unwrap_or(line);
                if let Some(rest) = plain.strip_prefix("function ") {
                    return split_name(rest).map(|(name, _)| name);
                }
                let rest = line.strip_prefix("const ").or(line.strip_prefix("let "))?;
                let (name, rest) = split_name(rest)?;
                let value = rest.trim_start().strip_prefix('=')?.trim_start();
                let is_function = value.starts_with("function") || value.contains("=>");
                (is_function && value.trim_end().ends_with('{')).then_some(name)
            }
            Self::Python | Self::JavaScript => None,
        }
    }

    /// Returns whether a line after the one that began a function is its last, or the first after
    /// it.
    fn ends(self, line: &str, indentation: usize) -> Option<Edge> {
        let own = line.len() - line.trim_start().len();
        match self {
            Self::Python => {
                let is_within = own > 0 || line.trim().is_empty() || line.starts_with(')');
                (!is_within).then_some(Edge::Behind)
            }
            Self::Shell | Self::JavaScript => {
                let closes = line.trim_start().starts_with('}') && own <= indentation;
                closes.then_some(Edge::Last)
            }
        }
    }
}

/// Returns whether a script's first line names a shell that reads what `sh` reads.
fn is_read_by_sh(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.any(|it| hookloop_shell::is_posix_shell(it.rsplit('/').next().unwrap_or(it)))
}

/// Where a line is that ends a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edge {
    Last,
    Behind,
}

/// A function of a script.
struct Function<'s> {
    name: &'s str,
    lines: Vec<&'s str>,
}

/// What a script is made of.
pub(super) struct Parts<'s> {
    functions: Vec<Function<'s>>,
    /// What runs as the script is read.
    pub(super) outside: Vec<&'s str>,
}

/// Returns whether a shell text reads another file as a part of itself: `. lib.sh`,
/// `source lib.sh`.
pub(super) fn sources(text: &str) -> bool {
    const BEFORE: [&str; 12] = [
        "then", "do", "else", "if", "elif", "while", "until", "!", "builtin", "command", "-c",
        "time",
    ];
    let mut lines = text.lines().filter(|it| !Language::Shell.is_comment(it));
    lines.any(|line| {
        let mut begins = true;
        line.split_whitespace().any(|word| {
            let plain = word.trim_start_matches(['(', '{', '"', '\'']);
            let is_it = (begins || word != plain) && matches!(plain, "." | "source");
            begins = word.ends_with([';', '&', '|', '{', '(', ')']) || BEFORE.contains(&word);
            is_it
        })
    })
}

/// Returns whether a shell text contains something that can't be distinguished from its functions:
/// here documents, and functions whose bodies are subshells.
pub(super) fn has_hidden_parts(text: &str) -> bool {
    let has_document = text
        .match_indices("<<")
        .any(|(at, _)| !text[..at].ends_with('<') && !text[at + 2..].starts_with('<'));
    has_document || text.contains("() (") || text.contains("()(")
}

impl<'s> Parts<'s> {
    /// Returns the lines of a function.
    pub(super) fn body_of(&self, name: &str) -> Option<&[&'s str]> {
        let mut functions = self.functions.iter();
        let function = functions.find(|it| it.name == name)?;
        Some(&function.lines)
    }

    /// Reads what follows the end of a function.
    fn add_outside(&mut self, text: &'s str) {
        let text = text.trim_start_matches([';', ' ', '\t']);
        if !text.is_empty() {
            self.outside.push(text);
        }
    }
}

/// Returns where the body of a function that begins in a line ends, if it ends in the same line.
fn body_end(line: &str) -> Option<usize> {
    let (mut brackets, mut braces, mut quote, mut is_escaped) = (0_u32, 0_u32, None, false);
    for (at, letter) in line.char_indices() {
        match (quote, letter) {
            _ if is_escaped => is_escaped = false,
            (None | Some('"' | '`'), '\\') => is_escaped = true,
            (None, '\'' | '"') => quote = Some(letter),
            (Some(sign), _) if sign == letter => quote = None,
            // Braces among the parameters don't belong to the body.
            (None, '(') if braces == 0 => brackets += 1,
            (None, ')') if braces == 0 => brackets = brackets.saturating_sub(1),
            (None, '{') if brackets == 0 => braces += 1,
            (None, '}') if braces == 1 => return Some(at + 1),
            (None, '}') => braces = braces.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Returns the name of a function with the script's only refusals, which nothing calls.
pub(super) fn find(script: &str, language: Language) -> Option<String> {
    if language == Language::Shell && has_hidden_parts(script) {
        return None;
    }
    let parts = take_apart(script, language);
    let mut live: Vec<&str> = parts.outside.clone();
    let mut called = vec![false; parts.functions.len()];
    // Every line is looked at once, however many functions there are.
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, function) in parts.functions.iter().enumerate() {
        by_name.entry(function.name).or_default().push(index);
    }
    let mut looked_at = 0;
    while let Some(line) = live.get(looked_at).copied() {
        looked_at += 1;
        for index in words_of(line)
            .filter_map(|word| by_name.remove(word))
            .flatten()
        {
            called[index] = true;
            live.extend(&parts.functions[index].lines);
        }
    }
    let live = live.join("\n");
    if exits_with_two(&live) || may_refuse_otherwise(&live, language) {
        return None;
    }
    let functions = parts.functions.iter().zip(&called);
    let mut uncalled = functions.filter(|(_, called)| !**called).map(|(it, _)| it);
    let found = uncalled.find(|it| exits_with_two(&it.lines.join("\n")))?;
    Some(found.name.to_owned())
}

/// Returns whether what runs may refuse in another way, or call functions by names that it
/// computes.
fn may_refuse_otherwise(live: &str, language: Language) -> bool {
    const REPLIES: [&str; 6] = [
        "deny",
        "block",
        "decision",
        "permission",
        "continue\"",
        ".py",
    ];
    const SHELL_CALLERS: [&str; 10] = [
        "eval",
        "source ",
        ". ",
        "exec ",
        "exit $",
        "exit \"$",
        "\"$@\"",
        ".sh",
        "compgen",
        "declare -F",
    ];
    const OTHER_CALLERS: [&str; 14] = [
        "inspect",
        "sys.modules",
        "vars(",
        "dir(",
        "Fire(",
        "getattr",
        "globals()",
        "eval(",
        "exec(",
        "exports",
        "export ",
        "import(",
        "subprocess",
        "child_process",
    ];
    let others: &[&str] = match language {
        Language::Shell => &SHELL_CALLERS,
        Language::Python | Language::JavaScript => &OTHER_CALLERS,
    };
    let calls = |line: &str| {
        const BEFORE: [&str; 10] = [
            "do", "then", "else", "if", "while", "until", "!", "&&", "||", "{",
        ];
        let words = std::iter::once(";").chain(line.split_whitespace());
        let mut pairs = words.clone().zip(words.skip(1));
        pairs.any(|(before, word)| {
            let begins = before.ends_with(';') || BEFORE.contains(&before);
            begins && word.starts_with(['$', '"'])
        })
    };
    let computes = language == Language::Shell && live.lines().any(calls);
    computes || REPLIES.iter().chain(others).any(|it| live.contains(it))
}

/// Separates the functions of a script from what runs as it is read.
pub(super) fn take_apart(script: &str, language: Language) -> Parts<'_> {
    let mut parts = Parts {
        functions: Vec::new(),
        outside: Vec::new(),
    };
    let mut is_decorated = false;
    // How far the function that contains a line is indented.
    let mut within: Option<usize> = None;
    for line in script.lines() {
        if language.is_comment(line) {
            continue;
        }
        if let Some(indentation) = within {
            let edge = language.ends(line, indentation);
            if edge.is_some() {
                within = None;
            }
            if edge != Some(Edge::Behind) {
                let end = line.find('}').filter(|_| edge == Some(Edge::Last));
                let (own, behind) = line.split_at(end.map_or(line.len(), |it| it + 1));
                if let Some(function) = parts.functions.last_mut() {
                    function.lines.push(own);
                }
                parts.add_outside(behind);
                continue;
            }
        }
        match language.defines(line) {
            // Who decorates a function has it called.
            Some(name) if !is_decorated => {
                let end = body_end(line).filter(|_| language != Language::Python);
                let (own, behind) = line.split_at(end.unwrap_or(line.len()));
                let lines = vec![own];
                parts.functions.push(Function { name, lines });
                parts.add_outside(behind);
                let indentation = line.len() - line.trim_start().len();
                within = end.is_none().then_some(indentation);
            }
            _ => parts.outside.push(line),
        }
        is_decorated = line.starts_with('@');
    }
    parts
}

fn split_name(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|it| !is_part(it)).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// Returns the words of a line that may name a function; `$name` in a shell is a variable, and may
/// well contain what is called.
fn words_of(line: &str) -> impl Iterator<Item = &str> {
    line.split(|it| !is_part(it)).filter(|it| !it.is_empty())
}

const fn is_part(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-3: a refusal in a function that nothing calls is found, in the languages of hooks.
    #[test]
    fn a_refusal_that_nothing_calls_is_found() {
        for (language, script, name) in [
            (
                Language::Shell,
                "#!/bin/bash\ndeny() {\n  echo no >&2\n  exit 2\n}\ncat >/dev/null\nexit 0",
                "deny",
            ),
            (
                Language::Shell,
                "deny() { echo no >&2; exit 2; }\ninput=$(cat)\n# deny here\necho \"$input\" >> log",
                "deny",
            ),
            (
                Language::Shell,
                "function refuse\n{\n  exit 2\n}\ncheck() {\n  refuse\n}\ncat > /dev/null",
                "refuse",
            ),
            (
                Language::Python,
                "import sys\n\ndef main():\n    if 1:\n        sys.exit(2)\n",
                "main",
            ),
            (
                Language::Python,
                "import sys\nasync def guard(\n    a,\n):\n    sys.exit(2)\nprint('{}')\n",
                "guard",
            ),
            (
                Language::JavaScript,
                "function main() {\n  process.exit(2);\n}\nconsole.log('{}');",
                "main",
            ),
            (
                Language::JavaScript,
                "const main = async () => {\n  process.exit(2);\n};\n",
                "main",
            ),
        ] {
            assert_eq!(find(script, language).as_deref(), Some(name), "{script}");
        }
    }

    /// TR-10: a script of very many functions, each of which calls the next, is examined quickly.
    #[test]
    fn very_many_functions_are_bearable() {
        const MANY: usize = 20_000;
        let functions = (0..MANY).map(|it| format!("f{it}() {{\n  f{}\n}}\n", it + 1));
        let script: String = functions.collect();
        let last = format!("f{MANY}() {{\n  exit 2\n}}\n");
        let called = format!("{script}{last}f0\n");
        assert_eq!(find(&called, Language::Shell), None);
        let uncalled = format!("{script}{last}f{MANY}x\n");
        let found = find(&uncalled, Language::Shell);
        assert_eq!(found, Some(format!("f{MANY}")));
    }

    /// CM-3: nothing is reported about a function that is called, or may be, or if the script also
    /// refuses elsewhere.
    #[test]
    fn a_refusal_that_may_be_called_is_not_reported() {
        for (language, script) in [
            (Language::Shell, "deny() {\n  exit 2\n}\ngrep x && deny"),
            (Language::Shell, "deny() { exit 2; }\ntrap deny ERR\nfalse"),
            (Language::Shell, "deny() { exit 2; }\nwhich=deny\n$which"),
            (Language::Shell, "deny_it() { exit 2; }\n\"deny_$1\""),
            (Language::Shell, "deny() { exit 2; }\nsource lib.sh"),
            (Language::Shell, "deny() { echo \"}\"; exit 2; }; deny"),
            (
                Language::Shell,
                "deny() { exit 2; }; grep -q x && deny; true",
            ),
            (Language::Shell, "deny() {\n  exit 2\n}; deny"),
            (Language::Shell, "deny() {\n  exit 2\n} && deny"),
            (Language::Shell, "deny() (\n  exit 2\n)\ndeny"),
            (Language::Shell, "cat <<E\ndeny() {\n  exit 2\n}\nE\ntrue"),
            (
                Language::JavaScript,
                "function deny({a}) { process.exit(2); } deny({});",
            ),
            (Language::Shell, "deny() { exit 2; }\nexit 2"),
            (
                Language::Shell,
                "deny() { exit 2; }\necho '{\"decision\":\"deny\"}'",
            ),
            (
                Language::Shell,
                "deny() {\n  exit 2\n}\ncheck() {\n  deny\n}\nmain() {\n  check\n}\nmain \"$@\"",
            ),
            (
                Language::Shell,
                "if true; then\n  exit 2\nfi\nlog() {\n  echo x\n}",
            ),
            (
                Language::Python,
                "import sys\ndef main():\n    sys.exit(2)\n\nif __name__ == \"__main__\":\n    main()\n",
            ),
            (
                Language::Python,
                "@app.command()\ndef main():\n    sys.exit(2)\napp()\n",
            ),
            (
                Language::Python,
                "class Guard:\n    def run(self):\n        sys.exit(2)\nGuard().run()\n",
            ),
            (
                Language::Python,
                "def main():\n    return 2\nsys.exit(main())\n",
            ),
            (
                Language::JavaScript,
                "function deny() {\n  process.exit(2);\n}\nprocess.stdin.on('end', () => {\n  deny();\n});",
            ),
            (
                Language::JavaScript,
                "const deny = () => {\n  process.exit(2);\n};\nmodule.exports = { deny };",
            ),
        ] {
            assert_eq!(find(script, language), None, "{script}");
        }
    }
}
