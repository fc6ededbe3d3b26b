//! Ids: every statement of the specification is proven by a conformance case or a test, or it is
//! listed as one for later, with the reason; and every id that a comment cites exists.

mod evidence;
mod lists;
mod statements;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::source::SourceFile;
use crate::violation::Violation;
use evidence::{Claim, citations, claims_of_case, claims_of_tests, leads};
use lists::{Entry, read_list};
use statements::{Statement, read_statements};

/// The pages of the specification.
const SPECIFICATION: &str = "docs/specification";

/// The list of statements for later: an id, a tab, the reason.
const LATER_FILE: &str = "conformance/later.txt";

/// The statements, those for later, and what claims to prove them.
struct Ledger {
    statements: Vec<Statement>,
    later: Vec<Entry>,
    claims: Vec<Claim>,
    /// Where comments name an id, as a proof or not.
    citations: Vec<Claim>,
    violations: Vec<Violation>,
}

/// Checks that every statement is either proven or listed for later, and never both.
pub(crate) fn check(root: &Path, files: &[SourceFile]) -> Vec<Violation> {
    Ledger::read(root, files).judge()
}

/// Writes every id with its state and the first place that proves it.
pub(crate) fn table(root: &Path, files: &[SourceFile]) -> String {
    Ledger::read(root, files).table()
}

impl Ledger {
    fn read(root: &Path, files: &[SourceFile]) -> Self {
        let mut violations = Vec::new();
        let statements = read_statements(root, SPECIFICATION, &mut violations);
        let later = read_list(root, LATER_FILE, &mut violations);
        let mut claims = Vec::new();
        collect_cases(
            root,
            &root.join("conformance"),
            &mut claims,
            &mut violations,
        );
        let families: BTreeSet<&str> = statements
            .iter()
            .filter_map(|entry| family(&entry.id))
            .collect();
        // `UTF-8` has the form of an id and isn't one, unless a comment begins with it as with an
        // id.
        let has_family = |claim: &Claim| family(&claim.id).is_some_and(|it| families.contains(it));
        let mut cited = Vec::new();
        // The fixtures of this crate's own tests name ids without proving them.
        for file in files.iter().filter(|file| !file.path.starts_with("xtask/")) {
            let is_ours = |claim: &Claim| has_family(claim) || leads(claim, &file.text);
            let named = claims_of_tests(&file.path, &file.text);
            claims.extend(named.into_iter().filter(&is_ours));
            cited.extend(citations(&file.path, &file.text).filter(is_ours));
        }
        Self {
            statements,
            later,
            claims,
            citations: cited,
            violations,
        }
    }

    fn judge(self) -> Vec<Violation> {
        let mut violations = self.violations;
        let known: BTreeSet<&str> = self
            .statements
            .iter()
            .map(|entry| entry.id.as_str())
            .collect();
        let proven: BTreeMap<&str, &Claim> = self
            .claims
            .iter()
            .rev()
            .map(|claim| (claim.id.as_str(), claim))
            .collect();
        let later: BTreeSet<&str> = self.later.iter().map(|entry| entry.id.as_str()).collect();
        let named: BTreeSet<&Claim> = self.claims.iter().chain(&self.citations).collect();
        for claim in named {
            if !known.contains(claim.id.as_str()) {
                let wrong = format!("`{}` isn't a statement of the specification", claim.id);
                let right = format!("name an id of {SPECIFICATION}");
                violations.push(Violation::new(&claim.file, claim.line, wrong, right));
            }
        }
        for entry in &self.later {
            if !known.contains(entry.id.as_str()) {
                let wrong = format!("`{}` isn't a statement of the specification", entry.id);
                let right = format!("name an id of {SPECIFICATION}");
                violations.push(Violation::new(LATER_FILE, entry.line, wrong, right));
            } else if let Some(claim) = proven.get(entry.id.as_str()) {
                let wrong = format!(
                    "{} is put off, and {}:{} proves it",
                    entry.id, claim.file, claim.line
                );
                violations.push(Violation::new(
                    LATER_FILE,
                    entry.line,
                    wrong,
                    "remove the line",
                ));
            } else if entry.text.is_empty() {
                let wrong = format!("{} is put off without a reason", entry.id);
                violations.push(Violation::new(
                    LATER_FILE,
                    entry.line,
                    wrong,
                    "say why, after a tab",
                ));
            }
        }
        for entry in &self.statements {
            if !proven.contains_key(entry.id.as_str()) && !later.contains(entry.id.as_str()) {
                let wrong = format!("nothing proves {} ({})", entry.id, entry.section);
                let right = format!("add a conformance case or a test, or list it in {LATER_FILE}");
                violations.push(Violation::new(&entry.file, entry.line, wrong, right));
            }
        }
        violations
    }

    fn table(&self) -> String {
        let mut text = String::new();
        let mut counts = [0_usize; 3];
        for entry in &self.statements {
            let proofs: Vec<&Claim> = self
                .claims
                .iter()
                .filter(|claim| claim.id == entry.id)
                .collect();
            let reason = self.later.iter().find(|later| later.id == entry.id);
            let (index, state) = match (proofs.first(), reason) {
                (Some(first), _) => {
                    let state = format!("{} × {}:{}", proofs.len(), first.file, first.line);
                    (0, state)
                }
                (None, Some(later)) => (1, format!("later: {}", later.text)),
                (None, None) => (2, "NOT PROVEN".to_owned()),
            };
            counts[index] += 1;
            let _ = writeln!(text, "{:<9} {:<45} {state}", entry.id, entry.section);
        }
        let [proven, later, open] = counts;
        let _ = writeln!(text, "{proven} proven, {later} later, {open} not proven");
        text
    }
}

/// The letters of an id: `IO` of `IO-10`.
fn family(id: &str) -> Option<&str> {
    id.rsplit_once('-').map(|(family, _)| family)
}

fn collect_cases(
    root: &Path,
    folder: &Path,
    claims: &mut Vec<Claim>,
    violations: &mut Vec<Violation>,
) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<_> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect_cases(root, &path, claims, violations);
        } else if path.file_name().is_some_and(|name| name == "case.json") {
            let file = crate::workspace::relative(root, &path);
            let text = fs::read_to_string(&path).unwrap_or_default();
            match claims_of_case(&file, &text) {
                Ok(found) => claims.extend(found),
                Err(violation) => violations.push(violation),
            }
        }
    }
}

#[cfg(test)]
mod tests;
