//! All hooks, where they come from, and whether they run (CM-1).

use std::borrow::Cow;

use hookloop_engine::{HookStatus, RunSwitch};
use hookloop_hook::{Layer, Source};
use hookloop_session::Workspace;
use hookloop_session::recording::{self, StatisticsOfHooks};
use hookloop_settings::{LayerState, LoadedLayer};
use serde::Serialize;

use crate::Task;
use crate::view::HookView;

/// All hooks of a workspace, with their statistics.
pub struct ListedHooks {
    /// The configuration.
    pub workspace: Workspace,
    /// The hooks, in listing order.
    pub hooks: Vec<HookStatus>,
    /// Statistics of their past runs.
    pub statistics: StatisticsOfHooks,
    /// Warnings for the person, each as a sentence.
    pub warnings: Vec<String>,
}

/// Lists all hooks; runs nothing (TR-7).
pub fn list_hooks(task: Task<'_>) -> ListedHooks {
    let workspace = Workspace::open(task.environment, task.run);
    let statistics = recording::statistics(&workspace, task.environment);
    ListedHooks {
        hooks: workspace.listed().list(),
        workspace,
        statistics: statistics.value,
        warnings: statistics.warnings,
    }
}

/// All hooks and their layers, as JSON.
#[derive(Debug, Serialize)]
pub struct ListView<'a> {
    hooks_enabled: bool,
    hooks_enabled_source: Option<&'a Source>,
    layers: Vec<LayerView<'a>>,
    hooks: Vec<HookView<'a>>,
}

#[derive(Debug, Serialize)]
struct LayerView<'a> {
    layer: Layer,
    extension: Option<&'a str>,
    file: Cow<'a, str>,
    state: LayerState,
}

impl<'a> ListView<'a> {
    /// Creates the view of a list.
    pub fn new(listed: &'a ListedHooks) -> Self {
        let workspace = &listed.workspace;
        let enabled = &workspace.settings.switches.enabled;
        let (hooks_enabled, hooks_enabled_source) = match workspace.switch {
            RunSwitch::Off => (false, None),
            RunSwitch::AsConfigured => (enabled.value, enabled.source.as_ref()),
        };
        let hook = |status: &'a HookStatus| {
            let past = listed.statistics.get(&status.hook.id).cloned();
            HookView::new(status, Some(past.unwrap_or_default()))
        };
        Self {
            hooks_enabled,
            hooks_enabled_source,
            layers: workspace.settings.layers.iter().map(layer).collect(),
            hooks: listed.hooks.iter().map(hook).collect(),
        }
    }
}

fn layer(layer: &LoadedLayer) -> LayerView<'_> {
    LayerView {
        layer: layer.layer,
        extension: layer.extension.as_deref(),
        file: layer.file.to_string_lossy(),
        state: layer.state,
    }
}
