//! Which of root's capabilities a confined program keeps: those for files and users. One for
//! mounting could make writable again what was made read-only.

use caps::{CapSet, Capability};

/// The capabilities that builds, installers and servers of a workspace need.
const KEPT_CAPABILITIES: [Capability; 7] = [
    Capability::CAP_CHOWN,
    Capability::CAP_DAC_OVERRIDE,
    Capability::CAP_FOWNER,
    Capability::CAP_FSETID,
    Capability::CAP_SETGID,
    Capability::CAP_SETUID,
    Capability::CAP_NET_BIND_SERVICE,
];

/// Drops all other capabilities: neither the program nor its children can regain them, whatever
/// their user.
pub(super) fn leave() -> Result<(), String> {
    let failed = |error: caps::errors::CapsError| format!("privileges can't be dropped: {error}");
    caps::clear(None, CapSet::Ambient).map_err(failed)?;
    caps::clear(None, CapSet::Inheritable).map_err(failed)?;
    // Only the capabilities that the running kernel supports matter.
    for right in caps::runtime::thread_all_supported() {
        let is_held = caps::has_cap(None, CapSet::Bounding, right).map_err(failed)?;
        if is_held && !KEPT_CAPABILITIES.contains(&right) {
            caps::drop(None, CapSet::Bounding, right).map_err(failed)?;
        }
    }
    Ok(())
}
