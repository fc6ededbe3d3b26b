//! What became of trust, for people (TR-4).

use hookloop_settings::ProjectWord;
use hookloop_text::visible;
use hookloop_trust::Vouched;

use crate::commands::Named;

/// Says which hooks are trusted, or not trusted, from now on.
pub(crate) fn trust_change(command: Named, changed: &[&Vouched], labels: &[String]) -> String {
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

fn change(verb: &str, vouched: &Vouched) -> String {
    let hook = &vouched.hook;
    let label = visible(hook.label());
    let command = match hook.beside_label() {
        Some(runs) => format!(
            "\n  {}: {}",
            visible(hook.handler.type_name()),
            visible(&runs)
        ),
        None => String::new(),
    };
    let source = visible(&hook.source.to_string());
    let unpinned = vouched.unpinned().iter();
    let unpinned = unpinned.map(|why| {
        format!(
            "\n  unpinned: {}, so trust does not watch all that it runs",
            visible(why)
        )
    });
    let unpinned: String = unpinned.collect();
    format!(
        "{verb}: {label}\n  {} at {source}{command}{unpinned}\n",
        hook.event
    )
}

/// Says what of the project's settings counts for hooks of others from now on (ST-13).
pub(crate) fn agreed(word: &ProjectWord) -> String {
    let line = |claim: &hookloop_settings::Claim| {
        format!(
            "  {} = {} ({})\n",
            claim.key,
            visible(&claim.value.to_string()),
            visible(&claim.source.to_string())
        )
    };
    let lines: String = word.claims.iter().map(line).collect();
    format!("agreed, as the project's word about hooks of yours too:\n{lines}")
}

/// Says which hooks that no settings hold any more are no longer trusted.
pub(crate) fn gone(labels: &[String]) -> String {
    let line = |label: &String| {
        let label = visible(label);
        format!("no longer trusted: {label}\n  it isn't configured any more\n")
    };
    labels.iter().map(line).collect()
}

/// Says that it doesn't any more.
pub(crate) fn withdrawn() -> String {
    "the project's word about hooks of yours doesn't count any more\n".to_owned()
}
