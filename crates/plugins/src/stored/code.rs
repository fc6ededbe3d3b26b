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
    // SAFETY: wasmtime requires bytes that `Component::serialize` returned. `Stored::save` computed
    // the seal over exactly these bytes, with a key that only the user can read, and `Stored::load`
    // verified it. Since then, the bytes have been in our own memory: no file is mapped that could
    // change. wasmtime itself checks that version and settings of the engine are the same.
    unsafe { Component::deserialize(engine, sealed.0) }.ok()
}
