//! What is local to functions, and what a shell passes to its children.

use crate::scope::Scope;
use crate::understood::Word;
use crate::wrappers::RemovedVariables;

/// Variables that are handed on unless somebody says otherwise.
const ALWAYS_HANDED_ON: [&str; 4] = ["HOME", "PATH", "PWD", "OLDPWD"];

/// A variable that a function has for itself.
#[derive(Debug, Clone)]
pub(crate) struct Local {
    /// Whether it certainly has.
    is_certain: bool,
    /// What its name means outside of the function.
    outside: Meaning,
}

/// What the name of a variable means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Meaning {
    /// The text set it.
    is_set: bool,
    /// Its value, where that is known.
    value: Option<String>,
    elements: Option<Vec<Word>>,
    is_glob: bool,
    is_exported: bool,
}

/// How sure it is that something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Certainty {
    /// It is.
    Certain,
    /// It may be.
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

    /// Notes that a function has a variable for itself from here on: what its name means now is what it means
    /// again behind the function.
    pub(crate) fn localise(&mut self, name: &str, certainty: Certainty) {
        if !self.locals.contains_key(name) {
            let local = Local {
                is_certain: certainty == Certainty::Certain,
                outside: self.meaning(name),
            };
            self.locals.insert(name.to_owned(), local);
        }
    }

    /// Leaves a function: its own variables are again what they were before. One whose value isn't what it is
    /// set to, or that was taken away, may have been either.
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

    /// Takes over which variables a function may have for itself.
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

    /// Notes that a variable is handed on to what is started.
    pub(crate) fn export(&mut self, name: &str) {
        self.kept_back.remove(name);
        self.exported.insert(name.to_owned());
    }

    /// Notes that a variable isn't handed on any more.
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

    /// Takes in which variables a program doesn't hand on.
    pub(crate) fn lose(&mut self, taken: &RemovedVariables) {
        match taken {
            RemovedVariables::Nothing => {}
            RemovedVariables::These(names) => {
                for name in names {
                    self.set_named(name, None);
                }
            }
            RemovedVariables::Own => self.variables.values_mut().for_each(|it| *it = None),
            RemovedVariables::All => self.forget(),
        }
    }

    /// Takes in what something does that may come at any time: a trap.
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

    /// Returns what a shell knows that this one starts: of variables that aren't handed on it knows nothing, and
    /// functions may be there or not.
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
