//! Processes the hooks' decisions: fits them to the agent, stores them for later calls of the
//! session, and writes the answer.

use hookloop_hook::quoted;
use std::time::{Duration, Instant};

use hookloop_bridge::{
    Agent, Answer, AnswerRequest, Conclusion, Firing, Moment, RewritePolicy, Ruling,
    TranslatedPayload, answer, fit,
};
use hookloop_session::recording::{self, Lost};
use hookloop_session::{Environment, Workspace};
use hookloop_settings::{BridgeRewrite, find_project_root};
use serde_json::Value;

use crate::firing::FiringOutcome;
use crate::memory::{Place, Remembered};
use crate::unawaited;

/// How often a turn continues because of hooks: two agents have no bound of their own (BR-20).
const MAX_RETRIES: u32 = 8;

/// The calling agent, and its event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caller<'a> {
    pub(crate) agent: Agent,
    pub(crate) moment: Moment,
    /// The event in the agent's own words.
    pub(crate) event: &'a str,
}

impl Caller<'_> {
    pub(crate) fn answer(
        self,
        conclusion: &Conclusion,
        translated: Option<&TranslatedPayload>,
    ) -> Answer {
        answer(&AnswerRequest {
            agent: self.agent,
            event: self.event,
            moment: self.moment,
            conclusion,
            payload: translated.map(TranslatedPayload::payload),
        })
    }

    /// Returns whether this is a prompt that the agent runs although hooks refuse it.
    pub(crate) fn is_prompt_that_runs(self) -> bool {
        self.moment == Moment::Prompt && !self.agent.drops_prompts()
    }
}

/// What is known when hooks have answered.
pub(crate) struct Session<'a> {
    pub(crate) caller: Caller<'a>,
    pub(crate) environment: &'a Environment,
    pub(crate) place: &'a Place,
    pub(crate) remembered: Remembered,
    pub(crate) workspace: &'a Workspace,
    /// The session, as the agent names it.
    pub(crate) id: String,
    /// Whether there is no hook for what happened.
    pub(crate) is_idle: bool,
}

impl Session<'_> {
    /// Fits what hooks came to into what the agent can do, remembers what the next call must know,
    /// and says it.
    pub(crate) fn conclude(
        self,
        translated: &TranslatedPayload,
        firings: &[Firing],
        came: FiringOutcome,
    ) -> Answer {
        let (agent, moment) = (self.caller.agent, self.caller.moment);
        let FiringOutcome {
            mut conclusion,
            untrusted,
            surroundings,
            doubled,
            never,
            lost: lost_late,
            announced,
            ..
        } = came;
        let mut next = self.remembered.clone();
        next.announced.extend(announced);
        self.note_project(&mut next);
        if translated.is_perhaps_notification() {
            if conclusion.context.take().is_some() {
                conclusion.impossible.push(format!(
                    "{} doesn't say whose prompt it is: text for the model was dropped",
                    agent.name()
                ));
            }
        } else {
            begin_turn(moment, firings, &mut next);
        }
        self.miss_prompt(&mut next);
        self.bound_retries(&mut next, &mut conclusion);
        if moment == Moment::BeforeTool
            && let Some(reason) = &next.refused_turn
        {
            let ruling = std::mem::take(&mut conclusion.ruling);
            conclusion.ruling = ruling.or_stricter(Ruling::Refuse(reason.clone()));
        }
        take_carried(agent, moment, &mut next, &mut conclusion);
        let fitted = fit(agent, moment, conclusion, self.rewrite_policy());
        let mut conclusion = fitted.conclusion;
        if let Some(reason) = fitted.refuses_turn {
            next.refused_turn = Some(reason);
        }
        next.carried.extend(fitted.carried);
        // Hooks that lack trust must be reported to the person, wherever messages are shown
        // (BR-13), as must variables that somebody else may have set.
        let untrusted = [untrusted, surroundings].concat();
        if !agent.shows_messages() {
            let new = untrusted.iter().filter(|it| !next.said.contains(*it));
            next.untold.extend(new.cloned());
        }
        let lost = [untrusted, never, lost_late, fitted.losses].concat();
        let lost = self.lose(&mut next, firings, lost.into_iter());
        let doubled = doubled
            .into_iter()
            .filter(|text| next.said.insert(text.clone()));
        conclusion.messages.extend(lost.into_iter().chain(doubled));
        conclusion.messages.extend(self.late_messages(&mut next));
        if let Ruling::Refuse(reason) | Ruling::Stop(reason) = &mut conclusion.ruling {
            for text in std::mem::take(&mut next.untold) {
                reason.extend(["\n(", &text, ")"]);
            }
        }
        if !self.is_idle {
            let running = self.workspace.running();
            next.ran
                .extend(running.map(|(event, label)| (event.as_str().to_owned(), label)));
        }
        let failed = self.keep(next, &mut conclusion.ruling);
        let mut stderr = String::new();
        for message in conclusion.messages.iter().chain(&failed) {
            stderr.extend(["hookloop: ", message, "\n"]);
        }
        let answer = self.caller.answer(&conclusion, Some(translated));
        Answer {
            stderr: answer.stderr + &stderr,
            ..answer
        }
    }

    /// Records the project in which the session began.
    fn note_project(&self, next: &mut Remembered) {
        if next.project.is_none() {
            let root = find_project_root(
                &self.workspace.opening.current_dir,
                &self.workspace.opening.home,
            );
            next.project = Some(root);
        }
    }

    /// Returns what happens to a rewrite that the agent can't apply (BR-21).
    fn rewrite_policy(&self) -> RewritePolicy {
        match self.workspace.settings.switches.bridge_rewrite.value {
            BridgeRewrite::Refuse => RewritePolicy::Refuse,
            BridgeRewrite::Drop => RewritePolicy::Drop,
        }
    }

    /// Returns the results of hooks that nobody waited for.
    fn late_messages(&self, next: &mut Remembered) -> Vec<String> {
        let mut late = std::mem::take(&mut next.late);
        late.extend(unawaited::report_unfinished(self.place));
        if !self.caller.agent.shows_messages() {
            next.untold.extend(late.iter().cloned());
        }
        late
    }

    /// Records in the trace what hooks lose here, once per session: what the agent can't do, and
    /// that nobody agreed to them. Returns what has to be reported: what is new, and why it
    /// couldn't be recorded (BR-13, BR-21).
    fn lose(
        &self,
        next: &mut Remembered,
        firings: &[Firing],
        losses: impl Iterator<Item = String>,
    ) -> Vec<String> {
        let mut new: Vec<String> = losses
            .filter(|text| next.said.insert(text.clone()))
            .collect();
        if let (Some(firing), false) = (firings.first(), new.is_empty()) {
            let lost = Lost {
                agent: self.caller.agent.word(),
                session_id: &self.id,
                event: firing.event,
                texts: &new,
            };
            new.extend(recording::lose(self.workspace, self.environment, lost));
        }
        new
    }

    /// Stores what the next call must know; reports why it can't, and refuses if it would be too
    /// late to report that.
    fn keep(&self, next: Remembered, ruling: &mut Ruling) -> Option<String> {
        let refused_turn = next.refused_turn.clone();
        let error = self.remember(next).err()?;
        let moment = self.caller.moment;
        let what = format!("what the next call needs to know can't be saved: {error}");
        if let Some(reason) = refused_turn.filter(|_| moment == Moment::Prompt) {
            refuse_turn(self.place, &reason);
        }
        if error.kind() == std::io::ErrorKind::TimedOut && moment.refuses() {
            let earlier = std::mem::take(ruling);
            *ruling = earlier.or_stricter(Ruling::Refuse(format!("hookloop refuses: {what}")));
        }
        Some(what)
    }

    /// Limits how often a turn continues: after that, the last answer is shown.
    fn bound_retries(&self, next: &mut Remembered, conclusion: &mut Conclusion) {
        if self.caller.moment != Moment::End {
            return;
        }
        let Ruling::Refuse(reason) = &conclusion.ruling else {
            next.retries = 0;
            next.retry_reason = None;
            return;
        };
        let most = self
            .workspace
            .settings
            .switches
            .max_retries
            .value
            .min(MAX_RETRIES);
        if next.retries < most {
            next.retries += 1;
            next.retry_reason = Some(reason.clone()).filter(|it| !it.trim().is_empty());
        } else {
            next.retries = 0;
            next.retry_reason = None;
            conclusion.ruling = Ruling::Silent;
            conclusion.messages.push(format!(
                "hooks rejected the answer {most} times, so it is shown unchanged"
            ));
        }
    }

    /// Refuses the tools of a turn if it isn't known what hooks decided about its prompt, and the
    /// agent would run a refused prompt: their decision is lost, or they were never asked.
    fn miss_prompt(&self, next: &mut Remembered) {
        let judges_prompts = !self
            .workspace
            .listed()
            .is_idle(hookloop_hook::EventName::BeforeAgent);
        let is_concerned = self.caller.moment == Moment::BeforeTool
            && !self.caller.agent.drops_prompts()
            && judges_prompts;
        if !is_concerned || next.refused_turn.is_some() {
            return;
        }
        let name = self.caller.agent.name();
        let lost = if next.prompt.is_none() {
            Some("it is no longer known".to_owned())
        } else {
            let error = self.place.keeps_nothing();
            error.map(|error| format!("nothing can be saved ({error})"))
        };
        next.refused_turn = lost.map(|why| {
            format!(
                "hookloop refuses: {name} runs even prompts that hooks refused, and how they \
                 judged this turn's prompt isn't known: {why}; write another prompt"
            )
        });
    }

    fn remember(&self, next: Remembered) -> std::io::Result<()> {
        // Without hooks, the next call needs no memory.
        let is_same_turn =
            next.refused_turn == self.remembered.refused_turn && !self.caller.is_prompt_that_runs();
        let is_as_before = next.carried == self.remembered.carried
            && next.late == self.remembered.late
            && next.said == self.remembered.said;
        if self.is_idle && is_same_turn && is_as_before {
            let Remembered { prompt, .. } = &next;
            if prompt == &self.remembered.prompt || !self.is_needed_later() {
                return Ok(());
            }
        }
        let before = self.remembered.clone();
        let is_prompt = self.caller.moment == Moment::Prompt;
        self.place.update(|now| {
            // Changes by concurrent calls stay, unless this call overrides them.
            let sub_agents = now.sub_agents;
            let said = std::mem::take(&mut now.said);
            let ran = std::mem::take(&mut now.ran);
            let unchanged = next == before;
            if !unchanged || is_prompt {
                let theirs = std::mem::replace(now, next);
                // Entries that other calls appended since this call read them.
                now.carried
                    .extend(added_items(&before.carried, &theirs.carried));
                now.late.extend(added_items(&before.late, &theirs.late));
                // Only a prompt begins a turn, so its decision survives calls that began before it.
                if !is_prompt {
                    now.prompt = theirs.prompt;
                    now.refused_turn = theirs.refused_turn.or(now.refused_turn.take());
                }
            }
            now.sub_agents = sub_agents;
            now.said.extend(said);
            now.ran.extend(ran);
        })
    }

    /// Returns whether a hook at the end of a turn will read its prompt.
    fn is_needed_later(&self) -> bool {
        let event = hookloop_hook::EventName::AfterAgent;
        !self.workspace.listed().is_idle(event)
    }
}

/// Refuses what a hook that ran in this session and was removed would have judged (TR-6, TR-8).
pub(crate) fn miss_gone(workspace: &Workspace, firings: &[Firing], conclusion: &mut Conclusion) {
    for gone in workspace.gone_while_running() {
        let is_missed =
            |it: &Firing| it.event.is_before_action() && it.event.as_str() == gone.event;
        if firings.iter().any(is_missed) {
            let reason = format!(
                "hook {} ran in this session, but its entry has since been removed or changed; \
                 restore it, or withdraw the trust with `hookloop hooks untrust`",
                quoted(&gone.label)
            );
            let ruling = std::mem::take(&mut conclusion.ruling);
            conclusion.ruling = ruling.or_stricter(Ruling::Refuse(reason));
        }
    }
}

/// Refuses every tool of a turn; if that can't be written, the memory is made unreadable, which
/// refuses too.
pub(crate) fn refuse_turn(place: &Place, reason: &str) {
    let soon = Instant::now() + Duration::from_secs(1);
    let written = place
        .with_deadline(soon)
        .update(|it| it.refused_turn = Some(reason.to_owned()));
    if written.is_err() {
        place.spoil();
    }
}

/// A prompt begins a turn, except for the reason of a retry, which Copilot and Qwen submit as one.
fn begin_turn(moment: Moment, firings: &[Firing], next: &mut Remembered) {
    if moment != Moment::Prompt {
        return;
    }
    let prompt = firings.first().and_then(|it| it.fields.get("prompt"));
    let prompt = prompt.and_then(Value::as_str).unwrap_or_default();
    let reason = next.retry_reason.as_deref();
    if reason.is_some_and(|reason| is_retry(prompt, reason)) {
        return;
    }
    next.prompt = Some(prompt.to_owned());
    next.retries = 0;
    next.retry_reason = None;
    next.refused_turn = None;
}

/// Returns whether a prompt is only the reason with which a turn continued: alone, or after a line
/// that announces it.
fn is_retry(prompt: &str, reason: &str) -> bool {
    let before = prompt.trim().strip_suffix(reason.trim());
    before.is_some_and(|before| {
        let announced = before.trim_end();
        announced.is_empty() || announced.ends_with(':') && !announced.contains('\n')
    })
}

/// Returns what was appended to a list. If another call removed the old elements, all of it is new.
fn added_items(before: &[String], now: &[String]) -> Vec<String> {
    now.strip_prefix(before).unwrap_or(now).to_vec()
}

/// Gives the model what earlier calls had no place for.
fn take_carried(agent: Agent, moment: Moment, next: &mut Remembered, conclusion: &mut Conclusion) {
    if next.carried.is_empty() || !agent.tells_model(moment) || conclusion.ruling.is_refusal() {
        return;
    }
    let mut texts = std::mem::take(&mut next.carried);
    texts.extend(conclusion.context.take());
    conclusion.context = Some(texts.join("\n"));
}
