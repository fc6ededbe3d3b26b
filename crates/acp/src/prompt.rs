//! What an editor sends as a prompt: text, files that it names, and what it sends along.

use std::path::Path;

use agent_client_protocol::v1::schema::{ContentBlock, EmbeddedResourceResource};
use hookloop_session::HostedPrompt;
use url::Url;

/// Puts the blocks of a prompt together. `folder` is what relative paths are meant from.
pub(crate) fn taken(blocks: Vec<ContentBlock>, folder: &Path) -> HostedPrompt {
    let mut reading = Reading {
        folder,
        prompt: HostedPrompt::default(),
    };
    for block in blocks {
        reading.take(block);
    }
    reading.prompt
}

struct Reading<'a> {
    folder: &'a Path,
    prompt: HostedPrompt,
}

impl Reading<'_> {
    fn take(&mut self, block: ContentBlock) {
        match block {
            ContentBlock::Text(text) => self.say(&text.text),
            ContentBlock::ResourceLink(link) => self.link(&link.name, &link.uri),
            ContentBlock::Resource(resource) => self.resource(resource.resource),
            ContentBlock::Image(_) => {
                self.leave_out("an image is left out: save it in the project and name it with @");
            }
            ContentBlock::Audio(_) => self.leave_out("a sound is left out: models don't take it"),
            _ => self.leave_out("a part of the prompt is left out: its kind isn't known"),
        }
    }

    /// Adds what the person wrote.
    fn say(&mut self, text: &str) {
        self.prompt.text.push_str(text);
        self.prompt.typed.push_str(text);
    }

    /// Adds what no person wrote, in which no `@` is looked for.
    fn add(&mut self, text: &str) {
        self.prompt.text.push_str(text);
        self.prompt.typed.push(' ');
    }

    fn leave_out(&mut self, why: impl Into<String>) {
        self.prompt.left_out.push(why.into());
    }

    /// Adds something that is named. A file is the same as its `@path` in the text: it is read
    /// through the hooks of `read_file` (EV-4).
    fn link(&mut self, name: &str, uri: &str) {
        match self.mention(uri) {
            Some(mention) => {
                // A mention is a word of its own.
                let is_apart = self.prompt.typed.ends_with(char::is_whitespace);
                let gap = if is_apart || self.prompt.typed.is_empty() {
                    ""
                } else {
                    " "
                };
                self.say(&format!("{gap}{mention} "));
            }
            None => self.add(&format!("[{name}]({uri})")),
        }
    }

    /// Adds something with its content. Of a file the content on disk counts, which hooks judge;
    /// other text is a part of the prompt, which hooks read as a whole.
    fn resource(&mut self, resource: EmbeddedResourceResource) {
        match resource {
            EmbeddedResourceResource::TextResourceContents(it)
                if self.mention(&it.uri).is_some() =>
            {
                self.link(&it.uri, &it.uri);
            }
            EmbeddedResourceResource::TextResourceContents(it) => {
                self.add(&format!("\n--- {} ---\n{}\n", it.uri, it.text));
            }
            EmbeddedResourceResource::BlobResourceContents(it) => self.link(&it.uri, &it.uri),
            _ => self.leave_out("a file is left out: the form of its content isn't known"),
        }
    }

    /// Returns `@path` for the address of a file.
    fn mention(&self, uri: &str) -> Option<String> {
        let path = Url::parse(uri).ok()?.to_file_path().ok()?;
        let path = path.strip_prefix(self.folder).unwrap_or(&path);
        let path = path.to_string_lossy().replace('\\', "\\\\");
        Some(format!("@{}", path.replace(' ', "\\ ")))
    }
}

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::{
        AudioContent, EmbeddedResource, ResourceLink, TextContent, TextResourceContents,
    };

    use super::*;

    /// TU-7: what is typed may refer to files, and so does what the editor names; an `@` in what
    /// comes along is text.
    #[test]
    fn only_what_was_typed_refers_to_files() {
        let text = |text: &str| ContentBlock::Text(TextContent::new(text));
        let sent = |uri: &str| {
            let sent = TextResourceContents::new("see @other.rs", uri);
            let sent = EmbeddedResourceResource::TextResourceContents(sent);
            ContentBlock::Resource(EmbeddedResource::new(sent))
        };
        let taken = taken(
            vec![
                text("explain"),
                ContentBlock::ResourceLink(ResourceLink::new("c.rs", "file:///work/src/c.rs")),
                text("and "),
                sent("file:///work/a%20b.rs"),
                sent("note:1"),
                ContentBlock::ResourceLink(ResourceLink::new("site", "https://example.org/@x")),
                ContentBlock::Audio(AudioContent::new("", "audio/wav")),
            ],
            Path::new("/work"),
        );
        let expected = "explain @src/c.rs and @a\\ b.rs \n--- note:1 ---\nsee @other.rs\n\
                        [site](https://example.org/@x)";
        assert_eq!(taken.text, expected);
        assert_eq!(taken.typed.trim(), "explain @src/c.rs and @a\\ b.rs");
        assert_eq!(taken.left_out.len(), 1);
    }
}
