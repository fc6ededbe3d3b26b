//! Which part of a message the user wrote: messages of the user also contain hook context and file
//! contents.

use hookloop_model::Content;

/// The heading of file contents that a prompt refers to (`@path`).
pub const REFERENCES_HEADING: &str = "--- Content of the files that the prompt refers to ---";

/// How the context of hooks begins in a message (OUT-8).
const HOOK_CONTEXT: &str = "<hook_context>";

/// The beginning of the note that replaces an image that was left out.
pub(crate) const LEFT_OUT: &str = "[Left out: ";

/// Returns the part of a message that the user wrote, or `None` if the whole message comes from
/// hooks, referenced files or tools.
pub fn said_by_user(message: &Content) -> Option<String> {
    let texts = message.parts.iter().filter_map(|part| part.visible_text());
    let own = texts.filter(|text| {
        let text = text.trim_start();
        let of_others = [HOOK_CONTEXT, REFERENCES_HEADING, LEFT_OUT];
        !of_others.iter().any(|it| text.starts_with(it))
    });
    let text: String = own.collect();
    (!text.trim().is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use hookloop_model::{Part, Speaker};

    use super::*;

    /// SE-11: only what the user wrote in a message counts as the user's.
    #[test]
    fn only_the_users_words_are_the_users() {
        let texts = [
            "<hook_context>start</hook_context>\n\n".to_owned(),
            "explain @a".to_owned(),
            format!("\n\n{REFERENCES_HEADING}\nlong"),
            "\n\n<hook_context>more</hook_context>".to_owned(),
        ];
        let message = Content::new(Speaker::User, texts.map(Part::text).into());
        assert_eq!(said_by_user(&message).as_deref(), Some("explain @a"));
        let context = Content::user("<hook_context>start</hook_context>");
        assert_eq!(said_by_user(&context), None);
    }
}
