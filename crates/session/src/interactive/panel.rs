//! The panel of hooks in a terminal session (CM-1): its content and its actions.

use hookloop_dialects::{HookDialect, is_notified_only};
use hookloop_engine::{HookStatus, SkipCause};
use hookloop_hook::{Grouping, HookDeclaration, HookId, Layer, Mode, Severity};
use hookloop_tui::{
    Leave, NoticeKind, Panel, PanelIntent, PanelItem, PanelMark, PanelSwitch, TrustAnswer,
    WatchResult,
};
use tokio_util::sync::CancellationToken;

use crate::environment::Environment;
use crate::hook_words::{
    Status, cause_texts, duration, hooks_off, manner_texts, origin, result_word,
};
use crate::interactive::Conversation;
use crate::interactive::commands::Running;
use crate::interactive::trust;
use crate::recording::{self, Statistics, StatisticsOfHooks};
use crate::workspace::Workspace;

impl Conversation<'_> {
    /// Shows the panel until the user closes it; a hook that is switched is so at once (CM-2).
    pub(super) async fn panel(&mut self) -> Option<Leave> {
        self.reload();
        let (items, notes) = contents(&self.guarded.workspace, self.place.environment);
        let mut panel = Panel::new(items, notes);
        loop {
            match self.ui.show_panel(&mut panel).await {
                PanelIntent::Close => return None,
                PanelIntent::Leave(leave) => return Some(leave),
                PanelIntent::Switch(switch, name) => self.switch(switch, name).await,
                PanelIntent::Review(name) => self.run_hooks_command(&["review", "--", &name]).await,
                PanelIntent::Fire(event) => self.run_hooks_command(&["fire", &event]).await,
                PanelIntent::Trust(id) => {
                    if let Some(leave) = self.trust(&id).await {
                        return Some(leave);
                    }
                }
            }
            let (items, notes) = contents(&self.guarded.workspace, self.place.environment);
            panel.update(items, notes);
        }
    }

    async fn switch(&mut self, switch: PanelSwitch, name: String) {
        let verb = match switch {
            PanelSwitch::On => "enable",
            PanelSwitch::Off => "disable",
        };
        self.run_hooks_command(&[verb, "--", &name]).await;
        self.reload();
    }

    /// Runs a command for hooks as on the command line, and shows its output above the panel.
    async fn run_hooks_command(&mut self, words: &[&str]) {
        let words = words.iter().map(|it| (*it).to_owned()).collect();
        let cancel = CancellationToken::new();
        let mut running = Running::begin(words, self.place);
        let notices = match self.ui.watch(running.end(&cancel), &cancel).await {
            WatchResult::Done(notices) => notices,
            WatchResult::Left(_) => {
                self.ui.finish(running.leave()).await;
                return;
            }
        };
        for notice in notices {
            self.ui.say(&notice);
        }
    }

    /// Shows a hook with its files, and lets it run if the user agrees (TR-2).
    async fn trust(&mut self, id: &str) -> Option<Leave> {
        let workspace = &mut self.guarded.workspace;
        let environment = self.place.environment;
        match trust::ask_about(&mut self.ui, workspace, environment, id).await {
            Ok(TrustAnswer::Trust) => self.reload(),
            Ok(TrustAnswer::Quit) => return Some(Leave::Exit),
            Ok(TrustAnswer::SkipThisTime | TrustAnswer::Review) => {}
            Err(why) => self.say(NoticeKind::Warning, why),
        }
        None
    }
}

/// Returns all hooks, and remarks about all of them.
fn contents(workspace: &Workspace, environment: &Environment) -> (Vec<PanelItem>, Vec<String>) {
    let hooks = workspace.listed().list();
    let stats = recording::statistics(workspace, environment);
    let is_tried_out = |hook: &HookDeclaration| {
        hook.mode == Mode::Shadow && !is_notified_only(HookDialect::of(hook))
    };
    let has_shadows = hooks.iter().any(|it| is_tried_out(&it.hook));
    let shadows = has_shadows.then(|| recording::in_shadow(workspace, environment));
    let shadow_of = |id: &HookId| shadows.as_ref()?.value.get(id);
    let items = hooks.iter().map(|it| {
        let mut item = item(it, &hooks, &stats.value);
        if is_tried_out(&it.hook) {
            let text = shadow_of(&it.hook.id).copied().unwrap_or_default().words();
            item.details.push(("in shadow".to_owned(), text));
        }
        item
    });
    let mut notes: Vec<String> = hooks_off(workspace).into_iter().collect();
    let problems = workspace.problems.iter();
    match problems.filter(|it| it.severity != Severity::Info).count() {
        0 => {}
        1 => notes.push("1 problem of the settings: /hooks check".to_owned()),
        count => notes.push(format!("{count} problems of the settings: /hooks check")),
    }
    notes.extend(stats.warnings);
    notes.extend(shadows.iter().flat_map(|it| it.warnings.clone()));
    if hooks.is_empty() {
        let files = workspace.settings.layers.iter();
        notes.extend(files.map(|it| format!("looked for: {}", it.file.display())));
    }
    (items.collect(), notes)
}

fn item(status: &HookStatus, hooks: &[HookStatus], past: &StatisticsOfHooks) -> PanelItem {
    let hook = &status.hook;
    let past = past.get(&hook.id);
    let is_off = |cause: &SkipCause| {
        matches!(
            cause,
            SkipCause::DisabledByName(_)
                | SkipCause::HooksOff(_)
                | SkipCause::ExtensionDisabled
                | SkipCause::OtherAgent(_)
        )
    };
    let source = &hook.source;
    PanelItem {
        id: hook.id.to_string(),
        event: hook.event.to_string(),
        name: hook.label().to_owned(),
        layer: match (&source.extension, source.layer) {
            (Some(extension), _) => format!("{} {extension}", Layer::Extension),
            (None, Some(layer)) => layer.to_string(),
            (None, None) => String::new(),
        },
        command: hook.describe_run(),
        mark: match Status::of(status) {
            Status::Enabled => PanelMark::Enabled,
            Status::Disabled => PanelMark::Disabled,
            // Both need attention.
            Status::Untrusted | Status::Broken => PanelMark::Untrusted,
            Status::Shadowed | Status::Elsewhere => PanelMark::Shadowed,
        },
        switch: if status.causes.iter().any(is_off) {
            PanelSwitch::On
        } else {
            PanelSwitch::Off
        },
        last_result: past
            .and_then(|it| it.last_result)
            .map(|it| result_word(it).to_owned()),
        times: past.and_then(|it| Some(times(it.p50_ms?, it.p95_ms?))),
        details: details(status, hooks, past),
    }
}

/// Formats the p50 and p95 time, long ones in seconds.
fn times(p50: f64, p95: f64) -> String {
    if p95 < 1000.0 {
        format!(
            "{}/{} ms",
            format_milliseconds(p50),
            format_milliseconds(p95)
        )
    } else {
        format!("{:.1}/{:.1} s", p50 / 1000.0, p95 / 1000.0)
    }
}

/// Shows short times more exactly than long ones.
fn format_milliseconds(milliseconds: f64) -> String {
    if milliseconds < 10.0 {
        format!("{milliseconds:.1}")
    } else {
        format!("{milliseconds:.0}")
    }
}

fn details(
    status: &HookStatus,
    hooks: &[HookStatus],
    past: Option<&Statistics>,
) -> Vec<(String, String)> {
    let hook = &status.hook;
    let sequential = match hook.grouping {
        Grouping::Sequential => "yes",
        Grouping::Parallel => "no",
    };
    let mut fields = vec![
        ("description", hook.description.clone()),
        ("status", Some(Status::of(status).to_string())),
    ];
    let causes = cause_texts(status, hooks);
    fields.extend(causes.map(|cause| ("because", Some(cause))));
    fields.extend([
        ("type", Some(hook.handler.type_name().to_owned())),
        (
            match hook.command() {
                "" => "runs",
                _ => "command",
            },
            Some(hook.describe_run()),
        ),
        ("source", Some(origin(&hook.source))),
        (
            "matcher",
            Some(hook.matcher.as_deref().unwrap_or("*").to_owned()),
        ),
        ("timeout", Some(duration(hook))),
        ("sequential", Some(sequential.to_owned())),
    ]);
    let manners = manner_texts(hook).into_iter();
    fields.extend(manners.map(|manner| ("manner", Some(manner))));
    let runs = past.map_or(0, |it| it.runs);
    fields.push(("runs", Some(runs.to_string())));
    if let Some(past) = past {
        let milliseconds = |time: Option<f64>| time.map(|it| format!("{it:.1} ms"));
        fields.extend([
            ("last run", past.last_run_at.clone()),
            (
                "last result",
                past.last_result.map(|it| result_word(it).to_owned()),
            ),
            ("last output", past.last_output.clone()),
            ("last error", past.last_error.clone()),
            ("p50", milliseconds(past.p50_ms)),
            ("p95", milliseconds(past.p95_ms)),
        ]);
    }
    let known = fields
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    known.collect()
}
