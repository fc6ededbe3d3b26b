//! What an event comes to whose hooks were cancelled (EV-5).

use std::error::Error;
use std::fmt;

/// The hooks of an event were cancelled, so they have decided nothing (EV-5).
///
/// It stands beside every outcome and is none of them: nothing that waited for the hooks happens.
/// Silence clears no value, refuses nothing and keeps nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled;

impl fmt::Display for Cancelled {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the hooks were cancelled and have decided nothing")
    }
}

impl Error for Cancelled {}
