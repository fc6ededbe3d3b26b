use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::thread;

use hookloop_testkit::wait_until;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::extensions::{place, source, standing};
use crate::world::World;

/// Installs on a terminal, and types when there is a question. Returns what was shown, and the exit
/// code.
fn install(world: &World, answers: &[(&str, &str)]) -> (String, u32) {
    let source = source(world);
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_hookloop"));
    command.env_clear();
    for (name, value) in world.sandbox.variables() {
        command.env(name, value);
    }
    command.env("GEMINI_CLI_SYSTEM_SETTINGS_PATH", world.system_file());
    command.cwd(world.project());
    command.args(["extensions", "install", source.to_str().unwrap()]);
    let size = PtySize {
        rows: 50,
        cols: 200,
        ..PtySize::default()
    };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let shown = Arc::new(Mutex::new(Vec::new()));
    let mut reader = pair.master.try_clone_reader().unwrap();
    let seen = Arc::clone(&shown);
    let reading = thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = reader.read(&mut bytes) {
            seen.lock().unwrap().extend_from_slice(&bytes[..count]);
        }
    });
    let text = || String::from_utf8_lossy(&shown.lock().unwrap()).into_owned();
    let mut writer = pair.master.take_writer().unwrap();
    for (question, answer) in answers {
        wait_until(question, || text().contains(question));
        writer.write_all(answer.as_bytes()).unwrap();
    }
    let mut ended = None;
    wait_until("the program ended", || {
        ended = child.try_wait().unwrap();
        ended.is_some()
    });
    let code = ended.unwrap().exit_code();
    drop(writer);
    drop(pair.master);
    reading.join().unwrap();
    (text(), code)
}

/// EX-4: on a terminal the person is asked for consent, and then for settings; a secret isn't
/// shown.
#[test]
fn a_person_is_asked() {
    let world = World::new();
    let answers = [
        ("[y/N] ", "y\n"),
        ("key: the key (", "hush-hush\n"),
        ("place: a place (", "here\n"),
    ];
    let (shown, code) = install(&world, &answers);
    assert_eq!(code, 0, "{shown}");
    assert!(!shown.contains("hush-hush"), "{shown}");
    let settings = std::fs::read_to_string(place(&world).join(".env")).unwrap();
    assert_eq!(settings, "TOOLS_KEY=\"hush-hush\"\nTOOLS_PLACE=\"here\"\n");
}

/// EX-4: every answer but yes means no, including none, and Ctrl+C; nothing is left.
#[test]
fn every_other_answer_is_no() {
    for answer in ["\n", "n\n", "yeah no\n", "\x04", "\x03"] {
        let world = World::new();
        let (shown, code) = install(&world, &[("[y/N] ", answer)]);
        assert_eq!(code, 1, "{answer:?}: {shown}");
        assert_eq!(standing(&world), [""; 0], "{answer:?}");
    }
}

/// EX-4: Ctrl+C at the question for a setting installs nothing either.
#[test]
fn an_interrupted_installation_leaves_nothing() {
    let world = World::new();
    let (shown, code) = install(&world, &[("[y/N] ", "y\n"), ("key: the key (", "\x03")]);
    assert_eq!(code, 1, "{shown}");
    assert_eq!(standing(&world), [""; 0]);
}
