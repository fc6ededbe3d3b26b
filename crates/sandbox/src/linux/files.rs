//! What Landlock forbids: writing elsewhere, mounting, tracing, and signalling other processes.

use std::path::Path;

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd,
    Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetStatus, Scope,
};

use crate::confinement::Confinement;

/// The minimum Landlock version: earlier ones don't restrict truncating files.
const MIN_ABI: ABI = ABI::V3;

/// Devices that every program may write to. Terminals aren't among them, because writing to one can
/// inject input into what runs beside it.
const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

/// Restricts writing by this process to the writable folders.
pub(super) fn restrict(confinement: &Confinement) -> Result<(), String> {
    let status = ruleset(confinement)
        .map_err(|error| format!("this kernel has no Landlock of version 3 or later: {error}"))?
        .restrict_self()
        .map_err(|error| format!("Landlock: {error}"))?;
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err("this kernel has no Landlock".to_owned());
    }
    Ok(())
}

fn ruleset(confinement: &Confinement) -> Result<RulesetCreated, landlock::RulesetError> {
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_write(MIN_ABI))?
        .set_compatibility(CompatLevel::BestEffort)
        .scope(Scope::from_all(ABI::V6))?
        .create()?;
    // Creating devices is forbidden: through one, a whole disk can be written.
    let in_folders = AccessFs::from_write(MIN_ABI) & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    let on_files = in_folders & AccessFs::from_file(MIN_ABI);
    for device in DEVICES {
        ruleset = allow(ruleset, Path::new(device), on_files)?;
    }
    for path in confinement.writable() {
        let access = if path.is_dir() { in_folders } else { on_files };
        ruleset = allow(ruleset, &path, access)?;
    }
    Ok(ruleset)
}

/// Ignores missing paths, which can't be written anyway.
fn allow(
    ruleset: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, landlock::RulesetError> {
    match PathFd::new(path) {
        Ok(folder) => ruleset.add_rule(PathBeneath::new(folder, access)),
        Err(_) => Ok(ruleset),
    }
}
