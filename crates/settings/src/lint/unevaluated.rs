//! Rules that refuse calls that they aren't about, because they can't be evaluated there (HT-26,
//! CM-3).

use hookloop_hook::{Dialect, EventName, Handler, HookDeclaration, Problem, ProblemCode, Rules};
use hookloop_rules::Condition;
use hookloop_text::shorten::excerpt;

use crate::settings::Settings;

/// Reports the rules of a hook for every tool that can be evaluated only for commands: they refuse,
/// ask or stop at every other call.
pub(super) fn find(settings: &Settings, hook: &HookDeclaration) -> Vec<Problem> {
    let is_for_all = matches!(hook.matcher.as_deref(), None | Some("" | "*"));
    let Handler::Rule {
        rules: Rules::Inline(rules),
    } = &hook.handler
    else {
        return Vec::new();
    };
    if !is_for_all
        || hook.event != EventName::BeforeTool
        || hook.dialect != Dialect::Hookloop
        || hook.condition.is_some()
        || hook.broken.is_some()
    {
        return Vec::new();
    }
    let needs_command =
        |when: &str| Condition::read(when).is_ok_and(|condition| condition.needs_command());
    let numbered = rules.iter().enumerate();
    let found = numbered.filter(|(_, it)| it.then.stops_action() && needs_command(&it.when));
    let problems = found.map(|(number, rule)| {
        let message = format!(
            "the rule \"{}\" can't be evaluated for tools that run no command, so it applies to \
             all their calls: what isn't known is treated as true",
            excerpt(rule.name.as_deref().unwrap_or(&rule.when))
        );
        let help = "add \"matcher\": \"run_shell_command\" to its group, or begin the condition with \
                    tool.name == \"run_shell_command\" &&";
        let code = ProblemCode::ConditionDoubtful;
        let source = hook.source_of(hook.places.rules.get(number).copied());
        let mut problem = settings.problem(code, source, message, help);
        problem.event = Some(hook.event);
        problem.hook_id = Some(hook.id.clone());
        problem
    });
    problems.collect()
}
