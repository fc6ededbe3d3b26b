//! How unlisted tools are interpreted.

mod real_tools;

use serde_json::json;

use super::*;

fn planned(name: &str, arguments: Value) -> Vec<(String, Value)> {
    let Value::Object(arguments) = arguments else {
        unreachable!("arguments are an object")
    };
    let calls = calls(name, &arguments).calls.into_iter();
    calls
        .map(|it| (it.tool, Value::Object(it.arguments)))
        .collect()
}

/// BR-10: whatever it is called, a tool with a command runs it.
#[test]
fn commands_are_found() {
    for (name, arguments, command) in [
        ("Background", json!({"command": "rm -rf x"}), "rm -rf x"),
        ("terminal", json!({"cmd": "rm x", "path": "/w"}), "rm x"),
        ("x", json!({"command": "rm x", "path": "/w"}), "rm x"),
        ("exec", json!({"argv": ["sh", "-c", "a b"]}), "sh -c 'a b'"),
        ("task", json!({"input": {"shell_command": "ls"}}), "ls"),
        (
            "run",
            json!({"steps": [{"do": {"bashCommand": "ls"}}]}),
            "ls",
        ),
        ("batch", json!({"commands": ["make all"]}), "make all"),
        ("send_to_terminal", json!({"input": "make\n"}), "make\n"),
        ("RunScript", json!({"script": "make"}), "make"),
    ] {
        let expected = ("run_shell_command".to_owned(), json!({"command": command}));
        assert_eq!(planned(name, arguments), [expected], "{name}");
    }
    for (name, arguments) in [
        ("Skill", json!({"command": "pdf"})),
        ("SlashCommand", json!({"command": "/review"})),
        ("x", json!({"command": " "})),
        ("x", json!({"query": "rm"})),
        ("Workflow", json!({"script": "export default 1"})),
    ] {
        assert_eq!(planned(name, arguments), [], "{name}");
    }
}

/// BR-10: whatever it is called, a tool that changes or reads a file is planned as that.
#[test]
fn files_are_found() {
    let replaced = |path: &str, old: &str, new: &str| {
        let arguments = json!({"file_path": path, "old_string": old, "new_string": new});
        ("replace", arguments)
    };
    let written =
        |path: &str, content: &str| ("write_file", json!({"file_path": path, "content": content}));
    let read = |path: &str| ("read_file", json!({"file_path": path}));
    for (name, arguments, expected) in [
        (
            "StrReplace",
            json!({"path": "f", "old_string": "a", "new_string": "b"}),
            replaced("f", "a", "b"),
        ),
        (
            "edit_file",
            json!({"target_file": "f", "edits": [{"oldText": "a", "newText": "b"}]}),
            replaced("f", "a", "b"),
        ),
        (
            "text_editor",
            json!({"command": "write", "path": "f", "file_text": "t"}),
            written("f", "t"),
        ),
        (
            "text_editor",
            json!({"command": "view", "path": "f"}),
            read("f"),
        ),
        (
            "text_editor",
            json!({"command": "insert", "path": "f", "insert_line": 1, "new_str": "t"}),
            written("f", "t"),
        ),
    ] {
        let (tool, fields) = expected;
        assert_eq!(
            planned(name, arguments),
            [(tool.to_owned(), fields)],
            "{name}"
        );
    }
}

/// BR-10: what is deleted, moved and copied is planned as the command that would do it.
#[test]
fn what_goes_elsewhere_is_found() {
    let written =
        |path: &str, content: &str| ("write_file", json!({"file_path": path, "content": content}));
    let ran = |command: &str| ("run_shell_command", json!({"command": command}));
    let read = |path: &str| ("read_file", json!({"file_path": path}));
    for (name, arguments, expected) in [
        (
            "Delete",
            json!({"file_path": "a b"}),
            ran("rm -rf -- 'a b'"),
        ),
        (
            "fs.removeFile",
            json!({"uri": "file:///x"}),
            ran("rm -rf -- /x"),
        ),
        (
            "FSMove",
            json!({"source": "a", "destination": "b"}),
            ran("mv -- a b"),
        ),
        (
            "copy_path",
            json!({"path": "a", "newPath": "b"}),
            ran("cp -r -- a b"),
        ),
        (
            "x",
            json!({"files": [{"path": "f", "content": "t"}]}),
            written("f", "t"),
        ),
        (
            "append",
            json!({"filename": "f", "text": "t"}),
            written("f", "t"),
        ),
        ("view_image", json!({"path": "f"}), read("f")),
    ] {
        let (tool, fields) = expected;
        assert_eq!(
            planned(name, arguments),
            [(tool.to_owned(), fields)],
            "{name}"
        );
    }
    for (name, arguments) in [
        (
            "search_code",
            json!({"path": "src", "text": "x", "content": "y"}),
        ),
        ("lint", json!({"paths": ["a", "b"]})),
        ("describe", json!({"path": "a", "text": "x"})),
    ] {
        assert_eq!(planned(name, arguments), [], "{name}");
    }
}

fn commands_of(name: &str, arguments: Value) -> Vec<String> {
    let calls = planned(name, arguments).into_iter();
    let commands = calls.filter(|(tool, _)| tool == "run_shell_command");
    commands
        .filter_map(|(_, it)| Some(it["command"].as_str()?.to_owned()))
        .collect()
}

/// BR-10: no argument beside a command hides it, whatever form the command has.
#[test]
fn no_argument_hides_a_command() {
    for (name, arguments, command) in [
        (
            "x",
            json!({"command": "rm -rf y", "path": "/w", "mode": "read"}),
            "rm -rf y",
        ),
        (
            "x",
            json!({"command": "rm -rf y", "path": "/w", "type": "view"}),
            "rm -rf y",
        ),
        (
            "x",
            json!({"command": "rm${IFS}y", "path": "/w"}),
            "rm${IFS}y",
        ),
        ("x", json!({"command": "view;rm", "path": "/w"}), "view;rm"),
        (
            "x",
            json!({"command": "rm", "args": ["-rf", "a b"], "path": "/w"}),
            "rm -rf 'a b'",
        ),
        (
            "x",
            json!({"program": "git", "args": ["push", "--force"]}),
            "git push --force",
        ),
        (
            "x",
            json!({"executable": "git", "arguments": "push --force"}),
            "git push --force",
        ),
        (
            "x",
            json!({"command": {"program": "rm", "args": ["y"]}}),
            "rm y",
        ),
        ("x", json!({"command": "ls", "Command": "rm y"}), "rm y"),
        ("x", json!({"command": ["kill", 9]}), "kill 9"),
        ("x", json!({"command": ["make", "rm -rf y"]}), "rm -rf y"),
        ("x", json!({"commands": ["rm", "-rf", "y"]}), "rm -rf y"),
        ("x", json!({"commands": [["rm", "y"]]}), "rm y"),
        ("x", json!({"terminalCommand": "rm y"}), "rm y"),
        ("x", json!({"input": "{\"command\": \"rm y\"}"}), "rm y"),
        ("x", json!({"steps": "[{\"cmd\": \"rm y\"}]"}), "rm y"),
        ("prompt_command_shell", json!({"command": "rm y"}), "rm y"),
        ("shell", json!({"what": "rm y"}), "rm y"),
        ("shell", json!({"args": ["rm", "y"]}), "rm y"),
        ("run_python", json!({"code": "f()"}), "python3 -c 'f()'"),
        (
            "execute",
            json!({"language": "js", "code": "f()"}),
            "node -e 'f()'",
        ),
        (
            "git",
            json!({"args": ["push", "--force"]}),
            "git push --force",
        ),
        (
            "git",
            json!({"command": "push --force"}),
            "git push --force",
        ),
        ("kubectl_delete", json!({"pod": "x"}), "kubectl delete"),
        (
            "x",
            json!({"a": {"b": {"c": {"d": {"e": {"f": {"g": {"h": {"command": "rm y"}}}}}}}}}),
            "rm y",
        ),
    ] {
        let found = commands_of(name, arguments.clone());
        assert!(
            found.iter().any(|it| it == command),
            "{name} {arguments}: {found:?}"
        );
    }
}

/// BR-10: a folder beside a command is where it runs.
#[test]
fn a_folder_beside_a_command_is_kept() {
    let folder = json!({"command": "rm y", "dir_path": "/etc"});
    let found = planned("x", json!({"command": "rm y", "workdir": "/etc"}));
    assert_eq!(found, [("run_shell_command".to_owned(), folder)]);
}

/// Asserts that a call is planned as an operation on `.env`.
fn does(name: &str, arguments: &Value, done: &str) {
    let found = planned(name, arguments.clone());
    let is_done = found.iter().any(|(tool, fields)| {
        let path = fields["file_path"].as_str();
        tool == done && path == Some(".env") || fields["command"] == json!(done)
    });
    assert!(is_done, "{name} {arguments}: {found:?}");
}

/// BR-10: no argument hides that a file is deleted or moved.
#[test]
fn no_argument_hides_that_a_file_goes() {
    let deleted = "rm -rf -- .env";
    for (name, arguments, done) in [
        (
            "delete_file",
            json!({"path": ".env", "type": "read"}),
            deleted,
        ),
        ("deletefile", json!({"path": ".env"}), deleted),
        ("fsdelete", json!({"file": ".env"}), deleted),
        ("x", json!({"path": ".env", "delete": true}), deleted),
        ("x", json!({"delete": [".env"]}), deleted),
        (
            "x",
            json!({"action": "delete", "item": {"path": ".env"}}),
            deleted,
        ),
        ("list_or_delete", json!({"path": ".env"}), deleted),
        ("delete_file", json!({"name": ".env"}), deleted),
        (
            "delete_file",
            json!({"uri": "file:///w/%2Eenv"}),
            "rm -rf -- /w/.env",
        ),
        ("delete_file", json!({"uri": {"fsPath": ".env"}}), deleted),
        (
            "rename_file",
            json!({"old_name": ".env", "new_name": "b"}),
            "mv -- .env b",
        ),
        (
            "mv",
            json!({"from": ".env", "to": ["b", "c"]}),
            "mv -- .env c",
        ),
    ] {
        does(name, &arguments, done);
    }
}

/// BR-10: no argument hides that a file is written or changed, or what a patch does to it.
#[test]
fn no_argument_hides_that_a_file_is_written() {
    let written = "write_file";
    for (name, arguments, done) in [
        (
            "load_and_save",
            json!({"path": ".env", "text": "t"}),
            written,
        ),
        (
            "open_file",
            json!({"path": ".env", "mode": "w", "text": "t"}),
            written,
        ),
        (
            "find_and_replace",
            json!({"path": ".env", "find": "a", "replace": "b"}),
            "replace",
        ),
        ("x", json!({"path": ".env", "new_text": "t"}), written),
        (
            "x",
            json!({"uri": {"path": ".env"}, "content": "t"}),
            written,
        ),
        (
            "x",
            json!({"target": {"path": ".env"}, "change": {"content": "t"}}),
            written,
        ),
        ("create_files", json!({"files": {".env": "t"}}), written),
        ("writefile", json!({"directory": ".env"}), written),
        (
            "x",
            json!({"outputFilePath": ".env", "content": "t"}),
            written,
        ),
        (
            "download",
            json!({"url": "https://x", "destination": ".env"}),
            written,
        ),
        (
            "x",
            json!({"files": "[{\"path\": \".env\", \"content\": \"t\"}]"}),
            written,
        ),
        (
            "x",
            json!({"diff": "--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-a\n+t\n"}),
            written,
        ),
        (
            "x",
            json!({"patch": "--- a/.env\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"}),
            "rm -- .env",
        ),
        (
            "apply",
            json!({"text": "*** Begin Patch\n*** Delete File: .env\n*** End Patch\n"}),
            "rm -- .env",
        ),
    ] {
        does(name, &arguments, done);
    }
}

/// BR-10: the new content of a file is text, whatever it looks like, and what only mentions files
/// or commands isn't a call.
#[test]
fn what_is_written_is_not_a_call() {
    let manifest = "{\"command\": \"rm y\", \"path\": \"z\"}";
    let found = planned("create", json!({"path": "f", "content": manifest}));
    assert_eq!(
        found,
        [(
            "write_file".to_owned(),
            json!({"file_path": "f", "content": manifest})
        )]
    );
    for (name, arguments) in [
        ("KillShell", json!({"shell_id": "x"})),
        ("BashOutput", json!({"bash_id": "x", "filter": "y"})),
        (
            "LSP",
            json!({"operation": "hover", "filePath": "x", "line": 3}),
        ),
        ("SendMessage", json!({"to": "x", "message": "y"})),
        ("get_weather", json!({"location": "x"})),
        ("fetch", json!({"uri": "https://example.org/a"})),
        ("update_profile", json!({"name": "x"})),
    ] {
        assert_eq!(planned(name, arguments), [], "{name}");
    }
}

/// BR-10: if a call does more than can be judged, that is reported; one that does exactly as much
/// as allowed is planned completely.
#[test]
fn a_call_that_does_too_much_says_so() {
    for (count, planned, has_rest) in [
        (1000, MAX_CALLS, true),
        (MAX_CALLS + 1, MAX_CALLS, true),
        (MAX_CALLS, MAX_CALLS, false),
    ] {
        let paths: Vec<String> = (0..count).map(|it| format!("f{it}")).collect();
        let arguments = Map::from_iter([("paths".to_owned(), json!(paths))]);
        let meant = calls("delete_files", &arguments);
        assert_eq!(
            (meant.calls.len(), meant.rest.is_some()),
            (planned, has_rest),
            "{count}"
        );
    }
}
