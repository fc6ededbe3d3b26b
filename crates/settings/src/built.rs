//! What this build can carry out. What it can't is a hook that could not start (IO-21).

use hookloop_dialects::spoken_dialects;
use hookloop_hook::Dialect;

/// Tells whether payloads and replies are translated for a dialect.
pub(crate) fn speaks(dialect: Dialect) -> bool {
    spoken_dialects().any(|it| it == dialect)
}
