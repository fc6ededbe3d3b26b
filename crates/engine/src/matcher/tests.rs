use hookloop_events::EventName::{self, BeforeModel, BeforeTool, SessionStart};
use hookloop_hook::{Dialect, HookDeclaration};
use proptest::prelude::*;

use super::{Fit, Matcher, other_names};

fn fits(event: EventName, matcher: &str, subject: &str) -> bool {
    Matcher::new(event, Some(matcher)).matches(subject, &other_names(event, subject))
}

/// PL-1: a tool's matcher is an unanchored pattern of ECMAScript.
#[test]
fn a_tools_matcher_is_an_unanchored_pattern() {
    for (matcher, tool, expected) in [
        ("read_file", "read_file", true),
        ("read", "read_many_files", true),
        ("write_file|replace", "replace", true),
        ("read_.*", "write_file", false),
        ("^write", "read_write", false),
        ("^(?!write_file$).*", "read_file", true),
        ("^(?!write_file$).*", "write_file", false),
        ("(?<=run_)shell", "run_shell_command", true),
        (r"(\w)\1", "unheard_of", false),
        (r"(\w)\1", "web_feetch", true),
        (r"(?<verb>read|write)_(?=file)", "write_file", true),
    ] {
        assert_eq!(
            fits(BeforeTool, matcher, tool),
            expected,
            "{matcher} on {tool}"
        );
    }
}

/// PL-5: a matcher that spells a name as its server does matches the name that the tool is called
/// by; what contains no letter of a name matches no more than before.
#[test]
fn names_of_servers_fit_the_names_that_are_called() {
    for (matcher, tool, expected) in [
        ("mcp__srv__delete repo", "mcp__srv__delete_repo", true),
        ("^mcp__srv__delete repo$", "mcp__srv__delete_repo_2", false),
        ("mcp__my srv__.*|write_file", "mcp__my_srv__x", true),
        ("mcp__srv__délete", "mcp__srv__d_lete", true),
        ("mcp__srv__a/b", "mcp__srv__a_b", true),
        ("mcp__srv__a:b", "mcp__srv__a_b", true),
        ("mcp__srv__(x)", "mcp__srv___x_", true),
        (r"mcp__my\.srv__\(x\)", "mcp__my_srv___x_", true),
        ("mcp__srv__f(x", "mcp__srv__f_x", true),
        ("(?:mcp__srv)__(?<name>a b){1,2}", "mcp__srv__a_b", true),
        ("^(?!mcp__srv__read file$).*", "mcp__srv__read_file", true),
        ("mcp__srv__delete repo", "write_file", false),
        ("\u{5220}\u{9664}", "mcp__srv__read", false),
        (" ", "mcp__srv__read", false),
    ] {
        assert_eq!(
            fits(BeforeTool, matcher, tool),
            expected,
            "{matcher} on {tool}"
        );
    }
    let long = format!("mcp__srv__{}", "long_".repeat(20));
    let called = hookloop_events::tool_name::sendable(&long);
    assert!(called.len() < long.len() && fits(BeforeTool, &long, &called));
}

/// PL-1: what isn't a pattern is compared as exact text.
#[test]
fn an_unreadable_pattern_is_exact_text() {
    let matcher = Matcher::new(BeforeTool, Some("read_file("));
    assert!(matcher.is_invalid_pattern());
    assert!(matcher.matches("read_file(", &[]));
    assert!(!matcher.matches("read_file", &[]));
}

/// PL-2: a star, nothing and an empty text match everything.
#[test]
fn a_star_and_nothing_fit_everything() {
    for text in [None, Some(""), Some("*")] {
        for event in EventName::ALL {
            assert!(
                Matcher::new(event, text).matches("anything", &[]),
                "{event} {text:?}"
            );
        }
    }
}

/// PL-3: lifecycle events compare exact text, or one of several words.
#[test]
fn lifecycle_matchers_are_exact() {
    assert!(fits(SessionStart, "startup", "startup"));
    assert!(fits(SessionStart, "startup|resume", "resume"));
    assert!(!fits(SessionStart, "start", "startup"));
    assert!(!fits(SessionStart, "start.*", "startup"));
    assert!(!fits(SessionStart, "^startup$", "startup"));
}

/// PL-4: events without a subject ignore the matcher.
#[test]
fn events_without_subject_ignore_the_matcher() {
    assert!(Matcher::new(BeforeModel, Some("nothing like it")).matches("", &[]));
}

/// PL-5: other names count for every matcher but one that says what a name isn't.
#[test]
fn other_names_count_unless_the_pattern_excludes() {
    for (matcher, tool) in [
        ("EditTool", "replace"),
        ("^(EditTool|WriteFileTool)$", "write_file"),
        ("Edit.*", "replace"),
        ("grep_search", "search_file_content"),
        ("mcp_git_log", "mcp__git__log"),
        ("mcp__git__.*", "mcp__git__log"),
        ("mcp_github_.+", "mcp__github__create"),
        (r"mcp_github_delete_\w+", "mcp__github__delete_repo"),
        ("^mcp_github_[a-z_]+$", "mcp__github__create_issue"),
        (r"Edit(?=Tool)", "replace"),
        (r"[\^]|EditTool", "replace"),
    ] {
        assert!(fits(BeforeTool, matcher, tool), "{matcher} on {tool}");
    }
    for (matcher, tool) in [
        ("^(?!replace$).*$", "replace"),
        ("^[^r].*$", "replace"),
        (r"^\w+(?<!replace)$", "replace"),
        (r"^[^_]+_\w$|EditTool", "replace"),
        (r"EditTool\B", "replace"),
    ] {
        assert!(!fits(BeforeTool, matcher, tool), "{matcher} on {tool}");
    }
}

/// PL-11: the matching name is known: the tool's own before the others, and those in their order.
#[test]
fn the_name_that_fits_is_known() {
    let fit = |matcher: &str, tool: &str| {
        let others = other_names(BeforeTool, tool);
        match Matcher::new(BeforeTool, Some(matcher)).compare(tool, &others) {
            Fit::Own => "own".to_owned(),
            Fit::Other(name) => name.to_owned(),
            Fit::No | Fit::Endless => "none".to_owned(),
        }
    };
    assert_eq!(fit("grep_search", "search_file_content"), "grep_search");
    assert_eq!(
        fit("GrepTool|grep_search", "search_file_content"),
        "grep_search"
    );
    assert_eq!(fit("mcp_fs_.*", "mcp__fs__read"), "mcp_fs_read");
    assert_eq!(fit("search|grep_search", "search_file_content"), "own");
    assert_eq!(fit("", "search_file_content"), "own");
}

/// FD-12: the matcher of a hook in another dialect means what it means there, under the names of
/// both.
#[test]
fn a_foreign_matcher_means_what_it_means_there() {
    let fits = |matcher: &str, tool: &str| {
        let mut hook = HookDeclaration::in_process(BeforeTool, "guard");
        hook.dialect = Dialect::ClaudeCode;
        hook.matcher = Some(matcher.to_owned());
        Matcher::of(&hook).matches(tool, &other_names(BeforeTool, tool))
    };
    for (matcher, tool) in [
        ("Bash", "run_shell_command"),
        ("Edit|Write", "replace"),
        ("Edit, Write", "write_file"),
        ("MultiEdit", "replace"),
        ("Task", "delegate_to_agent"),
        ("^(Read|Grep)$", "search_file_content"),
        ("mcp__git__.*", "mcp__git__log"),
        ("write_file", "write_file"),
        ("^(?:write_file|replace)$", "replace"),
        ("*", "glob"),
    ] {
        assert!(fits(matcher, tool), "{matcher} on {tool}");
    }
    for (matcher, tool) in [
        ("Write", "write_todos"),
        ("Read", "list_directory"),
        ("write", "write_file"),
        ("^Bash$", "glob"),
    ] {
        assert!(!fits(matcher, tool), "{matcher} on {tool}");
    }
}

/// PL-12: a runaway pattern counts as matching, and is recognised as such.
#[test]
fn a_runaway_pattern_fits() {
    let matcher = Matcher::new(BeforeTool, Some(r"^(((\w|_|.)+)+)+!$"));
    assert_eq!(matcher.compare("write_file_to_disk", &[]), Fit::Endless);
    assert!(matcher.matches("write_file_to_disk", &[]));
}

proptest! {
    /// PL-1: plain words mean the same whether they are compared as words or as a pattern.
    #[test]
    fn plain_words_are_what_the_pattern_says(
        words in prop::collection::vec("[a-z_]{1,4}", 1..4),
        subject in "[a-z_]{0,12}",
    ) {
        let text = words.join("|");
        let pattern = regress::Regex::new(&text).expect("plain words are a pattern");
        prop_assert_eq!(
            Matcher::new(BeforeTool, Some(&text)).matches(&subject, &[]),
            pattern.find(&subject).is_some()
        );
    }

    /// PL-1: no text makes matching panic.
    #[test]
    fn any_text_is_a_matcher(text in ".{0,40}", subject in ".{0,20}") {
        Matcher::new(BeforeTool, Some(&text)).matches(&subject, &[]);
    }
}

/// FD-12: a pattern that says what a name isn't matches in a dialect what it matched there, and in
/// our words what it says.
#[test]
fn what_a_pattern_excludes_stays_out_in_its_dialect() {
    use Dialect::{ClaudeCode, Codex, Copilot, Cursor};
    let hook = |dialect: Dialect, event: Option<&str>, matcher: &str| {
        let mut hook = HookDeclaration::in_process(BeforeTool, "guard");
        hook.matcher = Some(matcher.to_owned());
        hook.dialect = dialect;
        hook.dialect_event = event.map(str::to_owned);
        Matcher::of(&hook)
    };
    let there = Some("PreToolUse");
    for (dialect, event, matcher, tool, expected) in [
        (ClaudeCode, None, "^(?!Read).*$", "read_file", false),
        (ClaudeCode, None, "^(?!Read).*$", "read_many_files", false),
        (ClaudeCode, None, "^(?!Read).*$", "write_file", true),
        (ClaudeCode, None, "^(?!Read).*$", "save_memory", true),
        (
            ClaudeCode,
            None,
            "^(?!.*(Read|Grep|Glob)).*$",
            "glob",
            false,
        ),
        (ClaudeCode, None, r"^\b(?!Edit\b).+", "replace", false),
        (ClaudeCode, None, "^(?!MultiEdit$).*$", "replace", true),
        (ClaudeCode, there, "^(?!Rea).*$", "read_file", false),
        (ClaudeCode, there, "^(?!.*file).*$", "read_file", true),
        (ClaudeCode, None, "^[^_]*Bash$", "run_shell_command", true),
        (
            ClaudeCode,
            there,
            "^(?!mcp__git__).*",
            "mcp__git__log",
            false,
        ),
        (
            ClaudeCode,
            there,
            "^(?!mcp__git__).*",
            "run_shell_command",
            true,
        ),
        // Our own files may use our tool names, as those that `migrate` writes do.
        (ClaudeCode, None, "^(?!read_file$).*$", "read_file", false),
        (ClaudeCode, None, "^(?!read_file$).*$", "write_file", true),
        (ClaudeCode, there, "^(?!read_file)w.*$", "write_file", true),
        (Codex, there, "^(?!apply_patch$).*$", "replace", true),
        (Codex, there, "^(?!Bash$).*$", "run_shell_command", false),
        (
            Copilot,
            Some("preToolUse"),
            "(?!bash$).*",
            "run_shell_command",
            false,
        ),
        (
            Cursor,
            Some("preToolUse"),
            "^(?!Shell).*$",
            "run_shell_command",
            false,
        ),
        (
            Cursor,
            Some("preToolUse"),
            "^(?!Shell).*$",
            "read_file",
            true,
        ),
    ] {
        let matcher = hook(dialect, event, matcher);
        let fits = matcher.matches(tool, &other_names(BeforeTool, tool));
        assert_eq!(
            fits, expected,
            "{dialect:?} {event:?} {matcher:?} on {tool}"
        );
    }
}
