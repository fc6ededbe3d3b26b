//! The wheel: `pip install hookloop`, `uvx hookloop` (PEP 427).

use std::io::{Cursor, Write};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::error::PackageError;
use crate::release::{LICENSE, PackedFile, REPOSITORY, Release, SUMMARY, VERSION};

/// Packs the program as a script, with the modules that hooks in Python are written with.
pub(crate) fn pack(release: &Release, level: u32) -> Result<PackedFile, PackageError> {
    let tag = format!("py3-none-{}", release.platform.wheel);
    let info = format!("hookloop-{VERSION}.dist-info");
    let program = format!(
        "hookloop-{VERSION}.data/scripts/{}",
        release.platform.program
    );
    let platforms = release.platform.wheel.split('.');
    let tags: Vec<_> = platforms
        .map(|it| format!("Tag: py3-none-{it}\n"))
        .collect();
    let tags = tags.concat();
    let mut files = release.python_kit.clone();
    files.extend([
        PackedFile::program(program, release.program.clone()),
        PackedFile::data(format!("{info}/METADATA"), metadata(release)),
        PackedFile::data(format!("{info}/licenses/LICENSE"), release.license.clone()),
        PackedFile::data(
            format!("{info}/WHEEL"),
            format!("Wheel-Version: 1.0\nGenerator: hookloop-packaging {VERSION}\nRoot-Is-Purelib: false\n{tags}"),
        ),
    ]);
    let record = format!("{info}/RECORD");
    files.push(PackedFile::data(record.clone(), listed(&files, &record)));
    Ok(PackedFile::data(
        format!("hookloop-{VERSION}-{tag}.whl"),
        zipped(&files, level)?,
    ))
}

fn metadata(release: &Release) -> String {
    format!(
        "Metadata-Version: 2.4\n\
         Name: hookloop\n\
         Version: {VERSION}\n\
         Summary: {SUMMARY}\n\
         License-Expression: {LICENSE}\n\
         License-File: LICENSE\n\
         Project-URL: Repository, {REPOSITORY}\n\
         Requires-Python: >=3.9\n\
         Description-Content-Type: text/markdown\n\
         \n{}",
        String::from_utf8_lossy(&release.readme)
    )
}

/// Lists the files with their checksums; the list itself has none.
fn listed(files: &[PackedFile], record: &str) -> String {
    let lines = files.iter().map(|file| {
        let sum = URL_SAFE_NO_PAD.encode(Sha256::digest(&file.bytes));
        format!("{},sha256={sum},{}\n", file.name, file.bytes.len())
    });
    lines.chain([format!("{record},,\n")]).collect()
}

fn zipped(files: &[PackedFile], level: u32) -> Result<Vec<u8>, PackageError> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for file in files {
        let method = match level {
            0 => CompressionMethod::Stored,
            _ => CompressionMethod::Deflated,
        };
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .compression_level((level > 0).then_some(i64::from(level)))
            .last_modified_time(DateTime::default())
            .unix_permissions(file.mode.bits());
        archive.start_file(&file.name, options)?;
        archive.write_all(&file.bytes)?;
    }
    Ok(archive.finish()?.into_inner())
}
