//! MCP servers and skills that settings exclude from sessions by name, as in Gemini CLI (AG-CLI-7,
//! AG-CLI-9).

use std::path::{Path, PathBuf};

use hookloop_session::{RunOptions, Workspace, installed_skills};
use hookloop_settings::{Restriction, Saved, SettingsText, read_bytes, server_enablement};
use serde_json::{Value, json};

use crate::Task;
use crate::change::edit;
use crate::failure::{CommandFailure, FailureCode};
use crate::near_matches::near_matches;
use crate::scope::Scope;

/// What a list of settings excludes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptOut {
    /// MCP servers: `mcp.excluded`.
    Server,
    /// Skills: `skills.disabled`.
    Skill,
}

/// The result of including or excluding something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admitted {
    /// The settings files that were written.
    pub files: Vec<PathBuf>,
    /// The place of the setting that still excludes it.
    pub kept_out_by: Option<String>,
}

impl KeptOut {
    /// Returns its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Server => "MCP server",
            Self::Skill => "skill",
        }
    }

    /// Returns the command that lists all items.
    const fn listing_command(self) -> &'static str {
        match self {
            Self::Server => "hookloop mcp list",
            Self::Skill => "hookloop skills list",
        }
    }

    const fn path(self) -> [&'static str; 2] {
        match self {
            Self::Server => ["mcp", "excluded"],
            Self::Skill => ["skills", "disabled"],
        }
    }

    /// Returns the names of all items, including excluded ones.
    fn known_names(self, task: Task<'_>, workspace: &Workspace) -> Vec<String> {
        let agent = &workspace.settings.agent;
        match self {
            Self::Server => {
                let all = agent.mcp_servers.iter().chain(&agent.untrusted_servers);
                all.map(|it| it.name.clone()).collect()
            }
            Self::Skill => {
                let skills = installed_skills(task.environment, workspace);
                skills.iter().map(|it| it.name.clone()).collect()
            }
        }
    }

    fn restriction<'w>(self, workspace: &'w Workspace, name: &str) -> Option<&'w Restriction> {
        let restrictions = &workspace.settings.agent.restrictions;
        match self {
            Self::Server => restrictions.of_mcp_server(name),
            Self::Skill => restrictions.of_skill(name),
        }
    }
}

/// Adds a name to the exclusion list of a scope.
///
/// # Errors
/// Nothing has this name, or the file can't be written.
pub fn keep_out(
    task: Task<'_>,
    what: KeptOut,
    name: &str,
    scope: Scope,
) -> Result<Admitted, CommandFailure> {
    let before = Workspace::open(task.environment, &RunOptions::default());
    let known = what.known_names(task, &before);
    let Some(known) = known.iter().find(|it| is_same(it, name)) else {
        return Err(unknown_name(what, name, &known));
    };
    let file = scope.settings_file(&before, task.environment);
    let mut files = Vec::new();
    if listed_in(&file, what, name).is_empty()
        && edit(&file, |text| text.add_texts(&what.path(), &[known]))? == Saved::Written
    {
        files.push(file);
    }
    Ok(to_admitted(task, what, known, files))
}

/// Removes a name from the exclusion lists of the user and the project.
///
/// # Errors
/// Nothing has this name, or a file can't be written.
pub fn let_in(task: Task<'_>, what: KeptOut, name: &str) -> Result<Admitted, CommandFailure> {
    let before = Workspace::open(task.environment, &RunOptions::default());
    let mut files = Vec::new();
    let mut is_known = what.restriction(&before, name).is_some();
    for scope in [Scope::Project, Scope::User] {
        let file = scope.settings_file(&before, task.environment);
        let listed = listed_in(&file, what, name);
        if listed.is_empty() || files.contains(&file) {
            continue;
        }
        is_known = true;
        let listed: Vec<&str> = listed.iter().map(String::as_str).collect();
        if edit(&file, |text| text.remove_texts(&what.path(), &listed))? == Saved::Written {
            files.push(file);
        }
    }
    if what == KeptOut::Server {
        let file = server_enablement(&task.environment.home);
        if switched_on(&file, name)? {
            is_known = true;
            files.push(file);
        }
    }
    if !is_known {
        let known = what.known_names(task, &before);
        if !known.iter().any(|it| is_same(it, name)) {
            return Err(unknown_name(what, name, &known));
        }
    }
    Ok(to_admitted(task, what, name, files))
}

/// Removes the entry of a server that Gemini CLI disabled in its own file. Returns whether there
/// was one.
fn switched_on(file: &Path, name: &str) -> Result<bool, CommandFailure> {
    let Some(Value::Object(entries)) = value_of(file) else {
        return Ok(false);
    };
    let is_off = |entry: &Value| entry.get("enabled") != Some(&Value::Bool(true));
    let mut was_off = false;
    for (key, _) in entries
        .iter()
        .filter(|(key, it)| is_same(key, name) && is_off(it))
    {
        let saved = edit(file, |text| text.set(&[key], &json!({"enabled": true})))?;
        was_off |= saved == Saved::Written;
    }
    Ok(was_off)
}

fn to_admitted(task: Task<'_>, what: KeptOut, name: &str, files: Vec<PathBuf>) -> Admitted {
    let after = Workspace::open(task.environment, &RunOptions::default());
    let kept_out_by = what.restriction(&after, name).map(Restriction::place);
    Admitted { files, kept_out_by }
}

/// Returns the entries of a file's list that match a name. An unreadable file has none, and is
/// reported when it is loaded (ST-5).
fn listed_in(file: &Path, what: KeptOut, name: &str) -> Vec<String> {
    let read = value_of(file);
    let [section, key] = what.path();
    let list = read.as_ref().and_then(|all| all.get(section)?.get(key));
    let entries = list.and_then(Value::as_array).into_iter().flatten();
    let entries = entries.filter_map(Value::as_str);
    let meant = entries.filter(|it| is_same(it, name));
    meant.map(str::to_owned).collect()
}

/// Returns the content of a file; `None` if it can't be read.
fn value_of(file: &Path) -> Option<Value> {
    let bytes = read_bytes(file).ok().flatten()?;
    let text = String::from_utf8(bytes).ok()?;
    let text = SettingsText::new(text.trim_start_matches('\u{FEFF}')).ok()?;
    text.to_value().ok()
}

/// Compares names as these lists do.
fn is_same(listed: &str, name: &str) -> bool {
    listed.trim().eq_ignore_ascii_case(name.trim())
}

fn unknown_name(what: KeptOut, name: &str, known: &[String]) -> CommandFailure {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let near = near_matches(name, &known);
    let hint = near.first().map_or_else(
        || format!("; `{}` lists them", what.listing_command()),
        |it| format!("; did you mean \"{it}\"?"),
    );
    let message = format!("there is no {} \"{name}\"{hint}", what.as_str());
    CommandFailure::new(FailureCode::NoSource, message).with_candidates(near)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::World;

    /// AG-CLI-7, AG-CLI-9: what is switched off is in the list of the scope, once; switching it on
    /// removes it from every list, whatever its case, and a list of the system's is named.
    #[test]
    fn a_server_is_switched_off_and_on() {
        let world = World::new();
        let user = "home/.gemini/settings.json";
        let project = "project/.gemini/settings.json";
        world.write(user, &json!({"mcpServers": {"Files": {"command": "npx"}}}));
        world.write(project, &json!({"mcp": {"excluded": ["FILES", "other"]}}));
        for expected in [1, 0] {
            let done = keep_out(world.task(), KeptOut::Server, "files", Scope::User).unwrap();
            assert_eq!(done.files.len(), expected);
            assert!(done.kept_out_by.is_some());
        }
        assert_eq!(world.read(user)["mcp"]["excluded"], json!(["Files"]));
        let done = let_in(world.task(), KeptOut::Server, "files").unwrap();
        assert_eq!((done.files.len(), done.kept_out_by), (2, None));
        assert_eq!(world.read(user)["mcp"]["excluded"], json!([]));
        assert_eq!(world.read(project)["mcp"]["excluded"], json!(["other"]));
        world.write(
            "system.json",
            &json!({"admin": {"mcp": {"enabled": false}}}),
        );
        let done = let_in(world.task(), KeptOut::Server, "files").unwrap();
        assert!(done.files.is_empty() && done.kept_out_by.is_some());
        let failure = keep_out(world.task(), KeptOut::Server, "file", Scope::User).unwrap_err();
        assert_eq!(failure.candidates, ["Files"]);
        assert!(let_in(world.task(), KeptOut::Skill, "files").is_err());
    }

    /// AG-CLI-7, AG-CLI-9: a server that Gemini CLI switched off in its own file is kept out, with
    /// the place, and switched on there.
    #[test]
    fn the_switch_file_of_the_reference_counts() {
        let world = World::new();
        let file = "home/.gemini/mcp-server-enablement.json";
        let settings = json!({"mcpServers": {"Files": {"command": "npx"}}});
        world.write("home/.gemini/settings.json", &settings);
        world.write(
            file,
            &json!({"files": {"enabled": false}, "on": {"enabled": true}}),
        );
        let failure = keep_out(world.task(), KeptOut::Server, "on", Scope::User).unwrap_err();
        assert_eq!(failure.code, FailureCode::NoSource);
        let before = Workspace::open(world.task().environment, &RunOptions::default());
        let restriction = KeptOut::Server.restriction(&before, "Files").unwrap();
        assert!(
            restriction
                .source
                .file
                .ends_with("mcp-server-enablement.json")
        );
        let done = let_in(world.task(), KeptOut::Server, "Files").unwrap();
        assert_eq!((done.files.len(), done.kept_out_by), (1, None));
        assert_eq!(world.read(file)["files"]["enabled"], json!(true));
    }
}
