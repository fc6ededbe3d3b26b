//! Passwords that people choose: words, with digits and punctuation between and after them.

use super::data::is_publishable;
use super::examples::{is_common, is_placeholder};
use super::looks::{SIGNS, is_address, is_computed, is_hash, names_a_secret};
use super::names::tells_of_password;

/// How long a password that a person chose is, in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 8..=64;

/// Words of passwords in tests and examples.
const WORDS: &[&str] = &[
    "password",
    "passwort",
    "passwd",
    "pass",
    "pwd",
    "word",
    "secret",
    "test",
    "testing",
    "tester",
    "admin",
    "root",
    "user",
    "username",
    "guest",
    "default",
    "demo",
    "dev",
    "local",
    "my",
    "the",
    "a",
    "new",
    "old",
    "wrong",
    "valid",
    "invalid",
    "correct",
    "incorrect",
    "super",
    "top",
    "strong",
    "weak",
    "some",
    "db",
    "app",
    "long",
    "very",
    "secure",
    "safe",
    "another",
    "other",
    "bad",
    "good",
    "initial",
    "current",
    "temp",
    "mock",
    "dummy",
    "fake",
    "example",
    "client",
    "api",
    "auth",
    "login",
    "value",
    "string",
    "foo",
    "bar",
    "baz",
    "abc",
    "hunter",
    "changed",
    "this",
    "is",
    "not",
    "real",
    "e",
    "ci",
    "postgres",
    "mysql",
    "redis",
    "field",
    "form",
    "input",
    "hash",
    "hashed",
    "plain",
    "plaintext",
    "token",
    "key",
];

/// Returns whether a value looks like a password that a person chose, with letters of both cases
/// and digits, or with a character that names don't contain.
pub(super) fn looks_picked(value: &str) -> bool {
    let has = |test: fn(&u8) -> bool| value.bytes().any(|it| test(&it));
    let cases = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    let signs = value.bytes().any(|it| SIGNS.contains(&it));
    let letters = has(u8::is_ascii_alphabetic);
    let digits = has(u8::is_ascii_digit);
    let tells =
        cases && digits && !is_name_of_program(value) || signs && letters && (digits || cases);
    tells && may_be_picked(value)
}

/// Returns whether a value may be a password where nothing else can be meant: `sommer2022`.
pub(super) fn looks_picked_plainly(value: &str) -> bool {
    let count = |test: fn(&u8) -> bool| value.bytes().filter(test).count();
    let letters = count(u8::is_ascii_alphabetic);
    let digits = count(u8::is_ascii_digit);
    let others = value.len() - letters - digits;
    let is_plain =
        letters >= 5 && digits >= 2 && others == 0 || letters >= 12 && digits >= 1 && others > 0;
    let is_number = value.bytes().all(|it| it.is_ascii_hexdigit() || it == b'-');
    looks_picked(value) || is_plain && !is_number && may_be_picked(value)
}

/// Parts of words that programs and pages show in place of a password.
const NO_PASSWORDS: &[&str] = &[
    "passw",
    "passphrase",
    "kennw",
    "wachtwoord",
    "contrase",
    "credential",
    "string",
    "valid",
    "requir",
    "config",
    "database",
    "change",
    "crypt",
    "generat",
    "param",
    "propert",
    "descri",
    "field",
    "auth",
    "verif",
];

/// Returns whether a value may be a password of letters alone where nothing else can be meant:
/// `mondscheinsonate`.
pub(super) fn looks_like_words(value: &str) -> bool {
    (12..=40).contains(&value.len())
        && value.bytes().all(|it| it.is_ascii_lowercase())
        && !NO_PASSWORDS.iter().any(|it| value.contains(it))
        && may_be_picked(value)
}

/// Returns whether what a quote or a tag encloses may be a password; words may be one, too.
pub(super) fn is_picked_where_told(name: &str, value: &str, before: &str) -> bool {
    let tells = tells_of_password(name);
    let gives = tells || name.eq_ignore_ascii_case("identified");
    takes_password(name) && looks_picked(value)
        || tells && looks_picked_plainly(value)
        || gives && before.ends_with(['"', '\'', '>']) && looks_like_words(value)
}

/// Returns whether a value is written as programs write names: `emailAddress2`.
fn is_name_of_program(value: &str) -> bool {
    let front = value.trim_end_matches(|it: char| it.is_ascii_digit());
    value.len() - front.len() <= 1
        && front.starts_with(|it: char| it.is_ascii_lowercase())
        && front.bytes().all(|it| it.is_ascii_alphabetic())
}

fn may_be_picked(value: &str) -> bool {
    let is_sign =
        |it: u8| it.is_ascii_alphanumeric() || SIGNS.contains(&it) || b"-_.".contains(&it);
    LENGTHS.contains(&value.len())
        && value.bytes().all(is_sign)
        && !is_computed(value)
        && !is_common(value)
        && !is_placeholder(value)
        && !is_publishable(value)
        && !is_hash(value)
        && !is_address(value)
        && !names_a_secret(value)
        && !is_made_of_words(value)
}

/// Returns whether a value consists of nothing but words that tests and examples have, and
/// separators.
pub(super) fn is_made_of_words(value: &str) -> bool {
    // Some people write a digit or another character in the place of a letter.
    let plain = |it: char| match it.to_ascii_lowercase() {
        '0' => 'o',
        '@' => 'a',
        '3' => 'e',
        '$' => 's',
        other => other,
    };
    let front = value.trim_end_matches(|it: char| !it.is_ascii_alphabetic());
    let letters: String = front
        .chars()
        .map(plain)
        .filter(char::is_ascii_alphabetic)
        .collect();
    let mut reached = vec![false; letters.len() + 1];
    reached[0] = true;
    for at in 0..letters.len() {
        if !reached[at] {
            continue;
        }
        for word in WORDS.iter().filter(|it| letters[at..].starts_with(**it)) {
            reached[at + word.len()] = true;
        }
    }
    reached[letters.len()]
}

/// Returns whether something with this name gets somebody's password: a variable for it, or a call
/// that logs in.
pub(super) fn takes_password(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|it| name.contains(it));
    let by_chance = has(&[
        "token", "key", "jwt", "hmac", "fernet", "cookie", "client", "secret_",
    ]);
    let logs_in = has(&[
        "pass",
        "pw",
        "login",
        "log in",
        "auth",
        "credential",
        "creds",
        "sign",
        "getconnection",
        "mysqli",
        "pdo",
        "identified",
        "connect",
        "admin",
        "account",
        "basic",
        "ssh",
        "ftp",
        "rdp",
        "access",
        "user",
        "begin",
        "softap",
        "securestring",
        "curl",
        "wget",
        "http",
        "xh",
        "mysql",
        "mariadb",
        "docker",
        "podman",
        "redis-cli",
        "sql",
        "vpn",
        "db",
        "server",
        "wifi",
        "jdbc",
        "-u",
        "-a",
        "open",
    ]);
    !by_chance && logs_in
}

/// How much of an address before a name is looked at, in bytes.
const MAX_ADDRESS: usize = 256;

/// Returns whether the text before a name says that it is a position in a list, `next page token`,
/// or belongs to a picture that everybody sees: `badge.svg?token=…`.
pub(super) fn is_place_in_list(before: &str) -> bool {
    let mut words = before.rsplit(|it: char| !it.is_ascii_alphanumeric());
    let places = ["page", "continuation", "cursor", "pagination"];
    let last = words.find(|it| !it.is_empty()).unwrap_or("");
    let is_place = || places.iter().any(|it| last.eq_ignore_ascii_case(it));
    let near = before.len().saturating_sub(MAX_ADDRESS)..before.len();
    let begin = near.clone().find(|at| before.is_char_boundary(*at));
    let address = &before[begin.unwrap_or(near.end)..];
    let address = address.rsplit(char::is_whitespace).next().unwrap_or("");
    is_picture(address) || before.ends_with(' ') && is_place()
}

/// Returns whether an address is shown as the picture of a page, `![…](https://h/badge.svg?`: what
/// is in it is for everybody. A request to the same address sends its value away.
fn is_picture(address: &str) -> bool {
    let shown = address.rsplit_once("](https://");
    let shown = shown.or_else(|| address.rsplit_once("src=\"https://"));
    shown.is_some_and(|(_, it)| it.ends_with("badge.svg?") || it.starts_with("img.shields.io/"))
}

/// How a value that is assigned to a name is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Written<'t> {
    pub(super) quoted: bool,
    /// What is between the name and the value.
    pub(super) gives: &'t str,
    /// What follows the value, if it isn't quoted.
    pub(super) behind: &'t str,
}

impl Written<'_> {
    /// Returns whether it may be a password that a person chose: without quotes, a program means a
    /// name of its own.
    pub(super) fn is_picked(self, value: &str) -> bool {
        if self.quoted {
            return looks_picked_plainly(value) || looks_like_words(value);
        }
        let is_plain = || looks_picked_plainly(value) || looks_like_words(value);
        let rest = self.behind.trim_start_matches([' ', '\t', '\r']);
        let ends_line = rest.is_empty() || rest.starts_with('\n');
        // In the settings of a connection, the next one follows: `Password=…;Database=d`.
        let is_name = value
            .bytes()
            .all(|it| it.is_ascii_alphanumeric() || b"_.$".contains(&it));
        let ends_word = self.behind.starts_with([' ', '\t', '&', '"', '\''])
            || self.behind.starts_with(';') && !is_name;
        match self.gives.trim_start_matches(['"', '\'', ']']) {
            "=" => is_plain() && (ends_line || ends_word),
            ":" | ": " => is_plain() && ends_line,
            " = " => {
                looks_picked(value)
                    && ends_line
                    && !value.starts_with(|it: char| it.is_ascii_lowercase())
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::in_texts;
    use super::{looks_like_words, looks_picked, looks_picked_plainly};

    /// HT-40: the token of a picture on a page is for everybody, but only there: a request that
    /// names such a picture sends a secret away.
    #[test]
    fn pictures_of_a_page_are_public() {
        let random = "q7Rk2Vx9LmT4bWz8NcJf5hYs3Gd1Pa6Q";
        for (text, count) in [
            (
                format!("![c](https://h.example/badge.svg?token={random})"),
                0,
            ),
            (
                format!("<img src=\"https://h.example/badge.svg?token={random}\">"),
                0,
            ),
            (
                format!("curl 'https://h.example/badge.svg?token={random}'"),
                1,
            ),
            (
                format!("curl 'https://h.example/?u=//img.shields.io/&api_key={random}'"),
                1,
            ),
            (
                format!("![c](https://h.example/?u=//img.shields.io/&api_key={random})"),
                1,
            ),
        ] {
            assert_eq!(in_texts([text.as_str()]).len(), count, "{text}");
        }
    }

    /// HT-40: what people choose as a password is distinguished from what tests and programs call
    /// one.
    #[test]
    fn passwords_of_people_are_told_from_words() {
        for value in [
            "Zebra.Tango.7",
            "blue42Sky",
            "Winter#Is#Here",
            "Chess_King64",
            "c0ffee&milk",
            "9Lives.Cat",
        ] {
            assert!(looks_picked(value), "{value}");
        }
        for value in ["mondscheinsonate", "qhwjxkvbtrlm", "correcthorsebattery"] {
            assert!(looks_like_words(value), "{value}");
        }
        for value in [
            "wrongpassword",
            "authenticated",
            "stringschema",
            "CorrectHorse",
            "short",
        ] {
            assert!(!looks_like_words(value), "{value}");
        }
        for value in ["sommer2022", "correcthorse-battery9"] {
            assert!(
                looks_picked_plainly(value) && !looks_picked(value),
                "{value}"
            );
        }
        for value in [
            "SuperSecret1",
            "Test1234!",
            "validPass123",
            "testuser123",
            "password-v2",
            "my_password_2",
            "db-1",
            "random_word",
            "${Db_Pass1}",
            "deadbeef1234",
        ] {
            assert!(!looks_picked_plainly(value), "{value}");
        }
    }
}
