//! What a release must not publish: packages of another platform's program, and a formula without
//! a checksum.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that can't go on fails")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The beginnings of programs for each platform.
fn programs() -> [(&'static str, Vec<u8>); 5] {
    let elf = |machine: u8| {
        let mut bytes = b"\x7fELF\x02\x01\x01".to_vec();
        bytes.resize(64, 0);
        bytes[18] = machine;
        bytes
    };
    let mach = |machine: u8| {
        let mut bytes = b"\xcf\xfa\xed\xfe".to_vec();
        bytes.extend([machine, 0, 0, 1]);
        bytes.resize(64, 0);
        bytes
    };
    let mut windows = b"MZ".to_vec();
    windows.resize(0x40, 0);
    windows[0x3c] = 0x40;
    windows.extend(b"PE\0\0\x64\x86");
    [
        ("x86_64-unknown-linux-musl", elf(62)),
        ("aarch64-unknown-linux-musl", elf(183)),
        ("x86_64-apple-darwin", mach(7)),
        ("aarch64-apple-darwin", mach(12)),
        ("x86_64-pc-windows-msvc", windows),
    ]
}

fn package(folder: &Path, program: &[u8], target: &str) -> Output {
    package_with(folder, program, target, "true")
}

fn package_with(folder: &Path, program: &[u8], target: &str, runs_here: &str) -> Output {
    let binary = folder.join("program");
    fs::write(&binary, program).unwrap();
    Command::new(env!("CARGO_BIN_EXE_hookloop-packaging"))
        .arg("--binary")
        .arg(binary)
        .args(["--runs-here", runs_here, "--target", target, "--level", "0"])
        .arg("--out")
        .arg(folder.join("packages"))
        .output()
        .unwrap()
}

#[test]
fn a_program_is_packed_for_its_own_platform_only() {
    for (own, program) in programs() {
        for (target, _) in programs() {
            let folder = tempfile::tempdir().unwrap();
            let made = package(folder.path(), &program, target);
            let said = String::from_utf8_lossy(&made.stderr).into_owned();
            assert_eq!(
                made.status.success(),
                own == target,
                "{own} {target}: {said}"
            );
            let is_there = folder.path().join("packages").exists();
            assert_eq!(is_there, own == target, "{own} {target}: {said}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    for no_program in [&b""[..], b"MZ", b"\x7fELF", b"#!/bin/sh\nexit 0\n"] {
        let made = package(folder.path(), no_program, "x86_64-unknown-linux-musl");
        assert!(!made.status.success(), "{made:?}");
    }
}

/// IO-21: a program that was built without a type of hooks isn't packaged.
#[test]
fn a_program_without_a_part_is_not_packaged() {
    let folder = tempfile::tempdir().unwrap();
    let complains = folder.path().join("complains");
    // Written by another process: a program that this one had open could be busy.
    let script = r#"printf '#!/bin/sh\ncase "$*" in *check*) echo "built: was built without plugins; no" ;; esac\n' >"$1"
        chmod +x "$1""#;
    let written = Command::new("sh")
        .args(["-c", script, "sh"])
        .arg(&complains)
        .status();
    assert!(written.unwrap().success());
    let (target, program) = &programs()[0];
    for (runs_here, is_packaged) in [("true", true), (complains.to_str().unwrap(), false)] {
        let made = package_with(folder.path(), program, target, runs_here);
        let said = String::from_utf8_lossy(&made.stderr);
        assert_eq!(made.status.success(), is_packaged, "{said}");
        assert_eq!(
            said.contains("was built without plugins"),
            !is_packaged,
            "{said}"
        );
    }
}

#[test]
fn a_formula_without_a_checksum_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let sums = folder.path().join("SHA256SUMS");
    let lines: Vec<String> = [
        "x86_64-unknown-linux-gnu",
        "aarch64-unknown-linux-gnu",
        "x86_64-apple-darwin",
        "aarch64-apple-darwin",
    ]
    .iter()
    .map(|triple| format!("{}  hookloop-1.2.3-{triple}.tar.gz\n", "ab".repeat(32)))
    .collect();
    let formula = |lines: &[String]| {
        fs::write(&sums, lines.concat()).unwrap();
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("homebrew/formula");
        Command::new(script).arg(&sums).output().unwrap()
    };
    let whole = formula(&lines);
    assert!(whole.status.success(), "{whole:?}");
    let text = String::from_utf8(whole.stdout).unwrap();
    assert_eq!(text.matches("sha256 \"abab").count(), 4, "{text}");
    for missing in 0..lines.len() {
        let mut fewer = lines.clone();
        fewer.remove(missing);
        let broken = formula(&fewer);
        assert!(!broken.status.success(), "{broken:?}");
        assert!(broken.stdout.is_empty(), "{broken:?}");
    }
}
