//! Makes the packages that people install, from a program that is built already.
//!
//! Every package contains the same static program. What is written depends on nothing but the
//! program and the files of the repository: no clock, no user, no order of a folder, so that
//! whoever builds a release gets the same bytes.

mod archive;
mod deb;
mod error;
mod executable;
mod npm;
mod platform;
mod readme;
mod release;
mod sums;
mod tarball;
mod wheel;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;

use error::PackageError;
use executable::Linking;
use platform::Platform;
use release::Release;

/// Makes packages of a built program.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask package")]
struct Arguments {
    /// The program that the packages hold
    #[arg(long, value_name = "FILE")]
    binary: PathBuf,
    /// What it was built for
    #[arg(long, value_name = "TRIPLE", default_value = Platform::HERE)]
    target: String,
    /// A program that runs here and prints the manual pages and completions, where the packaged one
    /// can't
    #[arg(long, value_name = "FILE")]
    runs_here: Option<PathBuf>,
    /// Where the packages go
    #[arg(long, value_name = "DIR", default_value = "target/packages")]
    out: PathBuf,
    /// How well packages are packed, from 0 (not at all) to 9
    #[arg(long, value_name = "LEVEL", default_value_t = 9, value_parser = clap::value_parser!(u32).range(0..=9))]
    level: u32,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match package(&arguments) {
        Ok(made) => {
            let mut out = io::stdout().lock();
            for path in made {
                let _ = writeln!(out, "{}", path.display());
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            let _ = writeln!(io::stderr(), "failed to package: {error}");
            ExitCode::FAILURE
        }
    }
}

fn package(arguments: &Arguments) -> Result<Vec<PathBuf>, PackageError> {
    let platform = Platform::find(&arguments.target)?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let runs_here = arguments.runs_here.as_ref().unwrap_or(&arguments.binary);
    let release = Release::gather(&root, &arguments.binary, runs_here, platform)?;
    if release.linking == Linking::Dynamic {
        let _ = writeln!(
            io::stderr(),
            "warning: {} needs the C library that it was built with, although packages say that it \
             runs beside any: `cargo xtask dist` builds a static program",
            arguments.binary.display()
        );
    }
    fs::create_dir_all(&arguments.out).map_err(PackageError::at(&arguments.out))?;
    let mut files = vec![
        wheel::pack(&release, arguments.level)?,
        tarball::pack(&release, arguments.level)?,
    ];
    files.extend(npm::pack(&release, arguments.level)?);
    files.extend(deb::pack(&release, arguments.level)?);
    files.push(sums::bill_of_materials(&root, &release)?);
    let sums = sums::checksums(&files);
    files.push(sums);
    let mut made = Vec::new();
    for file in files {
        let path = arguments.out.join(&file.name);
        fs::write(&path, &file.bytes).map_err(PackageError::at(&path))?;
        made.push(path);
    }
    Ok(made)
}
