//! What shows the whole environment, or searches everything for keys: secrets may be among it.

use std::sync::LazyLock;

use hookloop_shell::{Command, Input, Place, Understood};
use regex::Regex;

use super::{Effect, note};

/// Program text that prints all variables.
static PRINTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)\bp?print\w*\(\s*(?:dict\(|str\(|repr\(|json\.dumps\((?:dict\()?)?os\.environ(?:\.copy\(\)|\.items\(\)|\.values\(\))?\s*[,)]
        |\bin\s+os\.environ\.(?:items|values)\(\)
        |\b(?:console\.\w+|JSON\.stringify|inspect|Object\.(?:entries|values))\(\s*(?:process\.env|Deno\.env\.toObject\(\)|Bun\.env)\s*[,)]
        |\b(?:p|pp|puts|print)\s*\(?\s*ENV(?:\.to_h|\.to_a|\.inspect)?\s*(?:\)|;|$)|\bENV\.(?:each|map|sort)\b
        |\bprint\w*\s+%ENV\b|\$ENV\{\s*\$
        |\b(?:print_r|var_dump|var_export|json_encode)\s*\(\s*(?:\$_ENV|\$_SERVER|getenv\(\s*\))|\bphpinfo\s*\(
        |\bin\s+ENVIRON\b",
    )
    .ok()
});

/// Words for what nobody may see.
static KEYS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)key|token|secret|passw|pwd|cred|auth|private|cookie|session|AKIA|sk[_-]|ghp_|BEGIN|dsn|database_url")
        .ok()
});

fn names_keys(text: &str) -> bool {
    KEYS.as_ref().is_none_or(|it| it.is_match(text))
}

/// Finds what shows everything there is.
pub(super) fn shown(understood: &Understood, effects: &mut Vec<Effect>) {
    let starts_empty = understood.commands.iter().any(|it| {
        it.program == "env" && (it.has_flag("-i") || it.args().iter().any(|it| it.text == "-"))
    });
    for (at, command) in understood.commands.iter().enumerate() {
        if command.place != Place::Here {
            continue;
        }
        let rest = understood.commands.get(at + 1..).unwrap_or_default();
        if !starts_empty && prints_environment(command) && !is_narrowed(command, rest) {
            note(effects, "environment", command, "");
        }
        if searches_everything(command) {
            note(effects, "env.searched", command, "");
        }
        let is_for_login = rest.first().is_some_and(|it| {
            it.input != Input::Inherited && it.args().iter().any(|it| it.text == "login")
        });
        if command.program == "aws"
            && command
                .args()
                .iter()
                .any(|it| it.text == "get-login-password")
            && !is_for_login
        {
            note(effects, "secret.read", command, "");
        }
    }
}

fn prints_environment(command: &Command) -> bool {
    let args = command.args();
    let has_none = command.operands().next().is_none();
    let whole = |it: &str| ["env", "$ENV", "env|.", "$ENV|."].contains(&it);
    let by_name = match command.program.as_str() {
        "env" => args
            .iter()
            .all(|it| ["-0", "--null"].contains(&it.text.as_str()) || it.text.contains('=')),
        "printenv" => has_none && !command.has_flag("--version") && !command.has_flag("--help"),
        "export" => has_none && args.iter().all(|it| it.text == "-p"),
        "declare" | "typeset" => {
            has_none
                && args
                    .iter()
                    .all(|it| ["-x", "-p", "-xp", "-px"].contains(&it.text.as_str()))
        }
        "set" => args.is_empty(),
        "jq" => command.has_flag("-n") && args.iter().any(|it| whole(&it.text)),
        "gci" | "Get-ChildItem" | "dir" | "ls" | "Get-Item" => args
            .iter()
            .any(|it| it.text.to_lowercase().trim_end_matches(['\\', '*']) == "env:"),
        _ => false,
    };
    // Whoever only sets something prints nothing.
    let is_command = !command.words.is_empty();
    let by_code = command.code.as_deref().is_some_and(|code| {
        let is_printed = command.has_flag("-p") || command.has_flag("--print");
        let is_whole = code.trim().trim_end_matches(';') == "process.env";
        is_printed && is_whole && ["node", "bun"].contains(&command.program.as_str())
            || PRINTS.as_ref().is_none_or(|it| it.is_match(code))
                && !["git", "grep", "rg", "echo", "printf", "gh", "sed"]
                    .contains(&command.program.as_str())
    });
    is_command && by_name || by_code
}

/// Tells whether only names or a few plain variables of it are seen.
fn is_narrowed(command: &Command, rest: &[Command]) -> bool {
    if command
        .redirects
        .iter()
        .any(|it| it.takes_output && it.target.text == "/dev/null")
    {
        return true;
    }
    rest.iter()
        .take_while(|it| it.input != Input::Inherited)
        .take(5)
        .any(|consumer| {
            let has = |texts: &[&str]| {
                let mut words = consumer.args().iter();
                words.any(|it| texts.iter().any(|text| it.text.contains(text)))
            };
            let is = |texts: &[&str]| {
                consumer
                    .args()
                    .iter()
                    .any(|it| texts.contains(&it.text.as_str()))
            };
            match consumer.program.as_str() {
                "wc" => true,
                "cut" => is(&["-f1", "1"]) && is(&["-d=", "="]),
                "awk" | "gawk" => has(&["$1"]) && !has(&["$2", "$0", "$NF"]),
                "sed" => has(&["s/=.*//", "s/=.*$//"]),
                "grep" | "egrep" | "fgrep" | "rg" => {
                    let counts = ["-c", "-q", "--count", "--quiet"]
                        .iter()
                        .any(|it| consumer.has_flag(it));
                    let plain = consumer.operands().next().is_some_and(|it| {
                        let letters = it.text.chars().filter(|it| it.is_alphanumeric());
                        letters.count() > 1 && !names_keys(&it.text)
                    });
                    counts || plain && !consumer.has_flag("-v")
                }
                _ => false,
            }
        })
}

/// Tells whether a search goes through files that nobody should see, for all there is or for keys.
fn searches_everything(command: &Command) -> bool {
    let given = |flags: &[&str]| flags.iter().any(|it| command.has_flag(it));
    let args = command.args();
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
    let everywhere = operands.all(|it| [".", "./", "*", "$PWD", "~", "/"].contains(&it));
    if !everywhere {
        return false;
    }
    let many = |text: &str| args.iter().any(|it| it.text.starts_with(text));
    let hidden = given(&["--hidden", "-."]);
    match command.name().as_str() {
        "grep" | "egrep" | "fgrep" => is_all && given(&["-r", "-R", "--recursive"]),
        "rg" | "ag" | "ugrep" => {
            let unrestricted = many("-uu") || hidden && (many("--no-ignore") || given(&["-u"]));
            let sees_hidden = unrestricted || command.program == "ugrep" && hidden;
            sees_hidden && (is_all || names_keys(pattern))
        }
        "git grep" => {
            given(&["--no-exclude-standard", "--no-index"]) && (is_all || names_keys(pattern))
        }
        _ => false,
    }
}
