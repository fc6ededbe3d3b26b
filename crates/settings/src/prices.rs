//! The prices of models in the settings (`model.prices`). No other prices are known.

use jsonc_parser::ast::{Object, Value};

use crate::provided::Provided;
use crate::report::Report;
use crate::syntax::{is_null, start};
use hookloop_hook::ProblemCode;

/// The fields of a price.
const FIELDS: [&str; 3] = ["input", "cached", "output"];

/// The price of a model, per million tokens, in any currency.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ModelPrice {
    /// For input.
    pub input: f64,
    /// For cached input; `None` means the same as other input.
    pub cached: Option<f64>,
    /// For output, including thoughts.
    pub output: f64,
}

/// Reads the prices by the models' names. One that can't be read is reported and left out: half a
/// price would be a wrong one.
pub(crate) fn read(
    report: &mut Report<'_>,
    value: &Value<'_>,
) -> Vec<(String, Provided<ModelPrice>)> {
    let Value::Object(models) = value else {
        report.wrong_type(
            "\"model.prices\"",
            value,
            "an object with the names of models as keys",
        );
        return Vec::new();
    };
    let mut prices = Vec::new();
    for property in report.members(models) {
        let name = property.name.as_str();
        match &property.value {
            value if is_null(value) => {}
            Value::Object(object) => {
                if let Some(price) = price(report, name, object) {
                    prices.push((name.to_owned(), report.provided(price, &property.value)));
                }
            }
            other => {
                let what = format!("the price of \"{name}\"");
                report.wrong_type(&what, other, "an object with \"input\" and \"output\"");
            }
        }
    }
    prices
}

fn price(report: &mut Report<'_>, model: &str, object: &Object<'_>) -> Option<ModelPrice> {
    let place = format!("the price of \"{model}\"");
    let (mut input, mut cached, mut output) = (None, None, None);
    let mut is_readable = true;
    for property in report.members(object) {
        let name = property.name.as_str();
        let field = match name {
            _ if is_null(&property.value) => continue,
            "input" => &mut input,
            "cached" => &mut cached,
            "output" => &mut output,
            _ => {
                report.unknown_field(property, &place, &FIELDS);
                continue;
            }
        };
        *field = amount(report, &format!("\"{name}\" of {place}"), &property.value);
        is_readable &= field.is_some();
    }
    if let (Some(input), Some(output)) = (input, output) {
        return is_readable.then_some(ModelPrice {
            input,
            cached,
            output,
        });
    }
    if is_readable {
        let missing = if input.is_none() { "input" } else { "output" };
        let message = format!("{place} has no \"{missing}\", so it is ignored");
        let help = "write what a million tokens cost; 0 if they cost nothing";
        report.add(ProblemCode::MissingField, start(object), message, help);
    }
    None
}

fn amount(report: &mut Report<'_>, what: &str, value: &Value<'_>) -> Option<f64> {
    let Value::NumberLit(literal) = value else {
        report.wrong_type(what, value, "a number: what a million tokens cost");
        return None;
    };
    let number: Option<f64> = literal.value.parse().ok();
    let amount = number.filter(|it| it.is_finite() && *it >= 0.0);
    if amount.is_none() {
        let message = format!(
            "{what} can't be {}",
            hookloop_text::shorten::excerpt(literal.value)
        );
        let help = "write what a million tokens cost, 0 or more; until then the price is ignored";
        report.add(ProblemCode::InvalidValue, start(value), message, help);
    }
    amount
}
