//! Hooks that are a tool of an MCP server (HT-50): the tool's text is the hook's reply.
//!
//! Hooks have servers of their own. One is started when the first hook needs it, with the
//! environment that a command hook of the same layer would get, and as the hook's own layers
//! configure it, whatever server the session offers to the model under the same name.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use hookloop_engine::{BoxFuture, Captured, Completion, Ending, Executor, Invocation};
use hookloop_events::EventName;
use hookloop_events::refusal::Readable;
use hookloop_hook::{ConfiguredServer, Handler, Layer, McpCall};
use hookloop_settings::McpServer;
use hookloop_tools::Arguments;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::configuration;
use crate::hook_input::expand_placeholders;
use crate::problem::McpReport;
use crate::server::{NoToolReply, Server, Shared, end_all};

/// The environment of a hook's server.
#[derive(Debug, Clone, Default)]
pub struct ServerEnvironment {
    /// All variables.
    pub variables: Vec<(OsString, OsString)>,
    /// The names of the variables that were withheld (ENV-3).
    pub withheld: Vec<String>,
}

/// Returns the environment for a run, or why it can't be built.
type Environments = dyn Fn(&Invocation) -> Result<ServerEnvironment, String> + Send + Sync;

/// The executor of hooks that call a tool of an MCP server (HT-50). These calls don't trigger hooks
/// themselves.
///
/// Register it with the engine for [`HookType::McpTool`](hookloop_engine::HookType::McpTool).
/// Clones share the servers. Dropping the last clone ends their processes; [`HookTools::close`]
/// also waits for that.
#[derive(Clone)]
pub struct HookTools(Arc<Inner>);

struct Inner {
    environment: Box<Environments>,
    closing: CancellationToken,
    servers: Mutex<HashMap<Key, Arc<Server>>>,
}

/// Identifies a server: hooks with the same key share it.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    name: String,
    configuration: String,
    layer: Option<Layer>,
    extension: Option<Arc<str>>,
    env: BTreeMap<String, String>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.closing.cancel();
    }
}

impl fmt::Debug for HookTools {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HookTools").finish_non_exhaustive()
    }
}

impl HookTools {
    /// Creates the executor without starting a server. `environments` returns the environment that
    /// a command hook would get instead of the given one.
    pub fn new(
        environment: impl Fn(&Invocation) -> Result<ServerEnvironment, String> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(Inner {
            environment: Box::new(environment),
            closing: CancellationToken::new(),
            servers: Mutex::default(),
        }))
    }

    /// Ends all servers, and waits until they have ended.
    pub async fn close(&self) {
        self.0.closing.cancel();
        // The map is consistent between any two statements, even after a panic elsewhere.
        let servers = std::mem::take(
            &mut *self
                .0
                .servers
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        );
        for server in servers.into_values() {
            end_all(server.shared()).await;
        }
    }

    /// Returns the server of a hook, without starting it.
    fn server(
        &self,
        call: &McpCall,
        configured: &ConfiguredServer,
        invocation: &Invocation,
        environment: Vec<(OsString, OsString)>,
    ) -> Result<Arc<Server>, String> {
        let hook = &invocation.hook;
        let key = Key {
            name: call.server.clone(),
            configuration: configured.configuration.to_string(),
            layer: hook.source.layer,
            extension: hook.extension.as_ref().map(|it| Arc::clone(&it.name)),
            env: hook.env.clone(),
        };
        let mut servers = self
            .0
            .servers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(server) = servers.get(&key) {
            return Ok(Arc::clone(server));
        }
        let declared = McpServer {
            name: call.server.clone(),
            configuration: configured.configuration.clone(),
            source: configured.source.clone(),
        };
        let (read, _notes) = configuration::read(&declared, &environment, &invocation.session.cwd);
        let shared = Arc::new(Shared {
            environment,
            // Problems are reported with the run that they affect.
            report: McpReport::new(|_| {}),
            // Tokens that a person granted to the session aren't available to hooks.
            tokens: None,
            revision: watch::Sender::new(0),
            closing: self.0.closing.child_token(),
            tasks: Mutex::default(),
        });
        let server = Arc::new(Server::new(read?, shared));
        servers.insert(key, Arc::clone(&server));
        Ok(server)
    }

    async fn ask(&self, call: &McpCall, invocation: &Invocation) -> Completion {
        let Some(configured) = &call.configured else {
            return Completion::not_started(format!(
                "no MCP server \"{}\" is configured in a place that this hook may rely on",
                call.server
            ));
        };
        let prepared = prepare_arguments(call, invocation).and_then(|arguments| {
            let environment = (self.0.environment)(invocation)?;
            let variables = environment.variables;
            let server = self.server(call, configured, invocation, variables)?;
            Ok((arguments, server, environment.withheld))
        });
        let (arguments, server, withheld_env) = match prepared {
            Ok(prepared) => prepared,
            Err(why) => return Completion::not_started(why),
        };
        let answered = tokio::select! {
            biased;
            () = invocation.stop.stopped() => return Completion {
                withheld_env,
                ..Completion::ended(Ending::Stopped)
            },
            answered = server.decide(&call.tool, arguments) => answered,
        };
        Completion {
            withheld_env,
            ..completion(answered, invocation.event, invocation.max_output_bytes)
        }
    }
}

impl Executor for HookTools {
    fn execute(&self, invocation: Invocation) -> BoxFuture<'_, Completion> {
        Box::pin(async move {
            let started = Instant::now();
            let Handler::McpTool(call) = &invocation.hook.handler else {
                return Completion::not_started("it isn't a tool of an MCP server");
            };
            let completion = self.ask(call, &invocation).await;
            Completion {
                duration: started.elapsed(),
                ..completion
            }
        })
    }
}

/// Inserts the payload's values into the arguments.
fn prepare_arguments(call: &McpCall, invocation: &Invocation) -> Result<Arguments, String> {
    let payload: Value = serde_json::from_str(&invocation.input.text())
        .map_err(|error| format!("the payload can't be read: {error}"))?;
    match expand_placeholders(&call.input, &payload)? {
        Value::Object(arguments) => Ok(arguments),
        Value::Null => Ok(Arguments::new()),
        _ => Err("\"input\" must be an object with the tool's arguments".to_owned()),
    }
}

/// Turns a tool's result into the completion of an equivalent command.
fn completion(
    answered: Result<CallToolResult, NoToolReply>,
    event: EventName,
    cap: usize,
) -> Completion {
    let result = match answered {
        Ok(result) => result,
        Err(NoToolReply::NotStarted(why)) => return Completion::not_started(why),
        Err(NoToolReply::Failed(why)) => {
            // The server's error text may be a refusal, which counts as in a tool's own error.
            let holds_object = why.contains('{');
            let excerpt = if holds_object {
                why.clone()
            } else {
                String::new()
            };
            return Completion {
                stdout: capped(excerpt, cap),
                ..Completion::ended(Ending::Failed(why))
            };
        }
        Err(NoToolReply::Flooded(total)) => {
            return Completion {
                stdout: Captured {
                    bytes: Vec::new(),
                    total,
                },
                ..Completion::ended(Ending::Exited(0))
            };
        }
    };
    let (text, left_out) = text_of(&result);
    let (reply, beside) = reply_of(event, &text, result.structured_content.as_ref());
    // Nobody knows what an image says: an answer without text isn't one without an opinion.
    let is_unread = left_out > 0 && reply.trim().is_empty();
    let failed = if result.is_error == Some(true) {
        let excerpt: String = text.trim().chars().take(300).collect();
        Some(match excerpt.as_str() {
            "" => "the tool reports an error and doesn't say which".to_owned(),
            excerpt => format!("the tool reports an error: {excerpt}"),
        })
    } else {
        is_unread.then(|| "the tool's answer has no text".to_owned())
    };
    let remarks = (left_out > 0)
        .then(|| format!("{left_out} parts of the tool's answer that aren't text weren't read"));
    Completion {
        stdout: capped(reply, cap),
        stderr: capped(beside, cap),
        remarks: remarks.into_iter().collect(),
        ..Completion::ended(failed.map_or(Ending::Exited(0), Ending::Failed))
    }
}

fn capped(text: String, cap: usize) -> Captured {
    let mut bytes = text.into_bytes();
    let total = bytes.len() as u64;
    bytes.truncate(cap);
    Captured { bytes, total }
}

/// Chooses between the text and the structured result of a tool: returns the reply, and the
/// remaining output. A text that isn't an object is for people if there is a structured object; of
/// two objects, the stricter one counts.
fn reply_of(event: EventName, text: &str, structured: Option<&Value>) -> (String, String) {
    let Some(structured) = structured.filter(|it| it.is_object()) else {
        let structured = structured.filter(|_| text.trim().is_empty());
        let reply = structured.map_or_else(|| text.to_owned(), ToString::to_string);
        return (reply, String::new());
    };
    let written = structured.to_string();
    let is_object = |text: &str| serde_json::from_str(text).is_ok_and(|it: Value| it.is_object());
    let force = |text: &str| {
        let refusal = Readable::of(event, text).refusal;
        refusal.map(|it| (it.stops(), it.decision()))
    };
    let refuses_more = force(&written) > force(text);
    let text_counts = is_object(text) || force(text).is_some();
    if text_counts && !refuses_more {
        return (text.to_owned(), String::new());
    }
    (written, text.to_owned())
}

/// Returns the text of a result, and how many of its parts aren't text.
fn text_of(result: &CallToolResult) -> (String, usize) {
    let mut texts: Vec<&str> = Vec::new();
    for block in &result.content {
        match block {
            ContentBlock::Text(text) => texts.push(&text.text),
            ContentBlock::Resource(embedded) => {
                if let ResourceContents::TextResourceContents { text, .. } = &embedded.resource {
                    texts.push(text);
                }
            }
            _ => {}
        }
    }
    let left_out = result.content.len() - texts.len();
    (texts.join("\n"), left_out)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn completed(result: Value) -> Completion {
        let result = serde_json::from_value(result).expect("a result");
        completion(Ok(result), EventName::BeforeTool, 20)
    }

    fn said(completion: &Completion) -> String {
        String::from_utf8_lossy(&completion.stdout.bytes).into_owned()
    }

    /// HT-50: the tool's text is the reply; without text the structured result is; what isn't text
    /// is reported.
    #[test]
    fn the_text_is_the_reply() {
        let whole = completed(json!({"content": [{"type": "text", "text": "{\"a\":1}"}]}));
        assert_eq!(
            (said(&whole).as_str(), &whole.ending),
            ("{\"a\":1}", &Ending::Exited(0))
        );
        let structured = completed(json!({"content": [], "structuredContent": {"a": 1}}));
        assert_eq!(said(&structured), "{\"a\":1}");
        let silent = completed(json!({"content": []}));
        assert_eq!((said(&silent).as_str(), silent.remarks.len()), ("", 0));
        let image = completed(json!({"content": [
            {"type": "text", "text": "a"}, {"type": "text", "text": "b"},
            {"type": "image", "data": "AAAA", "mimeType": "image/png"}]}));
        assert_eq!((said(&image).as_str(), image.remarks.len()), ("a\nb", 1));
    }

    /// HT-50, IO-20: an answer of which nothing is text may be a refusal that nobody read, and is a
    /// failure.
    #[test]
    fn an_answer_without_text_is_a_failure() {
        let image = json!({"type": "image", "data": "AAAA", "mimeType": "image/png"});
        let unread = completed(json!({"content": [image]}));
        assert!(matches!(&unread.ending, Ending::Failed(why) if why.contains("no text")));
        let empty = json!({"type": "text", "text": " "});
        let unread = completed(json!({"content": [empty, image]}));
        assert!(matches!(unread.ending, Ending::Failed(_)));
        let structured = completed(json!({"content": [image], "structuredContent": {"a": 1}}));
        assert_eq!(structured.ending, Ending::Exited(0));
    }

    /// HT-50, IO-20: an error of the server is a failure; a refusal in its text counts.
    #[test]
    fn an_error_of_the_server_may_refuse() {
        let why = r#"the server refused the call: {"decision":"deny"}"#.to_owned();
        let failed = NoToolReply::Failed(why.clone());
        let failed = completion(Err(failed), EventName::BeforeTool, 100);
        assert_eq!(
            (said(&failed), &failed.ending),
            (why.clone(), &Ending::Failed(why))
        );
        let lost = NoToolReply::Failed("it was lost".to_owned());
        let lost = completion(Err(lost), EventName::BeforeTool, 100);
        assert_eq!(said(&lost), "");
    }

    /// HT-50: if there are a text and a structured result, no refusal is dropped, whichever of the
    /// two contains it.
    #[test]
    fn a_refusal_beside_text_counts() {
        let deny = json!({"decision": "deny"});
        for (text, structured, reply) in [
            ("I looked at it.", deny.clone(), deny.to_string()),
            (r#"{"a":1}"#, deny.clone(), deny.to_string()),
            (r#"{"decision":"ask"}"#, deny.clone(), deny.to_string()),
            (r#"{"decision":"deny"}"#, json!({"a": 1}), deny.to_string()),
            (r#"{"a":1}"#, json!({"b": 2}), r#"{"a":1}"#.to_owned()),
            ("Fine.", json!({"b": 2}), r#"{"b":2}"#.to_owned()),
            ("Fine.", json!([1]), "Fine.".to_owned()),
        ] {
            let result = completed(json!({"content": [{"type": "text", "text": text}],
                "structuredContent": structured}));
            assert_eq!(said(&result), reply, "{text}");
            let beside = String::from_utf8_lossy(&result.stderr.bytes).into_owned();
            assert_eq!(beside.is_empty(), reply == text, "{text}");
        }
    }

    /// HT-50, IO-20: an error of the tool is a failure, which keeps its output; output over the cap
    /// is cut, and says so.
    #[test]
    fn an_error_is_a_failure() {
        let failed = completed(
            json!({"content": [{"type": "text", "text": "{\"decision\":\"deny\"}"}], "isError": true}),
        );
        assert!(matches!(failed.ending, Ending::Failed(_)));
        assert_eq!(said(&failed), "{\"decision\":\"deny\"}");
        let long = completed(json!({"content": [{"type": "text", "text": "x".repeat(100)}]}));
        assert!(long.stdout.is_cut() && long.stdout.bytes.len() == 20);
        let flooded = Err(NoToolReply::Flooded(1 << 24));
        let flood = completion(flooded, EventName::BeforeTool, 20);
        assert!(flood.stdout.is_cut() && flood.ending == Ending::Exited(0));
    }
}
