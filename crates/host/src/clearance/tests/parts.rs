//! Parts of guards besides the settings: what their scripts load, a person's own, what was agreed
//! to.

use super::trial::{Trial, assert_free, begin, concern};
use super::*;

/// The program that has to be installed, and what changes a guard with it.
const HELD: &[[&str; 2]] = &[
    ["sh", "printf x | install /dev/stdin tools/lib.sh"],
    ["sh", "cd ~/guards && : > guard.sh"],
    ["sh", "echo x | dd of=$HOME/guards/guard.sh conv=notrunc"],
    ["sh", "echo '{ }' > \"${HOME}/.gemini/trusted_hooks.json\""],
    ["sh", "cd ~/.gemini; echo '{ }' > trustedFolders.json"],
    ["sh", "cp --remove-destination src/main.rs tools/lib.sh"],
    ["sh", "cp -T src/main.rs tools/lib.sh"],
    ["sh", "mv -T src/main.rs tools/lib.sh"],
    ["sh", "touch src/lib.sh; mv -ft tools src/lib.sh"],
    ["sh", "ln -sfT ../src tools/lib.sh"],
    ["sh", "ln -f src/main.rs tools/lib.sh"],
    ["sh", "ln -s ../tools src/t; rm src/t/lib.sh"],
    ["sh", "ln tools/lib.sh src/l; echo x > src/l"],
    [
        "sh",
        "mkdir -p e/tools; echo x > e/tools/lib.sh; cp -a e/. ./",
    ],
    [
        "sh",
        "mkdir -p e/tools; echo x > e/tools/lib.sh; cd e && cp --parents tools/lib.sh ..",
    ],
    [
        "tar",
        "mkdir -p e/tools; echo x > e/tools/lib.sh; (cd e && tar c .) | tar x",
    ],
    [
        "tar",
        "tar cf t.tar -C src main.rs; tar xf t.tar --transform 's,main.rs,tools/lib.sh,'",
    ],
    ["sh", "d=tools; for f in lib check; do rm $d/$f.sh; done"],
    [
        "sh",
        "for d in src tools; do find $d -name '*.sh' -delete; done",
    ],
    ["sh", "find . -name lib.sh -size -9 -delete"],
    ["sh", "find tools -type f -exec sh -c ': > \"$1\"' _ {} \\;"],
    [
        "sh",
        "find tools -type f -exec sh -c 'for f; do : > \"$f\"; done' _ {} +",
    ],
    ["sh", "grep -rl true tools | xargs sed -i s/true/false/"],
    ["sh", "grep -rlZ true . | xargs -0 sed -i s/true/false/"],
    ["sh", "ls tools | sed 's,^,tools/,' | xargs rm"],
    ["sh", "ls -d tools/* | while read f; do echo x > $f; done"],
    ["sh", "truncate -r src/main.rs tools/lib.sh"],
    ["sh", "uniq src/main.rs tools/lib.sh"],
    ["sh", "shuf -o tools/lib.sh -e a"],
    ["sh", "shuf -e a --output=tools/lib.sh"],
    ["sh", "install -D /dev/null tools/lib.sh"],
    ["sh", "tee -a tools/lib.sh <<< x"],
    ["sh", "stdbuf -o0 rm tools/lib.sh"],
    ["sh", "ionice rm tools/lib.sh"],
    ["sh", "taskset 1 rm tools/lib.sh"],
    ["sh", "setpriv rm tools/lib.sh"],
    ["sh", "prlimit rm tools/lib.sh"],
    ["sh", "env -S 'rm tools/lib.sh'"],
    ["sh", "env -S'rm -f' tools/lib.sh"],
    ["sh", "env -S 'rm -f' tools/lib.sh"],
    ["sh", "timeout -s KILL 5 rm tools/lib.sh"],
    ["sh", "flock tools/lib.sh -c 'rm tools/lib.sh'"],
    ["sh", "flock tools -c 'cd tools; rm lib.sh'"],
    ["sh", "nohup sh -c 'rm tools/lib.sh' &> /dev/null"],
    ["script", "script -qc 'rm tools/lib.sh' /dev/null"],
    ["script", "script -qc true tools/lib.sh"],
    ["sh", "echo tools/lib.sh | xargs -L1 rm"],
    ["sh", "echo lib.sh | xargs -I@ rm tools/@"],
    ["sh", "echo tools | xargs -I@ find @ -name lib.sh -delete"],
    ["sh", "compgen -G 'tools/*' | xargs rm"],
    ["sh", "printf '%s/' tools lib.sh | sed 's,/$,,' | xargs rm"],
    ["rev", "rev <<< hs.bil/sloot | xargs rm"],
    ["sh", "echo dG9vbHMvbGliLnNo | base64 -d | xargs rm"],
    ["xxd", "xxd src/main.rs tools/lib.sh"],
    ["xxd", "xxd -r -p - tools/lib.sh <<< 2323"],
    [
        "openssl",
        "openssl base64 -in src/main.rs -out tools/lib.sh",
    ],
    ["curl", "curl -s file:///etc/passwd -o tools/lib.sh"],
    [
        "curl",
        "curl -s --create-dirs file:///etc/passwd --output-dir tools -o lib.sh",
    ],
    ["make", "make -f - <<< $'all:\\n\\trm tools/lib.sh'"],
    [
        "patch",
        "patch -s tools/lib.sh <<< $'1c1\\n< true\\n\\\\ No newline at end of file\\n---\\n> false'",
    ],
    ["strace", "strace -o tools/lib.sh true"],
    ["sh", "sed --in-place=.bak d tools/lib.sh"],
    ["sh", "sed -si d tools/lib.sh"],
    ["sh", "sed -Ei 's/t/f/' tools/lib.sh"],
    ["sh", "sed -ne '1w tools/lib.sh' /etc/passwd"],
    ["vim", "vim -es -c '%d' -c x tools/lib.sh < /dev/null"],
    ["vim", "printf '%%d\\nx\\n' | ex -s tools/lib.sh"],
    ["git", "git init -q; git add -A; git mv tools/lib.sh x.sh"],
    [
        "git",
        "git init -q; git add src; git hash-object -w --stdin < /dev/null > /dev/null; git update-index --add --cacheinfo 100644,e69de29bb2d1d6434b8b29ae775ad8c2e48c5391,tools/lib.sh; git checkout-index -f tools/lib.sh",
    ],
    [
        "python3",
        "python3 - <<'X'\nimport json, pathlib\np = pathlib.Path.home() / '.gemini' / 'trusted_hooks.json'\np.write_text(json.dumps({}))\nX",
    ],
    [
        "python3",
        "python3 -c \"import shutil; shutil.move('tools', 'gone')\"",
    ],
    [
        "python3",
        "python3 -c \"import os; [os.remove(e.path) for e in os.scandir('tools')]\"",
    ],
    [
        "python3",
        "python3 -c \"import os; os.truncate('tools/lib.sh', 0)\"",
    ],
    [
        "python3",
        "python3 -c \"import os; os.replace('src/main.rs', 'tools/lib.sh')\"",
    ],
    [
        "python3",
        "python3 -c \"import fileinput\nfor l in fileinput.input('tools/lib.sh', inplace=True): pass\"",
    ],
    [
        "python3",
        "python3 -c \"import io; io.open('tools/lib.sh','w')\"",
    ],
    [
        "python3",
        "python3 -c \"import codecs; codecs.open('tools/lib.sh','w')\"",
    ],
    [
        "python3",
        "python3 -c \"import builtins; builtins.open('tools/lib.sh','w')\"",
    ],
    [
        "python3",
        "python3 -c \"import os; os.close(os.open('tools/lib.sh', os.O_TRUNC | os.O_WRONLY))\"",
    ],
    [
        "python3",
        "python3 -c \"import mmap; f=open('tools/lib.sh','r+b'); m=mmap.mmap(f.fileno(),0); m[0:1]=b'#'\"",
    ],
    [
        "python3",
        "python3 -c \"getattr(__import__('os'), 'rem'+'ove')('tools/lib.sh')\"",
    ],
    [
        "python3",
        "python3 -c \"from os import remove as r; r('tools/lib.sh')\"",
    ],
    [
        "python3",
        "python3 -c \"import os as o; d = o.remove; d('tools/lib.sh')\"",
    ],
    [
        "python3",
        "python3 -c \"import pathlib; pathlib.Path('src/../tools/lib.sh').rename('x')\"",
    ],
    [
        "python3",
        "python3 -c \"import zipfile; z=zipfile.ZipFile('z.zip','w'); z.writestr('tools/lib.sh','x'); z.close(); zipfile.ZipFile('z.zip').extractall()\"",
    ],
    [
        "python3",
        "python3 -c \"import tempfile, os; f=tempfile.NamedTemporaryFile(delete=False, dir='.'); f.close(); os.replace(f.name, 'tools/lib.sh')\"",
    ],
    [
        "python3",
        "python3 -c \"import logging; logging.basicConfig(filename='tools/lib.sh', filemode='w')\"",
    ],
    [
        "python3",
        "python3 -c \"import sys; sys.stdout=open('tools/lib.sh','w'); print('x')\"",
    ],
    ["perl", "perl -e 'rename \"src/main.rs\", \"tools/lib.sh\"'"],
    ["perl", "perl -e 'truncate \"tools/lib.sh\", 0'"],
    [
        "perl",
        "perl -MFile::Copy -e 'copy(\"src/main.rs\", \"tools/lib.sh\")'",
    ],
    ["perl", "perl -i -ne '' tools/lib.sh"],
    [
        "perl",
        "perl -e 'open my $f, \"+<\", \"tools/lib.sh\"; truncate $f, 0'",
    ],
    [
        "perl",
        "perl -MFile::Path -e 'File::Path::rmtree(\"tools\")'",
    ],
];

/// Everyday calls with the same programs.
const FREE: &[&str] = &[
    "uniq a.txt b.txt; shuf -e a b -o out.txt; xxd src/main.rs out.hex",
    "openssl base64 -in src/main.rs -out out.b64",
    "curl -s https://e.x/y --output-dir build --create-dirs -o y",
    "stdbuf -oL cargo test | tee out.log; taskset 1 cargo bench",
    "env -S 'cargo test'; timeout -s KILL 5 cargo run",
    "flock build.lock -c 'cargo build'",
    "script -qc 'cargo test' typescript",
    "echo a | xargs -I@ touch src/@; echo a.txt | xargs -L1 rm -f",
    "truncate -s 0 out.log; install -D /dev/null build/empty",
    "sed --in-place=.bak s/a/b/ src/main.rs; sed -Ei 's/a/b/' src/main.rs",
    "mv -ft build src/main.rs; ln -sfT ../src build/src",
    "find src -type f -exec sh -c 'for f; do head -1 \"$f\"; done' _ {} +",
    "grep -rl TODO src | xargs sed -i s/TODO/DONE/",
    "python3 -c \"import os; os.replace('a.txt', 'b.txt'); os.truncate('b.txt', 0)\"",
    "python3 -c \"import zipfile; zipfile.ZipFile('z.zip', 'w').writestr('a', 'x')\"",
    "python3 -c \"import logging; logging.basicConfig(filename='app.log', filemode='w')\"",
    "python3 -c \"import pathlib; pathlib.Path('src').joinpath('a.rs').open('w')\"",
    "perl -MFile::Copy -e 'copy(\"src/main.rs\", \"src/copy.rs\")'",
];

/// TR-8: no part of a guard is changed by another way to write; comparing confirms that each of
/// these changes one.
#[test]
fn every_part_of_a_guard_is_held() {
    let mut trial = Trial::default();
    for [program, command] in HELD {
        let fixture = Fixture::new();
        fixture.write("home/.gemini/trusted_hooks.json", "{\"a\": 1}");
        fixture.write("home/.gemini/trustedFolders.json", "{}");
        fixture.write("project/src/main.rs", "fn main() {}\n");
        trial.attack(&fixture, program, command);
    }
    trial.ends();
}

/// TR-8: everyday calls with the same programs are let through.
#[test]
fn everyday_calls_of_these_programs_go_through() {
    let fixture = Fixture::new();
    let watch = begin(&fixture);
    assert_free(&watch, FREE);
}

/// TR-8: what Python compiled of a guard may be removed, but not written.
#[test]
fn compiled_modules_may_go_and_may_not_be_written() {
    let fixture = Fixture::new();
    fixture.write(
        "home/.gemini/settings.json",
        r#"{"hooks": {"BeforeTool": [{"hooks": [
            {"type": "command", "command": "python3 ~/guards/guard.py"}]}]}}"#,
    );
    fixture.write("home/guards/guard.py", "import rules\n");
    fixture.write("home/guards/rules.py", "A = 1\n");
    fixture.write("home/guards/__pycache__/rules.cpython-311.pyc", "x");
    fixture.write("project/a.pyc", "x");
    let watch = begin(&fixture);
    for command in [
        "cp a.pyc ~/guards/__pycache__/rules.cpython-311.pyc",
        "cp a.pyc ~/guards/__pycache__/",
        "mv a.pyc ~/guards/__pycache__/other.pyc",
        "tar -xf a.tar -C ~/guards/__pycache__",
        "cp a.pyc ~/guards/__pyc*/rules.cpython-311.pyc",
        "ln -sfn ../../project ~/guards/__pycache__",
    ] {
        assert!(concern(&watch, command).is_some(), "{command}");
    }
    assert_free(
        &watch,
        &[
            "rm -rf ~/guards/__pycache__",
            "find ~/guards -name __pycache__ -exec rm -rf {} +",
            "find ~/guards -name '*.pyc' -delete",
            "ls ~/guards/__pycache__",
        ],
    );
}
