//! The pages of the site: the documentation in the form for mdBook, below `target/book/src`.
//!
//! The pages are written to be read in the repository. For the site, those at the root are put
//! beside the others, `README.md` becomes `index.md`, and links to anything that isn't a page of
//! the site lead to the repository.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::{links, markdown};

/// Pages at the root that are part of the site.
const AT_THE_ROOT: [(&str, &str); 4] = [
    ("README.md", "index.md"),
    ("SECURITY.md", "security.md"),
    ("ARCHITECTURE.md", "architecture.md"),
    ("CHANGELOG.md", "changelog.md"),
];

/// Writes the site's pages, and returns how many there are.
pub(crate) fn write(root: &Path, target: &Path, repository: &str) -> io::Result<usize> {
    let folder = target.join("book/src");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let mut pages = 0;
    for file in links::files(root)? {
        let Some(place) = site_path(&file) else {
            continue;
        };
        let to = folder.join(&place);
        fs::create_dir_all(to.parent().unwrap_or(&folder))?;
        if file.extension().is_some_and(|it| it == "md") {
            let text = fs::read_to_string(root.join(&file))?;
            let is_folder = |path: &Path| root.join(path).is_dir();
            fs::write(to, page(&file, &text, repository, is_folder))?;
            pages += 1;
        } else {
            fs::copy(root.join(&file), to)?;
        }
    }
    Ok(pages)
}

/// Returns where a file of the repository is in the site, if it is part of it.
fn site_path(file: &Path) -> Option<PathBuf> {
    if let Some((_, place)) = AT_THE_ROOT.iter().find(|(name, _)| file == Path::new(name)) {
        return Some(PathBuf::from(place));
    }
    let inside = file.strip_prefix("docs").ok()?;
    Some(if inside.ends_with("README.md") {
        inside.with_file_name("index.md")
    } else {
        inside.to_owned()
    })
}

/// Rewrites the links of a page for its place in the site.
fn page(file: &Path, text: &str, repository: &str, is_folder: impl Fn(&Path) -> bool) -> String {
    let from = site_path(file).unwrap_or_default();
    let mut written = String::with_capacity(text.len());
    let mut done = 0;
    for link in markdown::read(text).links {
        let Some(at) = link.place else { continue };
        let (path, anchor) = links::split(&link.target);
        if links::is_elsewhere(&link.target) || path.is_empty() || at.start < done {
            continue;
        }
        let Some(target) = links::resolve(file, path) else {
            continue;
        };
        let inside = site_path(&target).filter(|_| !is_folder(&target));
        let mut new = inside.map_or_else(
            || {
                let kind = if is_folder(&target) { "tree" } else { "blob" };
                format!("{repository}/{kind}/main/{}", slashes(&target))
            },
            |place| relative(&from, &place),
        );
        if let Some(anchor) = anchor {
            new.push('#');
            new.push_str(anchor);
        }
        written.push_str(&text[done..at.start]);
        written.push_str(&new);
        done = at.end;
    }
    written.push_str(&text[done..]);
    written
}

/// Returns the way from a page to a file of the site.
fn relative(from: &Path, to: &Path) -> String {
    let depth = from.components().count().saturating_sub(1);
    format!("{}{}", "../".repeat(depth), slashes(to))
}

fn slashes(path: &Path) -> String {
    let parts = path.components().map(|it| it.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(file: &str, text: &str) -> String {
        let is_folder = |path: &Path| path == Path::new("examples");
        page(Path::new(file), text, "https://r.example", is_folder)
    }

    /// Links between pages of the site stay inside it, others lead to the repository.
    #[test]
    fn links_are_rewritten_for_the_site() {
        for (file, text, wanted) in [
            ("README.md", "[a](docs/guide.md#b)", "[a](guide.md#b)"),
            ("docs/guide.md", "[a](../SECURITY.md)", "[a](security.md)"),
            (
                "docs/cookbook/x.md",
                "[a](../guide.md) ![b](../images/b.svg)",
                "[a](../guide.md) ![b](../images/b.svg)",
            ),
            (
                "docs/cookbook/x.md",
                "[a](README.md) [b](../../examples)",
                "[a](../cookbook/index.md) [b](https://r.example/tree/main/examples)",
            ),
            (
                "docs/guide.md",
                "[a](../xtask/Cargo.toml) [b](#c) [d](https://e.example) `[f](g.md)`",
                "[a](https://r.example/blob/main/xtask/Cargo.toml) [b](#c) [d](https://e.example) `[f](g.md)`",
            ),
        ] {
            assert_eq!(rewritten(file, text), wanted);
        }
    }
}
