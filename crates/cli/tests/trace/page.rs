use serde_json::json;

use crate::support::{before_tool, fire, hook, runs};
use crate::world::World;

/// CM-6: `--html` writes the last session as a page, or the one that is named.
#[test]
fn a_session_is_written_as_a_page() {
    let world = World::new();
    world.user_hooks(&before_tool(&[hook(
        "<b>bold</b>",
        "echo '<script>x</script>' >&2",
    )]));
    fire(&world, &["BeforeTool"]);
    fire(&world, &["BeforeTool"]);
    let runs = runs(&world, &[]);
    let file = world.project().join("page.html");
    let finished = world.hooks(&["trace", "--html", "page.html"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(
        finished.stdout.contains(file.to_str().unwrap()),
        "{}",
        finished.stdout
    );
    let page = std::fs::read_to_string(&file).unwrap();
    let [first, last] = [0, 1].map(|it: usize| runs[it]["session_id"].as_str().unwrap());
    assert!(page.contains(last) && !page.contains(first));
    assert!(
        page.contains("&lt;b&gt;bold&lt;/b&gt;") && !page.contains("<script"),
        "{page}"
    );
    let printed = world.json(&["trace", "--html", "page.html", "--session", first]);
    assert_eq!(printed.json["html"], file.to_str().unwrap());
    assert_eq!(printed.json["runs"], json!([runs[0]]));
    let page = std::fs::read_to_string(&file).unwrap();
    assert!(page.contains(first) && !page.contains(last));
}

/// CM-6: without a run there is no page, and a file that can't be written is an error.
#[test]
fn a_page_that_cannot_be_written_is_an_error() {
    let world = World::new();
    let printed = world.json(&["trace", "--html", "page.html"]);
    assert_eq!(
        (printed.code, &printed.json["error"]["code"]),
        (1, &json!("no_source"))
    );
    assert!(!world.project().join("page.html").exists());
    world.user_command("BeforeTool", "true");
    fire(&world, &["BeforeTool"]);
    let printed = world.json(&["trace", "--html", "no/such/folder/page.html"]);
    assert_eq!(
        (printed.code, &printed.json["error"]["code"]),
        (1, &json!("not_writable"))
    );
}
