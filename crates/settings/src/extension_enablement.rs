//! Where extensions are enabled: `extension-enablement.json` (EX-4).

use std::path::Path;

use crate::extension_manifest::texts;
use crate::loader::Loader;
use crate::read_file::{FileContent, read_file};
use crate::syntax::{parse, to_json};
use hookloop_hook::Layer;
use hookloop_hook::Source;
use hookloop_hook::{Problem, ProblemCode};

pub(crate) const ENABLEMENT: &str = "extension-enablement.json";

/// Which extensions are switched off where, in order; the last rule that matches counts.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    json: serde_json::Map<String, serde_json::Value>,
}

/// Reads the rules that are in a folder of extensions.
pub(crate) fn read_rules(loader: &mut Loader, folder: &Path) -> Rules {
    let file = folder.join(ENABLEMENT);
    let origin = Source {
        layer: Some(Layer::Extension),
        ..Source::of_file(file)
    };
    let complaint = match read_file(&mut loader.documents, &origin) {
        FileContent::Missing => return Rules::default(),
        FileContent::Text(text) => match parse(text.text()).map(|root| to_json(&root)) {
            Ok(serde_json::Value::Object(json)) => return Rules { json },
            Ok(_) => "it isn't an object".to_owned(),
            Err(error) => error.message,
        },
        FileContent::Unreadable(reason) => reason,
        FileContent::NotUnicode(..) => "it isn't UTF-8 text".to_owned(),
    };
    let message = format!("the list of disabled extensions can't be read: {complaint}");
    let help = "repair or remove the file; until then it disables no extension";
    loader.problems.push(Problem::new(
        ProblemCode::ExtensionInvalid,
        origin,
        message,
        help,
    ));
    Rules::default()
}

impl Rules {
    /// Returns whether an extension takes part in a workspace.
    pub(crate) fn enable(&self, name: &str, workspace: &Path) -> bool {
        let rules = self.json.get(name).and_then(|entry| entry.get("overrides"));
        let place = with_slashes(&workspace.to_string_lossy());
        let mut enabled = true;
        for rule in rules.map(texts).unwrap_or_default() {
            let (disables, pattern) = match rule.strip_prefix('!') {
                Some(pattern) => (true, pattern),
                None => (false, rule.as_str()),
            };
            let fits = match pattern.strip_suffix('*') {
                Some(above) => place.starts_with(&with_slashes(above)),
                None => place == with_slashes(pattern),
            };
            if fits {
                enabled = !disables;
            }
        }
        enabled
    }
}

fn with_slashes(path: &str) -> String {
    let path = path.replace('\\', "/");
    format!("/{}/", path.trim_matches('/')).replace("//", "/")
}
