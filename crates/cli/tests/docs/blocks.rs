//! The fenced blocks of a page, with what precedes them.

/// What is between two headings.
pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) blocks: Vec<Block>,
}

/// A fenced block.
pub(crate) struct Block {
    /// The line of its fence, from 1.
    pub(crate) line: usize,
    pub(crate) language: String,
    pub(crate) text: String,
    /// Names and values of the comments before it.
    directives: Vec<(String, String)>,
    /// The file that the sentence before it names.
    introduced: Option<String>,
}

const DIRECTIVES: [&str; 5] = ["file", "reply", "from", "not run", "problems"];

impl Block {
    pub(crate) fn directive(&self, name: &str) -> Option<&str> {
        let mut all = self.directives.iter();
        all.find(|(it, _)| it == name)
            .map(|(_, value)| value.as_str())
    }

    /// Returns where the block has to be written.
    pub(crate) fn file(&self) -> Option<&str> {
        self.directive("file").or(self.introduced.as_deref())
    }
}

/// Splits a page into sections.
pub(crate) fn sections(page: &str) -> Vec<Section> {
    let mut sections = vec![Section {
        title: "(top)".to_owned(),
        blocks: Vec::new(),
    }];
    let (mut directives, mut paragraph) = (Vec::new(), String::new());
    let mut lines = page.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let inside = lines.by_ref().map(|(_, line)| line);
            let inside = inside.take_while(|line| *line != "```");
            let text = inside.flat_map(|line| [line, "\n"]).collect();
            sections.last_mut().unwrap().blocks.push(Block {
                line: index + 1,
                language: language.to_owned(),
                text,
                directives: std::mem::take(&mut directives),
                introduced: introduced(&paragraph),
            });
            paragraph.clear();
        } else if let Some(title) = line.strip_prefix("## ").or(line.strip_prefix("### ")) {
            assert!(
                directives.is_empty(),
                "line {}: a comment without block",
                index + 1
            );
            sections.push(Section {
                title: title.to_owned(),
                blocks: Vec::new(),
            });
            paragraph.clear();
        } else if let Some(comment) = line.strip_prefix("<!-- ") {
            directives.extend(directive(comment, index + 1));
        } else if line.is_empty() {
            // A block may be separated from the sentence before it.
            if !paragraph.ends_with(":\n") {
                paragraph.clear();
            }
        } else {
            if paragraph.ends_with(":\n") {
                paragraph.clear();
            }
            paragraph.push_str(line);
            paragraph.push('\n');
        }
    }
    sections
}

/// Parses a comment; those around generated parts aren't directives.
fn directive(comment: &str, line: usize) -> Option<(String, String)> {
    let comment = comment.strip_suffix(" -->");
    let comment = comment.unwrap_or_else(|| panic!("line {line}: the comment doesn't end"));
    if comment.starts_with("generated ") {
        return None;
    }
    let (name, value) = comment.split_once(':').unwrap_or((comment, ""));
    assert!(
        DIRECTIVES.contains(&name),
        "line {line}: \"{name}\" isn't a directive"
    );
    Some((name.to_owned(), value.trim().to_owned()))
}

/// Returns the file that a sentence such as "Put this into `.gemini/settings.json`:" names last.
fn introduced(paragraph: &str) -> Option<String> {
    if !paragraph.ends_with(":\n") {
        return None;
    }
    let spans = paragraph.split('`').skip(1).step_by(2);
    let is_file = |span: &&str| {
        [".gemini/", "~/.gemini/", ".claude/"]
            .iter()
            .any(|folder| span.starts_with(folder))
    };
    spans.filter(is_file).last().map(str::to_owned)
}
