//! What has changed after settings were read again (TR-6): nothing is silently off.

use hookloop_engine::{HookStatus, RunSwitch, SkipCause, lint_patterns};
use hookloop_events::EventName;
use hookloop_hook::{HookDeclaration, HookId, Layer, Problem, Severity, quoted};
use hookloop_text::{Notice, NoticeKind};
use hookloop_trust::Vouched;

use crate::diagnostics;
use crate::environment::Environment;
use crate::workspace::Workspace;

/// What a person writes to release hooks that stay in force though the settings don't contain them
/// any more (TR-8).
pub(crate) const LET_GO: &str = "let them go";

/// Returns which hooks wait for trust now, are gone, or run or don't run any more, and what is
/// newly wrong (ST-5).
pub(crate) fn compare(
    before: &Workspace,
    after: &Workspace,
    environment: &Environment,
) -> Vec<Notice> {
    let refusing: Vec<&HookId> = after
        .vouched
        .iter()
        .filter(|it| after.refuses(it))
        .map(|it| &it.hook.id)
        .collect();
    let (old, new) = (before.listed().list(), after.listed().list());
    // For hooks that stay in force, only that is reported.
    let stays = |it: &HookStatus| {
        let mut kept = after.retained_hooks().iter();
        kept.any(|kept| identity(&kept.hook) == identity(&it.hook))
    };
    let others = |all: Vec<HookStatus>| all.into_iter().filter(|it| !stays(it)).collect::<Vec<_>>();
    let mut news = hook_notices(&others(old), &others(new), &refusing);
    let is_known = |it: &&Vouched| {
        before
            .retained_hooks()
            .iter()
            .any(|known| known.hook == it.hook)
    };
    let kept = after.retained_hooks().iter().filter(|it| !is_known(it));
    news.extend(kept.map(|it| {
        let what = format!(
            "isn't configured as before; its earlier version stays in force in this session until \
             you restore it or write \"{LET_GO}\""
        );
        warning(&it.hook, &what)
    }));
    news.extend(problems(before, after, environment));
    news
}

fn hook_notices(old: &[HookStatus], new: &[HookStatus], refusing: &[&HookId]) -> Vec<Notice> {
    let predecessors = predecessors(old, new);
    let mut news = Vec::new();
    for (status, predecessor) in new.iter().zip(&predecessors) {
        let earlier = predecessor.map(|it| &old[it]);
        let runs = status.causes.is_empty();
        let ran = earlier.is_some_and(|it| it.causes.is_empty());
        match (runs, ran) {
            (true, true) if earlier.is_some_and(|it| is_same(&status.hook, &it.hook)) => {}
            (true, true) => news.push(info(&status.hook, "runs in its changed form")),
            (true, false) => news.push(info(&status.hook, "runs from now on")),
            (false, true) => news.push(stopped_notice(status, refusing)),
            (false, false) if waits(status) && !earlier.is_some_and(waits) => {
                news.push(stopped_notice(status, refusing));
            }
            (false, false) => {}
        }
    }
    // A hook that has moved to another event, and refuses until a person agrees, is reported as
    // moved.
    let has_moved = |old: &HookDeclaration| {
        new.iter().any(|it| {
            let hook = &it.hook;
            refusing.contains(&&hook.id) && hook.label() == old.label() && hook.event != old.event
        })
    };
    let is_gone =
        |index: &usize| !predecessors.contains(&Some(*index)) && !has_moved(&old[*index].hook);
    for index in (0..old.len()).filter(is_gone) {
        let what = "is gone: it is no longer configured";
        news.push(warning(&old[index].hook, what));
    }
    news
}

/// Finds each hook's predecessor: itself, else an edited one of the same name. No two hooks have
/// the same predecessor, so none disappears silently.
fn predecessors(old: &[HookStatus], new: &[HookStatus]) -> Vec<Option<usize>> {
    let has_id = |hooks: &[HookStatus], id: &HookId| hooks.iter().any(|it| it.hook.id == *id);
    let mut found: Vec<Option<usize>> = new
        .iter()
        .map(|it| old.iter().position(|earlier| earlier.hook.id == it.hook.id))
        .collect();
    for (index, status) in new.iter().enumerate() {
        if found[index].is_none() {
            found[index] = (0..old.len()).find(|earlier| {
                let hook = &old[*earlier].hook;
                !found.contains(&Some(*earlier))
                    && !has_id(new, &hook.id)
                    && identity(hook) == identity(&status.hook)
            });
        }
    }
    found
}

fn identity(hook: &HookDeclaration) -> (EventName, &str, Option<Layer>, Option<&str>) {
    let source = &hook.source;
    (
        hook.event,
        hook.label(),
        source.layer,
        source.extension.as_deref(),
    )
}

/// Returns whether a hook does the same as it did, wherever it is in its file.
fn is_same(new: &HookDeclaration, old: &HookDeclaration) -> bool {
    let runs = |hook: &HookDeclaration| (hook.timeout, hook.grouping, hook.on_failure);
    new.id == old.id && runs(new) == runs(old)
}

fn waits(status: &HookStatus) -> bool {
    let is_trust = |cause: &SkipCause| {
        matches!(
            cause,
            SkipCause::UntrustedNew | SkipCause::UntrustedModified(_)
        )
    };
    status.causes.iter().any(is_trust)
}

fn stopped_notice(status: &HookStatus, refusing: &[&HookId]) -> Notice {
    let waits = if refusing.contains(&&status.hook.id) {
        "refuses until somebody agrees to it"
    } else {
        "waits for trust"
    };
    let trust = status.causes.iter().find_map(|cause| match cause {
        SkipCause::UntrustedNew => Some("nobody has agreed to it yet"),
        SkipCause::UntrustedModified(what) => Some(what.as_str()),
        _ => None,
    });
    let what = match (trust, status.causes.first()) {
        (Some(why), _) => format!(
            "{waits}: {why}; review it with /hooks review, and let it run with /hooks trust"
        ),
        (None, Some(cause)) => format!("no longer runs: {}", cause.message()),
        (None, None) => "no longer runs".to_owned(),
    };
    warning(&status.hook, &what)
}

fn warning(hook: &HookDeclaration, what: &str) -> Notice {
    Notice::new(NoticeKind::Warning, sentence(hook, what))
}

fn info(hook: &HookDeclaration, what: &str) -> Notice {
    Notice::new(NoticeKind::Info, sentence(hook, what))
}

fn sentence(hook: &HookDeclaration, what: &str) -> String {
    format!(
        "Settings changed: {} hook {} ({}) {what}",
        hook.event,
        quoted(hook.label()),
        hook.source
    )
}

/// Returns what is wrong now and wasn't before, of everything that a session reports at its start
/// (ST-11); a problem that only moved isn't news.
fn problems(before: &Workspace, after: &Workspace, environment: &Environment) -> Vec<Notice> {
    let all = |workspace: &Workspace| -> Vec<Problem> {
        let of_loading = workspace.problems.iter().cloned();
        let patterns = lint_patterns(workspace.listed(), &workspace.settings.host_tools);
        let of_hooks = match workspace.switch {
            RunSwitch::Off => Vec::new(),
            RunSwitch::AsConfigured => diagnostics::at_start(workspace, environment),
        };
        of_loading.chain(patterns).chain(of_hooks).collect()
    };
    let known = all(before);
    let is_known = |it: &Problem| {
        let mut known = known.iter();
        known.any(|known| {
            (known.code, &known.message, &known.source.file)
                == (it.code, &it.message, &it.source.file)
        })
    };
    all(after)
        .iter()
        .filter(|it| it.severity != Severity::Info && !is_known(it))
        .map(|it| {
            let kind = match it.severity {
                Severity::Error => NoticeKind::Error,
                _ => NoticeKind::Warning,
            };
            let text = format!(
                "Settings changed: {}: {} ({})",
                it.source, it.message, it.help
            );
            Notice::new(kind, text)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hookloop_trust::Standing;

    use super::*;

    fn hook(name: &str, id: &str, causes: &[SkipCause]) -> HookStatus {
        let mut hook = HookDeclaration::in_process(EventName::BeforeTool, name);
        hook.id = HookId::from_text(id);
        HookStatus::new(Arc::new(hook), Standing::Trusted, causes.into())
    }

    fn news(old: &[HookStatus], new: &[HookStatus]) -> Vec<String> {
        let news = hook_notices(old, new, &[]).into_iter();
        news.map(|it| it.text).collect()
    }

    /// TR-6: what stays as it was isn't news, wherever it is.
    #[test]
    fn what_stays_is_no_news() {
        let waiting = hook("b", "2", &[SkipCause::UntrustedNew]);
        let hooks = [hook("a", "1", &[]), waiting];
        let turned = [hooks[1].clone(), hooks[0].clone()];
        assert_eq!(news(&hooks, &turned), Vec::<String>::new());
    }

    /// TR-6: if one of two hooks of the same name is removed, it isn't mistaken for the other one.
    #[test]
    fn a_hook_of_two_with_one_name_is_missed() {
        let old = [hook("guard", "1", &[]), hook("guard", "2", &[])];
        for new in [hook("guard", "2", &[]), hook("guard", "3", &[])] {
            let news = news(&old, &[new]);
            let gone = news.iter().filter(|it| it.contains("is gone"));
            assert_eq!(gone.count(), 1, "{news:?}");
        }
    }

    /// TR-6: an edited hook waits for trust, one that is switched off is named with the cause, and
    /// one that was waiting already isn't reported again.
    #[test]
    fn a_hook_that_stops_is_named() {
        let running = [hook("guard", "1", &[])];
        let edited = hook("guard", "2", &[SkipCause::UntrustedNew]);
        let lines = news(&running, std::slice::from_ref(&edited));
        assert!(
            lines.len() == 1 && lines[0].contains("waits for trust"),
            "{lines:?}"
        );
        let off = hook("guard", "1", &[SkipCause::HooksOff(None)]);
        let lines = news(&running, &[off]);
        assert!(
            lines.len() == 1 && lines[0].contains("--no-hooks"),
            "{lines:?}"
        );
        let again = hook("guard", "3", &[SkipCause::UntrustedNew]);
        assert_eq!(news(&[edited], &[again]), Vec::<String>::new());
    }

    /// TR-6: a hook that is new, or changed and still trusted, is named too.
    #[test]
    fn a_hook_that_runs_from_now_on_is_named() {
        let old = [hook("guard", "1", &[])];
        let told = news(&old, &[hook("guard", "2", &[]), hook("other", "3", &[])]);
        assert!(told[0].contains("runs in its changed form"), "{told:?}");
        assert!(told[1].contains("runs from now on"), "{told:?}");
        assert_eq!(told.len(), 2);
    }
}
