//! Which part of a condition was true or false, with its values (HT-26).

use std::sync::Arc;

use cel::IdedExpr;
use cel::common::ast::{CallExpr, ComprehensionExpr, Expr, LiteralValue, operators};

use crate::evaluate::evaluate;
use crate::fact::{Fact, List, Unknown};
use crate::scope::Scope;

/// Values are cut to this many characters.
const MAX_CHARACTERS: usize = 240;

/// Lists for each part of a condition what made the whole true or false: the element that was
/// found, or the values that were compared. For parts that can't be known, the reason is given.
pub(crate) fn explain(expression: &IdedExpr, scope: &Scope<'_>, parts: &mut Vec<String>) {
    let whole = evaluate(expression, scope);
    match &expression.expr {
        Expr::Call(call) if is_junction(call) => {
            // The false parts of a true "or" explain nothing, nor do the true parts of a false
            // "and".
            let is_and = call.func_name == operators::LOGICAL_AND;
            let silent = match (is_and, &whole) {
                (true, Ok(Fact::Bool(false)) | Err(_)) => Some(true),
                (false, Ok(Fact::Bool(true)) | Err(_)) => Some(false),
                _ => None,
            };
            for part in &call.args {
                let value = evaluate(part, scope);
                if !matches!(value, Ok(Fact::Bool(it)) if Some(it) == silent) {
                    explain(part, scope, parts);
                }
            }
        }
        Expr::Call(call) if call.func_name == operators::LOGICAL_NOT => {
            for part in &call.args {
                explain(part, scope, parts);
            }
        }
        Expr::Comprehension(it) => parts.push(deciding_element(it, scope)),
        Expr::Call(call) => {
            let compared = call.target.iter().map(|it| &**it).chain(&call.args);
            let compared: Vec<&IdedExpr> = compared.filter(|it| !is_literal(it)).collect();
            for part in compared {
                parts.push(describe_value(&written(part), evaluate(part, scope)));
            }
        }
        _ => parts.push(describe_value(&written(expression), whole)),
    }
}

fn is_junction(call: &CallExpr) -> bool {
    [operators::LOGICAL_AND, operators::LOGICAL_OR].contains(&call.func_name.as_str())
}

fn is_literal(expression: &IdedExpr) -> bool {
    matches!(expression.expr, Expr::Literal(_))
}

/// Returns the text that says which element of a list decided, or that none did.
fn deciding_element(it: &ComprehensionExpr, scope: &Scope<'_>) -> String {
    let range = written(&it.iter_range);
    let list = match evaluate(&it.iter_range, scope) {
        Ok(Fact::List(list)) => list,
        other => return describe_value(&range, other),
    };
    // What an `exists` looks for makes its step true; what an `all` fails at makes it false.
    let wanted = !matches!(evaluate(&it.accu_init, scope), Ok(Fact::Bool(true)));
    let decisive = list.known.iter().find(|item| {
        let with_result = scope.with(&it.accu_var, Ok(Fact::Bool(!wanted)));
        let with_item = with_result.with(&it.iter_var, (*item).clone().read());
        matches!(evaluate(&it.loop_step, &with_item), Ok(Fact::Bool(step)) if step == wanted)
    });
    match (decisive, &list.more) {
        (Some(item), _) => {
            let with_result = scope.with(&it.accu_var, Ok(Fact::Bool(!wanted)));
            let with_item = with_result.with(&it.iter_var, item.clone().read());
            let mut parts = Vec::new();
            for step in own_steps(it) {
                explain(step, &with_item, &mut parts);
            }
            let head = format!("{range} has {}", cut(item));
            if parts.is_empty() {
                head
            } else {
                format!("{head}, where {}", parts.join(" and "))
            }
        }
        (None, Some(why)) => format!("{range} isn't fully known: {why}"),
        (None, None) => describe_value(&range, Ok(Fact::List(list))),
    }
}

/// Returns the written part of a step, without the result so far that the macro adds.
fn own_steps(it: &ComprehensionExpr) -> impl Iterator<Item = &IdedExpr> {
    let is_result =
        |part: &&IdedExpr| matches!(&part.expr, Expr::Ident(name) if *name == it.accu_var);
    let parts: Vec<&IdedExpr> = match &it.loop_step.expr {
        Expr::Call(call) if is_junction(call) => call.args.iter().collect(),
        _ => vec![&it.loop_step],
    };
    parts.into_iter().filter(move |part| !is_result(part))
}

fn describe_value(what: &str, value: Result<Fact, Unknown>) -> String {
    match value {
        Ok(value) => format!("{what} is {}", cut(&value)),
        Err(why) => format!("{what} is unknown: {why}"),
    }
}

fn cut(value: &Fact) -> String {
    let text = match brief(value) {
        Fact::Text(text) => format!("{text:?}"),
        other => other.shown(),
    };
    if text.chars().count() <= MAX_CHARACTERS {
        return text;
    }
    text.chars()
        .take(MAX_CHARACTERS)
        .chain("…".chars())
        .collect()
}

/// Returns how people call a command or a path, instead of all that is known about it.
fn brief(value: &Fact) -> Fact {
    match value {
        Fact::Map(map) => {
            let known_by = ["line", "path"].iter().find_map(|name| map.get(*name));
            let known_by = known_by.filter(|it| matches!(it, Fact::Text(_)));
            known_by.unwrap_or(value).clone()
        }
        Fact::List(list) => Fact::List(Arc::new(List {
            known: list.known.iter().map(brief).collect(),
            more: list.more.clone(),
        })),
        other => other.clone(),
    }
}

/// Writes an expression as it was, shortened.
fn written(expression: &IdedExpr) -> String {
    match &expression.expr {
        Expr::Ident(name) => name.clone(),
        Expr::Select(select) => format!("{}.{}", written(&select.operand), select.field),
        Expr::Literal(LiteralValue::String(text)) => format!("{:?}", text.inner()),
        Expr::Literal(LiteralValue::Int(number)) => number.inner().to_string(),
        Expr::Literal(LiteralValue::Boolean(value)) => value.inner().to_string(),
        Expr::Call(call) => written_call(call),
        Expr::Comprehension(it) => format!("{}.exists(…)", written(&it.iter_range)),
        Expr::List(_) => "[…]".to_owned(),
        _ => "…".to_owned(),
    }
}

fn written_call(call: &CallExpr) -> String {
    let arguments: Vec<String> = call.args.iter().map(written).collect();
    match (&call.target, call.func_name.as_str(), &arguments[..]) {
        (Some(target), name, _) => format!("{}.{name}({})", written(target), arguments.join(", ")),
        (None, operators::INDEX, [list, at]) => format!("{list}[{at}]"),
        (None, operators::LOGICAL_NOT, [inner]) => format!("!{inner}"),
        (None, name, [left, right]) if name.starts_with('_') => {
            format!("{left} {} {right}", name.trim_matches('_'))
        }
        (None, name, _) => format!("{name}({})", arguments.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::condition::Condition;
    use crate::fact::Fact;

    fn explained(condition: &str) -> String {
        let tool = json!({"name": "run", "input": {"n": 3, "tags": ["a", "b"]}});
        let commands = json!([{"line": "ls", "program": "ls"}, {"line": "rm x", "program": "rm"}]);
        let facts = [("tool", tool), ("shell", json!({"commands": commands}))];
        let facts = facts
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Fact::from(value)))
            .collect();
        let condition = Condition::read(condition).expect("a condition");
        condition.explain(&facts).join("; ")
    }

    /// HT-26: only the parts of a condition that made it true or false are shown, with their
    /// values.
    #[test]
    fn the_parts_that_decided_are_told() {
        for (condition, told) in [
            (r#"tool.name == "run""#, r#"tool.name is "run""#),
            (r#"tool.name == "no""#, r#"tool.name is "run""#),
            (
                r#"tool.name == "run" && tool.input.n > 5"#,
                "tool.input.n is 3",
            ),
            (
                r#"tool.name == "run" && tool.input.n > 1"#,
                r#"tool.name is "run"; tool.input.n is 3"#,
            ),
            (
                r#"tool.name == "no" || tool.input.n == 3"#,
                "tool.input.n is 3",
            ),
            (
                r#"tool.name == "no" || tool.input.n == 4"#,
                r#"tool.name is "run"; tool.input.n is 3"#,
            ),
            (r"!(tool.input.n == 3)", "tool.input.n is 3"),
            (
                r#"shell.commands.exists(c, c.program == "rm")"#,
                r#"shell.commands has "rm x", where c.program is "rm""#,
            ),
            (
                r#"shell.commands.exists(c, c.program == "git")"#,
                r#"shell.commands is ["ls","rm x"]"#,
            ),
            (
                r#"shell.commands.all(c, c.program == "ls")"#,
                r#"shell.commands has "rm x", where c.program is "rm""#,
            ),
            (
                r#""c" in tool.input.tags"#,
                r#"tool.input.tags is ["a","b"]"#,
            ),
        ] {
            assert_eq!(explained(condition), told, "{condition}");
        }
    }
}
