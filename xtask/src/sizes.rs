//! Sizes of files and functions.

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
