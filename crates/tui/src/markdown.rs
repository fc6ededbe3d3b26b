//! Markdown as styled lines (TU-1).

mod blocks;
mod stream;
mod table;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::code;
use crate::markdown::blocks::Blocks;
use crate::markdown::table::Table;
use crate::styled::{Line, Palette, Span, Style, Tone};
use crate::wrap::wrap;
use hookloop_text::{visible_cells, visible_row};

pub(crate) use stream::{MarkdownStream, blocks};

/// Renders a text for this many columns: its blocks, with a blank line between them.
pub(crate) fn render(text: &str, columns: usize, palette: Palette) -> Vec<Line> {
    let mut lines = Vec::new();
    for block in blocks(text) {
        let block = render_block(block, columns, palette);
        if !lines.is_empty() && !block.is_empty() {
            lines.push(Line::default());
        }
        lines.extend(block);
    }
    lines
}

/// Renders one block for this many columns.
pub(crate) fn render_block(text: &str, columns: usize, palette: Palette) -> Vec<Line> {
    let mut renderer = Renderer {
        blocks: Blocks::new(columns),
        palette,
        spans: Vec::new(),
        styles: vec![Style::default()],
        links: Vec::new(),
        lists: Vec::new(),
        code: None,
        label: String::new(),
        table: None,
    };
    for event in parser(text) {
        renderer.take(event);
    }
    renderer.end_paragraph();
    let mut lines = renderer.blocks.finish();
    lines.extend(definitions(text, columns));
    lines
}

/// Draws the addresses of link definitions (`[name]: address`): without them, the references to
/// them would be incomplete.
fn definitions(text: &str, columns: usize) -> Vec<Line> {
    let parser = parser(text);
    let mut found: Vec<_> = parser.reference_definitions().iter().collect();
    found.sort_by_key(|(_, definition)| definition.span.start);
    let lines = found.into_iter().flat_map(|(name, definition)| {
        let line = format!("[{}]: {}", visible_row(name), visible_row(&definition.dest));
        wrap(&Line::new(line, Tone::Faint), columns, 2)
    });
    lines.collect()
}

fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH)
}

struct Renderer {
    blocks: Blocks,
    palette: Palette,
    /// The text of the paragraph so far.
    spans: Vec<Span>,
    styles: Vec<Style>,
    /// Where the open links lead.
    links: Vec<String>,
    /// The next number of each open list; `None` for bullets.
    lists: Vec<Option<u64>>,
    /// The text of the open code block.
    code: Option<String>,
    /// What follows its fence.
    label: String,
    table: Option<Table>,
}

impl Renderer {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.put(&visible_row(&text)),
            },
            Event::Code(code) => {
                let style = Style::from(Tone::Code);
                let code = visible_row(&code);
                let code = match self.palette {
                    Palette::Dark | Palette::Light | Palette::Either => code,
                    Palette::Plain => format!("`{code}`"),
                };
                self.spans.push(Span::new(code, style));
            }
            // Line breaks in a model's text are meaningful, so they are kept.
            Event::SoftBreak | Event::HardBreak => self.break_line(),
            Event::Rule => {
                self.blocks.begin();
                self.blocks.rule();
            }
            Event::Html(text) | Event::InlineHtml(text) => {
                for (index, line) in visible_cells(&text).lines().enumerate() {
                    if index > 0 {
                        self.break_line();
                    }
                    self.put(line);
                }
            }
            Event::FootnoteReference(_)
            | Event::TaskListMarker(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.blocks.begin(),
            Tag::Heading { level, .. } => {
                self.blocks.begin();
                let style = Style::default().strong();
                self.styles.push(match level {
                    HeadingLevel::H1 | HeadingLevel::H2 => Style {
                        tone: Tone::Accent,
                        ..style
                    },
                    _ => style,
                });
            }
            Tag::BlockQuote(_) => {
                self.end_paragraph();
                self.blocks.begin();
                self.blocks.enter("│ ", "│ ");
            }
            Tag::CodeBlock(kind) => {
                self.end_paragraph();
                self.blocks.begin();
                self.label.clear();
                if let CodeBlockKind::Fenced(label) = kind
                    && !label.is_empty()
                {
                    self.label = visible_row(&label);
                    self.blocks
                        .line(&Line::new(self.label.clone(), Tone::Faint));
                }
                self.code = Some(String::new());
            }
            Tag::List(first) => {
                self.end_paragraph();
                if self.lists.is_empty() {
                    self.blocks.begin();
                }
                self.lists.push(first);
            }
            Tag::Item => self.start_item(),
            Tag::Strong => self.push_style(Style::strong),
            Tag::Emphasis => self.push_style(Style::italic),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push(visible_row(&dest_url));
                self.push_style(|style| Style {
                    tone: Tone::Link,
                    ..style
                });
            }
            Tag::Table(alignments) => {
                self.blocks.begin();
                self.table = Some(Table::new(alignments));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.end_paragraph(),
            TagEnd::Heading(_) => {
                self.end_paragraph();
                self.styles.pop();
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Item | TagEnd::BlockQuote(_) => {
                self.end_paragraph();
                self.blocks.leave();
            }
            TagEnd::Strong | TagEnd::Emphasis => {
                self.styles.pop();
            }
            TagEnd::Link | TagEnd::Image => self.end_link(),
            TagEnd::TableCell => {
                let spans = std::mem::take(&mut self.spans);
                if let Some(table) = &mut self.table {
                    table.cell(Line(spans));
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                if let Some(table) = &mut self.table {
                    table.end_row();
                }
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    for row in table.rows(self.blocks.room()) {
                        self.blocks.line(&row);
                    }
                }
            }
            _ => {}
        }
    }

    fn start_item(&mut self) {
        self.end_paragraph();
        let marker = match self.lists.last_mut() {
            Some(Some(number)) => {
                let marker = format!("{number}. ");
                *number += 1;
                marker
            }
            _ => "- ".to_owned(),
        };
        let indent = " ".repeat(marker.len());
        self.blocks.enter(&marker, &indent);
    }

    fn push_style(&mut self, change: impl FnOnce(Style) -> Style) {
        let current = self.style();
        self.styles.push(change(current));
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn put(&mut self, text: &str) {
        let style = self.style();
        self.spans.push(Span::new(text, style));
    }

    fn break_line(&mut self) {
        if self.table.is_some() {
            self.put(" ");
            return;
        }
        let line = Line(std::mem::take(&mut self.spans));
        self.blocks.line(&line);
    }

    fn end_link(&mut self) {
        self.styles.pop();
        let shown = self.spans.last().map(|span| span.text.clone());
        if let Some(address) = self.links.pop()
            && shown.as_ref() != Some(&address)
            && !address.is_empty()
        {
            self.spans
                .push(Span::new(format!(" ({address})"), Tone::Faint));
        }
    }

    fn end_paragraph(&mut self) {
        if !self.spans.is_empty() {
            let line = Line(std::mem::take(&mut self.spans));
            self.blocks.line(&line);
        }
    }

    fn end_code(&mut self) {
        let code = self.code.take().unwrap_or_default();
        self.blocks.enter("  ", "  ");
        for line in code::lines(&self.label, &visible_cells(&code)) {
            self.blocks.line(&line);
        }
        self.blocks.leave();
    }
}

#[cfg(test)]
mod tests;
