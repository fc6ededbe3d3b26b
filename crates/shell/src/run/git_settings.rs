//! Git settings that run programs, wherever they are given: `-c`, `git config`, variables, options.

use crate::scope::Scope;
use crate::understood::{OpaqueReason, Word};
use crate::walk::Walker;

/// How many settings of `GIT_CONFIG_COUNT` are examined.
const MAX_SETTINGS: usize = 64;

/// What a setting makes git do.
#[derive(Debug, PartialEq, Eq)]
enum SettingEffect {
    /// It runs this shell text.
    Runs(String),
    /// It runs what is in this folder.
    RunsIn(String),
    /// It reads more settings from this file.
    Reads(String),
}

/// Options of git's subcommands whose value is a command.
const COMMANDS: &[&str] = &[
    "--upload-pack",
    "--receive-pack",
    "--open-files-in-pager",
    "--sendmail-cmd",
    "--to-cmd",
    "--cc-cmd",
    "--header-cmd",
    "--smtp-server",
    "--access-hook",
    "--extcmd",
];

/// Settings whose value is a command, section and name in lower case, `*` for what is between.
const RUN: &[&str] = &[
    "core.pager",
    "core.editor",
    "core.sshcommand",
    "core.fsmonitor",
    "core.askpass",
    "core.gitproxy",
    "core.alternaterefscommand",
    "diff.external",
    "sequence.editor",
    "gpg.program",
    "gpg.*.program",
    "gpg.ssh.defaultkeycommand",
    "interactive.difffilter",
    "pager.*",
    "browser.*.cmd",
    "browser.*.path",
    "man.*.cmd",
    "man.*.path",
    "filter.*.clean",
    "filter.*.smudge",
    "filter.*.process",
    "diff.*.command",
    "diff.*.textconv",
    "merge.*.driver",
    "mergetool.*.cmd",
    "mergetool.*.path",
    "difftool.*.cmd",
    "difftool.*.path",
    "guitool.*.cmd",
    "remote.*.uploadpack",
    "remote.*.receivepack",
    "uploadpack.packobjectshook",
    "trailer.*.command",
    "trailer.*.cmd",
    "sendemail.smtpserver",
    "sendemail.sendmailcmd",
    "sendemail.tocmd",
    "sendemail.cccmd",
    "sendemail.headercmd",
    "tar.*.command",
    "hook.*.command",
    "gc.recentobjectshook",
    "instaweb.httpd",
];

/// Settings that name a folder whose files git runs.
const FOLDERS: &[&str] = &["core.hookspath", "init.templatedir"];

/// Settings that name a file with more settings.
const FILES: &[&str] = &["include.path", "includeif.*.path"];

/// Settings that name a file whose lines affect git's answers: ignored files, attributes, and the
/// mapping of people's names.
const LISTS: &[&str] = &[
    "core.excludesfile",
    "core.attributesfile",
    "mailmap.file",
    "blame.ignorerevsfile",
];

/// Variables that name a settings file that replaces the usual one.
const FILES_OF_VARIABLES: [&str; 3] = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG"];

/// Values that switch something, and don't name a program.
const SWITCHES: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "1", "0", ""];

/// Git's own ways of storing passwords.
const OWN_HELPERS: [&str; 7] = [
    "store",
    "cache",
    "osxkeychain",
    "manager",
    "manager-core",
    "libsecret",
    "wincred",
];

/// What git settings make git run and read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitSettings {
    /// Commands, as shell text.
    pub runs: Vec<String>,
    /// Folders whose files git runs.
    pub folders: Vec<String>,
    /// Files that contain more settings.
    pub files: Vec<String>,
    /// Files that affect git's answers: ignored files, attributes, and the mapping of people's
    /// names.
    pub lists: Vec<String>,
}

/// Reads a git settings file: what it makes git run, and what it makes git read (HT-30).
pub fn settings_of_git(text: &str) -> GitSettings {
    let mut found = GitSettings::default();
    for (key, value) in settings_in(text) {
        match setting_effect(&key, &value) {
            Some(SettingEffect::Runs(text)) => found.runs.push(text),
            Some(SettingEffect::RunsIn(folder)) => found.folders.push(folder),
            Some(SettingEffect::Reads(file)) => found.files.push(file),
            None if LISTS.contains(&key.to_ascii_lowercase().as_str()) => found.lists.push(value),
            None => {}
        }
    }
    found
}

/// Returns the definition of an alias in a git settings file: words of git, or shell text after
/// `!`.
pub fn alias_of_git(text: &str, name: &str) -> Option<String> {
    let mut all = settings_in(text).into_iter().rev();
    let is_it = |key: &str| {
        let key = key.strip_suffix(".command").unwrap_or(key);
        let own = key.get(..6).filter(|it| it.eq_ignore_ascii_case("alias."));
        own.is_some() && key[6..].eq_ignore_ascii_case(name)
    };
    all.find_map(|(key, value)| is_it(&key).then_some(value))
}

impl Walker {
    /// Follows what a git command runs because of its settings and options.
    pub(super) fn settings_given_to_git(&mut self, words: &[Word], scope: &mut Scope<'_>) {
        let mut settings = settings_from_words(words, scope);
        settings.extend(settings_from_variables(scope));
        let mut does: Vec<SettingEffect> = settings
            .iter()
            .filter_map(|(key, value)| setting_effect(key, value))
            .collect();
        does.extend(done_by_options(words));
        for name in FILES_OF_VARIABLES {
            let file = scope.value(name).filter(|it| it != "/dev/null");
            does.extend(file.filter(|it| !it.is_empty()).map(SettingEffect::Reads));
        }
        if let Some(folder) = scope.value("GIT_EXEC_PATH").filter(|it| !it.is_empty()) {
            does.push(SettingEffect::RunsIn(folder));
        }
        let count = count_given(scope);
        if count > MAX_SETTINGS {
            self.note_opaque(OpaqueReason::TooDeep, "GIT_CONFIG_COUNT");
        }
        self.through.push("git".to_owned());
        for it in does {
            self.done_by_git(it, scope, MAX_SETTINGS);
        }
        self.through.pop();
    }

    fn done_by_git(&mut self, does: SettingEffect, scope: &Scope<'_>, left: usize) {
        match does {
            SettingEffect::Runs(text) => self.own_text(&text, scope),
            SettingEffect::RunsIn(folder) => {
                let folder = crate::normalize_path(&folder_settings(&folder, scope));
                let inside = scope.files.iter().filter(|(path, _)| {
                    path.strip_prefix(folder.as_str())
                        .is_some_and(|rest| rest.starts_with('/'))
                });
                let texts: Vec<Option<String>> = inside.map(|(_, text)| text.clone()).collect();
                for text in texts {
                    match text {
                        Some(text) => self.own_text(&text, scope),
                        None => self.note_opaque(OpaqueReason::ComputedText, &folder),
                    }
                }
            }
            SettingEffect::Reads(file) => {
                let written = scope.written_text(&Word::plain(file.as_str())).cloned();
                let (Some(Some(text)), Some(left)) = (written, left.checked_sub(1)) else {
                    self.note_opaque(OpaqueReason::ComputedText, &file);
                    return;
                };
                for (key, value) in settings_in(&text) {
                    if let Some(does) = setting_effect(&key, &value) {
                        self.done_by_git(does, scope, left.min(4));
                    }
                }
            }
        }
    }
}

fn folder_settings(path: &str, scope: &Scope<'_>) -> String {
    let named = scope.path_of(&Word::plain(path));
    named.paths.into_iter().next().unwrap_or_default()
}

/// Returns the settings in words, with the keys as written.
fn settings_from_words(words: &[Word], scope: &Scope<'_>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let split = |text: &str| {
        let (key, value) = text.split_once('=').unwrap_or((text, "true"));
        (key.to_owned(), value.to_owned())
    };
    for pair in words.windows(2) {
        match pair[0].text.as_str() {
            "-c" | "--config" => found.push(split(&pair[1].text)),
            "--config-env" => found.extend(by_variable(&pair[1].text, scope)),
            _ => {}
        }
    }
    for word in words {
        let text = word.text.as_str();
        if let Some(setting) = text.strip_prefix("--config-env=") {
            found.extend(by_variable(setting, scope));
        } else if let Some(setting) = text.strip_prefix("--config=") {
            found.push(split(setting));
        } else if let Some(setting) = text.strip_prefix("-c").filter(|it| it.contains('.')) {
            found.push(split(setting));
        }
    }
    // `git config [--global] [set] KEY VALUE`
    let mut behind = words.iter().skip_while(|it| it.text != "config").skip(1);
    let key = behind
        .by_ref()
        .find(|it| !it.text.starts_with('-') && it.text.contains('.') && !it.text.contains('/'));
    if let (Some(key), Some(value)) = (key, behind.find(|it| !it.text.starts_with('-'))) {
        found.push((key.text.clone(), value.text.clone()));
    }
    found
}

/// `--config-env=KEY=VARIABLE`
fn by_variable(text: &str, scope: &Scope<'_>) -> Option<(String, String)> {
    let (key, variable) = text.rsplit_once('=')?;
    Some((key.to_owned(), scope.value(variable).unwrap_or_default()))
}

/// Returns how many numbered settings are in variables.
fn count_given(scope: &Scope<'_>) -> usize {
    let count = scope.value("GIT_CONFIG_COUNT");
    let count = count.and_then(|it| it.trim().parse::<usize>().ok());
    count.unwrap_or(0)
}

/// Returns the settings in variables.
fn settings_from_variables(scope: &Scope<'_>) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = (0..count_given(scope).min(MAX_SETTINGS))
        .filter_map(|number| {
            let key = scope.value(&format!("GIT_CONFIG_KEY_{number}"))?;
            let value = scope.value(&format!("GIT_CONFIG_VALUE_{number}"));
            Some((key, value.unwrap_or_default()))
        })
        .collect();
    // `'key=value'`, or `'key'='value'`.
    let parameters = scope.value("GIT_CONFIG_PARAMETERS").unwrap_or_default();
    let mut is_quoted = false;
    let mut ends = |it: char| {
        is_quoted ^= it == '\'';
        it == ' ' && !is_quoted
    };
    for word in parameters.split(&mut ends) {
        let word = word.replace('\'', "");
        if let Some((key, value)) = word.split_once('=') {
            found.push((key.to_owned(), value.to_owned()));
        }
    }
    found
}

/// Returns what options of git subcommands, and the addresses in its arguments, make it do.
fn done_by_options(words: &[Word]) -> Vec<SettingEffect> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let text = word.text.as_str();
        if let Some(command) = text.strip_prefix("ext::") {
            // `%S` and the like are git's own placeholders.
            found.push(SettingEffect::Runs(command.replace('%', "")));
        }
        if let Some(folder) = text.strip_prefix("--exec-path=") {
            found.push(SettingEffect::RunsIn(folder.to_owned()));
        }
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (text, words.get(at + 1).map(|it| it.text.clone())),
        };
        let is_command = name.len() > 5 && COMMANDS.iter().any(|it| it.starts_with(name));
        // `push --exec` is `--receive-pack`; what `rebase --exec` runs is followed with its verb.
        let is_exec = name == "--exec" && words.iter().all(|it| it.text != "rebase");
        let is_upload = name == "-u" && words.iter().any(|it| it.text == "clone");
        if is_command && name.starts_with("--") || is_exec || is_upload {
            found.extend(value.map(SettingEffect::Runs));
        } else if let Some(pager) = text.strip_prefix("-O").filter(|it| !it.is_empty()) {
            // `git grep -Opager`; in other subcommands, it is a file.
            if words.iter().any(|it| it.text == "grep") {
                found.push(SettingEffect::Runs(pager.to_owned()));
            }
        }
    }
    found
}

/// Returns what a setting makes git do. Git ignores case in section and name.
fn setting_effect(key: &str, value: &str) -> Option<SettingEffect> {
    let key = key.trim();
    let (section, rest) = key.split_once('.')?;
    let section = section.to_ascii_lowercase();
    let (between, name) = match rest.rsplit_once('.') {
        Some((between, name)) => (Some(between), name.to_ascii_lowercase()),
        None => (None, rest.to_ascii_lowercase()),
    };
    let value = value.trim();
    if let Some(command) = value.strip_prefix('!') {
        let has = ["alias", "credential", "submodule"].contains(&section.as_str());
        return has.then(|| SettingEffect::Runs(command.to_owned()));
    }
    if section == "alias" {
        return Some(SettingEffect::Runs(format!("git {value}")));
    }
    if section == "credential" && name == "helper" {
        let program = value.split_whitespace().next().unwrap_or_default();
        return Some(if program.contains('/') {
            SettingEffect::Runs(value.to_owned())
        } else if program.is_empty() || OWN_HELPERS.contains(&value) {
            return None;
        } else {
            SettingEffect::Runs(format!("git credential-{value}"))
        });
    }
    let is = |known: &&&str| {
        let mut parts = known.split('.');
        let is_section = parts.next() == Some(section.as_str());
        is_section
            && match (parts.next(), parts.next()) {
                (Some("*"), None) => between.is_none(),
                (Some(only), None) => between.is_none() && only == name,
                (Some("*"), Some(last)) => between.is_some() && last == name,
                (Some(middle), Some(last)) => {
                    between.is_some_and(|it| it.eq_ignore_ascii_case(middle)) && last == name
                }
                (None, _) => false,
            }
    };
    if FILES.iter().any(|it| is(&it)) {
        return Some(SettingEffect::Reads(value.to_owned()));
    }
    if SWITCHES.contains(&value.to_ascii_lowercase().as_str()) {
        return None;
    }
    if FOLDERS.iter().any(|it| is(&it)) {
        return Some(SettingEffect::RunsIn(value.to_owned()));
    }
    RUN.iter()
        .any(|it| is(&it))
        .then(|| SettingEffect::Runs(value.to_owned()))
}

/// Returns where the heading of a section in git settings ends, after its
/// `[`. A quoted name may contain `]`.
///
/// ```
/// assert_eq!(hookloop_shell::end_of_head("core] a = b"), 4);
/// assert_eq!(hookloop_shell::end_of_head("remote \"a]b\"]"), 12);
/// ```
pub fn end_of_head(text: &str) -> usize {
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, letter) in text.char_indices() {
        match letter {
            ']' if !is_quoted => return at,
            '"' if !is_escaped => is_quoted = !is_quoted,
            _ => {}
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    text.len()
}

/// Returns the settings in a git settings file.
fn settings_in(text: &str) -> Vec<(String, String)> {
    let mut section = String::new();
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix('[') {
            let end = end_of_head(rest);
            let (name, rest) = (&rest[..end], rest.get(end + 1..).unwrap_or_default());
            section = match name.split_once('"') {
                Some((name, between)) => {
                    format!("{}.{}", name.trim(), between.trim_end_matches('"'))
                }
                None => name.trim().to_owned(),
            };
            found.extend(setting_of(&section, rest));
        } else {
            found.extend(setting_of(&section, line));
        }
    }
    found
}

fn setting_of(section: &str, line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once('=')?;
    let value = value.trim();
    let value = value
        .strip_prefix('"')
        .and_then(|it| it.strip_suffix('"'))
        .unwrap_or(value);
    let value = value.replace("\\\"", "\"").replace("\\\\", "\\");
    Some((format!("{section}.{}", name.trim()), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TR-8: a name in git settings is found in upper and lower case.
    #[test]
    fn aliases_are_found() {
        let text = "[Alias]\n\tST = status --porcelain\n[alias]x = !sh y\n";
        let found = |name: &str| alias_of_git(text, name);
        assert_eq!(found("st").as_deref(), Some("status --porcelain"));
        assert_eq!(found("x").as_deref(), Some("!sh y"));
        assert_eq!(found("status"), None);
    }

    /// HT-30: a git setting that runs a program is recognised whatever the case of its key.
    #[test]
    fn settings_that_run_programs_are_known_by_their_keys() {
        let runs = |text: &str| Some(SettingEffect::Runs(text.to_owned()));
        for (key, value, does) in [
            ("core.fsMonitor", "rm x", runs("rm x")),
            ("CORE.PAGER", "rm x", runs("rm x")),
            ("filter.a.b.Smudge", "rm x", runs("rm x")),
            ("Alias.X", "!rm x", runs("rm x")),
            ("alias.x", "clean -fdx", runs("git clean -fdx")),
            ("credential.https://a.b.helper", "!rm x", runs("rm x")),
            ("credential.helper", "/x/y", runs("/x/y")),
            ("pager.log", "rm x", runs("rm x")),
            ("GPG.SSH.defaultKeyCommand", "rm x", runs("rm x")),
            (
                "core.hooksPath",
                "h",
                Some(SettingEffect::RunsIn("h".to_owned())),
            ),
            (
                "Include.Path",
                "f",
                Some(SettingEffect::Reads("f".to_owned())),
            ),
            ("core.fsmonitor", "false", None),
            ("credential.helper", "store", None),
            ("user.name", "rm x", None),
            ("core.autocrlf", "input", None),
        ] {
            assert_eq!(setting_effect(key, value), does, "{key}={value}");
        }
        let file = "[core]\n\tpager = \"rm x\"\n[filter \"a\"] smudge = rm y\n";
        let found: Vec<_> = settings_in(file)
            .iter()
            .filter_map(|(key, value)| setting_effect(key, value))
            .collect();
        assert_eq!(
            found,
            [
                SettingEffect::Runs("rm x".into()),
                SettingEffect::Runs("rm y".into())
            ]
        );
    }
}
