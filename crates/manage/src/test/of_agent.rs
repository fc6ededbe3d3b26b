//! Tests of what another agent would read (BR-30): the payload is that agent's, and the answer is
//! compared byte by byte.

use std::path::Path;
use std::time::Duration;

use hookloop_bridge::Agent;
use hookloop_bridging::kept_for_next_call;
use hookloop_process::{Question, Reply, ask};
use serde_json::{Map, Value};

use super::matching::{Difference, compare};
use crate::Task;

/// The key of `expect.json` that names an agent.
pub(super) const AGENT: &str = "agent";

/// The parts of an answer that can be expected.
const ANSWER: [&str; 3] = ["exit", "stdout", "stderr"];

/// How long an agent waits for an answer.
const TIMEOUT: Duration = Duration::from_mins(10);

/// The answer that an agent must read.
#[derive(Debug)]
pub(super) struct OfAgent {
    agent: Agent,
    event: String,
    expected: Map<String, Value>,
}

impl OfAgent {
    /// Parses an `expect.json` that names an agent; `None` if it doesn't. The error is a sentence.
    pub(super) fn read(text: &str) -> Result<Option<Self>, String> {
        let all: Map<String, Value> =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        let Some(given) = all.get(AGENT) else {
            return Ok(None);
        };
        if all.len() > 1 {
            let what = "along with an agent's name, a test can expect only what the agent reads";
            return Err(format!(
                "{what}: move {} into \"{AGENT}\"",
                ANSWER.join(", ")
            ));
        }
        let Value::Object(given) = given else {
            return Err(format!("\"{AGENT}\" must be an object"));
        };
        let text = |name: &str| {
            let value = given.get(name).and_then(Value::as_str);
            value.ok_or_else(|| format!("\"{AGENT}.{name}\" must be a string"))
        };
        let word = text("name")?;
        let event = text("event")?;
        let agent = Agent::from_word(word).ok_or_else(|| {
            let known = Agent::ALL.map(Agent::word).join(", ");
            format!("\"{word}\" isn't a known agent; the known ones are {known}")
        })?;
        if agent.moment(event).is_none() {
            let known: Vec<&str> = agent.events().iter().map(|(name, _)| *name).collect();
            let name = agent.name();
            return Err(format!(
                "{name} has no event \"{event}\"; there is {}",
                known.join(", ")
            ));
        }
        let mut expected = given.clone();
        expected.retain(|name, _| name != "name" && name != "event");
        if let Some(unknown) = expected.keys().find(|it| !ANSWER.contains(&it.as_str())) {
            let known = ANSWER.join(", ");
            return Err(format!(
                "it has no field \"{AGENT}.{unknown}\"; use {known}"
            ));
        }
        if expected.is_empty() {
            return Err(format!(
                "it expects nothing of the agent: {}",
                ANSWER.join(", ")
            ));
        }
        Ok(Some(Self {
            agent,
            event: event.to_owned(),
            expected,
        }))
    }

    /// Calls the bridge as the agent does, with a temporary state folder, so that nothing is
    /// recorded, and returns the differences. What would be sent with the session's next call is
    /// added to `late`.
    pub(super) fn differences(
        &self,
        task: Task<'_>,
        payload: &str,
        late: &mut Vec<String>,
    ) -> Result<Vec<Difference>, String> {
        let environment = task.environment;
        let Some(program) = &environment.program else {
            return Err("the path of this program is unknown".to_owned());
        };
        let unusable = |error| format!("the bridge can't be called: {error}");
        let state = tempfile::tempdir().map_err(unusable)?;
        let reply = self
            .reply(task, program, state.path(), payload)
            .map_err(unusable)?;
        late.extend(kept_for_next_call(state.path(), self.agent));
        let mut differences = Vec::new();
        for (name, expected) in &self.expected {
            let actual = match name.as_str() {
                "exit" => Value::from(reply.status.and_then(|it| it.code())),
                "stdout" => Value::from(reply.stdout.as_str()),
                _ => Value::from(reply.stderr.as_str()),
            };
            compare(
                &format!("{AGENT}.{name}"),
                expected,
                &actual,
                &mut differences,
            );
        }
        Ok(differences)
    }

    fn reply(
        &self,
        task: Task<'_>,
        program: &Path,
        state: &Path,
        payload: &str,
    ) -> std::io::Result<Reply> {
        let environment = task.environment;
        let mut variables = environment.variables.clone();
        if task.run.skip_trust {
            variables.push(("GEMINI_CLI_TRUST_WORKSPACE".into(), "true".into()));
        }
        let folder = state.to_string_lossy();
        let mut arguments = vec!["hooks", "bridge", self.agent.word(), &self.event];
        arguments.extend(["--state", &folder]);
        let question = Question {
            program,
            arguments: &arguments,
            variables: &variables,
            folder: &environment.current_dir,
            input: payload,
            longest: TIMEOUT,
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(ask(&question))
    }
}
