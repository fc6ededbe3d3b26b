//! TR-8: ways to write that no redirect shows, and what doesn't affect a guard.

use super::trial::{assert_free, begin, concern};
use super::*;

/// TR-8: what options, modules and variables make programs write is held back.
#[test]
fn what_programs_are_told_to_write_is_held() {
    let fixture = Fixture::new();
    let watch = begin(&fixture);
    for command in [
        "echo '[1]' | python3 -m json.tool - .gemini/settings.json",
        "python3 -m zipapp za -o .gemini/settings.json",
        "python3 -m zipfile -c .gemini/settings.json a.py",
        "python3 -m tarfile --create=.gemini/settings.json a.py",
        "python3 -m cProfile -o .gemini/settings.json a.py",
        "python3 -m trace --count -f .gemini/settings.json a.py",
        "node --cpu-prof --cpu-prof-name=settings.json --cpu-prof-dir=.gemini -e 1",
        "node --redirect-warnings=.gemini/settings.json -e 1",
        "NODE_REDIRECT_WARNINGS=.gemini/settings.json node -e 1",
        "export GIT_TRACE_SETUP=$PWD/.gemini/settings.json; git log -1",
        "git config --global trace2.normalTarget $PWD/.gemini/settings.json",
    ] {
        assert!(concern(&watch, command).is_some(), "{command}");
    }
    assert_free(
        &watch,
        &[
            "python3 -m json.tool .gemini/settings.json",
            "python3 -m zipfile -l a.zip",
            "python3 -m cProfile -o out.prof a.py",
            "node --cpu-prof -e 1",
            "export GIT_TRACE_SETUP=1; git log -1",
        ],
    );
}

/// TR-8: a script that writes to itself does more than its text says, and each of its arguments
/// counts.
#[test]
fn scripts_that_change_themselves_and_all_their_words_count() {
    let fixture = Fixture::new();
    let watch = begin(&fixture);
    fixture.write("project/t.sh", "echo 'rm -r .gemini' >> t.sh\n");
    assert!(concern(&watch, "sh t.sh").is_some());
    fixture.write("project/t.sh", "cp a \"$2\"\n");
    assert!(concern(&watch, "sh t.sh -x .gemini/settings.json").is_some());
    assert_free(&watch, &["sh t.sh -x b"]);
    fixture.write(
        "project/x.cjs",
        "require('fs').copyFileSync('a', require('os').homedir() + '/x')\n",
    );
    assert!(concern(&watch, "node -r ./x.cjs -e 1").is_some());
}

/// TR-8: if arguments are parsed, a script writes to its arguments, or to its defaults.
#[test]
fn arguments_that_are_parsed_are_those_that_are_given() {
    let fixture = Fixture::new();
    let watch = begin(&fixture);
    let parser = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--out', default='a.txt')\n";
    let write = |text: &str| {
        let all = format!("{parser}args = p.parse_args()\n{text}");
        fixture.write("project/gen.py", &all);
    };
    write("with open(args.out, 'w') as f:\n    f.write('x')\n");
    assert_free(
        &watch,
        &[
            "python3 gen.py",
            "python3 gen.py --out b.txt",
            "python3 gen.py --out=c.txt",
        ],
    );
    for command in [
        "python3 gen.py --out .gemini/settings.json",
        "python3 gen.py --out=.gemini/settings.json",
        "python3 gen.py -o.gemini/settings.json",
    ] {
        assert!(concern(&watch, command).is_some(), "{command}");
    }
    for text in [
        "args.out = chr(46) + 'x'\nopen(args.out, 'w')\n",
        "setattr(args, 'out', input())\nopen(args.out, 'w')\n",
        "f(args)\nopen(args.out, 'w')\n",
        "for args.out in x:\n    open(args.out, 'w')\n",
    ] {
        write(text);
        assert!(concern(&watch, "python3 gen.py").is_some(), "{text}");
    }
    for parser in [
        "p.add_argument('--out', default=input())",
        "p.add_argument('--out', type=lambda it: chr(46) + it)",
        "p.add_argument('--out', action=Own)",
        "p.set_defaults(out=input())",
    ] {
        let text = format!(
            "import argparse\np = argparse.ArgumentParser()\n{parser}\nargs = p.parse_args()\nopen(args.out, 'w')\n"
        );
        fixture.write("project/gen.py", &text);
        assert!(concern(&watch, "python3 gen.py").is_some(), "{parser}");
    }
}

/// TR-8: a file outside of the project whose existence a guard tests is its switch; one in the
/// project is what it judges.
#[test]
fn switches_of_guards_are_held() {
    let fixture = Fixture::new();
    fixture.write(
        "home/guards/g.sh",
        "[ -e \"$HOME/.guard-off\" ] && exit 0\n[ -f package.json ] || exit 0\nexit 2\n",
    );
    let settings = json!({"hooks": {"BeforeTool": [{"hooks": [
        {"type": "command", "command": "sh ~/guards/g.sh"}]}]}});
    fixture.write("home/.gemini/settings.json", &settings.to_string());
    let watch = begin(&fixture);
    for command in [
        "touch ~/.guard-off",
        "mkdir ~/.guard-off",
        "ln -s /etc ~/.guard-off",
        "echo $HOME/.guard-off | xargs touch",
        "curl -s -o ~/.guard-off http://localhost/",
    ] {
        assert!(concern(&watch, command).is_some(), "{command}");
    }
    assert_free(
        &watch,
        &["touch package.json", "touch ~/.other", "rm -f package.json"],
    );
}

/// TR-8: what is beside a Python script takes precedence over what the interpreter's own modules
/// load.
#[test]
fn modules_that_others_load_are_held_beside_a_script() {
    let fixture = Fixture::new();
    fixture.write("home/guards/g.py", "import sys, json\n");
    let settings = json!({"hooks": {"BeforeTool": [{"hooks": [
        {"type": "command", "command": "python3 ~/guards/g.py"}]}]}});
    fixture.write("home/.gemini/settings.json", &settings.to_string());
    let watch = begin(&fixture);
    for command in [
        "echo x > ~/guards/re.py",
        "mkdir ~/guards/enum && echo x > ~/guards/enum/__init__.py",
    ] {
        assert!(concern(&watch, command).is_some(), "{command}");
    }
    assert_free(&watch, &["echo x > ~/guards/notes.py", "echo x > re.py"]);
}

/// TR-8: an absolute path among the words in a tool's arguments counts as a path, except in those
/// that people read.
#[test]
fn words_that_tools_are_given_are_looked_through() {
    let fixture = Fixture::new();
    let watch = fixture.watch();
    let file = fixture.path("project/.gemini/settings.json");
    let file = file.display();
    for (arguments, is_held) in [
        (json!({"argv": format!("cp a {file}")}), true),
        (json!({"sql": format!("copy t to '{file}'")}), true),
        (
            json!({"payload": format!("{{\"path\": \"{file}\"}}")}),
            true,
        ),
        (
            json!({"folder": ".gemini", "entries": [{"name": "settings.json"}]}),
            true,
        ),
        (json!({"body": format!("look at {file}")}), false),
        (json!({"argv": "cp a b"}), false),
        (
            json!({"folder": "src", "entries": [{"name": "settings.json"}]}),
            false,
        ),
    ] {
        let map = arguments.as_object().expect("an object");
        assert_eq!(
            watch.affected_file("mcp__x__do", map).is_some(),
            is_held,
            "{arguments}"
        );
    }
}

/// TR-8: an option for the target of an archive leaves its names known.
#[test]
fn archives_are_looked_into_behind_what_says_where() {
    let fixture = Fixture::new();
    trial::bash(
        &fixture,
        "mkdir -p in s e/.gemini && echo 1 > s/f && echo x > e/.gemini/settings.json && tar czf s.tgz s && tar cf e.tar \
         -C e .gemini && rm -r s e",
    );
    let watch = begin(&fixture);
    assert_free(
        &watch,
        &["mkdir -p out && tar xzf s.tgz", "cd . && tar xzf s.tgz"],
    );
    for command in ["cd . && tar xf e.tar", "cp e.tar s.tgz && tar xzf s.tgz"] {
        assert!(concern(&watch, command).is_some(), "{command}");
    }
}
