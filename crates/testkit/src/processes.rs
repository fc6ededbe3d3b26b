//! Which processes belong to a sandbox, and how much memory one takes.

use std::fs;
use std::path::Path;

/// A process that belongs to a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxProcess {
    /// Its number.
    pub id: i32,
    /// Its command line.
    pub command: String,
}

/// Finds the processes whose environment names a folder, as that of everything does that was
/// started in a sandbox, however far away from the program that the test started.
///
/// Zombies have no environment any more and aren't among them.
pub fn processes_of(folder: &Path) -> Vec<SandboxProcess> {
    let folder = folder.as_os_str().as_encoded_bytes();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(id) = name.to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let is_ours = fs::read(entry.path().join("environ"))
            .is_ok_and(|environment| contains(&environment, folder));
        if is_ours {
            let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let command = String::from_utf8_lossy(&words).replace('\0', " ");
            found.push(SandboxProcess { id, command });
        }
    }
    found
}

/// Returns how many bytes of memory a process has for itself, from the text of its
/// `/proc/<id>/smaps_rollup`: pages of files don't count, those of the program among them.
pub fn private_bytes(rollup: &str) -> u64 {
    let private = rollup.lines().filter_map(|line| {
        let (name, amount) = line.split_once(':')?;
        let counts = matches!(name, "Anonymous" | "Swap");
        let kilobytes = amount.trim().strip_suffix(" kB")?.parse::<u64>().ok()?;
        counts.then_some(kilobytes * 1024)
    });
    private.sum()
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
