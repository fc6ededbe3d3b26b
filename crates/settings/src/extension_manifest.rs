//! The manifest of an extension (EX-1).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jsonc_parser::ast::{Object, Value};

use crate::absence::may_stand;
use crate::deny_wish;
use crate::extension::REPAIR;
use crate::misplaced::report_in_manifest;
use crate::report::Report;
use crate::syntax::{is_null, key_start, member, parse, start, to_json};
use hookloop_hook::ProblemCode;

/// What a manifest says.
pub(crate) struct Manifest {
    pub(crate) form: ManifestForm,
    pub(crate) name: Arc<str>,
    pub(crate) version: String,
    pub(crate) json: serde_json::Value,
    /// Whether it says, where nothing reads it, that a failure of its hooks refuses (IO-21).
    pub(crate) wants_deny: bool,
    /// The variables that its settings declare.
    pub(crate) variables: Vec<String>,
}

/// Whose words a manifest is written in (EX-1, FD-3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ManifestForm {
    /// `gemini-extension.json`.
    Gemini,
    /// `.claude-plugin/plugin.json`.
    Claude,
}

impl ManifestForm {
    /// Returns the file, from the extension's folder.
    pub(crate) const fn file(self) -> &'static str {
        match self {
            Self::Gemini => "gemini-extension.json",
            Self::Claude => ".claude-plugin/plugin.json",
        }
    }

    /// Returns the form of what is in a folder; that of Gemini CLI if there is no manifest.
    pub(crate) fn of(folder: &Path) -> Self {
        let is_claude = !may_stand(&folder.join(Self::Gemini.file()))
            && may_stand(&folder.join(Self::Claude.file()));
        if is_claude {
            Self::Claude
        } else {
            Self::Gemini
        }
    }
}

/// Returns the path of an extension's manifest: its own, or that of a Claude Code plugin (FD-3).
/// The file need not exist.
pub fn manifest_of(extension: &Path) -> PathBuf {
    extension.join(ManifestForm::of(extension).file())
}

/// Returns the object that an extension's file is, or reports that it isn't one.
pub(crate) fn object<'t>(report: &mut Report<'t>) -> Option<Object<'t>> {
    let text = report.text;
    let (offset, message) = match parse(text.text()) {
        Ok(Value::Object(object)) => return Some(object),
        Ok(other) => (start(&other), "the file isn't an object".to_owned()),
        Err(error) => (
            error.offset,
            format!("the file isn't JSON: {}", error.message),
        ),
    };
    report.add(ProblemCode::ExtensionInvalid, offset, message, REPAIR);
    None
}

/// Reads a manifest, or reports that the extension is broken.
pub(crate) fn read_manifest(report: &mut Report<'_>, form: ManifestForm) -> Option<Manifest> {
    let root = object(report)?;
    let _ = report.members(&root);
    if form == ManifestForm::Gemini {
        report_hooks(report, &root);
        report_in_manifest(report, &root);
    }
    let name = match member(&root, "name").map(|it| &it.value) {
        Some(Value::StringLit(name)) if is_name(&name.value) => Arc::from(&*name.value),
        Some(other) => {
            let message = "an extension's name may contain letters, digits, \"-\", \"_\" and \".\"";
            report.add(ProblemCode::ExtensionInvalid, start(other), message, REPAIR);
            return None;
        }
        None => {
            let message = "the manifest has no field \"name\"";
            report.add(ProblemCode::ExtensionInvalid, start(&root), message, REPAIR);
            return None;
        }
    };
    let version = member(&root, "version").and_then(|it| it.value.as_string_lit());
    Some(Manifest {
        form,
        name,
        version: version
            .map(|text| text.value.to_string())
            .unwrap_or_default(),
        variables: declared_variables(report, &root),
        wants_deny: deny_wish::of_extension_file(&root).is_some(),
        json: to_json(&Value::Object(root)),
    })
}

/// Reports hooks that are in the manifest, where nothing reads them (ST-12).
fn report_hooks(report: &mut Report<'_>, root: &Object<'_>) {
    let hooks = member(root, "hooks").filter(|it| matches!(it.value, Value::Object(_)));
    if let Some(property) = hooks {
        let message = "hooks in an extension's manifest have no effect: they aren't read from \
            there";
        let help = "move this \"hooks\" into the extension's hooks/hooks.json";
        report.add(
            ProblemCode::MisplacedHooks,
            key_start(property),
            message,
            help,
        );
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('.')
        && name
            .chars()
            .all(|it| it.is_ascii_alphanumeric() || "-_.".contains(it))
}

/// Returns the `envVar`s of the manifest's `settings` (EX-1).
fn declared_variables(report: &mut Report<'_>, root: &Object<'_>) -> Vec<String> {
    let list = match member(root, "settings").map(|it| &it.value) {
        Some(Value::Array(list)) => list,
        Some(other) if !is_null(other) => {
            report.wrong_type("\"settings\"", other, "a list of objects");
            return Vec::new();
        }
        _ => return Vec::new(),
    };
    let mut variables = Vec::new();
    for element in &list.elements {
        match element
            .as_object()
            .and_then(|object| member(object, "envVar"))
        {
            Some(property) => {
                if let Some(name) = report.text_of("\"envVar\"", &property.value)
                    && !name.is_empty()
                    && !name.contains(['=', '\0'])
                {
                    variables.push(name.to_owned());
                }
            }
            None => report.add(
                ProblemCode::MissingField,
                start(element),
                "a setting of the extension has no field \"envVar\"",
                "name the environment variable for its hooks",
            ),
        }
    }
    variables
}

/// Returns the texts of a value: it is one, or a list of them.
pub(crate) fn texts(value: &serde_json::Value) -> Vec<String> {
    match value {
        serde_json::Value::String(text) => vec![text.clone()],
        serde_json::Value::Array(list) => list
            .iter()
            .filter_map(|it| it.as_str().map(str::to_owned))
            .collect(),
        _ => Vec::new(),
    }
}
