//! A settings file of an agent changed while it runs: a change that takes the bridge away is refused
//! (BR-24).

use std::path::{Path, PathBuf};

use hookloop_bridge::{Agent, Conclusion, InstallScope, Ruling};
use hookloop_session::Environment;
use serde_json::Value;

use super::files;
use super::setting::Setting;

const SCOPES: [InstallScope; 2] = [InstallScope::User, InstallScope::Project];

/// Returns the files that make an agent call the bridge, and the link that they name.
pub(super) fn own_files(agent: Agent, environment: &Environment) -> Vec<PathBuf> {
    let setting = Setting::of(environment);
    let recorded = SCOPES
        .into_iter()
        .filter_map(|it| setting.record(agent, it));
    let files = recorded.flat_map(|record| record.files.into_iter().map(|it| it.path));
    let mut files: Vec<PathBuf> = files.collect();
    files.push(files::link(&setting.home));
    files
}

/// Judges a settings file as it is now.
pub(super) fn judge(agent: Agent, file: Option<&Path>, environment: &Environment) -> Conclusion {
    let objection = file.and_then(|file| objection(agent, file, &Setting::of(environment)));
    Conclusion {
        ruling: objection.map_or(Ruling::Silent, Ruling::Refuse),
        ..Conclusion::default()
    }
}

fn objection(agent: Agent, path: &Path, setting: &Setting<'_>) -> Option<String> {
    let shown = path.display();
    let text = files::read(path).ok().flatten().unwrap_or_default();
    let settings = hookloop_settings::SettingsText::new(text.as_str());
    let settings = settings.and_then(|it| it.to_value()).unwrap_or_default();
    let off = settings.get("disableAllHooks");
    if off.is_some_and(|it| !matches!(it, Value::Null | Value::Bool(false))) {
        return Some(format!(
            "hookloop refuses: {shown} would switch all hooks off (`disableAllHooks`)"
        ));
    }
    let mut records = SCOPES
        .into_iter()
        .filter_map(|it| setting.record(agent, it));
    let is_recorded = records.any(|record| record.of(path).is_some());
    let mut files = SCOPES.into_iter().flat_map(|it| setting.files(agent, it));
    let file = files.find(|it| it.path == path).filter(|_| is_recorded)?;
    let link = files::link(&setting.home);
    let is_whole = agent
        .install(&file, Some(&text), &link)
        .is_ok_and(|wanted| wanted == text);
    (!is_whole).then(|| {
        format!(
            "hookloop refuses: {shown} would not call your hooks any more; to take the bridge out, run \
             `hookloop bridge uninstall {}`",
            agent.word()
        )
    })
}
