//! What hooks load: scripts and the scripts that they load, modules, packages (TR-1, TR-8).

use std::sync::mpsc;
use std::time::Duration;

use crate::fixture::Fixture;

/// How long it may take to find what a hook loads: what goes through every way from file to file takes years.
const IN_TIME: Duration = Duration::from_mins(1);

/// Writes modules each of which loads five others, below a folder.
fn entangled(fixture: &Fixture, folder: &str, count: usize) {
    for at in 0..count {
        let mut text = String::new();
        for next in 1..=5 {
            let loaded = (at * 5 + next) % count;
            let line = format!("require('./f{loaded}'); require('../lib/f{loaded}.js')");
            text.extend([line.as_str(), "\n"]);
        }
        fixture.write(&format!("{folder}/lib/f{at}.js"), text);
    }
    fixture.write(
        &format!("{folder}/package.json"),
        "{\"main\": \"lib/f0.js\"}",
    );
}

/// TR-8: what a hook loads is found in time, however its modules load each other, in a package and beside it.
#[test]
fn modules_that_load_each_other_are_found_in_time() {
    for (folder, script, is_project) in [
        ("home/hooks/node_modules/big", "home/hooks/g.js", false),
        ("home/hooks/big", "home/hooks/g.js", false),
        (
            "project/hooks/node_modules/big",
            "project/hooks/g.js",
            false,
        ),
        (
            "project/node_modules/big",
            "project/node_modules/big/g.js",
            true,
        ),
        ("project/big", "project/g.js", true),
    ] {
        let (done, waiting) = mpsc::channel();
        std::thread::spawn(move || {
            let fixture = Fixture::new();
            entangled(&fixture, folder, 120);
            let start = if folder.contains("node_modules/big") && !is_project {
                "require('big')"
            } else {
                "require('./lib/f0.js'); require('./big/lib/f0.js')"
            };
            let script = fixture.write(script, start);
            let command = format!("node {}", script.display());
            let hook = if is_project {
                fixture.command(&command)
            } else {
                fixture.users(&command)
            };
            let files = fixture.belonging(&hook, fixture.surroundings()).files;
            let last = fixture.real(&format!("{folder}/lib/f119.js"));
            done.send(files.contains(&last))
                .expect("somebody who waits");
        });
        let found = waiting.recv_timeout(IN_TIME);
        assert_eq!(found, Ok(true), "{folder}");
    }
}

/// TR-1: scripts are followed as deep as they load each other, and one that is near is followed although it
/// was met far away first.
#[test]
fn scripts_are_followed_to_the_end() {
    let fixture = Fixture::new();
    fixture.write("project/h/g.sh", "source h/s0.sh\nsource h/near.sh\n");
    for at in 0..12 {
        let next = at + 1;
        fixture.write(
            &format!("project/h/s{at}.sh"),
            format!("source h/s{next}.sh\n"),
        );
    }
    fixture.write("project/h/s5.sh", "source h/s6.sh\nsource h/near.sh\n");
    fixture.write("project/h/near.sh", "source h/behind.sh\n");
    for file in ["h/s12.sh", "h/behind.sh"] {
        fixture.write("project/h/s12.sh", "true");
        fixture.write("project/h/behind.sh", "true");
        let hook = fixture.command("bash h/g.sh");
        fixture.trust(&hook);
        assert_eq!(fixture.vouch(&hook).unpinned(), [""; 0]);
        fixture.write(&format!("project/{file}"), "false");
        let told = format!("files: {file} changed since it was trusted");
        assert_eq!(fixture.changes(&hook), [told]);
    }
}

/// TR-1: where a hook loads more than is looked into, it says so.
#[test]
fn what_is_beyond_the_bounds_is_unpinned() {
    let fixture = Fixture::new();
    // One text names at most a thousand files.
    let mut parts = [String::new(), String::new()];
    for at in 0..1600 {
        let line = format!("source h/s{at}.sh");
        parts[at % 2].extend([line.as_str(), "\n"]);
        fixture.write(&format!("project/h/s{at}.sh"), "true");
    }
    let [one, other] = parts;
    fixture.write("project/h/one.sh", one);
    fixture.write("project/h/other.sh", other);
    let text = "source h/one.sh; source h/other.sh";
    fixture.write("project/h/g.sh", text);
    let unpinned = fixture
        .vouch(&fixture.command("bash h/g.sh"))
        .unpinned()
        .join("; ");
    assert!(
        unpinned.contains("more scripts than are looked into"),
        "{unpinned}"
    );
}
