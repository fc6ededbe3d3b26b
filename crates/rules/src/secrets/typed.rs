//! Secrets that are typed into the console of a program, or sent to a server line by line, on
//! standard input: `AUTH …` for Redis, `CONNECT me/…` for Oracle, `PASS …` for FTP.

use hookloop_shell::{Command, Input, Understood, Word};

use super::Secret;
use super::argument_secrets::{by_operands, by_options};

/// The longest input that is judged, in lines.
const MAX_LINES: usize = 200;

/// Programs whose console reads what could follow the program's name as well.
const CONSOLES: &[&str] = &[
    "redis-cli",
    "valkey-cli",
    "keydb-cli",
    "lftp",
    "ncftp",
    "wpa_cli",
    "nmcli",
    "kadmin",
    "kadmin.local",
    "rabbitmqctl",
    "smbclient",
    "rpcclient",
    "mc",
];

/// Options of consoles whose value is what could be typed.
const CARRIES_OUT: &[&str] = &["-q", "-e", "-c"];

/// Consoles of databases in which a line logs in, with the words that begin it.
const CONNECTS: &[(&[&str], &[&str])] =
    &[(&["sqlplus", "sql", "rman", "sqlcl"], &["connect", "conn"])];

/// Programs that send lines to a server, whatever its protocol.
const CONNECTIONS: &[&str] = &[
    "nc",
    "ncat",
    "netcat",
    "nc.openbsd",
    "nc.traditional",
    "telnet",
    "socat",
    "websocat",
    "ftp",
];

/// Returns whether a program sends what it reads to a server.
fn connects(command: &Command) -> bool {
    let program = command.program.as_str();
    let is_client = || command.texts_after_program().any(|it| it == "s_client");
    CONNECTIONS.contains(&program) || program == "openssl" && is_client()
}

/// Finds secrets in what programs read as their commands.
pub(super) fn by_typing(understood: &Understood, found: &mut Vec<Secret>) {
    for command in &understood.commands {
        in_console(command, found);
    }
    by_talking(understood, found);
}

fn in_console(command: &Command, found: &mut Vec<Secret>) {
    let program = command.program.as_str();
    if CONSOLES.contains(&program) {
        let words = command.words_after_program();
        let given = words
            .windows(2)
            .filter(|pair| CARRIES_OUT.contains(&pair[0].text.as_str()));
        for line in given.flat_map(|pair| pair[1].text.split([';', '\n'])) {
            in_line(program, line, found);
        }
    }
    let Input::Text(text) = &command.input else {
        return;
    };
    if CONSOLES.contains(&program) {
        for line in text.lines().take(MAX_LINES) {
            in_line(program, line, found);
        }
    }
    let logs_in = CONNECTS.iter().find(|(known, _)| known.contains(&program));
    if let Some((_, firsts)) = logs_in {
        for line in text.lines().take(MAX_LINES) {
            let first = line.split_whitespace().next().unwrap_or("").to_lowercase();
            if firsts.contains(&first.as_str()) {
                by_operands(&as_command("sqlplus", line), found);
            }
        }
    }
    if connects(command) {
        in_protocol(text, found);
    }
}

/// Finds secrets in what is printed in a text that talks to a server:
/// `(echo AUTH …; sleep 1) | nc HOST 6379`, `echo AUTH … > /dev/tcp/HOST/6379`.
fn by_talking(understood: &Understood, found: &mut Vec<Secret>) {
    let talks = |command: &Command| {
        let mut redirects = command.redirects.iter();
        connects(command)
            || command.program == "redis-cli"
            || redirects.any(|it| it.target.text.starts_with("/dev/tcp/"))
    };
    if !understood.commands.iter().any(talks) {
        return;
    }
    let prints = |it: &&Command| ["echo", "printf"].contains(&it.program.as_str());
    for command in understood.commands.iter().filter(prints) {
        let words = command
            .texts_after_program()
            .filter(|it| !it.starts_with('-'));
        let printed = words.collect::<Vec<_>>().join(" ");
        in_protocol(&printed.replace("\\r", "").replace("\\n", "\n"), found);
    }
}

fn in_line(program: &str, line: &str, found: &mut Vec<Secret>) {
    let typed = as_command(program, line);
    by_operands(&typed, found);
    by_options(&typed, found);
}

/// Finds secrets in the lines of a protocol: `AUTH`, `PASS`, `LOGIN`, of Redis, FTP, POP3, IMAP and
/// IRC.
fn in_protocol(text: &str, found: &mut Vec<Secret>) {
    for line in text.lines().take(MAX_LINES) {
        let line = line.trim();
        let line = line.strip_prefix("quote ").unwrap_or(line);
        let mut words = line.split_whitespace();
        let logs_in = |word: &str| {
            ["auth", "pass", "login", "hello", "config", "user", "acl"]
                .iter()
                .any(|it| word.eq_ignore_ascii_case(it))
        };
        // IMAP puts a tag before the command.
        let at = match (words.next(), words.next()) {
            (Some(first), _) if logs_in(first) => 0,
            (Some(_), Some(second)) if second.eq_ignore_ascii_case("login") => 1,
            _ => continue,
        };
        let rest = line.split_whitespace().skip(at + 1).collect::<Vec<_>>();
        by_operands(
            &as_command("redis-cli", &format!("auth {}", rest.join(" "))),
            found,
        );
    }
}

/// Returns a line of a console as the command that does the same.
fn as_command(program: &str, line: &str) -> Command {
    let words = line.split_whitespace().map(|it| {
        let text = it.trim_matches(['"', '\'']).to_owned();
        let known = !text.starts_with('$') && !text.contains("${") && !text.contains("$(");
        Word {
            text,
            known,
            ..Word::default()
        }
    });
    let first = Word {
        text: program.to_owned(),
        known: true,
        ..Word::default()
    };
    let mut command = Command::default();
    program.clone_into(&mut command.program);
    command.words = std::iter::once(first).chain(words).collect();
    command
}

#[cfg(test)]
mod tests {
    use super::super::in_command;

    fn count(text: &str) -> usize {
        let around = hookloop_shell::Surroundings::default();
        let understood = hookloop_shell::understand(text, around);
        in_command(&understood).len()
    }

    /// HT-40: what is typed into a console or sent to a server line by line is judged as the
    /// arguments of the same program are.
    #[test]
    fn secrets_are_typed_into_consoles() {
        for password in ["R3d-M0untain", "q7Rk2Vx9LmT4bWz8NcJf"] {
            for given in [
                format!("redis-cli <<< 'AUTH {password}'"),
                format!("echo 'auth {password}' | redis-cli -h cache"),
                format!("redis-cli <<'E'\nAUTH me {password}\nPING\nE"),
                format!("echo 'CONFIG SET requirepass {password}' | valkey-cli"),
                format!("redis-cli <<< 'ACL SETUSER me on >{password} ~* +@all'"),
                format!("printf 'AUTH %s\\r\\n' '{password}' | nc cache 6379"),
                format!("printf 'AUTH {password}\\r\\nPING\\r\\n' | nc cache 6379"),
                format!("echo 'AUTH {password}' > /dev/tcp/cache/6379"),
                format!("printf 'USER me\\nPASS {password}\\n' | telnet host 110"),
                format!("echo 'a1 LOGIN me {password}' | openssl s_client -connect host:993"),
                format!("sqlplus /nolog <<E\nCONNECT system/{password}@db\nE"),
                format!("echo 'conn me/{password}' | sqlplus -s /nolog"),
                format!("(echo 'AUTH {password}'; sleep 1) | nc cache 6379"),
                format!("exec 3<>/dev/tcp/cache/6379; echo 'AUTH {password}' >&3"),
                format!("ftp -n h <<'E'\nquote USER me\nquote PASS {password}\nE"),
                format!("kadmin.local <<< 'addprinc -pw {password} me'"),
                format!("kadmin.local -q 'addprinc -pw {password} me'"),
                format!("lftp <<E\nopen -u me,{password} host\nE"),
                format!("restic -r s3:x init <<< {password}"),
            ] {
                assert_eq!(count(&given), 1, "{given}");
            }
        }
    }

    /// HT-40: other commands of a console aren't secrets, and neither are variables and examples.
    #[test]
    fn other_lines_of_consoles_are_no_secrets() {
        for given in [
            "redis-cli <<< \"AUTH $REDIS_PASSWORD\"",
            "redis-cli <<< 'AUTH password'",
            "redis-cli <<< 'GET session:q7Rk2Vx9LmT4bWz8NcJf'",
            "redis-cli <<< 'SET build 2024-11-R3d-M0untain'",
            "printf 'GET /a HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n' | nc h 80",
            "sqlplus /nolog <<E\nSELECT * FROM t WHERE id = 'R3d/M0untain';\nE",
            "sqlplus /nolog <<E\nCONNECT / AS SYSDBA\nE",
            "openssl dgst -sha256 <<< 'LOGIN me R3d-M0untain'",
            "lftp <<E\nopen host\nmirror R3d-M0untain\nE",
        ] {
            assert_eq!(count(given), 0, "{given}");
        }
    }
}
