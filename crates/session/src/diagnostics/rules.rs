//! What is wrong with hooks that are rules, as far as their files show (HT-25, HT-26).

use std::path::Path;

use hookloop_hook::{Handler, HookDeclaration, Problem, ProblemCode, Rules};

/// Reports rules in files that can't be read, and hooks without any rule: they look at nothing.
pub(super) fn diagnostics(project_root: &Path, hooks: &[&HookDeclaration]) -> Vec<Problem> {
    let found = hooks.iter().filter_map(|hook| {
        let (code, message, help) = complaint(project_root, hook)?;
        let place = hook.source_of(hook.places.rules.first().copied());
        let mut problem = Problem::new(code, place, message, help);
        problem.event = Some(hook.event);
        problem.hook_id = Some(hook.id.clone());
        Some(problem)
    });
    found.collect()
}

fn complaint(
    project_root: &Path,
    hook: &HookDeclaration,
) -> Option<(ProblemCode, String, &'static str)> {
    let Handler::Rule { rules } = &hook.handler else {
        return None;
    };
    if hook.broken.is_some() {
        return None;
    }
    match hookloop_exec::rules_of(hook, project_root) {
        Ok(Some(0)) => {
            let which = match rules {
                Rules::File(file) => format!("{file} contains no rules"),
                Rules::Inline(_) => "\"rules\" contains no rules".to_owned(),
            };
            Some((
                ProblemCode::RulesEmpty,
                format!("{which}, so the hook refuses nothing"),
                "write a rule, or remove the hook",
            ))
        }
        Ok(_) => None,
        Err(why) => Some((
            ProblemCode::HandlerInvalid,
            format!("the rules can't be read: {why}"),
            "the hook could not start until then, which refuses before an action",
        )),
    }
}
