//! Makefiles: what runs for a target and its prerequisites.

use hookloop_shell::{Input, build_files, is_standard_input};

use super::{MAX_LENGTH, Project};

/// How many targets are followed.
const MAX_TARGETS: usize = 32;

/// How deep files include each other, and variables name each other.
const MAX_DEPTH: usize = 6;

/// Options of make that have a value.
const WITH_VALUE: &[&str] = &[
    "-C",
    "--directory",
    "-I",
    "--include-dir",
    "-o",
    "--old-file",
    "--assume-old",
    "-W",
    "--what-if",
    "--new-file",
    "--assume-new",
];

/// Options with which nothing is made.
const QUERY_OPTIONS: &[&str] = &[
    "--just-print",
    "--dry-run",
    "--recon",
    "--question",
    "--touch",
    "--help",
    "--version",
];

/// The arguments of make.
#[derive(Default)]
struct Invocation<'w> {
    files: Vec<&'w str>,
    targets: Vec<&'w str>,
    variables: Vec<(String, String)>,
    evaluated: Vec<&'w str>,
}

impl<'w> Invocation<'w> {
    /// Reads the arguments of `make`; nothing if it makes nothing.
    fn read(words: &[&'w str]) -> Option<Self> {
        let mut asked = Self::default();
        let mut words = words.iter().copied().peekable();
        while let Some(word) = words.next() {
            if let Some(rest) = word.strip_prefix("--") {
                let (name, value) = match rest.split_once('=') {
                    Some((name, value)) => (name, Some(value)),
                    None => (rest, None),
                };
                let long = format!("--{name}");
                if QUERY_OPTIONS.contains(&long.as_str()) {
                    return None;
                }
                match name {
                    "file" | "makefile" => asked.files.extend(value.or_else(|| words.next())),
                    "eval" => asked.evaluated.extend(value.or_else(|| words.next())),
                    _ if value.is_none() && WITH_VALUE.contains(&long.as_str()) => {
                        words.next();
                    }
                    _ => {}
                }
            } else if let Some(letters) = word.strip_prefix('-') {
                for (at, letter) in letters.char_indices() {
                    let rest = &letters[at + 1..];
                    match letter {
                        'n' | 'q' | 't' | 'h' | 'v' => return None,
                        'f' | 'E' if !rest.is_empty() => asked.files.push(rest),
                        'f' => asked.files.extend(words.next()),
                        'E' => asked.evaluated.extend(words.next()),
                        'C' | 'I' | 'o' | 'W' if rest.is_empty() => drop(words.next()),
                        'j' | 'l' if rest.is_empty() => {
                            words.next_if(|it| it.starts_with(|it: char| it.is_ascii_digit()));
                        }
                        'C' | 'I' | 'o' | 'W' | 'j' | 'l' | 'O' => {}
                        _ => continue,
                    }
                    break;
                }
            } else if let Some((name, value)) = word.split_once('=') {
                let name = name.trim_end_matches([':', '?', '+']);
                asked.variables.push((name.to_owned(), value.to_owned()));
            } else {
                asked.targets.push(word);
            }
        }
        Some(asked)
    }
}

/// Returns what make does for its arguments, as shell text.
pub(super) fn recipes(project: &Project<'_>, words: &[&str], input: &Input) -> Option<String> {
    let asked = Invocation::read(words)?;
    let mut text = String::new();
    for file in &asked.files {
        let is_input = *file == "-" || is_standard_input(file);
        let read = match input {
            Input::Text(text) if is_input => Some(text.clone()),
            Input::File(path) if is_input => project.read(path),
            Input::Output(line) if is_input => project.cat_output(line),
            _ => project.read(file),
        };
        text.push_str(&read.unwrap_or_default());
        text.push('\n');
    }
    if asked.files.is_empty() {
        text = build_files("make").iter().find_map(|it| project.read(it))?;
    }
    for more in &asked.evaluated {
        text = format!("{more}\n{text}");
    }
    let mut file = Makefile {
        given: asked.variables,
        ..Makefile::default()
    };
    file.take(project, &text, 0);
    Some(file.recipes_of(&asked.targets))
}

/// A rule: its targets, their prerequisites, and its lines.
#[derive(Debug, Default)]
struct Rule {
    targets: Vec<String>,
    needs: Vec<String>,
    lines: Vec<String>,
}

/// The content of a makefile.
#[derive(Debug, Default)]
struct Makefile {
    rules: Vec<Rule>,
    variables: Vec<(String, String)>,
    /// Those that the command gives, which take precedence over all others.
    given: Vec<(String, String)>,
    /// What is run as the file is read.
    at_once: Vec<String>,
}

impl Makefile {
    /// Reads the lines of a file.
    fn take(&mut self, project: &Project<'_>, text: &str, depth: usize) {
        let text = text.replace("\\\n", " ");
        let mut defined: Option<(String, Vec<&str>)> = None;
        let mut in_rule = false;
        for line in text.lines() {
            let trimmed = line.trim();
            if let Some((name, lines)) = &mut defined {
                if trimmed == "endef" {
                    self.variables.push((name.clone(), lines.join("\n")));
                    defined = None;
                } else {
                    lines.push(line);
                }
                continue;
            }
            if line.starts_with('\t') || in_rule && line.starts_with(' ') && !trimmed.is_empty() {
                if let Some(rule) = self.rules.last_mut().filter(|_| in_rule) {
                    rule.lines.push(trimmed.to_owned());
                }
                continue;
            }
            let plain = without_comment(trimmed);
            let word = plain.split_whitespace().next().unwrap_or("");
            let rest = plain.strip_prefix(word).unwrap_or("").trim();
            match word {
                "" | "ifdef" | "ifndef" | "ifeq" | "ifneq" | "else" | "endif" | "undefine"
                | "vpath" | "unexport" => {}
                "define" => {
                    let name = rest.trim_end_matches(['=', ':', ' ']);
                    defined = Some((name.to_owned(), Vec::new()));
                }
                "include" | "-include" | "sinclude" if depth < MAX_DEPTH => {
                    for name in self.expand(rest, &[], 0).split_whitespace() {
                        if let Some(text) = project.read(name) {
                            self.take(project, &text, depth + 1);
                        }
                    }
                    in_rule = false;
                }
                "export" | "override" | "private" => _ = self.take_assignment(rest),
                _ if self.take_assignment(plain) => in_rule = false,
                _ => in_rule = self.begin_rule(plain),
            }
        }
    }

    /// Reads an assignment; returns whether it is one.
    fn take_assignment(&mut self, line: &str) -> bool {
        let Some((left, value)) = line.split_once('=') else {
            return false;
        };
        let name = left.trim_end_matches([':', '?', '+', '!']).trim();
        if name.is_empty() || name.contains(|it: char| it.is_whitespace() || it == ':') {
            return false;
        }
        let value = value.trim();
        // An immediate assignment runs its commands at once.
        if left.ends_with([':', '!']) {
            self.notes_run(value);
        }
        if left.ends_with('!') {
            self.at_once.push(self.expand(value, &[], 0));
        }
        let is_set = self.variables.iter().any(|(known, _)| known == name);
        if left.ends_with('+') && is_set {
            let before = self.value(name).unwrap_or_default();
            let both = format!("{before} {value}");
            self.variables.push((name.to_owned(), both));
        } else if !(left.ends_with('?') && is_set) {
            self.variables.push((name.to_owned(), value.to_owned()));
        }
        true
    }

    /// Begins a rule; returns whether the line is the head of one.
    fn begin_rule(&mut self, line: &str) -> bool {
        let (head, recipe) = match line.split_once(';') {
            Some((head, recipe))
                if !head.contains("$(")
                    || head.matches('(').count() == head.matches(')').count() =>
            {
                (head, Some(recipe))
            }
            _ => (line, None),
        };
        let head = self.expand(head, &[], 0);
        let Some((targets, needs)) = head.split_once(':') else {
            // A call on its own line may run something.
            self.notes_run(line);
            return false;
        };
        let needs = needs.trim_start_matches(':').trim();
        // A target-specific variable is treated as global.
        if needs.contains('=') && self.take_assignment(needs) {
            return false;
        }
        let words = |text: &str| -> Vec<String> {
            let words = text.split_whitespace().filter(|it| *it != "|");
            words
                .map(|it| it.trim_end_matches('&').to_owned())
                .collect()
        };
        self.rules.push(Rule {
            targets: words(targets),
            // `targets: pattern: needs`
            needs: words(&needs.replace(':', " ")),
            lines: recipe.into_iter().map(|it| it.trim().to_owned()).collect(),
        });
        true
    }

    /// Notes the `$(shell …)` of a text that is read as it is.
    fn notes_run(&mut self, text: &str) {
        if text.contains("(shell ") {
            let run = format!(": {}", self.expand(text, &[], 0));
            self.at_once.push(run);
        }
    }

    fn value(&self, name: &str) -> Option<String> {
        let given = self.given.iter().rev().chain(self.variables.iter().rev());
        let mut known = given.filter(|(it, _)| it == name);
        known.next().map(|(_, value)| value.clone())
    }

    /// Returns what runs for targets and for what they need, with a shell for each line; for the
    /// first target if none is named.
    fn recipes_of(&self, named: &[&str]) -> String {
        let mut open: Vec<String> = named.iter().rev().map(|it| (*it).to_owned()).collect();
        if open.is_empty() {
            let first = self.rules.iter().flat_map(|it| &it.targets);
            let mut first = first.filter(|it| !it.starts_with('.') && !it.contains('%'));
            open.extend(
                self.value(".DEFAULT_GOAL")
                    .or_else(|| first.next().cloned()),
            );
        }
        let mut done: Vec<String> = Vec::new();
        let mut lines: Vec<String> = self.at_once.clone();
        while let Some(name) = open.pop() {
            self.visit(&name, &mut done, &mut lines);
        }
        if self
            .rules
            .iter()
            .any(|it| it.targets.iter().any(|it| it == ".ONESHELL"))
        {
            return lines.join("\n").chars().take(MAX_LENGTH).collect();
        }
        let lines = lines.iter().flat_map(|it| it.lines()).filter_map(|it| {
            let plain = it.trim().trim_start_matches(['@', '-', '+', ' ']);
            // Each line has its own shell.
            (!plain.is_empty() && !plain.starts_with('#')).then(|| format!("({plain}\n)"))
        });
        let text = lines.collect::<Vec<_>>().join("\n");
        text.chars().take(MAX_LENGTH).collect()
    }

    /// Adds the lines of a target, after those of what it needs.
    fn visit(&self, name: &str, done: &mut Vec<String>, lines: &mut Vec<String>) {
        if done.len() >= MAX_TARGETS || done.iter().any(|it| it == name) {
            return;
        }
        done.push(name.to_owned());
        let mut own = Vec::new();
        for rule in &self.rules {
            let Some(stem) = rule.targets.iter().find_map(|it| stem_of(it, name)) else {
                continue;
            };
            let needs: Vec<String> = rule.needs.iter().map(|it| it.replace('%', &stem)).collect();
            for needed in &needs {
                self.visit(needed, done, lines);
            }
            let all = needs.join(" ");
            let first = needs.first().cloned().unwrap_or_default();
            let automatic = [
                ("@", name.to_owned()),
                ("<", first),
                ("^", all.clone()),
                ("+", all),
                ("*", stem),
            ];
            let expanded = rule.lines.iter().map(|it| self.expand(it, &automatic, 0));
            own.extend(expanded);
        }
        lines.extend(own);
    }

    /// Expands variables and calls. What isn't known becomes a variable of the shell.
    fn expand(&self, text: &str, automatic: &[(&str, String)], depth: usize) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            out.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            let Some(first) = rest.chars().next() else {
                break;
            };
            let closing = match first {
                '$' => {
                    out.push('$');
                    rest = &rest[1..];
                    continue;
                }
                '(' => ')',
                '{' => '}',
                other => {
                    let length = other.len_utf8();
                    out.push_str(&self.variable_value(&rest[..length], automatic, depth));
                    rest = &rest[length..];
                    continue;
                }
            };
            let Some(end) = end_of(rest, first, closing) else {
                out.push('$');
                continue;
            };
            out.push_str(&self.expand_call(&rest[1..end], automatic, depth));
            rest = &rest[end + 1..];
            if out.len() > MAX_LENGTH {
                return out;
            }
        }
        out.push_str(rest);
        out
    }

    fn variable_value(&self, name: &str, automatic: &[(&str, String)], depth: usize) -> String {
        if let Some((_, value)) = automatic.iter().find(|(known, _)| *known == name) {
            return value.clone();
        }
        match self.value(name) {
            Some(value) if depth < MAX_DEPTH => self.expand(&value, automatic, depth + 1),
            None if name == "MAKE" => "make".to_owned(),
            _ if name.chars().all(|it| it.is_alphanumeric() || it == '_') => format!("${{{name}}}"),
            _ => String::new(),
        }
    }

    /// Returns what replaces `$(…)`.
    fn expand_call(&self, inner: &str, automatic: &[(&str, String)], depth: usize) -> String {
        if depth >= MAX_DEPTH {
            return String::new();
        }
        let Some((function, behind)) = inner.split_once(char::is_whitespace) else {
            // `$(X:.c=.o)`
            let name = inner.split(':').next().unwrap_or("");
            let name = self.expand(name, automatic, depth + 1);
            return self.variable_value(&name, automatic, depth);
        };
        let expand = |text: &str| self.expand(text, automatic, depth + 1);
        let parts: Vec<&str> = arguments(behind);
        let part = |at: usize| parts.get(at).map(|it| expand(it)).unwrap_or_default();
        match function {
            "shell" => format!("$({})", expand(behind)),
            "call" => {
                let mut inner: Vec<(&str, String)> = automatic.to_vec();
                let numbers = ["1", "2", "3", "4"];
                for (at, number) in numbers.into_iter().enumerate() {
                    inner.insert(0, (number, part(at + 1).trim().to_owned()));
                }
                let text = self.value(part(0).trim()).unwrap_or_default();
                self.expand(&text, &inner, depth + 1)
            }
            "subst" => part(2).replace(&part(0), &part(1)),
            "strip" | "eval" | "lastword" | "firstword" | "or" | "and" => part(0).trim().to_owned(),
            "addprefix" | "addsuffix" => {
                let affix = part(0);
                let words = part(1);
                let words = words.split_whitespace().map(|it| match function {
                    "addprefix" => format!("{affix}{it}"),
                    _ => format!("{it}{affix}"),
                });
                words.collect::<Vec<_>>().join(" ")
            }
            // Both branches are followed.
            "if" => match (part(1), part(2)) {
                (yes, no) if no.trim().is_empty() => yes,
                (yes, no) => format!("{yes}\n{no}"),
            },
            "foreach" => {
                let name = part(0);
                let text = parts.get(2).copied().unwrap_or("");
                let each = part(1);
                let each = each.split_whitespace().take(MAX_TARGETS).map(|word| {
                    let mut inner: Vec<(&str, String)> = vec![(name.trim(), word.to_owned())];
                    inner.extend(automatic.iter().cloned());
                    self.expand(text, &inner, depth + 1)
                });
                each.collect::<Vec<_>>().join(" ")
            }
            "info" | "warning" | "error" => String::new(),
            _ => format!("${{{function}}}"),
        }
    }
}

/// Splits the arguments of a call at its own commas.
fn arguments(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut open, mut from) = (0_usize, 0);
    for (at, character) in text.char_indices() {
        match character {
            '(' | '{' => open += 1,
            ')' | '}' => open = open.saturating_sub(1),
            ',' if open == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

/// Finds the bracket that closes the one in front.
fn end_of(text: &str, opening: char, closing: char) -> Option<usize> {
    let mut open = 0_usize;
    for (at, character) in text.char_indices() {
        if character == opening {
            open += 1;
        } else if character == closing {
            open = open.saturating_sub(1);
            if open == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// Returns what `%` of a target stands for; nothing if it isn't the one.
fn stem_of(target: &str, name: &str) -> Option<String> {
    match target.split_once('%') {
        Some((before, behind)) => {
            let stem = name.strip_prefix(before)?.strip_suffix(behind)?;
            (!stem.is_empty()).then(|| stem.to_owned())
        }
        None => (target == name).then(String::new),
    }
}

/// Removes the comment from a line that isn't a recipe.
fn without_comment(line: &str) -> &str {
    line.split_once('#')
        .map_or(line, |(before, _)| before)
        .trim()
}

#[cfg(test)]
mod tests {
    use super::{Invocation, Makefile};
    use crate::effects::Places;
    use crate::effects::scripts::{Project, WrittenFiles};

    fn done(text: &str, words: &[&str]) -> Option<String> {
        let places = Places::default();
        let mut left = WrittenFiles::default();
        let more = ("/p/more.mk".to_owned(), "more:\n\tship more\n".to_owned());
        left.written.push(more);
        let project = Project {
            folder: "/p".to_owned(),
            places: &places,
            left: &left,
        };
        let asked = Invocation::read(words)?;
        let mut file = Makefile {
            given: asked.variables,
            ..Makefile::default()
        };
        file.take(&project, text, 0);
        let lines = file.recipes_of(&asked.targets);
        Some(lines.replace("\n)", ")"))
    }

    const TEXT: &str = "\
.PHONY: all
X := 1
BR = main
all: build
build: lint
\tcc a.c
lint: ; @true

ifdef X
nuke:
\trm -rf ~/x
# a comment
\trm y
endif
rel-%: lint
\tship $* $@
var:
\tship $(BR) ${BR} $$B $(NONE)
paren:
\t(cd sub && ship); B=$$(echo main)
again:
\t$(MAKE) -C sub x
define go
ship $(1)
endef
call:
\t$(call go,main)
each:
\t$(foreach b,a c,ship $(b);)
include more.mk
";

    /// HT-40: what runs for a target and for what it needs is found, and nothing else.
    #[test]
    fn recipes_of_targets_are_found() {
        for (words, expected) in [
            (&[][..], "(true)\n(cc a.c)"),
            (&["nuke"], "(rm -rf ~/x)\n(rm y)"),
            (&["more"], "(ship more)"),
            (&["rel-a"], "(true)\n(ship a rel-a)"),
            (&["var"], "(ship main main $B ${NONE})"),
            (&["BR=x", "var"], "(ship x x $B ${NONE})"),
            (&["paren"], "((cd sub && ship); B=$(echo main))"),
            (&["again"], "(make -C sub x)"),
            (&["call"], "(ship main)"),
            (&["each"], "(ship a; ship c;)"),
            (&["none"], ""),
        ] {
            assert_eq!(done(TEXT, words).as_deref(), Some(expected), "{words:?}");
        }
    }

    /// HT-40: what follows an option of make isn't a target; what makes nothing does nothing.
    #[test]
    fn words_of_make_are_told_apart() {
        let targets = |words: &[&'static str]| Invocation::read(words).map(|it| it.targets);
        for words in [
            &["-j", "4", "-C", "a", "x"][..],
            &["-j4", "-Ca", "-k", "x"],
            &["-f", "m.mk", "--directory", "a", "-l", "2", "x"],
            &["-fm.mk", "--file=m.mk", "-sB", "A=1", "x"],
            &["-j", "x"],
        ] {
            assert_eq!(targets(words), Some(vec!["x"]), "{words:?}");
        }
        for words in [
            &["-n", "x"][..],
            &["-kn", "x"],
            &["x", "--dry-run"],
            &["-q"],
        ] {
            assert_eq!(targets(words), None, "{words:?}");
        }
    }
}
