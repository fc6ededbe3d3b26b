//! Which models a service offers (TU-2).

use hookloop_engine::BoxFuture;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::error::ModelError;
use crate::http::answer::unreadable;
use crate::http::exchange::{Call, Exchange};
use crate::http::failure::{message_of, plain_line};
use crate::http_error::HttpProblem;

/// What one expects of an answer, in messages.
const ANSWER: &str = "a list of models";

/// What precedes the names of models in Gemini's API.
const COLLECTION: &str = "models/";

/// What a model of Gemini's API must be able to do.
const ANSWERS: &str = "generateContent";

/// Asks a service for its models. One page is asked for, which is as long as services allow.
pub(crate) fn list<'e>(
    exchange: &'e Exchange,
    path: &[&str],
    page: Option<&str>,
    cancel: CancellationToken,
) -> BoxFuture<'e, Result<Vec<String>, ModelError>> {
    let mut address = exchange.connection().address(path);
    address.set_query(page);
    let call = Call {
        address,
        body: None,
        model: String::new(),
    };
    Box::pin(async move { exchange.send(&call, read, &cancel).await })
}

/// Reads a list: `data` with ids, or `models` with names, as Gemini's API has it.
fn read(body: &[u8]) -> Result<Vec<String>, HttpProblem> {
    let data = String::from_utf8_lossy(body);
    let value: Value = serde_json::from_str(&data).map_err(|_| unreadable(ANSWER, &data))?;
    if let Some(error) = value.get("error") {
        return Err(HttpProblem::Reported(plain_line(&message_of(error))));
    }
    let (models, key) = match (value.get("data"), value.get("models")) {
        (Some(models), _) => (models, "id"),
        (None, Some(models)) => (models, "name"),
        (None, None) => return Err(unreadable(ANSWER, &data)),
    };
    // A service without models writes `null`.
    let models = models.as_array().into_iter().flatten();
    let names = models.filter(|it| answers(it)).filter_map(|it| {
        let name = it[key].as_str()?;
        let name = plain_line(name.strip_prefix(COLLECTION).unwrap_or(name));
        (!name.is_empty() && !name.contains(' ')).then_some(name)
    });
    Ok(names.collect())
}

/// Returns whether a model answers prompts, as far as its service says.
fn answers(model: &Value) -> bool {
    let methods = model["supportedGenerationMethods"].as_array();
    methods.is_none_or(|methods| methods.iter().any(|it| it == ANSWERS))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// TU-2: models are read as each service lists them; what only embeds is none to talk to.
    #[test]
    fn lists_are_read() {
        let cases = [
            (
                json!({"object": "list", "data": [{"id": "b"}, {"id": "a"}]}),
                vec!["b", "a"],
            ),
            (json!({"object": "list", "data": null}), vec![]),
            (
                json!({"models": [
                    {"name": "models/gemini-x", "supportedGenerationMethods": ["generateContent"]},
                    {"name": "models/embed-x", "supportedGenerationMethods": ["embedContent"]}]}),
                vec!["gemini-x"],
            ),
            (
                json!({"data": [{"id": "two words"}, {"id": ""}, {}]}),
                vec![],
            ),
        ];
        for (body, expected) in cases {
            assert_eq!(
                read(body.to_string().as_bytes()).unwrap(),
                expected,
                "{body}"
            );
        }
        for body in ["{}", "<html>", r#"{"error": {"message": "no"}}"#] {
            assert!(read(body.as_bytes()).is_err(), "{body}");
        }
    }
}
