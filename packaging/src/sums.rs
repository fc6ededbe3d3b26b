//! What lets others check a release: checksums, and a bill of materials (`CycloneDX`).

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::error::PackageError;
use crate::release::{LICENSE, PackedFile, Release, VERSION};

/// Lists the packages with their checksums, as `sha256sum --check` reads them.
pub(crate) fn checksums(files: &[PackedFile]) -> PackedFile {
    let lines = files
        .iter()
        .map(|file| format!("{}  {}\n", hex(&file.bytes), file.name));
    PackedFile::data("SHA256SUMS", lines.collect::<String>())
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(bytes) {
        // Writing to a string can't fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Lists every crate that is in the program, by its locked version.
pub(crate) fn bill_of_materials(
    root: &Path,
    release: &Release,
) -> Result<PackedFile, PackageError> {
    let platform = release.platform.triple;
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(&cargo)
        .args(["metadata", "--locked", "--format-version", "1"])
        .args(["--filter-platform", platform])
        .current_dir(root)
        .output()
        .map_err(PackageError::at(Path::new(&cargo)))?;
    if !output.status.success() {
        return Err(PackageError::Program {
            program: cargo.into(),
            arguments: "metadata".to_owned(),
            status: output.status,
            said: String::from_utf8_lossy(&output.stderr).into_owned(),
        });
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {
            "type": "application",
            "name": "hookloop",
            "version": VERSION,
            "licenses": [{"expression": LICENSE}],
            "hashes": [{"alg": "SHA-256", "content": hex(&release.program)}],
        }},
        "components": components(&metadata),
    });
    let name = format!("hookloop-{VERSION}-{platform}.cdx.json");
    Ok(PackedFile::data(name, format!("{bill:#}\n")))
}

/// Follows from the program what it is linked with; what only builds or tests it is left out.
fn components(metadata: &Value) -> Vec<Value> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let packages: BTreeMap<String, Value> = list(&metadata["packages"])
        .into_iter()
        .map(|package| (text(&package["id"]), package))
        .collect();
    let needs: BTreeMap<String, Vec<String>> = list(&metadata["resolve"]["nodes"])
        .iter()
        .map(|node| {
            let linked = list(&node["deps"]).into_iter().filter(|dependency| {
                list(&dependency["dep_kinds"])
                    .iter()
                    .any(|kind| kind["kind"].is_null())
            });
            let ids = linked.map(|dependency| text(&dependency["pkg"])).collect();
            (text(&node["id"]), ids)
        })
        .collect();
    let program = packages
        .iter()
        .find(|(_, package)| package["name"] == "hookloop")
        .map(|(id, _)| id.clone());
    let mut pending: Vec<String> = program.iter().cloned().collect();
    let mut found = BTreeSet::new();
    while let Some(id) = pending.pop() {
        let next = needs.get(&id).into_iter().flatten();
        pending.extend(next.filter(|id| !found.contains(*id)).cloned());
        found.insert(id);
    }
    let linked = found.iter().filter(|id| Some(*id) != program.as_ref());
    linked
        .filter_map(|id| packages.get(id))
        .map(|package| {
            let (name, version) = (text(&package["name"]), text(&package["version"]));
            let mut component = json!({
                "type": "library",
                "name": name,
                "version": version,
                "purl": format!("pkg:cargo/{name}@{version}"),
            });
            if let Some(license) = package["license"].as_str() {
                let expression = license.replace('/', " OR ");
                component["licenses"] = json!([{"expression": expression}]);
            }
            component
        })
        .collect()
}
