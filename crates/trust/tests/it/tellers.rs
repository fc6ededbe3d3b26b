//! What files tell programs that guards of the project run (TR-1, TR-8).

use hookloop_trust::Standing;
use serde_json::json;

use crate::fixture::Fixture;

const DESCRIPTION: &str = r#"{"version":"1","scripts":{"guard":"sh g.sh","build":"b"}}"#;
const CARGO: &str = "cargo run -q --manifest-path tools/guard/Cargo.toml";

/// A file with its text.
type Text = (&'static str, &'static str);

/// A command, its files, a change of them, and whether that is one of the hook.
type Case = (&'static str, &'static [Text], Text, bool);

const CASES: &[Case] = &[
    (
        "npm run -s guard",
        &[("package.json", DESCRIPTION)],
        ("package.json", r#"{"scripts":{"guard":"true"}}"#),
        true,
    ),
    (
        "npm run -s guard",
        &[("package.json", DESCRIPTION)],
        (
            "package.json",
            r#"{"scripts":{"guard":"sh g.sh","preguard":"true"}}"#,
        ),
        true,
    ),
    (
        "npm run -s guard",
        &[("package.json", DESCRIPTION)],
        (
            "package.json",
            r#"{"version":"2","scripts":{"guard":"sh g.sh","build":"c"}}"#,
        ),
        false,
    ),
    (
        "npm run -s guard",
        &[("package.json", DESCRIPTION)],
        (".npmrc", "script-shell=/bin/true\n"),
        true,
    ),
    (
        "npm run -s guard",
        &[("package.json", DESCRIPTION)],
        (".npmrc", "registry=http://x/\n"),
        false,
    ),
    (
        "node tools/g.js",
        &[("tools/g.js", "")],
        ("tools/package.json", r#"{"type":"module"}"#),
        true,
    ),
    (
        "node tools/g.js",
        &[("tools/g.js", "")],
        ("tools/package.json", r#"{"name":"x"}"#),
        false,
    ),
    (
        "make -s guard",
        &[
            ("Makefile", "include r.mk\nguard:\n\ttrue\n"),
            ("r.mk", "X=1\n"),
        ],
        ("r.mk", "SHELL=/bin/true\n"),
        true,
    ),
    (
        "make -s guard",
        &[("Makefile", "guard:\n\ttrue\n")],
        ("GNUmakefile", "guard:\n"),
        true,
    ),
    (
        "make -s guard",
        &[("Makefile", "guard:\n\ttrue\n")],
        ("other.mk", "x\n"),
        false,
    ),
    (
        CARGO,
        &[
            ("tools/guard/Cargo.toml", "[package]\n"),
            ("tools/guard/src/main.rs", ""),
        ],
        ("tools/guard/src/main.rs", "fn main() {}"),
        true,
    ),
    (
        CARGO,
        &[
            ("tools/guard/Cargo.toml", "[package]\n"),
            ("tools/guard/src/main.rs", ""),
        ],
        (".cargo/config.toml", "[build]\n"),
        true,
    ),
    (
        CARGO,
        &[
            ("tools/guard/Cargo.toml", "[package]\n"),
            ("tools/guard/src/main.rs", ""),
        ],
        ("src/main.rs", "fn main() {}"),
        false,
    ),
    (
        "cargo run -q",
        &[("Cargo.toml", "[package]\n"), ("src/main.rs", "")],
        ("src/main.rs", "fn main() {}"),
        false,
    ),
];

/// TR-1, TR-8: what files tell a program that a guard of the project runs is agreed to with it, and what else people
/// do in these files is theirs.
#[test]
fn what_tells_a_program_is_agreed_to() {
    for (command, files, change, changes) in CASES {
        let fixture = Fixture::new();
        for (file, text) in *files {
            fixture.write(&format!("project/{file}"), text);
        }
        let hook = fixture.hook(&json!({"command": command}));
        fixture.trust(&hook);
        let (file, text) = change;
        fixture.write(&format!("project/{file}"), text);
        let is_modified = fixture.vouch(&hook).standing != Standing::Trusted;
        assert_eq!(is_modified, *changes, "{command}: {file}: {text}");
    }
}

/// TR-1: what is built from the sources that people work on isn't watched, and that is said.
#[test]
fn what_is_built_from_the_projects_own_sources_is_unpinned() {
    let fixture = Fixture::new();
    fixture.write("project/Cargo.toml", "[package]\n");
    fixture.write("project/src/main.rs", "");
    let hook = fixture.hook(&json!({"command": "cargo run -q"}));
    let unpinned = fixture.vouch(&hook).unpinned().join("\n");
    assert!(unpinned.contains("own sources"), "{unpinned}");
}
