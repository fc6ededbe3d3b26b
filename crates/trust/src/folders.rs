//! Trust in folders (TR-5).

use std::path::{Path, PathBuf};

use hookloop_hook::{Layer, Problem, ProblemCode, Source};
use hookloop_settings::{FolderTrust, TextEntry, nearest, read_text_entries};

use crate::ownership::OwnerCheck;

const WORDS: [&str; 3] = ["TRUST_FOLDER", "TRUST_PARENT", "DO_NOT_TRUST"];

/// The content of `trustedFolders.json`: `{"<path>": "TRUST_FOLDER" | "TRUST_PARENT" |
/// "DO_NOT_TRUST"}` (TR-5).
#[derive(Debug, Clone, Default)]
pub struct FolderTrustFile {
    rules: Vec<Rule>,
}

#[derive(Debug, Clone)]
struct Rule {
    folder: PathBuf,
    trusts: Trusts,
    source: Source,
}

/// The order decides if two rules apply to one folder: the later one wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Trusts {
    Yes,
    No,
}

impl FolderTrustFile {
    /// Reads the file. A missing file is empty; entries that can't be read are reported and
    /// ignored.
    pub fn open(file: &Path) -> (Self, Vec<Problem>) {
        let (entries, mut problems) = read_text_entries(file, ProblemCode::TrustFileInvalid);
        let mut rules = Vec::new();
        for entry in entries {
            match rule(&entry) {
                Some(rule) => rules.push(rule),
                None => problems.push(unknown_word(entry)),
            }
        }
        (Self { rules }, problems)
    }

    /// Reads the file, unless somebody else could have written it (TR-9): that person could trust a
    /// project, or keep its guards from running. In that case it counts as empty, and a problem
    /// gives the reason.
    pub fn open_checked(file: &Path, owners: OwnerCheck) -> (Self, Vec<Problem>) {
        let is_there = file.symlink_metadata().is_ok();
        let Some(insecure) = owners.objection(file).filter(|_| is_there) else {
            return Self::open(file);
        };
        let message = format!("the list of trusted folders could be somebody else's: {insecure}");
        let source = Source {
            layer: Some(Layer::User),
            ..Source::of_file(file)
        };
        let code = ProblemCode::InsecureOwner;
        let problem = Problem::new(code, source, message, insecure.remedy());
        (Self::default(), vec![problem])
    }

    /// Returns whether a folder is trusted. The rule for the nearest folder above it counts.
    pub fn trust_of(&self, folder: &Path) -> FolderTrust {
        let real = real_path(folder);
        let winner = self
            .rules
            .iter()
            .filter(|rule| real.starts_with(&rule.folder))
            .max_by_key(|rule| (rule.folder.components().count(), rule.trusts));
        match winner {
            None => FolderTrust::Untold,
            Some(Rule {
                trusts: Trusts::Yes,
                ..
            }) => FolderTrust::Trusted,
            Some(Rule { source, .. }) => FolderTrust::DoNotTrust {
                source: source.clone(),
            },
        }
    }
}

fn rule(entry: &TextEntry) -> Option<Rule> {
    let folder = real_path(Path::new(&entry.key));
    let (folder, trusts) = match entry.value.as_str() {
        "TRUST_FOLDER" => (folder, Trusts::Yes),
        "TRUST_PARENT" => (
            folder.parent().map(Path::to_path_buf).unwrap_or(folder),
            Trusts::Yes,
        ),
        "DO_NOT_TRUST" => (folder, Trusts::No),
        _ => return None,
    };
    Some(Rule {
        folder,
        trusts,
        source: entry.source.clone(),
    })
}

fn unknown_word(entry: TextEntry) -> Problem {
    let message = format!("\"{}\" says nothing about trust", entry.value);
    let help = format!("write one of {}; the entry was left out", WORDS.join(", "));
    let mut problem = Problem::new(ProblemCode::TrustFileInvalid, entry.source, message, help);
    problem.suggestion = nearest(&entry.value, WORDS).map(str::to_owned);
    problem.snippet = entry.snippet;
    problem
}

/// Follows links, so that a folder is recognised however it was reached.
fn real_path(folder: &Path) -> PathBuf {
    folder
        .canonicalize()
        .unwrap_or_else(|_| folder.to_path_buf())
}
