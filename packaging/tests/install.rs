//! Packages are installed as people install them, into fresh environments, and a hook is fired.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that can't go on fails")]

use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The packages of the program as it was built for the tests, and a home of its own.
struct Packages {
    folder: TempDir,
}

impl Packages {
    fn make() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let made = Command::new(env!("CARGO_BIN_EXE_hookloop-packaging"))
            .arg("--binary")
            .arg(program())
            .args(["--level", "0", "--out"])
            .arg(folder.path().join("packages"))
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        fs::create_dir(folder.path().join("home")).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the package with this beginning and end.
    fn package(&self, begin: &str, end: &str) -> PathBuf {
        let mut found = fs::read_dir(self.path("packages"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                name.starts_with(begin) && name.ends_with(end)
            });
        let path = found.next().unwrap();
        assert_eq!(found.next(), None);
        path
    }

    /// Runs a program that must be there, away from anybody's settings and from any network.
    fn run(&self, program: impl AsRef<Path>, arguments: &[&str]) -> Output {
        let output = Command::new(program.as_ref())
            .args(arguments)
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("PIP_NO_INDEX", "1")
            .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
            .env("npm_config_offline", "true")
            .env("npm_config_audit", "false")
            .env("npm_config_fund", "false")
            .current_dir(self.folder.path())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}: {output:?}",
            program.as_ref().display()
        );
        output
    }

    /// Runs a hook that is written with the kit of a package, and expects a refusal.
    fn refuses(&self, interpreter: &Path, hook: &str) {
        let mut child = Command::new(interpreter)
            .arg(hook)
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .current_dir(self.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let payload = br#"{"session_id": "1", "hook_event_name": "BeforeTool", "tool_name": "read_file", "tool_input": {}}"#;
        child.stdin.take().unwrap().write_all(payload).unwrap();
        let ended = child.wait_with_output().unwrap();
        let said = format!("{ended:?}");
        assert!(
            ended.status.code() == Some(2) || said.contains("deny"),
            "{said}"
        );
        assert!(said.contains("not here"), "{said}");
    }

    /// Fires a hook of a person's settings with a program that was installed, and expects a
    /// refusal.
    fn fires_a_hook(&self, program: &Path) {
        let settings = self.path("home/.gemini");
        fs::create_dir_all(&settings).unwrap();
        let hook = r#"{"hooks": {"BeforeTool": [{"hooks": [{"name": "guard", "type": "command",
            "command": "echo 'not here' >&2; exit 2"}]}]}}"#;
        fs::write(settings.join("settings.json"), hook).unwrap();
        let fired = Command::new(program)
            .args(["hooks", "fire", "BeforeTool", "--tool", "write_file"])
            .args(["--input", "{}", "--json"])
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .current_dir(self.folder.path())
            .output()
            .unwrap();
        assert_eq!(fired.status.code(), Some(2), "{fired:?}");
        let said: Value = serde_json::from_slice(&fired.stdout).unwrap();
        assert_eq!(said["outcome"]["verdict"], "refused", "{said:#}");
    }
}

/// Returns the program that was built with the tests.
fn program() -> PathBuf {
    if let Some(chosen) = env::var_os("HOOKLOOP_PROGRAM") {
        return chosen.into();
    }
    let own = PathBuf::from(env!("CARGO_BIN_EXE_hookloop-packaging"));
    let program = own.with_file_name(format!("hookloop{}", env::consts::EXE_SUFFIX));
    assert!(
        program.exists(),
        "{} is missing; `cargo build --package hookloop --features plugins` makes it",
        program.display()
    );
    program
}

/// Returns whether a program is there; one that isn't is told, and its test has nothing to show.
fn is_there(name: &str) -> bool {
    let is_there = Command::new(name)
        .arg("--version")
        .output()
        .is_ok_and(|it| it.status.success());
    if !is_there {
        let _ = writeln!(std::io::stderr(), "SKIPPED: {name} isn't installed");
    }
    is_there
}

/// HT-13: what `pip install hookloop` installs is the program, and the kit for hooks in Python.
#[test]
fn a_wheel_brings_the_program_and_the_kit() {
    if !is_there("python3") {
        return;
    }
    let packages = Packages::make();
    packages.run("python3", &["-m", "venv", "python"]);
    let wheel = packages.package("hookloop-", ".whl");
    packages.run(
        packages.path("python/bin/pip"),
        &["install", wheel.to_str().unwrap()],
    );
    packages.fires_a_hook(&packages.path("python/bin/hookloop"));
    let hook = "from hookloop import hook, deny, run\n\
        @hook.before_tool\ndef no(call):\n    return deny('not here')\nrun()\n";
    fs::write(packages.path("hook.py"), hook).unwrap();
    packages.refuses(&packages.path("python/bin/python3"), "hook.py");
}

/// HT-13: what `npm install hookloop` installs is the program, and the kit for hooks in Node.js.
#[test]
fn npm_packages_bring_the_program_and_the_kit() {
    if !is_there("npm") {
        return;
    }
    let packages = Packages::make();
    let version = env!("CARGO_PKG_VERSION");
    let main = packages.package("hookloop-0", ".tgz");
    let platforms = fs::read_dir(packages.path("packages")).unwrap();
    let platform = platforms
        .map(|entry| entry.unwrap().path())
        .find(|path| path != &main && path.extension().is_some_and(|it| it == "tgz"))
        .unwrap();
    assert!(platform.to_str().unwrap().contains(version));
    fs::create_dir(packages.path("node")).unwrap();
    fs::write(packages.path("node/package.json"), "{}").unwrap();
    let arguments = [
        "install",
        "--prefix",
        "node",
        main.to_str().unwrap(),
        platform.to_str().unwrap(),
    ];
    packages.run("npm", &arguments);
    packages.fires_a_hook(&packages.path("node/node_modules/.bin/hookloop"));
    let hook = "import { hook, deny, run } from 'hookloop';\n\
        hook.beforeTool(() => deny('not here'));\nawait run();\n";
    fs::write(packages.path("node/hook.mjs"), hook).unwrap();
    packages.refuses(Path::new("node"), "node/hook.mjs");
}

#[test]
fn a_debian_package_and_an_archive_hold_the_program_with_its_manual() {
    let packages = Packages::make();
    for folder in ["deb", "tar"] {
        fs::create_dir(packages.path(folder)).unwrap();
    }
    if cfg!(target_os = "linux") && is_there("dpkg-deb") {
        let package = packages.package("hookloop_", ".deb");
        packages.run("dpkg-deb", &["--extract", package.to_str().unwrap(), "deb"]);
        packages.fires_a_hook(&packages.path("deb/usr/bin/hookloop"));
        let pages = packages.path("deb/usr/share/man/man1");
        assert!(pages.join("hookloop.1.gz").exists());
        assert!(pages.join("hookloop-hooks-check.1.gz").exists());
    }
    let archive = packages.package("hookloop-", ".tar.gz");
    let arguments = [
        "-xzf",
        archive.to_str().unwrap(),
        "-C",
        "tar",
        "--strip-components=1",
    ];
    packages.run("tar", &arguments);
    packages.fires_a_hook(&packages.path("tar/hookloop"));
    for script in [
        "hookloop.bash",
        "_hookloop",
        "hookloop.fish",
        "_hookloop.ps1",
    ] {
        let path = packages.path("tar/completions").join(script);
        assert!(fs::read_to_string(path).unwrap().contains("hookloop"));
    }
}

#[test]
fn packages_are_the_same_bytes_each_time_and_their_sums_are_right() {
    let one = Packages::make();
    let two = Packages::make();
    for entry in fs::read_dir(one.path("packages")).unwrap() {
        let name = entry.unwrap().file_name();
        let name = name.to_str().unwrap();
        assert!(
            fs::read(one.path("packages").join(name)).unwrap()
                == fs::read(two.path("packages").join(name)).unwrap(),
            "{name} differs"
        );
    }
    let bill = fs::read(one.package("hookloop-", ".cdx.json")).unwrap();
    let bill: Value = serde_json::from_slice(&bill).unwrap();
    let names: Vec<_> = bill["components"].as_array().unwrap().iter().collect();
    assert!(names.iter().any(|it| it["name"] == "serde_json"));
    assert!(!names.iter().any(|it| it["name"] == "proptest"));
    if is_there("sha256sum") {
        let checked = Command::new("sha256sum")
            .args(["--check", "--strict", "SHA256SUMS"])
            .current_dir(one.path("packages"))
            .output()
            .unwrap();
        assert!(checked.status.success(), "{checked:?}");
    }
}
