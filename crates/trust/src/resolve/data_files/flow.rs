//! What happens in a program text to the files that its strings may name.

use std::collections::{BTreeMap, BTreeSet};

use super::statements::{Statement, Token, statements};
use super::words::{
    CHANGES, DATABASES, GIVEN, OF_DATABASES, OPENING, OPENING_FUNCTIONS, OWN_PLACE, PROJECT,
    QUERIES, READING, STANDARD_INPUT, WRITING, in_address,
};
use crate::resolve::calls::Tongue;

/// How many strings of a statement are put together.
const MAX_RUN: usize = 6;

/// How many names one statement may have.
const MAX_NAMES: usize = 256;

/// How many names of plain texts are put into others.
const MAX_CONSTANTS: usize = 256;

/// How long a name may be.
const MAX_LENGTH: usize = 256;

/// How many statements that name files are followed.
const MAX_USES: usize = 64;

/// How often it is looked where a name goes.
const MAX_ROUNDS: usize = 6;

/// What a text does with the files that one of its statements may name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DataUse {
    /// What they may be called, relative to the script, its working directory or another folder.
    pub(super) names: Vec<String>,
    /// All texts of the statement as one path, if only the last of them may be a file's name.
    pub(super) whole: Option<String>,
    /// It may open them to read.
    pub(super) is_read: bool,
    /// It may write them.
    pub(super) is_written: bool,
    /// They are found from the place of the script.
    pub(super) is_own: bool,
    /// The statements that open them, by their numbers.
    pub(super) opened_by: BTreeSet<usize>,
}

/// A statement that opens a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Opening {
    /// As it is written.
    pub(super) written: String,
    /// The file is found from the place of the script.
    pub(super) is_own: bool,
    number: usize,
}

/// A program text.
pub(super) struct Flow {
    statements: Vec<Statement>,
    /// The function in which each statement is.
    inside: Vec<Option<usize>>,
    functions: Vec<Function>,
    /// The functions with each name.
    by_name: BTreeMap<String, Vec<usize>>,
    assigned: Vec<Vec<String>>,
    constants: BTreeMap<String, String>,
    /// What each statement does with files.
    does: Vec<Does>,
    /// What the text does with a database in a file.
    database: Database,
    /// The names in each statement, also those in its strings.
    names: Vec<BTreeSet<String>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Does {
    opens: bool,
    reads: bool,
    writes: bool,
}

/// What a text does with a database in a file: its queries say so, wherever they are.
#[derive(Debug, Clone, Default)]
struct Database {
    reads: bool,
    writes: bool,
    /// How statements open it.
    opened_by: Vec<&'static str>,
}

impl Database {
    fn of(text: &str) -> Self {
        let lower = text.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|it| lower.contains(it));
        let (reads, writes) = (has(&QUERIES), has(&CHANGES));
        let of_modules = OF_DATABASES.iter();
        let named = of_modules.filter(|(module, _)| text.contains(module));
        // Queries that are elsewhere may do both.
        let is_unknown = !reads && !writes;
        Self {
            reads: reads || is_unknown,
            writes: writes || is_unknown,
            opened_by: DATABASES
                .into_iter()
                .chain(named.map(|(_, how)| *how))
                .collect(),
        }
    }

    fn is_opened_by(&self, statement: &str) -> bool {
        let mut opened_by = self.opened_by.iter();
        opened_by.any(|it| statement.contains(it)) && !statement.contains(":memory:")
    }
}

/// Names that lead to a file, with the functions in which they do; `None` stands for everywhere.
type Holders = BTreeMap<String, BTreeSet<Option<usize>>>;

struct Function {
    name: String,
    parameters: Vec<String>,
    reads: bool,
    writes: bool,
}

/// `read(0)`, `read(0, "utf8")`: whether each call of a function in a statement gives it standard
/// input, and nothing that may name a file.
fn reads_standard_input(statement: &str, function: &str) -> bool {
    const ENCODINGS: [&str; 4] = ["utf8", "utf-8", "UTF-8", "ascii"];
    let called = format!("{function}(");
    let mut calls = statement.split(&called).skip(1).peekable();
    let is_called = calls.peek().is_some();
    let is_encoding = |it: &str| ENCODINGS.contains(&it.trim().trim_matches(['"', '\'', '`']));
    is_called
        && calls.all(|call| {
            let given = call.split(')').next().unwrap_or_default();
            let mut given = given.split(',');
            given.next().is_some_and(|it| it.trim() == "0") && given.all(is_encoding)
        })
}

impl Flow {
    pub(super) fn of(text: &str, tongue: Tongue) -> Self {
        let statements = statements(text, tongue);
        let mut functions: Vec<Function> = Vec::new();
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut inside = Vec::new();
        for statement in &statements {
            open.retain(|(indent, _)| statement.indent > *indent);
            if let Some((name, parameters)) = statement.function() {
                open.push((statement.indent, functions.len()));
                functions.push(Function {
                    name: name.to_owned(),
                    parameters: parameters.into_iter().map(str::to_owned).collect(),
                    reads: false,
                    writes: false,
                });
            }
            inside.push(open.last().map(|(_, function)| *function));
        }
        let assigned = statements.iter().map(|it| {
            let names = it.assigned().into_iter();
            names.map(str::to_owned).collect()
        });
        let constants = statements.iter().filter_map(|it| {
            let (name, text) = it.constant()?;
            Some((name.to_owned(), text.to_owned()))
        });
        let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, function) in functions.iter().enumerate() {
            by_name.entry(function.name.clone()).or_default().push(at);
        }
        let mut flow = Self {
            by_name,
            does: Vec::new(),
            database: Database::of(text),
            names: statements.iter().map(all_names).collect(),
            assigned: assigned.collect(),
            constants: constants.take(MAX_CONSTANTS).collect(),
            inside,
            functions,
            statements,
        };
        // A function also does what those do that it calls.
        for _ in 0..3 {
            flow.does = (0..flow.statements.len())
                .map(|it| flow.look_at(it))
                .collect();
            for at in 0..flow.statements.len() {
                if let Some(function) = flow.inside[at] {
                    flow.functions[function].reads |= flow.does[at].opens || flow.does[at].reads;
                    flow.functions[function].writes |= flow.does[at].writes;
                }
            }
        }
        flow
    }

    fn look_at(&self, at: usize) -> Does {
        let text = &self.statements[at].text;
        let text = text
            .replace("stdout.write(", "")
            .replace("stderr.write(", "");
        let has = |words: &[&str]| words.iter().any(|it| text.contains(it));
        let own = self.inside[at];
        let called = self.names[at].iter().filter_map(|it| self.by_name.get(it));
        let called = called.flatten().filter(|it| Some(**it) != own);
        let called = called.map(|it| &self.functions[*it]);
        // `read(0)`: standard input is no file.
        let called: Vec<&Function> = called
            .filter(|it| !reads_standard_input(&text, &it.name))
            .collect();
        let is_database = self.database.is_opened_by(&text);
        Does {
            opens: opens(&text, &self.statements[at])
                || is_database && self.database.reads
                || called.iter().any(|it| it.reads),
            reads: has(&READING),
            writes: has(&WRITING)
                || is_database && self.database.writes
                || called.iter().any(|it| it.writes),
        }
    }

    /// Returns whether a statement opens a file, and not only a function that it calls.
    fn opens_itself(&self, at: usize) -> bool {
        let statement = &self.statements[at];
        opens(&statement.text, statement) || self.database.is_opened_by(&statement.text)
    }

    fn has(&self, at: usize, words: &[&str]) -> bool {
        let text = &self.statements[at].text;
        words.iter().any(|it| text.contains(it))
    }

    /// Returns what becomes of the files that the statements may name, if `counts` says of one of
    /// the names that it is a file.
    pub(super) fn uses(&self, mut counts: impl FnMut(&str) -> bool) -> Vec<DataUse> {
        let own = self.reached_from(&OWN_PLACE, Spread::Names);
        let mut found = Vec::new();
        for at in 0..self.statements.len() {
            if found.len() >= MAX_USES {
                break;
            }
            let names = self.names_of(at);
            if !names.iter().any(|it| counts(it)) {
                continue;
            }
            let mut used = self.use_of(at);
            used.whole = self.whole(at);
            used.is_own |= used.opened_by.iter().any(|it| own.contains(it)) || own.contains(&at);
            used.names = names;
            found.push(used);
        }
        found
    }

    /// Returns the statements that open files of which nothing says what they are called: neither
    /// one of these uses nor what the hook is given.
    pub(super) fn unknown(&self, known: &[&DataUse]) -> Vec<Opening> {
        let mut given = self.reached_from(&GIVEN, Spread::Everything);
        // The project's folder isn't what is judged.
        given.retain(|it| !self.has(*it, &PROJECT) || self.has(*it, &["stdin", "STDIN"]));
        let own = self.reached_from(&OWN_PLACE, Spread::Names);
        let known: BTreeSet<usize> = known.iter().flat_map(|it| &it.opened_by).copied().collect();
        let mut found = Vec::new();
        for at in 0..self.statements.len() {
            let is_unknown = self.does[at].opens
                && !self.does[at].writes
                && !known.contains(&at)
                && !given.contains(&at)
                && !self.is_of_a_parameter(at)
                && self.statements[at].function().is_none();
            if is_unknown {
                found.push(Opening {
                    written: self.statements[at].text.trim().chars().take(48).collect(),
                    is_own: own.contains(&at),
                    number: at,
                });
            }
        }
        found.sort_by_key(|it| it.number);
        found
    }

    /// Returns whether a statement opens what its function is given: those who call it say what.
    fn is_of_a_parameter(&self, at: usize) -> bool {
        let Some(function) = self.inside[at].map(|it| &self.functions[it]) else {
            return false;
        };
        let mut names = self.statements[at].names();
        names.any(|it| function.parameters.iter().any(|parameter| parameter == it))
    }

    /// Follows a name from a statement to where the file is opened.
    fn use_of(&self, start: usize) -> DataUse {
        let mut found = DataUse::default();
        let mut holders = Holders::new();
        let mut seen = BTreeSet::new();
        let mut waiting = vec![start];
        let mut rounds = 0;
        while let Some(at) = waiting.pop() {
            if !seen.insert(at) {
                continue;
            }
            let Does {
                opens,
                reads,
                writes,
            } = self.does[at];
            let opens = opens || reads;
            found.is_written |= writes;
            // A database is opened once for both.
            let of_database = self.database.is_opened_by(&self.statements[at].text);
            if opens && (!writes || of_database && self.database.reads) {
                found.is_read = true;
            }
            if opens {
                found.opened_by.insert(at);
                // What it gives a name is the content, unless it is only a function that is called.
                if self.opens_itself(at) {
                    continue;
                }
            }
            let mut is_new = false;
            for (name, place) in self.given_names(at) {
                is_new |= holders.entry(name).or_default().insert(place);
            }
            if is_new && rounds < MAX_ROUNDS {
                rounds += 1;
                let all = 0..self.statements.len();
                waiting.extend(all.filter(|it| !seen.contains(it) && self.uses_any(*it, &holders)));
            }
        }
        found
    }

    /// Returns what a statement gives a value to, with the function in which that name counts;
    /// `None` stands for everywhere.
    fn given_names(&self, at: usize) -> Vec<(String, Option<usize>)> {
        let place = self.inside[at];
        let is_of_object = ["self.", "this."];
        let place_of = |name: &str| {
            let text = &self.statements[at].text;
            let is_global = is_of_object
                .iter()
                .any(|it| text.contains(&format!("{it}{name}")));
            place.filter(|_| !is_global)
        };
        let mut given: Vec<_> = self.assigned[at]
            .iter()
            .map(|it| (it.clone(), place_of(it)))
            .collect();
        // What a function returns, its callers get.
        let returns = self.statements[at].names().next() == Some("return");
        if let Some(function) = place.filter(|_| returns) {
            given.push((self.functions[function].name.clone(), None));
        }
        given
    }

    fn uses_any(&self, at: usize, holders: &Holders) -> bool {
        let place = self.inside[at];
        let parameters = place.map(|it| &self.functions[it].parameters);
        self.names[at].iter().any(|name| {
            let Some(places) = holders.get(name) else {
                return false;
            };
            let is_here = place.is_some() && places.contains(&place);
            let is_own = parameters.is_some_and(|it| it.contains(name));
            is_here || places.contains(&None) && !is_own
        })
    }

    /// Returns the statements that contain one of these words, and those that use what they give a
    /// value.
    fn reached_from(&self, words: &[&str], spread: Spread) -> BTreeSet<usize> {
        let mut reached: BTreeSet<usize> = (0..self.statements.len())
            .filter(|it| self.has(*it, words))
            .collect();
        let mut holders = Holders::new();
        for _ in 0..MAX_ROUNDS {
            let mut is_new = false;
            for at in &reached {
                let stops = spread == Spread::Names && self.opens_itself(*at);
                if !stops {
                    for (name, place) in self.given_names(*at) {
                        is_new |= holders.entry(name).or_default().insert(place);
                    }
                }
            }
            if !is_new {
                break;
            }
            let all = 0..self.statements.len();
            reached.extend(all.filter(|it| self.uses_any(*it, &holders)));
        }
        reached
    }

    /// Returns the texts of a statement in their order, with the values of names that have one.
    fn texts(&self, at: usize) -> Vec<String> {
        let fill = |text: &str| {
            let mut filled = text.to_owned();
            for (name, value) in &self.constants {
                for form in [
                    format!("${{{name}}}"),
                    format!("#{{{name}}}"),
                    format!("{{{name}}}"),
                    format!("${name}"),
                ] {
                    if filled.contains(&form) {
                        filled = filled.replace(&form, value);
                    }
                }
            }
            filled
        };
        let mut texts: Vec<String> = Vec::new();
        for token in &self.statements[at].tokens {
            match token {
                Token::Text(text) if text.contains(['{', '$']) => {
                    let filled = fill(text);
                    texts.extend(pieces(without_start(&filled)).map(str::to_owned));
                }
                Token::Text(text) => texts.push(text.clone()),
                Token::Name(name) => texts.extend(self.constants.get(name).cloned()),
                Token::Sign(_) => {}
            }
        }
        texts
    }

    fn whole(&self, at: usize) -> Option<String> {
        let texts = self.texts(at);
        let texts: Vec<&str> = texts.iter().map(|it| in_address(it)).collect();
        let mut files = texts.iter().filter(|it| it.contains('.') && is_name(it));
        let file = files.next()?;
        let end = texts.iter().position(|it| it == file)?;
        let is_only = files.next().is_none() && texts[..end].iter().all(|it| is_name(it));
        is_only.then(|| texts[..=end].join("/"))
    }

    /// Returns what the texts of a statement may name: each by itself, and several put together.
    fn names_of(&self, at: usize) -> Vec<String> {
        let texts = self.texts(at);
        let texts: Vec<String> = texts
            .into_iter()
            .filter(|it| it.len() <= MAX_LENGTH)
            .collect();
        let mut found = BTreeSet::new();
        for from in 0..texts.len() {
            let mut joined = String::new();
            let mut path = String::new();
            for (count, text) in texts[from..].iter().take(MAX_RUN).enumerate() {
                // `"%s.json" % NAME`, `"{}.json".format(NAME)`
                let hole = ["%s", "{}"].into_iter().find(|it| joined.contains(it));
                match hole {
                    Some(hole) if count > 0 => joined = joined.replacen(hole, text, 1),
                    _ => joined.push_str(text),
                }
                if count > 0 && !text.starts_with('.') {
                    path.push('/');
                }
                path.push_str(text);
                for name in [&joined, &path] {
                    let name = in_address(name);
                    let name = name.trim_start_matches("~/").trim_start_matches('<').trim();
                    if is_name(name) && found.len() < MAX_NAMES {
                        found.insert(name.to_owned());
                    }
                }
            }
        }
        found.into_iter().collect()
    }
}

/// Returns whether a statement opens a file. Standard input isn't one, unless a name is there, too.
fn opens(text: &str, statement: &Statement) -> bool {
    let is_called = |name: &&str| {
        text.match_indices(*name).any(|(at, _)| {
            let behind =
                text[at + name.len()..].trim_start_matches(|it: char| it.is_alphanumeric());
            behind.trim_start().starts_with('(')
        })
    };
    let is_opening =
        OPENING.iter().any(|it| text.contains(it)) || OPENING_FUNCTIONS.iter().any(is_called);
    let is_given = STANDARD_INPUT.iter().any(|it| text.contains(it))
        && !statement
            .tokens
            .iter()
            .any(|it| matches!(it, Token::Text(it) if it.contains('.')));
    is_opening && !is_given
}

/// Returns a text without the variable at its start: `$FindBin::Bin/rules.txt`.
fn without_start(text: &str) -> &str {
    match text.strip_prefix('$') {
        Some(rest) if !rest.starts_with('{') => {
            rest.trim_start_matches(|it: char| it.is_alphanumeric() || "_:".contains(it))
        }
        _ => text,
    }
}

/// Returns what is between the places of a text in which a value is put; `%s` and `{}` are filled
/// later.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let holes = text
        .split('{')
        .enumerate()
        .map(|(at, it)| match it.split_once('}') {
            Some((name, rest)) if at > 0 && !name.is_empty() => rest,
            _ => it,
        });
    let is_whole = text.contains("{}") || !text.contains('{');
    let whole = is_whole.then_some(text);
    let pieces = holes.filter(move |_| !is_whole);
    let pieces = pieces.map(|it| it.trim_end_matches(['$', '#']));
    whole.into_iter().chain(pieces).filter(|it| !it.is_empty())
}

/// Returns the names in a statement, also those in its strings.
fn all_names(statement: &Statement) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for token in &statement.tokens {
        match token {
            Token::Name(name) => {
                found.insert(name.clone());
            }
            Token::Text(text) if text.contains(['{', '$']) => {
                let parts = text.split(|it: char| !(it.is_alphanumeric() || it == '_'));
                found.extend(parts.filter(|it| !it.is_empty()).map(str::to_owned));
            }
            _ => {}
        }
    }
    found
}

/// How far it is followed what a statement gives to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spread {
    /// To where a file is opened.
    Names,
    /// Also the content of files.
    Everything,
}

/// Returns whether a text may be the name of a file.
fn is_name(text: &str) -> bool {
    let is_part =
        |it: char| !it.is_whitespace() && !it.is_control() && !"*?<>|\\{}\"'".contains(it);
    !text.is_empty() && text.len() <= MAX_LENGTH && text.chars().all(is_part)
}
