//! Prints `docs/reference.md`: the template beside this file, with the tables that come from types
//! in place of its `{{…}}` lines.

mod events;
mod problems;
mod settings;

use std::io::Write;

const TEMPLATE: &str = include_str!("template.md");

fn main() -> std::io::Result<()> {
    let mut output = std::io::stdout().lock();
    for line in TEMPLATE.lines() {
        let generated = match line {
            "{{events}}" => events::table(),
            "{{inputs}}" => events::inputs()?,
            "{{settings}}" => settings::table(),
            "{{problems}}" => problems::table(),
            text => format!("{text}\n"),
        };
        output.write_all(generated.as_bytes())?;
    }
    Ok(())
}

/// Returns a row of a table.
fn row(cells: &[&str]) -> String {
    format!("| {} |\n", cells.join(" | "))
}
