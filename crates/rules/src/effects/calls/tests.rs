//! What calls of tools do, case by case.

use serde_json::{Value, json};

use super::{Places, call_effects};

fn has(tool: &str, input: &Value, name: &str) -> bool {
    let places = Places {
        workspace: "/home/u/p".to_owned(),
        home: "/home/u".to_owned(),
        ..Places::default()
    };
    let effects = call_effects(tool, input, &places);
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
        (
            "read_many_files",
            json!({"include": ["src", "**/*"], "useDefaultExcludes": false}),
            "env.searched",
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
        (
            "read_many_files",
            json!({"include": ["**/*.ts"], "useDefaultExcludes": false}),
            "env.searched",
        ),
        (
            "read_many_files",
            json!({"include": ["**"], "exclude": [".env"], "respect_git_ignore": false}),
            "env.searched",
        ),
    ] {
        assert!(!has(tool, &input, name), "{tool}");
    }
}

/// HT-40: a tool that moves a protected branch to another commit changes it.
#[test]
fn a_tool_may_move_the_branch() {
    let places = Places {
        branch: Some("main".to_owned()),
        protected_branches: vec!["main".to_owned()],
        ..Places::default()
    };
    let moves = |input| {
        let effects = call_effects("mcp_git_reset", &input, &places);
        effects.iter().any(|it| it.name == "branch.commit")
    };
    assert!(moves(json!({"mode": "mixed", "target": "HEAD~1"})));
    assert!(!moves(json!({"target": "HEAD"})));
    assert!(!moves(json!({"paths": ["a.txt"]})));
}

/// HT-40: what a tool changes for all branches, or deletes where others get it from, is recognised
/// however its arguments are called.
#[test]
fn tools_change_what_everybody_has() {
    for (tool, input, name) in [
        ("mcp_git_push", json!({"all": true}), "branch.push"),
        (
            "mcp_github_delete_repository",
            json!({"owner": "a", "repo": "b"}),
            "git.force-push",
        ),
        (
            "mcp_gitlab_delete_tag",
            json!({"project": 1, "tag": "v1"}),
            "git.force-push",
        ),
        (
            "mcp_git_tag_delete",
            json!({"name": "v1", "remote": true}),
            "git.force-push",
        ),
        (
            "mcp_github_set_branch_protection",
            json!({"branch": "main"}),
            "branch.rewrite",
        ),
        (
            "mcp_git_filter_branch",
            json!({"args": "--all"}),
            "branch.rewrite",
        ),
        (
            "mcp_github_api_request",
            json!({"method": "PUT", "path": "/repos/a/b/pulls/4/merge"}),
            "branch.push",
        ),
        (
            "mcp_gitlab_api",
            json!({"method": "DELETE", "path": "/projects/1/protected_branches/main"}),
            "branch.rewrite",
        ),
        (
            "mcp_playwright_browser_click",
            json!({"element": "Delete branch protection rule"}),
            "branch.detour",
        ),
        (
            "write_file",
            json!({"file_path": "~/.config/git/config", "content": "[core]\nhooksPath=/x\n"}),
            "git.no-verify",
        ),
    ] {
        assert!(has(tool, &input, name), "{tool}: {input}");
    }
    let input = json!({"subcommand": "push", "arguments": ["--force"]});
    let text = crate::effects::shell_text("mcp_git_execute", &input);
    assert_eq!(text.as_deref(), Some("git push --force"));
    for (tool, input) in [
        ("mcp_git_tag_delete", json!({"name": "v1"})),
        (
            "mcp_github_get_branch_protection",
            json!({"branch": "main"}),
        ),
        ("mcp_github_create_release", json!({"tag": "v1"})),
        ("mcp_github_delete_project_item", json!({"item": 1})),
        (
            "mcp_github_api_request",
            json!({"method": "POST", "path": "/repos/a/b/issues"}),
        ),
        ("mcp_git_log", json!({"filter": "x", "branch": "main"})),
    ] {
        let names = [
            "git.force-push",
            "branch.push",
            "branch.rewrite",
            "branch.detour",
        ];
        assert!(
            !names.iter().any(|it| has(tool, &input, it)),
            "{tool}: {input}"
        );
    }
}

/// HT-40: a script outside the project does to branches what its commands do; one of the project
/// counts if it gets around the checks.
#[test]
fn written_scripts_push() {
    let script = |path: &str, command: &str| json!({"file_path": path, "content": format!("#!/bin/sh\n{command}\n")});
    let (push, skip) = ("git push origin main", "git push --no-verify origin x");
    for (path, command, name) in [
        ("/tmp/a.sh", push, "branch.push"),
        ("/tmp/a.sh", skip, "git.no-verify"),
        ("scripts/a.sh", skip, "branch.detour"),
        ("scripts/a.sh", "git push -f origin main", "branch.detour"),
    ] {
        let places = Places {
            workspace: "/home/u/p".to_owned(),
            protected_branches: vec!["main".to_owned()],
            ..Places::default()
        };
        let effects = call_effects("write_file", &script(path, command), &places);
        assert!(
            effects.iter().any(|it| it.name == name),
            "{path}: {command}"
        );
    }
    for (path, command) in [
        ("scripts/a.sh", push),
        ("scripts/a.sh", "git push -f origin gh-pages"),
        ("tests/a.sh", skip),
        ("/tmp/a.sh", "git push origin topic"),
    ] {
        for name in ["branch.push", "branch.detour", "git.no-verify"] {
            let input = script(path, command);
            assert!(!has("write_file", &input, name), "{path}: {command}");
        }
    }
}
