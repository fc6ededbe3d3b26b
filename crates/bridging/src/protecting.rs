//! Protects the bridge's own files from the agents that it guards (TR-8, TR-11).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookloop_bridge::{Agent, Conclusion, InstallScope, Moment, Ruling, TranslatedPayload};
use hookloop_host::{CallWatch, Concern, Judged, LazyProtected, OwnProgram, Protected, only_reads};
use hookloop_session::{Environment, Workspace};

use crate::files;
use crate::setting::{SCOPES, Setting};
use crate::surroundings;

/// Makes a call that would change files that guards depend on need a person's consent (TR-8):
/// settings and hooks, and what makes any agent call them. So does an opaque call, if a person can
/// be asked; otherwise it is reported that nobody is. `changes` returns whether the words after
/// this program's name change them.
pub(crate) fn protect(
    agent: Agent,
    environment: &Environment,
    workspace: &Arc<Workspace>,
    translated: &TranslatedPayload,
    changes: fn(&[String]) -> bool,
    conclusion: &mut Conclusion,
) {
    // Most calls only read, and needn't wait until everything that they could change is known.
    if translated.moment != Moment::BeforeTool
        || translated.calls().iter().all(|it| only_reads(&it.tool))
    {
        return;
    }
    let program = environment.program.iter().cloned();
    let home = environment.home_of_programs();
    let link = files::link(home.as_deref().unwrap_or(&environment.home));
    // Determined only for a command that changes files; most only read.
    let protected = LazyProtected::new({
        let (environment, workspace) = (environment.clone(), Arc::clone(workspace));
        let cwd = translated.cwd.clone();
        move || protected_in(&environment, &workspace, &cwd)
    });
    let watch = CallWatch::new(protected, translated.cwd.clone(), home)
        .with_variables(environment.variables_of_tools(&workspace.project_root))
        .with_own_program(OwnProgram {
            files: program.chain([link]).collect(),
            changes,
            judged: Judged::All,
        });
    let concerns = translated.calls().iter();
    let concerns = concerns.filter_map(|call| watch.concern(&call.tool, &call.arguments));
    let concerns: Vec<Concern> = concerns.collect();
    let reason = concerns.iter().find_map(|concern| match concern {
        Concern::Touches(path) => Some(format!(
            "this call would change {}, which hooks, settings or other guards depend on",
            path.display()
        )),
        Concern::Changes(command) => Some(format!(
            "this call would run `{command}`, which changes files that hooks, settings or other \
             guards depend on"
        )),
        Concern::Unclear(_) => None,
    });
    let unclear = concerns.iter().find_map(|concern| match concern {
        Concern::Unclear(what) => Some(format!(
            "this call could change files that hooks, settings or other guards depend on: what \
             `{what}` does is only known when it runs; use plain commands with plain file names"
        )),
        _ => None,
    });
    // If there are hooks, the opaque part of a call that changes something could change files that
    // they depend on.
    let is_change = |tool: &str| matches!(tool, "run_shell_command" | "write_file" | "replace");
    let may_change = translated.calls().iter().any(|it| is_change(&it.tool));
    let rest = translated.rest();
    let rest = rest.filter(|_| may_change && !workspace.vouched.is_empty());
    let unclear = unclear.or_else(|| {
        let what = rest?;
        Some(format!(
            "this call could change files that hooks, settings or other guards depend on: {what}; \
             do it in several calls"
        ))
    });
    let reason = match (reason, unclear) {
        // A refusal that nobody can override would be wrong too often.
        (None, Some(_)) if !agent.asks() => {
            conclusion.impossible.push(format!(
                "{} can't ask: a command that can't be analysed runs unless a hook refuses it",
                agent.name()
            ));
            None
        }
        (reason, unclear) => reason.or(unclear),
    };
    if let Some(reason) = reason {
        let ruling = std::mem::take(&mut conclusion.ruling);
        conclusion.ruling = ruling.or_stricter(Ruling::Ask(reason));
    }
}

/// Finds what the hooks of a workspace, and the bridge itself, depend on.
fn protected_in(environment: &Environment, workspace: &Workspace, cwd: &Path) -> Protected {
    let setting = Setting::of(environment);
    let link = files::link(&setting.home);
    let noted = surroundings::file(&setting.home);
    let own = environment.program.iter().cloned().chain([link, noted]);
    Protected::of(workspace)
        .and(own.chain(files_of_agents(&setting, cwd)))
        .and(records_of_runs(environment, workspace))
        .and_folders([setting.state.join("bridge")])
        .and_folders(workspace.records(environment))
}

/// Returns the files that make agents call the bridge, or switch their hooks off: those of every
/// agent, wherever it may look, since the next session may use another one.
fn files_of_agents(setting: &Setting<'_>, cwd: &Path) -> Vec<PathBuf> {
    let inner = cwd.ancestors();
    let inner = inner.take_while(|it| it.starts_with(&setting.project));
    let projects: Vec<&Path> = inner.chain([setting.project.as_path()]).collect();
    let mut found = Vec::new();
    for agent in Agent::ALL {
        let moved = setting.configured_folder(agent);
        let mut of = |scope, folder: &Path, moved: Option<&Path>| {
            let installed = agent.files(scope, folder, moved).into_iter();
            found.extend(installed.map(|it| it.path));
            found.extend(agent.switching_files(scope, folder, moved));
        };
        of(InstallScope::User, &setting.home, None);
        if moved.is_some() {
            of(InstallScope::User, &setting.home, moved.as_deref());
        }
        for project in &projects {
            of(InstallScope::Project, project, None);
        }
        let records = SCOPES.iter().filter_map(|it| setting.record(agent, *it));
        found.extend(records.flat_map(|it| it.files).map(|it| it.path));
    }
    found
}

/// Returns the record of hook runs, with the files that the database keeps beside it.
fn records_of_runs(environment: &Environment, workspace: &Workspace) -> [PathBuf; 4] {
    let state = workspace.state_dir(environment);
    ["", "-wal", "-shm", "-journal"].map(|it| state.join(format!("trace.sqlite{it}")))
}
