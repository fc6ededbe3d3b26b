//! Sizes of files, functions and lines of comments.

use std::collections::BTreeSet;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, ImplItemFn, ItemFn, Signature, TraitItemFn};

use crate::source::{SourceFile, line};
use crate::violation::Violation;

/// Lines that a file may have.
const FILE_LINES: usize = 600;

/// Lines that a function may have, from its signature to its closing brace.
const FUNCTION_LINES: usize = 80;

/// Columns that a line of a comment may have: as many as a line of code.
const COMMENT_COLUMNS: usize = 100;

/// The maximum number of lines of the median file; reported, not enforced.
pub(crate) const MEDIAN_GOAL: usize = 150;

/// Checks every file and every function.
pub(crate) fn check(files: &[SourceFile]) -> Vec<Violation> {
    files.iter().flat_map(check_file).collect()
}

/// The number of lines of the median file; of two, the longer.
pub(crate) fn median(files: &[SourceFile]) -> usize {
    let mut lengths: Vec<usize> = files.iter().map(|file| file.text.lines().count()).collect();
    lengths.sort_unstable();
    lengths.get(lengths.len() / 2).copied().unwrap_or_default()
}

fn check_file(file: &SourceFile) -> Vec<Violation> {
    let mut violations = Vec::new();
    let lines = file.text.lines().count();
    if lines > FILE_LINES {
        violations.push(Violation::new(
            &file.path,
            FILE_LINES + 1,
            format!("the file has {lines} lines"),
            format!("at most {FILE_LINES}: split it by what its parts are about"),
        ));
    }
    violations.extend(wide_comments(&file.text).map(|(number, columns)| {
        Violation::new(
            &file.path,
            number,
            format!("a line of a comment has {columns} columns"),
            format!("at most {COMMENT_COLUMNS}: break it"),
        )
    }));
    // Product files that can't be parsed are reported by the purity check.
    let Ok(syntax) = file.syntax() else {
        return violations;
    };
    let mut functions = Functions::default();
    functions.visit_file(&syntax);
    for (begin, name, length) in functions.too_long {
        violations.push(Violation::new(
            &file.path,
            begin,
            format!("function `{name}` has {length} lines"),
            format!("at most {FUNCTION_LINES}: split it"),
        ));
    }
    violations
}

/// Returns the number and the columns of each line of a comment that is too wide and could be
/// broken: rows of tables, targets of links and code can't.
fn wide_comments(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut is_code = false;
    let lines = text.lines().enumerate();
    lines.filter_map(move |(at, line)| {
        let text = line.trim_start().strip_prefix("//");
        let Some(text) = text.map(|it| it.trim_start_matches(['/', '!']).trim_start()) else {
            is_code = false;
            return None;
        };
        if text.starts_with("```") {
            is_code = !is_code;
        }
        let columns = line.chars().count();
        let is_whole = is_code || text.starts_with('|') || text.starts_with('[');
        (columns > COMMENT_COLUMNS && !is_whole).then_some((at + 1, columns))
    })
}

#[derive(Default)]
struct Functions {
    too_long: BTreeSet<(usize, String, usize)>,
}

impl Functions {
    fn measure(&mut self, signature: &Signature, block: &Block) {
        let begin = line(signature.span());
        let length = block.brace_token.span.close().end().line + 1 - begin;
        if length > FUNCTION_LINES {
            self.too_long
                .insert((begin, signature.ident.to_string(), length));
        }
    }
}

impl<'syntax> Visit<'syntax> for Functions {
    fn visit_item_fn(&mut self, function: &'syntax ItemFn) {
        self.measure(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'syntax ImplItemFn) {
        self.measure(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'syntax TraitItemFn) {
        if let Some(block) = &function.default {
            self.measure(&function.sig, block);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

#[cfg(test)]
mod tests;
