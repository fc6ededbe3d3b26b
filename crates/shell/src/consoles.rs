//! Interpreters that carry out more than their script: Python's modules that run another one (`python3 -m cProfile x`),
//! and consoles, which carry out what they are fed (`python3 -m code`, `node -i`).

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

/// Python modules that carry out their input.
const CONSOLES: [&str; 7] = [
    "code", "asyncio", "pdb", "IPython", "bpython", "ptpython", "idlelib",
];

/// Options of Python without a value.
const FLAGS_OF_PYTHON: &str = "bBdEiIOPqsSuvx";

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

/// Returns the letters of an option behind which nothing but flags of Python stand: `m` and its value for `-Im x`.
fn after_flags(word: &str) -> Option<&str> {
    let letters = word.strip_prefix('-').filter(|it| !it.starts_with('-'))?;
    Some(letters.trim_start_matches(|it| FLAGS_OF_PYTHON.contains(it)))
}

fn is_python(program: &str) -> bool {
    Language::from_program(program) == Some(Language::Python)
}

/// Returns the module that Python runs, and its arguments.
pub(crate) fn module_of<'w>(program: &str, words: &'w [Word]) -> Option<(&'w str, &'w [Word])> {
    if !is_python(program) {
        return None;
    }
    for (at, word) in words.iter().enumerate() {
        let letters = after_flags(&word.text)?;
        if let Some(attached) = letters.strip_prefix('m') {
            let rest = &words[at + 1..];
            return match attached {
                "" => rest
                    .split_first()
                    .map(|(module, rest)| (module.text.as_str(), rest)),
                module => Some((module, rest)),
            };
        }
        if letters.starts_with('c') {
            return None;
        }
    }
    None
}

/// Returns whether an interpreter carries out its input, whatever else it is given.
pub(crate) fn is_console(program: &str, words: &[Word]) -> bool {
    if module_of(program, words).is_some_and(|(module, _)| CONSOLES.contains(&module)) {
        return true;
    }
    let has = |option: &str| words.iter().any(|it| it.text == option);
    match Language::from_program(program) {
        Some(Language::Python) => {
            let mut options = words.iter().take_while(|it| it.text.starts_with('-'));
            options.any(|it| {
                let flags = after_flags(&it.text).map(|rest| it.text.len() - rest.len());
                flags.is_some_and(|end| it.text[..end].contains('i'))
            })
        }
        Some(Language::JavaScript) => has("-i") || has("--interactive"),
        Some(Language::Lua) => has("-i"),
        Some(Language::Php) => has("-a"),
        _ => false,
    }
}
