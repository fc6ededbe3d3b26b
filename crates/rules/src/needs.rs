//! What every match of an expression contains: a text without it needs no expression, and an
//! expression that nothing needs isn't compiled, which takes far longer than to search a command.

/// How many alternatives are looked for; with more of them, nothing is known.
const MAX_LITERALS: usize = 64;

/// Literals that are shorter than this say too little.
const MIN_LITERAL: usize = 2;

/// What every match contains.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Needs {
    /// One of these, whatever its case; they are in lowercase. If there are none, nothing is known.
    pub(crate) literals: Vec<String>,
    /// So many letters, digits, underscores and hyphens in a row.
    pub(crate) run: usize,
}

impl Needs {
    /// Reads what an expression needs. What isn't understood needs nothing.
    pub(crate) fn of(expression: &str) -> Self {
        let mut reader = Reader {
            rest: expression.chars(),
            is_lost: false,
        };
        let needs = reader.alternation();
        // Something was read that isn't understood, or a parenthesis too many.
        if reader.is_lost || reader.peek().is_some() {
            return Self::default();
        }
        needs
    }

    /// Either of two alternatives matches.
    fn or(mut self, other: Self) -> Self {
        let known = !self.literals.is_empty() && !other.literals.is_empty();
        self.literals.extend(other.literals);
        self.literals.sort_unstable();
        self.literals.dedup();
        if !known || self.literals.len() > MAX_LITERALS {
            self.literals.clear();
        }
        self.run = self.run.min(other.run);
        self
    }

    /// Both match, one behind the other: the rarer literals are kept.
    fn and(&mut self, other: Self) {
        let shortest = |of: &[String]| of.iter().map(String::len).min().unwrap_or(0);
        let (ours, theirs) = (shortest(&self.literals), shortest(&other.literals));
        let is_fewer = other.literals.len() < self.literals.len();
        if theirs > ours || theirs == ours && is_fewer {
            self.literals = other.literals;
        }
        self.run = self.run.max(other.run);
    }
}

/// A part of an expression, before how often it is repeated.
enum Part {
    /// A character that stands for itself.
    Sign(char),
    /// A place, such as `\b`.
    Place,
    /// One of several characters; whether all of them are letters, digits, `_` and `-`.
    Class {
        is_dense: bool,
    },
    Group(Needs),
}

struct Reader<'e> {
    rest: std::str::Chars<'e>,
    is_lost: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn eat(&mut self, sign: char) -> bool {
        let is_next = self.peek() == Some(sign);
        if is_next {
            self.rest.next();
        }
        is_next
    }

    fn alternation(&mut self) -> Needs {
        let mut needs = self.sequence();
        while self.eat('|') {
            needs = needs.or(self.sequence());
        }
        needs
    }

    fn sequence(&mut self) -> Needs {
        let mut needs = Needs::default();
        let mut literal = String::new();
        while !matches!(self.peek(), None | Some('|' | ')')) {
            let part = self.part();
            if matches!(part, Part::Place) {
                continue;
            }
            let (least, is_once) = self.repetition();
            let sign = match part {
                Part::Sign(sign) if least > 0 && sign.is_ascii() => Some(sign),
                _ => None,
            };
            literal.extend(sign.map(|it| it.to_ascii_lowercase()));
            if sign.is_none() || !is_once {
                end_literal(&mut literal, &mut needs);
            }
            match part {
                Part::Group(inner) if least > 0 => needs.and(inner),
                Part::Class { is_dense: true } => needs.run = needs.run.max(least),
                _ => {}
            }
        }
        end_literal(&mut literal, &mut needs);
        needs
    }

    fn part(&mut self) -> Part {
        match self.rest.next() {
            Some('(') => self.group(),
            Some('[') => self.class(),
            Some('\\') => self.escaped(),
            Some('.') | None => Part::Class { is_dense: false },
            Some('^' | '$') => Part::Place,
            // There is nothing to repeat.
            Some('*' | '+' | '?' | '{') => {
                self.is_lost = true;
                Part::Place
            }
            Some(sign) => Part::Sign(sign),
        }
    }

    fn group(&mut self) -> Part {
        if self.eat('?') {
            // Flags or a name, up to what the group contains.
            let is_named = matches!(self.peek(), Some('P' | '<'));
            loop {
                match self.rest.next() {
                    Some(')') => return Part::Place,
                    Some(':' | '>') => break,
                    Some('x') if !is_named => self.is_lost = true,
                    Some(_) => {}
                    None => {
                        self.is_lost = true;
                        break;
                    }
                }
            }
        }
        let needs = self.alternation();
        self.is_lost |= self.rest.next() != Some(')');
        Part::Group(needs)
    }

    /// Reads a class from behind its bracket, with classes in it.
    fn class(&mut self) -> Part {
        let mut is_dense = !self.eat('^');
        let mut depth = 1;
        if self.eat(']') {
            is_dense = false;
        }
        while depth > 0 {
            match self.rest.next() {
                None => {
                    self.is_lost = true;
                    break;
                }
                Some('[') => depth += 1,
                Some(']') => depth -= 1,
                Some('\\') => {
                    self.rest.next();
                    is_dense = false;
                }
                Some(sign) => is_dense &= is_of_run(sign),
            }
        }
        Part::Class { is_dense }
    }

    fn escaped(&mut self) -> Part {
        match self.rest.next() {
            Some('b' | 'B' | 'A' | 'z') => Part::Place,
            Some('w' | 'W' | 'd' | 'D' | 's' | 'S' | 'n' | 'r' | 't') => {
                Part::Class { is_dense: false }
            }
            // Two digits of a number follow.
            Some('x') if self.peek().is_some_and(|it| it.is_ascii_hexdigit()) => {
                self.rest.nth(1);
                Part::Class { is_dense: false }
            }
            Some(sign) if sign.is_ascii_punctuation() && sign != '<' && sign != '>' => {
                Part::Sign(sign)
            }
            _ => {
                self.is_lost = true;
                Part::Place
            }
        }
    }

    /// Reads how often the part before is repeated at least, and whether it stands there once.
    fn repetition(&mut self) -> (usize, bool) {
        let (least, is_once) = match self.peek() {
            Some('?' | '*') => {
                self.rest.next();
                (0, false)
            }
            Some('+') => {
                self.rest.next();
                (1, false)
            }
            Some('{') => {
                self.is_lost |= !self.rest.as_str().contains('}');
                let range: String = self.rest.by_ref().take_while(|it| *it != '}').collect();
                let least = range.trim_start_matches('{').split(',').next();
                (least.and_then(|it| it.parse().ok()).unwrap_or(0), false)
            }
            _ => return (1, true),
        };
        self.eat('?');
        (least, is_once)
    }
}

fn end_literal(literal: &mut String, needs: &mut Needs) {
    let literal = std::mem::take(literal);
    if literal.len() >= MIN_LITERAL {
        needs.and(Needs {
            literals: vec![literal],
            run: 0,
        });
    }
}

/// Returns whether a character belongs to a run as tokens have them.
pub(crate) const fn is_of_run(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-')
}

#[cfg(test)]
mod tests {
    use regex_syntax::ast::parse::Parser;
    use regex_syntax::ast::{Ast, RepetitionKind, RepetitionRange};

    use super::*;
    use crate::{effects, secrets};

    /// HT-40: what an expression needs is found, and what may be left out isn't needed.
    #[test]
    fn what_every_match_contains_is_known() {
        for (expression, literals, run) in [
            (r"\bgh[pousr]_[A-Za-z0-9]{36,}", &["gh"][..], 36),
            (r"(?i)Pass(word|phrase)?\s*=", &["pass"], 0),
            (r"(AKIA|ASIA)[A-Z0-9]{16}\b", &["akia", "asia"], 16),
            (r"a?b*cd+e{2}f", &["cd"], 0),
            (r"(?:x|yz)abc?", &["ab"], 0),
            (r"(?P<name>token)(?::\s*)?x", &["token"], 0),
            (r"one|two|[a-f0-9]{32}", &[], 0),
            (r"[a-f0-9]{32}|[\w-]{40}", &[], 0),
            (r"[a-f0-9]{32}|[a-z-]{40}", &[], 32),
            (r"[^a]{9}[a.]{9}[]a]{9}[a&&b]{9}", &[], 0),
            (r"\x41bc\.de", &["bc.de"], 0),
            (r"\pLabc", &[], 0),
            (r"(?x) a b c d", &[], 0),
            (r"ab)cd", &[], 0),
            (r"ab(cd", &[], 0),
            (r"ab[cd", &[], 0),
            (r"contraseña", &["contrase"], 0),
        ] {
            let expected = Needs {
                literals: literals.iter().map(|&it| it.to_owned()).collect(),
                run,
            };
            assert_eq!(Needs::of(expression), expected, "{expression}");
        }
    }

    /// HT-40: no expression of the tables needs what a match may lack, as their own parser reads
    /// them; and most of them need something.
    #[test]
    fn tables_need_no_more_than_matches_have() {
        let mut count = (0, 0);
        for text in secrets::expressions().chain(effects::expressions()) {
            let needs = Needs::of(&text);
            let ast = Parser::new().parse(&text).unwrap();
            let is_literal = |it: &str| needs.literals.iter().any(|literal| it.contains(literal));
            assert!(
                needs.literals.is_empty() || has(&ast, &is_literal),
                "{text}: {needs:?}"
            );
            count.0 += 1;
            count.1 += usize::from(!needs.literals.is_empty());
        }
        assert!(count.0 > 600 && count.1 * 10 > count.0 * 8, "{count:?}");
    }

    /// Returns whether every match contains a literal that is one of those sought.
    fn has(ast: &Ast, is_sought: &impl Fn(&str) -> bool) -> bool {
        match ast {
            Ast::Literal(it) => is_sought(&it.c.to_ascii_lowercase().to_string()),
            Ast::Group(it) => has(&it.ast, is_sought),
            Ast::Alternation(it) => it.asts.iter().all(|it| has(it, is_sought)),
            Ast::Repetition(it) => least(&it.op.kind) > 0 && has(&it.ast, is_sought),
            Ast::Concat(it) => {
                let mut literal = String::new();
                it.asts.iter().any(|part| {
                    let (sign, ends) = match part {
                        Ast::Literal(it) => (Some(it.c), false),
                        Ast::Repetition(it) => match &*it.ast {
                            Ast::Literal(sign) if least(&it.op.kind) > 0 => (Some(sign.c), true),
                            _ => (None, true),
                        },
                        Ast::Assertion(_) | Ast::Flags(_) => (None, false),
                        _ => (None, true),
                    };
                    literal.extend(sign.map(|it| it.to_ascii_lowercase()));
                    let found = is_sought(&literal);
                    if ends {
                        literal.clear();
                    }
                    found || has(part, is_sought)
                })
            }
            _ => false,
        }
    }

    fn least(kind: &RepetitionKind) -> u32 {
        match kind {
            RepetitionKind::ZeroOrOne | RepetitionKind::ZeroOrMore => 0,
            RepetitionKind::OneOrMore => 1,
            RepetitionKind::Range(
                RepetitionRange::Exactly(it)
                | RepetitionRange::AtLeast(it)
                | RepetitionRange::Bounded(it, _),
            ) => *it,
        }
    }
}
