//! Which part of a condition was true, with its values (HT-26).

use cel::IdedExpr;
use cel::common::ast::{CallExpr, Expr, LiteralValue, operators};

use crate::evaluate::{Scope, evaluate};
use crate::fact::{Fact, Unknown};

/// Values are cut to this many characters.
const LONGEST: usize = 240;

/// Says for each part of a true condition what made it so: the element that was found, or the
/// value that was compared. Parts that can't be known say why.
pub(crate) fn explain(expression: &IdedExpr, scope: &Scope<'_>, parts: &mut Vec<String>) {
    match &expression.expr {
        Expr::Call(call) if call.func_name == operators::LOGICAL_AND => {
            for part in &call.args {
                explain(part, scope, parts);
            }
        }
        Expr::Call(call) if call.func_name == operators::LOGICAL_OR => {
            for part in &call.args {
                if !matches!(evaluate(part, scope), Ok(Fact::Bool(false))) {
                    explain(part, scope, parts);
                }
            }
        }
        Expr::Comprehension(it) => {
            let range = written(&it.iter_range);
            match evaluate(&it.iter_range, scope) {
                Ok(Fact::List(list)) => {
                    let found = list.known.iter().find(|item| {
                        let with_result = scope.with(&it.accu_var, Ok(Fact::Bool(false)));
                        let with_item = with_result.with(&it.iter_var, (*item).clone().read());
                        matches!(evaluate(&it.loop_step, &with_item), Ok(Fact::Bool(true)))
                    });
                    match (found, &list.more) {
                        (Some(item), _) => parts.push(format!("{range} has {}", cut(item))),
                        (None, Some(why)) => parts.push(format!("{range} isn't all known: {why}")),
                        (None, None) => parts.push(said(&range, Ok(Fact::List(list)))),
                    }
                }
                other => parts.push(said(&range, other)),
            }
        }
        Expr::Call(call) => {
            let compared = call.target.as_deref().or_else(|| call.args.first());
            let Some(compared) = compared else { return };
            parts.push(said(&written(compared), evaluate(compared, scope)));
        }
        _ => parts.push(said(&written(expression), evaluate(expression, scope))),
    }
}

fn said(what: &str, value: Result<Fact, Unknown>) -> String {
    match value {
        Ok(value) => format!("{what} is {}", cut(&value)),
        Err(why) => format!("{what} is unknown: {why}"),
    }
}

fn cut(value: &Fact) -> String {
    let text = match value {
        Fact::Text(text) => format!("{text:?}"),
        other => other.shown(),
    };
    if text.chars().count() <= LONGEST {
        return text;
    }
    text.chars().take(LONGEST).chain("…".chars()).collect()
}

/// Writes an expression as it was, in short.
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
