//! Guards as people write them, which enforce what they say: `hooks check` accuses none (CM-3).

use std::path::{Path, PathBuf};

use hookloop_hook::HookDeclaration;
use hookloop_lint::{FileProbe, Place, Probed, lint_commands};

use crate::loaded::load_text;

/// Where the guards are.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/guards/right")
}

/// The disk as it is, with every program installed, and nothing in the environment.
struct Disk;

impl FileProbe for Disk {
    fn probe(&self, path: &Path) -> Probed {
        match path.metadata() {
            Ok(it) if it.is_dir() => Probed::Folder,
            Ok(_) => Probed::Executable,
            Err(_) if path.starts_with("/usr/bin") => Probed::Executable,
            Err(_) => Probed::Missing,
        }
    }

    fn text(&self, path: &Path) -> Option<String> {
        std::fs::read_to_string(path).ok()
    }

    fn real_path(&self, path: &Path) -> Option<PathBuf> {
        Some(path.to_owned())
    }

    fn names_in(&self, _folder: &Path) -> Vec<String> {
        Vec::new()
    }

    fn home(&self) -> Option<&Path> {
        None
    }

    fn is_on_path(&self, _program: &str, _own: Option<&str>) -> bool {
        true
    }

    fn variable(&self, _name: &str) -> Option<String> {
        None
    }

    fn withheld_variables(&self, _hook: &HookDeclaration) -> Vec<String> {
        Vec::new()
    }
}

/// Returns what is found in a guard, by its command.
fn found(command: &str, matcher: &str) -> Vec<String> {
    let settings = serde_json::json!({"hooks": {"BeforeTool": [{"matcher": matcher, "hooks": [
        {"type": "command", "command": command}]}]}});
    let settings = load_text(settings.to_string());
    let root = folder();
    let place = Place {
        root: &root,
        current: &root,
    };
    let problems = lint_commands(&settings, &settings.hooks, place, &Disk);
    problems.into_iter().map(|it| it.message).collect()
}

/// CM-3: none of the correct guards is accused, whatever its language and style.
#[test]
fn right_guards_are_left_alone() {
    let mut accused = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let matcher = match name.split('-').next() {
            Some("file") => "write_file|replace",
            _ => "run_shell_command",
        };
        let ending = name.rsplit('.').next().unwrap();
        let has_interpreter = std::fs::read(&path).unwrap().starts_with(b"#!");
        let command = match ending {
            "go" => format!("go run {}", path.display()),
            "ts" if !has_interpreter => format!("deno run {}", path.display()),
            "js" | "cjs" if !has_interpreter => format!("node {}", path.display()),
            _ => path.display().to_string(),
        };
        accused.extend(found(&command, matcher));
        count += 1;
    }
    assert!(count > 40, "{count}");
    assert_eq!(accused, [""; 0]);
}

/// CM-3: commands that contain their guard themselves aren't accused either.
#[test]
fn right_commands_are_left_alone() {
    for command in [
        "jq -e '.tool_input.command | test(\"rm -rf\") | not' >/dev/null || exit 2",
        "jq -r .tool_input.command | grep -q 'rm -rf' && { echo no >&2; exit 2; } || exit 0",
        "python3 -c 'import json,sys; d=json.load(sys.stdin); sys.exit(2 if \"rm -rf\" in d[\"tool_input\"][\"command\"] else 0)'",
        "node -e 'const d=JSON.parse(require(\"fs\").readFileSync(0)); if (d.tool_input.command.includes(\"rm -rf\")) process.exit(2)'",
        "! grep -q 'rm -rf' || exit 2",
        "c=$(jq -r .tool_input.command); case $c in rm*) exit 2;; esac",
        "c=$(jq -r .tool_input.command); [ \"${c:0:3}\" = 'rm ' ] && exit 2; exit 0",
        "input=$(cat); if echo \"$input\" | jq -e '.tool_input.command | startswith(\"rm\")' >/dev/null; then exit 2; fi",
        "bash -c 'read -r e; [[ $e == *\"rm -rf\"* ]] && exit 2; exit 0'",
        "jq -c 'if .tool_input.command | test(\"rm -rf\") then {decision:\"deny\",reason:\"no\"} else {} end'",
        "jq -nc 'input | if .tool_input.command | test(\"rm\") then {decision:\"deny\"} else {} end'",
        "grep -qE '\"command\": *\"(rm|dd) ' && exit 2 || exit 0",
        "perl -MJSON::PP -0777 -ne 'exit 2 if decode_json($_)->{tool_input}{command} =~ /rm -rf/'",
    ] {
        assert_eq!(found(command, "run_shell_command"), [""; 0], "{command}");
    }
}
