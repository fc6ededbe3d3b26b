//! Searches of everything there is, or ever was, for keys.

use std::sync::LazyLock;

use hookloop_shell::{Command, Input, Word};
use regex::Regex;

use super::secret_names;
use crate::secrets::names_secret;

/// Words for what must not be seen.
static KEYS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)key|token|secret|passw|pass$|pass_|pwd|cred|auth|private|cookie|session|AKIA|sk[_-]|gh[opsu]_|xox[abp]|glpat|AIza|BEGIN|dsn|database_url|^\^?(aws|openai|anthropic|github|gh|stripe|db|database)_?=?$")
        .ok()
});

/// Returns whether a text is a pattern for finding keys, or a name that keys have.
pub(super) fn names_keys(text: &str) -> bool {
    KEYS.as_ref().is_none_or(|it| it.is_match(text))
}

/// Returns whether the whole home is searched for the text of a key.
pub(super) fn searches_home(command: &Command, home: &str) -> bool {
    let searches = ["grep", "egrep", "fgrep", "rg", "ag", "ack", "ugrep"];
    if !searches.contains(&command.program.as_str()) {
        return false;
    }
    let is_recursive = ["-r", "-R", "--recursive"]
        .iter()
        .any(|it| command.has_flag(it))
        || ["rg", "ag", "ack"].contains(&command.program.as_str());
    let only_counts = ["-c", "-q", "--count", "--quiet"]
        .iter()
        .any(|it| command.has_flag(it));
    let mut operands = command.operands();
    let pattern = operands.next().is_some_and(|it| names_keys(&it.text));
    is_recursive && !only_counts && pattern && operands.any(|it| is_whole(&it.text, home))
}

/// Parts of names with which keys are searched for.
const NAMES_OF_KEYS: &[&str] = &[
    "credential",
    "id_rsa",
    "id_ed25519",
    "passw",
    "secret",
    "private_key",
    "privatekey",
    "api_key",
    "apikey",
];

/// Returns whether key files are searched for by name everywhere: `find ~ -name id_rsa`.
pub(super) fn finds_keys(command: &Command, home: &str) -> bool {
    let is_key = |text: &str| {
        let name = text.rsplit('/').next().unwrap_or("");
        secret_names::secret_kind(name, name.contains(['*', '?', '['])) == Some("secret")
            || NAMES_OF_KEYS
                .iter()
                .any(|it| name.to_lowercase().contains(it))
    };
    let args = command.words_after_program();
    match hookloop_shell::usual_name(&command.program) {
        "find" => {
            let tests = ["-name", "-iname", "-path", "-wholename"];
            let named = (0..args.len()).any(|at| {
                let before = at.checked_sub(1).map_or("", |it| args[it].text.as_str());
                let is_test = tests.contains(&args[at].text.as_str());
                let is_left_out = ["!", "-not"].contains(&before);
                let name = args.get(at + 1);
                is_test && !is_left_out && name.is_some_and(|it| is_key(&it.text))
            });
            let starts = args
                .iter()
                .take_while(|it| !it.text.starts_with(['-', '(', '!']));
            named
                && starts
                    .map(|it| it.text.as_str())
                    .any(|it| is_whole(it, home))
        }
        "fd" => {
            let mut operands = command.operands();
            operands.next().is_some_and(|it| is_key(&it.text))
                && operands.any(|it| is_whole(&it.text, home))
        }
        "locate" | "plocate" | "mdfind" => command.operands().any(|it| is_key(&it.text)),
        _ => false,
    }
}

/// Returns whether a tool searches everything for keys: by what they look like, or by their names.
pub(super) fn is_search_for_keys(pattern: &str, folder: &str, home: &str) -> bool {
    names_keys(pattern) && is_whole(folder, home)
}

/// Returns whether a folder is the home, or one with everything in it, or one of settings in the
/// home.
pub(super) fn is_whole(folder: &str, home: &str) -> bool {
    let hidden = |text: &str| {
        let below = ["~/", "$HOME/", "${HOME}/"]
            .iter()
            .find_map(|it| text.strip_prefix(it));
        let of_home = || {
            text.strip_prefix(home.trim_end_matches('/'))?
                .strip_prefix('/')
        };
        let below = below.or_else(|| of_home().filter(|_| !home.is_empty()));
        below.is_some_and(|it| it.starts_with('.') && !it.trim_end_matches('/').contains('/'))
    };
    let bare = folder.trim_end_matches('/');
    hidden(folder)
        || ["~", "$HOME", "${HOME}", "/home", "/root", "/etc", "/Users"].contains(&bare)
        || folder == "/"
        || !home.is_empty() && bare == home.trim_end_matches('/')
}

/// Returns whether the whole history of a repository is searched for keys: `git log -p -S sk_live`.
pub(super) fn searches_history(command: &Command, rest: &[Command]) -> bool {
    let revisions =
        |it: &Word| !it.known && it.text.contains("rev-list") && it.text.contains("--all");
    match command.name().as_str() {
        "git log" => {
            let looked_for = command.values_of(&["-S", "-G"]);
            let shows = ["-p", "--patch", "-u"]
                .iter()
                .any(|it| command.has_flag(it));
            let of_all = command.has_flag("--all");
            let is_limited = command
                .words_after_program()
                .iter()
                .any(|it| it.text == "--");
            let names = |it: &str| {
                names_value(it) || of_all && names_keys(it) || !is_limited && is_word_for_key(it)
            };
            let filtered = || {
                rest.first().is_some_and(|it| {
                    ["grep", "egrep", "rg", "ag"].contains(&it.program.as_str())
                        && it.input != Input::Inherited
                        && it.operands().next().is_some_and(|it| names_keys(&it.text))
                })
            };
            shows && (looked_for.iter().any(|it| names(&it.text)) || of_all && filtered())
        }
        "git grep" => {
            let is_handed = command.through.iter().any(|it| it == "xargs");
            (is_handed || command.words_after_program().iter().any(revisions))
                && command
                    .words_after_program()
                    .iter()
                    .any(|it| it.known && names_keys(&it.text))
        }
        _ => false,
    }
}

/// Returns whether a pattern is written like the variables of `.env`, or like the keys in there:
/// `API_KEY`, `sk_live`.
fn names_value(pattern: &str) -> bool {
    let name = pattern.trim_matches(|it: char| "^=.*".contains(it));
    let is_variable = name.contains('_')
        && name
            .chars()
            .all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || it == '_');
    let keys = [
        "sk_live",
        "sk-",
        "AKIA",
        "ghp_",
        "xoxb",
        "BEGIN RSA",
        "PRIVATE KEY",
    ];
    is_variable && names_secret(name) || keys.iter().any(|it| pattern.contains(it))
}

/// Returns whether a pattern is nothing but a word for keys, as settings are called:
/// `password`, `api_key=`.
fn is_word_for_key(pattern: &str) -> bool {
    const WORDS: [&str; 16] = [
        "password",
        "passwords",
        "passwd",
        "passphrase",
        "secret",
        "secrets",
        "apikey",
        "api_key",
        "api-key",
        "access_key",
        "secret_key",
        "private_key",
        "access_token",
        "auth_token",
        "credential",
        "credentials",
    ];
    let word = pattern.trim_matches(|it: char| !it.is_alphanumeric());
    WORDS.iter().any(|it| word.eq_ignore_ascii_case(it))
}

/// Programs that show the text of a file.
const SHOWERS: &[&str] = &[
    "cat", "head", "tail", "less", "more", "bat", "batcat", "nl", "tac", "rev", "strings", "xxd",
    "od", "hexdump", "base64",
];

/// Returns whether a program shows every file that `find` or `fd` finds in a whole project or home,
/// hidden ones too: `find . -type f -exec head {} +`.
pub(super) fn shows_all_found(command: &Command, before: &[Command], home: &str) -> bool {
    if !SHOWERS.contains(&command.program.as_str()) {
        return false;
    }
    // Behind a search, this is what was found even in quotes: `sh -c 'cat "$1"' _ {}`.
    let is_all = |it: &Word| {
        let folder = it.text.strip_suffix("/*");
        folder.is_some_and(|it| ["", ".", "..", "$PWD"].contains(&it) || is_whole(it, home))
    };
    let shows_all = command.words_after_program().iter().any(is_all);
    let mut searches = before.iter().rev();
    shows_all && searches.find_map(finds_hidden).unwrap_or(false)
}

/// Returns whether a search finds hidden files, so that its conditions on names accept `.env`;
/// `None` for what isn't a search.
fn finds_hidden(search: &Command) -> Option<bool> {
    const NAMES: [&str; 6] = ["-name", "-iname", "-path", "-ipath", "-regex", "-iregex"];
    let args = search.words_after_program();
    let accepts = |at: usize| {
        let pattern = args.get(at + 1).map_or("", |it| it.text.as_str());
        let mut hidden = ["./.env", ".env"].iter();
        hidden.any(|it| hookloop_shell::matches(pattern, it))
    };
    let mut places = 0..args.len();
    let text = |at: &usize| args[*at].text.as_str();
    Some(match hookloop_shell::usual_name(&search.program) {
        "find" => places.filter(|at| NAMES.contains(&text(at))).all(|at| {
            let before = at.checked_sub(1).map_or("", |it| text(&it));
            accepts(at) != ["!", "-not"].contains(&before)
        }),
        "fd" => {
            let sees = ["-H", "--hidden", "-u", "--unrestricted"];
            let is_left_out = |at| ["-E", "--exclude"].contains(&text(&at)) && accepts(at);
            sees.iter().any(|it| search.has_flag(it)) && !places.any(is_left_out)
        }
        _ => return None,
    })
}

/// Returns whether a search goes through files that nobody should see, for everything or for keys.
pub(super) fn searches_everything(command: &Command) -> bool {
    let given = |flags: &[&str]| flags.iter().any(|it| command.has_flag(it));
    let args = command.words_after_program();
    let only_names = given(&[
        "-l",
        "-c",
        "-q",
        "-L",
        "--files-with-matches",
        "--count",
        "--files",
    ]);
    let leaves_out = args.iter().any(|it| {
        it.text.starts_with("--exclude")
            || it.text.starts_with("--include")
            || it.text.starts_with('!')
    }) || given(&["-g", "--glob", "-t", "--type"]);
    if only_names || leaves_out {
        return false;
    }
    let named = args.windows(2).find_map(|pair| {
        let is_pattern = ["-e", "--regexp"].contains(&pair[0].text.as_str());
        is_pattern.then_some(pair[1].text.as_str())
    });
    let mut operands = command.operands().map(|it| it.text.as_str());
    let pattern = named.or_else(|| operands.next());
    let Some(pattern) = pattern else {
        return false;
    };
    let is_all = ["", ".", ".*", "^", "=", "$", ".+", "\\w"].contains(&pattern);
    let mut is_placed = false;
    let everywhere = operands.all(|it| {
        is_placed = true;
        [".", "./", "*", "$PWD", "~", "/"].contains(&it)
    });
    if !everywhere {
        return false;
    }
    let many = |text: &str| args.iter().any(|it| it.text.starts_with(text));
    let hidden = given(&["--hidden", "-."]);
    match command.name().as_str() {
        "grep" | "egrep" | "fgrep" => {
            let is_key = is_placed && names_value(pattern);
            (is_all || is_key) && given(&["-r", "-R", "--recursive"])
        }
        "rg" | "ag" | "ugrep" => {
            let unrestricted = many("-uu") || hidden && (many("--no-ignore") || given(&["-u"]));
            let sees_hidden = match command.program.as_str() {
                "ugrep" => unrestricted || hidden,
                "ag" => hidden || given(&["-u", "--unrestricted"]),
                _ => unrestricted,
            };
            sees_hidden && (is_all || names_keys(pattern))
        }
        "git grep" => {
            given(&["--no-exclude-standard", "--no-index"]) && (is_all || names_keys(pattern))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use hookloop_shell::{Surroundings, understand};

    use crate::effects::{Places, effects_of};

    /// HT-40: who shows all files that are found in a project shows hidden ones too, unless a
    /// condition leaves them out; who looks through all changes for a word for keys shows keys.
    #[test]
    fn searches_of_everything_are_found() {
        let searches = |text: &str| {
            let places = Places {
                workspace: "/w".to_owned(),
                home: "/h".to_owned(),
                ..Places::default()
            };
            let around = Surroundings {
                folder: Some("/w"),
                home: Some("/h"),
                ..Surroundings::default()
            };
            let effects = effects_of(&understand(text, around), &places);
            effects.iter().any(|it| it.name == "env.searched")
        };
        for text in [
            "find . -type f -exec head {} \\;",
            "find -type f -print0 | xargs -0 strings",
            "find . -name '*' -exec cat {} +",
            "find . -type f ! -name '*.png' -not -path './.git/*' -exec cat {} +",
            "find ~ -type f -exec tail {} +",
            "for f in $(find . -type f); do cat $f; done",
            "find . -type f -exec sh -c 'head \"$1\"' _ {} \\;",
            "fd -H -t f -x cat",
            "fdfind --hidden . -X strings",
            "git log -p -S password",
            "git log --patch -G 'api_key='",
            "git log -u -S SECRET",
        ] {
            assert!(searches(text), "{text}");
        }
        for text in [
            "find . -type f -exec wc -l {} +",
            "find . -type f | head",
            "fd -t f -x cat",
            "fd -H -E '.env*' -x cat",
            "fd -H -e rs -x cat",
            "find src -type f -exec cat {} +",
            "find . -path './src/*' -exec cat {} +",
            "find . -type f -not -path '*/.*' -exec cat {} +",
            "find . -type f ! -name '.env*' -exec cat {} +",
            "find . -name '*.rs' -exec cat {} +",
            "git log -S password",
            "git log -p -S passwordField",
            "git log -p -S token",
            "git log -p -S secret -- src",
        ] {
            assert!(!searches(text), "{text}");
        }
    }
}
