//! `docs/agents.md`, from what was recorded (BR-42).

use std::fmt::Write;
use std::fs;
use std::io;

use hookloop_rehearsal::agents::{AGENTS, Agent};

use crate::expected::{Expectation, expected};
use crate::outcome::{Claim, Seen};
use crate::results::{AgentResult, Results, root};

const HEAD: &str = "\
# Hooks in other agents: what works where

`hookloop bridge install AGENT` makes another agent run the hooks in your settings. This page shows how well that
works in each agent. Nothing here is copied from a manual: `cargo xtask agents` runs the real
program against a scripted model on the loopback interface, with the bridge installed, and then checks
what is on disk and what the model was told. The page is generated from these observations; an agent that
wasn't run isn't on it.

";

const FOOT: &str = "\
## How to read it

- **yes**: observed in a turn of the real program.
- **refused instead**: the agent can't do it. The action doesn't happen, and the model learns what it may do.
- **refused, reason not shown**: the action doesn't happen, but the model doesn't learn why.
- **no**: the agent has no way to do it; `hookloop bridge install` says so.
- **–**: not applicable.
- **BROKEN**: it should work, but in this version it didn't.

All turns ran without a terminal (`-p`, `exec`, `run`), on Linux, so they don't show what agents do interactively.
Codex ran with its hooks marked as trusted; yours do nothing in Codex until you have reviewed them in `/hooks`.

## Running it yourself

```sh
cargo xtask agents                # Claude Code, Codex and goose
cargo xtask agents qwen kimi      # the agents that you name
cargo xtask agents --all --record # all agents; writes this page again
```

The picture in the README also shows real turns:

```sh
cargo xtask agents --example | cargo xtask picture >docs/images/agents.svg
```

The agents are installed from npm into your cache folder (or `--cache FOLDER`). None of them is part of this
repository. An agent that can't be installed is skipped; the last line counts those.
";

/// Returns the page.
pub(crate) fn page(results: &Results) -> String {
    let mut text = HEAD.to_owned();
    write_versions(&mut text, results);
    write_matrix(&mut text, results);
    write_limits(&mut text, results);
    text.push_str(FOOT);
    text
}

/// Writes the page.
pub(crate) fn write(results: &Results) -> io::Result<()> {
    fs::write(root().join("docs/agents.md"), page(results))
}

fn known(results: &Results) -> impl Iterator<Item = (&'static Agent, &AgentResult)> {
    AGENTS.iter().filter_map(|agent| {
        let result = results.agents.iter().find(|it| it.name == agent.name)?;
        Some((agent, result))
    })
}

fn write_versions(text: &mut String, results: &Results) {
    text.push_str("| agent | npm package | version | run on |\n|---|---|---|---|\n");
    for (agent, result) in known(results) {
        let AgentResult { version, date, .. } = result;
        let Agent { title, package, .. } = agent;
        // Writing to a string can't fail.
        let _ = writeln!(text, "| {title} | `{package}` | {version} | {date} |");
    }
    text.push('\n');
}

fn write_matrix(text: &mut String, results: &Results) {
    text.push_str("## What works\n\n| |");
    let mut rule = "|---|".to_owned();
    for (agent, _) in known(results) {
        let _ = write!(text, " {} |", agent.title);
        rule.push_str("---|");
    }
    let _ = writeln!(text, "\n{rule}");
    for claim in Claim::ALL {
        let _ = write!(text, "| {} |", claim.words());
        for (agent, result) in known(results) {
            let _ = write!(text, " {} |", cell(agent, result, claim));
        }
        text.push('\n');
    }
    text.push('\n');
}

fn cell(agent: &Agent, result: &AgentResult, claim: Claim) -> &'static str {
    match (expected(agent, claim), result.check(claim)) {
        (Expectation::Impossible(_), _) if claim == Claim::Patch => "–",
        (Expectation::Impossible(_), _) => "no",
        (_, None) => "not run",
        (_, Some(check)) if !check.is_as_expected() => "**BROKEN**",
        (_, Some(check)) => match check.seen {
            Seen::Holds => "yes",
            Seen::Refused => "refused instead",
            Seen::Untold => "refused, reason not shown",
            Seen::Fails => "**BROKEN**",
        },
    }
}

fn write_limits(text: &mut String, results: &Results) {
    text.push_str("## What an agent can't do\n\n");
    for (agent, _) in known(results) {
        let limits = Claim::ALL
            .into_iter()
            .filter(|claim| *claim != Claim::Patch);
        let limits = limits.filter_map(|claim| match expected(agent, claim) {
            Expectation::Proven(Seen::Holds, _) => None,
            Expectation::Impossible(why) | Expectation::Proven(_, why) => Some((claim, why)),
        });
        for (claim, why) in limits {
            let _ = writeln!(text, "- {}: \"{}\": {why}.", agent.title, claim.words());
        }
    }
    text.push_str(
        "- All: the model's events (`BeforeModel`, `AfterModel`, `BeforeToolSelection`) have no \
         counterpart there, and no agent lets a hook rewrite the prompt.\n\n",
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::CheckResult;

    fn results(expected: Seen, seen: Seen) -> Results {
        Results {
            agents: vec![AgentResult {
                name: "goose".to_owned(),
                version: "1.2.3".to_owned(),
                date: "2026-01-02".to_owned(),
                checks: vec![CheckResult {
                    claim: Claim::Rewrite,
                    expected,
                    seen,
                    note: String::new(),
                    seconds: 0.0,
                }],
            }],
        }
    }

    /// BR-42: the page says what was seen, of which version and when, and of nobody who wasn't run.
    #[test]
    fn the_page_says_what_was_seen() {
        let text = page(&results(Seen::Refused, Seen::Refused));
        assert!(text.contains("| goose | `@aaif/goose-binary-linux-x64` | 1.2.3 | 2026-01-02 |"));
        assert!(text.contains("| the rewritten command is what runs | refused instead |"));
        assert!(
            text.contains("| a refused command doesn't run, and the model learns why | not run |")
        );
        assert!(!text.contains("Codex CLI") && !text.contains("| **BROKEN** |"));
    }

    /// BR-42: what should hold and didn't is on the page as such, whatever was hoped for.
    #[test]
    fn what_is_broken_is_said() {
        for seen in [Seen::Fails, Seen::Untold] {
            let text = page(&results(Seen::Refused, seen));
            assert!(text.contains("| the rewritten command is what runs | **BROKEN** |"));
        }
    }

    /// BR-41: an agent's result takes the place of its earlier one, and agents keep their order.
    #[test]
    fn a_new_result_takes_the_place_of_the_old_one() {
        let mut all = results(Seen::Refused, Seen::Fails);
        let mut first = all.agents[0].clone();
        first.name = "claude-code".to_owned();
        all.put(first);
        all.put(results(Seen::Refused, Seen::Refused).agents.remove(0));
        let names: Vec<_> = all.agents.iter().map(|agent| agent.name.as_str()).collect();
        assert_eq!(names, ["claude-code", "goose"]);
        assert!(all.agents[1].is_as_expected());
    }
}
