//! Scripts that read fields that no payload contains (CM-3, IO-1): they check nothing, and let
//! everything pass.

use hookloop_hook::{Dialect, EventName, HookDeclaration, ProblemCode};
use hookloop_settings::{nearest, tools_of};

use super::Complaint;
use super::read::Code;

/// Fields that payloads of tools have.
const KNOWN_FIELDS: [&str; 9] = [
    "tool_name",
    "tool_input",
    "tool_response",
    "tool_call_id",
    "hook_event_name",
    "session_id",
    "transcript_path",
    "mcp_context",
    "original_request_name",
];

/// Names that people expect the fields to have, and what is meant.
const EXPECTED_FIELDS: [(&str, &str); 14] = [
    ("tool_inputs", "tool_input"),
    ("tool_params", "tool_input"),
    ("params", "tool_input"),
    ("args", "tool_input"),
    ("arguments", "tool_input"),
    ("input", "tool_input"),
    ("parameters", "tool_input"),
    ("toolInput", "tool_input"),
    ("tool_args", "tool_input"),
    ("toolArgs", "tool_input"),
    ("tool", "tool_name"),
    ("toolName", "tool_name"),
    ("tool_call", "tool_name"),
    ("file_path", "tool_input.file_path"),
];

/// Names that people expect the fields of an event to have that isn't about a call, or comes after
/// one, and what is meant.
const OTHER_EVENT_FIELDS: &[(EventName, &str, &[&str])] = &[
    (
        EventName::BeforeAgent,
        "prompt",
        &[
            "user_prompt",
            "userPrompt",
            "message",
            "text",
            "query",
            "user_message",
            "userMessage",
            "input",
        ],
    ),
    (
        EventName::AfterAgent,
        "prompt_response",
        &[
            "response",
            "answer",
            "output",
            "assistant_response",
            "final_response",
            "promptResponse",
            "message",
            "text",
        ],
    ),
    (
        EventName::AfterTool,
        "tool_response",
        &[
            "tool_result",
            "toolResult",
            "toolResponse",
            "tool_output",
            "toolOutput",
            "result",
            "output",
            "response",
        ],
    ),
    (
        EventName::BeforeModel,
        "llm_request",
        &["prompt", "messages", "request", "contents", "llmRequest"],
    ),
    (
        EventName::AfterModel,
        "llm_response",
        &["response", "text", "output", "llmResponse", "message"],
    ),
];

/// What may follow an object without being a field of it.
const METHODS: [&str; 12] = [
    "get",
    "items",
    "keys",
    "values",
    "copy",
    "pop",
    "toString",
    "hasOwnProperty",
    "entries",
    "map",
    "length",
    "size",
];

/// Endings of files that people keep the arguments in.
const ENDINGS: [&str; 6] = ["json", "jsonl", "txt", "log", "tmp", "yaml"];

/// Looks into a command and its scripts.
pub(super) fn look(hook: &HookDeclaration, texts: &[Code]) -> Option<Complaint> {
    let is_of_tools = matches!(hook.event, EventName::BeforeTool | EventName::AfterTool);
    let is_ours = hook.dialect == Dialect::Hookloop;
    let inner = texts.iter().find_map(|it| check_inner_fields(hook, it));
    if let Some(complaint) = inner.filter(|_| is_ours) {
        return Some(complaint);
    }
    if !is_of_tools {
        let of_tools = texts.iter().find_map(|it| check_event(hook, it));
        return of_tools.or_else(|| check_event_fields(hook, texts));
    }
    if hook.dialect != Dialect::Hookloop {
        return None;
    }
    if let Some(complaint) = check_event_fields(hook, texts) {
        return Some(complaint);
    }
    texts.iter().find_map(
        |Code {
             what, text: code, ..
         }| { check_arguments(hook, what, code).or_else(|| check_payload(what, code)) },
    )
}

/// Looks for a script that reads a field of its event under a wrong name, and nothing else that
/// says what happens.
fn check_event_fields(hook: &HookDeclaration, texts: &[Code]) -> Option<Complaint> {
    // These fields may contain objects with any keys.
    const OTHERS: [&str; 8] = [
        "transcript",
        "tool_input",
        "llm_request",
        "llm_response",
        "content",
        "details",
        "mcp_context",
        "open(",
    ];
    if hook.dialect != Dialect::Hookloop {
        return None;
    }
    let (_, right, wrong) = OTHER_EVENT_FIELDS
        .iter()
        .find(|(event, ..)| *event == hook.event)?;
    texts.iter().find_map(|Code { what, text, .. }| {
        let reads_json = ["jq ", "json.load", "JSON.parse"];
        let is_read = reads_json.iter().any(|it| text.contains(it));
        // A request contains messages' content, whatever its variable is called.
        let mut others = OTHERS
            .iter()
            .filter(|it| !(hook.event == EventName::BeforeModel && **it == "content"));
        if !is_read || names(text, right) || others.any(|it| text.contains(it)) {
            return None;
        }
        let field = wrong.iter().find(|it| reads(text, it))?;
        let event = hook.event;
        let message =
            format!("{what} reads \"{field}\", which {event} doesn't have: it checks nothing");
        let help = format!("read \"{right}\"");
        Some(Complaint::new(ProblemCode::ForeignWords, message, help))
    })
}

/// What is in a field of an event, by event.
const INNER: [(EventName, &str, &[&str]); 4] = [
    (
        EventName::AfterTool,
        "tool_response",
        &["llmContent", "returnDisplay", "error"],
    ),
    (
        EventName::BeforeModel,
        "llm_request",
        &["model", "messages", "config", "toolConfig"],
    ),
    (
        EventName::AfterModel,
        "llm_response",
        &["text", "candidates", "usageMetadata"],
    ),
    (EventName::BeforeAgent, "tool_input", &[]),
];

/// Looks for a script that reads only things that don't exist in a field of its event.
fn check_inner_fields(hook: &HookDeclaration, Code { what, text, .. }: &Code) -> Option<Complaint> {
    let inner = INNER.iter().find(|(event, ..)| *event == hook.event);
    let (event, field, known) = inner?;
    let read: Vec<&str> = accessed_in(text, field).collect();
    let unknown = read.iter().find(|it| !METHODS.contains(*it))?;
    // A script that also reads known fields, or serves other events and agents, is probably right.
    let others = known.iter().chain(&["hook_event_name"]);
    if others.clone().any(|it| names(text, it)) {
        return None;
    }
    let message = format!(
        "{what} reads \"{field}.{unknown}\", which {event} doesn't have: it checks nothing"
    );
    let help = match known.first() {
        Some(_) => format!("\"{field}\" has {}", known.join(", ")),
        None => "put the hook at BeforeTool, which has tool_input, or read \"prompt\"".to_owned(),
    };
    Some(Complaint::new(ProblemCode::ForeignWords, message, help))
}

/// Returns whether a word is in a text, and not only as a part of another one.
fn names(text: &str, word: &str) -> bool {
    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    })
}

/// Looks for a guard of tools at an event that has none.
fn check_event(hook: &HookDeclaration, Code { what, text, .. }: &Code) -> Option<Complaint> {
    // Words in scripts that check the event, or serve several.
    const OTHERS: [&str; 12] = [
        "hook_event_name",
        "prompt",
        "llm_request",
        "llm_response",
        "trigger",
        "source",
        "message",
        "transcript_path",
        "session_id",
        "reason\"]",
        ".reason",
        "notification",
    ];
    let reads_json = ["jq ", "json.load", "JSON.parse"];
    let is_read = reads_json.iter().any(|it| text.contains(it));
    if !is_read || OTHERS.iter().any(|it| text.contains(it)) {
        return None;
    }
    let field = ["tool_input", "tool_name"]
        .into_iter()
        .find(|it| reads(text, it))?;
    let event = hook.event;
    let message =
        format!("{what} reads \"{field}\", which {event} doesn't have: it checks nothing");
    let help = "put the hook at BeforeTool, which has tool_name and tool_input";
    Some(Complaint::new(ProblemCode::ForeignWords, message, help))
}

/// Looks for a script that reads arguments that none of its tools has.
fn check_arguments(hook: &HookDeclaration, what: &str, code: &str) -> Option<Complaint> {
    let read = read_of_arguments(code);
    let unknown = *read.first()?;
    let tools = tools_of(hook);
    let mut known: Vec<&str> = Vec::new();
    for tool in &tools {
        // Tools of MCP servers may have any arguments.
        known.extend(tool.arguments?);
    }
    if known.is_empty() || read.iter().any(|it| known.contains(it)) {
        return None;
    }
    known.sort_unstable();
    known.dedup();
    let meant = nearest(unknown, known.iter().copied())
        .or_else(|| known.iter().find(|it| it.contains(unknown)).copied())
        .or_else(|| known.iter().find(|it| abbreviates(unknown, it)).copied());
    let help = match meant {
        Some(meant) => format!("read \"tool_input.{meant}\""),
        None => format!("its tools get {}", known.join(", ")),
    };
    let message = format!(
        "{what} reads \"tool_input.{unknown}\", which none of its tools gets: it is always empty"
    );
    Some(Complaint::new(ProblemCode::ForeignWords, message, help))
}

/// Returns whether a word is an abbreviation of a name, as `cmd` is of `command`.
fn abbreviates(word: &str, name: &str) -> bool {
    let mut rest = name.chars();
    word.get(..1) == name.get(..1) && word.chars().all(|letter| rest.any(|it| it == letter))
}

/// Returns the arguments that a text reads.
fn read_of_arguments(code: &str) -> Vec<&str> {
    let is_argument = |it: &&str| !METHODS.contains(it) && !ENDINGS.contains(it);
    accessed_in(code, "tool_input")
        .filter(is_argument)
        .collect()
}

/// Returns the fields that a text reads from the value of a name.
fn accessed_in<'c>(code: &'c str, name: &'c str) -> impl Iterator<Item = &'c str> {
    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
    code.match_indices(name).filter_map(move |(at, name)| {
        let is_own = !code[..at].ends_with(is_part);
        accessed(&code[at + name.len()..]).filter(|_| is_own)
    })
}

/// Looks for a script that reads nothing a payload has.
fn check_payload(what: &str, code: &str) -> Option<Complaint> {
    let reads_json = ["jq ", "json.load", "JSON.parse", "ConvertFrom-Json"];
    if !reads_json.iter().any(|it| code.contains(it))
        || KNOWN_FIELDS.iter().any(|it| names(code, it))
    {
        return None;
    }
    let (wrong, right) = EXPECTED_FIELDS
        .iter()
        .find(|(wrong, _)| reads(code, wrong))?;
    let message = format!(
        "{what} reads \"{wrong}\" from its input, which has no such field: it checks nothing"
    );
    let help = format!("read \"{right}\": a payload has tool_name and tool_input");
    Some(Complaint::new(ProblemCode::ForeignWords, message, help))
}

/// Returns whether a text reads a field of this name from an object.
fn reads(code: &str, name: &str) -> bool {
    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
    code.match_indices(name).any(|(at, _)| {
        let (before, behind) = (&code[..at], &code[at + name.len()..]);
        if behind.starts_with(is_part) || behind.starts_with('(') {
            return false;
        }
        let of_key = ["[\"", "['", ".get(\"", ".get('"];
        if of_key.iter().any(|it| before.ends_with(it)) {
            return true;
        }
        // A jq filter, or a parsed object.
        let Some(object) = before.strip_suffix('.') else {
            return false;
        };
        let object = object.strip_suffix('?').unwrap_or(object);
        let line = object.rsplit('\n').next().unwrap_or_default();
        let is_filter = line.contains("jq ") && object.ends_with([' ', '\'', '"', '(', '|']);
        let of_parsed = ["data", "input", "payload", "event", "d", "p"]
            .iter()
            .any(|it| {
                let rest = object.strip_suffix(it);
                rest.is_some_and(|rest| !rest.ends_with(is_part) && !rest.ends_with('.'))
            });
        is_filter || of_parsed
    })
}

/// Returns the field that follows the name of an object: `.x`, `["x"]`, `.get("x")`.
fn accessed(behind: &str) -> Option<&str> {
    let rest = match behind.strip_prefix(['"', '\'']) {
        // `.get("tool_input")`, `.get("tool_input", {})`, `["tool_input"]`
        Some(key) if key.starts_with(')') => &key[1..],
        Some(key) if key.starts_with(',') => key[1..]
            .trim_start()
            .strip_prefix("{}")?
            .strip_prefix(')')?,
        Some(key) => key.strip_prefix(']')?,
        None => behind,
    };
    let rest = rest.strip_prefix('?').unwrap_or(rest);
    let key = rest
        .strip_prefix(".get(")
        .or_else(|| rest.strip_prefix('['))
        .and_then(|it| it.strip_prefix(['"', '\'']));
    if let Some(key) = key {
        let end = key.find(['"', '\'']).filter(|it| *it > 0)?;
        return Some(&key[..end]);
    }
    let name = rest.strip_prefix('.')?;
    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let end = name.find(|it| !is_part(it)).unwrap_or(name.len());
    // A call isn't a field.
    let is_field = end > 0 && !name[end..].starts_with('(');
    is_field.then(|| &name[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(event: EventName, code: &str) -> bool {
        let hook = HookDeclaration::in_process(event, "guard");
        let code = Code {
            what: "x".to_owned(),
            text: code.to_owned(),
            is_command: false,
        };
        look(&hook, &[code]).is_some()
    }

    /// CM-3: the argument that was meant is named, also for an abbreviation.
    #[test]
    fn the_argument_that_was_meant_is_named() {
        for (matcher, read, meant) in [
            ("run_shell_command", "cmd", "tool_input.command\""),
            ("run_shell_command", "comand", "tool_input.command\""),
            ("write_file", "path", "tool_input.file_path\""),
            ("write_file", "xyz", "its tools get content, file_path"),
        ] {
            let hook = HookDeclaration {
                matcher: Some(matcher.to_owned()),
                ..HookDeclaration::in_process(EventName::BeforeTool, "guard")
            };
            let code = Code {
                what: "x".to_owned(),
                text: format!("d = json.load(sys.stdin)\nif d['tool_input']['{read}']: pass"),
                is_command: false,
            };
            let help = look(&hook, &[code]).map(|it| it.help);
            assert!(
                help.as_ref().is_some_and(|it| it.contains(meant)),
                "{help:?}"
            );
        }
    }

    /// CM-3, IO-1: a field that an event has by another name is found, and what may be read isn't.
    #[test]
    fn fields_of_another_name_are_found() {
        let python = |rest: &str| format!("d = json.load(sys.stdin)\n{rest}");
        for (event, code) in [
            (
                EventName::BeforeAgent,
                "if 'x' in d.get('user_prompt', ''): sys.exit(2)",
            ),
            (
                EventName::BeforeAgent,
                "if 'x' in d['message']: sys.exit(2)",
            ),
            (
                EventName::AfterAgent,
                "if 'TODO' in d.get('response', ''): sys.exit(2)",
            ),
            (
                EventName::AfterTool,
                "if 'x' in str(d.get('tool_result')): sys.exit(2)",
            ),
            (
                EventName::BeforeModel,
                "if 'x' in d.get('prompt', ''): sys.exit(2)",
            ),
        ] {
            assert!(at(event, &python(code)), "{code}");
        }
        assert!(at(EventName::BeforeAgent, "p=$(jq -r .user_prompt)"));
        for (event, code) in [
            (EventName::BeforeAgent, "if 'x' in d['prompt']: sys.exit(2)"),
            (
                EventName::BeforeAgent,
                "p = d.get('prompt') or d.get('user_prompt')",
            ),
            (
                EventName::BeforeAgent,
                "for l in open(d['transcript_path']): json.loads(l)['message']",
            ),
            (
                EventName::AfterAgent,
                "if d['prompt_response']: sys.exit(2)",
            ),
            (
                EventName::AfterTool,
                "r = d['tool_response']; r.get('output')",
            ),
            (EventName::BeforeModel, "d['llm_request']['messages'][-1]"),
            (EventName::AfterModel, "d['content']"),
            (EventName::SessionStart, "d['message']"),
        ] {
            assert!(!at(event, &python(code)), "{code}");
        }
    }

    /// CM-3: the arguments that are read are found, in the languages of hooks.
    #[test]
    fn what_is_read_is_found() {
        for (behind, name) in [
            (".path)", Some("path")),
            ("?.filePath", Some("filePath")),
            ("\"][\"path\"]", Some("path")),
            ("', {}).get('path')", Some("path")),
            ("\"].get(\"path\")", Some("path")),
            ("\"]).lower()", None),
            (").includes('x')", None),
            (".toString()", None),
            (" = 1", None),
            ("'", None),
        ] {
            assert_eq!(accessed(behind), name, "{behind}");
        }
        for (code, read) in [
            ("jq -r .tool_input.path", vec!["path"]),
            ("jq . > /tmp/tool_input.json; cat tool_input.txt", vec![]),
            ("raw_tool_input.path", vec![]),
            ("event.tool_input.length", vec![]),
        ] {
            assert_eq!(read_of_arguments(code), read, "{code}");
        }
        for code in [
            "f=$(jq -r .args.file_path)",
            "f=$(jq -r '.input.file_path // empty')",
            "d=json.load(sys.stdin)\nd.get('args')",
            "const event = JSON.parse(x);\nevent.toolName",
            "const d = JSON.parse(x);\nd?.toolInput?.command",
        ] {
            assert!(check_payload("x", code).is_some(), "{code}");
        }
        for code in [
            "f=$(jq -r .tool_input.file_path)",
            "jq -r .prompt",
            "d=json.load(sys.stdin)\nparser.parse_args()",
            "import json\njson.load(f)['version']",
            "jq -r .name package.json",
        ] {
            assert!(check_payload("x", code).is_none(), "{code}");
        }
    }
}
