//! What program text in other languages does to files, as far as its strings show.
//!
//! This isn't an interpreter: names are followed to the strings that were assigned to them, and
//! concatenated and joined strings are evaluated. Anything that writes to a file whose name can't
//! be found in this way is unclear.

use std::collections::BTreeSet;

use super::tables;
use super::tcl;
use super::tokens::{BELOW, Language, Token, tokens};
use super::values::{Effects, Reader};

/// Words with which names are relative to a folder that is open as a number.
const OPEN_FOLDERS: [&str; 4] = ["dir_fd", "src_dir_fd", "dst_dir_fd", "fchdir"];

/// Returns the effects of a text with these arguments.
pub(super) fn effects(text: &str, language: Language, arguments: &[String]) -> Effects {
    if language == Language::Tcl {
        return tcl::effects(text);
    }
    let tokens = tokens(text, language);
    let mut reader = Reader::new(&tokens, language, arguments);
    reader.read();
    reader.found
}

impl Reader<'_> {
    /// Reads the whole text.
    pub(super) fn read(&mut self) {
        self.aliases();
        // Repeated, so that later assignments are known in a loop, and in a loop within it.
        for _ in 0..3 {
            self.assignments();
        }
        // A module's name may be in a variable.
        self.aliases();
        self.other_names();
        self.calls();
        self.follow_values();
        if self.is_at_end() {
            let unclear = &mut self.found.unclear;
            unclear.get_or_insert_with(|| "a text that is too entangled".to_owned());
        }
    }
}

impl Reader<'_> {
    fn calls(&mut self) {
        for at in 0..self.tokens.len() {
            let Some(written) = self.name(at) else {
                continue;
            };
            let name = self.renamed.get(written).copied().unwrap_or(written);
            // `cwd='…'`, `{cwd: '…'}`
            if name == "cwd" && (self.is_sign(at + 1, '=') || self.is_sign(at + 1, ':')) {
                let end = (at + 2..self.tokens.len())
                    .find(|it| matches!(self.tokens[*it], Token::Sign(',' | ')' | '}')))
                    .unwrap_or(self.tokens.len());
                match self.value(at + 2, end) {
                    Some(folders) if folders.iter().any(|it| it.contains(BELOW)) => {
                        self.note_unclear(name);
                    }
                    folders => self.found.folders.extend(folders.into_iter().flatten()),
                }
            }
            if OPEN_FOLDERS.contains(&name) {
                self.note_unclear(name);
            }
            if self.is_sign(at + 1, '(') {
                let close = self.closing(at + 1).unwrap_or(self.tokens.len());
                self.call(name, at, &self.split(at + 2, close));
            } else if self.language.calls_without_parentheses()
                && matches!(
                    self.tokens.get(at + 1),
                    Some(Token::Text(_) | Token::Name(_) | Token::Sign('$' | '@' | '<'))
                )
            {
                let end = self.end_of_call(at + 1);
                self.call(name, at, &self.split(at + 1, end));
            } else if name == "chdir" && self.language == Language::Perl {
                self.call(name, at, &[]);
            } else if tables::EVALUATORS.holds(name)
                && matches!(name, "__builtins__" | "__dict__" | "__import__")
            {
                self.note_unclear(name);
            } else if name == "print" && self.language == Language::Other {
                self.follow_redirect(at);
            }
        }
        if self.language == Language::Perl {
            self.opened_strings();
        } else if self.language == Language::Other {
            self.follow_pipes();
            for at in 0..self.tokens.len() {
                if matches!(self.name(at), Some("print" | "printf")) {
                    self.follow_redirect(at);
                }
            }
        }
    }

    /// `print … > "file"` in awk.
    fn follow_redirect(&mut self, at: usize) {
        let end = (at..self.tokens.len())
            .find(|it| matches!(self.tokens[*it], Token::Sign(';' | '}') | Token::Line))
            .unwrap_or(self.tokens.len());
        let Some(sign) = (at..end).find(|it| self.is_sign(*it, '>')) else {
            return;
        };
        let from = if self.is_sign(sign + 1, '>') {
            sign + 2
        } else {
            sign + 1
        };
        match self.value(from, end) {
            Some(values) => self.found.named.extend(values),
            None => {
                self.note_unclear("print >");
            }
        }
    }

    fn end_of_call(&self, from: usize) -> usize {
        self.end_at(from, |token| match token {
            Token::Sign(')' | ']' | '}' | ';' | '|' | '?') | Token::Line => true,
            Token::Name(word) => matches!(word.as_str(), "or" | "if" | "unless" | "and"),
            _ => false,
        })
    }

    fn call(&mut self, name: &str, at: usize, arguments: &[(usize, usize)]) {
        let receiver = at
            .checked_sub(2)
            .filter(|_| self.is_sign(at - 1, '.'))
            .map(|_| at - 2);
        let is_renamed = self
            .name(at)
            .is_some_and(|it| self.renamed.contains_key(it));
        let of_module = receiver
            .and_then(|it| self.name(it))
            .is_some_and(|it| self.modules.contains(it))
            || receiver.is_some_and(|it| self.is_loaded_in_place(it));
        let receiver = receiver.filter(|_| !is_renamed);
        self.call_of(name, receiver, of_module || is_renamed, arguments);
    }

    /// Follows a call on a value or a module, or one that is known to belong to a module for files.
    pub(super) fn call_of(
        &mut self,
        name: &str,
        receiver: Option<usize>,
        of_module: bool,
        arguments: &[(usize, usize)],
    ) {
        let alone = receiver.is_none();
        let mut values: Vec<Option<BTreeSet<String>>> = arguments
            .iter()
            .map(|(from, to)| self.argument(*from, *to))
            .collect();
        // Any file below a folder can be written or deleted; other uses of it aren't followed.
        if !tables::FOR_ANY_FILE.holds(name) {
            values = values.into_iter().map(without_wildcards).collect();
        }
        let is_starter = tables::ALWAYS_STARTERS.holds(name)
            || tables::STARTERS.holds(name)
                && !(alone && name == "exec" && self.language == Language::Python)
                && self.starts(receiver, name);
        if is_starter {
            return self.start(name, arguments);
        }
        if self.special(name, receiver, arguments, &values) {
            return;
        }
        if name == "chdir" {
            return self.change_folder(name, &values);
        }
        if tables::LINKERS.holds(name) {
            self.link(receiver.filter(|_| name.ends_with("_to")), &values);
        }
        if tables::EVALUATORS.holds(name) {
            return self.evaluate(name, &values);
        }
        if tables::OPENERS.holds(name) {
            let receiver = receiver.filter(|it| !of_module && !self.is_opening_module(*it));
            return self.open(name, receiver, arguments, &values);
        }
        let is_writer = tables::WRITERS.holds(name)
            || tables::WRITERS_OF_MODULES.holds(name) && (alone || of_module);
        if tables::READERS.holds(name) && !(is_writer && of_module) {
            return;
        }
        let on_path = receiver.filter(|_| tables::METHODS.holds(name) && !of_module);
        if let Some(receiver) = on_path {
            match self.receiver(receiver) {
                Some(values) => self.found.named.extend(values),
                None if tables::METHODS_OF_PATHS.holds(name) => {
                    self.note_unclear(name);
                }
                None => {}
            }
            if self.receiver(receiver).is_none() {
                return;
            }
        }
        self.found
            .named
            .extend(values.iter().flatten().flatten().cloned());
        self.copied_trees(name, &values);
        let is_perl = alone && self.language == Language::Perl;
        let moves = (of_module || is_perl) && tables::MOVERS.holds(name);
        let is_unknown = is_writer
            && !(alone && !tables::WRITERS.holds(name) && self.language == Language::Other)
            && (values.first().is_some_and(Option::is_none)
                || moves && values.get(1).is_some_and(Option::is_none));
        if is_unknown {
            self.note_unclear(name);
        }
    }

    /// Follows a change to another folder. Without an argument, Perl's leads home.
    fn change_folder(&mut self, name: &str, given: &[Option<BTreeSet<String>>]) {
        match given {
            [Some(folders), ..] => self.changes_to(folders.clone()),
            [] if self.language == Language::Perl => {
                self.changes_to(BTreeSet::from(["~".to_owned()]));
            }
            _ => {
                self.note_unclear(name);
            }
        }
    }

    /// Records folders to which a text changes, also from those to which it changed before.
    fn changes_to(&mut self, folders: BTreeSet<String>) {
        const MAX_FOLDERS: usize = 64;
        if self.found.folders.len() > MAX_FOLDERS {
            return self.note_unclear("chdir");
        }
        let before = self.found.folders.iter();
        let further: Vec<String> = before
            .flat_map(|it| folders.iter().map(move |to| format!("{it}/{to}")))
            .collect();
        self.found.folders.extend(folders);
        self.found.folders.extend(further);
    }

    /// Treats calls that copy or unpack whole folders like the equivalent commands.
    fn copied_trees(&mut self, name: &str, values: &[Option<BTreeSet<String>>]) {
        let first = |at: usize| {
            let values = values.get(at).and_then(Option::as_ref);
            values.and_then(|it| it.first()).cloned()
        };
        let line = match name {
            "copytree" | "cpSync" | "copy_tree" | "cp_r" => {
                let (Some(from), Some(to)) = (first(0), first(1)) else {
                    return;
                };
                format!(
                    "cp -rT {} {}",
                    hookloop_shell::quote(&from),
                    hookloop_shell::quote(&to)
                )
            }
            "extractall" | "unpack_archive" => {
                let at = usize::from(name == "unpack_archive");
                let folder = first(at).unwrap_or_else(|| ".".to_owned());
                format!("tar -xf archive -C {}", hookloop_shell::quote(&folder))
            }
            _ => return,
        };
        self.found.starts.push(line);
    }

    /// Records the target of a link, relative to its folder, and the link's possible names there.
    fn link(&mut self, receiver: Option<usize>, values: &[Option<BTreeSet<String>>]) {
        let target = values.first().cloned().flatten();
        let link = match receiver {
            Some(receiver) => self.receiver(receiver),
            None => values.get(1).cloned().flatten(),
        };
        let (Some(targets), Some(links)) = (target, link) else {
            self.note_unclear("symlink");
            return;
        };
        for target in &targets {
            // These folders contain everything.
            let bare = target.trim_end_matches('/');
            if bare.is_empty() || bare.split('/').all(|it| it == ".." || it == ".") {
                self.note_unclear("symlink");
            }
            for link in &links {
                let folder = link.rsplit_once('/').map_or(".", |(folder, _)| folder);
                self.found.named.insert(format!("{folder}/{target}"));
                self.found.named.insert(format!("{link}/{target}"));
            }
        }
    }

    /// Returns whether a call with an ambiguous name starts a program.
    fn starts(&self, receiver: Option<usize>, name: &str) -> bool {
        let of = receiver.and_then(|it| self.name(it));
        let Some(of) = of else {
            let needs_import = ["run", "call", "execute", "exec", "spawn"].contains(&name);
            return !needs_import
                || self.language != Language::Python && name != "run" && name != "call"
                || self.mentions("subprocess");
        };
        tables::STARTING_MODULES.holds(of) || self.modules.contains(of)
    }

    fn open(
        &mut self,
        name: &str,
        receiver: Option<usize>,
        arguments: &[(usize, usize)],
        values: &[Option<BTreeSet<String>>],
    ) {
        let is_perl = self.language == Language::Perl;
        let behind = usize::from(receiver.is_none());
        // `open(*both)`
        let is_spread = arguments.iter().any(|(from, _)| self.is_sign(*from, '*'));
        let mode = match self.mode(arguments, values, behind) {
            Mode::Reads if !is_perl && !is_spread => return,
            mode => mode,
        };
        let paths: Option<BTreeSet<String>> = match (receiver, is_perl) {
            (Some(receiver), _) => self.receiver(receiver).or_else(|| {
                // `io.open(…)`, `codecs.open(…)`.
                values.first().cloned().flatten()
            }),
            (None, true) => {
                let last = values.len().checked_sub(1).filter(|it| *it > 0);
                last.and_then(|it| values[it].clone()).map(|paths| {
                    let bare =
                        |it: &String| it.trim_start_matches(['>', '<', '+', '|', ' ']).to_owned();
                    paths.iter().map(bare).collect()
                })
            }
            (None, false) => values.first().cloned().flatten(),
        };
        if is_perl
            && !values
                .iter()
                .skip(1)
                .flatten()
                .flatten()
                .any(|it| it.contains(['>', '+', '|']))
        {
            let is_known = values.iter().skip(1).all(Option::is_some);
            if is_known {
                return;
            }
        }
        match paths {
            Some(paths) => self.found.named.extend(paths),
            None if mode == Mode::Writes || is_perl || is_spread => {
                self.note_unclear(name);
            }
            None => {}
        }
    }

    fn mode(
        &self,
        arguments: &[(usize, usize)],
        values: &[Option<BTreeSet<String>>],
        behind: usize,
    ) -> Mode {
        let mut found = Mode::Reads;
        for (number, (from, to)) in arguments.iter().enumerate().skip(behind) {
            let keyword = self.name(*from).filter(|_| self.is_sign(*from + 1, '='));
            if keyword.is_some_and(|it| it != "mode" && it != "flags") {
                continue;
            }
            let has_flag = (*from..*to).any(|at| {
                self.name(at)
                    .is_some_and(|it| it.starts_with("O_") && it != "O_RDONLY" && it != "O_CLOEXEC")
            });
            if has_flag {
                return Mode::Writes;
            }
            if number > behind && keyword.is_none() {
                continue;
            }
            found = match values.get(number).cloned().flatten() {
                Some(modes)
                    if modes
                        .iter()
                        .any(|it| it.contains(['w', 'a', 'x', '+', '>'])) =>
                {
                    return Mode::Writes;
                }
                Some(_) => found,
                None if self.name(*from).is_some_and(|it| it == "os") => found,
                None => Mode::Unknown,
            };
        }
        found
    }

    fn evaluate(&mut self, name: &str, values: &[Option<BTreeSet<String>>]) {
        match values.first() {
            Some(Some(texts))
                if matches!(
                    name,
                    "eval"
                        | "exec"
                        | "Function"
                        | "instance_eval"
                        | "runsource"
                        | "runcode"
                        | "_compile"
                ) =>
            {
                self.found.evaluates.extend(texts.iter().cloned());
            }
            // `getattr(x, 'name', …)`: the called name is known.
            _ if name == "getattr" && values.get(1).is_some_and(Option::is_some) => {}
            _ => {
                self.note_unclear(name);
            }
        }
    }

    fn start(&mut self, name: &str, arguments: &[(usize, usize)]) {
        let Some((from, to)) = arguments.first().copied() else {
            return;
        };
        let mut words: Vec<String> = Vec::new();
        let mut started: Vec<String> = Vec::new();
        let list = |from: usize| -> Option<Vec<(usize, usize)>> {
            if !self.is_sign(from, '[') {
                return None;
            }
            Some(self.split(from + 1, self.closing(from)?))
        };
        let unknown = || "\"$UNKNOWN\"".to_owned();
        let word = |(from, to): (usize, usize)| match without_wildcards(self.value(from, to)) {
            Some(values) if values.len() == 1 => {
                hookloop_shell::quote(values.first().map_or("", String::as_str)).into_owned()
            }
            _ => unknown(),
        };
        if let Some(elements) = list(from) {
            words.extend(elements.into_iter().map(word));
        } else {
            match without_wildcards(self.value(from, to)) {
                Some(values) if arguments.len() == 1 || list(arguments[1].0).is_none() => {
                    started.extend(values);
                    // `system("rm", "x")`: the words that follow are its arguments.
                    if arguments.len() > 1 && self.language.calls_without_parentheses() {
                        words.extend(arguments.iter().copied().map(word));
                    }
                }
                Some(values) => {
                    words.extend(
                        values
                            .iter()
                            .map(|it| hookloop_shell::quote(it).into_owned()),
                    );
                    words.extend(list(arguments[1].0).into_iter().flatten().map(word));
                }
                None => {
                    self.note_unclear(name);
                    return;
                }
            }
        }
        self.found.starts.extend(started);
        if words.first().is_some_and(|it| *it == unknown()) {
            // `sys.executable`: runs the interpreter again, with known arguments.
            let interpreter =
                (from..to).any(|at| matches!(self.name(at), Some("executable" | "execPath")));
            if interpreter && self.language == Language::Python {
                "python3".clone_into(&mut words[0]);
            } else if interpreter {
                "node".clone_into(&mut words[0]);
            } else {
                self.note_unclear(name);
            }
        }
        if !words.is_empty() {
            self.found.starts.push(words.join(" "));
        }
    }
}

/// Removes values that mean any file.
fn without_wildcards(values: Option<BTreeSet<String>>) -> Option<BTreeSet<String>> {
    values.filter(|it| !it.iter().any(|value| value.contains(BELOW)))
}

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Reads,
    Writes,
    Unknown,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, language: Language) -> Vec<String> {
        effects(text, language, &[]).named.into_iter().collect()
    }

    /// TR-8: names of files are followed through variables, sums and joins, in every language.
    #[test]
    fn names_are_followed() {
        use Language::{JavaScript, Other, Perl, Python, Ruby};
        for (text, language) in [
            ("open('.g/s','w').write('x')", Python),
            ("p='.g'\nopen(p+'/s', mode='w')", Python),
            ("import os\nos.remove(os.path.join('.g', 's'))", Python),
            (
                "from pathlib import Path; (Path('.g')/'s').write_text('{}')",
                Python,
            ),
            ("for n in ['.g/s', 'b']:\n  open(n,'w')", Python),
            ("open('.\\x67/s', 'a')", Python),
            ("require('fs').writeFileSync('.g/s', '{}')", JavaScript),
            (
                "const d = '.g'; fs.rmSync(d + '/s', {force: true})",
                JavaScript,
            ),
            ("unlink '.g/s'", Perl),
            ("open(F, '>.g/s')", Perl),
            ("open my $f, '>', '.g/s'", Perl),
            ("File.write('.g/s', '{}')", Ruby),
            ("File.delete '.g/s'", Ruby),
            ("BEGIN { print \"x\" > \".g/s\" }", Other),
        ] {
            let found = effects(text, language, &[]);
            assert!(found.named.contains(".g/s"), "{text}: {found:?}");
            assert_eq!(found.unclear, None, "{text}");
        }
    }

    /// TR-8: what only reads has no effect, and what is computed is unclear.
    #[test]
    fn reading_is_none_and_computing_is_unclear() {
        use Language::{JavaScript, Perl, Python};
        for (text, language) in [
            ("import json; print(json.load(open('.g/s')))", Python),
            (
                "s = open('a').read(); print(s.replace('x', '.g/s'))",
                Python,
            ),
            (
                "console.log(require('fs').readFileSync('.g/s', 'utf8'))",
                JavaScript,
            ),
            ("open(F, '<.g/s'); print <F>", Perl),
        ] {
            assert_eq!(names(text, language), Vec::<String>::new(), "{text}");
            assert_eq!(effects(text, language, &[]).unclear, None, "{text}");
        }
        for (text, language) in [
            ("open(chr(46)+'g/s', 'w')", Python),
            ("exec(bytes.fromhex('00'))", Python),
            ("import os; os.remove(input())", Python),
            ("getattr(os, 're'+x)('.g')", Python),
            (
                "fs.unlinkSync(Buffer.from('eA==', 'base64').toString())",
                JavaScript,
            ),
        ] {
            assert!(effects(text, language, &[]).unclear.is_some(), "{text}");
        }
        let text = "p='src/a.py'; s=open(p).read(); open(p,'w').write(s.replace('x','y'))";
        assert_eq!(effects(text, Python, &[]).unclear, None);
    }

    /// TR-8: programs that a text starts are examined as shell text; what isn't known in it is a
    /// variable.
    #[test]
    fn started_programs_are_shell_text() {
        use Language::{JavaScript, Perl, Python};
        let starts = |text: &str, language| effects(text, language, &[]).starts;
        assert_eq!(starts("import os; os.system('rm x')", Python), ["rm x"]);
        assert_eq!(
            starts("import subprocess; subprocess.run(['rm', '-f', n])", Python),
            ["rm -f \"$UNKNOWN\""]
        );
        assert_eq!(
            starts(
                "require('child_process').spawnSync('rm', ['x y'])",
                JavaScript
            ),
            ["rm 'x y'"]
        );
        assert_eq!(starts("`rm x`", Perl), ["rm x"]);
    }
}
