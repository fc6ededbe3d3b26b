//! Conditions in CEL about what a call does, rules, and the guards that come with the program
//! (HT-1, HT-25, HT-26, HT-40).
//!
//! Conditions are parsed by the crate `cel`, but evaluated here, because a value that can't be
//! known must be neither true nor false. Reading such a value is an error, and `&&`, `||`, `exists`
//! and `all` absorb errors as CEL specifies. So the result of a condition is unknown only if it
//! depends on an unknown value.
//!
//! ```
//! use hookloop_rules::{Places, RuleSet, guard, judge_command};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let guard = guard("dangerous-commands")?.ok_or("it comes with the program")?;
//! let rules = RuleSet::read(&guard.rules_with(&serde_json::Map::new())?)?;
//! let places = Places {
//!     workspace: "/srv/shop".to_owned(),
//!     ..Places::default()
//! };
//! // Quotes and variables don't hide a command from a rule.
//! let judgement = judge_command(&rules, r#"X=r"m"; "$X" -rf ~"#, &places);
//! assert!(judgement.strictest().is_some());
//! let judgement = judge_command(&rules, "grep -rn 'rm -rf' docs", &places);
//! assert!(judgement.strictest().is_none());
//! # Ok(())
//! # }
//! ```

mod command_conditions;
mod condition;
mod corpus;
mod doubts;
mod effects;
mod evaluate;
mod explain;
mod expression;
mod fact;
mod facts;
mod guards;
mod needs;
mod repositories;
mod rules;
mod scope;
mod searched;
mod secrets;
mod wording;

pub use condition::Condition;
pub use corpus::{CORPORA, Corpus, Measured, judge_command, measure};
pub use doubts::{Doubt, Meant, NamedTool, Surroundings, Why};
pub use effects::{EFFECTS, Effect, Places, effects_of};
pub use fact::{ConditionError, Fact, Unknown, UnknownName, UseOfName};
pub use facts::{Asks, Call, Facts, facts_of};
pub use guards::{AlsoAt, Guard, GuardError, GuardOption, guard, guards};
pub use repositories::{FolderContent, Repositories};
pub use rules::{FailedRule, Judgement, RuleError, RuleSet, Verdict};
pub use secrets::{names_secret, redacted};
