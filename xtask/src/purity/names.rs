//! Every path that a file's product code names, written in full.

use std::collections::HashMap;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItemFn, Item, ItemUse, Macro, Path, UseTree};

use crate::source::{is_for_tests, line};

/// A name as it is in the code.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// The path in full, or the macro's name with its `!`.
    path: String,
    /// Whether everything below the path is imported (`use path::*`).
    glob: bool,
    /// Line, from 1.
    pub(crate) line: usize,
}

impl Named {
    /// The path in full.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Returns whether the name is `forbidden`, is below it, or imports it with a `*`.
    pub(crate) fn reaches(&self, forbidden: &str) -> bool {
        is_at_or_below(&self.path, forbidden)
            || (self.glob && is_at_or_below(forbidden, &self.path))
    }
}

fn is_at_or_below(path: &str, ancestor: &str) -> bool {
    path.strip_prefix(ancestor)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// Collects the names of a file, without what is compiled only for tests.
pub(crate) fn names_in(syntax: &syn::File) -> Vec<Named> {
    let mut uses = Uses::default();
    uses.visit_file(syntax);
    let mut collector = Collector {
        aliases: uses.aliases,
        names: uses.names,
    };
    collector.visit_file(syntax);
    collector.names
}

/// First pass: what the `use` declarations import, and under which names.
#[derive(Default)]
struct Uses {
    aliases: HashMap<String, String>,
    names: Vec<Named>,
}

impl Uses {
    fn unfold(&mut self, prefix: &str, tree: &UseTree) {
        let join = |name: &str| {
            if prefix.is_empty() {
                name.to_owned()
            } else {
                format!("{prefix}::{name}")
            }
        };
        match tree {
            UseTree::Path(path) => self.unfold(&join(&path.ident.to_string()), &path.tree),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.unfold(prefix, tree);
                }
            }
            UseTree::Glob(glob) => {
                let line = line(glob.star_token.spans[0]);
                self.names.push(Named {
                    path: prefix.to_owned(),
                    glob: true,
                    line,
                });
            }
            UseTree::Name(name) => {
                let ident = name.ident.to_string();
                let path = if ident == "self" {
                    prefix.to_owned()
                } else {
                    join(&ident)
                };
                let alias = path.rsplit("::").next().unwrap_or_default().to_owned();
                self.bring_in(path, alias, line(name.ident.span()));
            }
            UseTree::Rename(rename) => {
                let ident = rename.ident.to_string();
                let path = if ident == "self" {
                    prefix.to_owned()
                } else {
                    join(&ident)
                };
                self.bring_in(path, rename.rename.to_string(), line(rename.ident.span()));
            }
        }
    }

    fn bring_in(&mut self, path: String, alias: String, line: usize) {
        if path != alias {
            self.aliases.insert(alias, path.clone());
        }
        self.names.push(Named {
            path,
            glob: false,
            line,
        });
    }
}

impl<'syntax> Visit<'syntax> for Uses {
    fn visit_item(&mut self, item: &'syntax Item) {
        if !is_for_tests(attributes_of(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'syntax ItemUse) {
        self.unfold("", &item.tree);
    }
}

/// Second pass: paths in the code and in the arguments of macros.
struct Collector {
    aliases: HashMap<String, String>,
    names: Vec<Named>,
}

impl Collector {
    fn push(&mut self, segments: &[String], line: usize) {
        let Some((first, rest)) = segments.split_first() else {
            return;
        };
        let mut path = self.aliases.get(first).unwrap_or(first).clone();
        for segment in rest {
            path.push_str("::");
            path.push_str(segment);
        }
        self.names.push(Named {
            path,
            glob: false,
            line,
        });
    }

    fn push_macro(&mut self, name: &str, arguments: &TokenStream, line: usize) {
        // What Cargo sets about the package itself isn't a property of the environment.
        let arguments = arguments.to_string();
        let is_of_build = ["\"CARGO_PKG_", "\"OUT_DIR\""]
            .iter()
            .any(|it| arguments.starts_with(it));
        if !is_of_build {
            self.names.push(Named {
                path: format!("{name}!"),
                glob: false,
                line,
            });
        }
    }

    /// Reads paths from tokens that no parser knows: identifiers joined by `::`.
    fn search(&mut self, tokens: TokenStream) {
        let mut segments: Vec<String> = Vec::new();
        let mut begin = 0;
        let mut joined = false;
        let mut macro_name: Option<String> = None;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if !joined {
                        self.push(&segments, begin);
                        segments.clear();
                        begin = line(ident.span());
                    }
                    segments.push(ident.to_string());
                    joined = false;
                    macro_name = None;
                }
                TokenTree::Punct(punct) => {
                    joined = punct.as_char() == ':';
                    macro_name = (punct.as_char() == '!')
                        .then(|| segments.last().cloned())
                        .flatten();
                    if !joined {
                        self.push(&segments, begin);
                        segments.clear();
                    }
                }
                TokenTree::Group(group) => {
                    self.push(&segments, begin);
                    segments.clear();
                    joined = false;
                    if let Some(name) = macro_name.take() {
                        self.push_macro(&name, &group.stream(), begin);
                    }
                    self.search(group.stream());
                }
                TokenTree::Literal(_) => joined = false,
            }
        }
        self.push(&segments, begin);
    }
}

impl<'syntax> Visit<'syntax> for Collector {
    fn visit_item(&mut self, item: &'syntax Item) {
        if !is_for_tests(attributes_of(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, _: &'syntax ItemUse) {}

    fn visit_impl_item_fn(&mut self, function: &'syntax ImplItemFn) {
        if !is_for_tests(&function.attrs) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_attribute(&mut self, _: &'syntax Attribute) {}

    fn visit_path(&mut self, path: &'syntax Path) {
        let segments: Vec<String> = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string())
            .collect();
        if let Some(first) = path.segments.first() {
            self.push(&segments, line(first.ident.span()));
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'syntax Macro) {
        if let Some(last) = call.path.segments.last() {
            self.push_macro(
                &last.ident.to_string(),
                &call.tokens,
                line(last.ident.span()),
            );
        }
        self.search(call.tokens.clone());
    }
}

fn attributes_of(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
