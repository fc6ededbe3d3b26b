//! Hooks that are one hook, and hooks that only look like it (PL-7).

use std::collections::HashMap;

use hookloop_hook::{Handler, HookDeclaration, Problem, ProblemCode};

use crate::registry::{Registered, Registry};

impl Registered {
    /// Tells whether this hook and another one would do the same, and their answers too (PL-7).
    /// An entry that could not be built is one with no other: what it was to do is not known.
    pub(crate) fn is_twin_of(&self, other: &Self) -> bool {
        self.identity.hash == other.identity.hash
            && self.hook.condition == other.hook.condition
            && self.is_same_work(other)
    }

    fn is_same_work(&self, other: &Self) -> bool {
        let (one, two) = (&*self.hook, &*other.hook);
        one.broken.is_none()
            && two.broken.is_none()
            && one.name == two.name
            && self.does_what(other)
            && one.env == two.env
            && settings_env(one).eq(settings_env(two))
            && one.timeout == two.timeout
            && one.on_failure == two.on_failure
            && one.dialect == two.dialect
            && one.dialect_event == two.dialect_event
            && one.mode == two.mode
            && one.recheck == two.recheck
            && one.data == two.data
            && one.hold_back == two.hold_back
            && one.chunks == two.chunks
            && one.asynchronous == two.asynchronous
            && one.rewakes == two.rewakes
            && one.loop_limit == two.loop_limit
            && one.once == two.once
            && one.agents == two.agents
            && one.withholds == two.withholds
            && one.sandbox == two.sandbox
    }

    /// Tells whether both carry out the same, after variables are expanded.
    fn does_what(&self, other: &Self) -> bool {
        match (&self.hook.handler, &other.hook.handler) {
            (
                Handler::Command { args, shell, .. },
                Handler::Command {
                    args: other_args,
                    shell: other_shell,
                    ..
                },
            ) => self.program() == other.program() && args == other_args && shell == other_shell,
            // What a closure does nobody but the host knows.
            (Handler::InProcess, _) => self.hook.id == other.hook.id,
            (one, two) => one == two,
        }
    }

    fn program(&self) -> &str {
        let expanded = self.identity.expanded.as_deref();
        expanded.unwrap_or_else(|| self.hook.command())
    }
}

/// Returns what an extension's settings add to its hooks' environment (ENV-4).
fn settings_env(hook: &HookDeclaration) -> impl Iterator<Item = (&str, &str)> {
    hook.extension.iter().flat_map(|origin| {
        let given = origin.settings_env.iter();
        // Two extensions keep values of their own in the keyring under the same name.
        let kept = origin.in_keyring.iter();
        given
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .chain(kept.map(|name| (name.as_str(), &*origin.name)))
    })
}

/// Finds for hooks that would all run the ones that don't, because another one is the same: the
/// most trusted stays, of equals the first in order (PL-7). Returns for each whose place it takes.
pub(crate) fn folded<'a>(hooks: &[(&'a Registered, Option<&str>)]) -> Vec<Option<&'a Registered>> {
    let mut stays: HashMap<u64, Vec<(&Registered, Option<&str>)>> =
        HashMap::with_capacity(hooks.len());
    // Two that read a tool under different names are two (PL-11).
    let is_one = |one: &(&Registered, Option<&str>), two: &(&Registered, Option<&str>)| {
        one.1 == two.1 && one.0.is_twin_of(two.0)
    };
    for hook in hooks {
        let alike = stays.entry(hook.0.identity.hash()).or_default();
        match alike.iter_mut().find(|kept| is_one(kept, hook)) {
            Some(kept) if hook.0.hook.authority() > kept.0.hook.authority() => *kept = *hook,
            Some(_) => {}
            None => alike.push(*hook),
        }
    }
    let place_of = |hook: &(&'a Registered, Option<&str>)| {
        let alike = stays.get(&hook.0.identity.hash())?;
        let (kept, _) = alike.iter().find(|kept| is_one(kept, hook))?;
        (!std::ptr::eq(*kept, hook.0)).then_some(*kept)
    };
    hooks.iter().map(place_of).collect()
}

/// Reports hooks of one event, name and work that differ in something else: they look like one hook
/// and all run (PL-7).
pub(crate) fn near_twins(registry: &Registry) -> Vec<Problem> {
    let mut first: HashMap<_, &Registered> = HashMap::new();
    let mut problems = Vec::new();
    for registered in registry.all().filter(|it| it.causes.is_empty()) {
        let hook = &registered.hook;
        if hook.broken.is_some() || hook.handler.hook_type().is_none() {
            continue;
        }
        let key = (
            hook.event,
            &hook.name,
            registered.program(),
            hook.handler.summary(),
        );
        let Some(earlier) = first.get(&key) else {
            first.insert(key, registered);
            continue;
        };
        if earlier.is_same_work(registered) || earlier.hook.condition != hook.condition {
            continue;
        }
        let differences = differences(&earlier.hook, hook).join(", ");
        let place = &earlier.hook.source;
        let message = format!(
            "hook \"{}\" stands at {place} too, with another {differences}; both run",
            hook.label()
        );
        let help = "give them different names if both are meant, or remove one of them";
        let mut problem = Problem::new(
            ProblemCode::NearTwin,
            hook.source.clone(),
            message,
            help.to_owned(),
        );
        problem.event = Some(hook.event);
        problem.hook_id = Some(hook.id.clone());
        problems.push(problem);
    }
    problems
}

/// Names what differs between two hooks of one name and work, as settings spell it.
fn differences(one: &HookDeclaration, two: &HookDeclaration) -> Vec<&'static str> {
    let fields = [
        ("`type`", one.handler.type_name() != two.handler.type_name()),
        ("`args`", one.handler.args() != two.handler.args()),
        (
            "`env`",
            one.env != two.env || !settings_env(one).eq(settings_env(two)),
        ),
        ("`timeout`", one.timeout != two.timeout),
        ("`onFailure`", one.on_failure != two.on_failure),
        (
            "`dialect`",
            one.dialect != two.dialect || one.dialect_event != two.dialect_event,
        ),
        ("`mode`", one.mode != two.mode),
        ("`recheck`", one.recheck != two.recheck),
        ("`data`", one.data != two.data),
        ("`holdBack`", one.hold_back != two.hold_back),
        ("`chunks`", one.chunks != two.chunks),
        ("`async`", one.asynchronous != two.asynchronous),
        ("`asyncRewake`", one.rewakes != two.rewakes),
        ("`loopLimit`", one.loop_limit != two.loop_limit),
        ("`once`", one.once != two.once),
        ("`agents`", one.agents != two.agents),
        ("`withholds`", one.withholds != two.withholds),
        ("`sandbox`", one.sandbox != two.sandbox),
    ];
    let named: Vec<_> = fields
        .into_iter()
        .filter_map(|(name, differs)| differs.then_some(name))
        .collect();
    if named.is_empty() {
        vec!["setting of their handler"]
    } else {
        named
    }
}
