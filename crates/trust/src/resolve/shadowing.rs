//! Files that interpreters load automatically from the working directory: modules that replace
//! their own, and files that a settings file lists (TR-8, TR-10).

use std::path::Path;

use hookloop_shell::{Command, Input, Language};

use crate::named_file::text_of;
use crate::real_path::real_path;
use crate::resolve::Finder;
use crate::resolve::calls::{Tongue, Use, calls};
use crate::resolve::modules::PYTHON_ENDINGS;
use crate::resolve::scripts::python_imports;
use crate::resolve::start::{PythonCall, PythonTarget};

/// The variable that says the same for every Python started below.
const SAFE_PATH: &str = "PYTHONSAFEPATH";

/// The settings file that bun reads in the working directory, whatever script it runs.
pub const BUN_SETTINGS: &str = "bunfig.toml";

impl Finder<'_> {
    /// Notes what a command would load from the project in the folder where it runs.
    pub(super) fn note_shadowed(&mut self, command: &Command, folder: &Path) {
        let python = PythonCall::of(command.texts_after_program());
        let says_so = command.env.iter().any(|set| set.name == SAFE_PATH)
            || self.hook.env.contains_key(SAFE_PATH);
        if !(python.is_safe() || says_so && python.reads_variables()) {
            self.shadowed_modules(command, python.given, folder);
        }
        if ["bun", "bunx"].contains(&command.program.as_str()) {
            let mut words = command.words_after_program().iter();
            if !words.any(|it| it.text.starts_with("--config")) {
                self.bun_settings(folder);
            }
        }
    }

    /// Notes what would replace modules that a Python without a script imports.
    fn shadowed_modules(&mut self, command: &Command, given: PythonTarget, folder: &Path) {
        let mut names = Vec::new();
        if let Some(code) = &command.code {
            names.extend(imports(code));
        }
        if !is_python(&command.program) {
            return self.modules(&names, folder);
        }
        match given {
            PythonTarget::Module(module) => names.extend(paths_of(&module)),
            // The script is standard input.
            PythonTarget::Nothing => {
                if let Input::File(script) = &command.input {
                    let script = real_path(&folder.join(script));
                    let text = script.and_then(|it| text_of(&it));
                    names.extend(text.iter().flat_map(|it| imports(it)));
                }
            }
            PythonTarget::Script => {}
        }
        self.modules(&names, folder);
    }

    fn modules(&mut self, names: &[String], folder: &Path) {
        for name in names {
            self.imported(name);
            for ending in PYTHON_ENDINGS.into_iter().chain(["/__main__.py"]) {
                self.shadow(&folder.join(format!("{name}{ending}")));
            }
        }
    }

    /// Notes the bun settings in a folder: what they list is loaded before any script.
    pub(super) fn bun_settings(&mut self, folder: &Path) {
        let settings = folder.join(BUN_SETTINGS);
        if real_path(&settings)
            .and_then(|it| text_of(&it))
            .is_none_or(|text| preloads(&text))
        {
            self.shadow(&settings);
        } else {
            self.loads(&settings);
        }
    }

    /// Notes a file that would be loaded: once it exists, the hook isn't what it was.
    fn shadow(&mut self, file: &Path) {
        self.loads(file);
        if let Some(real) = real_path(file)
            && real.is_file()
            && self.is_of_project(&real)
        {
            self.found.shadowing.insert(real);
        }
    }
}

pub(super) fn is_python(program: &str) -> bool {
    Language::from_program(program) == Some(Language::Python)
}

/// Returns the modules that a text imports, by a statement or a call, as paths without extension.
fn imports(code: &str) -> Vec<String> {
    let mut names = python_imports(&code.replace(';', "\n"));
    let calls = calls(code, Tongue::Python).into_iter();
    for call in calls.filter(|it| it.used == Use::Loaded && it.written.contains("import")) {
        names.extend(call.strings.first().iter().flat_map(|it| paths_of(it)));
    }
    names
}

/// Returns the paths of a module and of the packages that are loaded before it.
fn paths_of(module: &str) -> Vec<String> {
    let parts: Vec<&str> = module.split('.').collect();
    (1..=parts.len())
        .map(|end| parts[..end].join("/"))
        .collect()
}

/// Returns whether bun settings list what is loaded before every script: at the top level, because
/// what is in `[test]` is only for tests.
fn preloads(settings: &str) -> bool {
    let lines = settings.lines().map(str::trim);
    let mut top = lines.take_while(|it| !it.starts_with('['));
    top.any(|it| {
        let name = it.split('=').next().unwrap_or_default().trim();
        name.trim_matches(['"', '\'']) == "preload"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TR-8: what a Python text imports is found in every form.
    #[test]
    fn imports_are_found() {
        for code in [
            "import sys; import json",
            "from json import load",
            "__import__('json')",
            "import importlib; importlib.import_module('json')",
            "import json as j, os",
        ] {
            let names = imports(code);
            assert!(names.iter().any(|it| it == "json"), "{code}: {names:?}");
        }
    }

    /// TR-8: bun loads what is at the top level of its settings, and what is for tests only in
    /// tests.
    #[test]
    fn what_bun_loads_first_is_found() {
        for settings in [
            "preload = [\"./a.ts\"]",
            "\"preload\"=['a']\n[test]",
            "x=1\npreload=[]",
        ] {
            assert!(preloads(settings), "{settings}");
        }
        for settings in [
            "",
            "[test]\npreload = [\"./a.ts\"]",
            "# preload = 1",
            "logLevel = \"debug\"",
        ] {
            assert!(!preloads(settings), "{settings}");
        }
    }
}
