//! What a program was built for, as its own header says.

use crate::error::PackageError;
use crate::platform::Platform;

/// The type of a segment that names the dynamic loader (`PT_INTERP`).
const LOADER: usize = 3;

/// Whether a program needs libraries of the system that it runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Linking {
    /// It needs none, or those that every such system has.
    Whole,
    /// It needs the C library that it was built with.
    Dynamic,
}

/// Expects a program to be for a platform, and returns how it is linked.
pub(crate) fn expect_built_for(
    program: &[u8],
    platform: &'static Platform,
) -> Result<Linking, PackageError> {
    let found = triple_of(program);
    let fits = found.is_some_and(|it| {
        let (machine, system) = it.split_once('-').unwrap_or_default();
        platform.triple.starts_with(machine) && platform.triple.contains(system)
    });
    if !fits {
        return Err(PackageError::OtherPlatform {
            asked: platform.triple,
            found: found.unwrap_or("something else"),
        });
    }
    Ok(match names_loader(program) {
        Some(true) => Linking::Dynamic,
        _ => Linking::Whole,
    })
}

/// Returns the machine and the system of a program, as a triple names them.
fn triple_of(program: &[u8]) -> Option<&'static str> {
    if program.starts_with(b"\x7fELF") {
        return match number(program, 18, 2)? {
            62 => Some("x86_64-linux"),
            183 => Some("aarch64-linux"),
            _ => None,
        };
    }
    if program.starts_with(b"\xcf\xfa\xed\xfe") {
        return match number(program, 4, 4)? {
            0x0100_0007 => Some("x86_64-apple"),
            0x0100_000c => Some("aarch64-apple"),
            _ => None,
        };
    }
    let header = number(program, 0x3c, 4)?;
    if !program.starts_with(b"MZ") || number(program, header, 4)? != 0x4550 {
        return None;
    }
    match number(program, header.checked_add(4)?, 2)? {
        0x8664 => Some("x86_64-windows"),
        0xaa64 => Some("aarch64-windows"),
        _ => None,
    }
}

/// Returns whether an ELF program names a dynamic loader.
fn names_loader(program: &[u8]) -> Option<bool> {
    if !program.starts_with(b"\x7fELF") {
        return None;
    }
    let table = number(program, 32, 8)?;
    let size = number(program, 54, 2)?;
    let count = number(program, 56, 2)?;
    let mut types = (0..count).map(|index| {
        let place = index.checked_mul(size)?.checked_add(table)?;
        number(program, place, 4)
    });
    Some(types.any(|it| it == Some(LOADER)))
}

/// Reads a number, the least significant byte first.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    let number = bytes.iter().rev();
    Some(number.fold(0, |number, byte| number << 8 | usize::from(*byte)))
}
