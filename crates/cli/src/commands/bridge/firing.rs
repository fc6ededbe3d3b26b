//! Runs the person's hooks for what another agent does, through the same gate, trust and trace as in a
//! session of ours, and sums up what they came to.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hookloop_bridge::{Agent, Conclusion, Firing, Heard, Moment, Rewrite, Ruling};
use hookloop_engine::{Concluded, Hooks, Lifecycle, Observer, SkipCause};
use hookloop_events::{AgentIdentity, Decision, SessionIdentity, Verdict};
use hookloop_exec::CommandExecutor;
use hookloop_host::Gate;
use hookloop_keyring::KeyringSecrets;
use hookloop_session::recording::Recorder;
use hookloop_session::{Environment, Signals, Workspace};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::setting::Setting;

/// What hooks came to, and what the person should know once.
#[derive(Debug, Default)]
pub(super) struct Came {
    pub(super) conclusion: Conclusion,
    /// Hooks that nobody agreed to (BR-13).
    pub(super) untrusted: Vec<String>,
    /// Hooks that the agent may run by itself, too (BR-12).
    pub(super) doubled: Vec<String>,
    /// Hooks whose event the agent doesn't have (BR-21).
    pub(super) never: Vec<String>,
}

/// Why what waits for hooks doesn't happen when the time is over.
const LATE: &str =
    "hooks did not answer in time, or were ended, so nothing that waits for them happens";

/// How a wait for hooks came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waited {
    /// They answered.
    Answered,
    /// They were ended: the time is over, or somebody wants this program to end.
    Ended,
}

/// Who fires, for whom, and until when.
pub(super) struct Fire<'a> {
    pub(super) agent: Agent,
    pub(super) environment: &'a Environment,
    pub(super) workspace: &'a Workspace,
    pub(super) deadline: Instant,
    /// How long ended hooks may take to end.
    pub(super) grace: Duration,
}

/// Collects the hooks that trust keeps from running, and passes on everything.
struct Watching {
    recorder: Arc<dyn Observer>,
    untrusted: Mutex<Vec<String>>,
}

impl Observer for Watching {
    fn observe(&self, session: &SessionIdentity, happening: &Lifecycle) {
        if let Lifecycle::Skipped { hook, causes, .. } = happening {
            let is_trust = |cause: &&SkipCause| {
                matches!(
                    cause,
                    SkipCause::UntrustedNew | SkipCause::UntrustedModified(_)
                )
            };
            if let Some(cause) = causes.iter().find(is_trust) {
                let text = format!(
                    "hook \"{}\" ({}) does not run: {}",
                    hook.label(),
                    hook.source,
                    cause.message()
                );
                // Pushing can't be half done.
                let mut untrusted = self
                    .untrusted
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                if !untrusted.contains(&text) {
                    untrusted.push(text);
                }
            }
        }
        self.recorder.observe(session, happening);
    }
}

impl Fire<'_> {
    /// Fires the events that were heard, one after another; the strictest answer counts.
    ///
    /// # Errors
    /// The hooks can't be run at all.
    pub(super) fn fire(&self, heard: &Heard, firings: &[Firing]) -> Result<Came, String> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| format!("the runtime can't start: {error}"))?;
        let recorder = Recorder::of_bridge(self.workspace, self.environment, self.agent.word());
        let watching = Arc::new(Watching {
            recorder: recorder.observer(),
            untrusted: Mutex::default(),
        });
        let hooks = self.hooks(Arc::<Watching>::clone(&watching));
        let session = hooks.session(self.identity(heard));
        let came = runtime.block_on(async {
            let mut came = Came::default();
            let mut signals = Signals::listen();
            let mut judged = 0;
            // What comes when the time is over isn't begun.
            while judged < firings.len() && Instant::now() < self.deadline {
                let firing = &firings[judged];
                let cancel = CancellationToken::new();
                let session = session.with_cancel(cancel.clone());
                let fired = session.fire_payload(firing.event, firing.fields.clone());
                let (concluded, end) = self.in_time(fired, &cancel, &mut signals).await?;
                let concluded = concluded.map_err(|error| error.to_string())?;
                self.take(&mut came.conclusion, heard, firing, concluded.as_ref());
                judged += 1;
                if end == Waited::Ended {
                    break;
                }
            }
            if judged < firings.len() && heard.moment.refuses() {
                let earlier = std::mem::take(&mut came.conclusion.ruling);
                came.conclusion.ruling = earlier.or_stricter(Ruling::Refuse(LATE.to_owned()));
            }
            Ok::<_, String>(came)
        });
        runtime.shutdown_background();
        let mut came = came?;
        came.conclusion.messages.extend(recorder.finish());
        let mut untrusted = watching
            .untrusted
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        came.untrusted = std::mem::take(&mut *untrusted);
        Ok(came)
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
        let mut registry = self.workspace.new_registry();
        let setting = Setting::of(self.environment);
        super::hosting::host_in(&mut registry, self.agent, &setting);
        Hooks::builder()
            .registry(registry)
            .executor(Gate::new(executor, self.workspace))
            .max_output_bytes(self.workspace.max_output_bytes())
            .observer(observer)
            .build()
    }

    fn identity(&self, heard: &Heard) -> SessionIdentity {
        let state = self.workspace.state_dir(self.environment);
        let transcript = heard.transcript.clone().unwrap_or_else(|| {
            let name: String = heard
                .session_id
                .chars()
                .map(|it| if it.is_alphanumeric() { it } else { '-' })
                .collect();
            state.join("transcripts").join(format!("{name}.jsonl"))
        });
        let agent = heard.sub_agent.as_ref();
        SessionIdentity {
            session_id: heard.session_id.clone(),
            transcript_path: transcript,
            cwd: heard.cwd.clone(),
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
    ) -> Result<(T, Waited), String> {
        tokio::pin!(work);
        tokio::select! {
            biased;
            done = &mut work => return Ok((done, Waited::Answered)),
            () = signals.next() => {}
            () = tokio::time::sleep_until(self.deadline.into()) => {}
        }
        cancel.cancel();
        tokio::time::timeout(self.grace, work)
            .await
            .map(|done| (done, Waited::Ended))
            .map_err(|_| "hooks could not be ended in time".to_owned())
    }

    /// Adds what hooks of one event came to.
    fn take(
        &self,
        conclusion: &mut Conclusion,
        heard: &Heard,
        firing: &Firing,
        concluded: Option<&Concluded>,
    ) {
        let Some(concluded) = concluded else {
            return;
        };
        let summary = &concluded.summary;
        let reason = || summary.reason.clone().unwrap_or_default();
        let ruling = match (summary.verdict, summary.decision) {
            (Verdict::Cancelled, _) if heard.moment.refuses() => Ruling::Refuse(LATE.to_owned()),
            (Verdict::Cancelled | Verdict::Proceed, _) => Ruling::Silent,
            (Verdict::Stopped, _) => Ruling::Stop(summary.stop_reason.clone().unwrap_or_default()),
            (Verdict::Refused, Some(Decision::Ask)) => Ruling::Ask(reason()),
            (Verdict::Refused, _) => Ruling::Refuse(reason()),
        };
        let earlier = std::mem::take(&mut conclusion.ruling);
        conclusion.ruling = earlier.or_stricter(ruling);
        if let Some(Value::Object(changes)) = summary.changes.get("tool_input") {
            let rewrite = self.rewrite(heard, firing, changes);
            // Several calls in one can't be written anew, so one rewrite is told of.
            conclusion.rewrite = conclusion.rewrite.take().or(Some(rewrite));
        }
        for (change, what) in [
            ("tailToolCallRequest", "another tool that is to run next"),
            ("clearContext", "a history that is to be cleared"),
        ] {
            if summary.changes.contains_key(change) {
                let name = self.agent.name();
                let text = format!("{name} can't be told of {what}: it was dropped");
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
        let notices =
            notices.map(|it| format!("hook \"{}\" ({}): {}", it.hook, it.source, it.text));
        conclusion.messages.extend(notices);
    }

    fn rewrite(&self, heard: &Heard, firing: &Firing, changes: &Map<String, Value>) -> Rewrite {
        let mut ours = firing
            .fields
            .get("tool_input")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
        ours.extend(changes.clone());
        let theirs = (heard.moment == Moment::BeforeTool)
            .then(|| heard.rewritten(self.agent, changes))
            .flatten();
        Rewrite { theirs, ours }
    }
}
