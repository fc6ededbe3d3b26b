//! The findings of `check` in the formats that CI systems read (CM-3).

use std::borrow::Cow;
use std::iter;
use std::path::Path;

use hookloop_hook::{Problem, Severity, Source};
use serde_json::{Value, json};

/// Writes a workflow command of GitHub Actions for each problem, which shows it at its line (CM-3).
/// Files of the repository that `project` is in are named from that repository's root.
pub fn github(problems: &[Problem], project: &Path) -> String {
    let root = repository(project);
    let line = |problem: &Problem| {
        let command = match problem.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let source = &problem.source;
        let mut place = format!("file={}", property(&file(source, root)));
        if let Some(position) = source.position {
            let (line, column) = (position.line, position.column);
            place = format!("{place},line={line},col={column}");
        }
        format!(
            "::{command} {place},title={}::{}\n",
            property(problem.code.as_str()),
            data(&format!("{}; {}", problem.message, problem.help))
        )
    };
    problems.iter().map(line).collect()
}

/// Returns a log of SARIF 2.1.0, which code scanning reads (CM-3). Files of the repository that
/// `project` is in are named from that repository's root.
pub fn sarif(problems: &[Problem], project: &Path, version: &str) -> String {
    let root = repository(project);
    let mut codes: Vec<&str> = problems.iter().map(|it| it.code.as_str()).collect();
    codes.sort_unstable();
    codes.dedup();
    let rules: Vec<Value> = codes.iter().map(|code| json!({ "id": code })).collect();
    let results: Vec<Value> = problems.iter().map(|it| result(it, root)).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "hookloop", "version": version, "rules": rules}},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn result(problem: &Problem, root: &Path) -> Value {
    let source = &problem.source;
    let mut place = json!({"artifactLocation": {"uri": address(&file(source, root))}});
    if let Some(position) = source.position {
        place["region"] = json!({"startLine": position.line, "startColumn": position.column});
    }
    json!({
        "ruleId": problem.code.as_str(),
        "level": match problem.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "note",
        },
        "message": {"text": format!("{}; {}", problem.message, problem.help)},
        "locations": [{"physicalLocation": place}],
    })
}

/// Returns the root of the project's repository: CI systems resolve files from there. Without a
/// repository, the project's root is used.
fn repository(project: &Path) -> &Path {
    let mut above = project.ancestors();
    above.find(|it| it.join(".git").exists()).unwrap_or(project)
}

/// Returns a file's path as CI systems expect it: relative to the repository's root, if it is in
/// there.
fn file(source: &Source, root: &Path) -> String {
    let file = source.file.strip_prefix(root).unwrap_or(&source.file);
    file.to_string_lossy().replace('\\', "/")
}

/// Returns a path as a URI: an absolute path as `file:`.
fn address(path: &str) -> String {
    let scheme = if path.starts_with('/') { "file://" } else { "" };
    let bytes = path.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
            Cow::from(char::from(byte).to_string())
        }
        other => Cow::from(format!("%{other:02X}")),
    });
    iter::once(Cow::from(scheme)).chain(bytes).collect()
}

/// Escapes the text of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hookloop_hook::{Position, ProblemCode};

    use super::*;

    fn problem() -> Problem {
        let source = Source {
            layer: None,
            extension: None,
            file: Arc::from(Path::new("/work/a b,c/.gemini/settings.json")),
            position: Some(Position { line: 3, column: 5 }),
        };
        Problem::new(ProblemCode::UnknownEvent, source, "100%\nwrong", "fix it")
    }

    /// CM-3: an annotation names the file from the project's root, and nothing in a message ends
    /// the command early.
    #[test]
    fn annotations_stand_at_their_place() {
        assert_eq!(
            github(&[problem()], Path::new("/work")),
            "::error file=a b%2Cc/.gemini/settings.json,line=3,col=5,title=unknown_event::\
             100%25%0Awrong; fix it\n"
        );
    }

    /// CM-3: a project in a folder of a repository is named from the repository's root, which is
    /// where annotations are shown.
    #[test]
    fn files_are_named_from_the_root_of_the_repository() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("apps/web");
        std::fs::create_dir_all(folder.path().join(".git")).unwrap();
        std::fs::create_dir_all(&project).unwrap();
        let mut problem = problem();
        problem.source.file = Arc::from(project.join(".gemini/settings.json"));

        let annotations = github(std::slice::from_ref(&problem), &project);
        let log: Value = serde_json::from_str(&sarif(&[problem], &project, "1")).unwrap();

        assert!(annotations.starts_with("::error file=apps/web/.gemini/settings.json,"));
        let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(
            place["artifactLocation"]["uri"],
            "apps/web/.gemini/settings.json"
        );
    }

    /// CM-3: SARIF names the rule, the level, and the place as a URI.
    #[test]
    fn sarif_names_rule_and_place() {
        let log: Value =
            serde_json::from_str(&sarif(&[problem()], Path::new("/work"), "1")).unwrap();
        let result = &log["runs"][0]["results"][0];
        assert_eq!(result["ruleId"], "unknown_event");
        assert_eq!(result["level"], "error");
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(
            place["artifactLocation"]["uri"],
            "a%20b%2Cc/.gemini/settings.json"
        );
        assert_eq!(place["region"], json!({"startLine": 3, "startColumn": 5}));
        assert_eq!(
            log["runs"][0]["tool"]["driver"]["rules"],
            json!([{"id": "unknown_event"}])
        );
    }
}
