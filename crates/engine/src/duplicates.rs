//! Hooks that are duplicates, and hooks that only look like duplicates (PL-7).

use std::collections::HashMap;
use std::path::Path;

use hookloop_dialects::{are_two_events, is_whole_event};
use hookloop_hook::{Handler, HookDeclaration, Problem, ProblemCode, quoted};

use crate::registry::{Registered, Registry};

impl Registered {
    /// Returns whether this hook and another one would do the same, and their answers too (PL-7).
    /// An entry that couldn't be built equals no other: what it was meant to do isn't known.
    pub(crate) fn is_duplicate_of(&self, other: &Self) -> bool {
        self.identity.hash == other.identity.hash
            && self.hook.condition == other.hook.condition
            && self.is_same_work(other)
    }

    /// Returns whether this hook was migrated from another one that is in its agent's own file, and
    /// still says the same: the original, which follows later edits, replaces it (FD-2). One that
    /// was changed since, or counts less than the copy, replaces nothing: both run.
    pub(crate) fn is_copy_of(&self, original: &Self) -> bool {
        let (copy, first) = (&*self.hook, &*original.hook);
        copy.event == first.event
            && copy.is_copied_from(first)
            && first.authority() >= copy.authority()
            && copy.condition == first.condition
            && dialect_event(copy) == dialect_event(first)
            && self.is_same_run(original)
    }

    /// Returns which of two that are the same stays if the other one came first.
    fn takes_place_of(&self, earlier: &Self) -> bool {
        self.hook.authority() > earlier.hook.authority() || earlier.is_copy_of(self)
    }

    fn is_same_work(&self, other: &Self) -> bool {
        self.hook.dialect_event == other.hook.dialect_event && self.is_same_run(other)
    }

    /// Compares everything but the event and when it is asked. Each field is named: a new one has
    /// to be judged here.
    fn is_same_run(&self, other: &Self) -> bool {
        let HookDeclaration {
            id: _,
            event: _,
            handler: _,
            broken,
            name,
            description: _,
            matcher: _,
            grouping: _,
            timeout,
            env,
            on_failure,
            dialect,
            dialect_event: _,
            mode,
            condition: _,
            recheck,
            data,
            hold_back,
            chunks,
            status_message: _,
            asynchronous,
            rewakes,
            loop_limit,
            skips_confirmation,
            once,
            agents,
            withholds,
            sandbox,
            in_their_file: _,
            from: _,
            source: _,
            extension: _,
            places: _,
        } = &*self.hook;
        let two = &*other.hook;
        broken.is_none()
            && two.broken.is_none()
            && *name == two.name
            && self.runs_same(other)
            && *env == two.env
            && extension_folder(&self.hook) == extension_folder(two)
            && *timeout == two.timeout
            && *on_failure == two.on_failure
            && *dialect == two.dialect
            && *mode == two.mode
            && *recheck == two.recheck
            && *data == two.data
            && *hold_back == two.hold_back
            && *chunks == two.chunks
            && *asynchronous == two.asynchronous
            && *rewakes == two.rewakes
            && *loop_limit == two.loop_limit
            && *skips_confirmation == two.skips_confirmation
            && *once == two.once
            && *agents == two.agents
            && *withholds == two.withholds
            && *sandbox == two.sandbox
    }

    /// Returns whether both run the same, after variables are expanded.
    fn runs_same(&self, other: &Self) -> bool {
        match (&self.hook.handler, &other.hook.handler) {
            (
                Handler::Command { args, shell, .. },
                Handler::Command {
                    args: other_args,
                    shell: other_shell,
                    ..
                },
            ) => self.program() == other.program() && args == other_args && shell == other_shell,
            // Only the host knows what a closure does, so its id decides.
            (Handler::InProcess, _) => self.hook.id == other.hook.id,
            (one, two) => one == two,
        }
    }

    fn program(&self) -> &str {
        let expanded = self.identity.expanded.as_deref();
        expanded.unwrap_or_else(|| self.hook.command())
    }
}

/// Returns the folder of a hook's extension. Programs, rules and variables are found by it, and its
/// settings are in the hook's environment (EX-3, ENV-4), so the same words mean something else in
/// another extension, and in settings.
fn extension_folder(hook: &HookDeclaration) -> Option<&Path> {
    hook.extension.as_deref().map(|it| it.path.as_path())
}

/// Returns the event of its dialect that a hook stands for, if that is less than all of ours.
fn dialect_event(hook: &HookDeclaration) -> Option<&str> {
    let named = hook.dialect_event.as_deref();
    named.filter(|name| !is_whole_event(hook.dialect, name))
}

/// A hook that would run, and the name under which it reads the tool.
type Runnable<'a, 'n> = (&'a Registered, Option<&'n str>);

/// Finds, among hooks that would all run, the ones that don't because another one is the same: the
/// most trusted stays, of equals the first in order (PL-7), of an original and its copy the
/// original (FD-2). Returns for each one which hook replaces it.
pub(crate) fn folded<'a>(hooks: &[Runnable<'a, '_>]) -> Vec<Option<&'a Registered>> {
    let mut stays: HashMap<u64, Vec<Runnable<'a, '_>>> = HashMap::with_capacity(hooks.len());
    // Hooks that read a tool under different names aren't the same (PL-11).
    let is_one = |one: &Runnable<'_, '_>, two: &Runnable<'_, '_>| {
        one.1 == two.1 && one.0.is_duplicate_of(two.0)
    };
    for hook in hooks {
        let alike = stays.entry(hook.0.identity.hash()).or_default();
        match alike.iter_mut().find(|kept| is_one(kept, hook)) {
            Some(kept) if hook.0.takes_place_of(kept.0) => *kept = *hook,
            Some(_) => {}
            None => alike.push(*hook),
        }
    }
    let place_of = |hook: &Runnable<'a, '_>| {
        let alike = stays.get(&hook.0.identity.hash())?;
        let original = alike.iter().find(|kept| hook.0.is_copy_of(kept.0));
        let kept = original.or_else(|| alike.iter().find(|kept| is_one(kept, hook)));
        kept.map(|kept| kept.0)
            .filter(|kept| !std::ptr::eq(*kept, hook.0))
    };
    hooks.iter().map(place_of).collect()
}

/// Reports hooks of one event, name and work that differ in something else: they look like one hook
/// and all run (PL-7).
pub(crate) fn near_duplicates(registry: &Registry) -> Vec<Problem> {
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
        let is_meant = earlier.is_same_work(registered)
            || earlier.hook.condition != hook.condition
            || registered.is_copy_of(earlier)
            || earlier.is_copy_of(registered)
            || in_two_extensions(&earlier.hook, hook)
            || at_two_events(&earlier.hook, hook);
        if is_meant {
            continue;
        }
        let differences = differences(&earlier.hook, hook).join(", ");
        let place = &earlier.hook.source;
        let message = format!(
            "hook {} is also configured at {place}, with a different {differences}; both run",
            quoted(hook.label())
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

/// Returns whether two hooks are in two extensions: each finds its own program under the same name.
fn in_two_extensions(one: &HookDeclaration, two: &HookDeclaration) -> bool {
    one.extension.is_some() && two.extension.is_some()
}

/// Returns whether two hooks are at two events of their dialect: one script for several of them is
/// how such hooks are written (FD-11).
fn at_two_events(one: &HookDeclaration, two: &HookDeclaration) -> bool {
    let names = [one, two].map(|it| it.dialect_event.as_deref());
    one.dialect == two.dialect && are_two_events(one.dialect, one.event, names)
}

/// Returns what differs between two hooks of the same name and work, as settings spell it.
fn differences(one: &HookDeclaration, two: &HookDeclaration) -> Vec<&'static str> {
    let fields = [
        ("`type`", one.handler.type_name() != two.handler.type_name()),
        ("`args`", one.handler.args() != two.handler.args()),
        ("`env`", one.env != two.env),
        ("extension", extension_folder(one) != extension_folder(two)),
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
