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
