use proptest::prelude::*;

use super::*;

/// TO-5: name and description are read in every notation.
#[test]
fn heads_are_read_in_all_ways() {
    let ways = [
        (
            "name: plain # note\ndescription: one\n  two",
            "plain",
            "one two",
        ),
        (
            "name: \"a \\\"b\\\"\"\ndescription: 'it''s'",
            "a \"b\"",
            "it's",
        ),
        (
            "x: 1\ndescription: >\n  one\n  two\nname: n",
            "n",
            "one two",
        ),
        (
            "name:  n\ndescription: |\n  one\n\n  two",
            "n",
            "one\n\ntwo",
        ),
    ];
    for (head, name, description) in ways {
        let text = format!("---\r\n{head}\n---\nbody\n---\n");
        let read = read(&text).expect("a head");
        assert_eq!(read.text("name").as_deref(), Some(name));
        assert_eq!(read.text("description").as_deref(), Some(description));
        assert_eq!(read.body, "body\n---\n");
    }
}

/// TO-5: a file without a head says so.
#[test]
fn a_file_without_a_head_is_refused() {
    assert!(read("name: x").is_err() && read("---\nname: x").is_err());
    assert_eq!(
        read("---\nnames: x\n---\n").expect("a head").text("name"),
        None
    );
}

proptest! {
    /// TO-5: any file is either read or refused.
    #[test]
    fn no_file_breaks_it(text in "(---|name:|description:|[\"'|>é #\\\\a]|\n|\r\n){0,20}") {
        drop(read(&text));
    }
}

/// TO-4: a list is read in every notation.
#[test]
fn lists_are_read_in_all_ways() {
    for head in [
        "tools: [read_file, \"mcp__a__*\"] # two",
        "tools:\n  - read_file # first\n  - 'mcp__a__*'\nmodel: x",
        "tools:\n- read_file\n# a note\n\n- mcp__a__*",
        "tools: read_file, mcp__a__*",
        "tools: [\n  read_file,\n  mcp__a__*,\n]",
    ] {
        let text = format!("---\n{head}\n---\n");
        let read = read(&text).expect("a head");
        let list = read.list("tools").expect("the key").expect("a list");
        assert_eq!(list, ["read_file", "mcp__a__*"], "{head}");
        assert_eq!(read.line("tools"), Some(2));
    }
    let list = |text: &str| read(text).expect("a head").list("tools");
    assert_eq!(list("---\ntools: []\n---\n"), Some(Ok(Vec::new())));
    assert_eq!(list("---\nx: 1\n---\n"), None);
    for broken in [
        "tools:",
        "tools: [a",
        "tools:\n  a\n  - b",
        "tools: a\n  - b",
    ] {
        let text = format!("---\n{broken}\n---\n");
        assert!(list(&text).is_some_and(|it| it.is_err()), "{broken}");
    }
}

/// TO-4: every line that begins something is reported, with its key if it has one.
#[test]
fn lines_are_told_by_their_keys() {
    let text = "---\nname: a\n  b\n# note\ntools:\n- x\nno key\n---\n";
    let read = read(text).expect("a head");
    let reported: Vec<_> = read.beginnings().map(|it| (it.line, it.key)).collect();
    assert_eq!(reported, [(2, Some("name")), (5, Some("tools")), (7, None)]);
}
