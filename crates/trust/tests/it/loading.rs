//! What hooks load: scripts and the scripts that they load, modules, packages (TR-1, TR-8).

use std::sync::mpsc;
use std::time::Duration;

use crate::fixture::Fixture;

/// How long it may take to find what a hook loads: following every way from file to file would take
/// years.
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

/// TR-8: what a hook loads is found in time, however its modules load each other, in a package and
/// beside it.
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

/// TR-8: packages of a realistic size are known to their last file.
#[test]
fn packages_of_real_size_are_known_whole() {
    let fixture = Fixture::new();
    let folder = "home/node_modules";
    let mut files = Vec::new();
    for package in 0..80 {
        let description = format!("{folder}/p{package}/package.json");
        fixture.write(&description, "{\"main\": \"./lib/api\"}");
        let mut entry = String::new();
        for part in ["f", "rules/r", "rules/more/s"] {
            for at in 0..5 {
                let name = format!("{part}{at}");
                entry.extend(["require('./", &name, "');"]);
                let others = [package * 7 + at, package * 3 + at * 11].map(|it| it % 80);
                let text = others.map(|it| format!("require('p{it}'); require('fs/promises')"));
                let file = format!("{folder}/p{package}/lib/{name}.js");
                fixture.write(&file, text.join(";"));
                files.push(file);
            }
        }
        fixture.write(&format!("{folder}/p{package}/lib/api.js"), entry);
    }
    fixture.write("home/g.js", "require('p1')");
    let hook = fixture.users("node ~/g.js");
    let found = fixture.belonging(&hook, fixture.surroundings()).files;
    let is_known = |file: &&String| found.contains(&fixture.real(file));
    let known = files.iter().filter(is_known).count();
    assert_eq!(known, files.len());
}

/// TR-1: scripts are followed as deep as they load each other, and a near one is followed although
/// it was found at a greater distance first.
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
        let reported = format!("files: {file} changed since it was trusted");
        assert_eq!(fixture.changes(&hook), [reported]);
    }
}

/// TR-1: if a hook loads more than is examined, that is reported.
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
        unpinned.contains("more scripts than are checked"),
        "{unpinned}"
    );
}

/// TR-1: each function of a library that no command calls is examined, wherever else its name is;
/// one that is called is examined with its calls.
#[test]
fn functions_that_nobody_calls_are_looked_into() {
    for text in [
        "check() { . t/a.sh; }",
        "# check\ncheck() { . t/a.sh; }",
        "check() { . t/a.sh; } # check, check",
        "echo 'call check'\ncheck() { . t/a.sh; }",
        "checked() { true; }\nchecked\ncheck() { . t/a.sh; }",
        "# outer\nouter() { check() { . t/a.sh; }; }",
        "check() { inner; }\ninner() { . t/a.sh; } # inner check",
        "check() { if true; then . t/a.sh; fi; }\nalias check=true",
        "check() { . t/a.sh; }\nexport -f check",
        "check() { . t/a.sh; }\nif false; then check; fi",
        "check() { . t/a.sh; }\ncheck\ncheck",
        "check() { . t/a.sh; }\nreturn 0",
        "[ -n \"$X\" ] && exit 0 # check\ncheck() { . t/a.sh; }\nexit 0",
        "function check { . t/a.sh; } # check",
        "check() { . t/a.sh; } # check\ncat <<X\ncheck\nX",
    ] {
        let fixture = Fixture::new();
        fixture.write("project/t/lib.sh", text);
        fixture.write("project/t/a.sh", "true");
        fixture.write("project/t/g.sh", ". t/lib.sh; check");
        let hook = fixture.command("bash t/g.sh");
        fixture.trust(&hook);
        fixture.write("project/t/a.sh", "false");
        let reported = "files: t/a.sh changed since it was trusted";
        assert_eq!(fixture.changes(&hook), [reported], "{text}");
    }
    // Nothing is run by a name that is only mentioned.
    let fixture = Fixture::new();
    fixture.write(
        "project/t/g.sh",
        "# a.sh\necho t/a.sh; check() { echo t/a.sh; }\n",
    );
    fixture.write("project/t/a.sh", "true");
    let hook = fixture.command("bash t/g.sh");
    fixture.trust(&hook);
    fixture.write("project/t/a.sh", "false");
    assert!(fixture.vouch(&hook).may_run());
}

/// TR-1: a library of thousands of functions is examined in time.
#[test]
fn many_functions_are_looked_into_in_time() {
    let (done, waiting) = mpsc::channel();
    std::thread::spawn(move || {
        let fixture = Fixture::new();
        let mut text = String::new();
        for at in 0..4000 {
            let line = format!("# f{at}\nf{at}() {{ true; }}\n");
            text.push_str(&line);
        }
        fixture.write("project/t/g.sh", text);
        let hook = fixture.command("bash t/g.sh");
        done.send(fixture.vouch(&hook).may_run())
            .expect("somebody who waits");
    });
    assert_eq!(waiting.recv_timeout(IN_TIME), Ok(false));
}

/// TR-1: a script that names no interpreter is read by the shell that starts or sources it.
#[test]
fn scripts_that_name_no_interpreter_are_the_shells() {
    for (command, name) in [
        ("bash t/guard", "t/guard"),
        (". t/rc", "t/rc"),
        ("./t/guard", "t/guard"),
    ] {
        let fixture = Fixture::new();
        fixture.write(&format!("project/{name}"), "set -eu\n. t/lib.sh\n");
        fixture.write("project/t/lib.sh", "true");
        let hook = fixture.command(command);
        fixture.trust(&hook);
        fixture.write("project/t/lib.sh", "false");
        let reported = "files: t/lib.sh changed since it was trusted";
        assert_eq!(fixture.changes(&hook), [reported], "{command}");
    }
}

/// TR-1: a Python module is followed in every form in which it is imported; a name that isn't a
/// module names no file.
#[test]
fn imports_of_python_are_followed_in_every_form() {
    for text in [
        "from lib import checks",
        "from lib import other, checks as c",
        "from lib import (\n    other,  # first\n    checks,\n)\n",
        "from lib import(checks)",
        "import sys; from lib import checks",
        "import os; import lib.checks",
        "try: import lib.checks\nexcept ImportError: pass",
        "if True: from lib import checks",
        "from .lib import checks",
        "from lib import \\\n    checks",
        "import os, \\\n    lib.checks",
        "from lib.checks import main",
    ] {
        let fixture = Fixture::new();
        fixture.write("project/t/g.py", text);
        fixture.write("project/t/lib/__init__.py", "other = 1");
        fixture.write("project/t/lib/checks.py", "main = 1");
        fixture.write("project/t/lib/else.py", "main = 1");
        let hook = fixture.command("python3 t/g.py");
        fixture.trust(&hook);
        fixture.write("project/t/lib/else.py", "main = 2");
        assert!(fixture.vouch(&hook).may_run(), "{text}");
        fixture.write("project/t/lib/checks.py", "main = 2");
        let reported = "files: t/lib/checks.py changed since it was trusted";
        assert_eq!(fixture.changes(&hook), [reported], "{text}");
    }
    for text in [
        "# from lib import checks\n",
        "print('from lib import checks')",
        "x = 1 # ; nothing",
    ] {
        let fixture = Fixture::new();
        fixture.write("project/t/g.py", text);
        fixture.write("project/t/lib/checks.py", "main = 1");
        let hook = fixture.command("python3 t/g.py");
        fixture.trust(&hook);
        fixture.write("project/t/lib/checks.py", "main = 2");
        assert!(fixture.vouch(&hook).may_run(), "{text}");
    }
}

const THE_READ: &str =
    "import pathlib, os\nP = pathlib.Path(__file__).parent / 'cfg' / 'rules.json'\n";
const THE_AT_HOME: &str = "import os\nopen(os.path.expanduser('~/.config/guard/rules.json'))\n";
const THE_WRITES: &str = "import json\nN = 'cache.json'\njson.dump({}, open(N, 'w'))\n";
const THE_IN_PATH: &str =
    "import sys, os\nsys.path.insert(0, os.path.expanduser('~/lib/py'))\nimport grules\n";
const THE_MAKE: &str = "all:\n\techo\nguard: check\ncheck:\n\t@sh check.sh\n";
const THE_NPM: &str = r#"{"scripts": {"guard": "node guard.js", "other": "node other.js"}}"#;
const THE_IMPORTS: &str = r##"{"imports": {"#rules": "./rules.js"}}"##;

/// Files of a home folder, a command, a file, and whether that belongs to a hook of the command.
type Named = (
    &'static [(&'static str, &'static str)],
    &'static str,
    &'static str,
    bool,
);

const NAMED: &[Named] = &[
    (
        &[("t/g.py", THE_READ), ("t/cfg/rules.json", "")],
        "python3 ~/t/g.py",
        "t/cfg/rules.json",
        true,
    ),
    (
        &[("t/g.py", THE_AT_HOME), (".config/guard/rules.json", "")],
        "python3 ~/t/g.py",
        ".config/guard/rules.json",
        true,
    ),
    (
        &[("t/g.py", THE_WRITES), ("t/cache.json", "")],
        "python3 ~/t/g.py",
        "t/cache.json",
        false,
    ),
    (
        &[("t/g.py", THE_IN_PATH), ("lib/py/grules.py", "")],
        "python3 ~/t/g.py",
        "lib/py",
        true,
    ),
    (
        &[
            ("t/g.js", "const r = path.join(__dirname, 'rules.json')"),
            ("t/rules.json", ""),
        ],
        "node ~/t/g.js",
        "t/rules.json",
        true,
    ),
    (
        &[
            ("t/g.js", "import r from '#rules'"),
            ("t/package.json", THE_IMPORTS),
            ("t/rules.js", ""),
        ],
        "node ~/t/g.js",
        "t/rules.js",
        true,
    ),
    (
        &[("t/Makefile", THE_MAKE), ("t/check.sh", "")],
        "make -C ~/t guard",
        "t/Makefile",
        true,
    ),
    (
        &[("t/Makefile", THE_MAKE), ("t/check.sh", "")],
        "make -C ~/t guard",
        "t/GNUmakefile",
        true,
    ),
    (
        &[("t/Makefile", THE_MAKE), ("t/check.sh", "")],
        "make -C ~/t guard",
        "t/check.sh",
        true,
    ),
    (
        &[("t/Makefile", THE_MAKE), ("t/check.sh", "")],
        "make -C ~/t all",
        "t/check.sh",
        false,
    ),
    (
        &[
            ("t/package.json", THE_NPM),
            ("t/guard.js", ""),
            ("t/other.js", ""),
        ],
        "npm run -s --prefix ~/t guard",
        "t/guard.js",
        true,
    ),
    (
        &[
            ("t/package.json", THE_NPM),
            ("t/guard.js", ""),
            ("t/other.js", ""),
        ],
        "npm run -s --prefix ~/t guard",
        "t/other.js",
        false,
    ),
    (
        &[
            ("t/g.pl", "use lib \"$FindBin::Bin/lib\";"),
            ("t/lib/Guard.pm", ""),
        ],
        "perl ~/t/g.pl",
        "t/lib",
        true,
    ),
    (
        &[("t/g.pl", ""), ("t/lib/Guard.pm", "")],
        "perl -I ~/t/lib ~/t/g.pl",
        "t/lib",
        true,
    ),
    (
        &[("t/m.jq", "")],
        "jq -L ~/t 'import \"m\" as m; m::bad'",
        "t",
        true,
    ),
];

/// TR-8: what affects the decisions of a person's guard by a name in its script, its command or
/// what carries out its tasks belongs to it; what the script writes itself doesn't.
#[test]
fn what_a_guard_names_as_a_text_or_a_task_belongs_to_it() {
    for (files, command, file, belongs) in NAMED {
        let fixture = Fixture::new();
        for (file, text) in *files {
            fixture.write(&format!("home/{file}"), text);
        }
        let belonging = fixture.belonging(&fixture.users(command), fixture.surroundings());
        let file = fixture.real("home").join(file);
        let found = [&belonging.files, &belonging.folders, &belonging.reads];
        assert_eq!(
            found.iter().any(|it| it.contains(&file)),
            *belongs,
            "{command}: {} {belonging:?}",
            file.display()
        );
    }
}
