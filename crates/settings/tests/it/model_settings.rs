//! What is set for single models (MO-6).

use hookloop_hook::{Handler, HookDeclaration};
use hookloop_settings::AgentSettings;
use serde_json::{Value, json};

use crate::fixture::{Fixture, load_text, told};

fn profile(settings: &AgentSettings, name: &str) -> (String, Value, Option<u64>) {
    let profile = settings.models.profile(name);
    let set = profile.settings;
    (profile.model, json!(set.parameters), set.context_window)
}

/// MO-6: of what is set for a model the most specific name counts, of equals the highest layer,
/// each setting for itself.
#[test]
fn the_most_specific_name_counts() {
    let settings = Fixture::new()
        .user(r#"{"model": {"settings": {"*": {"temperature": 0.2, "thinkingBudget": 0}, "big-*": {"thinkingBudget": 900}, "big-1": {"topP": 0.5}}}}"#)
        .system(r#"{"model": {"settings": {"big-1": {"topP": 1, "contextWindow": 64000, "stopSequences": ["x"]}}}}"#)
        .load();
    assert_eq!(told(&settings.problems), [""; 0]);
    let parameters = json!({"temperature": 0.2, "topP": 0.5, "stopSequences": ["x"],
        "thinkingConfig": {"thinkingBudget": 900}});
    let expected = ("big-1".to_owned(), parameters, Some(64_000));
    assert_eq!(profile(&settings.agent, "big-1"), expected);
    let (_, others, window) = profile(&settings.agent, "small");
    assert_eq!(
        others,
        json!({"temperature": 0.2, "thinkingConfig": {"thinkingBudget": 0}})
    );
    assert_eq!(window, None);
}

/// MO-6: aliases and overrides of Gemini CLI mean the same here; a circle of aliases ends.
#[test]
fn aliases_and_overrides_of_gemini_cli_count() {
    let text = r#"{"modelConfigs": {
        "overrides": [
            {"match": {"model": "gemini-2.5-flash"}, "modelConfig": {"generateContentConfig": {"topK": 9}}},
            {"match": {"model": "gemini-2.5-flash"}, "modelConfig": {"generateContentConfig": {"topK": 7}}}],
        "customAliases": {
            "base": {"modelConfig": {"generateContentConfig": {"temperature": 1, "topP": 0.9, "seed": 4}}},
            "fast": {"extends": "base", "modelConfig": {"model": "gemini-2.5-flash",
                "generateContentConfig": {"temperature": 0, "thinkingConfig": {"thinkingBudget": 512}}}},
            "a": {"extends": "b"}, "b": {"extends": "a"}}}}"#;
    let settings = load_text(text);
    assert_eq!(told(&settings.problems), [""; 0]);
    let parameters = json!({"topK": 7, "temperature": 0.0, "topP": 0.9, "seed": 4,
        "thinkingConfig": {"thinkingBudget": 512}});
    let expected = ("gemini-2.5-flash".to_owned(), parameters, None);
    assert_eq!(profile(&settings.agent, "fast"), expected);
    assert_eq!(profile(&settings.agent, "a").0, "a");
    let mut names: Vec<&str> = settings.agent.models.names().collect();
    names.dedup();
    assert_eq!(names, ["base", "fast", "a", "b", "gemini-2.5-flash"]);
}

/// MO-6, ST-5: a setting that can't be read is reported with its place and left out; the others
/// count.
#[test]
fn a_wrong_setting_is_reported() {
    for (wrong, problem) in [
        (r#""temperature": 2.5"#, "invalid_value"),
        (r#""temperature": "hot""#, "wrong_type"),
        (r#""topP": -1"#, "invalid_value"),
        (r#""topK": 0.5"#, "invalid_value"),
        (r#""maxOutputTokens": 0"#, "invalid_value"),
        (r#""thinkingBudget": -2"#, "invalid_value"),
        (r#""contextWindow": true"#, "wrong_type"),
        (r#""stopSequences": "x""#, "wrong_type"),
        (r#""maxTokens": 7"#, "unknown_field"),
    ] {
        let text = format!(r#"{{"model": {{"settings": {{"x": {{"topK": 3, {wrong}}}}}}}}}"#)
            .replace(r#""topK": 3, "topK""#, r#""topP": 1, "topK""#);
        let settings = load_text(&text);
        let [told] = &told(&settings.problems)[..] else {
            panic!("{text}: {:?}", settings.problems)
        };
        assert!(told.starts_with(problem), "{text}: {told}");
        let parameters = settings.agent.models.profile("x").settings.parameters;
        assert_eq!(parameters.len(), 1, "{text}: {parameters:?}");
    }
}

/// MO-6: an override with a condition that isn't known here counts for no model, and is reported.
#[test]
fn an_unknown_condition_is_reported() {
    let text = r#"{"modelConfigs": {"overrides": [
        {"match": {"model": "x", "overrideScope": "core"}, "modelConfig": {"generateContentConfig": {"topK": 9}}}]}}"#;
    let settings = load_text(text);
    assert_eq!(told(&settings.problems), ["unknown_field 2:34"]);
    assert_eq!(profile(&settings.agent, "x").1, json!({}));
}

/// HT-50, MO-6: a hook that names a model asks what the name stands for in a session, with what is
/// set for it; but a less trusted layer than the hook's own has no say in who judges.
#[test]
fn a_hook_asks_the_model_that_a_name_stands_for() {
    let layer = |model: &str, limit: u64| {
        json!({
            "modelConfigs": {"customAliases": {"judge": {"modelConfig": {"model": model}}}},
            "model": {"settings": {"*": {"maxOutputTokens": limit}}},
            "hooks": {"BeforeTool": [{"hooks": [
                {"type": "prompt", "name": format!("of {model}"), "prompt": "Safe?", "model": "judge"}]}]}
        })
        .to_string()
    };
    let settings = Fixture::new()
        .trusted()
        .project(layer("of-project", 1))
        .user(layer("of-user", 20))
        .system(layer("of-system", 300))
        .load();
    assert_eq!(told(&settings.problems), [""; 0]);
    let asked: Vec<_> = settings.hooks.iter().filter_map(asked_model).collect();
    let expected = [("of-project", 1), ("of-user", 20), ("of-system", 300)];
    let expected = expected.map(|(name, limit)| (name.to_owned(), json!(limit)));
    assert_eq!(asked, expected);

    let settings = Fixture::new()
        .trusted()
        .project(
            r#"{"modelConfigs": {"customAliases": {"judge": {"modelConfig": {"model": "weak"}}}}}"#,
        )
        .user(
            r#"{"model": {"settings": {"*": {"maxOutputTokens": 20}}},
                "hooks": {"BeforeTool": [{"hooks": [
                    {"type": "prompt", "name": "x", "prompt": "Safe?", "model": "judge"}]}]}}"#,
        )
        .load();
    let asked: Vec<_> = settings.hooks.iter().filter_map(asked_model).collect();
    assert_eq!(
        asked,
        [("judge".to_owned(), json!(20))],
        "not the project's"
    );
}

fn asked_model(hook: &HookDeclaration) -> Option<(String, Value)> {
    let Handler::Prompt(call) = &hook.handler else {
        return None;
    };
    let served = call.served.as_ref()?;
    Some((
        served.name.clone(),
        served.parameters["maxOutputTokens"].clone(),
    ))
}
