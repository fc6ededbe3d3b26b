//! Programs that start others when files change, several in parallel, or in a separate environment.

use super::{Unwrapped, after_option, after_options};
use crate::base64::decode_base64;
use crate::simple::join_fields;
use crate::understood::{Assignment, Place, Word};

/// Runners, and the word after which the program follows.
const VERBS: &[(&str, &str)] = &[
    ("foreman", "run"),
    ("honcho", "run"),
    ("forego", "run"),
    ("nf", "run"),
    ("heroku", "local:run"),
    ("mr", "run"),
    ("pixi", "run"),
    ("devbox", "run"),
    ("devcontainer", "exec"),
    ("ddev", "exec"),
    ("tox", "exec"),
    ("lerna", "exec"),
    ("nx", "exec"),
    ("guix", "shell"),
    ("symfony", "run"),
    ("spring", "rails"),
    ("spring", "rake"),
];

/// Those of their options that have a value.
const WITH_VALUE: &[&str] = &[
    "-f",
    "--file",
    "-e",
    "--env",
    "--environment",
    "--environments",
    "-r",
    "--rc-file",
    "-s",
    "--service",
    "-d",
    "--dir",
    "-w",
    "--watch",
    "-i",
    "--ignore",
    "--exts",
    "--filter",
    "--signal",
    "--debounce",
    "--scope",
    "--concurrency",
    "--workspace-folder",
    "--config",
    "-p",
    "--port",
];

/// Reads `powershell -EncodedCommand BASE64`, whose option may be abbreviated: the text has two
/// bytes for each letter.
fn encoded(program: &str, words: &[Word]) -> Option<Unwrapped> {
    let is_option = |it: &Word| {
        let letters = it.text.strip_prefix(['-', '/']).unwrap_or_default();
        let letters = letters.to_ascii_lowercase();
        letters == "ec" || !letters.is_empty() && "encodedcommand".starts_with(&letters)
    };
    let at = words.iter().position(is_option)?;
    let text = decode_base64(&words.get(at + 1)?.text)?.replace('\0', "");
    let name = program.trim_end_matches(".exe");
    command(&[name, "-Command", &text].map(Word::plain))
}

/// Finds what a runner starts, if a program is one.
pub(super) fn started_by(program: &str, words: &[Word]) -> Option<Unwrapped> {
    match program {
        "concurrently" => return Some(concurrently(words)),
        "cross-env" | "cross-env-shell" => return cross_env(words),
        "env-cmd" | "watchexec" => return command(skip_options(words)?),
        "onchange" | "reflex" => return command(after_dashes(words)?),
        "nodemon" => return after_option(words, &["-x", "--exec"]),
        "tsc-watch" => return after_option(words, &["--onSuccess", "--onFirstSuccess"]),
        "chokidar" | "just" => return after_option(words, &["-c", "--command"]),
        "air" => return after_option(words, &["--build.cmd", "--build.bin"]),
        "start-server-and-test" | "start-test" | "pm2" => return Some(sentences(words)),
        "cargo-watch" => return after_option(words, &["-s", "--shell"]),
        "pwsh" | "powershell" | "pwsh.exe" | "powershell.exe" => return encoded(program, words),
        "bwrap" => return command(confined(words)?),
        "sail" => return command(&php(words, "artisan")),
        "fly" | "flyctl" if words.first().is_some_and(|it| it.text == "ssh") => {
            let inner = after_option(words, &["-C", "--command"])?;
            return Some(Unwrapped {
                place: Some(Place::Remote),
                ..inner
            });
        }
        "rsh" | "rexec" | "slogin" | "dbclient" | "plink" => return remote(words, 1),
        "pdsh" | "clush" | "pssh" | "parallel-ssh" | "dsh" | "mussh" => {
            return remote(words, 0);
        }
        "fab" => return remote_command(after_dashes(words)?),
        "heroku" if words.first().is_some_and(|it| it.text == "run") => {
            let valued = [
                "-a", "--app", "-s", "--size", "-r", "--remote", "-e", "--env",
            ];
            return remote_command(
                after_dashes(words).or_else(|| after_options(&words[1..], &valued))?,
            );
        }
        "distrobox" if words.first().is_some_and(|it| it.text == "enter") => {
            return command(after_dashes(words).or_else(|| after_separator(words, "-e"))?);
        }
        "toolbox" if words.first().is_some_and(|it| it.text == "run") => {
            let valued = ["-c", "--container", "-d", "--distro", "-r", "--release"];
            return command(after_options(&words[1..], &valued)?);
        }
        _ => {}
    }
    let verb = words.first()?.text.as_str();
    match (program, verb) {
        ("cargo", "watch") => after_option(words, &["-s", "--shell"]),
        // The search term precedes the command.
        ("knife" | "tsh", "ssh") => remote(&words[1..], 1),
        ("repo", "forall") | ("lando", "ssh") => after_option(words, &["-c", "--command"]),
        ("symfony", "console") => command(&php(words, "bin/console")),
        ("spring", "rails" | "rake") => command(words),
        _ => {
            VERBS.iter().find(|it| **it == (program, verb))?;
            command(skip_options(&words[1..])?)
        }
    }
}

/// Reads the command that runs on other machines, after this many operands that name them.
fn remote(words: &[Word], machines: usize) -> Option<Unwrapped> {
    const WITH_VALUE: &[&str] = &[
        "-w", "-x", "-l", "-h", "-H", "-g", "-G", "-p", "-P", "-t", "-o", "-e", "-O", "-R", "-f",
        "-m", "-u", "-M", "-X", "-i", "-pw", "--user", "--host", "--hosts", "--login",
    ];
    // For programs that take a list of machines as an option, `-i` has no value.
    let valued: Vec<&str> = WITH_VALUE
        .iter()
        .copied()
        .filter(|it| machines > 0 || *it != "-i")
        .collect();
    let mut rest = after_options(words, &valued)?;
    for _ in 0..machines {
        rest = after_options(rest.get(1..)?, &valued)?;
    }
    remote_command(rest)
}

/// Reads a command that a shell on another machine runs.
fn remote_command(words: &[Word]) -> Option<Unwrapped> {
    (!words.is_empty()).then(|| Unwrapped {
        texts: vec![join_fields(words.to_vec())],
        place: Some(Place::Remote),
        ..Unwrapped::default()
    })
}

fn after_separator<'w>(words: &'w [Word], separator: &str) -> Option<&'w [Word]> {
    let at = words.iter().position(|it| it.text == separator)?;
    words.get(at + 1..)
}

fn after_dashes(words: &[Word]) -> Option<&[Word]> {
    after_separator(words, "--")
}

fn skip_options(words: &[Word]) -> Option<&[Word]> {
    after_dashes(words).or_else(|| after_options(words, WITH_VALUE))
}

/// A single word with blanks is a text, more are a command.
fn command(words: &[Word]) -> Option<Unwrapped> {
    let (first, rest) = words.split_first()?;
    let mut unwrapped = Unwrapped::default();
    if rest.is_empty() && first.text.contains(' ') {
        unwrapped.texts.push(join_fields(words.to_vec()));
    } else {
        unwrapped.commands.push(words.to_vec());
    }
    Some(unwrapped)
}

/// Reads `cross-env A=1 B=2 x`.
fn cross_env(words: &[Word]) -> Option<Unwrapped> {
    let assigned = |it: &&Word| it.text.contains('=') && !it.text.contains(' ');
    let count = words.iter().take_while(assigned).count();
    let mut unwrapped = command(words.get(count..)?)?;
    let pairs = words[..count].iter();
    unwrapped.env = pairs
        .filter_map(|it| {
            let (name, value) = it.text.split_once('=')?;
            let name = name.to_owned();
            let value = Word {
                text: value.to_owned(),
                ..it.clone()
            };
            Some(Assignment { name, value })
        })
        .collect();
    Some(unwrapped)
}

/// A single word with blanks is a text: `pm2 start "node a.js"`.
fn sentences(words: &[Word]) -> Unwrapped {
    let texts = words.iter().filter(|it| it.text.contains(' ')).cloned();
    Unwrapped {
        texts: texts.collect(),
        ..Unwrapped::default()
    }
}

/// Reads `bwrap --bind / / --chdir a x`.
fn confined(words: &[Word]) -> Option<&[Word]> {
    const ALONE: &[&str] = &[
        "--die-with-parent",
        "--new-session",
        "--as-pid-1",
        "--clearenv",
    ];
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        let takes = match text {
            "--" => return words.get(at + 1..),
            _ if !text.starts_with('-') => break,
            _ if ALONE.contains(&text) => 0,
            _ if text.starts_with("--unshare") || text.starts_with("--share") => 0,
            _ if text.contains("bind") || ["--symlink", "--setenv", "--file"].contains(&text) => 2,
            _ => 1,
        };
        at += 1 + takes;
    }
    words.get(at..)
}

/// Expands what a PHP runner calls by a short name: `sail artisan migrate`.
fn php(words: &[Word], script: &str) -> Vec<Word> {
    let is_own = words
        .first()
        .is_some_and(|it| script.ends_with(it.text.as_str()));
    if !is_own {
        return words.to_vec();
    }
    let mut meant = vec![Word::plain("php"), Word::plain(script)];
    meant.extend_from_slice(&words[1..]);
    meant
}

/// Reads `concurrently -n a,b "npm start" "rm x"`: each operand is a separate text.
fn concurrently(words: &[Word]) -> Unwrapped {
    const WITH_VALUE: &[&str] = &[
        "-n",
        "--names",
        "-c",
        "--prefix-colors",
        "-p",
        "--prefix",
        "-l",
        "--prefix-length",
        "-t",
        "--timestamp-format",
        "-m",
        "--max-processes",
        "-s",
        "--success",
        "--restart-tries",
        "--restart-after",
        "--hide",
        "--name-separator",
        "--default-input-target",
        "--cwd",
    ];
    let mut texts = Vec::new();
    let mut is_value = false;
    for word in words {
        let text = word.text.as_str();
        if !is_value && !text.starts_with('-') {
            texts.extend(expand_name(word));
        }
        is_value = !is_value && WITH_VALUE.contains(&text);
    }
    Unwrapped {
        texts,
        ..Unwrapped::default()
    }
}

/// Expands a short name of a script of the project: `npm:build`. One that stands for several can't
/// be looked up.
fn expand_name(word: &Word) -> Option<Word> {
    let named = ["npm", "yarn", "pnpm", "bun"].iter().find_map(|runner| {
        let name = word.text.strip_prefix(runner)?.strip_prefix(':')?;
        Some((runner, name))
    });
    let Some((runner, name)) = named else {
        return Some(word.clone());
    };
    let text = format!("{runner} run {name}");
    (!name.contains('*')).then(|| Word {
        text,
        ..word.clone()
    })
}
