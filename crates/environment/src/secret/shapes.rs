//! What secrets look like, wherever they are in a value.

/// The prefixes of tokens of well-known services, and the minimum number of characters that follow.
const TOKENS: [(&str, usize); 58] = [
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("gldt-", 16),
    ("glrt-", 16),
    ("glptt-", 16),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("ya29.", 16),
    ("sk-", 16),
    ("sk_live_", 10),
    ("sk_test_", 10),
    ("rk_live_", 10),
    ("rk_test_", 10),
    ("whsec_", 16),
    ("xoxa-", 10),
    ("xoxb-", 10),
    ("xoxe-", 10),
    ("xoxp-", 10),
    ("xoxr-", 10),
    ("xoxs-", 10),
    ("xapp-", 10),
    ("npm_", 30),
    ("hf_", 30),
    ("pypi-", 30),
    ("rubygems_", 30),
    ("dckr_pat_", 16),
    ("dop_v1_", 30),
    ("doo_v1_", 30),
    ("shpat_", 20),
    ("shpss_", 20),
    ("SG.", 16),
    ("hvs.", 16),
    ("hvb.", 16),
    ("gsk_", 30),
    ("xai-", 30),
    ("pplx-", 30),
    ("tvly-", 16),
    ("r8_", 30),
    ("lin_api_", 30),
    ("ntn_", 30),
    ("figd_", 30),
    ("ATATT3", 30),
    ("ATCTT3", 30),
    ("PMAK-", 20),
    ("nfp_", 30),
    ("sbp_", 30),
    ("sntrys_", 30),
    ("CFPAT-", 30),
    ("dapi", 32),
    ("AGE-SECRET-KEY-1", 30),
    ("NRAK-", 20),
    ("ops_", 40),
];

/// Addresses that let everyone who knows them write in somebody's name.
const WEBHOOKS: [&str; 9] = [
    "hooks.slack.com/services/",
    "hooks.slack.com/workflows/",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    ".webhook.office.com/",
    "outlook.office.com/webhook/",
    "chat.googleapis.com/v1/spaces/",
    "api.telegram.org/bot",
    "hooks.zapier.com/hooks/",
];

/// Names that are in front of a secret inside a value: in connection strings, queries of
/// addresses, options of programs and JSON. They are compared without `-`, `_`, blanks and case.
const FIELDS: [&str; 17] = [
    "password",
    "passwd",
    "pwd",
    "accountkey",
    "accesskey",
    "sharedaccesskey",
    "sharedaccesssignature",
    "apikey",
    "accesstoken",
    "authtoken",
    "clientsecret",
    "privatekey",
    "secretkey",
    "secretaccesskey",
    "refreshtoken",
    "sig",
    "auth",
];

/// Returns whether a value contains something in the shape of a secret.
pub(super) fn value_looks_secret(value: &str) -> bool {
    words(value).any(|word| begins_with_token(word) || begins_with_json_web_token(word))
        || (value.contains("-----BEGIN") && value.contains("PRIVATE KEY"))
        || holds_password_in_address(value)
        || holds_webhook(value)
        || holds_field(value)
}

fn is_token_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == '-'
}

/// Yields the rest of a value from each of its words on. It is read once, whatever is looked for:
/// an environment has many values, and each process reads all of them as it starts.
fn words(value: &str) -> impl Iterator<Item = &str> {
    let bytes = value.as_bytes();
    let begins = move |at: usize| at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
    let starts =
        (0..bytes.len()).filter(move |at| bytes[*at].is_ascii_alphanumeric() && begins(*at));
    // Such a byte is a whole character.
    starts.map(|at| &value[at..])
}

fn token_length(text: &str) -> usize {
    text.find(|character| !is_token_character(character))
        .unwrap_or(text.len())
}

fn begins_with_token(word: &str) -> bool {
    TOKENS.iter().any(|(start, length)| {
        word.strip_prefix(start)
            .is_some_and(|rest| token_length(rest) >= *length)
    })
}

/// Finds `eyJ….….`: header and payload in base64, then a signature.
fn begins_with_json_web_token(word: &str) -> bool {
    let Some(rest) = word.strip_prefix("eyJ") else {
        return false;
    };
    let header = token_length(rest);
    let Some(payload) = rest[header..].strip_prefix('.') else {
        return false;
    };
    let length = token_length(payload);
    header >= 8 && length >= 8 && payload[length..].starts_with('.')
}

/// Finds `scheme://user:password@`, a long token in the user's place, and `user:password@host`
/// where that is the whole value.
fn holds_password_in_address(value: &str) -> bool {
    let in_addresses = value.match_indices("://").any(|(at, mark)| {
        let rest = &value[at + mark.len()..];
        let end = rest
            .find(|it: char| it.is_whitespace() || "/?#\"'".contains(it))
            .unwrap_or(rest.len());
        let Some((user, _)) = rest[..end].rsplit_once('@') else {
            return false;
        };
        match user.split_once(':') {
            Some((_, password)) => !password.is_empty(),
            None => user.len() >= 20 && user.chars().all(is_token_character),
        }
    });
    in_addresses || is_bare_address(value)
}

/// Returns whether a value is `user:password@host`, perhaps with a port or a path.
fn is_bare_address(value: &str) -> bool {
    let Some((user, place)) = value.rsplit_once('@') else {
        return false;
    };
    let Some((name, password)) = user.split_once(':') else {
        return false;
    };
    let host = place.split([':', '/', '?']).next().unwrap_or(place);
    let is_word = |text: &str| !text.is_empty() && !text.contains([' ', '\t', '\n', '/', '"']);
    is_word(name)
        && is_word(password)
        && host.starts_with(|it: char| it.is_ascii_alphanumeric() || it == '[')
        && host
            .chars()
            .all(|it| it.is_ascii_alphanumeric() || "-._[]".contains(it))
}

fn holds_webhook(value: &str) -> bool {
    // Asking whether it is there at all is the quickest search that there is.
    let mut places = WEBHOOKS.iter().filter(|place| value.contains(**place));
    places.any(|place| {
        value
            .split_once(place)
            .is_some_and(|(_, rest)| rest.starts_with(is_token_character))
    })
}

/// Finds `name=value` and `"name": "value"` of a secret.
fn holds_field(value: &str) -> bool {
    value.match_indices(['=', ':']).any(|(at, sign)| {
        let before = value[..at].trim_end_matches([' ', '"', '\'', '\\']);
        let behind = value[at + 1..].trim_start_matches([' ', '"', '\'', '\\']);
        // In prose, words end with a colon; in JSON the name is in quotes.
        let is_named = sign == "=" || value[..at].trim_end().ends_with(['"', '\'']);
        let is_given = behind
            .chars()
            .next()
            .is_some_and(|it| !it.is_whitespace() && !"&;,}$<%".contains(it));
        is_named && is_given && names_secret(before)
    })
}

/// Returns whether a text ends with the name of a secret.
fn names_secret(text: &str) -> bool {
    let mut name = String::new();
    for character in text.chars().rev().take(40) {
        match character {
            '-' | '_' | ' ' => {}
            it if it.is_ascii_alphanumeric() => name.push(it.to_ascii_lowercase()),
            _ => break,
        }
    }
    let name: String = name.chars().rev().collect();
    FIELDS.iter().any(|field| match *field {
        // Short names count only on their own.
        "sig" | "auth" | "pwd" => name == *field,
        field => name.ends_with(field),
    })
}
