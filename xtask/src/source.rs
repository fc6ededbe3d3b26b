//! A Rust file: its text, its syntax, and whether it belongs to the product or to its tests.

use std::collections::HashSet;

use proc_macro2::Span;
use syn::{Attribute, Item, Meta};

/// One Rust file of ours.
#[derive(Debug)]
pub(crate) struct SourceFile {
    /// Path from the workspace's root, with forward slashes.
    pub(crate) path: String,
    /// The whole text.
    pub(crate) text: String,
}

impl SourceFile {
    pub(crate) fn new(path: &str, text: String) -> Self {
        Self {
            path: path.to_owned(),
            text,
        }
    }

    /// Parses the text.
    pub(crate) fn syntax(&self) -> syn::Result<syn::File> {
        syn::parse_file(&self.text)
    }

    /// The folder under `crates/` that the file belongs to, if it is code of the product: neither a
    /// test nor a bench, an example or a build script.
    pub(crate) fn product_crate(&self) -> Option<&str> {
        let (folder, rest) = self.path.strip_prefix("crates/")?.split_once('/')?;
        let inside = rest.strip_prefix("src/")?;
        let test = inside
            .split('/')
            .any(|part| part == "tests" || part == "tests.rs");
        (!test && folder != "testkit").then_some(folder)
    }
}

/// The files that are only under `#[cfg(test)] mod name;` of another file, with all below them.
#[derive(Debug, Default)]
pub(crate) struct TestModules {
    files: HashSet<String>,
    folders: Vec<String>,
}

impl TestModules {
    /// Adds the test modules that `file` declares.
    pub(crate) fn add(&mut self, file: &SourceFile, syntax: &syn::File) {
        let folder = module_folder(&file.path);
        for item in &syntax.items {
            if let Item::Mod(module) = item
                && module.content.is_none()
                && is_for_tests(&module.attrs)
            {
                let base = format!("{folder}/{}", module.ident);
                self.files.insert(format!("{base}.rs"));
                self.folders.push(format!("{base}/"));
            }
        }
    }

    pub(crate) fn contain(&self, path: &str) -> bool {
        self.files.contains(path) || self.folders.iter().any(|folder| path.starts_with(folder))
    }
}

/// The folder in which a file's own modules are.
pub(crate) fn module_folder(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    match name {
        "lib.rs" | "main.rs" | "mod.rs" => folder.to_owned(),
        _ => path.trim_end_matches(".rs").to_owned(),
    }
}

/// Returns whether an item is compiled for tests only: `#[cfg(test)]`, `#[cfg(all(test, …))]`,
/// `#[test]`.
pub(crate) fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let name = attribute
            .path()
            .segments
            .last()
            .map(|segment| segment.ident.to_string());
        match name.as_deref() {
            Some("test") => true,
            Some("cfg") => match &attribute.meta {
                Meta::List(list) => {
                    let text = list.tokens.to_string().replace(' ', "");
                    text == "test" || text.starts_with("all(test,")
                }
                _ => false,
            },
            _ => false,
        }
    })
}

/// The line where a span begins, from 1.
pub(crate) fn line(span: Span) -> usize {
    span.start().line
}

#[cfg(test)]
mod tests;
