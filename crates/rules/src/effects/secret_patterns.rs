//! Which secret files a file name pattern matches.

use hookloop_shell::component_may_meet;

/// Returns whether a pattern of names means files of this name: `id_r??` and `k.p?m`, but neither
/// `log*` nor `data[0-9].csv`, which name something else.
pub(super) fn may_mean(pattern: &str, secret: &str) -> bool {
    let mut is_class = false;
    let letters = pattern.chars().filter(|it| {
        is_class = match it {
            '[' => true,
            ']' => false,
            _ => is_class,
        };
        !is_class && !"*?]".contains(*it)
    });
    let letters = letters.count();
    if letters < 2 || pattern.starts_with('*') {
        return false;
    }
    if !secret.contains('*') {
        let tells = !pattern.contains('*') || letters * 2 >= secret.len();
        return tells && component_may_meet(pattern, secret);
    }
    !pattern.contains('*') && component_may_meet(pattern, secret)
}

/// Folders that contain keys.
const FOLDERS: &[&str] = &[
    ".aws", ".ssh", ".gnupg", ".kube", ".docker", ".azure", ".config", ".m2", ".cargo", ".gem",
];

/// Folders that contain nothing but keys, credentials and what belongs to them.
const KEY_FOLDERS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".kube",
    ".azure",
    ".config/gcloud",
    ".docker",
    ".password-store",
];

/// Returns whether a path is that of a folder of keys: `~/.ssh`.
pub(super) fn is_key_folder(path: &str) -> bool {
    let is_one = |folder: &&str| {
        let above = path.strip_suffix(*folder);
        above.is_some_and(|it| it.ends_with('/'))
    };
    KEY_FOLDERS.iter().any(is_one)
}

/// Returns whether a pattern may mean a file of this name in a folder of keys: `~/.aws/cred*`.
pub(super) fn may_lie(path: &str, secret: &str) -> bool {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or("");
    let is_of_keys = parts
        .filter(|it| it.starts_with('.'))
        .any(|it| FOLDERS.iter().any(|folder| component_may_meet(it, folder)));
    let letters = name.chars().take_while(|it| !"*?[".contains(*it)).count();
    is_of_keys && letters > 2 && !secret.contains('*') && component_may_meet(name, secret)
}

/// Returns whether a pattern may mean the file of this path, whose folder it spells out:
/// `~/.kube/con*`.
pub(super) fn may_lie_at(path: &str, secret: &str) -> bool {
    let (Some((folder, name)), Some((secret_folder, secret_name))) =
        (path.rsplit_once('/'), secret.rsplit_once('/'))
    else {
        return false;
    };
    let last = |it: &str| it.rsplit(['/', '*']).next().map(str::to_owned);
    let letters = name.chars().take_while(|it| !"*?[".contains(*it)).count();
    let is_hidden = secret_folder.contains('.');
    letters > 1
        && is_hidden
        && !secret_name.contains('*')
        && last(folder) == last(secret_folder)
        && component_may_meet(name, secret_name)
}

#[cfg(test)]
mod tests {
    use super::{may_lie, may_lie_at, may_mean};

    /// HT-40: in a folder that is spelt out the beginning of a name is enough.
    #[test]
    fn folders_tell_what_a_pattern_means() {
        assert!(may_lie_at("/root/.kube/con*", "*.kube/config"));
        assert!(!may_lie_at(
            "/root/.docker/*fig.json",
            "*.docker/config.json"
        ));
        assert!(!may_lie_at("src/con*", "*.kube/config"));
        assert!(!may_lie_at(".kube/*.md", "*.kube/config"));
    }

    /// HT-40: in a folder of keys the beginning of a name is enough.
    #[test]
    fn keys_lie_in_folders_of_theirs() {
        assert!(may_lie("/home/u/.aws/cred*", "credentials.json"));
        assert!(!may_lie("/home/u/p/cred*", "credentials.json"));
        assert!(!may_lie(".vscode/settings*", "settings-security.xml"));
        assert!(!may_lie("/home/u/.aws/c*", "credentials.json"));
    }

    /// HT-40: a pattern means a file of secrets only if it says something about its name.
    #[test]
    fn patterns_mean_what_they_say() {
        for (pattern, secret) in [
            ("id_r??", "id_rsa"),
            ("id_*", "id_rsa"),
            ("[i]d_rsa", "id_rsa"),
            ("k.p?m", "*.pem"),
            ("cred*.json", "credentials.json"),
        ] {
            assert!(may_mean(pattern, secret), "{pattern}");
        }
        for (pattern, secret) in [
            ("log*", "logins.json"),
            ("README*", "*.pem"),
            ("data[0-9].csv", "*.pem"),
            ("file?", "*.p8"),
            ("????", "*.p8"),
        ] {
            assert!(!may_mean(pattern, secret), "{pattern}");
        }
    }
}
