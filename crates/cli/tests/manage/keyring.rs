use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use hookloop_testkit::{Finished, skipped};
use serde_json::{Value, json};

use crate::extensions::{hooks, place, source};
use crate::world::{World, printed};

/// The name under which a keyring is found.
const SECRETS: &str = "org.freedesktop.secrets";

/// Prints which secret its hook got.
const TELL: &str = "echo \"<${TOOLS_KEY-none}>\" > \"$GEMINI_PROJECT_DIR/ran\"";

/// Runs the program with the keyring at a bus.
fn run(world: &World, bus: &str, arguments: &[&str]) -> Finished {
    let variables = [
        ("DBUS_SESSION_BUS_ADDRESS", bus),
        ("GEMINI_FORCE_FILE_STORAGE", "false"),
    ];
    world.run_with(arguments, &variables, "")
}

fn install(world: &World, bus: &str) -> Finished {
    let source = source(world);
    hooks(&source, TELL);
    let source = source.to_str().unwrap();
    let words = [
        "extensions",
        "install",
        source,
        "--consent",
        "--setting",
        "key=s3cret",
    ];
    let finished = run(world, bus, &words);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    finished
}

fn fire(world: &World, bus: &str) -> Value {
    let fired = run(world, bus, &["hooks", "fire", "SessionStart", "--json"]);
    printed(&fired).json["runs"][0].clone()
}

fn told(world: &World) -> Option<String> {
    std::fs::read_to_string(world.project().join("ran")).ok()
}

fn assert_in_file(world: &World, installed: &Finished, why: &str) {
    let file = place(world).join(".env");
    assert!(std::fs::read_to_string(&file).unwrap().contains("s3cret"));
    let mode = file.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(!place(world).join(".keyring").exists());
    let stderr = &installed.stderr;
    assert!(
        stderr.contains("plain text") && stderr.contains(why),
        "{stderr}"
    );
}

/// EX-3: if there is no keyring, secrets are stored in a file that only its owner may read, which
/// is reported.
#[test]
fn without_a_keyring_secrets_are_kept_in_a_file() {
    let world = World::new();
    let bus = format!(
        "unix:path={}",
        world.sandbox.root().join("nobody").display()
    );
    let installed = install(&world, &bus);
    assert_in_file(&world, &installed, "there is no keyring");
    assert_eq!(fire(&world, &bus)["result"], "proceed");
    assert_eq!(told(&world).as_deref(), Some("<s3cret>\n"));
}

/// EX-3: a keyring that hangs delays nothing; a hook whose secret it stores doesn't run without it,
/// which is reported with the setting's name.
#[test]
fn a_keyring_that_hangs_is_given_up_and_reported() {
    let world = World::new();
    let path = world.sandbox.root().join("silent");
    let listener = UnixListener::bind(&path).unwrap();
    let bus = format!("unix:path={}", path.display());
    let installed = install(&world, &bus);
    assert_in_file(&world, &installed, "didn't answer");
    std::fs::write(place(&world).join(".keyring"), "TOOLS_KEY\n").unwrap();
    let fired = fire(&world, &bus);
    assert_eq!(fired["failure"]["kind"], "not_started");
    let message = fired["failure"]["message"].as_str().unwrap();
    assert!(
        message.contains("TOOLS_KEY") && message.contains("didn't answer"),
        "{message}"
    );
    assert_eq!(told(&world), None);
    listener.set_nonblocking(true).unwrap();
    while listener.accept().is_ok() {}
    let list = printed(&run(&world, &bus, &["hooks", "list", "--json"])).json;
    assert_eq!(list["hooks"][0]["status"], "enabled");
    let asked = listener.accept().map_err(|error| error.kind());
    assert_eq!(
        asked.err(),
        Some(ErrorKind::WouldBlock),
        "to list asks nobody"
    );
}

/// EX-3: an extension of a project doesn't get what the keyring contains, whatever it claims.
#[test]
fn a_project_does_not_reach_the_keyring() {
    let world = World::new();
    let folder = world.project().join(".gemini/extensions/tools");
    let manifest = json!({ "name": "tools", "version": "1",
        "settings": [{ "name": "key", "envVar": "TOOLS_KEY", "sensitive": true }] });
    world.sandbox.file(
        ".gemini/extensions/tools/gemini-extension.json",
        &manifest.to_string(),
    );
    hooks(&folder, TELL);
    world
        .sandbox
        .file(".gemini/extensions/tools/.keyring", "TOOLS_KEY\n");
    world.hooks(&["trust"]);
    assert_eq!(fire(&world, "unix:path=/nowhere/bus")["result"], "proceed");
    assert_eq!(told(&world).as_deref(), Some("<none>\n"));
}

/// A session bus with a real keyring.
struct Desktop {
    bus: String,
    children: Vec<Child>,
}

impl Drop for Desktop {
    fn drop(&mut self) {
        for child in &mut self.children {
            // One that has ended need not be ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Desktop {
    /// Starts it; returns `None` if its programs aren't installed.
    fn start(world: &World) -> Option<Self> {
        let programs = ["dbus-daemon", "gnome-keyring-daemon", "dbus-send"];
        if let Some(missing) = programs.iter().find(|it| on_path(it).is_none()) {
            skipped(
                "the keyring of a desktop",
                &format!("{missing} isn't installed"),
            );
            return None;
        }
        let root = world.sandbox.root();
        let bus = format!("unix:path={}", root.join("bus").display());
        let quiet = |command: &mut Command| {
            command
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        };
        let mut desktop = Self {
            children: Vec::new(),
            bus,
        };
        let daemon = quiet(
            world
                .sandbox
                .command("dbus-daemon")
                .args(["--session", "--nofork", "--nopidfile", "--address"])
                .arg(&desktop.bus),
        );
        desktop.children.push(daemon);
        until(|| root.join("bus").exists());
        let mut keyring = quiet(
            world
                .sandbox
                .command("gnome-keyring-daemon")
                .args(["--foreground", "--components=secrets", "--unlock"])
                .env("DBUS_SESSION_BUS_ADDRESS", &desktop.bus)
                .env("XDG_RUNTIME_DIR", root)
                .stdin(Stdio::piped()),
        );
        let mut password = keyring.stdin.take().unwrap();
        password.write_all(b"password").unwrap();
        drop(password);
        desktop.children.push(keyring);
        until(|| desktop.has_keyring(world));
        Some(desktop)
    }

    /// Returns whether the service is available, with a collection to write to.
    fn has_keyring(&self, world: &World) -> bool {
        // Asking a service that isn't available yet would make the bus start another one.
        let owned = self.call(world, "org.freedesktop.DBus", "/", "NameHasOwner", SECRETS);
        owned.contains("true")
            && self
                .call(
                    world,
                    SECRETS,
                    "/org/freedesktop/secrets",
                    "ReadAlias",
                    "default",
                )
                .contains("/collection/")
    }

    fn call(&self, world: &World, to: &str, path: &str, member: &str, text: &str) -> String {
        let interface = if to == SECRETS {
            "org.freedesktop.Secret.Service"
        } else {
            to
        };
        let answer = world
            .sandbox
            .command("dbus-send")
            .env("DBUS_SESSION_BUS_ADDRESS", &self.bus)
            .arg("--print-reply")
            .arg(format!("--dest={to}"))
            .arg(path)
            .arg(format!("{interface}.{member}"))
            .arg(format!("string:{text}"))
            .output()
            .unwrap();
        String::from_utf8_lossy(&answer.stdout).into_owned()
    }
}

fn on_path(program: &str) -> Option<PathBuf> {
    let folders = ["/usr/local/bin", "/usr/bin", "/bin"];
    let mut files = folders.iter().map(|folder| Path::new(folder).join(program));
    files.find(|file| file.exists())
}

fn until(mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(
            started.elapsed() < Duration::from_mins(1),
            "it took too long"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// EX-3: if there is a keyring, secrets are stored in it and in no file; hooks of the extension get
/// them, and uninstalling removes them.
#[test]
fn secrets_are_kept_in_the_keyring() {
    let world = World::new();
    let Some(desktop) = Desktop::start(&world) else {
        return;
    };
    let bus = desktop.bus.as_str();
    let installed = install(&world, bus);
    assert!(
        !installed.stderr.contains("plain text"),
        "{}",
        installed.stderr
    );
    assert!(!place(&world).join(".env").exists());
    assert_eq!(fire(&world, bus)["result"], "proceed");
    assert_eq!(told(&world).as_deref(), Some("<s3cret>\n"));

    let words = [
        "extensions",
        "settings",
        "tools",
        "--setting",
        "key=other",
        "--setting",
        "place=x",
    ];
    let set = run(&world, bus, &words);
    assert_eq!(
        set.stdout,
        "TOOLS_KEY (secret): in the keyring\nTOOLS_PLACE: in .env\n"
    );
    fire(&world, bus);
    assert_eq!(told(&world).as_deref(), Some("<other>\n"));
    let text = std::fs::read_to_string(place(&world).join(".env")).unwrap();
    assert_eq!(text, "TOOLS_PLACE=\"x\"\n");

    let gone = run(&world, bus, &["extensions", "uninstall", "tools"]);
    assert_eq!((gone.code, gone.stderr.as_str()), (Some(0), ""));
    let source = source(&world);
    hooks(&source, TELL);
    run(
        &world,
        bus,
        &[
            "extensions",
            "install",
            source.to_str().unwrap(),
            "--consent",
        ],
    );
    std::fs::write(place(&world).join(".keyring"), "TOOLS_KEY\n").unwrap();
    let failure = &fire(&world, bus)["failure"]["message"];
    assert!(
        failure
            .as_str()
            .unwrap()
            .contains("no value for the setting TOOLS_KEY"),
        "{failure}"
    );
}
