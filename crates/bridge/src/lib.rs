//! Our hooks in other agents (`bridge.md`): what an agent's payload becomes here, and what answer
//! that agent obeys.
//!
//! Everything here is pure: values in, values out. What each agent really does was measured, not
//! read; a table for each is in `agents/`, all of the same shape. Tools and arguments are those of
//! `hookloop-dialects`, read the other way round.
//!
//! - [`hear`] makes our events of a payload (BR-10, BR-11).
//! - [`Conclusion`] is what hooks came to, and [`fit`] makes of it what an agent can do (BR-21).
//! - [`Agent::install`] writes what makes an agent call the bridge (BR-1).
//! - [`answer`] says it in the agent's own words, to the byte (BR-20).
//!
//! ```
//! use std::path::Path;
//!
//! use hookloop_bridge::{
//!     Agent, Around, Asked, Conclusion, Happening, Memory, RewritePolicy, Ruling, Told, answer, fit, hear,
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let event = "PreToolUse";
//! let told = Told {
//!     agent: Agent::ClaudeCode,
//!     event,
//!     payload: serde_json::from_str(
//!         r#"{"session_id": "1", "cwd": "/srv/shop", "tool_name": "Bash",
//!             "tool_input": {"command": "rm -rf /"}, "tool_use_id": "t"}"#,
//!     )?,
//! };
//! let around = Around {
//!     cwd: Path::new("/srv/shop"),
//!     memory: &Memory::default(),
//!     raw: false,
//! };
//! let heard = hear(told, around)?;
//! let Happening::Fires(firings) = &heard.happening else {
//!     return Err("a tool is about to run".into());
//! };
//! assert_eq!(firings[0].fields["tool_name"], "run_shell_command");
//!
//! // What the hooks of BeforeTool say about it:
//! let conclusion = Conclusion {
//!     ruling: Ruling::Refuse("not on this machine".to_owned()),
//!     ..Conclusion::default()
//! };
//! let fitted = fit(Agent::ClaudeCode, heard.moment, conclusion, RewritePolicy::Refuse);
//! let answer = answer(&Asked {
//!     agent: Agent::ClaudeCode,
//!     event,
//!     moment: heard.moment,
//!     conclusion: &fitted.conclusion,
//!     payload: Some(heard.payload()),
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
mod hearing;
mod installing;
mod moment;
mod patches;
mod placing;
mod planned;
mod profile;
mod profiles;
mod results;
mod unlisted;

pub use agent::Agent;
pub use answer::{Answer, Asked};
pub use conclusion::{Conclusion, Rewrite, Ruling};
pub use fitting::{Fitted, RewritePolicy, fit};
pub use hearing::{Around, Firing, Happening, Heard, Memory, Told, Unheard, hear};
pub use installing::{InstallScope, InstalledFile, NotInstalled, codex_switch, command_for};
pub use moment::Moment;
pub use planned::PlannedCall;
pub use profiles::answer;
pub use unlisted::kin_of_tool;
