use super::*;

/// BR-10: a patch says what happens to each file, in order; all hunks of a file are one change.
#[test]
fn a_patch_tells_of_each_file() {
    let text = "*** Begin Patch\n*** Add File: new.txt\n+one\n+two\n*** Update File: a.rs\n\
        @@ fn main\n keep\n-old\n+new\n@@\n-x\n+y\n*** Delete File: gone.txt\n\
        *** Update File: b.rs\n*** Move to: c.rs\n*** End Patch\n";
    let path = str::to_owned;
    let expected = vec![
        Patched::Added {
            path: path("new.txt"),
            content: path("one\ntwo\n"),
        },
        Patched::Changed {
            path: path("a.rs"),
            old: path("keep\nold\nx\n"),
            new: path("keep\nnew\ny\n"),
        },
        Patched::Deleted {
            path: path("gone.txt"),
        },
        Patched::Moved {
            from: path("b.rs"),
            to: path("c.rs"),
        },
    ];
    assert_eq!(read(text), Ok(expected));
}

/// BR-10: a patch that can't be understood is recognised as such, and not mistaken for one that
/// does nothing.
#[test]
fn what_is_not_a_patch_is_reported() {
    for text in [
        "",
        "*** Begin Patch\n*** End Patch",
        "*** Add File: a\nplain\n",
    ] {
        assert!(read(text).is_err(), "{text}");
    }
}

/// BR-10: every patch in a shell command is found, also one that doesn't end.
#[test]
fn patches_are_found_in_a_command() {
    let command = "cd x && apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a\n+b\n\
        *** End Patch\nEOF\napply_patch '*** Begin Patch\n*** Delete File: c";
    let found = embedded(command);
    assert_eq!(found.len(), 2);
    assert_eq!(read(found[0]).map(|it| it.len()), Ok(1));
    assert_eq!(read(found[1]).map(|it| it.len()), Ok(1));
    assert!(embedded("echo hello").is_empty());
}

/// BR-10: what a patch writes may contain marks itself, and hides no file that follows them.
#[test]
fn marks_in_what_is_written_hide_nothing() {
    let paths = |text: &str| -> Vec<String> {
        let files = read(text).unwrap_or_default().into_iter();
        let paths = files.map(|it| match it {
            Patched::Added { path, .. }
            | Patched::Changed { path, .. }
            | Patched::Deleted { path } => path,
            Patched::Moved { to, .. } => to,
        });
        paths.collect()
    };
    let behind = "*** Begin Patch\n*** Add File: a\n+*** End Patch\n*** Add File: .env\n+KEY\n\
        *** End Patch\n";
    assert_eq!(paths(behind), ["a", ".env"]);
    assert_eq!(embedded(behind).concat(), behind.trim_end());
    let in_line = "*** Begin Patch\n*** Add File: a\n+say \"*** End Patch\"\n*** Delete File: .env\n\
        *** End Patch\n";
    assert_eq!(paths(in_line), ["a", ".env"]);
    let beginning = "*** Begin Patch\n*** Update File: a\n@@\n *** Begin Patch\n *** End Patch\n-x\n+y\n\
        *** Add File:.env\n+KEY\n*** End Patch\n";
    assert_eq!(paths(beginning), ["a", ".env"]);
    // Text after an end marker is read, too, or reported as not understood.
    let after = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n*** Add File: .env\n+KEY\n";
    assert_eq!(paths(after), ["a", ".env"]);
    assert!(read("*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n+KEY\n").is_err());
    assert!(read("*** Begin Patch\n*** Add File:\n+x\n*** End Patch\n").is_err());
    // Two patches in one text stay separate, and no file of either is lost.
    let two = format!("run <<'A'\n{behind}A\nrun <<'B'\n{after}B\n");
    let found: Vec<String> = embedded(&two).into_iter().flat_map(paths).collect();
    assert_eq!(found[..2], ["a", ".env"]);
    let wrapped = format!("<<'EOF'\n{behind}EOF");
    assert_eq!(paths(&wrapped), ["a", ".env"]);
}
