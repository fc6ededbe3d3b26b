//! Which files a hook runs, as the shell and the kernel find them (TR-1).

use std::path::Path;

use hookloop_hook::Handler;
use hookloop_trust::{Standing, Surroundings};
use serde_json::{Value, json};

use crate::fixture::Fixture;

fn surroundings(fixture: &Fixture) -> Surroundings {
    Surroundings {
        home: Some(fixture.path("home")),
        search_path: vec!["/usr/bin".into(), "/bin".into()],
        ..Surroundings::default()
    }
}

/// Returns what is strange about a trusted hook when it runs in a folder.
fn strangers(fixture: &Fixture, hook: &Value, cwd: &str) -> Vec<String> {
    let hook = fixture.hook(hook);
    fixture.trust(&hook);
    let vouched = fixture.vouch(&hook);
    let root = fixture.project();
    let strangers = vouched.strangers_in(&root.join(cwd), &root, &surroundings(fixture));
    strangers.into_iter().map(|it| it.message).collect()
}

/// TR-1: a hook that is trusted in the project's root runs no other file with the same name in a
/// folder below, however the file is named.
#[test]
fn no_stranger_runs_in_a_folder_below() {
    for command in [
        "tools/guard.sh",
        "./tools/guard.sh",
        "bash tools/guard.sh",
        "$GEMINI_CWD/tools/guard.sh",
        "\"${GEMINI_CWD}\"/tools/guard.sh",
        "bash $PWD/tools/guard.sh",
        "bash \"$(pwd)/tools/guard.sh\"",
        "bash `pwd`/tools/guard.sh",
        "bash ~+/tools/guard.sh",
        "bash -c 'bash tools/guard.sh'",
        "sh -c \"exec bash -c 'tools/guard.sh'\"",
        "cd tools && ./guard.sh",
        "(cd tools; bash guard.sh)",
        "D=tools; bash $D/guard.sh",
        "D=tools bash -c '$D/guard.sh'",
        "source tools/guard.sh",
        ". tools/guard.sh",
        "eval 'bash tools/guard.sh'",
        "env X=1 timeout 5 nice bash tools/guard.sh",
        "tool --config=tools/guard.sh",
        "curl -d @tools/guard.sh x",
        "true && (bash tools/guard.sh) | cat",
        "bash tools/*.sh",
        "bash < tools/guard.sh",
        "cat tools/guard.sh | bash",
        "if true; then tools/guard.sh; fi",
        "xargs bash tools/guard.sh </dev/null",
    ] {
        let fixture = Fixture::new();
        fixture.write("project/tools/guard.sh", "benign");
        fixture.write("project/sub/tools/guard.sh", "evil");
        let hook = json!({"command": command});
        let reported = strangers(&fixture, &hook, "sub");
        assert!(
            reported.iter().any(|it| it.contains("sub/tools/guard.sh")),
            "{command}: {reported:?}"
        );
    }
}

/// TR-1: what is named from the project's root is the same file everywhere.
#[test]
fn what_is_named_from_the_root_runs_everywhere() {
    for command in [
        "$GEMINI_PROJECT_DIR/tools/guard.sh",
        "bash \"${CLAUDE_PROJECT_DIR}/tools/guard.sh\"",
        "bash \"${GEMINI_PROJECT_DIR%/}/tools/guard.sh\"",
        "cd \"$GEMINI_PROJECT_DIR\" && bash tools/guard.sh",
        "bash \"$(git rev-parse --show-toplevel)/tools/guard.sh\"",
    ] {
        let fixture = Fixture::new();
        std::fs::create_dir(fixture.path("project/.git")).expect("a folder");
        fixture.write("project/tools/guard.sh", "benign");
        fixture.write("project/sub/tools/guard.sh", "other");
        let reported = strangers(&fixture, &json!({"command": command}), "sub");
        assert_eq!(reported, Vec::<String>::new(), "{command}");
    }
}

/// TR-1: files that are named in ways that only a shell understands belong to the fingerprint.
#[test]
fn what_a_shell_makes_of_words_counts() {
    for command in [
        "bash $(pwd)/hooks/a.sh",
        "bash \"$(git rev-parse --show-toplevel)/hooks/a.sh\"",
        "cd hooks && ./a.sh",
        "cd hooks; bash a.sh",
        "bash hooks/?.sh",
        "bash hooks/[a-b].sh",
        "bash ${GEMINI_PROJECT_DIR%/}/hooks/a.sh",
        "D=$GEMINI_PROJECT_DIR/hooks; bash $D/a.sh",
        "bash $'hooks/\\x61.sh'",
        "bash ~+/hooks/a.sh",
        "bash \"$(dirname hooks/x)/a.sh\"",
    ] {
        let fixture = Fixture::new();
        std::fs::create_dir(fixture.path("project/.git")).expect("a folder");
        fixture.write("project/hooks/a.sh", "one");
        let hook = fixture.command(command);
        fixture.trust(&hook);
        fixture.write("project/hooks/a.sh", "two");
        assert_eq!(
            fixture.changes(&hook),
            ["files: hooks/a.sh changed since it was trusted"],
            "{command}"
        );
    }
}

/// TR-1: files named in values of `env` belong to it: what a shell reads first, and folders in
/// which programs and modules are looked for.
#[test]
fn what_env_names_counts() {
    for (name, value) in [
        ("BASH_ENV", "lib/a"),
        ("ENV", "$GEMINI_PROJECT_DIR/lib/a"),
        ("PATH", "lib:/usr/bin"),
        ("PATH", "/usr/bin:$GEMINI_PROJECT_DIR/lib"),
        ("PYTHONPATH", "lib"),
        ("NODE_OPTIONS", "--require ./lib/a"),
        ("NODE_OPTIONS", "--require=./lib/a"),
        ("PERL5OPT", "-Ilib"),
        ("LD_PRELOAD", "lib/a"),
        ("GIT_SSH_COMMAND", "ssh -F lib/a"),
    ] {
        let fixture = Fixture::new();
        fixture.write("project/lib/a", "one");
        let hook = fixture.hook(&json!({"command": "true", "env": {name: value}}));
        fixture.trust(&hook);
        fixture.write("project/lib/a", "two");
        assert_eq!(
            fixture.changes(&hook),
            ["files: lib/a changed since it was trusted"],
            "{name}={value}"
        );
    }
}

/// TR-1: a hook that runs files which can't be known in advance reports that.
#[test]
fn what_cannot_be_known_is_unpinned() {
    for command in [
        "make check",
        "npm run lint",
        "npx prettier --check .",
        "python3 -m tools.guard",
        "python3 -um tools.guard",
        "python3 -W ignore -m tools.guard",
        "python3 -I -m tools.guard",
        "bash $(cat which)",
        "\"$GUARD\"",
        "bash \"$GUARD\"",
        "curl -s localhost/x | sh",
        "eval \"$X\"",
        "source \"$LIB\"",
    ] {
        let fixture = Fixture::new();
        let vouched = fixture.vouch(&fixture.command(command));
        assert!(!vouched.unpinned().is_empty(), "{command}");
    }
    for command in [
        "bash hooks/a.sh",
        "jq -r .tool_name",
        "python3 -I -m json.tool",
        "echo \"$HOME\"",
        "python3 \"$GEMINI_PROJECT_DIR/hooks/a.py\"",
        "cat > /dev/null; exit 0",
        "grep -q \"$PATTERN\" && exit 2",
    ] {
        let fixture = Fixture::new();
        fixture.write("project/hooks/a.sh", "exit 0");
        fixture.write("project/hooks/a.py", "import sys");
        let vouched = fixture.vouch(&fixture.command(command));
        assert_eq!(vouched.unpinned(), Vec::<String>::new(), "{command}");
    }
}

/// TR-1: a file too large to be read makes a hook unpinned: its bytes could change unseen.
#[test]
fn a_file_too_large_is_unpinned() {
    let fixture = Fixture::new();
    let large = std::fs::File::create(fixture.path("project/large.bin")).expect("a file");
    large.set_len(65 * 1024 * 1024).expect("a size");
    let vouched = fixture.vouch(&fixture.command("./large.bin"));
    let reported = vouched.unpinned().join("\n");
    assert!(
        reported.contains("large.bin is larger than 64 MiB"),
        "{reported}"
    );
}

/// TR-1: a link in the name leads to the file that the kernel opens, not to the one that the text
/// seems to name.
#[cfg(unix)]
#[test]
fn a_link_shows_no_decoy() {
    let fixture = Fixture::new();
    fixture.write("project/.gemini/guard.sh", "decoy");
    fixture.write("project/src/guard.sh", "real");
    fixture.write("project/src/deep/x", "");
    let link = fixture.path("project/.gemini/link");
    std::os::unix::fs::symlink("../src/deep", link).expect("a link");
    let hook = fixture.command("bash .gemini/link/../guard.sh");
    let fingerprint = fixture.vouch(&hook).fingerprint.expect("a fingerprint");
    let paths: Vec<&str> = fingerprint
        .files
        .iter()
        .map(|it| it.path.as_str())
        .collect();
    assert_eq!(paths, ["src/guard.sh"]);
    fixture.trust(&hook);
    fixture.write("project/src/guard.sh", "evil");
    assert_eq!(
        fixture.changes(&hook),
        ["files: src/guard.sh changed since it was trusted"]
    );
}

/// TR-8: a file that an entry declares as data isn't part of it.
#[test]
fn data_is_not_a_part_of_it() {
    let fixture = Fixture::new();
    fixture.write("project/guard.sh", "one");
    fixture.write("project/package.json", "one");
    let mut hook = fixture.command("bash guard.sh package.json");
    hook.data = vec!["package.json".to_owned()];
    fixture.trust(&hook);
    fixture.write("project/package.json", "two");
    assert_eq!(fixture.vouch(&hook).standing, Standing::Trusted);
    fixture.write("project/guard.sh", "two");
    assert_eq!(fixture.changes(&hook).len(), 1);
}

/// TR-1: arguments without a shell are literal words, and still name files.
#[test]
fn arguments_name_files() {
    let fixture = Fixture::new();
    fixture.write("project/guard.py", "one");
    let mut hook = fixture.command("x");
    hook.handler = Handler::Command {
        command: "python3".to_owned(),
        args: Some(vec![
            "$GEMINI_PROJECT_DIR/guard.py".to_owned(),
            "--x".to_owned(),
        ]),
        shell: None,
    };
    fixture.trust(&hook);
    fixture.write("project/guard.py", "two");
    assert_eq!(
        fixture.changes(&hook),
        ["files: guard.py changed since it was trusted"]
    );
}

/// TR-8: what hooks of any layer run is known, wherever it is.
#[cfg(unix)]
#[test]
fn files_of_hooks_are_known_wherever_they_are() {
    let fixture = Fixture::new();
    let guard = fixture.write("home/bin/guard.sh", "exit 0");
    let hook = fixture.command(&format!("bash {} && ~/bin/guard.sh", guard.display()));
    let store = fixture.store().with_surroundings(surroundings(&fixture));
    let root = fixture.project();
    let files = store.examine(&root, &root).of(&hook).belonging().files;
    let real = guard.canonicalize().expect("a path");
    assert!(files.contains(&real), "{files:?}");
    assert!(
        files.iter().any(|it| it.ends_with(Path::new("bash"))
            || it.file_name().is_some_and(|name| name == "bash"))
    );
}

/// TR-1: what a script in another language starts or loads by a literal name is part of the hook.
#[test]
fn what_scripts_of_other_languages_start_is_watched() {
    for (command, script, text) in [
        (
            "python3 g.py",
            "g.py",
            "import subprocess\nsubprocess.run(['bash', 'tools/x.sh'])",
        ),
        (
            "python3 g.py",
            "g.py",
            "import os\nos.system('bash tools/x.sh')",
        ),
        ("python3 g.py", "g.py", "exec(open('tools/x.sh').read())"),
        (
            "python3 g.py",
            "g.py",
            "import runpy; runpy.run_path('tools/x.sh')",
        ),
        (
            "python3 g.py",
            "g.py",
            "import os\np=os.path.dirname(__file__)\nos.system(os.path.join(p, 'tools/x.sh'))",
        ),
        (
            "node g.js",
            "g.js",
            "require('child_process').execSync('sh tools/x.sh')",
        ),
        ("perl g.pl", "g.pl", "do './tools/x.sh';"),
        ("perl g.pl", "g.pl", "system('sh', 'tools/x.sh');"),
        ("ruby g.rb", "g.rb", "load 'tools/x.sh'"),
        ("ruby g.rb", "g.rb", "puts `sh tools/x.sh`"),
        (
            "awk -f g.awk",
            "g.awk",
            "BEGIN { system(\"sh tools/x.sh\") }",
        ),
        ("PATH=tools:$PATH x.sh", "g.py", ""),
        ("bash g.sh", "g.sh", "export PATH=\"tools:$PATH\"\nx.sh"),
        ("perl -Itools -e 'require \"x.sh\"'", "g.pl", ""),
    ] {
        let fixture = Fixture::new();
        fixture.write(&format!("project/{script}"), text);
        fixture.write("project/tools/x.sh", "exit 2");
        let hook = fixture.hook(&json!({"command": command}));
        fixture.trust(&hook);
        assert_eq!(fixture.vouch(&hook).standing, Standing::Trusted, "{text}");
        fixture.write("project/tools/x.sh", "exit 0");
        let standing = fixture.vouch(&hook).standing;
        let is_modified = matches!(standing, Standing::Modified { .. });
        assert!(is_modified, "{command}: {text}: {standing:?}");
    }
}

/// TR-1: a package that a JavaScript hook loads from the project's `node_modules` isn't watched,
/// which is reported; a built-in module isn't such a package, nor is one that isn't installed
/// there.
#[test]
fn a_package_that_is_not_watched_is_said() {
    for (text, package) in [
        ("import { hook } from \"hookloop\";", "hookloop"),
        ("const x = require('@scope/pack/part');", "@scope/pack"),
        ("const x = await import('pack/part.mjs');", "pack"),
        ("import './mine.mjs';\nimport \"pack\";", "pack"),
    ] {
        let fixture = Fixture::new();
        fixture.write("project/hooks/g.mjs", text);
        let hook = fixture.command("node hooks/g.mjs");
        assert_eq!(fixture.vouch(&hook).unpinned(), [""; 0], "{text}");
        for folder in ["node_modules", "hooks/node_modules"] {
            let file = format!("project/{folder}/{package}/index.mjs");
            fixture.write(&file, "");
            let unpinned = fixture.vouch(&hook).unpinned().join("\n");
            assert!(
                unpinned.contains(&format!("\"{package}\"")),
                "{text}: {unpinned}"
            );
            std::fs::remove_dir_all(fixture.path(&format!("project/{folder}"))).unwrap();
        }
    }
    let fixture = Fixture::new();
    fixture.write(
        "project/g.mjs",
        "import fs from 'node:fs'; import x from './x.mjs';",
    );
    fixture.write("project/node_modules/other/index.mjs", "");
    let hook = fixture.command("node g.mjs");
    assert_eq!(fixture.vouch(&hook).unpinned(), [""; 0]);
}

/// TR-1: if a script in another language computes what it starts or loads, the hook is unpinned; if
/// it names it, the hook isn't.
#[test]
fn what_scripts_of_other_languages_compute_is_unpinned() {
    for (command, script, text) in [
        (
            "python3 g.py",
            "g.py",
            "import subprocess, sys\nsubprocess.run(sys.argv[1:])",
        ),
        (
            "python3 g.py",
            "g.py",
            "import os\nos.system('sh ' + os.environ['X'])",
        ),
        (
            "python3 g.py",
            "g.py",
            "import importlib\nimportlib.import_module(name)",
        ),
        ("python3 g.py", "g.py", "exec(open(name).read())"),
        (
            "python3 g.py",
            "g.py",
            "import subprocess\nsubprocess.run(['make', 'lint'])",
        ),
        ("node g.js", "g.js", "const x = require(process.env.X)"),
        ("perl g.pl", "g.pl", "do $file;"),
        ("ruby g.rb", "g.rb", "require_relative name"),
        ("awk -f g.awk", "g.awk", "{ system($1) }"),
        ("PATH=$X:$PATH guard", "g.py", ""),
    ] {
        let fixture = Fixture::new();
        fixture.write(&format!("project/{script}"), text);
        let hook = fixture.hook(&json!({"command": command}));
        let vouched = fixture.vouch(&hook);
        assert!(!vouched.unpinned().is_empty(), "{command}: {text}");
    }
    for (command, script, text) in [
        (
            "python3 g.py",
            "g.py",
            "import subprocess\nsubprocess.run(['git', 'status'])",
        ),
        (
            "python3 g.py",
            "g.py",
            "import re\nre.compile('x').match(text)",
        ),
        (
            "node g.js",
            "g.js",
            "const fs = require('fs'); /x/.exec(text)",
        ),
        ("perl g.pl", "g.pl", "use strict; print 1;"),
        ("awk -f g.awk", "g.awk", "{ print $1 }"),
    ] {
        let fixture = Fixture::new();
        fixture.write(&format!("project/{script}"), text);
        let hook = fixture.hook(&json!({"command": command}));
        let vouched = fixture.vouch(&hook);
        assert_eq!(
            vouched.unpinned(),
            Vec::<String>::new(),
            "{command}: {text}"
        );
    }
}

/// TR-8: what a hook's command only writes isn't part of it; for anything else that it names and
/// that a run may change, the report says how to distinguish them.
#[test]
fn what_a_hook_writes_is_not_a_part_of_it() {
    for command in [
        "bash guard.sh --log .gemini/hooks.log",
        "bash guard.sh --log-file=.gemini/hooks.log",
        "bash guard.sh >> .gemini/hooks.log",
        "bash guard.sh 2> .gemini/hooks.log",
        "bash guard.sh | tee -a .gemini/hooks.log",
        "python3 -c \"import json, sys; open('.gemini/hooks.log', 'a').write(sys.stdin.read())\"",
        "node -e \"require('fs').appendFileSync('.gemini/hooks.log', 'x')\"",
        "sqlite3 .gemini/hooks.log \"insert into calls values('$(jq -r .tool_name)')\"",
        "sqlite3 .gemini/hooks.log 'INSERT OR IGNORE INTO calls VALUES (1)'",
    ] {
        for is_there in [true, false] {
            let fixture = Fixture::new();
            fixture.write("project/guard.sh", "exit 0");
            if is_there {
                fixture.write("project/.gemini/hooks.log", "a");
            }
            let hook = fixture.hook(&json!({"command": command}));
            fixture.trust(&hook);
            fixture.write("project/.gemini/hooks.log", "a\nb");
            assert_eq!(
                fixture.vouch(&hook).standing,
                Standing::Trusted,
                "{command}"
            );
        }
    }
    for command in [
        "bash guard.sh --log rules.sh",
        "cat x | tee rules.log; . ./rules.log",
        "bash guard.sh --log hooks.log < hooks.log",
        "python3 -c \"open('hooks.log', 'a').write('x'); exec(open('hooks.log').read())\"",
        "sqlite3 rules.log 'select count(*) from rules'",
        "sqlite3 x.db 'insert into a values(1)' '.read rules.log'",
        "sqlite3 -init rules.log x.db 'insert into a values(1)'",
        "sqlite3 rules.log \"insert into a values(1); select v from rules\"",
        "sqlite3 rules.log 'UPDATE a SET n = n + 1 RETURNING n > 3'",
        "bash guard.sh state.json",
    ] {
        let fixture = Fixture::new();
        let files = [
            "guard.sh",
            "rules.sh",
            "rules.log",
            "hooks.log",
            "state.json",
        ];
        for file in files {
            fixture.write(&format!("project/{file}"), "a");
        }
        let hook = fixture.hook(&json!({"command": command}));
        fixture.trust(&hook);
        for file in &files[1..] {
            fixture.write(&format!("project/{file}"), "b");
        }
        let standing = fixture.vouch(&hook).standing;
        let Standing::Modified { message, .. } = standing else {
            panic!("{command}: {standing:?}");
        };
        let says = message.contains("\"data\": [\"state.json\"]");
        assert_eq!(says, command.contains("state"), "{message}");
    }
}

/// TR-1, FD-14: the variables of a dialect that contain the project's folder lead to its files.
#[test]
fn variables_of_a_dialect_lead_to_files() {
    for (dialect, variable) in [
        ("qwen", "QWEN_PROJECT_DIR"),
        ("cursor", "CURSOR_PROJECT_DIR"),
        ("claude-code", "CLAUDE_PROJECT_DIR"),
    ] {
        let fixture = Fixture::new();
        fixture.write("project/guard.sh", "exit 0");
        let command = format!("\"${variable}/guard.sh\"");
        let entry = json!({"command": command, "dialect": dialect});
        let hook = fixture.hook(&entry);
        fixture.trust(&hook);
        assert_eq!(fixture.vouch(&hook).unpinned(), [""; 0], "{variable}");
        fixture.write("project/guard.sh", "exit 1");
        assert_eq!(fixture.vouch(&hook).standing.as_str(), "modified");
        let ours = fixture.hook(&json!({"command": command}));
        let is_known = variable == "CLAUDE_PROJECT_DIR";
        assert_eq!(fixture.vouch(&ours).unpinned().is_empty(), is_known);
    }
}
