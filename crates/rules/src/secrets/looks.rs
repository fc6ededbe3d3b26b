//! What a value looks like: random, computed, or the name of something.

use super::data::is_publishable;
use super::density::is_dense;
use super::examples::{is_common, is_placeholder};
use super::letters::{are_no_words, have_seldom_pairs};

/// Returns whether a value is taken from elsewhere when the program runs.
pub(super) fn is_computed(value: &str) -> bool {
    value.starts_with("ENC[")
        || value.starts_with("ENC(")
        || value.starts_with(['$', '%', '<', '{', '@', '/', '~', '.', '#'])
        || value.contains("${")
        || value.contains("$(")
        || value.contains("{{")
        || value.contains("<%")
        || value.contains("://")
        || [
            "process.env",
            "os.environ",
            "getenv",
            "import.meta",
            "config.",
            "secrets.",
            "vars.",
            "env.",
            "self.",
            "this.",
            "ENV[",
        ]
        .iter()
        .any(|it| value.contains(it))
}

/// Returns whether a value looks random, with letters and digits that alternate at least that
/// often, and means nothing else.
pub(super) fn looks_chosen_at_random(value: &str, changes: usize) -> bool {
    !value.contains(char::is_whitespace)
        && changes_often(value, changes)
        && !is_computed(value)
        && !is_expression(value)
        && !is_common(value)
        && !is_publishable(value)
        && !is_sealed(value)
        && !is_hash(value)
        && !is_address(value)
        && !names_a_secret(value)
        && !is_placeholder(value)
}

/// Returns whether letters and digits alternate at least that often, or so many letters aren't
/// words.
fn changes_often(value: &str, changes: usize) -> bool {
    let has = |test: fn(&char) -> bool| value.chars().any(|it| test(&it));
    if !has(char::is_ascii_digit) {
        return is_jumbled(value, if changes > 2 { 14 } else { 12 })
            || changes <= 2
                && (is_unspeakable(value)
                    || is_mixed(value) && are_no_words(value, least_letters(value)));
    }
    if !has(char::is_ascii_alphabetic) {
        return false;
    }
    let class = |it: char| match it {
        'a'..='z' => 0_u8,
        'A'..='Z' => 1,
        '0'..='9' => 2,
        _ => 3,
    };
    let classes: Vec<u8> = value.chars().map(class).collect();
    let count = classes.windows(2).filter(|pair| pair[0] != pair[1]).count();
    count >= changes || count >= 2 && value.len() >= 12 && have_seldom_pairs(value)
}

/// Characters that occur in passwords, but not in names.
pub(super) const SIGNS: &[u8] = b"!@#%^&*+=?~$";

/// Returns whether a value looks like a password that a person chose: letters, digits and a
/// character that names don't contain, however seldom they alternate.
pub(super) fn looks_like_password(value: &str) -> bool {
    let bytes = value.as_bytes();
    (8..=64).contains(&bytes.len())
        && bytes.iter().any(u8::is_ascii_alphabetic)
        && bytes.iter().any(u8::is_ascii_digit)
        && bytes.iter().any(|it| SIGNS.contains(it))
        && bytes
            .iter()
            .all(|it| it.is_ascii_alphanumeric() || SIGNS.contains(it) || b"-_.".contains(it))
}

/// Returns whether a value has digits, and letters of both cases or a character that names don't
/// contain.
pub(super) fn looks_mixed(value: &str) -> bool {
    value.bytes().any(|it| it.is_ascii_digit())
        && value.bytes().any(|it| it.is_ascii_alphabetic())
        && is_mixed(value)
}

/// Returns how many letters are enough: with a special character among them, fewer are.
fn least_letters(value: &str) -> usize {
    let has_sign = value.bytes().any(|it| SIGNS.contains(&it));
    if has_sign { 8 } else { 12 }
}

/// Returns whether letters are of both cases, or have special characters between them.
fn is_mixed(value: &str) -> bool {
    let bytes = value.as_bytes();
    bytes.iter().any(u8::is_ascii_uppercase) && bytes.iter().any(u8::is_ascii_lowercase)
        || bytes.iter().any(|it| SIGNS.contains(it))
}

/// Returns whether so many letters, with a few special characters at most, aren't words: in words,
/// case seldom changes, and there are many vowels.
fn is_jumbled(value: &str, least: usize) -> bool {
    let bytes = value.as_bytes();
    let letters = bytes.iter().filter(|it| it.is_ascii_alphabetic()).count();
    let signs = bytes.iter().filter(|it| SIGNS.contains(it)).count();
    // Names contain these, too: they count together with a character that names don't contain.
    let others = bytes.iter().filter(|it| b"-_.".contains(it)).count();
    let signs = if signs > 0 { signs + others } else { 0 };
    if letters < least || letters + signs < bytes.len() || signs * 4 > letters {
        return false;
    }
    let changes = bytes
        .windows(2)
        .filter(|pair| pair.iter().all(u8::is_ascii_alphabetic))
        .filter(|pair| pair[0].is_ascii_lowercase() != pair[1].is_ascii_lowercase())
        .count();
    let vowels = vowels(bytes);
    changes * 5 >= letters * 2 && vowels * 10 <= letters * 3
        || changes * 4 >= letters && vowels * 20 <= letters * 3
}

/// Returns whether many letters of one case contain fewer vowels than words do.
fn is_unspeakable(value: &str) -> bool {
    let bytes = value.as_bytes();
    bytes.len() >= 16
        && (bytes.iter().all(u8::is_ascii_lowercase) || bytes.iter().all(u8::is_ascii_uppercase))
        && vowels(bytes) * 4 <= bytes.len()
}

fn vowels(letters: &[u8]) -> usize {
    let is_vowel = |it: &&u8| b"aeiou".contains(&it.to_ascii_lowercase());
    letters.iter().filter(is_vowel).count()
}

/// Returns whether a value is one of `SealedSecret`, which only its cluster can read: they begin
/// with the length of the key, and are as long as that.
fn is_sealed(value: &str) -> bool {
    let is_base64 = |it: u8| it.is_ascii_alphanumeric() || b"+/=".contains(&it);
    value.starts_with("Ag") && value.len() >= 250 && value.bytes().all(is_base64)
}

/// Returns whether a value is a word in a language with more letters than ASCII: a translation.
pub(super) fn is_foreign_word(value: &str) -> bool {
    !value.is_ascii() && value.chars().all(char::is_alphabetic)
}

/// Returns whether an unquoted value names something of the program: `random_password.db.result`,
/// and `Qx9.parse` if it is called.
pub(super) fn is_reference(value: &str, is_called: bool) -> bool {
    let path = value
        .replace("::", ".")
        .replace("->", ".")
        .replace("?.", ".");
    let path = path.trim_start_matches(['!', '*']);
    let parts: Vec<&str> = path.split('.').collect();
    let is_name = |part: &&str| {
        part.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
            && part
                .bytes()
                .all(|it| it.is_ascii_alphanumeric() || b"_$".contains(&it))
    };
    if !parts.iter().all(is_name) {
        return false;
    }
    if is_called {
        return parts
            .iter()
            .all(|it| it.len() <= 8 || !is_dense(it) || has_words(it));
    }
    // A password may contain a dot: `Summer2024.Acme`.
    let looks_like_code = parts.len() > 2
        || path.contains('_')
        || path.starts_with(|it: char| it.is_ascii_lowercase());
    parts.len() > 1
        && looks_like_code
        && parts
            .iter()
            .all(|it| it.len() <= 40 && it.split('_').all(has_words) && !is_jumbled(it, 12))
}

/// Returns whether a name is made of words, `SecretKeyV4`: in random text the case changes at
/// almost every letter.
fn has_words(name: &str) -> bool {
    let class = |it: u8| (it.is_ascii_digit(), it.is_ascii_uppercase());
    let starts = |pair: &&[u8]| {
        let begins_word = pair[0].is_ascii_uppercase() && pair[1].is_ascii_lowercase();
        class(pair[0]) != class(pair[1]) && !begins_word
    };
    let runs = 1 + name.as_bytes().windows(2).filter(starts).count();
    runs < 5 || name.len() * 10 >= runs * 22
}

/// Returns whether a value is a password's hash, with the scheme that it names.
pub(super) fn is_hash(value: &str) -> bool {
    [
        "pbkdf2",
        "argon2",
        "bcrypt",
        "scrypt",
        "sha1$",
        "sha256$",
        "sha512$",
        "SCRAM-SHA-",
    ]
    .iter()
    .any(|it| value.starts_with(it))
}

/// Returns whether a value is the address of an account or a contract of a blockchain.
pub(super) fn is_address(value: &str) -> bool {
    value
        .strip_prefix("0x")
        .is_some_and(|it| it.len() == 40 && it.bytes().all(|it| it.is_ascii_hexdigit()))
}

/// Returns whether a value is an address of a network or of a card in it: hexadecimal digits in
/// groups.
pub(super) fn is_numeric_address(value: &str) -> bool {
    let groups = || value.split(':');
    let is_group = |it: &str| it.len() <= 4 && it.bytes().all(|it| it.is_ascii_hexdigit());
    groups().count() >= 3 && groups().all(is_group)
}

/// Returns whether a value is a regular expression: it contains sets of characters.
fn is_expression(value: &str) -> bool {
    ["[0-9", "[a-z", "[A-Z", "(?:", "[^\\"]
        .iter()
        .any(|it| value.contains(it))
}

/// Returns whether a place in a text lies within the digest of a file, as lock files and pages have
/// it: `sha256=…`, `sha512-…`. Its letters may happen to be those of a key.
pub(super) fn is_part_of_digest(text: &str, start: usize, end: usize) -> bool {
    const DIGESTS: [(&str, usize); 6] = [
        ("sha256=", 43),
        ("sha256-", 43),
        ("sha384-", 64),
        ("sha384=", 64),
        ("sha512-", 86),
        ("sha512=", 86),
    ];
    let bytes = text.as_bytes();
    let is_digit = |it: &&u8| it.is_ascii_alphanumeric() || b"+/_-".contains(it);
    DIGESTS.iter().any(|(name, length)| {
        let from = start.saturating_sub(name.len() + length);
        let before = bytes.get(from..start).unwrap_or_default();
        let mut places = before.windows(name.len()).enumerate();
        let at = places.find(|(_, it)| *it == name.as_bytes());
        at.is_some_and(|(at, _)| {
            let begin = from + at + name.len();
            let digits = bytes[begin..].iter().take_while(is_digit).count();
            begin < start && digits == *length && end <= begin + length + 2
        })
    })
}

/// Returns whether a value names a secret and isn't one: words with separators, one of which
/// indicates a secret.
pub(super) fn names_a_secret(value: &str) -> bool {
    let is_word = |it: &str| {
        let front = it.trim_end_matches(|it: char| it.is_ascii_digit());
        let rest = front.get(1..).unwrap_or_default();
        it.len() - front.len() <= 4
            && front.bytes().all(|it| it.is_ascii_alphabetic())
            && rest.bytes().all(|it| it.is_ascii_lowercase())
    };
    let tells = [
        "secret",
        "token",
        "password",
        "credential",
        "apikey",
        "api-key",
    ];
    let lower = value.to_ascii_lowercase();
    tells.iter().any(|it| lower.contains(it)) && value.split(['-', '_', '.']).all(is_word)
}

/// Returns whether a value is a UUID: unless it is called a secret, it identifies a thing.
pub(super) fn is_identifier(value: &str) -> bool {
    let lengths: Vec<usize> = value.split('-').map(str::len).collect();
    let is_part = |it: u8| it.is_ascii_hexdigit() || it == b'-';
    lengths == [8, 4, 4, 4, 12] && value.bytes().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::super::in_texts;

    /// HT-40: what others write in the place of a secret is an algorithm, an address, a pattern or
    /// the digest of a file; a key behind the name of a digest is one.
    #[test]
    fn other_things_are_no_secrets() {
        for text in [
            "SIGNATURE_HMAC = 'HMAC-SHA1'",
            "password_encryption = scram-sha-256",
            "HEX_PAT = \"[0-9A-Fa-f]{1,4}\"",
            "address: \"2606:2800:21f:cb07:6820:80da:af6b:8b2c\"",
            "login\t1:4.13+dfsg1-1+deb12u1",
            "a.py,sha256=qaN-fw_htIgKUVXoAuAEVgKxQu3tZ9qE2eiKkWIS7LA,160",
        ] {
            assert_eq!(in_texts([text]), [], "{text}");
        }
        let key = format!("a.py,sha256=ghp_{}", "q7Rk2Vx9LmT4bWz8NcJf".repeat(2));
        assert!(in_texts([key.as_str()])[0].certain, "{key}");
    }
}
