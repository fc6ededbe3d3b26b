//! The text of a web answer, with its sources (`agent.md` §4).

use hookloop_model::{Candidate, Chunk};
use serde_json::Value;

use crate::arrived::ORDINARY_END;

/// Formats a response from the web: its text, then its sources as a numbered list. If the response
/// says which of its words are based on a source, the source's number follows them.
///
/// Hooks judge the text and never see the sources, so if they replaced the text, no source is
/// named: its title could reveal what they removed (AM-2).
pub(crate) fn answer_text(answer: &Chunk, original_text: &str) -> String {
    let mut text = answer.visible_text();
    let Some(candidate) = answer.candidates.first() else {
        return text;
    };
    let sources = sources(candidate);
    if text != original_text {
        if !sources.is_empty() {
            text.push_str("\n\nThe sources are left out, because a hook changed the answer.");
        }
        return text;
    }
    insert_numbers(&mut text, candidate, sources.len());
    if !sources.is_empty() {
        let numbered = sources.iter().enumerate();
        let lines = numbered.map(|(index, source)| format!("\n{}. {source}", index + 1));
        text.push_str("\n\nSources:");
        text.extend(lines);
    }
    let reason = answer.finish_reason().filter(|it| *it != ORDINARY_END);
    text.extend(reason.map(|reason| format!("\n\nThe answer ended early: {reason}")));
    let failures = unread_pages(candidate).into_iter();
    text.extend(failures.map(|failure| format!("\n\nCould not be read: {failure}")));
    text
}

/// Returns whether pages were to be read, and not one was.
pub(crate) fn nothing_was_read(answer: &Chunk) -> bool {
    let Some(candidate) = answer.candidates.first() else {
        return false;
    };
    let pages = pages(candidate);
    !pages.is_empty() && unread_pages(candidate).len() == pages.len()
}

fn metadata<'c>(candidate: &'c Candidate, field: &str, list: &str) -> &'c [Value] {
    let metadata = candidate.extra.get(field);
    let list = metadata
        .and_then(|it| it.get(list))
        .and_then(Value::as_array);
    list.map(Vec::as_slice).unwrap_or_default()
}

/// Returns the sources, in the order of their numbers.
fn sources(candidate: &Candidate) -> Vec<String> {
    let chunks = metadata(candidate, "groundingMetadata", "groundingChunks").iter();
    let kinds = ["web", "retrievedContext", "maps"];
    let source = |chunk: &Value| {
        let source = kinds.iter().find_map(|kind| chunk.get(kind));
        let field = |name: &str| {
            let field = source.and_then(|it| it.get(name)).and_then(Value::as_str);
            field.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        match (field("title"), field("uri")) {
            (Some(title), Some(address)) => format!("{title} ({address})"),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => "(unnamed)".to_owned(),
        }
    };
    chunks.map(source).collect()
}

/// Puts the numbers of sources after the words that are based on them, from last to first, so that
/// earlier positions stay valid.
fn insert_numbers(text: &mut String, candidate: &Candidate, count: usize) {
    let supports = metadata(candidate, "groundingMetadata", "groundingSupports").iter();
    let mut places: Vec<(usize, String)> = supports
        .filter_map(|support| {
            // The service's offsets are in bytes.
            let end = support.pointer("/segment/endIndex")?.as_u64()?;
            let end = usize::try_from(end).ok()?;
            let numbers = support.get("groundingChunkIndices")?.as_array()?.iter();
            let numbers = numbers
                .filter_map(|number| usize::try_from(number.as_u64()?).ok())
                .filter(|number| *number < count);
            let numbers: Vec<String> = numbers.map(|number| format!("[{}]", number + 1)).collect();
            Some((end, numbers.concat()))
        })
        .collect();
    places.sort_by_key(|(end, _)| *end);
    for (end, numbers) in places.iter().rev() {
        if text.is_char_boundary(*end) {
            text.insert_str(*end, numbers);
        }
    }
}

fn pages(candidate: &Candidate) -> &[Value] {
    metadata(candidate, "urlContextMetadata", "urlMetadata")
}

/// Returns the pages that couldn't be read, each with what the service says about it.
fn unread_pages(candidate: &Candidate) -> Vec<String> {
    let field =
        |page: &Value, name: &str| page.get(name).and_then(Value::as_str).map(str::to_owned);
    let failures = pages(candidate).iter().filter_map(|page| {
        let status = field(page, "urlRetrievalStatus")?;
        let address = field(page, "retrievedUrl").unwrap_or_else(|| "a page".to_owned());
        (status != "URL_RETRIEVAL_STATUS_SUCCESS").then(|| format!("{address} ({status})"))
    });
    failures.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn chunk(candidate: &Value) -> Chunk {
        serde_json::from_value(json!({"candidates": [candidate]})).unwrap()
    }

    fn content(text: &str) -> Value {
        json!({"role": "model", "parts": [{"text": "I think.", "thought": true}, {"text": text}]})
    }

    fn grounded(text: &str) -> Chunk {
        chunk(&json!({"content": content(text), "groundingMetadata": {
            "groundingChunks": [{"web": {"uri": "https://a.example/1", "title": "A\n one"}},
                {"web": {"uri": "https://b.example"}}, {"other": {}}],
            "groundingSupports": [
                {"segment": {"endIndex": 5}, "groundingChunkIndices": [0]},
                {"segment": {"startIndex": 6, "endIndex": 11}, "groundingChunkIndices": [1, 0, 9]},
                {"segment": {"endIndex": 4}, "groundingChunkIndices": [1]},
                {"segment": {"endIndex": 999}, "groundingChunkIndices": [1]},
                {"segment": {}},
            ],
        }}))
    }

    /// MO-1: a response from the web names its sources, and what is based on them; the model's
    /// thoughts aren't shown.
    #[test]
    fn sources_are_listed() {
        let list =
            "\n\nSources:\n1. A one (https://a.example/1)\n2. https://b.example\n3. (unnamed)";
        // The é ends at byte 5, so offset 4 is inside it and invalid.
        let answer = grounded("Cafés open.");
        assert_eq!("Cafés open.".len(), 12);
        let text = answer_text(&answer, "Cafés open.");
        assert_eq!(text, format!("Café[1]s open[2][1].{list}"));
    }

    /// AM-2: what a hook removed from a response from the web doesn't come back with the sources.
    #[test]
    fn sources_of_a_changed_answer_are_left_out() {
        let text = answer_text(&grounded("Cafés open."), "Another.");
        assert!(text.starts_with("Cafés open.\n\n"), "{text}");
        assert!(!text.contains("a.example") && !text.contains("A one"));
    }

    /// MO-1: a response that ended early says so.
    #[test]
    fn an_early_end_is_told() {
        for (reason, told) in [
            ("STOP", "x"),
            ("SAFETY", "x\n\nThe answer ended early: SAFETY"),
        ] {
            let answer = chunk(&json!({"content": content("x"), "finishReason": reason}));
            assert_eq!(answer_text(&answer, "x"), told);
        }
    }

    /// MO-1: an answer without sources is its text.
    #[test]
    fn an_answer_may_have_no_sources() {
        for extra in [
            json!({}),
            json!({"groundingChunks": 1, "groundingSupports": [1]}),
        ] {
            let answer = chunk(&json!({"content": content("x"), "groundingMetadata": extra}));
            assert_eq!(answer_text(&answer, "x"), "x");
            assert!(!nothing_was_read(&answer));
        }
        assert_eq!(answer_text(&Chunk::default(), ""), "");
    }

    /// MO-1: pages that couldn't be read are named, and it is known if that is all of them.
    #[test]
    fn unread_pages_are_named() {
        let page = |address: &str, status: &str| {
            json!({"retrievedUrl": address,
                "urlRetrievalStatus": format!("URL_RETRIEVAL_STATUS_{status}")})
        };
        let answer = |pages: Value| {
            let metadata = json!({"urlMetadata": pages});
            chunk(&json!({"content": content("x"), "urlContextMetadata": metadata}))
        };
        let some = answer(json!([
            page("https://a", "SUCCESS"),
            page("https://b", "PAYWALL")
        ]));
        let expected = "x\n\nCould not be read: https://b (URL_RETRIEVAL_STATUS_PAYWALL)";
        assert_eq!(answer_text(&some, "x"), expected);
        assert!(!nothing_was_read(&some));
        assert!(nothing_was_read(&answer(json!([page(
            "https://b",
            "ERROR"
        )]))));
    }
}
