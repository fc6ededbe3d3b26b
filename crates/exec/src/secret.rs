//! Tells which variables of an environment look like secrets (ENV-3).

/// Words of a name that mark a secret: alone, in the plural, or at the end of a longer word
/// (`APIKEY`).
const SECRET_WORDS: [&str; 21] = [
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "PASSCODE",
    "PASS",
    "PWD",
    "KEY",
    "AUTH",
    "AUTHORIZATION",
    "AUTHORITY",
    "CREDENTIAL",
    "CRED",
    "PRIVATE",
    "CERT",
    "CERTIFICATE",
    "DSN",
    "COOKIE",
    "JWT",
    "BEARER",
];

/// Names that programs can't do without, or that are public although they sound otherwise.
const NEVER_SECRET: [&str; 22] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_ALL",
    "TERM",
    "SHELL",
    "SHLVL",
    "PWD",
    "OLDPWD",
    "TMPDIR",
    "TMP",
    "TEMP",
    "SYSTEMROOT",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "USERPROFILE",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
];

/// How tokens of well-known services begin, and how many characters follow at least.
const TOKEN_SHAPES: [(&str, usize); 23] = [
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("ya29.", 16),
    ("sk-", 16),
    ("sk_live_", 10),
    ("sk_test_", 10),
    ("rk_live_", 10),
    ("rk_test_", 10),
    ("xoxa-", 10),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("xoxr-", 10),
    ("xoxs-", 10),
    ("npm_", 30),
    ("hf_", 30),
];

/// Tells whether a variable looks like a secret, by its name or by its value.
pub(crate) fn looks_secret(name: &str, value: &str) -> bool {
    if NEVER_SECRET
        .iter()
        .any(|known| known.eq_ignore_ascii_case(name))
    {
        return false;
    }
    name_looks_secret(name) || value_looks_secret(value)
}

fn name_looks_secret(name: &str) -> bool {
    words(name).iter().any(|word| {
        let word = word.trim_end_matches(|character: char| character.is_ascii_digit());
        let singular = word.strip_suffix('S').unwrap_or(word);
        SECRET_WORDS
            .iter()
            .any(|secret| word.ends_with(secret) || singular.ends_with(secret))
    })
}

/// Splits a name at everything that is no letter or digit, and where `camelCase` begins a word.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for character in name.chars() {
        if !character.is_alphanumeric() || (character.is_uppercase() && after_small) {
            words.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_uppercase());
        }
        after_small = character.is_lowercase();
    }
    words
}

fn value_looks_secret(value: &str) -> bool {
    TOKEN_SHAPES
        .iter()
        .any(|(start, length)| holds_token(value, start, *length))
        || (value.contains("-----BEGIN") && value.contains("PRIVATE KEY"))
        || holds_json_web_token(value)
        || holds_password_in_url(value)
}

fn is_token_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == '-'
}

/// Yields what follows each `start` that begins a word.
fn after_word_start<'a>(value: &'a str, start: &'a str) -> impl Iterator<Item = &'a str> {
    value
        .match_indices(start)
        .filter(|(at, _)| !value[..*at].ends_with(|it: char| it.is_ascii_alphanumeric()))
        .map(move |(at, _)| &value[at + start.len()..])
}

fn token_length(text: &str) -> usize {
    text.find(|character| !is_token_character(character))
        .unwrap_or(text.len())
}

fn holds_token(value: &str, start: &str, length: usize) -> bool {
    after_word_start(value, start).any(|rest| token_length(rest) >= length)
}

/// Finds `eyJ….….`: header and payload in base64, then a signature.
fn holds_json_web_token(value: &str) -> bool {
    after_word_start(value, "eyJ").any(|rest| {
        let header = token_length(rest);
        let Some(payload) = rest[header..].strip_prefix('.') else {
            return false;
        };
        let length = token_length(payload);
        header >= 8 && length >= 8 && payload[length..].starts_with('.')
    })
}

/// Finds `scheme://user:password@`.
fn holds_password_in_url(value: &str) -> bool {
    value.match_indices("://").any(|(at, mark)| {
        let rest = &value[at + mark.len()..];
        let end = rest
            .find(|it: char| it.is_whitespace() || "/?#\"'".contains(it))
            .unwrap_or(rest.len());
        rest[..end]
            .rsplit_once('@')
            .and_then(|(user, _)| user.split_once(':'))
            .is_some_and(|(_, password)| !password.is_empty())
    })
}

#[cfg(test)]
mod tests;
