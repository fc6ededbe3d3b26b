//! An editor's prompt: text, files that it names, and embedded content.

use std::path::Path;

use agent_client_protocol::v1::schema::{ContentBlock, EmbeddedResourceResource};
use hookloop_session::HostedPrompt;
use hookloop_tools::{MAX_MEDIA_BYTES, Media};
use url::Url;

/// Combines the blocks of a prompt. `folder` is the folder to which paths are relative.
pub(crate) fn to_prompt(blocks: Vec<ContentBlock>, folder: &Path) -> HostedPrompt {
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
            ContentBlock::Image(image) => {
                let count = self.prompt.sent.len() + 1;
                let name = format!("image {count}");
                self.send_along(image.uri.as_deref().unwrap_or(&name), &image.data);
            }
            ContentBlock::Audio(_) => self.leave_out("audio is left out: models don't accept it"),
            _ => self.leave_out("a part of the prompt is left out: its type is unknown"),
        }
    }

    /// Adds what the person wrote.
    fn say(&mut self, text: &str) {
        self.prompt.text.push_str(text);
        self.prompt.typed.push_str(text);
    }

    /// Adds what no person wrote, in which `@` has no meaning.
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
                // A mention must be a separate word.
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

    /// Adds an image or a document. Hooks and the model read a note in its place.
    fn send_along(&mut self, name: &str, base64: &str) {
        let so_far: usize = self.prompt.sent.iter().map(|it| it.data.len()).sum();
        let is_too_much = so_far + base64.len() > MAX_MEDIA_BYTES;
        match Media::from_base64(name, base64).filter(|_| !is_too_much) {
            Some(media) => {
                self.add(&format!("\n[attached: {}]\n", media.describe()));
                self.prompt.sent.push(media);
            }
            None if is_too_much => self.leave_out(format!("{name} is left out: it is too large")),
            None => self.leave_out(format!(
                "{name} is left out: it is neither PNG, JPEG, GIF, WebP nor PDF"
            )),
        }
    }

    /// Adds something with its content. For a file, the content on disk counts, which hooks judge;
    /// other text is part of the prompt, which hooks read as a whole.
    fn resource(&mut self, resource: EmbeddedResourceResource) {
        match resource {
            EmbeddedResourceResource::TextResourceContents(it)
                if self.mention(&it.uri).is_some() =>
            {
                self.link(&it.uri, &it.uri);
                // The selected part. Its text is in the file, which hooks judge as a whole.
                if let Some((_, part)) = it.uri.split_once('#') {
                    self.add(&format!("({part}) "));
                }
            }
            EmbeddedResourceResource::TextResourceContents(it) => {
                self.add(&format!("\n--- {} ---\n{}\n", it.uri, it.text));
            }
            EmbeddedResourceResource::BlobResourceContents(it)
                if self.mention(&it.uri).is_some() =>
            {
                self.link(&it.uri, &it.uri);
            }
            EmbeddedResourceResource::BlobResourceContents(it) => {
                self.send_along(&it.uri, &it.blob);
            }
            _ => self.leave_out("a file is left out: the format of its content is unknown"),
        }
    }

    /// Returns `@path` for the address of a file.
    fn mention(&self, uri: &str) -> Option<String> {
        // Other addresses may have a path, too, but not one on disk: it belongs to a repository or
        // an editor.
        let named = Url::parse(uri).ok().filter(|it| it.scheme() == "file");
        let named = named.and_then(|it| it.to_file_path().ok());
        // Some editors name a file by its path alone.
        let plain = || Path::new(uri).is_absolute().then(|| uri.into());
        let path = named.or_else(plain)?;
        let path = path.strip_prefix(self.folder).unwrap_or(&path);
        let path = path.to_string_lossy().replace('\\', "\\\\");
        Some(format!("@{}", path.replace(' ', "\\ ")))
    }
}

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::{
        AudioContent, BlobResourceContents, EmbeddedResource, ImageContent, ResourceLink,
        TextContent, TextResourceContents,
    };

    use super::*;

    /// TU-7: what is typed may refer to files, and so does what the editor names; an `@` in other
    /// content is text.
    #[test]
    fn only_what_was_typed_refers_to_files() {
        let text = |text: &str| ContentBlock::Text(TextContent::new(text));
        let sent = |uri: &str| {
            let sent = TextResourceContents::new("see @other.rs", uri);
            let sent = EmbeddedResourceResource::TextResourceContents(sent);
            ContentBlock::Resource(EmbeddedResource::new(sent))
        };
        let prompt = to_prompt(
            vec![
                text("explain"),
                ContentBlock::ResourceLink(ResourceLink::new("c.rs", "file:///work/src/c.rs")),
                text("and "),
                sent("file:///work/a%20b.rs"),
                sent("/work/d.rs"),
                sent("note:1"),
                sent("git:///work/d.rs?HEAD"),
                ContentBlock::ResourceLink(ResourceLink::new("site", "https://example.org/@x")),
                ContentBlock::Audio(AudioContent::new("", "audio/wav")),
            ],
            Path::new("/work"),
        );
        let expected = "explain @src/c.rs and @a\\ b.rs @d.rs \n--- note:1 ---\nsee @other.rs\n\
                        \n--- git:///work/d.rs?HEAD ---\nsee @other.rs\n[site](https://example.org/@x)";
        assert_eq!(prompt.text, expected);
        assert_eq!(prompt.typed.trim(), "explain @src/c.rs and @a\\ b.rs @d.rs");
        assert_eq!(prompt.left_out.len(), 1);
    }
    /// TU-7: an image is sent if its bytes are those of one, and hooks read that it exists; for an
    /// embedded file, the version on disk counts, with the selected part.
    #[test]
    fn images_go_along_and_files_are_named() {
        let blob = |uri: &str, blob: &str| {
            let blob = BlobResourceContents::new(blob, uri);
            let blob = EmbeddedResourceResource::BlobResourceContents(blob);
            ContentBlock::Resource(EmbeddedResource::new(blob))
        };
        let selected = TextResourceContents::new("secret", "file:///work/a.rs#L2:4");
        let selected = EmbeddedResourceResource::TextResourceContents(selected);
        let prompt = to_prompt(
            vec![
                ContentBlock::Image(ImageContent::new("iVBORw0KGgo=", "image/png")),
                ContentBlock::Image(ImageContent::new("AAAA", "image/png")),
                blob("file:///work/b.png", "AAAA"),
                blob("paste:1", "JVBERi0xLjc="),
                ContentBlock::Resource(EmbeddedResource::new(selected)),
            ],
            Path::new("/work"),
        );
        let kinds: Vec<&str> = prompt.sent.iter().map(|it| it.mime_type).collect();
        assert_eq!(kinds, ["image/png", "application/pdf"]);
        assert_eq!(
            prompt.typed.split_whitespace().collect::<Vec<_>>(),
            ["@b.png", "@a.rs"]
        );
        assert!(prompt.text.contains("[attached: image 1 (image/png"));
        assert!(prompt.text.contains("(L2:4)") && !prompt.text.contains("secret"));
        assert_eq!(prompt.left_out.len(), 1);
    }
}
