//! What keys and tokens look like, and the names that values are assigned to.

use std::sync::LazyLock;

use super::data::{KEYS, KeyText};
use super::density::is_dense;
use super::examples::is_placeholder;
use super::stated;
use crate::evaluate::entropy;
use crate::expression::Expression;
use crate::searched::Searched;

pub(super) struct Key {
    pub(super) kind: &'static str,
    pub(super) sure: bool,
    pub(super) dense: bool,
    pub(super) expression: Expression,
}

impl Key {
    /// Returns how many letters, digits, underscores and hyphens it has in a row.
    fn run(&self) -> usize {
        self.expression.needs().run
    }

    /// Returns whether a match is a key, and not an example of one.
    pub(super) fn is(&self, text: &str) -> bool {
        self.sure || !is_placeholder(text) && entropy(text) > 2.8 && (!self.dense || is_dense(text))
    }
}

pub(super) struct Table {
    /// Those with the shortest runs of letters and digits first.
    keys: Vec<Key>,
    pub(super) url: Expression,
    pub(super) assigned: Expression,
    pub(super) stated: Vec<Expression>,
    pub(super) uncertain: Vec<Expression>,
    pub(super) bearer: Expression,
}

impl Table {
    /// Returns the keys that may be in a text. Most words are too short for nearly all.
    pub(super) fn possible<'t>(&'t self, searched: &Searched<'_>) -> impl Iterator<Item = &'t Key> {
        let end = self.keys.partition_point(|it| it.run() <= searched.run());
        let short_enough = self.keys[..end].iter();
        short_enough.filter(|it| it.expression.may_match_in(searched))
    }

    fn new() -> Self {
        let key = |of: &'static KeyText| {
            of.is.iter().map(move |pattern| Key {
                kind: of.kind,
                sure: of.sure,
                dense: of.dense,
                expression: Expression::new(pattern),
            })
        };
        let mut keys: Vec<Key> = KEYS.iter().flat_map(key).collect();
        keys.sort_by_key(Key::run);
        Self {
            keys,
            url: Expression::new(
                r#"\b[a-zA-Z][a-zA-Z0-9+._-]*://[^/\s:@"']{0,64}:([^@\s/"']{3,})@([^\s/:"',]+)"#,
            ),
            assigned: Expression::new(ASSIGNED),
            stated: stated::STATED
                .iter()
                .map(|it| Expression::new(&stated::spelt_out(it)))
                .collect(),
            uncertain: stated::UNCERTAIN
                .iter()
                .map(|it| Expression::new(&stated::spelt_out(it)))
                .collect(),
            bearer: Expression::new(
                r"(?i)\b(?:bearer|basic|token|apikey|ssws|splunk|genie-?key|[a-z-]+-(?:key|token):|authorization:\s*[a-z][a-z-]{1,40})\s+([A-Za-z0-9._~+/=:-]{16,})",
            ),
        }
    }
}

/// A name that indicates a secret, and what is between it and its value; if there is a type too
/// (`token: string = `), that is a group of its own.
const ASSIGNED: &str = r#"(?i)([A-Za-z0-9_.$-]*(?:api[ ._-]?key|apikey|(?:secret|access) key|secret|token|passw(?:or)?d|passwort|kennwort|passphrase|passwd|pwd|[_-]pass\b|\bpass\b|(?:key|trust|become|bind|smtp|user|admin|root|ssh|db)_?pass\b|\bpw\b|_pw\b|(?:key|trust)store_?pass\b|\bpsk\b|(?:auth|access|admin|server|service|role|licen[cs]e|deploy|webhook|hmac|jwt|session|cookie|cipher|app|application|subscription|functions|write|fernet|aes|symmetric)[_.:-]?key|\bbearer\b|account[_-]?key|master[_-]?key|storage[_-]?key|private[_-]?key|shared[_-]?key|encryption[_-]?key|signing[_-]?key|credential|conn(?:ection)?[_-]?string|(?-i:[A-Z0-9]_(?:KEY|PAT|BEARER)\b)|\bjwt\b|_jwt\b|\bhmac\b|_hmac\b|\bpepper\b|client-key-data|\bbindpw\b|_authtok\b|(?:redis|rediscli|npm|registry|docker|proxy|basic|http|smtp)[_-]?auth\b|\b_auth\b)[A-Za-z0-9_-]*)["']?\]?(?:\[\d*\])?\s*(?::=|\|\|=|\?{1,2}=|=>|={2,3}|:\s*([A-Za-z]+\s*=)|[:=])\s*"#;

/// The table.
pub(super) static TABLE: LazyLock<Table> = LazyLock::new(Table::new);

/// Returns all expressions, as they are compiled.
#[cfg(test)]
pub(crate) fn expressions() -> impl Iterator<Item = String> {
    let table = &*TABLE;
    let lists = table.stated.iter().chain(&table.uncertain);
    let of_keys = table.keys.iter().map(|it| &it.expression);
    let all = of_keys.chain(lists);
    let all = all.chain([&table.url, &table.assigned, &table.bearer]);
    all.map(|it| it.text().to_owned())
}

#[cfg(test)]
mod tests {
    use super::{KEYS, expressions};
    use crate::expression::Expression;
    use crate::secrets::KINDS;

    /// HT-40: the table of keys that comes with the program and each of its expressions can be
    /// read.
    #[test]
    fn the_table_is_readable() {
        assert!(KEYS.iter().all(|it| KINDS.contains(&it.kind)));
        for text in expressions() {
            assert!(Expression::new(&text).is_readable(), "{text}");
        }
    }
}
