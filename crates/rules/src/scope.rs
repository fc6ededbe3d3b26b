//! The variables in scope at a place in a condition, and how much work is left for the whole
//! condition.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use regex::{Regex, RegexBuilder};

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
    expressions: RefCell<BTreeMap<String, Compiled>>,
}

#[derive(Clone)]
struct Compiled {
    regex: Regex,
    /// How many steps each character of a text takes.
    weight: u64,
}

/// How many expressions are kept that conditions have read.
const MAX_CACHED: usize = 128;

thread_local! {
    /// The small expressions of conditions, which are used again for each call.
    static REGEX_CACHE: RefCell<BTreeMap<String, Regex>> = const { RefCell::new(BTreeMap::new()) };
}

/// Returns an expression if it is small; nothing for a large one, or if it can't be read.
fn small(expression: &str) -> Option<Regex> {
    REGEX_CACHE.with_borrow_mut(|kept| {
        if let Some(regex) = kept.get(expression) {
            return Some(regex.clone());
        }
        let regex = RegexBuilder::new(expression)
            .size_limit(SMALL)
            .build()
            .ok()?;
        if kept.len() >= MAX_CACHED {
            kept.clear();
        }
        kept.insert(expression.to_owned(), regex.clone());
        Some(regex)
    })
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

    fn compiled(&self, expression: &str) -> Result<Compiled, Unknown> {
        if let Some(regex) = small(expression) {
            return Ok(Compiled { regex, weight: 1 });
        }
        self.spend(COMPILING_LARGE)?;
        let regex = Regex::new(expression).map_err(|error| Unknown(error.to_string()))?;
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
        let known = self.work.expressions.borrow().get(expression).cloned();
        let compiled = if let Some(known) = known {
            known
        } else {
            self.spend(COMPILING)?;
            let compiled = self.compiled(expression)?;
            let mut all = self.work.expressions.borrow_mut();
            all.insert(expression.to_owned(), compiled.clone());
            compiled
        };
        self.spend(steps(text).saturating_mul(compiled.weight))?;
        Ok(compiled.regex.is_match(text))
    }
}

fn steps(text: &str) -> u64 {
    u64::try_from(text.len() / SIGNS_OF_A_STEP).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Condition;

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
