//! What interpreters load instead of a module that a hook loads (TR-1, TR-8).

use crate::fixture::Fixture;

/// A script, its content, the module that it loads, what takes precedence over that, and what
/// doesn't.
type Case = (
    &'static str,
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

/// Modules of both languages.
const MODULES: [Case; 6] = [
    (
        "t/g.py",
        "import util",
        "t/util.py",
        &[
            "t/util/__init__.py",
            "t/util/__init__.pyc",
            "t/util.so",
            "t/util.abi3.so",
            "t/util/__init__.so",
        ],
        &[
            "t/util/README.md",
            "t/util/x.py",
            "t/util.pyc",
            "t/util.js",
            "t/util.json",
            "t/others.py",
        ],
    ),
    (
        "t/g.py",
        "from util import x",
        "t/util/__init__.py",
        &["t/util/__init__.so"],
        &["t/util.so", "t/util.pyc", "t/util/y.txt"],
    ),
    (
        "t/g.py",
        "import json",
        "t/else.py",
        &["t/json.py", "t/json/__init__.py", "t/json.pyc", "t/json.so"],
        &["t/json/README", "t/json.txt"],
    ),
    (
        "t/g.js",
        "require('./util')",
        "t/util.js",
        &["t/util"],
        &[
            "t/util.py",
            "t/util.json",
            "t/util.node",
            "t/util.mjs",
            "t/util.ts",
            "t/util/index.js",
        ],
    ),
    (
        "t/g.js",
        "require('./util')",
        "t/util/index.js",
        &["t/util.js", "t/util.json", "t/util.node"],
        &["t/util/index.json", "t/util/README", "t/util/package.json"],
    ),
    (
        "t/g.ts",
        "import u from './util'",
        "t/util.ts",
        &["t/util", "t/util.tsx"],
        &["t/util.json", "t/util.test.ts"],
    ),
];

/// TR-1: what takes precedence over a module of a project's hook, as its interpreter looks for it,
/// is a change of the hook; anything else isn't.
#[test]
fn what_wins_over_a_module_is_a_change() {
    for (script, text, module, rivals, others) in MODULES {
        for (file, wins) in rivals
            .iter()
            .map(|it| (it, true))
            .chain(others.iter().map(|it| (it, false)))
        {
            let fixture = Fixture::new();
            fixture.write(&format!("project/{script}"), text);
            fixture.write(&format!("project/{module}"), "1");
            let program = if text.starts_with("require") || module.contains(".ts") {
                "node"
            } else {
                "python3"
            };
            let hook = fixture.command(&format!("{program} {script}"));
            fixture.trust(&hook);
            // Nobody agrees to what doesn't exist: agreements from before rivals were watched stay
            // valid.
            let vouched = fixture.vouch(&hook);
            let files = &vouched.fingerprint.as_ref().expect("one").files;
            assert!(
                files
                    .iter()
                    .all(|it| it.state != hookloop_trust::FileState::Missing),
                "{files:?}"
            );
            fixture.write(&format!("project/{file}"), "{}");
            let vouched = fixture.vouch(&hook);
            assert_eq!(!vouched.may_run(), wins, "{text} {module} {file}");
            if wins {
                let reported =
                    format!("files: {file} became one of its files since it was trusted");
                let changes = fixture.changes(&hook);
                assert!(changes.contains(&reported), "{changes:?}");
            }
        }
    }
}

/// TR-1: what a folder declares as its entry point is part of the hook.
#[test]
fn a_folder_may_say_what_it_is_entered_by() {
    let fixture = Fixture::new();
    fixture.write("project/t/g.js", "require('./util')");
    fixture.write("project/t/util/index.js", "1");
    fixture.write("project/t/util/evil.js", "2");
    let hook = fixture.command("node t/g.js");
    fixture.trust(&hook);
    fixture.write("project/t/util/package.json", "{\"type\": \"commonjs\"}");
    assert!(fixture.vouch(&hook).may_run());
    fixture.write("project/t/util/package.json", "{\"main\": \"evil\"}");
    let reported = fixture.changes(&hook).join("; ");
    assert!(reported.contains("evil.js became"), "{reported}");
    assert!(reported.contains("package.json became"), "{reported}");
}

/// What is loaded, where that is found, and what would be found before it.
const PACKAGES: [(&str, &str, &[&str]); 6] = [
    (
        "foo",
        "home/node_modules/foo/index.js",
        &[
            "home/node_modules/foo",
            "home/node_modules/foo.js",
            "home/node_modules/foo.json",
            "home/hooks/node_modules/foo.js",
            "home/hooks/node_modules/foo.node",
            "home/hooks/node_modules/foo/package.json",
            "home/hooks/node_modules/foo/index.json",
            "home/hooks/deep/node_modules/foo",
        ],
    ),
    (
        "foo/lib/x",
        "home/node_modules/foo/lib/x.js",
        &[
            "home/node_modules/foo/lib/x",
            "home/hooks/node_modules/foo/lib/x.js",
            "home/hooks/node_modules/foo/lib/x/index.js",
            "home/hooks/deep/node_modules/foo/lib/x.json",
        ],
    ),
    (
        "socket.io",
        "home/node_modules/socket.io/index.js",
        &[
            "home/hooks/node_modules/socket.io.js",
            "home/node_modules/socket.io.json",
        ],
    ),
    (
        "bar",
        "home/hooks/node_modules/bar.js",
        &[
            "home/hooks/deep/node_modules/bar.js",
            "home/hooks/node_modules/bar",
        ],
    ),
    (
        "@a/b",
        "searched/@a/b/index.js",
        &[
            "home/node_modules/@a/b.js",
            "searched/@a/b.js",
            "home/hooks/node_modules/@a/b/package.json",
        ],
    ),
    (
        "of-home",
        "home/.node_modules/of-home/index.js",
        &[
            "searched/of-home.js",
            "home/node_modules/of-home/package.json",
        ],
    ),
];

/// TR-8: Node takes a package from the nearest folder, and a file before a folder with its name;
/// what is found only through `NODE_PATH` or in the home folder is found too.
#[test]
fn what_wins_over_a_package_is_known() {
    for (loaded, found, rivals) in PACKAGES {
        let fixture = Fixture::new();
        let script = fixture.write("home/hooks/deep/g.js", format!("require('{loaded}')"));
        fixture.write(found, "require('./beside')");
        let mut around = fixture.surroundings();
        let searched = fixture.path("searched").display().to_string();
        around
            .start_variables
            .insert("NODE_PATH".to_owned(), searched);
        let hook = fixture.users(&format!("node {}", script.display()));
        let files = fixture.belonging(&hook, around.clone()).files;
        for file in rivals.iter().chain([&found]) {
            assert!(
                files.contains(&fixture.real(file)),
                "{loaded}: {file} {files:?}"
            );
        }
        for file in [
            "home/hooks/node_modules/socket.js",
            "home/node_modules/else.js",
            "home/node_modules/foo/README.md",
        ] {
            assert!(!files.contains(&fixture.real(file)), "{loaded}: {file}");
        }
    }
}
