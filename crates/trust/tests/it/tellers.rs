//! What files tell the programs that guards of the project run (TR-1, TR-8).

use hookloop_trust::Standing;
use serde_json::json;

use crate::fixture::Fixture;

const DESCRIPTION: &str = r#"{"version":"1","scripts":{"guard":"sh g.sh","build":"b"}}"#;
const CARGO: &str = "cargo run -q --manifest-path tools/guard/Cargo.toml";

/// A file with its text.
type Text = (&'static str, &'static str);

/// A command, its files, a change of them, and whether that is a change of the hook.
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

const WORKSPACE: &[Text] = &[
    ("package.json", r#"{"workspaces":["packages/*"]}"#),
    (
        "packages/pk/package.json",
        r#"{"name":"@s/pk","scripts":{"guard":"sh g.sh"}}"#,
    ),
    ("packages/pk/g.sh", ""),
    (
        "packages/other/package.json",
        r#"{"name":"other","scripts":{"guard":"sh o.sh"}}"#,
    ),
];
const OF_PNPM: &[Text] = &[
    ("package.json", "{}"),
    ("pnpm-workspace.yaml", "packages:\n  - 'pk'\n"),
    (
        "pk/package.json",
        r#"{"name":"pk","scripts":{"guard":"sh g.sh"}}"#,
    ),
];
const TAKEN_OUT: Text = (
    "packages/pk/package.json",
    r#"{"name":"@s/pk","scripts":{"guard":"true"}}"#,
);
const OTHER: Text = (
    "packages/other/package.json",
    r#"{"name":"other","scripts":{"guard":"true"}}"#,
);
const IN_TOOLS: &[Text] = &[
    ("tools/Makefile", "guard:\n\tsh g.sh\n"),
    ("tools/g.sh", ""),
    ("tools/justfile", "guard:\n  sh g.sh\n"),
    ("tools/go.mod", "module x\n"),
    ("tools/main.go", "package main\n"),
    ("tools/guard.py", ""),
];
const INCLUDING: &[Text] = &[
    (
        "Makefile",
        "D := tools\ninclude rules/*.mk \\\n  $(D)/r.mk\n-include $(wildcard $(D)/opt/*.mk)\nguard:\n\t@$(MAKE) -s -C $(D)/sub guard\n",
    ),
    ("rules/a.mk", "X = 1\n"),
    (
        "tools/r.mk",
        "Y = 1\ninclude $(dir $(lastword $(MAKEFILE_LIST)))deep.mk\n",
    ),
    ("tools/deep.mk", ""),
    ("tools/opt/x", ""),
    ("tools/sub/Makefile", "guard:\n\tsh ../g.sh\n"),
    ("tools/g.sh", ""),
];
const OF_WORKSPACE: &[Text] = &[
    (
        "tools/Cargo.toml",
        "[workspace]\nmembers = [\"guard\", \"r\"]\n[workspace.dependencies]\nr = { path = \"r\" }\n",
    ),
    (
        "tools/guard/Cargo.toml",
        "[package]\n[dependencies]\nr.workspace = true\n",
    ),
    (
        "tools/guard/src/main.rs",
        "const D: &str = include_str!(\"../deny.txt\");\n#[path = \"../../shared.rs\"]\nmod shared;\n",
    ),
    ("tools/guard/deny.txt", "a"),
    ("tools/shared.rs", ""),
    ("tools/r/Cargo.toml", "[package]\n"),
    ("tools/r/src/lib.rs", ""),
    (
        ".cargo/config.toml",
        "[alias]\ng = \"run -q --manifest-path tools/guard/Cargo.toml\"\n",
    ),
];

const BUILT_BY_SCRIPT: &[Text] = &[
    (
        "tools/guard/Cargo.toml",
        "[package]\nbuild = \"mk/gen.rs\"\n",
    ),
    ("tools/guard/mk/gen.rs", "fn main() { read(\"deny.txt\") }"),
    ("tools/guard/deny.txt", "a"),
    ("tools/guard/readme.txt", "a"),
    ("tools/guard/src/main.rs", "// \"readme.txt\""),
];
const IN_VARIABLES: &[Text] = &[
    ("run.sh", ". ./env.sh\n. \"$LIB\"\nsh \"$SECOND\"\n"),
    ("env.sh", "LIB=./lib.sh\nexport SECOND=./second.sh\n"),
    ("lib.sh", ""),
    ("second.sh", ""),
];
const IN_FORMS: &[Text] = &[
    (
        "Makefile",
        "define RUN\nsh tools/a.sh\nendef\nguard:\n\t@$(RUN)\ncheck-%:\n\t@sh tools/$*.sh\none: ; sh tools/a.sh\n",
    ),
    ("sign.mk", ".RECIPEPREFIX = >\nguard:\n>@sh tools/a.sh\n"),
    ("tools/a.sh", ""),
];

/// What belongs to workspaces, folders that options name, and composed names.
const FURTHER: &[Case] = &[
    (
        "npm run -s guard -w packages/pk",
        WORKSPACE,
        TAKEN_OUT,
        true,
    ),
    (
        "npm run -s guard --workspace=@s/pk",
        WORKSPACE,
        TAKEN_OUT,
        true,
    ),
    (
        "npm -w @s/pk run guard",
        WORKSPACE,
        ("packages/pk/g.sh", "exit"),
        true,
    ),
    ("npm run -s -ws guard", WORKSPACE, TAKEN_OUT, true),
    ("npm run -s guard -w @s/pk", WORKSPACE, OTHER, false),
    ("npm run -s guard -w packages/pk", WORKSPACE, OTHER, false),
    ("npm run -s guard --workspaces", WORKSPACE, OTHER, true),
    ("yarn workspace @s/pk run guard", WORKSPACE, TAKEN_OUT, true),
    ("bun run --filter @s/pk guard", WORKSPACE, TAKEN_OUT, true),
    (
        "pnpm --filter pk run guard",
        OF_PNPM,
        ("pk/package.json", "{}"),
        true,
    ),
    ("pnpm -r guard", OF_PNPM, ("pk/package.json", "{}"), true),
    ("pnpm run guard", OF_PNPM, ("pk/package.json", "{}"), false),
    (
        "node --run guard",
        &[("package.json", DESCRIPTION)],
        ("package.json", "{}"),
        true,
    ),
    (
        "make -C tools guard",
        IN_TOOLS,
        ("tools/g.sh", "exit"),
        true,
    ),
    (
        "make -sC tools guard",
        IN_TOOLS,
        ("tools/Makefile", "guard:\n"),
        true,
    ),
    (
        "make guard --directory=tools",
        IN_TOOLS,
        ("tools/GNUmakefile", "guard:\n"),
        true,
    ),
    (
        "make guard --dir tools",
        IN_TOOLS,
        ("tools/g.sh", "exit"),
        true,
    ),
    (
        "make -C tools guard",
        IN_TOOLS,
        ("Makefile", "guard:\n"),
        false,
    ),
    (
        "just -d tools -f tools/justfile guard",
        IN_TOOLS,
        ("tools/g.sh", "exit"),
        true,
    ),
    (
        "go run -C tools .",
        IN_TOOLS,
        ("tools/main.go", "package x\n"),
        true,
    ),
    (
        "uv --directory tools run guard.py",
        IN_TOOLS,
        ("tools/guard.py", "exit()"),
        true,
    ),
    (
        "uv run --directory tools guard.py",
        IN_TOOLS,
        ("tools/guard.py", "exit()"),
        true,
    ),
    (
        "make guard",
        INCLUDING,
        ("rules/a.mk", "SHELL = /bin/true\n"),
        true,
    ),
    (
        "make guard",
        INCLUDING,
        ("rules/z.mk", "SHELL = /bin/true\n"),
        true,
    ),
    (
        "make guard",
        INCLUDING,
        ("tools/r.mk", "SHELL = /bin/true\n"),
        true,
    ),
    (
        "make guard",
        INCLUDING,
        ("tools/deep.mk", "SHELL = /bin/true\n"),
        true,
    ),
    (
        "make guard",
        INCLUDING,
        ("tools/opt/new.mk", "SHELL = /bin/true\n"),
        true,
    ),
    (
        "make guard",
        INCLUDING,
        ("tools/sub/Makefile", "guard:\n"),
        true,
    ),
    ("make guard", INCLUDING, ("tools/g.sh", "exit"), true),
    ("make guard", INCLUDING, ("rules/z.txt", ""), false),
    ("make guard D=x", INCLUDING, ("tools/r.mk", ""), false),
    (CARGO, BUILT_BY_SCRIPT, ("tools/guard/deny.txt", "z"), true),
    (
        CARGO,
        BUILT_BY_SCRIPT,
        ("tools/guard/readme.txt", "z"),
        false,
    ),
    ("sh run.sh", IN_VARIABLES, ("lib.sh", "exit"), true),
    ("sh run.sh", IN_VARIABLES, ("second.sh", "exit"), true),
    ("make guard", IN_FORMS, ("tools/a.sh", "exit"), true),
    ("make check-a", IN_FORMS, ("tools/a.sh", "exit"), true),
    ("make one", IN_FORMS, ("tools/a.sh", "exit"), true),
    (
        "make -f sign.mk guard",
        IN_FORMS,
        ("tools/a.sh", "exit"),
        true,
    ),
    (
        "MAKEFILES=first.mk make one",
        IN_FORMS,
        ("first.mk", "SHELL = /bin/true\n"),
        true,
    ),
    (CARGO, OF_WORKSPACE, ("tools/r/src/lib.rs", "x"), true),
    (CARGO, OF_WORKSPACE, ("tools/guard/deny.txt", "z"), true),
    (CARGO, OF_WORKSPACE, ("tools/shared.rs", "x"), true),
    (
        "cargo g",
        OF_WORKSPACE,
        ("tools/guard/src/main.rs", ""),
        true,
    ),
    (
        "cargo build",
        OF_WORKSPACE,
        ("tools/guard/src/main.rs", ""),
        false,
    ),
    (
        CARGO,
        OF_WORKSPACE,
        (
            "tools/Cargo.toml",
            "[workspace]\n[patch.crates-io]\nserde = { path = \"x\" }\n",
        ),
        true,
    ),
];

/// TR-1, TR-8: what files tell a program that a guard of the project runs is agreed to with the
/// guard; whatever else people change in these files isn't.
#[test]
fn what_tells_a_program_is_agreed_to() {
    assert_agreed(CASES);
}

/// TR-1, TR-8: the same applies to what is in other packages of a workspace, in a folder that an
/// option names, and in files with composed names.
#[test]
fn what_is_told_by_roundabout_ways_is_agreed_to() {
    assert_agreed(FURTHER);
}

fn assert_agreed(cases: &[Case]) {
    for (command, files, change, changes) in cases {
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

/// TR-1: what is built from the sources that people work on isn't watched, which is reported.
#[test]
fn what_is_built_from_the_projects_own_sources_is_unpinned() {
    let fixture = Fixture::new();
    fixture.write("project/Cargo.toml", "[package]\n");
    fixture.write("project/src/main.rs", "");
    let hook = fixture.hook(&json!({"command": "cargo run -q"}));
    let unpinned = fixture.vouch(&hook).unpinned().join("\n");
    assert!(unpinned.contains("own sources"), "{unpinned}");
}
