//! Which MCP servers Gemini CLI has switched off in its own file (AG-CLI-9).

use std::path::{Path, PathBuf};

use jsonc_parser::ast::{ObjectProp, Value};

use crate::loader::Loader;
use crate::read_file::{FileContent, read_file};
use crate::report::Report;
use crate::restrictions::{Forbidden, Restriction, Restrictions};
use crate::syntax::{key_start, member, parse};
use hookloop_hook::{Layer, Problem, ProblemCode, Source};

/// Returns the place of the file below a home folder.
pub fn server_enablement(home: &Path) -> PathBuf {
    home.join(".gemini/mcp-server-enablement.json")
}

/// Reads which servers are switched off. A value that can't be read switches off what it is about,
/// and is reported.
pub(crate) fn read_switched_off(loader: &mut Loader, home: &Path) -> Restrictions {
    let origin = Source {
        layer: Some(Layer::User),
        ..Source::of_file(server_enablement(home))
    };
    let complaint = match read_file(&mut loader.documents, &origin) {
        FileContent::Missing => return Restrictions::default(),
        FileContent::Text(text) => match parse(text.text()) {
            Ok(Value::Object(root)) => {
                let mut report = Report::new(&text);
                let servers = report.members(&root);
                let off = servers
                    .into_iter()
                    .filter_map(|it| switched_off(&mut report, it));
                let off = Restrictions(off.collect());
                loader.problems.extend(report.finish());
                return off;
            }
            Ok(_) => "it isn't an object".to_owned(),
            Err(error) => error.message,
        },
        FileContent::Unreadable(reason) => reason,
        FileContent::NotUnicode(..) => "it isn't UTF-8 text".to_owned(),
    };
    let message = format!("the list of disabled MCP servers can't be read: {complaint}");
    let help = "repair or remove the file; until then no server is used";
    loader.problems.push(Problem::new(
        ProblemCode::InvalidValue,
        origin.clone(),
        message,
        help,
    ));
    Restrictions(vec![Restriction {
        forbidden: Forbidden::McpServers,
        key: "mcp-server-enablement.json".to_owned(),
        source: origin,
    }])
}

/// Returns what an entry switches off.
fn switched_off(report: &mut Report<'_>, entry: &ObjectProp<'_>) -> Option<Restriction> {
    let name = entry.name.as_str();
    let what = format!("\"{name}.enabled\"");
    let enabled = match &entry.value {
        Value::Object(object) => match member(object, "enabled").map(|it| &it.value) {
            None => true,
            Some(Value::BooleanLit(enabled)) => enabled.value,
            Some(other) => {
                report.wrong_type(&what, other, "true or false");
                false
            }
        },
        other => {
            report.wrong_type(&format!("\"{name}\""), other, "an object with \"enabled\"");
            false
        }
    };
    (!enabled).then(|| Restriction {
        forbidden: Forbidden::McpServer(name.to_owned()),
        key: format!("{name}.enabled"),
        source: report.text.source_at(key_start(entry)),
    })
}
