//! What tools search for that nobody should see.

use super::super::arguments::collect;
use super::super::{searched, secret_names};
use super::Call;

/// Words that limit a code search to certain files.
const QUALIFIERS: &[&str] = &["filename:", "path:", "file:", "extension:", "f:"];

impl Call<'_> {
    /// What is searched for keys outside the workspace, in files or by their names.
    pub(super) fn searched(&mut self) {
        const SEARCHES: &[&str] = &["grep", "search", "ripgrep", "rg", "glob", "find"];
        if let Some(pattern) = self.reads_all().map(str::to_owned) {
            return self.note("env.searched", &pattern);
        }
        let searches = self.has(SEARCHES) && !self.has(&["web", "google", "docs", "code"]);
        let folder = self.text(&["path", "dirpath", "directory", "dir", "folder", "root"]);
        let pattern = self.text(&["pattern", "query", "regex", "search", "text", "glob"]);
        let names_keys = pattern.is_some_and(searched::names_keys);
        if searches && names_keys && self.sees_ignored() {
            return self.note("env.searched", "");
        }
        let (Some(folder), Some(pattern), true) = (folder, pattern, searches) else {
            return;
        };
        let home = &self.places.home;
        let is_workspace = folder.trim_end_matches('/') == self.places.workspace;
        let name = pattern.rsplit('/').next().unwrap_or("");
        let names_file = searched::is_whole(folder, home)
            && secret_names::secret_kind(name, name.contains(['*', '?'])).is_some();
        if !is_workspace && (names_file || searched::is_search_for_keys(pattern, folder, home)) {
            let folder = folder.to_owned();
            self.note("env.searched", &folder);
        }
    }

    /// Returns the pattern with which a call reads all files, those that are ignored too.
    fn reads_all(&self) -> Option<&str> {
        let reads_many = self.has(&["read"]) && self.has(&["many", "multiple", "files"]);
        if !reads_many || !self.sees_ignored() {
            return None;
        }
        let texts_of = |keys: &[&str]| {
            let mut texts = Vec::new();
            for (_, value) in self
                .entries
                .iter()
                .filter(|(key, _)| keys.contains(&key.as_str()))
            {
                collect(value, &mut texts);
            }
            texts
        };
        let left_out = texts_of(&["exclude", "excludes", "ignore"]);
        if left_out
            .iter()
            .any(|it| secret_names::by_glob(it) == Some("env"))
        {
            return None;
        }
        let given = [
            "include", "includes", "paths", "path", "patterns", "pattern", "glob",
        ];
        texts_of(&given).into_iter().find(|it| {
            let name = it.rsplit('/').next().unwrap_or("");
            ["*", "**", "*.*", ".", ""].contains(&name)
        })
    }

    /// Returns whether a search includes ignored files.
    fn sees_ignored(&self) -> bool {
        let sees = [
            "noignore",
            "includeignored",
            "includeignoredfiles",
            "unrestricted",
            "searchignored",
        ];
        let minds = [
            "respectgitignore",
            "gitignore",
            "useignorefiles",
            "respectignore",
            "usegitignore",
            "usedefaultexcludes",
        ];
        let is_off = |value: &serde_json::Value| {
            *value == serde_json::Value::Bool(false) || value.as_str() == Some("false")
        };
        let mut texts = Vec::new();
        for (_, value) in self
            .entries
            .iter()
            .filter(|(key, _)| ["args", "options", "flags"].contains(&key.as_str()))
        {
            collect(value, &mut texts);
        }
        let words = || texts.iter().flat_map(|it| it.split_whitespace());
        self.is_set(&sees)
            || self
                .entries
                .iter()
                .any(|(key, value)| minds.contains(&key.as_str()) && is_off(value))
            || words()
                .any(|it| it.starts_with("-uu") || it == "--no-ignore" || it == "--unrestricted")
    }

    /// Searches of a code host in files of secrets: `filename:.env`.
    pub(super) fn searched_code(&mut self) {
        if !self.has(&["search", "find", "grep", "query"]) {
            return;
        }
        let asked = ["query", "q", "search", "pattern", "searchquery"];
        let qualified = self.text(&asked).and_then(|it| {
            // File names alone mean nothing.
            let mut words = it.split_whitespace().filter(|_| it.contains(' '));
            words.find_map(|word| {
                let qualifier = QUALIFIERS.iter().find_map(|it| word.strip_prefix(it))?;
                let name = without_signs(qualifier);
                let is_ending = word.starts_with("extension:");
                let name = if is_ending { format!("a.{name}") } else { name };
                secret_names::secret_kind(&name, false).map(|_| word.to_owned())
            })
        });
        // A pattern for the names of the files beside the one for their text.
        let by_path = self
            .text(&["path", "filename", "file", "filepath"])
            .filter(|it| {
                it.contains('\\') && secret_names::secret_kind(&without_signs(it), false).is_some()
            });
        if let Some(about) = qualified.or_else(|| by_path.map(str::to_owned)) {
            self.note("env.searched", &about);
        }
    }
}

/// Returns a name without the special characters of an expression, and without quotes: `\\.env$`.
fn without_signs(text: &str) -> String {
    text.chars().filter(|it| !"\\^$\"'".contains(*it)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::call_effects;
    use crate::effects::Places;

    /// HT-40: a search for keys in ignored files, or in files of secrets at a code host, is
    /// recognised whatever runs it.
    #[test]
    fn searches_by_tools_are_found() {
        let places = Places {
            workspace: "/w".to_owned(),
            home: "/h".to_owned(),
            ..Places::default()
        };
        let searches = |tool: &str, input| {
            let effects = call_effects(tool, &input, &places);
            effects.iter().any(|it| it.name == "env.searched")
        };
        for (tool, input) in [
            (
                "grep_search",
                json!({"query": "SECRET", "includeIgnoredFiles": true}),
            ),
            (
                "search_file_content",
                json!({"pattern": "TOKEN", "no_ignore": true}),
            ),
            ("ripgrep", json!({"pattern": "TOKEN", "args": ["-uuu"]})),
            (
                "mcp_github_search_code",
                json!({"query": "filename:.env API_KEY"}),
            ),
            (
                "mcp_github_search_code",
                json!({"q": "extension:pem PRIVATE"}),
            ),
            ("mcp_code_search", json!({"query": "file:\\.env$ SECRET"})),
            (
                "mcp_grep_search",
                json!({"query": "sk-", "path": "\\.env$"}),
            ),
        ] {
            assert!(searches(tool, input), "{tool}");
        }
        for (tool, input) in [
            (
                "grep_search",
                json!({"query": "render", "includeIgnoredFiles": true}),
            ),
            ("grep_search", json!({"query": "SECRET"})),
            (
                "mcp_github_search_code",
                json!({"query": "filename:.env.example"}),
            ),
            (
                "mcp_github_search_code",
                json!({"query": "dotenv path:src"}),
            ),
        ] {
            assert!(!searches(tool, input), "{tool}");
        }
    }
}
