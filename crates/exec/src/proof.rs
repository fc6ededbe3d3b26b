//! Proof that a hook, not a tool, runs the program that keeps the audit log (TR-11).
//!
//! A process that a tool call starts looks like one that a hook starts, except for what it can
//! know: a hook that keeps the audit log receives a secret that is valid once, and the secret's
//! digest is in a folder that tools may not write to.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hookloop_hook::Handler;
use sha2::{Digest as _, Sha256};

use crate::transcripts::{make_folder, private};

/// The variable that contains the secret.
const SECRET: &str = "HOOKLOOP_PROOF";

/// Exists as long as a hook runs.
#[derive(Debug)]
pub(crate) struct Proof {
    file: PathBuf,
    secret: String,
}

impl Proof {
    /// Makes one for a hook that keeps the audit; others need none.
    pub(crate) fn of(handler: &Handler, folder: Option<&Path>) -> io::Result<Option<Self>> {
        let Some(folder) = folder.filter(|_| keeps_audit(handler)) else {
            return Ok(None);
        };
        let secret = uuid::Uuid::new_v4().simple().to_string();
        make_folder(folder)?;
        let file = folder.join(digest(&secret));
        private().write(true).create_new(true).open(&file)?;
        Ok(Some(Self { file, secret }))
    }

    /// Returns the variable that the hook finds.
    pub(crate) fn variable(&self) -> (OsString, OsString) {
        (SECRET.into(), self.secret.as_str().into())
    }
}

impl Drop for Proof {
    fn drop(&mut self) {
        // Fails if the hook has used the file, and so removed it.
        let _ = fs::remove_file(&self.file);
    }
}

/// Returns whether a hook started this process, judging by its initial environment. The proof can
/// be used only once.
pub fn is_started_by_hook(folder: &Path, variables: &[(OsString, OsString)]) -> bool {
    let mut found = variables.iter().filter(|(name, _)| name == SECRET);
    let secret = found.next().and_then(|(_, value)| value.to_str());
    secret.is_some_and(|secret| fs::remove_file(folder.join(digest(secret))).is_ok())
}

fn keeps_audit(handler: &Handler) -> bool {
    let Handler::Command { command, args, .. } = handler else {
        return false;
    };
    match args.as_deref() {
        Some(args) => args.starts_with(&["audit".to_owned(), "record".to_owned()]),
        None => command.contains("audit record"),
    }
}

fn digest(secret: &str) -> String {
    format!("{:x}", Sha256::digest(secret.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TR-11: a proof counts once, only for the process that got the secret, and only for the hook
    /// that keeps the audit.
    #[test]
    fn a_proof_counts_once() {
        let folder = tempfile::tempdir().unwrap();
        let proven =
            |variables: &[(OsString, OsString)]| is_started_by_hook(folder.path(), variables);
        let keeper = Handler::command("hookloop audit record");
        let proof = Proof::of(&keeper, Some(folder.path())).unwrap().unwrap();
        let name = proof.file.file_name().unwrap().to_owned();
        assert!(!proven(&[(SECRET.into(), name)]));
        assert!(proven(&[proof.variable()]));
        assert!(!proven(&[proof.variable()]));
        drop(proof);
        let proof = Proof::of(&keeper, Some(folder.path())).unwrap().unwrap();
        let variable = proof.variable();
        drop(proof);
        assert!(!proven(&[variable]) && !proven(&[]));
        let other = Proof::of(&Handler::command("true"), Some(folder.path()));
        assert!(other.unwrap().is_none());
    }
}
