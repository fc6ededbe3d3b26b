use std::fs;

use super::*;

fn workspace() -> (tempfile::TempDir, Workspace) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("root")).expect("root");
    fs::create_dir(folder.path().join("other")).expect("other");
    let workspace = Workspace::open(&folder.path().join("root"), &[]).expect("a workspace");
    (folder, workspace)
}

fn kind(result: Result<PathBuf, ToolError>) -> ErrorKind {
    result.expect_err("refused").kind
}

/// TO-1: relative, absolute and not yet existing paths inside resolve; `..` is removed.
#[test]
fn paths_inside_resolve() {
    let (_folder, workspace) = workspace();
    let root = workspace.root().to_path_buf();
    for path in [
        "a/b/c.txt",
        "./a/b/c.txt",
        "a/x/../b/c.txt",
        "x/../a/b/c.txt",
    ] {
        assert_eq!(
            workspace.resolve(path).expect("inside"),
            root.join("a/b/c.txt"),
            "{path}"
        );
    }
    let absolute = root.join("new").display().to_string();
    assert_eq!(
        workspace.resolve(&absolute).expect("inside"),
        root.join("new")
    );
    assert_eq!(workspace.resolve(".").expect("inside"), root);
}

/// TO-1: nothing outside resolves, whatever the spelling.
#[test]
fn paths_outside_are_refused() {
    let (folder, workspace) = workspace();
    let sibling = folder.path().join("root-two/x").display().to_string();
    for path in [
        "..",
        "../other",
        "a/../../other/x",
        "/etc/passwd",
        "/",
        &sibling,
    ] {
        assert_eq!(
            kind(workspace.resolve(path)),
            ErrorKind::PathNotInWorkspace,
            "{path}"
        );
    }
    assert_eq!(kind(workspace.resolve("")), ErrorKind::InvalidParams);
    assert_eq!(kind(workspace.resolve("a\0b")), ErrorKind::InvalidParams);
}

/// TO-1: links out of the workspace are refused, whether their target exists or not; links inside
/// count.
#[cfg(unix)]
#[test]
fn links_are_resolved_before_the_check() {
    use std::os::unix::fs::symlink;
    let (folder, workspace) = workspace();
    let root = workspace.root();
    symlink(folder.path().join("other"), root.join("out")).expect("link");
    symlink("../other/absent.txt", root.join("nowhere")).expect("link");
    symlink("loop", root.join("loop")).expect("link");
    fs::create_dir(root.join("sub")).expect("sub");
    symlink("sub", root.join("in")).expect("link");
    for path in [
        "out",
        "out/x",
        "out/new/deep.txt",
        "nowhere",
        "loop",
        "sub/../out/x",
        "in/../out",
    ] {
        assert_eq!(
            kind(workspace.resolve(path)),
            ErrorKind::PathNotInWorkspace,
            "{path}"
        );
    }
    assert_eq!(
        workspace.resolve("in/new.txt").expect("inside"),
        root.join("sub/new.txt")
    );
}

/// TO-1: the root itself may be reached through a link, and additional folders belong to the
/// workspace.
#[cfg(unix)]
#[test]
fn roots_may_be_links_and_more_than_one() {
    let (folder, _) = workspace();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(folder.path().join("root"), &link).expect("link");
    let other = folder.path().join("other");
    let workspace = Workspace::open(&link, std::slice::from_ref(&other)).expect("a workspace");
    let through_link = link.join("x").display().to_string();
    assert!(
        workspace
            .resolve(&through_link)
            .expect("inside")
            .ends_with("root/x")
    );
    assert!(
        workspace
            .resolve(&other.join("y").display().to_string())
            .is_ok()
    );
    assert!(Workspace::open(Path::new("relative"), &[]).is_err());
    assert!(Workspace::open(&folder.path().join("absent"), &[]).is_err());
}
