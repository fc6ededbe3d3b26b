//! The documentation, run: every snippet in `README.md` and `docs/*.md` does what its page says.
//!
//! A page is split at its headings of level two and three. Each section has its own sandbox, in
//! which its blocks are run from top to bottom:
//!
//! | block | what happens |
//! |---|---|
//! | any, after "… into `.gemini/some/file` …:" or `<!-- file: path -->` | it is written there; executable if it begins with `#!` |
//! | `json` without a place | settings on their own: `hooks check` finds nothing |
//! | `json` after `<!-- reply: EVENT -->` | a hook's reply: it is understood, and all of it has an effect |
//! | `console` | each `$ command` is run, the lines after it are looked for in what it prints |
//! | `rust` after `<!-- from: path -->` | it stands like this in that file of the repository |
//! | any after `<!-- not run: reason -->` | nothing |
//!
//! A command must exit with 0 unless the next one is `echo $?`. In expected lines `…` stands for
//! any text, and a line that is only `…` for any lines. Settings that were written are checked
//! before the next command; what `<!-- problems: code, code -->` lists must be found, and nothing
//! else.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that can't be set up fails"
)]

mod blocks;
mod console;
mod mentions;
mod place;

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use blocks::{Block, Section, sections};
use place::Place;

/// Blocks of the README that aren't run, by their beginning, and why.
const NOT_RUN_IN_README: [(&str, &str); 5] = [
    ("cargo demo", "it builds the workspace"),
    ("cargo install --path", "it builds the release program"),
    ("hookloop                      ", "it shows forms"),
    ("hookloop bridge install", "docs/bridge.md is played"),
    ("let host = Host::open(", "examples/embed is tested"),
];

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// Runs a page, and returns how many blocks were run. A section that fails doesn't keep others from
/// being run.
fn play(name: &str) -> usize {
    let mut played = 0;
    let mut failed = Vec::new();
    for section in sections(&page(name)) {
        match catch_unwind(|| play_section(name, &section)) {
            Ok(count) => played += count,
            Err(_) => failed.push(section.title),
        }
    }
    assert!(
        failed.is_empty(),
        "{name}: sections that failed: {failed:#?}"
    );
    played
}

fn play_section(name: &str, section: &Section) -> usize {
    let mut place = Place::new();
    let played = section
        .blocks
        .iter()
        .filter(|block| !is_left_out(name, block));
    let count = played.clone().count();
    for block in played {
        place.play(&format!("{name}:{}", block.line), block);
    }
    place.check_settings(&format!("{name}: {}", section.title));
    count
}

fn is_left_out(name: &str, block: &Block) -> bool {
    let listed = |(begin, _): &(&str, &str)| block.text.starts_with(begin);
    if name == "README.md" && NOT_RUN_IN_README.iter().any(listed) {
        return true;
    }
    let reason = block.directive("not run");
    assert!(reason != Some(""), "{name}:{}: no reason", block.line);
    reason.is_some()
}

/// ST-3, IO-13, TR-2, CM-4, CM-5: the first hook of the README works as written there.
#[test]
fn the_readme_does_what_it_says() {
    assert!(play("README.md") >= 3);
}

/// CM-3, CM-4, CM-5, CM-6, IO-10, IO-13, TR-4: the guide's hooks, at least one for each event, are
/// installed and fired as it says.
#[test]
fn the_guide_does_what_it_says() {
    assert!(play("docs/guide.md") >= 40);
}

/// ST-3, OUT-6: the settings and replies of the reference are accepted.
#[test]
fn the_reference_does_what_it_says() {
    assert!(play("docs/reference.md") >= 1);
}

/// CM-7, IO-14, AM-2: the page for people who come from other agents is true.
#[test]
fn the_page_for_those_who_come_from_elsewhere_does_what_it_says() {
    assert!(play("docs/coming-from.md") >= 5);
}

/// CM-6, IO-13: every page of the cookbook leads to a hook that is trusted and passes its test.
#[test]
fn the_cookbook_does_what_it_says() {
    let pages = fs::read_dir(root().join("docs/cookbook")).unwrap();
    let names = pages.map(|it| it.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| name != "README.md").collect();
    names.sort();
    for name in &names {
        assert!(play(&format!("docs/cookbook/{name}")) >= 4, "{name}");
    }
    assert!(names.len() >= 25, "{names:?}");
}

/// ST-6, HT-15, HT-25: the policy of a fleet wins over a user's settings, and a service decides.
#[test]
fn the_page_for_fleets_does_what_it_says() {
    assert!(play("docs/fleet.md") >= 7);
}

/// BR-1, BR-2, BR-3, BR-20: the page about the bridge is true.
#[test]
fn the_page_about_the_bridge_does_what_it_says() {
    assert!(play("docs/bridge.md") >= 6);
}

/// Every snippet of the embedding guide is in the example that is compiled and tested.
#[test]
fn the_embedding_guide_shows_code_that_exists() {
    assert!(play("docs/embedding.md") >= 3);
}

/// HT-40: the guide names every effect that a condition may use.
#[test]
fn the_guide_names_all_effects() {
    let guide = page("docs/guide.md");
    let (_, list) = guide.split_once("The effects are ").expect("the list");
    let (list, _) = list.split_once(';').expect("its end");
    let named: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
    assert_eq!(named, hookloop_rules::EFFECTS);
}

/// EV-1: the guide has a section for each event, with a hook that is fired there.
#[test]
fn the_guide_fires_every_event() {
    let guide = page("docs/guide.md");
    let all = sections(&guide);
    for event in hookloop_events::EventName::ALL {
        let title = format!("`{event}`");
        let section = all.iter().find(|it| it.title.starts_with(&title));
        let section = section.unwrap_or_else(|| panic!("the guide has no section {title}"));
        let command = format!("hooks fire {event}");
        let fires = |block: &Block| block.language == "console" && block.text.contains(&command);
        assert!(section.blocks.iter().any(fires), "{title} isn't fired");
    }
}

/// CM-9: every command in running text exists, with its options.
#[test]
fn commands_that_are_mentioned_exist() {
    let mut count = 0;
    for name in [
        "README.md",
        "docs/guide.md",
        "docs/reference.md",
        "docs/coming-from.md",
        "docs/cookbook/README.md",
        "docs/bridge.md",
        "docs/fleet.md",
    ] {
        count += mentions::check(name, &page(name));
    }
    assert!(count >= 20, "only {count} commands were found");
}

/// CM-1, CM-2, CM-3, CM-8: the reference lists every command for hooks and extensions.
#[test]
fn the_reference_lists_every_command() {
    let reference = page("docs/reference.md");
    for group in [
        "hooks",
        "guards",
        "bridge",
        "audit",
        "extensions",
        "mcp",
        "skills",
    ] {
        let commands = mentions::commands_of(group);
        assert!(!commands.is_empty(), "{group}");
        for command in commands {
            let listed = format!("| `hookloop {group} {command}");
            assert!(reference.contains(&listed), "{listed}` is missing");
        }
    }
}
