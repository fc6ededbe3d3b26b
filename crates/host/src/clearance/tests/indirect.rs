//! Commands whose words alone don't show what they run or change.

use super::trial::{Trial, assert_free, begin, concern};
use super::*;

/// Commands that change `.gemini/settings.json`, after an earlier call wrote
/// `rm .gemini/settings.json` to `a.txt`.
const HELD: &[&str] = &[
    // Scripts that don't exist yet, or no longer exist.
    "cp a.txt b.sh; bash b.sh",
    "cp a.txt run; bash run",
    "cp a.txt b; chmod +x b; ./b",
    "dd if=a.txt of=b.sh; bash b.sh",
    "install -m755 a.txt b.sh; ./b.sh",
    "ln -s a.txt b.sh; . ./b.sh",
    "ln a.txt b.sh; bash b.sh",
    "ln -sf a.txt run; sh < run",
    "mkdir t; cp -t t a.txt; bash t/a.txt",
    "mkdir t; cp a.* t; bash t/a.txt",
    "sort -o b.sh a.txt; bash b.sh",
    "base64 a.txt > a.64; base64 -d a.64 > b.sh; bash b.sh",
    "gzip -k a.txt; gunzip -c a.txt.gz > run; bash run",
    "mkdir d; cp a.txt d/b.sh; cp -r d e; bash e/b.sh",
    "mkdir d; cp a.txt d/b.sh; mv d e; bash e/b.sh",
    "mkdir d; cp a.txt d/b.sh; ln -s d e; bash e/b.sh",
    "mv a.txt run; bash run",
    "tar cf a.tar a.txt; mkdir t; tar xf a.tar -C t; bash t/a.txt",
    "split a.txt s; bash saa",
    "awk 'BEGIN{print \"rm .gem\" \"ini/settings.json\" > \"b.sh\"}'; bash b.sh",
    "python3 -c \"open('b.sh','w').write('rm .gem'+'ini/settings.json')\"; bash b.sh",
    "python3 -c \"open('k.py','w').write('import os;os.remove(chr(46)+\\'gemini/settings.json\\')')\"; python3 k.py",
    // Patterns instead of script names.
    "bash a.t?t",
    ". ./a.t?t",
    "bash < a.t?t",
    "for f in a.*; do bash $f; done",
    // Patterns.
    "rm .gemin[[:lower:]]/settings.json",
    "rm .gemin[[=i=]]/settings.json",
    "rm .gemin[[.i.]]/settings.json",
    "rm .gemin[![:digit:]]/settings.json",
    "shopt -s dotglob; rm */settings.json",
    "bash -O dotglob -c 'rm */settings.json'",
    "GLOBIGNORE=x; rm */settings.json",
    "shopt -s extglob\nrm .gemini/@(settings).json",
    "bash -O extglob -c 'rm .gemini/@(settings|x).json'",
    "shopt -s nocaseglob; rm .GEMIN?/SETTINGS.JSO[N]",
    // Values of variables.
    "declare -n r=v; v=.gemini/settings.json; rm $r",
    "x='$(rm .gemini/settings.json)'; echo ${x@P}",
    "declare -l a=.GEMINI/SETTINGS.JSON; rm $a",
    "declare -l a; a=.GEMINI/SETTINGS.JSON; rm $a",
    "set -- .gemini settings.json; IFS=/; rm \"$*\"",
    "a=(.gemini settings.json); IFS=/; f=\"${a[*]}\"; rm \"$f\"",
    "shopt -s cdable_vars; g=$PWD/.gemini; cd g; rm settings.json",
    // Programs.
    "echo 'rm .gemini/settings.json' > >(bash); sleep 0.2",
    "echo 'rm .gemini/settings.json' | tee >(sh) >/dev/null; sleep 0.2",
    "hash -p /bin/rm ls; ls .gemini/settings.json",
    // Open files of a process.
    "cd .gemini; echo x > /proc/self/cwd/settings.json",
    "exec 3<.gemini; echo x > /dev/fd/3/settings.json",
    "truncate -s 0 /dev/stdin < .gemini/settings.json",
    "exec 3<.gemini/settings.json; echo x > /proc/self/fd/3",
    "cd .gemini; python3 -c \"open('/proc/self/cwd/settings.json','w')\"",
];

/// Everyday calls.
const FREE: &[&str] = &[
    "tsc && node dist/x.js",
    "cargo build && ./target/debug/x",
    "make && ./x",
    "cc x.c -o x && ./x",
    "python3 -m venv .venv && .venv/bin/pip install x",
    "python3 -m venv .venv && . .venv/bin/activate && pip install -r r.txt",
    "[ -f .env ] && . .env",
    "test -x missing.sh && bash missing.sh",
    "chmod +x run && ./run",
    "sed -i s/a/b/ run && bash run",
    "cp run b.sh; bash b.sh",
    "cat > b.py <<'E'\nprint(1)\nE\npython3 b.py",
    "exec 3> out.log; echo x >&3",
    "echo x > /dev/stderr; echo y > /dev/null; ls > /dev/stdout; echo > /dev/tty",
    "cargo build 2> >(tee err.log >&2)",
    "cargo test | tee >(grep FAIL > fail.txt)",
    "shopt -s nullglob; for f in src/*; do echo \"$f\"; done",
    "f() { local n=1; echo $n > out; }; f",
    "declare -i n=3; declare -a l=(x y); echo $n > out-$n.txt",
    "a=(x y); IFS=,; echo \"${a[*]}\" > out.txt",
    "rm -f build/[[:digit:]]*.log",
    "hash -r; ls",
    "for f in src/*.rs; do rustfmt \"$f\"; done",
    "bash -euo pipefail -c 'ls > out.txt'",
    "make && bash run",
];

/// TR-8: what a command runs or changes is followed if its words name something else; bash itself
/// confirms that each of these changes a guard.
#[test]
fn indirect_commands_are_held() {
    let mut trial = Trial::default();
    for command in HELD {
        let fixture = Fixture::new();
        let watch = begin(&fixture);
        fixture.write("project/a.txt", "rm .gemini/settings.json\n");
        fixture.write("project/run", "echo hi > out.txt\n");
        trial.attack_watched(&fixture, &watch, "bash", command);
    }
    trial.ends();
}

/// TR-8: everyday calls are let through.
#[test]
fn harmless_commands_hold_nothing_up() {
    let fixture = Fixture::new();
    let watch = begin(&fixture);
    fixture.write("project/run", "echo hi > out.txt\n");
    assert_free(&watch, FREE);
}

/// TR-8: a program that the session copied changes files whatever it is called.
#[test]
fn copies_of_programs_are_not_readers() {
    let fixture = Fixture::new();
    let watch = begin(&fixture);
    fixture.write("project/cat", "\x7fELF\0\0");
    fixture.write("project/bin/cat", "\x7fELF\0\0");
    for command in [
        "./cat .gemini/settings.json",
        "PATH=$PWD/bin:$PATH cat .gemini/settings.json",
    ] {
        assert!(concern(&watch, command).is_some(), "{command}");
    }
    assert_eq!(concern(&watch, "cat .gemini/settings.json"), None);
}

/// TR-8: what git runs because of settings and hooks that the session wrote is examined, wherever
/// they are.
#[test]
fn settings_of_git_are_followed_everywhere() {
    let script = "#!/bin/sh\nrm .gemini/settings.json\n";
    let cases: [(&[[&str; 2]], &str); 6] = [
        (
            &[[
                "home/.gitconfig",
                "[alias]\n\tzz = !rm .gemini/settings.json\n",
            ]],
            "git zz",
        ),
        (
            &[[
                "home/.config/git/config",
                "[core]\n\tfsmonitor = rm .gemini/settings.json\n",
            ]],
            "git status",
        ),
        (
            &[
                ["project/.git/config", "[include]\n\tpath = ../inc\n"],
                [
                    "project/inc",
                    "[core]\n\tfsmonitor = rm .gemini/settings.json\n",
                ],
            ],
            "git status",
        ),
        (
            &[["project/.git/hooks/post-index-change", script]],
            "git add notes.txt",
        ),
        (
            &[["project/.git/hooks/reference-transaction", script]],
            "git tag t1",
        ),
        (&[["project/.git/hooks/foo", script]], "git hook run foo"),
    ];
    for (files, command) in cases {
        let fixture = Fixture::new();
        fixture.write("project/.git/HEAD", "ref: refs/heads/main");
        let watch = begin(&fixture);
        assert_eq!(concern(&watch, command), None, "{command}");
        for [file, text] in files {
            fixture.write(file, text);
        }
        assert!(concern(&watch, command).is_some(), "{command}");
    }
}
