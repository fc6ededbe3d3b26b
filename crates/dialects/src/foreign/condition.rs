//! `if`, as the dialects write it (FD-12): `Bash(git *)` in Claude Code's rules, an expression over
//! the text of the event in Cursor.

use hookloop_hook::Dialect;
use hookloop_shell::{Surroundings, fits, tidy, understand};
use regress::Regex;
use serde_json::{Map, Value};

use super::call::Call;
use super::{Speech, Voice};

/// Tells whether a condition lets a hook run. What can't be evaluated lets it.
pub(crate) fn holds(
    voice: Voice<'_>,
    speech: &Speech,
    condition: &str,
    ours: &Map<String, Value>,
) -> bool {
    if voice.dialect == Dialect::Cursor {
        return expression_fits(condition, ours);
    }
    let condition = condition.trim();
    let (name, specifier) = match condition.split_once('(') {
        Some((name, rest)) => match rest.strip_suffix(')') {
            Some(specifier) => (name.trim(), Some(specifier.trim())),
            None => return true,
        },
        None => (condition, None),
    };
    // At the end of a sub-agent's turn there is no call, but there is an agent.
    let ended = ours.get("agent_name").and_then(Value::as_str);
    if !ours.contains_key("tool_name") {
        let is_agent = matches!(name, "Agent" | "Task");
        return match (is_agent, ended, specifier) {
            (true, Some(agent), Some(wanted)) => names(wanted, agent),
            _ => true,
        };
    }
    let call = Call::of(ours, speech.tools);
    if !is_meant(name, &call, speech) {
        return false;
    }
    match specifier {
        None | Some("" | "*") => true,
        Some(specifier) => specifier_fits(specifier, &call, ours),
    }
}

fn expression_fits(expression: &str, ours: &Map<String, Value>) -> bool {
    let input = ours.get("tool_input");
    let field = |name: &str| input.and_then(|it| it.get(name)).and_then(Value::as_str);
    let text = field("command")
        .or_else(|| field("file_path"))
        .or_else(|| field("agent_name"))
        .or_else(|| ours.get("agent_name").and_then(Value::as_str))
        .or_else(|| ours.get("tool_name").and_then(Value::as_str));
    match (Regex::new(expression), text) {
        (Ok(expression), Some(text)) => expression.find(text).is_some(),
        _ => true,
    }
}

/// Tells whether a rule's name is one of the tool's; `Edit` stands for all that edits.
fn is_meant(name: &str, call: &Call<'_>, speech: &Speech) -> bool {
    let known = call.rule.map_or(&[][..], |rule| rule.theirs);
    let edits = name == "Edit" && matches!(call.tool, "write_file" | "replace");
    name == call.tool
        || known.contains(&name)
        || edits
        || speech.mcp.of(call.tool).is_some_and(|it| fits(name, &it))
}

fn specifier_fits(specifier: &str, call: &Call<'_>, ours: &Map<String, Value>) -> bool {
    let cwd = ours.get("cwd").and_then(Value::as_str);
    let argument = |name: &str| {
        let input = ours.get("tool_input");
        input.and_then(|it| it.get(name)).and_then(Value::as_str)
    };
    match call.tool {
        "run_shell_command" => match argument("command") {
            Some(command) => command_fits(specifier, command, cwd),
            None => true,
        },
        "read_file" | "write_file" | "replace" => match argument("file_path").zip(cwd) {
            Some((path, cwd)) => path_fits(specifier, path, cwd),
            None => true,
        },
        "delegate_to_agent" => argument("agent_name").is_none_or(|agent| names(specifier, agent)),
        "web_fetch" => match specifier.strip_prefix("domain:").zip(argument("prompt")) {
            Some((domain, prompt)) => prompt.contains(domain.trim_start_matches("*.")),
            None => true,
        },
        _ => true,
    }
}

/// Tells whether any command that a text would run fits a rule, or whether that can't be known.
fn command_fits(rule: &str, text: &str, cwd: Option<&str>) -> bool {
    let begins = rule.strip_suffix(":*").or_else(|| rule.strip_suffix(" *"));
    let is_one = |line: &str| match begins {
        Some(begin) if !begin.contains('*') => line
            .strip_prefix(begin)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\n'])),
        _ => fits(rule, line),
    };
    if is_one(text.trim()) {
        return true;
    }
    let around = Surroundings {
        folder: cwd,
        ..Surroundings::default()
    };
    let understood = understand(text, around);
    if !understood.parsed || understood.opaque() {
        return true;
    }
    understood.commands.iter().any(|command| {
        let words: Vec<&str> = command.words.iter().map(|it| it.text.as_str()).collect();
        let first_known = command.words.first().is_none_or(|word| word.known);
        !first_known || is_one(&words.join(" ")) || is_one(&command.line())
    })
}

/// Tells whether a path fits a rule as `.gitignore` writes them; `//` begins at the root of the file
/// system, `/` and `./` in the project.
fn path_fits(rule: &str, path: &str, cwd: &str) -> bool {
    let absolute = |path: &str| {
        if path.starts_with('/') {
            tidy(path)
        } else {
            tidy(&format!("{cwd}/{path}"))
        }
    };
    let path = absolute(path);
    let rule = rule.replace("**", "*");
    if rule.starts_with("~/") {
        // Whose home that is isn't known here.
        return true;
    }
    if let Some(from_root) = rule.strip_prefix("//") {
        return fits(&format!("/{from_root}"), &path);
    }
    let anchored = rule.strip_prefix("./").or_else(|| rule.strip_prefix('/'));
    if let Some(within) = anchored {
        return fits(&format!("{cwd}/{within}"), &path);
    }
    fits(&rule, &path)
        || fits(&format!("{cwd}/{rule}"), &path)
        || fits(&format!("*/{rule}"), &path)
        || fits(&format!("*/{rule}/*"), &path)
}

/// Tells whether a text is among names, or fits an expression.
fn names(wanted: &str, name: &str) -> bool {
    wanted.split(['|', ',']).any(|word| word.trim() == name)
        || Regex::new(wanted).is_ok_and(|expression| expression.find(name).is_some())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::spoken::is_due;

    fn due(condition: &str, tool: &str, input: &Value) -> bool {
        let ours = json!({"hook_event_name": "BeforeTool", "cwd": "/home/me/app",
            "tool_name": tool, "tool_input": input});
        let voice = Voice {
            dialect: Dialect::ClaudeCode,
            event: None,
            condition: Some(condition),
        };
        is_due(voice, ours.as_object().expect("an object"))
    }

    /// FD-12: a rule about commands is compared with each command that would run; what can't be known
    /// lets the hook run.
    #[test]
    fn rules_are_compared_with_each_command() {
        for (rule, command, expected) in [
            ("Bash(git *)", "git push", true),
            ("Bash(git *)", "git", true),
            ("Bash(git *)", "gitk", false),
            ("Bash(git:*)", "cd x && git push", true),
            ("Bash(git push*)", "git status", false),
            ("Bash(rm *)", "echo \"rm x\"", false),
            ("Bash(rm *)", "r\"\"m x", true),
            ("Bash(rm *)", "echo $(rm x)", true),
            ("Bash(rm *)", "$TOOL x", true),
            ("Bash", "ls", true),
            ("Read", "ls", false),
            ("Bash(rm *", "ls", true),
        ] {
            let input = json!({ "command": command });
            assert_eq!(
                due(rule, "run_shell_command", &input),
                expected,
                "{rule} {command}"
            );
        }
    }

    /// FD-12: a rule about files is compared with the path.
    #[test]
    fn rules_are_compared_with_paths() {
        for (rule, path, expected) in [
            ("Edit(*.ts)", "src/a.ts", true),
            ("Edit(*.ts)", "src/a.rs", false),
            ("Edit(src/**)", "src/deep/a.rs", true),
            ("Edit(/src/**)", "lib/src/a.rs", false),
            ("Edit(.env)", "config/.env", true),
            ("Edit(//etc/**)", "/etc/passwd", true),
        ] {
            assert_eq!(
                due(rule, "write_file", &json!({ "file_path": path })),
                expected,
                "{rule} {path}"
            );
        }
    }
}
