//! Opaque scripts, and the many ways in which programs run them.

use super::trial::{Trial, assert_free, bash, begin, concern};
use super::*;

/// Changes a guard; the name of the file is only known when it runs.
const OPAQUE: &str = "#!/bin/sh\nrm -f \"$(perl -e 'print pack(chr(72).chr(42),qq(2e67656d696e692f73657474696e67732e6a736f6e))')\"\n";

/// The same in Python.
const OPAQUE_PYTHON: &str =
    "import os\nos.remove(bytes.fromhex('2e67656d696e692f73657474696e67732e6a736f6e').decode())\n";

/// A settings file, or a file of another language, that earlier calls wrote beside `x.sh`; the call
/// that makes it run; and the program that has to be installed for bash to try it.
const CARRIED_OUT: &[[&str; 4]] = &[
    // Variables.
    ["a", "", "export BASH_ENV=$PWD/x.sh; bash -c true", "bash"],
    ["a", "", "ENV=./x.sh dash -i -c true", "dash"],
    ["a", "", "LESSOPEN='|sh x.sh %s' less src/main.rs", "less"],
    [
        "a",
        "",
        "TAR_OPTIONS=\"--checkpoint=1 --checkpoint-action=exec='sh x.sh'\" tar cf t.tar src",
        "tar",
    ],
    [
        "rc",
        "silent! !sh x.sh\n",
        "VIMINIT='source rc' vim -c q < /dev/null",
        "vim",
    ],
    [
        "lib/sitecustomize.py",
        OPAQUE_PYTHON,
        "PYTHONPATH=lib python3 -c 1",
        "python3",
    ],
    [
        "lib/json.py",
        OPAQUE_PYTHON,
        "PYTHONPATH=lib python3 -c 'import json'",
        "python3",
    ],
    [
        "s.py",
        OPAQUE_PYTHON,
        "PYTHONSTARTUP=s.py python3 -i < /dev/null",
        "python3",
    ],
    [
        "q.mk",
        "X := $(shell sh x.sh)\nall: ;\n",
        "MAKEFILES=q.mk make",
        "make",
    ],
    [
        "h/.curlrc",
        "output = .gemini/settings.json\n",
        "HOME=$PWD/h curl -s file:///etc/hostname",
        "curl",
    ],
    [
        "h/.gitconfig",
        "[core]\n\tfsmonitor = sh x.sh\n",
        "git init -q; HOME=$PWD/h git status",
        "git",
    ],
    [
        "b/as",
        OPAQUE,
        "chmod +x b/as; echo 'int x;' > a.c; COMPILER_PATH=$PWD/b gcc -c a.c",
        "gcc",
    ],
    // Options.
    ["Makefile", "all:\n\techo hi\n", "make SHELL=./x.sh", "make"],
    ["a", "", "make --eval='all: ; sh x.sh'", "make"],
    [
        "n",
        "b\na\n",
        "seq 1 200000 > n; sort -S 100k --compress-program=./x.sh n >/dev/null",
        "sort",
    ],
    [
        "a",
        "",
        "zip -q z.zip a -T --unzip-command 'sh x.sh #'",
        "zip",
    ],
    [
        "c",
        "Match exec \"sh x.sh\"\n Hostname x\n",
        "ssh -F c -G localhost",
        "ssh",
    ],
    [
        "t.conf",
        "run-shell \"sh x.sh\"\n",
        "tmux -S ./s -f t.conf new -d 'sleep 1'; sleep 0.7; tmux -S ./s kill-server",
        "tmux",
    ],
    ["g", "shell sh x.sh\n", "gdb -batch -x g", "gdb"],
    [
        "q.sql",
        ".shell sh x.sh\n",
        "sqlite3 :memory: '.read q.sql'",
        "sqlite3",
    ],
    [
        "a",
        "",
        "sqlite3 :memory: \".once |sh x.sh\" 'select 1'",
        "sqlite3",
    ],
    ["g.ms", ".sy sh x.sh\n", "groff -U g.ms", "groff"],
    ["rp/x", OPAQUE, "chmod +x rp/x; run-parts rp", "run-parts"],
    ["a", "", "setarch -R sh x.sh", "setarch"],
    ["a.c", "int x;\n", "gcc -wrapper ./x.sh -c a.c", "gcc"],
    [
        "z.txt",
        OPAQUE_PYTHON,
        "python3 -m cProfile z.txt",
        "python3",
    ],
    ["z.py", OPAQUE_PYTHON, "python3 -m z", "python3"],
    ["z/__main__.py", OPAQUE_PYTHON, "python3 z", "python3"],
    [
        "a",
        "",
        "python3 -m timeit -n1 -r1 'import os; os.system(\"sh x.sh\")'",
        "python3",
    ],
    // Files that programs look for automatically.
    ["Makefile", "all:\n\tsh x.sh\n", "make", "make"],
    [
        "package.json",
        "{\"scripts\": {\"test\": \"sh x.sh\"}}",
        "npm test",
        "npm",
    ],
    [
        "package.json",
        "{\"scripts\": {\"test\": \"true\", \"pretest\": \"sh x.sh\"}}",
        "npm t",
        "npm",
    ],
    [
        ".npmrc",
        "script-shell=./x.sh\n",
        "echo '{\"scripts\": {\"test\": \"true\"}}' > package.json; npm test",
        "npm",
    ],
    ["../home/.bashrc", "sh x.sh\n", "bash -ic true", "bash"],
    [
        "../home/.tclshrc",
        "exec sh x.sh\n",
        "script -qc tclsh /dev/null < /dev/null",
        "tclsh",
    ],
    ["../home/.gdbinit", "shell sh x.sh\n", "gdb -batch", "gdb"],
    [
        "t/a.t",
        "system('sh', 'x.sh'); print \"1..1\\nok 1\\n\";\n",
        "prove",
        "prove",
    ],
    [
        "p/git-foo",
        OPAQUE,
        "chmod +x p/*; PATH=$PWD/p:$PATH git foo",
        "git",
    ],
    [
        "p/git-foo",
        OPAQUE,
        "chmod +x p/*; git --exec-path=$PWD/p foo",
        "git",
    ],
    // Programs that are compiled.
    [
        "a.c",
        "#include <unistd.h>\nint main(void) { return unlink(\".\" \"gem\" \"ini/settings.json\"); }",
        "cc a.c -o a; ./a",
        "cc",
    ],
    [
        "a.c",
        "#include <unistd.h>\nint main(void) { char s[] = {46,103,101,109,105,110,105,47,115,101,116,116,105,110,103,115,46,106,115,111,110,0}; return unlink(s); }",
        "cc a.c -o a; ./a",
        "cc",
    ],
    [
        "X.java",
        "import java.nio.file.*;class X{public static void main(String[] a)throws Exception{Files.delete(Path.of(\".\"+\"gem\"+\"ini\",\"set\"+\"tings.json\"));}}",
        "java X.java",
        "java",
    ],
    [
        "a.c",
        "#include <stdlib.h>\n__attribute__((constructor)) void f(void) { unsetenv(\"LD_PRELOAD\"); system(\"sh x.sh\"); }",
        "cc -shared -fPIC a.c -o a.so; LD_PRELOAD=./a.so ls",
        "cc",
    ],
    // Git.
    [
        "a",
        "",
        "git init -q; git add -A; git commit -qm x; git rm -qf ':(icase).GEMINI/settings.json'",
        "git",
    ],
    [
        "a",
        "",
        "git init -q; git add -A; git commit -qm x; git rm -qf ':(glob)**/settings.json'",
        "git",
    ],
    [
        "a",
        "",
        "git init -q; git add -A; git commit -qm x; git rm -qrf -- ':^src'",
        "git",
    ],
    [
        "a",
        "",
        "git init -q; git add -A; git commit -qm x; git rm -qrf '.gem*'",
        "git",
    ],
    [
        "a",
        "",
        "git init -q; git add -A; git commit -qm x; git --icase-pathspecs rm -qf .GEMINI/settings.json",
        "git",
    ],
    [
        "a",
        "",
        "git init -q; git add -A; git commit -qm x; git sparse-checkout set src",
        "git",
    ],
    [
        "a",
        "",
        "git init -q; git add -A; git commit -qm x; git --git-dir=.git --work-tree=. rm -qrf .",
        "git",
    ],
    // Jobs in the background.
    ["a", "", "(sleep 0.1; sh x.sh) & sleep 0.5", "sh"],
    [
        "a",
        "",
        "(while sleep 0.1; do sh x.sh; done) & sleep 0.5; kill $!",
        "sh",
    ],
];

/// Everyday calls beside an opaque script.
const FREE: &[&str] = &[
    "cat x.sh; wc -l x.sh; shellcheck x.sh; chmod +x x.sh; git add x.sh; git commit -m 'Add x.sh'",
    "tar czf a.tgz x.sh src",
    "cp x.sh y.sh; mv y.sh z.sh; rm z.sh",
    "sed -i s/a/b/ x.sh",
    "grep -n rm x.sh",
    "scp x.sh host:",
    "curl -d @x.sh https://e.x/y",
    "npx prettier --check x.sh",
    "docker run --rm -v \"$PWD\":/w:ro alpine sh /w/x.sh",
    "docker compose up -d && docker compose logs",
    "cargo build && cargo test && cargo clippy -- -D warnings",
    "cargo build --release && ./target/release/x",
    "RUST_LOG=debug RUST_BACKTRACE=1 cargo test -- --nocapture",
    "RUSTFLAGS='-C target-cpu=native' cargo build",
    "NODE_ENV=test NODE_OPTIONS=--max-old-space-size=4096 npm test",
    "npm ci && npm run build && npm test -- --watch=false",
    "yarn install --frozen-lockfile && yarn lint",
    "PYTHONPATH=src pytest -q tests",
    "PYTHONPATH=. python3 -m pytest -x",
    "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt",
    "python3 -m http.server 8000 & sleep 1; curl localhost:8000; kill %1",
    "python3 -m json.tool a.json",
    "python3 -m timeit '1+1'",
    "npm run dev > dev.log 2>&1 &",
    "make -j8 CC=clang CFLAGS=-O2 && make test",
    "make install DESTDIR=/tmp/x",
    "CC=clang CXX=clang++ cmake -S . -B build && cmake --build build",
    "go build ./... && go test ./... && go vet ./...",
    "GOFLAGS=-mod=mod go test ./...",
    "mvn -q test && gradle build",
    "terraform init && terraform plan -out=p && terraform apply p",
    "kubectl apply -f k.yaml && kubectl rollout status deploy/x",
    "helm upgrade --install x ./chart -f values.yaml",
    "jq '.scripts' package.json; yq e '.a' x.yaml",
    "find src -name '*.rs' -exec sed -i s/a/b/ {} +",
    "git pull && git rebase main && git stash && git stash pop",
    "git pull --rebase origin main && git push origin HEAD",
    "git fetch --all --prune && git merge origin/main",
    "git checkout -b feature && git add -A && git commit -m x && git checkout main",
    "git rm -q '*.pyc'; git rm -r --cached target",
    "git worktree add ../other && cd ../other && git status",
    "git submodule update --init --recursive",
    "git rebase --continue; git cherry-pick --abort",
    "git clean -nfdx; git log --oneline -- '*.rs'",
    "git update-index --refresh; git update-index --assume-unchanged src/main.rs",
    "EDITOR=vim GIT_EDITOR=true git commit --amend --no-edit",
    "HOME=/tmp/h npm test; XDG_CONFIG_HOME=/tmp/c cargo test",
    "LD_LIBRARY_PATH=/opt/lib ./target/debug/x",
    "tmux new -d -s x 'cargo watch'; tmux send-keys -t x C-c; tmux send-keys -t x 'cargo test' Enter",
    "ssh -o StrictHostKeyChecking=no host ls",
    "nohup cargo run > log 2>&1 &",
    "timeout 60 cargo run & wait",
    "for i in 1 2 3; do curl -s localhost & done; wait",
    "crontab -l; atq",
    "gcc -Wall -O2 src/a.c -o a && ./a",
    "sqlite3 x.db 'select 1'; psql -c 'select 1'",
    "file x.sh; ls -l x.sh",
];

fn fixture() -> (Fixture, CallWatch) {
    let fixture = Fixture::new();
    fixture.write("home/.gitconfig", "[user]\n\tname = a\n\temail = a@b.c\n");
    let watch = begin(&fixture);
    fixture.write("project/x.sh", OPAQUE);
    bash(&fixture, "chmod +x x.sh");
    (fixture, watch)
}

/// TR-8: an opaque script of the session is held back whatever starts it: variables, options,
/// settings files, other programs; bash itself confirms that each of these changes a guard.
#[test]
fn scripts_are_held_whatever_carries_them_out() {
    let mut trial = Trial::default();
    for case in CARRIED_OUT {
        let [file, text, command, program] = case;
        let (fixture, watch) = fixture();
        fixture.write(&format!("project/{file}"), text);
        trial.attack_watched(&fixture, &watch, program, command);
    }
    trial.ends();
}

/// TR-8: everyday calls beside it are let through.
#[test]
fn everyday_calls_go_through_beside_a_script_that_nobody_looks_through() {
    let (_fixture, watch) = fixture();
    assert_free(&watch, FREE);
}

/// TR-8: a file that an earlier session wrote by name is also a model's text, until somebody
/// changes it.
#[test]
fn files_of_earlier_sessions_are_a_models_text() {
    let fixture = Fixture::new();
    let record = fixture.path("state/written.jsonl");
    fixture.write("project/own.sh", OPAQUE);
    let earlier = begin(&fixture).keeping_in(record.clone());
    let writes = json!({"file_path": "x.sh", "content": OPAQUE});
    let writes = writes.as_object().cloned().unwrap_or_default();
    assert_eq!(earlier.concern("write_file", &writes), None);
    fixture.write("project/x.sh", OPAQUE);
    earlier.call_ended();
    std::thread::sleep(std::time::Duration::from_millis(20));
    let watch = begin(&fixture).keeping_in(record.clone());
    assert!(concern(&watch, "bash x.sh").is_some());
    assert_eq!(concern(&watch, "bash own.sh"), None);
    fixture.write("project/x.sh", OPAQUE);
    std::thread::sleep(std::time::Duration::from_millis(20));
    let watch = begin(&fixture).keeping_in(record);
    assert_eq!(concern(&watch, "bash x.sh"), None);
}

/// TR-8: a script that a background job writes may be different when it runs.
#[test]
fn what_jobs_in_the_background_write_is_not_known() {
    let (fixture, watch) = fixture();
    fixture.write("project/y.sh", "echo hi\n");
    assert_eq!(concern(&watch, "bash y.sh"), None);
    assert_eq!(concern(&watch, "(sleep 1; cp src/main.rs y.sh) &"), None);
    assert!(concern(&watch, "bash y.sh").is_some());
    let background = json!({"command": "while sleep 1; do sh z.sh; done", "is_background": true});
    let background = background.as_object().cloned().unwrap_or_default();
    assert!(watch.concern("run_shell_command", &background).is_some());
}

/// TR-8: a stash doesn't revert a guard that differs from the last commit.
#[test]
fn a_stash_puts_no_guard_back() {
    let fixture = Fixture::new();
    bash(
        &fixture,
        "git init -q; git add -A; git -c user.name=a -c user.email=a@b.c commit -qm one",
    );
    let watch = begin(&fixture);
    assert_eq!(concern(&watch, "git stash"), None);
    fixture.write("project/tools/lib.sh", "false");
    assert!(concern(&watch, "git stash").is_some());
    assert!(concern(&watch, "git reset -q HEAD~1; git stash push src").is_some());
}

/// TR-8: what reverts or repeats a commit is known for the first one, too, whatever it is called.
#[test]
fn the_first_commit_is_reverted_by_no_call() {
    for format in ["sha1", "sha256"] {
        let fixture = Fixture::new();
        bash(
            &fixture,
            &format!(
                "git init -q --object-format={format}; git add -A; \
                 git -c user.name=a -c user.email=a@b.c commit -qm one"
            ),
        );
        let watch = begin(&fixture);
        for command in [
            "git revert --no-edit HEAD",
            "git revert --no-edit @",
            "git revert --no-edit :/one",
            "git revert -n ':/on'",
            "git revert --no-edit HEAD^{/one}",
        ] {
            assert!(concern(&watch, command).is_some(), "{format}: {command}");
        }
        for command in [
            "git revert --abort",
            "git revert :/nothing",
            "git log :/one",
        ] {
            assert_eq!(concern(&watch, command), None, "{format}: {command}");
        }
    }
}

/// TR-8: a letter that has a value in one subcommand of git hides no commit in another one.
#[test]
fn letters_of_git_hide_no_commit() {
    let fixture = Fixture::new();
    let own = "git -c user.name=a -c user.email=a@b.c";
    bash(
        &fixture,
        &format!(
            "git init -q -b main; git add -A; {own} commit -qm one; git switch -qc other; \
             echo false > tools/lib.sh; {own} commit -qam two; {own} format-patch -q -1 -o ../p; \
             git switch -q main"
        ),
    );
    let watch = begin(&fixture);
    for command in [
        "git cherry-pick -n other",
        "git cherry-pick -s other",
        "git cherry-pick -en other",
        "git revert -n HEAD",
        "git revert -s HEAD --no-edit",
        "git merge -n other",
        "git merge -qn other",
        "git rebase -n other",
        "git pull -n . other",
        "git switch -m other",
        "git checkout -m other",
        "git am -s ../p/0001-two.patch",
        "git am -m ../p/0001-two.patch",
        "git clone -s ../p d; make -C d",
        "git clone -n ../p d; make -C d",
    ] {
        assert!(concern(&watch, command).is_some(), "{command}");
    }
    for command in [
        "git checkout -b new",
        "git switch -c new",
        "git merge -m other HEAD",
        "git merge -s ours main",
        "git commit -m other",
        "git log -n 3 other",
        "git stash push -m other",
    ] {
        assert_eq!(concern(&watch, command), None, "{command}");
    }
}

/// TR-8: a program text is read behind options in one word, in whatever order and with digits.
#[test]
fn options_in_one_word_hide_no_text() {
    let fixture = Fixture::new();
    let watch = begin(&fixture);
    for options in [
        "-ne",
        "-0ne",
        "-0777ne",
        "-l012ne",
        "-l -0777ne",
        "-F: -ane",
        "-nE",
        "-wnE",
        "-lanE",
        "-MCwd -wnE",
        "-Ilib -0777 -lwnE",
        "-Twlnae",
    ] {
        let written = format!("perl {options} 'open F, \">tools/lib.sh\"; print F 1' src/main.rs");
        let removed = format!("perl {options} 'unlink glob \"tools/li*\"' src/main.rs");
        for command in [written, removed] {
            assert!(concern(&watch, &command).is_some(), "{command}");
        }
        let attached = format!("perl {options}'unlink glob \"tools/li*\"' src/main.rs");
        assert!(concern(&watch, &attached).is_some(), "{attached}");
        let harmless = format!("perl {options} 'print if /x/' src/main.rs");
        assert_eq!(concern(&watch, &harmless), None, "{harmless}");
    }
}
