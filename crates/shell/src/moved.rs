//! Programs with an option that changes their working directory.

use crate::same_programs::usual_name;
use crate::scope::Scope;
use crate::understood::{Command, Word};

/// Programs that work in the folder that an option names.
const MOVERS: [(&str, &[&str]); 19] = [
    ("git", &["-C", "--work-tree"]),
    ("make", &["-C", "--directory"]),
    ("ninja", &["-C"]),
    ("cargo", &["-C"]),
    ("go", &["-C"]),
    ("npm", &["--prefix", "-C"]),
    ("npx", &["--prefix", "-C"]),
    ("pnpm", &["-C", "--dir"]),
    ("yarn", &["--cwd"]),
    ("just", &["-d", "--working-directory"]),
    ("bun", &["--cwd"]),
    ("mise", &["-C", "--cd"]),
    ("rake", &["-C", "--directory"]),
    ("gradle", &["-p", "--project-dir"]),
    ("pdm", &["-p", "--project"]),
    ("composer", &["-d", "--working-dir"]),
    ("task", &["-d", "--dir"]),
    ("poetry", &["-C", "--directory", "-P", "--project"]),
    ("uv", &["--directory", "--project"]),
];

/// Letters of make that precede another one in a word and take no value.
const LETTERS_OF_MAKE: &str = "bBdeikLmnpqrRsStvw";

/// Returns what follows an option in a word: `None` if the word isn't that option, an empty text if
/// its value is the next word.
fn option_value<'w>(program: &str, option: &str, word: &'w str) -> Option<&'w str> {
    if let Some(rest) = word.strip_prefix(option) {
        if rest.is_empty() {
            return Some(rest);
        }
        return match rest.strip_prefix('=') {
            Some(value) => Some(value),
            None if option.starts_with("--") || program == "git" => None,
            None => Some(rest),
        };
    }
    if program != "make" {
        return None;
    }
    if option.starts_with("--") {
        // `--dir=x`: a name may be abbreviated.
        let name = word.split('=').next().unwrap_or(word);
        let is_it = name.len() >= "--di".len() && option.starts_with(name);
        return is_it.then(|| word[name.len()..].trim_start_matches('='));
    }
    // `-sC x`
    let letter = option.strip_prefix('-')?;
    let (before, value) = word.strip_prefix('-')?.split_once(letter)?;
    let are_plain = before.chars().all(|it| LETTERS_OF_MAKE.contains(it));
    are_plain.then_some(value)
}

/// Returns where a program works if options change its folder (`git -C`, `make -C`); each of
/// several such options is relative to the one before it.
pub(crate) fn moved_by_option<'s>(command: &Command, scope: &Scope<'s>) -> Option<Scope<'s>> {
    let program = usual_name(&command.program);
    let (_, options) = MOVERS.iter().find(|it| it.0 == program)?;
    let mut moved: Option<Scope<'_>> = None;
    // After a git subcommand, the same letters mean something else.
    let words = match command.program.as_str() {
        "git" => &command.words[..command.head.max(1).min(command.words.len())],
        _ => &command.words[..],
    };
    for (index, word) in words.iter().enumerate().skip(1) {
        if word.text == "--" {
            break;
        }
        let folder = options.iter().find_map(|option| {
            let attached = option_value(program, option, &word.text)?;
            if attached.is_empty() {
                return words.get(index + 1).cloned();
            }
            Some(Word {
                text: attached.to_owned(),
                ..word.clone()
            })
        });
        if let Some(folder) = folder {
            let scope = moved.get_or_insert_with(|| scope.clone());
            let paths = scope.path_of(&folder).paths;
            scope.folders = paths
                .iter()
                .map(|path| crate::normalize_path(path))
                .collect();
        }
    }
    moved
}
