//! Sessions that are killed, cut off, interrupted and used for long, as their users would have
//! it: nothing is lost, nothing hangs, nothing is left behind.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that can't go on fails"
)]
#![expect(
    clippy::print_stdout,
    reason = "what was measured is of interest when a test fails, and with --no-capture"
)]

mod endings;
mod endurance;
mod history;
mod interrupt;
mod interrupt_headless;
mod kept_out;
mod kill;
mod kill_compressing;
mod kill_configuring;
mod kill_talking;
mod pipes;
mod sandbox;
mod script;
mod servers;
mod servers_terminal;
mod service;
mod situations;
#[path = "../terminal/world.rs"]
#[expect(
    dead_code,
    reason = "these tests need a part of what tests of the screen do"
)]
mod terminal;
mod unwritten;
mod world;
