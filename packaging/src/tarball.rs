//! The archive for people who put programs where they like, and for Homebrew, Nix and
//! `cargo binstall`.

use crate::archive::tar_gz;
use crate::error::PackageError;
use crate::release::{PackedFile, Release, VERSION};

/// Packs a folder with the program, its manual pages and completions.
pub(crate) fn pack(release: &Release, level: u32) -> Result<PackedFile, PackageError> {
    let name = format!("hookloop-{VERSION}-{}", release.platform.triple);
    let mut files = vec![
        PackedFile::program(release.platform.program, release.program.clone()),
        PackedFile::data("README.md", release.readme.clone()),
        PackedFile::data("LICENSE", release.license.clone()),
    ];
    files.extend(release.manual.iter().map(|page| page.below("man/man1")));
    files.extend(release.completions.iter().map(|it| it.below("completions")));
    let files: Vec<_> = files.iter().map(|file| file.below(&name)).collect();
    Ok(PackedFile::data(
        format!("{name}.tar.gz"),
        tar_gz(&files, level)?,
    ))
}
