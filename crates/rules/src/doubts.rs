//! Finds parts of conditions that can't mean what they say, if that can be known without a call
//! (HT-1): parts that are never true, and names that have no value at their event.

mod compared;
mod elements;
mod patterns;

use std::collections::BTreeMap;

use cel::IdedExpr;
use cel::common::ast::{CallExpr, Expr, LiteralValue, operators};

use crate::condition::Condition;
use crate::evaluate::evaluate;
use crate::fact::Fact;
use crate::scope::Scope;
use crate::wording::{Kind, Piece, column};

pub use elements::Why;

/// A tool, by a name that hooks read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedTool {
    /// The name.
    pub name: String,
    /// The names of its arguments, if they are known.
    pub arguments: Option<&'static [&'static str]>,
}

/// What exists at the event of a condition.
#[derive(Debug, Clone)]
pub struct Surroundings<'s> {
    /// The event's name.
    pub event: &'s str,
    /// The names that conditions know but the payload of this event doesn't have.
    pub absent: &'s [&'s str],
    /// The tools that the condition can be about. Empty if they aren't known.
    pub tools: &'s [NamedTool],
}

/// What was probably meant by a text that is compared literally.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meant {
    /// A pattern with a wildcard.
    Wildcard,
    /// A regular expression.
    Expression,
    /// A folder, with `~` or a variable that is expanded elsewhere.
    Folder,
    /// A path relative to the working directory, which calls can also spell in other ways.
    Relative,
    /// The same text in another case. The value that it is compared with can't have this case.
    OtherCase,
    /// An escape of a regular expression, which is a control character in a text of CEL: `"\b"`.
    Escape,
    /// A pattern between slashes, as other languages write one.
    Delimited,
    /// A pattern with wildcards, given as a regular expression.
    Glob,
    /// A pattern that can't match anything, such as one with a text before `^`.
    Impossible,
    /// A pattern with `(?i)` at its end, where it changes nothing.
    LateFlag,
    /// The text to search for, in the place of the text to search in.
    Swapped,
}

/// Something in a condition that can't mean what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// It is never true.
    NeverTrue,
    /// This text is compared with the tool's name, and no tool has that name.
    NoTool(String),
    /// This text is compared with the event's name, which is another one.
    OtherEvent(String),
    /// This text is compared literally, and was meant as something else.
    Compared(String, Meant),
    /// The event has no value with this name.
    Absent(String),
    /// A field of the searched list never contains this text.
    NeverHeld {
        /// The field, as it is reported.
        of: String,
        /// The text.
        text: String,
        /// Why it doesn't.
        why: Why,
    },
    /// A value has no field with this name, but has these.
    NoField {
        /// The value, as it is written.
        of: String,
        /// The field.
        field: String,
        /// The fields that there are.
        known: Vec<String>,
    },
}

impl Condition {
    /// Returns the parts of the condition that can't mean what they say at its event.
    pub fn doubts(&self, surroundings: &Surroundings<'_>) -> Vec<Doubt> {
        let mut finder = Finder {
            surroundings,
            tools: surroundings.tools.iter().collect(),
            found: Vec::new(),
            certain: Vec::new(),
            fits: false,
        };
        let expression = self.expression();
        if names_of(expression).is_empty() {
            if is_false(expression) {
                finder.found.push(Doubt::NeverTrue);
            }
            return finder.found;
        }
        finder.narrow(expression);
        finder.look(expression, &mut Vec::new());
        // Parts combined with one that is always false here are never evaluated.
        if finder.is_ruled_out(expression) {
            finder.found.retain(|it| {
                !matches!(
                    it,
                    Doubt::Absent(_) | Doubt::NoField { .. } | Doubt::NoTool(_)
                )
            });
        } else if finder.found.is_empty() && compared::is_never_true(expression) {
            finder.found.push(Doubt::NeverTrue);
        }
        if finder.found.is_empty() && has_false_part(expression) {
            finder.found.push(Doubt::NeverTrue);
        }
        // An unknown word, or another agent's, beside a known one is intended.
        let has_others = ["||", "has(", "?"]
            .iter()
            .any(|it| self.text().contains(it));
        let has_alternatives = self.text().contains("||");
        let fits = finder.fits;
        finder.found.retain(|it| match it {
            Doubt::Absent(_) => !has_others,
            Doubt::NoField { .. } | Doubt::Compared(_, Meant::Folder) | Doubt::NeverHeld { .. } => {
                !has_alternatives
            }
            Doubt::NoTool(_) => !(has_alternatives && fits),
            Doubt::NeverTrue | Doubt::OtherEvent(_) | Doubt::Compared(..) => true,
        });
        let is_told = |it: &Doubt| match it {
            Doubt::NeverHeld { of, .. } => {
                let mut doubts = finder.found.iter();
                doubts.any(
                    |doubts| matches!(doubts, Doubt::NeverHeld { of: about, .. } if about == of),
                )
            }
            other => finder.found.contains(other),
        };
        let mut certain = std::mem::take(&mut finder.certain);
        certain.retain(|it| !is_told(it));
        certain.dedup();
        finder.found.extend(certain);
        finder.found
    }
}

struct Finder<'f> {
    surroundings: &'f Surroundings<'f>,
    /// The tools for which what is asked about the name alone is true.
    tools: Vec<&'f NamedTool>,
    found: Vec<Doubt>,
    /// What nobody can have meant for another agent, or another event: the names of effects and
    /// elements are ours.
    certain: Vec<Doubt>,
    /// Whether a part about the tool's name matches one.
    fits: bool,
}

/// What a part of a condition is about, if that is one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum About {
    Tool,
    Event,
}

impl Finder<'_> {
    /// Keeps only the tools that a condition joined by `&&` lets through.
    fn narrow(&mut self, expression: &IdedExpr) {
        match &expression.expr {
            Expr::Call(call) if call.func_name == operators::LOGICAL_AND => {
                call.args.iter().for_each(|it| self.narrow(it));
            }
            _ if subject(expression) == Some(About::Tool) => {
                self.tools
                    .retain(|tool| value(expression, &tool_facts(&tool.name)) == Some(true));
            }
            _ => {}
        }
    }

    /// Returns whether one of the parts joined by `&&` is false whatever the call is: it is about
    /// another event, which is noted, or about nothing.
    fn is_ruled_out(&mut self, expression: &IdedExpr) -> bool {
        if let Expr::Call(call) = &expression.expr
            && call.func_name == operators::LOGICAL_AND
        {
            let mut is_out = false;
            for part in &call.args {
                is_out |= self.is_ruled_out(part);
            }
            return is_out;
        }
        let is_of_event = subject(expression) == Some(About::Event);
        if !is_of_event && !names_of(expression).is_empty() {
            return false;
        }
        let facts = ["event", "hook_event_name"]
            .map(|it| (it.to_owned(), Fact::text(self.surroundings.event)));
        let is_false = value(expression, &facts.into()) == Some(false);
        if let Expr::Call(call) = &expression.expr
            && is_false
            && is_of_event
            && call.func_name != operators::NOT_EQUALS
        {
            let texts = texts_of(call);
            if !texts.is_empty() {
                self.add(Doubt::OtherEvent(texts.join(", ")));
            }
        }
        is_false
    }

    fn look(&mut self, expression: &IdedExpr, bound: &mut Vec<String>) {
        if !is_logic(expression) && bound.is_empty() {
            self.certain.extend(elements::doubt_of_effects(expression));
        }
        if let Expr::Call(call) = &expression.expr
            && let Some(doubt) = patterns::doubt(call).or_else(|| compared::doubt(call))
        {
            self.add(doubt);
            return;
        }
        match &expression.expr {
            Expr::Call(call) if !is_other_logic(call) && self.is_atom(expression, call) => {}
            Expr::Call(call) => {
                let target = call.target.iter().map(|it| &**it);
                for part in target.chain(&call.args) {
                    self.look(part, bound);
                }
            }
            Expr::Ident(name)
                if !bound.contains(name) && self.surroundings.absent.contains(&name.as_str()) =>
            {
                self.add(Doubt::Absent(name.clone()));
            }
            Expr::Select(select) => {
                if !select.test {
                    let doubt = elements::doubt_of_element(&select.operand, &select.field);
                    self.certain.extend(doubt);
                }
                self.field(&select.operand, &select.field, bound);
                self.look(&select.operand, bound);
            }
            Expr::List(list) => list.elements.iter().for_each(|it| self.look(it, bound)),
            Expr::Comprehension(it) => {
                match elements::doubt(it) {
                    Some(doubt @ Doubt::NoField { .. }) => self.certain.push(doubt),
                    Some(doubt) => self.add(doubt),
                    None => {}
                }
                self.look(&it.iter_range, bound);
                bound.extend([it.iter_var.clone(), it.accu_var.clone()]);
                for part in [&it.loop_cond, &it.loop_step, &it.result] {
                    self.look(part, bound);
                }
                bound.truncate(bound.len() - 2);
            }
            _ => {}
        }
    }

    fn add(&mut self, doubt: Doubt) {
        if !self.found.contains(&doubt) {
            self.found.push(doubt);
        }
    }

    /// Looks at a part that is about one name alone; returns whether it is such a part.
    fn is_atom(&mut self, expression: &IdedExpr, call: &CallExpr) -> bool {
        let Some(about) = subject(expression) else {
            return false;
        };
        let texts = texts_of(call);
        match about {
            About::Tool => {
                let all = self.surroundings.tools;
                let mut names = all.iter().map(|tool| &tool.name);
                let fits = names.any(|it| value(expression, &tool_facts(it)) != Some(false));
                let may_be_of_server = texts.iter().any(|it| it.contains("mcp"));
                if all.is_empty() || may_be_of_server || texts.is_empty() {
                    return true;
                }
                self.fits |= fits;
                if !fits {
                    self.add(Doubt::NoTool(texts.join(", ")));
                }
            }
            // Beside others, it may be intended for another event.
            About::Event => {}
        }
        true
    }

    /// Looks at a field of the tool, of its arguments, or of the session.
    fn field(&mut self, operand: &IdedExpr, field: &str, bound: &[String]) {
        let (of, known): (_, Vec<String>) = match &operand.expr {
            Expr::Ident(name) if bound.contains(name) => return,
            Expr::Ident(name) if name == "tool" => ("tool", fields(&["name", "input"])),
            Expr::Ident(name) if name == "session" => ("session", fields(&["id"])),
            Expr::Ident(name) if name == "tool_input" => ("tool_input", self.arguments()),
            Expr::Select(select)
                if select.field == "input"
                    && matches!(&select.operand.expr, Expr::Ident(name) if name == "tool") =>
            {
                ("tool.input", self.arguments())
            }
            _ => return,
        };
        if !known.is_empty() && !known.iter().any(|it| it == field) {
            let (of, field) = (of.to_owned(), field.to_owned());
            self.add(Doubt::NoField { of, field, known });
        }
    }

    /// Returns the arguments of the tools that a condition may be about; nothing if they aren't
    /// known.
    fn arguments(&self) -> Vec<String> {
        let mut known: Vec<String> = Vec::new();
        for tool in &self.tools {
            let Some(arguments) = tool.arguments else {
                return Vec::new();
            };
            for argument in arguments {
                if !known.iter().any(|it| it == argument) {
                    known.push((*argument).to_owned());
                }
            }
        }
        known
    }
}

/// Returns whether an expression that reads nothing is false.
fn is_false(expression: &IdedExpr) -> bool {
    names_of(expression).is_empty() && value(expression, &BTreeMap::new()) == Some(false)
}

/// Returns whether one of the parts joined by `&&` is false by itself: `… && false`.
fn has_false_part(expression: &IdedExpr) -> bool {
    match &expression.expr {
        Expr::Call(call) if call.func_name == operators::LOGICAL_AND => {
            call.args.iter().any(has_false_part)
        }
        _ => is_false(expression),
    }
}

fn fields(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

/// Returns whether an expression joins truth values: its parts are looked at.
fn is_logic(expression: &IdedExpr) -> bool {
    let joins = |call: &CallExpr| call.func_name == operators::LOGICAL_OR || is_other_logic(call);
    matches!(&expression.expr, Expr::Call(call) if joins(call))
}

/// Returns whether a call joins truth values so that each of them counts; alternatives are looked
/// at together.
fn is_other_logic(call: &CallExpr) -> bool {
    [
        operators::LOGICAL_AND,
        operators::LOGICAL_NOT,
        operators::CONDITIONAL,
    ]
    .contains(&call.func_name.as_str())
}

/// Returns what a part is about, if that is only the name of the tool or of the event.
fn subject(expression: &IdedExpr) -> Option<About> {
    let names = names_of(expression);
    let all =
        |known: &[&str]| !names.is_empty() && names.iter().all(|it| known.contains(&it.as_str()));
    if all(&["tool.name", "tool_name"]) {
        Some(About::Tool)
    } else if all(&["event", "hook_event_name"]) {
        Some(About::Event)
    } else {
        None
    }
}

fn tool_facts(name: &str) -> BTreeMap<String, Fact> {
    BTreeMap::from([
        ("tool_name".to_owned(), Fact::text(name)),
        ("tool".to_owned(), Fact::map([("name", Fact::text(name))])),
    ])
}

fn value(expression: &IdedExpr, facts: &BTreeMap<String, Fact>) -> Option<bool> {
    match evaluate(expression, &Scope::new(facts)) {
        Ok(Fact::Bool(value)) => Some(value),
        _ => None,
    }
}

/// Returns the names that an expression reads, including fields of `tool`.
fn names_of(expression: &IdedExpr) -> Vec<String> {
    let mut names = Vec::new();
    collect_names(&expression.expr, &mut names);
    names
}

fn collect_names(expr: &Expr, names: &mut Vec<String>) {
    match expr {
        Expr::Ident(name) => names.push(name.clone()),
        Expr::Select(select) => match &select.operand.expr {
            Expr::Ident(name) => names.push(format!("{name}.{}", select.field)),
            other => collect_names(other, names),
        },
        Expr::Call(call) => {
            let target = call.target.iter().map(|it| &**it);
            for part in target.chain(&call.args) {
                collect_names(&part.expr, names);
            }
        }
        Expr::List(list) => {
            for element in &list.elements {
                collect_names(&element.expr, names);
            }
        }
        Expr::Comprehension(it) => {
            // Bound variables count as names: such a part is about more than one thing.
            for part in [&it.iter_range, &it.loop_cond, &it.loop_step, &it.result] {
                collect_names(&part.expr, names);
            }
        }
        Expr::Map(_) => names.push("{}".to_owned()),
        _ => {}
    }
}

/// Returns the texts that a call compares with.
fn texts_of(call: &CallExpr) -> Vec<String> {
    let mut texts = Vec::new();
    let target = call.target.iter().map(|it| &**it);
    for part in target.chain(&call.args) {
        collect_texts(&part.expr, &mut texts);
    }
    texts
}

fn collect_texts(expr: &Expr, texts: &mut Vec<String>) {
    match expr {
        Expr::Literal(LiteralValue::String(text)) => texts.push(text.inner().to_owned()),
        Expr::List(list) => {
            for element in &list.elements {
                collect_texts(&element.expr, texts);
            }
        }
        Expr::Call(call) => texts.extend(texts_of(call)),
        _ => {}
    }
}

impl Condition {
    /// Returns the column of the text that a doubt is about, in characters from one. It is the
    /// start of the condition if the doubt is about the whole condition (HT-1).
    pub fn column_of(&self, doubt: &Doubt) -> usize {
        let is_text = |it: &Piece, wanted: &str| {
            it.kind == Kind::Text
                && !it.content.is_empty()
                && (wanted == it.content || wanted.starts_with(&format!("{}, ", it.content)))
        };
        column(self.text(), |it| match doubt {
            Doubt::NeverTrue => false,
            // Several strings in one comparison are reported together.
            Doubt::NoTool(text) | Doubt::OtherEvent(text) | Doubt::NeverHeld { text, .. } => {
                is_text(it, text)
            }
            Doubt::Compared(text, _) => it.kind == Kind::Text && it.content == *text,
            Doubt::Absent(name) => it.kind == Kind::Name && it.content == *name,
            Doubt::NoField { field, .. } => it.kind != Kind::Name && it.content == *field,
        })
    }
}

#[cfg(test)]
mod tests;
