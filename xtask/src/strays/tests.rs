//! Files that nothing compiles, and a map with wrong paths.

use super::*;

fn file(path: &str, text: &str) -> SourceFile {
    SourceFile::new(path, text.to_owned())
}

#[test]
fn a_file_needs_a_module_that_declares_it() {
    let files = [
        file("crates/x/src/lib.rs", "mod a;\nmod inside { mod deep; }"),
        file("crates/x/src/a.rs", "#[path = \"../else.rs\"]\nmod b;"),
        file("crates/x/src/inside/deep.rs", "mod tests;"),
        file("crates/x/src/inside/deep/tests.rs", ""),
        file("crates/x/else.rs", ""),
        file("crates/x/src/bin/tool.rs", ""),
        file("crates/x/tests/taken.rs", ""),
        file("crates/x/tests/it/main.rs", "mod one;"),
        file("crates/x/tests/it/one.rs", ""),
    ];
    assert_eq!(undeclared(&files), []);
    for stray in [
        "crates/x/src/deep.rs",
        "crates/x/src/a/tests.rs",
        "crates/x/tests/it/two.rs",
    ] {
        let found = undeclared(&[file("crates/x/src/lib.rs", "mod a;"), file(stray, "")]);
        assert_eq!(found.len(), 1, "{stray}");
        assert_eq!(found[0].file, stray);
    }
}

#[test]
fn the_map_leads_to_what_is_there() {
    let map = "see `engine/src/plan.rs`, `plan.rs`, `<verb>/x.rs`, `/rewind`, `a/b c`\n`gone/x.rs`";
    let found = missing_places(map, |place| place == "engine/src/plan.rs");
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].line, &*found[0].wrong),
        (2, "`gone/x.rs` isn't there")
    );
}
