//! The output of the commands of the bridge.

use std::fmt::Write as _;
use std::time::SystemTime;

use hookloop_bridge::Agent;
use hookloop_bridging::{
    ConnectionsView, Examined, Installed, InstalledView, Level, StaleCalls, Uninstalled,
    UninstalledView,
};
use hookloop_text::visible;

/// Returns what is registered, what the agent can't do, and what stays off.
pub(super) fn describe_installed(
    agent: Agent,
    installed: &Installed,
    view: &InstalledView,
) -> String {
    let name = agent.name();
    let mut text = if view.changed {
        format!("{name} calls your hooks now.\n")
    } else {
        format!("{name} already calls your hooks; nothing was changed.\n")
    };
    for file in &installed.written {
        let _ = writeln!(text, "  written: {}", visible(&file.to_string_lossy()));
    }
    let _ = writeln!(text, "  events: {}", view.events.join(", "));
    if !view.cannot.is_empty() {
        let _ = writeln!(text, "What {name} can't do:");
    }
    for line in view.cannot {
        let _ = writeln!(text, "  - {line}");
    }
    for line in view.pending {
        let _ = writeln!(text, "Still off: {line}");
    }
    let _ = writeln!(
        text,
        "Check it at any time: hookloop bridge doctor {}",
        agent.word()
    );
    text
}

/// Returns what was removed.
pub(super) fn uninstalled(
    agent: Agent,
    uninstalled: &Uninstalled,
    view: &UninstalledView,
) -> String {
    let name = agent.name();
    let mut text = match (view.changed, view.remaining.is_empty()) {
        (_, false) => {
            format!("{name} still calls your hooks, from places that only a person may edit:\n")
        }
        (true, true) => format!("{name} no longer calls your hooks.\n"),
        (false, true) => format!("The bridge isn't installed in {name}; nothing was changed.\n"),
    };
    for place in &view.remaining {
        let _ = writeln!(text, "  {}", visible(place));
    }
    if !view.remaining.is_empty() {
        let _ = writeln!(
            text,
            "Remove these calls and run this again; until then, the program that they call is kept."
        );
    }
    for file in &uninstalled.changed {
        let word = if uninstalled.removed.contains(file) {
            "removed"
        } else {
            "changed"
        };
        let _ = writeln!(text, "  {word}: {}", visible(&file.to_string_lossy()));
    }
    if let Some(scope) = view.elsewhere {
        let word = agent.word();
        let _ = writeln!(
            text,
            "The {scope}'s settings call your hooks, too: hookloop bridge uninstall {word} --scope \
             {scope}"
        );
    }
    if !uninstalled.restart.is_empty() {
        let names: Vec<&str> = uninstalled.restart.iter().map(|it| it.name()).collect();
        let names = names.join(", ");
        let _ = match uninstalled.until_then {
            StaleCalls::Refuses => writeln!(
                text,
                "Restart running sessions ({names}): the program that they call is gone, so until \
                 then they refuse whatever your hooks would have been asked about."
            ),
            StaleCalls::HooksAnswer => writeln!(
                text,
                "Restart running sessions ({names}): until then your hooks still answer in them."
            ),
        };
    }
    text
}

/// Lists the agents that are on this machine or have the bridge.
pub(super) fn list(view: &ConnectionsView) -> String {
    if view.agents.is_empty() {
        let known = Agent::ALL.map(Agent::word).join(", ");
        return format!("No agent that the bridge supports was found on this machine ({known}).\n");
    }
    let mut text = String::new();
    for it in &view.agents {
        let version = it.version.as_deref().unwrap_or("unknown version");
        let state = if it.scopes.is_empty() {
            format!("not connected; hookloop bridge install {}", it.agent)
        } else {
            let called = match it.last_called_at {
                Some(at) => format!("last called {}", describe_age(at)),
                None => "never called".to_owned(),
            };
            format!("connected ({}), {called}", it.scopes.join(", "))
        };
        let _ = writeln!(
            text,
            "{:<12} {} {}: {state}",
            it.agent,
            it.name,
            visible(version)
        );
    }
    text
}

/// Returns how long ago a time was, in seconds since 1970.
fn describe_age(at: u64) -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let seconds = now.map_or(0, |it| it.as_secs()).saturating_sub(at);
    match seconds {
        0..120 => "just now".to_owned(),
        120..7200 => format!("{} minutes ago", seconds / 60),
        7200..172_800 => format!("{} hours ago", seconds / 3600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

/// Returns the results of checking agents.
pub(super) fn describe_examined(examined: &[Examined]) -> String {
    let mut text = String::new();
    if examined.is_empty() {
        text.push_str("The bridge isn't installed in any agent: hookloop bridge install AGENT\n");
    }
    for it in examined {
        let verdict = match it.obeys() {
            Some(true) => "a refusal would be obeyed",
            Some(false) => "a refusal wouldn't be obeyed",
            None => "whether a refusal would be obeyed isn't known",
        };
        let _ = writeln!(text, "{}: {verdict}", it.agent.name());
        for finding in &it.findings {
            let mark = match finding.level {
                Level::Good => "ok",
                Level::Warning => "warning",
                Level::Error => "error",
            };
            let _ = writeln!(text, "  {mark}: {}", visible(&finding.text));
        }
    }
    text
}
