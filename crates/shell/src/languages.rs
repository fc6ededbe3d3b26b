//! Which program interprets which language, and how to recognise a script's language.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A language that program text is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Language {
    /// Read by a shell.
    Shell,
    /// Read by `python`.
    Python,
    /// Read by `node` and similar programs, including TypeScript.
    JavaScript,
    /// Read by `perl`.
    Perl,
    /// Read by `ruby`.
    Ruby,
    /// Read by `php`.
    Php,
    /// Read by `lua`.
    Lua,
    /// Read by `tclsh`.
    Tcl,
    /// Read by `awk`.
    Awk,
    /// Read by `Rscript`.
    R,
    /// Read by `julia`.
    Julia,
    /// Read by `osascript`.
    AppleScript,
}

/// The interpreters of each language, the usual one first, and the endings of its files.
const LANGUAGES: [(Language, &[&str], &[&str]); 11] = [
    (Language::Python, &["python3", "python", "pypy"], &["py"]),
    (
        Language::JavaScript,
        &[
            "node",
            "nodejs",
            "bun",
            "deno",
            "tsx",
            "ts-node",
            "zx",
            "jiti",
            "vite-node",
        ],
        &["js", "mjs", "cjs", "ts", "mts", "cts"],
    ),
    (Language::Perl, &["perl"], &["pl", "pm"]),
    (Language::Ruby, &["ruby"], &["rb"]),
    (Language::Php, &["php"], &["php"]),
    (Language::Lua, &["lua", "luajit"], &["lua"]),
    (
        Language::Tcl,
        &["tclsh", "wish", "jimsh", "itclsh"],
        &["tcl"],
    ),
    (
        Language::Awk,
        &["awk", "gawk", "mawk", "nawk"],
        &["awk", "gawk"],
    ),
    (Language::R, &["Rscript"], &["R"]),
    (Language::Julia, &["julia"], &["jl"]),
    (Language::AppleScript, &["osascript"], &["applescript"]),
];

/// Languages by the names of their interpreters, without versions.
static BY_PROGRAM: LazyLock<HashMap<&str, Language>> = LazyLock::new(|| {
    let each = |(language, programs, _): &(Language, &[&'static str], &[&str])| {
        let (language, programs) = (*language, programs.iter());
        programs
            .map(move |it| (without_version(it), language))
            .collect::<Vec<_>>()
    };
    LANGUAGES.iter().flat_map(each).collect()
});

/// Extensions of scripts that a shell reads.
const SHELL_EXTENSIONS: [&str; 4] = ["sh", "bash", "zsh", "ksh"];

impl Language {
    /// Returns the language that a program reads: `python3.11`, `node`, `bash`.
    ///
    /// ```
    /// use hookloop_shell::Language;
    ///
    /// assert_eq!(Language::from_program("python3.11"), Some(Language::Python));
    /// assert_eq!(Language::from_program("make"), None);
    /// ```
    #[must_use]
    pub fn from_program(program: &str) -> Option<Self> {
        if is_shell(program) {
            return Some(Self::Shell);
        }
        BY_PROGRAM.get(without_version(program)).copied()
    }

    /// Returns the language of a file by its extension, which follows the last dot of its name.
    #[must_use]
    pub fn from_extension(ending: &str) -> Option<Self> {
        if SHELL_EXTENSIONS.contains(&ending) {
            return Some(Self::Shell);
        }
        let mut known = LANGUAGES.iter();
        known
            .find(|(.., endings)| endings.contains(&ending))
            .map(|(language, ..)| *language)
    }

    /// Returns the language of a script by its first line, or `None` if that line names no known
    /// interpreter.
    ///
    /// ```
    /// use hookloop_shell::Language;
    ///
    /// let script = "#!/usr/bin/env -S python3 -I\nprint(1)\n";
    /// assert_eq!(Language::from_script(script), Some(Language::Python));
    /// ```
    #[must_use]
    pub fn from_script(text: &str) -> Option<Self> {
        shebang_programs(text)?.find_map(Self::from_program)
    }

    /// Returns the program that usually interprets this language.
    #[must_use]
    pub fn usual_program(self) -> &'static str {
        let mut known = LANGUAGES.iter();
        known
            .find(|(language, ..)| *language == self)
            .and_then(|(_, programs, _)| programs.first())
            .copied()
            .unwrap_or("sh")
    }
}

/// Returns whether a program interprets shell text as `sh` does. fish and csh don't.
///
/// ```
/// assert!(hookloop_shell::is_posix_shell("dash"));
/// assert!(!hookloop_shell::is_posix_shell("fish"));
/// ```
#[must_use]
pub fn is_posix_shell(program: &str) -> bool {
    is_shell(program) && !["fish", "csh", "tcsh"].contains(&program.trim_end_matches(".exe"))
}

/// Returns whether a program runs shell text.
pub fn is_shell(program: &str) -> bool {
    let program = program.strip_suffix(".exe").unwrap_or(program);
    // `bash-5.2`
    let version = |it: &str| it.starts_with(|it: char| it.is_ascii_digit());
    let program = match program.rsplit_once('-') {
        Some((name, rest)) if version(rest) => name,
        _ => program,
    };
    // A pattern and not a list that is searched: this is asked of every word of every command.
    matches!(
        program,
        "bash"
            | "sh"
            | "dash"
            | "zsh"
            | "ksh"
            | "ash"
            | "fish"
            | "mksh"
            | "rbash"
            | "yash"
            | "csh"
            | "tcsh"
            | "bash5"
            | "ksh93"
            | "oksh"
            | "loksh"
            | "lksh"
            | "posh"
            | "rksh"
            | "rzsh"
            | "osh"
            | "ysh"
            | "pdksh"
            | "hush"
            | "bash-static"
            | "zsh-static"
            | "ksh2020"
            | "zsh5"
    )
}

/// Returns the names of the programs in a script's first line, without their folders: `env`,
/// `python3`; none if it names none.
fn shebang_programs(text: &str) -> Option<impl Iterator<Item = &str>> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let words = line.split_whitespace();
    // `env -Spython3`
    let words = words.map(|it| it.strip_prefix("-S").unwrap_or(it));
    Some(words.map(|it| it.rsplit('/').next().unwrap_or(it)))
}

/// Returns the name of a program without the version after it, `3.11` or `3.11-dbg`.
fn without_version(program: &str) -> &str {
    let name = program.strip_suffix(".exe").unwrap_or(program);
    let name = name.strip_suffix("-dbg").unwrap_or(name);
    name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.')
}

#[cfg(test)]
mod tests {
    use super::Language;

    /// HT-30: a program is recognised by its name in any version, and a program with a similar name
    /// isn't.
    #[test]
    fn programs_are_known_in_any_version() {
        for (program, language) in [
            ("python", Some(Language::Python)),
            ("python3.12", Some(Language::Python)),
            ("pypy3", Some(Language::Python)),
            ("python.exe", Some(Language::Python)),
            ("python3-config", None),
            ("tclsh8.6", Some(Language::Tcl)),
            ("nodemon", None),
            ("bash", Some(Language::Shell)),
            ("gawk", Some(Language::Awk)),
            ("", None),
        ] {
            assert_eq!(Language::from_program(program), language, "{program}");
        }
    }

    /// HT-30: a script's first line names its interpreter, even after `env` and its options.
    #[test]
    fn scripts_are_known_by_their_first_line() {
        for (text, language) in [
            ("#!/bin/sh\n", Some(Language::Shell)),
            ("#! /usr/bin/env python3", Some(Language::Python)),
            (
                "#!/usr/bin/env -S node --no-warnings\n",
                Some(Language::JavaScript),
            ),
            ("#!/usr/bin/env -Sperl -w\n", Some(Language::Perl)),
            ("#!/opt/python/bin/awk -f\n", Some(Language::Awk)),
            ("#!/usr/bin/python3-dbg\n", Some(Language::Python)),
            ("python3\n", None),
            ("#!\npython3\n", None),
            ("", None),
        ] {
            assert_eq!(Language::from_script(text), language, "{text}");
        }
    }

    /// HT-30: what usually reads a language is a program of that language.
    #[test]
    fn the_usual_program_reads_its_language() {
        for ending in [
            "py", "js", "pl", "rb", "php", "lua", "tcl", "awk", "R", "jl", "sh",
        ] {
            let language = Language::from_extension(ending).expect("a known ending");
            let program = language.usual_program();
            assert_eq!(Language::from_program(program), Some(language), "{ending}");
        }
        assert_eq!(Language::from_extension(""), None);
    }
}
