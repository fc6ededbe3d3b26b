//! Runs the person's hooks for an event of another agent, with the same gate, trust and trace as in
//! a session of ours, and combines their decisions.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use hookloop_bridge::{Agent, Conclusion, Firing, Moment, Rewrite, Ruling, TranslatedPayload};
use hookloop_dialects::{after_async_announcement, may_announce_async};
use hookloop_engine::{
    AsyncHooks, Concluded, Hooks, Lifecycle, Notice, Observer, SessionHooks, SkipCause,
    WithheldContent,
};
use hookloop_events::{AgentIdentity, Decision, EventName, SessionIdentity, Verdict};
use hookloop_exec::CommandExecutor;
use hookloop_hook::{HookDeclaration, quoted};
use hookloop_host::Gate;
use hookloop_keyring::KeyringSecrets;
use hookloop_session::recording::Recorder;
use hookloop_session::{Environment, Signals, Workspace};
use serde_json::{Map, Value};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::late::{Actor, LateReplies, MAX_DURATION};
use crate::setting::Setting;

/// The hooks' decisions, and what the person should be told once.
#[derive(Debug, Default)]
pub(crate) struct FiringOutcome {
    pub(crate) conclusion: Conclusion,
    /// Hooks that nobody agreed to (BR-13).
    pub(crate) untrusted: Vec<String>,
    /// What the agent's environment sets, but has no effect here (BR-25).
    pub(crate) surroundings: Vec<String>,
    /// Hooks that the agent may also run by itself (BR-12).
    pub(crate) doubled: Vec<String>,
    /// Hooks whose event the agent doesn't have (BR-21).
    pub(crate) never: Vec<String>,
    /// What the agent can't apply of hooks that nobody waits for (BR-21).
    pub(crate) lost: Vec<String>,
    /// The hooks that nobody waits for, which have to be started separately (FD-22).
    pub(crate) unawaited: Vec<Arc<HookDeclaration>>,
    /// Whether hooks withheld what those read (AT-1).
    pub(crate) withheld_content: WithheldContent,
    /// The hooks that said that nobody needs to wait for them, by their ids (FD-22).
    pub(crate) announced: Vec<String>,
}

/// Why what waits for hooks doesn't happen when the time is up.
const LATE: &str =
    "hooks didn't answer in time, or were ended, so nothing that waits for them happens";

/// How a wait for hooks ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WaitEnd {
    /// They answered.
    Answered,
    /// They were ended: the time is up, or this program has to end.
    Ended,
}

impl FiringOutcome {
    /// Leaves the hooks of an event to a separate process that nobody waits for.
    fn part_with(&mut self, session: &SessionHooks, firing: &Firing) {
        let subject = firing.event.subject_field();
        let subject = subject.and_then(|field| firing.fields.get(field)?.as_str());
        for hook in session.async_hooks(firing.event, subject.unwrap_or_default()) {
            if !self.unawaited.iter().any(|it| it.id == hook.id) {
                self.unawaited.push(hook);
            }
        }
    }

    /// Records the result of an event for hooks that nobody waits for, and which ones said that
    /// nobody needs to wait for them: if somebody did, they would have ended with this process.
    fn note(&mut self, concluded: &Concluded, announcing: AsyncAnnouncement) {
        if concluded.event == EventName::AfterTool && concluded.summary.verdict != Verdict::Proceed
        {
            self.withheld_content = WithheldContent::Content;
        }
        for run in &concluded.runs {
            let hook = &run.hook;
            let is_released = may_announce_async(hook.dialect, concluded.event)
                && after_async_announcement(hook.dialect, &run.content.stdout).is_some();
            if is_released && announcing == AsyncAnnouncement::InVain {
                self.announced.push(hook.id.to_string());
                self.lost.push(format!(
                    "hook {} ({}) declared itself asynchronous only while it ran, so it was waited \
                     for; for the rest of this session it is started without waiting",
                    quoted(hook.label()),
                    hook.source
                ));
            }
        }
    }
}

fn describe_notice(notice: &Notice) -> String {
    let Notice { hook, source, text } = notice;
    format!("hook {} ({source}): {text}", quoted(hook))
}

/// What happens to a hook that says in its first line that nobody needs to wait for it (FD-22).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AsyncAnnouncement {
    /// It is waited for: it would end with this process, which ends with the answer.
    InVain,
    /// It continues: this process does so, too.
    Releases,
}

/// Hooks that continue after the call was answered.
pub(crate) struct RunningHooks {
    runtime: Runtime,
    session: SessionHooks,
    recorder: Recorder,
    watching: Arc<Watching>,
    /// The runs that the answer reports.
    reported: HashSet<String>,
}

impl RunningHooks {
    /// Waits for them, and returns what has to be stored for the session's next call.
    pub(crate) fn wait(self) -> LateReplies {
        let (for_model, left) = self
            .runtime
            .block_on(self.session.late_replies(MAX_DURATION));
        self.runtime.shutdown_background();
        let mut notices: Vec<String> = left.iter().map(describe_notice).collect();
        let concluded = std::mem::take(&mut *self.watching.lock_concluded());
        for it in concluded {
            if it
                .runs
                .iter()
                .any(|run| !self.reported.contains(&run.run_id))
            {
                notices.extend(it.messages.iter().map(|message| message.text.clone()));
                notices.extend(it.notices.iter().map(describe_notice));
            }
        }
        notices.extend(self.recorder.finish());
        LateReplies { for_model, notices }
    }
}

/// Who fires, for whom, and until when.
pub(crate) struct Fire<'a> {
    pub(crate) agent: Agent,
    pub(crate) environment: &'a Environment,
    pub(crate) workspace: &'a Workspace,
    pub(crate) deadline: Instant,
    /// How long ended hooks may take to end.
    pub(crate) grace: Duration,
    pub(crate) announcing: AsyncAnnouncement,
}

/// Collects the hooks that trust keeps from running, and passes everything on.
struct Watching {
    recorder: Arc<dyn Observer>,
    untrusted: Mutex<Vec<String>>,
    /// Results of events that are needed later.
    concluded: Mutex<Vec<Concluded>>,
    announcing: AsyncAnnouncement,
}

impl Watching {
    fn lock_concluded(&self) -> MutexGuard<'_, Vec<Concluded>> {
        // Pushing can't be half done, so a poisoned lock guards nothing broken.
        self.concluded
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Watching {
    fn observe(&self, session: &SessionIdentity, lifecycle: &Lifecycle) {
        if let Lifecycle::Skipped { hook, causes, .. } = lifecycle {
            let is_trust = |cause: &&SkipCause| {
                matches!(
                    cause,
                    SkipCause::UntrustedNew | SkipCause::UntrustedModified(_)
                )
            };
            if let Some(cause) = causes.iter().find(is_trust) {
                let text = format!(
                    "hook {} ({}) doesn't run: {}",
                    quoted(hook.label()),
                    hook.source,
                    cause.message()
                );
                // Pushing can't be half done, so a poisoned lock guards nothing broken.
                let mut untrusted = self
                    .untrusted
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                if !untrusted.contains(&text) {
                    untrusted.push(text);
                }
            }
        }
        if let (Lifecycle::Concluded(concluded), AsyncAnnouncement::Releases) =
            (lifecycle, self.announcing)
        {
            self.lock_concluded().push(concluded.clone());
        }
        self.recorder.observe(session, lifecycle);
    }
}

impl Fire<'_> {
    /// Fires the requested events, one after another; the strictest answer counts. Hooks that
    /// weren't waited for are returned beside it.
    ///
    /// # Errors
    /// The hooks can't be run at all.
    pub(crate) fn fire(
        &self,
        translated: &TranslatedPayload,
        firings: &[Firing],
    ) -> Result<(FiringOutcome, Option<RunningHooks>), String> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| format!("the runtime can't start: {error}"))?;
        let recorder = Recorder::for_bridge(self.workspace, self.environment, self.agent.word());
        let watching = Arc::new(Watching {
            recorder: recorder.observer(),
            untrusted: Mutex::default(),
            concluded: Mutex::default(),
            announcing: self.announcing,
        });
        let hooks = self.hooks(Arc::<Watching>::clone(&watching));
        let session = hooks.session(self.identity(&Actor::of(translated)));
        let came = runtime.block_on(async {
            let mut came = FiringOutcome::default();
            let mut reported = HashSet::new();
            let mut signals = Signals::listen();
            let mut judged = 0;
            // Nothing is started after the deadline.
            while judged < firings.len() && Instant::now() < self.deadline {
                let firing = &firings[judged];
                came.part_with(&session, firing);
                let cancel = CancellationToken::new();
                let session = session.with_cancel(cancel.clone());
                let unawaited = match self.announcing {
                    AsyncAnnouncement::InVain => AsyncHooks::LeftOut,
                    AsyncAnnouncement::Releases => AsyncHooks::Released,
                };
                let fired =
                    session.fire_payload_with(firing.event, firing.fields.clone(), unawaited);
                let (concluded, end) = self.in_time(fired, &cancel, &mut signals).await?;
                let concluded = concluded.map_err(|error| error.to_string())?;
                if let Some(concluded) = &concluded {
                    self.take(&mut came.conclusion, translated, firing, concluded);
                    came.note(concluded, self.announcing);
                    reported.extend(concluded.runs.iter().map(|it| it.run_id.clone()));
                }
                judged += 1;
                if end == WaitEnd::Ended {
                    break;
                }
            }
            if judged < firings.len() && translated.moment.refuses() {
                let earlier = std::mem::take(&mut came.conclusion.ruling);
                came.conclusion.ruling = earlier.or_stricter(Ruling::Refuse(LATE.to_owned()));
            }
            Ok::<_, String>((came, reported))
        });
        let (mut came, reported) = came?;
        let mut untrusted = watching
            .untrusted
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        came.untrusted = std::mem::take(&mut *untrusted);
        drop(untrusted);
        if self.announcing == AsyncAnnouncement::Releases {
            let going = RunningHooks {
                runtime,
                session,
                recorder,
                watching,
                reported,
            };
            return Ok((came, Some(going)));
        }
        runtime.shutdown_background();
        came.conclusion.messages.extend(recorder.finish());
        Ok((came, None))
    }

    /// Runs the hooks alone that nobody waits for, all in parallel, and returns what has to be kept
    /// for the session's next call (FD-22).
    ///
    /// # Errors
    /// They can't be run at all.
    pub(crate) fn fire_unawaited(
        &self,
        who: &Actor,
        firings: &[(EventName, Map<String, Value>)],
        withheld_content: WithheldContent,
    ) -> Result<LateReplies, String> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| format!("the runtime can't start: {error}"))?;
        let recorder = Recorder::for_bridge(self.workspace, self.environment, self.agent.word());
        let session = self.hooks(recorder.observer()).session(self.identity(who));
        let ended = runtime.block_on(async {
            let mut signals = Signals::listen();
            let cancel = CancellationToken::new();
            let session = session.with_cancel(cancel.clone());
            let all = firings.iter().map(|(event, fields)| {
                let alone = AsyncHooks::Alone(withheld_content);
                session.fire_payload_with(*event, fields.clone(), alone)
            });
            self.in_time(join_all(all), &cancel, &mut signals).await
        });
        runtime.shutdown_background();
        let mut replies = LateReplies::default();
        for concluded in ended?.0 {
            let Some(concluded) = concluded.map_err(|error| error.to_string())? else {
                continue;
            };
            let messages = concluded.messages.iter().map(|it| it.text.clone());
            replies.notices.extend(messages);
            replies
                .notices
                .extend(concluded.notices.iter().map(describe_notice));
            replies.for_model.extend(concluded.late);
        }
        replies.notices.extend(recorder.finish());
        Ok(replies)
    }

    fn hooks(&self, observer: Arc<dyn Observer>) -> Hooks {
        let mut surroundings = self.workspace.surroundings(self.environment);
        let redaction = &mut surroundings.redaction;
        let own = self.agent.withheld_variables().iter();
        let is_allowed = |name: &&&str| {
            let mut allowed = redaction.allowed.iter();
            !allowed.any(|it| it.eq_ignore_ascii_case(name))
        };
        let own: Vec<String> = own.filter(is_allowed).map(|it| (*it).to_owned()).collect();
        redaction.blocked.extend(own);
        let commands = CommandExecutor::new(surroundings);
        let executor = KeyringSecrets::new(
            hookloop_session::executors(&commands, self.workspace, self.environment),
            hookloop_keyring::open(self.environment.keyring_access()),
        );
        let mut registry = self.workspace.registry();
        let setting = Setting::of(self.environment);
        crate::hosting::host_in(&mut registry, self.agent, &setting);
        Hooks::builder()
            .registry(registry)
            .executor(Gate::new(executor, self.workspace))
            .max_output_bytes(self.workspace.max_output_bytes())
            .observer(observer)
            .build()
    }

    fn identity(&self, who: &Actor) -> SessionIdentity {
        let state = self.workspace.state_dir(self.environment);
        let transcript = who.transcript.clone().unwrap_or_else(|| {
            let name: String = who
                .session_id
                .chars()
                .map(|it| if it.is_alphanumeric() { it } else { '-' })
                .collect();
            state.join("transcripts").join(format!("{name}.jsonl"))
        });
        let agent = who.sub_agent.as_ref();
        SessionIdentity {
            session_id: who.session_id.clone(),
            transcript_path: transcript,
            cwd: who.cwd.clone(),
            agent: agent.map(|(agent_id, agent_name)| AgentIdentity {
                agent_id: agent_id.clone(),
                agent_name: agent_name.clone(),
            }),
        }
    }

    /// Waits for hooks until the deadline or a signal; then they are ended and have decided nothing
    /// (EV-5).
    async fn in_time<T>(
        &self,
        work: impl Future<Output = T>,
        cancel: &CancellationToken,
        signals: &mut Signals,
    ) -> Result<(T, WaitEnd), String> {
        tokio::pin!(work);
        tokio::select! {
            biased;
            done = &mut work => return Ok((done, WaitEnd::Answered)),
            () = signals.next() => {}
            () = tokio::time::sleep_until(self.deadline.into()) => {}
        }
        cancel.cancel();
        tokio::time::timeout(self.grace, work)
            .await
            .map(|done| (done, WaitEnd::Ended))
            .map_err(|_| "hooks couldn't be ended in time".to_owned())
    }

    /// Adds the result of the hooks of one event.
    fn take(
        &self,
        conclusion: &mut Conclusion,
        translated: &TranslatedPayload,
        firing: &Firing,
        concluded: &Concluded,
    ) {
        let summary = &concluded.summary;
        let reason = || summary.reason.clone().unwrap_or_default();
        let ruling = match (summary.verdict, summary.decision) {
            (Verdict::Cancelled, _) if translated.moment.refuses() => {
                Ruling::Refuse(LATE.to_owned())
            }
            (Verdict::Cancelled | Verdict::Proceed, _) => Ruling::Silent,
            (Verdict::Stopped, _) => Ruling::Stop(summary.stop_reason.clone().unwrap_or_default()),
            (Verdict::Refused, Some(Decision::Ask)) => Ruling::Ask(reason()),
            (Verdict::Refused, _) => Ruling::Refuse(reason()),
        };
        let earlier = std::mem::take(&mut conclusion.ruling);
        conclusion.ruling = earlier.or_stricter(ruling);
        if let Some(Value::Object(changes)) = summary.changes.get("tool_input") {
            let rewrite = self.rewrite(translated, firing, changes);
            // A call that contains several can't be rewritten, so the first rewrite is reported as
            // advice.
            conclusion.rewrite = conclusion.rewrite.take().or(Some(rewrite));
        }
        for (change, what) in [
            ("tailToolCallRequest", "another tool to run next"),
            ("clearContext", "the clearing of the history"),
        ] {
            if summary.changes.contains_key(change) {
                let name = self.agent.name();
                let text = format!("{name} can't receive {what}: it was dropped");
                conclusion.impossible.push(text);
            }
        }
        if let Some(context) = &summary.additional_context {
            let earlier = conclusion.context.take();
            let joined = earlier.map_or_else(|| context.clone(), |it| format!("{it}\n{context}"));
            conclusion.context = Some(joined);
        }
        let messages = concluded.messages.iter().map(|it| it.text.clone());
        conclusion.messages.extend(messages);
        let notices = concluded.notices.iter();
        conclusion.messages.extend(notices.map(describe_notice));
    }

    fn rewrite(
        &self,
        translated: &TranslatedPayload,
        firing: &Firing,
        changes: &Map<String, Value>,
    ) -> Rewrite {
        let mut ours = firing
            .fields
            .get("tool_input")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
        ours.extend(changes.clone());
        let theirs = (translated.moment == Moment::BeforeTool)
            .then(|| translated.rewritten(self.agent, changes))
            .flatten();
        Rewrite { theirs, ours }
    }
}
