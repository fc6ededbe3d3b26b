//! What a tool writes into a file: nothing, or a script that destroys.

use std::sync::LazyLock;

use regex::Regex;

use super::calls::{Call, FILES};

/// Arguments with what is written.
const CONTENT_ARGUMENTS: &[&str] = &[
    "content",
    "newstring",
    "contents",
    "filetext",
    "newstr",
    "text",
];

/// Program text that deletes a whole system or a home folder.
static DESTROYS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?x)\b(?:rmtree|remove_tree|rm_rf|rm_r|rmSync|rimraf|RemoveAll|rmdir_r|emptyDirSync)\s*\(?\s*["'](?:~/?|/|/(?:home|etc|usr|var|root|Users)/?\*?)["']
        |\b(?:rmtree|remove_tree|rm_rf|rmSync)\s*\(\s*(?:Path\.home\(\)|pathlib\.Path\.home\(\)|os\.path\.expanduser\(\s*["']~["']|os\.homedir\(\)|Dir\.home|ENV\[["']HOME)
        |\b(?:system|run|call|popen|Popen|exec\w*|check_call|check_output|shell_exec|spawn\w*)\s*\(?\s*["'`](?:sudo\s+)?rm\s+-\w*[rf]\w*\s+(?:--no-preserve-root\s+)?(?:/|~|\$HOME|/\*|~/\*|/(?:home|etc|usr|var)/?)["'`\s]
        |\bopen\s*\(\s*["']/dev/(?:sd|nvme|hd|vd|mmcblk)\w*["']\s*,\s*["'][rw]?b?[wa+]"#,
    )
    .ok()
});

/// Package scripts that run when the package is installed, and download what they run.
static FETCHES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#""(?:pre|post)?(?:install|prepare|publish)"\s*:\s*"[^"]*\b(?:curl|wget)\b[^"]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b"#)
        .ok()
});

/// Returns whether a file with this extension and this content destroys or downloads something when
/// it runs.
fn destroys(ending: &str, content: &str) -> bool {
    let fits = |it: &LazyLock<Option<Regex>>| it.as_ref().is_none_or(|it| it.is_match(content));
    match ending {
        "py" | "rb" | "pl" | "php" | "lua" => fits(&DESTROYS),
        "json" => fits(&FETCHES),
        _ => false,
    }
}

/// What a patch does to a file.
struct Patched<'t> {
    path: &'t str,
    /// It is deleted, or moved away.
    is_gone: bool,
    /// Lines are removed.
    changes: bool,
    /// The lines that are known to be there afterwards.
    kept: String,
}

impl<'t> Patched<'t> {
    /// Returns the file with which a line of a patch begins.
    fn from_header(line: &'t str) -> Option<Self> {
        const HEADS: [&str; 3] = ["*** Delete File:", "*** Update File:", "--- a/"];
        let head = HEADS.iter().find(|it| line.starts_with(**it))?;
        Some(Self {
            path: line[head.len()..].trim(),
            is_gone: head.contains("Delete"),
            changes: false,
            kept: String::new(),
        })
    }

    fn take(&mut self, line: &str) {
        if line.starts_with("*** Move to:") || line.starts_with("+++ /dev/null") {
            self.is_gone = true;
        } else if let Some(kept) = line
            .strip_prefix(['+', ' '])
            .filter(|_| !line.starts_with("+++"))
        {
            self.kept.push_str(kept);
            self.kept.push('\n');
        } else if line.starts_with('-') {
            self.changes = true;
        }
    }
}

impl Call<'_> {
    /// A file that is written empty.
    pub(super) fn check_emptied(&mut self) {
        let path = self.text(FILES).unwrap_or("").to_owned();
        let content = self.text(CONTENT_ARGUMENTS).map(str::to_owned);
        let moves_checks = |it: &str| it.to_lowercase().contains("hookspath");
        let is_settings = path.ends_with(".gitconfig") || path.ends_with(".config/git/config");
        if is_settings && content.as_deref().is_some_and(moves_checks) {
            self.note("git.no-verify", &path);
        }
        if content
            .as_deref()
            .is_some_and(|it| super::branches::checks_nothing(&path, it))
        {
            self.note("git.no-verify", &path);
        }
        if self.text(&["content", "contents", "filetext"]) == Some("")
            && self.places.is_worth_keeping(&path)
        {
            self.note("overwrite.project", &path);
        }
    }

    /// What a script that is written does to protected branches. One of the project is looked at by
    /// others before it runs, so only what gets around them counts.
    fn check_pushes(&mut self, path: &str, done: &[super::Effect]) {
        const CHANGES: [&str; 3] = ["branch.commit", "branch.push", "branch.rewrite"];
        let absolute = hookloop_shell::join_path(&self.places.workspace, path);
        let is_inside = absolute.starts_with(&format!("{}/", self.places.workspace));
        let is_shared =
            |it: &str| ["main", "master", "trunk", "develop", "production"].contains(&it);
        for effect in done {
            let about = effect.about.as_str();
            let is_force = effect.name == "git.force-push";
            let skips = effect.name == "git.no-verify" && effect.line.contains("--no-verify");
            let mut pushes = done.iter().filter(|it| it.line == effect.line);
            let is_of_all = is_force && pushes.any(|it| is_shared(&it.about));
            if is_inside && (skips || is_of_all) {
                self.note("branch.detour", &effect.line);
            } else if !is_inside && (skips || is_force || CHANGES.contains(&effect.name.as_str())) {
                self.note(&effect.name, about);
            }
        }
    }

    /// Checks that a package no longer installs: `"prepare": "husky"`.
    pub(super) fn check_installation(&mut self) {
        let is_package = self
            .text(FILES)
            .is_some_and(|it| it.ends_with("package.json"));
        let installs = |it: &str| {
            let scripts = ["\"prepare\"", "\"postinstall\""];
            let checks = ["husky", "lefthook", "simple-git-hooks", "pre-commit"];
            it.lines().any(|line| {
                scripts.iter().any(|script| line.contains(script))
                    && checks.iter().any(|check| line.contains(check))
            })
        };
        let before = self.text(&["oldstring", "oldstr"]).is_some_and(installs);
        let names_checks = |it: &str| it.contains("husky") || it.contains("hook");
        let after = self
            .text(&["newstring", "newstr"])
            .is_some_and(names_checks);
        if is_package && before && !after {
            self.note("branch.detour", "package.json");
        }
    }

    /// Checks of a repository that a patch removes or empties.
    pub(super) fn check_patch(&mut self) {
        let texts = ["input", "patch", "diff", "patchtext", "text"];
        let Some(text) = self.text(&texts).map(str::to_owned) else {
            return;
        };
        let mut parts: Vec<Patched<'_>> = Vec::new();
        for line in text.lines() {
            if let Some(part) = Patched::from_header(line) {
                parts.push(part);
            } else if let Some(part) = parts.last_mut() {
                part.take(line);
            }
        }
        for part in parts {
            let path = hookloop_shell::join_path(&self.places.workspace, part.path);
            let is_gone = part.is_gone && super::branches::is_check_file(&path);
            if is_gone || part.changes && super::branches::checks_nothing(&path, &part.kept) {
                self.note("git.no-verify", &path);
            }
        }
    }

    /// A script that is written, and destroys a whole system or opens it to others.
    pub(super) fn check_script(&mut self) {
        let path = self.text(FILES).unwrap_or("").to_owned();
        let Some(content) = self.text(CONTENT_ARGUMENTS).map(str::to_owned) else {
            return;
        };
        let ending = path.rsplit('.').next().unwrap_or("");
        let first = content.lines().next().unwrap_or("");
        let is_test = ["test", "spec", "fixture", "docs/", "example"]
            .iter()
            .any(|it| path.contains(it));
        if !is_test && destroys(ending, &content) {
            self.note("tool.delete", &path);
            return;
        }
        let is_shell = ["sh", "bash", "zsh", "ksh", "command"].contains(&ending)
            || first.starts_with("#!") && first.ends_with("sh");
        let harms = [
            "rm ", "dd ", "mkfs", "/dev/", "shred", "nc ", ":|:", "-delete", "git ",
        ];
        if !is_shell || !harms.iter().any(|it| content.contains(it)) {
            return;
        }
        let understood = hookloop_shell::understand(&content, self.around());
        let of_home = |it: &str| it.trim_end_matches("/*") == self.places.home;
        let done = super::effects_of(&understood, self.places);
        if !is_test {
            self.check_pushes(&path, &done);
        }
        let found = done.into_iter().find(|it| match it.name.as_str() {
            "delete.root" | "disk" | "disk.write" | "remote.shell" | "process.bomb" => true,
            "delete.outside" => of_home(&it.about),
            _ => false,
        });
        if let Some(effect) = found {
            self.note("tool.delete", &effect.line);
        }
    }
}
