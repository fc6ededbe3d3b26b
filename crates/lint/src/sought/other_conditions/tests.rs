use super::super::in_text;

fn accused(text: &str, key: &str, value: &str) -> bool {
    let tool = if key == "command" {
        "run_shell_command"
    } else {
        "write_file"
    };
    in_text(text, "g")
        .iter()
        .any(|it| it.matches(Some(tool), key, value))
}

/// IO-27: a guard that lets something pass by name, or checks more, isn't accused; one that only
/// checks the tool is.
#[test]
fn what_is_let_pass_on_purpose_isnt_accused() {
    for (text, key, value) in [
        (
            "case \"$f\" in\n  docs/*) ;;\n  *.env) exit 2 ;;\nesac",
            "file_path",
            "docs/.env",
        ),
        (
            "case \"$f\" in\n  *.env.example) ;;\n  *.env) exit 2 ;;\nesac",
            "file_path",
            "x/.env.example",
        ),
        (
            "case \"$f\" in *.env.example|*.env.sample) : ;; *.env) exit 2;; esac",
            "file_path",
            "x/.env.example",
        ),
        (
            "case \"$f\" in docs/*) ;; *.env) exit 2;; esac",
            "file_path",
            "docs/.env",
        ),
        (
            "case \"$f\" in\n  \"$ROOT\"/tmp/*)\n    ;;\n  *.env)\n    exit 2\n    ;;\nesac",
            "file_path",
            "tmp/.env",
        ),
        (
            "if is_inside(path):\n    sys.exit(0)\nif path.endswith(\".env\"):\n    sys.exit(2)\n",
            "file_path",
            "x/.env",
        ),
        (
            "if outside(cmd):\n    if \"rm -rf\" in cmd:\n        sys.exit(2)\n",
            "command",
            "rm -rf build",
        ),
        (
            "if \"rm -rf\" in cmd:\n    if outside(cmd):\n        sys.exit(2)\n",
            "command",
            "rm -rf build",
        ),
        (
            "if \"rm -rf\" in cmd:\n    target = cmd.split()[-1]\n    if outside(target):\n        sys.exit(2)\n",
            "command",
            "rm -rf build",
        ),
        (
            "if (outside(cmd)) {\n  if (cmd.includes(\"rm -rf\")) process.exit(2);\n}\n",
            "command",
            "rm -rf build",
        ),
        (
            "if (outside(cmd)) { if (cmd.includes(\"rm -rf\")) process.exit(2); }",
            "command",
            "rm -rf build",
        ),
        (
            "if [[ $cmd == *\"rm -rf\"* ]]; then\n  target=${cmd##* }\n  if [[ $target == /* ]]; then\n    exit 2\n  fi\nfi",
            "command",
            "rm -rf build",
        ),
        (
            "[[ \"$f\" == \"$ROOT\"/tmp/* ]] && exit 0\n[[ $f == *.env ]] && exit 2",
            "file_path",
            "tmp/.env",
        ),
    ] {
        assert!(!accused(text, key, value), "{text}");
    }
    for text in [
        "tool=$(jq -r .tool_name)\n[[ \"$tool\" == \"run_shell_command\" ]] || exit 0\n[[ $cmd == \"*rm -rf*\" ]] && exit 2",
        "if d[\"tool_name\"] != \"run_shell_command\":\n    sys.exit(0)\nif \"rm -rf\" == cmd:\n    sys.exit(2)\n",
        "if [ \"$tool\" = run_shell_command ]; then\n  if [[ $cmd == \"*rm -rf*\" ]]; then\n    exit 2\n  fi\nfi",
        "if not cmd:\n    sys.exit(0)\nif cmd == \"rm -rf\":\n    sys.exit(2)\n",
        "case \"$cmd\" in\n  mkfs*) exit 2;;\n  \"*rm -rf*\") exit 2;;\nesac",
    ] {
        assert!(accused(text, "command", "rm -rf build"), "{text}");
    }
}

/// IO-27: a guard that compares a whole command or path means nothing longer.
#[test]
fn what_is_compared_as_a_whole_is_not_a_part() {
    for (text, value) in [
        (
            "[[ \"$cmd\" == \"npm install\" ]] && exit 2",
            "npm install lodash",
        ),
        (
            "[ \"$cmd\" = 'npm install' ] && exit 2",
            "npm install lodash",
        ),
        (
            "[[ $cmd =~ ^npm\\ install$ ]] && exit 2",
            "npm install lodash",
        ),
        (
            "grep -qE '^npm install$' <<<\"$cmd\" && exit 2",
            "npm install lodash",
        ),
        (
            "grep -qx 'npm install' <<<\"$cmd\" && exit 2",
            "npm install lodash",
        ),
        (
            "case \"$cmd\" in \"npm install\"|\"npm i\") exit 2;; esac",
            "npm install lodash",
        ),
        (
            "case \"$cmd\" in\n  \"npm install\") exit 2 ;;\nesac",
            "npm install lodash",
        ),
        (
            "if cmd == \"npm install\":\n    sys.exit(2)\n",
            "npm install lodash",
        ),
        (
            "if \"npm install\" == cmd:\n    sys.exit(2)\n",
            "npm install lodash",
        ),
        (
            "if cmd in (\"npm install\", \"npm i\"):\n    sys.exit(2)\n",
            "npm install lodash",
        ),
        (
            "BAD = [\"npm install\", \"npm i\"]\nif cmd in BAD:\n    sys.exit(2)\n",
            "npm install lodash",
        ),
        (
            "if re.fullmatch(r\"npm install\", cmd):\n    sys.exit(2)\n",
            "npm install lodash",
        ),
        (
            "if (cmd === \"npm install\") process.exit(2);",
            "npm install lodash",
        ),
        (
            "if ([\"npm install\", \"npm i\"].includes(cmd)) process.exit(2);",
            "npm install lodash",
        ),
        (
            "const BAD = [\"npm install\"];\nif (BAD.includes(cmd)) process.exit(2);",
            "npm install lodash",
        ),
        (
            "if (/^npm install$/.test(cmd)) process.exit(2);",
            "npm install lodash",
        ),
        ("exit 2 if $c eq 'npm install';", "npm install lodash"),
        (
            "[[ \"$cmd\" == \"git push\" ]] && exit 2",
            "git push origin topic",
        ),
        (
            "if cmd.endswith(\"--force\"):\n    sys.exit(2)\n",
            "git push --force origin",
        ),
    ] {
        assert!(!accused(text, "command", value), "{text}");
    }
}

/// IO-27: a command that does nothing by itself is meant as a part, and so is what isn't compared
/// as a whole; a path relative to the project means only itself.
#[test]
fn what_is_meant_as_a_part_is_accused() {
    for (text, value) in [
        ("[[ \"$cmd\" == \"npm install\" ]] && exit 2", "npm install"),
        ("[[ \"$cmd\" == \"rm -rf\" ]] && exit 2", "rm -rf build"),
        (
            "[[ \"$cmd\" == \"*npm install*\" ]] && exit 2",
            "npm install lodash",
        ),
        (
            "if (cmd.includes(\"npm .*install\")) process.exit(2);",
            "npm x install",
        ),
        (
            "[[ \"$cmd\" == *\"git push\"* ]] && exit 2",
            "git push origin main",
        ),
        (
            "if cmd.startswith(\"^curl -T\"):\n    sys.exit(2)\n",
            "curl -T x",
        ),
    ] {
        assert!(accused(text, "command", value), "{text}");
    }
    for text in [
        "if (path.relative(root, file) === \".env\") process.exit(2);",
        "if os.path.relpath(f, root) == \".env\":\n    sys.exit(2)\n",
        "f=${f#\"$ROOT\"/}\n[ \"$f\" = .env ] && exit 2",
        "[ \"$(realpath --relative-to=. \"$file_path\")\" = \".env\" ] && exit 2",
    ] {
        assert!(!accused(text, "file_path", "/proj/sub/.env"), "{text}");
    }
    let text = "if file_path == \".env\":\n    sys.exit(2)\n";
    assert!(accused(text, "file_path", "/proj/.env"));
}
