//! What programs that search for files find, as patterns.

use crate::pattern::may_meet;
use crate::same_programs::usual_name;
use crate::simple::base_name;
use crate::understood::Word;
use crate::wrappers::{Unwrapped, put_in};

/// Returns what `find` finds, as patterns.
fn find_results(words: &[Word]) -> Vec<Word> {
    let is_expression = |text: &str| text.starts_with('-') || text == "!" || text == "(";
    let leading = |text: &str| ["-H", "-L", "-P"].contains(&text) || text.starts_with("-O");
    let roots: Vec<&Word> = words
        .iter()
        .skip_while(|it| leading(&it.text))
        .take_while(|it| !is_expression(&it.text))
        .collect();
    let dot = Word::plain(".");
    let roots = if roots.is_empty() { vec![&dot] } else { roots };
    // Names in a negated condition aren't found.
    let negated = |at: usize| {
        let before = at.checked_sub(1).and_then(|it| words.get(it));
        before.is_some_and(|it| ["!", "-not"].contains(&it.text.as_str()))
    };
    let names: Vec<&str> = words
        .windows(2)
        .enumerate()
        .filter(|(at, pair)| ["-name", "-iname"].contains(&pair[0].text.as_str()) && !negated(*at))
        .map(|(_, pair)| pair[1].text.as_str())
        .collect();
    let names: Vec<String> = match names.as_slice() {
        [] => std::iter::once("*".to_owned())
            .chain(named_by_path(words))
            .collect(),
        names => names.iter().map(|it| (*it).to_owned()).collect(),
    };
    let mut found = Vec::new();
    let finds_roots = finds_roots(words);
    for root in roots {
        // A root may be a file; a condition on the name applies to it, too.
        let last = base_name(&root.text);
        let is_found = names.iter().any(|it| it == "*" || may_meet(it, last));
        found.extend((finds_roots && is_found && root.text != ".").then(|| root.clone()));
        for name in &names {
            found.push(Word {
                text: format!("{}/{name}", root.text.trim_end_matches('/')),
                pattern: true,
                ..root.clone()
            });
        }
    }
    found
}

/// Returns whether `find` may find the places in which it begins. Among empty folders are none that
/// hold anything.
fn finds_roots(words: &[Word]) -> bool {
    let asks = |option: &str, value: &str| {
        let mut pairs = words.windows(2);
        pairs.any(|it| it[0].text == option && it[1].text == value)
    };
    let has = |option: &str| words.iter().any(|it| it.text == option);
    let is_below = has("-mindepth") && !asks("-mindepth", "0");
    !(is_below || has("-empty") && asks("-type", "d"))
}

/// Returns what a program that looks for files finds, as patterns; `None` for other programs.
pub(crate) fn found_by(program: &str, words: &[Word]) -> Option<Vec<Word>> {
    match usual_name(program) {
        "find" => Some(find_results(words)),
        "fd" => Some(fd_results(words)),
        _ => None,
    }
}

/// Returns the name at the end of the only path that is searched for: `-path '*/.env'`,
/// `-regex '.*\.env'`. What is excluded isn't found.
fn named_by_path(words: &[Word]) -> Option<String> {
    let leaves_out = ["-prune", "!", "-not", "-o", "-or"];
    if words
        .iter()
        .any(|it| leaves_out.contains(&it.text.as_str()))
    {
        return None;
    }
    words.windows(2).find_map(|pair| {
        let last = pair[1].text.rsplit('/').next()?;
        match pair[0].text.as_str() {
            "-path" | "-ipath" | "-wholename" | "-iwholename" => Some(last.to_owned()),
            "-regex" | "-iregex" => {
                // An optional ending: `\\.env\\(\\.local\\)?`.
                let last = last
                    .split("\\(")
                    .next()
                    .filter(|it| it.len() > 2)
                    .unwrap_or(last);
                let name = last.replace("\\.", "\0").replace(".*", "*");
                let name = name
                    .replace(".+", "?*")
                    .replace('.', "?")
                    .replace('\0', ".");
                let is_plain = !name.contains(['(', '|', '\\', '[', '+', '{']);
                let name = if pair[1].text.ends_with("\\)?") {
                    format!("{name}*")
                } else {
                    name
                };
                is_plain.then_some(name)
            }
            _ => None,
        }
    })
}

/// Returns what `fd` finds, as patterns: its first operand is searched for, the others are folders.
fn fd_results(words: &[Word]) -> Vec<Word> {
    let mut operands = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut sees_hidden = false;
    let mut words = words
        .iter()
        .take_while(|it| !["-x", "-X", "--exec", "--exec-batch"].contains(&it.text.as_str()));
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "-e" | "--extension" => {
                names.extend(words.next().map(|it| format!("*.{}", it.text)));
            }
            "-t" | "-d" | "-E" | "-S" | "--type" | "--max-depth" | "--exclude" | "--size" => {
                words.next();
            }
            text if text.starts_with('-') => {
                let is_cluster = !text.starts_with("--") && text.contains(['H', 'u']);
                sees_hidden |= is_cluster || ["--hidden", "--unrestricted"].contains(&text);
            }
            _ => operands.push(word),
        }
    }
    let looked_for = operands.first().map_or("", |it| it.text.as_str());
    let literal: String = looked_for
        .chars()
        .filter(|it| !"^$\\*+()[]".contains(*it))
        .collect();
    if names.is_empty() {
        names.push(if literal == "." {
            "*".to_owned()
        } else {
            format!("{literal}*")
        });
    }
    // It searches for part of a name, and a `.env` file is hidden.
    if sees_hidden && literal.starts_with("env") && !looked_for.starts_with('^') {
        names.push(format!(".{literal}*"));
    }
    let folders = operands.get(1..).filter(|it| !it.is_empty());
    let folders: Vec<&str> = folders.map_or_else(
        || vec!["."],
        |it| it.iter().map(|it| it.text.trim_end_matches('/')).collect(),
    );
    let name = |folder: &&str| -> Vec<Word> {
        let of_folder = names.iter().map(|name| Word {
            pattern: true,
            ..Word::plain(format!("{folder}/{name}"))
        });
        of_folder.collect()
    };
    folders.iter().flat_map(name).collect()
}

/// Returns a command with what was found in place of `{}`: with all names, and for a few with each
/// alone, since a script may take its first argument only.
fn with_found(command: &[Word], found: &[Word]) -> Vec<Vec<Word>> {
    const MAX_ALONE: usize = 8;
    let with = |names: &[Word]| -> Vec<Word> {
        let words = command.iter().flat_map(|word| {
            let count = if word.text.contains("{}") {
                names
            } else {
                &names[..1]
            };
            count.iter().map(|name| put_in(word, "{}", name))
        });
        words.collect()
    };
    let has_mark = command.iter().any(|it| it.text.contains("{}"));
    if command.is_empty() {
        return Vec::new();
    }
    if found.is_empty() {
        return vec![command.to_vec()];
    }
    let mut commands = vec![with(found)];
    if found.len() > 1 && found.len() <= MAX_ALONE && has_mark {
        commands = found
            .iter()
            .map(|it| with(std::slice::from_ref(it)))
            .collect();
    }
    commands
}

/// Returns what a program that looks for files starts for them: `find -exec`, `fd -x`.
pub(super) fn started_by_finder(program: &str, words: &[Word]) -> Option<Unwrapped> {
    let found = found_by(program, words)?;
    let runs = |text: &str| {
        [
            "-exec",
            "-execdir",
            "-ok",
            "-okdir",
            "-x",
            "-X",
            "--exec",
            "--exec-batch",
        ]
        .contains(&text)
    };
    let mut commands = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        if !runs(&word.text) {
            continue;
        }
        let mut command = Vec::new();
        let mut has_mark = false;
        while let Some(word) = words.get(at) {
            at += 1;
            if word.text == ";" || word.text == "+" && command.len() > 1 {
                break;
            }
            has_mark |= word.text.contains("{}");
            command.push(word.clone());
        }
        if !has_mark && ["-x", "-X", "--exec", "--exec-batch"].contains(&word.text.as_str()) {
            command.push(Word::plain("{}"));
        }
        commands.extend(with_found(&command, &found));
    }
    (!commands.is_empty()).then(|| Unwrapped {
        commands,
        ..Unwrapped::default()
    })
}
