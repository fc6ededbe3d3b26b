//! Names that indicate a secret, and names that only contain such a word.

/// Returns whether the name of an option indicates a secret.
pub(super) fn tells_of_secret(option: &str) -> bool {
    let name = split_name(option).to_lowercase().replace(['_', '.'], "-");
    // Tools with two accounts number them: `--password1`.
    let name = name.trim_end_matches(|it: char| it.is_ascii_digit());
    let tells = [
        "password",
        "passwd",
        "secret",
        "token",
        "api-key",
        "apikey",
        "access-key",
        "private-key",
        "auth-key",
        "secret-key",
        "signing-key",
        "encryption-key",
        "account-key",
        "master-key",
        "passphrase",
        "pass",
        "secret-string",
        "creds",
        "pw",
        "authtoken",
        "sshpass",
        "pgpassword",
        "mysql-pwd",
        "rediscli-auth",
        "oauth2-bearer",
    ]
    .iter()
    .any(|it| {
        let before = name.strip_suffix(it);
        before.is_some_and(|it| it.is_empty() || it.ends_with('-'))
    }) || !name.contains('=')
        && ["password", "passphrase"]
            .iter()
            .any(|it| name.ends_with(it));
    tells && !tells_of_something_else(name)
}

/// Returns whether a name is that of a password, which people choose, and not of a generated key.
pub(super) fn tells_of_password(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [
        "passw",
        "passphrase",
        "pwd",
        "_pass",
        "-pass",
        ".pass",
        "bindpw",
        "authtok",
    ]
    .iter()
    .any(|it| name.contains(it))
        || name == "pw"
        || name.ends_with("_pw")
        || name.ends_with("pass")
}

/// Splits the words of a name: `npmAuthToken` as `npm-Auth-Token`.
fn split_name(name: &str) -> String {
    let mut parted = String::with_capacity(name.len() + 4);
    let mut before = None;
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && before.is_some_and(|it: char| it.is_ascii_lowercase()) {
            parted.push('-');
        }
        parted.push(letter);
        before = Some(letter);
    }
    parted
}

/// Last words of names that contain such a word but aren't those of secrets.
const ENDINGS: &[&str] = &[
    "file",
    "path",
    "url",
    "uri",
    "name",
    "type",
    "id",
    "ids",
    "length",
    "size",
    "count",
    "limit",
    "expiry",
    "expires",
    "expiration",
    "ttl",
    "seconds",
    "header",
    "field",
    "endpoint",
    "policy",
    "placeholder",
    "label",
    "hint",
    "hash",
    "regex",
    "pattern",
    "prefix",
    "suffix",
    "env",
    "var",
    "ref",
    "index",
    "index_",
    "manager",
    "provider",
    "arn",
    "version",
    "class",
    "function",
    "stdin",
    "min",
    "max",
    "usage",
    "tokens",
    "tokenizer",
    "format",
    "algorithm",
    "input",
    "dir",
    "store",
    "cmd",
    "command",
    "checksum",
    "fingerprint",
    "timeout",
    "date",
    "at",
    "kind",
    "selector",
    "model",
    "param",
];

/// Tokens that say where a list continues.
const PLACES: &[&str] = &[
    "continuationtoken",
    "continuetoken",
    "synctoken",
    "deltatoken",
    "skiptoken",
    "pagingtoken",
    "nexttoken",
    "resumetoken",
];

/// Returns whether a name contains such a word but isn't that of a secret.
pub(super) fn tells_of_something_else(name: &str) -> bool {
    // `tokenId`
    if name.ends_with("Id") || name.ends_with("Ids") {
        return true;
    }
    let name = name.to_lowercase().replace(['-', '.', '$'], "_");
    let last = name.rsplit('_').next().unwrap_or("");
    // `account` isn't a count.
    let ends = |it: &&str| it.len() > 3 && last.ends_with(*it) && last != "account";
    ENDINGS.contains(&last)
        || ENDINGS.iter().any(ends)
        || name.contains("tokeniz")
        || name.contains("public")
        || name.contains("pagetoken")
        || name.contains("page_token")
        || name.contains("next_token")
        || PLACES.iter().any(|it| name.replace('_', "").ends_with(it))
        || name.contains("csrf")
        || name.contains("integrity")
        || name.starts_with("idempotency")
        || name.starts_with("sec_websocket")
        || name.contains("cache_key")
        || name.contains("surrogate_key")
        || name.contains("partition_key")
        || name.contains("routing_key")
}

/// Returns whether a name says that its value is unreadable without a key.
pub(super) fn tells_of_ciphertext(name: &str) -> bool {
    let name = name.to_lowercase();
    ["encrypted", "hashed", "sealed", "ciphertext"]
        .iter()
        .any(|it| name.contains(it))
}

/// Returns whether a name ends in `key` and may mean another kind of key: of a cache, of a table.
pub(super) fn may_be_another_key(name: &str) -> bool {
    let is_weak = [
        "admin",
        "server",
        "service",
        "role",
        "license",
        "licence",
        "deploy",
        "webhook",
        "hmac",
        "jwt",
        "session",
        "cookie",
        "cipher",
        "app",
        "application",
        "subscription",
        "functions",
        "write",
    ]
    .iter()
    .any(|it| {
        let name = name.to_lowercase();
        let front = name
            .strip_suffix("key")
            .map(|it| it.trim_end_matches(['_', '-']));
        front.is_some_and(|front| front.ends_with(it))
    });
    is_weak || name.ends_with("_KEY") && !tells_of_secret(name)
}
