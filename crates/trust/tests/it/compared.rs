//! Names in program texts that are compared, and those that a text opens (TR-1).

use hookloop_trust::Standing;

use crate::fixture::Fixture;

/// Returns how a hook is trusted after two files of the project have been written.
fn standing(command: &str) -> Standing {
    let fixture = Fixture::new();
    fixture.write("project/rules.txt", "one");
    let hook = fixture.command(command);
    fixture.trust(&hook);
    fixture.write("project/rules.txt", "two");
    fixture.write("project/src/a.py", "three");
    fixture.vouch(&hook).standing
}

/// TR-1: a program text that reaches no file names none, however many it compares.
#[test]
fn names_that_are_compared_are_not_files() {
    for command in [
        "python3 -c \"import json, sys; p = json.load(sys.stdin)['tool_input']['file_path']; \
         sys.exit(2 if any(x in p for x in ['.env', 'rules.txt', 'src/a.py']) else 0)\"",
        "python3 -B -c 'import json,sys,re\nd=json.load(sys.stdin)\nif re.search(r\"rules.txt$\", \
         d[\"x\"]): print(f\"no\", d[\"x\"], file=sys.stderr); sys.exit(2)'",
        "python3 -c 'import os, sys\nfrom json import load\np = load(sys.stdin)[\"p\"]\n\
         sys.exit(2 if os.path.basename(p) == \"rules.txt\" else 0)'",
        "jq -r .x | python3 -c \"import sys\nif sys.stdin.read().strip() in ('rules.txt',): \
         sys.exit(2)\"",
    ] {
        assert_eq!(standing(command), Standing::Trusted, "{command}");
    }
}

/// TR-1: what a text opens, or could open, is a file of the hook.
#[test]
fn names_that_are_opened_are_files() {
    for command in [
        "python3 -c \"import sys; print(open('rules.txt').read())\"",
        "python3 -c \"import json, sys; json.load(sys.stdin); f = open; f('rules.txt')\"",
        "python3 -c \"import json, sys; print(f'{open(\\\"rules.txt\\\").read()}')\"",
        "python3 -c \"import pathlib; pathlib.Path('rules.txt').read_text()\"",
        "python3 -c \"import json as j, sys; j.codecs.open('rules.txt')\"",
        "python3 -c \"import json; json.codecs.open('rules.txt')\"",
        "python3 -c \"from json import *; codecs.open('rules.txt')\"",
        "python3 -c \"import sys; sys.modules['os'].system('sh rules.txt')\"",
        "python3 -c \"import os; os.system('sh rules.txt')\"",
        "python3 -c \"from os import path; path.os.system('sh rules.txt')\"",
        "python3 -c \"import subprocess; subprocess.run(['sh', 'rules.txt'])\"",
        "python3 -c \"exec(compile('rules.txt', '', 'exec'))\"",
        "python3 -c \"(lambda: 0).__globals__['x']('rules.txt')\"",
        "python3 -c \"import sys\nif 1: import pathlib\nprint('rules.txt')\"",
        "python3 -c 'print(\"rules.txt\")' | xargs sh",
        "python3 -c 'print(\"unclosed rules.txt)'",
        "python3 -c 'import sys' rules.txt",
        "PYTHONSTARTUP=rules.txt python3 -c 'import sys'",
        "python3 -X x -c 'print(\"rules.txt\")'",
        "PATH=.:$PATH python3 -c 'print(\"rules.txt\")'",
        "python3() { sh \"$@\"; }; python3 -c 'print(\"rules.txt\")'",
        "python3 -c \"\u{ff4f}pen('rules.txt')\"",
        "python3 -c \"copyright._Printer__filenames = ['rules.txt']; print(copyright)\"",
        "python3 -c \"import os, sys; sys.exit(2 if os.path.exists('rules.txt') else 0)\"",
        "python3 -c \"import os; print(os.path.realpath('rules.txt'))\"",
        "python3 -c 'print(f\"{ {\"a\":open}[\"a\"](\"rules.txt\").read() }\")'",
        "python3 -c 'print(f\"{1} # {open(1).read()}\", \"rules.txt\")'",
        "python3 -c 'x = 1\nprint((x.\n__class__, \"rules.txt\"))'",
        "python -c \"import sys; print('rules.txt')\"",
        "node -e \"if ('rules.txt' === fs.readFileSync(0)) process.exit(2)\"",
        "node -e \"[]['con' + 'structor']['con' + 'structor']('rules.txt')()\"",
        "node -e \"require('fs').readFileSync('rules.txt')\"",
        "node -e \"const fs = require('fs'); fs.readFileSync('rules.txt')\"",
        "node -e \"const fs = require('fs'); const g = fs; g.readFileSync('rules.txt')\"",
        "node -e \"require('child_process').execSync('sh rules.txt')\"",
        "node -e \"const {readFileSync} = require('fs'); readFileSync('rules.txt')\"",
        "node -e \"import('fs').then(f => f.readFileSync('rules.txt'))\"",
        "node -e \"process.mainModule.require('fs').readFileSync('rules.txt')\"",
        "node -e \"process['binding']('fs').x('rules.txt')\"",
        "node -e \"[]['constructor']['constructor']('rules.txt')()\"",
        "node -e 'console.log(`${require(\"fs\").readFileSync(\"rules.txt\")}`)'",
        "node -e 'const a = 4 / 2; require(\"fs\").readFileSync(\"rules.txt\") / 2'",
        "node -r ./rules.txt -e '0'",
    ] {
        assert_ne!(standing(command), Standing::Trusted, "{command}");
    }
}

/// TR-1: a module in the working directory takes the place of the one that a text imports.
#[test]
fn modules_of_the_project_count() {
    let fixture = Fixture::new();
    let hook = fixture.command("python3 -c 'import json, sys; json.load(sys.stdin)'");
    fixture.trust(&hook);
    assert_eq!(fixture.vouch(&hook).standing, Standing::Trusted);
    fixture.write("project/json.py", "load = print");
    assert_ne!(fixture.vouch(&hook).standing, Standing::Trusted);
}
