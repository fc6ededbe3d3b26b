//! From the folders that a person named to an engine that is ready to fire.

use std::env;
use std::path::Path;
use std::sync::Arc;

use hookloop_engine::events::{BeforeTool, BeforeToolInput, Decision, Reply};
use hookloop_engine::{Hooks, Registry, RunSwitch};
use hookloop_exec::{CommandExecutor, Redaction, Surroundings};
use hookloop_settings::{
    EnvironmentRedaction, ExtensionChoice, LoadRequest, Provided, RunTrust, load,
};
use hookloop_trust::{FolderTrustFile, TrustStore};

use crate::screen::{Screen, show};

/// Loads the hooks of a project and of its user. What is wrong with them is shown, never hidden,
/// and keeps nothing else from working.
pub(crate) fn load_hooks(project: &Path, home: &Path) -> Hooks {
    let state = home.join(".gemini");
    let (folders, mut problems) = FolderTrustFile::open(&state.join("trustedFolders.json"));
    let settings = load(&LoadRequest {
        project_root: project.to_path_buf(),
        home: home.to_path_buf(),
        // A bot has no settings of the system; a file that is missing is an empty one.
        system_file: state.join("system.json"),
        folder: folders.trust_of(project),
        run: RunTrust::NotGiven,
        extensions: ExtensionChoice::Enabled,
        agreed_words: Vec::new(),
    });
    let (store, of_store) = TrustStore::open(state.join("trusted_hooks.json"));
    problems.extend(settings.problems.iter().cloned());
    problems.extend(of_store);

    // Declared, vouched for, registered: there is no way around the trust store.
    let vouched = store.vouch(project, settings.hooks.clone(), &settings.workspace);
    let registry = Registry::new(
        vouched,
        &settings.switches,
        RunSwitch::AsConfigured,
        project,
    );
    problems.extend(hookloop_engine::lint(&registry));
    for problem in problems {
        show(&format!(
            "{}: {}: {}",
            problem.source, problem.code, problem.message
        ));
    }

    let cap = settings.switches.max_output_bytes.value;
    Hooks::builder()
        .registry(registry)
        .max_output_bytes(usize::try_from(cap).unwrap_or(usize::MAX))
        .executor(CommandExecutor::new(Surroundings {
            variables: env::vars_os().collect(),
            project_root: project.to_path_buf(),
            plans_dir: state.join("plans"),
            scratch_dir: env::temp_dir(),
            redaction: redaction(&settings.agent.environment_redaction),
            ..Surroundings::default()
        }))
        .on::<BeforeTool>("change-freeze", change_freeze)
        .observer(Arc::new(Screen))
        .build()
}

fn redaction(configured: &EnvironmentRedaction) -> Redaction {
    let names = |list: &[Provided<String>]| list.iter().map(|it| it.value.clone()).collect();
    Redaction {
        enabled: configured.enabled.as_ref().map(|it| it.value),
        allowed: names(&configured.allowed),
        blocked: names(&configured.blocked),
    }
}

/// The bot's own rule, a hook like any other one: nothing is run in production.
fn change_freeze(input: &BeforeToolInput) -> Reply {
    if input.tool_input.get("target").and_then(|it| it.as_str()) != Some("production") {
        return Reply::default();
    }
    Reply {
        decision: Some(Decision::Deny),
        reason: Some("production is frozen until Monday".to_owned()),
        ..Reply::default()
    }
}
