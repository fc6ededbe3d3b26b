//! Takes keys and tokens out of texts.

use super::{is_placeholder, looks_chosen_at_random, table, tells_of_something_else};
use crate::evaluate::entropy;

/// Returns a text with its keys and tokens taken out. Where the table can't be read nothing is
/// shown of it.
pub fn redacted(text: &str) -> String {
    let Ok(table) = table() else {
        return "[redacted]".to_owned();
    };
    let mut spans: Vec<(usize, usize, &str)> = Vec::new();
    for at in table.all.matches(text) {
        let key = &table.keys[at];
        for fit in key.expression.found_in(text) {
            if key.sure || !is_placeholder(fit.as_str()) && entropy(fit.as_str()) > 2.8 {
                // Of a private key everything behind its first line is secret.
                let end = if key.sure { text.len() } else { fit.end() };
                spans.push((fit.start(), end, &key.kind));
            }
        }
    }
    for fit in table.url.captured_in(text) {
        if let Some(password) = fit.get(1) {
            spans.push((password.start(), password.end(), "password"));
        }
    }
    for fit in table.assigned.captured_in(text) {
        let name = fit.get(1).map_or("", |it| it.as_str());
        let value = (2..=5).find_map(|it| fit.get(it));
        if let Some(value) = value
            .filter(|it| !tells_of_something_else(name) && looks_chosen_at_random(it.as_str(), 2))
        {
            spans.push((value.start(), value.end(), "value"));
        }
    }
    for fit in table.bearer.captured_in(text) {
        if let Some(value) = fit
            .get(1)
            .filter(|it| looks_chosen_at_random(it.as_str(), 2))
        {
            spans.push((value.start(), value.end(), "value"));
        }
    }
    spans.sort_unstable();
    let mut whole = String::new();
    let mut shown = 0;
    for (start, end, kind) in spans {
        if start >= shown {
            whole.push_str(&text[shown..start]);
            whole.push_str("[redacted: ");
            whole.push_str(kind);
            whole.push(']');
        }
        shown = shown.max(end);
    }
    whole.push_str(&text[shown..]);
    whole
}
