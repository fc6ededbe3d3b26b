//! The package for Debian and what descends from it.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

use crate::archive::tar_gz;
use crate::error::PackageError;
use crate::release::{PackedFile, Release, SUMMARY, VERSION};

/// Packs the program where the system looks for it; nothing on a platform without Debian.
pub(crate) fn pack(release: &Release, level: u32) -> Result<Option<PackedFile>, PackageError> {
    let Some(architecture) = release.platform.deb else {
        return Ok(None);
    };
    let mut files = vec![
        PackedFile::program("./usr/bin/hookloop", release.program.clone()),
        PackedFile::data(
            "./usr/share/doc/hookloop/copyright",
            release.license.clone(),
        ),
    ];
    for page in &release.manual {
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&page.bytes)?;
        let name = format!("./usr/share/man/man1/{}.gz", page.name);
        files.push(PackedFile::data(name, packed.finish()?));
    }
    for script in &release.completions {
        let folder = match script.name.as_str() {
            "hookloop.bash" => "./usr/share/bash-completion/completions/hookloop",
            "_hookloop" => "./usr/share/zsh/vendor-completions/_hookloop",
            "hookloop.fish" => "./usr/share/fish/vendor_completions.d/hookloop.fish",
            _ => continue,
        };
        files.push(PackedFile::data(folder, script.bytes.clone()));
    }
    let control = format!(
        "Package: hookloop\n\
         Version: {VERSION}\n\
         Architecture: {architecture}\n\
         Maintainer: The Hookloop maintainers <maintainers@hookloop.invalid>\n\
         Section: devel\n\
         Priority: optional\n\
         Recommends: bash\n\
         Installed-Size: {}\n\
         Description: {SUMMARY}\n",
        files.iter().map(|file| file.bytes.len()).sum::<usize>() / 1024
    );
    let control = tar_gz(&[PackedFile::data("./control", control)], level)?;
    let members = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", control),
        ("data.tar.gz", tar_gz(&files, level)?),
    ];
    let mut package = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        // deb(5): a member's header is 60 bytes of text.
        writeln!(
            package,
            "{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`",
            0,
            0,
            0,
            "100644",
            bytes.len()
        )?;
        package.extend(&bytes);
        if bytes.len() % 2 == 1 {
            package.push(b'\n');
        }
    }
    let name = format!("hookloop_{VERSION}_{architecture}.deb");
    Ok(Some(PackedFile::data(name, package)))
}
