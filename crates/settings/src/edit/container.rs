//! An object or list in a text: the positions of its children, and how children are added and
//! removed.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object};
use jsonc_parser::common::Ranged;

use super::render::{Layout, Style};
use super::splice::Splice;
use crate::syntax::next_token;

/// Contains the places of an object's members or a list's elements.
#[derive(Debug)]
pub(super) struct Container<'t> {
    text: &'t str,
    /// From the opening bracket to after the closing one.
    range: Range<usize>,
    /// Where the member or element that contains it begins.
    owner: usize,
    children: Vec<Range<usize>>,
}

impl<'t> Container<'t> {
    pub(super) fn from_object(text: &'t str, owner: usize, object: &Object<'_>) -> Self {
        let children = object.properties.iter().map(range_of).collect();
        Self {
            text,
            range: range_of(object),
            owner,
            children,
        }
    }

    pub(super) fn from_array(text: &'t str, owner: usize, array: &Array<'_>) -> Self {
        let children = array.elements.iter().map(range_of).collect();
        Self {
            text,
            range: range_of(array),
            owner,
            children,
        }
    }

    /// Returns the layout of a child that is added at the end.
    pub(super) fn layout_of_next(&self, style: &Style) -> Layout {
        match self.children.last() {
            Some(last) => layout_at(self.text, last.start),
            None if self.interior_has_comment() || self.stands_on_lines() => Layout::Lines {
                indent: format!("{}{}", line_indent(self.text, self.owner), style.step),
            },
            None => Layout::Inline,
        }
    }

    /// Adds children, rendered for [`Self::layout_of_next`], after the last one.
    pub(super) fn append(&self, style: &Style, rendered: &[String]) -> Vec<Splice> {
        if rendered.is_empty() {
            return Vec::new();
        }
        let layout = self.layout_of_next(style);
        let Some(last) = self.children.last() else {
            return self.append_first(style, &layout, rendered);
        };
        let comma = self.comma_after(last);
        let anchor = comma.map_or(last.end, |comma| comma + 1);
        let mut splices = Vec::new();
        if comma.is_none() {
            splices.push(Splice::insert(last.end, ","));
        }
        let separator = separator(style, &layout);
        let at = match layout {
            Layout::Inline => anchor,
            // A comment after the last child on the same line belongs to that child.
            Layout::Lines { .. } => end_of_line_comments(self.text, anchor),
        };
        let mut body = format!("{separator}{}", rendered.join(&format!(",{separator}")));
        if comma.is_some() {
            body.push(',');
        }
        splices.push(Splice::insert(at, body));
        splices
    }

    fn append_first(&self, style: &Style, layout: &Layout, rendered: &[String]) -> Vec<Splice> {
        let interior = self.range.start + 1..self.range.end - 1;
        let Layout::Lines { .. } = layout else {
            return vec![Splice::replace(interior, rendered.join(", "))];
        };
        let separator = separator(style, layout);
        let body = format!("{separator}{}", rendered.join(&format!(",{separator}")));
        let end = format!("{}{}", style.line_end, line_indent(self.text, self.owner));
        if !self.interior_has_comment() {
            return vec![Splice::replace(interior, body + &end)];
        }
        let written = self.text[interior.clone()].trim_end();
        let mut at = interior.start + written.len();
        let mut rest = &self.text[at..interior.end];
        let behind = rest.trim_start_matches([' ', '\t']);
        if behind.starts_with(['\n', '\r']) {
            // Trailing blanks of a line comment belong to it.
            at += rest.len() - behind.len();
            rest = behind;
        }
        let end = if rest.contains(['\n', '\r']) {
            String::new()
        } else {
            end
        };
        vec![Splice::insert(at, body + &end)]
    }

    /// Removes children. Comments stay; a line that is left blank is removed.
    pub(super) fn remove(&self, gone: impl Fn(usize) -> bool) -> Vec<Splice> {
        let count = self.children.len();
        let Some(last_gone) = (0..count).rev().find(|index| gone(*index)) else {
            return Vec::new();
        };
        let last_kept = (0..count).rev().find(|index| !gone(*index));
        let interior = self.range.start + 1..self.range.end - 1;
        if last_kept.is_none() && !self.has_comment_between_children(interior.clone()) {
            return vec![Splice::delete(interior)];
        }
        let mut splices = Vec::new();
        let mut end = count;
        let without_comma = self.comma_after(&self.children[last_gone]).is_none();
        if let Some(kept) = last_kept
            && kept < last_gone
            && without_comma
        {
            // Removing the last child also removes the comma before it, with everything in between.
            let tail = self.children[kept].end..self.children[last_gone].end;
            if self.has_comment_between_children(tail.clone()) {
                if let Some(comma) = self.comma_after(&self.children[kept]) {
                    splices.push(Splice::delete(comma..comma + 1));
                }
            } else {
                splices.push(Splice::delete(tail));
                end = kept;
            }
        }
        for (index, child) in self.children.iter().enumerate().take(end) {
            if gone(index) {
                self.remove_child(&mut splices, child);
            }
        }
        splices
    }

    fn remove_child(&self, splices: &mut Vec<Splice>, child: &Range<usize>) {
        match self.comma_after(child) {
            Some(comma) if self.text[child.end..comma].trim().is_empty() => {
                splices.push(Splice::delete(widen(self.text, child.start..comma + 1)));
            }
            Some(comma) => {
                splices.push(Splice::delete(child.clone()));
                splices.push(Splice::delete(comma..comma + 1));
            }
            None => splices.push(Splice::delete(widen(self.text, child.clone()))),
        }
    }

    fn comma_after(&self, child: &Range<usize>) -> Option<usize> {
        let at = next_token(self.text, child.end);
        (self.text.as_bytes().get(at) == Some(&b',')).then_some(at)
    }

    fn interior_has_comment(&self) -> bool {
        let interior = &self.text[self.range.start + 1..self.range.end - 1];
        self.children.is_empty() && !interior.trim().is_empty()
    }

    /// Returns whether anything but white space and commas is between the children of a range.
    fn has_comment_between_children(&self, range: Range<usize>) -> bool {
        let blank = |from: usize, to: usize| {
            let between = &self.text[from.min(to)..to];
            between
                .chars()
                .all(|letter| letter == ',' || letter.is_whitespace())
        };
        let mut from = range.start;
        for child in &self.children {
            if child.start >= range.start && child.end <= range.end {
                if !blank(from, child.start) {
                    return true;
                }
                from = child.end;
            }
        }
        !blank(from, range.end)
    }

    /// Returns whether an empty container is one that is filled line by line.
    fn stands_on_lines(&self) -> bool {
        let interior = &self.text[self.range.start + 1..self.range.end - 1];
        interior.contains(['\n', '\r'])
            || matches!(layout_at(self.text, self.owner), Layout::Lines { .. })
    }
}

fn range_of(node: &impl Ranged) -> Range<usize> {
    let range = node.range();
    range.start..range.end
}

fn separator(style: &Style, layout: &Layout) -> String {
    match layout {
        Layout::Inline => " ".to_owned(),
        Layout::Lines { indent } => format!("{}{indent}", style.line_end),
    }
}

/// Returns the layout of what begins at a byte: on lines of its own if nothing precedes it.
pub(super) fn layout_at(text: &str, at: usize) -> Layout {
    let before = &text[line_start(text, at)..at];
    if before.chars().all(char::is_whitespace) {
        Layout::Lines {
            indent: before.to_owned(),
        }
    } else {
        Layout::Inline
    }
}

/// Returns the white space with which a byte's line begins.
pub(super) fn line_indent(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..at];
    &line[..line.len() - line.trim_start().len()]
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1)
}

/// Returns the end of the comments that follow on the same line, or the byte itself.
fn end_of_line_comments(text: &str, from: usize) -> usize {
    let mut end = from;
    loop {
        let rest = &text[end..];
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let comment = &rest[blanks..];
        let length = if comment.starts_with("//") {
            comment.find(['\n', '\r']).unwrap_or(comment.len())
        } else if comment.starts_with("/*") {
            match comment.find("*/").map(|at| at + 2) {
                Some(length) if !comment[..length].contains(['\n', '\r']) => length,
                _ => return end,
            }
        } else {
            return end;
        };
        end += blanks + length;
    }
}

/// Widens a deletion to its whole line if nothing else is there, else to the blanks after it.
fn widen(text: &str, range: Range<usize>) -> Range<usize> {
    let start = line_start(text, range.start);
    let rest = &text[range.end..];
    let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let end = range.end + blanks;
    let ends_line = text[end..].starts_with(['\n', '\r']);
    if ends_line && text[start..range.start].trim().is_empty() {
        let line_end = if text[end..].starts_with("\r\n") {
            2
        } else {
            1
        };
        return start..end + line_end;
    }
    if ends_line {
        return range;
    }
    if text[end..].starts_with(']') {
        // The blanks before the bracket stay; those after the previous child are removed.
        let before = text[start..range.start].trim_end_matches([' ', '\t']);
        return start + before.len()..range.end;
    }
    range.start..end
}
