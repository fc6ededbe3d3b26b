//! Hooks that nothing waits for, and what they say after the turn has continued (FD-22).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hookloop_events::HookContext;
use hookloop_hook::{HookDeclaration, Mode as HookMode, Refusing};
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use crate::agent_turn::TurnView;
use crate::inner::Inner;
use crate::lifecycle::Notice;

/// How many hooks of a session may run at a time without anybody waiting for them.
pub(crate) const MAX_CONCURRENT: usize = 8;

/// How many turns of a session may be begun by hooks that nobody waits for.
pub(crate) const MAX_TURNS: u32 = 8;

/// How much of what hooks said is passed on with one turn, in bytes.
const MAX_MESSAGE_BYTES: usize = 64 * 1024;

/// How much is shown of what reached no turn, in bytes per hook.
const MAX_SHOWN_BYTES: usize = 2048;

/// What happens to the hooks that nobody waits for, when a host fires an event with a payload
/// (FD-22).
///
/// In every case they decide nothing. What they say is in
/// [`Concluded::late`](crate::Concluded::late).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AsyncHooks {
    /// They run with the others, and the host waits for all of them.
    #[default]
    WaitedFor,
    /// They don't run. The host starts them separately, and answers without them.
    LeftOut,
    /// They don't run, as with `LeftOut`. If a hook announces in its first line that nobody needs
    /// to wait for it, the host stops waiting for it, as a session does, and continues until
    /// [`late_replies`] has returned what it said.
    ///
    /// [`late_replies`]: crate::SessionHooks::late_replies
    Released,
    /// Only they run: the other hooks have already answered. The host states whether those withheld
    /// content, because no record may contain it again (AT-1).
    Alone(WithheldContent),
}

/// Whether the hooks of an event withheld content that others read (AT-1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WithheldContent {
    /// They withheld nothing.
    #[default]
    Nothing,
    /// They withheld content, or that isn't known.
    Content,
}

/// The hooks of a session that nobody waits for.
#[derive(Debug, Default)]
pub(crate) struct Late {
    running: Mutex<Vec<Running>>,
    ended: Notify,
    said: Mutex<Undelivered>,
}

/// A hook that runs.
#[derive(Debug, Clone)]
struct Running {
    hook: Arc<HookDeclaration>,
    going: RunStart,
}

/// Why a hook runs while nobody waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunStart {
    /// Its entry says `async`: it may outlive the host.
    Launched,
    /// It said so itself: it ends with the host.
    Released,
}

/// What a hook said.
#[derive(Debug)]
struct LateText {
    hook: Arc<HookDeclaration>,
    text: HookContext,
}

/// What hooks said but the model hasn't read yet.
#[derive(Debug, Default)]
struct Undelivered {
    texts: Vec<LateText>,
    /// Whether a turn is to begin with it.
    begins_turn: bool,
    /// How many turns began so.
    turns: u32,
}

/// How long a host waits for hooks that may start a turn (FD-22).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// As long as such hooks run, but no longer than this: there is nothing else to wait for.
    WhileTheyRun(Duration),
    /// Indefinitely: the host waits for something else at the same time.
    ForEver,
}

/// A hook's place among those that run at a time, until everything about it is reported.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) late: Arc<Late>,
    hook: Arc<HookDeclaration>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut running = self.late.lock_running();
        let own = running
            .iter()
            .position(|it| Arc::ptr_eq(&it.hook, &self.hook));
        own.map(|at| running.remove(at));
        drop(running);
        self.late.ended.notify_waiters();
    }
}

impl Late {
    pub(crate) fn place(
        self: &Arc<Self>,
        hook: &Arc<HookDeclaration>,
        going: RunStart,
    ) -> Option<Place> {
        let mut running = self.lock_running();
        let is_free = running.len() < MAX_CONCURRENT;
        is_free.then(|| {
            running.push(Running {
                hook: Arc::clone(hook),
                going,
            });
            Place {
                late: Arc::clone(self),
                hook: Arc::clone(hook),
            }
        })
    }

    /// Waits for those that run, no longer than this, and returns the notices for the user about
    /// the others.
    pub(crate) async fn end_within(&self, wait: Duration) -> Vec<Notice> {
        let all = async {
            loop {
                let mut ended = std::pin::pin!(self.ended.notified());
                ended.as_mut().enable();
                if self.lock_running().is_empty() {
                    return;
                }
                ended.await;
            }
        };
        // Hooks that are still running are reported below.
        let _in_time = tokio::time::timeout(wait, all).await;
        let left = self.lock_running().clone();
        let active = left.iter().filter(|it| it.hook.mode == HookMode::Active);
        active.map(still_running_notice).collect()
    }

    /// Waits until a hook begins a turn, and returns what it and others said (FD-22).
    pub(crate) async fn next_turn(&self, patience: Patience) -> Option<HookContext> {
        let deadline = match patience {
            Patience::WhileTheyRun(longest) => Some(Instant::now() + longest),
            Patience::ForEver => None,
        };
        loop {
            let mut ended = std::pin::pin!(self.ended.notified());
            ended.as_mut().enable();
            if let Some(said) = self.take_turn() {
                return Some(said);
            }
            match deadline {
                None => ended.await,
                Some(_) if !self.lock_running().iter().any(|it| it.hook.rewakes) => return None,
                Some(deadline) => tokio::time::timeout_at(deadline, ended).await.ok()?,
            }
        }
    }

    fn lock_running(&self) -> MutexGuard<'_, Vec<Running>> {
        // Entries are added and removed as a whole, so a poisoned lock guards nothing broken.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what has to be passed on, and returns whether there was room for it.
    pub(crate) fn say(&self, hook: &Arc<HookDeclaration>, text: &str) -> bool {
        let Some(text) = HookContext::new(text) else {
            return true;
        };
        let mut undelivered = self.lock_undelivered();
        let length: usize = undelivered
            .texts
            .iter()
            .map(|it| it.text.as_str().len())
            .sum();
        let fits = length + text.as_str().len() <= MAX_MESSAGE_BYTES;
        if fits {
            undelivered.texts.push(LateText {
                hook: Arc::clone(hook),
                text,
            });
        }
        fits
    }

    /// Lets a turn begin with what was said; returns whether there may be another one.
    pub(crate) fn begin_turn(&self) -> bool {
        let mut undelivered = self.lock_undelivered();
        undelivered.begins_turn = undelivered.turns < MAX_TURNS;
        undelivered.begins_turn
    }

    fn take_turn(&self) -> Option<HookContext> {
        let mut undelivered = self.lock_undelivered();
        if !std::mem::take(&mut undelivered.begins_turn) {
            return None;
        }
        let texts = std::mem::take(&mut undelivered.texts);
        let text = HookContext::join(texts.iter().map(|it| &it.text));
        undelivered.turns += u32::from(text.is_some());
        text
    }

    /// Takes what was said since the last turn, to be reported with the next one.
    pub(crate) fn take(&self) -> TakenMessages<'_> {
        TakenMessages {
            texts: std::mem::take(&mut self.lock_undelivered().texts),
            late: self,
        }
    }

    /// Takes what was said for the model, each with who said it.
    pub(crate) fn take_messages(&self) -> Vec<Notice> {
        let texts = std::mem::take(&mut self.lock_undelivered().texts);
        let words = texts.iter();
        words
            .map(|it| Notice::of(&it.hook, it.text.as_str().to_owned()))
            .collect()
    }

    /// Takes what no turn passed on to the model, as notices for the user instead, when the session
    /// has ended.
    pub(crate) fn take_undelivered(&self) -> Vec<Notice> {
        let texts = std::mem::take(&mut self.lock_undelivered().texts);
        texts.iter().map(undelivered_notice).collect()
    }

    fn lock_undelivered(&self) -> MutexGuard<'_, Undelivered> {
        // Its content is always complete, so a poisoned lock guards nothing broken.
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What was taken to be reported with a turn. What the turn doesn't pass on to the model goes back,
/// whatever ends it.
#[derive(Debug)]
pub(crate) struct TakenMessages<'a> {
    late: &'a Late,
    texts: Vec<LateText>,
}

impl TakenMessages<'_> {
    /// Returns all of it as one text.
    pub(crate) fn context(&self) -> Option<HookContext> {
        HookContext::join(self.texts.iter().map(|it| &it.text))
    }

    /// Passes it on to a turn, so that none needs to begin for it any more.
    pub(crate) fn tell(mut self) {
        self.texts.clear();
        let mut undelivered = self.late.lock_undelivered();
        undelivered.begins_turn &= !undelivered.texts.is_empty();
    }
}

impl Drop for TakenMessages<'_> {
    fn drop(&mut self) {
        if !self.texts.is_empty() {
            let texts = std::mem::take(&mut self.texts);
            self.late.lock_undelivered().texts.splice(0..0, texts);
        }
    }
}

/// Reports what a hook said that reached no turn.
fn undelivered_notice(saying: &LateText) -> Notice {
    let text = saying.text.as_str();
    let shown = &text[..text.floor_char_boundary(MAX_SHOWN_BYTES)];
    let cut = if shown.len() < text.len() {
        " […]"
    } else {
        ""
    };
    let text = format!(
        "nobody waited for it, and the session ended before the model could read what it said: \
         {shown}{cut}"
    );
    Notice::of(&saying.hook, text)
}

/// Reports a hook that runs when the session ends.
fn still_running_notice(running: &Running) -> Notice {
    let hook = &running.hook;
    let lost = if hook.refusing() == Refusing::Always {
        ", also a refusal,"
    } else {
        ""
    };
    let text = match running.going {
        RunStart::Launched => format!(
            "it is \"async\" and was still running when the session ended; it keeps running, and \
             what it says from now on{lost} comes too late"
        ),
        RunStart::Released => format!(
            "it declared itself asynchronous, and was still running when the session ended: it is \
             ended with the session, and what it would have said{lost} is lost"
        ),
    };
    Notice::of(hook, text)
}

/// What a run that outlives its firing takes along.
#[derive(Clone, Copy)]
pub(crate) struct Lasting<'a> {
    pub(crate) inner: &'a Arc<Inner>,
    pub(crate) turn: &'a TurnView,
    pub(crate) late: &'a Arc<Late>,
}

/// A hook that said that nobody needs to wait for it: what its run waits for, to be reported.
#[derive(Debug)]
pub(crate) struct ReleasedRun {
    pub(crate) place: Place,
    pub(crate) sender: oneshot::Sender<(Place, &'static [&'static str])>,
}

impl ReleasedRun {
    /// Lets its run continue by itself, once it is known which parts of the input other hooks
    /// withheld (AT-1).
    pub(crate) fn continue_alone(self, hidden: &'static [&'static str]) {
        // Sending can't fail in a way that matters: a run that has ended meanwhile receives it too.
        drop(self.sender.send((self.place, hidden)));
    }
}
