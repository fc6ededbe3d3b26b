//! Programs that start other programs, and where in their arguments the started command begins.

mod containers;
mod find_results;
mod git;
mod packages;
mod runners;
mod table;
mod xargs;

use crate::flow::Stream;
use crate::simple::{Simple, join_fields};
use crate::understood::{Assignment, Place, RemovedVariables, Word};
use containers::container;
pub use containers::{Contained, Mount, contained};
pub(crate) use find_results::found_by;
use find_results::started_by_finder;
use packages::{package_runner, without_versions};
use table::WRAPPERS;

/// What a wrapper starts.
#[derive(Debug, Default)]
pub(crate) struct Unwrapped {
    /// Commands, as words.
    pub(crate) commands: Vec<Vec<Word>>,
    /// Commands, as shell text.
    pub(crate) texts: Vec<Word>,
    /// Variables that it sets for them.
    pub(crate) env: Vec<Assignment>,
    /// Variables that it removes for them.
    pub(crate) removed: Removal,
    /// Where they run, if not where the wrapper does.
    pub(crate) place: Option<Place>,
    /// The folder that they run in, if not the wrapper's.
    pub(crate) folder: Option<Word>,
}

/// Which variables a wrapper removes.
#[derive(Debug, Default)]
pub(crate) enum Removal {
    /// None.
    #[default]
    Nothing,
    /// Those with these names.
    These(Vec<Word>),
    /// Those that the text set, maybe.
    Own,
    /// All.
    All,
}

impl Removal {
    /// Adds what it certainly removes to what others around it do.
    pub(crate) fn add_to(&self, removed: &mut RemovedVariables) {
        match self {
            Self::Nothing | Self::Own => {}
            Self::These(names) => {
                let known = names.iter().filter(|it| it.known);
                removed.names.extend(known.map(|it| it.text.clone()));
            }
            Self::All => removed.all = true,
        }
    }

    /// Reads `env -u NAME`, `env -i`; a program that changes the user may remove all variables.
    fn by(program: &str, words: &[Word]) -> Self {
        match program {
            "sudo" | "doas" | "su" | "runuser" | "systemd-run" | "at" | "batch" => {
                return Self::Own;
            }
            "env" => {}
            _ => return Self::Nothing,
        }
        let mut names = Vec::new();
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let text = word.text.as_str();
            let attached = text
                .strip_prefix("--unset=")
                .or_else(|| text.strip_prefix("-u"));
            match text {
                "-" | "-i" | "--ignore-environment" => return Self::All,
                "-u" | "--unset" => names.extend(rest.next().cloned()),
                _ if !text.starts_with('-') && !text.contains('=') => break,
                _ if text.starts_with("--ig") => return Self::All,
                _ => match attached {
                    Some(name) => names.push(Word {
                        text: name.to_owned(),
                        ..word.clone()
                    }),
                    // `-iv`
                    None if !text.starts_with("--")
                        && text.starts_with('-')
                        && text.contains('i') =>
                    {
                        return Self::All;
                    }
                    None => {}
                },
            }
        }
        if names.is_empty() {
            Self::Nothing
        } else {
            Self::These(names)
        }
    }
}

/// Finds what a command starts, if it is a wrapper.
pub(crate) fn unwrap(program: &str, simple: &Simple, input: &Stream) -> Option<Unwrapped> {
    let words = &simple.words[1..];
    let unwrapped = started_by(program, words, input)?;
    Some(Unwrapped {
        removed: Removal::by(program, words),
        ..unwrapped
    })
}

fn started_by(program: &str, words: &[Word], input: &Stream) -> Option<Unwrapped> {
    let by_name = packages::by_verb(program, words).or_else(|| started_by_finder(program, words));
    if let Some(unwrapped) = by_name {
        return Some(unwrapped);
    }
    match program {
        "xargs" | "parallel" | "gxargs" | "rush" => Some(xargs::started_by(program, words, input)),
        "ansible" => ansible(words),
        "gh" => codespace(words),
        "ssh" | "mosh" | "autossh" => ssh(words),
        "sg" => in_group(words),
        "entr" => after_option(words, &["-s"]).or_else(|| plain(program, words)),
        "su" | "script" => after_option(words, &["-c", "--command"]),
        "runuser" => after_option(words, &["-c", "--command"]).or_else(|| {
            let valued = ["-u", "--user", "-g", "--group", "-G", "-s", "-w"];
            let rest = after_options(words, &valued).filter(|rest| !rest.is_empty())?;
            Some(Unwrapped {
                commands: vec![rest.to_vec()],
                ..Unwrapped::default()
            })
        }),
        "watch" => watch(words),
        "flock" => flock(words),
        "docker" | "podman" | "nerdctl" | "kubectl" | "oc" | "docker-compose" => {
            container(program, words)
        }
        "lxc" | "incus" => Some(Unwrapped {
            place: Some(Place::Remote),
            ..container(program, words)?
        }),
        "wsl" | "wsl.exe" => wsl(words),
        "gio" => gio(words),
        "vagrant" | "multipass" => {
            // A virtual machine contains the effects.
            let inner = after_option(words, &["-c", "--command", "-e"])
                .or_else(|| words_after(words, &["--"]))?;
            Some(Unwrapped {
                place: Some(Place::Remote),
                ..inner
            })
        }
        // Our own intermediate step, which confines itself and then becomes the command.
        "hookloop" if words.first().is_some_and(|it| it.text == "__sandboxed") => {
            words_after(words, &["--"])
        }
        "nix-shell" => after_option(words, &["--run", "--command"]),
        "nix" => words_after(words, &["-c", "--command"]),
        "git" => git::started_by(words),
        "cmake" => cmake(words),
        "adb" => adb(words),
        "at" | "batch" => input.text().map(|text| Unwrapped {
            texts: vec![Word::plain(text)],
            ..Unwrapped::default()
        }),
        "crontab" => crontab(words, input),
        "npm" | "pnpm" | "yarn" | "bun" | "uv" | "poetry" | "pipenv" | "pdm" | "hatch" | "rye"
        | "bundle" | "pipx" | "devbox" | "mr" | "mise" | "asdf" | "conda" | "mamba"
        | "micromamba" | "volta" | "rtx" | "pyenv" | "rbenv" => {
            package_runner(program, words).map(without_versions)
        }
        "npx" | "bunx" | "pnpx" | "uvx" => after_option(words, &["-c", "--call"])
            .or_else(|| plain(program, words))
            .map(without_versions),
        _ if is_loader(program) => {
            let valued = ["--library-path", "--preload", "--argv0", "--audit"];
            let rest = after_options(words, &valued).filter(|rest| !rest.is_empty())?;
            Some(Unwrapped {
                commands: vec![rest.to_vec()],
                ..Unwrapped::default()
            })
        }
        _ => runners::started_by(program, words).or_else(|| plain(program, words)),
    }
}

/// Reads the commands in a table for `crontab`: after the times, or after `@reboot`.
fn crontab(words: &[Word], input: &Stream) -> Option<Unwrapped> {
    let reads_input = words.iter().all(|it| it.text == "-");
    let table = input.text().filter(|_| reads_input)?;
    let command = |line: &str| {
        let times = if line.starts_with('@') { 1 } else { 5 };
        let is_time =
            |it: &str| it.starts_with(|it: char| it.is_ascii_digit() || "*@".contains(it));
        let mut rest = line.trim_start();
        for _ in 0..times {
            let (time, behind) = rest.split_once(char::is_whitespace)?;
            rest = behind.trim_start();
            if !is_time(time) && times == 1 {
                return None;
            }
        }
        (is_time(line) && !rest.is_empty()).then(|| Word::plain(rest))
    };
    let texts: Vec<Word> = table.lines().filter_map(|it| command(it.trim())).collect();
    (!texts.is_empty()).then(|| Unwrapped {
        texts,
        ..Unwrapped::default()
    })
}

/// Reads `sg GROUP -c 'command'` and `sg GROUP command`.
fn in_group(words: &[Word]) -> Option<Unwrapped> {
    after_option(words, &["-c", "--command"]).or_else(|| {
        let rest = words.get(1..).filter(|rest| !rest.is_empty())?;
        Some(Unwrapped {
            texts: vec![join_fields(rest.to_vec())],
            ..Unwrapped::default()
        })
    })
}

/// Reads `adb shell command`.
fn adb(words: &[Word]) -> Option<Unwrapped> {
    let at = words.iter().position(|it| it.text == "shell")?;
    let rest = words.get(at + 1..).filter(|rest| !rest.is_empty())?;
    Some(Unwrapped {
        texts: vec![join_fields(rest.to_vec())],
        place: Some(Place::Remote),
        ..Unwrapped::default()
    })
}

/// Reads `gio trash x` and `gio remove x`.
fn gio(words: &[Word]) -> Option<Unwrapped> {
    let (verb, rest) = words.split_first()?;
    let meant = match verb.text.as_str() {
        "trash" => "trash",
        "remove" => "rm",
        _ => return None,
    };
    let command = [&[Word::plain(meant)], rest].concat();
    Some(Unwrapped {
        commands: vec![command],
        ..Unwrapped::default()
    })
}

/// Reads `wsl -d Debian -- rm x`: the other system works on the files of this machine.
fn wsl(words: &[Word]) -> Option<Unwrapped> {
    let valued = [
        "-d",
        "--distribution",
        "-u",
        "--user",
        "--cd",
        "--shell-type",
    ];
    let starts = ["-e", "--exec", "--", "--system"];
    let mut rest = words;
    while let Some((first, behind)) = rest.split_first() {
        let text = first.text.as_str();
        if valued.contains(&text) {
            rest = behind.get(1..)?;
        } else if starts.contains(&text) {
            rest = behind;
        } else {
            break;
        }
    }
    // Other options manage the systems themselves.
    let is_command = rest.first().is_some_and(|it| !it.text.starts_with('-'));
    is_command.then(|| Unwrapped {
        commands: vec![rest.to_vec()],
        ..Unwrapped::default()
    })
}

/// Returns whether a program is the system's loader, which runs the program in its arguments.
fn is_loader(program: &str) -> bool {
    ["ld-linux", "ld-musl", "ld.so", "ld64.so"]
        .iter()
        .any(|it| program.starts_with(it))
}

/// Reads `cmake -E rm -rf x`.
fn cmake(words: &[Word]) -> Option<Unwrapped> {
    let mut unwrapped = words_after(words, &["-E"])?;
    for command in &mut unwrapped.commands {
        let meant: &[&str] = match command.first()?.text.as_str() {
            "remove_directory" => &["rm", "-r"],
            "remove" => &["rm"],
            "copy_directory" | "copy" | "copy_if_different" => &["cp"],
            "rename" => &["mv"],
            "create_symlink" => &["ln", "-s"],
            _ => continue,
        };
        command.splice(..1, meant.iter().map(|it| Word::plain(*it)));
    }
    Some(unwrapped)
}

fn plain(program: &str, words: &[Word]) -> Option<Unwrapped> {
    let wrapper = WRAPPERS.iter().find(|it| it.name == program)?;
    let mut unwrapped = Unwrapped::default();
    let mut at = 0;
    let mut operands = wrapper.operands;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        if text == "--" {
            at += 1;
            continue;
        }
        if program == "command" && (text == "-v" || text == "-V") {
            return None;
        }
        if program == "env"
            && let Some((split, behind)) = split_string(&words[at..])
        {
            // The words after it belong to the command.
            let mut line = split;
            for word in behind {
                line.text.push(' ');
                line.text.push_str(&crate::join([word.text.as_str()]));
                line.known &= word.known;
            }
            unwrapped.texts.push(line);
            return Some(unwrapped);
        }
        if text.starts_with('-') && text.len() > 1 {
            let folder_options: &[&str] = match program {
                "env" | "sudo" => &["-C", "--chdir", "-D"],
                "unshare" => &["-w", "--wd", "-R", "--root"],
                "nsenter" => &["-W", "--wdns"],
                _ => &[],
            };
            let takes = takes_next(text, wrapper.valued);
            if takes && folder_options.contains(&text) {
                unwrapped.folder = words.get(at + 1).cloned();
            }
            let attached = ["--chdir=", "--wd=", "--wdns=", "--working-directory="];
            if let Some(folder) = attached.iter().find_map(|it| text.strip_prefix(it)) {
                unwrapped.folder = Some(Word {
                    text: folder.to_owned(),
                    ..word.clone()
                });
            }
            at += if takes { 2 } else { 1 };
            continue;
        }
        let sets = ["env", "sudo", "doas", "systemd-run"].contains(&program);
        if let Some((name, value)) = text.split_once('=').filter(|_| sets) {
            unwrapped.env.push(Assignment {
                name: name.to_owned(),
                value: Word {
                    text: value.to_owned(),
                    ..word.clone()
                },
            });
            at += 1;
            continue;
        }
        if operands > 0 {
            operands -= 1;
            at += 1;
            continue;
        }
        break;
    }
    if at >= words.len() {
        return without_program(program, words, unwrapped);
    }
    if program == "hyperfine" {
        unwrapped.texts.extend(words[at..].iter().cloned());
    } else if program == "screen" {
        return None;
    } else {
        unwrapped.commands.push(words[at..].to_vec());
    }
    Some(unwrapped)
}

/// Returns what a wrapper does if no program follows: `env` and `exec` start nothing, `sudo -s` a
/// shell.
fn without_program(program: &str, words: &[Word], mut unwrapped: Unwrapped) -> Option<Unwrapped> {
    let starts_shell = ["sudo", "doas"].contains(&program)
        && words.iter().any(|it| {
            let letters = it.text.strip_prefix('-').unwrap_or_default();
            ["-shell", "-login"].contains(&letters)
                || !letters.starts_with('-') && letters.ends_with(['s', 'i'])
        });
    if starts_shell {
        unwrapped.commands.push(vec![Word::plain("sh")]);
    }
    // Its own output can't be known.
    let prints = program == "env" && unwrapped.env.is_empty();
    (!prints).then_some(unwrapped)
}

/// Reads `env -S 'text' word …`.
fn split_string(words: &[Word]) -> Option<(Word, &[Word])> {
    let (first, rest) = words.split_first()?;
    let text = first.text.as_str();
    let attached = if let Some(name) = text.strip_prefix("--") {
        let (name, value) = name.split_once('=').unwrap_or((name, ""));
        let is_cut = !name.is_empty() && "split-string".starts_with(name);
        is_cut.then_some(value)?
    } else {
        // `-ivS'text'`
        let (flags, value) = text.strip_prefix('-')?.split_once('S')?;
        flags
            .chars()
            .all(|it| "i0v".contains(it))
            .then_some(value)?
    };
    if attached.is_empty() {
        let (split, behind) = rest.split_first()?;
        return Some((split.clone(), behind));
    }
    let split = Word {
        text: attached.to_owned(),
        ..first.clone()
    };
    Some((split, rest))
}

/// Returns whether the next word is the value of an option: `-u`, as the last of several letters
/// (`-iu`), or `--unset`, possibly abbreviated.
fn takes_next(text: &str, valued: &[&str]) -> bool {
    if valued.contains(&text) {
        return true;
    }
    if text.starts_with("--") {
        return text.len() > 2 && valued.iter().any(|it| it.starts_with(text));
    }
    let is_valued = |letter: char| {
        let mut options = valued.iter().filter_map(|it| it.strip_prefix('-'));
        options.any(|it| it.chars().eq([letter]))
    };
    let mut letters = text.chars().skip(1);
    // What follows such a letter in the same word is its value.
    letters.find(|it| is_valued(*it)).is_some() && letters.next().is_none()
}

/// Finds the text after one of these options.
fn after_option(words: &[Word], options: &[&str]) -> Option<Unwrapped> {
    for (at, word) in words.iter().enumerate() {
        let attached = options.iter().find_map(|option| {
            let rest = word.text.strip_prefix(option)?;
            if option.starts_with("--") {
                return rest.strip_prefix('=').map(str::to_owned);
            }
            (!rest.is_empty()).then(|| rest.to_owned())
        });
        let text = if options.iter().any(|it| ends_cluster(&word.text, it)) {
            words.get(at + 1).cloned()
        } else {
            attached
                .filter(|_| !word.text.starts_with("--") || word.text.contains('='))
                .map(|text| Word {
                    text,
                    ..word.clone()
                })
        };
        if let Some(text) = text {
            return Some(Unwrapped {
                texts: vec![text],
                ..Unwrapped::default()
            });
        }
    }
    None
}

/// Returns whether a word is an option, or a cluster of letters that ends with it: `-qc`.
pub(crate) fn ends_cluster(word: &str, option: &str) -> bool {
    let letter = option.strip_prefix('-').filter(|it| it.len() == 1);
    let cluster = word.strip_prefix('-').filter(|it| it.len() > 1);
    word == option
        || letter.zip(cluster).is_some_and(|(letter, cluster)| {
            cluster.ends_with(letter) && cluster.chars().all(|it| it.is_ascii_alphabetic())
        })
}

fn words_after(words: &[Word], options: &[&str]) -> Option<Unwrapped> {
    let at = words
        .iter()
        .position(|it| options.contains(&it.text.as_str()))?;
    let rest = words.get(at + 1..).filter(|rest| !rest.is_empty())?;
    Some(Unwrapped {
        commands: vec![rest.to_vec()],
        ..Unwrapped::default()
    })
}

fn watch(words: &[Word]) -> Option<Unwrapped> {
    let rest = after_options(words, &["-n", "--interval", "-s"])?;
    Some(Unwrapped {
        texts: vec![join_fields(rest.to_vec())],
        ..Unwrapped::default()
    })
}

fn flock(words: &[Word]) -> Option<Unwrapped> {
    if let Some(unwrapped) = after_option(words, &["-c", "--command"]) {
        return Some(unwrapped);
    }
    let rest = after_options(words, &["-w", "--timeout", "-E"])?;
    let command = rest.get(1..).filter(|it| !it.is_empty())?;
    Some(Unwrapped {
        commands: vec![command.to_vec()],
        ..Unwrapped::default()
    })
}

/// Returns the words from the first that is neither an option nor the value of one.
fn after_options<'w>(words: &'w [Word], valued: &[&str]) -> Option<&'w [Word]> {
    after_options_by(words, |it| valued.contains(&it))
}

/// Returns the words after the leading options, some of which take the next word.
fn after_options_by(words: &[Word], takes_next: impl Fn(&str) -> bool) -> Option<&[Word]> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if word.text == "--" {
            return words.get(at + 1..);
        }
        if !word.text.starts_with('-') || word.text == "-" {
            return words.get(at..);
        }
        at += if takes_next(&word.text) { 2 } else { 1 };
    }
    None
}

/// Options of ssh with a value.
pub(crate) const SSH_VALUED: &[&str] = &[
    "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-p", "-Q",
    "-R", "-S", "-W", "-w", "-B", "-M",
];

fn ssh(words: &[Word]) -> Option<Unwrapped> {
    let rest = after_options(words, SSH_VALUED)?;
    let rest = after_options(rest.get(1..)?, SSH_VALUED)?;
    (!rest.is_empty()).then(|| Unwrapped {
        texts: vec![join_fields(rest.to_vec())],
        place: Some(Place::Remote),
        ..Unwrapped::default()
    })
}

/// What `gh codespace ssh` runs on another machine.
fn codespace(words: &[Word]) -> Option<Unwrapped> {
    let enters = words.get(1).is_some_and(|it| it.text == "ssh");
    let at = words.iter().position(|it| it.text == "--")?;
    let rest = words[at + 1..].to_vec();
    (enters && !rest.is_empty()).then(|| Unwrapped {
        texts: vec![join_fields(rest)],
        place: Some(Place::Remote),
        ..Unwrapped::default()
    })
}

/// Returns the arguments of a module that runs commands on other machines; the default module is
/// the one for commands.
fn ansible(words: &[Word]) -> Option<Unwrapped> {
    const RUN: [&str; 4] = ["command", "shell", "raw", "script"];
    let mut pairs = words.windows(2);
    let module = pairs.find(|it| ["-m", "--module-name"].contains(&it[0].text.as_str()));
    let runs = module.is_none_or(|it| {
        let name = it[1].text.rsplit('.').next().unwrap_or("");
        RUN.contains(&name)
    });
    let given = after_option(words, &["-a", "--args"]).filter(|_| runs)?;
    Some(Unwrapped {
        place: Some(Place::Remote),
        ..given
    })
}

pub(super) fn put_in(word: &Word, mark: &str, value: &Word) -> Word {
    if !word.text.contains(mark) {
        return word.clone();
    }
    Word {
        text: word.text.replace(mark, &value.text),
        known: word.known && value.known,
        pattern: word.pattern || value.pattern,
        ..word.clone()
    }
}
