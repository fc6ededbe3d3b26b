//! Classifies failed attempts, and decides whether to retry.

use std::error::Error;
use std::io;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use crate::http::transport::ModelOrigins;
use crate::http_error::HttpProblem;

/// How much of a server's text is examined, in bytes; far more than is shown in the end.
const MAX_BYTES: usize = 4096;

/// A failed attempt.
#[derive(Debug, PartialEq)]
pub(crate) struct Failure {
    pub(crate) problem: HttpProblem,
    pub(crate) retry: Retry,
}

/// Whether another attempt is worth it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Retry {
    /// It would fail the same way.
    Never,
    /// After a wait that grows with every failure.
    WhenCalm,
    /// After the time that the server asks for.
    After(Duration),
}

/// A response that isn't usable.
pub(crate) struct ErrorAnswer<'a> {
    pub(crate) status: u16,
    /// The headers `retry-after-ms` and `retry-after`.
    pub(crate) retry_after_ms: Option<&'a str>,
    pub(crate) retry_after: Option<&'a str>,
    pub(crate) body: &'a [u8],
    /// The model that was asked for.
    pub(crate) model: &'a str,
    /// Where its name comes from.
    pub(crate) origins: &'a ModelOrigins,
    /// What else may be wrong if nothing is found.
    pub(crate) hint: &'static str,
}

impl Failure {
    /// Builds a failure that would happen again.
    pub(crate) const fn permanent(problem: HttpProblem) -> Self {
        Self {
            problem,
            retry: Retry::Never,
        }
    }

    /// Builds a failure that may pass.
    pub(crate) const fn passing(problem: HttpProblem) -> Self {
        Self {
            problem,
            retry: Retry::WhenCalm,
        }
    }

    /// Judges an error in an event of a stream: an overloaded server may report it there, since its
    /// status was sent before (MO-1).
    pub(crate) fn from_event(problem: HttpProblem, data: &str) -> Self {
        let passes = matches!(problem, HttpProblem::Reported(_)) && reports_load(data);
        if passes {
            Self::passing(problem)
        } else {
            Self::permanent(problem)
        }
    }

    /// Judges a request that got no response, or whose response broke before it contained anything.
    pub(crate) fn from_transport(error: &reqwest::Error) -> Self {
        let cause = root_cause(error);
        if error.is_builder() || error.is_redirect() {
            return Self::permanent(HttpProblem::Settings(cause));
        }
        if !error.is_connect() {
            return Self::passing(HttpProblem::Broken(cause));
        }
        if error.is_timeout() {
            return Self::passing(HttpProblem::NoConnection("it took too long".to_owned()));
        }
        let refused = chain(error).any(|error| {
            error
                .downcast_ref::<io::Error>()
                .is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
        });
        if refused {
            // Nothing listens there, which is reported at once, not after four attempts.
            let text = format!("{cause}; is the server running?");
            return Self::permanent(HttpProblem::NoConnection(text));
        }
        if chain(error).any(is_about_encryption) {
            let text = format!("the encryption failed: {cause}");
            return Self::permanent(HttpProblem::NoConnection(text));
        }
        Self::passing(HttpProblem::NoConnection(cause))
    }

    /// Judges a response with an error status (MO-1).
    pub(crate) fn from_answer(answer: &ErrorAnswer<'_>) -> Self {
        let report = Report::read(answer.body);
        let status = answer.status;
        let message = report.message.clone();
        let wait = answer.wait(&report);
        let again = wait.map_or(Retry::WhenCalm, Retry::After);
        match status {
            400 if report.is_about_key() => {
                Self::permanent(HttpProblem::KeyRefused { status, message })
            }
            400..=499 if report.is_about_model(answer.model) => {
                Self::permanent(answer.not_found(message, ""))
            }
            404 => Self::permanent(answer.not_found(message, answer.hint)),
            401 | 403 => Self::permanent(HttpProblem::KeyRefused { status, message }),
            408 => Self {
                problem: HttpProblem::Refused { status, message },
                retry: again,
            },
            429 => Self {
                problem: HttpProblem::TooManyRequests { message, wait },
                // Waiting doesn't restore a used-up quota.
                retry: if report.code == "insufficient_quota" {
                    Retry::Never
                } else {
                    again
                },
            },
            500.. => Self {
                problem: HttpProblem::ServerFailed {
                    status,
                    message,
                    wait,
                },
                retry: again,
            },
            _ => Self::permanent(HttpProblem::Refused { status, message }),
        }
    }
}

impl ErrorAnswer<'_> {
    fn not_found(&self, message: String, hint: &'static str) -> HttpProblem {
        HttpProblem::NotFound {
            status: self.status,
            message,
            model: self.model.to_owned(),
            origin: self.origins.of(self.model),
            hint,
        }
    }

    /// Finds how long the server asks to wait, in the body or the headers.
    fn wait(&self, report: &Report) -> Option<Duration> {
        report
            .retry_delay
            .or_else(|| {
                let milliseconds: f64 = self.retry_after_ms?.trim().parse().ok()?;
                Duration::try_from_secs_f64(milliseconds / 1000.0).ok()
            })
            .or_else(|| retry_after(self.retry_after?, Timestamp::now()))
    }
}

/// The words by which services report that they are overloaded, or failed temporarily.
const TRANSIENT_WORDS: [&str; 9] = [
    "overloaded_error",
    "rate_limit_error",
    "rate_limit_exceeded",
    "api_error",
    "server_error",
    "timeout_error",
    "UNAVAILABLE",
    "INTERNAL",
    "RESOURCE_EXHAUSTED",
];

/// The codes with which services say that they don't have a model.
const UNKNOWN_MODEL_CODES: [&str; 3] = ["model_not_found", "invalid_model", "unknown_model"];

/// The words with which they say so, beside the model's name.
const UNKNOWN_MODEL_WORDS: [&str; 7] = [
    "does not exist",
    "doesn't exist",
    "not found",
    "not a valid model",
    "invalid model",
    "unknown model",
    "unexpected model name",
];

/// Returns whether an event reports something that may pass.
fn reports_load(data: &str) -> bool {
    let event: Value = serde_json::from_str(data).unwrap_or_default();
    let places = [&event["error"], &event["response"]["error"], &event];
    let Some(error) = places.into_iter().find(|it| it.is_object()) else {
        return false;
    };
    let code = &error["code"];
    let is_status = code
        .as_u64()
        .is_some_and(|it| it == 429 || (500..600).contains(&it));
    let words = [code, &error["status"], &error["type"]];
    let mut words = words.into_iter().filter_map(Value::as_str);
    is_status || words.any(|it| TRANSIENT_WORDS.contains(&it))
}

/// Reads a `Retry-After` header: seconds, or a date.
fn retry_after(header: &str, now: Timestamp) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let then = jiff::fmt::rfc2822::DateTimeParser::new()
        .parse_timestamp(header)
        .ok()?;
    Some(Duration::try_from(then.duration_since(now)).unwrap_or_default())
}

/// The content of an error's body.
#[derive(Debug, Default, PartialEq)]
struct Report {
    message: String,
    /// The server's own code, such as `insufficient_quota` or `INVALID_ARGUMENT`.
    code: String,
    /// The reasons in Google's details.
    reasons: Vec<String>,
    /// The delay in a `google.rpc.RetryInfo`.
    retry_delay: Option<Duration>,
}

impl Report {
    /// Reads the forms that servers use: Google's, `OpenAI`'s, a bare message, or plain text.
    fn read(body: &[u8]) -> Self {
        match serde_json::from_slice(body) {
            Ok(Value::Array(mut list)) if !list.is_empty() => Self::from_json(&list.swap_remove(0)),
            Ok(body) => Self::from_json(&body),
            Err(_) => Self {
                message: reason_or_default(&String::from_utf8_lossy(body)),
                ..Self::default()
            },
        }
    }

    fn from_json(body: &Value) -> Self {
        let error = match &body["error"] {
            Value::Null => body,
            error => error,
        };
        let details = error["details"].as_array().map_or(&[][..], Vec::as_slice);
        let code = [&error["code"], &error["status"], &error["type"]];
        Self {
            message: reason_or_default(&message_of(error)),
            code: code
                .into_iter()
                .find_map(Value::as_str)
                .unwrap_or_default()
                .to_owned(),
            reasons: details
                .iter()
                .filter_map(|detail| detail["reason"].as_str())
                .map(str::to_owned)
                .collect(),
            retry_delay: details
                .iter()
                .filter(|detail| {
                    let kind = detail["@type"].as_str().unwrap_or_default();
                    kind.ends_with("google.rpc.RetryInfo")
                })
                .find_map(|detail| protobuf_duration(detail["retryDelay"].as_str()?)),
        }
    }

    /// Services reject an unknown model with 404, 400, 403 or 422: by a code of their own, or in
    /// words that name it.
    fn is_about_model(&self, model: &str) -> bool {
        if UNKNOWN_MODEL_CODES.contains(&self.code.as_str()) {
            return true;
        }
        let message = self.message.to_lowercase();
        !model.is_empty()
            && message.contains(&model.to_lowercase())
            && message.contains("model")
            && UNKNOWN_MODEL_WORDS.iter().any(|it| message.contains(it))
    }

    /// Google responds 400 to a wrong key.
    fn is_about_key(&self) -> bool {
        self.reasons
            .iter()
            .any(|reason| reason == "API_KEY_INVALID")
            || self.message.contains("API key not valid")
    }
}

/// Finds the message in the object of an error.
pub(crate) fn message_of(error: &Value) -> String {
    let places = [error, &error["message"], &error["detail"], &error["error"]];
    let message = places.into_iter().find_map(Value::as_str);
    message.map_or_else(|| error.to_string(), str::to_owned)
}

/// Reads a duration as Protocol Buffers write it: `3.5s`.
fn protobuf_duration(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.strip_suffix('s')?.parse().ok()?).ok()
}

fn reason_or_default(text: &str) -> String {
    let line = plain_line(text);
    if line.is_empty() {
        "the server gives no reason".to_owned()
    } else {
        line
    }
}

/// Makes a single line without control characters from a foreign text. It is cut to what is shown
/// later, after the key is hidden: half a key wouldn't be found.
pub(crate) fn plain_line(text: &str) -> String {
    let words: Vec<&str> = text[..text.floor_char_boundary(MAX_BYTES)]
        .split(|letter: char| letter.is_whitespace() || letter.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ")
}

/// Returns the root of an error; what is above only repeats that it happened.
pub(crate) fn root_cause(error: &(dyn Error + 'static)) -> String {
    plain_line(&chain(error).last().unwrap_or(error).to_string())
}

/// I/O errors contain the real one, or each other, without naming it as a source.
fn is_about_encryption(error: &(dyn Error + 'static)) -> bool {
    let inner = error
        .downcast_ref::<io::Error>()
        .and_then(io::Error::get_ref);
    error.is::<rustls::Error>() || inner.is_some_and(|inner| is_about_encryption(inner))
}

fn chain<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    let mut next = Some(error);
    std::iter::from_fn(move || {
        let error = next?;
        next = error.source();
        Some(error)
    })
}

#[cfg(test)]
mod tests;
