//! What is wrong with hooks that are rules, as far as their files show (HT-25, HT-26).

use std::path::Path;

use hookloop_exec::rules_file_of;
use hookloop_hook::{Handler, HookDeclaration, Problem, ProblemCode, Rules};
use hookloop_settings::bounded::read_start;
use hookloop_settings::lint_rules_file;

use crate::workspace::Workspace;

/// Reports rules in files that can't be read or can't mean what they say, and hooks without any
/// rule: they check nothing.
pub(super) fn diagnostics(workspace: &Workspace, hooks: &[&HookDeclaration]) -> Vec<Problem> {
    let root = &workspace.project_root;
    let of_files = hooks
        .iter()
        .map(|hook| in_its_file(workspace, hook))
        .collect::<Vec<_>>();
    let found = hooks.iter().zip(&of_files).filter_map(|(hook, of_file)| {
        if !of_file.is_empty() {
            return None;
        }
        let (code, message, help) = complaint(root, hook)?;
        let place = hook.source_of(hook.places.rules.first().copied());
        let mut problem = Problem::new(code, place, message, help);
        problem.event = Some(hook.event);
        problem.hook_id = Some(hook.id.clone());
        Some(problem)
    });
    found.chain(of_files.iter().flatten().cloned()).collect()
}

/// Returns what is wrong in the file with a hook's rules.
fn in_its_file(workspace: &Workspace, hook: &HookDeclaration) -> Vec<Problem> {
    if hook.broken.is_some() {
        return Vec::new();
    }
    let file = rules_file_of(hook, &workspace.project_root);
    let text = file.and_then(|file| Some((read_text(&file)?, file)));
    text.map(|(text, file)| lint_rules_file(&workspace.settings, hook, &file, &text))
        .unwrap_or_default()
}

/// Reads a file, unless it isn't a text or larger than rules are.
fn read_text(file: &Path) -> Option<String> {
    const MAX_BYTES: u64 = 1024 * 1024;
    String::from_utf8(read_start(file, MAX_BYTES).ok()?).ok()
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
            "until then the hook can't start, which counts as a refusal before an action",
        )),
    }
}
