//! Files that program text loads as modules.

use std::path::{Path, PathBuf};

use super::tokens::Language;

/// Returns the files that a text loads as modules, in the folders in which it may run.
pub(super) fn loaded_by<'t>(
    text: &'t str,
    language: Language,
    folders: &'t [String],
) -> impl Iterator<Item = PathBuf> + 't {
    let ending = match language {
        Language::Python => ".py",
        Language::JavaScript => ".js",
        Language::Perl => ".pm",
        Language::Ruby => ".rb",
        Language::Php | Language::Other | Language::Tcl => "",
    };
    let words = text.split(|it: char| it.is_whitespace() || "\"'`();,".contains(it));
    let mut before = "";
    let names = words.filter(|it| !it.is_empty()).filter(move |word| {
        let loads = match language {
            Language::Python => {
                ["import", "from", ",", "import_module", "__import__"].contains(&before)
            }
            Language::JavaScript => ["require", "import", "from"]
                .iter()
                .any(|it| before.ends_with(it)),
            Language::Perl => ["use", "require", "do"].contains(&before),
            Language::Ruby => ["require", "require_relative", "load"].contains(&before),
            Language::Php | Language::Other | Language::Tcl => false,
        };
        before = word;
        loads
    });
    names
        .flat_map(move |name| {
            let name = match language {
                Language::Python => name.replace('.', "/"),
                _ => name.replace("::", "/"),
            };
            folders.iter().flat_map(move |folder| {
                let plain = Path::new(folder).join(&name);
                [PathBuf::from(format!("{}{ending}", plain.display())), plain]
            })
        })
        .filter(|it| it.is_file())
        .take(64)
}
