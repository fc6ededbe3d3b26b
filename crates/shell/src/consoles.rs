//! Interpreters that carry out what they are fed, whatever else they are given: `python3 -m code`,
//! `node -i`.

use crate::languages::Language;
use crate::scripts::module_of;
use crate::understood::Word;

/// Python modules that carry out their input.
const CONSOLES: [&str; 7] = [
    "code", "asyncio", "pdb", "IPython", "bpython", "ptpython", "idlelib",
];

/// Options of Python without a value.
const FLAGS_OF_PYTHON: &str = "bBdEiIOPqsSuvx";

/// Returns the letters of an option behind which nothing but flags of Python stand: `m` and its
/// value for `-Im x`.
fn after_flags(word: &str) -> Option<&str> {
    let letters = word.strip_prefix('-').filter(|it| !it.starts_with('-'))?;
    Some(letters.trim_start_matches(|it| FLAGS_OF_PYTHON.contains(it)))
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
