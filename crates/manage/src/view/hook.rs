//! A hook as JSON (`cli-json.md` §2, "Hook").

use hookloop_engine::{HookStatus, SkipCause};
use hookloop_hook::{
    Broken, Dialect, Grouping, Handler, HookDeclaration, HookSandbox, Mode, OnFailure, Rules,
    Source,
};
use hookloop_session::Status;
use hookloop_session::recording::Statistics;
use serde::Serialize;
use serde_json::{Value, json};

/// A hook with its standing, as JSON.
#[derive(Debug, Serialize)]
pub struct HookView<'a> {
    id: &'a str,
    event: &'static str,
    r#type: &'a str,
    name: Option<&'a str>,
    description: Option<&'a str>,
    matcher: Option<&'a str>,
    label: &'a str,
    command: Option<&'a str>,
    sequential: bool,
    timeout_ms: u64,
    on_failure: OnFailure,
    env: Vec<&'a str>,
    source: &'a Source,
    status: Status,
    causes: Vec<CauseView<'a>>,
    trust: &'static str,
    dialect: Dialect,
    mode: Mode,
    handler: Option<Value>,
    unpinned: bool,
    recheck: bool,
    condition: Option<&'a str>,
    sandbox: Option<&'a HookSandbox>,
    stats: Option<Statistics>,
}

/// Why a hook wouldn't run, or that it can't be built, as JSON (`cli-json.md` §2, "Cause").
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum CauseView<'a> {
    Skip(&'a SkipCause),
    Broken {
        code: &'static str,
        message: &'a str,
        source: &'a Source,
        hook_id: Option<&'a str>,
    },
}

impl<'a> CauseView<'a> {
    fn from_broken(broken: &'a Broken) -> Self {
        Self::Broken {
            code: "broken",
            message: &broken.cause,
            source: &broken.source,
            hook_id: None,
        }
    }
}

impl<'a> HookView<'a> {
    /// Creates the view of a hook; only the list contains statistics.
    pub fn new(known: &'a HookStatus, stats: Option<Statistics>) -> Self {
        let hook: &HookDeclaration = &known.hook;
        Self {
            id: hook.id.as_str(),
            event: hook.event.as_str(),
            r#type: hook.handler.type_name(),
            name: hook.name.as_deref(),
            description: hook.description.as_deref(),
            matcher: hook.matcher.as_deref(),
            label: hook.label(),
            command: match &hook.handler {
                Handler::Command { command, .. } => Some(command),
                _ => None,
            },
            sequential: hook.grouping == Grouping::Sequential,
            timeout_ms: u64::try_from(hook.timeout.as_millis()).unwrap_or(u64::MAX),
            on_failure: hook.on_failure,
            env: hook.env.keys().map(String::as_str).collect(),
            source: &hook.source,
            status: Status::of(known),
            causes: {
                let broken = hook.broken.as_deref().map(CauseView::from_broken);
                let causes = known.causes.iter().map(CauseView::Skip);
                causes.chain(broken).collect()
            },
            trust: known.standing.as_str(),
            dialect: hook.dialect,
            mode: hook.mode,
            handler: handler(&hook.handler),
            unpinned: known.unpinned,
            recheck: hook.recheck,
            condition: hook.condition.as_deref(),
            sandbox: hook.sandbox.as_ref(),
            stats,
        }
    }
}

/// Returns the handler of a hook whose type isn't `command`, as settings spell it.
fn handler(handler: &Handler) -> Option<Value> {
    Some(match handler {
        Handler::Command { .. } | Handler::InProcess | Handler::Unreadable { .. } => return None,
        Handler::Worker {
            command,
            args,
            idle,
        } => json!({
            "command": command,
            "args": args,
            "idle_ms": u64::try_from(idle.as_millis()).unwrap_or(u64::MAX),
        }),
        Handler::Http(request) => json!({
            "url": request.url,
            "headers": request.headers,
            "allowedEnv": request.allowed_env,
        }),
        Handler::Plugin(plugin) => json!({
            "plugin": plugin.plugin,
            "grants": plugin.grants,
            "live": plugin.live,
        }),
        Handler::Rule { rules } => match rules {
            Rules::File(file) => json!({ "rules": file }),
            Rules::Inline(rules) => json!({ "rules": rules }),
        },
        Handler::McpTool(call) => json!({
            "server": call.server,
            "tool": call.tool,
            "input": call.input,
            "configured_at": call.configured.as_ref().map(|it| &it.source),
        }),
        Handler::Prompt(call) => json!({
            "prompt": call.prompt,
            "model": call.model,
        }),
    })
}
