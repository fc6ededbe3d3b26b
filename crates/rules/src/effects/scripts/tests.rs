//! Scripts and tasks of a project, case by case.

use std::sync::Arc;

use hookloop_shell::{Surroundings, understand};

use crate::effects::{Places, effects_of};
use crate::repositories::Repositories;

/// A project whose every script and task ships.
#[derive(Debug)]
struct Shipping;

const FILES: &[(&str, &str)] = &[
    ("ops.sh", "#!/bin/bash\nset -e\ngit push origin main\n"),
    ("to.sh", "#!/bin/sh\ngit push origin \"$1\"\n"),
    ("odd.sh", "#!/bin/sh\n((( git push origin main\n"),
    (
        "wrap.sh",
        "#!/bin/sh\nexec \"$JAVA\" \"$@\"\n((( unreadable\n",
    ),
    ("noop.sh", "#!/bin/sh\ntrue\n"),
    (
        "strict.sh",
        "#!/bin/bash\nset -euo pipefail\ngit push origin \"$1\"\n",
    ),
    (
        "lib.sh",
        "release() {\n  git push origin main\n}\nfunction look {\n  git status\n}\n",
    ),
    ("by_lib.sh", "#!/bin/sh\n. lib.sh\nrelease\n"),
    ("tasks.just", "sub:\n    git push origin main\n"),
    ("more.just", "more:\n    git push origin main\n"),
    (
        "once/Makefile",
        ".ONESHELL:\nship:\n\tb=main\n\tgit push origin $$b\n",
    ),
    (
        "ops/Taskfile.yml",
        "tasks:\n  rel:\n    - git push origin main\n",
    ),
    (
        "Rakefile",
        "task default: [:ship]\ntask :ship do\n  sh 'git push origin main'\nend\ntask :look do\n  sh 'git status'\nend\n",
    ),
    (
        "tasks.py",
        "@task\ndef ship_it(c):\n    c.run('git push origin main')\n\n@task\ndef look(c):\n    c.run('git status')\n",
    ),
    (
        "noxfile.py",
        "@nox.session\ndef ship(s):\n    s.run('git', 'push', 'origin', 'main')\n\n@nox.session\ndef look(s):\n    s.run('git', 'status')\n",
    ),
    (
        "dodo.py",
        "def task_ship():\n    return {'actions': ['git push origin main']}\n\ndef task_look():\n    return {'actions': ['git status']}\n",
    ),
    (
        "gulpfile.js",
        "exports.ship = () => {\n  exec('git push origin main');\n};\nexports.look = () => exec('git status');\n",
    ),
    (
        "build.gradle",
        "task ship(type: Exec) {\n  commandLine 'git', 'push', 'origin', 'main'\n}\n",
    ),
    (
        "tox.ini",
        "[testenv]\ncommands = pytest\n[testenv:ship]\ncommands =\n    git push origin main\n",
    ),
    (
        "rel.py",
        "import subprocess\nsubprocess.run(['git','push','origin','main'])\n",
    ),
    (
        "rel.js",
        "require('child_process').execSync('git push origin main')\n",
    ),
    (
        "Makefile",
        "ship:\n\tgit push origin main\nlook:\n\tgit status\n",
    ),
    ("sub/Makefile", "sub:\n\tgit push origin main\n"),
    (
        "package.json",
        r#"{"workspaces":["libs/*"],"scripts":{"ship":"git push origin main","test":"git push origin main",
        "prepare":"git push origin main","to":"git push origin","look":"git status"}}"#,
    ),
    (
        "libs/a/package.json",
        r#"{"scripts":{"rel":"git push origin main"}}"#,
    ),
    (
        "composer.json",
        r#"{"scripts":{"ship":"git push origin main","two":["@ship"]}}"#,
    ),
    (
        "deno.json",
        r#"{"tasks":{"ship":{"command":"git push origin main"},"d":{"dependencies":["ship"]}}}"#,
    ),
    (
        "justfile",
        "br := 'main'\nmod tasks\nimport 'more.just'\nship:\n    git push origin {{br}}\nto x='main':\n    git push origin {{x}}\nall: ship\n",
    ),
    (
        "Taskfile.yml",
        "vars:\n  BR: main\nincludes:\n  ops: ./ops\ntasks:\n  ship:\n    cmds:\n      - git push origin {{.BR}}\n  d:\n    deps: [ship]\n  t:\n    cmds:\n      - task: ship\n  m:\n    cmds:\n      - |\n        true\n        git push origin main\n  s: git push origin main\n  look:\n    cmds:\n      - git status\n",
    ),
    (
        "pyproject.toml",
        "[tool.poe.tasks]\nship='git push origin main'\nall=['ship']\n[tool.pdm.scripts]\nship={shell='git push origin main'}\n[tool.hatch.envs.default.scripts]\nship=['true','git push origin main']\n",
    ),
    ("mise.toml", "[tasks.ship]\nrun='git push origin main'\n"),
    (
        "Makefile.toml",
        "[tasks.ship]\ncommand='git'\nargs=['push','origin','main']\n",
    ),
];

impl Repositories for Shipping {
    fn root(&self, _folder: &str) -> Option<String> {
        Some("/p".to_owned())
    }

    fn branch(&self, _folder: &str) -> Option<String> {
        Some("topic".to_owned())
    }

    fn has_branch(&self, _folder: &str, name: &str) -> bool {
        name == "main"
    }

    fn has_path(&self, _folder: &str, _name: &str) -> bool {
        false
    }

    fn text(&self, path: &str) -> Option<String> {
        let name = path.strip_prefix("/p/")?;
        let found = FILES.iter().find(|(known, _)| *known == name);
        found.map(|(_, text)| (*text).to_owned())
    }

    fn previous_branch(&self, _folder: &str) -> Option<String> {
        None
    }

    fn settings(&self, _folder: &str, _key: &str) -> Vec<String> {
        Vec::new()
    }
}

/// Returns whether a command pushes to `main`, and whether it does something to a repository that
/// can't be seen.
fn ships(command: &str) -> (bool, bool) {
    let places = Places {
        workspace: "/p".to_owned(),
        home: "/home/u".to_owned(),
        protected_branches: vec!["main".to_owned()],
        repositories: Some(Arc::new(Shipping)),
        ..Places::default()
    };
    let around = Surroundings {
        folder: Some("/p"),
        home: Some("/home/u"),
        repository: Some("/p"),
        ..Surroundings::default()
    };
    let effects = effects_of(&understand(command, around), &places);
    let has = |name: &str| effects.iter().any(|it| it.name == name);
    (has("branch.push"), has("run.unknown"))
}

#[track_caller]
fn all_ship(commands: &[&str]) {
    for command in commands {
        assert!(ships(command).0, "{command}");
    }
}

#[track_caller]
fn none_ships(commands: &[&str]) {
    for command in commands {
        assert!(!ships(command).0, "{command}");
    }
}

/// HT-40: a script counts whatever options are before and after it, and however a shell gets it.
#[test]
fn scripts_are_read_however_they_are_started() {
    all_ship(&[
        "bash ops.sh",
        "bash -l ops.sh",
        "bash -e ops.sh",
        "bash -eu -o pipefail ops.sh",
        "bash ops.sh -n",
        "bash ops.sh -c conf.yml",
        "bash < ops.sh",
        "bash -s < ops.sh",
        "cat ops.sh | sh",
        "cat ops.sh | sudo bash -s -- x",
        "fish ops.sh",
        "./ops.sh -n prod",
        "./ops.sh --check",
        "./to.sh main",
        "./strict.sh main",
        "./by_lib.sh",
        ". ./lib.sh && release",
        "sh to.sh main",
        "cp ops.sh /tmp/x.sh; bash /tmp/x.sh",
        "cp ops.sh /tmp/; sh /tmp/ops.sh",
        "python3 rel.py -n 3",
        "python3 -W ignore rel.py",
        "python3 -m rel",
        "python3 < rel.py",
        "uv run rel.py",
        "node --require x rel.js -c",
        "tsx watch rel.js",
    ]);
    none_ships(&[
        "bash -n ops.sh",
        "bash -o noexec ops.sh",
        "bash -c true ops.sh",
        "./ops.sh --dry-run",
        "./ops.sh --help",
        "./to.sh topic",
        "./noop.sh",
        "./strict.sh topic",
        ". ./lib.sh && look",
        "release",
        "cat ops.sh | grep push",
        "cp ops.sh /tmp/x.sh; bash /tmp/y.sh",
        "node --check rel.js",
        "python3 -c 'print(1)' rel.py",
    ]);
}

/// HT-40: parts of a script that can't be read count if they name git and a word that changes
/// branches.
#[test]
fn unreadable_scripts_of_git_are_unknown() {
    assert!(ships("bash odd.sh").1);
    assert!(!ships("bash wrap.sh").1);
    assert!(ships(&"./noop.sh; ".repeat(40)).1);
}

/// HT-40: tasks are found in the file and the folder that a runner reads.
#[test]
fn tasks_are_found_by_every_runner() {
    all_ship(&[
        "make",
        "make -j ship",
        "make -l 4 ship",
        "make -C sub sub",
        "make -Csub",
        "make -fMakefile ship",
        "make --file=Makefile ship",
        "make -f - ship < Makefile",
        "npm run ship -- --check",
        "npm --prefix sub/.. run ship",
        "npm run to -- main",
        "npm t",
        "npm ci",
        "npm -w libs/a run rel",
        "npm run rel --workspace=a",
        "yarn workspace a rel",
        "pnpm -F a rel",
        "pnpm --filter @o/a run rel",
        "npx run-s ship",
        "npx npm-run-all 'sh*'",
        "npx concurrently 'npm:ship' true",
        "node --run ship",
        "composer two",
        "deno task d",
        "just",
        "just all",
        "just to",
        "task ship",
        "task d",
        "task t",
        "task m",
        "task s",
        "poe all",
        "uv run poe ship",
        "pdm run ship",
        "hatch run default:ship",
        "mise run ship",
        "cargo make ship",
    ]);
    none_ships(&[
        "make -n ship",
        "make look",
        "make -C sub ship",
        "npm run look",
        "npm run",
        "npm run rel",
        "npm install --ignore-scripts",
        "bun test",
        "just --list",
        "just to topic",
        "task look",
        "task --list",
        "task ship BR=topic",
        "composer install",
        "deno fmt",
        "cargo make --list-all-steps",
    ]);
}

/// HT-40: a file that a text writes is what its tasks are read from.
#[test]
fn files_that_are_written_are_read() {
    all_ship(&[
        "echo '{\"scripts\":{\"r\":\"git push origin main\"}}' > package.json; npm run r",
        "printf 'r:\\n\\tgit push origin main\\n' > Makefile && make r",
        "printf 'r:\\n\\tgit push origin main\\n' | make -f -",
        "npm set-script r 'git push origin main'",
    ]);
    none_ships(&[
        "echo '{\"scripts\":{\"ship\":\"true\"}}' > package.json; npm run ship",
        "printf 'ship:\\n\\ttrue\\n' > Makefile; make ship",
    ]);
}

/// HT-40: tasks in the language of their runner, and in files that another file names, are found.
#[test]
fn tasks_are_found_in_other_languages_and_files() {
    all_ship(&[
        "just tasks sub",
        "just tasks::sub",
        "just more",
        "task ops:rel",
        "make -C once ship",
        "rake",
        "rake ship",
        "invoke ship-it",
        "inv ship-it",
        "nox",
        "nox -s ship",
        "doit ship",
        "npx gulp ship",
        "./gradlew ship",
        "tox -e ship",
    ]);
    none_ships(&[
        "rake look",
        "rake -T",
        "invoke look",
        "invoke --list",
        "nox -s look",
        "doit look",
        "npx gulp look",
        "tox",
        "task ops:other",
    ]);
}
