//! The subset of TOML in which hooks are written.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::tree::{Member, Node, Shape, Tree};

/// Parses a text; an error is the byte that can't be read, and why.
pub(super) fn parse(text: &str) -> Result<Tree, (usize, String)> {
    match DeTable::parse(text) {
        Ok(table) => {
            let offset = table.span().start;
            let shape = object(table.get_ref());
            Ok(Some(Node { offset, shape }))
        }
        Err(error) => Err((
            error.span().map_or(0, |span| span.start),
            format!("it isn't TOML: {}", error.message().to_lowercase()),
        )),
    }
}

fn node(value: &Spanned<DeValue<'_>>) -> Node {
    let shape = match value.get_ref() {
        DeValue::String(text) => Shape::Text(text.to_string()),
        DeValue::Integer(number) => Shape::Number(
            i64::from_str_radix(number.as_str(), number.radix())
                .ok()
                .and_then(|it| i32::try_from(it).ok())
                .map_or(f64::NAN, f64::from),
        ),
        DeValue::Float(number) => Shape::Number(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(boolean) => Shape::Boolean(*boolean),
        DeValue::Datetime(time) => Shape::Text(time.to_string()),
        DeValue::Array(list) => Shape::List(list.iter().map(node).collect()),
        DeValue::Table(table) => object(table),
    };
    Node {
        offset: value.span().start,
        shape,
    }
}

/// Returns the members in the order of the file.
fn object(table: &DeTable<'_>) -> Shape {
    let mut members: Vec<Member> = table
        .iter()
        .map(|(key, value)| Member {
            key: key.get_ref().to_string(),
            offset: key.span().start,
            value: node(value),
        })
        .collect();
    members.sort_by_key(|member| member.offset);
    Shape::Object(members)
}
