//! Evaluates conditions. A value that can't be known is an error that logical operators may absorb.

use std::collections::BTreeMap;
use std::sync::Arc;

use cel::IdedExpr;
use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, LiteralValue, operators};

use crate::fact::{ConditionError, Fact, Known, List, Unknown, UnknownName, UseOfName};
use crate::scope::{Scope, check_expression};
use crate::wording::{column_of_function, column_of_name, column_of_text};

/// The functions that conditions may call.
const FUNCTIONS: &[&str] = &[
    "size",
    "contains",
    "startsWith",
    "endsWith",
    "matches",
    "lower",
    "lowerAscii",
    "upperAscii",
    "string",
    "int",
    "glob",
    "like",
    "within",
    "split",
    "trim",
    "entropy",
];

/// The names that conditions may begin with.
pub(crate) const NAMES: &[&str] = &[
    "tool",
    "tool_name",
    "tool_input",
    "tool_response",
    "prompt",
    "prompt_response",
    "session",
    "session_id",
    "cwd",
    "event",
    "hook_event_name",
    "shell",
    "paths",
    "effects",
    "texts",
    "secrets",
    "payload",
    "llm_request",
    "llm_response",
    "source",
    "reason",
    "trigger",
    "message",
    "branch",
    "workspace",
    "home",
];

fn unknown<T>(why: impl Into<String>) -> Result<T, Unknown> {
    Err(Unknown(why.into()))
}

/// Looks for names and functions that don't exist.
pub(crate) fn check(expression: &IdedExpr, text: &str) -> Result<(), ConditionError> {
    check_below(&expression.expr, text, &mut Vec::new())
}

/// Returns the error that a name doesn't exist.
fn unknown_name(name: &str, use_of: UseOfName, text: &str) -> ConditionError {
    let (message, column, known) = match use_of {
        UseOfName::Function => (
            format!("there is no function \"{name}\""),
            column_of_function(text, name),
            FUNCTIONS,
        ),
        UseOfName::Value => (
            format!("there is no \"{name}\""),
            column_of_name(text, name),
            NAMES,
        ),
    };
    let name = name.to_owned();
    ConditionError {
        message,
        column,
        unknown: Some(UnknownName {
            name,
            use_of,
            known,
        }),
    }
}

fn check_below(expr: &Expr, text: &str, bound: &mut Vec<String>) -> Result<(), ConditionError> {
    match expr {
        Expr::Ident(name) => {
            if bound.contains(name) || NAMES.contains(&name.as_str()) {
                return Ok(());
            }
            Err(unknown_name(name, UseOfName::Value, text))
        }
        Expr::Call(call) => {
            let name = call.func_name.as_str();
            let is_operator = name.contains(['_', '@', '!', '-']);
            if !is_operator && !FUNCTIONS.contains(&name) {
                return Err(unknown_name(name, UseOfName::Function, text));
            }
            let target = call.target.iter().map(|it| &**it);
            for part in target.chain(&call.args) {
                check_below(&part.expr, text, bound)?;
            }
            if name == "matches"
                && let Some(Expr::Literal(LiteralValue::String(pattern))) =
                    call.args.last().map(|it| &it.expr)
                && let Err(error) = check_expression(pattern.inner())
            {
                let message = error.to_string().replace('\n', " ");
                return Err(ConditionError {
                    message,
                    column: column_of_text(text, pattern.inner()),
                    unknown: None,
                });
            }
            Ok(())
        }
        Expr::Select(select) => check_below(&select.operand.expr, text, bound),
        Expr::List(list) => list
            .elements
            .iter()
            .try_for_each(|it| check_below(&it.expr, text, bound)),
        Expr::Map(map) => map.entries.iter().try_for_each(|entry| match &entry.expr {
            EntryExpr::MapEntry(entry) => {
                check_below(&entry.key.expr, text, bound)?;
                check_below(&entry.value.expr, text, bound)
            }
            EntryExpr::StructField(_) => Ok(()),
        }),
        Expr::Comprehension(it) => {
            check_below(&it.iter_range.expr, text, bound)?;
            check_below(&it.accu_init.expr, text, bound)?;
            bound.push(it.iter_var.clone());
            bound.push(it.accu_var.clone());
            for part in [&it.loop_cond, &it.loop_step, &it.result] {
                check_below(&part.expr, text, bound)?;
            }
            bound.truncate(bound.len() - 2);
            Ok(())
        }
        Expr::Literal(_) | Expr::Unspecified | Expr::Struct(_) => Ok(()),
    }
}

/// Evaluates an expression.
pub(crate) fn evaluate(expression: &IdedExpr, scope: &Scope<'_>) -> Known {
    scope.spend(1)?;
    match &expression.expr {
        Expr::Literal(literal) => Ok(literal_fact(literal)),
        Expr::Ident(name) => scope.value(name),
        Expr::Select(select) => {
            let operand = evaluate(&select.operand, scope)?;
            let found = match &operand {
                Fact::Map(map) => map.get(&select.field).cloned(),
                _ if select.test => None,
                other => {
                    let name = other.type_name();
                    return unknown(format!("{name} has no \"{}\"", select.field));
                }
            };
            if select.test {
                return Ok(Fact::Bool(found.is_some()));
            }
            match found {
                Some(fact) => fact.read(),
                None => unknown(format!("there is no \"{}\"", select.field)),
            }
        }
        Expr::List(list) => {
            let items: Result<Vec<Fact>, Unknown> =
                list.elements.iter().map(|it| evaluate(it, scope)).collect();
            Ok(Fact::list(items?))
        }
        Expr::Map(map) => {
            let mut entries = BTreeMap::new();
            for entry in &map.entries {
                if let EntryExpr::MapEntry(entry) = &entry.expr {
                    let key = evaluate(&entry.key, scope)?.shown();
                    entries.insert(key, evaluate(&entry.value, scope)?);
                }
            }
            Ok(Fact::Map(Arc::new(entries)))
        }
        Expr::Call(call) => evaluate_call(call, scope),
        Expr::Comprehension(it) => comprehension(it, scope),
        Expr::Struct(_) | Expr::Unspecified => unknown("this isn't supported in conditions"),
    }
}

fn literal_fact(literal: &LiteralValue) -> Fact {
    match literal {
        LiteralValue::Boolean(value) => Fact::Bool(*value.inner()),
        LiteralValue::Int(value) => Fact::Int(*value.inner()),
        LiteralValue::UInt(value) => Fact::Int(i64::try_from(*value.inner()).unwrap_or(i64::MAX)),
        LiteralValue::Double(value) => Fact::Double(*value.inner()),
        LiteralValue::String(value) => Fact::text(value.inner()),
        LiteralValue::Bytes(_) | LiteralValue::Null => Fact::Null,
    }
}

/// Carries out `exists`, `all`, `map` and `filter`, which the grammar unfolds into loops.
fn comprehension(it: &ComprehensionExpr, scope: &Scope<'_>) -> Known {
    let range = evaluate(&it.iter_range, scope)?;
    let (items, more): (Vec<Fact>, Option<Arc<str>>) = match &range {
        Fact::List(list) => (list.known.clone(), list.more.clone()),
        Fact::Map(map) => (map.keys().map(Fact::text).collect(), None),
        other => return unknown(format!("{} has no elements", other.type_name())),
    };
    scope.spend_on(&range)?;
    let mut result = evaluate(&it.accu_init, scope);
    let rounds = items
        .into_iter()
        .map(Fact::read)
        .chain(more.map(|why| Err(Unknown(why.to_string()))));
    for item in rounds {
        let with_result = scope.with(&it.accu_var, result.clone());
        let with_item = with_result.with(&it.iter_var, item);
        if matches!(evaluate(&it.loop_cond, &with_item), Ok(Fact::Bool(false))) {
            break;
        }
        result = evaluate(&it.loop_step, &with_item);
    }
    evaluate(&it.result, &scope.with(&it.accu_var, result))
}

fn to_bool(value: Known) -> Result<bool, Unknown> {
    match value? {
        Fact::Bool(value) => Ok(value),
        other => unknown(format!("{} is neither true nor false", other.type_name())),
    }
}

fn evaluate_call(call: &CallExpr, scope: &Scope<'_>) -> Known {
    let argument = |at: usize| -> Known {
        match call.args.get(at) {
            Some(expression) => evaluate(expression, scope),
            None => unknown(format!("\"{}\" needs more arguments", call.func_name)),
        }
    };
    match call.func_name.as_str() {
        operators::LOGICAL_AND => absorb(argument(0), || argument(1), false),
        operators::LOGICAL_OR => absorb(argument(0), || argument(1), true),
        operators::LOGICAL_NOT => Ok(Fact::Bool(!to_bool(argument(0))?)),
        operators::NOT_STRICTLY_FALSE => {
            Ok(Fact::Bool(!matches!(argument(0), Ok(Fact::Bool(false)))))
        }
        operators::CONDITIONAL => {
            if to_bool(argument(0))? {
                argument(1)
            } else {
                argument(2)
            }
        }
        operators::EQUALS => Ok(Fact::Bool(equal(&argument(0)?, &argument(1)?))),
        operators::NOT_EQUALS => Ok(Fact::Bool(!equal(&argument(0)?, &argument(1)?))),
        operators::IN => is_in(&argument(0)?, &argument(1)?),
        operators::INDEX => index(&argument(0)?, &argument(1)?),
        operators::ADD => {
            let (left, right) = (argument(0)?, argument(1)?);
            scope.spend_on(&left)?;
            scope.spend_on(&right)?;
            add(&left, &right)
        }
        operators::NEGATE => match argument(0)? {
            Fact::Int(value) => Ok(Fact::Int(value.saturating_neg())),
            Fact::Double(value) => Ok(Fact::Double(-value)),
            other => unknown(format!("{} can't be negated", other.type_name())),
        },
        name @ (operators::LESS
        | operators::LESS_EQUALS
        | operators::GREATER
        | operators::GREATER_EQUALS) => compare(name, &argument(0)?, &argument(1)?),
        name @ (operators::SUBSTRACT
        | operators::MULTIPLY
        | operators::DIVIDE
        | operators::MODULO) => reckon(name, &argument(0)?, &argument(1)?),
        name => {
            let mut values = Vec::new();
            if let Some(target) = &call.target {
                values.push(evaluate(target, scope)?);
            }
            for expression in &call.args {
                values.push(evaluate(expression, scope)?);
            }
            for value in &values {
                scope.spend_on(value)?;
            }
            function(name, &values, scope)
        }
    }
}

/// Combines two truth values: one of them alone may decide, whatever the other is.
fn absorb(left: Known, right: impl FnOnce() -> Known, deciding: bool) -> Known {
    let left = to_bool(left);
    if left == Ok(deciding) {
        return Ok(Fact::Bool(deciding));
    }
    let right = to_bool(right());
    if right == Ok(deciding) {
        return Ok(Fact::Bool(deciding));
    }
    left.and(right).map(Fact::Bool)
}

fn number(fact: &Fact) -> Option<f64> {
    match fact {
        #[expect(clippy::cast_precision_loss, reason = "numbers of payloads are small")]
        Fact::Int(value) => Some(*value as f64),
        Fact::Double(value) => Some(*value),
        _ => None,
    }
}

fn equal(left: &Fact, right: &Fact) -> bool {
    match (number(left), number(right)) {
        (Some(left), Some(right)) => (left - right).abs() < f64::EPSILON,
        _ => left == right,
    }
}

fn is_in(item: &Fact, range: &Fact) -> Known {
    match range {
        Fact::List(list) => {
            if list.known.iter().any(|it| equal(it, item)) {
                return Ok(Fact::Bool(true));
            }
            let hidden = list.known.iter().find_map(|it| match it {
                Fact::Unknown(why) => Some(why),
                _ => None,
            });
            match list.more.as_ref().or(hidden) {
                Some(why) => unknown(why.to_string()),
                None => Ok(Fact::Bool(false)),
            }
        }
        Fact::Map(map) => Ok(Fact::Bool(map.contains_key(&item.shown()))),
        other => unknown(format!("nothing is in {}", other.type_name())),
    }
}

fn index(range: &Fact, at: &Fact) -> Known {
    match (range, at) {
        (Fact::List(list), Fact::Int(at)) => {
            let found = usize::try_from(*at).ok().and_then(|at| list.known.get(at));
            match (found, &list.more) {
                (Some(fact), _) => fact.clone().read(),
                (None, Some(why)) => unknown(why.to_string()),
                (None, None) => unknown(format!("there is no element {at}")),
            }
        }
        (Fact::Map(map), Fact::Text(key)) => match map.get(&**key) {
            Some(fact) => fact.clone().read(),
            None => unknown(format!("there is no \"{key}\"")),
        },
        _ => unknown("only lists and maps have elements"),
    }
}

fn add(left: &Fact, right: &Fact) -> Known {
    match (left, right) {
        (Fact::Int(left), Fact::Int(right)) => Ok(Fact::Int(left.saturating_add(*right))),
        (Fact::Text(left), Fact::Text(right)) => Ok(Fact::text(format!("{left}{right}"))),
        (Fact::List(left), Fact::List(right)) => {
            let known = left.known.iter().chain(&right.known).cloned().collect();
            let more = left.more.clone().or_else(|| right.more.clone());
            Ok(Fact::List(Arc::new(List { known, more })))
        }
        _ => match (number(left), number(right)) {
            (Some(left), Some(right)) => Ok(Fact::Double(left + right)),
            _ => unknown(format!(
                "{} and {} can't be added",
                left.type_name(),
                right.type_name()
            )),
        },
    }
}

fn compare(name: &str, left: &Fact, right: &Fact) -> Known {
    let ordering = match (left, right) {
        (Fact::Text(left), Fact::Text(right)) => Some(left.cmp(right)),
        _ => match (number(left), number(right)) {
            (Some(left), Some(right)) => left.partial_cmp(&right),
            _ => None,
        },
    };
    let Some(ordering) = ordering else {
        return unknown("these can't be compared");
    };
    Ok(Fact::Bool(match name {
        operators::LESS => ordering.is_lt(),
        operators::LESS_EQUALS => ordering.is_le(),
        operators::GREATER => ordering.is_gt(),
        _ => ordering.is_ge(),
    }))
}

fn reckon(name: &str, left: &Fact, right: &Fact) -> Known {
    if let (Fact::Int(left), Fact::Int(right)) = (left, right) {
        let result = match name {
            operators::SUBSTRACT => left.checked_sub(*right),
            operators::MULTIPLY => left.checked_mul(*right),
            operators::DIVIDE => left.checked_div(*right),
            _ => left.checked_rem(*right),
        };
        return result.map_or_else(
            || unknown("this can't be calculated"),
            |it| Ok(Fact::Int(it)),
        );
    }
    match (number(left), number(right)) {
        (Some(left), Some(right)) => Ok(Fact::Double(match name {
            operators::SUBSTRACT => left - right,
            operators::MULTIPLY => left * right,
            operators::DIVIDE => left / right,
            _ => left % right,
        })),
        _ => unknown("calculations need numbers"),
    }
}

fn function(name: &str, values: &[Fact], scope: &Scope<'_>) -> Known {
    let text = |at: usize| -> Result<&str, Unknown> {
        match values.get(at) {
            Some(Fact::Text(text)) => Ok(text),
            Some(other) => unknown(format!(
                "\"{name}\" needs a string, not {}",
                other.type_name()
            )),
            None => unknown(format!("\"{name}\" needs more arguments")),
        }
    };
    Ok(match name {
        "size" => match values.first() {
            Some(Fact::Text(text)) => Fact::Int(length(text.chars().count())),
            Some(Fact::List(list)) => match &list.more {
                Some(why) => return unknown(why.to_string()),
                None => Fact::Int(length(list.known.len())),
            },
            Some(Fact::Map(map)) => Fact::Int(length(map.len())),
            _ => return unknown("this has no size"),
        },
        "contains" => Fact::Bool(text(0)?.contains(text(1)?)),
        "startsWith" => Fact::Bool(text(0)?.starts_with(text(1)?)),
        "endsWith" => Fact::Bool(text(0)?.ends_with(text(1)?)),
        "matches" => Fact::Bool(scope.matches(text(1)?, text(0)?)?),
        "lower" | "lowerAscii" => Fact::text(text(0)?.to_lowercase()),
        "upperAscii" => Fact::text(text(0)?.to_uppercase()),
        "trim" => Fact::text(text(0)?.trim()),
        "split" => {
            let parts = text(0)?.len() / 8;
            scope.spend(u64::try_from(parts).unwrap_or(u64::MAX))?;
            Fact::list(text(0)?.split(text(1)?).map(Fact::text).collect())
        }
        "string" => match values.first() {
            Some(value) => Fact::text(value.shown()),
            None => return unknown("\"string\" needs an argument"),
        },
        "int" => match values.first() {
            Some(Fact::Int(value)) => Fact::Int(*value),
            Some(Fact::Text(text)) => match text.parse() {
                Ok(value) => Fact::Int(value),
                Err(_) => return unknown(format!("\"{text}\" isn't a number")),
            },
            _ => return unknown("this isn't a number"),
        },
        "glob" => one_of(values.get(1), |pattern| Ok(names(pattern, text(0)?)))?,
        "like" => one_of(values.get(1), |pattern| {
            Ok(hookloop_shell::matches(pattern, text(0)?))
        })?,
        "within" => {
            let (path, folder) = (
                hookloop_shell::normalize_path(text(0)?),
                hookloop_shell::normalize_path(text(1)?),
            );
            let folder = folder.trim_end_matches('/');
            let below = path
                .strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'));
            Fact::Bool(below || path == folder)
        }
        "entropy" => Fact::Double(entropy(text(0)?)),
        _ => return unknown(format!("there is no function \"{name}\"")),
    })
}

/// Returns whether one of these patterns, or the only one, matches.
fn one_of(
    patterns: Option<&Fact>,
    fits: impl Fn(&str) -> Result<bool, Unknown>,
) -> Result<Fact, Unknown> {
    let patterns = match patterns {
        Some(Fact::List(list)) => list.known.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => return unknown("a pattern is missing"),
    };
    for pattern in patterns {
        match pattern {
            Fact::Text(pattern) if fits(pattern)? => return Ok(Fact::Bool(true)),
            Fact::Text(_) => {}
            other => return unknown(format!("{} isn't a pattern", other.type_name())),
        }
    }
    Ok(Fact::Bool(false))
}

fn length(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Compares a path with a glob: a pattern without a slash is compared with every component, and
/// `dir/**` with everything below.
pub(crate) fn names(pattern: &str, path: &str) -> bool {
    if !pattern.contains('/') {
        return path
            .split('/')
            .any(|it| hookloop_shell::component_may_meet(pattern, it));
    }
    let pattern = pattern.trim_start_matches("./");
    let anchored = pattern.starts_with('/');
    let wanted: Vec<&str> = pattern.split('/').filter(|it| !it.is_empty()).collect();
    let parts: Vec<&str> = path.split('/').filter(|it| !it.is_empty()).collect();
    (0..=parts.len())
        .any(|start| (start == 0 || !anchored) && matches_components(&wanted, &parts[start..]))
}

/// Compares components, each pair once: many `**` would otherwise be tried in all combinations.
fn matches_components(wanted: &[&str], parts: &[&str]) -> bool {
    // Whether the rest of the pattern matches what is left from each place on.
    let mut fits = vec![false; parts.len() + 1];
    fits[parts.len()] = true;
    for (at, pattern) in wanted.iter().enumerate().rev() {
        let is_last = at + 1 == wanted.len();
        let mut now = vec![false; parts.len() + 1];
        for from in (0..=parts.len()).rev() {
            now[from] = if *pattern == "**" {
                is_last || fits[from..].contains(&true)
            } else {
                parts.get(from).is_some_and(|part| {
                    fits[from + 1] && hookloop_shell::component_may_meet(pattern, part)
                })
            };
        }
        fits = now;
    }
    fits[0]
}

/// Computes Shannon's entropy in bits for each character.
pub(crate) fn entropy(text: &str) -> f64 {
    let mut counts: BTreeMap<char, u32> = BTreeMap::new();
    let mut total = 0_u32;
    for character in text.chars() {
        *counts.entry(character).or_default() += 1;
        total += 1;
    }
    counts
        .values()
        .map(|count| {
            let share = f64::from(*count) / f64::from(total);
            -share * share.log2()
        })
        .sum()
}
