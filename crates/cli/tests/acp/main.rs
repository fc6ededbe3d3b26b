//! Sessions that an editor drives, with the protocol's own client and a scripted model (TU-7).
#![cfg(all(unix, feature = "acp"))]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that can't go on fails"
)]

mod asking;
mod ending;
mod prompting;
mod sessions;
mod telling;
mod world;
