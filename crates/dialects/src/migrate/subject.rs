//! What the matcher of an event is compared with, and what becomes of it here (CM-7, FD-12).

use super::Manner;
use super::agent::Agent;
use super::conversion::Conversion;
use super::matcher::{
    Rules, WordMode, named_by_rule, servers_tools, translate_tools, translate_words,
};
use super::tree::Node;
use super::verdict::Verdict;
use crate::vocabulary::{COPILOT_ASKING_TOOLS, EventRule, Subject};

/// The message about a matcher that is compared with something other than one of our subjects.
const BECAME_IF: &str = "it became \"if\", which Gemini CLI ignores";

/// Whether a hook has an `if` of its own, beside which there is no place for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnCondition {
    Stated,
    Absent,
}

/// Returns whether an `if` of an agent's hooks is a rule of permissions, as Claude Code writes
/// them.
const fn has_rules(agent: Agent) -> bool {
    matches!(agent, Agent::ClaudeCode | Agent::Codex | Agent::Qwen)
}

/// Returns the `if` for what a matcher says beyond a subject of ours: which sub-agent, or which
/// calls of a tool.
pub(super) fn condition_of(conversion: Conversion<'_>, rule: &EventRule) -> Option<String> {
    let matcher = conversion.source.matcher.and_then(Node::text)?;
    match rule.subject {
        Subject::Tool if has_rules(conversion.agent) => {
            named_by_rule(matcher, conversion.agent.tools()).map(|_| matcher.trim().to_owned())
        }
        Subject::Fixed(..) | Subject::Untold(_) if !matches!(matcher.trim(), "" | "*") => {
            Some(if conversion.agent == Agent::Cursor {
                matcher.to_owned()
            } else {
                format!("Agent({matcher})")
            })
        }
        _ => None,
    }
}

/// Returns what becomes of a rule in the place of a hook's matcher.
fn rules_of(conversion: Conversion<'_>, own_condition: OwnCondition) -> Rules {
    let counts = has_rules(conversion.agent) && own_condition == OwnCondition::Absent;
    match conversion.manner {
        Manner::InDialect if counts => Rules::ConditionsHere,
        Manner::InPlace | Manner::InPlugin if counts => Rules::Conditions,
        _ => Rules::Dropped,
    }
}

/// Translates the matcher of an event. `None` means every subject.
pub(super) fn translate(
    verdict: &mut Verdict,
    conversion: Conversion<'_>,
    rule: &EventRule,
    matcher: &str,
    own_condition: OwnCondition,
) -> Option<String> {
    let agent = conversion.agent;
    let selective = !matches!(matcher.trim(), "" | "*");
    let is_pattern = named_by_rule(matcher, agent.tools()).is_none();
    let dashed = (agent == Agent::Copilot && is_pattern && matches!(rule.subject, Subject::Tool))
        .then(|| servers_tools(matcher))
        .flatten();
    let matcher = dashed.as_deref().unwrap_or(matcher);
    let is_whole = selective && is_pattern && agent.word_mode() == WordMode::Anchored;
    let anchored = is_whole.then(|| format!("^(?:{})$", matcher.trim()));
    let matcher = anchored.as_deref().unwrap_or(matcher);
    match rule.subject {
        Subject::Tool => {
            let renamed = matcher.replace("MCP:", "mcp__.*__").replace("MCP", "mcp__");
            let matcher = if agent == Agent::Cursor && renamed != matcher {
                verdict.approximate("there, tools of MCP servers are named without their server");
                &renamed
            } else {
                matcher
            };
            let asks = rule.name.eq_ignore_ascii_case("permissionRequest");
            let tools = match agent {
                // At this event, every tool that writes files has the same name.
                Agent::Copilot if asks => COPILOT_ASKING_TOOLS,
                _ => agent.tools(),
            };
            let (mode, rules) = (agent.word_mode(), rules_of(conversion, own_condition));
            let translated = translate_tools(verdict, matcher, tools, mode, rules);
            if agent == Agent::Copilot && !conversion.keeps_words() && verdict.is_of_servers() {
                verdict.refuse("here, tools of MCP servers are named mcp__server__tool");
            }
            if agent == Agent::Codex
                && !conversion.keeps_words()
                && translated
                    .as_ref()
                    .is_some_and(|it| it.contains("write_file"))
            {
                verdict.approximate(
                    "there, an edit is a patch in \"tool_input.command\"; here, the tools have \
                     \"file_path\" and the texts",
                );
            }
            translated
        }
        Subject::Words(words) => translate_words(verdict, matcher, words, agent.word_mode()),
        Subject::Nothing => None,
        Subject::Untold(what) => {
            if selective && !conversion.manner.stays() {
                verdict.approximate(if conversion.keeps_words() {
                    format!("the matcher is about {what}: {BECAME_IF}")
                } else {
                    format!("{what} isn't distinguished here, so the matcher was dropped")
                });
            }
            None
        }
        Subject::Fixed(fixed, what) => {
            if selective && !conversion.manner.stays() {
                verdict.approximate(if conversion.keeps_words() {
                    format!("the matcher is about {what}: {BECAME_IF}")
                } else {
                    format!(
                        "the matcher was dropped, because it is about {what}; let the script \
                         check \"tool_input\""
                    )
                });
            }
            Some(fixed.to_owned())
        }
    }
}
