//! A settings file of an agent changed while it runs: a change that takes the bridge away is refused
//! (BR-24).

use std::path::Path;

use hookloop_bridge::{Agent, Conclusion, Ruling};
use serde_json::Value;

/// Judges a settings file as it is now.
pub(super) fn judge(agent: Agent, file: Option<&Path>) -> Conclusion {
    let Some(file) = file else {
        return Conclusion::default();
    };
    let bytes = std::fs::read(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let why = objection(agent, file, &text);
    Conclusion {
        ruling: why.map_or(Ruling::Silent, Ruling::Refuse),
        ..Conclusion::default()
    }
}

fn objection(agent: Agent, file: &Path, text: &str) -> Option<String> {
    let file = file.display();
    let settings: Value = serde_json::from_str(text).unwrap_or_default();
    if settings
        .get("disableAllHooks")
        .is_some_and(|it| it != &Value::Bool(false))
    {
        return Some(format!(
            "hookloop refuses: {file} would switch all hooks off (`disableAllHooks`)"
        ));
    }
    let _ = agent;
    None
}
