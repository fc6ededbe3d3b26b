//! The profile for macOS's `sandbox-exec`. If several rules match, the last one applies.

use std::path::Path;

use crate::confinement::{Confinement, Network};

/// Devices that every program needs to write to.
const DEVICES: [&str; 6] = [
    "/dev/null",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
    "/dev/stdout",
    "/dev/stderr",
];

/// Writes the profile of a confinement.
pub(crate) fn of(confinement: &Confinement) -> String {
    let writable = confinement.writable();
    let mut rules: Vec<String> = ["(version 1)", "(allow default)", "(deny file-write*)"]
        .map(str::to_owned)
        .into();
    for path in DEVICES.map(Path::new) {
        rules.push(format!("(allow file-write* (literal {}))", quote(path)));
    }
    let protected = confinement.protected_paths();
    // The nearest folder decides; one that is listed as both is protected.
    let writable_too = writable.iter().map(|it| (it, "allow"));
    let kept = protected.iter().map(|it| (it, "deny"));
    let mut folders: Vec<_> = writable_too.chain(kept).collect();
    folders.sort();
    for (path, word) in folders {
        rules.push(format!("({word} file-write* (subpath {}))", quote(path)));
    }
    for path in &protected {
        // A program that could move a folder away could replace it by another one.
        let above = path.ancestors().skip(1);
        let above = above.take_while(|it| writable.iter().any(|folder| it.starts_with(folder)));
        for folder in above {
            rules.push(format!(
                "(deny file-write-unlink (literal {}))",
                quote(folder)
            ));
        }
    }
    // Other programs could do for it what it may not do itself.
    rules.push("(deny network-outbound (remote unix-socket))".to_owned());
    for asking in ["appleevent-send", "lsopen", "job-creation", "signal"] {
        rules.push(format!("(deny {asking})"));
    }
    rules.push("(allow signal (target same-sandbox))".to_owned());
    if confinement.network == Network::Closed {
        rules.push("(deny network*)".to_owned());
    }
    rules.join("\n") + "\n"
}

/// Quotes a path as a string of the profile.
fn quote(path: &Path) -> String {
    let text = path.to_string_lossy();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TO-2: a profile denies writing, then allows the folders, then excludes what is protected; no
    /// name can add anything else.
    #[test]
    fn names_say_nothing_but_themselves() {
        let folder = std::env::temp_dir().canonicalize().expect("a folder");
        let odd = folder.join(format!("a\") (allow default) \"{}", std::process::id()));
        std::fs::create_dir_all(odd.join(".git/hooks")).expect("a folder");
        let text = of(&Confinement {
            writable: vec![odd.clone()],
            protected: vec![odd.join(".git/hooks")],
            network: Network::Closed,
        });
        std::fs::remove_dir_all(&odd).expect("removed");
        let name = odd.to_string_lossy().replace('"', "\\\"");
        let places = [
            "(deny file-write*)\n".to_owned(),
            format!("(allow file-write* (subpath \"{name}\"))\n"),
            format!("(deny file-write* (subpath \"{name}/.git/hooks\"))\n"),
            format!("(deny file-write-unlink (literal \"{name}/.git\"))\n"),
            "(deny network*)\n".to_owned(),
        ]
        .map(|rule| text.find(&rule).expect("a rule"));
        assert!(places.is_sorted(), "{text}");
        let open = of(&Confinement {
            network: Network::Open,
            ..Confinement::default()
        });
        assert!(!open.contains("(deny network*)"), "{open}");
        assert!(open.contains("unix-socket"), "{open}");
        for others in ["lsopen", "job-creation", "signal"] {
            assert!(open.contains(&format!("(deny {others})\n")), "{open}");
        }
    }
}
