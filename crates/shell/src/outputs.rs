//! The output of programs that print their arguments or their input.

use crate::base64::decode_base64;
use crate::flow::Stream;
use crate::scope::Scope;
use crate::simple::{Simple, base_name};
use crate::understood::Word;
use crate::walk::Walker;
use crate::wrappers::found_by;

/// Returns what a command prints, if it is known.
pub(crate) fn of(
    program: &str,
    simple: &Simple,
    scope: &mut Scope<'_>,
    input: &Stream,
    walker: &Walker,
) -> Stream {
    command_output(program, simple, scope, input, walker)
        .unwrap_or_else(|| Stream::Output(program.to_owned()))
}

fn command_output(
    program: &str,
    simple: &Simple,
    scope: &mut Scope<'_>,
    input: &Stream,
    walker: &Walker,
) -> Option<Stream> {
    let words = &simple.words[1..];
    let operands = operands_of(words);
    let has = |flag: &str| words.iter().any(|it| it.text == flag);
    if ["cat", "tee", "sponge", "less", "more"].contains(&program) {
        return Some(passes(program, &operands, words, scope, input, walker));
    }
    if let Some(line) = whole_line(program, &operands, input) {
        return Some(Stream::Names(vec![line]));
    }
    let given = || -> Option<String> {
        match operands.first() {
            Some(file) if file.text != "-" => walker
                .read_for(file, scope, input)
                .text()
                .map(str::to_owned),
            _ => input.text().map(str::to_owned),
        }
    };
    let text = match program {
        "echo" => return echo(words),
        "printf" => printf(words)?,
        "pwd" => format!("{}\n", scope.folder()?),
        "head" | "tail" | "sort" | "uniq" | "grep" | "egrep" | "sed"
            if matches!(input, Stream::Names(_)) =>
        {
            return Some(input.clone());
        }
        "rev" => given()?
            .lines()
            .map(|line| line.chars().rev().collect::<String>() + "\n")
            .collect(),
        "base64" if has("-d") || has("-D") || has("--decode") || has("-di") => {
            decode_base64(&given()?)?
        }
        "openssl" if has("-d") && (has("base64") || has("-base64") || has("-a")) => {
            decode_base64(input.text()?)?
        }
        "xxd"
            if words
                .iter()
                .any(|it| it.text.contains('r') && it.text.starts_with('-')) =>
        {
            hexadecimal(&given()?)?
        }
        "tr" => translate(&operands, words, input.text()?)?,
        "basename" => format!(
            "{}\n",
            base_name(&operands.first().filter(|it| it.known)?.text)
        ),
        "dirname" => format!(
            "{}\n",
            folder_name(&operands.first().filter(|it| it.known)?.text)
        ),
        "realpath" | "readlink" | "greadlink" => {
            let path = scope.path_of(operands.first()?);
            format!("{}\n", crate::normalize_path(path.paths.first()?))
        }
        "which" | "command" | "type" => {
            let name = operands
                .last()
                .filter(|it| it.known && !it.text.contains('/'))?;
            format!("{}\n", name.text)
        }
        "date" => return date_output(&operands, scope),
        "git" if has("rev-parse") && has("--show-toplevel") => {
            format!("{}\n", scope.around.repository?)
        }
        _ => return names(program, &operands, words, scope),
    };
    Some(Stream::Text(text))
}

/// Returns the folder that a path names, as `dirname` prints it.
fn folder_name(path: &str) -> &str {
    match path.trim_end_matches('/').rsplit_once('/') {
        None => ".",
        Some(("", _)) => "/",
        Some((folder, _)) => folder,
    }
}

/// Returns the whole line that is searched for in a listing: that name, if any, is printed.
fn whole_line(program: &str, operands: &[&Word], input: &Stream) -> Option<String> {
    let [pattern] = operands else { return None };
    let is_listing = matches!(input, Stream::Output(_) | Stream::Names(_));
    if !is_listing || !["grep", "egrep"].contains(&program) {
        return None;
    }
    let line = pattern.text.strip_prefix('^')?.strip_suffix('$')?;
    let name = line.replace("\\.", ".");
    (!name.contains(['*', '[', '(', '|', '\\', '+', '?'])).then_some(name)
}

/// `date +%F`: digits and what is between them, as a pattern for a name.
fn date_output(operands: &[&Word], scope: &Scope<'_>) -> Option<Stream> {
    const DIGITS: &str = "YmdHMSsNFTjyVuUW";
    let [format] = operands else { return None };
    let mut signs = format.text.strip_prefix('+')?.chars();
    let mut pattern = String::new();
    while let Some(sign) = signs.next() {
        match sign {
            '%' => {
                signs.next().filter(|it| DIGITS.contains(*it))?;
                pattern.push('*');
            }
            '-' | '_' | ':' | 'T' | 'Z' => pattern.push(sign),
            _ => return None,
        }
    }
    // Another program with this name may print anything.
    let is_own = format.known && scope.assigned_value("PATH").is_none() && !pattern.is_empty();
    is_own.then(|| Stream::Names(vec![pattern]))
}

/// Returns the arguments that aren't options.
fn operands_of(words: &[Word]) -> Vec<&Word> {
    let is_operand = |it: &&Word| !it.text.starts_with('-') || it.text == "-";
    words.iter().filter(is_operand).collect()
}

/// A name that `mktemp` makes up: nothing else has it, so its template stands for it.
fn temporary(operands: &[&Word], words: &[Word]) -> Option<String> {
    let folder = words.windows(2).find_map(|pair| {
        ["-p", "--tmpdir"]
            .contains(&pair[0].text.as_str())
            .then_some(&pair[1])
    });
    let attached = words
        .iter()
        .find_map(|it| it.text.strip_prefix("--tmpdir="));
    let folder = match (folder, attached) {
        (Some(word), _) => Some(word.known.then_some(word.text.as_str())?),
        (None, attached) => attached,
    };
    let template = operands
        .iter()
        .copied()
        .rfind(|it| folder != Some(it.text.as_str()));
    let in_temp = folder.is_some() || words.iter().any(|it| it.text == "-t");
    let name = match template {
        Some(word) => word.known.then(|| word.text.clone())?,
        None => "tmp.XXXXXXXXXX".to_owned(),
    };
    if template.is_some() && !in_temp {
        return Some(name);
    }
    Some(format!("{}/{name}", folder.unwrap_or("/tmp")))
}

/// What programs that list files print.
fn names(program: &str, operands: &[&Word], words: &[Word], scope: &Scope<'_>) -> Option<Stream> {
    if let Some(found) = found_by(program, words) {
        return Some(Stream::Names(found.into_iter().map(|it| it.text).collect()));
    }
    match program {
        "mktemp" | "gmktemp" => Some(Stream::Text(format!("{}\n", temporary(operands, words)?))),
        // The first operand is the pattern.
        "grep" | "egrep" | "fgrep" | "rg"
            if words.iter().any(|it| {
                it.text == "--files-with-matches"
                    || it.text.starts_with('-')
                        && !it.text.starts_with("--")
                        && it.text.contains('l')
            }) =>
        {
            let folders = operands.iter().skip(1).map(|it| {
                if it.pattern || it.text.contains('.') && it.text.len() > 2 {
                    it.text.clone()
                } else {
                    format!("{}/*", it.text.trim_end_matches('/'))
                }
            });
            let folders: Vec<String> = folders.collect();
            Some(Stream::Names(if folders.is_empty() {
                vec!["*".to_owned()]
            } else {
                folders
            }))
        }
        "ls" => {
            let folders = operands.iter().map(|it| {
                let name = it.text.rsplit('/').next().unwrap_or("");
                // A name with an extension is most often a file.
                let is_file = name.trim_matches('.').contains('.')
                    || name.starts_with('.') && name.trim_matches('.').len() > 1;
                if it.pattern || is_file || scope.written_text(it).is_some() {
                    it.text.clone()
                } else {
                    format!("{}/*", it.text.trim_end_matches('/'))
                }
            });
            let folders: Vec<String> = folders.collect();
            Some(Stream::Names(if folders.is_empty() {
                vec!["*".to_owned()]
            } else {
                folders
            }))
        }
        "git"
            if words
                .iter()
                .any(|it| it.text == "ls-files" || it.text == "--name-only") =>
        {
            let behind = operands
                .iter()
                .skip_while(|it| it.text != "ls-files")
                .skip(1);
            let named: Vec<String> = behind.map(|it| it.text.clone()).collect();
            Some(Stream::Names(if named.is_empty() {
                vec!["*".to_owned()]
            } else {
                named
            }))
        }
        _ => None,
    }
}

/// Programs that pass on what they read.
fn passes(
    program: &str,
    operands: &[&Word],
    words: &[Word],
    scope: &mut Scope<'_>,
    input: &Stream,
    walker: &Walker,
) -> Stream {
    if program == "tee" || program == "sponge" {
        let appends = if words.iter().any(|it| it.text == "-a") {
            crate::scope::Appends::Yes
        } else {
            crate::scope::Appends::No
        };
        for file in operands {
            scope.write(file, input.text(), appends);
        }
        return input.clone();
    }
    if operands.is_empty() {
        return input.clone();
    }
    let mut whole = Stream::nothing();
    for file in operands {
        let next = if file.text == "-" {
            input.clone()
        } else {
            walker.read_for(file, scope, input)
        };
        whole = whole.then(match next {
            Stream::File(path) => Stream::Output(format!("cat {path}")),
            other => other,
        });
    }
    whole
}

fn echo(words: &[Word]) -> Option<Stream> {
    let mut words = words;
    let (mut ends_line, mut escapes) = (true, false);
    while let Some(first) = words.first() {
        let is_option = first.text.len() > 1
            && first.text.starts_with('-')
            && first.text[1..].chars().all(|it| "neE".contains(it));
        if !is_option {
            break;
        }
        ends_line &= !first.text.contains('n');
        escapes |= first.text.contains('e');
        words = &words[1..];
    }
    if let [only] = words
        && only.pattern
    {
        return Some(Stream::Names(vec![only.text.clone()]));
    }
    if words.iter().any(|it| !it.known || it.pattern) {
        return None;
    }
    let texts: Vec<&str> = words.iter().map(|it| it.text.as_str()).collect();
    let mut text = texts.join(" ");
    if escapes {
        text = unescape(&text);
    }
    if ends_line {
        text.push('\n');
    }
    Some(Stream::Text(text))
}

/// Formats as `printf` does, for `%s`, `%b`, `%d`, `%c` and escapes.
pub(crate) fn printf(words: &[Word]) -> Option<String> {
    if words.iter().any(|it| !it.known) {
        return None;
    }
    let words = match words.first() {
        Some(first) if first.text == "--" => &words[1..],
        _ => words,
    };
    let (format, arguments) = words.split_first()?;
    let format = unescape(&format.text);
    let mut arguments = arguments.iter().map(|it| it.text.as_str()).peekable();
    let mut text = String::new();
    for _ in 0..64 {
        let mut takes = false;
        let mut characters = format.chars();
        while let Some(character) = characters.next() {
            if character != '%' {
                text.push(character);
                continue;
            }
            let mut kind = characters.next()?;
            while kind == '-' || kind == '.' || kind.is_ascii_digit() {
                kind = characters.next()?;
            }
            match kind {
                '%' => text.push('%'),
                's' | 'd' | 'i' | 'q' => {
                    takes = true;
                    text.push_str(arguments.next().unwrap_or(""));
                }
                'b' => {
                    takes = true;
                    text.push_str(&unescape(arguments.next().unwrap_or("")));
                }
                'c' => {
                    takes = true;
                    text.extend(arguments.next().unwrap_or("").chars().next());
                }
                _ => return None,
            }
        }
        if !takes || arguments.peek().is_none() {
            break;
        }
    }
    Some(text)
}

/// Resolves backslash escapes.
fn unescape(text: &str) -> String {
    let mut plain = String::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '\\' {
            plain.push(character);
            continue;
        }
        let Some(kind) = characters.next() else {
            plain.push('\\');
            break;
        };
        let mut number = |radix: u32, most: usize, first: Option<char>| {
            let mut value = first.and_then(|it| it.to_digit(radix)).unwrap_or(0);
            for _ in 0..most {
                let Some(digit) = characters.peek().and_then(|it| it.to_digit(radix)) else {
                    break;
                };
                value = value.saturating_mul(radix).saturating_add(digit);
                characters.next();
            }
            char::from_u32(value)
        };
        match kind {
            'n' => plain.push('\n'),
            't' => plain.push('\t'),
            'r' => plain.push('\r'),
            'a' => plain.push('\u{7}'),
            '\\' => plain.push('\\'),
            'x' => plain.extend(number(16, 2, None)),
            'u' => plain.extend(number(16, 4, None)),
            'U' => plain.extend(number(16, 8, None)),
            '0' => plain.extend(number(8, 3, None)),
            '1'..='7' => plain.extend(number(8, 2, Some(kind))),
            '"' | '\'' => plain.push(kind),
            other => plain.extend(['\\', other]),
        }
    }
    plain
}

fn hexadecimal(text: &str) -> Option<String> {
    let digits: Vec<u32> = text.chars().filter_map(|it| it.to_digit(16)).collect();
    let bytes = digits
        .chunks_exact(2)
        .map(|pair| u8::try_from(pair[0] * 16 + pair[1]).ok());
    String::from_utf8(bytes.collect::<Option<Vec<u8>>>()?).ok()
}

fn translate(operands: &[&Word], words: &[Word], text: &str) -> Option<String> {
    if operands.iter().any(|it| !it.known) {
        return None;
    }
    let from = parse_set(&operands.first()?.text)?;
    if words.iter().any(|it| it.text == "-d") {
        return Some(text.chars().filter(|it| !from.contains(it)).collect());
    }
    if words.iter().any(|it| it.text.starts_with('-')) {
        return None;
    }
    let to = parse_set(&operands.get(1)?.text)?;
    let last = *to.last()?;
    let map = |it: char| match from.iter().position(|known| *known == it) {
        Some(at) => to.get(at).copied().unwrap_or(last),
        None => it,
    };
    Some(text.chars().map(map).collect())
}

/// Reads a set of characters as `tr` does.
fn parse_set(text: &str) -> Option<Vec<char>> {
    let text = text
        .replace("[:lower:]", "a-z")
        .replace("[:upper:]", "A-Z")
        .replace("[:digit:]", "0-9");
    if text.contains("[:") {
        return None;
    }
    let characters: Vec<char> = unescape(&text).chars().collect();
    let mut set = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        if at + 2 < characters.len()
            && characters[at + 1] == '-'
            && characters[at] <= characters[at + 2]
        {
            set.extend(characters[at]..=characters[at + 2]);
            at += 3;
        } else {
            set.push(characters[at]);
            at += 1;
        }
    }
    Some(set)
}
