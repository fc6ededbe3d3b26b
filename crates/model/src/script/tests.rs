use super::*;

fn parse(text: &str, matching: Matching) -> Result<Script, ScriptError> {
    Script::parse(Path::new("answers.jsonl"), text, matching)
}

/// MO-3: lines of both methods are read in order, and blank lines are skipped.
#[test]
fn answers_are_read_in_order() {
    let script = parse(
        "\n{\"method\":\"generateContentStream\",\"response\":[{\"candidates\":[]},{}]}\r\n  \n\
         {\"response\":{\"modelVersion\":\"m\"},\"method\":\"generateContent\"}\n",
        Matching::Strict,
    )
    .unwrap();
    let read: Vec<_> = script
        .answers
        .iter()
        .map(|next| (next.line, next.answer.method()))
        .collect();
    assert_eq!(read, [(2, Method::Stream), (4, Method::Whole)]);
}

/// MO-3: a line that isn't a response is reported with file and line.
#[test]
fn a_bad_line_is_reported_with_its_place() {
    for (line, problem) in [
        ("{\"method\":", "EOF"),
        ("{\"response\":{}}", "missing field `method`"),
        (
            "{\"method\":\"generateContent\"}",
            "missing field `response`",
        ),
        (
            "{\"method\":\"generate\",\"response\":{}}",
            "unknown method \"generate\"",
        ),
        (
            "{\"method\":\"generateContentStream\",\"response\":{}}",
            "isn't a list of chunks",
        ),
        (
            "{\"method\":\"generateContent\",\"response\":[1]}",
            "isn't an answer of the model",
        ),
        (
            "{\"method\":\"countTokens\",\"response\":{}}",
            "--fake-responses-non-strict",
        ),
    ] {
        let error = parse(&format!("\n{line}\n"), Matching::Strict).unwrap_err();
        let message = error.to_string();
        assert!(
            message.starts_with("read the scripted response at answers.jsonl:2: "),
            "{message}"
        );
        assert!(message.contains(problem), "{message}");
    }
}

/// MO-3: matched by method, lines for methods that are never called are skipped.
#[test]
fn foreign_methods_are_passed_over() {
    let script = parse(
        "{\"method\":\"countTokens\",\"response\":{\"totalTokens\":1}}\n\
         {\"method\":\"generateContent\",\"response\":{}}",
        Matching::ByMethod,
    )
    .unwrap();
    assert_eq!(script.answers.len(), 1);
}

/// MO-3: a script that can't be read is named.
#[test]
fn a_missing_script_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.jsonl");
    let error = Script::load(&path, Matching::Strict).unwrap_err();
    assert!(error.to_string().contains("none.jsonl"));
}
