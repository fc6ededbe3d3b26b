//! Circles: modules of a crate that need each other.
//!
//! A module and those below it may use each other. Otherwise, no module in a folder may need,
//! directly or through others, one that needs it: such a group can be read, tested and moved only
//! as a whole. The check reads names, like the one for purity; what the crate's root re-exports
//! counts as a name in its original module.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Item, UseTree, Visibility};

use crate::purity::names::names_in;
use crate::source::{SourceFile, TestModules};
use crate::violation::Violation;

/// A module, as the names on the way to it from the crate's root.
type Module = Vec<String>;

/// Where a module names another one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    file: String,
    line: usize,
}

/// Which modules in one folder need which others, with one place for each.
type Needs = BTreeMap<String, BTreeMap<String, Place>>;

/// Returns all circles in the product's code.
pub(crate) fn check(files: &[SourceFile]) -> Vec<Violation> {
    let crates = by_crate(files);
    let circles = crates
        .iter()
        .flat_map(|(folder, files)| circles_of(folder, files));
    circles.collect()
}

fn by_crate(files: &[SourceFile]) -> BTreeMap<&str, Vec<&SourceFile>> {
    let mut crates: BTreeMap<&str, Vec<&SourceFile>> = BTreeMap::new();
    for file in files {
        if let Some(folder) = file.product_crate() {
            crates.entry(folder).or_default().push(file);
        }
    }
    crates
}

/// Returns a violation for each group of modules in one folder that need each other.
fn circles_of(folder: &str, files: &[&SourceFile]) -> Vec<Violation> {
    let needs = needs_of(folder, files);
    let mut violations = Vec::new();
    for (above, needs) in &needs {
        for group in groups(needs) {
            let Some(place) = first_place(needs, &group) else {
                continue;
            };
            let names: Vec<String> = group.iter().map(|name| format!("`{name}`")).collect();
            let within = match above.as_slice() {
                [] => format!("crate `{folder}`"),
                above => format!("`{}` of crate `{folder}`", above.join("::")),
            };
            violations.push(Violation::new(
                &place.file,
                place.line,
                format!("{} of {within} need each other", names.join(", ")),
                "move what they share below them, or merge them",
            ));
        }
    }
    violations
}

/// Collects by folder which modules need which others; test modules don't count.
fn needs_of(folder: &str, files: &[&SourceFile]) -> BTreeMap<Module, Needs> {
    let mut parsed = Vec::new();
    let mut test_modules = TestModules::default();
    for file in files {
        // Files that can't be parsed are reported by the check for purity.
        if let Ok(syntax) = file.syntax() {
            test_modules.add(file, &syntax);
            parsed.push((*file, syntax));
        }
    }
    parsed.retain(|(file, _)| !test_modules.contain(&file.path));
    let modules = Modules::of(folder, &parsed);
    let mut needs: BTreeMap<Module, Needs> = BTreeMap::new();
    for (file, syntax) in &parsed {
        let own = module_of(folder, &file.path);
        for name in names_in(syntax) {
            let Some(other) = modules.resolve_module(&own, name.path()) else {
                continue;
            };
            let shared = own.iter().zip(&other).take_while(|(a, b)| a == b).count();
            // Beside each other, and not one above the other.
            if let (Some(one), Some(another)) = (own.get(shared), other.get(shared)) {
                let place = Place {
                    file: file.path.clone(),
                    line: name.line,
                };
                let of_folder = needs.entry(own[..shared].to_vec()).or_default();
                let of_module = of_folder.entry(one.clone()).or_default();
                of_module.entry(another.clone()).or_insert(place);
            }
        }
    }
    needs
}

/// Returns the module of a file.
fn module_of(folder: &str, path: &str) -> Module {
    let inside = path
        .strip_prefix(&format!("crates/{folder}/src/"))
        .unwrap_or(path);
    let inside = inside.trim_end_matches(".rs");
    let mut module: Module = inside.split('/').map(str::to_owned).collect();
    let is_folder = |name: &String| matches!(name.as_str(), "lib" | "main" | "mod");
    if module.last().is_some_and(is_folder) {
        module.pop();
    }
    module
}

/// The modules of a crate.
struct Modules {
    all: BTreeSet<Module>,
    /// What the root re-exports (`pub use module::Name`): the name, and its origin.
    handed_on: BTreeMap<String, Module>,
}

impl Modules {
    fn of(folder: &str, files: &[(&SourceFile, syn::File)]) -> Self {
        let mut modules = Self {
            all: BTreeSet::new(),
            handed_on: BTreeMap::new(),
        };
        for (file, syntax) in files {
            let module = module_of(folder, &file.path);
            if module.is_empty() {
                modules.add_handed_on(syntax);
            }
            modules.all.insert(module);
        }
        modules
    }

    fn add_handed_on(&mut self, root: &syn::File) {
        for item in &root.items {
            if let Item::Use(used) = item
                && !matches!(used.vis, Visibility::Inherited)
            {
                self.unfold(&Module::new(), &used.tree);
            }
        }
    }

    fn unfold(&mut self, from: &Module, tree: &UseTree) {
        let name = match tree {
            UseTree::Path(path) => {
                let mut from = from.clone();
                let word = path.ident.to_string();
                if !matches!(word.as_str(), "crate" | "self") {
                    from.push(word);
                }
                return self.unfold(&from, &path.tree);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.unfold(from, tree);
                }
                return;
            }
            UseTree::Name(name) => &name.ident,
            UseTree::Rename(renamed) => &renamed.rename,
            UseTree::Glob(_) => return,
        };
        self.handed_on.insert(name.to_string(), from.clone());
    }

    /// Returns the module that contains a name, if it is one of this crate's.
    fn resolve_module(&self, own: &[String], name: &str) -> Option<Module> {
        let mut words = name.split("::").peekable();
        let above = match words.next()? {
            "crate" => Module::new(),
            "self" => own.to_vec(),
            "super" => {
                let mut above = own.to_vec();
                above.pop();
                while words.next_if_eq(&"super").is_some() {
                    above.pop();
                }
                above
            }
            _ => return None,
        };
        let next = words.peek().copied().unwrap_or_default();
        let at = self.innermost_module(above, words);
        match self.handed_on.get(next) {
            Some(from) if at.is_empty() => {
                Some(self.innermost_module(Module::new(), from.iter().map(String::as_str)))
            }
            _ => Some(at),
        }
    }

    /// Descends from a module as far as the words name modules.
    fn innermost_module<'w>(&self, mut at: Module, words: impl Iterator<Item = &'w str>) -> Module {
        for word in words {
            at.push(word.to_owned());
            if !self.all.contains(&at) {
                at.pop();
                break;
            }
        }
        at
    }
}

/// Returns the groups of modules that need each other, directly or through others.
fn groups(needs: &Needs) -> Vec<BTreeSet<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> = needs
        .keys()
        .map(|name| (name, reachable_from(name, needs)))
        .collect();
    let mut groups: Vec<BTreeSet<String>> = Vec::new();
    for (name, reaches) in &reached {
        if !reaches.contains(name) || groups.iter().any(|group| group.contains(*name)) {
            continue;
        }
        let back = |other: &&&String| {
            reached
                .get(**other)
                .is_some_and(|reaches| reaches.contains(name))
        };
        groups.push(
            reaches
                .iter()
                .filter(back)
                .map(|it| (*it).clone())
                .collect(),
        );
    }
    groups
}

fn reachable_from<'a>(name: &str, needs: &'a Needs) -> BTreeSet<&'a String> {
    let mut reached = BTreeSet::new();
    let mut left: Vec<&String> = needs
        .get(name)
        .into_iter()
        .flat_map(BTreeMap::keys)
        .collect();
    while let Some(next) = left.pop() {
        if reached.insert(next) {
            left.extend(needs.get(next).into_iter().flat_map(BTreeMap::keys));
        }
    }
    reached
}

fn first_place<'a>(needs: &'a Needs, group: &BTreeSet<String>) -> Option<&'a Place> {
    let of_group = needs.iter().filter(|(name, _)| group.contains(*name));
    let mut places = of_group.flat_map(|(_, needed)| needed);
    places.find_map(|(name, place)| group.contains(name).then_some(place))
}

#[cfg(test)]
mod tests;
