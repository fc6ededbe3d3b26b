//! A new hook that is a WebAssembly component, written in Rust (HT-22).

use std::path::{Path, PathBuf};

use hookloop_events::EventName;
use serde_json::{Value, json};

use hookloop_text::shell_word as quoted;

use super::{Language, NewType, Plan, Template, guide};
use crate::failure::CommandFailure;
use crate::scope::Scope;

/// The target of the build.
const TARGET: &str = "wasm32-wasip2";

/// The WIT world for hooks, embedded into the program.
const WORLD: &str = include_str!("../../wit/hook.wit");

const MANIFEST: &str = include_str!("templates/plugin/Cargo.toml.txt");
const BEGINNING: &str = include_str!("templates/plugin/beginning.rs.txt");

/// Checks that a language supports a type.
pub(super) fn check(language: Language, kind: NewType) -> Result<(), CommandFailure> {
    let message = match (language, kind) {
        (Language::Rust, NewType::Plugin) => return Ok(()),
        (Language::Rust, NewType::Command) => {
            "a hook in Rust is a WebAssembly component: add `--type plugin`"
        }
        (_, NewType::Plugin) => {
            "`hooks new` writes plugins in Rust only: use `--lang rust`; examples/plugins has one in \
             Python"
        }
        (_, NewType::Command) => return Ok(()),
    };
    Err(CommandFailure::bad_input(message.to_owned()))
}

/// Returns the other files of the crate; none for other languages.
pub(super) fn around(plan: &Plan<'_>) -> Vec<(PathBuf, &'static str)> {
    let Some(folder) = folder(plan) else {
        return Vec::new();
    };
    vec![
        (folder.join("Cargo.toml"), MANIFEST),
        (folder.join("wit").join("hook.wit"), WORLD),
        (folder.join(".gitignore"), "target/\n"),
    ]
}

/// Returns the entry of the settings.
pub(super) fn entry(plan: &Plan<'_>) -> Value {
    let built = format!("target/{TARGET}/release/hook.wasm");
    let file = match (plan.scope, folder(plan)) {
        (Scope::User, Some(folder)) => folder.join(built).to_string_lossy().into_owned(),
        _ => format!(".gemini/hooks/{}/{built}", plan.name),
    };
    json!({
        "type": "plugin",
        "name": plan.name,
        "description": purpose(plan),
        "plugin": file,
    })
}

/// Returns the command that builds the component; empty for other languages.
pub(super) fn to_build(plan: &Plan<'_>, current_dir: &Path) -> Vec<String> {
    let Some(folder) = folder(plan) else {
        return Vec::new();
    };
    let manifest = folder.join("Cargo.toml");
    let manifest = manifest.strip_prefix(current_dir).unwrap_or(&manifest);
    let manifest = quoted(&manifest.to_string_lossy());
    let mut commands = vec![
        format!("rustup target add {TARGET}    # once"),
        format!("cargo build --release --target {TARGET} --manifest-path {manifest}"),
    ];
    if plan.scope == Scope::Project {
        commands.push(format!("hookloop hooks trust {}", quoted(plan.name)));
    }
    commands
}

/// Returns what has to be trusted again after a change.
pub(super) fn trust_after_change(plan: &Plan<'_>) -> &'static str {
    match plan.language {
        Language::Rust => "the component",
        _ => "the script",
    }
}

fn folder<'p>(plan: &'p Plan<'_>) -> Option<&'p Path> {
    if plan.language != Language::Rust {
        return None;
    }
    plan.script.parent()?.parent()
}

fn purpose(plan: &Plan<'_>) -> String {
    match plan.event {
        EventName::BeforeTool | EventName::AfterAgent | EventName::AfterModel => {
            guide::purpose(plan.event, plan.template).to_owned()
        }
        event => format!("Says that it was asked about {event}"),
    }
}

/// Describes the effect of a refusal; its reason is the argument.
fn refusal(event: EventName) -> &'static str {
    if event.can_refuse() {
        "refuse; the reason says why"
    } else {
        "a warning with this text: this event can't be refused"
    }
}

/// Returns the source of the component, with comments about its event.
pub(super) fn text(plan: &Plan<'_>) -> String {
    let event = plan.event;
    let guide = guide::of(event);
    let mut lines = vec![
        format!("{}: {}.", plan.name, purpose(plan)),
        String::new(),
        format!("{event} fires {}.", guide.fires),
        "The payload is one JSON object with these fields:".to_owned(),
    ];
    lines.extend(guide::fields(event));
    lines.push("The answer is `Reply::None`, or one JSON object:".to_owned());
    lines.extend(guide.answers.iter().map(|answer| format!("  {answer}")));
    lines.push(format!("`Reply::Refuse(reason)`: {}", refusal(event)));
    let comment: String = lines
        .iter()
        .map(|line| format!("//! {line}").trim_end().to_owned() + "\n")
        .collect();
    let refuses = if event.can_refuse() {
        "return Reply::Refuse(\"the payload can't be read\".to_owned());"
    } else {
        "return Reply::None;"
    };
    let body = body(event, plan.template);
    let beginning = BEGINNING.replace("@UNREADABLE@", refuses);
    format!("{comment}\n{beginning}{body}    }}\n}}\n\nexport!(Hook);\n")
}

/// Returns what a new component does with its payload.
const fn body(event: EventName, template: Template) -> &'static str {
    match (event, template) {
        (EventName::BeforeTool, Template::Marker) => {
            r#"        // Calls that contain one of these texts are refused: write what your guard is about.
        const FORBIDDEN: [&str; 1] = ["DO-NOT-TOUCH"];
        let arguments = payload["tool_input"].to_string();
        match FORBIDDEN.into_iter().find(|text| arguments.contains(text)) {
            Some(text) => Reply::Refuse(format!("this call contains {text}, which must stay as it is: find another way")),
            None => Reply::None,
        }
"#
        }
        (EventName::BeforeTool, Template::EnvFiles) => {
            r#"        let arguments = payload["tool_input"].to_string();
        let is_end = |sign: char| !(sign.is_alphanumeric() || "._-".contains(sign));
        let mut names = arguments.split(is_end);
        if names.any(|name| name == ".env" || name.starts_with(".env.")) {
            return Reply::Refuse("files with secrets stay closed; ask the person".to_owned());
        }
        Reply::None
"#
        }
        (EventName::AfterAgent, _) => {
            r#"        let answer = payload["prompt_response"].as_str().unwrap_or_default();
        if answer.contains("TODO") && payload["stop_hook_active"] != true {
            return Reply::Refuse("the answer still contains a TODO: do it, or say why not".to_owned());
        }
        Reply::None
"#
        }
        (EventName::AfterModel, _) => {
            r#"        let content = payload["content"].as_str().unwrap_or_default();
        if content.contains("INTERNAL-ONLY") {
            return Reply::Refuse("the answer quotes what is marked as internal".to_owned());
        }
        Reply::None
"#
        }
        // At this event, messages aren't shown to a person.
        (EventName::BeforeToolSelection, _) => {
            r#"        let model = payload["llm_request"]["model"].as_str().unwrap_or_default();
        log("info", &format!("the tools for {model} are about to be fixed"));
        Reply::None
"#
        }
        _ => {
            r#"        let event = payload["hook_event_name"].as_str().unwrap_or_default();
        log("info", &format!("asked about {event}"));
        let reply = serde_json::json!({ "systemMessage": format!("asked about {event}") });
        Reply::Reply(reply.to_string())
"#
        }
    }
}
