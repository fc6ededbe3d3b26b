//! The page in a real browser. These tests need Chromium, which has to be installed separately:
//! without it they report that and pass.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{before_tool, fire, hook};
use crate::world::World;
use hookloop_testkit::skipped;

const PROGRAMS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Opens the page in frames of several widths, and writes what it finds into the title.
const PROBE: &str = r"
const found = [];
for (const frame of document.querySelectorAll('iframe')) {
  const page = frame.contentDocument;
  for (const details of page.querySelectorAll('details')) details.open = true;
  const shown = () => [...page.querySelectorAll('.run')].filter((run) => run.checkVisibility()).length;
  const before = shown();
  page.querySelector('#show-refused').click();
  found.push({
    width: frame.clientWidth,
    needs: page.documentElement.scrollWidth,
    runs: before,
    filtered: shown(),
    firings: [...page.querySelectorAll('.firing')].filter((it) => it.checkVisibility()).length,
    scripts: page.querySelectorAll('script, img, [onerror], [onclick]').length,
    small: [...page.querySelectorAll('summary, label')].filter((it) => it.checkVisibility() && it.clientHeight < 24).length,
  });
}
document.title = 'FOUND' + JSON.stringify(found) + 'FOUND';
";

fn chromium() -> Option<PathBuf> {
    let folders = ["/usr/local/bin", "/usr/bin"];
    let found = folders
        .iter()
        .flat_map(|folder| PROGRAMS.map(|name| Path::new(folder).join(name)))
        .find(|program| program.is_file());
    if found.is_none() {
        skipped(
            "the page of the trace in a browser",
            &format!("no Chromium in {folders:?}"),
        );
    }
    found
}

fn escaped(html: &str) -> String {
    html.replace('&', "&amp;").replace('"', "&quot;")
}

/// Opens the page in frames of some widths and returns what the probe found.
fn probe(world: &World, program: &Path, page: &str, widths: &[u32]) -> Value {
    let page = escaped(page);
    let frame = |width: &u32| {
        format!("<iframe style=\"border: 0\" width={width} height=2000 srcdoc=\"{page}\"></iframe>")
    };
    let frames: Vec<String> = widths.iter().map(frame).collect();
    let frames = frames.concat();
    let outer = format!(
        "<!doctype html><title></title>{frames}<script>onload = () => {{{PROBE}}}</script>"
    );
    let file = world.sandbox.root().join("outer.html");
    std::fs::write(&file, outer).unwrap();
    let mut command = world.sandbox.command(program);
    command
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
        ])
        .arg(format!(
            "--user-data-dir={}",
            world.sandbox.root().join("browser").display()
        ))
        .args(["--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("file://{}", file.display()))
        .stderr(Stdio::null());
    let dom = world.sandbox.run(&mut command, b"").stdout;
    let found = dom
        .split("FOUND")
        .nth(1)
        .expect(&dom)
        .replace("&quot;", "\"");
    serde_json::from_str(&found).unwrap()
}

/// CM-6: in a browser the page fits a phone and a desktop, needs no script, runs none that a hook
/// wrote, and its filter works.
#[test]
fn the_page_works_in_a_browser() {
    let Some(program) = chromium() else { return };
    let world = World::new();
    let hostile = "</pre><script>document.title=1</script><img src=x onerror=alert(1)>";
    let long = "x".repeat(400);
    world.user_hooks(&before_tool(&[
        hook("guard", &format!("echo '{hostile}{long}' >&2; exit 2")),
        hook(
            &format!("{hostile}{long}"),
            "echo '{\"systemMessage\": \"noted\"}'",
        ),
    ]));
    let input = json!({ "tool_input": { "content": format!("{hostile}\n{long}") } }).to_string();
    fire(&world, &["BeforeTool", "--input", &input]);
    let file = world.project().join("page.html");
    world.hooks(&["trace", "--html", file.to_str().unwrap()]);
    let page = std::fs::read_to_string(&file).unwrap();
    let found = probe(&world, &program, &page, &[320, 390, 1200]);
    assert_eq!(found.as_array().unwrap().len(), 3);
    for at in found.as_array().unwrap() {
        assert!(at["needs"].as_u64() <= at["width"].as_u64(), "{at}");
        assert_eq!(
            (&at["runs"], &at["filtered"]),
            (&json!(2), &json!(1)),
            "{at}"
        );
        assert_eq!(
            (&at["firings"], &at["scripts"], &at["small"]),
            (&json!(1), &json!(0), &json!(0)),
            "{at}"
        );
    }
}
