//! Diagnostics in the style of compilers (problem, place, line, remedy), and failures of commands
//! (ST-5, CM-3).

use hookloop_hook::{Problem, ProblemCode, Severity};
use hookloop_text::{Excerpt, Indents, Palette, Style, Terminal, paragraph, visible};

use crate::failure::CommandFailure;

/// Returns problems as text, each followed by an empty line.
pub fn diagnostics(problems: &[Problem], terminal: Terminal) -> String {
    all(problems.iter(), terminal)
}

/// Formats problems; hooks that wait for trust are grouped, with one remedy for all of them.
fn all<'p>(problems: impl Iterator<Item = &'p Problem>, terminal: Terminal) -> String {
    let (waiting, others): (Vec<&Problem>, Vec<&Problem>) =
        problems.partition(|it| it.code == ProblemCode::UntrustedHook);
    let others = others.into_iter().map(|it| diagnostic(it, terminal));
    others.collect::<String>() + &untrusted(&waiting, terminal)
}

/// Formats the hooks that wait for trust: each on a line with its place, and the remedy once.
fn untrusted(problems: &[&Problem], terminal: Terminal) -> String {
    let [first, _, ..] = problems else {
        let one = problems.iter().map(|it| diagnostic(it, terminal));
        return one.collect();
    };
    let head = format!("{}[{}]", first.severity, first.code);
    let painted = terminal.palette.paint(Style::Warning, &head);
    let mut text = format!("{painted}: {} hooks wait for your trust\n", problems.len());
    for problem in problems {
        let message = visible(&problem.message);
        text.push_str(&paragraph(
            &message,
            Indents::new("  - ", "    "),
            terminal.width,
        ));
        text.extend([format!(
            "    --> {}\n",
            visible(&problem.source.to_string())
        )]);
    }
    let help =
        "= help: read what they do (`hookloop hooks review`), then run `hookloop hooks trust`";
    text.push_str(&paragraph(help, Indents::new("  ", "    "), terminal.width));
    text.push('\n');
    text
}

/// Returns the problems that matter for commands about single hooks or extensions: files that
/// aren't read are reported by `list`, `check`, and `why` (ST-12).
pub fn diagnostics_of_sources(problems: &[Problem], terminal: Terminal) -> String {
    let of_sources = problems.iter();
    all(
        of_sources.filter(|problem| problem.code != ProblemCode::MisplacedFile),
        terminal,
    )
}

fn diagnostic(problem: &Problem, terminal: Terminal) -> String {
    let palette = terminal.palette;
    let style = match problem.severity {
        Severity::Error => Style::Error,
        Severity::Warning => Style::Warning,
        Severity::Info => Style::Strong,
    };
    let head = format!("{}[{}]", problem.severity, problem.code);
    let message = visible(&problem.message);
    let message = paragraph(
        &message,
        Indents::new(&format!("{head}: "), "  "),
        terminal.width,
    );
    let mut text = message.replacen(&head, &palette.paint(style, &head), 1);
    // A place isn't wrapped, so that a terminal can turn it into a link.
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
        // Most remedies already quote the suggestion.
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

/// Formats a failure, with suggestions.
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

/// Formats a warning.
pub fn warning(message: &str) -> String {
    format!("warning: {}\n", visible(message))
}
