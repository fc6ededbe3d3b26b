//! What calls of tools do, case by case.

use serde_json::{Value, json};

use super::{Places, call_effects};

fn has(tool: &str, input: &Value, name: &str) -> bool {
    let places = Places {
        workspace: "/home/u/p".to_owned(),
        home: "/home/u".to_owned(),
        ..Places::default()
    };
    let effects = call_effects(tool, input, &places).unwrap();
    effects.iter().any(|it| it.name == name)
}

/// HT-40: what a tool does is recognised by its name, and by its arguments whatever they are
/// called.
#[test]
fn tools_are_understood_by_their_arguments() {
    for (tool, input, name) in [
        (
            "manage_pod",
            json!({"Action": "delete", "name": "x"}),
            "tool.delete",
        ),
        ("mcp_git_clean", json!({"force": true}), "git.discard"),
        (
            "mcp_neon_run",
            json!({"sqlStatements": ["DELETE FROM users"]}),
            "database",
        ),
        (
            "mcp_fs_move",
            json!({"src": "/home/u/p/.git", "dst": "/tmp/g"}),
            "delete.outside",
        ),
        (
            "mcp_http_request",
            json!({"method": "delete", "url": "https://a.io/1"}),
            "cloud",
        ),
        (
            "mcp_fs_chmod",
            json!({"path": "x", "mode": "0777"}),
            "permissions.open",
        ),
    ] {
        assert!(has(tool, &input, name), "{tool}");
    }
    for (tool, input, name) in [
        (
            "manage_pod",
            json!({"action": "get", "name": "x"}),
            "tool.delete",
        ),
        ("mcp_git_clean", json!({"dryRun": true}), "git.discard"),
        (
            "mcp_redis_get",
            json!({"key": "delete from users"}),
            "database",
        ),
        (
            "mcp_fs_move",
            json!({"src": "a.ts", "dst": "b.ts"}),
            "delete.outside",
        ),
        (
            "mcp_http_request",
            json!({"method": "DELETE", "url": "http://localhost/1"}),
            "cloud",
        ),
        (
            "mcp_fs_chmod",
            json!({"path": "x", "mode": "0755"}),
            "permissions.open",
        ),
    ] {
        assert!(!has(tool, &input, name), "{tool}");
    }
}
