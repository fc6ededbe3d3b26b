//! Removes keys and tokens from texts.
//!
//! Here, removing a word too many does no harm, but missing a password does. So whatever is
//! assigned to a name or an option for secrets is removed, even if nothing about it looks random.

use std::ops::Range;
use std::sync::LazyLock;

use super::{TABLE, tells_of_secret, tells_of_something_else};
use crate::expression::{Captured, Expression};
use crate::searched::Searched;

/// A value after a name: in quotes of any kind, escaped ones too, or up to the end of a word.
const VALUE: &str = r#"(?:\\?"((?:[^"\\\n]|\\.)+)\\?"|\\?'([^'\n]+)'|`([^`\n]+)`|([^\s"'`,;<>(){}\[\]&|\\]+(?:\\.[^\s"'`,;<>(){}\[\]&|\\]*)*))"#;

/// Programs that are given a password by an option of one letter, alone or with the value attached.
const BY_LETTER: &[(&str, &str)] = &[
    ("mysql[a-z]*|mariadb[a-z-]*", "-p"),
    ("sshpass|ldap[a-z]+|bsdtar", "-[pw]"),
    ("redis-cli", "-a"),
    ("unzip|zip|7za?|7zz?|unrar|rar", "-[pP]"),
    ("sqlcmd|bcp|mongo[a-z]*|psql-[a-z]+|isql|tsql", "-[pP]"),
    (
        r"(?:docker|podman|nerdctl|skopeo|buildah|helm|oc|cf|az|npm|vault|snyk|crane|oras)\s+(?:[a-z-]+\s+)?login",
        "-[pPw]",
    ),
    ("openssl|gpg2?|age", "-k|-K|-pass|-passin|-passout"),
    (
        "smbclient|rpcclient|net|curlftpfs|htpasswd|xfreerdp|rdesktop",
        "-U|-p|-b|/p:",
    ),
    (
        "rabbitmqadmin|influx|cqlsh|arangosh|clickhouse-client",
        "-p",
    ),
];

/// What texts are searched for; in each expression, the groups that matched are the secrets.
struct Patterns {
    /// A name that may indicate a secret.
    name: Expression,
    /// Names that a value is assigned to, up to the value.
    named: Expression,
    /// Names that a value is assigned to, and the value.
    assigned: Expression,
    /// The credentials in an address.
    addresses: Vec<Expression>,
    others: Vec<Expression>,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(Patterns::new);

impl Patterns {
    fn new() -> Self {
        let mut others = Vec::new();
        for (programs, options) in BY_LETTER {
            // Up to eight options of the same command may precede it.
            others.push(Expression::new(&format!(
                r#"(?i)(?:^|[\s;&|(/"'`])(?:{programs})\b(?:\s+(?:"[^"\n]*"|'[^'\n]*'|[^\s|;&"'])+){{0,8}}?\s+(?:(?-i:{options}))(?:\s+|=)?{VALUE}"#
            )));
        }
        for pattern in [
            // name:password of a user, for curl, wget, http and their kind.
            r#"(?:^|\s)(?:-u|-U|-a|--user|--proxy-user|--auth|--basic-auth|--credentials?|--login)(?:\s+|=)?\\?["']?[^\s"':]*:(?:([^\s"'\\]+)|([^"'\n]+)\\?["'])"#,
            r#"(?:^|\s)(?:-u|--user|--proxy-user)(?:\s+|=)?\\?["'][^"':\n]*:([^"'\n]+)\\?["']"#,
            // Headers whose names indicate a secret.
            r#"(?i)\b(?:proxy-)?authorization\\?["']?\s*[:=]\s*\\?["']?([^"'\n\\]+)"#,
            r#"(?i)\b(?:set-)?cookie\\?["']?\s*:\s*\\?["']?([^"'\n\\]+)"#,
            r#"(?i)\b(?:[a-z0-9]+-)+(?:auth|authorization|credentials?|key|password|secret|session|signature|token)\\?["']?\s*:\s*\\?["']?([^"'\n\\]+)"#,
            r#"(?i)\b(?:private|auth|api|access)[-_]?token\\?["']?\s*:\s*\\?["']?([^"'\n\\]+)"#,
            // Files and messages of programs that name a password.
            r"(?i)\blogin\s+\S+\s+(?:password|passwd)\s+(\S+)",
            r#"(?i)\bidentified\s+(?:with\s+\S+\s+)?(?:by|as)\s+(?:password\s+)?\\?["']([^"'\n]+)"#,
            r#"(?i)\b(?:password|passphrase)\s+\\?["']([^"'\n]+)\\?["']"#,
            r#"(?:^|[\s"'=])pass:([^\s"']+)"#,
            // What is piped into a program that asks for a password.
            r#"(?:echo|printf)\s+(?:-[a-zA-Z]+\s+)*(?:"([^"\n]+)"|'([^'\n]+)'|([^\s|"']+))[^|\n]*\|[^|\n]*(?:-stdin|--passphrase-fd|sudo\s+(?:-\S+\s+)*-S|chpasswd|passwd|-passin stdin)"#,
            r#"(?:-stdin|--passphrase-fd\s+\d+|sudo\s+(?:-\S+\s+)*-S|chpasswd|passwd)\b[^|\n]*<<<\s*(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"']+))"#,
        ] {
            others.push(Expression::new(pattern));
        }
        let known = "api[_-]?key|apikey|secret|token|passw(?:or)?d|passphrase|pwd|pass|passcode|\
                     auth|auth[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|\
                     encryption[_-]?key|signing[_-]?key|master[_-]?key|shared[_-]?key|credentials?|\
                     bearer|cookie|pin|otp|sig(?:nature)?|conn(?:ection)?[_-]?string";
        let up_to_value = format!(
            r#"(?i)([A-Za-z0-9_.$-]*(?:{known})[A-Za-z0-9_-]*)(?:\\?["'])?\]?(?:\s*(?::=|=>|:\s*[A-Za-z]+\s*=|[:=])\s*|\s+)[bru]?"#
        );
        let assigned = Expression::new(&format!("{up_to_value}{VALUE}"));
        let address = |who: &str| Expression::new(&format!("\\b[a-zA-Z][a-zA-Z0-9+._-]*://{who}@"));
        Self {
            name: Expression::new(&format!("(?i){known}")),
            named: Expression::new(&up_to_value),
            assigned,
            addresses: vec![
                address(r#"[^/\s:@"'<>]*:([^\s"'<>]+)"#),
                address(r#"([^/\s:@"'<>]{16,})"#),
            ],
            others,
        }
    }

    fn spans(&self, searched: &Searched<'_>, spans: &mut Vec<Span>) {
        let text = searched.text();
        for (kind, patterns) in [("password", &self.addresses), ("value", &self.others)] {
            for fit in patterns.iter().flat_map(|it| it.captured_in(searched)) {
                let found =
                    groups(&fit, 1).filter(|it| !is_taken_from_elsewhere(&text[it.clone()]));
                spans.extend(found.map(|range| Span::of(range, kind)));
            }
        }
        // A value may itself be what looks like a name: each name is looked for by itself.
        let mut from = 0;
        while let Some(fit) = self.named.captured_at(searched, from) {
            let (Some(whole), Some(name)) = (fit.get(0), fit.get(1)) else {
                break;
            };
            from = name.end();
            let behind = text[name.end()..].trim_start_matches(['\\', '"', '\'', ']']);
            let takes = if behind.starts_with(char::is_whitespace)
                && !behind.trim_start().starts_with([':', '='])
            {
                // Only an option is separated from its value by a space.
                is_option(name.as_str())
            } else {
                tells(name.as_str())
            };
            let value = takes.then(|| self.value(text, whole.range())).flatten();
            if let Some(range) = value {
                from = from.max(range.end);
                spans.push(Span::of(range, "value"));
            }
        }
    }

    /// Returns where the value after a name is; nothing if it is taken from elsewhere.
    ///
    /// The value's first part decides: such a value is searched name by name, and each name would
    /// otherwise be compared up to the end of the text.
    fn value(&self, text: &str, named: Range<usize>) -> Option<Range<usize>> {
        let first_of = |text: &str| {
            let fit = self.assigned.captured_in_part(text, named.start)?;
            let is_here = fit.get(0).is_some_and(|it| it.start() == named.start);
            is_here.then(|| groups(&fit, 2).next()).flatten()
        };
        let bound = (named.end + FIRST_PART..text.len()).find(|it| text.is_char_boundary(*it));
        let bound = bound.unwrap_or(text.len());
        let first = first_of(&text[..bound]);
        if first
            .as_ref()
            .is_some_and(|it| is_taken_from_elsewhere(&text[it.clone()]))
        {
            return None;
        }
        let is_whole = bound == text.len() || first.as_ref().is_some_and(|it| it.end < bound);
        if is_whole { first } else { first_of(text) }
    }
}

/// How much of a value is looked at first, in bytes.
const FIRST_PART: usize = 256;

/// A piece of a text that isn't shown.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Span {
    start: usize,
    end: usize,
    kind: String,
}

impl Span {
    fn of(range: Range<usize>, kind: &str) -> Self {
        Self {
            start: range.start,
            end: range.end,
            kind: kind.to_owned(),
        }
    }
}

/// Yields the groups from one on that matched.
fn groups(fit: &Captured<'_>, first: usize) -> impl Iterator<Item = Range<usize>> {
    fit.groups(first).map(|it| it.range())
}

/// Returns whether a value with this name is a secret.
pub fn names_secret(name: &str) -> bool {
    PATTERNS.name.matches(name) && tells(name)
}

/// Returns whether a name that contains such a word means a secret.
fn tells(name: &str) -> bool {
    let name = name.trim_start_matches(['-', '$', '.']);
    let last = name.to_lowercase().replace(['-', '.'], "_");
    let last = last.rsplit('_').next().unwrap_or_default();
    let is_short = [
        "auth",
        "cookie",
        "otp",
        "pass",
        "pin",
        "pwd",
        "sig",
        "signature",
    ]
    .contains(&last);
    let is_long = [
        "key",
        "keys",
        "secret",
        "secrets",
        "token",
        "password",
        "passwd",
        "passphrase",
        "passcode",
        "credential",
        "credentials",
        "apikey",
        "bearer",
        "string",
    ]
    .iter()
    .any(|it| last.ends_with(it));
    // A name that ends in another word may still mean one: `password2`, `SECRET_KEY_BASE`.
    (is_short || is_long || !has_short_word_alone(name)) && !tells_of_something_else(name)
}

/// Returns whether a name contains one of the short words within another word, and no long one.
fn has_short_word_alone(name: &str) -> bool {
    let name = name.to_lowercase();
    let long = [
        "key",
        "secret",
        "token",
        "passw",
        "passphrase",
        "passcode",
        "credential",
        "bearer",
    ];
    !long.iter().any(|it| name.contains(it))
}

fn is_option(name: &str) -> bool {
    name.strip_prefix("--").is_some_and(tells_of_secret)
        || name
            .strip_prefix('-')
            .is_some_and(|it| it.len() > 3 && tells_of_secret(it))
}

/// Returns whether a value only says where the secret is: a variable, the output of a command, a
/// placeholder.
fn is_taken_from_elsewhere(value: &str) -> bool {
    let of_variable = value.strip_prefix('$').is_some_and(|it| {
        let it = it.trim_start_matches('{').trim_end_matches('}');
        it.starts_with('(')
            || !it.is_empty() && it.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
    });
    of_variable
        || value.starts_with(['<', '%', '{'])
        || value.contains("process.env")
        || value.contains("os.environ")
        || [
            "true",
            "false",
            "null",
            "none",
            "undefined",
            "required",
            "-",
        ]
        .contains(&&*value.to_lowercase())
}

/// Returns a text without its keys and tokens.
pub fn redacted(text: &str) -> String {
    let table = &*TABLE;
    let searched = Searched::new(text);
    let mut spans: Vec<Span> = Vec::new();
    for key in table.possible(&searched) {
        for fit in key.expression.matches_in(&searched) {
            if key.is(fit.as_str()) {
                // Everything after the first line of a private key is secret.
                let end = if key.sure { text.len() } else { fit.end() };
                spans.push(Span::of(fit.start()..end, key.kind));
            }
        }
    }
    for fit in table.stated.iter().flat_map(|it| it.captured_in(&searched)) {
        spans.extend(groups(&fit, 2).map(|range| Span::of(range, "value")));
    }
    for fit in table.url.captured_in(&searched) {
        spans.extend(fit.get(1).map(|it| Span::of(it.range(), "password")));
    }
    for fit in table.bearer.captured_in(&searched) {
        spans.extend(groups(&fit, 1).map(|range| Span::of(range, "value")));
    }
    PATTERNS.spans(&searched, &mut spans);
    spans.sort_unstable();
    let mut whole = String::new();
    let mut shown = 0;
    for Span { start, end, kind } in spans {
        if start >= shown {
            whole.push_str(&text[shown..start]);
            whole.push_str("[redacted: ");
            whole.push_str(&kind);
            whole.push(']');
        }
        shown = shown.max(end);
    }
    whole.push_str(&text[shown..]);
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HT-40: the value of an option, a name, an address or a header for secrets is removed,
    /// whatever it looks like and however it is quoted.
    #[test]
    fn secrets_are_taken_out_wherever_they_are_given() {
        for text in [
            "curl -u admin:SECRET https://h.example",
            "curl -uadmin:SECRET https://h.example",
            "curl --user 'admin:SECRET words' https://h.example",
            "curl --user=\"admin:SECRET\" x",
            "curl --proxy-user a:SECRET x",
            "wget --password=SECRET x",
            "wget --http-password SECRET x",
            "curl https://u:SECRET@h.example/",
            "git clone https://SECRETSECRETSECRET@h.example/r",
            "psql postgres://u:SECRET/more@h.example/db",
            "curl -H 'Authorization: Basic SECRET' x",
            "curl -H \"X-Api-Key: SECRET\" x",
            "curl -H 'Cookie: session=SECRET; b=SECRET' x",
            "curl --header 'PRIVATE-TOKEN: SECRET' x",
            "mysql -pSECRET db",
            "mysql -h h -u root -pSECRET db",
            "/usr/bin/mysqldump --host h -p'SECRET words' db",
            "sshpass -p SECRET ssh h",
            "sshpass -pSECRET ssh h",
            "redis-cli -h h -a SECRET ping",
            "docker login -u me -p SECRET r.example",
            "echo SECRET | docker login -u me --password-stdin",
            "echo 'SECRET words' | sudo -S true",
            "zip -P SECRET a.zip a",
            "openssl enc -aes-256-cbc -k SECRET -in a",
            "openssl rsa -passin pass:SECRET -in a",
            "export DB_PASSWORD='SECRET words with spaces'",
            "PASSWORD=\"SECRET words\" run",
            "PASSWORD=SECRET-battery",
            "PGPASSWORD=SECRET psql",
            "MYSQL_PWD=SECRET mysql",
            "REDISCLI_AUTH=SECRET redis-cli",
            "API_KEY: SECRET",
            "{\"password\": \"SECRET words\"}",
            "{\\\"password\\\": \\\"SECRET words\\\"}",
            "curl -d 'user=a&password=SECRET&x=1' x",
            "curl 'https://h.example/?access_token=SECRET&x=1'",
            "SECRET_KEY_BASE=SECRET",
            "password2 = 'SECRET'",
            "az login --service-principal -u a -p SECRET --tenant t",
            "machine h login me password SECRET",
            "CREATE USER a IDENTIFIED BY 'SECRET';",
            "ALTER USER a PASSWORD 'SECRET'",
            "tool --token SECRET",
            "tool --api-key=SECRET",
            "tool --client-secret 'SECRET words'",
        ] {
            let shown = redacted(text);
            let names = text.matches("SECRET_KEY_BASE").count();
            let left = shown.matches("SECRET").count();
            assert_eq!(left, names, "{text} -> {shown}");
            assert!(!shown.contains(" words"), "{text} -> {shown}");
        }
    }

    /// HT-40: a long value is removed as a whole, and one that follows something harmless is found.
    #[test]
    fn long_values_are_taken_out_as_a_whole() {
        let long = "SECRET".repeat(500);
        for text in [
            format!("PASSWORD={long}"),
            format!("PASSWORD='{long} {long}'"),
            format!("{{\\\"password\\\": \\\"{long} words\\\"}}"),
            format!("author={}password={long}", "author=".repeat(500)),
            format!("token=%{}%password={long}", "x".repeat(500)),
        ] {
            assert!(!redacted(&text).contains("SECRET"), "{}", redacted(&text));
        }
    }

    /// TR-10: names within values within values are looked at quickly.
    #[test]
    fn values_of_very_many_names_are_bearable() {
        for part in [
            "token=",
            "author=",
            "token=%",
            "token=xprocess.env.",
            "--token ",
        ] {
            let text = part.repeat(100_000 / part.len());
            let shown = redacted(&text);
            assert!(shown.len() <= text.len() + 64 * (text.len() / part.len()));
        }
    }

    /// HT-40: what says where a secret is, and what isn't one, stays.
    #[test]
    fn what_is_no_secret_stays() {
        for text in [
            "ls -la src",
            "export DB_PASSWORD=$PASSWORD",
            "curl -H \"$HEADERS\" https://h.example/a:b@c",
            "git commit -m 'Ask for the password once'",
            "docker run -p 8080:80 image",
            "tar -u -f a.tar b",
            "ssh -p 2222 host",
            "mkdir -p a/b && cp -a c d",
            "curl -u \"$USER\" https://h.example",
            "cat secrets.txt | sort",
            "author: somebody",
            "npm run build --token-file x",
            "max_tokens: 100",
            "git log --author x",
            "python -m pip install passlib",
        ] {
            assert_eq!(redacted(text), text);
        }
    }
}
