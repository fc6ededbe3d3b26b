//! Parts of program text that are only words: in a regular expression, or in a text that is
//! printed.

use std::sync::LazyLock;

use regex::{Captures, Regex};

type Compiled = LazyLock<Option<Regex>>;

/// What may run a text.
static RUNS: Compiled = LazyLock::new(|| {
    Regex::new(
        r#"(?x)\b(?:exec\w*|eval|system\w*|popen\w*|spawn\w*|subprocess|getattr|__import__|import_module|require
            |Function|send|public_send|__send__|method|call|apply|compile|globals|qx|open\w*|instance_eval|setTimeout|run\w*)\b
            |\bimport\s*\(|\bdo\s*["']|`"#,
    )
    .ok()
});

/// A text in quotes, with the bracket before it that makes it the name of a member.
static QUOTED: Compiled = LazyLock::new(|| {
    Regex::new(r#"([\w)\]]\[\s*)?(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)')"#).ok()
});

/// A regular expression as a value, where nothing is divided.
static EXPRESSION: Compiled = LazyLock::new(|| {
    Regex::new(
        r#"(?m)(^\s*|\bm|[=!]?~\s*|\b(?:if|unless|and|or|not|grep|when)\s+|[({;!]\s*|&&\s*|\|\|\s*)/(?:[^/\\\n;"']|\\.)*/[a-z]*"#,
    )
    .ok()
});

/// A replacement: the new text isn't code, unless there is the flag `e`.
static REPLACEMENT: Compiled = LazyLock::new(|| {
    Regex::new(r#"(^|[\s;({])(?:s|tr|y)/(?:[^/\\\n;"']|\\.)*/(?:[^/\\\n;"']|\\.)*/([a-z]*)"#).ok()
});

/// A text in quotes that a program only prints.
static PRINTED: Compiled = LazyLock::new(|| {
    Regex::new(
        r#"(?m)\b(?:console\.(?:log|info|warn|error)|print|puts|say|echo)\s*\(?\s*(?:"[^"\\\n#@$`]*"|'[^'\\\n]*')\s*(?:\)|;|$)"#,
    )
    .ok()
});

/// Removes from a program text what only mentions what `names` finds.
pub(super) fn without_mentions(
    code: &str,
    program: &str,
    names: impl Fn(&str) -> bool,
) -> Option<String> {
    let mut text = code.to_owned();
    let has_expressions = ["perl", "ruby", "awk", "gawk", "mawk"]
        .iter()
        .any(|it| program.starts_with(it));
    // Code in a regular expression runs.
    if has_expressions
        && !["(?{", "(??{", "@{", "#{"]
            .iter()
            .any(|it| code.contains(it))
    {
        let replaced = REPLACEMENT
            .as_ref()?
            .replace_all(&text, |found: &Captures<'_>| {
                if found[2].contains('e') {
                    found[0].to_owned()
                } else {
                    format!("{}1", &found[1])
                }
            })
            .into_owned();
        text = EXPRESSION
            .as_ref()?
            .replace_all(&replaced, "${1}1")
            .into_owned();
    }
    // In other languages the name of a function stands for it.
    let by_value = ["python", "pypy", "node", "bun", "deno", "ruby", "perl"];
    if !by_value.iter().any(|it| program.starts_with(it)) || RUNS.as_ref()?.is_match(&text) {
        return Some(text);
    }
    let quiet = QUOTED.as_ref()?.replace_all(&text, |found: &Captures<'_>| {
        let inner = found.get(2).or_else(|| found.get(3));
        let inner = inner.map_or("", |it| it.as_str());
        let is_code =
            found.get(1).is_some() || [";", "#{", "@{", "${"].iter().any(|it| inner.contains(it));
        if is_code || !names(inner) {
            found[0].to_owned()
        } else {
            "''".to_owned()
        }
    });
    Some(quiet.into_owned())
}

/// Removes from a program text what it only prints.
pub(super) fn without_printed(code: &str) -> String {
    match PRINTED.as_ref() {
        Some(printed) => printed.replace_all(code, " ").into_owned(),
        None => code.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{without_mentions, without_printed};

    fn names(text: &str) -> bool {
        text.contains("unlink")
    }

    /// HT-40: a word in a regular expression or a printed text isn't a call.
    #[test]
    fn mentions_are_no_calls() {
        for (program, code) in [
            ("perl", "print if /unlink/"),
            ("perl", "s/unlink/x/g"),
            ("ruby", "puts 1 if /unlink/"),
            ("python3", "s='os.unlink'; print(s)"),
            ("python3", "words = ['os.unlink']"),
            ("awk", "/unlink/ {print FILENAME}"),
            ("node", "console.log('fs.unlink')"),
        ] {
            let text = without_mentions(code, program, names).unwrap();
            assert!(!names(&text), "{code}: {text}");
        }
    }

    /// HT-40: a text that something may run is kept.
    #[test]
    fn texts_that_may_run_stay() {
        for (program, code) in [
            ("perl", "s/x/unlink 'a'/e"),
            ("perl", "unlink 'a' / 2; '/'"),
            ("php", "array_map('unlink', $all);"),
            ("node", "fs['unlinkSync']('a')"),
            ("python3", "exec('os.unlink(1)')"),
            ("ruby", "File.send('unlink', 'a')"),
            ("ruby", "puts \"#{File.unlink 1}\""),
        ] {
            let text = without_mentions(code, program, names).unwrap();
            assert!(names(&text), "{code}: {text}");
        }
    }

    /// HT-40: only what is merely printed is removed.
    #[test]
    fn printed_texts_are_taken_out() {
        assert!(!without_printed("console.log('cat .env')").contains(".env"));
        assert!(without_printed("print(open('.env').read())").contains(".env"));
        assert!(without_printed("puts \"#{x} .env\"").contains(".env"));
        assert!(without_printed("print('.env' + x)").contains(".env"));
    }
}
