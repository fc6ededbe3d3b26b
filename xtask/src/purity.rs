//! Purity: which crate may name which part of the outside world.
//!
//! The check reads names, not types: `use` declarations are unfolded, names that a file brought in
//! are resolved, and the tokens of macro calls are searched for paths as well.

pub(crate) mod names;

use crate::source::{SourceFile, TestModules};
use crate::violation::Violation;
use names::{Named, names_in};

/// The crates to which a rule applies.
enum Scope {
    /// In these crates only.
    In(&'static [&'static str]),
    /// In every crate except these.
    NotIn(&'static [&'static str]),
}

/// Names that the crates of a scope must not use.
struct Rule {
    scope: Scope,
    forbidden: &'static [&'static str],
    right: &'static str,
}

const RULES: &[Rule] = &[
    Rule {
        scope: Scope::In(&["events", "dialects", "bridge", "shell", "rules"]),
        forbidden: &[
            "tokio",
            "std::env",
            "std::fs",
            "std::process",
            "std::time::Instant",
            "std::time::SystemTime",
        ],
        right: "this crate is pure: take the value as an argument",
    },
    Rule {
        scope: Scope::In(&["engine"]),
        forbidden: &[
            "std::env",
            "std::fs",
            "std::process",
            "tokio::fs",
            "tokio::process",
        ],
        right: "the engine makes no calls to the system: go through a port",
    },
    Rule {
        // A program that confines itself enters its folder again.
        scope: Scope::NotIn(&[
            "cli",
            "environment",
            "events",
            "dialects",
            "engine",
            "sandbox",
        ]),
        forbidden: &[
            "std::env::args",
            "std::env::args_os",
            "std::env::current_dir",
            "std::env::home_dir",
            "std::env::remove_var",
            "std::env::set_current_dir",
            "std::env::set_var",
            "std::env::temp_dir",
            "std::env::var",
            "std::env::var_os",
            "std::env::vars",
            "std::env::vars_os",
            "env!",
            "option_env!",
        ],
        right: "only `cli` reads the environment: take the value as an argument",
    },
    Rule {
        scope: Scope::NotIn(&[
            "process", "exec", "tools", "mcp", "events", "dialects", "engine", "sandbox",
        ]),
        forbidden: &["std::process::Command", "tokio::process::Command"],
        right: "`process` starts programs, for `exec`, `tools` and `mcp`: go through them",
    },
    Rule {
        // Somebody may have put a pipe in a file's place: reading it would never end (TR-10).
        scope: Scope::In(READ_BOUNDED),
        forbidden: &[
            "std::fs::read",
            "std::fs::read_to_string",
            "std::fs::File::open",
        ],
        right: "`hookloop_settings::bounded` reads files, whatever they really are",
    },
    Rule {
        scope: Scope::In(READ_BOUNDED),
        forbidden: &[
            "std::fs::File::create",
            "std::fs::File::options",
            "std::fs::OpenOptions::new",
        ],
        right: "open the file with `hookloop_settings::bounded::unwaiting_options`",
    },
];

/// The crates that open the files of a person, a project or an agent.
const READ_BOUNDED: &[&str] = &[
    "acp",
    "agent",
    "bridging",
    "dashboard",
    "exec",
    "extensions",
    "host",
    "keyring",
    "manage",
    "mcp",
    "plugins",
    "session",
    "tools",
    "trace",
    "trust",
    "tui",
];

/// Checks the product's code; tests, benches, examples and build scripts may use everything.
pub(crate) fn check(files: &[SourceFile]) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut parsed = Vec::new();
    let mut test_modules = TestModules::default();
    for file in files {
        let Some(folder) = file.product_crate() else {
            continue;
        };
        match file.syntax() {
            Ok(syntax) => {
                test_modules.add(file, &syntax);
                parsed.push((file, folder, syntax));
            }
            Err(error) => violations.push(Violation::new(
                &file.path,
                error.span().start().line,
                format!("the file can't be parsed: {error}"),
                "every file must be valid Rust",
            )),
        }
    }
    for (file, folder, syntax) in &parsed {
        if !test_modules.contain(&file.path) {
            violations.extend(check_names(&file.path, folder, &names_in(syntax)));
        }
    }
    violations
}

fn check_names(path: &str, folder: &str, names: &[Named]) -> Vec<Violation> {
    let rules: Vec<&Rule> = RULES
        .iter()
        .filter(|rule| rule.scope.covers(folder))
        .collect();
    let mut violations = Vec::new();
    for name in names {
        for rule in &rules {
            if let Some(forbidden) = rule.forbidden.iter().find(|entry| name.reaches(entry)) {
                let wrong = format!("crate `{folder}` uses `{forbidden}`");
                violations.push(Violation::new(path, name.line, wrong, rule.right));
            }
        }
    }
    violations.dedup();
    violations
}

impl Scope {
    fn covers(&self, folder: &str) -> bool {
        match self {
            Self::In(folders) => folders.contains(&folder),
            Self::NotIn(folders) => !folders.contains(&folder),
        }
    }
}

#[cfg(test)]
mod tests;
