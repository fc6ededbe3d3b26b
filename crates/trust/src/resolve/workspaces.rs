//! Workspace packages in which a runner also looks for scripts: `npm run x -w pk`, `pnpm --filter
//! pk x` (TR-8).

use std::path::{Path, PathBuf};

use hookloop_shell::{Members, Runner};
use serde_json::Value;

use crate::named_file::text_of;
use crate::real_path::real_path;
use crate::resolve::Finder;

/// How many packages of a workspace are examined.
const MAX_MEMBERS: usize = 256;

/// How deep `**` goes.
const MAX_DEPTH: usize = 4;

/// The manifest of a package.
const DESCRIPTION: &str = "package.json";

/// The manifest of a pnpm workspace.
const PNPM_MANIFEST: &str = "pnpm-workspace.yaml";

impl Finder<'_> {
    /// Adds the scripts of those packages of a workspace in which a runner looks for them.
    pub(super) fn in_members(&mut self, runner: &Runner, folder: &Path) {
        let settings_files = || {
            let above = self.ancestors(folder).into_iter();
            let home = self.ground.surroundings.home.iter().cloned();
            let settings = above.chain(home).map(|it| it.join(".npmrc"));
            let mut texts = settings.filter_map(|it| text_of(&real_path(&it)?));
            texts.any(|it| {
                it.lines()
                    .any(|it| it.trim_start().starts_with("workspace"))
            })
        };
        let wanted = match &runner.members {
            Members::None if settings_files() => &Members::All,
            Members::None => return,
            wanted => wanted,
        };
        let tops: Vec<PathBuf> = self.ancestors(folder);
        for top in tops {
            let (members, is_cut) = members_of(&top);
            if is_cut {
                let shown = top.display();
                self.unpinned(format!("{shown} has more packages than are watched"));
            }
            for member in members {
                if is_wanted(wanted, &member, &top, folder) {
                    self.in_member(runner, &member);
                }
            }
        }
        if let Members::Named(names) = wanted {
            for name in names {
                let named = folder.join(name);
                if named.join(DESCRIPTION).is_file() {
                    self.in_member(runner, &named);
                }
            }
        }
    }

    fn in_member(&mut self, runner: &Runner, member: &Path) {
        self.tells(&member.join(DESCRIPTION), &runner.tasks);
        self.tells(&member.join(".npmrc"), &runner.tasks);
        // Each package has its own search path.
        let before = self.searched_first.len();
        let searched = runner.searched.iter().map(|it| member.join(it));
        self.searched_first.extend(searched);
        for program in ["sh", "node"] {
            self.rivals_of(program, member);
        }
        for name in &runner.tasks {
            self.package_script(name, member);
            self.installed_program(name, member);
        }
        self.searched_first.truncate(before);
    }
}

/// Returns whether a package is one of those that are meant: by its name, its folder, or a folder
/// above.
fn is_wanted(wanted: &Members, member: &Path, top: &Path, folder: &Path) -> bool {
    let Members::Named(names) = wanted else {
        return *wanted == Members::All;
    };
    let text = text_of(&member.join(DESCRIPTION));
    let described: Option<Value> = text.and_then(|it| serde_json::from_str(&it).ok());
    let own = described.as_ref().and_then(|it| it.get("name")?.as_str());
    names.iter().any(|name| {
        let bare = name.trim_matches(['.', '/']);
        let is_below =
            |from: &Path| real_path(&from.join(name)).is_some_and(|it| member.starts_with(it));
        // pnpm and bun also accept the name without its scope.
        own.is_some_and(|own| own == name || own.rsplit('/').next() == Some(bare))
            || is_below(top)
            || is_below(folder)
    })
}

/// Returns the packages' folders of the workspace that a folder is, and whether there are more.
fn members_of(top: &Path) -> (Vec<PathBuf>, bool) {
    let text = text_of(&top.join(DESCRIPTION));
    let described: Option<Value> = text.and_then(|it| serde_json::from_str(&it).ok());
    let workspaces = described.as_ref().and_then(|it| it.get("workspaces"));
    let list = workspaces.and_then(|it| it.as_array().or_else(|| it.get("packages")?.as_array()));
    let patterns = list.into_iter().flatten().filter_map(Value::as_str);
    let mut patterns: Vec<String> = patterns.map(str::to_owned).collect();
    let of_pnpm = text_of(&top.join(PNPM_MANIFEST)).unwrap_or_default();
    // All lists in the YAML file are read: elements that aren't folders have no effect.
    let lines = of_pnpm.lines().map(str::trim);
    let elements =
        lines.flat_map(|it| it.split(['[', ',', ']']).map(str::trim).collect::<Vec<_>>());
    let elements = elements.map(|it| it.trim_start_matches('-').trim().trim_matches(['\'', '"']));
    patterns.extend(
        elements
            .filter(|it| !it.is_empty() && !it.ends_with(':'))
            .map(str::to_owned),
    );
    let mut found: Vec<PathBuf> = Vec::new();
    for pattern in patterns.iter().filter(|it| !it.starts_with('!')) {
        let parts: Vec<&str> = pattern
            .split('/')
            .filter(|it| !it.is_empty() && *it != ".")
            .collect();
        find_matching(top, &parts, MAX_DEPTH, &mut found);
    }
    let is_cut = found.len() >= MAX_MEMBERS;
    let real = found.into_iter().filter_map(|it| real_path(&it));
    let mut real: Vec<PathBuf> = real.collect();
    real.sort();
    real.dedup();
    (real, is_cut)
}

fn find_matching(folder: &Path, parts: &[&str], depth: usize, found: &mut Vec<PathBuf>) {
    if found.len() >= MAX_MEMBERS {
        return;
    }
    let Some((part, rest)) = parts.split_first() else {
        if folder.join(DESCRIPTION).is_file() {
            found.push(folder.to_path_buf());
        }
        return;
    };
    if !part.contains(['*', '?', '[', '{']) {
        return find_matching(&folder.join(part), rest, depth, found);
    }
    let is_deep = *part == "**";
    if is_deep {
        find_matching(folder, rest, depth, found);
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|it| it.path().is_dir());
    for entry in folders {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name == "node_modules" || name.starts_with('.') {
            continue;
        }
        if is_deep {
            if let Some(depth) = depth.checked_sub(1) {
                find_matching(&entry.path(), parts, depth, found);
            }
        } else if part.contains('{') || hookloop_shell::matches(part, &name) {
            find_matching(&entry.path(), rest, depth, found);
        }
    }
}
