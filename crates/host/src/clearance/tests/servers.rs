//! TR-8: arguments of servers' tools, in every spelling.

use super::trial::begin;
use super::*;

/// TR-8: a guard's file is found in the arguments of a server's tool, however it is spelled and
/// wherever it is.
#[test]
fn files_are_found_in_every_spelling() {
    let fixture = Fixture::new();
    let file = fixture
        .path("home/.gemini/settings.json")
        .display()
        .to_string();
    let blocked = [
        json!({"argv": "cp a ../home/.gemini/settings.json"}),
        json!({"argv": "tee .gemini/settings.json"}),
        json!({"argv": format!("sort a -o{file}")}),
        json!({"argv": "cp a $HOME/.gemini/settings.json"}),
        json!({"run": "cp a ${HOME}/.gemini/settings.json"}),
        json!({"argv": ["sh", "-c", format!("echo > {file}")]}),
        json!({"steps": [["sh", "-c", format!("echo > {file}")]]}),
        json!({"files": {file.as_str(): "x"}}),
        json!({file.as_str(): "x"}),
        json!({"files": {".gemini/settings.json": "x"}}),
        json!({"text": format!("cp a {file}\n")}),
        json!({"dst": format!("localhost:{file}")}),
        json!({"arg": format!("-d @{file}")}),
        json!({"arg": format!("x:{file}")}),
        json!({"path": [fixture.path("home"), ".gemini", "settings.json"]}),
        json!({"uri": format!("FILE://{file}")}),
        json!({"uri": format!("File://LOCALHOST{file}")}),
        json!({"path": "$HOME/.gemini/settings.json"}),
        json!({"argv": format!("cp a {}", file.replace("settings", "sett\\ings"))}),
        json!({"list": ["a", "-o", ".gemini/settings.json"]}),
    ];
    let free = [
        json!({"argv": "echo hi"}),
        json!({"argv": "cp a b/settings.json"}),
        json!({"text": "please look at .gemini/settings.json"}),
        json!({"body": format!("see {file}")}),
        json!({"files": {"src/main.rs": "x"}}),
        json!({"path": ["src", "main.rs"]}),
        json!({"path": "$NOBODY/.gemini/settings.json"}),
        json!({"uri": "https://example.org/.gemini/settings.json"}),
        json!({"command": "cat .gemini/settings.json"}),
        json!({"name": "settings", "version": "1.0.0"}),
    ];
    let watch = begin(&fixture);
    for (all, is_held) in [(&blocked[..], true), (&free[..], false)] {
        for arguments in all {
            let map = arguments.as_object().expect("an object");
            let concern = watch.concern("mcp__s__go", map);
            assert_eq!(concern.is_some(), is_held, "{arguments}: {concern:?}");
        }
    }
}
