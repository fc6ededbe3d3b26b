//! A settings file of an agent changed while the agent runs. A change that removes the bridge is
//! refused (BR-24).

use std::path::{Path, PathBuf};

use hookloop_bridge::{Agent, Conclusion, InstallScope, InstalledFile, Ruling};
use hookloop_trust::real_path;
use serde_json::Value;

use crate::files;
use crate::records::is_removed_by_person;
use crate::setting::{SCOPES, Setting};

/// Judges the current settings of an agent. Which file changed is only a hint: if it isn't a known
/// one, all of them are examined.
pub(crate) fn judge(agent: Agent, changed: Option<&Path>, setting: &Setting<'_>) -> Conclusion {
    let look = Look { agent, setting };
    let objection = look.objection(changed);
    Conclusion {
        ruling: objection.map_or(Ruling::Silent, |what| {
            Ruling::Refuse(format!("hookloop refuses: {what}"))
        }),
        ..Conclusion::default()
    }
}

struct Look<'a> {
    agent: Agent,
    setting: &'a Setting<'a>,
}

impl Look<'_> {
    fn objection(&self, changed: Option<&Path>) -> Option<String> {
        let changed = changed.map(|it| self.setting.environment.current_dir.join(it));
        let is_changed = |path: &Path| changed.as_ref().is_some_and(|it| is_same(it, path));
        let switches = self.setting.switching_files(self.agent);
        let installed = SCOPES.into_iter().flat_map(|scope| {
            self.installed_files(scope)
                .into_iter()
                .map(move |it| (scope, it))
        });
        let installed: Vec<(InstallScope, InstalledFile)> = installed.collect();
        let is_known = switches.iter().any(|it| is_changed(it))
            || installed.iter().any(|(_, file)| is_changed(&file.path));
        let is_meant = |path: &Path| !is_known || is_changed(path);
        let mut looked_at = switches;
        looked_at.retain(|it| is_meant(it));
        looked_at.extend(changed.clone());
        let off = looked_at.iter().find_map(|path| switched_off(path));
        off.or_else(|| {
            let mut meant = installed.iter().filter(|(_, file)| is_meant(&file.path));
            meant.find_map(|(scope, file)| self.describe_removal(*scope, file))
        })
    }

    /// Returns the files of a scope that should contain the bridge: those that the agent reads.
    fn installed_files(&self, scope: InstallScope) -> Vec<InstalledFile> {
        self.setting.files(self.agent, scope)
    }

    /// Returns a message if a file doesn't call the bridge any more. Without a record of what was
    /// installed, which may be lost, the bridge has to be complete somewhere: it is being called.
    fn describe_removal(&self, scope: InstallScope, file: &InstalledFile) -> Option<String> {
        let setting = self.setting;
        if self.is_whole(file)
            || is_removed_by_person(&setting.state, self.agent, scope, &setting.project)
        {
            return None;
        }
        let is_whole = |scope: InstallScope| {
            let files = self.installed_files(scope);
            !files.is_empty() && files.iter().all(|it| self.is_whole(it))
        };
        let record = setting.record(self.agent, scope);
        let is_recorded = record.is_some_and(|it| it.of(&file.path).is_some());
        if !is_recorded && SCOPES.into_iter().any(is_whole) {
            return None;
        }
        Some(format!(
            "{} would no longer call your hooks; to remove the bridge, run `hookloop bridge \
             uninstall {}`",
            file.path.display(),
            self.agent.word()
        ))
    }

    fn is_whole(&self, file: &InstalledFile) -> bool {
        let text = files::read(&file.path).ok().flatten().unwrap_or_default();
        let link = files::link(&self.setting.home);
        let wanted = self.agent.install(file, Some(&text), &link);
        wanted.is_ok_and(|wanted| wanted == text)
    }
}

/// Returns a message if a file switches all hooks off.
fn switched_off(path: &Path) -> Option<String> {
    let text = match files::read(path) {
        Ok(text) => text.unwrap_or_default(),
        Err(error) => return Some(format!("{} can't be read: {error}", path.display())),
    };
    let settings = hookloop_settings::SettingsText::new(text.as_str());
    let settings = settings.and_then(|it| it.to_value()).unwrap_or_default();
    let off = settings.get("disableAllHooks");
    let is_off = off.is_some_and(|it| !matches!(it, Value::Null | Value::Bool(false)));
    is_off.then(|| {
        format!(
            "{} would disable all hooks (`disableAllHooks`)",
            path.display()
        )
    })
}

/// Returns whether two paths mean the same file, however they are spelled, even if it is gone.
fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| -> Option<PathBuf> { real_path(path) };
    one == other || real(one).is_some_and(|it| real(other) == Some(it))
}
