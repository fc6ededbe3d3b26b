//! Links through which the files of hooks are reached (TR-8).

use std::path::Path;

use crate::fixture::Fixture;

/// TR-8: a link that leads to a file of a hook belongs to the hook like the file, wherever it is on
/// the way.
#[test]
fn links_on_the_way_belong_to_a_hook() {
    let fixture = Fixture::new();
    fixture.write("home/real/guard.sh", "#!/bin/sh\n. ~/lib/common.sh\n");
    fixture.write("home/real/common.sh", "true");
    fixture.link("home/bin/guard", "../mid/guard");
    fixture.link("home/mid/guard", "../real/guard.sh");
    fixture.link("home/lib", "real");
    fixture.link("home/bin/jq", "../real/jq");
    fixture.write("home/real/jq", "");
    fixture.link("home/.jq", "real/settings.jq");
    fixture.write("home/real/settings.jq", "");
    let mut around = fixture.surroundings();
    around.search_path.insert(0, fixture.path("home/bin"));
    for (command, names) in [
        (
            "~/bin/guard",
            &["bin/guard", "mid/guard", "real/guard.sh"][..],
        ),
        ("guard", &["bin/guard", "mid/guard", "real/guard.sh"]),
        (
            "bash ~/mid/guard",
            &["mid/guard", "lib/common.sh", "real/common.sh"],
        ),
        ("sh ~/lib/guard.sh", &["lib/guard.sh", "real/guard.sh"]),
        ("jq .x", &["bin/jq", "real/jq", ".jq", "real/settings.jq"]),
    ] {
        let hook = fixture.users(command);
        let found = fixture.belonging(&hook, around.clone());
        for name in names {
            let name = fixture.real(&format!("home/{name}"));
            assert!(found.files.contains(&name), "{command}: {name:?} {found:?}");
        }
        // What is beside a file isn't a part of it.
        assert!(
            !found.files.contains(&fixture.real("home/lib")),
            "{command}"
        );
        assert!(
            !found.files.contains(&fixture.real("home/real")),
            "{command}"
        );
    }
}

/// TR-8: what a session compares is looked up by the names that a hook uses: a name that leads
/// elsewhere means another file.
#[test]
fn what_is_compared_is_looked_up_by_its_name() {
    let fixture = Fixture::new();
    fixture.write("home/a/guard.sh", "true");
    fixture.write("home/a/.jq", "def x: 1;");
    fixture.link("home/hooks", "a");
    fixture.link("home/.jq", "a/.jq");
    let hook = fixture.users("bash ~/hooks/guard.sh | jq .");
    let (store, root) = (
        fixture.store().with_surroundings(fixture.surroundings()),
        fixture.project(),
    );
    let loaded = store.examine(&root, &root).of(&hook).loaded();
    assert!(loaded.files.contains(&fixture.path("home/hooks/guard.sh")));
    assert!(loaded.implicit.contains(&fixture.path("home/.jq")));
    let programs = store.examine(&root, &root).of(&hook).programs();
    assert!(programs.contains(&fixture.path("home/hooks/guard.sh")));
}

/// TR-1, TR-12: the fingerprint names files by where they are, however they are reached.
#[test]
fn links_make_no_other_fingerprint() {
    let fixture = Fixture::new();
    fixture.write("project/tools/guard.sh", "true");
    fixture.link("project/guard", "tools/guard.sh");
    let hook = fixture.command("bash ./guard");
    fixture.trust(&hook);
    let vouched = fixture.vouch(&hook);
    let files = &vouched.fingerprint.as_ref().expect("one").files;
    let paths: Vec<&str> = files.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths, ["tools/guard.sh"]);
    assert!(Path::new(&fixture.project().join("guard")).exists());
}
