//! Values in a group of settings whose name indicates secrets: `secrets.jwt=…`, `secrets:` with
//! `jwt: …` below it, `[credentials]`.

use std::sync::LazyLock;

use super::examples::is_common;
use super::looks::is_hash;
use super::picked::looks_picked;
use super::{
    Secret, is_computed, is_dense, is_identifier, is_placeholder, looks_chosen_at_random, note,
    stands_for_another, tells_of_ciphertext, tells_of_something_else,
};
use crate::expression::Expression;
use crate::searched::Searched;

/// How much of a group is looked at, in bytes.
const MAX_BYTES: usize = 4096;

/// What begins a group, up to its first entry.
static BEGINS: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(
        r#"(?i)(?:^|[\s{,"'\[.])(?:\w{1,20}[_-])?(?:secrets?|credentials|creds|passwords)(?:["']?\s*(?::|:?=)\s*(?:map\[string\]string\s*)?\{\s*|["']?:[ \t]*\r?\n\s+|\][ \t]*\r?\n|\.)"#,
    )
});

/// An entry, and what separates it from the next.
static ENTRY: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(
        r#"^["']?([\w.-]{1,60})["']?[ \t]*[:=][ \t]*(?:"([^"\n]{0,400})"|'([^'\n]{0,400})'|([^\s"'{}\[\],]{0,400}))[ \t]*(?:,\s*|\r?\n\s+|\r?\n|$|\s|\})"#,
    )
});

/// Names of what is looked up by its value, and isn't one of the secrets.
const NAMES_THINGS: &[&str] = &[
    "tag",
    "digest",
    "revision",
    "sha",
    "sha256",
    "image",
    "commit",
    "resourceversion",
    "uid",
    "etag",
    "store",
    "mount",
    "engine",
];

/// Finds the values of such groups.
pub(super) fn in_groups(searched: &Searched<'_>, found: &mut Vec<Secret>) {
    for group in BEGINS.matches_in(searched) {
        let mut rest = &searched.text()[group.end()..];
        let dotted = group.as_str().ends_with('.');
        let mut left = MAX_BYTES;
        while let Some(fit) = ENTRY.captured_in_part(rest, 0) {
            let whole = fit.get(0).map_or(0, |it| it.end());
            let name = fit.get(1).map_or("", |it| it.as_str());
            let value = (2..5)
                .find_map(|at| fit.get(at))
                .map_or("", |it| it.as_str());
            if is_secret(name, value) {
                note(found, name, false, value);
            }
            left = left.saturating_sub(whole);
            if dotted || whole == 0 || left == 0 {
                break;
            }
            rest = &rest[whole..];
        }
    }
}

/// Returns whether an entry of such a group is a secret, and not the name or the place of one.
fn is_secret(name: &str, value: &str) -> bool {
    let lower = name.to_lowercase();
    let last = lower.rsplit(['.', '_', '-']).next().unwrap_or("");
    let is_other =
        tells_of_something_else(name) || tells_of_ciphertext(name) || NAMES_THINGS.contains(&last);
    let is_random = || {
        value.len() >= 16 && looks_chosen_at_random(value, 4) && is_dense(value)
            || value.len() >= 32 && looks_chosen_at_random(value, 4)
    };
    !is_other
        && value.len() >= 8
        && !value.contains(['/', ' ']) | is_dense(value)
        && (is_random() || looks_picked(value))
        && !is_placeholder(value)
        && !is_common(value)
        && !is_computed(value)
        && !is_hash(value)
        && !is_identifier(value)
        && !stands_for_another(value)
}

#[cfg(test)]
mod tests {
    use super::{Searched, in_groups};

    fn count(text: &str) -> usize {
        let mut found = Vec::new();
        in_groups(&Searched::new(text), &mut found);
        found.len()
    }

    /// HT-40: every entry of a group of secrets is one, whatever its own name is.
    #[test]
    fn groups_tell_what_they_hold() {
        let random = "q7Rk2Vx9LmT4bWz8NcJf";
        for text in [
            format!("helm upgrade a . --set app.secrets.jwt={random}"),
            format!("secrets:\n  jwt: {random}\n"),
            format!("app:\n  db-credentials:\n    mail: \"{random}\"\n"),
            format!("[secrets]\nstore = \"vault\"\njwt = \"{random}\"\n"),
            format!("{{\"secrets\": {{\"a\": \"x\", \"jwt\": \"{random}\"}}}}"),
        ] {
            assert_eq!(count(&text), 1, "{text}");
        }
        for text in [
            "secrets:\n  create: true\n  name: db-credentials-2024-v3\n  mountPath: /etc/a1b2c3D4/xY\n",
            "secrets:\n  jwt: ${JWT}\n  mail: \"\"\n",
            "secrets:\n  - q7Rk2Vx9LmT4bWz8NcJf\n",
            "jobs:\n  a: q7Rk2Vx9LmT4bWz8NcJf\n",
            "--set secrets.image.tag=q7Rk2Vx9LmT4bWz8NcJf",
            "import secrets.randomBytes",
        ] {
            assert_eq!(count(text), 0, "{text}");
        }
    }

    /// HT-40: a text of many groups is read in time that grows with its length.
    #[test]
    fn many_groups_are_bounded() {
        let text = "secrets:\n  a: b\n".repeat(2000);
        assert_eq!(count(&text), 0);
    }
}
