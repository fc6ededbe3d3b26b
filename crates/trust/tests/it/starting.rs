//! What programs of hooks read at startup although nothing names it (TR-8).

use std::collections::BTreeSet;
use std::path::PathBuf;

use hookloop_hook::HookDeclaration;
use hookloop_trust::{Loaded, Surroundings, decisive_files};
use serde_json::json;

use crate::fixture::Fixture;

/// The folder of a person's packages.
const USER_SITE: &str = "home/.local/lib/python3.11/site-packages";

/// Creates a Python of version 3.11 that is found first, and returns where hooks run.
fn with_python(fixture: &Fixture) -> Surroundings {
    fixture.write("base/bin/python3.11", "");
    fixture.link("base/bin/python3", "python3.11");
    found_in(fixture, &["base/bin"])
}

fn found_in(fixture: &Fixture, folders: &[&str]) -> Surroundings {
    let mut around = fixture.surroundings();
    let first: Vec<PathBuf> = folders.iter().map(|it| fixture.path(it)).collect();
    around.search_path.splice(0..0, first);
    around
}

fn files(fixture: &Fixture, command: &str, around: &Surroundings) -> BTreeSet<PathBuf> {
    let hook = fixture.users(command);
    fixture.belonging(&hook, around.clone()).files
}

fn loaded(fixture: &Fixture, hook: &HookDeclaration, around: &Surroundings) -> Loaded {
    let store = fixture.store().with_surroundings(around.clone());
    store
        .examine(&fixture.project(), &fixture.project())
        .of(hook)
        .loaded()
}

/// TR-8: only what is before its script is an option of Python, and each option only disables its
/// own part: `-I` and `-s` the person's packages, `-I` and `-E` the variables, none the libraries
/// of the system's loader.
#[test]
fn options_of_python_end_what_they_say() {
    let fixture = Fixture::new();
    let mut around = with_python(&fixture);
    let library = fixture.write("home/x.so", "");
    let searched = fixture.path("searched");
    for (variable, value) in [("PYTHONPATH", &searched), ("LD_PRELOAD", &library)] {
        let value = value.display().to_string();
        around.start_variables.insert(variable.to_owned(), value);
    }
    let person = fixture.real(&format!("{USER_SITE}/usercustomize.py"));
    let (library, searched) = (fixture.real("home/x.so"), fixture.real("searched"));
    for (command, reads_person, reads_variables) in [
        ("python3 g.py", true, true),
        ("python3 -E g.py", true, false),
        ("python3 -s g.py", false, true),
        ("python3 -I g.py", false, false),
        ("python3 -Es g.py", false, false),
        ("python3 -b -E g.py", true, false),
        ("python3 -S g.py", false, true),
        ("python3 -P g.py", true, true),
        ("python3 -W ignore -s g.py", false, true),
        ("python3 -Wignore -X dev -E g.py", true, false),
        ("python3 -WEs g.py", true, true),
        (
            "python3 --check-hash-based-pycs always -I g.py",
            false,
            false,
        ),
        ("python3 g.py -I", true, true),
        ("python3 g.py -s -E", true, true),
        ("python3 -- g.py -I", true, true),
        ("python3 -c 'import os' -I", true, true),
        ("python3 -c 'import os' -- -E -s", true, true),
        ("python3 -m guard -s", true, true),
        ("python3 -Em guard -s", true, false),
        ("python3 - -I < g.py", true, true),
        ("PYTHONNOUSERSITE=1 python3 g.py", false, true),
        ("PYTHONNOUSERSITE=1 python3 -E g.py", true, false),
    ] {
        let hook = fixture.users(command);
        let found = fixture.belonging(&hook, around.clone());
        assert_eq!(found.files.contains(&person), reads_person, "{command}");
        let folders = &found.folders;
        assert_eq!(folders.contains(&searched), reads_variables, "{command}");
        assert!(found.files.contains(&library), "{command}");
    }
    for (line, reads_person) in [
        ("#!/usr/bin/env python3", true),
        ("#!/usr/bin/env -S python3 -E", true),
        ("#!/usr/bin/env -S A=1 python3 -I", false),
        ("#!/usr/bin/env -u B -S python3 -s -E", false),
        ("#!/usr/bin/env -Spython3 -Es", false),
    ] {
        let script = fixture.write("home/tool", line);
        let found = files(&fixture, &script.display().to_string(), &around);
        assert_eq!(found.contains(&person), reads_person, "{line}");
    }
}

/// Makes a virtual environment of the project.
fn environment(fixture: &Fixture, others: bool) {
    fixture.write("base/bin/python3.11", "");
    fixture.link("project/.venv/bin/python3", "../../../base/bin/python3.11");
    let text = format!(
        "home = {}\ninclude-system-site-packages = {others}\n",
        fixture.path("base/bin").display()
    );
    fixture.write("project/.venv/pyvenv.cfg", text);
    let site = "project/.venv/lib/python3.11/site-packages";
    fixture.write(&format!("{site}/six.py"), "");
    let line = "import os; import finder, _virtualenv\n../../../../src\n# import no\n";
    fixture.write(&format!("{site}/editable.pth"), line);
    fixture.write(&format!("{site}/finder.py"), "");
    fixture.write(&format!("{site}/_virtualenv/__init__.py"), "");
}

/// TR-8: what runs at each start of the interpreter that is found belongs to the hook; what else is
/// installed beside it doesn't.
#[test]
fn packages_of_the_interpreter_decide() {
    let fixture = Fixture::new();
    environment(&fixture, false);
    fixture.write("home/guards/guard.py", "import json");
    fixture.write("project/tool", "#!/usr/bin/env python3\n");
    let venv = fixture.path("project/.venv/bin/python3");
    fixture.link("home/bin/python3", &venv.display().to_string());
    let site = fixture.real("project/.venv/lib/python3.11/site-packages");
    for (command, folder) in [
        ("python3 ~/guards/guard.py", "project/.venv/bin"),
        (".venv/bin/python3 ~/guards/guard.py", "base/bin"),
        ("./tool", "project/.venv/bin"),
        ("python3 -I -c 'import json'", "project/.venv/bin"),
        ("python3 ~/guards/guard.py", "home/bin"),
    ] {
        let around = found_in(&fixture, &[folder]);
        let hook = fixture.users(command);
        let found = fixture.belonging(&hook, around.clone());
        for name in [
            "editable.pth",
            "sitecustomize.py",
            "usercustomize/__init__.py",
            "finder.py",
            "_virtualenv/__init__.py",
        ] {
            assert!(found.files.contains(&site.join(name)), "{command}: {name}");
        }
        let settings = fixture.real("project/.venv/pyvenv.cfg");
        assert!(found.files.contains(&settings), "{command}");
        let listed = fixture.real("project/src/usercustomize.py");
        assert!(found.files.contains(&listed), "{command}");
        // By any name: `a.pth` may be written there.
        assert!(found.folders.contains(&site), "{command}");
        assert!(!found.files.contains(&site.join("six.py")), "{command}");
        let loads = loaded(&fixture, &hook, &around);
        assert!(loads.listed.contains(&site), "{command}");
        assert!(!loads.folders.contains(&site), "{command}");
        assert!(loads.implicit.contains(&site.join("editable.pth")));
    }
    let around = found_in(&fixture, &["project/.venv/bin"]);
    let found = fixture.belonging(&fixture.users("python3 -S g.py"), around);
    assert!(!found.folders.contains(&site));
}

/// TR-8: installing a package isn't a change of what a hook loads.
#[test]
fn installing_a_package_changes_nothing() {
    let fixture = Fixture::new();
    environment(&fixture, false);
    let around = found_in(&fixture, &["project/.venv/bin"]);
    fixture.write("home/guard.py", "import json");
    let hook = fixture.users("python3 ~/guard.py");
    let before = loaded(&fixture, &hook, &around);
    let lists =
        |loads: &Loaded| -> Vec<_> { loads.listed.iter().map(|it| decisive_files(it)).collect() };
    let listed = lists(&before);
    let site = "project/.venv/lib/python3.11/site-packages";
    for file in [
        "requests/__init__.py",
        "requests-1.dist-info/RECORD",
        "yaml.py",
        "_x.so",
    ] {
        fixture.write(&format!("{site}/{file}"), "");
    }
    fixture.write("project/.venv/bin/pip", "");
    let after = loaded(&fixture, &hook, &around);
    assert_eq!(after, before);
    assert_eq!(lists(&after), listed);
    // A project that is installed by a link to it adds a folder.
    let source = fixture.path("project/src").display().to_string();
    fixture.write(&format!("{site}/__editable__.x.pth"), format!("{source}\n"));
    assert_eq!(lists(&after), listed);
    let customized = fixture.write("project/src/sitecustomize.py", "");
    assert_ne!(lists(&after), listed);
    std::fs::remove_file(customized).expect("a file");
    assert_eq!(lists(&after), listed);
    fixture.write(&format!("{site}/a.pth"), "import os");
    assert_ne!(lists(&after), listed);
}

/// Returns what Python keeps of a module, by what its head says about comparing.
fn compiled(flags: u8) -> Vec<u8> {
    let mut bytes = b"\xa7\x0d\x0d\x0a".to_vec();
    bytes.extend([flags, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
    bytes
}

/// TR-1, TR-8: a compiled module that Python uses without looking at its source is a change of the
/// hook; what Python keeps by itself isn't.
#[test]
fn compiled_modules_that_nobody_compares_count() {
    let util = "project/t/__pycache__/util.cpython-311.pyc";
    let package = "project/t/pack/__pycache__/__init__.cpython-311.opt-1.pyc";
    for (file, flags, counts) in [
        (util, 1, true),
        (util, 3, true),
        ("project/t/__pycache__/util.cpython-312.opt-2.pyc", 1, true),
        (package, 1, true),
        (util, 0, false),
        (package, 0, false),
        ("project/t/__pycache__/other.cpython-311.pyc", 1, false),
        ("project/t/__pycache__/util.cpython-311.pyc.140", 1, false),
        ("project/t/util.pyc", 1, false),
    ] {
        let fixture = Fixture::new();
        fixture.write("project/t/g.py", "import util, pack");
        fixture.write("project/t/util.py", "");
        fixture.write("project/t/pack/__init__.py", "");
        let mut hook = fixture.command("python3 t/g.py");
        fixture.trust(&hook);
        fixture.write(file, compiled(flags));
        assert_eq!(!fixture.vouch(&hook).may_run(), counts, "{file} {flags}");
        hook = fixture.users(&format!(
            "python3 {}",
            fixture.path("project/t/g.py").display()
        ));
        let loads = loaded(&fixture, &hook, &fixture.surroundings());
        let is_compared = loads.implicit.contains(&fixture.real(file));
        assert_eq!(is_compared, counts, "{file} {flags}");
        let mut listed = loads.listed.iter().flat_map(|it| decisive_files(it));
        let is_listed = counts || file.contains("other");
        assert_eq!(
            listed.any(|it| it == fixture.real(file)),
            is_listed,
            "{file} {flags}"
        );
    }
}

/// TR-8: a person's packages count if the interpreter uses them: not in an isolated virtual
/// environment, and in the folder that a variable names.
#[test]
fn packages_of_a_person_count_where_they_are_taken() {
    let person = |fixture: &Fixture, folder: &str| {
        fixture.real(&format!(
            "{folder}/lib/python3.11/site-packages/usercustomize.py"
        ))
    };
    for others in [false, true] {
        let fixture = Fixture::new();
        environment(&fixture, others);
        let around = found_in(&fixture, &["project/.venv/bin"]);
        let found = files(&fixture, "python3 g.py", &around);
        assert_eq!(found.contains(&person(&fixture, "home/.local")), others);
    }
    let fixture = Fixture::new();
    let mut around = with_python(&fixture);
    let other = fixture.path("other");
    let command = format!("PYTHONUSERBASE={} python3 -E g.py", other.display());
    let found = files(&fixture, &command, &around);
    assert!(found.contains(&person(&fixture, "other")));
    let value = other.display().to_string();
    around
        .start_variables
        .insert("PYTHONUSERBASE".to_owned(), value);
    let found = files(&fixture, "python3 g.py", &around);
    assert!(found.contains(&person(&fixture, "other")));
    assert!(!found.contains(&person(&fixture, "home/.local")));
}

/// TR-8: if a shim chooses among installed versions, the packages of each of them count.
#[test]
fn packages_of_every_version_count_that_may_be_chosen() {
    for (shims, versions) in [
        ("home/.pyenv/shims", "home/.pyenv/versions"),
        ("home/.asdf/shims", "home/.asdf/installs/python"),
    ] {
        let fixture = Fixture::new();
        fixture.write(&format!("{shims}/python3"), "#!/usr/bin/env bash\n");
        let around = found_in(&fixture, &[shims]);
        for version in ["3.11.7/lib/python3.11", "3.13.1/lib/python3.13"] {
            let library = format!("{versions}/{version}");
            fixture.write(&format!("{library}/site-packages/a.pth"), "import os");
            let hook = fixture.users("python3 g.py");
            let found = fixture.belonging(&hook, around.clone());
            let library = fixture.real(&library);
            assert!(found.files.contains(&library.join("site-packages/a.pth")));
            assert!(found.folders.contains(&library), "{shims}");
        }
    }
}

/// TR-8: `BASH_ENV` is read by the shell that runs a hook's text, whatever is in it, together with
/// what it sources.
#[test]
fn the_shell_of_a_hook_reads_what_a_variable_names() {
    let fixture = Fixture::new();
    let first = fixture.write("home/first", ". ~/second\n");
    fixture.write("home/second", "true\n");
    fixture.write("bin/bash", "");
    let mut around = found_in(&fixture, &["early", "bin"]);
    let value = first.display().to_string();
    around.start_variables.insert("BASH_ENV".to_owned(), value);
    for (entry, is_read) in [
        (json!({"command": "true"}), true),
        (json!({"command": "./guard --now"}), true),
        (json!({"command": "python3 -I g.py"}), true),
        (json!({"command": "true", "shell": "bash"}), true),
        (json!({"command": "true", "shell": "sh"}), false),
        (json!({"command": "true", "args": ["x"]}), false),
        (json!({"command": "bash", "args": ["g.sh"]}), true),
    ] {
        let hook = fixture.users_entry(&entry);
        let found = fixture.belonging(&hook, around.clone()).files;
        for file in ["home/first", "home/second"] {
            assert_eq!(
                found.contains(&fixture.real(file)),
                is_read,
                "{entry} {file}"
            );
        }
        let rival = found.contains(&fixture.path("early/bash"));
        assert_eq!(rival, is_read, "{entry}");
    }
}

/// TR-8: login shells and interactive shells read further files, and what those source is read too.
/// Options after a script are the script's own.
#[test]
fn shells_for_a_login_or_a_person_read_further_files() {
    let fixture = Fixture::new();
    let text = "if [ -f ~/.bashrc ]; then . ~/.bashrc; fi\nsource ~/.common\n";
    fixture.write("home/.bash_profile", text);
    fixture.write("home/.bashrc", ". \"$HOME/aliases\"\n");
    fixture.write("home/.common", "");
    fixture.write("home/aliases", "");
    fixture.write("home/.profile", "");
    let around = fixture.surroundings();
    let of_login = [".bash_profile", ".bashrc", ".common", "aliases", ".profile"];
    for (command, read) in [
        ("bash -lc true", &of_login[..]),
        ("bash --login g.sh", &of_login),
        ("bash -o pipefail -l g.sh", &of_login),
        ("bash --rcfile x -l g.sh", &of_login),
        ("cd /tmp && exec bash -xlc 'true'", &of_login),
        ("bash -ic true", &[".bashrc", "aliases"]),
        ("bash -i -c true", &[".bashrc", "aliases"]),
        ("sh -lc true", &[".profile"]),
        ("dash -l g.sh", &[".profile"]),
        ("zsh -lc true", &[".zshenv", ".zprofile", ".zlogin"]),
        ("zsh -ic true", &[".zshenv", ".zshrc"]),
        ("zsh -c true", &[".zshenv"]),
        ("bash g.sh -l -i", &[]),
        ("bash -c true -l", &[]),
        ("bash -- g.sh -l", &[]),
        ("ls -l", &[]),
    ] {
        let found = files(&fixture, command, &around);
        for file in of_login
            .iter()
            .chain(&[".zshenv", ".zprofile", ".zlogin", ".zshrc"])
        {
            let path = fixture.real(&format!("home/{file}"));
            assert_eq!(
                found.contains(&path),
                read.contains(file),
                "{command}: {file}"
            );
        }
    }
    let script = fixture.write("home/tool", "#!/bin/bash -l\ntrue\n");
    let found = files(&fixture, &script.display().to_string(), &around);
    assert!(found.contains(&fixture.real("home/.common")));
}
