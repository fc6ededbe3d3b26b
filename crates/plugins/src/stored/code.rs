//! The only place that loads machine code.

use wasmtime::Engine;
use wasmtime::component::Component;

/// Machine code with a valid seal: this program wrote exactly these bytes.
pub(super) struct Sealed<'a>(pub(super) &'a [u8]);

/// Loads a component from code that an engine like this one compiled.
#[expect(
    unsafe_code,
    reason = "whether machine code is what a compiler wrote can't be checked"
)]
pub(super) fn component(engine: &Engine, sealed: &Sealed<'_>) -> Option<Component> {
    // SAFETY: wasmtime asks for bytes that `Component::serialize` returned. The seal is made over just
    // these in `Stored::save`, with a key that only the person can read, and was compared in
    // `Stored::load`. The bytes are ours since then, in memory: no file is mapped that could change.
    // That the engine is of the same version and settings wasmtime looks at itself.
    unsafe { Component::deserialize(engine, sealed.0) }.ok()
}
