//! Changes of trust, as text for people (TR-4).

use hookloop_hook::quoted;
use hookloop_manage::{TrustChanged, WordChange};
use hookloop_settings::ProjectWord;
use hookloop_text::visible;
use hookloop_trust::Vouched;

/// Whether hooks are trusted from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    /// Somebody trusts them.
    Trusted,
    /// Nobody does.
    NotTrusted,
}

/// Formats which hooks are now trusted or not, and what happened to the project's settings about
/// hooks of others.
pub(super) fn trust_change(changed: &TrustChanged, verb: Verb) -> String {
    let (verb, nothing) = match verb {
        Verb::Trusted => ("trusted", "no hook needs to be trusted"),
        Verb::NotTrusted => ("no longer trusted", "no hook was trusted"),
    };
    let mut text = describe_gone(&changed.gone);
    let labels = changed.meant.iter();
    let labels: Vec<String> = labels.map(|it| quoted(&visible(it))).collect();
    match (changed.hooks.as_slice(), labels.as_slice()) {
        ([], _) if !changed.gone.is_empty() => {}
        ([], []) => text.extend([nothing, "\n"]),
        ([], labels) => text.extend([nothing, ": ", &labels.join(", "), "\n"]),
        (hooks, _) => text.extend(hooks.iter().map(|hook| change(verb, hook))),
    }
    match &changed.word {
        WordChange::None => {}
        WordChange::Agreed(word) => text.push_str(&describe_agreed(word)),
        WordChange::Withdrawn => {
            text.push_str("what the project says about your hooks no longer has an effect\n");
        }
    }
    text
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
            "\n  unpinned: {}, so trust doesn't cover everything that it runs",
            visible(why)
        )
    });
    let unpinned: String = unpinned.collect();
    format!(
        "{verb}: {label}\n  {} at {source}{command}{unpinned}\n",
        hook.event
    )
}

/// Formats which of the project's settings apply to hooks of others from now on (ST-13).
fn describe_agreed(word: &ProjectWord) -> String {
    let line = |claim: &hookloop_settings::Claim| {
        format!(
            "  {} = {} ({})\n",
            claim.key,
            visible(&claim.value.to_string()),
            visible(&claim.source.to_string())
        )
    };
    let lines: String = word.claims.iter().map(line).collect();
    format!("agreed, including what the project says about your hooks:\n{lines}")
}

/// Formats which hooks that are no longer configured are no longer trusted.
fn describe_gone(labels: &[String]) -> String {
    let line = |label: &String| {
        let label = visible(label);
        format!("no longer trusted: {label}\n  it is no longer configured\n")
    };
    labels.iter().map(line).collect()
}
