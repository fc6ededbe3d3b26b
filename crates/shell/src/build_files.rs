//! Makefiles and similar build files: their names, and which of their lines are recipes.

use crate::same_programs::usual_name;

/// Programs that run recipes, and the names of the files that contain them, in the order in which
/// they are looked for.
const BUILD_FILES: [(&str, &[&str]); 2] = [("make", MAKEFILES), ("just", JUSTFILES)];

/// The names of files that `just` reads its recipes from.
pub(crate) const JUSTFILES: &[&str] =
    &["justfile", "Justfile", ".justfile", "JUSTFILE", ".JUSTFILE"];

const MAKEFILES: &[&str] = &["GNUmakefile", "makefile", "Makefile", "BSDmakefile"];

/// Options that give such a program another file.
const OPTIONS: [&str; 4] = ["-f", "--file", "--makefile", "--justfile"];

/// Returns the names of the files that a program reads its recipes from, in the order in which it
/// looks for them. The list is empty for a program that runs no recipes.
///
/// ```
/// assert_eq!(hookloop_shell::build_files("make")[0], "GNUmakefile");
/// assert!(hookloop_shell::build_files("cat").is_empty());
/// ```
#[must_use]
pub fn build_files(program: &str) -> &'static [&'static str] {
    let mut known = BUILD_FILES.iter();
    known
        .find(|(name, _)| *name == usual_name(program))
        .map_or(&[], |(_, files)| files)
}

/// Returns whether a file is a build file, judging by its name.
#[must_use]
pub fn is_build_file(name: &str) -> bool {
    let mut known = BUILD_FILES.iter();
    known.any(|(_, files)| files.contains(&name))
}

/// Returns the options that name another build file (`make -f`).
#[must_use]
pub const fn build_file_options() -> [&'static str; 4] {
    OPTIONS
}

/// Returns the recipe in a line of a build file, without its prefix characters. A recipe follows a
/// tab or blanks, or the target and a `;`.
///
/// ```
/// use hookloop_shell::recipe_of_line;
///
/// assert_eq!(recipe_of_line("\t@-rm -f a"), Some("rm -f a"));
/// assert_eq!(recipe_of_line("all: lib ; echo all"), Some("echo all"));
/// assert_eq!(recipe_of_line("all: lib"), None);
/// ```
#[must_use]
pub fn recipe_of_line(line: &str) -> Option<&str> {
    let behind = line.strip_prefix(['\t', ' ']).or_else(|| {
        let (target, recipe) = line.split_once(';')?;
        target.contains(':').then_some(recipe)
    })?;
    Some(behind.trim_start_matches(['\t', '@', '-', '+', ' ']))
}

#[cfg(test)]
mod tests {
    use super::{build_files, is_build_file, recipe_of_line};

    /// HT-30: each file that a program looks for is recognised as a build file, and others aren't.
    #[test]
    fn build_files_are_known_by_their_names() {
        for program in ["make", "gmake", "just"] {
            assert!(!build_files(program).is_empty(), "{program}");
            assert!(build_files(program).iter().all(|it| is_build_file(it)));
        }
        assert!(!is_build_file("package.json") && !is_build_file("makefile.txt"));
    }

    /// HT-30: recipes follow a tab, blanks, or a target's `;`; nothing else is one.
    #[test]
    fn recipes_are_told_from_other_lines() {
        for (line, recipe) in [
            ("\techo a", Some("echo a")),
            ("    echo a", Some("echo a")),
            ("\t\t@+-echo a", Some("echo a")),
            ("a: b; echo a", Some("echo a")),
            ("A = b; c", None),
            ("a: b", None),
            ("", None),
        ] {
            assert_eq!(recipe_of_line(line), recipe, "{line}");
        }
    }
}
