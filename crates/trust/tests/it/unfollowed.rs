//! What the scripts of a hook load in ways that aren't followed.

use hookloop_trust::Standing;

use crate::fixture::Fixture;

/// Commands, their scripts and what is in them: each loads something that isn't followed.
const UNFOLLOWED: &[(&str, &str, &str)] = &[
    (
        "python3 hooks/g.py",
        "hooks/g.py",
        "import sys; sys.path.insert(0, 'hooks/sub'); import part",
    ),
    (
        "python3 hooks/g.py",
        "hooks/g.py",
        "import sys, os\nsys.path.append(os.path.join(os.path.dirname(__file__), 'sub'))\nimport part",
    ),
    (
        "python3 hooks/g.py",
        "hooks/g.py",
        "import sys\nfrom pathlib import Path\nsys.path.insert(0, str(Path(__file__).parent.parent))\nimport above",
    ),
    (
        "python3 hooks/g.py",
        "hooks/g.py",
        "import pickle\npickle.load(open('hooks/p', 'rb'))",
    ),
    (
        "perl hooks/g.pl",
        "hooks/g.pl",
        "use lib 'hooks/sub'; use Part;",
    ),
    (
        "perl hooks/g.pl",
        "hooks/g.pl",
        "BEGIN { push @INC, 'hooks/sub' } use Part;",
    ),
    ("perl hooks/g.pl", "hooks/g.pl", "eval join '', <STDIN>;"),
    (
        "ruby hooks/g.rb",
        "hooks/g.rb",
        "$LOAD_PATH.unshift 'hooks/sub'\nrequire 'part'",
    ),
    (
        "ruby hooks/g.rb",
        "hooks/g.rb",
        "eval File.read('hooks/x.txt')",
    ),
    (
        "node hooks/g.js",
        "hooks/g.js",
        "module.paths.push(__dirname + '/sub'); require('part')",
    ),
    (
        "node hooks/g.js",
        "hooks/g.js",
        "eval(require('fs').readFileSync('hooks/x.txt', 'utf8'))",
    ),
    (
        "awk -f hooks/g.awk",
        "hooks/g.awk",
        "BEGIN { while ((\"sh hooks/x.sh\" | getline line) > 0); }",
    ),
    ("tclsh hooks/g.tcl", "hooks/g.tcl", "source hooks/x.tcl"),
    ("lua hooks/g.lua", "hooks/g.lua", "dofile('hooks/x.lua')"),
    (
        "php hooks/g.php",
        "hooks/g.php",
        "<?php include 'hooks/x.php';",
    ),
    ("Rscript hooks/g.R", "hooks/g.R", "source('hooks/x.R')"),
    (
        "bash hooks/g.sh",
        "hooks/g.sh",
        "while read -r line; do eval \"$line\"; done < hooks/x.txt",
    ),
    ("bash hooks/g.sh", "hooks/g.sh", "eval \"$(<hooks/x.txt)\""),
    ("vim -es -S hooks/x.vim", "hooks/x.vim", "cq 2"),
    (
        "python3 hooks/g.py",
        "hooks/g.py",
        "import sys\nsys.path[:0] = ['hooks/sub']\nimport part",
    ),
    (
        "python3 hooks/g.py",
        "hooks/g.py",
        "import sys\nsys.path+=['hooks/sub']\nimport part",
    ),
    (
        "python3 hooks/g.py",
        "hooks/g.py",
        "import sys\nsys.path=['hooks/sub']+sys.path\nimport part",
    ),
    (
        "python3 hooks/g.py",
        "hooks/g.py",
        "from sys import path\npath.insert(0, 'hooks/sub')\nimport part",
    ),
    (
        "python3 hooks/g.py",
        "hooks/g.py",
        "import sys as s\ns.path.insert(0, 'hooks/sub')\nimport part",
    ),
    (
        "python3 hooks/g.py",
        "hooks/g.py",
        "import sys\nsys.path . insert(0, 'hooks/sub')\nfrom part import x",
    ),
    (
        "python3 hooks/g.py",
        "hooks/g.py",
        "import importlib, sys\nsys.path.insert(0, 'hooks/sub')\nimportlib.import_module('part')",
    ),
    (
        "python3 hooks/g.py",
        "hooks/g.py",
        "import pickle as p\np.load(open('hooks/p', 'rb'))",
    ),
    (
        "python3 hooks/g.py",
        "hooks/g.py",
        "from pickle import load\nload(open('hooks/p', 'rb'))",
    ),
    (
        "python3 hooks/g.py",
        "hooks/g.py",
        "import yaml\nyaml.unsafe_load(open('hooks/p'))",
    ),
    (
        "python3 hooks/g.py",
        "hooks/g.py",
        "f = 'hooks/x' + '.txt'\nexec(open(f).read())",
    ),
    (
        "perl hooks/g.pl",
        "hooks/g.pl",
        "use lib::abs 'hooks/sub';\nuse Part;",
    ),
    (
        "perl hooks/g.pl",
        "hooks/g.pl",
        "unshift(@INC, 'hooks/sub'); require Part;",
    ),
    (
        "perl hooks/g.pl",
        "hooks/g.pl",
        "my $f = 'hooks/' . 'x.pl'; do $f;",
    ),
    (
        "ruby hooks/g.rb",
        "hooks/g.rb",
        "$:.unshift('hooks/sub')\nrequire 'part'",
    ),
    (
        "ruby hooks/g.rb",
        "hooks/g.rb",
        "instance_eval(File.read('hooks/x.txt'))",
    ),
    (
        "ruby hooks/g.rb",
        "hooks/g.rb",
        "f = 'hooks/' + 'x.rb'\nload f",
    ),
    (
        "node hooks/g.js",
        "hooks/g.js",
        "new Function(require('fs').readFileSync('hooks/x.txt', 'utf8'))()",
    ),
    (
        "node hooks/g.js",
        "hooks/g.js",
        "require('vm').runInThisContext(require('fs').readFileSync('hooks/x.txt', 'utf8'))",
    ),
    (
        "node hooks/g.js",
        "hooks/g.js",
        "const f = './sub/' + 'part.js'; require(f)",
    ),
    (
        "node hooks/g.js",
        "hooks/g.js",
        "import('./sub/' + 'part.mjs')",
    ),
    (
        "awk -f hooks/g.awk",
        "hooks/g.awk",
        "BEGIN { cmd = \"sh hooks/x.sh\"; cmd | getline line; }",
    ),
    (
        "awk -f hooks/g.awk",
        "hooks/g.awk",
        "BEGIN { system(\"sh hooks/\" \"x.sh\") }",
    ),
    (
        "bash hooks/g.sh",
        "hooks/g.sh",
        "mapfile -t a < hooks/x.txt; \"${a[@]}\"",
    ),
    ("bash hooks/g.sh", "hooks/g.sh", "eval `cat hooks/x.txt`"),
    ("bash hooks/g.sh", "hooks/g.sh", "bash <(cat hooks/x.txt)"),
    ("bash hooks/g.sh", "hooks/g.sh", "x=$(cat hooks/x.txt); $x"),
    (
        "bash hooks/g.sh",
        "hooks/g.sh",
        "trap \"$(cat hooks/x.txt)\" EXIT",
    ),
    (
        "bash hooks/g.sh",
        "hooks/g.sh",
        "xargs -I{} sh -c '{}' < hooks/x.txt",
    ),
    ("vim -es --cmd 'source hooks/x.txt'", "hooks/g.vim", ""),
    (
        "luajit hooks/g.lua",
        "hooks/g.lua",
        "loadstring(io.open('hooks/x.txt'):read('a'))()",
    ),
    (
        "lua hooks/g.lua",
        "hooks/g.lua",
        "load(io.open('hooks/x.txt'):read('a'))()",
    ),
    (
        "php hooks/g.php",
        "hooks/g.php",
        "<?php $f='hooks/x.php'; include_once $f;",
    ),
    (
        "php hooks/g.php",
        "hooks/g.php",
        "<?php echo `sh hooks/x.sh`;",
    ),
    ("Rscript hooks/g.R", "hooks/g.R", "eval(parse('hooks/x.R'))"),
    (
        "julia hooks/g.jl",
        "hooks/g.jl",
        "Base.include(Main, \"x.jl\")",
    ),
    (
        "tclsh hooks/g.tcl",
        "hooks/g.tcl",
        "uplevel #0 [read [open hooks/x.txt]]",
    ),
    (
        "fish hooks/g.fish",
        "hooks/g.fish",
        "eval (cat hooks/x.txt)",
    ),
    ("fish hooks/g.fish", "hooks/g.fish", "source hooks/x.txt"),
    ("nu hooks/g.nu", "hooks/g.nu", "source x.nu"),
    (
        "deno run -A hooks/g.ts",
        "hooks/g.ts",
        "await import('./sub/' + 'part.ts')",
    ),
    ("guile hooks/g.scm", "hooks/g.scm", "(load \"x.scm\")"),
    (
        "node hooks/g.mjs",
        "hooks/g.mjs",
        "import { register } from 'node:module';\nregister('./sub/part.mjs', import.meta.url);",
    ),
];

/// Commands, their scripts and what is in them: each loads something that no file of the project
/// contains.
const FETCHED: &[(&str, &str, &str)] = &[
    ("node g.mjs", "g.mjs", "import 'https://a.example/x.mjs';"),
    (
        "node g.mjs",
        "g.mjs",
        "import {\n  a,\n} from \"https://a.example/x.mjs\";",
    ),
    (
        "node g.mjs",
        "g.mjs",
        "export * from 'http://a.example/x.mjs';",
    ),
    (
        "node g.mjs",
        "g.mjs",
        "const m = await import( `https://a.example/x.mjs` );",
    ),
    (
        "node g.mjs",
        "g.mjs",
        "import { register } from 'node:module';\nregister('https://a.example/x.mjs', import.meta.url);",
    ),
    (
        "node g.mjs",
        "g.mjs",
        "new Worker(new URL('https://a.example/x.mjs'));",
    ),
    (
        "./g.js",
        "g.js",
        "#!/usr/bin/env -S deno run\nimport 'npm:chalk@5';",
    ),
    (
        "./g.js",
        "g.js",
        "#!/usr/bin/env -S deno run\nimport 'jsr:@std/fs';",
    ),
    (
        "./g.js",
        "g.js",
        "#!/usr/bin/env -S deno run\nimport { a } from 'mapped/x.ts';",
    ),
    ("node --import https://a.example/x.mjs g.mjs", "g.mjs", ""),
    ("node --import=dotenv/config g.mjs", "g.mjs", ""),
    ("node -r '#own' g.mjs", "g.mjs", ""),
    ("node --loader tsx g.mjs", "g.mjs", ""),
    ("node --experimental-config-file=n.json g.mjs", "g.mjs", ""),
    (
        "bash g.sh",
        "g.sh",
        "node --import https://a.example/x.mjs g.mjs",
    ),
];

/// The same, of which none does.
const NOT_FETCHED: &[(&str, &str, &str)] = &[
    (
        "node g.mjs",
        "g.mjs",
        "// import x from 'https://a.example/x.mjs'\nconst link = 'https://a.example';\nconsole.log(\"see https://a.example\");",
    ),
    (
        "node g.mjs",
        "g.mjs",
        "import fs from 'node:fs';\nimport 'os';",
    ),
    (
        "node g.mjs",
        "g.mjs",
        "await fetch('https://a.example/log', { method: 'POST' });",
    ),
    ("node --import ./l.mjs g.mjs", "g.mjs", ""),
    ("node -r ./l.mjs g.mjs", "g.mjs", ""),
    ("node --loader l.mjs g.mjs", "g.mjs", ""),
    (
        "./g.js",
        "g.js",
        "#!/usr/bin/env node\nimport fs from 'node:fs';",
    ),
];

/// The same, of which each names what it loads, or loads nothing.
const FOLLOWED: &[(&str, &str, &str)] = &[
    (
        "python3 hooks/g.py",
        "hooks/g.py",
        "import sys, json\nprint(sys.path)",
    ),
    (
        "python3 hooks/g.py",
        "hooks/g.py",
        "import sys, os\nsys.path.insert(0, os.path.dirname(__file__))\nimport json",
    ),
    (
        "perl hooks/g.pl",
        "hooks/g.pl",
        "use strict; my $x = eval { 1 }; print 'evaluate';",
    ),
    (
        "node hooks/g.js",
        "hooks/g.js",
        "const retrieval = 1; console.log(evaluate(retrieval))",
    ),
    ("tclsh hooks/g.tcl", "hooks/g.tcl", "puts stderr no; exit 2"),
    ("php hooks/g.php", "hooks/g.php", "<?php exit(2);"),
    ("bash hooks/g.sh", "hooks/g.sh", "eval 'echo a'; exit 2"),
    ("sed -n -f hooks/x.sed a", "hooks/x.sed", "q2"),
];

/// What scripts load, in the folder of hooks and below it.
const LOADED: &[&str] = &[
    "../above.py",
    "sub/part.py",
    "sub/Part.pm",
    "sub/part.rb",
    "sub/part.js",
    "sub/part.mjs",
    "sub/part.ts",
    "p",
    "x.txt",
    "x.sh",
    "x.pl",
    "x.rb",
    "x.lua",
    "x.php",
    "x.R",
    "x.jl",
    "x.nu",
    "x.scm",
    "x.tcl",
];

/// Returns whether what a hook loads can change without a word: it runs a command with this text in
/// a file.
fn is_silent(command: &str, file: &str, text: &str) -> bool {
    let fixture = Fixture::new();
    let write = |content: &str| {
        for it in LOADED.iter().filter(|it| !file.ends_with(*it)) {
            fixture.write(&format!("project/hooks/{it}"), content);
        }
    };
    write("");
    fixture.write(&format!("project/{file}"), text);
    let hook = fixture.command(command);
    if !fixture.vouch(&hook).unpinned().is_empty() {
        return false;
    }
    fixture.trust(&hook);
    write("1");
    fixture.vouch(&hook).standing == Standing::Trusted
}

/// TR-1: what a script loads or carries out is watched, or else the hook is unpinned: modules from
/// folders that it adds, data that is carried out, scripts in other languages. One that names what
/// it loads is not.
#[test]
fn what_a_script_loads_unfollowed_is_unpinned() {
    let silent = UNFOLLOWED
        .iter()
        .filter(|(command, file, text)| is_silent(command, file, text));
    let silent: Vec<_> = silent.collect();
    assert!(silent.is_empty(), "{silent:#?}");
    for (command, file, text) in FOLLOWED {
        let fixture = Fixture::new();
        fixture.write("project/hooks/sub/part.py", "");
        fixture.write(&format!("project/{file}"), text);
        let vouched = fixture.vouch(&fixture.command(command));
        assert_eq!(
            vouched.unpinned(),
            Vec::<String>::new(),
            "{command}: {text}"
        );
    }
}

/// TR-1: what a script or its interpreter loads from the network, or by a name that something
/// unwatched explains, makes a hook unpinned, which names it.
#[test]
fn what_is_fetched_is_unpinned() {
    let unpinned = |(command, file, text): &(&str, &str, &str)| {
        let fixture = Fixture::new();
        fixture.write("project/l.mjs", "");
        fixture.write("project/g.mjs", "");
        fixture.write(&format!("project/{file}"), text);
        let vouched = fixture.vouch(&fixture.command(command));
        vouched.unpinned().to_vec()
    };
    let silent = FETCHED.iter().filter(|it| unpinned(it).is_empty());
    assert_eq!(
        silent.collect::<Vec<_>>(),
        Vec::<&(&str, &str, &str)>::new()
    );
    for case in NOT_FETCHED {
        assert_eq!(unpinned(case), Vec::<String>::new(), "{case:?}");
    }
}
