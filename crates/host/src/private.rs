//! Files and folders that only the person can access (TR-9).

use std::fs::OpenOptions;
use std::io;
use std::path::Path;

use hookloop_settings::bounded::unwaiting_options;

/// Creates a folder that only its owner can access, including its parents. An existing folder that
/// others can access is made private.
pub fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
        const RIGHTS: u32 = 0o700;
        const OTHERS_MASK: u32 = 0o077;
        builder.mode(RIGHTS).create(folder)?;
        let rights = folder.metadata()?.permissions();
        if rights.mode() & OTHERS_MASK != 0 {
            std::fs::set_permissions(folder, std::fs::Permissions::from_mode(RIGHTS))?;
        }
        Ok(())
    }
    #[cfg(not(unix))]
    builder.create(folder)
}

/// Returns options to create files that only their owner can read.
pub fn private_options() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "rights are lists there"))]
    let mut options = unwaiting_options();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options
}
