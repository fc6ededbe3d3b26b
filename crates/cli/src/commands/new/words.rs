//! What was created, for people (CM-8).

use hookloop_manage::{Created, Scope};
use hookloop_text::visible;

/// Says which files there are now, and what to try next.
pub(crate) fn created(created: &Created) -> String {
    let name = visible(&created.name);
    let trust = match created.scope {
        Scope::Project => "it is trusted as it is now, and runs at once",
        Scope::User => "it runs at once, in every project",
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
