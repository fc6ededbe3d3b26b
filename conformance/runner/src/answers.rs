//! Writes the model's answers in the format that `--fake-responses` reads (MO-3).

use serde_json::{Value, json};

use crate::case::joined;

/// Converts what a case says about the model to lines of a file of answers.
///
/// An answer is a text; a list of chunks, each a text or `{"call": …}`; `{"call": {name, args}}`
/// or `{"calls": [...]}`; `{"summary": text}` for a call of the other method; or a whole line.
pub(crate) fn lines(answers: &[Value]) -> String {
    let lines: Vec<String> = answers
        .iter()
        .map(|answer| line(answer).to_string())
        .collect();
    joined(lines.iter().map(String::as_str))
}

fn line(answer: &Value) -> Value {
    match answer {
        Value::Object(fields) if fields.contains_key("method") => answer.clone(),
        Value::Object(fields) if fields.contains_key("summary") => {
            let response = chunk(&[json!({"text": fields["summary"]})], Finish::Yes);
            json!({"method": "generateContent", "response": response})
        }
        Value::Array(chunks) => {
            let last = chunks.len().saturating_sub(1);
            let chunks: Vec<Value> = chunks
                .iter()
                .enumerate()
                .map(|(index, it)| {
                    one_chunk(
                        it,
                        if index == last {
                            Finish::Yes
                        } else {
                            Finish::No
                        },
                    )
                })
                .collect();
            stream(&chunks)
        }
        single => stream(&[one_chunk(single, Finish::Yes)]),
    }
}

fn stream(chunks: &[Value]) -> Value {
    json!({"method": "generateContentStream", "response": chunks})
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Finish {
    Yes,
    No,
}

fn one_chunk(answer: &Value, finish: Finish) -> Value {
    match answer {
        Value::String(text) => chunk(&[json!({"text": text})], finish),
        Value::Object(fields) if fields.contains_key("candidates") => answer.clone(),
        Value::Object(fields) => {
            let text = fields.get("text").map(|text| json!({"text": text}));
            let one = fields.get("call").cloned();
            let many = fields
                .get("calls")
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default();
            let calls = one
                .into_iter()
                .chain(many)
                .map(|call| json!({"functionCall": call}));
            let parts: Vec<Value> = text.into_iter().chain(calls).collect();
            chunk(&parts, finish)
        }
        other => other.clone(),
    }
}

fn chunk(parts: &[Value], finish: Finish) -> Value {
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    if finish == Finish::Yes {
        candidate["finishReason"] = json!("STOP");
    }
    json!({"candidates": [candidate]})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_a_stream_whose_last_chunk_finishes() {
        let line = line(&json!(["a", {"call": {"name": "read_file", "args": {}}}]));
        let reason =
            |index: usize| line["response"][index]["candidates"][0]["finishReason"].clone();
        assert_eq!((reason(0), reason(1)), (Value::Null, json!("STOP")));
        let part = &line["response"][1]["candidates"][0]["content"]["parts"][0];
        assert_eq!(part["functionCall"]["name"], "read_file");
    }

    #[test]
    fn a_summary_is_a_call_of_the_other_method() {
        assert_eq!(
            line(&json!({"summary": "notes"}))["method"],
            "generateContent"
        );
    }
}
