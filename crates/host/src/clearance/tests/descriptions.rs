//! What determines how JavaScript files are read.

use super::trial::{assert_free, begin, concern};
use super::*;

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.write(
        "project/.gemini/settings.json",
        r#"{"hooks": {"BeforeTool": [{"hooks": [
            {"type": "command", "command": "node tools/guard.js"}]}]}}"#,
    );
    fixture.write("project/tools/guard.js", "process.exit(2);\n");
    fixture.write(
        "project/package.json",
        "{\"name\": \"a\", \"version\": \"1.0.0\"}\n",
    );
    fixture
}

/// TR-8: a call that makes scripts of hooks be read differently needs consent; other changes to a
/// `package.json` don't, and aren't reported.
#[test]
fn how_scripts_are_read_is_held() {
    let fixture = fixture();
    let watch = begin(&fixture);
    let tool = |tool: &str, arguments: Value| {
        let arguments = arguments.as_object().expect("an object");
        watch.concern(tool, arguments).is_some()
    };
    let write =
        |path: &str, text: &str| tool("write_file", json!({"file_path": path, "content": text}));
    let replace = |old: &str, new: &str| {
        let arguments = json!({"file_path": "package.json", "old_string": old, "new_string": new});
        tool("replace", arguments)
    };
    assert!(write("package.json", "{\"type\": \"module\"}"));
    assert!(write("package.json", "{"));
    assert!(write("tools/package.json", "{\"type\": \"module\"}"));
    assert!(replace("\"a\"", "\"a\", \"type\": \"module\""));
    assert!(!write(
        "package.json",
        "{\"name\": \"b\", \"type\": \"commonjs\"}"
    ));
    assert!(!write("other/package.json", "{\"type\": \"module\"}"));
    assert!(!write("tools/tsconfig.json", "{\"type\": \"module\"}"));
    assert!(!replace("1.0.0", "1.0.1"));
    for command in [
        "npm pkg set type=module",
        "cd tools && npm init es6 -y",
        "echo '{\"type\": \"module\"}' > tools/package.json",
        "sed -i 's/\"name\"/\"type\": \"module\", \"name\"/' package.json",
    ] {
        assert!(concern(&watch, command).is_some(), "{command}");
    }
    assert_free(
        &watch,
        &[
            "npm pkg get type",
            "npm pkg set version=2.0.0",
            "grep '\"type\": \"module\"' package.json",
            "sed -i 's/1.0.0/1.0.1/' package.json",
            "mkdir -p other; echo '{\"type\": \"module\"}' > other/package.json",
            "rm package.json",
        ],
    );
    let before = watch.protected().snapshot();
    fixture.write("project/package.json", "{\"name\": \"b\"}\n");
    assert_eq!(watch.protected().changes_since(&before), []);
    fixture.write("project/package.json", "{\"type\": \"module\"}\n");
    let changes = watch.protected().changes_since(&before);
    let reported: Vec<_> = changes
        .iter()
        .map(|it| (it.path.clone(), it.what))
        .collect();
    assert_eq!(
        reported,
        [(fixture.path("project/package.json"), "changed")]
    );
    assert!(concern(&begin(&fixture), "rm package.json").is_some());
}
