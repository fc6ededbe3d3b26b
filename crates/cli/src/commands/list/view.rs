//! The list of all hooks as JSON (CM-1).

use std::borrow::Cow;

use hookloop_engine::{HookStatus, RunSwitch};
use hookloop_hook::{Layer, Source};
use hookloop_session::Workspace;
use hookloop_session::recording::StatisticsOfHooks;
use hookloop_settings::{LayerState, LoadedLayer};
use serde::Serialize;

use crate::commands::views::HookView;

/// Shows all hooks, and the layers they come from.
#[derive(Debug, Serialize)]
pub(crate) struct ListView<'a> {
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
    /// Shows the hooks of a workspace, with what the trace knows of them.
    pub(crate) fn new(
        workspace: &'a Workspace,
        hooks: &'a [HookStatus],
        mut stats: StatisticsOfHooks,
    ) -> Self {
        let enabled = &workspace.settings.switches.enabled;
        let (hooks_enabled, hooks_enabled_source) = match workspace.switch {
            RunSwitch::Off => (false, None),
            RunSwitch::AsConfigured => (enabled.value, enabled.source.as_ref()),
        };
        Self {
            hooks_enabled,
            hooks_enabled_source,
            layers: workspace.settings.layers.iter().map(layer).collect(),
            hooks: hooks
                .iter()
                .map(|status| {
                    let of_hook = stats.remove(&status.hook.id).unwrap_or_default();
                    HookView::new(status, Some(of_hook))
                })
                .collect(),
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
