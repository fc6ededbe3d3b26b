//! Prints the JSON Schema of a settings file, for `schemas/settings.schema.json` (ST-9).

use std::io::Write;

fn main() -> std::io::Result<()> {
    let text = hookloop_settings::json_schema_text();
    std::io::stdout().lock().write_all(text.as_bytes())
}
