//! What became of trust, for people (TR-4).

use hookloop_hook::HookDeclaration;
use hookloop_text::visible;

use crate::commands::Named;

/// Says which hooks are trusted, or not trusted, from now on.
pub(crate) fn trust_change(
    command: Named,
    changed: &[&HookDeclaration],
    labels: &[String],
) -> String {
    let (verb, nothing) = match command {
        Named("hooks untrust") => ("no longer trusted", "no hook was trusted"),
        _ => ("trusted", "no hook needs to be trusted"),
    };
    if changed.is_empty() {
        let labels: Vec<String> = labels
            .iter()
            .map(|it| format!("\"{}\"", visible(it)))
            .collect();
        return match labels.as_slice() {
            [] => format!("{nothing}\n"),
            _ => format!("{nothing}: {}\n", labels.join(", ")),
        };
    }
    changed.iter().map(|hook| change(verb, hook)).collect()
}

fn change(verb: &str, hook: &HookDeclaration) -> String {
    let label = visible(hook.label());
    let command = match &hook.name {
        Some(_) => format!("\n  command: {}", visible(hook.command())),
        None => String::new(),
    };
    let source = visible(&hook.source.to_string());
    format!("{verb}: {label}\n  {} at {source}{command}\n", hook.event)
}
