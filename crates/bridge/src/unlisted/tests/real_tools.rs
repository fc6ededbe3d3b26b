//! Real tools of MCP servers and agents: what is dangerous is detected, and what is harmless isn't,
//! though its text mentions dangers.

use serde_json::json;

use super::*;

/// Asserts that a call is planned as a command, among other things.
fn runs(name: &str, arguments: &Value, command: &str) {
    let found = commands_of(name, arguments.clone());
    let is_run = found.iter().any(|it| it.trim_end() == command);
    assert!(is_run, "{name} {arguments}: {found:?}");
}

/// BR-10: what is typed into a shell, or passed to one after a word for doing so, is the command.
#[test]
fn what_is_typed_behind_a_word_is_seen() {
    let danger = "rm -rf /";
    for (name, arguments) in [
        ("terminal", json!({"command": "send", "text": danger})),
        ("terminal", json!({"command": "ls", "text": danger})),
        ("terminal", json!({"action": "type", "value": danger})),
        ("terminal", json!({"command": "write", "what": danger})),
        ("terminal", json!({"query": danger})),
        ("process", json!({"command": "write", "data": "rm -rf /\n"})),
        (
            "process",
            json!({"action": "submit", "sessionId": "s", "data": danger}),
        ),
        (
            "process",
            json!({"action": "send-keys", "keys": [danger, "Enter"]}),
        ),
        (
            "tmux-send-keys",
            json!({"session": "0", "keys": danger, "enter": true}),
        ),
        ("tmux_send_keys", json!({"target": "0:1", "text": danger})),
        ("send_keys_to_pty", json!({"keystrokes": danger})),
        (
            "desktop-commander-interact_with_process",
            json!({"pid": 3, "input": danger}),
        ),
        (
            "interact_with_process",
            json!({"pid": 3, "what": danger, "timeout_ms": 1}),
        ),
        ("console", json!({"text": danger})),
        ("write_stdin", json!({"session_id": 1, "chars": danger})),
        ("write_to_terminal", json!({"contents": danger})),
        ("exec", json!({"what": danger})),
        ("send_message_to_terminal", json!({"message": danger})),
        (
            "background_process",
            json!({"action": "send", "id": "x", "line": danger}),
        ),
        (
            "background_processes",
            json!({"action": "write", "id": "x", "bytes": danger}),
        ),
    ] {
        runs(name, &arguments, danger);
    }
}

/// BR-10: commands of processes, hosts, containers and editors are detected, and scripts of
/// whatever runs them.
#[test]
fn commands_of_real_tools_are_seen() {
    let danger = "rm -rf /";
    for (name, arguments) in [
        (
            "start_process",
            json!({"command": danger, "timeout_ms": 1000, "shell": "bash"}),
        ),
        (
            "desktop-commander_start_process",
            json!({"command": danger}),
        ),
        ("ssh_exec", json!({"host": "h", "command": danger})),
        ("ssh-mcp-exec", json!({"cmdString": danger})),
        (
            "remote-ssh",
            json!({"connection": "h", "line": danger, "user": "root"}),
        ),
        ("docker_exec", json!({"container": "c", "command": danger})),
        (
            "exec_in_container",
            json!({"container": "c", "cmd": ["rm", "-rf", "/"]}),
        ),
        (
            "kubernetes-exec_in_pod",
            json!({"pod": "p", "command": ["rm", "-rf", "/"]}),
        ),
        (
            "run_in_terminal",
            json!({"command": danger, "explanation": "x", "isBackground": false}),
        ),
        (
            "create_and_run_task",
            json!({"task": {"label": "x", "type": "shell", "command": danger}}),
        ),
        (
            "execute_terminal_command",
            json!({"command": danger, "reuseExistingTerminalWindow": true}),
        ),
        (
            "attempt_completion",
            json!({"result": "done", "command": danger}),
        ),
        ("run", json!({"script": danger})),
        ("my-runner-run", json!({"script": danger, "note": "x"})),
        ("run_code", json!({"script": danger})),
        ("run_code", json!({"code": danger, "language": "bash"})),
        ("sandbox", json!({"code": danger, "language": "shell"})),
        ("execute_code", json!({"source_code": danger, "lang": "sh"})),
        ("run_anything", json!({"script": danger})),
        ("execute_task", json!({"shell_script": danger})),
        ("python_run", json!({"code": "import os\n!rm -rf /\n"})),
        (
            "jupyter_execute_cell",
            json!({"cell_source": "%%bash\nrm -rf /"}),
        ),
        (
            "insert_execute_code_cell",
            json!({"cell_index": 1, "cell_source": "x = 1\n  !rm -rf /"}),
        ),
        ("applescript_execute", json!({"command": danger})),
        (
            "call_tool",
            json!({"name": "x", "arguments": {"command": danger}}),
        ),
        (
            "multi_tool_use.parallel",
            json!({"tool_uses": [{"recipient_name": "x", "parameters": {"cmd": danger}}]}),
        ),
    ] {
        runs(name, &arguments, danger);
    }
}

/// BR-10: code is planned as the call of its interpreter.
#[test]
fn code_is_handed_to_its_interpreter() {
    let python = "python3 -c 'f()'";
    let node = "node -e 'f()'";
    for (name, arguments, command) in [
        (
            "run_code",
            json!({"code": "f()", "language": "python"}),
            python,
        ),
        ("jupyter_execute_code", json!({"code": "f()"}), python),
        ("execute_ipython", json!({"code": "f()"}), python),
        ("python", json!({"code": "f()"}), python),
        ("my_python_sandbox", json!({"code": "f()"}), python),
        (
            "sandbox",
            json!({"code": "f()", "language": "typescript"}),
            node,
        ),
        ("run_node_script", json!({"script": "f()"}), node),
        ("browser_run_code", json!({"code": "f()"}), node),
    ] {
        runs(name, &arguments, command);
    }
}

/// BR-10: a program after which a tool is named is planned with what its arguments say, even if the
/// server's name precedes it.
#[test]
fn programs_in_names_are_seen() {
    for (name, arguments, command) in [
        ("git_git_add", json!({"files": ["a", "b"]}), "git add a b"),
        ("git-git_rm", json!({"paths": [".env"]}), "git rm .env"),
        ("git_git_push", json!({}), "git push"),
        (
            "git_push",
            json!({"branch": "main", "remote": "origin", "force": true}),
            "git push --force origin main",
        ),
        (
            "git_reset",
            json!({"hard": true, "commit": "HEAD~1"}),
            "git reset --hard 'HEAD~1'",
        ),
        (
            "git-mcp_git_clean",
            json!({"force": true}),
            "git clean --force",
        ),
        ("docker_docker_prune", json!({}), "docker prune"),
        (
            "kubectl_delete",
            json!({"pod": "x", "force": true}),
            "kubectl delete --force",
        ),
        (
            "terraform_destroy",
            json!({"auto_approve": true}),
            "terraform destroy --auto-approve",
        ),
    ] {
        runs(name, &arguments, command);
    }
    let found = planned("git_git_add", json!({"repo_path": "/w", "files": ["a"]}));
    assert!(
        found.iter().all(|(tool, _)| tool == "run_shell_command"),
        "{found:?}"
    );
    let found = planned("git_git_add", json!({"repo_path": "/w", "files": ["a"]}));
    let inside = json!({"command": "git add a", "dir_path": "/w"});
    assert!(found.iter().any(|(_, it)| *it == inside), "{found:?}");
}

/// BR-10: files of real tools are detected.
#[test]
fn files_of_real_tools_are_seen() {
    let written = "write_file";
    for (name, arguments, done) in [
        (
            "github-create_or_update_file",
            json!({"owner": "o", "repo": "r", "path": ".env", "content": "x", "message": "m"}),
            written,
        ),
        (
            "github-push_files",
            json!({"branch": "b", "files": [{"path": ".env", "content": "x"}], "message": "m"}),
            written,
        ),
        (
            "filesystem_move_file",
            json!({"source": ".env", "destination": "b"}),
            "mv -- .env b",
        ),
        (
            "mcp__filesystem__create_directory",
            json!({"path": ".env"}),
            "mkdir -p -- .env",
        ),
        (
            "edit_block",
            json!({"file_path": ".env", "old_string": "a", "new_string": "b"}),
            "replace",
        ),
        (
            "serena-replace_symbol_body",
            json!({"relative_path": ".env", "name_path": "f", "body": "x"}),
            written,
        ),
        (
            "create_text_file",
            json!({"relative_path": ".env", "content": "x"}),
            written,
        ),
        ("browser_pdf_save", json!({"filename": ".env"}), written),
        ("save_review", json!({"path": ".env", "text": "x"}), written),
        ("git_update", json!({"path": ".env", "text": "x"}), written),
        (
            "fs_open",
            json!({"path": ".env", "flags": "O_WRONLY|O_CREAT"}),
            written,
        ),
        ("fs_open", json!({"path": ".env", "mode": "rw"}), written),
        (
            "convert",
            json!({"input_path": "a", "output_path": ".env"}),
            written,
        ),
        ("open_file", json!({"path": ".env", "mode": "w"}), written),
        ("open_file", json!({"path": ".env", "mode": "a+"}), written),
        (
            "open_file",
            json!({"path": ".env", "open_mode": "wb"}),
            written,
        ),
        ("fs_open", json!({"path": ".env", "flags": "wx"}), written),
        ("fs_open", json!({"path": ".env", "mode": "r+"}), written),
        ("fs_open", json!({"path": ".env", "mode": "x"}), written),
        (
            "set_value",
            json!({"path": ".env", "key": "a", "value": "b"}),
            written,
        ),
        (
            "add_comment_to_file",
            json!({"path": ".env", "text": "x"}),
            written,
        ),
    ] {
        does(name, &arguments, done);
    }
}

/// Calls of harmless tools.
const TEXT: &str = "never run rm -rf /";

/// Asserts that calls are planned as nothing but reading.
fn innocent(calls: &[(&str, Value)]) {
    let mut accused = Vec::new();
    for (name, arguments) in calls {
        let found = planned(name, arguments.clone()).into_iter();
        let found: Vec<_> = found.filter(|(tool, _)| tool != "read_file").collect();
        if !found.is_empty() {
            accused.push(format!("{name} {arguments}: {found:?}"));
        }
    }
    assert!(accused.is_empty(), "{}", accused.join("\n"));
}

/// BR-10: services that store, send and search text aren't suspected, though it mentions dangers.
#[test]
fn services_are_accused_of_nothing() {
    let text = TEXT;
    innocent(&[
        ("postgres_query", json!({"sql": text})),
        ("execute_sql", json!({"query": text, "database": "rm -rf"})),
        ("run_query", json!({"query": text})),
        (
            "mongodb-execute",
            json!({"collection": text, "queries": [text]}),
        ),
        ("execute", json!({"sql": text})),
        ("neo4j_execute_cypher", json!({"statement_text": text})),
        ("slack_post_message", json!({"channel": "c", "text": text})),
        ("send_message", json!({"to": "c", "message": text})),
        ("execute_send_message", json!({"text": text})),
        (
            "notion-create-page",
            json!({"parent": {"page_id": "x"}, "content": text}),
        ),
        (
            "sequential-thinking_sequentialthinking",
            json!({"thought": text, "thoughtNumber": 1}),
        ),
        (
            "memory-create_entities",
            json!({"entities": [{"name": "x", "observations": [text]}]}),
        ),
        (
            "github-add_issue_comment",
            json!({"issue_number": 1, "body": text}),
        ),
        (
            "github-create_pull_request",
            json!({"title": text, "body": text, "head": "a", "base": "b"}),
        ),
        (
            "github-create_pull_request_review",
            json!({"comments": [{"path": ".env", "line": 3, "body": text}], "body": text}),
        ),
        ("github-search_code", json!({"q": text})),
    ]);
}

/// BR-10: neither are tools that look at processes, pages and terminals, or delegate work.
#[test]
fn what_looks_at_things_is_accused_of_nothing() {
    let text = TEXT;
    innocent(&[
        ("browser_console_messages", json!({"level": text})),
        ("list_console_messages", json!({"filterText": text})),
        ("get_console_message", json!({"what": text})),
        (
            "playwright_browser_type",
            json!({"element": "e", "ref": "x", "text": text}),
        ),
        (
            "browser_evaluate",
            json!({"function": "() => document.title"}),
        ),
        ("puppeteer_evaluate", json!({"script": "document.title"})),
        ("figma-create_text_node", json!({"text": text})),
        ("process_payment", json!({"data": text, "memo": text})),
        ("image_process", json!({"caption": text})),
        ("process_refund", json!({"details": text})),
        ("list_processes", json!({"filter": text})),
        ("read_process_output", json!({"pid": 3, "what": text})),
        ("force_terminate", json!({"pid": 3})),
        ("get_terminal_output", json!({"id": "x", "what": text})),
        ("search_terminal_history", json!({"text": text})),
        ("terminal_rename", json!({"label": "x", "text": text})),
        ("spawn_agent", json!({"task": text})),
        ("run_subagent", json!({"task": text, "prompt": text})),
        ("execute_workflow", json!({"data": text})),
        (
            "n8n_run_workflow",
            json!({"workflowId": "x", "input": text}),
        ),
        ("run_tests", json!({"filter": text, "comment": text})),
        ("execute_trade", json!({"memo": text})),
        (
            "ask_followup_question",
            json!({"question": text, "options": [text]}),
        ),
        (
            "todo_write",
            json!({"todos": [{"content": text, "status": "pending"}]}),
        ),
    ]);
}

/// BR-10: neither are tools that keep something beside files, or only look at them or at code.
#[test]
fn what_looks_at_files_is_accused_of_nothing() {
    let text = TEXT;
    innocent(&[
        ("set_breakpoint", json!({"path": ".env", "line": 3})),
        ("remove_breakpoint", json!({"file": ".env", "line": 3})),
        (
            "debug_set_line_breakpoint",
            json!({"file": ".env", "condition": text}),
        ),
        ("add_bookmark", json!({"path": ".env", "label": text})),
        ("format_code", json!({"code": text, "language": "bash"})),
        ("explain_code", json!({"code": text, "language": "shell"})),
        ("lint", json!({"code": "f()", "language": "python"})),
        ("make_payment", json!({"memo": text})),
        ("find_files", json!({"path": ".env", "mode": "all"})),
        ("open_file_view", json!({"file": ".env", "mode": "web"})),
        ("inspect", json!({"path": ".env", "type": "a"})),
        ("inspect", json!({"path": ".env", "kind": "xml"})),
        ("inspect", json!({"path": ".env", "action": "ask"})),
        ("open_file_view", json!({"file": ".env", "mode": "raw"})),
        ("open_file_view", json!({"file": ".env", "mode": "r"})),
        (
            "background_process",
            json!({"action": "rename", "caption": text}),
        ),
        ("analyze_python", json!({"code": text})),
        ("get_weather", json!({"city": text})),
        ("web_search", json!({"query": text})),
        (
            "fetch",
            json!({"url": "https://example.org", "prompt": text}),
        ),
        (
            "linear-create_issue",
            json!({"title": text, "description": text}),
        ),
        (
            "lsp_hover",
            json!({"file": ".env", "line": 3, "character": 1}),
        ),
        (
            "update_plan",
            json!({"plan": [{"step": text, "status": "done"}]}),
        ),
        (
            "calendar_create_event",
            json!({"title": text, "notes": text}),
        ),
        (
            "run_task",
            json!({"id": "shell: build", "workspaceFolder": "/w"}),
        ),
        ("run_command_help", json!({"topic": text})),
    ]);
}

/// BR-10: what only explains a command beside it isn't one.
#[test]
fn an_explanation_is_not_a_command() {
    for name in [
        "terminal",
        "run_in_terminal",
        "exec",
        "bash",
        "start_process",
    ] {
        for beside in [
            "description",
            "purpose",
            "note",
            "explanation",
            "goal",
            "message",
            "reason",
        ] {
            let arguments = json!({"command": "cargo test", beside: "never run rm -rf /"});
            let found = commands_of(name, arguments.clone());
            assert_eq!(found, ["cargo test"], "{name} {arguments}");
            let arguments = json!({"command": "ls", beside: "never run rm -rf /"});
            assert_eq!(
                commands_of(name, arguments.clone()),
                ["ls"],
                "{name} {arguments}"
            );
        }
    }
}
