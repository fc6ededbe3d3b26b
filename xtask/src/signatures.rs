//! Signatures: a caller must be able to read what it passes, so a public function takes neither a
//! bare `true` nor a tuple.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{FnArg, ImplItemFn, ItemFn, ItemTrait, Signature, TraitItem, Type, Visibility};

use crate::source::{SourceFile, line};
use crate::violation::Violation;

/// Returns the parameters of public functions that are truth values or tuples.
pub(crate) fn check(files: &[SourceFile]) -> Vec<Violation> {
    let product = files.iter().filter(|it| it.product_crate().is_some());
    product.flat_map(check_file).collect()
}

fn check_file(file: &SourceFile) -> Vec<Violation> {
    // Product files that can't be parsed are reported by the purity check.
    let Ok(syntax) = file.syntax() else {
        return Vec::new();
    };
    let mut found = Parameters::default();
    found.visit_file(&syntax);
    let violation = |it: Unreadable| {
        Violation::new(
            &file.path,
            it.line,
            format!("public function `{}` takes {}", it.function, it.what),
            it.remedy.to_owned(),
        )
    };
    found.unreadable.into_iter().map(violation).collect()
}

/// A parameter whose value says nothing where the function is called.
struct Unreadable {
    line: usize,
    function: String,
    what: &'static str,
    remedy: &'static str,
}

#[derive(Default)]
struct Parameters {
    unreadable: Vec<Unreadable>,
}

impl Parameters {
    fn judge(&mut self, signature: &Signature) {
        let typed = signature.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(parameter) => Some(&*parameter.ty),
            FnArg::Receiver(_) => None,
        });
        for parameter in typed {
            let (what, remedy) = match referenced(parameter) {
                Type::Path(path) if path.path.is_ident("bool") => {
                    ("a truth value", "take an enum whose variants have names")
                }
                Type::Tuple(tuple) if !tuple.elems.is_empty() => {
                    ("a tuple", "take a struct whose fields have names")
                }
                _ => continue,
            };
            self.unreadable.push(Unreadable {
                line: line(parameter.span()),
                function: signature.ident.to_string(),
                what,
                remedy,
            });
        }
    }
}

/// Returns the type that a parameter's type refers to.
fn referenced(parameter: &Type) -> &Type {
    match parameter {
        Type::Reference(reference) => referenced(&reference.elem),
        other => other,
    }
}

impl<'syntax> Visit<'syntax> for Parameters {
    fn visit_item_fn(&mut self, function: &'syntax ItemFn) {
        if matches!(function.vis, Visibility::Public(_)) {
            self.judge(&function.sig);
        }
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'syntax ImplItemFn) {
        if matches!(function.vis, Visibility::Public(_)) {
            self.judge(&function.sig);
        }
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_item_trait(&mut self, port: &'syntax ItemTrait) {
        if matches!(port.vis, Visibility::Public(_)) {
            for item in &port.items {
                if let TraitItem::Fn(function) = item {
                    self.judge(&function.sig);
                }
            }
        }
        visit::visit_item_trait(self, port);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        let files = [SourceFile::new(path, text.to_owned())];
        check(&files).iter().map(ToString::to_string).collect()
    }

    /// A truth value or a tuple is found wherever the function is public.
    #[test]
    fn public_functions_take_named_values() {
        for text in [
            "pub fn a(is_b: bool) {}",
            "pub fn a(b: u8, c: &(u8, u8)) {}",
            "pub struct A; impl A { pub async fn a(&self, is_b: bool) {} }",
            "pub mod a { pub fn a(b: (u8, u8)) {} }",
            "pub trait A { fn a(&self, is_b: &bool); }",
        ] {
            let found = found("crates/x/src/a.rs", text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert!(found[0].starts_with("crates/x/src/a.rs:1: "), "{found:?}");
        }
    }

    /// What only a crate or a test calls may be shorter, and what is returned is no parameter.
    #[test]
    fn other_functions_take_what_they_like() {
        for text in [
            "fn a(is_b: bool) {}",
            "pub(crate) fn a(is_b: bool) {}",
            "pub fn a(b: impl Fn(bool) -> bool, c: ()) -> (u8, bool) { (0, b(true)) }",
            "impl Port for A { fn a(&self, is_b: bool) {} }",
            "trait A { fn a(&self, is_b: bool); }",
        ] {
            assert_eq!(found("crates/x/src/a.rs", text), Vec::<String>::new());
        }
        let text = "pub fn a(is_b: bool) {}";
        assert_eq!(found("crates/x/tests/a.rs", text), Vec::<String>::new());
    }
}
