//! Standard input and other open files, named as if they were files on disk.

use super::trial::{Trial, assert_free, begin};
use super::*;

/// Names of standard input.
const NAMES: &[&str] = &[
    "/dev/stdin",
    "/dev/fd/0",
    "/dev//stdin",
    "/proc/self/fd/0",
    "/dev/std[i]n",
];

/// The program that has to be installed for bash to try it; a command that carries out the file
/// `F`, whose text it is given.
const CARRIED_OUT: &[[&str; 2]] = &[
    ["bash", "echo 'rm .gemini/settings.json' | bash F"],
    ["bash", "bash F <<< 'rm .gemini/settings.json'"],
    ["bash", "exec <<< 'rm .gemini/settings.json'; bash F"],
    ["bash", "echo 'rm .gemini/settings.json' > a; . F < a"],
    ["dash", "dash F <<'E'\nrm .gemini/settings.json\nE"],
    [
        "python3",
        "echo 'import os; os.remove(\".gemini/settings.json\")' | python3 F",
    ],
    ["perl", "echo 'unlink \".gemini/settings.json\"' | perl F"],
    [
        "make",
        "printf 'a:\\n\\trm .gemini/settings.json\\n' | make -f F",
    ],
    ["sed", "echo 'w .gemini/settings.json' | sed -n -f F a.txt"],
    ["sed", "echo '1e rm .gemini/settings.json' | sed -f F a.txt"],
    [
        "awk",
        "echo 'BEGIN { system(\"rm .gemini/settings.json\") }' | awk -f F",
    ],
];

/// Commands that make their standard input, or what they carry out, another open file.
const OPENED: &[[&str; 2]] = &[
    ["bash", "bash /dev/fd/3 3<<< 'rm .gemini/settings.json'"],
    ["bash", "bash 3<<< 'rm .gemini/settings.json' <&3"],
    ["bash", "exec 3<<< 'rm .gemini/settings.json'; bash <&3"],
    [
        "bash",
        "exec 3<<< 'rm .gemini/settings.json'; . /proc/self/fd/3",
    ],
    [
        "bash",
        "exec 3<<< 'rm .gemini/settings.json'; exec 0<&3; bash",
    ],
    ["bash", "exec < <(echo 'rm .gemini/settings.json'); bash"],
    [
        "bash",
        "if true; then exec <<< 'rm .gemini/settings.json'; fi; bash",
    ],
    [
        "bash",
        "f() { exec <<< 'rm .gemini/settings.json'; }; f; bash",
    ],
    [
        "python3",
        "exec 3<<< 'import os; os.remove(\".gemini/settings.json\")'; python3 /dev/fd/3",
    ],
    [
        "sqlite3",
        "python3 -c 'print(\".shell rm .gemini/settings.json\")' | sqlite3",
    ],
    [
        "dc",
        "python3 -c 'print(\"!rm .gemini/settings.json\")' | dc",
    ],
    [
        "perl",
        "perl -e 'do \"/dev/fd/0\"' <<< 'unlink \".gemini/settings.json\"'",
    ],
    [
        "perl",
        "echo 'unlink \".gemini/settings.json\"' | perl -e 'require \"/dev/stdin\"'",
    ],
    [
        "ruby",
        "ruby -e 'load \"/dev/stdin\"' <<< 'File.delete(\".gemini/settings.json\")'",
    ],
    [
        "lua",
        "lua -e 'dofile(\"/dev/stdin\")' <<< 'os.remove(\".gemini/settings.json\")'",
    ],
    [
        "php",
        "php -r 'include \"php://stdin\";' <<< '<?php unlink(\".gemini/settings.json\");'",
    ],
    [
        "perl",
        "perl -e '$f=\"/dev/stdin\"; do $f' <<< 'unlink \".gemini/settings.json\"'",
    ],
    [
        "perl",
        "perl -e 'do shift' /dev/fd/3 3<<< 'unlink \".gemini/settings.json\"'",
    ],
    [
        "perl",
        "perl -e 'require \"/dev/std\".\"in\"' <<< 'unlink \".gemini/settings.json\"'",
    ],
    [
        "perl",
        "echo 'unlink \".gemini/settings.json\"' > a; perl -e 'do shift' /dev/fd/0 < a",
    ],
    [
        "ruby",
        "ruby -e 'f=\"/dev/stdin\"; load f' <<< 'File.delete(\".gemini/settings.json\")'",
    ],
    [
        "node",
        "node -e 'eval(require(\"fs\").readFileSync(0, \"utf8\"))' <<< 'require(\"fs\").unlinkSync(\".gemini/settings.json\")'",
    ],
    [
        "tclsh",
        "tclsh -c 'source /dev/stdin' <<< 'file delete .gemini/settings.json'",
    ],
    [
        "sqlite3",
        "echo '.shell rm .gemini/settings.json' | gzip | zcat | sqlite3",
    ],
    [
        "python3",
        "python3 -m cProfile /dev/stdin <<< 'import os; os.remove(\".gemini/settings.json\")'",
    ],
    [
        "python3",
        "python3 -Im trace --trace /dev/fd/0 <<< 'import os; os.remove(\".gemini/settings.json\")'",
    ],
    [
        "python3",
        "echo 'import os; os.remove(\".gemini/settings.json\")' > p; python3 -m cProfile p",
    ],
    [
        "python3",
        "echo 'import os; os.remove(\".gemini/settings.json\")' > p; python3 -m cProfile -o out.prof p",
    ],
    [
        "python3",
        "python3 -m code <<< 'import os; os.remove(\".gemini/settings.json\")'",
    ],
    [
        "python3",
        "python3 -im this <<< 'import os; os.remove(\".gemini/settings.json\")'",
    ],
    [
        "python3",
        "python3 -ic 1 <<< 'import os; os.remove(\".gemini/settings.json\")'",
    ],
    [
        "python3",
        "echo 'import os; os.remove(\".gemini/settings.json\")' > a; python3 -m code < a",
    ],
    [
        "python3",
        "echo 'exec(input())' > p.py; python3 p.py <<< 'import os; os.remove(\".gemini/settings.json\")'",
    ],
    [
        "node",
        "node -i <<< 'require(\"fs\").unlinkSync(\".gemini/settings.json\")'",
    ],
];

/// Everyday calls.
const FREE: &[&str] = &[
    "echo 'print(1)' | python3 /dev/stdin",
    "echo '{}' | jq . /dev/stdin",
    "printf 'b\\na\\n' | sort /dev/stdin",
    "echo 'echo hi' | bash /dev/stdin",
    "printf 'a:\\n\\techo hi\\n' | make -f /dev/stdin",
    "wc -l < /dev/stdin",
    "diff <(echo a) <(echo b)",
    "bash <(echo echo hi)",
    "while read -r line <&3; do echo $line; done 3< a.txt",
    "exec 3< a.txt; cat <&3",
    "exec 2>&1; echo hi",
    "sqlite3 a.db < a.txt",
    "pg_dump a | psql b",
    "perl -ne 'print if /a/' /dev/stdin < a.txt",
    "perl -e 'use strict; open my $f, \"<\", \"/dev/stdin\"; print <$f>' < a.txt",
    "node -e 'console.log(require(\"fs\").readFileSync(\"/dev/stdin\", \"utf8\"))' <<< '{}'",
    "python3 -c 'import json, sys; print(json.load(sys.stdin))' <<< '{\"a\": \".gemini/settings.json\"}'",
    "echo '2 3 + p' | dc",
    "python3 -m json.tool <<< '{}'",
    "python3 -m cProfile -o out.prof src/main.py",
    "cargo metadata | python3 -m json.tool",
];

/// TR-8: what a program carries out is followed where it is an open file, under each of its names;
/// bash itself confirms that each of these changes a guard.
#[test]
fn open_files_are_followed_under_every_name() {
    let mut trial = Trial::default();
    let named = CARRIED_OUT.iter().flat_map(|[program, command]| {
        NAMES
            .iter()
            .map(|name| (*program, command.replace('F', name)))
    });
    let opened = OPENED
        .iter()
        .map(|[program, command]| (*program, (*command).to_owned()));
    for (program, command) in named.chain(opened) {
        let fixture = Fixture::new();
        let watch = begin(&fixture);
        fixture.write("project/a.txt", "a\n");
        trial.attack_watched(&fixture, &watch, program, &command);
    }
    trial.ends();
}

/// TR-8: everyday calls with open files are let through.
#[test]
fn everyday_calls_with_open_files_go_through() {
    let fixture = Fixture::new();
    let watch = begin(&fixture);
    fixture.write("project/a.txt", "a\n");
    assert_free(&watch, FREE);
}
