//! Programs' output compared with something that they never print (CM-3): `git branch
//! --show-current` with a full reference, and untrimmed output with a text that lacks its line
//! break.

use hookloop_text::shorten::excerpt;

use super::Flaw;
use super::source::{Call, Source, is_part, literal, whole_literal};
use crate::refusal::Language;

/// How git names the current branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    /// `main`
    Shortly,
    /// `refs/heads/main`
    Fully,
}

/// How a call of git that prints the branch is written, without quotes and commas.
const BRANCHES: [(&str, Named); 5] = [
    ("git branch --show-current", Named::Shortly),
    ("git rev-parse --abbrev-ref HEAD", Named::Shortly),
    ("git symbolic-ref --short HEAD", Named::Shortly),
    ("git symbolic-ref --short -q HEAD", Named::Shortly),
    ("git symbolic-ref HEAD", Named::Fully),
];

/// Branches that guards protect.
const PROTECTED: [&str; 8] = [
    "main",
    "master",
    "develop",
    "trunk",
    "production",
    "prod",
    "release",
    "staging",
];

/// Looks into a program in any language for a branch that is compared with another kind of name.
pub(super) fn check_branches(text: &str) -> Option<Flaw> {
    let mut lines = text.lines().filter(|it| !is_comment(it));
    let (name, named) = lines.find_map(bound_branch)?;
    // A later assignment changes the text.
    let assigned = text.lines().filter(|it| assigns(it, name)).count();
    let cuts = [
        format!("{name}#"),
        format!("{name}.replace"),
        format!("{name}.split"),
    ];
    if assigned != 1 || cuts.iter().any(|it| text.contains(it.as_str())) {
        return None;
    }
    let lines = text.lines().enumerate().filter(|(_, it)| !is_comment(it));
    lines
        .flat_map(|(at, line)| comparison_texts(line, name).map(move |it| (at, it)))
        .find_map(|(at, right)| {
            let (why, help) = match named {
                Named::Shortly => {
                    let short = [
                        "refs/heads/",
                        "refs/remotes/origin/",
                        "remotes/origin/",
                        "origin/",
                    ]
                    .iter()
                    .find_map(|it| right.strip_prefix(it))?;
                    ("git prints the branch's short name here", short.to_owned())
                }
                Named::Fully if PROTECTED.contains(&right) => (
                    "\"git symbolic-ref HEAD\" prints the branch's full name",
                    format!("refs/heads/{right}"),
                ),
                Named::Fully => return None,
            };
            let why = format!("{why}, and it is compared with \"{}\"", excerpt(right));
            Some(Flaw::for_comparison(
                at + 1,
                why,
                format!("write \"{}\"", excerpt(&help)),
            ))
        })
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('#') || line.starts_with("//")
}

/// Returns the variable to which a line gives the current branch and nothing else.
fn bound_branch(line: &str) -> Option<(&str, Named)> {
    let at = line.find('=')?;
    let name = line[..at].trim_end();
    let name = &name[name.trim_end_matches(is_part).len()..];
    let value = line[at + 1..].replace(['"', '\'', ',', '[', '`'], " ");
    let words: Vec<&str> = value.split_whitespace().collect();
    let value = words.join(" ");
    let changes = [
        "|",
        "sed ",
        ".replace",
        ".split",
        "#refs",
        "rsplit",
        "removeprefix",
    ];
    let (call, named) = BRANCHES.iter().find(|(call, _)| value.contains(call))?;
    // A prefix is part of the value: `refs/heads/$(…)`.
    let before = value.split(call).next().unwrap_or_default();
    if before.contains('/') {
        return None;
    }
    (!name.is_empty() && !changes.iter().any(|it| value.contains(it))).then_some((name, *named))
}

fn assigns(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let behind = line[at + name.len()..].trim_start();
        let is_own = !line[..at].ends_with(|it| is_part(it) || matches!(it, '.' | '{'))
            && !line[..at].ends_with("\"$")
            && !line[..at].ends_with("[ $");
        let is_value = behind.starts_with('=') && !behind.starts_with("==");
        let is_shell = line[at + name.len()..].starts_with('=');
        is_own
            && is_value
            && (is_shell || !line[..at].ends_with('$') || line.trim_start().starts_with("my "))
    })
}

/// Returns the texts with which a line compares a variable.
fn comparison_texts<'l>(line: &'l str, name: &'l str) -> impl Iterator<Item = &'l str> {
    line.match_indices(name).filter_map(move |(at, _)| {
        let before = &line[..at];
        let behind = &line[at + name.len()..];
        if before.ends_with(is_part) || behind.starts_with(is_part) {
            return None;
        }
        let is_shell = before.ends_with(['$', '{']);
        let mut behind = behind.trim_start_matches(['}', '"']);
        for harmless in [".strip()", ".trim()", ".rstrip()", ".decode()"] {
            behind = behind.strip_prefix(harmless).unwrap_or(behind);
        }
        let right = behind.trim_start();
        let operators: &[&str] = if is_shell {
            &["==", "= ", "eq "]
        } else {
            &["===", "=="]
        };
        let right = operators
            .iter()
            .find_map(|it| right.strip_prefix(it))?
            .trim_start();
        let quote = right.chars().next().filter(|it| matches!(it, '"' | '\''));
        let (right, ends): (&str, &[char]) = match quote {
            Some('"') => (&right[1..], &['"']),
            Some(_) => (&right[1..], &['\'']),
            None if is_shell => (right, &[' ', ']', ';', ')']),
            None => return None,
        };
        let text = right.split(ends).next()?;
        (!text.is_empty() && !text.contains(['$', '*', '?'])).then_some(text)
    })
}

/// The form in which a program's output arrives.
struct Output<'s> {
    at: usize,
    is_bytes: bool,
    name: &'s str,
}

/// Looks for an output that is compared as it arrives: it ends with a line break, or isn't text.
pub(super) fn as_it_comes(source: &Source<'_>) -> Option<Flaw> {
    let starts: &[&str] = match source.language {
        Language::Python => &[
            "subprocess.check_output",
            "subprocess.run",
            "subprocess.getoutput",
        ],
        Language::JavaScript => &["execSync", "execFileSync"],
        Language::Shell => return None,
    };
    let outputs = starts.iter().flat_map(|start| {
        source.calls(start).filter_map(move |call| {
            let behind = source.plain[call.end..].lines().next().unwrap_or_default();
            output_of(source, start, &call, behind.trim_end())
        })
    });
    let outputs: Vec<Output<'_>> = outputs.collect();
    outputs
        .into_iter()
        .find_map(|it| check_comparison(source, &it))
}

/// Returns the variable that contains what a call prints, and nothing else.
fn output_of<'s>(
    source: &'s Source<'_>,
    start: &str,
    call: &Call<'_>,
    behind: &str,
) -> Option<Output<'s>> {
    let from = call.start;
    let written = &source.text[from..call.end];
    let behind = behind.trim_end_matches(';');
    let is_text = [
        "text=True",
        "universal_newlines=True",
        "encoding",
        "text = True",
    ]
    .iter()
    .any(|it| written.contains(it));
    let is_decoded = match source.language {
        Language::Python => match (start, behind) {
            ("subprocess.check_output", "") | ("subprocess.run", ".stdout") => false,
            ("subprocess.check_output", ".strip()") | ("subprocess.run", ".stdout.strip()")
                if !is_text =>
            {
                false
            }
            ("subprocess.check_output", ".decode()") | ("subprocess.run", ".stdout.decode()") => {
                true
            }
            _ => return None,
        },
        _ => match behind {
            "" => false,
            ".toString()" | ".toString('utf8')" => true,
            _ => return None,
        },
    };
    // Only these, with such options, print a line without a line break.
    if written.contains("printf") || written.contains("-n") || written.contains("jq -j") {
        return None;
    }
    let line = source.plain[..from].rsplit('\n').next().unwrap_or_default();
    let head = line.trim_end().strip_suffix('=')?.trim_end();
    let name = &head[head.trim_end_matches(is_part).len()..];
    let place = from - line.len() + head.len() - name.len();
    let is_only = source.places(name).filter(|at| {
        let behind = source.plain[at + name.len()..].trim_start();
        behind.starts_with('=') && !behind.starts_with("==")
    });
    let is_only = is_only.eq([place]);
    (!name.is_empty() && is_only).then(|| Output {
        at: place,
        is_bytes: !is_text && !is_decoded,
        name: &source.text[place..place + name.len()],
    })
}

fn check_comparison(source: &Source<'_>, output: &Output<'_>) -> Option<Flaw> {
    let trims = match source.language {
        Language::Python => ".strip()",
        _ => ".trim()",
    };
    source
        .places(output.name)
        .filter(|at| *at > output.at)
        .find_map(|at| {
            let behind = source.text[at + output.name.len()..].trim_start();
            let right = ["===", "=="]
                .iter()
                .find_map(|it| behind.strip_prefix(it))?
                .trim_start();
            let text = whole_literal(right).or_else(|| literal(right).map(|it| it.inner))?;
            let is_text = !right.starts_with('b') && !text.is_empty() && !text.ends_with("\\n");
            let (why, help) = if output.is_bytes && source.language == Language::Python {
                (
                    "holds bytes",
                    "get text and remove the line break: text=True, and .strip()".to_owned(),
                )
            } else if output.is_bytes {
                (
                    "holds a Buffer",
                    "write .toString().trim() after the call".to_owned(),
                )
            } else {
                (
                    "ends with a line break",
                    format!("write {trims} after the call"),
                )
            };
            is_text.then(|| {
                let why = format!(
                    "\"{}\" {why}, as the program prints it, and is compared with \"{}\"",
                    output.name,
                    excerpt(text)
                );
                Flaw::for_comparison(source.line_of(at), why, help)
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-3: a branch that is compared with a name git doesn't print is found, in the languages of
    /// hooks.
    #[test]
    fn branches_compared_with_other_names_are_found() {
        for (text, is_found) in [
            (
                "branch=$(git branch --show-current)\n[ \"$branch\" = refs/heads/main ] && exit 2",
                true,
            ),
            (
                "branch=$(git branch --show-current)\n[[ $branch == \"origin/main\" ]] && exit 2",
                true,
            ),
            (
                "b=\"$(git symbolic-ref HEAD)\"\n[ \"$b\" = \"main\" ] && exit 2",
                true,
            ),
            (
                "b = subprocess.check_output(['git', 'branch', '--show-current'], text=True).strip()\nif b == 'refs/heads/main': x",
                true,
            ),
            (
                "const b = execSync('git rev-parse --abbrev-ref HEAD').toString().trim();\nif (b === 'origin/main') x()",
                true,
            ),
            (
                "my $b = `git branch --show-current`;\nchomp $b;\nexit 2 if $b eq 'refs/heads/main';",
                true,
            ),
            (
                "branch=$(git branch --show-current)\n[ \"$branch\" = main ] && exit 2",
                false,
            ),
            (
                "branch=$(git symbolic-ref HEAD)\n[ \"$branch\" = refs/heads/main ] && exit 2",
                false,
            ),
            (
                "branch=$(git symbolic-ref HEAD)\nbranch=${branch#refs/heads/}\n[ \"$branch\" = main ] && exit 2",
                false,
            ),
            (
                "branch=$(git symbolic-ref HEAD | sed s,refs/heads/,,)\n[ \"$branch\" = main ] && exit 2",
                false,
            ),
            (
                "branch=refs/heads/$(git branch --show-current)\n[ \"$branch\" = refs/heads/main ] && exit 2",
                false,
            ),
            (
                "ref=$1\nbranch=$(git branch --show-current)\n[ \"$ref\" = refs/heads/main ] && exit 2",
                false,
            ),
        ] {
            assert_eq!(check_branches(text).is_some(), is_found, "{text}");
        }
    }

    /// CM-3: an output that is compared as it arrives is found, and one that was trimmed isn't.
    #[test]
    fn outputs_compared_as_they_come_are_found() {
        use Language::{JavaScript, Python};
        for (language, text, is_found) in [
            (
                Python,
                "b = subprocess.run(['x'], capture_output=True, text=True).stdout\nif b == 'main': x",
                true,
            ),
            (
                Python,
                "b = subprocess.check_output(['x']).strip()\nif b == 'main': x",
                true,
            ),
            (
                Python,
                "b = subprocess.check_output(['x']).decode()\nif b == 'main': x",
                true,
            ),
            (
                JavaScript,
                "const b = execSync('x');\nif (b === 'main') y()",
                true,
            ),
            (
                JavaScript,
                "const b = execSync('x').toString();\nif (b === 'main') y()",
                true,
            ),
            (
                Python,
                "b = subprocess.check_output(['x'], text=True).strip()\nif b == 'main': x",
                false,
            ),
            (
                Python,
                "b = subprocess.check_output(['x']).strip()\nif b == b'main': x",
                false,
            ),
            (
                Python,
                "b = subprocess.run(['x'], text=True).stdout\nif b == 'main\\n': x",
                false,
            ),
            (
                Python,
                "b = subprocess.run(['x'], text=True).stdout\nif b.strip() == 'main': x",
                false,
            ),
            (
                Python,
                "b = subprocess.run(['x'], text=True).stdout\nb = b.strip()\nif b == 'main': x",
                false,
            ),
            (
                Python,
                "b = subprocess.run(['printf', 'x'], text=True).stdout\nif b == 'main': x",
                false,
            ),
            (
                Python,
                "b = subprocess.run(['x'], text=True).stdout\nif b == '': x",
                false,
            ),
            (
                JavaScript,
                "const b = execSync('x', {encoding: 'utf8'}).trim();\nif (b === 'main') y()",
                false,
            ),
        ] {
            let source = Source::read(text, language);
            assert_eq!(as_it_comes(&source).is_some(), is_found, "{text}");
        }
    }
}
