//! What the scripts of a hook load in ways that aren't followed.

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

/// Returns what makes a hook unpinned that runs a command with this text in a file.
fn unpinned(command: &str, file: &str, text: &str) -> Vec<String> {
    let fixture = Fixture::new();
    fixture.write("project/hooks/sub/part.py", "");
    fixture.write("project/above.py", "");
    fixture.write(&format!("project/{file}"), text);
    let vouched = fixture.vouch(&fixture.command(command));
    vouched.unpinned().to_vec()
}

/// TR-1: a hook whose script loads or carries out what isn't followed is unpinned: modules from folders that it adds,
/// data that is carried out, scripts in other languages. One that names what it loads isn't.
#[test]
fn what_a_script_loads_unfollowed_is_unpinned() {
    for (command, file, text) in UNFOLLOWED {
        let found = unpinned(command, file, text);
        assert!(!found.is_empty(), "{command}: {text}");
    }
    for (command, file, text) in FOLLOWED {
        let found = unpinned(command, file, text);
        assert_eq!(found, Vec::<String>::new(), "{command}: {text}");
    }
}
