//! The files of a call that names them by patterns, for other agents' hooks (FD-10).

use std::sync::Arc;

use hookloop_dialects::UNTOLD;
use hookloop_engine::{Executor, ExecutorLayer, Translation};
use hookloop_hook::Dialect;
use hookloop_shell::normalize_path;
use hookloop_tools::{Workspace, files_to_read};
use serde_json::{Map, Value};

/// Wraps an executor, and names each file that a call reads to hooks of other dialects: their
/// agents have no tool that accepts patterns, so no guard of theirs looks for one.
pub(super) struct NamedFiles<E> {
    executor: E,
    /// The folders that tools may touch; nothing if they can't be opened, and nothing is read.
    files: Option<Arc<Workspace>>,
}

impl<E> NamedFiles<E> {
    pub(super) const fn new(executor: E, files: Option<Arc<Workspace>>) -> Self {
        Self { executor, files }
    }
}

impl<E: Executor> ExecutorLayer for NamedFiles<E> {
    type Inner = E;

    fn inner(&self) -> &E {
        &self.executor
    }

    fn additional_fields(&self, translation: &Translation<'_>) -> Map<String, Value> {
        // Gemini CLI has the same tool with the same patterns, so it needs no translation.
        let is_foreign = translation.hook.dialect != Dialect::GeminiCli;
        let named = match &self.files {
            Some(files) if is_foreign => arguments_with_files(files, translation),
            _ => None,
        };
        match named {
            None => self.executor.additional_fields(translation),
            Some(Err(why)) => Map::from_iter([(UNTOLD.to_owned(), Value::String(why))]),
            Some(Ok(input)) => {
                let mut fields = translation.fields().cloned().unwrap_or_default();
                fields.insert("tool_input".to_owned(), Value::Object(input.clone()));
                let mut beside = self
                    .executor
                    .additional_fields(&translation.clone().with_fields(fields));
                beside.insert("tool_input".to_owned(), Value::Object(input));
                beside
            }
        }
    }
}

/// Returns the arguments of a call that reads many files with the files instead of patterns, or why
/// they can't be determined; nothing for other calls, and for one that reads none.
fn arguments_with_files(
    files: &Workspace,
    translation: &Translation<'_>,
) -> Option<Result<Map<String, Value>, String>> {
    if translation.tool != Some("read_many_files") {
        return None;
    }
    let cwd = &translation.session.cwd;
    let mut input = translation
        .fields()?
        .get("tool_input")?
        .as_object()?
        .clone();
    let found = files_to_read(files, &input).ok()?;
    // A file named in the call keeps that name: a guard may match it, and not the target of a link.
    let is_read = |name: &&str| {
        let place = files.resolve(name);
        place.is_ok_and(|place| found.contains(&place))
    };
    let asked = input.get("include")?.as_array()?.iter();
    let mut names: Vec<String> = asked
        .filter_map(Value::as_str)
        .filter(is_read)
        .map(str::to_owned)
        .collect();
    let known: Vec<String> = names
        .iter()
        .map(|name| normalize_path(&cwd.join(name).to_string_lossy()))
        .collect();
    for path in &found {
        match path.to_str() {
            Some(path) if known.iter().any(|it| it == path) => {}
            Some(path) => names.push(path.to_owned()),
            None => {
                return Some(Err(format!(
                    "the name of a file that is to be read isn't UTF-8: {}",
                    path.display()
                )));
            }
        }
    }
    if names.is_empty() {
        return None;
    }
    input.insert("include".to_owned(), Value::from(names));
    Some(Ok(input))
}
