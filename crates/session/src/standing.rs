//! Tells the user which of the project's hooks run, and which wait for trust (TR-2, TR-3).

use std::collections::{HashMap, HashSet};

use hookloop_dialects::{HookDialect, is_notified_only};
use hookloop_engine::{HookStatus, RunSwitch, SkipCause};
use hookloop_hook::{HookDeclaration, HookId, Mode, quoted};
use hookloop_settings::WorkspaceTrust;
use hookloop_trust::{Acceptance, GoneHook, OwnerCheck, Standing, Vouched};

use crate::diagnostics;
use crate::environment::Environment;
use crate::hook_words::{cause_texts, short_label};
use crate::notices;
use crate::reported_states::ReportedStates;
use crate::suspects::{Suspects, consequences};
use crate::workspace::{Workspace, outer_agent};

/// What a session says at its start about the hooks that it has.
#[derive(Debug, Default)]
pub(crate) struct Announcement {
    /// How many hooks are active, and how many of those configured don't run; nothing if none is
    /// configured.
    pub(crate) summary: Option<String>,
    /// The same, as far as the welcome of a terminal session doesn't say it.
    #[cfg_attr(
        not(feature = "terminal"),
        expect(dead_code, reason = "only a terminal session has a welcome")
    )]
    pub(crate) beside_welcome: Option<String>,
    /// What was wrong while loading, and each hook that doesn't run or runs without trust, one line
    /// each.
    pub(crate) warnings: Vec<String>,
}

impl Announcement {
    /// Looks at all hooks (ST-11, TR-2, TR-3).
    pub(crate) fn of(workspace: &Workspace, environment: &Environment) -> Self {
        let reported = ReportedStates::of(&workspace.state_dir(environment));
        let mut warnings = notices::problem_lines(&reported.sift(&workspace.problems));
        warnings.extend(outer_agent(environment).map(|outer| {
            format!(
                "warning: this session was started by another agent ({}): no option or setting \
                 loosens what that agent's hooks, settings and trust say",
                outer.name
            )
        }));
        let suspects = Suspects::of(environment);
        warnings.extend(suspects.lines(consequences(workspace)));
        if workspace.switch != RunSwitch::Off {
            let commands = diagnostics::at_start(workspace, environment);
            warnings.extend(notices::problem_lines(&commands));
        }
        let patterns =
            hookloop_engine::lint_patterns(workspace.listed(), &workspace.settings.host_tools);
        warnings.extend(notices::problem_lines(&patterns));
        let listed = workspace.listed().list();
        let watching = listed.iter().filter(|it| it.causes.is_empty()).count();
        let refusing = match workspace.switch {
            RunSwitch::Off => 0,
            RunSwitch::AsConfigured => count_refusing(workspace, &listed),
        };
        if workspace.switch == RunSwitch::Off && !listed.is_empty() {
            warnings.push("warning: no hook runs, because of --no-hooks".to_owned());
        } else {
            warnings.extend(not_running(workspace, &listed));
            warnings.extend(running_unseen(workspace));
            warnings.extend(gone_hooks(workspace));
            warnings.extend(in_shadow(&listed));
        }
        let owners = owners_unchecked(workspace.opening.owners);
        let summary = summary(&Watch {
            watching,
            refusing,
            idle: listed.len() - watching - refusing,
        })
        .map(|it| it + owners);
        let says_more = refusing > 0 || !owners.is_empty();
        Self {
            beside_welcome: summary.clone().filter(|_| says_more),
            summary,
            warnings,
        }
    }
}

/// Returns which hooks run without an effect (HT-2).
fn in_shadow(listed: &[HookStatus]) -> Vec<String> {
    let in_shadow = listed
        .iter()
        .filter(|it| it.causes.is_empty() && it.hook.mode == Mode::Shadow)
        // A hook that only gets notified isn't being tried out: its reply has no effect in its own
        // agent, either.
        .filter(|it| !is_notified_only(HookDialect::of(&it.hook)));
    let line = |it: &HookStatus| {
        format!(
            "note: hook {} is in shadow mode: it runs, but its answers have no effect (`hookloop \
             hooks shadow` shows what it would have done)",
            quoted(&short_label(&it.hook))
        )
    };
    in_shadow.map(line).collect()
}

/// Returns why owners of files aren't checked (TR-9).
const fn owners_unchecked(owners: OwnerCheck) -> &'static str {
    match owners {
        OwnerCheck::Enforced => "",
        OwnerCheck::TurnedOff => "; owners of files aren't checked (HOOKLOOP_OWNER_CHECK=off)",
        OwnerCheck::NotKnown => {
            "; owners of files aren't known here (the home belongs to another user, or the file \
             system knows no owners)"
        }
    }
}

/// How many of the configured hooks do what.
struct Watch {
    /// Those that may run.
    watching: usize,
    /// Those that aren't what was agreed to, and refuse in their place (TR-8).
    refusing: usize,
    /// Those that don't run.
    idle: usize,
}

/// Counts the hooks that don't run, and in whose place a refusal is (TR-8).
fn count_refusing(workspace: &Workspace, listed: &[HookStatus]) -> usize {
    let refusing = workspace.vouched.iter().filter(|it| workspace.refuses(it));
    let refusing: HashSet<&HookId> = refusing.map(|it| &it.hook.id).collect();
    let idle = listed.iter().filter(|it| !it.causes.is_empty());
    idle.filter(|it| refusing.contains(&it.hook.id)).count()
}

/// Sums up how many hooks are active (ST-11).
fn summary(watch: &Watch) -> Option<String> {
    let Watch {
        watching,
        refusing,
        idle,
    } = *watch;
    let watch = match (watching, refusing, idle) {
        (0, 0, 0) => return None,
        // The line must not suggest that nothing is guarded.
        (0, 1.., _) => None,
        (1, ..) => Some("1 hook active".to_owned()),
        (count, ..) => Some(format!("{count} hooks active")),
    };
    let refuse = match refusing {
        0 => None,
        1 => Some("1 hook refuses until a person has reviewed it".to_owned()),
        count => Some(format!(
            "{count} hooks refuse until a person has reviewed them"
        )),
    };
    let idle = match idle {
        0 => None,
        1 => Some("1 configured hook doesn't run".to_owned()),
        count => Some(format!("{count} configured hooks don't run")),
    };
    let parts: Vec<String> = [watch, refuse, idle].into_iter().flatten().collect();
    Some(parts.join("; "))
}

/// Names each hook that doesn't run, with everything that keeps it from running: a guard must
/// not be off without a word.
fn not_running(workspace: &Workspace, listed: &[HookStatus]) -> Vec<String> {
    let mut by_id: HashMap<&HookId, &Vouched> = HashMap::new();
    for vouched in &workspace.vouched {
        by_id.entry(&vouched.hook.id).or_insert(vouched);
    }
    let idle = listed.iter().filter(|it| !it.causes.is_empty());
    let worded = idle.map(|status| {
        let by_trust = status.causes.iter().any(|cause| {
            matches!(
                cause,
                SkipCause::UntrustedNew
                    | SkipCause::UntrustedModified(_)
                    | SkipCause::FolderUntrusted(_)
            )
        });
        match by_id.get(&status.hook.id) {
            Some(vouched) if by_trust && status.causes.len() == 1 => {
                let line = if workspace.refuses(vouched) {
                    refusing_line(vouched)
                } else {
                    skipped_line(vouched)
                };
                format!("warning: {line}")
            }
            _ => {
                let causes: Vec<String> = cause_texts(status, listed).collect();
                format!(
                    "warning: {} doesn't run: {}",
                    place(&status.hook),
                    causes.join("; ")
                )
            }
        }
    });
    worded.collect()
}

/// Names the project's hooks that run though nobody has agreed to them (TR-3).
fn running_unseen(workspace: &Workspace) -> Option<String> {
    let new: Vec<String> = workspace
        .vouched
        .iter()
        .filter(|it| it.accepted == Acceptance::ThisRun)
        .filter(|it| matches!(it.standing, Standing::New | Standing::Modified { .. }))
        .map(|it| format!("\n  {}", place(&it.hook)))
        .collect();
    if new.is_empty() {
        return None;
    }
    let why = trusted_by(&workspace.settings.workspace);
    Some(format!(
        "warning: the workspace is trusted for this run ({why}); these hooks of the project run \
         though nobody has agreed to them yet:{}",
        new.concat()
    ))
}

/// Names hooks that were trusted in this folder and are gone from its settings (TR-8).
fn gone_hooks(workspace: &Workspace) -> Vec<String> {
    let gone = workspace
        .store
        .gone_hooks(&workspace.project_root, &workspace.settings.hooks);
    let line = |hook: &GoneHook| {
        format!(
            "warning: {} hook {} was trusted in this folder and is no longer configured",
            hook.event,
            quoted(&hook.label)
        )
    };
    gone.iter().map(line).collect()
}

/// Rewrites agreements that version 0.1 recorded, and returns which of them now also watch files
/// that were never shown (TR-12).
pub(crate) fn renew(workspace: &mut Workspace) -> Option<String> {
    match workspace.renew() {
        Ok(renewed) if renewed.is_empty() => None,
        Ok(renewed) => Some(renewed_line(&renewed)),
        Err(error) => Some(format!(
            "warning: the record of what is trusted couldn't be updated: {error}"
        )),
    }
}

fn renewed_line(renewed: &[Vouched]) -> String {
    let count = renewed.len();
    let mut line = format!("{count} records of trust of an earlier version were renewed");
    let watching = renewed.iter().filter_map(|vouched| {
        let files = &vouched.renewal.as_ref()?.never_shown;
        let label = vouched.hook.label();
        (!files.is_empty())
            .then(|| format!("{} now also watches {}", quoted(label), files.join(", ")))
    });
    let watching: Vec<String> = watching.collect();
    if !watching.is_empty() {
        line.push_str("; not shown before: ");
        line.push_str(&watching.join("; "));
        line.push_str(" (see `hookloop hooks review`)");
    }
    line
}

fn refusing_line(vouched: &Vouched) -> String {
    let what = match &vouched.standing {
        Standing::Modified { message, .. } => message.as_str(),
        _ => "it isn't what was agreed to",
    };
    format!(
        "{} refuses what it guards until a person has reviewed it: {what}; run `hookloop hooks \
         review`, then `hookloop hooks trust` to let it run again",
        place(&vouched.hook)
    )
}

fn skipped_line(vouched: &Vouched) -> String {
    let place = place(&vouched.hook);
    match &vouched.standing {
        Standing::FolderUntrusted { source } => {
            format!("{place} is skipped: its folder is marked DO_NOT_TRUST at {source}")
        }
        Standing::Modified { message, .. } => format!(
            "{place} is skipped: {message}; review it and run `hookloop hooks trust` to let it \
             run again"
        ),
        _ => format!(
            "{place} is skipped: nobody has agreed to it yet; review it and run `hookloop hooks \
             trust`, or trust everything for one run with --skip-trust"
        ),
    }
}

fn place(hook: &HookDeclaration) -> String {
    format!(
        "{} hook {} ({})",
        hook.event,
        quoted(&short_label(hook)),
        hook.source
    )
}

fn trusted_by(trust: &WorkspaceTrust) -> &'static str {
    match trust {
        WorkspaceTrust::FolderTrustOff { .. } => "security.folderTrust.enabled is false",
        _ => "--skip-trust or GEMINI_CLI_TRUST_WORKSPACE",
    }
}
