//! Matchers that mean the same (CM-7).

use super::*;

fn matcher(event: &str, matcher: &str) -> Item {
    let hook = json!({"type": "command", "command": "c"});
    only(group_of(
        event,
        &json!({"matcher": matcher, "hooks": [hook]}),
    ))
}

fn assert_matcher(event: &str, theirs: &str, ours: Option<&str>, result: MigrationResult) {
    let item = matcher(event, theirs);
    assert_eq!(item.matcher_from.as_deref(), Some(theirs));
    assert_eq!(
        item.matcher_to.as_deref(),
        ours,
        "{theirs}: {}",
        explanation(&item)
    );
    assert_eq!(item.result, result, "{theirs}: {}", explanation(&item));
    let added = item.addition.as_ref().map(|it| it.matcher.as_deref());
    assert_eq!(added, (result != NotPossible).then_some(ours), "{theirs}");
}

/// CM-7: every tool has its name here.
#[test]
fn tools_have_our_names() {
    for (theirs, ours) in [
        ("Bash", "run_shell_command"),
        ("Edit", "replace"),
        ("MultiEdit", "replace"),
        ("Read", "(?:read_file|read_many_files)"),
        ("Write", "write_file"),
        ("Glob", "glob"),
        ("Grep", "search_file_content"),
        ("LS", "list_directory"),
        ("WebFetch", "web_fetch"),
        ("WebSearch", "google_web_search"),
        ("TodoWrite", "write_todos"),
        ("Task", "delegate_to_agent"),
    ] {
        assert_matcher("PreToolUse", theirs, Some(&format!("^{ours}$")), Converted);
    }
}

/// CM-7: plain words are exact names there, alone and in lists, and stay exact.
#[test]
fn words_stay_exact() {
    let edits = Some("^(?:replace|write_file)$");
    assert_matcher("PreToolUse", "Edit|Write", edits, Converted);
    assert_matcher("PostToolUse", "Edit, Write", edits, Converted);
    assert_matcher("PreToolUse", "Edit|MultiEdit|Write", edits, Converted);
    for all in ["", "*", " * "] {
        assert_matcher("PreToolUse", all, None, Converted);
    }
}

/// CM-7: tools of MCP servers keep their names.
#[test]
fn mcp_tools_keep_their_names() {
    assert_matcher(
        "PreToolUse",
        "mcp__git__log",
        Some("^mcp__git__log$"),
        Converted,
    );
    let both = Some("^(?:mcp__my-git__log|run_shell_command)$");
    assert_matcher("PreToolUse", "mcp__my-git__log|Bash", both, Converted);
    assert_matcher(
        "PreToolUse",
        "mcp__memory__.*",
        Some("mcp__memory__.*"),
        Converted,
    );
    assert_matcher(
        "PreToolUse",
        "mcp__.*__write.*",
        Some("mcp__.*__write.*"),
        Converted,
    );
}

/// CM-7: names without counterpart are named; a hook for nothing else is left out, never widened.
#[test]
fn tools_without_counterpart_are_named() {
    assert_matcher(
        "PreToolUse",
        "Edit|NotebookEdit",
        Some("^replace$"),
        Approximated,
    );
    assert_matcher("PreToolUse", "NotebookEdit", None, NotPossible);
    assert_matcher("PreToolUse", "Notebook.*", None, NotPossible);
    assert_matcher("PreToolUse", "^Nothing.at.all", None, NotPossible);
    assert_matcher("PreToolUse", " | ", None, NotPossible);
    assert_matcher("PreToolUse", "Edit.*", Some("replace.*"), Approximated);
    assert_matcher("PreToolUse", "Unheard", Some("^Unheard$"), Approximated);
    assert!(explanation(&matcher("PreToolUse", "Edit|NotebookEdit")).contains("NotebookEdit"));
}

/// CM-7: a pattern stays one, unanchored, with our names where whole words are theirs.
#[test]
fn patterns_stay_patterns() {
    for (theirs, ours) in [
        ("^(Bash|Edit)$", "^(run_shell_command|replace)$"),
        ("^Bash$", "^run_shell_command$"),
        (r"\bBash\b", r"\brun_shell_command\b"),
        ("^(?!Bash$).*", "^(?!run_shell_command$).*"),
        (".*", ".*"),
        ("^Edit.*", "^replace.*"),
        ("^Read$|mcp__.*", "^(?:read_file|read_many_files)$|mcp__.*"),
        ("^(?<Read>Write)$", "^(?<Read>write_file)$"),
    ] {
        assert_matcher("PreToolUse", theirs, Some(ours), Converted);
    }
}

/// CM-7: a pattern over parts of names is written out as the names that it matches.
#[test]
fn patterns_over_parts_are_written_out() {
    let web = Some("^(?:web_fetch|google_web_search)$");
    assert_matcher("PreToolUse", "Web.*", web, Approximated);
    assert_matcher("PreToolUse", "^Web", web, Approximated);
    let both = Some("^(?:replace|web_fetch|google_web_search)$");
    assert_matcher("PreToolUse", "Web.*|^Edit", both, Approximated);
    let with_mcp = Some("(?:^Web|^mcp__)|^(?:web_fetch|google_web_search)$");
    assert_matcher("PreToolUse", "^Web|^mcp__", with_mcp, Approximated);
    let without_glob = Some("^(?!(?:glob)$)(?=.*(?:glob|mcp__.))");
    assert_matcher("PreToolUse", "glob|mcp__.", without_glob, Approximated);
    assert_matcher("PreToolUse", "(Bash", None, NotPossible);
}

/// CM-7, FD-12: a rule of permissions in the place of a matcher names its tool here and becomes the
/// hook's `if`, which is reported, because the agent never runs such a hook. Several rules, or one
/// beside an `if` of the hook, count for every call of their tools.
#[test]
fn rules_in_the_place_of_a_matcher_become_conditions() {
    let shell = Some("^run_shell_command$");
    assert_matcher("PreToolUse", "Bash(git:*)", shell, Approximated);
    assert_matcher("PreToolUse", "Bash(npm run test|x, y)", shell, Approximated);
    let both = Some("^(?:run_shell_command|replace)$");
    assert_matcher("PreToolUse", "Bash(git *)|Edit", both, Approximated);
    for (matcher, own, condition, told) in [
        ("Bash(git:*)", None, Some("Bash(git:*)"), "never runs"),
        (" Edit(*.ts) ", None, Some("Edit(*.ts)"), "never runs"),
        (
            "Bash(git:*)",
            Some("Bash(ls)"),
            Some("Bash(ls)"),
            "every call",
        ),
        ("Bash(git:*)|Edit(*.ts)", None, None, "every call"),
        ("Bash", None, None, ""),
    ] {
        let mut hook = json!({"type": "command", "command": "c"});
        if let Some(own) = own {
            hook["if"] = json!(own);
        }
        let group = json!({"matcher": matcher, "hooks": [hook]});
        let item = only(group_of("PreToolUse", &group));
        let explained = explanation(&item);
        assert!(explained.contains(told), "{matcher}: {explained}");
        let names_it = told.is_empty() || explained.contains(matcher.trim());
        assert!(names_it, "{explained}");
        let added = &item.addition.as_ref().unwrap().hook;
        let written = added.get("if").and_then(Value::as_str);
        assert_eq!(written, condition, "{matcher}");
    }
}

/// CM-7, FD-12: what fits names as a pattern is a pattern, whatever is in its parentheses.
#[test]
fn groups_in_patterns_are_not_rules() {
    for matcher in [
        "mcp__github__(create|delete)",
        "Edit|mcp__github__(create|delete)",
    ] {
        let item = self::matcher("PreToolUse", matcher);
        let pattern = item.matcher_to.as_deref().expect("a matcher");
        let pattern = regress::Regex::new(pattern).expect("a pattern");
        for name in ["mcp__github__create", "mcp__github__delete"] {
            assert!(pattern.find(name).is_some(), "{matcher}: {name}");
        }
        assert!(pattern.find("mcp__github__list").is_none(), "{matcher}");
    }
    for matcher in ["Bash(.*)", "Bash(|Output)", "Bash()"] {
        let item = self::matcher("PreToolUse", matcher);
        let pattern = item.matcher_to.as_deref().expect("a matcher");
        let pattern = regress::Regex::new(pattern).expect("a pattern");
        assert!(pattern.find("run_shell_command").is_some(), "{matcher}");
        let added = item.addition.expect("it is taken over");
        assert_eq!(added.hook.get("if"), None, "{matcher}");
    }
}

/// CM-7, PL-3: words of lifecycle events are ours, each of them; those without counterpart are
/// named.
#[test]
fn lifecycle_words_are_ours() {
    assert_matcher(
        "SessionStart",
        "startup|resume",
        Some("startup|resume"),
        Converted,
    );
    assert_matcher("SessionStart", "start.*", Some("startup"), Converted);
    assert_matcher("SessionStart", "clear|compact", Some("clear"), Approximated);
    assert_matcher("SessionStart", "compact", None, NotPossible);
    assert_matcher("SessionStart", "", None, Converted);
    assert_matcher("SessionEnd", "other", Some("exit|other"), Converted);
    assert_matcher("PreCompact", "manual", Some("manual"), Converted);
    assert_matcher(
        "Notification",
        "permission_prompt",
        Some("ToolPermission"),
        Converted,
    );
    assert_matcher("Notification", "idle_prompt", None, NotPossible);
}

/// CM-7, PL-4: if a matcher has no effect there, it has none here.
#[test]
fn matchers_of_nothing_here_are_dropped_or_become_conditions() {
    assert_matcher("Stop", "x", None, Converted);
    assert_matcher("UserPromptSubmit", "x", None, Converted);
    assert_matcher("SubagentStop", "reviewer", None, Approximated);
    assert!(explanation(&matcher("SubagentStop", "reviewer")).contains("became \"if\""));
}

/// CM-7: a pattern that would take forever is left out, with the reason.
#[test]
fn patterns_that_take_for_ever_are_left_out() {
    for theirs in [
        r"(\w*)*!",
        r"((\w+|x)+)+!",
        &r"\w*".repeat(40),
        &"(".repeat(2000),
    ] {
        assert_matcher("PreToolUse", theirs, None, NotPossible);
    }
    let many = "mcp__a__.*|mcp__b__.*|mcp__c__.*|mcp__d__.*|mcp__e__.*|mcp__f__.*|mcp__g__.*";
    assert_matcher("PreToolUse", many, Some(many), Converted);
}

/// FD-12: a tool's name in payloads also means the tool in matchers, in every dialect: otherwise a
/// guard that is written for what it reads never runs.
#[test]
fn every_name_of_a_tool_stands_for_it_in_matchers() {
    for agent in Agent::ALL {
        for rule in crate::tools::tools_of(agent.dialect()) {
            for theirs in rule.theirs {
                let ours = crate::vocabulary::our_names(agent.tools(), theirs);
                let is_named = ours.is_some_and(|ours| ours.contains(&rule.ours));
                assert!(is_named, "{}: {theirs} is {}", agent.name(), rule.ours);
            }
        }
    }
}
