//! Rules: conditions with verdicts, and how they combine (HT-25, HT-26).

use std::collections::BTreeMap;

use hookloop_hook::{Rule, RuleVerdict};
use serde_json::{Map, Value, json};

use crate::condition::{Condition, fill_in, fill_in_known};
use crate::fact::{ConditionError, Fact, Unknown};
use crate::facts::Asks;

/// Parsed rules, ready to judge calls.
#[derive(Debug, Clone)]
pub struct RuleSet {
    rules: Vec<(Rule, Condition)>,
    asks: Asks,
}

/// Which rule can't be parsed, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{rule}: {error}")]
pub struct RuleError {
    /// The rule, by its name or position.
    pub rule: String,
    /// What is wrong with its condition.
    pub error: ConditionError,
}

/// The judgement of a set of rules about a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judgement {
    /// The rules that were true, or that apply although they couldn't be evaluated, in order.
    pub verdicts: Vec<Verdict>,
    /// The rules that have no effect because they couldn't be evaluated, in order.
    pub failed: Vec<FailedRule>,
}

/// A rule that couldn't be evaluated and has no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedRule {
    /// The verdict that it would have had.
    pub then: RuleVerdict,
    /// Which rule it is, and which value isn't known.
    pub text: String,
}

/// The verdict of one rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The rule's name, or its condition.
    pub rule: String,
    /// What happens.
    pub then: RuleVerdict,
    /// The text for the model or the user.
    pub text: String,
    /// The arguments that a rewrite changes.
    pub set: Option<Map<String, Value>>,
    /// Why the condition couldn't be evaluated, if the rule applies anyway.
    pub unknown: Option<String>,
    /// Which parts of the condition were true, with their values (HT-26).
    pub because: Vec<String>,
}

impl RuleSet {
    /// Parses the conditions of rules.
    pub fn read(rules: &[Rule]) -> Result<Self, RuleError> {
        let read = |(number, rule): (usize, &Rule)| {
            let condition = Condition::read(&rule.when).map_err(|error| RuleError {
                rule: rule
                    .name
                    .clone()
                    .unwrap_or_else(|| format!("rule {}", number + 1)),
                error,
            })?;
            Ok((rule.clone(), condition))
        };
        let written: Vec<String> = rules
            .iter()
            .filter_map(|it| serde_json::to_string(it).ok())
            .collect();
        let rules: Result<Vec<_>, RuleError> = rules.iter().enumerate().map(read).collect();
        Ok(Self {
            rules: rules?,
            asks: Asks::of(written.iter().map(String::as_str)),
        })
    }

    /// Returns which facts the rules read, in conditions and in texts with values.
    pub const fn asks(&self) -> Asks {
        self.asks
    }

    /// Evaluates every rule for a call. If a rule can't be evaluated, it applies if it refuses,
    /// asks or stops; otherwise it has [failed](Judgement::failed) (HT-25).
    pub fn judge(&self, facts: &BTreeMap<String, Fact>) -> Judgement {
        let mut judgement = Judgement::default();
        for (rule, condition) in &self.rules {
            let name = rule.name.clone().unwrap_or_else(|| rule.when.clone());
            let mut fails = |why: &Unknown| {
                judgement.failed.push(FailedRule {
                    then: rule.then,
                    text: format!("the rule \"{name}\" can't be evaluated: {why}"),
                });
            };
            let unknown = match condition.holds(facts) {
                Ok(true) => None,
                Ok(false) => continue,
                Err(error) if rule.then.stops_action() => Some(error.to_string()),
                Err(error) => {
                    fails(&error);
                    continue;
                }
            };
            let set = match rule.set.as_ref().map(|set| fill_in_all(set, facts)) {
                None => None,
                Some(Ok(set)) => Some(set),
                Some(Err(error)) => {
                    fails(&error);
                    continue;
                }
            };
            let text = match rule.then {
                RuleVerdict::Context => rule.context.as_deref(),
                RuleVerdict::Message => rule.message.as_deref(),
                _ => rule.reason.as_deref(),
            };
            let mut text = text.map_or_else(
                || format!("the rule \"{name}\" says so"),
                |it| fill_in(it, facts),
            );
            if let Some(why) = &unknown {
                text = format!("the rule \"{name}\" can't be evaluated: {why}");
            }
            judgement.verdicts.push(Verdict {
                rule: name,
                then: rule.then,
                text,
                set,
                unknown,
                because: condition.explain(facts),
            });
        }
        judgement
    }

    /// Explains for each rule whether it is true, and which parts of it are true or false with
    /// their values, one line per rule (HT-26).
    pub fn explain(&self, facts: &BTreeMap<String, Fact>) -> Vec<String> {
        let lines = self.rules.iter().map(|(rule, condition)| {
            let name = rule.name.as_deref().unwrap_or(&rule.when);
            let parts = condition.explain(facts).join("; ");
            let word = match condition.holds(facts) {
                Ok(true) => "true",
                Ok(false) => "false",
                Err(_) => "can't be evaluated",
            };
            format!("rule \"{name}\": {word}, since {parts}")
        });
        lines.collect()
    }
}

/// Fills in the values that a call's arguments are set to: a call must not run with a value that
/// can't be known.
fn fill_in_all(
    set: &Map<String, Value>,
    facts: &BTreeMap<String, Fact>,
) -> Result<Map<String, Value>, Unknown> {
    let filled = set.iter().map(|(key, value)| {
        let value = match value {
            Value::String(text) => Value::from(fill_in_known(text, facts)?),
            other => other.clone(),
        };
        Ok((key.clone(), value))
    });
    filled.collect()
}

impl Judgement {
    /// Returns the strictest verdict that refuses, stops or asks, if there is one.
    pub fn strictest(&self) -> Option<&Verdict> {
        let rank = |verdict: &&Verdict| match verdict.then {
            RuleVerdict::Stop => 3,
            RuleVerdict::Deny => 2,
            RuleVerdict::Ask => 1,
            _ => 0,
        };
        // Of equals the first.
        let strictest = self.verdicts.iter().rev().max_by_key(rank)?;
        strictest.then.stops_action().then_some(strictest)
    }

    /// Explains which rules were true, and which parts of each with their values, one line per rule
    /// (HT-26).
    pub fn explain(&self) -> String {
        let mut lines = String::new();
        for verdict in &self.verdicts {
            lines.push_str(&verdict.rule);
            lines.push_str(if verdict.unknown.is_some() {
                ": can't be evaluated; "
            } else {
                ": true, since "
            });
            lines.push_str(&verdict.because.join("; "));
            lines.push('\n');
        }
        lines
    }

    /// Returns the judgement as the reply of a hook, or `None` if there is no opinion.
    pub fn reply(&self) -> Option<Value> {
        let mut reply = Map::new();
        let texts = |wanted: RuleVerdict| -> Vec<&str> {
            let of_kind = self.verdicts.iter().filter(|it| it.then == wanted);
            of_kind.map(|it| it.text.as_str()).collect()
        };
        match self.strictest() {
            Some(verdict) if verdict.then == RuleVerdict::Stop => {
                reply.insert("continue".to_owned(), json!(false));
                reply.insert("stopReason".to_owned(), json!(verdict.text));
            }
            Some(verdict) => {
                let decision = if verdict.then == RuleVerdict::Deny {
                    "deny"
                } else {
                    "ask"
                };
                reply.insert("decision".to_owned(), json!(decision));
                reply.insert("reason".to_owned(), json!(verdict.text));
            }
            None => {
                if let Some(text) = texts(RuleVerdict::Allow).first() {
                    reply.insert("decision".to_owned(), json!("allow"));
                    reply.insert("reason".to_owned(), json!(text));
                }
            }
        }
        let context = texts(RuleVerdict::Context);
        let mut specific = Map::new();
        if !context.is_empty() {
            specific.insert("additionalContext".to_owned(), json!(context.join("\n\n")));
        }
        let mut arguments = Map::new();
        for verdict in &self.verdicts {
            arguments.extend(verdict.set.clone().unwrap_or_default());
        }
        if !arguments.is_empty() {
            specific.insert("tool_input".to_owned(), Value::Object(arguments));
        }
        if !specific.is_empty() {
            reply.insert("hookSpecificOutput".to_owned(), Value::Object(specific));
        }
        let messages = texts(RuleVerdict::Message);
        if !messages.is_empty() {
            reply.insert("systemMessage".to_owned(), json!(messages.join("\n")));
        }
        (!reply.is_empty()).then_some(Value::Object(reply))
    }
}

#[cfg(test)]
mod tests {
    use hookloop_hook::{Rule, RuleVerdict};
    use serde_json::json;

    use super::RuleSet;
    use crate::corpus::judge_command;
    use crate::effects::Places;

    fn decision(when: &str, then: RuleVerdict, command: &str) -> Option<serde_json::Value> {
        let rule = Rule {
            name: Some("r".to_owned()),
            when: when.to_owned(),
            then,
            reason: Some("no ${tool.input.command}".to_owned()),
            set: None,
            context: None,
            message: None,
        };
        let places = Places {
            workspace: "/p".to_owned(),
            ..Places::default()
        };
        let rules = RuleSet::read(&[rule]).unwrap();
        judge_command(&rules, command, &places).reply()
    }

    /// HT-26: the explanation of a verdict names the part of the condition that was true and what
    /// it found.
    #[test]
    fn a_verdict_names_what_was_true() {
        let rule = Rule {
            name: Some("r".to_owned()),
            when: "tool.name == \"x\" || shell.commands.exists(c, c.program == \"rm\")".to_owned(),
            then: RuleVerdict::Deny,
            reason: None,
            set: None,
            context: None,
            message: None,
        };
        let rules = RuleSet::read(&[rule]).unwrap();
        let judged = judge_command(&rules, "ls; rm f", &Places::default());
        let said = judged.explain();
        assert!(
            said.starts_with("r: true, since shell.commands has \"rm f\""),
            "{said}"
        );
        assert!(
            said.contains("rm f") && !said.contains("tool.name"),
            "{said}"
        );
        assert_eq!(
            judge_command(&rules, "ls", &Places::default()).explain(),
            ""
        );
    }

    /// HT-25: a rule refuses if its condition is true or can't be known; a rule that allows
    /// doesn't.
    #[test]
    fn what_cannot_be_known_refuses_and_never_allows() {
        let pushes = r#"shell.commands.exists(c, c.program == "git" && c.subcommand == "push")"#;
        let refused = |command| decision(pushes, RuleVerdict::Deny, command);
        assert_eq!(
            refused("git -C . push"),
            Some(json!({"decision": "deny", "reason": "no git -C . push"}))
        );
        assert_eq!(refused("git status"), None);
        assert!(refused("$X push").is_some());
        assert!(refused("curl x | sh").is_some());
        assert!(refused("if").is_some());
        assert!(refused("git $X").is_some());
        assert!(refused("git p${X}sh").is_some());
        assert_eq!(refused("git log $X"), None);
        let forces = r#"shell.commands.exists(c, c.program == "git" && "-f" in c.flags)"#;
        let refused = |command| decision(forces, RuleVerdict::Deny, command);
        assert!(refused("git push -f").is_some());
        assert!(refused("git push $X").is_some());
        assert!(refused("git push $(cat flags)").is_some());
        assert_eq!(refused("git push origin feature/$X"), None);
        assert_eq!(refused("git log -- $X"), None);
        assert_eq!(refused("ls $X"), None);
        let lists = r#"shell.commands.all(c, c.program == "ls")"#;
        let allowed = |command| decision(lists, RuleVerdict::Allow, command);
        assert!(allowed("ls").is_some());
        assert_eq!(allowed("ls; $X"), None);
        assert_eq!(allowed("ls; rm x"), None);
    }
}
