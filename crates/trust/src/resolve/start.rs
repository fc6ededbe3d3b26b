//! A program start, as far as the words around it show what the program reads.

use std::path::Path;

use hookloop_shell::Assignment;

/// Letters of options that take no value.
const FLAGS: &str = "bBdEhiIOPqsSuvVx?";

/// A program that starts.
pub(super) struct Start<'a> {
    /// The program, as the shell would look it up.
    pub(super) invoked: &'a str,
    pub(super) folder: &'a Path,
    /// What follows it, if it is Python.
    pub(super) python: PythonCall,
    /// The assignments in front of it.
    env: &'a [Assignment],
}

impl<'a> Start<'a> {
    pub(super) fn of(invoked: &'a str, folder: &'a Path) -> Self {
        let python = PythonCall::of(std::iter::empty());
        Self {
            invoked,
            folder,
            python,
            env: &[],
        }
    }

    pub(super) fn with_words<'w>(self, words: impl Iterator<Item = &'w str>) -> Self {
        let python = PythonCall::of(words);
        Self { python, ..self }
    }

    pub(super) fn with_env(self, env: &'a [Assignment]) -> Self {
        Self { env, ..self }
    }

    pub(super) fn program(&self) -> &'a str {
        self.invoked.rsplit('/').next().unwrap_or_default()
    }

    /// Returns what a variable is set to in front of it.
    pub(super) fn variable_value(&self, name: &str) -> Option<&str> {
        let mut known = self.env.iter().filter(|it| it.value.known);
        let set = known.find(|it| it.name == name)?;
        Some(&set.value.text)
    }
}

/// What Python has to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PythonTarget {
    Module(String),
    Script,
    Nothing,
}

/// What follows Python, if it belongs to Python: not the words of its script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PythonCall {
    pub(super) given: PythonTarget,
    /// The letters of its options.
    letters: String,
}

impl PythonCall {
    /// Reads the words after Python; program text is a command's own.
    pub(super) fn of<'w>(mut words: impl Iterator<Item = &'w str>) -> Self {
        let mut letters = String::new();
        let given = loop {
            let Some(word) = words.next() else {
                break PythonTarget::Nothing;
            };
            let cluster = match word.strip_prefix('-') {
                Some("") => break PythonTarget::Nothing,
                Some("-") | None => break PythonTarget::Script,
                Some(cluster) => cluster,
            };
            if cluster == "-check-hash-based-pycs" {
                words.next();
                continue;
            }
            let rest = cluster.trim_start_matches(|it: char| FLAGS.contains(it));
            letters.push_str(&cluster[..cluster.len() - rest.len()]);
            if ["W", "X"].contains(&rest) {
                words.next();
            } else if let Some(module) = rest.strip_prefix('m') {
                let behind = if module.is_empty() {
                    words.next()
                } else {
                    Some(module)
                };
                let is_name = |it: &&str| {
                    it.chars()
                        .all(|it| it.is_alphanumeric() || "_.".contains(it))
                };
                break match behind.filter(is_name) {
                    Some(module) => PythonTarget::Module(module.to_owned()),
                    None => PythonTarget::Script,
                };
            } else if rest.starts_with('c') {
                break PythonTarget::Script;
            }
        };
        Self { given, letters }
    }

    fn has(&self, letters: &[char]) -> bool {
        self.letters.contains(letters)
    }

    /// Returns whether it looks for modules neither in the working directory nor beside its script.
    pub(super) fn is_safe(&self) -> bool {
        self.has(&['I', 'P'])
    }

    /// Returns whether the variables whose names begin with `PYTHON` count. (`PYTHONUSERBASE`
    /// always does.)
    pub(super) fn reads_variables(&self) -> bool {
        !self.has(&['I', 'E'])
    }

    pub(super) fn reads_site(&self) -> bool {
        !self.has(&['S'])
    }

    pub(super) fn reads_user_site(&self) -> bool {
        !self.has(&['I', 's', 'S'])
    }
}
