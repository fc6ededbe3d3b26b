//! Small files that contain one object of strings, with the place of each.

use std::path::Path;

use jsonc_parser::ast::Value;

use crate::file_text::Documents;
use crate::read_file::{FileContent, read_file};
use crate::report::Report;
use crate::syntax::parse;
use hookloop_hook::Source;
use hookloop_hook::{Problem, ProblemCode};

/// A member of such a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEntry {
    /// The key.
    pub key: String,
    /// The value.
    pub value: String,
    /// The place of the value.
    pub source: Source,
    /// The line of the value.
    pub snippet: Option<String>,
}

/// Reads a file that consists of one object with texts, such as `trustedFolders.json` (TR-5). A
/// missing file has no entries. Entries that can't be read are left out, and reported under the
/// given code.
pub fn read_text_entries(file: &Path, code: ProblemCode) -> (Vec<TextEntry>, Vec<Problem>) {
    let origin = Source::of_file(file);
    let help = "repair the file, or remove it; what can't be read is treated as missing";
    let (text, wrong) = match read_file(&mut Documents::default(), &origin) {
        FileContent::Missing => return (Vec::new(), Vec::new()),
        FileContent::Unreadable(reason) => {
            let message = format!("the file can't be read: {reason}");
            return (Vec::new(), vec![Problem::new(code, origin, message, help)]);
        }
        FileContent::Text(text) => (text, None),
        FileContent::NotUnicode(text, offset) => (text, Some(offset)),
    };
    let mut report = Report::new(&text);
    let mut entries = Vec::new();
    let parsed = match wrong {
        Some(offset) => Err((offset, "it isn't UTF-8 text".to_owned())),
        None => match parse(text.text()) {
            Ok(Value::Object(object)) => Ok(object),
            Ok(other) => Err((
                crate::syntax::start(&other),
                "it isn't an object".to_owned(),
            )),
            Err(error) => Err((error.offset, error.message)),
        },
    };
    match parsed {
        Err((offset, complaint)) => {
            report.add(
                code,
                offset,
                format!("the file can't be read: {complaint}"),
                help,
            );
        }
        Ok(object) => {
            for property in report.members(&object) {
                match &property.value {
                    Value::StringLit(value) => {
                        let source = report.source_of(&property.value);
                        let snippet = source.position.and_then(|place| text.snippet(place));
                        entries.push(TextEntry {
                            key: property.name.as_str().to_owned(),
                            value: value.value.to_string(),
                            source,
                            snippet,
                        });
                    }
                    other => {
                        let message = format!(
                            "the entry is {}, not a string",
                            crate::syntax::kind_of(other)
                        );
                        report.add(code, crate::syntax::start(other), message, help);
                    }
                }
            }
        }
    }
    (entries, report.finish())
}
