//! What is known of each agent: what its hooks can express, as it was observed.

use hookloop_rehearsal::agents::Agent;

use crate::outcome::{Claim, Seen};

/// What an agent can't do, with the reason for people; everything else holds.
const KNOWN: &[(&str, Claim, Option<Seen>, &str)] = &[
    ("goose", Claim::Rewrite, Some(Seen::Refused), CANT_REWRITE),
    ("qwen", Claim::Rewrite, Some(Seen::Refused), CANT_REWRITE),
    ("kimi", Claim::Rewrite, Some(Seen::Refused), CANT_REWRITE),
    (
        "qwen",
        Claim::MissingProgram,
        Some(Seen::Untold),
        ENDS_WITH_US,
    ),
    ("qwen", Claim::KilledHook, Some(Seen::Untold), ENDS_WITH_US),
    (
        "goose",
        Claim::ToolContext,
        None,
        "its hooks after tools can only observe",
    ),
    (
        "kimi",
        Claim::ToolContext,
        None,
        "its hooks after tools can only observe",
    ),
    (
        "goose",
        Claim::PromptContext,
        None,
        "its hooks on prompts can only observe",
    ),
    (
        "goose",
        Claim::Prompt,
        None,
        "its hooks on prompts can only observe",
    ),
    (
        "droid",
        Claim::PromptContext,
        None,
        "without a terminal, it doesn't ask hooks about the prompt",
    ),
    (
        "droid",
        Claim::Prompt,
        None,
        "without a terminal, it doesn't ask hooks about the prompt",
    ),
    (
        "cline",
        Claim::Refusal,
        Some(Seen::Untold),
        "a refusal ends its run",
    ),
    (
        "cline",
        Claim::PromptContext,
        None,
        "it doesn't ask hooks about the prompt",
    ),
    (
        "cline",
        Claim::Prompt,
        None,
        "it doesn't ask hooks about the prompt",
    ),
    (
        "cline",
        Claim::Retry,
        None,
        "its hooks at the end of a turn can only observe",
    ),
    (
        "cline",
        Claim::RetryEnds,
        None,
        "its hooks at the end of a turn can only observe",
    ),
    (
        "opencode",
        Claim::Retry,
        None,
        "it has no hook that could continue a turn at its end",
    ),
    (
        "opencode",
        Claim::RetryEnds,
        None,
        "it has no hook that could continue a turn at its end",
    ),
];

const ENDS_WITH_US: &str =
    "it asks about the prompt again after a tool, and the refusal ends its run";

const CANT_REWRITE: &str = "its hooks can't rewrite; the model learns which command to use";

/// What is known of a claim for an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expectation {
    /// It is proven, and this is what has to be seen.
    Proven(Seen, &'static str),
    /// The agent has no such thing.
    Impossible(&'static str),
}

/// Returns what is known of a claim for an agent.
pub(crate) fn expected(agent: &Agent, claim: Claim) -> Expectation {
    if claim == Claim::Patch && agent.name != "codex" {
        return Expectation::Impossible("it has no command that applies patches");
    }
    let known = KNOWN
        .iter()
        .find(|(name, of, ..)| *name == agent.name && *of == claim);
    match known {
        None => Expectation::Proven(Seen::Holds, ""),
        Some((_, _, Some(seen), why)) => Expectation::Proven(*seen, why),
        Some((_, _, None, why)) => Expectation::Impossible(why),
    }
}
