//! Which words of an interpreter's command name its script: `guard.py` in
//! `python3 -W error guard.py x`.

use crate::interpreters::text_options;
use crate::languages::Language;
use crate::understood::Word;

/// Python modules that run the script in their arguments.
const SCRIPT_RUNNERS: [&str; 10] = [
    "cProfile",
    "profile",
    "trace",
    "pdb",
    "coverage",
    "runpy",
    "doctest",
    "kernprof",
    "debugpy",
    "viztracer",
];

/// What an option of an interpreter says about the words behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OptionKind {
    /// Nothing.
    Flag,
    /// The next word is its value.
    Value,
    /// Program text follows: the words behind it are the text's.
    Code,
    /// The name of a module of Python follows; where it is in the next word, nothing is attached.
    Module { is_attached: bool },
    /// Nobody knows whether the next word is its value.
    Unknown,
}

/// The options with one letter of the interpreters of a language, which may stand together in one
/// word.
struct Letters {
    /// Those without a value.
    flags: &'static str,
    /// Those with a value, attached or in the next word.
    valued: &'static str,
    /// Those whose value is attached to them, if they have one.
    attached: &'static str,
    /// Those to which digits may be attached, behind which other letters go on: `perl -0777ne`.
    numbered: &'static str,
    /// Those behind which program text stands.
    code: &'static str,
}

const PYTHON: Letters = Letters {
    flags: "bBdEhiIOPqRsStuvVx?",
    valued: "WX",
    attached: "",
    numbered: "",
    code: "c",
};

const SHELL: Letters = Letters {
    flags: "abefhiklmnprtuvxyBCDEFGHILNPRSTUVX",
    valued: "oO",
    attached: "",
    numbered: "",
    // With `-s`, all words are the arguments of what it reads.
    code: "cs",
};

const PERL: Letters = Letters {
    flags: "acfgnpsStTuUvwWX",
    valued: "I",
    attached: "CdDFhimMVx",
    numbered: "0l",
    code: "eE",
};

const RUBY: Letters = Letters {
    flags: "achlnpsSUvwy",
    valued: "CEIXr",
    attached: "FiKx",
    numbered: "0TW",
    code: "e",
};

const JAVASCRIPT: Letters = Letters {
    flags: "chiv",
    valued: "Cr",
    attached: "",
    numbered: "",
    code: "ep",
};

const PHP: Letters = Letters {
    flags: "aCeHhilmnqsvw",
    valued: "cdFfgSTtz",
    attached: "",
    numbered: "",
    code: "BERr",
};

const LUA: Letters = Letters {
    flags: "EivW",
    valued: "l",
    attached: "bjO",
    numbered: "",
    code: "e",
};

/// Long options with a value in the next word.
const LONG_VALUED: [&str; 12] = [
    "--check-hash-based-pycs",
    "--rcfile",
    "--init-file",
    "--require",
    "--import",
    "--loader",
    "--experimental-loader",
    "--conditions",
    "--env-file",
    "--input-type",
    "--title",
    "--encoding",
];

/// Long options behind which program text stands.
const LONG_CODE: [&str; 4] = ["--eval", "--print", "--command", "--run"];

/// How long options without a value begin.
const LONG_FLAGS: [&str; 16] = [
    "--no-",
    "--experimental-",
    "--harmony",
    "--trace-",
    "--inspect",
    "--enable-",
    "--disable-",
    "--expose-",
    "--preserve-",
    "--watch",
    "--norc",
    "--posix",
    "--login",
    "--restricted",
    "--verbose",
    "--yjit",
];

impl Letters {
    fn of(program: &str) -> Option<&'static Self> {
        match Language::from_program(program)? {
            Language::Python => Some(&PYTHON),
            Language::Shell => Some(&SHELL),
            Language::Perl => Some(&PERL),
            Language::Ruby => Some(&RUBY),
            Language::JavaScript => Some(&JAVASCRIPT),
            Language::Php => Some(&PHP),
            Language::Lua => Some(&LUA),
            _ => None,
        }
    }

    /// Returns what a word of such options says, by the first letter that says anything.
    fn kind(&self, word: &str, is_python: bool) -> OptionKind {
        self.read(word, is_python).0
    }

    /// Returns the same, with where in the word program text would begin.
    fn read(&self, word: &str, is_python: bool) -> (OptionKind, usize) {
        let mut kind = OptionKind::Flag;
        let mut may_be_digit = false;
        for (at, letter) in word.char_indices().skip(1) {
            if may_be_digit && letter.is_ascii_digit() {
                continue;
            }
            may_be_digit = self.numbered.contains(letter);
            if may_be_digit {
                continue;
            }
            let behind = at + letter.len_utf8();
            let is_attached = behind < word.len();
            if is_python && letter == 'm' {
                return (OptionKind::Module { is_attached }, behind);
            }
            if self.code.contains(letter) {
                return (OptionKind::Code, behind);
            }
            if self.attached.contains(letter) {
                return (kind, behind);
            }
            if self.valued.contains(letter) {
                // `bash -eo pipefail x`, `sh -oe errexit`: letters of a shell go on behind it.
                if is_attached && !std::ptr::eq(self, &SHELL) {
                    return (OptionKind::Flag, behind);
                }
                kind = OptionKind::Value;
            } else if !self.flags.contains(letter) {
                return (OptionKind::Unknown, behind);
            }
        }
        (kind, word.len())
    }
}

fn is_python(program: &str) -> bool {
    Language::from_program(program) == Some(Language::Python)
}

/// Returns whether a word is an option to a program: `+o` is one to a shell.
fn is_option(program: &str, word: &str) -> bool {
    let is_of_shell = || Language::from_program(program) == Some(Language::Shell);
    word.len() > 1 && (word.starts_with('-') || word.starts_with('+') && is_of_shell())
}

fn kind(program: &str, word: &str) -> OptionKind {
    if word.starts_with("--") {
        return match word {
            _ if word.contains('=') => OptionKind::Flag,
            _ if LONG_CODE.contains(&word) => OptionKind::Code,
            _ if LONG_VALUED.contains(&word) => OptionKind::Value,
            _ if LONG_FLAGS.iter().any(|it| word.starts_with(it)) => OptionKind::Flag,
            _ => OptionKind::Unknown,
        };
    }
    if let Some(letters) = Letters::of(program) {
        return letters.kind(word, is_python(program));
    }
    let is_text = text_options(program).is_some_and(|it| it.contains(&word));
    if is_text {
        OptionKind::Code
    } else {
        OptionKind::Unknown
    }
}

/// Where program text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextPlace<'w> {
    /// In the same word: `perl -we'TEXT'`.
    Attached(&'w str),
    /// In the next word: `perl -wnE TEXT`.
    NextWord,
}

/// Returns where the program text is that options with one letter announce; nothing for shells.
pub(crate) fn text_place<'w>(program: &str, word: &'w str) -> Option<TextPlace<'w>> {
    if !is_option(program, word) || word.starts_with("--") {
        return None;
    }
    let letters = Letters::of(program).filter(|it| !std::ptr::eq(*it, &SHELL))?;
    match letters.read(word, is_python(program)) {
        (OptionKind::Code, behind) => match &word[behind..] {
            "" => Some(TextPlace::NextWord),
            text => Some(TextPlace::Attached(text)),
        },
        _ => None,
    }
}

/// Returns whether a word is an option that has Perl or Ruby change its files in place: `-pi`,
/// `-i.bak`; a module isn't one, whatever letters it has (`-MList::Util`).
pub(crate) fn changes_in_place(program: &str, word: &str) -> bool {
    if !is_option(program, word) || word.starts_with("--") {
        return false;
    }
    let letters = Letters::of(program).filter(|it| it.attached.contains('i'));
    // The first letter behind which something may be attached, as `i` is, ends what is read.
    letters.is_some_and(|it| {
        let (_, behind) = it.read(word, is_python(program));
        word[..behind].ends_with('i')
    })
}

/// Returns the module that Python runs (`-m x`, `-Im x`), and its arguments.
pub(crate) fn module_of<'w>(program: &str, words: &'w [Word]) -> Option<(&'w str, &'w [Word])> {
    if !is_python(program) {
        return None;
    }
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|it| is_option(program, &it.text)) {
        match kind(program, &word.text) {
            OptionKind::Module { is_attached: true } => {
                let (_, module) = word.text.split_once('m')?;
                return Some((module, &words[at + 1..]));
            }
            OptionKind::Module { .. } => {
                let module = words.get(at + 1)?;
                return Some((module.text.as_str(), &words[at + 2..]));
            }
            OptionKind::Code => return None,
            OptionKind::Value => at += 2,
            OptionKind::Flag | OptionKind::Unknown => at += 1,
        }
    }
    None
}

/// Returns whether a Python module runs the script in its arguments.
///
/// ```
/// use hookloop_shell::runs_script;
///
/// assert!(runs_script("cProfile"));
/// assert!(!runs_script("json.tool"));
/// ```
#[must_use]
pub fn runs_script(module: &str) -> bool {
    SCRIPT_RUNNERS.contains(&module)
}

/// Returns the words that may be the script of an interpreter: one, or none, if all its options are
/// known; else also the words behind options that may have a value. Behind a module of Python that
/// runs a script, each operand may be it.
pub(crate) fn scripts_of<'w>(program: &str, words: &'w [Word]) -> Vec<&'w Word> {
    if let Some((module, arguments)) = module_of(program, words) {
        let operands = arguments.iter().filter(|it| !it.text.starts_with('-'));
        return operands.filter(|_| runs_script(module)).collect();
    }
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let next = words.get(at + 1);
        if word.text == "--" || !is_option(program, &word.text) {
            let script = if word.text == "--" { next } else { Some(word) };
            found.extend(script);
            return found;
        }
        match kind(program, &word.text) {
            OptionKind::Code | OptionKind::Module { .. } => return found,
            OptionKind::Value => at += 2,
            OptionKind::Flag => at += 1,
            OptionKind::Unknown => {
                let value = next.filter(|it| !is_option(program, &it.text));
                found.extend(value);
                at += 1 + usize::from(value.is_some());
            }
        }
    }
    found
}

/// Returns whether Python finds a module in its own library, whatever is in the folder:
/// `python3 -I -m json.tool`.
pub(crate) fn is_of_own_library(program: &str, words: &[Word]) -> bool {
    const OWN: [&str; 14] = [
        "ast",
        "base64",
        "calendar",
        "compileall",
        "dis",
        "gzip",
        "json.tool",
        "py_compile",
        "pyclbr",
        "sysconfig",
        "tarfile",
        "tokenize",
        "uuid",
        "zipfile",
    ];
    let Some((module, _)) = module_of(program, words).filter(|_| !program.contains('/')) else {
        return false;
    };
    let options = words.iter().map(|it| it.text.as_str());
    let mut options = options.take_while(|it| is_option(program, it));
    let keeps_folder_out = |it: &str| {
        let flags = it.split(['m', 'W', 'X']).next().unwrap_or_default();
        !it.starts_with("--") && flags.contains(['I', 'P'])
    };
    OWN.contains(&module) && options.any(keeps_folder_out)
}

#[cfg(test)]
mod tests {
    use super::{module_of, scripts_of};
    use crate::understood::Word;

    fn words(line: &str) -> (String, Vec<Word>) {
        let mut words = line.split(' ').map(Word::plain);
        let program = words.next().unwrap_or_default().text;
        (program, words.collect())
    }

    #[test]
    fn the_script_is_found_behind_every_option() {
        for line in [
            "python3 S",
            "python3 -I S",
            "python3 -E S x",
            "python3 -W ignore S",
            "python3 -Wignore -X dev -uB S x",
            "python3 -BX utf8 S",
            "python3 --check-hash-based-pycs never S",
            "python3 -- S",
            "python3 -m cProfile S",
            "python3 -Im pdb S",
            "bash -eu S x",
            "bash -o pipefail S",
            "bash -euo pipefail S x",
            "bash +x S",
            "bash --norc --rcfile x S",
            "sh -x -- S",
            "perl -w S",
            "perl -I lib -Mstrict S x",
            "perl -T -Ilib S",
            "perl -l -0777 S x",
            "ruby -W0 -r json S",
            "ruby -I lib S x",
            "node S x",
            "node --no-warnings S x",
            "node -r x S",
            "node --require=x --enable-source-maps S",
            "php -n -d x=1 S",
            "lua -l x S",
            "source S x",
            "Rscript S x",
        ] {
            let (program, words) = words(line);
            let found = scripts_of(&program, &words);
            let found: Vec<&str> = found.iter().map(|it| it.text.as_str()).collect();
            assert_eq!(found, ["S"], "{line}");
        }
    }

    #[test]
    fn a_word_behind_an_unknown_option_may_be_the_script() {
        for line in ["node --some x S", "julia --some x S y", "bash --some x S"] {
            let (program, words) = words(line);
            let found = scripts_of(&program, &words);
            let found: Vec<&str> = found.iter().map(|it| it.text.as_str()).collect();
            assert_eq!(found, ["x", "S"], "{line}");
        }
    }

    #[test]
    fn a_program_text_has_no_script() {
        for line in [
            "python3 -c x S",
            "python3 -Bc x S",
            "python3 -X dev -c x S",
            "bash -c x S",
            "bash -euc x S",
            "bash -euo pipefail -c x S",
            "perl -ne x S",
            "perl -Mstrict -E x S",
            "perl -lne x S",
            "perl -0ne x S",
            "perl -0777 -ne x S",
            "perl -0777ne x S",
            "perl -l012 -0ane x S",
            "ruby -0777ne x S",
            "ruby -W0e x S",
            "ruby -rjson -e x S",
            "node -e x S",
            "node -pe x S",
            "node --eval x S",
            "php -r x S",
            "osascript -e x S",
            "Rscript -e x S",
            "python3 -m json.tool S",
        ] {
            let (program, words) = words(line);
            assert!(scripts_of(&program, &words).is_empty(), "{line}");
        }
    }

    #[test]
    fn a_module_is_found_behind_every_option() {
        for line in [
            "python3 -m M x",
            "python3 -mM x",
            "python3 -Im M x",
            "python3 -uImM x",
            "python3 -W ignore -X dev -m M x",
            "python3 -Wmodule -m M x",
            "python3.12 -B -m M x",
        ] {
            let (program, words) = words(line);
            let found = module_of(&program, &words);
            let (module, arguments) = found.expect(line);
            assert_eq!((module, arguments.len()), ("M", 1), "{line}");
        }
        for line in ["python3 x -m M", "python3 -c x -m M", "node -m M"] {
            let (program, words) = words(line);
            assert!(module_of(&program, &words).is_none(), "{line}");
        }
    }
}
