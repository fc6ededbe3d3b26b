#!/usr/bin/env python3
import json, re, sys

PATTERNS = [
    (re.compile(r"\brm\s+-[a-z]*r[a-z]*f"), "rm -rf is blocked"),
    (re.compile(r"\bgit\s+push\s+.*--force\b"), "no force pushes"),
    (re.compile(r"(^|[;&|]\s*)sudo\b"), "no sudo"),
    (re.compile(r"curl[^|]*\|\s*(ba)?sh"), "no pipes into a shell"),
]


def main() -> int:
    try:
        event = json.load(sys.stdin)
    except json.JSONDecodeError as e:
        print(f"bad input: {e}", file=sys.stderr)
        return 2
    if event.get("tool_name") != "run_shell_command":
        return 0
    cmd = event["tool_input"].get("command") or ""
    for pattern, reason in PATTERNS:
        if pattern.search(cmd):
            print(reason, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
