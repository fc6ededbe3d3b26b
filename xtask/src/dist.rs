//! The release binary for distribution: on Linux, static and at a fixed position.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// Why there is no binary to distribute.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DistError {
    #[error("couldn't start cargo: {0}")]
    Start(io::Error),
    #[error("`cargo build --profile dist` ended with {0}")]
    Build(std::process::ExitStatus),
    #[error("couldn't read {path}: {cause}")]
    Read { path: PathBuf, cause: io::Error },
    #[error("{path} is {found}; a static program at a fixed position was wanted")]
    Linking { path: PathBuf, found: &'static str },
}

/// What was built.
#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) path: PathBuf,
    pub(crate) bytes: usize,
}

/// How an ELF program is linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Linking {
    Static,
    StaticAtAnyPosition,
    Dynamic,
    NotElf,
}

impl Linking {
    fn name(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::StaticAtAnyPosition => "static, but position-independent",
            Self::Dynamic => "linked dynamically",
            Self::NotElf => "not a 64-bit ELF program",
        }
    }
}

/// Builds the release binary, and on Linux checks how it is linked.
pub(crate) fn build(root: &Path, target: &Path) -> Result<Built, DistError> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args([
            "build",
            "--profile",
            "dist",
            "--package",
            "hookloop",
            "--bin",
            "hookloop",
            "--features",
            "plugins",
        ])
        .current_dir(root)
        .status()
        .map_err(DistError::Start)?;
    if !status.success() {
        return Err(DistError::Build(status));
    }
    let path = target
        .join("dist")
        .join(format!("hookloop{}", env::consts::EXE_SUFFIX));
    let bytes = fs::read(&path).map_err(|cause| DistError::Read {
        path: path.clone(),
        cause,
    })?;
    let linking = linking(&bytes);
    if cfg!(target_os = "linux") && linking != Linking::Static {
        return Err(DistError::Linking {
            path,
            found: linking.name(),
        });
    }
    Ok(Built {
        path,
        bytes: bytes.len(),
    })
}

/// Reads the header of a little-endian 64-bit ELF file.
fn linking(bytes: &[u8]) -> Linking {
    const AT_FIXED_POSITION: u16 = 2;
    const INTERPRETER: u32 = 3;
    let elf = bytes.starts_with(b"\x7fELF\x02\x01");
    let header = (
        half(bytes, 16),
        word(bytes, 32),
        half(bytes, 54),
        half(bytes, 56),
    );
    let (true, (Some(kind), Some(offset), Some(size), Some(count))) = (elf, header) else {
        return Linking::NotElf;
    };
    let segments = (0..usize::from(count)).filter_map(|index| {
        let begin = usize::try_from(offset).ok()? + index * usize::from(size);
        word(bytes, begin)
    });
    if segments.into_iter().any(|kind| kind == INTERPRETER) {
        Linking::Dynamic
    } else if kind == AT_FIXED_POSITION {
        Linking::Static
    } else {
        Linking::StaticAtAnyPosition
    }
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

/// Reads 32 bits; enough for offsets too, which are in the first half of a 64-bit field.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests;
