//! The README as registries show it: its links lead into the repository, since nothing is beside it
//! there.

/// Where the files of a release are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Published<'p> {
    pub(crate) repository: &'p str,
    pub(crate) version: &'p str,
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
