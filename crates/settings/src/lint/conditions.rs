//! Conditions of hooks and rules that can't mean what they say (HT-1, HT-25, CM-3).

use hookloop_events::tool_name;
use hookloop_hook::{
    Dialect, EventName, Handler, HookDeclaration, Position, Problem, ProblemCode, Rules,
};
use hookloop_rules::{Condition, Doubt, Meant, NamedTool, Surroundings, Why};
use hookloop_text::shorten::excerpt;

use crate::conditions::offset_of_column;
use crate::file_text::FileText;
use crate::near::nearest;
use crate::settings::Settings;

/// The names in conditions that only the payloads of some events have (IO-1, HT-1).
const EVENT_NAMES: &[(&str, &[EventName])] = &[
    ("tool_name", &[EventName::BeforeTool, EventName::AfterTool]),
    ("tool_input", &[EventName::BeforeTool, EventName::AfterTool]),
    ("tool_response", &[EventName::AfterTool]),
    ("prompt", &[EventName::BeforeAgent, EventName::AfterAgent]),
    ("prompt_response", &[EventName::AfterAgent]),
    (
        "llm_request",
        &[
            EventName::BeforeModel,
            EventName::BeforeToolSelection,
            EventName::AfterModel,
        ],
    ),
    ("llm_response", &[EventName::AfterModel]),
    ("source", &[EventName::SessionStart]),
    ("reason", &[EventName::SessionEnd]),
    ("trigger", &[EventName::PreCompress]),
    ("message", &[EventName::Notification]),
];

/// Names that tools of MCP servers may have.
const SERVER_TOOLS: [&str; 2] = ["mcp__server__tool", "mcp__my-server__do_something"];

/// The names of tools in another well-known agent.
const FOREIGN: &[(&str, &str)] = &[
    ("Bash", "run_shell_command"),
    ("Edit", "replace"),
    ("MultiEdit", "replace"),
    ("Read", "read_file"),
    ("Write", "write_file"),
    ("Grep", "search_file_content"),
    ("LS", "list_directory"),
    ("WebFetch", "web_fetch"),
    ("WebSearch", "google_web_search"),
    ("TodoWrite", "write_todos"),
    ("Task", "delegate_to_agent"),
];

/// Reports what the conditions of a hook can't mean.
pub(super) fn doubtful(settings: &Settings, hook: &HookDeclaration) -> Vec<Problem> {
    // Another agent's conditions are in that agent's language (FD-12).
    if hook.dialect != Dialect::Hookloop || hook.broken.is_some() {
        return Vec::new();
    }
    let mut problems = Vec::new();
    let file = || settings.documents.get(&hook.source.file).map(|it| &**it);
    if let Some(text) = &hook.condition {
        let of_hook = Place {
            what: "\"if\"",
            consequence: "the hook never runs",
            opening: hook.places.condition,
            file: file(),
        };
        problems.extend(check_condition(settings, hook, text, &of_hook));
    }
    if let Handler::Rule {
        rules: Rules::Inline(rules),
    } = &hook.handler
    {
        for (number, rule) in rules.iter().enumerate() {
            let of_rule = Place {
                what: "\"when\"",
                consequence: "the rule never applies",
                opening: hook.places.rules.get(number).copied(),
                file: file(),
            };
            problems.extend(check_condition(settings, hook, &rule.when, &of_rule));
        }
    }
    problems
}

/// Where a condition is, and what follows from one that is never true.
pub(super) struct Place<'p> {
    pub(super) what: &'static str,
    pub(super) consequence: &'static str,
    /// The quote that opens it.
    pub(super) opening: Option<Position>,
    /// The file that it is in.
    pub(super) file: Option<&'p FileText>,
}

impl Place<'_> {
    /// Puts the place of one of its columns into a problem; the hook's place if it isn't in a file
    /// that was read (HT-1).
    fn set_place(&self, problem: &mut Problem, column: usize) {
        if let Some((opening, file)) = self.opening.zip(self.file) {
            let offset = offset_of_column(file, opening, column);
            problem.source = file.source_at(offset);
            problem.snippet = file.snippet(file.position(offset));
        }
    }
}

pub(super) fn check_condition(
    settings: &Settings,
    hook: &HookDeclaration,
    text: &str,
    place: &Place<'_>,
) -> Vec<Problem> {
    // A condition that can't be parsed has already been reported.
    let Ok(condition) = Condition::read(text) else {
        return Vec::new();
    };
    let absent: Vec<&str> = EVENT_NAMES
        .iter()
        .filter(|(_, events)| !events.contains(&hook.event))
        .map(|(name, _)| *name)
        .collect();
    let mut tools = tools_of(hook);
    if !tools.is_empty() {
        let of_host = settings.host_tools.iter();
        tools.extend(of_host.map(|name| NamedTool {
            name: name.clone(),
            arguments: None,
        }));
    }
    let doubts = condition.doubts(&Surroundings {
        event: hook.event.as_str(),
        absent: &absent,
        tools: &tools,
    });
    // A list of rules may apply at several events, and some rules may name theirs.
    let is_another = |it: &Doubt| match it {
        Doubt::OtherEvent(text) => text.split(", ").any(|it| it.parse::<EventName>().is_ok()),
        _ => false,
    };
    let doubts = doubts.into_iter().filter(|it| !is_another(it));
    let problems = doubts.map(|doubt| {
        let (message, help) = describe_doubt(&doubt, hook, place);
        let code = ProblemCode::ConditionDoubtful;
        let mut problem = settings.problem(code, hook.source.clone(), message, help);
        place.set_place(&mut problem, condition.column_of(&doubt));
        problem.event = Some(hook.event);
        problem.hook_id = Some(hook.id.clone());
        problem
    });
    problems.collect()
}

fn describe_doubt(doubt: &Doubt, hook: &HookDeclaration, place: &Place<'_>) -> (String, String) {
    let Place {
        what, consequence, ..
    } = place;
    match doubt {
        Doubt::NeverTrue => (
            format!("{what} is false whatever happens, so {consequence}"),
            "write what it should depend on, such as tool.name == \"write_file\"; to switch a hook \
             off, name it in \"hooksConfig\": {\"disabled\": […]}"
                .to_owned(),
        ),
        // It is a tool's name, but the matcher doesn't match it.
        Doubt::NoTool(text) if tool_name::canonical(text).is_some() => (
            format!(
                "{what} is never true for a tool that the matcher matches: {consequence} (\"{}\")",
                excerpt(text)
            ),
            "change the matcher or the condition so that both match the tool that you mean".to_owned(),
        ),
        Doubt::NeverHeld { of, text, why } => describe_mismatch(what, of, text, why),
        Doubt::NoTool(text) => {
            let meant = likely_tool(text);
            let help = match meant {
                Some(meant) => format!("did you mean \"{meant}\"?"),
                None => format!(
                    "compare it with a tool's name: {}; those of MCP tools begin with mcp__",
                    tool_name::built_in().collect::<Vec<_>>().join(", ")
                ),
            };
            let text = excerpt(text);
            (
                format!(
                    "{what} compares the tool's name with \"{text}\", which matches no known tool"
                ),
                help,
            )
        }
        Doubt::OtherEvent(text) => (
            format!(
                "{what} compares the event's name with \"{}\", but the hook is under {}: \
                 {consequence}",
                excerpt(text),
                hook.event
            ),
            format!("write \"{}\", or leave that part out", hook.event),
        ),
        Doubt::Compared(text, meant) => as_it_stands(what, text, *meant),
        Doubt::Absent(name) => (
            format!(
                "{what} uses \"{name}\", which {} doesn't have, so it can't be evaluated",
                hook.event
            ),
            match EVENT_NAMES.iter().find(|(own, _)| own == name) {
                Some((_, events)) => format!(
                    "it exists at {}",
                    events
                        .iter()
                        .map(|it| it.as_str())
                        .collect::<Vec<_>>()
                        .join(", ")
                ),
                None => "leave that part out".to_owned(),
            },
        ),
        Doubt::NoField { of, field, known } => no_field(what, of, field, known),
    }
}

/// Returns the text and the help for a field that nothing has.
fn no_field(what: &str, of: &str, field: &str, known: &[String]) -> (String, String) {
    let names = || known.iter().map(String::as_str);
    let meant = nearest(field, names()).or_else(|| names().find(|it| it.contains(field)));
    (
        format!(
            "{what} uses \"{of}.{}\", which doesn't exist",
            excerpt(field)
        ),
        match meant {
            Some(meant) => format!("did you mean \"{of}.{meant}\"?"),
            None => format!("\"{of}\" has {}", known.join(", ")),
        },
    )
}

/// How many names a message lists.
const SHORT_LIST: usize = 8;

/// Returns the text and the help for a field that never equals what it is compared with.
fn describe_mismatch(what: &str, of: &str, text: &str, why: &Why) -> (String, String) {
    let shown = excerpt(text);
    let (because, help) = match why {
        Why::OneOf(known, Some(meant)) if known.len() == 1 => {
            (String::new(), format!("did you mean \"{meant}\"?"))
        }
        Why::OneOf(known, None) if known.len() > SHORT_LIST => (
            String::new(),
            suggest(nearest(text, known.iter().copied()), known),
        ),
        Why::OneOf(known, meant) => (
            format!(": it is one of {}", known.join(", ")),
            suggest(*meant, known),
        ),
        Why::Family(known) => (
            String::new(),
            format!(
                "write .startsWith(\"{shown}.\"), or one of {}",
                known.join(", ")
            ),
        ),
        Why::Absolute => (
            ": it is an absolute path".to_owned(),
            format!(
                "compare its end, .endsWith(\"/{}\"), or \"name\"",
                shown.trim_start_matches("./")
            ),
        ),
        Why::NoFolder => (
            ": it is the last part of a path".to_owned(),
            format!("write path.endsWith(\"/{shown}\")"),
        ),
        Why::OneWord => (
            ": it is the name of a program alone".to_owned(),
            "compare \"program\" with the first word, and check the others in \"args\" and \
             \"flags\""
                .to_owned(),
        ),
        Why::BaseName => (
            ": it is the name of a program without its folder".to_owned(),
            match text.rsplit_once('/') {
                Some((_, name)) if !name.is_empty() && !name.contains(['*', '$', '\\', ')']) => {
                    format!("write \"{}\"", excerpt(name))
                }
                _ => "leave the slashes out".to_owned(),
            },
        ),
        Why::LastPart => (
            ": it is the last part of a path".to_owned(),
            "compare \"path\" instead".to_owned(),
        ),
        Why::Rooted(beginning) => (
            ": it is an absolute path".to_owned(),
            format!(
                "write .contains(\"/{}\")",
                excerpt(beginning.trim_start_matches("./"))
            ),
        ),
        Why::Bundle => {
            let flags = text.trim_start_matches('-').chars();
            let flags = flags
                .map(|it| format!("\"-{it}\" in …flags"))
                .collect::<Vec<_>>();
            (
                ": flags of one letter are listed separately".to_owned(),
                format!("write {}", flags.join(" && ")),
            )
        }
    };
    let never = match why {
        Why::BaseName | Why::LastPart | Why::Rooted(_) => "never matches",
        _ => "never is",
    };
    let message = format!("{what} compares {of} with \"{shown}\", which it {never}{because}");
    (message, help)
}

/// Returns the help for a value that isn't among the known ones.
fn suggest(meant: Option<&str>, known: &[&str]) -> String {
    match meant {
        Some(meant) => format!("did you mean \"{meant}\"?"),
        None => format!("write one of {}", known.join(", ")),
    }
}

/// Writes the patterns that a text with wildcards was meant as: a `*` doesn't match a leading dot,
/// so `*.env` alone would leave `.env` out.
fn patterns_of(text: &str) -> String {
    const DOT_FILES: [&str; 7] = [
        "env", "npmrc", "netrc", "pypirc", "pgpass", "htpasswd", "git",
    ];
    let text = text.replace(".*", "*");
    let (folder, name) = text
        .rsplit_once('/')
        .map_or(("", text.as_str()), |(folder, it)| (folder, it));
    let ending = name
        .trim_start_matches('*')
        .strip_prefix('.')
        .filter(|_| name.starts_with('*'));
    let is_dot_file = ending.is_some_and(|it| DOT_FILES.iter().any(|file| it.starts_with(file)));
    let pattern = format!("\"{}\"", excerpt(&text));
    match ending {
        Some(ending) if is_dot_file => {
            let slash = if folder.is_empty() { "" } else { "/" };
            format!("[{pattern}, \"{folder}{slash}.{ending}\"]")
        }
        _ => pattern,
    }
}

/// Returns the text and the help for a text that is compared literally.
fn as_it_stands(what: &str, text: &str, meant: Meant) -> (String, String) {
    let shown = excerpt(text);
    let (why, help) = match meant {
        Meant::Wildcard => (
            "a wildcard has no meaning there",
            format!(
                "compare with a pattern: .glob({}), or .matches(…) with a regular expression",
                patterns_of(text)
            ),
        ),
        Meant::Expression => (
            "a regular expression has no meaning there",
            format!("write .matches(\"{shown}\")"),
        ),
        Meant::Folder => (
            "nothing expands it to a folder",
            "write the full path, or compare its end: .endsWith(\"/.ssh/config\")".to_owned(),
        ),
        Meant::Relative => (
            "a call may as well name the file without \"./\", or from the root",
            format!(
                "check the file that is meant, however it is written: paths.exists(p, p.path.endsWith(\"{}\"))",
                shown.trim_start_matches('.')
            ),
        ),
        Meant::OtherCase => (
            "it never matches a text whose case is changed",
            "write the text in the case in which it is compared".to_owned(),
        ),
        Meant::Escape
        | Meant::Delimited
        | Meant::Glob
        | Meant::Impossible
        | Meant::LateFlag
        | Meant::Swapped => {
            return as_a_pattern(what, text, meant);
        }
    };
    let message = format!("{what} compares with \"{shown}\" literally: {why}");
    (message, help)
}

/// Returns the text and the help for a wrong pattern, or one in a wrong place.
fn as_a_pattern(what: &str, text: &str, meant: Meant) -> (String, String) {
    let shown = excerpt(text);
    let (why, help) = match meant {
        Meant::Escape => (
            "contains a control character, because \\a, \\b, \\f and \\v are control characters in \
             strings of a condition",
            "write r in front of the text, as in .matches(r\"\\brm\\b\"), with each backslash \
             doubled in JSON"
                .to_owned(),
        ),
        Meant::Delimited => ("matches only texts that contain its slashes", {
            let inner = text.trim_start_matches('/');
            let (inner, flags) = inner.rsplit_once('/').unwrap_or((inner, ""));
            let case = if flags.contains('i') { "(?i)" } else { "" };
            format!(
                "leave the slashes out: .matches(\"{case}{}\")",
                excerpt(inner)
            )
        }),
        Meant::Glob => (
            "is a pattern with wildcards, but .matches(…) reads a regular expression",
            format!("write .glob({})", patterns_of(text)),
        ),
        Meant::LateFlag => (
            "ends with (?i), which only affects what follows it",
            format!(
                "write it first: \"(?i){}\"",
                excerpt(text.trim_end_matches("(?i)"))
            ),
        ),
        Meant::Swapped => (
            "is searched for the value, instead of the other way round",
            format!("swap them, as in tool.input.command.contains(\"{shown}\")"),
        ),
        _ => (
            "can't match any text: ^ stands only for the beginning, and $ only for the end",
            "remove what is before ^ or after $, or write \\^ and \\$ if you mean the characters"
                .to_owned(),
        ),
    };
    (format!("{what}: \"{shown}\" {why}"), help)
}

/// Returns the tool that another agent calls by a name, if no tool here has that name.
pub fn tool_of_others(name: &str) -> Option<&'static str> {
    let mut foreign = FOREIGN.iter();
    foreign
        .find(|(theirs, _)| *theirs == name)
        .map(|(_, own)| *own)
}

/// Returns the tool that a text was meant to name: by another agent's name of it, or a near one.
pub fn likely_tool(text: &str) -> Option<&'static str> {
    /// What people call a tool whose name they don't know.
    const TOOL_ALIASES: [(&str, &str); 11] = [
        ("shell", "run_shell_command"),
        ("terminal", "run_shell_command"),
        ("exec", "run_shell_command"),
        ("execute", "run_shell_command"),
        ("execute_command", "run_shell_command"),
        ("execute_bash", "run_shell_command"),
        ("run_command", "run_shell_command"),
        ("run_terminal_cmd", "run_shell_command"),
        ("edit_file", "replace"),
        ("create_file", "write_file"),
        ("create", "write_file"),
    ];
    let first = text.split([',', '|']).next().unwrap_or_default();
    let alone = first.trim_matches(['^', '$', '(', ')', '.', '*', ' ']);
    let mut names = FOREIGN.iter().chain(&TOOL_ALIASES);
    names
        .find(|(theirs, _)| theirs.eq_ignore_ascii_case(alone))
        .map(|(_, own)| *own)
        .or_else(|| tool_name::canonical(alone))
        .or_else(|| nearest(alone, tool_name::built_in()))
}

/// What a hook's matcher shows about the tools that it matches: hooks with the same have the same
/// [`tools_of`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchedTools<'h> {
    /// Every tool.
    Every,
    /// Those that it names, with `|` between them.
    Named(&'h str),
    /// What it matches isn't determined.
    Unknown,
}

impl<'h> MatchedTools<'h> {
    /// Reads the matcher of a hook.
    pub fn of(hook: &'h HookDeclaration) -> Self {
        let matcher = hook.matcher.as_deref().unwrap_or_default();
        if matches!(matcher, "" | "*") {
            return Self::Every;
        }
        let plain = matcher
            .trim_start_matches(['^', '('])
            .trim_end_matches(['$', ')']);
        let mut words = plain.split('|').filter(|it| !it.is_empty());
        if words.all(|it| tool_name::canonical(it).is_some()) {
            Self::Named(plain)
        } else {
            Self::Unknown
        }
    }
}

/// Returns the tools that a hook is asked about, by the names that it reads (PL-11); nothing if its
/// event has none.
pub fn tools_of(hook: &HookDeclaration) -> Vec<NamedTool> {
    if !matches!(hook.event, EventName::BeforeTool | EventName::AfterTool) {
        return Vec::new();
    }
    let named = |name: &str, arguments| NamedTool {
        name: name.to_owned(),
        arguments,
    };
    let built_in = || tool_name::built_in().map(|it| named(it, tool_name::arguments(it)));
    let of_servers = SERVER_TOOLS.iter().map(|it| named(it, None));
    match MatchedTools::of(hook) {
        MatchedTools::Every => return built_in().chain(of_servers).collect(),
        MatchedTools::Named(words) => {
            let tools = words.split('|').filter_map(|word| {
                let own = tool_name::canonical(word)?;
                Some(named(word, tool_name::arguments(own)))
            });
            return tools.collect();
        }
        MatchedTools::Unknown => {}
    }
    // What another pattern matches isn't determined: any name may be read.
    let others = tool_name::built_in().flat_map(tool_name::other_names);
    built_in()
        .chain(others.map(|it| named(&it, None)))
        .chain(of_servers)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-3, HT-1: the suggested pattern also matches a file whose name is only the ending.
    #[test]
    fn a_pattern_in_the_place_of_a_wildcard_fits() {
        for (text, right) in [
            ("*.env", "[\"*.env\", \".env\"]"),
            ("*.env*", "[\"*.env*\", \".env*\"]"),
            ("config/*.npmrc", "[\"config/*.npmrc\", \"config/.npmrc\"]"),
            ("*.txt", "\"*.txt\""),
            ("src/.*", "\"src/*\""),
            ("package*", "\"package*\""),
        ] {
            assert_eq!(patterns_of(text), right, "{text}");
        }
        for (patterns, fits) in [("*.env", false), (".env", true)] {
            let condition = format!("glob(tool.input.file_path, \"{patterns}\")");
            assert!(Condition::read(&condition).is_ok());
            let meets = hookloop_shell::component_may_meet(patterns, ".env");
            assert_eq!(meets, fits, "{patterns}");
        }
    }
}
