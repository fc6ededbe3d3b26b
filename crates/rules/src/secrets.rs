//! Finds keys and tokens in texts: `guards/secrets.toml` describes their formats (HT-40).
//!
//! A text in the format of a service's keys always counts. A value that is assigned to a name such
//! as `token` or `--password` counts only if it looks random, so values that people choose as
//! examples, read from the environment or compute at run time don't.

mod argument_secrets;
mod columns;
mod data;
mod density;
mod examples;
mod grouped;
mod inputs;
mod kinds;
mod letters;
mod looks;
mod names;
mod pairs;
mod picked;
mod pieces;
mod programs;
mod redaction;
mod stated;
mod stored;
mod table;
mod typed;
mod value;

use hookloop_shell::Understood;

use crate::evaluate::entropy;
use crate::expression::Captured;
use crate::searched::Searched;

use density::is_dense;
use examples::{is_common, is_merely_in_order, is_placeholder};
pub(crate) use inputs::in_fields;
use kinds::IN_ORDER;
pub(crate) use kinds::KINDS;
use looks::{
    is_computed, is_foreign_word, is_identifier, is_numeric_address, is_part_of_digest,
    is_reference, looks_chosen_at_random, looks_like_password, looks_mixed,
};
use names::{
    may_be_another_key, tells_of_ciphertext, tells_of_password, tells_of_secret,
    tells_of_something_else,
};
use picked::{looks_picked, looks_picked_plainly};
pub use redaction::{names_secret, redacted};
pub(crate) use stored::in_store;
#[cfg(test)]
pub(crate) use table::expressions;
use table::{TABLE, Table};
use value::Value;

/// A key or a token that is in a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Secret {
    /// What it is: `cloud key`, or the name that it is assigned to.
    pub(crate) kind: String,
    /// Whether it looks like the key of a service; otherwise it is a value assigned to a name that
    /// indicates a secret.
    pub(crate) certain: bool,
    /// Its entropy in bits for each character.
    pub(crate) entropy: f64,
    /// How long it is, in characters.
    pub(crate) length: usize,
    /// Whether it looks like what a person chose as a password: short, and of several kinds of
    /// characters.
    pub(crate) chosen: bool,
}

/// Finds the keys and tokens in texts.
pub(crate) fn in_texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<Secret> {
    let table = &*TABLE;
    let mut found = Vec::new();
    for text in texts {
        let searched = Searched::new(text);
        find_known(table, &searched, &mut found);
        if let Some(joined) = pieces::join_strings(text) {
            find_known(table, &Searched::new(&joined), &mut found);
        }
        if let Some(plain) = pieces::unescaped(text) {
            find_known(table, &Searched::new(&plain), &mut found);
        }
        urls_in(table, &searched, &mut found);
        assigned_in(table, &searched, &mut found);
        if let Some(joined) = pieces::join_lines(text) {
            assigned_in(table, &Searched::new(&joined), &mut found);
        }
        columns::in_columns(&searched, &mut found);
        grouped::in_groups(&searched, &mut found);
        for plain in pieces::assemble(&searched) {
            find_known(table, &Searched::new(&plain), &mut found);
        }
        for encoded in text.split(|it: char| !it.is_ascii_alphanumeric() && !"+/=_-".contains(it)) {
            if encoded.len() >= 32
                && let Some(plain) =
                    pieces::decode_base32(encoded).or_else(|| pieces::decode_hex(encoded))
            {
                find_known(table, &Searched::new(&plain), &mut found);
            }
            if (24..=8192).contains(&encoded.len())
                && let Some(plain) = hookloop_shell::decode_base64(encoded)
                && plain.is_ascii()
            {
                let searched = Searched::new(&plain);
                find_known(table, &searched, &mut found);
                if let Some(inner) = hookloop_shell::decode_base64(plain.trim()) {
                    find_known(table, &Searched::new(&inner), &mut found);
                }
                urls_in(table, &searched, &mut found);
                assigned_in(table, &searched, &mut found);
            }
        }
    }
    found
}

/// Returns whether a value is a placeholder for a secret, encoded as cluster settings require.
fn stands_for_another(value: &str) -> bool {
    let plain = (value.len() >= 8)
        .then(|| hookloop_shell::decode_base64(value))
        .flatten();
    plain.is_some_and(|it| {
        // With the name of a user before it, as servers expect: `user:password`.
        let password = it.rsplit_once(':').map_or(it.as_str(), |(_, it)| it);
        it.bytes().all(|it| it.is_ascii_graphic())
            && (is_common(password) || is_placeholder(&it) || is_computed(&it))
    })
}

/// Finds the keys and tokens that a command is given: words as the shell would make them.
pub(crate) fn in_command(understood: &Understood) -> Vec<Secret> {
    let table = &*TABLE;
    let mut found = Vec::new();
    for text in pieces::assemble_commands(understood) {
        find_known(table, &Searched::new(&text), &mut found);
    }
    for command in &understood.commands {
        for word in &command.words {
            find_known(table, &Searched::new(&word.text), &mut found);
            // Quotes within quotes are spelt differently in the text.
            // So are variables: `"Authorization: Bearer $TOKEN"`.
            let is_quoted = word.text.contains(['"', '\'']) && word.text.contains(['=', ':']);
            if is_quoted || word.known && word.text.contains(": ") {
                assigned_in(table, &Searched::new(&word.text), &mut found);
            }
        }
        for assignment in &command.env {
            find_known(table, &Searched::new(&assignment.value.text), &mut found);
            if assignment.value.known {
                let text = format!("{}='{}'", assignment.name, assignment.value.text);
                assigned_in(table, &Searched::new(&text), &mut found);
            }
        }
        for text in pairs::assignments(command) {
            assigned_in(table, &Searched::new(&text), &mut found);
        }
        argument_secrets::by_command(command, &mut found);
        pairs::by_pairs(command, &mut found);
    }
    typed::by_typing(understood, &mut found);
    found
}

fn find_known(table: &Table, searched: &Searched<'_>, found: &mut Vec<Secret>) {
    for key in table.possible(searched) {
        for fit in key.expression.matches_in(searched) {
            if is_part_of_digest(searched.text(), fit.start(), fit.end()) {
                continue;
            }
            if key.is(fit.as_str()) {
                note(found, key.kind, true, fit.as_str());
            } else if !key.dense && is_merely_in_order(fit.as_str()) {
                note(found, IN_ORDER, false, fit.as_str());
            }
        }
    }
}

fn urls_in(table: &Table, searched: &Searched<'_>, found: &mut Vec<Secret>) {
    for fit in table.url.captured_in(searched) {
        let (Some(password), Some(host)) = (fit.get(1), fit.get(2)) else {
            continue;
        };
        let (password, host) = (password.as_str(), host.as_str());
        let local = [
            "localhost",
            "127.0.0.1",
            "0.0.0.0",
            "db",
            "postgres",
            "redis",
            "mysql",
            "mongo",
            "host.docker.internal",
            "::1",
        ]
        .contains(&host);
        if !local && !is_placeholder(password) && !is_common(password) && !is_computed(password) {
            note(found, "password in an address", true, password);
        } else if looks_chosen_at_random(password, 6)
            && (password.len() >= 16 || password.len() >= 12 && is_dense(password))
            || looks_chosen_at_random(password, 2)
                && password.len() >= 10
                && looks_like_password(password)
            || password.len() >= 10 && looks_picked(password)
        {
            // On a developer's own machine a word is enough; nobody writes such a value for that.
            note(found, "password in an address", false, password);
        }
    }
}

fn assigned_in(table: &Table, searched: &Searched<'_>, found: &mut Vec<Secret>) {
    let text = searched.text();
    // A value may itself be a name, `basic_auth:\n  password: …`, and a pattern comes before its
    // replacement, `s/KEY=.*/KEY=value/`: each name is looked for by itself.
    let mut from = 0;
    while let Some(fit) = table.assigned.captured_at(searched, from) {
        let (Some(whole), Some(name)) = (fit.get(0), fit.get(1)) else {
            break;
        };
        from = name.end();
        let name = name.as_str();
        if tells_of_something_else(name) || tells_of_ciphertext(name) {
            continue;
        }
        // What looks like a type may be the value itself: `password: abcdefghijk=`.
        let places = [Some(whole.end()), fit.get(2).map(|it| it.start())];
        let mut values = places
            .into_iter()
            .flatten()
            .filter_map(|at| Some((at, value::at(text, at)?)));
        let Some((place, whole_value)) = values.next() else {
            continue;
        };
        let Value {
            text: value,
            quoted,
            is_called,
        } = whole_value;
        if picked::is_place_in_list(&text[..whole.start()]) {
            continue;
        }
        // `token::tests` is a path, and the end of a replacement isn't part of the value:
        // `s/KEY=.*/KEY=value/`. Nor is the name of an entry in a group of settings: `secrets:\n
        // db_password:`.
        if !quoted
            && (value.starts_with(':') || value.ends_with(':') || is_reference(value, is_called))
        {
            continue;
        }
        let value = if quoted {
            value
        } else {
            value.trim_end_matches("/g").trim_end_matches(['/', '#'])
        };
        // An identifier of a program is unquoted too: random values alternate more often.
        let is_chosen = || tells_of_password(name) && looks_like_password(value);
        let changes = if quoted || is_chosen() { 2 } else { 4 };
        let value = value
            .strip_prefix("Bearer ")
            .or_else(|| value.strip_prefix("Basic "))
            .unwrap_or(value);
        if is_foreign_word(value) {
            continue;
        }
        let tells = !may_be_another_key(name);
        let written = picked::Written {
            quoted,
            gives: &text[from..place],
            behind: if quoted {
                ""
            } else {
                &text[place + whole_value.text.len()..]
            },
        };
        let is_picked = || takes_words(name) && written.is_picked(value);
        let is_random = || looks_chosen_at_random(value, changes) && (tells || is_dense(value));
        if (is_random() || is_picked()) && !stands_for_another(value) {
            note(found, name, false, value);
        }
    }
    stated_in(table, searched, found);
}

/// Returns whether a name has a value that people choose rather than generate: a password, or what
/// a server signs with.
fn takes_words(name: &str) -> bool {
    let is_password = tells_of_password(name) || name.ends_with("_SECRET");
    is_password && !name.to_ascii_lowercase().ends_with("key")
}

/// Finds values that are assigned to a name without an operator, and those of headers.
fn stated_in(table: &Table, searched: &Searched<'_>, found: &mut Vec<Secret>) {
    let part = |fit: &Captured<'_>, name, at| {
        let group = fit.name(name).or_else(|| fit.get(at));
        group.map_or_else(String::new, |it| it.as_str().to_owned())
    };
    for fit in table.stated.iter().flat_map(|it| it.captured_in(searched)) {
        let (name, value) = (part(&fit, "name", 1), part(&fit, "value", 2));
        let place = fit.name("value").or_else(|| fit.get(2));
        let before = place.map_or("", |it| &searched.text()[..it.start()]);
        let is_picked = picked::is_picked_where_told(&name, &value, before);
        if !tells_of_something_else(&name) && (looks_chosen_at_random(&value, 2) || is_picked) {
            note(found, &name, false, &value);
        }
    }
    for fit in table
        .uncertain
        .iter()
        .flat_map(|it| it.captured_in(searched))
    {
        let (name, value) = (part(&fit, "name", 1), part(&fit, "value", 2));
        let is_random = looks_chosen_at_random(&value, 2)
            && (is_dense(&value) || looks_like_password(&value))
            && !picked::is_made_of_words(&value);
        let is_picked = picked::takes_password(&name) && looks_picked(&value)
            || tells_of_password(&name) && looks_picked_plainly(&value);
        if !tells_of_something_else(&name)
            && (is_random || is_picked)
            && !is_identifier(&value)
            && !is_numeric_address(&value)
        {
            note(found, &name, false, &value);
        }
    }
    for fit in table.bearer.captured_in(searched) {
        let value = fit.get(1).map_or("", |it| it.as_str());
        let header = fit.get(0).map_or("", |it| it.as_str());
        let name = header.split(':').next().unwrap_or("");
        if looks_chosen_at_random(value, 4)
            && !stands_for_another(value)
            && !value.contains("://")
            && !tells_of_something_else(name)
        {
            note(found, "Authorization", false, value);
        }
    }
}

/// Returns whether a value looks like a password that a person chose, and isn't assigned to a name
/// for generated values.
fn is_chosen(kind: &str, value: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    let by_chance = ["token", "key"].iter().any(|it| kind.contains(it));
    !by_chance
        && ((8..20).contains(&value.len()) && looks_mixed(value) || looks_picked_plainly(value))
}

fn note(found: &mut Vec<Secret>, kind: &str, certain: bool, value: &str) {
    let secret = Secret {
        kind: kind.to_owned(),
        certain,
        entropy: entropy(value),
        length: value.chars().count(),
        chosen: is_chosen(kind, value),
    };
    if !found.contains(&secret) {
        found.push(secret);
    }
}

#[cfg(test)]
mod tests {
    use super::{in_texts, redacted};

    /// HT-40: what looks like a key is removed from a text, and the rest stays.
    #[test]
    fn keys_are_taken_out_of_texts() {
        let random = "q7Rk2Vx9LmT4bWz8NcJf";
        let text = format!("curl -H 'X: ghp_{random}{random}' https://u:{random}@h.io/ é");
        assert_eq!(
            redacted(&text),
            "curl -H 'X: [redacted: token of a code host]' https://u:[redacted: password]@h.io/ é"
        );
        assert_eq!(
            redacted(&format!("api_key = \"{random}\"")),
            "api_key = \"[redacted: value]\""
        );
        assert_eq!(
            redacted("token = process.env.TOKEN2"),
            "token = process.env.TOKEN2"
        );
    }

    /// HT-40, TR-10: names within values within values are each looked at once, and what follows
    /// them is still found.
    #[test]
    fn values_of_very_many_names_are_bearable() {
        let random = "q7Rk2Vx9LmT4bWz8NcJf";
        for part in [
            "token=",
            "API_KEY=.*/",
            "password: secret=",
            "user,password\n",
            "auth=(\"a\",",
            "name: api_token\n",
            "codecov -t ",
            "badge.svg?token=",
            "- --token\n",
            "password: {value: ",
            "login as a:",
            "x_token=\"'",
            "s=",
        ] {
            for count in [40, 100_000 / part.len()] {
                let names = part.repeat(count);
                assert_eq!(in_texts([names.as_str()]), [], "{part}");
                let text = format!("{names};api_token={random}");
                assert!(!in_texts([text.as_str()]).is_empty(), "{part}");
            }
        }
    }

    /// HT-40: a very long value is judged by its first part.
    #[test]
    fn a_very_long_value_is_judged_by_its_first_part() {
        let long = "q7Rk2Vx9LmT4bWz8NcJf".repeat(200);
        for text in [
            format!("api_token={long}"),
            format!("api_token = \"{long}\""),
            format!("api_token: '{long}"),
        ] {
            let found = in_texts([text.as_str()]);
            assert!(!found.is_empty(), "{}", &text[..40]);
        }
    }

    /// HT-40: keys that everybody knows, that are meant to be public or that nobody can read,
    /// references of programs and names of secrets don't count; a placeholder's word within a
    /// random value says nothing.
    #[test]
    fn what_only_looks_like_a_secret_is_left_alone() {
        let base64 = "q7Rk2Vx9LmT4bWz8NcJf".repeat(15);
        for harmless in [
            "curl -u sk_test_4eC39HqLyjWDarjtT1zdp7dc: https://api.stripe.com",
            "mapbox_token = 'pk.eyJ1IjoiYWNtZTEyMyIsImEiOiJjbDEyMyJ9.q7Rk2Vx9LmT4bWz8NcJf'",
            "password = random_password.db_master_password_v2.result",
            "apiKey = options.Value.ApiKeyV2",
            "e.token=Qx9aB2.parse(t)",
            "token::tests::parses_v2_tokens1",
            "secrets:\n  db_password_v2:\n    external: true",
            "db_password: ENC[AES256_GCM,data:q7Rk2Vx9]",
            "encrypted_password: q7Rk2Vx9LmT4bWz8NcJf",
            "password: Y2hhbmdlbWU=",
            "auth.existingSecret=app-secrets-v2",
            "token: \"0x52557e9b3678ac84100293772e03d60228c653f1\"",
            &format!("password: Ag{base64}"),
        ] {
            assert_eq!(in_texts([harmless]), [], "{harmless}");
        }
        for secret in [
            "token = \"cTe4lMBeCzldROq9Sh2FIUvanHdSjILjwIskkvFy7MVY9ztodOtDoNvci3FR6Vw7\"",
            "password = Summer2024.Acme",
            "x -d 'user=alice&password=FzGFFgWSPbAFXH'",
            "s/^DB_PASSWORD=.*/DB_PASSWORD=KmXyLOdAVFKahErIdv/",
            "accounts: [\"0xf31d0873bb5a5cf438df45617e0c32465b56e7466b6c0edcd7c5f627381428ea\"]",
            ".dockerconfigjson: eyJwYXNzd29yZCI6ICJJMVU3OXJTMzg1cnB3OCUzIn0=",
        ] {
            assert!(!in_texts([secret]).is_empty(), "{secret}");
        }
    }

    /// HT-40: what looks like a key is found, also encoded; what is an example, computed or an
    /// identifier isn't.
    #[test]
    fn keys_are_told_from_examples() {
        let random = "q7Rk2Vx9LmT4bWz8NcJf";
        let found = |text: &str| in_texts([text]);
        assert!(found(&format!("ghp_{random}{random}"))[0].certain);
        assert!(found("Z2hwX3E3UmsyVng5TG1UNGJXejhOY0pmcTdSazJWeDlMbVQ0YldqOE5jSmY=")[0].certain);
        assert!(!found(&format!("api_key = \"{random}\""))[0].certain);
        assert_eq!(found("postgres://u:k3xQ9vPz@db.host.com/x").len(), 1);
        for secret in [
            "--password='erDkYflGuRbwXcBM'".to_owned(),
            "  password: zPULmiYuUkzZpiQHLxUIDcypkVNU".to_owned(),
            format!("s/API_KEY=.*/API_KEY={random}{random}/"),
            format!("machine api.acme.io login u password {random}"),
            format!("postgres://app:{random}@db:5432/app"),
            format!("const API_KEY: &'static str = \"{random}\";"),
            format!("var apiToken string = \"{random}\""),
            format!("let apiKey: String? = \"{random}\""),
            format!("define('DB_PASSWORD', '{random}');"),
            format!("REDISCLI_AUTH={random}"),
        ] {
            assert_eq!(found(&secret).len(), 1, "{secret}");
        }
        for harmless in [
            "AKIAIOSFODNN7EXAMPLE",
            "token = process.env.TOKEN2",
            "password = 'password123'",
            "PASSWORD_FILE=/run/secrets/q7Rk2Vx9LmT4",
            "secret: getSecret2(name)",
            "postgres://u:pass@localhost/x",
            "postgres://app:password123@db:5432/app",
            "password = 'CorrectHorseBatteryStaple'",
            "token: getAccessTokenFromHttpRequest",
            "login u password required",
            "define('DB_PASSWORD', getenv('DB_PASSWORD2'))",
            "let token: Token = parse(\"q7Rk2Vx9LmT4bWz8NcJf\")",
            "fields: ['password', 'email_address']",
            "checksum = \"q7Rk2Vx9LmT4bWz8NcJfq7Rk2Vx9LmT4bWz8NcJf\"",
        ] {
            assert_eq!(found(harmless), Vec::new(), "{harmless}");
        }
    }
}
