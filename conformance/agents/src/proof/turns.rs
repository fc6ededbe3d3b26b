//! Turns of the agent.

use std::fs;
use std::io;

use hookloop_rehearsal::Turn;
use hookloop_rehearsal::agents::Agent;

use super::{Observation, is_possible, shown};
use crate::outcome::{Claim, Seen};
use crate::playground::{Played, Playground};

/// More answers than any bound on retries lets be made.
const ENDLESS: usize = 60;

/// How many retries the settings allow, with the answer that is rejected first. Agents have bounds
/// of their own, which are higher.
const MOST_ANSWERS: usize = 4;

fn done() -> Turn {
    Turn::Say("done".to_owned())
}

/// Commands that are let through, refused, rewritten and told more about, in one turn each,
/// because some agents end their run with a refusal.
pub(super) fn tools(
    playground: &Playground,
    agent: &'static Agent,
) -> io::Result<Vec<Observation>> {
    let calm = [playground.shell("touch asked-file"), done()];
    let calm = playground.play("Do the first step", calm)?;
    let refused = [playground.shell("touch refused-file"), done()];
    let refused = playground.play("Do the second step", refused)?;
    let rewritten = [playground.shell("touch original-file"), done()];
    let rewritten = playground.play("Do the third step", rewritten)?;
    let mut observations = vec![
        Observation::of(Claim::Silence, playground.has("asked-file"), || {
            told(&calm, "the command didn't run")
        }),
        refusal(playground, &refused),
        rewrite(playground, &rewritten),
    ];
    if is_possible(agent, Claim::ToolContext) {
        let holds = calm.later_mentions("CONTEXT-OF-A-TOOL");
        observations.push(Observation::of(Claim::ToolContext, holds, || {
            told(&calm, "no request contained the context")
        }));
    }
    Ok(observations)
}

fn refusal(playground: &Playground, played: &Played) -> Observation {
    let claim = Claim::Refusal;
    if playground.has("refused-file") || played.asked.is_empty() {
        return Observation::of(claim, false, || {
            told(played, "the command ran, or no turn was run")
        });
    }
    let is_told = played.later_mentions("REASON-OF-A-COMMAND");
    Observation {
        claim,
        seen: if is_told { Seen::Holds } else { Seen::Untold },
        note: told(played, "the model didn't read the reason"),
    }
}

fn rewrite(playground: &Playground, played: &Played) -> Observation {
    let claim = Claim::Rewrite;
    let ran = (
        playground.has("original-file"),
        playground.has("rewritten-file"),
    );
    let seen = match ran {
        (false, true) => Seen::Holds,
        // The model reads what it may do instead.
        (false, false) if played.later_mentions("touch rewritten-file") => Seen::Refused,
        _ => Seen::Fails,
    };
    let note = format!("the original ran: {}, the rewritten one: {}", ran.0, ran.1);
    Observation {
        claim,
        seen,
        note: told(played, &note),
    }
}

/// Context with the prompt, and one answer that is made again.
pub(super) fn context_and_retry(
    playground: &Playground,
    agent: &'static Agent,
) -> io::Result<Vec<Observation>> {
    let claims = [Claim::PromptContext, Claim::Retry];
    if !claims.iter().any(|claim| is_possible(agent, *claim)) {
        return Ok(Vec::new());
    }
    playground.mark("retry-once")?;
    let turns = ["first", "second", "third"].map(|text| Turn::Say(text.to_owned()));
    let played = playground.play("Say something, context-please", turns)?;
    playground.unmark()?;
    let context = played
        .asked
        .iter()
        .any(|asked| asked.mentions("CONTEXT-OF-A-PROMPT"));
    let retried = played.later_mentions("REASON-OF-A-RETRY") && !played.finished.is_late;
    let count = played.asked.len();
    Ok(vec![
        Observation::of(Claim::PromptContext, context, || {
            told(&played, "no request contained the context")
        }),
        Observation::of(Claim::Retry, retried, || {
            told(&played, &format!("{count} answers were made"))
        }),
    ])
}

/// Answers that are all rejected.
pub(super) fn endless_retries(
    playground: &Playground,
    agent: &'static Agent,
) -> io::Result<Vec<Observation>> {
    if !is_possible(agent, Claim::RetryEnds) {
        return Ok(Vec::new());
    }
    playground.mark("retry-always")?;
    let turns = (0..ENDLESS).map(|number| Turn::Say(format!("answer {number}")));
    let played = playground.play("Say something", turns)?;
    playground.unmark()?;
    let count = played.asked.len();
    let holds = !played.finished.is_late
        && played.later_mentions("REASON-OF-EVERY-RETRY")
        && count <= MOST_ANSWERS;
    Ok(vec![Observation::of(Claim::RetryEnds, holds, || {
        told(&played, &format!("{count} answers were made"))
    })])
}

/// A prompt that must not be sent.
pub(super) fn prompt(
    playground: &Playground,
    agent: &'static Agent,
) -> io::Result<Vec<Observation>> {
    if !is_possible(agent, Claim::Prompt) {
        return Ok(Vec::new());
    }
    let played = playground.play("refuse-this-prompt", [done()])?;
    let holds = played.asked.is_empty() && !played.finished.is_late;
    Ok(vec![Observation::of(Claim::Prompt, holds, || {
        told(&played, "the model was asked")
    })])
}

/// A hook that doesn't answer in its time.
pub(super) fn late_hook(
    playground: &Playground,
    _: &'static Agent,
) -> io::Result<Vec<Observation>> {
    let turns = [playground.shell("touch late-file"), done()];
    let played = playground.play("Do a step", turns)?;
    let holds = !playground.has("late-file") && !played.asked.is_empty();
    Ok(vec![Observation::of(Claim::LateHook, holds, || {
        told(&played, "the command ran, or no turn was run")
    })])
}

/// A patch that hides in a shell command.
pub(super) fn patch(
    playground: &Playground,
    agent: &'static Agent,
) -> io::Result<Vec<Observation>> {
    if !is_possible(agent, Claim::Patch) {
        return Ok(Vec::new());
    }
    let command = |name: &str| {
        format!(
            "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: {name}\n+text\n*** End Patch\nEOF"
        )
    };
    let free = [playground.shell(&command("free.txt")), done()];
    let free = playground.play("Write a file", free)?;
    let guarded = [playground.shell(&command("guarded-file.txt")), done()];
    let guarded = playground.play("Write another file", guarded)?;
    let holds = playground.has("free.txt")
        && !playground.has("guarded-file.txt")
        && guarded.later_mentions("REASON-OF-A-PATCH");
    Ok(vec![Observation::of(Claim::Patch, holds, || {
        let free = told(&free, "the free file");
        told(&guarded, &format!("{free}; the guarded file"))
    })])
}

/// Our program is taken away between two calls.
pub(super) fn missing(playground: &Playground, _: &'static Agent) -> io::Result<Vec<Observation>> {
    broken(playground, Claim::MissingProgram, "missing")
}

/// Our program is killed when it is asked.
pub(super) fn killed(playground: &Playground, _: &'static Agent) -> io::Result<Vec<Observation>> {
    broken(playground, Claim::KilledHook, "killed")
}

/// Lets the person's hook break our program while it judges the first call; the second call must
/// not run then. So hooks on the prompt aren't part of it.
fn broken(playground: &Playground, claim: Claim, kind: &str) -> io::Result<Vec<Observation>> {
    let (first, second) = (format!("broke-{kind}"), format!("{kind}-file"));
    let turns = [
        playground.shell(&format!("touch {first}")),
        playground.shell(&format!("touch {second}")),
        done(),
    ];
    let played = playground.play("Do two steps", turns)?;
    let link = playground
        .stage
        .home
        .join(".local/share/hookloop/bin/hookloop");
    let away = link.with_extension("away");
    let was_broken = away.symlink_metadata().is_ok();
    if was_broken {
        fs::rename(&away, &link)?;
    }
    let ran = (playground.has(&first), playground.has(&second));
    let seen = match ran {
        (true, false) if was_broken && played.asked.len() >= 2 => Seen::Holds,
        // The run is over before the model is asked again.
        (true, false) if was_broken => Seen::Untold,
        _ => Seen::Fails,
    };
    let note = format!(
        "our program was broken: {was_broken}, the first command ran: {}, the second: {}",
        ran.0, ran.1
    );
    Ok(vec![Observation {
        claim,
        seen,
        note: told(&played, &note),
    }])
}

fn told(played: &Played, what: &str) -> String {
    let count = played.asked.len();
    format!("{what}; {count} requests, {}", shown(&played.finished))
}
