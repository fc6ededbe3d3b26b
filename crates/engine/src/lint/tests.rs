use std::path::Path;
use std::time::Duration;

use hookloop_events::EventName::{self, AfterTool, BeforeTool, SessionStart};
use hookloop_hook::{
    Handler, HookDeclaration, HookId, Layer, Position, Problem, ProblemCode, Severity, Source,
};
use hookloop_settings::{HookSwitches, Provided};
use hookloop_trust::{Acceptance, Standing, Vouched};

use super::{lint, lint_patterns};
use crate::registry::{Registry, RunSwitch};

fn source(line: u32) -> Source {
    Source {
        layer: Some(Layer::User),
        position: Some(Position { line, column: 3 }),
        ..Source::of_file(Path::new("/home/me/.gemini/settings.json"))
    }
}

fn hook(event: EventName, command: &str, matcher: Option<&str>) -> HookDeclaration {
    let mut hook = HookDeclaration::in_process(event, command);
    hook.id = HookId::from_text(command);
    hook.handler = Handler::command(command.to_owned());
    hook.name = None;
    hook.matcher = matcher.map(str::to_owned);
    hook.source = source(7);
    hook.places.matcher = Some(Position { line: 5, column: 9 });
    hook
}

fn problems(hooks: Vec<HookDeclaration>) -> Vec<Problem> {
    let vouched = hooks.into_iter().map(Vouched::by_host).collect();
    lint_all(vouched, &HookSwitches::default())
}

fn lint_all(hooks: Vec<Vouched>, switches: &HookSwitches) -> Vec<Problem> {
    lint_for_host(hooks, switches, &[])
}

fn lint_for_host(
    hooks: Vec<Vouched>,
    switches: &HookSwitches,
    host_tools: &[String],
) -> Vec<Problem> {
    let root = Path::new("/project");
    let registry = Registry::new(hooks, switches, RunSwitch::AsConfigured, root);
    lint(&registry, host_tools)
}

/// Lints one matcher of a tool event: codes and suggestions.
fn found(matcher: &str) -> Vec<(&'static str, Option<String>)> {
    problems(vec![hook(BeforeTool, "a", Some(matcher))])
        .into_iter()
        .map(|problem| (problem.code.as_str(), problem.suggestion))
        .collect()
}

fn no_tool(meant: Option<&str>) -> (&'static str, Option<String>) {
    ("matcher_no_tool", meant.map(str::to_owned))
}

/// CM-3: a tool that only the host has isn't a mistake; another one still is.
#[test]
fn tools_of_the_host_are_known() {
    let host_tools = ["find_order".to_owned(), "all".to_owned()];
    for (matcher, is_known) in [
        ("find_order", true),
        ("^find_order$", true),
        ("write_file|find_order", true),
        ("find_.*", true),
        ("order", true),
        ("all", true),
        ("find_ordr", false),
        ("find_order|refund", false),
    ] {
        let hooks = vec![Vouched::by_host(hook(BeforeTool, "a", Some(matcher)))];
        let found = lint_for_host(hooks, &HookSwitches::default(), &host_tools);
        assert_eq!(found.is_empty(), is_known, "{matcher}: {found:?}");
    }
}

/// CM-3: matchers that match a known tool, or can match one of an MCP server, are fine.
#[test]
fn sound_matchers_are_fine() {
    for matcher in [
        "",
        "*",
        ".*",
        "write_file",
        "write_file|replace",
        "^(read_file|glob)$",
        "^read_file$|^glob$",
        "read_.*",
        "^(?!glob$).*$",
        "mcp__git__log",
        "mcp_.*",
        "mcp__git__.*|glob",
        "^mcp__",
        ".*__get-.*",
        "mcp__.*__write",
        "mcp__server__*",
        "shell",
    ] {
        assert_eq!(found(matcher), [], "{matcher}");
    }
}

/// PL-5, PL-12: a matcher that matches only another name of a tool, and one that takes too long,
/// are reported by `check` and at the start of a session, there with the hook.
#[test]
fn aliases_and_runaway_patterns_are_reported() {
    for (matcher, code) in [
        ("EditTool", "matcher_only_alias"),
        ("grep_search", "matcher_only_alias"),
        ("mcp_server_.+", "matcher_only_alias"),
        (r"^(((\w|_|.)+)+)+!$", "matcher_slow"),
    ] {
        assert_eq!(found(matcher), [(code, None)], "{matcher}");
        let vouched = vec![Vouched::by_host(hook(BeforeTool, "a", Some(matcher)))];
        let registry = Registry::new(
            vouched,
            &HookSwitches::default(),
            RunSwitch::AsConfigured,
            Path::new("/project"),
        );
        let said = lint_patterns(&registry, &[]);
        assert_eq!(said[0].code.as_str(), code, "{matcher}");
        assert!(
            said[0].message.starts_with("hook \"a\": "),
            "{}",
            said[0].message
        );
    }
    assert_eq!(found("EditTool|write_file"), []);
}

/// CM-3: a matcher, or a word of an alternation, that matches no tool is reported with what was
/// probably meant.
#[test]
fn matchers_that_fit_no_tool_are_reported() {
    let cases = [
        ("Bash", Some("run_shell_command")),
        ("bash", Some("run_shell_command")),
        ("TodoWrite", Some("write_todos")),
        ("Task", Some("delegate_to_agent")),
        ("LS|glob", None),
        ("writefile", Some("write_file")),
        ("^Bash$", Some("run_shell_command")),
        ("^(Bash|glob)$", Some("run_shell_command")),
        ("^read$", Some("read_file")),
        ("zebra", None),
        ("zebra.*", None),
        ("^zebra.+", None),
        ("any", Some("*")),
        ("ALL", Some("*")),
        ("mcp__*__write", Some("mcp__.*__write")),
        ("create_file", Some("write_file")),
        ("write_file-replace", Some("write_file|replace")),
    ];
    for (matcher, meant) in cases {
        let expected: &[_] = match matcher {
            // `LS` is part of another name of `list_directory`, and so matches it.
            "LS|glob" => &[],
            _ => &[no_tool(meant)],
        };
        assert_eq!(found(matcher), expected, "{matcher}");
    }
    let both = found("Bash|write_file|TodoWrite");
    assert_eq!(
        both,
        [
            no_tool(Some("run_shell_command")),
            no_tool(Some("write_todos"))
        ]
    );
}

/// CM-3: white space around a word is part of the pattern, so it never matches; that is reported
/// even before the hook is trusted, when nothing is compared.
#[test]
fn white_space_in_a_matcher_is_reported() {
    let expected = [no_tool(Some("write_file")), no_tool(Some("replace"))];
    assert_eq!(found("write_file | replace"), expected);
    let mut vouched = Vouched::by_host(hook(BeforeTool, "a", Some("write_file | replace")));
    vouched.standing = Standing::New;
    vouched.accepted = Acceptance::No;
    let codes: Vec<&str> = lint_all(vec![vouched], &HookSwitches::default())
        .iter()
        .map(|problem| problem.code.as_str())
        .collect();
    assert_eq!(
        codes,
        ["matcher_no_tool", "matcher_no_tool", "untrusted_hook"]
    );
}

/// CM-3, PL-1: for a pattern of file names, the equivalent regular expression is suggested.
#[test]
fn a_pattern_of_file_names_is_translated() {
    let meant = |matcher: &str| found(matcher).remove(0).1;
    assert_eq!(meant("*_file").as_deref(), Some(".*_file"));
    assert_eq!(meant("write_file(").as_deref(), None);
}

/// CM-3: a plain word that isn't a tool's name but matches several is reported, and they are named.
#[test]
fn words_that_fit_more_tools_are_reported() {
    let problems = problems(vec![hook(AfterTool, "a", Some("Write|glob"))]);
    assert_eq!(problems.len(), 1, "{problems:?}");
    let problem = &problems[0];
    assert_eq!(problem.code, ProblemCode::MatcherExtraTool);
    assert!(
        problem.help.contains("write_file, write_todos"),
        "{}",
        problem.help
    );
    assert_eq!(problem.suggestion.as_deref(), Some("write_file"));
    assert_eq!(
        found("^(Write|glob)$"),
        [no_tool(Some("write_file"))],
        "a whole name fits one"
    );
}

/// CM-3, PL-1: what isn't a regular expression is reported, once for all hooks of its group, with
/// place, event and hook.
#[test]
fn invalid_patterns_are_reported_once() {
    let problems = problems(vec![
        hook(BeforeTool, "a", Some("write_file(")),
        hook(BeforeTool, "b", Some("write_file(")),
    ]);
    assert_eq!(problems.len(), 1, "{problems:?}");
    let problem = &problems[0];
    assert_eq!(problem.code, ProblemCode::MatcherInvalidRegex);
    assert_eq!(problem.severity, Severity::Warning);
    assert_eq!(
        problem.source.position,
        Some(Position { line: 5, column: 9 })
    );
    assert_eq!(problem.event, Some(BeforeTool));
    assert_eq!(problem.hook_id, Some(HookId::from_text("a")));
    assert!(!problem.help.is_empty());
}

/// CM-3: matchers of other events, and hooks of the host itself, aren't the engine's to lint.
#[test]
fn other_matchers_are_left_alone() {
    let mut own = HookDeclaration::in_process(BeforeTool, "own");
    own.matcher = Some("zebra".to_owned());
    let hooks = vec![hook(SessionStart, "a", Some("zebra")), own];
    assert_eq!(problems(hooks), []);
}

/// CM-3, PL-7: a shadowed hook is reported with the place of the one that stays; one that differs
/// in what it may do is a near twin, and the difference is named.
#[test]
fn shadowed_hooks_are_reported() {
    let first = hook(BeforeTool, "check", None);
    let mut second = hook(BeforeTool, "check", None);
    second.id = HookId::from_text("second");
    second.source = source(20);
    let same = problems(vec![first.clone(), second.clone()]);
    assert_eq!(same.len(), 1, "{same:?}");
    assert_eq!(same[0].code, ProblemCode::ShadowedHook);
    assert_eq!(same[0].source, source(20));
    let message = &same[0].message;
    assert!(message.contains("settings.json:7:3"), "{message}");

    second.timeout = Duration::from_secs(1);
    second.env.insert("A".to_owned(), "1".to_owned());
    let other = problems(vec![first, second]);
    assert_eq!(other.len(), 1, "{other:?}");
    assert_eq!(other[0].code, ProblemCode::NearTwin);
    let message = &other[0].message;
    for part in ["settings.json:7:3", "`env`", "`timeout`"] {
        assert!(message.contains(part), "{message}");
    }
}

/// CM-3, TR-2, TR-5: hooks that wait for trust are reported, with what changed; those of a folder
/// that is marked, with the entry.
#[test]
fn untrusted_hooks_are_reported() {
    let standing = |command: &str, standing: Standing| {
        let mut vouched = Vouched::by_host(hook(BeforeTool, command, None));
        vouched.standing = standing;
        vouched.accepted = Acceptance::No;
        vouched
    };
    let modified = Standing::Modified {
        changes: Vec::new(),
        message: "format.sh changed since it was trusted".to_owned(),
    };
    let marked = Standing::FolderUntrusted { source: source(2) };
    let hooks = vec![
        standing("new", Standing::New),
        standing("modified", modified),
        standing("marked", marked),
    ];
    let problems = lint_all(hooks, &HookSwitches::default());
    let said: Vec<(ProblemCode, &str)> = problems
        .iter()
        .map(|problem| (problem.code, problem.message.as_str()))
        .collect();
    assert_eq!(
        said[0],
        (
            ProblemCode::UntrustedHook,
            "hook \"new\" doesn't run: nobody has trusted it yet"
        )
    );
    assert_eq!(
        said[1],
        (
            ProblemCode::UntrustedHook,
            "hook \"modified\" doesn't run: format.sh changed since it was trusted"
        )
    );
    assert_eq!(said[2].0, ProblemCode::FolderUntrusted);
    assert!(said[2].1.contains("settings.json:2:3"), "{}", said[2].1);
    assert_eq!(said.len(), 3);
}

/// CM-3, ST-6: the switch that turns hooks off is reported once, at its own place.
#[test]
fn the_switch_is_reported_once() {
    let switches = HookSwitches {
        enabled: Provided {
            value: false,
            source: Some(source(3)),
        },
        ..HookSwitches::default()
    };
    let hooks = ["a", "b"].map(|command| Vouched::by_host(hook(BeforeTool, command, None)));
    let problems = lint_all(hooks.to_vec(), &switches);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].code, ProblemCode::HooksOff);
    assert_eq!(problems[0].severity, Severity::Info);
    assert_eq!(problems[0].source, source(3));
}

/// CM-3, FD-12: a word of the hook's own dialect isn't a mistake, nor is another agent's name
/// beside ours; alone it is.
#[test]
fn names_of_another_agent_are_fine_where_they_mean_something() {
    let mut spoken = hook(BeforeTool, "a", Some("Bash"));
    spoken.dialect = hookloop_hook::Dialect::ClaudeCode;
    assert_eq!(problems(vec![spoken]), []);
    assert_eq!(found("run_shell_command|Bash"), []);
    assert_eq!(found("^(Write|write_file)$"), []);
    assert_eq!(found("Bash"), [no_tool(Some("run_shell_command"))]);
    assert_eq!(
        found("write_file|Bash"),
        [no_tool(Some("run_shell_command"))]
    );
}

/// CM-10: a tool that is named among other characters is suggested.
#[test]
fn a_tool_among_other_signs_is_proposed() {
    for matcher in [
        "Bash(rm:*)",
        "tool_name == 'run_shell_command'",
        "^terminal$",
        "^shell",
    ] {
        assert_eq!(
            found(matcher),
            [no_tool(Some("run_shell_command"))],
            "{matcher}"
        );
    }
}

/// CM-3, PL-5: a word that names only a server matches none of its tools where a word is a whole
/// name; where it may be inside a name, it does.
#[test]
fn a_server_is_not_a_tool_of_it() {
    use hookloop_hook::Dialect::{self, ClaudeCode, Codex, GeminiCli, Hookloop, Qwen};
    let of = |dialect: Dialect, matcher: &str| -> Vec<_> {
        let mut hook = hook(BeforeTool, "a", Some(matcher));
        hook.dialect = dialect;
        let problems = problems(vec![hook]).into_iter();
        problems
            .map(|it| (it.code.as_str(), it.suggestion))
            .collect()
    };
    for dialect in Dialect::ALL {
        for (exact, meant) in [
            ("^mcp__gh$", "^mcp__gh__.*$"),
            ("^mcp_gh$", "^mcp_gh_.*$"),
            (
                "^(mcp__gh|mcp__my-fs__.*)$",
                "^(mcp__gh__.*|mcp__my-fs__.*)$",
            ),
        ] {
            let found = of(*dialect, exact);
            assert!(
                found.contains(&no_tool(Some(meant))),
                "{dialect:?} {exact} {found:?}"
            );
        }
        for right in ["mcp__gh__.*", "mcp__gh__a", "mcp__.*", "mcp__gh.*"] {
            assert_eq!(of(*dialect, right), [], "{dialect:?} {right}");
        }
    }
    for dialect in [Hookloop, GeminiCli] {
        assert_eq!(of(dialect, "mcp__gh"), []);
    }
    let named = [ClaudeCode, Codex, Qwen].map(|it| of(it, "mcp__gh"));
    assert!(
        named.iter().any(|it| *it == [no_tool(Some("mcp__gh__.*"))]),
        "{named:?}"
    );
}
