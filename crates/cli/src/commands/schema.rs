//! `hooks schema`: the JSON Schema of settings files (ST-9, CM-8).

use hookloop_settings::json_schema_text;

use crate::output::Output;

/// Prints the schema. It is one JSON object in either format.
pub(crate) fn schema() -> Output {
    Output::of_text(json_schema_text())
}
