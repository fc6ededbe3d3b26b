//! Parses a valid ECMAScript pattern into a tree, including the older forms that annex B allows.

use std::ops::RangeInclusive;

/// A pattern as a tree.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) root: Node,
    /// How many groups capture, with the whole as the first.
    pub(super) groups: usize,
}

#[derive(Debug)]
pub(super) enum Node {
    Empty,
    Set(Set),
    Start,
    End,
    /// Whether two neighbours differ in being of a word, or don't.
    Boundary(Polarity),
    Group(Box<Node>, usize),
    /// What one of these groups captured.
    Back(Vec<usize>, Case),
    Look(Box<Node>, LookAround),
    Sequence(Vec<Node>),
    Either(Vec<Node>),
    Repeat(Box<Node>, Times),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Polarity {
    So,
    Not,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Counts,
    Ignored,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct LookAround {
    pub(super) way: Way,
    pub(super) wanted: Polarity,
}

/// In which direction a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Ahead,
    Behind,
}

#[derive(Debug, Clone)]
pub(super) struct Times {
    pub(super) least: u32,
    /// Nothing for any number.
    pub(super) most: Option<u32>,
    pub(super) greed: Greediness,
    /// The groups inside, which every round forgets.
    pub(super) inside: std::ops::Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Greediness {
    Greedy,
    Lazy,
}

/// A set of characters.
#[derive(Debug, Clone)]
pub(super) struct Set {
    pub(super) is: Polarity,
    pub(super) parts: Vec<Part>,
    pub(super) case: Case,
}

#[derive(Debug, Clone)]
pub(super) enum Part {
    Range(RangeInclusive<char>),
    Digit(Polarity),
    Word(Polarity),
    Space(Polarity),
}

impl Set {
    pub(super) fn holds(&self, letter: char) -> bool {
        let is_contained = self.holds_as_is(letter)
            || (self.case == Case::Ignored
                && (letter.to_lowercase().any(|it| self.holds_as_is(it))
                    || letter.to_uppercase().any(|it| self.holds_as_is(it))));
        is_contained == (self.is == Polarity::So)
    }

    fn holds_as_is(&self, letter: char) -> bool {
        self.parts.iter().any(|part| match part {
            Part::Range(range) => range.contains(&letter),
            Part::Digit(is) => letter.is_ascii_digit() == (*is == Polarity::So),
            Part::Word(is) => is_of_word(letter) == (*is == Polarity::So),
            Part::Space(is) => is_space(letter) == (*is == Polarity::So),
        })
    }
}

pub(super) const fn is_of_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

fn is_space(letter: char) -> bool {
    letter == '\u{feff}' || (letter.is_whitespace() && letter != '\u{85}')
}

/// Reads a pattern; nothing if it has a form that isn't known here.
pub(super) fn parse(text: &str) -> Option<Tree> {
    let letters: Vec<char> = text.chars().collect();
    let names = group_names(&letters);
    let mut parser = Parser {
        total: names.len() + 1,
        names,
        letters,
        at: 0,
        groups: 1,
        case: Case::Counts,
        depth: 0,
    };
    let root = parser.alternation()?;
    (parser.at == parser.letters.len()).then_some(Tree {
        root,
        groups: parser.groups,
    })
}

/// Lists the groups that capture, with their names, in the order of their brackets.
fn group_names(letters: &[char]) -> Vec<Option<String>> {
    let mut names = Vec::new();
    let mut at = 0;
    let mut in_class = false;
    while let Some(letter) = letters.get(at) {
        match letter {
            '\\' => at += 1,
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => match letters.get(at + 1..) {
                Some(['?', '<', after, ..]) if !matches!(after, '=' | '!') => {
                    let name = letters[at + 3..].iter().take_while(|it| **it != '>');
                    names.push(Some(name.collect()));
                }
                Some(['?', ..]) => {}
                _ => names.push(None),
            },
            _ => {}
        }
        at += 1;
    }
    names
}

/// How deep brackets may be nested: reading them is recursive.
const MAX_DEPTH: usize = 100;

struct Parser {
    letters: Vec<char>,
    at: usize,
    groups: usize,
    /// How many groups there are in all, with the whole.
    total: usize,
    names: Vec<Option<String>>,
    case: Case,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = text
            .chars()
            .enumerate()
            .all(|(index, letter)| self.letters.get(self.at + index) == Some(&letter));
        if found {
            self.at += text.chars().count();
        }
        found
    }

    fn alternation(&mut self) -> Option<Node> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut branches = vec![self.sequence()?];
        while self.eat("|") {
            branches.push(self.sequence()?);
        }
        self.depth -= 1;
        match branches.len() {
            1 => branches.pop(),
            _ => Some(Node::Either(branches)),
        }
    }

    fn sequence(&mut self) -> Option<Node> {
        let mut nodes = Vec::new();
        while self
            .peek()
            .is_some_and(|letter| !matches!(letter, '|' | ')'))
        {
            let before = self.groups;
            let node = self.atom()?;
            nodes.push(self.repetition(node, before));
        }
        Some(match nodes.len() {
            0 => Node::Empty,
            _ => Node::Sequence(nodes),
        })
    }

    fn repetition(&mut self, node: Node, before: usize) -> Node {
        let (least, most) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => match self.braces() {
                Some((least, most, length)) => {
                    self.at += length - 1;
                    (least, most)
                }
                None => return node,
            },
            _ => return node,
        };
        self.at += 1;
        let greed = if self.eat("?") {
            Greediness::Lazy
        } else {
            Greediness::Greedy
        };
        let inside = before..self.groups;
        Node::Repeat(
            Box::new(node),
            Times {
                least,
                most,
                greed,
                inside,
            },
        )
    }

    /// Reads `{n}`, `{n,}` or `{n,m}`, with its length; nothing if the brace is literal.
    fn braces(&self) -> Option<(u32, Option<u32>, usize)> {
        let rest = &self.letters[self.at + 1..];
        let inner: String = rest.iter().take_while(|letter| **letter != '}').collect();
        if inner.chars().count() == rest.len() {
            return None;
        }
        let digits = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
            is_number.then(|| text.parse().unwrap_or(u32::MAX))
        };
        let length = inner.chars().count() + 2;
        match inner.split_once(',') {
            None => digits(&inner).map(|times| (times, Some(times), length)),
            Some((least, "")) => digits(least).map(|least| (least, None, length)),
            Some((least, most)) => Some((digits(least)?, Some(digits(most)?), length)),
        }
    }

    fn atom(&mut self) -> Option<Node> {
        let letter = self.peek()?;
        self.at += 1;
        Some(match letter {
            '(' => return self.group(),
            '[' => self.class(),
            '.' => self.class_node(
                Polarity::Not,
                ['\n', '\r', '\u{2028}', '\u{2029}']
                    .map(|it| Part::Range(it..=it))
                    .to_vec(),
                Case::Counts,
            ),
            '^' => Node::Start,
            '$' => Node::End,
            '\\' => return self.escape(),
            other => self.letter(other),
        })
    }

    fn letter(&self, letter: char) -> Node {
        self.class_node(Polarity::So, vec![Part::Range(letter..=letter)], self.case)
    }

    #[expect(clippy::unused_self, reason = "all nodes are made by the parser")]
    fn class_node(&self, is: Polarity, parts: Vec<Part>, case: Case) -> Node {
        Node::Set(Set { is, parts, case })
    }

    fn group(&mut self) -> Option<Node> {
        let sight = [
            ("?=", Way::Ahead, Polarity::So),
            ("?!", Way::Ahead, Polarity::Not),
            ("?<=", Way::Behind, Polarity::So),
            ("?<!", Way::Behind, Polarity::Not),
        ]
        .into_iter()
        .find(|(sign, ..)| self.eat(sign));
        let case = self.case;
        let node = if let Some((_, way, wanted)) = sight {
            Node::Look(Box::new(self.alternation()?), LookAround { way, wanted })
        } else if self.eat("?:") {
            self.alternation()?
        } else if self.eat("?<") {
            while !self.eat(">") {
                self.peek()?;
                self.at += 1;
            }
            self.capture()?
        } else if self.eat("?") {
            self.modifiers()?;
            self.alternation()?
        } else {
            self.capture()?
        };
        self.case = case;
        self.eat(")").then_some(node)
    }

    fn capture(&mut self) -> Option<Node> {
        let number = self.groups;
        self.groups += 1;
        Some(Node::Group(Box::new(self.alternation()?), number))
    }

    /// Reads `i:` and `-i:`; other modifiers aren't known here.
    fn modifiers(&mut self) -> Option<()> {
        if self.eat("i:") {
            self.case = Case::Ignored;
        } else if self.eat("-i:") {
            self.case = Case::Counts;
        } else {
            return None;
        }
        Some(())
    }

    fn escape(&mut self) -> Option<Node> {
        let letter = self.peek()?;
        if matches!(letter, 'b' | 'B') {
            self.at += 1;
            return Some(Node::Boundary(if letter == 'b' {
                Polarity::So
            } else {
                Polarity::Not
            }));
        }
        if letter == 'k' && self.names.iter().any(Option::is_some) {
            self.at += 2;
            let rest = self.letters.get(self.at..)?;
            let name: String = rest.iter().take_while(|it| **it != '>').collect();
            self.at += name.chars().count() + 1;
            let named = |it: &&Option<String>| it.as_deref() == Some(name.as_str());
            let groups = (1..)
                .zip(&self.names)
                .filter(|(_, known)| named(known))
                .map(|(number, _)| number);
            return Some(Node::Back(groups.collect(), self.case));
        }
        if matches!(letter, '1'..='9') {
            let rest = &self.letters[self.at..];
            let digits: String = rest.iter().take_while(|it| it.is_ascii_digit()).collect();
            if let Some(group) = digits.parse().ok().filter(|group| *group < self.total) {
                self.at += digits.len();
                return Some(Node::Back(vec![group], self.case));
            }
        }
        let part = self.escaped_part();
        Some(self.class_node(Polarity::So, vec![part], self.case))
    }

    /// Reads the escape of a character, or of a class of them.
    fn escaped_part(&mut self) -> Part {
        let Some(letter) = self.peek() else {
            return Part::Range('\\'..='\\');
        };
        self.at += 1;
        let single = |letter: char| Part::Range(letter..=letter);
        match letter {
            'd' => Part::Digit(Polarity::So),
            'D' => Part::Digit(Polarity::Not),
            'w' => Part::Word(Polarity::So),
            'W' => Part::Word(Polarity::Not),
            's' => Part::Space(Polarity::So),
            'S' => Part::Space(Polarity::Not),
            't' => single('\t'),
            'n' => single('\n'),
            'r' => single('\r'),
            'v' => single('\u{b}'),
            'f' => single('\u{c}'),
            'c' => {
                let Some(control) = self.peek().filter(char::is_ascii_alphabetic) else {
                    self.at -= 1;
                    return single('\\');
                };
                self.at += 1;
                single(char::from(control as u8 % 32))
            }
            'x' => single(self.hexadecimal(2).unwrap_or('x')),
            'u' => single(self.hexadecimal(4).unwrap_or('u')),
            '0'..='7' => {
                self.at -= 1;
                single(self.octal())
            }
            other => single(other),
        }
    }

    fn hexadecimal(&mut self, length: usize) -> Option<char> {
        let digits: String = self
            .letters
            .get(self.at..self.at + length)?
            .iter()
            .collect();
        let is_number = digits.bytes().all(|it| it.is_ascii_hexdigit());
        let letter = is_number.then(|| u32::from_str_radix(&digits, 16).ok())??;
        self.at += length;
        // Half a surrogate pair can't appear in any text.
        Some(char::from_u32(letter).unwrap_or('\u{fffd}'))
    }

    fn octal(&mut self) -> char {
        let mut value = 0;
        let mut length = 0;
        while let Some(digit) = self.peek().and_then(|it| it.to_digit(8)) {
            if length == 3 || value * 8 + digit > 0o377 {
                break;
            }
            value = value * 8 + digit;
            length += 1;
            self.at += 1;
        }
        char::from_u32(value).unwrap_or_default()
    }

    fn class(&mut self) -> Node {
        let is = if self.eat("^") {
            Polarity::Not
        } else {
            Polarity::So
        };
        let mut parts = Vec::new();
        while let Some(first) = self.class_part() {
            let is_range = self.peek() == Some('-')
                && self.letters.get(self.at + 1).is_some_and(|it| *it != ']');
            if !is_range {
                parts.push(first);
                continue;
            }
            self.at += 1;
            let Some(last) = self.class_part() else { break };
            match (first, last) {
                (Part::Range(first), Part::Range(last)) => {
                    parts.push(Part::Range(*first.start()..=*last.end()));
                }
                (first, last) => parts.extend([first, Part::Range('-'..='-'), last]),
            }
        }
        self.class_node(is, parts, self.case)
    }

    /// Reads a part of a class, or its end.
    fn class_part(&mut self) -> Option<Part> {
        let letter = self.peek()?;
        self.at += 1;
        match letter {
            ']' => None,
            '\\' if self.eat("b") => Some(Part::Range('\u{8}'..='\u{8}')),
            '\\' => Some(self.escaped_part()),
            other => Some(Part::Range(other..=other)),
        }
    }
}
