use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::support::{RUN, before_tool, fire, hook, runs};
use crate::world::{World, fields};

fn follow(world: &World, arguments: &[&str]) -> (Child, impl Iterator<Item = String> + use<>) {
    let arguments = [&["hooks", "trace", "--follow"], arguments].concat();
    let mut child = world
        .command(&arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    (child, lines.map(Result::unwrap))
}

/// CM-6: `--follow --json` prints one run a line as they come, each with `schema_version`.
#[test]
fn runs_are_followed_as_they_come() {
    let world = World::new();
    world.user_hooks(&before_tool(&[
        hook("a", "printf 'one\\ntwo\\n'"),
        hook("b", "true"),
    ]));
    // The trace doesn't exist yet.
    let (mut child, mut lines) = follow(&world, &["--last", "9", "--json"]);
    fire(&world, &["BeforeTool"]);
    let first: Vec<String> = lines.by_ref().take(2).collect();
    fire(&world, &["BeforeTool"]);
    let second: Vec<String> = lines.by_ref().take(2).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    let followed: Vec<Value> = [first, second]
        .concat()
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for (line, run) in followed.iter().zip(runs(&world, &[])) {
        assert_eq!(fields(line), [&["schema_version"], &RUN[..]].concat());
        assert_eq!(line["schema_version"], 1);
        assert_eq!(line["run_id"], run["run_id"]);
        assert_eq!(line["stdout"], run["stdout"]);
    }
}

/// CM-6: a selection also applies to what is followed, and text is followed like JSON.
#[test]
fn what_is_followed_can_be_chosen() {
    let world = World::new();
    world.user_hooks(&before_tool(&[hook("a", "true"), hook("b", "echo said")]));
    fire(&world, &["BeforeTool"]);
    let (mut child, mut lines) = follow(&world, &["--last", "1", "--hook", "b"]);
    let before: Vec<String> = lines.by_ref().take(2).collect();
    fire(&world, &["BeforeTool"]);
    let after: Vec<String> = lines.by_ref().take(2).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    for lines in [before, after] {
        assert!(lines[0].contains("BeforeTool  b  proceed"), "{lines:?}");
        assert_eq!(lines[1].trim(), "said");
    }
}

/// CM-6: it ends when nobody reads any more.
#[test]
fn it_ends_with_its_reader() {
    let world = World::new();
    world.user_hooks(&before_tool(&[hook("a", "true")]));
    fire(&world, &["BeforeTool"]);
    let (mut child, mut lines) = follow(&world, &["--last", "1", "--json"]);
    assert!(lines.next().is_some());
    drop(lines);
    fire(&world, &["BeforeTool"]);
    assert!(child.wait().unwrap().success());
}
