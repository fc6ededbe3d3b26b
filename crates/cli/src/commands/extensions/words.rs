//! Extensions, for people (EX-4).

use std::path::Path;

use hookloop_extensions::{Bundle, Kept};
use hookloop_manage::ExtensionView;
use hookloop_manage::text::warning;
use hookloop_text::{Cell, Indents, Style, Table, Terminal, paragraph, visible};

/// Lists extensions.
pub(crate) fn extensions(extensions: &[ExtensionView], terminal: Terminal) -> String {
    if extensions.is_empty() {
        return "No extensions are installed.\n".to_owned();
    }
    let headings = ["EXTENSION", "VERSION", "STATUS", "SCOPE", "HOOKS", "FOLDER"];
    let mut rows: Vec<Vec<Cell>> = vec![headings.map(|it| Cell::new(it, Style::Faint)).to_vec()];
    for extension in extensions {
        let (status, style) = if extension.enabled {
            ("enabled", Style::Good)
        } else {
            ("disabled", Style::Faint)
        };
        let linked = if extension.linked { " (linked)" } else { "" };
        rows.push(vec![
            Cell::new(visible(&extension.name), Style::Strong),
            Cell::plain(visible(&extension.version)),
            Cell::new(status, style),
            Cell::plain(extension.scope.as_str()),
            Cell::plain(extension.hooks.to_string()),
            Cell::plain(format!("{}{linked}", visible(&extension.path))),
        ]);
    }
    let table = Table::new(&rows, 0, terminal.width);
    rows.iter()
        .map(|row| table.row(row, terminal.palette))
        .collect()
}

/// Formats the contents of an extension, for a person to agree to.
pub(crate) fn bundle(bundle: &Bundle, changes: &[String], terminal: Terminal) -> String {
    let name = terminal
        .palette
        .paint(Style::Strong, &visible(&bundle.name));
    let mut text = format!("Extension {name} {} brings:\n", visible(&bundle.version));
    let mut section = |heading: &str, lines: &[String]| {
        if lines.is_empty() {
            return;
        }
        text.extend(["  ", heading, "\n"]);
        for line in lines {
            text.push_str(&paragraph(
                &visible(line),
                Indents::new("    ", "      "),
                terminal.width,
            ));
        }
    };
    let hooks = bundle.hooks.iter().flat_map(|hook| {
        let name = hook.name.as_ref().map(|name| format!("\"{name}\" "));
        let line = format!(
            "{} {}runs: {}",
            hook.when,
            name.unwrap_or_default(),
            hook.command
        );
        std::iter::once(line).chain(hook.env.iter().map(|it| format!("  with {it}")))
    });
    let servers = bundle
        .servers
        .iter()
        .map(|it| format!("{}: {}", it.name, it.start));
    let settings = bundle.settings.iter().map(|it| {
        let secret = if it.sensitive { " (secret)" } else { "" };
        format!("{}{secret}: {}", it.variable, it.description)
    });
    section("hooks", &hooks.collect::<Vec<_>>());
    section("MCP servers", &servers.collect::<Vec<_>>());
    section(
        "context files, which the model reads",
        &bundle.context_files,
    );
    section("tools that it excludes", &bundle.excluded_tools);
    section(
        "settings, which its hooks get",
        &settings.collect::<Vec<_>>(),
    );
    section("changes", changes);
    if !bundle.hooks.is_empty() {
        text.push_str(&warning(
            "hooks are programs: they run on your machine with your permissions, in every project, \
             and read what you and the model say. Install only what you trust.",
        ));
    }
    if !bundle.servers.is_empty() {
        text.push_str(&warning(
            "MCP servers are programs, or services on the network: programs run with your \
             permissions.",
        ));
    }
    text
}

/// Reports that an extension is installed.
pub(crate) fn describe_installed(bundle: &Bundle, place: &Path, verb: &str) -> String {
    format!(
        "{verb}: {} {}\n  {}\n",
        visible(&bundle.name),
        visible(&bundle.version),
        visible(&place.to_string_lossy())
    )
}

/// Formats where the value of each setting is stored.
pub(crate) fn extension_settings(bundle: &Bundle, kept: &Kept) -> String {
    if bundle.settings.is_empty() {
        return format!("{} has no settings\n", visible(&bundle.name));
    }
    let mut text = String::new();
    for setting in &bundle.settings {
        let place = if kept.in_keyring.contains(&setting.variable) {
            "in the keyring"
        } else if kept.in_file.contains(&setting.variable) {
            "in .env"
        } else {
            "no value"
        };
        let secret = if setting.sensitive { " (secret)" } else { "" };
        let variable = visible(&setting.variable);
        text.extend([format!("{variable}{secret}: {place}\n")]);
    }
    text
}

/// Reports that a link was removed.
pub(crate) fn unlinked(name: &str, target: &Path) -> String {
    format!(
        "unlinked: {}; {} stays\n",
        visible(name),
        visible(&target.to_string_lossy())
    )
}

/// Reports that an extension is enabled or disabled.
pub(crate) fn extension_switched(name: &str, verb: &str, is_changed: bool) -> String {
    let already = if is_changed { "" } else { " already" };
    format!("{verb}{already}: {}\n", visible(name))
}
