//! The values of a command's variables, as far as they are known.

use std::cell::RefCell;

use hookloop_dialects::{foreign_environment, project_folder, project_variables};
use hookloop_hook::{Dialect, EXTENSION_PATH_VARIABLE, HookDeclaration};
use hookloop_settings::nearest;

use super::{FileProbe, Place};

/// The variables that every hook gets (ENV-1).
const OURS: [&str; 5] = [
    "GEMINI_PROJECT_DIR",
    "GEMINI_CWD",
    "GEMINI_SESSION_ID",
    "GEMINI_PLANS_DIR",
    "CLAUDE_PROJECT_DIR",
];

/// The variables that an extension's hooks have (EX-2), as they are written.
const EXTENSION_VARIABLES: [&str; 2] = ["extensionPath", "workspacePath"];

/// The variables of one hook, with those that the text uses.
pub(crate) struct Variables<'a> {
    hook: &'a HookDeclaration,
    place: Place<'a>,
    probe: &'a dyn FileProbe,
    /// Names that are used but not set.
    unset: RefCell<Vec<String>>,
    /// Names whose values come from the environment: they may be a secret.
    inherited: RefCell<Vec<String>>,
}

impl<'a> Variables<'a> {
    pub(crate) fn of(
        hook: &'a HookDeclaration,
        place: Place<'a>,
        probe: &'a dyn FileProbe,
    ) -> Self {
        Self {
            hook,
            place,
            probe,
            unset: RefCell::default(),
            inherited: RefCell::default(),
        }
    }

    /// Returns what a variable contains: an empty text for one that isn't set, as in a shell;
    /// nothing if that can't be known.
    pub(crate) fn look_up(&self, name: &str) -> Option<String> {
        let text = |path: &std::path::Path| Some(path.to_string_lossy().into_owned());
        match name {
            "GEMINI_PROJECT_DIR" | "CLAUDE_PROJECT_DIR" => return text(self.place.root),
            "CLAUDE_PLUGIN_ROOT" | EXTENSION_PATH_VARIABLE
                if name == EXTENSION_PATH_VARIABLE || self.hook.dialect != Dialect::Hookloop =>
            {
                if let Some(extension) = &self.hook.extension {
                    return text(&extension.path);
                }
            }
            "GEMINI_CWD" | "PWD" => return text(self.place.current),
            "HOME" if !self.hook.env.contains_key(name) => return self.probe.home().and_then(text),
            _ => {}
        }
        let is_name = name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
            && name
                .chars()
                .all(|it| it.is_ascii_alphanumeric() || it == '_');
        if !is_name || OURS.contains(&name) || hookloop_shell::is_set_by_shells(name) {
            return None;
        }
        let settings = self.hook.extension.iter().flat_map(|it| &it.settings_env);
        let mut own = settings
            .map(|(name, value)| (name, value))
            .chain(&self.hook.env);
        if let Some((_, value)) = own.rfind(|(own, _)| *own == name) {
            // A value that needs a shell of its own isn't followed.
            return (!value.contains('$')).then(|| value.clone());
        }
        if project_variables(self.hook.dialect).any(|it| it == name) {
            return text(self.place.root);
        }
        if self.is_given_elsewhere(name) {
            return None;
        }
        if let Some(value) = self.probe.variable(name) {
            self.inherited.borrow_mut().push(name.to_owned());
            return Some(value);
        }
        let mut unset = self.unset.borrow_mut();
        if !unset.iter().any(|it| it == name) {
            unset.push(name.to_owned());
        }
        Some(String::new())
    }

    /// Returns whether the hook's settings, or those of its extension, give a variable its value,
    /// the keyring included (EX-3).
    pub(crate) fn is_given(&self, name: &str) -> bool {
        let mut of_extension = self.hook.extension.iter();
        self.hook.env.contains_key(name)
            || of_extension.any(|it| {
                it.in_keyring.iter().any(|it| it == name)
                    || it.settings_env.iter().any(|(own, _)| own == name)
            })
    }

    /// Returns whether a variable may have a value that the text doesn't give it: by settings, the
    /// environment, the agent or the shell.
    pub(crate) fn may_be_set(&self, name: &str) -> bool {
        self.is_given(name)
            || OURS.contains(&name)
            || hookloop_shell::is_set_by_shells(name)
            || self.is_given_elsewhere(name)
            || self.probe.variable(name).is_some()
    }

    /// Returns whether the dialect, or the keyring, gives the variable (FD-14, EX-3).
    fn is_given_elsewhere(&self, name: &str) -> bool {
        let dialect = self.hook.dialect;
        let in_keyring = self.hook.extension.iter().flat_map(|it| &it.in_keyring);
        let of_dialect = || {
            let known = foreign_environment(dialect)
                .iter()
                .any(|it| it.name == name);
            let prefixes = [
                "CLAUDE_", "CURSOR_", "CODEX_", "PLUGIN_", "QWEN_", "COPILOT_",
            ];
            known || prefixes.iter().any(|prefix| name.starts_with(prefix))
        };
        in_keyring.into_iter().any(|it| it == name)
            || (dialect != Dialect::Hookloop && of_dialect())
    }

    /// Returns whether a text that may contain such a value can be shown.
    pub(crate) fn can_be_shown(&self) -> bool {
        self.inherited.borrow().is_empty()
    }

    /// Returns the first variable of a text that isn't set.
    pub(crate) fn unset_in(&self, text: &str) -> Option<String> {
        let unset = self.unset.borrow();
        let mut found = unset.iter().filter(|name| {
            let holds = |form: String| text.contains(&form);
            holds(format!("${name}")) || holds(format!("${{{name}}}"))
        });
        found.next().cloned()
    }

    /// Returns what to write instead of a variable that isn't set, with the right one if there is
    /// one.
    pub(crate) fn remedy(&self, name: &str) -> (String, Option<String>) {
        let is_extension = self.hook.extension.is_some();
        let of_extension = is_extension && name.to_ascii_lowercase().starts_with("ext");
        if of_extension || (is_extension && name == "CLAUDE_PLUGIN_ROOT") {
            let help = "write \"${extensionPath}\", which is the extension's folder";
            return (help.to_owned(), Some("${extensionPath}".to_owned()));
        }
        let near = |names: &[&'static str]| nearest(name, names.iter().copied());
        if is_extension && let Some(meant) = near(&EXTENSION_VARIABLES) {
            let meant = format!("${{{meant}}}");
            return (format!("write \"{meant}\""), Some(meant));
        }
        if let Some(meant) = near(&OURS) {
            let meant = format!("${meant}");
            return (format!("write \"{meant}\""), Some(meant));
        }
        let means_root = ["PROJECT", "ROOT", "WORKSPACE", "REPO"]
            .iter()
            .any(|word| name.to_ascii_uppercase().contains(word));
        let root = project_folder(self.hook.dialect);
        let help = if means_root {
            format!("write \"{root}\", or set {name} in the hook's \"env\"")
        } else {
            format!("set {name} in the hook's \"env\", or write the path from \"{root}\"")
        };
        (help, None)
    }
}
