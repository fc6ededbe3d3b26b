//! The fields of a hook that a person agrees to (TR-1).

use std::collections::BTreeMap;

use hookloop_hook::{
    Chunks, DEFAULT_IDLE, DEFAULT_TIMEOUT, Dialect, Grouping, Handler, HoldBack, HookDeclaration,
    Mode, OnFailure, Rules,
};
use serde_json::{Value, json};

/// The fields of an entry and its group by their names in settings, as they would have to be
/// written, without those that have their default. So spelling out a default doesn't make a
/// different entry, and a new field doesn't make all entries different.
pub(crate) type Fields = BTreeMap<String, Value>;

/// Returns all fields of a hook that count: all but `description` and `statusMessage`.
///
/// The declaration is destructured completely, so that a new field doesn't compile before somebody
/// has decided whether people agree to it.
pub(crate) fn fields(hook: &HookDeclaration) -> Fields {
    let HookDeclaration {
        id: _,
        event,
        handler,
        broken: _,
        name,
        description: _,
        matcher,
        grouping,
        timeout,
        env,
        on_failure,
        dialect,
        dialect_event,
        in_their_file: _,
        mode,
        condition,
        recheck,
        data,
        hold_back,
        chunks,
        status_message: _,
        asynchronous,
        rewakes,
        loop_limit,
        // Not part of an entry, and never set for a hook that needs trust.
        skips_confirmation: _,
        once,
        agents,
        withholds,
        sandbox,
        from: _,
        source: _,
        extension,
        places: _,
    } = hook;
    let mut fields = SetFields(handler_fields(handler));
    fields.set("event", Some(event.as_str()));
    fields.set("name", name.as_deref());
    fields.set("matcher", matcher.as_deref());
    fields.set("extension", extension.as_ref().map(|it| &*it.name));
    fields.set(
        "sequential",
        (*grouping == Grouping::Sequential).then_some(true),
    );
    let milliseconds = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
    fields.set(
        "timeout",
        (*timeout != DEFAULT_TIMEOUT).then_some(milliseconds),
    );
    fields.set("env", (!env.is_empty()).then(|| json!(env)));
    let on_failure = (*on_failure != OnFailure::Default).then(|| on_failure.as_str());
    fields.set("onFailure", on_failure);
    fields.set(
        "dialect",
        (*dialect != Dialect::Hookloop).then(|| dialect.as_str()),
    );
    fields.set("dialectEvent", dialect_event.as_deref());
    fields.set("mode", (*mode != Mode::Active).then(|| mode.as_str()));
    fields.set("if", condition.as_deref());
    fields.set("recheck", (!recheck).then_some(false));
    fields.set("data", (!data.is_empty()).then(|| json!(data)));
    fields.set("holdBack", hold_back.map(written));
    fields.set("chunks", (*chunks != Chunks::Each).then(|| chunks.as_str()));
    fields.set("async", asynchronous.then_some(true));
    fields.set("asyncRewake", rewakes.then_some(true));
    fields.set("loopLimit", *loop_limit);
    fields.set("once", once.then_some(true));
    fields.set("agents", agents.as_ref().map(|it| json!(it)));
    fields.set("withholds", withholds.map(hookloop_hook::Withholds::as_str));
    fields.set("sandbox", sandbox.as_ref().map(|it| json!(it)));
    fields.0
}

fn handler_fields(handler: &Handler) -> Fields {
    let mut fields = SetFields(Fields::new());
    if let Some(hook_type) = handler.hook_type() {
        // An entry without a type is a command.
        let is_command = matches!(handler, Handler::Command { .. });
        fields.set("type", (!is_command).then(|| hook_type.as_str()));
    }
    match handler {
        Handler::Command {
            command,
            args,
            shell,
        } => {
            fields.set("command", Some(command.as_str()));
            fields.set("args", args.as_ref().map(|it| json!(it)));
            fields.set("shell", shell.map(hookloop_hook::Shell::as_str));
        }
        Handler::Worker {
            command,
            args,
            idle,
        } => {
            fields.set("command", Some(command.as_str()));
            fields.set("args", args.as_ref().map(|it| json!(it)));
            let milliseconds = u64::try_from(idle.as_millis()).unwrap_or(u64::MAX);
            fields.set("idle", (*idle != DEFAULT_IDLE).then_some(milliseconds));
        }
        Handler::Http(request) => {
            fields.set("url", Some(request.url.as_str()));
            let headers = &request.headers;
            fields.set("headers", (!headers.is_empty()).then(|| json!(headers)));
            let allowed = &request.allowed_env;
            fields.set("allowedEnv", (!allowed.is_empty()).then(|| json!(allowed)));
        }
        Handler::Plugin(plugin) => {
            fields.set("plugin", Some(plugin.plugin.as_str()));
            let has_grants = plugin.grants != hookloop_hook::PluginGrants::default();
            fields.set("grants", has_grants.then(|| json!(plugin.grants)));
            fields.set("live", plugin.live.then_some(true));
        }
        Handler::Rule { rules } => {
            let rules = match rules {
                Rules::File(file) => json!(file),
                Rules::Inline(rules) => json!(rules),
            };
            fields.set("rules", Some(rules));
        }
        Handler::McpTool(call) => {
            fields.set("server", Some(call.server.as_str()));
            fields.set("tool", Some(call.tool.as_str()));
            fields.set("input", (!call.input.is_null()).then(|| call.input.clone()));
            // The server's configuration is as much a part of the hook as its name.
            let server = call.configured.as_ref();
            fields.set("mcpServer", server.map(|it| it.configuration.clone()));
        }
        Handler::Prompt(call) => {
            fields.set("prompt", Some(call.prompt.as_str()));
            fields.set("model", call.model.as_deref());
            // What the name stands for decides as much as the name; a model of that name, as it is,
            // is nothing more.
            let served = call.served.as_ref();
            let alias = served.filter(|it| call.model.as_ref() != Some(&it.name));
            fields.set("servedModel", alias.map(|it| it.name.as_str()));
            let set = served.filter(|it| !it.parameters.is_empty());
            fields.set("modelParameters", set.map(|it| json!(it.parameters)));
        }
        Handler::Unreadable { type_name } => fields.set("type", type_name.as_deref()),
        Handler::InProcess => {}
    }
    fields.0
}

fn written(hold_back: HoldBack) -> Value {
    match hold_back {
        HoldBack::Line => json!("line"),
        HoldBack::Sentence => json!("sentence"),
        HoldBack::Characters(characters) => json!(characters),
    }
}

/// Collects the fields that have a value.
struct SetFields(Fields);

impl SetFields {
    fn set(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.0.insert(name.to_owned(), value.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use hookloop_hook::{EventName, HookId, Source};

    use super::*;

    fn hook() -> HookDeclaration {
        HookDeclaration::new(
            HookId::from_text("1"),
            EventName::BeforeTool,
            Handler::command("guard"),
            Source::of_file(std::path::Path::new("settings.json")),
        )
    }

    /// TR-1: a hook that has nothing but a command has two fields: defaults are left out, so that
    /// adding a field later isn't a change.
    #[test]
    fn what_is_at_its_default_is_left_out() {
        let fields = fields(&hook());
        assert_eq!(
            json!(fields),
            json!({"command": "guard", "event": "BeforeTool"})
        );
    }

    /// TR-1: every field counts except `description` and `statusMessage`.
    #[test]
    fn each_field_counts_but_those_for_people() {
        type Change = fn(&mut HookDeclaration);
        let changes: [(&str, Change); 21] = [
            ("event", |it| it.event = EventName::AfterTool),
            ("command", |it| it.handler = Handler::command("other")),
            ("name", |it| it.name = Some(String::new())),
            ("matcher", |it| it.matcher = Some("x".to_owned())),
            ("sequential", |it| it.grouping = Grouping::Sequential),
            ("timeout", |it| it.timeout = std::time::Duration::ZERO),
            ("env", |it| {
                it.env.insert("A".to_owned(), String::new());
            }),
            ("onFailure", |it| it.on_failure = OnFailure::Warn),
            ("dialect", |it| it.dialect = Dialect::ClaudeCode),
            ("dialectEvent", |it| it.dialect_event = Some("Stop".into())),
            ("mode", |it| it.mode = Mode::Shadow),
            ("if", |it| it.condition = Some("false".to_owned())),
            ("recheck", |it| it.recheck = false),
            ("data", |it| it.data = vec!["a".to_owned()]),
            ("chunks", |it| it.chunks = Chunks::Joined),
            ("async", |it| it.asynchronous = true),
            ("asyncRewake", |it| it.rewakes = true),
            ("loopLimit", |it| it.loop_limit = Some(3)),
            ("once", |it| it.once = true),
            ("agents", |it| it.agents = Some(Vec::new())),
            ("sandbox", |it| {
                it.sandbox = Some(hookloop_hook::HookSandbox::default());
            }),
        ];
        for (name, change) in changes {
            let mut edited = hook();
            change(&mut edited);
            let (before, after) = (fields(&hook()), fields(&edited));
            assert_ne!(before.get(name), after.get(name), "{name}");
        }
        let mut described = hook();
        described.description = Some("d".to_owned());
        described.status_message = Some("s".to_owned());
        assert_eq!(fields(&described), fields(&hook()));
    }
}
