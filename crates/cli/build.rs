//! Links the release binary for Linux statically and not position-independent.
//!
//! Such a program starts in about half the time of a dynamic one, because there is nothing to load
//! and to relocate. `-C target-feature=+crt-static` can't be set in the workspace's configuration:
//! without `--target` it affects procedural macros too, which can't be built that way. So requests
//! of rustc for shared libraries are answered here with linker scripts that name the static ones,
//! only for the binary.
//!
//! If there is no static C library, and on every other platform, the binary stays as it is.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// The names that rustc puts on the linker's command line, and the replacements.
const ANSWERS: &[(&str, &str)] = &[
    ("c", "libc.a libgcc.a libgcc_eh.a"),
    ("gcc_s", "libgcc_eh.a libgcc.a libc.a"),
    ("dl", "libdl.a"),
    ("m", "libm.a"),
    ("pthread", "libpthread.a"),
    ("rt", "librt.a"),
    ("util", "libutil.a"),
];

/// The standard library refers weakly to this function, and a weak reference alone doesn't fetch it
/// from a static library. Without it, starting a child in another working directory requires a
/// `fork` (35 ms from a process of 1 GB) instead of `posix_spawn` (0.5 ms).
const WANTED: &str = "-Wl,--undefined=posix_spawn_file_actions_addchdir_np";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if !is("CARGO_CFG_TARGET_OS", "linux") || !is("CARGO_CFG_TARGET_ENV", "gnu") {
        return Ok(());
    }
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    if features.split(',').any(|feature| feature == "crt-static") {
        println!("cargo::rustc-link-arg-bins={WANTED}");
        return Ok(());
    }
    let native = env::var("HOST").ok() == env::var("TARGET").ok();
    let Some(folder) = env::var_os("OUT_DIR").map(PathBuf::from) else {
        return Ok(());
    };
    if is("PROFILE", "release") && native && static_libraries_exist() {
        link_statically(&folder)?;
    }
    Ok(())
}

/// Returns whether the C compiler finds a static form of every library: it prints a path for a file
/// that it found, and the bare name for one that it didn't.
fn static_libraries_exist() -> bool {
    ANSWERS
        .iter()
        .flat_map(|(_, archives)| archives.split(' '))
        .all(|archive| {
            Command::new("cc")
                .arg(format!("-print-file-name={archive}"))
                .output()
                .is_ok_and(|output| {
                    Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_absolute()
                })
        })
}

fn link_statically(folder: &Path) -> io::Result<()> {
    for (library, archives) in ANSWERS {
        fs::write(
            folder.join(format!("lib{library}.so")),
            format!("GROUP ( {archives} )\n"),
        )?;
    }
    println!("cargo::rustc-link-arg-bins=-L{}", folder.display());
    for argument in ["-static", "-no-pie", WANTED] {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
    Ok(())
}
