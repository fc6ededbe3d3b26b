//! The bridge: what the program answers when another agent calls it, and what it writes into that
//! agent's settings.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

mod calls;
mod copies;
mod cursor;
mod failing;
mod guarding;
mod installing;
mod letting_go;
mod surroundings;
mod switching;
mod world;
