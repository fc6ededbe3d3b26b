//! What a person reviews before trusting, as text (TR-4).

use hookloop_manage::{ReviewedHook, unified_diff};
use hookloop_rules::{names_secret, redacted};
use hookloop_session::origin;
use hookloop_text::{Indents, Style, Terminal, paragraph, visible};
use hookloop_trust::{Change, FileState, NamedFile, ReviewedFile, ReviewedState, Standing};

/// What trust doesn't cover (TR-1).
const TRUST_LIMITS: &str = "Trust covers what is shown here: the hook's settings and the files \
    inside the project that its command names. What a command reaches in other ways (programs on \
    the PATH, files outside the project, files that a script loads, the network) isn't checked, \
    and is at your own risk.";

/// Shows each hook with its command, its files, and what changed.
pub(crate) fn review(reviewed: &[ReviewedHook], terminal: Terminal) -> String {
    if reviewed.is_empty() {
        return "No hook of the project needs your trust.\n".to_owned();
    }
    let mut text: String = reviewed.iter().map(|it| hook(it, terminal)).collect();
    text.push_str(&paragraph(TRUST_LIMITS, Indents::all(""), terminal.width));
    text
}

fn hook(reviewed: &ReviewedHook, terminal: Terminal) -> String {
    let hook = &reviewed.status.hook;
    let palette = terminal.palette;
    let label = palette.paint(Style::Strong, &visible(hook.label()));
    let (word, style) = match &reviewed.vouched.standing {
        Standing::NotNeeded => ("needs no trust", Style::Plain),
        Standing::Trusted => ("trusted", Style::Good),
        Standing::New => ("new", Style::Warning),
        Standing::Modified { .. } => ("modified", Style::Warning),
        Standing::FolderUntrusted { .. } => ("the folder is marked DO_NOT_TRUST", Style::Error),
    };
    let mut text = format!("{} {label}: {}\n", hook.event, palette.paint(style, word));
    let mut line = |name: &str, value: &str| {
        let line = format!("{name}: {}", visible(value));
        text.push_str(&paragraph(
            &line,
            Indents::new("  ", "    "),
            terminal.width,
        ));
    };
    line("from", &origin(&hook.source));
    line(hook.handler.type_name(), &hook.describe_run());
    if let Some(matcher) = &hook.matcher {
        line("matcher", matcher);
    }
    for (name, value) in &hook.env {
        line("env", &format!("{name}={}", without_secrets(name, value)));
    }
    for why in reviewed.vouched.unpinned() {
        line(
            "unpinned",
            &format!("{why}; trust doesn't cover everything that it runs"),
        );
    }
    if reviewed.vouched.known_to_gemini {
        line(
            "note",
            "Gemini CLI has run a hook of this name and command here",
        );
    }
    if let Standing::Modified { changes, .. } = &reviewed.vouched.standing {
        for Change { message, .. } in changes {
            line("changed", message);
        }
    }
    let named = reviewed.vouched.fingerprint.iter();
    let named: Vec<&NamedFile> = named.flat_map(|it| &it.files).collect();
    for file in &reviewed.files {
        let state = named.iter().find(|it| it.path == file.path);
        text.push_str(&shown_file(file, state.map(|it| &it.state), terminal));
    }
    if reviewed.files.is_empty() && hook.is_from_project() {
        text.push_str("  the command names no file inside the project\n");
    }
    text.push('\n');
    text
}

/// Returns a variable's value without keys and tokens: what is reviewed is often passed on. The
/// rest is shown, since it may decide what a command runs.
fn without_secrets(name: &str, value: &str) -> String {
    if names_secret(name) {
        "[redacted]".to_owned()
    } else {
        redacted(value)
    }
}

fn shown_file(file: &ReviewedFile, state: Option<&FileState>, terminal: Terminal) -> String {
    let word = match file.state {
        ReviewedState::Same => "unchanged since it was trusted",
        ReviewedState::Changed => "changed",
        ReviewedState::Added => "not trusted yet",
        ReviewedState::Missing => "missing",
    };
    let beyond = match state {
        Some(FileState::Outside { target }) => format!(
            "; it links out of the project, to {}, which isn't checked",
            target.display()
        ),
        Some(FileState::TooLarge { bytes, .. }) => {
            format!("; it is too large to check ({bytes} bytes)")
        }
        Some(FileState::Unreadable) => "; it can't be read".to_owned(),
        _ => String::new(),
    };
    let mut text = format!("  {}: {word}{}\n", visible(&file.path), visible(&beyond));
    if let Some(diff) = unified_diff(file) {
        text.push_str(&lines(&diff, style_of_diff, terminal));
    } else if let Some(content) = &file.text {
        text.push_str(&lines(content, |_| Style::Plain, terminal));
    } else if file.state == ReviewedState::Changed || file.state == ReviewedState::Added {
        text.push_str("    | (not text, so not shown)\n");
    }
    text
}

fn style_of_diff(line: &str) -> Style {
    match line.as_bytes().first() {
        Some(b'+') => Style::Good,
        Some(b'-') => Style::Error,
        Some(b'@') => Style::Faint,
        _ => Style::Plain,
    }
}

/// Shows a text line by line; tabs stay, everything else that a terminal obeys is escaped.
fn lines(content: &str, style: impl Fn(&str) -> Style, terminal: Terminal) -> String {
    let mut text = String::new();
    for line in content.split_terminator('\n') {
        let cells: Vec<String> = line.split('\t').map(visible).collect();
        let shown = terminal.palette.paint(style(line), &cells.join("\t"));
        text.extend(["    | ", shown.as_str(), "\n"]);
    }
    text
}
