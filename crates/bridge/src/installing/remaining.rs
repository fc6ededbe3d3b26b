//! Calls of the bridge that a text still contains, anywhere (BR-2).

use serde_json::Value;

use crate::agent::Agent;

/// Returns the lines that still call the bridge for an agent, or the program at `link`, counted
/// from 1.
pub(super) fn lines(agent: Agent, text: &str, link: &str) -> Vec<usize> {
    let calls = |command: &str| {
        command.contains(link)
            || (command.contains(&format!("hooks bridge {}", agent.word()))
                && command.contains("hookloop"))
    };
    let settings = hookloop_settings::SettingsText::new(text);
    let commands = match settings.and_then(|it| it.to_value()) {
        Ok(settings @ Value::Object(_)) => {
            let mut commands = Vec::new();
            collect(&settings["hooks"], &mut commands);
            // A file that only contains hooks may have the events at its top.
            for (event, _) in agent.events() {
                collect(&settings[*event], &mut commands);
            }
            commands.retain(|it| calls(it));
            commands
        }
        _ => return lines_with(text, |line| !is_comment(line) && calls(line)),
    };
    if commands.is_empty() {
        return Vec::new();
    }
    let written = commands
        .iter()
        .map(|it| Value::from(it.as_str()).to_string());
    let written: Vec<String> = written.collect();
    let found = lines_with(text, |line| written.iter().any(|it| line.contains(it)));
    if found.is_empty() {
        // The call may be written with unusual escapes.
        return vec![1];
    }
    found
}

fn lines_with(text: &str, is_meant: impl Fn(&str) -> bool) -> Vec<usize> {
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| is_meant(line))
        .map(|(at, _)| at + 1)
        .collect()
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('#') || line.starts_with("//")
}

/// Collects what is run.
fn collect(value: &Value, commands: &mut Vec<String>) {
    match value {
        Value::Array(all) => all.iter().for_each(|it| collect(it, commands)),
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text)
                        if matches!(name.as_str(), "command" | "bash" | "powershell") =>
                    {
                        commands.push(text.clone());
                    }
                    other => collect(other, commands),
                }
            }
        }
        _ => {}
    }
}
