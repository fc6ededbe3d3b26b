//! A pattern as a program, and the machine that runs it. The machine counts its steps, and its
//! stack is a list, so neither time nor depth depends on the author of the pattern.

use super::MatchResult;
use super::syntax::{
    Case, Greediness, LookAround, Node, Polarity, Set, Times, Tree, Way, is_of_word,
};

/// The largest program: `{n,m}` is written out.
const MAX_PROGRAM_STEPS: usize = 20_000;

#[derive(Debug)]
pub(super) struct Program {
    steps: Vec<Step>,
    groups: usize,
    loops: usize,
}

#[derive(Debug, Clone)]
enum Step {
    /// Reads a character of a set.
    Set(Set, Way),
    Start,
    End,
    Boundary(Polarity),
    Back(Vec<usize>, Case, Way),
    /// Tries the first place, then the second.
    Try(usize, usize),
    Go(usize),
    /// Remembers the place as the begin (0) or end (1) of a group.
    Mark(usize, usize),
    Forget(std::ops::Range<usize>),
    /// Remembers where an iteration of a loop begins.
    Round(usize),
    /// Fails if a round has read nothing.
    Moved(usize),
    /// Looks at what follows up to [`Step::Seen`], and continues after it.
    Look(LookAround, usize),
    Seen,
    Done,
}

impl Program {
    /// Writes the program of a pattern; nothing if it is too large.
    pub(super) fn of(tree: &Tree) -> Option<Self> {
        let mut program = Self {
            steps: Vec::new(),
            groups: tree.groups,
            loops: 0,
        };
        program.write(&tree.root, Way::Ahead)?;
        program.push(Step::Done)?;
        Some(program)
    }

    fn push(&mut self, step: Step) -> Option<usize> {
        self.steps.push(step);
        (self.steps.len() <= MAX_PROGRAM_STEPS).then(|| self.steps.len() - 1)
    }

    fn write(&mut self, node: &Node, way: Way) -> Option<()> {
        match node {
            Node::Empty => {}
            Node::Set(set) => {
                self.push(Step::Set(set.clone(), way))?;
            }
            Node::Start => {
                self.push(Step::Start)?;
            }
            Node::End => {
                self.push(Step::End)?;
            }
            Node::Boundary(is) => {
                self.push(Step::Boundary(*is))?;
            }
            Node::Back(groups, case) => {
                self.push(Step::Back(groups.clone(), *case, way))?;
            }
            Node::Group(inner, number) => {
                let (first, second) = if way == Way::Ahead { (0, 1) } else { (1, 0) };
                self.push(Step::Mark(*number, first))?;
                self.write(inner, way)?;
                self.push(Step::Mark(*number, second))?;
            }
            Node::Look(inner, sight) => {
                let look = self.push(Step::Look(*sight, 0))?;
                self.write(inner, sight.way)?;
                self.push(Step::Seen)?;
                self.steps[look] = Step::Look(*sight, self.steps.len());
            }
            Node::Sequence(nodes) => match way {
                Way::Ahead => nodes.iter().try_for_each(|node| self.write(node, way))?,
                Way::Behind => nodes
                    .iter()
                    .rev()
                    .try_for_each(|node| self.write(node, way))?,
            },
            Node::Either(branches) => self.write_either(branches, way)?,
            Node::Repeat(inner, times) => self.write_repeat(inner, times, way)?,
        }
        Some(())
    }

    fn write_either(&mut self, branches: &[Node], way: Way) -> Option<()> {
        let mut ends = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            if index + 1 == branches.len() {
                self.write(branch, way)?;
                break;
            }
            let choice = self.push(Step::Done)?;
            self.write(branch, way)?;
            ends.push(self.push(Step::Done)?);
            self.steps[choice] = Step::Try(choice + 1, self.steps.len());
        }
        for end in ends {
            self.steps[end] = Step::Go(self.steps.len());
        }
        Some(())
    }

    fn write_repeat(&mut self, inner: &Node, times: &Times, way: Way) -> Option<()> {
        for _ in 0..times.least {
            self.push(Step::Forget(times.inside.clone()))?;
            self.write(inner, way)?;
        }
        let round = self.loops;
        self.loops += 1;
        let mut choices = Vec::new();
        let further = times.most.map(|most| most.saturating_sub(times.least));
        for _ in 0..further.unwrap_or(1) {
            let choice = self.push(Step::Done)?;
            choices.push(choice);
            self.push(Step::Round(round))?;
            self.push(Step::Forget(times.inside.clone()))?;
            self.write(inner, way)?;
            self.push(Step::Moved(round))?;
            if further.is_none() {
                self.push(Step::Go(choice))?;
            }
        }
        for choice in choices {
            let (enter, leave) = (choice + 1, self.steps.len());
            self.steps[choice] = match times.greed {
                Greediness::Greedy => Step::Try(enter, leave),
                Greediness::Lazy => Step::Try(leave, enter),
            };
        }
        Some(())
    }
}

/// One comparison.
pub(super) struct Run<'r> {
    program: &'r Program,
    text: &'r [char],
    steps_left: u32,
    /// Begin and end of every group.
    marks: Vec<[Option<usize>; 2]>,
    /// Where the round of every loop began.
    rounds: Vec<usize>,
    undo: Vec<Undo>,
}

/// What failing goes back to.
enum Undo {
    Choice { step: usize, at: usize },
    Mark(usize, usize, Option<usize>),
    Round(usize, usize),
}

/// The steps are used up.
struct UsedUp;

impl<'r> Run<'r> {
    pub(super) fn new(program: &'r Program, text: &'r [char], steps: u32) -> Self {
        Self {
            program,
            text,
            steps_left: steps,
            marks: vec![[None; 2]; program.groups],
            rounds: vec![0; program.loops],
            undo: Vec::new(),
        }
    }

    /// Looks for the pattern from every place on.
    pub(super) fn find(&mut self) -> MatchResult {
        for at in 0..=self.text.len() {
            self.marks.fill([None; 2]);
            self.undo.clear();
            match self.run(0, at) {
                Ok(true) => return MatchResult::Yes,
                Ok(false) => {}
                Err(UsedUp) => return MatchResult::Endless,
            }
        }
        MatchResult::No
    }

    /// Runs from a step and place on, until it is done or nothing is left to try.
    fn run(&mut self, mut step: usize, mut at: usize) -> Result<bool, UsedUp> {
        let base = self.undo.len();
        loop {
            self.steps_left = self.steps_left.checked_sub(1).ok_or(UsedUp)?;
            let program = self.program;
            let next = match &program.steps[step] {
                Step::Done | Step::Seen => return Ok(true),
                Step::Set(set, way) => self.letter(at, *way).and_then(|letter| {
                    at = advance(at, *way, 1);
                    set.holds(letter).then_some(step + 1)
                }),
                Step::Start => (at == 0).then_some(step + 1),
                Step::End => (at == self.text.len()).then_some(step + 1),
                Step::Boundary(is) => {
                    let of_word = |way| self.letter(at, way).is_some_and(is_of_word);
                    let differs = of_word(Way::Ahead) != of_word(Way::Behind);
                    (differs == (*is == Polarity::So)).then_some(step + 1)
                }
                Step::Back(groups, case, way) => {
                    self.captured(groups, at, *case, *way).map(|length| {
                        at = advance(at, *way, length);
                        step + 1
                    })
                }
                Step::Try(first, second) => {
                    self.undo.push(Undo::Choice { step: *second, at });
                    Some(*first)
                }
                Step::Go(place) => Some(*place),
                Step::Mark(group, side) => {
                    self.mark(*group, *side, Some(at));
                    Some(step + 1)
                }
                Step::Forget(groups) => {
                    for group in groups.clone() {
                        self.mark(group, 0, None);
                        self.mark(group, 1, None);
                    }
                    Some(step + 1)
                }
                Step::Round(number) => {
                    self.undo.push(Undo::Round(*number, self.rounds[*number]));
                    self.rounds[*number] = at;
                    Some(step + 1)
                }
                Step::Moved(number) => (self.rounds[*number] != at).then_some(step + 1),
                Step::Look(sight, behind) => {
                    let seen = self.look(step + 1, at, sight.wanted)?;
                    (seen == (sight.wanted == Polarity::So)).then_some(*behind)
                }
            };
            match next.or_else(|| self.backtrack(base, &mut at)) {
                Some(place) => step = place,
                None => return Ok(false),
            }
        }
    }

    /// Looks from a place without going there. What a positive look-around captured stays, its
    /// choices don't.
    fn look(&mut self, step: usize, at: usize, wanted: Polarity) -> Result<bool, UsedUp> {
        let base = self.undo.len();
        let seen = self.run(step, at)?;
        if seen && wanted == Polarity::So {
            let kept = self.undo.split_off(base);
            let lasting = |undo: &Undo| !matches!(undo, Undo::Choice { .. });
            self.undo.extend(kept.into_iter().filter(lasting));
        } else {
            let mut place = at;
            while self.undo.len() > base {
                let _ = self.backtrack(base, &mut place);
            }
        }
        Ok(seen)
    }

    /// Goes back to the last choice, if there is one above the base.
    fn backtrack(&mut self, base: usize, place: &mut usize) -> Option<usize> {
        while self.undo.len() > base {
            match self.undo.pop()? {
                Undo::Choice { step, at } => {
                    *place = at;
                    return Some(step);
                }
                Undo::Mark(group, side, before) => self.marks[group][side] = before,
                Undo::Round(number, before) => self.rounds[number] = before,
            }
        }
        None
    }

    fn mark(&mut self, group: usize, side: usize, place: Option<usize>) {
        let before = std::mem::replace(&mut self.marks[group][side], place);
        self.undo.push(Undo::Mark(group, side, before));
    }

    fn letter(&self, at: usize, way: Way) -> Option<char> {
        let index = match way {
            Way::Ahead => at,
            Way::Behind => at.checked_sub(1)?,
        };
        self.text.get(index).copied()
    }

    /// Returns the length of what a group captured, if it is here, too. A group that captured
    /// nothing matches everywhere.
    fn captured(&mut self, groups: &[usize], at: usize, case: Case, way: Way) -> Option<usize> {
        let captured = groups.iter().find_map(|group| match self.marks[*group] {
            [Some(begin), Some(end)] => self.text.get(begin..end),
            _ => None,
        });
        let Some(captured) = captured else {
            return Some(0);
        };
        let length = captured.len();
        self.steps_left = self
            .steps_left
            .saturating_sub(u32::try_from(length).unwrap_or(u32::MAX));
        let here = match way {
            Way::Ahead => self.text.get(at..at.checked_add(length)?)?,
            Way::Behind => self.text.get(at.checked_sub(length)?..at)?,
        };
        let same = |(one, other): (&char, &char)| {
            one == other || (case == Case::Ignored && one.to_lowercase().eq(other.to_lowercase()))
        };
        captured.iter().zip(here).all(same).then_some(length)
    }
}

const fn advance(at: usize, way: Way, length: usize) -> usize {
    match way {
        Way::Ahead => at + length,
        Way::Behind => at - length,
    }
}
