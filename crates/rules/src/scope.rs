//! The variables in scope at a place in a condition, and how much work is left for the whole
//! condition.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use regex::{Regex, RegexBuilder, bytes};
use regex_syntax::hir::{Class, Hir, HirKind};

use crate::fact::{Fact, Known, Unknown};

/// How many steps a condition may take; one that needs more can't be known (HT-25).
const MAX_STEPS: u64 = 2_000_000;

/// How many characters of a text count as a step.
const SIGNS_OF_A_STEP: usize = 128;

/// How large an expression may be to be compared at full speed, in bytes.
const SMALL: usize = 1 << 18;

/// How many steps it takes to read an expression, and to read a large one.
const COMPILING: u64 = 5_000;
const COMPILING_LARGE: u64 = 200_000;

/// The variables at a place.
pub(crate) struct Scope<'s> {
    facts: &'s BTreeMap<String, Fact>,
    bound: Option<(&'s str, Known, &'s Scope<'s>)>,
    work: Rc<Work>,
}

/// What is left for a condition, and what it has read already.
struct Work {
    left: Cell<u64>,
    expressions: RefCell<BTreeMap<(String, bool), Compiled>>,
}

#[derive(Clone)]
struct Compiled {
    regex: Compared,
    /// How many steps each character of a text takes.
    weight: u64,
}

/// An expression that was read for one kind of text. Clones share what it has learned from the
/// texts that it was compared with.
#[derive(Clone)]
enum Compared {
    /// For texts in ASCII: it is read in a fraction of the time, and they match the same.
    WithAscii(Rc<bytes::Regex>),
    /// For any text.
    WithAny(Rc<Regex>),
}

impl Compared {
    fn is_match(&self, text: &str) -> bool {
        match self {
            Self::WithAscii(regex) => regex.is_match(text.as_bytes()),
            Self::WithAny(regex) => regex.is_match(text),
        }
    }

    /// Reads a small expression; nothing if it is large, or can't be read in this way.
    fn small(expression: &str, is_ascii: bool) -> Option<Self> {
        if is_ascii {
            if !is_plain(expression) {
                return None;
            }
            bytes::RegexBuilder::new(expression)
                .unicode(false)
                .size_limit(SMALL)
                .build()
                .ok()
                .map(|it| Self::WithAscii(Rc::new(it)))
        } else {
            RegexBuilder::new(expression)
                .size_limit(SMALL)
                .build()
                .ok()
                .map(|it| Self::WithAny(Rc::new(it)))
        }
    }
}

/// How many expressions are kept that conditions have read.
const MAX_CACHED: usize = 128;

/// Expressions that were read, by their texts, and whether they are for texts in ASCII.
type Cache = BTreeMap<(String, bool), Compared>;

thread_local! {
    /// The small expressions of conditions, which are used again for each call.
    static REGEX_CACHE: RefCell<Cache> = const { RefCell::new(BTreeMap::new()) };
}

/// Returns an expression if it is small; nothing for a large one, or if it can't be read.
fn small(expression: &str, is_ascii: bool) -> Option<Compared> {
    REGEX_CACHE.with_borrow_mut(|kept| {
        let key = (expression.to_owned(), is_ascii);
        if let Some(regex) = kept.get(&key) {
            return Some(regex.clone());
        }
        let regex = Compared::small(expression, is_ascii)?;
        if kept.len() >= MAX_CACHED {
            kept.clear();
        }
        kept.insert(key, regex.clone());
        Some(regex)
    })
}

/// Returns whether an expression names nothing outside of ASCII, which could be another case of
/// something within: the sign of kelvins is one of `k`.
fn is_plain(expression: &str) -> bool {
    let escapes = [r"\u", r"\U", r"\x"];
    let has_flag = expression.split("(?").skip(1).any(|group| {
        let is_named = group.starts_with(['P', '<']);
        let flags = group.split([':', ')']).next().unwrap_or_default();
        !is_named && flags.contains('u')
    });
    expression.is_ascii() && !has_flag && !escapes.iter().any(|it| expression.contains(it))
}

/// Looks for mistakes in an expression. A plain and small one isn't compiled for that: the
/// condition may never need it.
///
/// # Errors
/// It can't be read.
pub(crate) fn check_expression(expression: &str) -> Result<(), regex::Error> {
    let mut plain = regex_syntax::ParserBuilder::new();
    let plain = plain.unicode(false).utf8(false);
    if is_plain(expression)
        && let Ok(parsed) = plain.build().parse(expression)
        && size(&parsed) <= SMALL_SIZE
    {
        return Ok(());
    }
    Regex::new(expression).map(|_| ())
}

/// Expressions up to this size can be compiled for every text.
const SMALL_SIZE: u64 = 3_200;

/// The size of a class, which may contain a hundred ranges of letters.
const CLASS_SIZE: u64 = 16;

/// Returns the size of an expression in characters, if what it repeats is written out.
fn size(of: &Hir) -> u64 {
    match of.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Class(class) if is_letter(class) => 1,
        HirKind::Class(_) => CLASS_SIZE,
        HirKind::Literal(literal) => literal.0.len() as u64,
        HirKind::Capture(it) => size(&it.sub),
        HirKind::Repetition(it) => {
            let times = it.max.unwrap_or(it.min).max(1);
            size(&it.sub).saturating_mul(times.into())
        }
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(size).fold(0, u64::saturating_add)
        }
    }
}

impl<'s> Scope<'s> {
    pub(crate) fn new(facts: &'s BTreeMap<String, Fact>) -> Self {
        let work = Work {
            left: Cell::new(MAX_STEPS),
            expressions: RefCell::default(),
        };
        Self {
            facts,
            bound: None,
            work: Rc::new(work),
        }
    }

    pub(crate) fn with(&'s self, name: &'s str, value: Known) -> Self {
        Self {
            facts: self.facts,
            bound: Some((name, value, self)),
            work: Rc::clone(&self.work),
        }
    }

    pub(crate) fn value(&self, name: &str) -> Known {
        let mut scope = self;
        while let Some((bound, value, outer)) = &scope.bound {
            if *bound == name {
                return value.clone();
            }
            scope = outer;
        }
        match self.facts.get(name) {
            Some(fact) => fact.clone().read(),
            None => Err(Unknown(format!("this event has no \"{name}\""))),
        }
    }

    fn compiled(&self, expression: &str, is_ascii: bool) -> Result<Compiled, Unknown> {
        // Not each expression has a meaning in ASCII alone.
        let mut ways = [is_ascii, false].into_iter();
        if let Some(regex) = ways.find_map(|it| small(expression, it)) {
            return Ok(Compiled { regex, weight: 1 });
        }
        self.spend(COMPILING_LARGE)?;
        let regex = Regex::new(expression).map_err(|error| Unknown(error.to_string()))?;
        let regex = Compared::WithAny(Rc::new(regex));
        // A large one may be followed state by state.
        let weight = 512;
        Ok(Compiled { regex, weight })
    }

    /// Deducts steps from what is left.
    pub(crate) fn spend(&self, steps: u64) -> Result<(), Unknown> {
        let left = self.work.left.get().saturating_sub(steps);
        self.work.left.set(left);
        if left == 0 {
            return Err(Unknown("it takes too many steps".to_owned()));
        }
        Ok(())
    }

    /// Deducts the steps that it takes to go through a value.
    pub(crate) fn spend_on(&self, value: &Fact) -> Result<(), Unknown> {
        match value {
            Fact::Text(text) => self.spend(steps(text)),
            Fact::List(list) => self.spend(u64::try_from(list.known.len()).unwrap_or(u64::MAX)),
            _ => Ok(()),
        }
    }

    /// Returns whether an expression is found in a text.
    pub(crate) fn matches(&self, expression: &str, text: &str) -> Result<bool, Unknown> {
        let is_ascii = text.is_ascii();
        let key = (expression.to_owned(), is_ascii);
        let known = self.work.expressions.borrow().get(&key).cloned();
        let compiled = if let Some(known) = known {
            known
        } else {
            self.spend(COMPILING)?;
            let compiled = self.compiled(expression, is_ascii)?;
            let mut all = self.work.expressions.borrow_mut();
            all.insert(key, compiled.clone());
            compiled
        };
        self.spend(steps(text).saturating_mul(compiled.weight))?;
        Ok(compiled.regex.is_match(text))
    }
}

fn steps(text: &str) -> u64 {
    u64::try_from(text.len() / SIGNS_OF_A_STEP).unwrap_or(u64::MAX)
}

/// Returns whether a class is one letter in either case.
fn is_letter(class: &Class) -> bool {
    match class {
        Class::Bytes(class) => {
            class.ranges().len() <= 2 && class.iter().all(|it| it.start() == it.end())
        }
        Class::Unicode(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Condition;

    /// HT-25: a text in ASCII matches as every text does, whatever the expression contains.
    #[test]
    fn ascii_is_compared_as_every_text() {
        for expression in [
            r"(?i)^\w+\b\s",
            r"[^a-z]",
            r"\p{L}+",
            "(?i)ñ|k",
            r"\W$",
            r"^.{3}$",
            "(?i)\u{212a}",
            r"\xff|x",
            r"[[:^alpha:]]",
            r"(?s).",
            "é",
            r"[\u{0}-\u{10ffff}]{2}",
        ] {
            assert!(check_expression(expression).is_ok(), "{expression}");
            let full = Regex::new(expression).unwrap();
            for text in [
                "", "k", "abc def", "K9_\n", "x", "~~~", "\0\x7f", "ñ", "é x", "\u{212a}", "ÿ",
            ] {
                let facts = BTreeMap::new();
                let scope = Scope::new(&facts);
                let found = scope.matches(expression, text);
                assert_eq!(found, Ok(full.is_match(text)), "{expression} {text:?}");
            }
        }
        // The largest that isn't compiled at once can be, for any text.
        for large in [r"\w{200}", r"(\W\w){100}", r"(?i)\S{200}"] {
            assert!(
                check_expression(large).is_ok() && Regex::new(large).is_ok(),
                "{large}"
            );
        }
        for broken in [
            "(",
            r"\p{Nothing}",
            "a{9999}{9999}",
            "(?-u:\\xff)",
            "(?-u:[^a])",
        ] {
            assert!(check_expression(broken).is_err(), "{broken}");
        }
    }

    /// HT-25: a condition that takes too many steps can't be known, whatever it repeats.
    #[test]
    fn conditions_come_to_an_end() {
        let words = "a ".repeat(3000);
        let facts = BTreeMap::from([("prompt".to_owned(), Fact::text(words))]);
        for text in [
            "prompt.split(' ').all(a, prompt.split(' ').all(b, prompt.split(' ').all(c, a + b + c != 'x')))",
            "prompt.split(' ').map(a, prompt + prompt + prompt).map(b, b + b + b).size() > 0",
            "prompt.split(' ').exists(a, prompt.matches('(' + a + '{900}){900}b'))",
            "prompt.split(' ').exists(a, glob('a/b/c/d/e/f/g/h/i/j/k', '**/a/**/b/**/c/**/d/**/e/**/x') || prompt.split(a).size() == 1)",
        ] {
            let condition = Condition::read(text).expect("a condition");
            assert!(condition.holds(&facts).is_err(), "{text}");
        }
        for (text, holds) in [
            ("prompt.split(' ').exists(a, a == 'b')", false),
            ("prompt.matches('a a')", true),
            ("prompt.split(' ').all(a, a.matches('^a?$'))", true),
        ] {
            let condition = Condition::read(text).expect("a condition");
            assert_eq!(condition.holds(&facts), Ok(holds), "{text}");
        }
    }
}
