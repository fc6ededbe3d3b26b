//! Syntax highlighting for code (TU-5): comments, strings, numbers, keywords, and names of
//! functions.
//!
//! This is a line scanner, not a parser: it must keep up with every frame while code streams in,
//! can't fail, and never changes a character of the code.

use crate::diff::diff_line;
use crate::styled::{Line, Span, Style, Tone};

/// What has to be known about a language to colour it.
struct Language {
    /// Its names after the fence of a code block.
    names: &'static [&'static str],
    keywords: &'static [&'static str],
    line_comments: &'static [&'static str],
    block_comment: Option<(&'static str, &'static str)>,
    /// The delimiters of strings in one line.
    quotes: &'static [char],
    /// The delimiters of strings that may span several lines.
    long_quotes: &'static [&'static str],
}

/// A comment or string that a line leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Open {
    end: &'static str,
    tone: Tone,
}

const SLASHES: &[&str] = &["//"];
const STARS: Option<(&str, &str)> = Some(("/*", "*/"));
const BOTH: &[char] = &['"', '\''];

macro_rules! words {
    ($($word:literal)*) => { &[$($word),*] };
}

const LANGUAGES: &[Language] = &[
    Language {
        names: &["rust", "rs"],
        keywords: words!("as" "async" "await" "break" "const" "continue" "crate" "dyn" "else" "enum"
            "extern" "false" "fn" "for" "if" "impl" "in" "let" "loop" "match" "mod" "move" "mut" "pub"
            "ref" "return" "self" "Self" "static" "struct" "super" "trait" "true" "type" "unsafe"
            "use" "where" "while"),
        line_comments: SLASHES,
        block_comment: STARS,
        quotes: &['"'],
        long_quotes: &[],
    },
    Language {
        names: &["python", "py", "python3"],
        keywords: words!("False" "None" "True" "and" "as" "assert" "async" "await" "break" "case"
            "class" "continue" "def" "del" "elif" "else" "except" "finally" "for" "from" "global" "if"
            "import" "in" "is" "lambda" "match" "nonlocal" "not" "or" "pass" "raise" "return" "try"
            "while" "with" "yield"),
        line_comments: &["#"],
        block_comment: None,
        quotes: BOTH,
        long_quotes: &["\"\"\"", "'''"],
    },
    Language {
        names: &["javascript", "js", "jsx", "mjs", "typescript", "ts", "tsx"],
        keywords: words!("abstract" "as" "async" "await" "break" "case" "catch" "class" "const"
            "continue" "default" "delete" "do" "else" "enum" "export" "extends" "false" "finally"
            "for" "from" "function" "if" "implements" "import" "in" "instanceof" "interface" "let"
            "new" "null" "of" "private" "public" "readonly" "return" "static" "super" "switch" "this"
            "throw" "true" "try" "type" "typeof" "undefined" "var" "void" "while" "yield"),
        line_comments: SLASHES,
        block_comment: STARS,
        quotes: BOTH,
        long_quotes: &["`"],
    },
    Language {
        names: &["go", "golang"],
        keywords: words!("break" "case" "chan" "const" "continue" "default" "defer" "else"
            "fallthrough" "false" "for" "func" "go" "goto" "if" "import" "interface" "map" "nil"
            "package" "range" "return" "select" "struct" "switch" "true" "type" "var"),
        line_comments: SLASHES,
        block_comment: STARS,
        quotes: BOTH,
        long_quotes: &["`"],
    },
    Language {
        names: &[
            "c", "h", "cpp", "c++", "cc", "hpp", "java", "kotlin", "kt", "swift", "csharp", "cs",
            "c#", "scala", "dart", "php", "zig", "objc",
        ],
        keywords: words!("abstract" "auto" "bool" "boolean" "break" "case" "catch" "char" "class"
            "const" "constexpr" "continue" "default" "defer" "delete" "do" "double" "else" "enum"
            "export" "extends" "extern" "false" "final" "finally" "float" "for" "foreach" "fun" "func"
            "function" "guard" "if" "implements" "import" "in" "int" "interface" "let" "long"
            "namespace" "new" "nil" "null" "nullptr" "object" "operator" "override" "package"
            "private" "protected" "public" "return" "short" "signed" "sizeof" "static" "string"
            "struct" "super" "switch" "template" "this" "throw" "throws" "trait" "true" "try" "type"
            "typedef" "typename" "union" "unsigned" "use" "using" "val" "var" "virtual" "void"
            "volatile" "when" "while"),
        line_comments: SLASHES,
        block_comment: STARS,
        quotes: BOTH,
        long_quotes: &["\"\"\""],
    },
    Language {
        names: &[
            "sh",
            "bash",
            "zsh",
            "shell",
            "console",
            "fish",
            "dockerfile",
            "makefile",
            "make",
        ],
        keywords: words!("case" "do" "done" "elif" "else" "esac" "exit" "export" "fi" "for" "function"
            "if" "in" "local" "return" "set" "source" "then" "until" "while" "FROM" "RUN" "COPY"
            "ENV" "WORKDIR" "CMD" "ENTRYPOINT"),
        line_comments: &["#"],
        block_comment: None,
        quotes: BOTH,
        long_quotes: &[],
    },
    Language {
        names: &["ruby", "rb", "perl", "pl", "elixir", "ex", "r"],
        keywords: words!("and" "begin" "break" "case" "class" "def" "defmodule" "do" "else" "elsif"
            "end" "ensure" "false" "fn" "for" "function" "if" "in" "module" "my" "next" "nil" "not"
            "or" "redo" "require" "rescue" "return" "self" "sub" "super" "then" "true" "unless"
            "until" "use" "when" "while" "yield"),
        line_comments: &["#"],
        block_comment: None,
        quotes: BOTH,
        long_quotes: &[],
    },
    Language {
        names: &["sql", "lua", "haskell", "hs"],
        keywords: words!("and" "as" "by" "case" "create" "data" "delete" "do" "drop" "else" "elseif"
            "end" "false" "for" "from" "function" "group" "having" "if" "import" "in" "insert" "into"
            "is" "join" "let" "limit" "local" "module" "nil" "not" "null" "of" "on" "or" "order"
            "repeat" "return" "select" "set" "table" "then" "true" "type" "union" "update" "values"
            "where" "while" "with"),
        line_comments: &["--"],
        block_comment: STARS,
        quotes: BOTH,
        long_quotes: &[],
    },
    Language {
        names: &["json", "jsonc", "json5", "jsonl"],
        keywords: words!("false" "null" "true"),
        line_comments: SLASHES,
        block_comment: STARS,
        quotes: &['"'],
        long_quotes: &[],
    },
    Language {
        names: &[
            "yaml",
            "yml",
            "toml",
            "ini",
            "properties",
            "env",
            "gitignore",
        ],
        keywords: words!("false" "no" "null" "off" "on" "true" "yes"),
        line_comments: &["#", ";"],
        block_comment: None,
        quotes: BOTH,
        long_quotes: &["\"\"\"", "'''"],
    },
    Language {
        names: &["css", "scss", "less"],
        keywords: &[],
        line_comments: SLASHES,
        block_comment: STARS,
        quotes: BOTH,
        long_quotes: &[],
    },
    Language {
        names: &["html", "xml", "svg", "vue"],
        keywords: &[],
        line_comments: &[],
        block_comment: Some(("<!--", "-->")),
        quotes: &['"'],
        long_quotes: &[],
    },
];

/// Colours code. `label` is what follows the fence; code in a language that nobody knows has
/// one colour.
pub(crate) fn lines(label: &str, code: &str) -> Vec<Line> {
    let name = label
        .split(|it: char| it.is_whitespace() || ",{:".contains(it))
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    if matches!(name.as_str(), "diff" | "patch") {
        return code.lines().map(diff_line).collect();
    }
    let language = LANGUAGES.iter().find(|it| it.names.contains(&&*name));
    let Some(language) = language else {
        return code.lines().map(|it| Line::new(it, Tone::Code)).collect();
    };
    let mut open = None;
    code.lines()
        .map(|line| {
            let mut scanner = Scanner {
                language,
                line,
                at: 0,
                open,
                spans: Vec::new(),
            };
            scanner.run();
            open = scanner.open;
            Line(scanner.spans)
        })
        .collect()
}

struct Scanner<'l> {
    language: &'static Language,
    line: &'l str,
    at: usize,
    open: Option<Open>,
    spans: Vec<Span>,
}

impl Scanner<'_> {
    fn run(&mut self) {
        while let Some(next) = self.line[self.at..].chars().next() {
            let rest = &self.line[self.at..];
            if let Some(open) = self.open {
                self.close(open, 0);
            } else if let Some(open) = self.opening(rest) {
                self.open = Some(open.1);
                self.close(open.1, open.0);
            } else if self.begins_comment(rest) {
                self.take(rest.len(), Tone::Faint);
            } else if self.language.quotes.contains(&next) {
                let length = quoted_length(rest, next);
                self.take(length, Tone::Literal);
            } else if next == '\'' && character(rest) > 0 {
                self.take(character(rest), Tone::Literal);
            } else if next.is_ascii_digit() {
                let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '_');
                self.take(run_of(rest, is_part), Tone::Number);
            } else if is_name(next) {
                self.name(rest);
            } else {
                self.take(next.len_utf8(), Tone::Plain);
            }
        }
    }

    /// Returns what begins here and may continue in the next line, with the length of its
    /// beginning.
    fn opening(&self, rest: &str) -> Option<(usize, Open)> {
        let quotes = self.language.long_quotes.iter();
        let quote = quotes.copied().find(|it| rest.starts_with(it));
        let comment = self.language.block_comment;
        let comment = comment.filter(|(start, _)| rest.starts_with(start));
        match (quote, comment) {
            (Some(end), _) => Some((
                end.len(),
                Open {
                    end,
                    tone: Tone::Literal,
                },
            )),
            (None, Some((start, end))) => Some((
                start.len(),
                Open {
                    end,
                    tone: Tone::Faint,
                },
            )),
            (None, None) => None,
        }
    }

    /// Goes to the end of what is open, or to the end of the line.
    fn close(&mut self, open: Open, beginning: usize) {
        let rest = &self.line[self.at..];
        let length = match rest[beginning..].find(open.end) {
            Some(place) => {
                self.open = None;
                beginning + place + open.end.len()
            }
            None => rest.len(),
        };
        self.take(length, open.tone);
    }

    fn begins_comment(&self, rest: &str) -> bool {
        // A `#` or `;` inside a word, and the `//` of an address, don't start a comment.
        let before = self.line[..self.at].chars().next_back();
        let is_free = |mark: &str| match mark {
            "//" => before != Some(':'),
            _ => before.is_none_or(char::is_whitespace),
        };
        let marks = self.language.line_comments.iter();
        marks
            .into_iter()
            .any(|it| rest.starts_with(it) && is_free(it))
    }

    fn name(&mut self, rest: &str) {
        let length = run_of(rest, |it| is_name(it) || it.is_ascii_digit());
        let name = &rest[..length];
        let is_variable = self.line[..self.at].ends_with('$');
        let is_called = rest[length..].starts_with(['(', '!']);
        let tone = if self.keeps(name) && !is_variable {
            Tone::Keyword
        } else if is_variable || is_called || name.starts_with(|it: char| it.is_ascii_uppercase()) {
            Tone::Named
        } else {
            Tone::Plain
        };
        self.take(length, tone);
    }

    fn keeps(&self, name: &str) -> bool {
        let keywords = self.language.keywords;
        // SQL is written in both cases.
        let is_sql = self.language.line_comments == ["--"];
        keywords.contains(&name) || (is_sql && keywords.contains(&&*name.to_ascii_lowercase()))
    }

    fn take(&mut self, length: usize, tone: Tone) {
        let text = &self.line[self.at..self.at + length];
        self.at += length;
        let style = Style::from(tone);
        match self.spans.last_mut() {
            Some(last) if last.style == style => last.text.push_str(text),
            _ => self.spans.push(Span::new(text, style)),
        }
    }
}

fn is_name(letter: char) -> bool {
    letter == '_' || letter.is_alphabetic()
}

/// Returns how many bytes at the beginning are of one kind.
fn run_of(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    text.find(|it| !is_part(it)).unwrap_or(text.len())
}

/// Returns the length of a quoted string; one without an end extends to the end of the line.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (place, letter) in text.char_indices().skip(1) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            letter if letter == quote => return place + letter.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// Returns the length of a single character in quotes; 0 for a lifetime or an apostrophe.
fn character(text: &str) -> usize {
    let mut letters = text.char_indices().skip(1);
    let is_escape = match letters.next() {
        Some((_, '\\')) => true,
        Some(_) => false,
        None => return 0,
    };
    let mut rest = letters.skip(usize::from(is_escape));
    let end = if is_escape {
        rest.find(|(_, it)| *it == '\'')
    } else {
        rest.next().filter(|(_, it)| *it == '\'')
    };
    end.map_or(0, |(place, _)| place + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tone_of(label: &str, code: &str, text: &str) -> Option<Tone> {
        let lines = lines(label, code);
        let mut spans = lines.iter().flat_map(|line| &line.0);
        spans.find(|span| span.text == text).map(|it| it.style.tone)
    }

    /// TU-5: comments, strings, numbers, keywords and names have their colours, in several
    /// languages.
    #[test]
    fn code_is_coloured() {
        let rust =
            "/* a\n b */ fn run<'a>(it: &'a str) -> Option<u8> { foo(\"x\\\"y\", 'q', 0x1f) } // c";
        for (text, tone) in [
            ("/* a", Tone::Faint),
            (" b */", Tone::Faint),
            ("fn", Tone::Keyword),
            ("Option", Tone::Named),
            ("foo", Tone::Named),
            ("\"x\\\"y\"", Tone::Literal),
            ("'q'", Tone::Literal),
            ("0x1f", Tone::Number),
            ("// c", Tone::Faint),
        ] {
            assert_eq!(tone_of("rust", rust, text), Some(tone), "{text}");
        }
        let python = "def f():\n    \"\"\"doc\n    more\"\"\"\n    return 1 # one";
        assert_eq!(tone_of("python", python, "return"), Some(Tone::Keyword));
        assert_eq!(tone_of("py", python, "    more\"\"\""), Some(Tone::Literal));
        assert_eq!(tone_of("py", python, "# one"), Some(Tone::Faint));
        let shell = "if true; then echo \"$HOME\" a#b; fi # no";
        assert_eq!(tone_of("sh", shell, "fi"), Some(Tone::Keyword));
        assert_eq!(tone_of("sh", shell, "# no"), Some(Tone::Faint));
        assert_eq!(
            tone_of("SQL", "SELECT 1 -- x", "SELECT"),
            Some(Tone::Keyword)
        );
        assert_eq!(tone_of("diff", "+new\n-old", "-old"), Some(Tone::Removed));
        assert_eq!(tone_of("klingon", "qapla'", "qapla'"), Some(Tone::Code));
    }

    proptest! {
        /// TU-5: colouring changes no character.
        #[test]
        fn colours_change_no_text(
            language in prop::sample::select(LANGUAGES.iter().flat_map(|it| it.names).copied().collect::<Vec<_>>()),
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "fn", "x", "\"", "'", "\\", "/*", "*/", "//", "#", "--", "`", "\"\"\"", "日本",
                    "🦀", "e\u{301}", " ", "\n", "0x1f", "<!--", "-->", "$HOME", "(", "ü",
                ]),
                0..30,
            ),
        ) {
            let text = pieces.concat();
            let coloured: Vec<String> = lines(language, &text).iter().map(Line::text).collect();
            let expected: Vec<&str> = text.lines().collect();
            prop_assert_eq!(coloured, expected);
        }
    }
}
