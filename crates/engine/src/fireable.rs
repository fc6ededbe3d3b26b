//! The events as they are compiled: once, in this crate.
//!
//! The body of an `async fn` is compiled anew in every crate that awaits it. What fires an event is
//! most of the engine's code, and a host that awaits all eleven events would compile it eleven
//! times. Behind a pointer that a function of this crate returns, it is compiled here.

use hookloop_events::{
    AfterAgent, AfterModel, AfterTool, BeforeAgent, BeforeModel, BeforeTool, BeforeToolSelection,
    Event, Notification, PreCompress, SessionEnd, SessionStart,
};

use crate::call::{Call, Unaccepted};
use crate::conclusion::Fired;
use crate::port::BoxFuture;
use crate::second_look::{LetThrough, Unacceptable};

/// What hooks said about an event, or about one whose rewritten value the host can't accept.
pub(crate) type SettledResult<E> = Result<Option<Fired<E>>, Box<Unaccepted<E, Unacceptable>>>;

/// An event that sessions fire.
pub(crate) trait Fireable: Event + Sized {
    /// Fires the event; returns `None` if no hook runs (EV-2). Hooks look again at what others
    /// rewrote (BT-10).
    fn fire<'a>(call: &'a Call<'_>, input: Self::Input) -> BoxFuture<'a, Option<Fired<Self>>>;
}

/// An event whose rewritten value the host has to accept.
pub(crate) trait Settled: Fireable {
    /// Fires the event. What hooks let through is given to the host before they look again at it.
    ///
    /// # Errors
    /// The host can't accept what hooks rewrote.
    fn fire_settled<'a>(
        call: &'a Call<'_>,
        input: Self::Input,
        let_through: &'a mut LetThrough<'_, Self, Unacceptable>,
    ) -> BoxFuture<'a, SettledResult<Self>>;
}

macro_rules! fireable {
    ($($event:ty),+ $(,)?) => {
        $(impl Fireable for $event {
            fn fire<'a>(call: &'a Call<'_>, input: Self::Input) -> BoxFuture<'a, Option<Fired<Self>>> {
                Box::pin(call.fire::<Self>(input))
            }
        })+
    };
}

macro_rules! settled {
    ($($event:ty),+ $(,)?) => {
        $(impl Settled for $event {
            fn fire_settled<'a>(
                call: &'a Call<'_>,
                input: Self::Input,
                let_through: &'a mut LetThrough<'_, Self, Unacceptable>,
            ) -> BoxFuture<'a, SettledResult<Self>> {
                Box::pin(call.fire_settled::<Self, Unacceptable>(input, let_through))
            }
        })+
    };
}

fireable!(
    SessionStart,
    SessionEnd,
    Notification,
    BeforeAgent,
    AfterAgent,
    BeforeModel,
    BeforeToolSelection,
    AfterModel,
    BeforeTool,
    AfterTool,
    PreCompress,
);

settled!(BeforeModel, BeforeTool);
