//! Archives in the form `tar.gz`, the same bytes for the same files.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};

use crate::error::PackageError;
use crate::release::PackedFile;

/// Packs files.
pub(crate) fn tar_gz(files: &[PackedFile], level: u32) -> Result<Vec<u8>, PackageError> {
    let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::new(level)));
    for file in files {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_size(file.bytes.len() as u64);
        header.set_mode(file.mode.bits());
        header.set_mtime(0);
        archive.append_data(&mut header, &file.name, &*file.bytes)?;
    }
    let mut packed = archive.into_inner()?;
    packed.flush()?;
    Ok(packed.finish()?)
}
