//! Which tools run without asking: options, settings and policy files together (TO-6).

use std::io;
use std::path::{Path, PathBuf};

use hookloop_agent::{
    AllowAlways, ApprovalMode, PlanFolder, Policy, Programs, Rule, ToolPattern, doubtful_rules,
    read_policy_file,
};
use hookloop_hook::{Enablement, ExtensionScope};
use hookloop_settings::{AgentSettings, Extension, Provided, Settings, is_absent};

use crate::environment::Environment;
use crate::exit::SessionError;
use crate::later::Later;
use crate::options::Options;

/// Returns which tools run without asking, from options, settings and policy files.
pub(super) fn policy(
    options: &Options,
    environment: &Environment,
    settings: &Settings,
) -> Result<Policy, SessionError> {
    let tools = &settings.agent.tools;
    let patterns = |names: &[String]| -> Vec<ToolPattern> {
        names
            .iter()
            .map(|name| ToolPattern::from(name.as_str()))
            .collect()
    };
    let each = |names: &[Provided<String>]| -> Vec<ToolPattern> {
        names
            .iter()
            .map(|name| ToolPattern::from(name.value.as_str()))
            .collect()
    };
    let mut allowed = patterns(&options.allowed_tools);
    if let Some(names) = &tools.allowed {
        allowed.extend(patterns(&names.value));
    }
    let mut excluded = each(&tools.exclude);
    excluded.extend(excluded_by_extensions(settings).map(ToolPattern::from));
    Ok(Policy {
        mode: allowed_mode(approval_mode(options, &settings.agent)?, settings)?,
        core: tools.core.as_ref().map(|names| patterns(&names.value)),
        excluded,
        allowed,
        confirmation_required: each(&tools.confirmation_required),
        rules: rules(options, environment, settings)?,
        protection: None,
        plans: PlanFolder::default(),
        programs: Programs::default(),
        allow_always: match settings.agent.restrictions.of_allow_always() {
            Some(_) => AllowAlways::Forbidden,
            None => AllowAlways::Offered,
        },
    })
}

/// Returns where programs are found, for permissions by name (HT-31): on the PATH that commands have now,
/// which hooks may have set (FD-14).
pub(super) fn programs(environment: &Environment, later: Later) -> Programs {
    let own = environment
        .variables
        .iter()
        .find(|(name, _)| name == "PATH")
        .map(|(_, value)| value.clone())
        .unwrap_or_default();
    let workspace = environment.current_dir.clone();
    Programs::new(move |program| {
        let path = later.value("PATH");
        let path = path.map_or_else(|| own.clone(), Option::unwrap_or_default);
        std::env::split_paths(&path)
            .find(|folder| !folder.is_absolute() || folder.join(program).is_file())
            .is_some_and(|folder| {
                let real = folder.join(program).canonicalize();
                let links_inside = real.is_ok_and(|real| real.starts_with(&workspace));
                folder.is_absolute() && !folder.starts_with(&workspace) && !links_inside
            })
    })
}

/// Reads the user's policy files, and those that options and settings name (TO-6).
fn rules(
    options: &Options,
    environment: &Environment,
    settings: &Settings,
) -> Result<Vec<Rule>, SessionError> {
    let folder = environment.home.join(".gemini").join("policies");
    let mut files = policy_files(&folder).map_err(|error| {
        SessionError::Configuration(format!(
            "the policy files in {} can't be found: {error}",
            folder.display()
        ))
    })?;
    files.sort();
    for named in &settings.agent.policy_paths {
        let path = named_place(named, environment);
        // A missing file could have contained the rule that refuses.
        let missing = |error: io::Error| {
            let place = named.place();
            SessionError::Configuration(format!(
                "{place}the policy files in {} can't be read: {error}",
                path.display()
            ))
        };
        if std::fs::metadata(&path).map_err(missing)?.is_dir() {
            let mut inside = policy_files(&path).map_err(missing)?;
            inside.sort();
            files.extend(inside);
        } else {
            files.push(path);
        }
    }
    files.extend(named_by_options(options, environment));
    let rules: Vec<Vec<Rule>> = files
        .iter()
        .map(|file| read_policy_file(file))
        .collect::<Result<_, _>>()?;
    Ok(rules.into_iter().flatten().collect())
}

fn named_by_options<'a>(
    options: &'a Options,
    environment: &'a Environment,
) -> impl Iterator<Item = PathBuf> + 'a {
    let named = options.policy.iter();
    named.map(|file| environment.current_dir.join(file))
}

/// Returns the file or folder of rules that settings name. A relative one is beside the settings: the project
/// of a session can't substitute other rules.
fn named_place(named: &Provided<String>, environment: &Environment) -> PathBuf {
    let source = named.source.as_ref();
    let beside = source.and_then(|it| it.file.parent());
    beside
        .unwrap_or(&environment.current_dir)
        .join(&named.value)
}

/// Returns the files and folders of rules that options and settings name: guards depend on them.
pub(super) fn named_places(
    options: &Options,
    environment: &Environment,
    settings: &Settings,
) -> Vec<PathBuf> {
    let named = settings.agent.policy_paths.iter();
    let named = named.map(|it| named_place(it, environment));
    named
        .chain(named_by_options(options, environment))
        .collect()
}

/// Returns the policy files in a folder. A missing one contains none; one that can't be read, or is a link to
/// nothing, could contain the rule that refuses.
fn policy_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if is_absent(folder)? {
        return Ok(Vec::new());
    }
    let paths: Vec<PathBuf> = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()?;
    Ok(paths.into_iter().filter(|it| is_policy(it)).collect())
}

/// Returns the tools that extensions in force exclude (EX-1).
fn excluded_by_extensions(settings: &Settings) -> impl Iterator<Item = &str> {
    let counts = |extension: &&Extension| {
        let origin = &extension.origin;
        let is_ours = origin.scope == ExtensionScope::User || settings.workspace.is_trusted();
        origin.enablement == Enablement::Enabled && is_ours
    };
    let extensions = settings.extensions.iter().filter(counts);
    extensions.flat_map(|extension| extension.exclude_tools.iter().map(String::as_str))
}

/// Refuses the mode that never asks if the settings forbid it (AG-CLI-7).
fn allowed_mode(mode: ApprovalMode, settings: &Settings) -> Result<ApprovalMode, SessionError> {
    let forbidden = settings.agent.restrictions.of_never_asking();
    match forbidden.filter(|_| mode == ApprovalMode::Yolo) {
        Some(setting) => Err(SessionError::Configuration(format!(
            "{} is true: a session that asks for nothing (--yolo) is not allowed",
            setting.place()
        ))),
        None => Ok(mode),
    }
}

fn approval_mode(
    options: &Options,
    settings: &AgentSettings,
) -> Result<ApprovalMode, SessionError> {
    if let Some(mode) = options.approval_mode {
        return Ok(mode);
    }
    let Some(setting) = &settings.approval_mode else {
        return Ok(ApprovalMode::Default);
    };
    setting
        .value
        .parse()
        .map_err(|error| SessionError::Configuration(format!("{}{error}", setting.place())))
}

/// Names the policy files that have no effect: those of the user that aren't read, and those of a project.
pub(super) fn without_effect(environment: &Environment, project_root: &Path) -> Vec<String> {
    let mut unread = unread_files(&environment.home.join(".gemini"));
    unread.extend(project_files(environment, project_root));
    unread
}

/// Names what is in the folder of policies but isn't read, and folders that were meant to be that folder
/// (TO-6): a rule in them refuses nothing.
fn unread_files(user_folder: &Path) -> Vec<String> {
    let names = |folder: &Path| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|it| it.path()).collect();
        paths.sort();
        paths
    };
    let folder = user_folder.join("policies");
    let mut unread = Vec::new();
    for path in names(&folder) {
        if is_policy(&path) {
            unread.extend(doubtful_rules(&path));
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let shown = path.display();
        if path.is_dir() {
            let holds_some = policy_files(&path).is_ok_and(|it| !it.is_empty());
            if holds_some {
                unread.push(format!(
                    "{shown}: folders in the folder of policies aren't read, so its rules have no effect; move \
                     its files into {}",
                    folder.display()
                ));
            }
        } else if !is_policy(&path) && !is_aside(&name) {
            unread.push(format!(
                "{shown}: only files that end with .toml are read as policies, so its rules have no effect; \
                 write them as TOML into a file whose name ends with .toml"
            ));
        }
    }
    for other in ["policy", "Policies", "rules"] {
        let other = user_folder.join(other);
        let is_same = same_file(&other, &folder);
        if !is_same && policy_files(&other).is_ok_and(|it| !it.is_empty()) {
            unread.push(format!(
                "{}: nothing reads this folder, so the rules in it have no effect; policies belong in {}",
                other.display(),
                folder.display()
            ));
        }
    }
    unread
}

/// Returns whether two paths lead to one place, if case doesn't count.
fn same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Returns whether a file's name shows that it isn't meant as rules: notes, backup copies of editors, hidden
/// files.
fn is_aside(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let ends = [
        ".md",
        "~",
        ".bak",
        ".orig",
        ".swp",
        ".tmp",
        ".off",
        ".disabled",
    ];
    name.starts_with('.') || name.starts_with("readme") || ends.iter().any(|it| name.ends_with(it))
}

/// Returns whether a file is read as a policy.
fn is_policy(path: &Path) -> bool {
    path.extension()
        .is_some_and(|it| it.eq_ignore_ascii_case("toml"))
}

/// Names the policy files of a project, which have no effect: a rule of high priority could override a
/// stricter one of the user's.
fn project_files(environment: &Environment, project_root: &Path) -> Vec<String> {
    let folder = project_root.join(".gemini").join("policies");
    if folder == environment.home.join(".gemini").join("policies") {
        return Vec::new();
    }
    let name = |path: PathBuf| {
        format!(
            "{}: policy files of a project have no effect; use it with --policy, or copy it to \
             ~/.gemini/policies",
            path.display()
        )
    };
    match policy_files(&folder) {
        Ok(files) => files.into_iter().map(name).collect(),
        Err(_) => vec![name(folder)],
    }
}
