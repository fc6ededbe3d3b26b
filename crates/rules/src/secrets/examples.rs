//! Values that stand for a secret in examples and on developers' machines.

use super::data::is_published;
use super::density::is_dense;

/// Words of placeholders that hardly occur by chance.
const WORDS: &[&str] = &[
    "example",
    "placeholder",
    "changeme",
    "change_me",
    "change-me",
    "redacted",
    "sample",
    "insert",
    "replace",
    "mysecret",
    "my-secret",
    "not-a-real",
    "notreal",
    "deadbeef",
    "required|",
];

/// Letters and digits in their order.
const IN_ORDER: &[&str] = &["1234567890abcdef", "abcdefghij"];

/// Characters in the place of letters.
const MASKS: &[&str] = &["xxxx", "XXXX", "****", "...", "00000000"];

/// Short words of placeholders: a long random value contains one of them now and then.
const SHORT_WORDS: &[&str] = &["your", "dummy", "fake", "todo"];

/// Returns whether a value is a placeholder for one, or one that everybody knows.
pub(super) fn is_placeholder(value: &str) -> bool {
    is_in_order(value) || has_placeholder(value)
}

/// Returns whether a value contains letters and digits in alphabetical order, and nothing else that
/// placeholders have: it may be a placeholder, or a slightly changed key.
pub(super) fn is_merely_in_order(value: &str) -> bool {
    is_in_order(value) && !has_placeholder(value)
}

fn is_in_order(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    IN_ORDER.iter().any(|it| lower.contains(it))
}

fn has_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    WORDS.iter().any(|it| lower.contains(it))
        || MASKS.iter().any(|it| value.contains(it))
        || SHORT_WORDS.iter().any(|it| has_word(value, &lower, it))
        || instructs(value)
        || is_published(value)
}

/// Returns whether a value says how to make one: `generate-with-openssl-rand-base64-32`,
/// `at_least_32_chars_long`.
fn instructs(value: &str) -> bool {
    const TELLING: [&str; 8] = [
        "generate",
        "generated",
        "random",
        "openssl",
        "char",
        "chars",
        "characters",
        "string",
    ];
    const MIXED: [&str; 4] = ["base64", "sha256", "sha512", "rot13"];
    let is_word = |it: &str| {
        MIXED.contains(&it)
            || it.bytes().all(|it| it.is_ascii_lowercase())
            || it.len() <= 4 && it.bytes().all(|it| it.is_ascii_digit())
    };
    let parts: Vec<&str> = value.trim_end_matches('!').split(['-', '_']).collect();
    parts.len() >= 3
        && parts.iter().all(|it| it.len() <= 12 && is_word(it))
        && parts.iter().any(|it| TELLING.contains(it))
}

/// Returns whether a value contains a word in one case or with a capital: in a random value it must
/// be separate.
fn has_word(value: &str, lower: &str, word: &str) -> bool {
    lower.match_indices(word).any(|(at, _)| {
        let (front, rest) = value.split_at(at);
        let (found, behind) = rest.split_at(word.len());
        let is_one_case = found[1..] == word[1..] || found == word.to_ascii_uppercase();
        let parts = |it: Option<char>| it.is_none_or(|it| !it.is_ascii_alphanumeric());
        let stands_alone = parts(front.chars().next_back()) || parts(behind.chars().next());
        is_one_case && (stands_alone || !is_dense(value))
    })
}

/// Returns whether a password is one that examples and local services have.
pub(super) fn is_common(value: &str) -> bool {
    let lower = value.to_lowercase();
    let word = lower.trim_end_matches(|it: char| it.is_ascii_digit() || "!@#.-_".contains(it));
    [
        "",
        "password",
        "passwort",
        "motdepasse",
        "contrasena",
        "passwd",
        "passw0rd",
        "p@ssw0rd",
        "pass",
        "test",
        "testing",
        "admin",
        "root",
        "secret",
        "postgres",
        "mysql",
        "guest",
        "default",
        "demo",
        "letmein",
        "qwerty",
        "user",
        "dev",
        "development",
        "local",
        "abc",
        "xyz",
        "foo",
        "bar",
        "testpassword",
        "test_password",
        "testpass",
        "foobar",
        "hunter",
        "redis",
        "mongo",
        "rabbitmq",
        "minio",
        "minioadmin",
        "welcome",
        "token",
        "test-token",
        "test_token",
        "testtoken",
        "test-secret",
        "test-key",
        "key",
        "value",
    ]
    .contains(&word)
        || is_algorithm(&lower)
}

/// Returns whether a value names how something is signed, encrypted or hashed: `hmac-sha256`.
fn is_algorithm(lower: &str) -> bool {
    const NAMES: [&str; 24] = [
        "hmac",
        "sha",
        "sha1",
        "sha224",
        "sha256",
        "sha384",
        "sha512",
        "md5",
        "scram",
        "digest",
        "aes",
        "gcm",
        "cbc",
        "ctr",
        "rsa",
        "ecdsa",
        "ed25519",
        "hs256",
        "rs256",
        "es256",
        "signature",
        "with",
        "hmacsha1",
        "hmacsha256",
    ];
    let parts = || {
        lower
            .split(|it: char| !it.is_ascii_alphanumeric())
            .filter(|it| !it.is_empty())
    };
    let is_number = |it: &str| it.len() <= 4 && it.bytes().all(|it| it.is_ascii_digit());
    parts().any(|it| NAMES.contains(&it)) && parts().all(|it| NAMES.contains(&it) || is_number(it))
}
