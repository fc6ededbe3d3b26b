//! Editing real files: links, permissions, byte order marks, and processes that write at once.

#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use hookloop_settings::{EditError, Saved, SettingsFile};

/// The variables that turn the test below into a process that edits.
const FILE: &str = "HOOKLOOP_TEST_SETTINGS_FILE";
const NAME: &str = "HOOKLOOP_TEST_DISABLED_NAME";

fn disable(file: &Path, name: &str) -> Result<Saved, EditError> {
    let mut settings = SettingsFile::open_for_edit(file)?;
    let result = settings.disable([name]);
    match result {
        Ok(_) => settings.save(),
        Err(fault) => Err(settings.error(fault)),
    }
}

fn entries(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// ST-10: what is in the file stays, its byte order mark included, and nothing is left beside it.
#[test]
fn the_rest_of_the_file_stays() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.json");
    fs::write(&file, "\u{feff}{\r\n  // mine\r\n  \"other\": [1,],\r\n}").unwrap();
    assert_eq!(disable(&file, "x").unwrap(), Saved::Written);
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        "\u{feff}{\r\n  // mine\r\n  \"other\": [1,],\r\n  \"hooksConfig\": {\r\n    \
         \"disabled\": [\r\n      \"x\"\r\n    ]\r\n  },\r\n}"
    );
    assert_eq!(disable(&file, "x").unwrap(), Saved::Unchanged);
    assert_eq!(entries(folder.path()), ["settings.json"]);
}

/// ST-10: a file that doesn't exist is created together with its folders, but only by a change.
#[test]
fn missing_files_are_created() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("new/.gemini/settings.json");
    let mut untouched = SettingsFile::open_for_edit(&file).unwrap();
    let _ = untouched.enable(["x"]).unwrap();
    assert_eq!(untouched.save().unwrap(), Saved::Unchanged);
    assert!(entries(folder.path()).is_empty());
    assert_eq!(disable(&file, "x").unwrap(), Saved::Written);
    assert!(fs::read_to_string(&file).unwrap().ends_with("}\n"));
}

/// ST-5, ST-10: a file that can't be read is named with the place, and never written.
#[test]
fn broken_files_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.json");
    for (content, line) in [
        (&b"{\n  \"a\": }"[..], 2),
        (b"{\n\n\"a\xff\": 1}", 3),
        (b"[]", 1),
        (b"{\n\"hooksConfig\": 7}", 2),
    ] {
        fs::write(&file, content).unwrap();
        let error = disable(&file, "x").unwrap_err();
        assert_eq!(error.code(), "invalid_settings");
        assert_eq!(error.source_place().position.unwrap().line, line, "{error}");
        assert_eq!(fs::read(&file).unwrap(), content);
    }
    assert_eq!(entries(folder.path()), ["settings.json"]);
}

/// ST-10: what can't be written is reported.
#[test]
fn unwritable_places_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.json");
    fs::write(&file, "{}").unwrap();
    let mut permissions = file.metadata().unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&file, permissions).unwrap();
    let error = disable(&file, "x").unwrap_err();
    assert_eq!(error.code(), "not_writable");
    assert!(error.to_string().contains("settings.json"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{}");
    let below = disable(&file.join("settings.json"), "x").unwrap_err();
    assert_eq!(below.code(), "not_writable");
}

/// ST-10: of a link the target is replaced and the link stays; so do the file's permissions.
#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("real")).unwrap();
    let real = folder.path().join("real/file.json");
    fs::write(&real, "{}").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real/file.json", folder.path().join("one")).unwrap();
    let link = folder.path().join("settings.json");
    symlink("one", &link).unwrap();
    assert_eq!(disable(&link, "x").unwrap(), Saved::Written);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("\"x\""));
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    let round = folder.path().join("round");
    symlink("round", &round).unwrap();
    assert_eq!(disable(&round, "x").unwrap_err().code(), "not_writable");
}

/// ST-10: while one edits, another waits, and gets an error if that lasts too long.
#[test]
fn one_edits_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.json");
    let first = SettingsFile::open_for_edit(&file).unwrap();
    let second = SettingsFile::open_within(&file, Duration::ZERO).unwrap_err();
    assert_eq!(second.code(), "locked");
    drop(first);
    assert!(SettingsFile::open_within(&file, Duration::ZERO).is_ok());
}

/// ST-10: a lock that a killed process left behind blocks nobody.
#[test]
fn a_lock_file_left_behind_is_not_a_lock() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.json");
    fs::write(folder.path().join(".settings.json.lock"), "").unwrap();
    assert_eq!(disable(&file, "x").unwrap(), Saved::Written);
}

/// ST-10: what somebody wrote meanwhile without taking the lock isn't overwritten.
#[test]
fn changes_from_elsewhere_are_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.json");
    fs::write(&file, "{}").unwrap();
    let mut settings = SettingsFile::open_for_edit(&file).unwrap();
    let _ = settings.disable(["x"]).unwrap();
    fs::write(&file, "{\"theirs\": 1}").unwrap();
    assert_eq!(settings.save().unwrap_err().code(), "locked");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\"theirs\": 1}");
}

/// ST-10: of twenty processes that disable different hooks at once, nothing is lost.
#[test]
fn processes_that_write_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(".gemini/settings.json");
    let names: Vec<String> = (0..20).map(|number| format!("hook {number}")).collect();
    let children: Vec<_> = names
        .iter()
        .map(|name| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "editing::edits_as_a_process", "--ignored"])
                .env(FILE, &file)
                .env(NAME, name)
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let settings = SettingsFile::open_for_edit(&file).unwrap();
    let mut disabled = settings.disabled_names().unwrap();
    drop(settings);
    disabled.sort();
    let mut names = names;
    names.sort();
    assert_eq!(disabled, names);
    assert_eq!(entries(file.parent().unwrap()), ["settings.json"]);
}

/// A process of the test above.
#[test]
#[ignore = "started as a process by another test"]
fn edits_as_a_process() {
    if let (Some(file), Ok(name)) = (std::env::var_os(FILE), std::env::var(NAME)) {
        assert_eq!(disable(Path::new(&file), &name).unwrap(), Saved::Written);
    }
}
