//! What models cost (TU-6).

use crate::fixture::{Fixture, load_text, told};

/// TU-6: prices are read by the models' names, of each the highest layer's.
#[test]
fn prices_are_read_by_name() {
    let settings = Fixture::new()
        .user(r#"{"model": {"currency": "EUR", "prices": {"a": {"input": 1, "cached": 0.5, "output": 2}}}}"#)
        .system(r#"{"model": {"currency": "USD", "prices": {"a": {"input": 9, "output": 9}, "b": {"input": 3, "output": 4.5}}}}"#)
        .load();
    assert_eq!(told(&settings.problems), [""; 0]);
    let prices: Vec<_> = settings
        .agent
        .prices
        .iter()
        .map(|(name, it)| {
            (
                name.as_str(),
                it.value.input,
                it.value.cached,
                it.value.output,
            )
        })
        .collect();
    assert_eq!(prices, [("a", 1.0, Some(0.5), 2.0), ("b", 3.0, None, 4.5)]);
    assert_eq!(
        settings.agent.currency.map(|it| it.value),
        Some("EUR".to_owned())
    );
}

/// TU-6, ST-5: a price that can't be read is reported with its place, and doesn't count; others do.
#[test]
fn a_wrong_price_is_reported() {
    for (price, problem) in [
        ("7", "wrong_type 1:28"),
        ("{\"input\": 1}", "missing_field 1:28"),
        ("{\"output\": 1}", "missing_field 1:28"),
        ("{\"input\": -1, \"output\": 1}", "invalid_value 1:38"),
        ("{\"input\": \"1\", \"output\": 1}", "wrong_type 1:38"),
        (
            "{\"input\": 1, \"output\": 1, \"cached\": true}",
            "wrong_type 1:64",
        ),
    ] {
        let text = format!(
            "{{\"model\": {{\"prices\": {{\"x\": {price}, \"y\": {{\"input\": 1, \"output\": 1}}}}}}}}"
        );
        let settings = load_text(&text);
        assert_eq!(told(&settings.problems), [problem], "{text}");
        let known: Vec<&str> = settings
            .agent
            .prices
            .iter()
            .map(|it| it.0.as_str())
            .collect();
        assert_eq!(known, ["y"], "{text}");
    }
    let text = r#"{"model": {"prices": {"x": {"input": 1, "ouput": 1, "output": 1}}}}"#;
    let settings = load_text(text);
    assert_eq!(told(&settings.problems), ["unknown_field 1:41"]);
    assert_eq!(settings.agent.prices.len(), 1);
}
