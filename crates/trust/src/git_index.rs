//! Files that a repository's index tells git to ignore (TR-8).

use std::path::Path;

use hookloop_settings::bounded::read_start;

/// How much of an index is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// What an entry has before its name: times, numbers and the digest.
const FIXED: usize = 60;

/// Flags of an entry, and of its extension.
const ASSUMED: u16 = 0x8000;
const EXTENDED: u16 = 0x4000;
const SKIPPED: u16 = 0x4000;

/// Returns the files that an index tells git to pass over, a line each.
pub(crate) fn hidden_in(index: &Path) -> String {
    let Ok(bytes) = read_start(index, MAX_BYTES) else {
        return String::new();
    };
    if bytes.is_empty() {
        return String::new();
    }
    hidden_entry(&bytes).unwrap_or_else(|| "unreadable".to_owned())
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at + 4)?.try_into().ok()?;
    Some(u32::from_be_bytes(four))
}

fn flags(bytes: &[u8], at: usize) -> Option<u16> {
    let two = bytes.get(at..at + 2)?.try_into().ok()?;
    Some(u16::from_be_bytes(two))
}

fn hidden_entry(bytes: &[u8]) -> Option<String> {
    if !bytes.starts_with(b"DIRC") {
        return None;
    }
    let (version, count) = (number(bytes, 4)?, number(bytes, 8)?);
    let (mut at, mut found) = (12, String::new());
    let mut name: Vec<u8> = Vec::new();
    for _ in 0..count {
        let begin = at;
        let first = flags(bytes, at + FIXED)?;
        at += FIXED + 2;
        let mut is_hidden = first & ASSUMED != 0;
        if first & EXTENDED != 0 {
            is_hidden |= flags(bytes, at)? & SKIPPED != 0;
            at += 2;
        }
        if version == 4 {
            let (cut, behind) = length(bytes, at)?;
            name.truncate(name.len().checked_sub(cut)?);
            at = behind;
        } else {
            name.clear();
        }
        let end = at + bytes.get(at..)?.iter().position(|it| *it == 0)?;
        name.extend(&bytes[at..end]);
        at = if version == 4 {
            end + 1
        } else {
            // Padded with zeros to a multiple of eight.
            begin + (end - begin + 8) / 8 * 8
        };
        if is_hidden {
            found.push_str(&String::from_utf8_lossy(&name));
            found.push('\n');
        }
    }
    Some(found)
}

/// Reads a number of as many bytes as it needs; returns it, and where it ends.
fn length(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut byte = *bytes.get(at)?;
    let mut value = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        at += 1;
        byte = *bytes.get(at)?;
        value = value.checked_add(1)?.checked_mul(128)? + usize::from(byte & 0x7f);
    }
    Some((value, at + 1))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// TR-8: what an index tells git to pass over is read in each of its forms.
    #[test]
    fn hidden_files_are_found_in_each_version() {
        for version in ["2", "3", "4"] {
            let folder = tempfile::tempdir().expect("a folder");
            let git = |words: &[&str]| {
                let mut git = Command::new("git");
                let done = git.args(words).current_dir(folder.path()).output();
                assert!(done.expect("git").status.success(), "{words:?}");
            };
            let write = |name: &str| std::fs::write(folder.path().join(name), "x").expect("a file");
            git(&["init", "-q"]);
            std::fs::create_dir(folder.path().join("folder")).expect("a folder");
            for name in ["a", "folder/bb", "folder/bbb", "zzzzzzzzz"] {
                write(name);
            }
            git(&["add", "-A"]);
            git(&["update-index", "--index-version", version]);
            let index = folder.path().join(".git/index");
            assert_eq!(hidden_in(&index), "", "{version}");
            git(&["update-index", "--assume-unchanged", "folder/bb"]);
            git(&["update-index", "--skip-worktree", "zzzzzzzzz"]);
            assert_eq!(hidden_in(&index), "folder/bb\nzzzzzzzzz\n", "{version}");
            git(&["update-index", "--no-assume-unchanged", "folder/bb"]);
            assert_eq!(hidden_in(&index), "zzzzzzzzz\n", "{version}");
            write(".git/index");
            assert_eq!(hidden_in(&index), "unreadable", "{version}");
        }
    }
}
