//! Migrated hooks, written into settings and read back (CM-7).

#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::path::Path;

use hookloop_dialects::{Agent, Manner, Migration, SourceText, migrate as migrate_texts};
use hookloop_settings::{NewHook, SettingsText};

use crate::fixture::{labels, load_text, told};

const CLAUDE: &str = r#"{
  "permissions": {"allow": ["Bash(git:*)"]},
  "hooks": {
    "PreToolUse": [
      {"matcher": "Edit|Write", "hooks": [
        {"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/guard", "timeout": 5}]},
      {"matcher": "Bash(git:*)", "hooks": [{"type": "command", "command": "git-guard"}]},
      {"matcher": "mcp__.*", "hooks": [{"type": "agent", "prompt": "x"}]}
    ],
    "PostToolUse": [
      {"matcher": "Edit|Write", "hooks": [
        {"type": "command", "command": "format"}, {"type": "command", "command": "lint"}]}],
    "Stop": [{"hooks": [{"type": "command", "command": "bell"}]}],
    "SubagentStop": [{"hooks": [{"type": "command", "command": "bell"}]}],
    "SessionStart": [{"matcher": "startup|compact", "hooks": [{"type": "command", "command": "hi"}]}]
  }
}"#;

const TARGET: &str = r#"{
  // mine
  "hooks": {
    "AfterTool": [
      {"matcher": "^(?:replace|write_file)$", "hooks": [{"type": "command", "command": "format"}]}, // keep
    ],
  },
}"#;

fn migrate() -> Migration {
    let path = Path::new(".claude/settings.json");
    migrate_texts(
        Agent::ClaudeCode,
        Manner::InDialect,
        &[SourceText {
            path,
            text: CLAUDE,
            runs_in: None,
        }],
    )
}

fn add(target: &str) -> String {
    let mut text = SettingsText::new(target).unwrap();
    let mut migration = migrate();
    migration.leave_out_present(&text.hooks().unwrap());
    for addition in migration.additions() {
        let new = NewHook {
            event: addition.event,
            matcher: addition.matcher.clone(),
            grouping: addition.grouping,
            hook: addition.hook.clone(),
        };
        let _ = text.add_hook(&new).unwrap();
    }
    text.as_str().to_owned()
}

/// CM-7, ST-10: what is there isn't touched, and doing it twice gives the same result as once.
#[test]
fn migrating_adds_and_does_so_once() {
    let once = add(TARGET);
    assert!(once.contains("// mine") && once.contains("}, // keep"));
    assert_eq!(add(&once), once);
    let settings = load_text(&once);
    assert_eq!(told(&settings.problems), [""; 0]);
    let guard = "\"$CLAUDE_PROJECT_DIR\"/.claude/guard";
    let mut labels = labels(&settings);
    labels.sort_unstable();
    let expected = [guard, "bell", "bell", "format", "git-guard", "hi", "lint"];
    assert_eq!(labels, expected);
}

/// CM-7: the `hooks` object that is reported is what an empty file gets.
#[test]
fn the_reported_hooks_are_the_written_ones() {
    let written = SettingsText::new(add("{}")).unwrap().hooks().unwrap();
    assert_eq!(written, migrate().hooks());
}
