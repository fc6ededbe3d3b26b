//! Settings with hooks in folders of a project (ST-1, ST-12).

use hookloop_hook::ProblemCode;

use crate::fixture::{Fixture, hooks};

/// Returns what is reported about files that nothing reads.
fn misplaced(fixture: &Fixture) -> Vec<String> {
    let problems = fixture.load().problems.into_iter();
    let misplaced = problems.filter(|it| it.code == ProblemCode::MisplacedFile);
    misplaced.map(|it| it.message).collect()
}

/// ST-12: hooks in the settings of a folder of the project are reported, with the folder; settings
/// without hooks aren't.
#[test]
fn settings_of_a_folder_are_reported() {
    let hooks = hooks("BeforeTool", &["true"]);
    let fixture = Fixture::new()
        .file("project/app/.gemini/settings.json", &hooks)
        .file("project/packages/web/.gemini/settings.json", &hooks)
        .file("project/lib/.gemini/settings.json", r#"{"ui": {}}"#);
    let reported = misplaced(&fixture);
    assert_eq!(reported.len(), 2, "{reported:?}");
    assert!(
        reported[0].contains("hooks in app/.gemini/settings.json"),
        "{reported:?}"
    );
    assert!(
        reported[1].contains("begins in packages/web"),
        "{reported:?}"
    );
}

/// ST-12: nothing is reported about a project of its own, an example, or what others wrote; nor
/// about projects below a folder that isn't one.
#[test]
fn settings_of_others_are_not_told() {
    let hooks = hooks("BeforeTool", &["true"]);
    let fixture = Fixture::new()
        .file("project/module/.gemini/settings.json", &hooks)
        .file("project/module/.git", "gitdir: elsewhere")
        .file("project/examples/one/.gemini/settings.json", &hooks)
        .file("project/tests/.gemini/settings.json", &hooks)
        .file("project/node_modules/x/.gemini/settings.json", &hooks)
        .file("project/.hidden/.gemini/settings.json", &hooks)
        .file("project/a/b/c/.gemini/settings.json", &hooks);
    assert_eq!(misplaced(&fixture), [""; 0]);
    let mut fixture = Fixture::new().file("several/one/.gemini/settings.json", &hooks);
    fixture.request.project_root = fixture.root().join("several");
    assert_eq!(misplaced(&fixture), [""; 0]);
}
