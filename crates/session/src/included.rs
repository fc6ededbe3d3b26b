//! Additional folders that tools and prompts may access: those from the command line, and those
//! from settings (TO-1).

use std::path::PathBuf;

use hookloop_hook::Layer;
use hookloop_settings::Provided;

use crate::environment::Environment;
use crate::options::Options;
use crate::workspace::Workspace;

/// Returns the folders of the command line, which have to be there.
pub(crate) fn of_options(options: &Options, environment: &Environment) -> Vec<PathBuf> {
    let named = options.include_directories.iter();
    named.map(|it| environment.current_dir.join(it)).collect()
}

/// Returns the folders in settings (`context.includeDirectories`), as far as they exist; others are
/// reported.
pub(crate) fn settings_folders(
    environment: &Environment,
    workspace: &Workspace,
    tell: &dyn Fn(&str),
) -> Vec<PathBuf> {
    let named = workspace.settings.agent.include_directories.iter();
    let there = named.filter_map(|named| {
        let folder = expand_home(environment, &named.value);
        if folder.is_dir() {
            return Some(folder);
        }
        let place = named.source.as_ref().map(|it| format!("{it}: "));
        tell(&format!(
            "{}\"context.includeDirectories\": {} isn't a folder, and is left out",
            place.unwrap_or_default(),
            folder.display()
        ));
        None
    });
    there.collect()
}

/// Returns the folders in settings that commands in the sandbox may also write to: a project opens
/// none (ST-13).
pub(crate) fn trusted_settings_folders(
    environment: &Environment,
    workspace: &Workspace,
) -> Vec<PathBuf> {
    let named = workspace.settings.agent.include_directories.iter();
    let folders = named
        .filter(|it| is_of_person(it))
        .map(|it| expand_home(environment, &it.value));
    folders.filter(|it| it.is_dir()).collect()
}

fn is_of_person(named: &Provided<String>) -> bool {
    let layer = named.source.as_ref().and_then(|it| it.layer);
    matches!(layer, Some(Layer::User | Layer::System))
}

/// Returns the folder that a path means: `~` is the home folder.
fn expand_home(environment: &Environment, named: &str) -> PathBuf {
    let home = environment.home_of_programs();
    let home = home.as_deref().unwrap_or(&environment.home);
    match named.strip_prefix('~') {
        Some("") => home.to_owned(),
        Some(rest) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => environment.current_dir.join(named),
    }
}
