//! Interpreters that carry out what they are fed, whatever else they are given: `python3 -m code`,
//! `node -i`.

use crate::languages::Language;
use crate::scripts::module_of;
use crate::understood::Word;
use crate::wrappers::SSH_VALUED;

/// Python modules that carry out their input.
const CONSOLES: [&str; 7] = [
    "code", "asyncio", "pdb", "IPython", "bpython", "ptpython", "idlelib",
];

/// Options of Python without a value.
const FLAGS_OF_PYTHON: &str = "bBdEiIOPqsSuvx";

/// Returns the letters of an option behind which nothing but flags of Python stand: `m` and its
/// value for `-Im x`.
fn after_flags(word: &str) -> Option<&str> {
    let letters = word.strip_prefix('-').filter(|it| !it.starts_with('-'))?;
    Some(letters.trim_start_matches(|it| FLAGS_OF_PYTHON.contains(it)))
}

/// Returns whether an interpreter carries out its input, whatever else it is given.
pub(crate) fn is_console(program: &str, words: &[Word]) -> bool {
    if module_of(program, words).is_some_and(|(module, _)| CONSOLES.contains(&module)) {
        return true;
    }
    let has = |option: &str| words.iter().any(|it| it.text == option);
    match Language::from_program(program) {
        Some(Language::Python) => {
            let mut options = words.iter().take_while(|it| it.text.starts_with('-'));
            options.any(|it| {
                let flags = after_flags(&it.text).map(|rest| it.text.len() - rest.len());
                flags.is_some_and(|end| it.text[..end].contains('i'))
            })
        }
        Some(Language::JavaScript) => has("-i") || has("--interactive"),
        Some(Language::Lua) => has("-i"),
        Some(Language::Php) => has("-a"),
        _ => false,
    }
}

/// Programs that carry out what they are fed, and the first words with which they do; an empty one
/// stands for none.
const FED: &[(&str, &[&str])] = &[
    ("dotnet", &["fsi", "script", "repl", "csi"]),
    ("swift", &["", "repl", "-"]),
    ("deno", &["", "repl"]),
    ("coffee", &["", "-s", "--stdin", "-i"]),
    ("kotlinc", &["", "-script"]),
    ("kotlin", &["", "-script"]),
    ("fsharpi", &[""]),
    ("groovysh", &[""]),
    ("rc", &[""]),
    ("es", &[""]),
    ("ion", &[""]),
    ("oil", &[""]),
    ("micropython", &["", "-i", "-"]),
    ("jython", &["", "-i", "-"]),
    ("graalpy", &["", "-i", "-"]),
    ("qjs", &["", "-i"]),
    ("d8", &[""]),
    ("gjs", &["", "-"]),
    ("js", &[""]),
    ("osascript", &["", "-", "-l"]),
    ("lldb", &[""]),
    ("duckdb", &[""]),
    ("pwsh", &["", "-", "-Command", "-command", "-c"]),
    ("powershell", &["", "-", "-Command", "-command", "-c"]),
    ("cmd", &[""]),
    ("ninja", &["-f"]),
    ("wine", &["cmd"]),
];

/// Returns whether a program carries out what it is fed, as its name and its first word say:
/// `dotnet fsi`. A name may have an ending of Windows.
pub(crate) fn is_fed_by_name(program: &str, words: &[Word]) -> bool {
    let name = program.strip_suffix(".exe").unwrap_or(program);
    let Some((_, firsts)) = FED.iter().find(|(known, _)| *known == name) else {
        return false;
    };
    let first = words.first().map_or("", |it| it.text.as_str());
    let is_text_given = first.starts_with('-') && words.len() > 1 && !is_input(&words[1].text);
    firsts.contains(&first) && !is_text_given
}

fn is_input(word: &str) -> bool {
    word == "-"
        || word.starts_with("/dev/")
        || word.starts_with("/proc/")
        || word.starts_with("Java")
}

/// Programs that start a shell if they are given no command: how many operands they have before it,
/// and the options with a value.
const OPENERS: &[(&str, usize, &[&str])] = &[
    ("chroot", 1, &[]),
    ("unshare", 0, &["-S", "-G", "-R", "-w", "--root", "--wd"]),
    (
        "nsenter",
        0,
        &["-t", "--target", "-S", "-G", "-W", "--wdns"],
    ),
    ("fakeroot", 0, &["-l", "-s", "-i"]),
    ("fakechroot", 0, &[]),
    ("proot", 0, &["-r", "-b", "-w", "-q"]),
    ("setarch", 1, &[]),
    ("linux32", 0, &[]),
    ("linux64", 0, &[]),
    ("su", 1, &["-s", "-g", "-G", "-w"]),
    ("newgrp", 1, &[]),
    ("script", 1, &["-O", "-I", "-B", "-T", "-m", "-o"]),
    ("ssh", 1, SSH_VALUED),
    ("autossh", 1, SSH_VALUED),
    ("systemd-nspawn", 0, &["-D", "-M", "-i", "-u"]),
];

/// Programs that start a shell by a word.
const SHELL_VERBS: &[(&str, &[&str])] = &[
    ("machinectl", &["shell", "login"]),
    ("pipenv", &["shell"]),
    ("poetry", &["shell"]),
    ("hatch", &["shell"]),
    ("adb", &["shell"]),
    ("nix", &["develop", "shell"]),
    ("guix", &["shell"]),
    ("toolbox", &["enter"]),
    ("chezmoi", &["cd"]),
    ("distrobox", &["enter"]),
    ("systemd-run", &["-S", "--shell"]),
];

/// Returns whether a program starts a shell that reads what the program is fed: `chroot x`,
/// `ssh h`, without a command.
pub(crate) fn opens_shell(program: &str, words: &[Word]) -> bool {
    if let Some((_, verbs)) = SHELL_VERBS.iter().find(|(name, _)| *name == program) {
        let behind = words
            .iter()
            .position(|it| verbs.contains(&it.text.as_str()))
            .map(|at| &words[at + 1..]);
        let is_option = |it: &Word| it.text.starts_with('-');
        return behind.is_some_and(|it| it.iter().all(is_option));
    }
    let Some((_, operands, valued)) = OPENERS.iter().find(|(name, ..)| *name == program) else {
        return false;
    };
    let (mut count, mut rest) = (0, words.iter());
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if [
            "-c",
            "--command",
            "--version",
            "--help",
            "-V",
            "-N",
            "-f",
            "-W",
            "-O",
        ]
        .contains(&text)
            && (program != "script" || text == "-c" || text == "--command")
            || text.contains('c') && text.starts_with('-') && ["su", "script"].contains(&program)
        {
            return false;
        }
        if valued.contains(&text) {
            rest.next();
        } else if text == "-" || !text.starts_with('-') {
            count += usize::from(text != "-");
        }
    }
    count <= *operands
}
