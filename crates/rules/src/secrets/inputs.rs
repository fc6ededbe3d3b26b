//! Secrets that the structure of a call reveals: a field such as `password`, a file such as
//! `master.key`.

use serde_json::{Map, Value};

use super::looks::looks_chosen_at_random;
use super::names::tells_of_secret;
use super::picked::looks_picked;
use super::{Searched, Secret, TABLE, Table, assigned_in, note};

/// The longest value of a field that is judged, in bytes.
const MAX_BYTES: usize = 4096;

/// Finds secrets in the fields of a call.
pub(crate) fn in_fields(input: &Value) -> Vec<Secret> {
    let table = &*TABLE;
    let mut found = Vec::new();
    let mut open = vec![input];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => {
                in_arguments(table, items, &mut found);
                open.extend(items);
            }
            Value::Object(entries) => {
                in_pair(table, entries, &mut found);
                let brought = entries.iter().filter(|(name, _)| *name != "old_string");
                for (name, value) in brought {
                    match value.as_str() {
                        Some(text) if text.len() <= MAX_BYTES && !text.contains(['"', '\n']) => {
                            // A header that contains names itself.
                            let line = match name.as_str() {
                                "Cookie" | "cookie" => format!("{name}: {text}"),
                                _ => format!("{name} = \"{text}\""),
                            };
                            assigned_in(table, &Searched::new(&line), &mut found);
                        }
                        Some(_) => {}
                        None => open.push(value),
                    }
                }
            }
            _ => {}
        }
    }
    in_key_file(input, &mut found);
    found
}

/// Finds the value of a pair whose name is in another field: `{"key": "API_TOKEN", "value": …}`,
/// `{"element": "Password", "text": …}`.
fn in_pair(table: &Table, entries: &Map<String, Value>, found: &mut Vec<Secret>) {
    const VALUES: [&str; 5] = ["value", "Value", "text", "secret_value", "secretValue"];
    const MAX_NAME_LENGTH: usize = 60;
    let field = |name: &str| entries.get(name).and_then(Value::as_str);
    let Some((at, value)) = VALUES.iter().find_map(|it| Some((*it, field(it)?))) else {
        return;
    };
    if value.len() < 8 || value.len() > 256 || value.contains(char::is_whitespace) {
        return;
    }
    let names = entries.iter().filter(|(name, _)| name.as_str() != at);
    let names = names.filter_map(|(_, it)| it.as_str().filter(|it| it.len() <= MAX_NAME_LENGTH));
    let is_part = |it: char| it.is_ascii_alphanumeric() || "_-".contains(it);
    for name in names {
        let whole = name.replace(' ', "_");
        for part in name.split(|it| !is_part(it)).chain([whole.as_str()]) {
            assigned_in(
                table,
                &Searched::new(&format!("{part} = \"{value}\"")),
                found,
            );
        }
    }
}

/// Finds the value of an option in a list of arguments: `["--password", …]`.
fn in_arguments(table: &Table, items: &[Value], found: &mut Vec<Secret>) {
    for pair in items.windows(2) {
        if let (Some(option), Some(value)) = (pair[0].as_str(), pair[1].as_str())
            && option.starts_with("--")
            && value.len() <= MAX_BYTES
            && !value.contains(['"', '\n'])
        {
            assigned_in(
                table,
                &Searched::new(&format!("{option} = \"{value}\"")),
                found,
            );
        }
    }
}

/// Files in which each line has the name of a user and a password.
const LISTS: &[&str] = &[
    "chap-secrets",
    "pap-secrets",
    "userlist.txt",
    "passwd.client",
];

/// Finds passwords in a list of users, and a single word that is written into a file whose name
/// indicates a secret.
fn in_key_file(input: &Value, found: &mut Vec<Secret>) {
    let text = |keys: &[&str]| {
        keys.iter()
            .find_map(|it| input.get(it).and_then(Value::as_str))
    };
    let path = text(&["file_path", "path", "absolute_path", "filePath"]);
    let content = text(&["content", "new_string", "text", "file_text", "contents"]);
    let (Some(path), Some(content)) = (path, content) else {
        return;
    };
    let word = content.trim();
    let name = path.rsplit('/').next().unwrap_or(path);
    if LISTS.contains(&name) {
        let lines = content.lines().filter(|it| !it.trim().starts_with('#'));
        let words = lines.flat_map(|it| it.split([' ', '\t', '"', ':']).skip(1));
        for word in words.filter(|it| it.len() >= 8 && is_secret_word(it)) {
            note(found, name, false, word);
        }
    }
    if holds_secret(path) && is_secret_word(word) {
        note(found, name, false, word);
    }
}

/// Returns whether a single word looks like what a file of a secret contains.
pub(super) fn is_secret_word(word: &str) -> bool {
    let is_random = word.len() >= 12 && looks_chosen_at_random(word, 2);
    !word.contains(char::is_whitespace) && (is_random || looks_picked(word))
}

/// Returns whether the name of a file says that it contains nothing but a secret.
pub(super) fn holds_secret(path: &str) -> bool {
    let name = path
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(path)
        .to_lowercase();
    let name = name.trim_start_matches('.');
    let stem = name.split('.').next().unwrap_or(name);
    let is_vault = name.starts_with("vault_pass") || name.starts_with("vault-pass");
    let ends = [
        ".key",
        ".token",
        ".secret",
        ".password",
        ".passwd",
        ".pass",
        ".psk",
    ];
    is_vault
        || ends.iter().any(|it| name.ends_with(it))
        || tells_of_secret(stem)
        || path.contains("/run/secrets/")
        || path.contains("/secrets/") && !name.contains('.')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::in_fields;

    /// HT-40: the name of a field indicates a secret, at any depth, and so does the name of a file
    /// that contains one word.
    #[test]
    fn fields_and_files_tell_of_secrets() {
        let random = "q7Rk2Vx9LmT4bWz8NcJf";
        let count = |input| in_fields(&input).len();
        for input in [
            json!({"user": "alice", "password": random}),
            json!({"connections": [{"auth": {"accessToken": random}}]}),
            json!({"file_path": "config/master.key", "content": "509919bc8027e2c7ddde13276ed9bfbc\n"}),
            json!({"file_path": ".vault_pass.txt", "content": random}),
            json!({"file_path": "deploy/password.txt", "content": "R3d-M0untain\n"}),
            json!({"file_path": "secrets/db_password", "content": random}),
            json!({"file_path": "ppp/chap-secrets", "content": format!("# a b\nme * \"{random}\" *\n")}),
            json!({"path": "a.yml", "text": "x", "env": {"API_KEY": random}}),
            json!({"key": "API_SECRET", "value": random}),
            json!({"args": ["--password", random]}),
            json!({"element": "Password field", "text": random}),
        ] {
            assert_eq!(count(input.clone()), 1, "{input}");
        }
        for input in [
            json!({"token": "$TOKEN", "pageToken": random, "id": random}),
            json!({"file_path": "a.md5", "content": "509919bc8027e2c7ddde13276ed9bfbc\n"}),
            json!({"file_path": "token.ts", "content": "export const a1B2c3D4 = 1;\n"}),
            json!({"element": "Search field", "text": random}),
            json!({"continuationToken": random}),
            json!({"file_path": "a.key", "old_string": random, "new_string": "$KEY"}),
        ] {
            assert_eq!(count(input.clone()), 0, "{input}");
        }
    }
}
