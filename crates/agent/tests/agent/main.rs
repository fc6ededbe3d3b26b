//! What the agent promises, from the point of view of a program that creates a session: in-process
//! hooks, a scripted model, tools that do nothing, virtual time.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    clippy::doc_markdown,
    reason = "a test that can't go on fails; what a test writes down reads best as it is"
)]

mod stage;

mod answers;
mod approval;
mod batches;
mod cancelled;
mod compressing;
mod compression;
mod delegates;
mod delegation;
mod desk;
mod grants;
mod histories;
mod instructions;
mod loop_order;
mod order;
mod origins;
mod permission;
mod referred;
mod results;
mod rewrites;
mod stopping;
mod streaming;
mod succession;
mod telling;
mod transcripts;
mod tries;
mod typed;
mod withheld;
