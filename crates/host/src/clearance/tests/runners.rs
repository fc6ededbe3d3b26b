//! TR-8: parts of guards that files tell a program to run.

use super::trial::{assert_free, begin, concern};
use super::*;

const DESCRIPTION: &str = "{\n  \"name\": \"x\",\n  \"version\": \"1.0.0\",\n  \"scripts\": {\"guard\": \"node tools/guard.js\", \"build\": \"b\"}\n}\n";

/// A project in which a runner runs a guard of the person.
fn guarded_by(command: &str, files: &[(&str, &str)]) -> Fixture {
    let fixture = Fixture::new();
    for (file, text) in files {
        fixture.write(file, text);
    }
    let settings = json!({"hooks": {"BeforeTool": [{"hooks": [
        {"type": "command", "command": command}]}]}});
    fixture.write("home/.gemini/settings.json", &settings.to_string());
    fixture
}

fn open<'c>(fixture: &Fixture, commands: &[&'c str]) -> Vec<&'c str> {
    let watch = begin(fixture);
    let commands = commands.iter().copied();
    commands
        .filter(|it| concern(&watch, it).is_none())
        .collect()
}

/// TR-8: a call is held back if it changes a package's script which is a guard, npm's settings for
/// scripts, or a program that would be found first; other work on the package isn't.
#[test]
fn scripts_of_packages_are_guards() {
    let fixture = guarded_by(
        "npm run -s guard",
        &[
            ("project/package.json", DESCRIPTION),
            ("project/tools/guard.js", ""),
        ],
    );
    let blocked = [
        "sed -i 's#node tools/guard.js#true#' package.json",
        "npm pkg set scripts.guard=true",
        "echo script-shell=/bin/true > .npmrc",
        "echo script-shell=/bin/true >> ~/.npmrc",
        "npm config set script-shell /bin/true",
        "ln -s /bin/true node_modules/.bin/node",
        "echo > tools/guard.js",
        "rm package.json",
    ];
    assert_eq!(open(&fixture, &blocked), [] as [&str; 0]);
    let free = [
        "npm version --no-git-tag-version 1.2.3",
        "npm pkg set description=hi",
        "npm config set registry http://x/",
        "echo registry=http://x/ > .npmrc",
        "npm install left-pad",
        "npm ci",
        "mkdir -p node_modules/foo && echo > node_modules/foo/index.js",
    ];
    assert_free(&begin(&fixture), &free);
    let watch = begin(&fixture);
    for (text, is_held) in [
        (DESCRIPTION.replace("node tools/guard.js", "true"), true),
        (DESCRIPTION.replace("\"build\"", "\"preguard\""), true),
        (DESCRIPTION.replace("1.0.0", "1.0.1"), false),
    ] {
        let arguments = json!({"file_path": "package.json", "content": text});
        let arguments = arguments.as_object().expect("an object");
        assert_eq!(
            watch.affected_file("write_file", arguments).is_some(),
            is_held,
            "{text}"
        );
    }
}

/// TR-8: what a guard is built from, and the files that say how, belong to it.
#[test]
fn what_a_guard_is_built_from_is_held() {
    let fixture = guarded_by(
        "cargo run -q --manifest-path tools/guard/Cargo.toml",
        &[
            (
                "project/tools/guard/Cargo.toml",
                "[package]\nname = \"guard\"\n",
            ),
            ("project/tools/guard/src/main.rs", "fn main() {}"),
        ],
    );
    let blocked = [
        "echo x >> tools/guard/src/main.rs",
        "echo x > tools/guard/src/other.rs",
        "echo x > tools/guard/build.rs",
        "mkdir -p .cargo && echo x > .cargo/config.toml",
        "echo x > rust-toolchain",
        "cp /bin/true tools/guard/target/debug/guard",
        "mv tools/guard/src tools/guard/old",
    ];
    assert_eq!(open(&fixture, &blocked), [] as [&str; 0]);
    assert_free(
        &begin(&fixture),
        &["echo x > src/other.rs", "echo x > notes.md"],
    );
}

/// TR-8: in a package that people work on, what is built for a guard belongs to it, and the other
/// targets don't.
#[test]
fn other_targets_of_a_package_are_free() {
    let fixture = guarded_by(
        "cargo run -q --bin guard",
        &[
            ("project/Cargo.toml", "[package]\nname = \"app\"\n"),
            ("project/src/bin/guard.rs", "mod m;\nfn main() {}"),
            ("project/src/bin/m.rs", ""),
            ("project/src/bin/app.rs", "fn main() {}"),
        ],
    );
    let blocked = [
        "echo x >> src/bin/guard.rs",
        "echo x > src/bin/m.rs",
        "echo x > src/lib.rs",
        "echo x > src/main.rs",
        "mkdir -p src/bin/guard && echo x > src/bin/guard/main.rs",
        "echo x > build.rs",
        "echo x >> Cargo.toml",
        "mv src old",
    ];
    assert_eq!(open(&fixture, &blocked), [] as [&str; 0]);
    assert_free(
        &begin(&fixture),
        &[
            "echo x >> src/bin/app.rs",
            "echo x > src/bin/other.rs",
            "echo x > tests/a.rs",
            "echo x > examples/e.rs",
            "echo x > benches/b.rs",
        ],
    );
}

/// Guards by what runs them, with their files and calls that change them.
const RUN: &[Run] = &[
    (
        "go run ./cmd/guard",
        &[
            ("project/go.mod", "module example.com/x\n"),
            (
                "project/cmd/guard/main.go",
                "package main\nimport \"example.com/x/rules\"\n",
            ),
            ("project/rules/rules.go", "package rules\n"),
        ],
        &[
            "echo x >> rules/rules.go",
            "echo x > cmd/guard/b.go",
            "echo x >> go.mod",
        ],
    ),
    (
        "just guard",
        &[
            ("project/justfile", "guard:\n  sh tools/g.sh\n"),
            ("project/tools/g.sh", ""),
        ],
        &["echo x >> justfile", "echo x > tools/g.sh"],
    ),
    (
        "make -s guard",
        &[
            (
                "project/Makefile",
                "guard:\n\tsh tools/g.sh\ninclude rules.mk\n",
            ),
            ("project/tools/g.sh", ""),
            ("project/rules.mk", ""),
        ],
        &[
            "echo x >> rules.mk",
            "touch guard",
            "echo x > GNUmakefile",
            "echo > tools/g.sh",
        ],
    ),
    (
        "uv run tools/g.py",
        &[
            ("project/pyproject.toml", "[project]\nname = 'x'\n"),
            ("project/tools/g.py", ""),
        ],
        &["echo x > tools/g.py", "echo x > uv.toml"],
    ),
    (
        "task guard",
        &[
            ("project/Taskfile.yml", "- sh tools/g.sh\n"),
            ("project/tools/g.sh", ""),
        ],
        &["echo x >> Taskfile.yml", "echo x > tools/g.sh"],
    ),
];

type Run = (
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static [&'static str],
);

/// TR-8: what runners of other languages build or run belongs to a guard.
#[test]
fn what_runners_carry_out_is_held() {
    for (command, files, held) in RUN {
        let fixture = guarded_by(command, files);
        assert_eq!(open(&fixture, held), [] as [&str; 0], "{command}");
        assert_free(&begin(&fixture), &["echo x > src/other.txt"]);
    }
}

/// TR-8: settings that affect git's answers to a guard are held back, and those that say who
/// somebody is aren't.
#[test]
fn settings_by_which_git_answers_are_held() {
    let guard = "[ \"$(git config guard.level)\" = off ] || exit 2; git status";
    let fixture = guarded_by("sh ~/guards/g.sh", &[("home/guards/g.sh", guard)]);
    trial::bash(&fixture, "git init -q .");
    let blocked = [
        "git config guard.level off",
        "git config --global guard.level off",
        "git config set guard.level off",
        "git config core.fsmonitor ./x",
        "git -C . config --local include.path ../x",
        "git config --edit",
        "printf '[guard]\\nlevel=off\\n' >> .git/config",
        "printf '[guard]\\nlevel=off\\n' >> ~/.gitconfig",
        "python3 -c \"open('.git/config','a').write('x')\"",
        "echo x >> .git/info/exclude",
        "rm -rf .git",
    ];
    assert_eq!(open(&fixture, &blocked), [] as [&str; 0]);
    let free = [
        "git config user.name A",
        "git config --global user.email a@b",
        "git config --get guard.level",
        "git config --list",
        "git remote add origin /nowhere",
        "git status",
        "git add -A",
        "git commit -qm x",
    ];
    assert_free(&begin(&fixture), &free);
}

/// TR-8: what interferes with the agent or ends processes by name while hooks run is held back,
/// also in a script; what ends its own processes isn't.
#[test]
fn scripts_that_handle_other_processes_are_held() {
    let fixture = Fixture::new();
    let watch = begin(&fixture);
    for (file, text) in [
        (
            "a.py",
            "import resource, os\nresource.prlimit(os.getppid(), 7, (3, 3))\n",
        ),
        (
            "b.py",
            "import ctypes\nctypes.CDLL(None).ptrace(16, 1, 0, 0)\n",
        ),
        (
            "c.py",
            "import os\nos.setsid()\nfor d in os.listdir('/proc'):\n    os.kill(int(d), 9)\n",
        ),
        (
            "d.py",
            "import resource\nf = getattr(resource, 'prl' + 'imit')\nf(1, 7, (3, 3))\n",
        ),
    ] {
        fixture.write(&format!("project/{file}"), text);
        let command = format!("python3 {file}");
        assert!(concern(&watch, &command).is_some(), "{text}");
    }
    for command in [
        "while :; do pkill -9 grep; done &",
        "for i in $(seq 400); do pkill -9 -f guard.sh; sleep 0.02; done",
        "nohup sh -c 'while true; do killall -9 grep; done' &",
        "sleep 1 && pkill -f guard.sh &",
    ] {
        assert!(concern(&watch, command).is_some(), "{command}");
    }
    fixture.write(
        "project/ok.py",
        "import subprocess\np = subprocess.Popen(['sleep', '5'])\np.kill()\n",
    );
    let free = [
        "python3 ok.py",
        "pkill -f vite || true",
        "sleep 5 & kill $!",
        "python3 -m http.server & P=$!; sleep 1; kill $P",
    ];
    assert_free(&watch, &free);
}

/// TR-8: everyday work whose names are certain is let through; what only looks like it isn't.
#[test]
fn names_that_are_put_together_of_what_is_known_are_known() {
    let fixture = Fixture::new();
    fixture.write("project/tools/1.sh", "true");
    let watch = begin(&fixture);
    for (text, is_held) in [
        (
            "for i in range(3):\n    open(f'out/{i}.json', 'w').write('x')\n",
            false,
        ),
        (
            "for n in ['a', 'b']:\n    open(f'out/{n}.txt', 'w')\n",
            false,
        ),
        (
            "for n in ['../.gemini/settings']:\n    open(f'out/{n}.json', 'w')\n",
            true,
        ),
        (
            "range = lambda n: ['../.gemini/settings']\nfor i in range(3):\n    open(f'out/{i}.json', 'w')\n",
            true,
        ),
        (
            "import sys\nn = sys.stdin.read()\nopen(f'out/{n}.json', 'w')\n",
            true,
        ),
        (
            "for i in range(3):\n    i = '../.gemini/settings'\n    open(f'out/{i}.json', 'w')\n",
            true,
        ),
        ("for i in range(3):\n    open(i, 'w')\n", true),
        ("for i in range(3):\n    open(f'{i}{n}', 'w')\n", true),
    ] {
        fixture.write("project/gen.py", text);
        assert_eq!(
            concern(&watch, "python3 gen.py").is_some(),
            is_held,
            "{text}"
        );
    }
    let chain: Vec<String> = (0..40).map(|it| format!("echo {it} > c{it}")).collect();
    assert_free(&watch, &[&chain.join(" && ")]);
    let chain = format!("{} && rm .gemini/settings.json", chain.join(" && "));
    assert!(concern(&watch, &chain).is_some());
}

/// TR-8: the content of an existing archive is known by its names.
#[test]
fn archives_that_are_there_are_looked_into() {
    let fixture = Fixture::new();
    trial::bash(
        &fixture,
        "mkdir -p s/t e/.gemini && echo 1 > s/t/f && echo '{}' > e/.gemini/settings.json && tar czf s.tgz s && tar cf \
         e.tar -C e .gemini && ln -s .gemini l && tar cf l.tar l && rm -r s e l",
    );
    let watch = begin(&fixture);
    assert_free(&watch, &["tar xzf s.tgz", "tar -xf s.tgz -C src"]);
    for command in [
        "tar xf e.tar",
        "tar xf l.tar",
        "cp e.tar s.tgz; tar xf s.tgz",
        "tar xf missing.tar",
        "tar xf s.tgz --transform 's/s/.gemini/'",
        "cat e.tar | tar xf -",
    ] {
        assert!(concern(&watch, command).is_some(), "{command}");
    }
}

/// TR-8: a file with the name of a word of a trusted hook changes the hook: whoever creates it in a
/// call is told so, but not prevented.
#[test]
fn words_that_become_files_are_seen_afterwards() {
    let fixture = Fixture::new();
    let settings = json!({"hooks": {"BeforeTool": [{"hooks": [
        {"type": "command", "command": "make -s guard"}]}]}});
    fixture.write("project/.gemini/settings.json", &settings.to_string());
    fixture.write("project/Makefile", "guard:\n\ttrue\n.PHONY: guard\n");
    let watch = begin(&fixture);
    assert_free(&watch, &["touch guard", "mkdir guard"]);
    let before = watch.protected().snapshot();
    std::fs::create_dir(fixture.path("project/guard")).expect("a folder");
    assert_eq!(watch.protected().changes_since(&before), []);
    std::fs::remove_dir(fixture.path("project/guard")).expect("a folder");
    fixture.write("project/guard", "");
    let changes = watch.protected().changes_since(&before);
    assert!(
        changes
            .iter()
            .any(|it| it.path == fixture.path("project/guard")),
        "{changes:?}"
    );
}

/// TR-8: files that a makefile includes by a pattern belong to a person's guard, including those
/// that appear later.
#[test]
fn included_patterns_are_guards() {
    let fixture = guarded_by(
        "make -s -C tools guard",
        &[
            (
                "project/tools/Makefile",
                "include rules/*.mk\nguard:\n\tsh g.sh\n",
            ),
            ("project/tools/rules/a.mk", "X = 1\n"),
            ("project/tools/g.sh", ""),
        ],
    );
    let blocked = [
        "echo 'SHELL=/bin/true' > tools/rules/z.mk",
        "cp x.mk tools/rules/",
        "echo > tools/rules/a.mk",
        "echo > tools/GNUmakefile",
        "echo > tools/g.sh",
    ];
    fixture.write("project/x.mk", "SHELL = /bin/true\n");
    assert_eq!(open(&fixture, &blocked), [] as [&str; 0]);
    let free = [
        "echo x > tools/rules/z.txt",
        "echo x > Makefile",
        "echo x > rules.mk",
    ];
    assert_free(&begin(&fixture), &free);
}
