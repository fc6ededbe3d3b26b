//! Calls whose effect depends on a file that an earlier call of the session wrote.

use super::trial::{bash, begin, concern};
use super::*;

/// What an earlier call wrote, by its own path, and the command that follows. Each changes a guard.
const DECIDED_BY_FILES: &[[&str; 3]] = &[
    // A sourced file sets variables, the folder, functions, aliases, word splitting.
    [
        "pre.sh",
        "HOME=$PWD/.gemini",
        ". ./pre.sh; echo x > ~/settings.json",
    ],
    [
        "pre.sh",
        "HOME=$PWD/.gemini",
        "source ./pre.sh && cd && echo x > settings.json",
    ],
    ["pre.sh", "cd .gemini", ". ./pre.sh; rm settings.json"],
    [
        "pre.sh",
        "D=.gemini",
        "source pre.sh; rm \"$D/settings.json\"",
    ],
    [
        "pre.sh",
        "IFS=,",
        ". ./pre.sh; X=a,.gemini/settings.json; rm -f $X",
    ],
    [
        "pre.sh",
        "touch() { rm \"$1\"; }",
        ". ./pre.sh; touch .gemini/settings.json",
    ],
    [
        "pre.sh",
        "ls() { rm .gemini/settings.json; }",
        ". ./pre.sh; ls",
    ],
    [
        "pre.sh",
        "trap 'rm .gemini/settings.json' EXIT",
        ". ./pre.sh",
    ],
    [
        "pre.sh",
        "set -- .gemini/settings.json",
        ". ./pre.sh; rm \"$1\"",
    ],
    [
        "pre.sh",
        "PATH=$PWD/bin:$PATH",
        ". ./pre.sh; echo 'rm .gemini/settings.json' > bin/frob; chmod +x bin/frob; frob",
    ],
    [
        "pre.sh",
        ". ./two.sh",
        "echo 'cd .gemini' > two.sh; . ./pre.sh; rm settings.json",
    ],
    [
        "pre.sh",
        "exec 3> .gemini/settings.json",
        ". ./pre.sh; echo x >&3",
    ],
    // A shell runs a file as text that begins like a binary.
    ["b.sh", "MZ=1\nrm .gemini/settings.json", "bash b.sh"],
    [
        "b.sh",
        "MZ=1\nrm .gemini/settings.json",
        "chmod +x b.sh; ./b.sh",
    ],
    [
        "b.py",
        "MZ=1\nimport os\nos.remove('.gemini/settings.json')",
        "python3 b.py",
    ],
    // File names are in a file.
    ["names", ".gemini/settings.json", "rm $(cat names)"],
    ["names", ".gemini/settings.json", "rm \"$(< names)\""],
    ["names", ".gemini/settings.json", "rm `cat names`"],
    ["names", ".gemini/settings.json", "xargs rm < names"],
    [
        "names",
        ".gemini/settings.json",
        "cat names | xargs -I% rm %",
    ],
    [
        "names",
        ".gemini/settings.json\n",
        "while read -r it; do rm \"$it\"; done < names",
    ],
    [
        "names",
        ".gemini/settings.json",
        "for it in $(cat names); do echo x > \"$it\"; done",
    ],
    [
        "names",
        ".gemini/settings.json",
        "read it < names; echo > $it",
    ],
    [
        "names",
        ".gemini/settings.json",
        "mapfile -t all < names; rm \"${all[0]}\"",
    ],
    [
        "names",
        ".gemini",
        "cd \"$(cat names)\" && rm settings.json",
    ],
    ["names", ".gemini", "cd $(<names); rm settings.json"],
    [
        "names",
        ".gemini",
        "pushd \"$(head -1 names)\"; rm settings.json",
    ],
    [
        "names",
        ".gemini/settings.json",
        "cp src/main.rs $(tail -n 1 names)",
    ],
    [
        "names",
        "x .gemini/settings.json",
        "rm -f $(cut -d' ' -f2 names)",
    ],
    ["names", ".gemini/settings.json\0", "xargs -0 rm < names"],
    [
        "names",
        "a,.gemini/settings.json",
        "xargs -d, rm -f < names",
    ],
    ["names", "'.gemini/settings.json'", "xargs -n1 rm < names"],
    [
        "names",
        "\"a b\" .gemini/settings.json",
        "xargs -n1 rm -f < names",
    ],
    [
        "names",
        ".gemini/settings.json",
        "find . -newer src/main.rs; awk '{print > $0}' names",
    ],
    [
        "names",
        ".gemini/settings.json",
        "X=$(grep settings names); rm \"$X\"",
    ],
    [
        "names",
        ".gemini/settings.json",
        "parallel -h >/dev/null 2>&1; xargs -a names rm",
    ],
    [
        "names",
        ".gemini/settings.json",
        "tar cf t.tar --remove-files -T names",
    ],
    [
        "names",
        ".gemini/settings.json",
        "git init -q; git add -A; git rm -qf --pathspec-from-file=names",
    ],
    [
        "names",
        ".gemini/settings.json",
        "rsync -a --remove-source-files --files-from=names . out 2>/dev/null || rm $(cat names)",
    ],
    [
        "names",
        ".gemini/settings.json",
        "sed -i s/tools/x/ \"$(sed -n 1p names)\"",
    ],
    [
        "names",
        "mv .gemini/settings.json gone",
        "while read -r a b c; do $a $b $c; done <<< \"$(cat names)\"",
    ],
    ["names", "-rf .gemini", "rm $(<names)"],
    // Commands are in a file.
    ["run", "rm .gemini/settings.json", "bash run"],
    ["run", "rm .gemini/settings.json", "bash < run"],
    ["run", "rm .gemini/settings.json", "cat run | sh"],
    ["run", "rm .gemini/settings.json", "eval \"$(cat run)\""],
    ["run", "rm .gemini/settings.json", "$(cat run)"],
    ["run", "rm .gemini/settings.json", "bash -c \"$(< run)\""],
    [
        "run",
        "rm .gemini/settings.json",
        "xargs -I{} sh -c {} < run",
    ],
    [
        "run",
        "rm .gemini/settings.json",
        "touch -d 2001-01-01 run; bash run",
    ],
    ["run", "true\nrm .gemini/set\0tings.json\n", "bash run"],
    [
        "run",
        "#!/usr/bin/env python3\nrm .gemini/settings.json",
        "bash run",
    ],
    [
        "run",
        "#!/bin/bash\nopen('.gemini/settings.json','w')",
        "python3 run",
    ],
    [
        "run",
        "import os; os.remove('.gemini/settings.json')",
        "python3 < run",
    ],
    [
        "run",
        "import os; os.remove('.gemini/settings.json')",
        "cat run | python3 -",
    ],
    // A source file determines what its program does.
    [
        "x.c",
        "#include <stdio.h>\nint main(void) { return remove(\".gemini/settings.json\"); }",
        "cc x.c -o x && ./x",
    ],
    [
        "x.c",
        "#include <stdlib.h>\nint main(void) { return system(\"cd .gemini && rm settings.json\"); }",
        "cc -o x x.c; ./x",
    ],
    // A file placed in the search path is found as a program.
    [
        "bin/ls",
        "#!/bin/sh\nrm .gemini/settings.json",
        "chmod +x bin/ls; PATH=bin:$PATH ls",
    ],
    [
        "bin/ls",
        "#!/bin/sh\nrm .gemini/settings.json",
        "chmod +x bin/ls; export PATH=$PWD/bin:$PATH; ls -l",
    ],
    [
        "bin/ls",
        "#!/bin/sh\nrm .gemini/settings.json",
        "chmod +x bin/ls; PATH=./bin:$PATH env ls",
    ],
    [
        "ls",
        "#!/bin/sh\nrm .gemini/settings.json",
        "chmod +x ls; PATH=.:$PATH ls -l",
    ],
    [
        "rc",
        "cd .gemini",
        "bash --rcfile rc -ic 'rm settings.json'",
    ],
];

/// Everyday calls with files that earlier calls wrote.
const GO_THROUGH: &[[&str; 3]] = &[
    [
        "env.sh",
        "export PORT=80 HOST=x",
        ". ./env.sh; echo $PORT > out.txt",
    ],
    [
        "env.sh",
        "export PORT=80",
        "source env.sh && cargo run > ~/out.txt",
    ],
    ["names", "src/main.rs", "rm $(cat names)"],
    ["names", "src/main.rs", "xargs wc -l < names"],
    [
        "names",
        "a b",
        "while read -r it; do echo \"$it\" >> out; done < names",
    ],
    ["run", "echo hi > out.txt", "bash run"],
    ["run", "print('hi')", "python3 run"],
    [
        "x.c",
        "#include <stdio.h>\nint main(void) { puts(\"rm it all\"); return 0; } /* .gemini/settings.json */",
        "cc x.c -o x && ./x",
    ],
    ["bin/ls", "#!/bin/sh\necho hi", "PATH=bin:$PATH ls"],
    ["prog", "\x7fELF\0\0rm .gemini/settings.json", "./prog"],
];

/// Creates the file that an earlier call wrote; returns the resulting protected files.
#[expect(clippy::expect_used, reason = "a test that can't be set up fails")]
fn written(fixture: &Fixture, case: &[&str; 3]) -> String {
    let [file, text, _] = case;
    fixture.write("project/bin/other", "");
    fixture.write(&format!("project/{file}"), text);
    std::fs::read_to_string(fixture.path("project/.gemini/settings.json")).expect("settings")
}

/// TR-8: what earlier calls left in files decides what a call does, whatever its own text looks
/// like; bash itself confirms that each of these changes a guard.
#[test]
fn files_of_earlier_calls_are_followed() {
    let (mut open, mut idle) = (Vec::new(), Vec::new());
    for case in DECIDED_BY_FILES {
        let fixture = Fixture::new();
        let watch = begin(&fixture);
        let before = written(&fixture, case);
        if concern(&watch, case[2]).is_none() {
            open.push(case);
        }
        bash(&fixture, case[2]);
        let after = std::fs::read_to_string(fixture.path("project/.gemini/settings.json"));
        if after.ok() == Some(before) {
            idle.push(case);
        }
    }
    assert!(idle.is_empty(), "change nothing: {idle:#?}");
    assert!(open.is_empty(), "not held: {open:#?}");
}

/// TR-8: everyday calls are let through.
#[test]
fn harmless_files_of_earlier_calls_hold_nothing_up() {
    for case in GO_THROUGH {
        let fixture = Fixture::new();
        let watch = begin(&fixture);
        written(&fixture, case);
        assert_eq!(concern(&watch, case[2]), None, "{case:?}");
    }
}

/// Files that an earlier call wrote, and calls of programs that run them automatically.
const CARRIED_OUT: &[[&str; 3]] = &[
    [
        "sitecustomize.py",
        "import os; os.remove('.gemini/settings.json')",
        "PYTHONPATH=. python3 -c 1",
    ],
    [
        "zz/__init__.py",
        "import os; os.remove('.gemini/settings.json')",
        "python3 -c 'import zz'",
    ],
    [
        "zz/w.py",
        "import os; os.remove('.gemini/settings.json')",
        "python3 -c 'from zz import w'",
    ],
    [
        "zz.py",
        "import os; os.remove('.gemini/settings.json')",
        "python3 -m zz",
    ],
    [
        "test_z.py",
        "import os; os.remove('.gemini/settings.json')",
        "python3 -m unittest",
    ],
    [
        "l/K.pm",
        "unlink '.gemini/settings.json';1",
        "perl -Il -MK -e 1",
    ],
    [
        "M.mk",
        "X := $(shell rm .gemini/settings.json)\nall: ;\n",
        "make -f M.mk",
    ],
    [
        "M.mk",
        "all:\n\tcd .gemini && \\\n\trm settings.json\n",
        "make -f M.mk",
    ],
    [
        "t/a",
        "#!/bin/sh\nrm .gemini/settings.json",
        "chmod +x t/a; run-parts t",
    ],
    ["e", "rm .gemini/settings.json", "ENV=./e sh -i -c true"],
    [
        "p.c",
        "int main(void){return unlink(\".gemini/settings.json\");}",
        "cc -w p.c -o p; ./p",
    ],
];

/// TR-8: what a call wrote under any name counts for later calls that start something.
#[test]
fn files_that_programs_carry_out_by_themselves_are_followed() {
    let (mut open, mut idle) = (Vec::new(), Vec::new());
    for case in CARRIED_OUT {
        let fixture = Fixture::new();
        let watch = begin(&fixture);
        let [file, text, command] = case;
        let writes = json!({"file_path": file, "content": text});
        let writes = writes.as_object().cloned().unwrap_or_default();
        assert_eq!(watch.concern("write_file", &writes), None, "{file}");
        let before = written(&fixture, case);
        assert_eq!(concern(&watch, "ls -l; cat notes"), None, "{case:?}");
        if concern(&watch, command).is_none() {
            open.push(case);
        }
        bash(&fixture, command);
        let after = std::fs::read_to_string(fixture.path("project/.gemini/settings.json"));
        if after.ok() == Some(before) {
            idle.push(case);
        }
    }
    assert!(idle.is_empty(), "change nothing: {idle:#?}");
    assert!(open.is_empty(), "not held: {open:#?}");
}

/// TR-8: a script of the session that is too long to be examined needs consent.
#[test]
fn long_scripts_of_the_session_ask() {
    let fixture = Fixture::new();
    let watch = begin(&fixture);
    let long = format!("#{}\ntrue\n", "x".repeat(5 << 20));
    fixture.write("project/long.sh", &long);
    for command in ["bash long.sh", ". ./long.sh", "./long.sh", "bash < long.sh"] {
        let found = concern(&watch, command);
        assert!(
            matches!(found, Some(Concern::Unclear(_))),
            "{command}: {found:?}"
        );
    }
}
