//! Python environments.

use super::trial::{begin, concern};
use super::*;

/// TR-8: creating an environment where a guard's programs are looked for first needs consent;
/// creating one elsewhere doesn't.
#[test]
fn an_environment_in_the_place_of_programs_is_held() {
    let fixture = Fixture::new();
    fixture.write(
        "home/.gemini/settings.json",
        r#"{"hooks": {"BeforeTool": [{"hooks": [
            {"type": "command", "command": "python3 ~/guards/guard.py"}]}]}}"#,
    );
    fixture.write("home/guards/guard.py", "import json\n");
    let mut opening = Opening::of(fixture.path("project"), fixture.path("home"));
    let searched = std::env::var_os("PATH").unwrap_or_default();
    let programs = fixture.path("project/.venv/bin");
    let folders = std::iter::once(programs).chain(std::env::split_paths(&searched));
    opening.surroundings.search_path = folders.collect();
    let protected = Protected::of(&Workspace::open(&opening));
    let watch = begin(&fixture);
    let watch = watch.guarding_too(protected);
    for command in [
        "python3 -m venv .venv",
        "python3.11 -m venv --clear ./.venv",
        "mkdir -p src && cd src && python3 -m venv ../.venv",
        "virtualenv -p python3 .venv",
        "uv venv",
        "uv venv .venv --python 3.11",
    ] {
        let found = concern(&watch, command);
        assert!(
            matches!(found, Some(Concern::Touches(_))),
            "{command}: {found:?}"
        );
    }
    for command in [
        "python3 -m venv env",
        "python3 -m venv other/.venv",
        "cd src && uv venv",
        "virtualenv env",
        "python3 -m json.tool .venv",
    ] {
        let found = concern(&watch, command);
        assert!(
            !matches!(found, Some(Concern::Touches(_))),
            "{command}: {found:?}"
        );
    }
}
