//! What the checks need of a Markdown page: its links, and the places in it that links may name.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A parsed page.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// Its links and pictures, in the order of the text.
    pub(crate) links: Vec<Link>,
    /// The places that `#…` may name: headings as GitHub and mdBook name them, and ids in HTML.
    pub(crate) anchors: BTreeSet<String>,
}

/// A link or a picture.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Link {
    /// Its target, as written.
    pub(crate) target: String,
    /// The bytes of the page that contain the target, if it is in the text itself.
    pub(crate) place: Option<Range<usize>>,
    /// Its line, from 1.
    pub(crate) line: usize,
}

/// Reads a page.
pub(crate) fn read(text: &str) -> Page {
    let mut page = Page::default();
    let mut heading: Option<String> = None;
    let mut names = BTreeMap::<String, usize>::new();
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                page.links.push(link(text, range, &dest_url));
            }
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let name = slug(&heading.take().unwrap_or_default());
                let count = names.entry(name.clone()).or_default();
                page.anchors.insert(match *count {
                    0 => name,
                    again => format!("{name}-{again}"),
                });
                *count += 1;
            }
            Event::Text(part) | Event::Code(part) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&part);
                }
            }
            Event::Html(html) | Event::InlineHtml(html) => page.anchors.extend(ids(&html)),
            _ => {}
        }
    }
    page
}

fn link(text: &str, range: Range<usize>, target: &str) -> Link {
    let line = text[..range.start].matches('\n').count() + 1;
    let written = format!("]({target}");
    let place = text[range.clone()].rfind(&written).map(|at| {
        let start = range.start + at + "](".len();
        start..start + target.len()
    });
    Link {
        target: target.to_owned(),
        place,
        line,
    }
}

/// Names a heading as GitHub does: lower-case letters, hyphens for spaces, no punctuation.
fn slug(heading: &str) -> String {
    let kept = heading
        .trim()
        .chars()
        .filter(|it| it.is_alphanumeric() || matches!(it, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase)
        .map(|it| if it == ' ' { '-' } else { it })
        .collect()
}

/// Finds the ids of elements in a piece of HTML.
fn ids(html: &str) -> impl Iterator<Item = String> {
    let values = html.split(" id=\"").skip(1);
    let values = values.filter_map(|rest| rest.split_once('"').map(|(id, _)| id.to_owned()));
    values.collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Links are found where people read them, and not in code.
    #[test]
    fn links_are_those_that_are_shown() {
        let text = "[a](b.md#c) `[no](d.md)`\n\n```\n[no](e.md)\n```\n\n| ![p](f.svg) |\n|---|\n";
        let targets: Vec<_> = read(text).links.into_iter().map(|it| it.target).collect();
        assert_eq!(targets, ["b.md#c", "f.svg"]);
        let link = &read(text).links[0];
        assert_eq!(&text[link.place.clone().unwrap_or_default()], "b.md#c");
        assert_eq!(link.line, 1);
    }

    /// Headings are named as on GitHub, and ids of elements count.
    #[test]
    fn places_are_headings_and_ids() {
        let page =
            read("# `SessionStart`: give it, now\n\n## A\n\n## A\n\n- <a id=\"io-1\"></a>x\n");
        let expected = ["a", "a-1", "io-1", "sessionstart-give-it-now"];
        assert!(page.anchors.iter().eq(expected), "{:?}", page.anchors);
    }
}
