//! Determines which variables of an environment look like secrets (ENV-3).
//!
//! Three things are examined: the words of the name, the shape of the value (tokens of known
//! services, keys), and what is in the value (addresses with passwords, connection strings).

mod shapes;

use shapes::value_looks_secret;

/// Words of a name that mark a secret: alone, in the plural, or at the end of a longer word
/// (`APIKEY`).
const SECRET_ENDINGS: [&str; 22] = [
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
    "COOKIE",
    "BEARER",
    "WEBHOOK",
    "CONNSTR",
    "DOCKERCONFIGJSON",
];

/// Words that mark a secret only on their own: longer words end with them by chance.
const SECRET_WORDS: [&str; 17] = [
    "PAT", "PIN", "OTP", "TOTP", "MFA", "SEED", "SALT", "PSK", "PW", "JWT", "DSN", "SAS", "HMAC",
    "KEYTAB", "NETRC", "MNEMONIC", "WEBHOOKS",
];

/// Words that mark a secret when they follow one another.
const SECRET_PAIRS: [(&str, &str); 10] = [
    ("CONNECTION", "STRING"),
    ("CONNECTION", "URL"),
    ("CONN", "STR"),
    ("CONN", "STRING"),
    ("CONFIG", "JSON"),
    ("RECOVERY", "CODE"),
    ("BACKUP", "CODE"),
    ("BW", "SESSION"),
    ("BITWARDEN", "SESSION"),
    ("OP", "SESSION"),
];

/// Names that programs can't do without, or that are public although they sound otherwise.
const NEVER_SECRET: [&str; 19] = [
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
];

/// Endings of names whose value is the path of certificates of authorities, which everybody may
/// read, or the program that asks for a password.
const PATH_ENDINGS: [&str; 14] = [
    "_CERT_FILE",
    "_CERT_DIR",
    "_CERT_PATH",
    "_CA_CERT",
    "_CA_CERTS",
    "_CA_CERTS_FILE",
    "_CA_CERTS_PATH",
    "_CA_CERT_FILE",
    "_CA_CERTIFICATE",
    "_CA_CERTIFICATES",
    "_CA_BUNDLE",
    "_CAINFO",
    "_CAFILE",
    "ASKPASS",
];

/// Returns whether a variable looks like a secret, by its name or by its value.
pub fn looks_secret(name: &str, value: &str) -> bool {
    let name_is = |known: &&str| known.eq_ignore_ascii_case(name);
    if NEVER_SECRET.iter().any(name_is) {
        return false;
    }
    (name_looks_secret(name) && !names_a_path(name)) || value_looks_secret(value)
}

/// Returns whether a name is that of the path of a certificate, a program or a socket. The socket
/// of the SSH agent lets everyone who has it sign with the person's keys.
fn names_a_path(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    name == "PIP_CERT"
        || PATH_ENDINGS.iter().any(|ending| name.ends_with(ending))
        || (name != "SSH_AUTH_SOCK" && (name.ends_with("_SOCK") || name.ends_with("_SOCKET")))
}

fn name_looks_secret(name: &str) -> bool {
    let words = split_words(name);
    let is_pair = |pair: &[String]| {
        SECRET_PAIRS.iter().any(|(first, second)| {
            let singular = pair[1].strip_suffix('S').unwrap_or(&pair[1]);
            pair[0] == *first && (pair[1] == *second || singular == *second)
        })
    };
    words.iter().any(|word| is_secret_word(word)) || words.windows(2).any(is_pair)
}

fn is_secret_word(word: &str) -> bool {
    let word = word.trim_end_matches(|character: char| character.is_ascii_digit());
    let singular = word.strip_suffix('S').unwrap_or(word);
    let ends = |secret: &&str| word.ends_with(*secret) || singular.ends_with(*secret);
    SECRET_ENDINGS.iter().any(ends)
        || SECRET_WORDS
            .iter()
            .any(|secret| word == *secret || singular == *secret)
}

/// Splits a name at everything that isn't a letter or digit, and where `camelCase` begins a word.
fn split_words(name: &str) -> Vec<String> {
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
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests;
