//! What was created, for people (CM-8).

use hookloop_manage::{Created, Scope};
use hookloop_text::visible;

use super::TypeArgument;

/// Says which files there are now, and what to try next.
pub(crate) fn created(created: &Created, kind: TypeArgument) -> String {
    let name = visible(&created.name);
    let trust = match (kind, created.scope) {
        (TypeArgument::Plugin, Scope::Project) => "build it, then trust what was built",
        (TypeArgument::Plugin, Scope::User) => "build it, and it runs in every project",
        (TypeArgument::Command, Scope::Project) => "it is trusted as it is now, and runs at once",
        (TypeArgument::Command, Scope::User) => "it runs at once, in every project",
    };
    let mut text = format!("created: {name}; {trust}\n");
    for file in &created.files {
        text.extend(["  ", &visible(&file.to_string_lossy()), "\n"]);
    }
    text.push_str("Try it:\n");
    for command in &created.next {
        text.extend(["  ", &visible(command), "\n"]);
    }
    text
}
