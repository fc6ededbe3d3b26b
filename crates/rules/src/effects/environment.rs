//! What prints the whole environment, or searches everything for keys, and so may show secrets.

use std::sync::LazyLock;

use hookloop_shell::{Command, Input, Place, RedirectKind, Understood, Word};
use regex::Regex;

use super::searched::{
    finds_keys, names_keys, searches_everything, searches_history, searches_home, shows_all_found,
};
use super::secret_code::COMPILES;
use super::{Effect, note, secret_names};
use crate::secrets::names_secret;

/// Program text that prints all variables.
static PRINTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)\bp?print\w*\(\s*(?:(?:dict|str|repr|\w+\.\w+)\(\s*){0,3}\w+\.environ(?:\.copy\(\)|\.items\(\)|\.values\(\))?\s*[,)]
        |\bin\s+(?:sorted\(\s*|list\(\s*)?os\.environ\.(?:items|values|copy)\(\)
        |\b(?:console\.\w+|JSON\.stringify|inspect|Object\.(?:entries|values))\(\s*(?:process\.env|Deno\.env\.toObject\(\)|Bun\.env)\s*[,)]
        |\b(?:p|pp|puts|print)\s*\(?\s*(?:\w+\.\w+\(\s*)?ENV(?:\.(?:to_h|to_a|to_s|to_json|inspect|sort))*\s*(?:\)|;|$)|\bENV\.(?:each|map|sort)\b
        |\bprint\w*\s+%ENV\b|\$ENV\{\s*\$
        |\b(?:print_r|var_dump|var_export|json_encode)\s*\(\s*(?:\$_ENV|\$_SERVER|getenv\(\s*\))|\bphpinfo\s*\(
        |\bin\s+ENVIRON\b
        |\b(?:dump|dd|var_dump)\(\s*\\?\$_(?:ENV|SERVER)\b
        |\bPrint\w*\([^)]*\bos\.Environ\(\)|\brange\s+os\.Environ\(\)
        |\bSystem\.getenv\(\)(?:\s*\)|\.(?:each|forEach|entrySet))
        |\bGetEnvironmentVariables\(|(?i:\b(?:gci|dir|ls|Get-ChildItem|Get-Item)\s+env:[/\\]?\*?\s*(?:$|[|;]))
        |\bin\s+ENV\s+print|\bos:getenv\(\)|\(System/getenv\)|%\*ENV\b|\bparray\s+env\b|^\s*\$env\s*(?:\||$)|^\s*set\s+-x\s*$
        |\bin\s+os\.environ(?:\.keys\(\))?\s*:[\s\S]*\bos\.environ\[|\bin\s+process\.env\b[\s\S]*\bprocess\.env\[|\bObject\.keys\(process\.env\)[\s\S]*\bprocess\.env\[
        |\bDumper\s*\(?\s*\\?%ENV|\bwrite\w*\(\s*(?:str|repr|json\.dumps)\(\s*(?:dict\()?os\.environ|\bSystem\.getenv\(\)\s*;?\s*$
        |\bfrom\s+os\s+import\s+environ\b[\s\S]*\bprint\w*\(\s*(?:dict\()?environ\b
        |\bimport\s+environ\s+as\s+\w+[\s\S]*\bprint\w*\(\s*(?:(?:dict|str|repr|list|\w+\.\w+)\(\s*){0,3}\w+(?:\.copy\(\)|\.items\(\)|\.values\(\))?\s*\)
        |\benviron\s+as\s+\w+[\s\S]*\bin\s+(?:sorted\(\s*|list\(\s*)?\w+\.(?:items|values|copy)\(\)
        |\bEnv\.to_h\b|\bSystem\.get_env\(\)|\bstd::env::vars\(\)|\bSys\.getenv\(\)|\bENV\.each",
    )
    .ok()
});

/// Finds commands that show everything there is.
pub(super) fn note_dumps(understood: &Understood, home: &str, effects: &mut Vec<Effect>) {
    let starts_empty = understood.commands.iter().any(|it| {
        it.program == "env"
            && (it.has_flag("-i") || it.words_after_program().iter().any(|it| it.text == "-"))
    });
    for (at, command) in understood.commands.iter().enumerate() {
        let rest = understood.commands.get(at + 1..).unwrap_or_default();
        if shows_settings(command, rest) {
            note(effects, "environment", command, "");
        }
        let is_here = command.place == Place::Here;
        let before = understood.commands.get(..at).unwrap_or_default();
        if !is_here && !is_entered(command, before) {
            continue;
        }
        if !starts_empty && prints_environment(command) && !is_narrowed(command, rest) {
            note(effects, "environment", command, "");
        }
        if shows_variable(command, rest) || is_here && shows_remembered(command, rest) {
            note(effects, "environment", command, "");
        }
        if !is_here {
            continue;
        }
        if searches_everything(command)
            || searches_home(command, home)
            || finds_keys(command, home)
            || searches_history(command, rest)
            || shows_all_found(command, before, home)
        {
            note(effects, "env.searched", command, "");
        }
        let is_for_login = rest.first().is_some_and(|it| {
            it.input != Input::Inherited
                && it.words_after_program().iter().any(|it| it.text == "login")
        });
        if command.program == "aws"
            && command
                .words_after_program()
                .iter()
                .any(|it| it.text == "get-login-password")
            && !is_for_login
        {
            note(effects, "secret.read", command, "");
        }
    }
}

/// Returns whether a command runs in what was there before: on another machine, or in a container
/// that a program enters.
pub(super) fn is_entered(command: &Command, before: &[Command]) -> bool {
    let through = |it: &str| command.through.iter().any(|program| program == it);
    let containers = ["docker", "podman", "nerdctl", "docker-compose"];
    let enters = || {
        let is_one = |it: &&Command| containers.contains(&it.program.as_str());
        let starter = before.iter().rev().find(is_one);
        starter.is_some_and(|it| {
            it.words_after_program()
                .iter()
                .take(6)
                .any(|it| it.text == "exec")
        })
    };
    command.place == Place::Remote || through("kubectl") || through("oc") || enters()
}

/// Inspected objects that have no variables.
const OTHER_THINGS: [&str; 5] = ["network", "networks", "volume", "volumes", "node"];

/// Subcommands that print all settings.
const WRITES_OUT: [&str; 5] = ["describe", "build", "kustomize", "template", "get"];

/// Returns whether a container's configuration with its variables is shown, or all outputs of an
/// infrastructure.
fn shows_settings(command: &Command, rest: &[Command]) -> bool {
    let verbs = command
        .subcommand
        .as_deref()
        .unwrap_or("")
        .split_whitespace();
    let operands = command.operands().map(|it| it.text.as_str());
    let words: Vec<&str> = verbs.chain(operands).take(3).collect();
    let has = |options: &[&str]| options.iter().any(|it| command.has_flag(it));
    let is_whole = match command.program.as_str() {
        "docker" | "podman" | "nerdctl" | "crictl" => match words.as_slice() {
            ["inspect", what, ..] if OTHER_THINGS.contains(what) => false,
            ["inspect", _, ..] | ["container" | "image" | "service" | "pod", "inspect", _] => {
                shows_all_of_it(command)
            }
            ["history", ..] | ["image", "history", ..] => {
                has(&["--no-trunc"]) && !has(&["-q", "--quiet"])
            }
            _ => false,
        },
        // Variables and keys that are written literally in settings.
        "kubectl" | "oc" | "k" | "kustomize" | "helm"
            if words.first().is_some_and(|it| WRITES_OUT.contains(it)) =>
        {
            return rest.first().is_some_and(|it| {
                let searches = ["grep", "egrep", "rg"].contains(&it.program.as_str());
                let mut words = it.operands();
                searches && it.input != Input::Inherited && words.any(|it| names_keys(&it.text))
            });
        }
        // Files listed by such a name may be read later: `gci -Filter '.env*' | % { gc $_ }`.
        "Get-ChildItem" | "gci" | "dir" | "ls" => {
            let filters = ["-filter", "-include", "-path"];
            let named = command.words_after_program().windows(2).any(|pair| {
                let name = pair[1].text.as_str();
                filters.contains(&pair[0].text.to_lowercase().as_str())
                    && secret_names::secret_kind(name, name.contains('*')).is_some()
            });
            let reads = ["gc", "Get-Content", "cat", "type"];
            let is_read =
                |it: &Command| it.words.iter().any(|it| reads.contains(&it.text.as_str()));
            return named && rest.iter().take(4).any(is_read);
        }
        "terraform" | "tofu" | "terragrunt" | "pulumi" => {
            let is_json = has(&["-json", "--json"]);
            is_json
                && ["output", "stack"].contains(&words.first().copied().unwrap_or(""))
                && words.len() == 1
        }
        _ => false,
    };
    let is_kept = command.redirects.iter().any(|it| it.takes_output);
    is_whole && !is_kept && rest.first().is_none_or(|it| !picks_other(it))
}

/// Returns whether the output template for a container includes its variables, if there is a
/// template.
fn shows_all_of_it(command: &Command) -> bool {
    let template = command.words_after_program().windows(2).find_map(|pair| {
        let is_one = ["-f", "--format"].contains(&pair[0].text.as_str());
        is_one.then_some(pair[1].text.as_str())
    });
    let attached = || {
        let mut words = command.words_after_program().iter();
        words.find_map(|it| {
            it.text
                .strip_prefix("--format=")
                .or(it.text.strip_prefix("-f="))
        })
    };
    template.or_else(attached).is_none_or(|it| {
        let inner = it.trim_matches(['{', '}', ' ']);
        it.contains("Env") || ["json", "json .", ".", "json .Config", ".Config"].contains(&inner)
    })
}

/// Returns whether a program extracts one thing from its input, and nothing that contains secrets.
fn picks_other(consumer: &Command) -> bool {
    let names = |text: &str| text.contains("Env") || names_keys(text);
    let picks = match consumer.program.as_str() {
        "grep" | "egrep" | "rg" | "wc" => true,
        "jq" => consumer.operands().next().is_some_and(|it| {
            let letters = it.text.chars().filter(char::is_ascii_alphabetic);
            letters.count() > 2
        }),
        _ => false,
    };
    let is_handed = consumer.input != Input::Inherited;
    is_handed && picks && !consumer.operands().any(|it| names(&it.text))
}

fn prints_environment(command: &Command) -> bool {
    let args = command.words_after_program();
    let has_none = command.operands().next().is_none();
    let whole = |it: &str| {
        let one = it.strip_prefix("env.").or(it.strip_prefix("$ENV."));
        ["env", "$ENV", "env|.", "$ENV|."].contains(&it) || one.is_some_and(holds_secret)
    };
    let by_name = match command.program.as_str() {
        "env" => {
            let mut is_value = false;
            args.iter().all(|it| {
                let is_name = std::mem::replace(&mut is_value, it.text == "-u");
                is_name
                    || ["-0", "--null", "-u"].contains(&it.text.as_str())
                    || it.text.contains('=')
            })
        }
        "printenv" => has_none && !command.has_flag("--version") && !command.has_flag("--help"),
        "export" => has_none && args.iter().all(|it| it.text == "-p"),
        "declare" | "typeset" => {
            has_none
                && args
                    .iter()
                    .all(|it| ["-x", "-p", "-xp", "-px"].contains(&it.text.as_str()))
        }
        "set" => args.is_empty(),
        "compgen" => {
            has_none && (command.has_flag("-e") || command.has_flag("-v"))
                || args
                    .iter()
                    .any(|it| ["variable", "export"].contains(&it.text.as_str()))
        }
        "php" => has_none && (command.has_flag("-i") || command.has_flag("--info")),
        "systemctl" => args.iter().any(|it| it.text == "show-environment"),
        "launchctl" => args.first().is_some_and(|it| it.text == "export"),
        "jq" => command.has_flag("-n") && args.iter().any(|it| whole(&it.text)),
        "gci" | "Get-ChildItem" | "dir" | "ls" | "Get-Item" => args
            .iter()
            .any(|it| it.text.to_lowercase().trim_end_matches(['\\', '*']) == "env:"),
        _ => false,
    };
    // A command that only sets something prints nothing.
    let is_command = !command.words.is_empty();
    let given = match &command.input {
        Input::Text(text) if COMPILES.contains(&command.program.as_str()) => Some(text.as_str()),
        _ => None,
    };
    let by_code = command.code.as_deref().or(given).is_some_and(|code| {
        let is_printed = command.has_flag("-p") || command.has_flag("--print");
        let is_whole = code.trim().trim_end_matches(';') == "process.env";
        is_printed && is_whole && ["node", "bun"].contains(&command.program.as_str())
            || prints_secret(code, is_printed)
            || PRINTS.as_ref().is_none_or(|it| it.is_match(code))
                && !["git", "grep", "rg", "echo", "printf", "gh", "sed"]
                    .contains(&command.program.as_str())
    });
    is_command && by_name || by_code
}

/// Returns whether program text prints a variable whose name indicates a secret, and not only
/// whether it is set.
fn prints_secret(code: &str, is_printed: bool) -> bool {
    static PRINTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r#"(?x)(\b(?:print\w*|p|pp|puts|echo|say|log|error|info|write|dump|dd)\b[^;\n]*)?
            \b(?:process\.env|Bun\.env|(?:\bos|__import__\(["']os["']\)|\brequire\(["'](?:node:)?process["']\))\.env(?:iron)?|getenv|ENV|_ENV|_SERVER|ENVIRON|Deno\.env\.get|environ\.get|os\.Getenv)
            (?:\.get)?\s*[.\[({]\s*["']?(\w+)"#,
        )
        .ok()
    });
    static ASKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"!!|\b(?:bool|Boolean|len|isset|empty|typeof|defined|unset)\b|\.length|\sif\s|\?\s*\S|\bis\s+(?:not\s+)?None|[!=]==?|\bin\s|\bdelete\b|nil\?|key\?",
        )
        .ok()
    });
    let Some(printed) = PRINTED.as_ref() else {
        return true;
    };
    printed.captures_iter(code).any(|it| {
        let is_shown = it.get(1).is_some() || is_printed;
        is_shown && it.get(2).is_some_and(|it| holds_secret(it.as_str()))
    }) && !ASKS.as_ref().is_some_and(|it| it.is_match(code))
}

/// Returns whether the name of a variable says that a password is in it, also as part of an
/// address.
fn holds_secret(name: &str) -> bool {
    const ADDRESSES: &[&str] = &[
        "DATABASE_URL",
        "DB_URL",
        "DB_URI",
        "POSTGRES_URL",
        "MYSQL_URL",
        "REDIS_URL",
        "MONGO_URL",
        "MONGO_URI",
        "MONGODB_URI",
        "AMQP_URL",
        "BROKER_URL",
        "CONNECTION_STRING",
        "APP_KEY",
        "_DSN",
    ];
    // That is the folder, not a password.
    if ["PWD", "OLDPWD"].contains(&name) {
        return false;
    }
    // Keys of vendors: `STRIPE_KEY`.
    let others = [
        "PUBLIC",
        "CACHE",
        "SORT",
        "PRIMARY",
        "PARTITION",
        "REGISTRY",
        "FOREIGN",
        "HOT",
    ];
    let is_key = name.ends_with("_KEY") && !others.iter().any(|it| name.contains(it));
    is_key || names_secret(name) || ADDRESSES.iter().any(|it| name.ends_with(it))
}

/// Returns whether only names or a few plain variables of it are seen.
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
                let mut words = consumer.words_after_program().iter();
                words.any(|it| texts.iter().any(|text| it.text.contains(text)))
            };
            let is = |texts: &[&str]| {
                consumer
                    .words_after_program()
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

/// Programs that show their input.
const SHOWS: &[&str] = &[
    "cat", "head", "tail", "base64", "xxd", "od", "hexdump", "rev", "tee", "cut", "sed", "awk",
    "fold", "tr", "less", "more", "strings", "jq",
];

/// Returns whether a variable is shown whose name indicates a secret.
fn shows_variable(command: &Command, rest: &[Command]) -> bool {
    static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"\$(?:\{!?([A-Za-z_]\w*)(:?[-=?]|[:%/^,@\[]|#[^}]|\})|([A-Za-z_]\w*))").ok()
    });
    let names = |text: &str| {
        NAMED.as_ref().is_none_or(|named| {
            named.captures_iter(text).any(|it| {
                let name = it.get(1).or(it.get(3)).map_or("", |it| it.as_str());
                holds_secret(name) && it.get(2).is_none_or(|it| it.as_str() != ":+")
            })
        })
    };
    let mut words = command.words_after_program().iter();
    let stands = |it: &Word| it.instead_of.iter().any(|name| holds_secret(name));
    let of_cmd = |it: &str| {
        let mut parts = it.split('%').skip(1).step_by(2);
        it.matches('%').count() > 1 && parts.any(holds_secret)
    };
    let is_named = match command.program.as_str() {
        "echo" | "printf" | "print" | "logger" | "wall" | "say" | "notify-send" => {
            words.any(|it| !it.known && names(&it.text) || stands(it) || of_cmd(&it.text))
        }
        // It inserts values into its input, and prints the result.
        "envsubst" => matches!(&command.input, Input::Text(text) if names(text)),
        "printenv" => words.any(|it| holds_secret(&it.text)),
        shows
            if SHOWS.contains(&shows)
                && (shows == "tee" || command.operands().next().is_none()) =>
        {
            let mut texts = command.redirects.iter();
            texts.any(|it| {
                it.kind == RedirectKind::Text && !it.target.known && names(&it.target.text)
            })
        }
        "declare" | "typeset" if command.has_flag("-p") => words.any(|it| names_secret(&it.text)),
        _ => false,
    };
    let is_kept = command.redirects.iter().any(|it| it.takes_output);
    let handed_to = rest.first().filter(|it| it.input != Input::Inherited);
    let is_shown = handed_to.is_none_or(|it| SHOWS.contains(&it.program.as_str()));
    is_named && !is_kept && is_shown
}

/// Returns whether earlier commands are searched for keys.
fn shows_remembered(command: &Command, rest: &[Command]) -> bool {
    let is_history = ["history", "fc"].contains(&command.program.as_str());
    is_history
        && rest.first().is_some_and(|it| {
            let searches = ["grep", "egrep", "rg", "awk", "ag"].contains(&it.program.as_str());
            let mut words = it.operands();
            it.input != Input::Inherited
                && searches
                && words.any(|it| names_keys(&it.text) || it.text.contains("export"))
        })
}
