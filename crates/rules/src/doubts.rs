//! What a condition can't mean, as far as it can be told without a call (HT-1): parts that are never true,
//! and names that nothing has at its event.

mod compared;
mod elements;

use std::collections::BTreeMap;

use cel::IdedExpr;
use cel::common::ast::{CallExpr, Expr, LiteralValue, operators};

use crate::condition::Condition;
use crate::evaluate::evaluate;
use crate::fact::Fact;
use crate::scope::Scope;

pub use elements::Why;

/// What there is at the event of a condition.
#[derive(Debug, Clone)]
pub struct Surroundings<'s> {
    /// The event's name.
    pub event: &'s str,
    /// The names that the payload of this event doesn't have, of those that conditions know.
    pub absent: &'s [&'s str],
    /// The tools that may be asked about, by the names that hooks read, each with its arguments where they
    /// are known; empty where it isn't known which.
    pub tools: &'s [(String, Option<&'s [&'s str]>)],
}

/// What a text was meant as that is compared as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meant {
    /// A pattern with a wildcard.
    Wildcard,
    /// A regular expression.
    Expression,
    /// A folder that something puts in the place of `~`, or of a variable.
    Folder,
    /// The same in the other case, which what it is compared with can't have.
    OtherCase,
}

/// Something that a condition can't mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// It is false, whatever happens.
    NeverTrue,
    /// This text is compared with the tool's name, and fits none.
    NoTool(String),
    /// This text is compared with the event's name, and there is another one.
    OtherEvent(String),
    /// This text is compared as it stands, and was meant as something else.
    Compared(String, Meant),
    /// The event has nothing of this name.
    Absent(String),
    /// A field of what is looked through never holds this text.
    NeverHeld {
        /// The field, as it is told.
        of: String,
        /// The text.
        text: String,
        /// Why it doesn't.
        why: Why,
    },
    /// A value has no field of this name; it has these.
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
    /// Returns what the condition can't mean at its event.
    pub fn doubts(&self, surroundings: &Surroundings<'_>) -> Vec<Doubt> {
        let mut finder = Finder {
            surroundings,
            tools: surroundings.tools.iter().collect(),
            found: Vec::new(),
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
        // What stands beside a part that is false here is never asked.
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
        // What may be unknown or of another agent beside something that isn't, is meant so.
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
        finder.found
    }
}

struct Finder<'f> {
    surroundings: &'f Surroundings<'f>,
    /// The tools for which what is asked about the name alone is true.
    tools: Vec<&'f (String, Option<&'f [&'f str]>)>,
    found: Vec<Doubt>,
    /// Whether a part about the tool's name fits one.
    fits: bool,
}

/// What a part of a condition asks about, where that is one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum About {
    Tool,
    Event,
}

impl Finder<'_> {
    /// Keeps of the tools those that a condition joined by `&&` lets through.
    fn narrow(&mut self, expression: &IdedExpr) {
        match &expression.expr {
            Expr::Call(call) if call.func_name == operators::LOGICAL_AND => {
                call.args.iter().for_each(|it| self.narrow(it));
            }
            _ if about(expression) == Some(About::Tool) => {
                self.tools
                    .retain(|(name, _)| value(expression, &of_tool(name)) == Some(true));
            }
            _ => {}
        }
    }

    /// Tells whether one of the parts joined by `&&` is false whatever the call is: it asks about another
    /// event, which is noted, or about nothing.
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
        let is_of_event = about(expression) == Some(About::Event);
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
        if let Expr::Call(call) = &expression.expr
            && let Some(doubt) = compared::doubt(call)
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
                self.field(&select.operand, &select.field, bound);
                self.look(&select.operand, bound);
            }
            Expr::List(list) => list.elements.iter().for_each(|it| self.look(it, bound)),
            Expr::Comprehension(it) => {
                if let Some(doubt) = elements::doubt(it) {
                    self.add(doubt);
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

    /// Looks at a part that asks about one name alone; tells whether it is such a part.
    fn is_atom(&mut self, expression: &IdedExpr, call: &CallExpr) -> bool {
        let Some(about) = about(expression) else {
            return false;
        };
        let texts = texts_of(call);
        match about {
            About::Tool => {
                let all = self.surroundings.tools;
                let mut names = all.iter().map(|(name, _)| name);
                let fits = names.any(|it| value(expression, &of_tool(it)) != Some(false));
                let may_be_of_server = texts.iter().any(|it| it.contains("mcp"));
                if all.is_empty() || may_be_of_server || texts.is_empty() {
                    return true;
                }
                self.fits |= fits;
                if !fits {
                    self.add(Doubt::NoTool(texts.join(", ")));
                }
            }
            // Beside others it may be meant for another event.
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

    /// Returns the arguments of the tools that may be asked about; nothing where they aren't known.
    fn arguments(&self) -> Vec<String> {
        let mut known: Vec<String> = Vec::new();
        for (_, arguments) in &self.tools {
            let Some(arguments) = arguments else {
                return Vec::new();
            };
            for argument in *arguments {
                if !known.iter().any(|it| it == argument) {
                    known.push((*argument).to_owned());
                }
            }
        }
        known
    }
}

/// Tells whether an expression that asks about nothing is false.
fn is_false(expression: &IdedExpr) -> bool {
    names_of(expression).is_empty() && value(expression, &BTreeMap::new()) == Some(false)
}

/// Tells whether one of the parts joined by `&&` is false by itself: `… && false`.
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

/// Tells whether a call joins truth values so that each of them counts; alternatives are looked at
/// together.
fn is_other_logic(call: &CallExpr) -> bool {
    [
        operators::LOGICAL_AND,
        operators::LOGICAL_NOT,
        operators::CONDITIONAL,
    ]
    .contains(&call.func_name.as_str())
}

/// Says what a part asks about, if that is the name of the tool or of the event alone.
fn about(expression: &IdedExpr) -> Option<About> {
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

fn of_tool(name: &str) -> BTreeMap<String, Fact> {
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

/// Returns the names that an expression reads, fields of `tool` with it.
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
            // What is bound within counts as a name: such a part is about more than one thing.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn doubts(text: &str) -> Vec<Doubt> {
        let tools: [(String, Option<&[&str]>); 3] = [
            ("write_file".to_owned(), Some(&["file_path", "content"])),
            ("run_shell_command".to_owned(), Some(&["command"])),
            ("mcp__server__tool".to_owned(), None),
        ];
        let surroundings = Surroundings {
            event: "BeforeTool",
            absent: &["prompt"],
            tools: &tools,
        };
        Condition::read(text).expect(text).doubts(&surroundings)
    }

    /// HT-1: what a condition can't mean is found.
    #[test]
    fn what_is_never_true_is_found() {
        assert_eq!(doubts("false"), [Doubt::NeverTrue]);
        assert_eq!(doubts("1 == 2"), [Doubt::NeverTrue]);
        for text in [
            "tool.name == \"Write\"",
            "tool_name == 'Write' && tool.input.content != ''",
            "tool.name.matches(\"Write\")",
            "tool.name in [\"Write\"]",
            "!(tool.name == \"Write\")",
        ] {
            let found = doubts(text);
            assert!(
                found.contains(&Doubt::NoTool("Write".to_owned())),
                "{text}: {found:?}"
            );
        }
        let other = Doubt::OtherEvent("PreToolUse".to_owned());
        assert_eq!(doubts("event == \"PreToolUse\""), [other]);
        assert_eq!(
            doubts("prompt.contains(\"x\")"),
            [Doubt::Absent("prompt".to_owned())]
        );
        for text in ["tool.nmae == \"x\"", "session.session_id == \"x\""] {
            assert!(
                matches!(&doubts(text)[..], [Doubt::NoField { .. }]),
                "{text}"
            );
        }
        for text in [
            "tool.name == 'write_file' && has(tool.input.path)",
            "tool_name == 'write_file' && tool_input.filePath == 'x'",
        ] {
            assert!(
                matches!(&doubts(text)[..], [Doubt::NoField { .. }]),
                "{text}"
            );
        }
    }

    /// HT-1: texts that are compared as they stand, and were meant as something else, are found; and where another
    /// event is asked about, nothing else is.
    #[test]
    fn what_is_compared_in_vain_is_found() {
        for (text, wildcard) in [
            ("tool.input.file_path == '*.txt'", "*.txt"),
            ("tool_input['file_path'] == '*.txt'", "*.txt"),
            ("tool_input.file_path in ['a', '*.env']", "*.env"),
            ("tool_input.file_path.startsWith('*')", "*"),
            ("tool_input.file_path.lower().endsWith('*.env')", "*.env"),
            ("tool.input.file_path.contains('.*')", ".*"),
            ("tool.name == 'mcp__server__*'", "mcp__server__*"),
            ("!(tool.input.file_path == 'src/*')", "src/*"),
            ("tool.input.command.contains('.*')", ".*"),
            ("shell.commands.exists(it, it.program == 'git*')", "git*"),
        ] {
            assert_eq!(
                doubts(text),
                [Doubt::Compared(wildcard.to_owned(), Meant::Wildcard)],
                "{text}"
            );
        }
        for (text, doubt) in [
            ("tool.input.file_path == '^.*[.]txt$'", "^.*[.]txt$"),
            ("tool.input.file_path.startsWith('^out')", "^out"),
            ("tool.input.file_path.endsWith('txt$')", "txt$"),
            ("tool.input.file_path.contains('out|in')", "out|in"),
            ("tool.input.command.startsWith('^rm')", "^rm"),
        ] {
            let found = doubts(text);
            let is_told = matches!(&found[..], [Doubt::Compared(it, Meant::Expression | Meant::Wildcard)] if it == doubt);
            assert!(is_told, "{text}: {found:?}");
        }
        for text in [
            "tool.input.file_path.startsWith('~/.ssh')",
            "tool.input.file_path == '$HOME/x'",
            "tool.input.file_path.startsWith('${HOME}/')",
        ] {
            assert!(
                matches!(&doubts(text)[..], [Doubt::Compared(_, Meant::Folder)]),
                "{text}"
            );
        }
        for text in [
            "tool.input.file_path.lower() == 'OUT.txt'",
            "tool.input.command.lower().contains('DROP TABLE')",
            "tool.input.command.upperAscii().contains('drop')",
            "tool.input.file_path.lower() in ['README.md']",
        ] {
            assert!(
                matches!(&doubts(text)[..], [Doubt::Compared(_, Meant::OtherCase)]),
                "{text}"
            );
        }
        for text in [
            "tool.input.file_path == 'a' && tool.input.file_path == 'b'",
            "tool.input.file_path in []",
            "tool.input.file_path == 5",
            "tool.input.command == true",
        ] {
            assert_eq!(doubts(text), [Doubt::NeverTrue], "{text}");
        }
        // Of a part that asks about another event, nothing else is asked.
        for text in [
            "event == 'PreToolUse' && prompt.contains('x')",
            "prompt.contains('x') && (true && event == 'PreToolUse')",
        ] {
            let other = Doubt::OtherEvent("PreToolUse".to_owned());
            assert_eq!(doubts(text), [other], "{text}");
        }
    }

    /// HT-1: what may be true is left alone.
    #[test]
    fn what_may_be_true_is_left_alone() {
        for text in [
            "true",
            "tool.name == \"write_file\"",
            "tool.name != \"Write\"",
            "tool.name in [\"Write\", \"write_file\"]",
            "tool.name == \"Write\" || tool.name == \"write_file\"",
            "has(tool_input.path) || has(tool_input.file_path)",
            "tool.name.startsWith(\"mcp__other__\")",
            "tool.name.matches(\"^(write_file|replace)$\")",
            "has(tool.input.path)",
            "tool.name == 'write_file' && tool.input.file_path.endsWith('.env')",
            "event == \"BeforeTool\"",
            "shell.commands.exists(it, it.program == \"rm\")",
            "size(tool.input.content) > 10",
            "event == 'AfterTool' || tool.name == 'write_file'",
            "event != 'BeforeTool' && prompt == 'x'",
            "!(event == 'AfterTool' && tool.name == 'write_file')",
            "tool.input.content == '*'",
            "tool.input.command == 'rm *'",
            "tool.input.command.contains('rm .*')",
            "tool.input.command.contains('*')",
            "tool.input.file_path.glob('*.txt')",
            "tool.input.file_path == 'a' || tool.input.file_path == 'b'",
            "tool.input.file_path == 'a' && tool.input.content == 'b'",
            "tool.input.file_path.lower() == 'out.txt'",
            "tool.input.file_path.contains('OUT')",
            "tool.input.command.contains('a | b')",
            "tool.input.command.contains('$HOME')",
            "tool.input.file_path.startsWith('~/') || tool.input.file_path.startsWith('/home/')",
            "tool.input.command.contains('^')",
            "tool.input.file_path.endsWith('.txt')",
            "tool.input.file_path.matches('.*[.]txt$')",
        ] {
            assert_eq!(doubts(text), [], "{text}");
        }
    }
}
