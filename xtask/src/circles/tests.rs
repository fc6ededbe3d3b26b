use super::*;

fn file(path: &str, text: &str) -> SourceFile {
    SourceFile::new(&format!("crates/x/src/{path}"), text.to_owned())
}

fn circles(files: &[SourceFile]) -> Vec<String> {
    let files: Vec<&SourceFile> = files.iter().collect();
    let found = circles_of("x", &files);
    found.iter().map(ToString::to_string).collect()
}

/// Modules that need each other through a third one are a circle, reported at its first place.
#[test]
fn a_circle_of_three_is_found() {
    let found = circles(&[
        file("lib.rs", "mod a;\nmod b;\nmod c;\nuse a::A;\n"),
        file("a.rs", "use crate::b::B;\npub struct A;\n"),
        file("b.rs", "pub struct B;\nfn f() { super::c::f() }\n"),
        file("c.rs", "pub fn f() { crate::a::g() }\n"),
    ]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("crates/x/src/a.rs:1:") && found[0].contains("`a`, `b`, `c`"));
}

/// Parent and child may use each other, and so may modules in one direction.
#[test]
fn parent_and_child_are_no_circle() {
    let found = circles(&[
        file("lib.rs", "mod a;\nmod b;\nuse a::A;\npub struct R;\n"),
        file("a/mod.rs", "mod below;\nuse crate::b::B;\npub struct A;\n"),
        file("a/below.rs", "use super::A;\nuse crate::R;\n"),
        file("b.rs", "pub struct B;\n"),
    ]);
    assert_eq!(found, Vec::<String>::new());
}

/// Dependencies deep in two folders make a circle of the folders; tests don't.
#[test]
fn folders_that_need_each_other_are_found() {
    let deep = "use crate::b::deep::B;\npub struct A;\n";
    let back = "#[cfg(test)]\nmod tests { use crate::a::deep::A; }\n";
    let lib = file("lib.rs", "mod a;\nmod b;\n");
    let files = |b: &str| {
        vec![
            file("a.rs", "mod deep;\n"),
            file("a/deep.rs", deep),
            file("b.rs", "mod deep;\n"),
            file("b/deep.rs", b),
        ]
    };
    let mut sound = files(back);
    sound.push(lib);
    assert_eq!(circles(&sound), Vec::<String>::new());
    let knotted = circles(&files("use crate::a::deep::A;\npub struct B;\n"));
    assert!(
        knotted.len() == 1 && knotted[0].contains("`a`, `b`"),
        "{knotted:?}"
    );
}

/// A name that the root re-exports counts in its original module, so it hides no circle.
#[test]
fn what_the_root_hands_on_hides_no_circle() {
    let lib = |handed_on: &str| file("lib.rs", &format!("mod a;\nmod b;\n{handed_on}"));
    let files = |lib| {
        [
            lib,
            file("a.rs", "use crate::b::B;\npub struct A;\n"),
            file("b.rs", "pub struct B;\nfn f(_: crate::Handed) {}\n"),
        ]
    };
    for handed_on in [
        "pub use a::A as Handed;\n",
        "pub(crate) use crate::a::{Handed};\n",
    ] {
        let found = circles(&files(lib(handed_on)));
        assert_eq!(found.len(), 1, "{handed_on}: {found:?}");
    }
    let sound = circles(&files(lib("pub use other::Handed;\n")));
    assert_eq!(sound, Vec::<String>::new());
}
