//! What interpreters load through the scripts that they are given.

use std::path::Path;

use crate::fixture::Fixture;

/// Asserts that a file in the project, which a hook loads, is a part of it.
fn assert_is_part(command: &str, script: (&str, &str), loaded: &str) {
    let (file, text) = script;
    let fixture = Fixture::new();
    fixture.write(&format!("project/{file}"), text);
    fixture.write(&format!("project/{loaded}"), "one");
    let hook = fixture.command(command);
    fixture.trust(&hook);
    fixture.write(&format!("project/{loaded}"), "two");
    assert_eq!(
        fixture.changes(&hook),
        [format!("files: {loaded} changed since it was trusted")],
        "{command}: {text}"
    );
}

/// TR-1: what a script sources or imports by a literal name belongs to it.
#[test]
fn what_scripts_load_counts() {
    for (script, text) in [
        ("guard.sh", "source lib/helper.sh\n"),
        ("guard.sh", ". ./lib/helper.sh\n"),
        ("guard.sh", "source \"$(dirname \"$0\")/lib/helper.sh\"\n"),
        ("guard.sh", ". \"${BASH_SOURCE%/*}/lib/helper.sh\"\n"),
        (
            "guard.sh",
            "D=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\"\n. \"$D/lib/helper.sh\"\n",
        ),
    ] {
        assert_is_part(&format!("bash ./{script}"), (script, text), "lib/helper.sh");
    }
    for (script, text, loaded) in [
        ("guard.py", "import helper\n", "helper.py"),
        ("guard.py", "from pack.part import x\n", "pack/part.py"),
        ("guard.js", "const x = require('./helper')\n", "helper.js"),
        ("guard.mjs", "import x from \"./lib/x.mjs\"\n", "lib/x.mjs"),
    ] {
        let script = format!("hooks/{script}");
        let is_python = Path::new(&script).extension().is_some_and(|it| it == "py");
        let interpreter = if is_python { "python3" } else { "node" };
        let command = format!("{interpreter} {script}");
        assert_is_part(&command, (&script, text), &format!("hooks/{loaded}"));
    }
}

/// TR-1: what a script loads belongs to it, whatever options the interpreter has.
#[test]
fn what_scripts_load_counts_behind_every_option() {
    for (command, text, loaded) in [
        ("python3 -E", "import helper\n", "helper.py"),
        ("python3 -sB", "import helper\n", "helper.py"),
        ("python3 -W ignore", "import helper\n", "helper.py"),
        ("python3 -X dev -u", "import helper\n", "helper.py"),
        (
            "python3 --check-hash-based-pycs never",
            "import helper\n",
            "helper.py",
        ),
        ("python3 -m cProfile", "import helper\n", "helper.py"),
        ("bash -o pipefail", ". hooks/helper.sh\n", "helper.sh"),
        ("bash -euo pipefail", ". hooks/helper.sh\n", "helper.sh"),
        ("bash --rcfile none", ". hooks/helper.sh\n", "helper.sh"),
        ("node --no-warnings", "require('./helper')\n", "helper.js"),
        ("node --title guard", "require('./helper')\n", "helper.js"),
        ("node -C development", "require('./helper')\n", "helper.js"),
        ("ruby -W0", "require_relative 'helper'\n", "helper.rb"),
        (
            "ruby -C . -E utf-8",
            "require_relative 'helper'\n",
            "helper.rb",
        ),
        ("perl -T", "require './hooks/helper.pl';\n", "helper.pl"),
        (
            "perl -I lib -Mstrict",
            "require './hooks/helper.pl';\n",
            "helper.pl",
        ),
    ] {
        let (_, ending) = loaded.split_once('.').unwrap();
        let script = format!("hooks/guard.{ending}");
        let command = format!("{command} {script}");
        assert_is_part(&command, (&script, text), &format!("hooks/{loaded}"));
    }
}
