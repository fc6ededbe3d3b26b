use std::process::Stdio;

use serde_json::{Value, json};

use crate::world::World;

/// CM-2, ST-10: twenty processes that disable different hooks at once lose nothing.
#[test]
fn processes_that_write_at_once_lose_nothing() {
    const COUNT: usize = 20;
    let world = World::new();
    let names: Vec<String> = (0..COUNT).map(|index| format!("hook-{index}")).collect();
    let hook = |name: &String| json!({ "type": "command", "name": name, "command": "true" });
    let hooks: Vec<Value> = names.iter().map(hook).collect();
    let file = world.user_hooks(&json!({ "BeforeTool": [{ "hooks": hooks }] }));
    let start = |name: &String| {
        let mut command = world.command(&["hooks", "disable", name]);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let children: Vec<_> = names.iter().map(start).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let settings: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let disabled = settings["hooksConfig"]["disabled"].as_array().unwrap();
    let mut disabled: Vec<&str> = disabled.iter().map(|it| it.as_str().unwrap()).collect();
    disabled.sort_unstable();
    let mut expected: Vec<&str> = names.iter().map(String::as_str).collect();
    expected.sort_unstable();
    assert_eq!(disabled, expected);
    assert_eq!(
        settings["hooks"]["BeforeTool"][0]["hooks"]
            .as_array()
            .unwrap()
            .len(),
        COUNT
    );
    let folder = std::fs::read_dir(file.parent().unwrap()).unwrap();
    let left: Vec<_> = folder.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["settings.json"], "no temporary file or lock is left");
}
