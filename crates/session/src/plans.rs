//! Where plan mode writes (TO-6).

use std::fs;
use std::path::{Path, PathBuf};

use hookloop_agent::{ApprovalMode, Audience, PlanFolder};

/// Creates the folder, if this session can use it: plan mode begins with the session, or somebody
/// is there to begin it.
pub(crate) fn prepare(
    folder: &Path,
    mode: ApprovalMode,
    audience: Audience,
    tell: impl Fn(&str),
) -> Option<PathBuf> {
    if mode != ApprovalMode::Plan && audience != Audience::Present {
        return None;
    }
    match fs::create_dir_all(folder) {
        Ok(()) => Some(folder.to_owned()),
        Err(error) => {
            let place = folder.display();
            tell(&format!(
                "the folder for plans, {place}, can't be created, so plan mode writes nothing: \
                 {error}"
            ));
            None
        }
    }
}

/// What agents read in `.gemini`, and obey.
const OBEYED: [&str; 7] = [
    "agents",
    "commands",
    "extensions",
    "hooks",
    "policies",
    "skills",
    "workflows",
];

/// Returns why a folder of the project can't be the one for plans; it is given relative to the
/// project's root, without links. The project itself would be open to every plan, and what is in
/// some folders is obeyed.
pub(crate) fn unfit(folder: &Path) -> Option<&'static str> {
    let mut names = folder.iter().map(|it| it.to_string_lossy().to_lowercase());
    let Some(first) = names.next() else {
        return Some("it is the project itself");
    };
    if first == ".git" || folder.iter().any(|it| it.eq_ignore_ascii_case(".git")) {
        return Some("it is part of the repository's own folder");
    }
    if first != ".gemini" {
        return None;
    }
    match names.next() {
        None => Some("it contains the project's settings"),
        Some(second) if OBEYED.contains(&second.as_str()) => Some("its content is read and obeyed"),
        Some(_) => None,
    }
}

/// Returns which files plan mode writes: those below the folder, wherever links lead, that are
/// plans by their form. Code of the project isn't, nor are instructions for the model.
pub(crate) fn writable(folder: Option<&Path>, context_file_names: Vec<String>) -> PlanFolder {
    let Some(folder) = folder.and_then(|it| it.canonicalize().ok()) else {
        return PlanFolder::default();
    };
    PlanFolder::new(folder.clone(), move |file: &Path| {
        let inside = file.strip_prefix(&folder).ok();
        inside.is_some_and(|it| is_plan(it, &context_file_names))
    })
}

/// Returns whether a file is a plan by its form; it is given relative to the folder for plans.
fn is_plan(file: &Path, context_file_names: &[String]) -> bool {
    let is_hidden = |it: &std::ffi::OsStr| it.as_encoded_bytes().starts_with(b".");
    let is_markdown = file.extension().is_some_and(|it| it == "md");
    let name = file.file_name().unwrap_or_default();
    let is_context = context_file_names
        .iter()
        .any(|it| name.eq_ignore_ascii_case(it));
    is_markdown && !is_context && !file.iter().any(is_hidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TO-6: the project itself, and folders whose content is obeyed, can't be folders for plans.
    #[test]
    fn a_folder_for_plans_is_for_plans_alone() {
        for folder in [
            "",
            ".git",
            ".git/hooks",
            "sub/.git",
            ".gemini",
            ".gemini/skills/x",
        ] {
            assert!(unfit(Path::new(folder)).is_some(), "{folder}");
        }
        for folder in ["plans", "src", ".gemini/plans", "docs/plans", ".plans"] {
            assert!(unfit(Path::new(folder)).is_none(), "{folder}");
        }
    }

    /// TO-6: only Markdown files are plans, except those that the model reads as instructions.
    #[test]
    fn only_markdown_files_are_plans() {
        let names = ["GEMINI.md".to_owned()];
        for file in ["a.md", "sub/b.md"] {
            assert!(is_plan(Path::new(file), &names), "{file}");
        }
        for file in [
            "main.rs",
            "GEMINI.md",
            "sub/gemini.md",
            ".gemini/a.md",
            ".md",
            "",
            "md",
        ] {
            assert!(!is_plan(Path::new(file), &names), "{file}");
        }
    }
}
