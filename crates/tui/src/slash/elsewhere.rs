//! Other agents' names for commands, and alternatives to commands that don't exist here (TU-2).

/// Returns the name of the command that another agent's name means.
pub(crate) fn equivalent(name: &str) -> Option<&'static str> {
    match name {
        "new" | "reset" => Some("clear"),
        "compact" | "summarize" => Some("compress"),
        "cost" | "usage" => Some("stats"),
        "continue" => Some("resume"),
        "checkpoint" => Some("rewind"),
        _ => None,
    }
}

/// Returns the alternative to a command that another agent has.
pub(crate) fn replacement(name: &str) -> Option<&'static str> {
    let text = match name {
        "chat" | "save" | "history" => {
            "sessions are saved automatically: /resume continues one, /rewind goes back in this one"
        }
        "permissions" | "policies" | "policy" | "approval-mode" | "mode" | "plan" => {
            "Shift+Tab changes the approval mode, and rules are files in ~/.gemini/policies"
        }
        "settings" | "config" => {
            "edit ~/.gemini/settings.json; `hookloop hooks check` says what is wrong in it"
        }
        "theme" | "color" => "colours follow the terminal (COLORFGBG, NO_COLOR)",
        "vim" => "Ctrl+X opens $VISUAL or $EDITOR for what you write",
        "terminal-setup" | "keybindings" => {
            "Shift+Enter, Alt+Enter or \\ Enter starts a new line, and ? shows the other keys"
        }
        "statusline" => "what is below the input line can't be changed; /stats shows more",
        "auth" | "login" | "logout" => {
            "keys come from the environment or ~/.gemini/.env; /mcp auth NAME logs in at a server"
        }
        "skills" | "agents" => {
            "`hookloop skills list` lists skills; the model picks them, and sub-agents, on its own"
        }
        "directory" | "dir" | "add-dir" => "start with --include-directories FOLDER",
        "init" => "ask the model: \"look at this project and write a GEMINI.md about it\"",
        "about" | "version" | "status" | "doctor" => {
            "`hookloop --version`, and `hookloop hooks check` looks at the settings"
        }
        "context" => "/stats counts tokens, /memory shows what the model is told about the project",
        "copy" => "select the text in the terminal: it is never redrawn",
        _ => return None,
    };
    Some(text)
}
