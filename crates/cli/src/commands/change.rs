//! What a command changed, and how it is told (CM-2).

use std::path::PathBuf;

use hookloop_hook::Source;
use hookloop_manage::CommandFailure;
use hookloop_session::Workspace;
use hookloop_settings::WorkspaceTrust;
use serde::Serialize;

use crate::commands::{Context, Format, text, views};
use crate::output::{Exit, Output};

/// Holds what a command changed.
#[derive(Debug, Default)]
pub(crate) struct Change {
    /// The files that were written.
    pub(crate) files: Vec<PathBuf>,
    /// The hooks that it is about.
    pub(crate) labels: Vec<String>,
    /// What keeps hooks disabled all the same.
    pub(crate) still_disabled_by: Vec<Source>,
    /// What was done, for people.
    pub(crate) told: String,
    /// What they should know besides.
    pub(crate) notices: String,
}

impl Change {
    /// Tells of the change, with the diagnostics of the workspace as it is now.
    pub(crate) fn report(
        self,
        context: &Context<'_>,
        workspace: &Workspace,
    ) -> Result<Output, CommandFailure> {
        let exit = if self.still_disabled_by.is_empty() {
            Exit::Done
        } else {
            Exit::Failed
        };
        let problems = &workspace.problems;
        let folder = match &workspace.settings.workspace {
            WorkspaceTrust::DoNotTrust { source } => text::folder_notice(source),
            _ => String::new(),
        };
        let notices = self.notices + &folder;
        let (result, notices) = match context.format {
            Format::Json => {
                let view = ChangeView {
                    changed: !self.files.is_empty(),
                    files: texts(&self.files),
                    labels: self.labels,
                    still_disabled_by: self.still_disabled_by,
                };
                let root = &workspace.project_root;
                (
                    views::document(context.name, root, view, problems)?,
                    notices,
                )
            }
            Format::Text {
                notices: stream, ..
            } => {
                let mut told = self.told;
                for file in texts(&self.files) {
                    told.extend(["  written: ", &hookloop_text::visible(&file), "\n"]);
                }
                (
                    told,
                    text::diagnostics_of_sources(problems, stream) + &notices,
                )
            }
        };
        Ok(Output {
            result,
            notices,
            exit,
        })
    }
}

/// Returns paths as JSON shows them.
pub(crate) fn texts(paths: &[PathBuf]) -> Vec<String> {
    paths
        .iter()
        .map(|path| path.to_string_lossy().into_owned())
        .collect()
}

/// Shows what was changed.
#[derive(Debug, Default, Serialize)]
pub(crate) struct ChangeView {
    /// Whether something is different now.
    pub(crate) changed: bool,
    /// The files that were written.
    pub(crate) files: Vec<String>,
    /// The hooks that it is about.
    pub(crate) labels: Vec<String>,
    /// What keeps hooks disabled all the same; said by `enable` alone.
    pub(crate) still_disabled_by: Vec<Source>,
}
