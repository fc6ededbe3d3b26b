//! What program text starts and loads through calls, as far as its strings show (TR-1).

/// What happens to a call's arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// They are started: shell text, or a program with its words.
    Started,
    /// They are a file that is read as program text.
    Loaded,
}

/// A call that starts or loads something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    /// As it is written, shortened.
    pub(super) written: String,
    pub(super) used: Use,
    /// The strings among its arguments, in order.
    pub(super) strings: Vec<String>,
    /// Its arguments begin with a complete string, so that it is known what runs.
    pub(super) is_known: bool,
}

/// The languages whose calls are distinguished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tongue {
    Python,
    JavaScript,
    Perl,
    Ruby,
    Awk,
}

/// How much of a call is examined.
const MAX_LENGTH: usize = 2000;

/// How many calls of one text are examined.
const MAX_CALLS: usize = 256;

impl Tongue {
    const fn calls(self) -> &'static [(&'static str, Use)] {
        use Use::{Loaded, Started};
        match self {
            Self::Python => &[
                ("subprocess.run", Started),
                ("subprocess.call", Started),
                ("subprocess.check_call", Started),
                ("subprocess.check_output", Started),
                ("subprocess.getoutput", Started),
                ("subprocess.getstatusoutput", Started),
                ("Popen", Started),
                ("check_call", Started),
                ("check_output", Started),
                ("getoutput", Started),
                ("create_subprocess_exec", Started),
                ("create_subprocess_shell", Started),
                ("os.system", Started),
                ("os.popen", Started),
                ("os.execv", Started),
                ("os.execvp", Started),
                ("os.execve", Started),
                ("os.execl", Started),
                ("os.execlp", Started),
                ("os.spawnl", Started),
                ("os.spawnv", Started),
                ("os.spawnvp", Started),
                ("os.posix_spawn", Started),
                ("pty.spawn", Started),
                ("exec", Loaded),
                ("execfile", Loaded),
                ("run_path", Loaded),
                ("run_module", Loaded),
                ("import_module", Loaded),
                ("__import__", Loaded),
                ("spec_from_file_location", Loaded),
                ("SourceFileLoader", Loaded),
                ("load_source", Loaded),
                ("CDLL", Loaded),
            ],
            Self::JavaScript => &[
                ("exec", Started),
                ("execSync", Started),
                ("execFile", Started),
                ("execFileSync", Started),
                ("spawn", Started),
                ("spawnSync", Started),
                ("fork", Loaded),
                ("require", Loaded),
                ("import", Loaded),
                ("Worker", Loaded),
                ("runInThisContext", Loaded),
                ("runInNewContext", Loaded),
            ],
            Self::Perl => &[
                ("system", Started),
                ("exec", Started),
                ("qx", Started),
                ("require", Loaded),
                ("do", Loaded),
            ],
            Self::Ruby => &[
                ("system", Started),
                ("exec", Started),
                ("spawn", Started),
                ("popen", Started),
                ("capture2", Started),
                ("capture2e", Started),
                ("capture3", Started),
                ("require_relative", Loaded),
                ("require", Loaded),
                ("load", Loaded),
                ("instance_eval", Loaded),
            ],
            Self::Awk => &[("system", Started)],
        }
    }

    const fn needs_parentheses(self) -> bool {
        matches!(self, Self::Python | Self::JavaScript | Self::Awk)
    }

    const fn comment(self) -> &'static str {
        match self {
            Self::JavaScript => "//",
            _ => "#",
        }
    }
}

/// Finds what a text starts and loads.
pub(super) fn calls(text: &str, tongue: Tongue) -> Vec<Call> {
    let mut found = Vec::new();
    // A line that starts with a comment sign contains no calls.
    let kept: Vec<&str> = text
        .lines()
        .filter(|it| !it.trim_start().starts_with(tongue.comment()))
        .collect();
    let text = kept.join("\n");
    let is_inside = |it: char| it.is_alphanumeric() || it == '_';
    for (name, used) in tongue.calls() {
        let mut from = 0;
        while let Some(at) = text[from..].find(name).map(|it| it + from) {
            from = at + name.len();
            let before = text[..at].chars().next_back();
            let behind = &text[from..];
            let own_name = name.rsplit('.').next() == Some(*name);
            // `regex.exec(…)`, `cursor.exec(…)`: an unrelated method.
            let of_another = before == Some('.') && own_name && is_common(name);
            if before.is_some_and(|it| is_inside(it) || it == '$' || it == '@')
                || behind.chars().next().is_some_and(is_inside)
                || of_another && !is_starter_module(&text[..at])
                || found.len() >= MAX_CALLS
            {
                continue;
            }
            if let Some(given) = arguments_text(behind, tongue) {
                found.push(call(name, given, *used));
            }
        }
    }
    if matches!(tongue, Tongue::Perl | Tongue::Ruby) {
        let mut pieces = text.split('`');
        pieces.next();
        while let (Some(inside), Some(_)) = (pieces.next(), pieces.next()) {
            let is_known = !inside.trim_start().starts_with(['$', '#', '@']);
            found.push(Call {
                written: short(inside),
                used: Use::Started,
                strings: vec![inside.to_owned()],
                is_known,
            });
        }
    }
    found
}

/// Names that other things also have.
fn is_common(name: &str) -> bool {
    [
        "exec", "run", "do", "load", "system", "spawn", "import", "require", "fork",
    ]
    .contains(&name)
}

/// Returns whether the name in front of a dot is that of a module that starts programs.
fn is_starter_module(before: &str) -> bool {
    let before = before.trim_end_matches('.');
    let is_inside = |it: char| !(it.is_alphanumeric() || it == '_');
    let name = before.rsplit(is_inside).next().unwrap_or_default();
    [
        "child_process",
        "cp",
        "childProcess",
        "Kernel",
        "Process",
        "proc",
    ]
    .contains(&name)
}

/// Returns a call's arguments: the content of its parentheses, or the rest of its statement.
fn arguments_text(behind: &str, tongue: Tongue) -> Option<&str> {
    let bare = behind.trim_start_matches([' ', '\t']);
    if let Some(inside) = bare.strip_prefix('(') {
        return Some(&inside[..end_of(inside)]);
    }
    if tongue.needs_parentheses() {
        return None;
    }
    let end = bare.find(['\n', ';']).unwrap_or(bare.len());
    let given = bare[..end].trim();
    // `do { … }`, `system = 1`, `require Foo::Bar`: not a file.
    let is_name = |it: &str| {
        let mut signs = it.chars();
        signs
            .next()
            .is_some_and(|it| it.is_lowercase() || it == '_')
            && signs.all(|it| it.is_alphanumeric() || "_.".contains(it))
    };
    let is_given = given.starts_with(['"', '\'', '$', '@', '%', '#'])
        || tongue == Tongue::Ruby && (given.starts_with("File") || is_name(given));
    is_given.then_some(given)
}

/// Returns where the parenthesis closes that a text is inside of.
fn end_of(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut signs = text.char_indices().take(MAX_LENGTH);
    while let Some((at, sign)) = signs.next() {
        match (quote, sign) {
            (_, '\\') => {
                signs.next();
            }
            (Some(open), _) if open == sign => quote = None,
            (None, '"' | '\'' | '`') => quote = Some(sign),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') if depth == 0 => return at,
            (None, ')' | ']' | '}') => depth -= 1,
            _ => {}
        }
    }
    text.char_indices()
        .nth(MAX_LENGTH)
        .map_or(text.len(), |(at, _)| at)
}

fn call(name: &str, given: &str, used: Use) -> Call {
    let (strings, is_whole) = strings(given);
    let start = given.trim_start_matches(['[', '(', ' ', '\n', '\t', '*']);
    let start = start.trim_start_matches(['r', 'b', 'u', 'R', 'B']);
    let interpreters = [
        "sys.executable",
        "process.execPath",
        "process.argv[0]",
        "$^X",
    ];
    let is_interpreter = interpreters.iter().any(|it| start.starts_with(it));
    let opens = used == Use::Loaded && start.starts_with("open(") && !strings.is_empty();
    let begins_known = start.starts_with(['"', '\'', '`']) && is_whole;
    Call {
        written: short(&format!("{name}({given}")),
        used,
        is_known: begins_known || opens && is_whole || is_interpreter && !strings.is_empty(),
        strings,
    }
}

/// Returns the strings of a text, and whether the first of them is complete.
pub(super) fn strings(text: &str) -> (Vec<String>, bool) {
    let mut found = Vec::new();
    let mut is_whole = true;
    let mut signs = text.char_indices();
    let mut before = ' ';
    while let Some((_, sign)) = signs.next() {
        if !['"', '\'', '`'].contains(&sign) {
            before = sign;
            continue;
        }
        let mut string = String::new();
        let mut end = text.len();
        while let Some((at, inside)) = signs.next() {
            if inside == '\\' {
                string.extend(signs.next().map(|(_, it)| it));
            } else if inside == sign {
                end = at + 1;
                break;
            } else {
                string.push(inside);
            }
        }
        let computes = ['f', 'F'].contains(&before) && string.contains('{')
            || sign != '\'' && (string.contains("#{") || string.contains("${"))
            || sign == '"' && string.contains('$') && !string.contains("$(");
        let rest = text.get(end..).unwrap_or_default().trim_start();
        let goes_on = rest.starts_with(['+', '%', '.', '~']) && !rest.starts_with(".split");
        if found.is_empty() {
            is_whole = !computes && !goes_on;
        }
        found.push(string);
        before = ' ';
    }
    (found, is_whole)
}

fn short(text: &str) -> String {
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.chars().take(48).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TR-1: what a text starts or loads is known if it begins with a complete string, and only
    /// then.
    #[test]
    fn calls_are_known_by_the_strings_that_they_are_given() {
        use Tongue::{Awk, JavaScript, Perl, Python, Ruby};
        for (text, tongue, string) in [
            ("subprocess.run(['bash', 'a.sh'])", Python, "bash"),
            ("os.system('bash a.sh')", Python, "bash a.sh"),
            ("exec(open('a.py').read())", Python, "a.py"),
            ("runpy.run_path(\"a.py\")", Python, "a.py"),
            ("subprocess.run([sys.executable, 'a.py'])", Python, "a.py"),
            ("const x = require('./a')", JavaScript, "./a"),
            ("child_process.exec(`sh a.sh`)", JavaScript, "sh a.sh"),
            ("system 'sh a.sh';", Perl, "sh a.sh"),
            ("require './a.pl';", Perl, "./a.pl"),
            ("require_relative 'a'", Ruby, "a"),
            ("x = `sh a.sh`", Ruby, "sh a.sh"),
            ("BEGIN { system(\"sh a.sh\") }", Awk, "sh a.sh"),
        ] {
            let found = calls(text, tongue);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert_eq!(found[0].strings[0], string, "{text}");
            assert!(found[0].is_known, "{text}: {found:?}");
        }
        for (text, tongue) in [
            ("subprocess.run(command)", Python),
            ("os.system('sh ' + name)", Python),
            ("os.system(f'sh {name}')", Python),
            ("exec(open(name).read())", Python),
            ("importlib.import_module(name)", Python),
            ("require(name)", JavaScript),
            ("execSync(`sh ${name}`)", JavaScript),
            ("system(\"sh $name\");", Perl),
            ("do $file;", Perl),
            ("load File.join(__dir__, name)", Ruby),
            ("{ system($1) }", Awk),
        ] {
            let found = calls(text, tongue);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert!(!found[0].is_known, "{text}: {found:?}");
        }
        for (text, tongue) in [
            ("match = pattern.exec(text)", JavaScript),
            ("# os.system(name)", Python),
            ("execution(name)", Python),
            ("require Foo::Bar;", Perl),
            ("do { 1 } while ($x);", Perl),
        ] {
            assert_eq!(calls(text, tongue), [], "{text}");
        }
    }
}
