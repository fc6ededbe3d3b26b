//! The README as registries show it: its links lead into the repository, since nothing is beside it
//! there.

use std::ops::Range;

/// Where the files of a release are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Published<'p> {
    pub(crate) repository: &'p str,
    pub(crate) version: &'p str,
}

/// Returns the page as people with a package need it: each section of `instead` begins as it does
/// there, up to the end of the first block.
///
/// # Errors
/// The page has no such section with a block; the text is its heading.
pub(crate) fn for_packages(page: &str, instead: &str) -> Result<String, String> {
    let mut page = page.to_owned();
    let sections = instead.split("\n## ").skip(1);
    for section in sections.map(|it| format!("## {it}")) {
        let heading = section.lines().next().unwrap_or_default();
        let beginning = beginning(&page, heading).ok_or_else(|| heading.to_owned())?;
        page.replace_range(beginning, section.trim_end());
    }
    Ok(page)
}

/// Returns where a section begins, and where its first block ends.
fn beginning(page: &str, heading: &str) -> Option<Range<usize>> {
    const FENCE: &str = "\n```";
    let begin = page.find(&format!("\n{heading}\n"))? + 1;
    let section = page[begin..].split("\n## ").next()?;
    let open = section.find(FENCE)? + FENCE.len();
    let close = open + section[open..].find(FENCE)? + FENCE.len();
    Some(begin..begin + close)
}

/// Returns the page with each relative link and picture pointing to the release's files in the
/// repository.
pub(crate) fn with_absolute_links(page: &str, published: Published<'_>) -> String {
    let mut is_code = false;
    let mut out = String::with_capacity(page.len());
    for line in page.split_inclusive('\n') {
        if line.starts_with("```") {
            is_code = !is_code;
        }
        if is_code {
            out.push_str(line);
        } else {
            push_line(&mut out, line, published);
        }
    }
    out
}

fn push_line(out: &mut String, line: &str, published: Published<'_>) {
    let mut parts = line.split("](");
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        out.push_str("](");
        let target = part.split(')').next().unwrap_or_default();
        if !target.contains(':') && !target.starts_with('#') {
            out.push_str(&folder(target, published));
        }
        out.push_str(part);
    }
}

/// Where the repository shows a page, or where a picture itself is.
fn folder(target: &str, published: Published<'_>) -> String {
    let Published {
        repository,
        version,
    } = published;
    let is_picture = [".svg", ".png"].iter().any(|end| target.ends_with(end));
    match repository.strip_prefix("https://github.com/") {
        Some(project) if is_picture => {
            format!("https://raw.githubusercontent.com/{project}/v{version}/")
        }
        _ => format!("{repository}/blob/v{version}/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_begin_as_people_with_a_package_need_them() {
        let page = "# A\n\n## B\n\nc\n\n```sh\nd\n```\n\ne\n\n## F\n\ng\n";
        let made = for_packages(page, "h\n\n## B\n\ni\n\n```sh\nj\n```\n");
        let wanted = "# A\n\n## B\n\ni\n\n```sh\nj\n```\n\ne\n\n## F\n\ng\n";
        assert_eq!(made, Ok(wanted.to_owned()));
        // A section without a block, and one that isn't there.
        for heading in ["## F", "## G"] {
            let instead = format!("\n{heading}\n\nx\n");
            assert_eq!(for_packages(page, &instead), Err(heading.to_owned()));
        }
    }

    /// Who has a package has no repository in which cargo could build something.
    #[test]
    fn the_page_of_packages_needs_no_repository() {
        let read = |name: &str| {
            let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
            std::fs::read_to_string(root.join(name)).unwrap()
        };
        let made = for_packages(&read("README.md"), &read("packaging/readme.md")).unwrap();
        let blocks = made.split("\n```").skip(1).step_by(2);
        let lines: Vec<&str> = blocks.flat_map(str::lines).collect();
        assert!(lines.iter().any(|it| it.starts_with("hookloop demo")));
        let by_cargo = lines.iter().find(|it| it.starts_with("cargo "));
        assert_eq!(by_cargo, None);
    }

    #[test]
    fn links_lead_into_the_repository_and_pictures_to_their_files() {
        let page = "[a](docs/a.md#b) ![c](docs/c.svg) [d](https://e.example/f) [g](#h)\n```sh\n[i](j)\n```\n[k](l)\n";
        let published = Published {
            repository: "https://github.com/a/b",
            version: "1.2.3",
        };
        let blob = "https://github.com/a/b/blob/v1.2.3";
        let raw = "https://raw.githubusercontent.com/a/b/v1.2.3";
        let shown = format!(
            "[a]({blob}/docs/a.md#b) ![c]({raw}/docs/c.svg) [d](https://e.example/f) [g](#h)\n\
             ```sh\n[i](j)\n```\n[k]({blob}/l)\n"
        );
        assert_eq!(with_absolute_links(page, published), shown);
    }
}
