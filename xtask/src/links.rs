//! Links: every relative link of every Markdown page leads to a file that exists, and to a place in
//! it that exists; every page of the documentation is in the summary of the site.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use crate::markdown::{self, Page};
use crate::violation::Violation;

/// Folders that contain no pages of ours.
const LEFT_OUT: [&str; 4] = [".git", "target", "node_modules", "corpus"];

/// Pages from which others are made, whose links are checked there.
const TEMPLATES: [&str; 1] = ["template.md"];

/// The summary of the site, from the root.
pub(crate) const SUMMARY: &str = "docs/SUMMARY.md";

/// Checks all pages below a folder.
pub(crate) fn check(root: &Path) -> io::Result<Vec<Violation>> {
    let mut pages = BTreeMap::new();
    for file in files(root)? {
        if file.extension().is_some_and(|it| it == "md") {
            let text = fs::read_to_string(root.join(&file))?;
            pages.insert(file, markdown::read(&text));
        }
    }
    let mut violations = Vec::new();
    for (file, page) in &pages {
        violations.extend(check_page(root, file, page, &pages));
    }
    violations.extend(left_out_of_the_site(&pages));
    Ok(violations)
}

fn check_page(
    root: &Path,
    file: &Path,
    page: &Page,
    pages: &BTreeMap<PathBuf, Page>,
) -> Vec<Violation> {
    let mut violations = Vec::new();
    for link in page.links.iter().filter(|it| !is_elsewhere(&it.target)) {
        let (path, anchor) = split(&link.target);
        let target = resolve(file, path);
        let wrong = match &target {
            Some(target) if root.join(target).exists() => {
                let place = pages.get(target).zip(anchor);
                match place {
                    Some((page, anchor)) if !page.anchors.contains(anchor) => {
                        Some(format!("{} has no heading \"{anchor}\"", target.display()))
                    }
                    _ => None,
                }
            }
            _ => Some(format!("\"{}\" leads nowhere", link.target)),
        };
        if let Some(wrong) = wrong {
            let name = file.to_string_lossy();
            violations.push(Violation::new(
                &name,
                link.line,
                wrong,
                "link to a file and a heading that exist",
            ));
        }
    }
    violations
}

/// Finds pages of the documentation that the site would leave out.
fn left_out_of_the_site(pages: &BTreeMap<PathBuf, Page>) -> Vec<Violation> {
    let summary = Path::new(SUMMARY);
    let Some(contents) = pages.get(summary) else {
        return Vec::new();
    };
    let targets = contents.links.iter();
    let listed: BTreeSet<PathBuf> = targets
        .filter_map(|link| resolve(summary, split(&link.target).0))
        .collect();
    let missing = pages
        .keys()
        .filter(|file| file.starts_with("docs") && *file != summary && !listed.contains(*file));
    missing
        .map(|file| {
            let right = format!("give it a line in {SUMMARY}");
            Violation::new(
                &file.to_string_lossy(),
                0,
                "the site has no such page",
                right,
            )
        })
        .collect()
}

/// Lists the files below a folder, from it.
pub(crate) fn files(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let name = entry.file_name();
            let path = folder.join(&name);
            if entry.file_type()?.is_dir() {
                if !LEFT_OUT.iter().any(|it| name == *it) {
                    folders.push(path);
                }
            } else if !TEMPLATES.iter().any(|it| name == *it) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Returns whether a link leads out of the repository.
pub(crate) fn is_elsewhere(target: &str) -> bool {
    target.contains("://") || target.starts_with("mailto:")
}

/// Splits a target into file and place.
pub(crate) fn split(target: &str) -> (&str, Option<&str>) {
    match target.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor)),
        None => (target, None),
    }
}

/// Returns the file that a link of a page names, from the root; `None` if it is outside.
pub(crate) fn resolve(page: &Path, target: &str) -> Option<PathBuf> {
    if target.is_empty() {
        return Some(page.to_owned());
    }
    let mut path = page.parent()?.to_owned();
    for part in Path::new(target).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !path.pop() {
                    return None;
                }
            }
            Component::Normal(name) => path.push(name),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violations(files: &[(&str, &str)]) -> io::Result<Vec<String>> {
        let folder = tempfile::tempdir()?;
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap_or(folder.path()))?;
            fs::write(path, text)?;
        }
        let found = check(folder.path())?;
        Ok(found.iter().map(Violation::to_string).collect())
    }

    /// A link to a file, a place or a page outside of the repository that isn't there is found.
    #[test]
    fn links_that_lead_nowhere_are_found() -> io::Result<()> {
        let text = "# Top\n\n[a](b.md) [b](a.md#top) [c](a.md#gone) [d](../../x.md) [e](/a.md)\n[f](#top) [g](https://x.example/a.md) [h](#none)\n";
        let found = violations(&[("a.md", text)])?;
        assert_eq!(found.len(), 5, "{found:#?}");
        let all = found.join("\n");
        for wanted in [
            "\"b.md\"",
            "heading \"gone\"",
            "\"../../x.md\"",
            "\"/a.md\"",
            "a.md:4: a.md has no heading \"none\"",
        ] {
            assert!(all.contains(wanted), "{wanted}: {all}");
        }
        Ok(())
    }

    /// A page that the site leaves out is found.
    #[test]
    fn pages_without_a_line_in_the_summary_are_found() -> io::Result<()> {
        let files = [
            (SUMMARY, "- [a](a.md)\n"),
            ("docs/a.md", "x"),
            ("docs/b.md", "x"),
        ];
        let found = violations(&files)?;
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(found[0].starts_with("docs/b.md:1: "), "{found:#?}");
        Ok(())
    }
}
