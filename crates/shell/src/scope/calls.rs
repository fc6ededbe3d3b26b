//! What is local to functions, and what a shell passes to its children.

use crate::scope::Scope;
use crate::understood::Word;
use crate::wrappers::Removal;

/// Variables that are exported by default.
const ALWAYS_HANDED_ON: [&str; 4] = ["HOME", "PATH", "PWD", "OLDPWD"];

/// A local variable of a function.
#[derive(Debug, Clone)]
pub(crate) struct Local {
    /// Whether it certainly is local.
    is_certain: bool,
    /// What its name means outside of the function.
    outside: Meaning,
}

/// What the name of a variable means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Meaning {
    /// The text set it.
    is_set: bool,
    /// Its value, if that is known.
    value: Option<String>,
    elements: Option<Vec<Word>>,
    is_glob: bool,
    is_exported: bool,
}

/// How certain it is that something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Certainty {
    /// Certain.
    Certain,
    /// Possible.
    Perhaps,
}

impl Scope<'_> {
    fn meaning(&self, name: &str) -> Meaning {
        Meaning {
            is_set: self.variables.contains_key(name),
            value: self.variables.get(name).cloned().flatten(),
            elements: self.arrays.get(name).cloned(),
            is_glob: self.globs.contains(name),
            is_exported: self.exported.contains(name),
        }
    }

    /// Records that a function has its own variable from here on: the current meaning of its name
    /// returns after the function.
    pub(crate) fn localise(&mut self, name: &str, certainty: Certainty) {
        if !self.locals.contains_key(name) {
            let local = Local {
                is_certain: certainty == Certainty::Certain,
                outside: self.meaning(name),
            };
            self.locals.insert(name.to_owned(), local);
        }
    }

    /// Leaves a function: its own variables mean again what they meant before. One whose value
    /// isn't what it is set to, or that was unset, may have been either.
    pub(crate) fn leave_function(&mut self, before: Self) {
        self.positional = before.positional;
        for (name, local) in std::mem::replace(&mut self.locals, before.locals) {
            let is_same = self.meaning(&name) == local.outside;
            self.arrays.remove(&name);
            self.globs.remove(&name);
            self.variables.remove(&name);
            self.exported.remove(&name);
            let Meaning {
                is_set,
                value,
                elements,
                is_glob,
                is_exported,
            } = local.outside;
            if !local.is_certain && !is_same {
                self.variables.insert(name, None);
                continue;
            }
            self.arrays
                .extend(elements.map(|elements| (name.clone(), elements)));
            self.globs.extend(is_glob.then(|| name.clone()));
            self.exported.extend(is_exported.then(|| name.clone()));
            self.variables.extend(is_set.then_some((name, value)));
        }
        for name in &self.shaped {
            self.arrays.remove(name);
            self.globs.remove(name);
            self.variables.insert(name.clone(), None);
        }
    }

    /// Adopts which variables may be local to a function.
    pub(super) fn merge_locals(&mut self, other: &Self) {
        for (name, local) in &other.locals {
            let here = self.locals.entry(name.clone()).or_insert_with(|| Local {
                is_certain: false,
                outside: local.outside.clone(),
            });
            here.is_certain &= local.is_certain && here.outside == local.outside;
        }
        for (name, local) in &mut self.locals {
            local.is_certain &= other.locals.contains_key(name);
        }
    }

    /// Records that a variable is exported to what is started.
    pub(crate) fn export(&mut self, name: &str) {
        self.kept_back.remove(name);
        self.exported.insert(name.to_owned());
    }

    /// Records that a variable isn't exported any more.
    pub(crate) fn keep_back(&mut self, name: &str) {
        self.exported.remove(name);
        self.kept_back.insert(name.to_owned());
    }

    fn is_handed_on(&self, name: &str) -> bool {
        let is_given = || {
            let given = self.around.variables.and_then(|look_up| look_up(name));
            given.is_some_and(|it| !it.is_empty()) || ALWAYS_HANDED_ON.contains(&name)
        };
        self.exports_all
            || self.exported.contains(name)
            || !self.kept_back.contains(name) && is_given()
    }

    /// Adopts which variables a program doesn't pass on.
    pub(crate) fn lose(&mut self, removed: &Removal) {
        match removed {
            Removal::Nothing => {}
            Removal::These(names) => {
                for name in names {
                    self.set_named(name, None);
                }
            }
            Removal::Own => self.variables.values_mut().for_each(|it| *it = None),
            Removal::All => self.forget(),
        }
    }

    /// Adopts the effects of something that may happen at any time: a trap.
    pub(crate) fn merge_trap(&mut self, inner: &Self) {
        let names = inner.variables.keys().chain(self.variables.keys());
        let changed = names.filter(|it| inner.variables.get(*it) != self.variables.get(*it));
        let changed: Vec<String> = changed.cloned().collect();
        for name in changed {
            self.shape(&name);
        }
        if inner.folders != self.folders {
            self.other_folders = true;
            self.move_to(Vec::new());
        }
        self.merge(inner);
    }

    /// Returns what a shell that this one starts knows: nothing about variables that aren't
    /// exported, and functions may exist or not.
    pub(crate) fn for_child(&self) -> Self {
        let mut child = self.clone();
        for (name, value) in &mut child.variables {
            if !self.is_handed_on(name) {
                *value = None;
            }
        }
        for name in child.arrays.drain().map(|(name, _)| name) {
            child.variables.insert(name, None);
        }
        child.globs.clear();
        child.locals.clear();
        child.doubtful.extend(child.functions.keys().cloned());
        child
    }
}
