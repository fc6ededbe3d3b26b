//! Files that a guard's scripts only read: rules, lists of patterns.

use hookloop_trust::Standing;

use crate::fixture::Fixture;

/// The start of a Python script that finds files beside itself.
const PYTHON: &str = "import json, os, sys\nHERE = os.path.dirname(os.path.abspath(__file__))\n";

/// The start of a script for Node that does.
const NODE: &str = "const fs = require('fs'), path = require('path');\n";

/// The start of a module for Node.
const MODULE: &str = "import fs, { readFileSync } from 'node:fs';\nimport {\n  readFile,\n  open,\n}     from 'node:fs/promises';\nimport * as path from 'node:path';\nconst { resolve } = path;\n";

/// A command, its script, what is in it, and the file that it reads.
pub(crate) type Case = (&'static str, &'static str, String, &'static str);

pub(crate) fn python(text: &str, file: &'static str) -> Case {
    (
        "python3 g/guard.py",
        "g/guard.py",
        format!("{PYTHON}{text}"),
        file,
    )
}

pub(crate) fn node(text: &str, file: &'static str) -> Case {
    (
        "node g/guard.js",
        "g/guard.js",
        format!("{NODE}{text}"),
        file,
    )
}

pub(crate) fn shell(text: &str, file: &'static str) -> Case {
    (
        "bash g/guard.sh",
        "g/guard.sh",
        format!("#!/bin/bash\n{text}"),
        file,
    )
}

/// A script for Node that is a module, with the names that it imports in every form.
fn module(text: &str, file: &'static str) -> Case {
    (
        "node g/guard.mjs",
        "g/guard.mjs",
        format!("{MODULE}{text}"),
        file,
    )
}

fn read_by_python() -> Vec<Case> {
    vec![
        python(
            "rules = json.load(open(os.path.join(HERE, 'rules.json')))",
            "g/rules.json",
        ),
        python(
            "with open(HERE + '/rules.json') as file:\n    rules = json.load(file)",
            "g/rules.json",
        ),
        python(
            "RULES = os.path.join(HERE, 'rules.json')\ndef main():\n    with open(RULES, encoding='utf-8') as f:\n        print(f.read())\nmain()",
            "g/rules.json",
        ),
        python(
            "def load(name):\n    return json.load(open(os.path.join(HERE, name)))\nrules = load('rules.json')\n",
            "g/rules.json",
        ),
        python(
            "rules = json.load(open(os.path.join(HERE, 'rules' + '.json')))",
            "g/rules.json",
        ),
        python(
            "name = 'rules'\nrules = json.load(open(os.path.join(HERE, name + '.json')))",
            "g/rules.json",
        ),
        python(
            "name = 'rules'\nrules = json.load(open(f'{HERE}/{name}.json'))",
            "g/rules.json",
        ),
        python(
            "rules = json.load(open(HERE + '/%s.json' % 'rules'))",
            "g/rules.json",
        ),
        python(
            "from pathlib import Path\nrules = (Path(__file__).parent / 'rules.json').read_text()",
            "g/rules.json",
        ),
        python(
            "from pathlib import Path\nrules = Path(__file__).with_name('deny').read_text()",
            "g/deny",
        ),
        python(
            "from pathlib import Path\nrules = Path(__file__).with_suffix('.json').read_text()",
            "g/guard.json",
        ),
        python(
            "for name in ['more.txt', 'deny.txt']:\n    print(open(os.path.join(HERE, name)).read())",
            "g/deny.txt",
        ),
        python(
            "rules = json.load(open('config/deny.txt'))",
            "config/deny.txt",
        ),
        python(
            "rules = json.load(open(os.environ['GEMINI_PROJECT_DIR'] + '/config/rules.json'))",
            "config/rules.json",
        ),
        python(
            "rules = open(os.path.join(HERE, '..', '.policy', 'deny')).read()",
            ".policy/deny",
        ),
        python(
            "for f in os.listdir(os.path.join(HERE, 'rules.d')):\n    print(open(os.path.join(HERE, 'rules.d', f)).read())",
            "g/rules.d/a.txt",
        ),
        python(
            "import configparser\nrules = configparser.ConfigParser()\nrules.read(os.path.join(HERE, 'rules.ini'))",
            "g/rules.ini",
        ),
        // Another file that it writes.
        python(
            "LOG = os.path.join(HERE, 'log.txt')\nrules = json.load(open(os.path.join(HERE, 'rules.json')))\nwith open(LOG, 'a') as log:\n    log.write(str(rules))",
            "g/rules.json",
        ),
    ]
}

fn read_by_others() -> Vec<Case> {
    vec![
        node(
            "const rules = JSON.parse(fs.readFileSync(path.join(__dirname, 'rules.json')));",
            "g/rules.json",
        ),
        node(
            "const file = `${__dirname}/deny.txt`;\nprocess.stdin.on('end', () => {\n  const rules = fs.readFileSync(file, 'utf8').split('\\n');\n});",
            "g/deny.txt",
        ),
        node(
            "const load = (name) => fs.readFileSync(path.join(__dirname, name), 'utf8');\nconst rules = load('deny.txt');",
            "g/deny.txt",
        ),
        node(
            "const read = (file) => fs.readFileSync(file, 'utf8');\nconst both = [read(0), read(__dirname + '/deny.txt')];",
            "g/deny.txt",
        ),
        node(
            "const rule = (at, file) => fs.readFileSync(__dirname + file, 'utf8').split('\\n')[at];\nconst first = rule(0, '/deny.txt');",
            "g/deny.txt",
        ),
        (
            "perl g/guard.pl",
            "g/guard.pl",
            "use FindBin;\nopen(my $f, '<', \"$FindBin::Bin/deny.txt\");\nmy @rules = <$f>;"
                .to_owned(),
            "g/deny.txt",
        ),
        (
            "ruby g/guard.rb",
            "g/guard.rb",
            "rules = File.read(File.join(__dir__, 'deny.txt'))\n".to_owned(),
            "g/deny.txt",
        ),
        shell(
            "grep -qf \"$(dirname \"$0\")/deny.txt\" && exit 2",
            "g/deny.txt",
        ),
        shell(
            "here=$(cd \"$(dirname \"$0\")\" && pwd)\nwhile read -r line; do case $x in $line) exit 2;; esac; done < \"$here/deny\"",
            "g/deny",
        ),
        shell("denied=$(cat .policy/deny.txt)", ".policy/deny.txt"),
        shell(
            "jq -e --slurpfile rules config/rules.json '.x'",
            "config/rules.json",
        ),
        shell("name=deny; mapfile -t lines < g/$name.txt", "g/deny.txt"),
        shell(
            "RULES=${RULES:-g/deny.txt}\ngrep -qf \"$RULES\" && exit 2",
            "g/deny.txt",
        ),
        shell(
            ": \"${RULES:=\"$(dirname \"$0\")/deny.txt\"}\"\ngrep -qf \"$RULES\" && exit 2",
            "g/deny.txt",
        ),
        shell(
            "grep -qf \"${1:-${RULES-g/deny.txt}}\" && exit 2",
            "g/deny.txt",
        ),
        module(
            "const rules = JSON.parse(readFileSync(new URL('./rules.json', import.meta.url)));",
            "g/rules.json",
        ),
        module(
            "const rules = await readFile(resolve(import.meta.dirname, 'deny.txt'), 'utf8');",
            "g/deny.txt",
        ),
    ]
}

/// TR-1: a file that a guard's script reads belongs to what a person agreed to: a guard with other
/// rules is another guard, and so is one whose rules are gone.
#[test]
fn what_a_guards_script_reads_belongs_to_it() {
    for (command, script, text, file) in read_by_python().into_iter().chain(read_by_others()) {
        let fixture = Fixture::new();
        for at in [script, file] {
            fixture.write(&format!("project/{at}"), "first");
        }
        fixture.write(&format!("project/{script}"), &text);
        let hook = fixture.command(command);
        fixture.trust(&hook);
        fixture.write(&format!("project/{file}"), "second");
        let changes = fixture.vouch(&hook).standing;
        assert!(matches!(changes, Standing::Modified { .. }), "{text}");
        std::fs::remove_file(fixture.path("project").join(file)).expect("a file");
        let gone = fixture.vouch(&hook).standing;
        assert!(matches!(gone, Standing::Modified { .. }), "{text}");
        fixture.write(&format!("project/{file}"), "first");
        assert_eq!(fixture.vouch(&hook).standing, Standing::Trusted, "{text}");
    }
}

/// TR-1: standard input is no file, also if a function of the script is given its number.
#[test]
fn standard_input_by_its_number_is_no_file() {
    for (command, script, text, _) in [
        node(
            "const read = (fd) => fs.readFileSync(fd, 'utf8');\nconst call = read(0);",
            "",
        ),
        node(
            "function input(fd) {\n  return JSON.parse(fs.readFileSync(fd));\n}\nconst call = input(0);",
            "",
        ),
        node("const call = fs.readFileSync(0, 'utf8');", ""),
        python(
            "def load(fd):\n    with open(fd) as f:\n        return f.read()\ncall = load(0)",
            "",
        ),
    ] {
        let fixture = Fixture::new();
        fixture.write(&format!("project/{script}"), &text);
        let hook = fixture.command(command);
        let unpinned = fixture
            .vouch(&hook)
            .fingerprint
            .expect("one")
            .unpinned
            .clone();
        assert!(unpinned.is_empty(), "{text}: {unpinned:?}");
    }
}

/// TR-1: what a script keeps for itself, what another beside it writes, and what it judges or only
/// compares isn't part of it, however it names it.
#[test]
fn what_a_guards_script_writes_or_judges_is_not_part_of_it() {
    let logging = python(
        "LOG = os.path.join(HERE, 'log.txt')\nwith open(LOG, 'a') as log:\n    log.write('x')",
        "g/log.txt",
    );
    let cases = [
        logging,
        python("STATE = os.path.join(HERE, 'state.json')\ndef load():\n    return json.load(open(STATE))\ndef save(state):\n    with open(STATE, 'w') as f:\n        json.dump(state, f)\nsave(load())", "g/state.json"),
        python("from pathlib import Path\nCOUNT = Path(__file__).with_name('count.txt')\nn = int(COUNT.read_text()) if COUNT.exists() else 0\nCOUNT.write_text(str(n + 1))", "g/count.txt"),
        python("def path(name):\n    return os.path.join(HERE, name)\ndef keep(name, value):\n    open(path(name), 'w').write(value)\nkeep('cache.json', json.load(open(path('cache.json'))))", "g/cache.json"),
        python("class Guard:\n    def __init__(self):\n        self.state = os.path.join(HERE, 'state.json')\n    def load(self):\n        return json.load(open(self.state))\n    def save(self, it):\n        json.dump(it, open(self.state, 'w'))\nGuard().save(Guard().load())", "g/state.json"),
        python("import logging\nlogging.basicConfig(filename=os.path.join(HERE, 'guard.txt'))\nh = logging.FileHandler(os.path.join(HERE, 'guard.txt'))", "g/guard.txt"),
        python("tmp = os.path.join(HERE, 'state.json.tmp')\nSTATE = os.path.join(HERE, 'state.json')\ns = open(STATE).read()\nos.replace(tmp, STATE)", "g/state.json"),
        node("const state = path.join(__dirname, 'state.json');\nconst was = JSON.parse(fs.readFileSync(state));\nfs.writeFileSync(state, JSON.stringify(was));", "g/state.json"),
        ("perl g/guard.pl", "g/guard.pl", "use FindBin;\nmy $log = \"$FindBin::Bin/log.txt\";\nopen(my $f, '>>', $log);\nprint $f 'x';".to_owned(), "g/log.txt"),
        shell("n=$(cat g/count.txt)\necho $((n + 1)) > g/count.txt", "g/count.txt"),
        // What it judges.
        python("d = json.load(open('package.json'))", "package.json"),
        python("PROTECTED = ['config/prod.yaml', 'secrets.json']\ncall = json.load(sys.stdin)\nfor it in PROTECTED:\n    if call['tool_input']['file_path'].endswith(it):\n        sys.exit(2)", "config/prod.yaml"),
        shell("git diff --quiet; case $(cat .git/HEAD) in *main) exit 2;; esac", ".git/HEAD"),
    ];
    for (command, script, text, file) in cases {
        let fixture = Fixture::new();
        fixture.write(&format!("project/{file}"), "1");
        fixture.write(&format!("project/{script}"), &text);
        let hook = fixture.command(command);
        fixture.trust(&hook);
        fixture.write(&format!("project/{file}"), "2");
        assert_eq!(fixture.vouch(&hook).standing, Standing::Trusted, "{text}");
    }
    // A name that is only compared, of a file that isn't there.
    for text in [
        "file=$(jq -r .tool_input.file_path)\nif [ \"$file\" = out.txt ]; then exit 2; fi",
        "if [ \"$unset\" = out.txt ]; then exit 2; fi",
        "[[ $file == out.txt || -e out.txt ]] && exit 2",
        "test \"$file\" != \"${NAME:-out.txt}\" || exit 2",
        "ls out.txt && exit 2",
    ] {
        let (command, script, text, file) = shell(text, "out.txt");
        let fixture = Fixture::new();
        fixture.write(&format!("project/{script}"), &text);
        let hook = fixture.command(command);
        fixture.trust(&hook);
        fixture.write(&format!("project/{file}"), "1");
        assert_eq!(fixture.vouch(&hook).standing, Standing::Trusted, "{text}");
    }
    // Another hook's script writes it.
    let fixture = Fixture::new();
    fixture.write("project/g/state.json", "1");
    fixture.write(
        "project/g/guard.py",
        format!("{PYTHON}s = json.load(open(os.path.join(HERE, 'state.json')))"),
    );
    fixture.write(
        "project/g/note.py",
        format!("{PYTHON}with open(os.path.join(HERE, 'state.json'), 'w') as f:\n    f.write('2')"),
    );
    let hook = fixture.command("python3 g/guard.py");
    fixture.trust(&hook);
    fixture.write("project/g/state.json", "2");
    let vouched = fixture.vouch(&hook);
    assert_eq!(vouched.standing, Standing::Trusted);
    assert!(!vouched.fingerprint.expect("one").unpinned.is_empty());
}

/// Scripts that read files, and whether nothing says what these are called.
fn computed_in_python_and_shell() -> Vec<(Case, bool)> {
    vec![
        (
            python(
                "rules = open(os.path.join(HERE, ''.join(reversed('nosj.selur')))).read()",
                "",
            ),
            true,
        ),
        (
            python(
                "import glob\nfor f in sorted(glob.glob(HERE + '/*')):\n    print(open(f).read())",
                "",
            ),
            true,
        ),
        (
            python(
                "import base64\nn = base64.b64decode('cnVsZXM=').decode()\nwith open(os.path.join(HERE, n)) as f:\n    f.read()",
                "",
            ),
            true,
        ),
        (
            shell("here=$(dirname \"$0\")\ngrep -f \"$here/$(hostname)\"", ""),
            true,
        ),
        (
            shell(
                "rules=$RULES\n[ -z \"$rules\" ] && rules=\"$(dirname \"$0\")/deny\"\ngrep -qf \"$rules\"",
                "",
            ),
            true,
        ),
        (
            python(
                "call = json.load(sys.stdin)\nname = call['tool_input']['file_path']\nprint(open(name).read())",
                "",
            ),
            false,
        ),
        (
            shell(
                "file=$(jq -r .tool_input.file_path)\ngrep -q secret \"$file\"",
                "",
            ),
            false,
        ),
    ]
}

/// What is imported isn't called yet, and standard input isn't a file of the project.
fn computed_in_node() -> Vec<(Case, bool)> {
    vec![
        (
            node(
                "fs.readdirSync(__dirname).forEach((it) => fs.readFileSync(path.join(__dirname, it)));",
                "",
            ),
            true,
        ),
        (
            node(
                "const call = JSON.parse(fs.readFileSync(0, 'utf8'));\nfs.readFileSync(call.tool_input.file_path);",
                "",
            ),
            false,
        ),
        (
            module("const call = JSON.parse(readFileSync(0, 'utf8'));", ""),
            false,
        ),
        (
            module(
                "async function read() {\n  return readFileSync(0, 'utf8');\n}\nawait read();",
                "",
            ),
            false,
        ),
        (
            node(
                "const { readFileSync, createReadStream } = require('fs');\nconst call = readFileSync(0);",
                "",
            ),
            false,
        ),
        (
            module(
                "readFileSync(resolve(import.meta.dirname, String(process.pid)));",
                "",
            ),
            true,
        ),
    ]
}

/// TR-1, TR-8: a guard that reads a file beside itself whose name isn't known says so, and the
/// folder is protected; one that reads what it is given doesn't.
#[test]
fn a_computed_name_of_a_file_is_said_and_guarded() {
    let cases = computed_in_python_and_shell().into_iter();
    for ((command, script, text, _), is_computed) in cases.chain(computed_in_node()) {
        let fixture = Fixture::new();
        fixture.write(&format!("project/{script}"), &text);
        let hook = fixture.command(command);
        let fingerprint = fixture.vouch(&hook).fingerprint.expect("one");
        assert_eq!(
            !fingerprint.unpinned.is_empty(),
            is_computed,
            "{text}: {:?}",
            fingerprint.unpinned
        );
        let belonging = fixture.belonging(&hook, fixture.surroundings());
        let folder = fixture.real("project/g");
        assert_eq!(belonging.folders.contains(&folder), is_computed, "{text}");
    }
}

/// TR-1: a script is examined in time, whatever it contains.
#[test]
fn scripts_are_examined_in_time_whatever_they_contain() {
    let lines = |count: usize, line: &dyn Fn(usize) -> String| {
        let lines: Vec<String> = (0..count).map(line).collect();
        format!("{PYTHON}{}\n", lines.join("\n"))
    };
    let texts = [
        lines(4000, &|at| {
            let earlier = at / 2;
            format!("n{at} = os.path.join(HERE, 'f{at}.json')\nopen(n{at} + n{earlier}).read()")
        }),
        lines(4000, &|at| format!("a{at} = 'b{at}'")),
        lines(3000, &|at| {
            format!("def f{at}(x):\n    return f{}(x)", at + 1)
        }),
        lines(3000, &|at| format!("x{} = x{at} + '.json'", at + 1)),
        lines(1, &|_| {
            format!("open({}'a.json'{})", "(".repeat(60_000), ")".repeat(60_000))
        }),
        lines(1, &|_| format!("open({})", "'a.json' + ".repeat(20_000))),
        lines(1, &|_| format!("x = f'{}'", "{a}".repeat(60_000))),
        lines(1, &|_| "'".repeat(200_001)),
        lines(1, &|_| "\"\"\"a.json".repeat(20_000)),
        lines(2000, &|at| {
            format!("{}open('r{at}.json')", " ".repeat(at % 100))
        }),
        "{".repeat(250_000),
        "$a{".repeat(80_000),
    ];
    for text in texts {
        for (script, command) in [
            ("g/guard.py", "python3 g/guard.py"),
            ("g/guard.js", "node g/guard.js"),
        ] {
            let fixture = Fixture::new();
            fixture.write(&format!("project/{script}"), &text);
            let hook = fixture.command(command);
            let start = std::time::Instant::now();
            fixture.vouch(&hook);
            let shown: String = text.chars().skip(80).take(60).collect();
            assert!(
                start.elapsed().as_secs() < 60,
                "{:?} {script} {shown}",
                start.elapsed()
            );
        }
    }
}
