//! Secrets that programs are given by an option or on standard input.

use hookloop_shell::{Command, Input, Word};

use super::inputs::{holds_secret, is_secret_word};
use super::picked::{looks_like_words, looks_picked, looks_picked_plainly};
use super::programs::{
    ASK_FOR_PASSWORDS, MEANS_MORE, OPERANDS, PASSWORD_OPTIONS, READERS, SETTERS,
};
use super::{Secret, is_dense, looks_chosen_at_random, looks_like_password, note, tells_of_secret};

/// Returns whether a value of an option looks like a password that a person chose.
fn is_picked_for(command: &Command, option: &str, value: &str) -> bool {
    // After `mysql -p` comes the name of a database, and after `-u` possibly a user without a
    // password.
    let is_attached = option.len() > value.len() && option.ends_with(value);
    let takes_words = command.program == "sshpass"
        || tells_of_secret(
            option
                .trim_start_matches('-')
                .split('=')
                .next()
                .unwrap_or(""),
        )
        || option.starts_with("-p") && is_attached && command.program.starts_with('m');
    if takes_words && looks_like_words(value) {
        return true;
    }
    if MEANS_MORE.contains(&command.program.as_str()) {
        looks_picked(value)
    } else {
        looks_picked_plainly(value)
    }
}

/// Words of commands that log somebody in: whatever the program is, `-p` is a password there.
const LOGS_IN: &[&str] = &[
    "-u",
    "-U",
    "--user",
    "--username",
    "-username",
    "-l",
    "login",
    "auth",
    "user",
];

/// Finds secrets in a command's words and in what it reads.
pub(super) fn by_command(command: &Command, found: &mut Vec<Secret>) {
    by_options(command, found);
    by_input(command, found);
    by_setters(command, found);
    by_kept(command, found);
    by_operands(command, found);
    by_hosts(command, found);
    by_arguments(command, found);
}

/// Finds the values of a command's options.
pub(super) fn by_options(command: &Command, found: &mut Vec<Secret>) {
    let args = command.words_after_program();
    let short: Vec<&str> = PASSWORD_OPTIONS
        .iter()
        .filter(|(programs, _)| programs.contains(&command.program.as_str()))
        .flat_map(|(_, options)| options.iter().copied())
        .collect();
    let has = |word: &str| args.iter().any(|it| it.text == word);
    let keeps_secret = command.program == "gh" && has("secret")
        || command.program == "gh"
            && has("variable")
            && args.iter().any(|it| tells_of_secret(&it.text))
        || command.program == "aws" && has("SecureString")
        || command
            .subcommand
            .as_deref()
            .is_some_and(|it| it.starts_with("secret"));
    let logs_in = args.iter().any(|it| LOGS_IN.contains(&it.text.as_str()));
    for (at, word) in args.iter().enumerate() {
        let next = args.get(at + 1).filter(|it| is_written_out(it));
        let is_password = logs_in && ["-p", "-w"].contains(&word.text.as_str());
        if let Some(value) = next.filter(|it| {
            is_password
                && (is_dense(&it.text) || looks_like_password(&it.text) || looks_picked(&it.text))
        }) {
            if value.text.len() >= 8
                && (looks_chosen_at_random(&value.text, 2) || looks_picked(&value.text))
            {
                note(found, &word.text, false, &value.text);
            }
            continue;
        }
        let value = if let Some(value) = property_value(word) {
            Some(value)
        } else if let Some((name, value)) = word
            .text
            .strip_prefix("--")
            .and_then(|it| it.split_once('='))
        {
            (word.known && tells_of_secret(name)).then_some(value)
        } else if let Some(name) = word.text.strip_prefix("--") {
            next.filter(|_| {
                tells_of_secret(name)
                    || short.contains(&word.text.as_str())
                    || keeps_secret && ["body", "value"].contains(&name)
            })
            .map(|it| it.text.as_str())
        } else if short.contains(&word.text.as_str())
            || keeps_secret && ["-b", "--body"].contains(&word.text.as_str())
            || is_long_option(&word.text)
            || args.get(..at).is_some_and(sets_setting) && tells_of_secret(&word.text)
            || is_setting(&word.text)
            || is_key_of_settings(&command.program, &word.text)
        {
            next.map(|it| it.text.as_str())
        } else if let Some(value) = word.text.strip_prefix("-b").filter(|_| keeps_secret) {
            Some(value)
        } else {
            short
                .iter()
                .filter(|it| (it.len() <= 3 || it.ends_with(':')) && is_written_out(word))
                .find_map(|it| word.text.strip_prefix(*it))
        };
        let Some(value) = value else { continue };
        let given = value;
        let value = without_user(command, &word.text, value);
        let is_words = value.len() < given.len() && looks_like_words(value);
        if value.len() >= 6
            && !value.starts_with(['-', '/', '.'])
            && (is_words
                || looks_chosen_at_random(value, 2)
                || is_picked_for(command, &word.text, value))
        {
            let name: String = word.text.chars().take(20).collect();
            note(found, &name, false, value);
        }
    }
}

/// Returns whether a value is literal: a password may contain the character that begins a variable.
pub(super) fn is_written_out(word: &Word) -> bool {
    let computes = ["${", "$(", "`"].iter().any(|it| word.text.contains(it));
    word.known || !computes && !word.text.starts_with('$') && looks_like_password(&word.text)
}

/// Returns the password in an option's value that begins with the name of a user: `me:…`, `me%…`,
/// `me,…`.
fn without_user<'v>(command: &Command, option: &str, value: &'v str) -> &'v str {
    let names_user = [
        "-u",
        "-U",
        "-a",
        "-E",
        "--user",
        "--auth",
        "--cert",
        "--proxy-user",
        "-A",
        "-id",
        "--basic-auth",
        "--auth-cred",
    ]
    .iter()
    .any(|it| option.starts_with(it));
    let parts = |it: char| match it {
        ':' => names_user || command.program == "openssl",
        '%' => names_user && command.program != "curl",
        ',' => command.program.contains("ftp"),
        _ => false,
    };
    value.split_once(parts).map_or(value, |(_, it)| it)
}

/// Returns the value of a property that indicates a secret: `-Dsonar.password=…`.
fn property_value(word: &Word) -> Option<&str> {
    let rest = word
        .text
        .strip_prefix("-D")
        .or_else(|| word.text.strip_prefix("-P"));
    let (name, value) = rest.filter(|_| word.known)?.split_once('=')?;
    let last = name.rsplit('.').next().unwrap_or(name);
    // With Sonar, the token is the login.
    (tells_of_secret(last) || name == "sonar.login").then_some(value)
}

/// Finds the value of a variable of another language whose name indicates a secret:
/// `jq --arg token VALUE`.
fn by_arguments(command: &Command, found: &mut Vec<Secret>) {
    if !["jq", "gojq", "jaq", "yq"].contains(&command.program.as_str()) {
        return;
    }
    for triple in command.words_after_program().windows(3) {
        let (option, name, value) = (&triple[0].text, &triple[1].text, &triple[2]);
        let gives = option == "--arg" && tells_of_secret(name) && is_written_out(value);
        if gives && value.text.len() >= 6 && looks_picked_or_random(&value.text) {
            note(found, name, false, &value.text);
        }
    }
}

/// Returns whether a word is a long option with one dash that indicates a secret: `-password`.
fn is_long_option(word: &str) -> bool {
    let name = word
        .strip_prefix('-')
        .filter(|it| it.len() > 3 && !it.starts_with('-'));
    name.is_some_and(tells_of_secret)
}

/// Returns whether words set a setting: `config set`.
fn sets_setting(words: &[Word]) -> bool {
    let mut before = words.iter().rev().map(|it| it.text.as_str());
    let last = before.find(|it| !it.starts_with('-'));
    let sets = |it: &str| ["config", "configure", "env"].contains(&it);
    last == Some("set") && before.next().is_some_and(sets)
}

/// Returns whether a word is a name such as `aws_secret_access_key`, whose value is the next word.
fn is_setting(word: &str) -> bool {
    ["login", "add-authtoken", "authtoken", "_auth"].contains(&word)
        || word.contains(['_', '-'])
            && !word.starts_with('-')
            && !word.contains(' ')
            && tells_of_secret(word)
}

/// Returns whether a word is the name of a setting that a program changes:
/// `git config user.password`.
fn is_key_of_settings(program: &str, word: &str) -> bool {
    let last = word.rsplit('.').next().unwrap_or(word);
    [
        "git",
        "gsettings",
        "npm",
        "yarn",
        "composer",
        "bundle",
        "crudini",
    ]
    .contains(&program)
        && (program == "crudini" || last != word)
        && !word.starts_with('-')
        && tells_of_secret(last)
}

/// Returns what a secret is called that has no other name than the program that takes it.
fn given_to(command: &Command) -> String {
    format!("secret given to {}", command.program)
}

/// Finds secrets that are arguments of a program: `rabbitmqctl add_user me VALUE`.
pub(super) fn by_operands(command: &Command, found: &mut Vec<Secret>) {
    let Some((_, words)) = OPERANDS
        .iter()
        .find(|(programs, _)| programs.contains(&command.program.as_str()))
    else {
        return;
    };
    let all: Vec<&str> = command.words.iter().map(|it| it.text.as_str()).collect();
    let Some(from) = all
        .iter()
        .position(|it| words.is_empty() || words.iter().any(|word| word.eq_ignore_ascii_case(it)))
    else {
        return;
    };
    let takes_names = !["snyk", "nuget", "nuget.exe"].contains(&command.program.as_str());
    for word in command
        .words
        .iter()
        .skip(from + 1)
        .filter(|it| is_written_out(it))
    {
        let value = word.text.as_str();
        let value = if ["cqlsh", "sqlplus", "sqlldr", "expdp", "impdp", "rman"]
            .contains(&command.program.as_str())
        {
            value.split('@').next().unwrap_or("")
        } else {
            value
        };
        let parts: &[char] = if command.program == "vault" {
            &['=']
        } else {
            &[':', '/', '=']
        };
        let value = value.rsplit(parts).next().unwrap_or("");
        let value = value.trim_matches(['"', '>']);
        // What is made of hexadecimal digits names a revision or a thing.
        let takes_words = ["wpa_passphrase", "nmcli"].contains(&command.program.as_str());
        let is_name = value.chars().all(|it| it.is_ascii_hexdigit() || it == '-');
        if value.len() >= 8
            && !(takes_names && is_name)
            && !word.text.contains("://")
            && (looks_chosen_at_random(value, 2) && (is_dense(value) || looks_like_password(value))
                || looks_picked(value)
                || takes_words && looks_like_words(value))
        {
            note(found, &given_to(command), false, value);
        }
    }
}

/// Finds what Bundler gets for a host: `bundle config set --global gems.host.com me:PASSWORD`. That
/// may be made of hexadecimal digits alone.
fn by_hosts(command: &Command, found: &mut Vec<Secret>) {
    if !["bundle", "bundler"].contains(&command.program.as_str()) {
        return;
    }
    let words = command.words_after_program();
    if words.first().is_none_or(|it| it.text != "config") {
        return;
    }
    let mut operands = words[1..].iter().filter(|it| !it.text.starts_with('-'));
    let host = operands.find(|it| it.text != "set");
    let (Some(host), Some(value)) = (host, operands.next()) else {
        return;
    };
    let others = ["build.", "mirror.", "local."];
    let is_host = host.text.contains('.') && !others.iter().any(|it| host.text.starts_with(it));
    let secret = value.text.rsplit(':').next().unwrap_or("");
    let is_mixed = secret.contains(|it: char| it.is_ascii_digit())
        && secret.contains(|it: char| it.is_ascii_alphabetic());
    let is_known = found.iter().any(|it| it.length == secret.chars().count());
    let is_path = value.text.contains('/');
    if is_host && is_written_out(value) && is_mixed && secret.len() >= 8 && !is_path && !is_known {
        let is_hexadecimal = |it: char| it.is_ascii_hexdigit() || it == ':';
        let is_pair = value.text.chars().all(is_hexadecimal);
        let noted = if is_pair { &value.text } else { secret };
        note(found, &given_to(command), false, noted);
    }
}

fn looks_picked_or_random(value: &str) -> bool {
    looks_picked(value) || value.len() >= 12 && looks_chosen_at_random(value, 4)
}

/// Finds the value of what a path names: `augtool set /files/a/password VALUE`,
/// `xmlstarlet ed -u //password -v VALUE`.
fn by_setters(command: &Command, found: &mut Vec<Secret>) {
    if !SETTERS.contains(&command.program.as_str()) {
        return;
    }
    let args = command
        .words_after_program()
        .iter()
        .filter(|it| is_written_out(it));
    let mut words = args.flat_map(|it| it.text.split_whitespace());
    let last = |path: &str| path.rsplit(['/', ':', '.']).next().map(str::to_owned);
    let Some(name) = words.find_map(|it| last(it).filter(|it| tells_of_secret(it))) else {
        return;
    };
    let mut values = words.filter(|it| !it.starts_with(['-', '/']));
    if let Some(value) = values.find(|it| is_secret_word(it)) {
        note(found, &name, false, value);
    }
}

/// Finds a word that is printed into a file whose name says that it contains a secret:
/// `echo VALUE > password.txt`.
fn by_kept(command: &Command, found: &mut Vec<Secret>) {
    let mut kept = command.redirects.iter().filter(|it| it.takes_output);
    let keeps = kept.any(|it| holds_secret(&it.target.text));
    if !keeps || !["echo", "printf"].contains(&command.program.as_str()) {
        return;
    }
    let words = command
        .words_after_program()
        .iter()
        .filter(|it| is_written_out(it));
    for word in words.map(|it| it.text.trim_end_matches("\\n")) {
        if !word.starts_with('-') && is_secret_word(word) {
            note(found, &given_to(command), false, word);
        }
    }
}

/// Finds a secret that is piped into a program that asks for one: `… --password-stdin <<< VALUE`.
fn by_input(command: &Command, found: &mut Vec<Secret>) {
    let Input::Text(text) = &command.input else {
        return;
    };
    let says = |word: &str| {
        command
            .words_after_program()
            .iter()
            .any(|it| it.text == word)
            || command
                .subcommand
                .as_deref()
                .is_some_and(|it| it.split(' ').any(|it| it == word))
    };
    let asks = command.words_after_program().iter().any(|it| {
        it.text.starts_with("--")
            && it.text.ends_with("-stdin")
            && tells_of_secret(
                it.text
                    .trim_start_matches('-')
                    .trim_end_matches("-stdin")
                    .trim_end_matches("-on"),
            )
    });
    let reads = READERS.iter().any(|(programs, words)| {
        programs.contains(&command.program.as_str())
            && (words.is_empty() || words.iter().any(|it| says(it)))
    });
    // The credentials for a server: `printf me:VALUE | base64`.
    let is_told = command.program == "base64"
        && !command
            .words_after_program()
            .iter()
            .any(|it| ["-d", "-D", "--decode"].contains(&it.text.as_str()))
        && text.trim().split_once(':').is_some_and(|(user, password)| {
            let is_name = |it: u8| it.is_ascii_alphanumeric() || b"._@-".contains(&it);
            !user.is_empty() && user.bytes().all(is_name) && looks_picked_or_random(password)
        });
    // `tee config/master.key <<< VALUE`
    let keeps = command.program == "tee"
        && command
            .words_after_program()
            .iter()
            .any(|it| holds_secret(&it.text));
    if !asks && !reads && !keeps && !is_told && !says("login") {
        return;
    }
    for line in text.lines().map(str::trim) {
        let value = line.rsplit_once(':').map_or(line, |(_, it)| it);
        let is_words = || {
            (asks || ASK_FOR_PASSWORDS.contains(&command.program.as_str()))
                && looks_like_words(value)
        };
        if value.len() >= 6
            && (looks_chosen_at_random(value, 2) || looks_picked_plainly(value) || is_words())
        {
            note(found, &given_to(command), false, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::in_command;

    /// HT-40: the input of a program that asks for a secret is one, on standard input and with a
    /// user's name before it; what other programs read is data.
    #[test]
    fn secrets_are_given_by_input_and_by_option() {
        let found = |text: &str| {
            let around = hookloop_shell::Surroundings::default();
            in_command(&hookloop_shell::understand(text, around)).len()
        };
        let random = "q7Rk2Vx9LmT4bWz8NcJf";
        for given in [
            format!("echo {random} | docker login -u me --password-stdin r.host.com"),
            format!("vercel env add API production <<< {random}"),
            format!("printf '{random}' | gh secret set API"),
            format!("wrangler secret put API <<E\n{random}\nE"),
            format!("echo root:{random} | chpasswd"),
            format!("smbclient //host/share -U me%{random}"),
            format!("defaults write com.host.app apiToken {random}"),
            format!("plutil -replace apiKey -string {random} Info.plist"),
            format!("PlistBuddy -c 'Set :ApiToken {random}' Info.plist"),
            format!("xmlstarlet ed -u //server/password -v {random} settings.xml"),
            format!("reg add HKCU\\\\Software /v ApiKey /t REG_SZ /d {random}"),
            "augtool set /files/etc/app/password R3d-M0untain".to_owned(),
            "echo 'R3d#M0untain' > password.txt".to_owned(),
            "printf 'R3d#M0untain\\n' >> conf/db_password".to_owned(),
            "zfs load-key pool <<< R3d-M0untain".to_owned(),
            "knife bootstrap host -P R3d-M0untain".to_owned(),
            "node -e \"send(btoa('me:R3d-M0untain'))\"".to_owned(),
            "op signin <<< R3d-M0untain9".to_owned(),
            "bundle config set --local https://gems.host.com 6ced620104d159e8489b0ac3".to_owned(),
            "bundle config --global gems.host.com 4f9a8c3b:7d2e1f6a".to_owned(),
            "bundle config gems.host.com me:hunter2pass".to_owned(),
            "nuget setapikey 6ced620104d159e8489b0ac35e5fa870".to_owned(),
            "consul acl set-agent-token agent q7Rk2Vx9LmT4bWz8NcJf".to_owned(),
        ] {
            assert_eq!(found(&given), 1, "{given}");
        }
        for data in [
            format!("wc -c <<< {random}"),
            format!("echo {random} | docker load"),
            "echo $TOKEN | gh auth login --with-token".to_owned(),
            "vercel env ls <<< production".to_owned(),
            "gh secret set API < key.txt".to_owned(),
            "defaults read com.host.app apiToken".to_owned(),
            "defaults write com.host.app tokenPanelShown -bool true".to_owned(),
            "xmlstarlet sel -t -v //password settings.xml".to_owned(),
            "echo changeme > password.txt".to_owned(),
            "echo \"$PASSWORD\" > password.txt".to_owned(),
            "node -e \"send(btoa('width:height-of-it'))\"".to_owned(),
            "bundle config set --local path vendor/bundle2".to_owned(),
            "bundle config gems.host.com".to_owned(),
            "bundle config gems.host.com me:$PASSWORD".to_owned(),
            "bundle config build.mysql2 with-mysql-config8".to_owned(),
            "bundle config local.rack ../rack2".to_owned(),
            "bundle config mirror.https://rubygems.org https://gems2.host.com".to_owned(),
        ] {
            assert_eq!(found(&data), 0, "{data}");
        }
    }
}
