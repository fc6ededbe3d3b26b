#!/usr/bin/env python3
import json
import sys


def deny(reason):
    print(json.dumps({"decision": "deny", "reason": reason}))
    sys.exit(0)


def check_shell(args):
    command = args.get("command", "")
    if command.startswith(("rm ", "sudo rm ")) or " rm " in command:
        deny("no rm")


def check_write(args):
    path = args.get("file_path", "")
    if path.endswith((".pem", ".key", ".env")) or path == ".env":
        deny(f"{path} is protected")


CHECKS = {
    "run_shell_command": check_shell,
    "write_file": check_write,
    "replace": check_write,
}

event = json.load(sys.stdin)
CHECKS.get(event["tool_name"], lambda args: None)(event.get("tool_input", {}))
