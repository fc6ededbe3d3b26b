//! HT-30: what names mean in functions, branches and shells.

use crate::{Surroundings, Word, understand};

/// Returns the word after the last `rm` in a text.
fn removed(text: &str) -> Word {
    let around = Surroundings {
        folder: Some("/p"),
        home: Some("/home/u"),
        ..Surroundings::default()
    };
    let understood = understand(text, around);
    let mut all = understood.commands.iter().rev();
    let found = all.find(|it| it.program == "rm");
    found
        .and_then(|it| it.words.last().cloned())
        .unwrap_or_default()
}

/// HT-30: after a function, its local variables mean what they meant when it created them; what it
/// may have set outside isn't known.
#[test]
fn variables_of_functions_end_with_them() {
    for text in [
        "x=b; f() { local x=a; }; f; rm $x",
        "x=b; f() { local x; x=a; ls \"$x\"; }; f; rm \"$x\"",
        "x=b; f() { local x=a; g; }; g() { x=c; }; f; rm $x",
        "x=a; f() { x=b; local x=a; }; f; rm $x",
        "x=a; f() { x=b; declare x=a; }; f; rm $x",
        "x=b; f() { local x=a; return; }; f; rm $x",
        "x=b; f() { local x=a; [ -e y ] && return; x=c; }; f; rm $x",
        "x=b; f() { local x=a; }; y && f; rm $x",
        "x=b; f() { local x=a; }; if y; then f; fi; rm $x",
        "f() { rm $1; }; set -- a; f b",
        "f() { local x; for x in b; do rm $x; done; }; f",
    ] {
        let word = removed(text);
        assert!(word.known && word.text == "b", "{text}: {word:?}");
    }
    for text in [
        "x=a; f() { unset x; }; f; rm $x",
        "x=a; f() { local x=a; declare -g x=b; }; f; rm $x",
        "x=a; f() { declare $o x=b; }; f; rm $x",
        "x=a; f() { if y; then local x; fi; x=b; }; f; rm $x",
        "x=a; f() { x=b; return; x=a; }; f; rm $x",
        "x=a; f() { x=b; if y; then return; fi; x=a; }; f; rm $x",
        "x=a; while y; do x=b; break; x=a; done; rm $x",
        "x=a; for i in 1; do x=b; continue; x=a; done; rm $x",
        "f() { local x; rm $x; }; f",
        "trap 'x=b' USR1; x=a; rm $x",
        "trap 'x=b' DEBUG; x=a; rm $x",
    ] {
        assert!(!removed(text).known, "{text}: {:?}", removed(text));
    }
}

/// HT-30: a shell that is started knows what is exported to it.
#[test]
fn only_what_is_exported_is_handed_on() {
    for text in [
        "export x=b; bash -c 'rm $x'",
        "x=b; export x; sh -c 'rm $x'",
        "declare -x x=b; bash -c 'rm $x'",
        "x=b bash -c 'rm $x'",
        "env x=b bash -c 'rm $x'",
        "set -a; x=b; bash -c 'rm $x'",
        "x=b; bash -c \"rm $x\"",
        "HOME=b; bash -c 'rm $HOME'",
    ] {
        let word = removed(text);
        assert!(word.known && word.text == "b", "{text}: {word:?}");
    }
    for text in [
        "x=b; bash -c 'rm $x'",
        "export x=b; unset x; x=b; bash -c 'rm $x'",
        "export x=b; export -n x; bash -c 'rm $x'",
        "export x=b; env -u x bash -c 'rm $x'",
        "export x=b; env -i bash -c 'rm $x'",
        "export x=b; sudo bash -c 'rm $x'",
        "x=b true; bash -c 'rm $x'",
        "x=b; echo 'rm $x' > s.sh; bash s.sh",
        "y && export x=b; bash -c 'rm $x'",
    ] {
        assert!(!removed(text).known, "{text}: {:?}", removed(text));
    }
}

/// HT-30: a name that may mean a function means the program as well, and every function that it may
/// be.
#[test]
fn what_may_be_a_function_is_a_program_too() {
    for text in [
        "bash() { :; }; command bash -c 'rm b'",
        "bash() { :; }; env bash -c 'rm b'",
        "bash() { :; }; unset -f bash; bash -c 'rm b'",
        "bash() { :; }; sh -c 'bash -c \"rm b\"'",
        "y && bash() { :; }; bash -c 'rm b'",
        "f() { rm b; }; y && f() { :; }; f",
        "f() { rm b; }; if y; then f() { :; }; fi; f",
        "shopt -s expand_aliases\nalias t='rm b'\nif y; then alias t=ls; fi\nt",
        "echo 'rm b' > s.sh; y && echo 'rm b' > s.sh; bash s.sh",
        "bash -s -- b <<< 'rm $1'",
    ] {
        assert_eq!(removed(text).text, "b", "{text}");
    }
    let around = Surroundings {
        folder: Some("/p"),
        ..Surroundings::default()
    };
    for text in [
        "echo 'rm b' > s.sh; y && echo ls > s.sh; bash s.sh",
        "echo {1..2000}$(rm b)",
        "echo {1..2000}`rm b`",
        "echo {1..2000}<(rm b)",
    ] {
        assert!(understand(text, around).opaque(), "{text}");
    }
    for text in ["touch {1..2000}", "touch {a,b}$(date +%s)"] {
        assert!(!understand(text, around).opaque(), "{text}");
    }
}
