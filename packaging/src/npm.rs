//! The packages for npm: `npx hookloop`, `npm install hookloop`.
//!
//! `hookloop` holds a launcher and the module that hooks for Node are written with; the program is
//! in a package for each platform, of which npm installs the one that fits.

use serde_json::{Map, Value, json};

use crate::archive::tar_gz;
use crate::error::PackageError;
use crate::platform::Platform;
use crate::release::{LICENSE, PackedFile, REPOSITORY, Release, SUMMARY, VERSION};

/// Starts the program of the platform's package, and ends as it ends.
const LAUNCHER: &str = include_str!("npm/launcher.js");

/// Packs both.
pub(crate) fn pack(release: &Release, level: u32) -> Result<[PackedFile; 2], PackageError> {
    let platform = release.platform;
    let own = platform.npm_package();
    let program = format!("bin/{}", platform.program);
    let of_platform = json!({
        "name": own,
        "version": VERSION,
        "description": format!("The hookloop program for {}", platform.triple),
        "license": LICENSE,
        "repository": repository(),
        "os": [platform.npm.0],
        "cpu": [platform.npm.1],
        "files": ["bin"],
    });
    let of_platform = [
        PackedFile::data("package.json", text(&of_platform)),
        PackedFile::data("LICENSE", release.license.clone()),
        PackedFile::program(program, release.program.clone()),
    ];
    let mut of_all = vec![
        PackedFile::data("package.json", text(&main())),
        PackedFile::data("README.md", release.readme.clone()),
        PackedFile::data("LICENSE", release.license.clone()),
        PackedFile::program("bin/hookloop.js", LAUNCHER),
    ];
    of_all.extend(release.node_kit.iter().cloned());
    let pack = |name: String, files: &[PackedFile]| {
        let files: Vec<_> = files.iter().map(|file| file.below("package")).collect();
        tar_gz(&files, level).map(|bytes| PackedFile::data(name, bytes))
    };
    let name = own.trim_start_matches('@').replace('/', "-");
    Ok([
        pack(format!("{name}-{VERSION}.tgz"), &of_platform)?,
        pack(format!("hookloop-{VERSION}.tgz"), &of_all)?,
    ])
}

fn main() -> Value {
    let programs: Map<String, Value> = Platform::all()
        .iter()
        .map(|platform| (platform.npm_package(), json!(VERSION)))
        .collect();
    json!({
        "name": "hookloop",
        "version": VERSION,
        "description": SUMMARY,
        "license": LICENSE,
        "repository": repository(),
        "bin": {"hookloop": "bin/hookloop.js"},
        "exports": {".": {"types": "./index.d.mts", "default": "./index.mjs"}},
        "types": "./index.d.mts",
        "engines": {"node": ">=18"},
        "optionalDependencies": programs,
    })
}

/// Where the packages come from. The registry accepts a statement of their provenance only with it.
fn repository() -> Value {
    json!({"type": "git", "url": format!("git+{REPOSITORY}.git")})
}

fn text(package: &Value) -> String {
    format!("{package:#}\n")
}
