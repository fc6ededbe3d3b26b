//! Repositories that list several plugins, in the format of Claude Code: each plugin is an
//! extension, but not the repository as a whole (EX-4, FD-3).

use std::path::Path;

use hookloop_settings::read_bytes;
use serde_json::Value;

/// How many plugins a message names.
const MAX_NAMED: usize = 10;

/// Returns a message that names the plugins in a folder, if the folder lists any.
pub(crate) fn plugins_listed_in(folder: &Path) -> Option<String> {
    let bytes = read_bytes(&folder.join(".claude-plugin/marketplace.json")).ok()??;
    let list: Value = serde_json::from_slice(&bytes).ok()?;
    let listed = list.get("plugins")?.as_array()?;
    let within = listed.iter().filter_map(|plugin| {
        let source = plugin.get("source")?.as_str()?;
        let source = source.trim_start_matches("./").trim_end_matches('/');
        let is_plugin = folder
            .join(source)
            .join(".claude-plugin/plugin.json")
            .is_file();
        (is_plugin && !source.is_empty() && !source.contains("..")).then(|| source.to_owned())
    });
    let within: Vec<String> = within.collect();
    let named = match &within[..] {
        [] => {
            return Some("it lists plugins, but none of them is in one of its folders".to_owned());
        }
        few if few.len() <= MAX_NAMED => few.join(", "),
        many => format!(
            "{}, and {} more",
            many[..MAX_NAMED].join(", "),
            many.len() - MAX_NAMED
        ),
    };
    Some(format!(
        "it is a marketplace of plugins; install one of them by its folder: {named}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// EX-4, FD-3: a person who names a repository with several plugins is told which of its
    /// folders can be installed.
    #[test]
    fn a_marketplace_names_its_plugins() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let write = |name: &str, text: &str| {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap_or(&file))?;
            std::fs::write(file, text)
        };
        assert_eq!(plugins_listed_in(folder.path()), None);
        let list = r#"{"name": "m", "plugins": [{"name": "a", "source": "./plugins/a"},
            {"name": "gone", "source": "./plugins/gone"}, {"name": "up", "source": "../up"},
            {"name": "far", "source": {"source": "github", "repo": "x/y"}}]}"#;
        write(".claude-plugin/marketplace.json", list)?;
        write("plugins/a/.claude-plugin/plugin.json", "{}")?;
        let listed = plugins_listed_in(folder.path()).unwrap_or_default();
        assert!(listed.ends_with(": plugins/a"), "{listed}");
        write(".claude-plugin/marketplace.json", r#"{"plugins": []}"#)?;
        assert!(plugins_listed_in(folder.path()).is_some());
        write(".claude-plugin/marketplace.json", "{")?;
        assert_eq!(plugins_listed_in(folder.path()), None);
        Ok(())
    }
}
