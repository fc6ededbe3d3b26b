//! Runs our hooks in other agents (`bridge.md`): translates an agent's payload to our events, and
//! the result to an answer that the agent obeys.
//!
//! Everything here is pure. The behaviour of each agent was measured, not taken from its
//! documentation; `agents/` has a table for each, all with the same structure. Tools and arguments
//! are those of `hookloop-dialects`, translated in the opposite direction.
//!
//! - [`translate_payload`] translates a payload to our events (BR-10, BR-11).
//! - [`Conclusion`] is what hooks decided, and [`fit`] reduces it to what an agent can do (BR-21).
//! - [`Agent::install`] edits the settings that make an agent call the bridge (BR-1).
//! - [`answer`] writes the answer in the agent's own format, byte for byte (BR-20).
//!
//! ```
//! use std::path::Path;
//!
//! use hookloop_bridge::{
//!     Agent, AgentPayload, AnswerRequest, CallContext, Conclusion, Memory, PayloadAction, RewritePolicy,
//!     Ruling, answer, fit, translate_payload,
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let event = "PreToolUse";
//! let call = AgentPayload {
//!     agent: Agent::ClaudeCode,
//!     event,
//!     payload: serde_json::from_str(
//!         r#"{"session_id": "1", "cwd": "/srv/shop", "tool_name": "Bash",
//!             "tool_input": {"command": "rm -rf /"}, "tool_use_id": "t"}"#,
//!     )?,
//! };
//! let context = CallContext {
//!     cwd: Path::new("/srv/shop"),
//!     memory: &Memory::default(),
//!     raw: false,
//! };
//! let translated = translate_payload(call, context)?;
//! let PayloadAction::Fires(firings) = &translated.action else {
//!     return Err("a tool is about to run".into());
//! };
//! assert_eq!(firings[0].fields["tool_name"], "run_shell_command");
//!
//! // What the hooks of BeforeTool say about it:
//! let conclusion = Conclusion {
//!     ruling: Ruling::Refuse("not on this machine".to_owned()),
//!     ..Conclusion::default()
//! };
//! let fitted = fit(Agent::ClaudeCode, translated.moment, conclusion, RewritePolicy::Refuse);
//! let answer = answer(&AnswerRequest {
//!     agent: Agent::ClaudeCode,
//!     event,
//!     moment: translated.moment,
//!     conclusion: &fitted.conclusion,
//!     payload: Some(translated.payload()),
//! });
//! assert!(answer.stdout.contains(r#""permissionDecision":"deny""#));
//! # Ok(())
//! # }
//! ```

mod agent;
mod agents;
mod answer;
mod calls;
mod conclusion;
mod fitting;
mod installing;
mod moment;
mod patches;
mod payload;
mod placing;
mod planned;
mod profile;
mod profiles;
mod results;
mod unlisted;

pub use agent::Agent;
pub use answer::{Answer, AnswerRequest};
pub use conclusion::{Conclusion, Rewrite, Ruling};
pub use fitting::{Fitted, RewritePolicy, fit};
pub use installing::{
    FilePattern, InstallScope, InstalledFile, NotInstalled, codex_switch, command_for,
};
pub use moment::Moment;
pub use payload::{
    AgentPayload, CallContext, Firing, Memory, PayloadAction, PayloadError, TranslatedPayload,
    translate_payload,
};
pub use planned::PlannedCall;
pub use profiles::answer;
pub use unlisted::kin_of_tool;
