//! Conditions in CEL over what a call does, rules, and the guards that come with the program
//! (HT-1, HT-25, HT-26, HT-40).
//!
//! The grammar of conditions is `cel`'s. They are evaluated here, since what can't be known has to
//! be neither true nor false: reading it is an error, and `&&`, `||`, `exists` and `all` absorb
//! errors as CEL says, so that a condition is unknown only where its answer depends on what is
//! unknown.

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
mod of_commands;
mod repositories;
mod rules;
mod scope;
mod secrets;

pub use condition::Condition;
pub use corpus::{CORPORA, Corpus, Measured, judge_command, measure};
pub use doubts::{Doubt, Meant, Surroundings, Why};
pub use effects::{Effect, Places, effects_of};
pub use fact::{ConditionError, Fact, Unknown};
pub use facts::{Asks, Call, facts_of};
pub use guards::{AlsoAt, Guard, GuardError, GuardOption, guard, guards};
pub use repositories::Repositories;
pub use rules::{FailedRule, Judgement, RuleError, RuleSet, Verdict};
pub use secrets::{names_secret, redacted};
