//! Diagnostics in the style of compilers (what, where, the line, and the remedy), and why a command
//! failed (ST-5, CM-3).

use hookloop_hook::{Problem, ProblemCode, Severity};
use hookloop_text::{Excerpt, Indents, Palette, Style, Terminal, paragraph, visible};

use crate::failure::CommandFailure;

/// Returns problems as text, each with an empty line behind it.
pub fn diagnostics(problems: &[Problem], terminal: Terminal) -> String {
    problems
        .iter()
        .map(|problem| diagnostic(problem, terminal))
        .collect()
}

/// Returns the problems that concern a command about single hooks or extensions: files that nothing
/// reads are told by `list`, `check`, and where somebody asks why a hook doesn't run (ST-12).
pub fn diagnostics_of_sources(problems: &[Problem], terminal: Terminal) -> String {
    problems
        .iter()
        .filter(|problem| problem.code != ProblemCode::MisplacedFile)
        .map(|problem| diagnostic(problem, terminal))
        .collect()
}

fn diagnostic(problem: &Problem, terminal: Terminal) -> String {
    let palette = terminal.palette;
    let (word, style) = match problem.severity {
        Severity::Error => ("error", Style::Error),
        Severity::Warning => ("warning", Style::Warning),
        Severity::Info => ("note", Style::Strong),
    };
    let head = format!("{word}[{}]", problem.code);
    let message = visible(&problem.message);
    let message = paragraph(
        &message,
        Indents::new(&format!("{head}: "), "  "),
        terminal.width,
    );
    let mut text = message.replacen(&head, &palette.paint(style, &head), 1);
    // A place is not broken, so that a terminal can make a link of it.
    text.extend([format!("  --> {}\n", visible(&problem.source.to_string()))]);
    if let (Some(snippet), Some(position)) = (&problem.snippet, problem.source.position) {
        let excerpt = Excerpt::new(snippet, position.column, terminal.width);
        let number = position.line.to_string();
        let gutter = " ".repeat(number.len());
        let bar = palette.paint(Style::Faint, "|");
        let number = palette.paint(Style::Faint, &number);
        let carets = palette.paint(style, &"^".repeat(excerpt.marked));
        text.extend([format!(" {number} {bar} {}\n", excerpt.line)]);
        text.extend([format!(
            " {gutter} {bar} {}{carets}\n",
            " ".repeat(excerpt.before)
        )]);
    }
    let help = format!("= help: {}", visible(&problem.help));
    text.push_str(&paragraph(
        &help,
        Indents::new("  ", "    "),
        terminal.width,
    ));
    if let Some(suggestion) = &problem.suggestion {
        let suggestion = format!("\"{}\"", visible(suggestion));
        // Most remedies quote what is to be written.
        if !help.contains(&suggestion) {
            let line = format!("= write: {suggestion}");
            text.push_str(&paragraph(
                &line,
                Indents::new("  ", "    "),
                terminal.width,
            ));
        }
    }
    text.push('\n');
    text
}

/// Says a failure, and what may have been meant.
pub fn failure(failure: &CommandFailure, palette: Palette) -> String {
    let mut text = format!(
        "{}: {}\n",
        palette.paint(Style::Error, "error"),
        visible(&failure.message)
    );
    if !failure.candidates.is_empty() {
        let candidates: Vec<String> = failure
            .candidates
            .iter()
            .map(|it| format!("\"{}\"", visible(it)))
            .collect();
        text.extend([format!("  did you mean {}?\n", candidates.join(" or "))]);
    }
    text
}

/// Returns a warning.
pub fn warning(message: &str) -> String {
    format!("warning: {}\n", visible(message))
}
