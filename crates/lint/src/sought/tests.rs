use super::*;

/// Returns where a program looks for what is in a call.
fn found(text: &str, key: &str, value: &str) -> Option<String> {
    let tool = match key {
        "command" => Some("run_shell_command"),
        "prompt" => None,
        _ => Some("write_file"),
    };
    let mut all = in_text(text, "g").into_iter();
    all.find(|it| it.matches(tool, key, value))
        .map(|it| format!("{}: {}", it.sought.line, it.text()))
}

/// IO-27: what a guard looks for is found in many languages, even if its test never matches.
#[test]
fn what_guards_look_for_is_found() {
    for text in [
        "if [[ \"$cmd\" == \"rm -rf\" ]]; then exit 2; fi",
        "if [[ $cmd =~ rm\\s+-rf ]]; then\n  exit 2\nfi",
        "case \"$cmd\" in\n  \"*rm -rf*\") exit 2;;\nesac",
        "case \"$in\" in *\"rm -rf\"*) exit 2;; esac",
        "jq -r .tool_input.cmd | grep -q 'rm -rf' && exit 2\nexit 0",
        "jq -e '.tool_input.command | test(\"rm -rf|mkfs\")' >/dev/null && exit 2",
        "bad=(\"rm -rf\" \"dd\")\n[[ \" ${bad[*]} \" == *\" $cmd \"* ]] && exit 2",
        "d = json.load(sys.stdin)\nif \"rm -rf\" in d[\"tool_input\"].get(\"cmd\", \"\"):\n    sys.exit(2)\n",
        "BAD = [\n    \"mkfs\",\n    \"rm -rf\",\n]\nif any(it == command for it in BAD):\n    sys.exit(2)\n",
        "if cmd.startswith(\"rm -rf\") and tool == \"Bash\":\n    sys.exit(2)\n",
        "const d = JSON.parse(require(\"fs\").readFileSync(0, \"utf8\"));\nif (d.tool_input.command === \"rm -rf\") process.exit(2);\n",
        "if (cmd.includes(\"rm .*-rf\")) process.exit(2);",
        "exit 2 if $d->{tool_input}{cmd} =~ /rm -rf/;",
        "#!/usr/bin/awk -f\n$2 == \"rm\" { exit 2 }",
        "if (/RM -RF/.test(cmd)) process.exit(2);",
        "if \"mkfs\" in cmd:\n    sys.exit(2)\nif \"rm -rf\" in cmd:\n    sys.exit(2)\n",
    ] {
        assert!(found(text, "command", "rm -rf build").is_some(), "{text}");
    }
    let text = "if re.match(r\"push --force\", cmd):\n    sys.exit(2)\n";
    assert!(found(text, "command", "git push --force").is_some());
    assert!(found(text, "command", "echo push --force").is_none());
    for text in [
        "if path == \"*.env\":\n    sys.exit(2)\n",
        "if (path.basename(f) === \"./.env\") process.exit(2);",
    ] {
        assert!(found(text, "file_path", "sub/.env").is_some(), "{text}");
    }
    let text =
        "f=$(jq -r .tool_input.file_path)\n[ \"$f\" = \"$GEMINI_PROJECT_DIR/.env\" ] && exit 2";
    assert!(found(text, "file_path", ".env").is_some());
    assert!(found(text, "file_path", "sub/.env").is_none());
    let text =
        "d = json.load(sys.stdin)\nif \"password\" in d.get(\"message\", \"\"):\n    sys.exit(2)\n";
    assert!(found(text, "prompt", "my password: x").is_some());
}

/// IO-27: a guard that may decide by something else, or the other way round, is never accused.
#[test]
fn guards_that_decide_by_more_are_left_alone() {
    for text in [
        "[[ $cmd == *\"rm -rf\"* && $branch == main ]] && exit 2",
        "[[ $cmd == *\"rm -rf\"* && $loud ]] && exit 2",
        "b=$(git branch --show-current)\nif [[ $cmd == *\"rm -rf\"* ]]; then exit 2; fi",
        "[ -n \"${GUARD_OFF:-}\" ] && exit 0\n[[ $cmd == *\"rm -rf\"* ]] && exit 2",
        "case $cmd in \"rm -rf\"*) exit 0;; esac\nexit 2",
        "grep -qE '^(ls|rm -rf)' || exit 2",
        "if ! grep -q 'rm -rf'; then exit 2; fi",
        "if \"rm -rf\" in cmd and \"/tmp\" not in cmd:\n    sys.exit(2)\n",
        "if \"rm -rf\" in cmd and is_outside(cmd):\n    sys.exit(2)\n",
        "if \"rm -rf\" in cmd:\n    if \"/home\" in cmd:\n        sys.exit(2)\n",
        "ALLOWED = [\"rm -rf\"]\nif cmd not in ALLOWED:\n    sys.exit(2)\n",
        "SAFE = (\"rm -rf\",)\nif cmd.startswith(SAFE):\n    sys.exit(0)\nsys.exit(2)\n",
        "if (!/^(ls|rm -rf)/.test(cmd)) process.exit(2);",
        "if (cmd.includes(\"rm -rf\") && outside(cmd)) process.exit(2);",
        "if (cmd.includes(\"rm -rf\") && cmd.includes(\"/home\")) process.exit(2);",
        "echo \"rm -rf is refused\" >&2\n[[ $cmd == *mkfs* ]] && exit 2",
        "d = json.load(sys.stdin)\nif d[\"tool_name\"] == \"write_file\" and \"rm -rf\" in d[\"tool_input\"][\"content\"]:\n    sys.exit(2)\n",
        "if \"rm -rf\" in cmd:\n    print(\"look out\", file=sys.stderr)\n",
        "jq -r .tool_input.command >> log\n[[ $cmd == *\"rm -rf\"* ]] && exit 2",
        "exit 2 unless $c =~ /^rm -rf/;",
        "\"\"\"Blocks 'rm -rf' outside of build.\"\"\"\nif re.search(r\"rm -rf (?!build)\", cmd):\n    sys.exit(2)\n",
        "[[ $cmd =~ $pattern ]] && exit 2 # blocks \"rm -rf\"",
        "if (outside(cmd)) process.exit(2); // blocks 'rm -rf'",
    ] {
        assert_eq!(found(text, "command", "rm -rf build"), None, "{text}");
    }
    let text = "[[ $cmd == *\"rm -rf\"* ]] && exit 2";
    for call in ["echo rm -rf", "git commit -m 'rm -rf'", "rm -rfv x", "ls"] {
        assert_eq!(found(text, "command", call), None, "{call}");
    }
    let text = "case \"$f\" in *.env) exit 2;; esac";
    assert_eq!(found(text, "file_path", ".env.example"), None);
}
