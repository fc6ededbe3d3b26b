//! Reads the entry of one hook (ST-3, `handlers.md`).

use std::sync::Arc;

use hookloop_dialects::unread_condition;
use hookloop_hook::{
    Broken, Chunks, Dialect, EventName, Handler, HookDeclaration, HookType, Mode, OnFailure,
    ProblemCode, Refusing, Rules, Withholds,
};
use hookloop_rules::Condition;
use hookloop_text::shorten::excerpt;
use jsonc_parser::ast::{Object, ObjectProp, Value};

use crate::conditions;
use crate::corrections::{Holder, correction};
use crate::deny_wish;
use crate::fields::{COMMON_FIELDS, GROUP_FIELDS, HOOK_FIELDS, Written, own_fields};
use crate::hook_ids::Identity;
use crate::hook_read::{Group, HookReader};
use crate::misplaced::report_inside;
use crate::near::{is_one_edit, look_alikes, nearest};
use crate::report::{Correction, Report};
use crate::syntax::{is_null, key_start, kind_of, member, start};
use crate::timeout::duration_of;

/// The variables that are set for every hook, and that its entry can't set (ENV-1, TR-1).
const OUR_VARIABLES: [&str; 5] = [
    "GEMINI_PROJECT_DIR",
    "GEMINI_CWD",
    "GEMINI_SESSION_ID",
    "GEMINI_PLANS_DIR",
    "CLAUDE_PROJECT_DIR",
];

impl HookReader<'_, '_> {
    /// Reads one hook of a group.
    pub(crate) fn hook(&mut self, group: &Group, object: &Object<'_>) {
        let properties = self.report.members(object);
        let mut hook = self.declaration(group, start(object));
        let hook_type = self.hook_type(&mut hook, object);
        // A null for `onFailure` isn't ignored: whoever wrote the key meant to set it (IO-21).
        let counts = |it: &&&ObjectProp<'_>| !is_null(&it.value) || it.name.as_str() == "onFailure";
        for property in properties.iter().filter(counts) {
            self.common_field(&mut hook, property);
            let name = property.name.as_str();
            let is_known = COMMON_FIELDS.contains(&name)
                || hook_type.is_none_or(|it| own_fields(it).contains(&name));
            if !is_known || !HOOK_FIELDS.contains(&name) {
                self.report_unknown(&mut hook, property, group, object);
            }
        }
        // An entry with an unreadable type is read as a command if it has one.
        let read_as = hook_type.or_else(|| {
            let command = member(object, "command")?;
            matches!(command.value, Value::StringLit(_)).then_some(HookType::Command)
        });
        if let Some(read_as) = read_as {
            match self.handler(&mut hook, read_as, object) {
                Ok(handler) => hook.handler = handler,
                Err(fault) => {
                    hook.broken.get_or_insert(fault);
                    if let Handler::Unreadable { type_name } = &mut hook.handler {
                        type_name.get_or_insert_with(|| read_as.to_string());
                    }
                }
            }
        }
        self.finish(&mut hook, object);
        self.hooks.push(hook);
    }

    fn hook_type(&mut self, hook: &mut HookDeclaration, object: &Object<'_>) -> Option<HookType> {
        let code = ProblemCode::UnknownHookType;
        let fault = match member(object, "type").map(|property| &property.value) {
            None => {
                let message = "a hook has no field \"type\"";
                let help = "add \"type\": \"command\"";
                let code = ProblemCode::MissingField;
                self.report.fault(code, start(object), message, help, None)
            }
            Some(value) => match self.text("\"type\"", value) {
                Err(fault) => fault,
                Ok(name) => {
                    if let Some(known) = HookType::from_word(&name) {
                        return Some(known);
                    }
                    let (message, meant) = unknown_type(&name);
                    hook.handler = Handler::Unreadable {
                        type_name: Some(name),
                    };
                    let Correction { help, suggestion } = meant;
                    self.report
                        .fault(code, start(value), message, help, suggestion)
                }
            },
        };
        hook.broken.get_or_insert(fault);
        None
    }

    /// Reads a field that every hook has; fields of its type are read with its handler.
    fn common_field(&mut self, hook: &mut HookDeclaration, property: &ObjectProp<'_>) {
        let value = &property.value;
        let place = Some(self.report.text.position(start(value)));
        let read = match property.name.as_str() {
            "timeout" => {
                self.timeout(hook, value);
                Ok(())
            }
            "onFailure" => {
                hook.on_failure = on_failure(self.report, value);
                Ok(())
            }
            // A malformed description is ignored: it doesn't affect the hook.
            "description" => {
                hook.description = self.text("\"description\"", value).ok();
                Ok(())
            }
            "statusMessage" => {
                hook.status_message = self.text("\"statusMessage\"", value).ok();
                Ok(())
            }
            "from" => {
                hook.from = self.text("\"from\"", value).ok();
                Ok(())
            }
            "name" => self.text("\"name\"", value).map(|name| {
                // An empty name counts as none, because it can't be used to disable or trust the
                // hook.
                hook.name = Some(name).filter(|name| !name.is_empty());
            }),
            "env" => self.env(hook, value),
            "if" => self.text("\"if\"", value).map(|condition| {
                hook.condition = Some(condition);
                hook.places.condition = place;
            }),
            "recheck" => self
                .boolean("\"recheck\"", value)
                .map(|it| hook.recheck = it),
            "data" => self.texts("\"data\"", value).map(|it| hook.data = it),
            "mode" => self
                .word("\"mode\"", value, Mode::ALL, Mode::as_str)
                .map(|it| hook.mode = it),
            "async" => self
                .boolean("\"async\"", value)
                .map(|it| hook.asynchronous |= it),
            "asyncRewake" => self.boolean("\"asyncRewake\"", value).map(|it| {
                hook.rewakes = it;
                hook.asynchronous |= it;
            }),
            "loopLimit" => {
                hook.loop_limit = self.loop_limit(value);
                Ok(())
            }
            "once" => self.boolean("\"once\"", value).map(|it| hook.once = it),
            "dialect" => self.dialect(value).map(|it| hook.dialect = it),
            "dialectEvent" => self
                .text("\"dialectEvent\"", value)
                .map(|it| hook.dialect_event = Some(it)),
            "agents" => self.agents(value).map(|it| hook.agents = Some(it)),
            "holdBack" => self.hold_back(value).map(|it| hook.hold_back = Some(it)),
            "chunks" => self
                .word("\"chunks\"", value, Chunks::ALL, Chunks::as_str)
                .map(|it| hook.chunks = it),
            "withholds" => self
                .word("\"withholds\"", value, Withholds::ALL, Withholds::as_str)
                .map(|it| hook.withholds = Some(it)),
            "sandbox" => self.sandbox(value).map(|it| hook.sandbox = Some(it)),
            "command" => {
                hook.places.command = place;
                Ok(())
            }
            _ => Ok(()),
        };
        if let Err(fault) = read {
            hook.broken.get_or_insert(fault);
        }
    }

    /// Reports a field without meaning; one that was meant for `onFailure` counts as `deny`.
    fn report_unknown(
        &mut self,
        hook: &mut HookDeclaration,
        property: &ObjectProp<'_>,
        group: &Group,
        object: &Object<'_>,
    ) {
        let name = property.name.as_str();
        let is_meant = is_one_edit(name, "onFailure") || deny_wish::wants_deny(property);
        if is_meant && member(object, "onFailure").is_none() {
            hook.on_failure = OnFailure::Deny;
        }
        if report_inside(self.report, "a hook", property) {
            return;
        }
        let is_in_group = GROUP_FIELDS.contains(&name) && name != "hooks";
        if !is_in_group
            && let Some(meant) = correction(property, Holder::Hook, object, group.written)
        {
            self.report
                .report_misplaced_field(property, "a hook", meant);
            return;
        }
        if !is_in_group && !HOOK_FIELDS.contains(&name) {
            self.report.unknown_field(property, "a hook", &HOOK_FIELDS);
            return;
        }
        let (message, help) = if is_in_group {
            if group.written == Written::AsHook {
                return;
            }
            let is_said = group.says(name);
            (
                format!("a hook has no field \"{name}\""),
                if is_said {
                    format!("remove it: the \"{name}\" of the group around the hook counts")
                } else {
                    format!("move \"{name}\" to the group around the hook, beside its \"hooks\"")
                },
            )
        } else {
            (
                format!(
                    "\"{name}\" has no effect on a hook of type \"{}\"",
                    member(object, "type")
                        .and_then(|it| it.value.as_string_lit())
                        .map_or("", |it| &it.value)
                ),
                "remove it, or change the type".to_owned(),
            )
        };
        let code = ProblemCode::UnknownField;
        self.report.add(code, key_start(property), message, help);
    }

    /// Fills in what depends on the whole entry, and gives the hook its identity.
    fn finish(&mut self, hook: &mut HookDeclaration, object: &Object<'_>) {
        if let Handler::Rule { rules } = &hook.handler
            && hook.on_failure == OnFailure::Default
        {
            let stops_action = match rules {
                Rules::Inline(rules) => rules.iter().any(|rule| rule.then.stops_action()),
                // The content of a rules file isn't known here, and may refuse (HT-25).
                Rules::File(_) => true,
            };
            if stops_action {
                hook.on_failure = OnFailure::Deny;
            }
        }
        // Another agent's condition is in that agent's language (FD-12).
        if hook.dialect == Dialect::Hookloop
            && let (Some(condition), Some(property)) = (&hook.condition, member(object, "if"))
            && let Err(error) = Condition::read(condition)
        {
            let place = conditions::position(self.report.text, &property.value, error.column);
            let (message, help) = conditions::complaint(&error);
            let code = ProblemCode::ConditionInvalid;
            self.report.add(code, place, message, help);
        }
        if let (Some(condition), Some(property)) = (&hook.condition, member(object, "if"))
            && let Some(why) = unread_condition(hook.dialect, condition)
        {
            let message = format!("\"if\" can't be evaluated, so the hook runs without it: {why}");
            let help = "write it as one condition that its agent supports, or leave it out";
            let code = ProblemCode::Lossy;
            self.report.add(code, start(&property.value), message, help);
        }
        self.dialect_event(hook, object);
        if hook.asynchronous
            && hook.refusing() == Refusing::Always
            && hook.on_failure == OnFailure::Deny
        {
            let message = "nobody waits for a hook with \"async\", so it can't refuse";
            let help = "remove \"async\", or the \"onFailure\"";
            let code = ProblemCode::AsyncGuard;
            self.report.add(code, start(object), message, help);
        }
        for (field, event) in [
            ("holdBack", EventName::AfterModel),
            ("chunks", EventName::AfterModel),
            ("withholds", EventName::AfterTool),
        ] {
            if let Some(property) = member(object, field).filter(|_| hook.event != event) {
                let message = format!("\"{field}\" has no effect at {}", hook.event);
                let help = format!("remove it; it is for {event}");
                let code = ProblemCode::UnknownField;
                self.report.add(code, key_start(property), message, help);
            }
        }
        // If nothing of the entry could be read, its text still distinguishes it from others.
        let text = match &hook.handler {
            Handler::Command {
                command,
                args: None,
                shell: None,
            } => command.clone(),
            _ => crate::syntax::object_to_json(object).to_string(),
        };
        self.identify(hook, &text);
    }

    /// Assigns a hook its identity (ST-4).
    pub(crate) fn identify(&mut self, hook: &mut HookDeclaration, text: &str) {
        let extension = hook.extension.as_ref();
        hook.id = self.hook_ids.identify(&Identity {
            layer: hook.source.layer,
            extension: extension.map(|origin| (&*origin.name, origin.scope)),
            event: hook.event,
            matcher: hook.matcher.as_deref(),
            name: hook.name.as_deref(),
            command: text,
            env: &hook.env,
        });
    }

    fn env(&mut self, hook: &mut HookDeclaration, value: &Value<'_>) -> Result<(), Arc<Broken>> {
        let Value::Object(object) = value else {
            return Err(self.wrong_type("\"env\"", value, "an object with strings"));
        };
        let mut first = Ok(());
        for property in self.report.members(object) {
            match self.variable(property) {
                Ok((name, text)) => _ = hook.env.insert(name, text),
                Err(fault) => first = first.and(Err(fault)),
            }
        }
        first
    }

    fn variable(&mut self, property: &ObjectProp<'_>) -> Result<(String, String), Arc<Broken>> {
        let name = property.name.as_str();
        let what = format!("the variable \"{}\"", excerpt(name));
        let text = self.text(&what, &property.value)?;
        let (message, help) =
            if name.is_empty() || name.contains(['=', '\0']) || text.contains('\0') {
                (
                    format!("{what} can't be in an environment"),
                    "names must not be empty or contain \"=\"; neither may contain a NUL character",
                )
            } else if OUR_VARIABLES.contains(&name) {
                (
                    format!("{what} is set for every hook and can't be set here"),
                    "remove it, or use another name",
                )
            } else {
                return Ok((name.to_owned(), text));
            };
        let code = ProblemCode::InvalidValue;
        Err(self
            .report
            .fault(code, key_start(property), message, help, None))
    }

    fn timeout(&mut self, hook: &mut HookDeclaration, value: &Value<'_>) {
        match duration_of(value) {
            Ok(timeout) => {
                hook.timeout = timeout;
                hook.places.timeout = Some(self.report.text.position(start(value)));
            }
            Err(message) => {
                let help = "write milliseconds (5000), or a number with a unit (\"5s\"); the \
                            default of 60 s is used";
                let code = ProblemCode::InvalidValue;
                self.report.add(code, start(value), message, help);
            }
        }
    }
}

/// Reads an `onFailure` (IO-21); one that can't be read is reported, and counts as `deny`.
pub(crate) fn on_failure(report: &mut Report<'_>, value: &Value<'_>) -> OnFailure {
    let help = "write \"warn\" or \"deny\"; until then, a failure refuses";
    let Value::StringLit(text) = value else {
        let message = format!("\"onFailure\" is {}, not a string", kind_of(value));
        report.add(ProblemCode::WrongType, start(value), message, help);
        return OnFailure::Deny;
    };
    match &*text.value {
        "warn" => OnFailure::Warn,
        "deny" => OnFailure::Deny,
        other => {
            let meant = nearest(other, ["warn", "deny"]);
            let message = format!("\"{}\" isn't a value of \"onFailure\"", excerpt(other));
            let code = ProblemCode::InvalidValue;
            report.add_suggesting(code, start(value), message, help, meant);
            OnFailure::Deny
        }
    }
}

/// Returns what is wrong with a type of hook that doesn't exist, and which was probably meant.
fn unknown_type(name: &str) -> (String, Correction) {
    // A type of Claude Code: an agent with its own tools, whose answer decides.
    if name == "agent" {
        let message = "\"agent\" isn't a type of hook here: no hook starts an agent of its own";
        let help = "write \"prompt\": a model decides from the content of the event; to look \
                    something up, use a \"command\" with a script that does";
        let meant = Correction {
            help: help.to_owned(),
            suggestion: Some(HookType::Prompt.as_str()),
        };
        return (message.to_owned(), meant);
    }
    let words = HookType::ALL.iter().map(|it| it.as_str());
    let meant = nearest(name, words).unwrap_or("command");
    let message = format!("\"{}\" isn't a type of hook", excerpt(name));
    let help = match look_alikes(name) {
        Some(letters) => format!("write \"{meant}\": {letters}"),
        None => format!("write \"{meant}\"; types are case-sensitive"),
    };
    let suggestion = Some(meant);
    (message, Correction { help, suggestion })
}
