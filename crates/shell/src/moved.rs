//! Programs that an option sends to another folder.

use crate::scope::Scope;
use crate::understood::{Command, Word};

/// Programs that work in the folder that an option names.
const MOVERS: [(&str, &[&str]); 15] = [
    ("git", &["-C", "--work-tree"]),
    ("make", &["-C", "--directory"]),
    ("gmake", &["-C", "--directory"]),
    ("ninja", &["-C"]),
    ("cargo", &["-C"]),
    ("go", &["-C"]),
    ("npm", &["--prefix", "-C"]),
    ("pnpm", &["-C", "--dir"]),
    ("yarn", &["--cwd"]),
    ("just", &["-d", "--working-directory"]),
    ("bun", &["--cwd"]),
    ("composer", &["-d", "--working-dir"]),
    ("task", &["-d", "--dir"]),
    ("poetry", &["-C", "--directory", "-P", "--project"]),
    ("uv", &["--directory", "--project"]),
];

/// Returns where a program works that an option sends to another folder (`git -C`, `make -C`); each
/// of several such options begins where the one before it led to.
pub(crate) fn moved_by_option<'s>(command: &Command, scope: &Scope<'s>) -> Option<Scope<'s>> {
    let (_, options) = MOVERS.iter().find(|it| it.0 == command.program)?;
    let mut moved: Option<Scope<'_>> = None;
    // Behind the subcommand of git the same letters mean something else.
    let words = match command.program.as_str() {
        "git" => &command.words[..command.head.max(1).min(command.words.len())],
        _ => &command.words[..],
    };
    for (index, word) in words.iter().enumerate().skip(1) {
        if word.text == "--" {
            break;
        }
        let folder = options.iter().find_map(|option| {
            let rest = word.text.strip_prefix(option)?;
            if rest.is_empty() {
                return words.get(index + 1).cloned();
            }
            let attached = match rest.strip_prefix('=') {
                Some(value) => value,
                None if option.starts_with("--") || command.program == "git" => return None,
                None => rest,
            };
            Some(Word {
                text: attached.to_owned(),
                ..word.clone()
            })
        });
        if let Some(folder) = folder {
            let scope = moved.get_or_insert_with(|| scope.clone());
            let paths = scope.path_of(&folder).paths;
            scope.folders = paths.iter().map(|path| crate::tidy(path)).collect();
        }
    }
    moved
}
