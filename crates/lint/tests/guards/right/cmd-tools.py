#!/usr/bin/env python3
import json, sys

SHELLS = ("run_shell_command", "shell", "Bash")
event = json.load(sys.stdin)
tool = event["tool_name"]
if tool.lower() in {it.lower() for it in SHELLS} or tool.lower() == "RunShell".lower():
    cmd = event["tool_input"]["command"]
    if cmd[:3] == "rm " or cmd == "rm" or cmd.startswith("rm\t"):
        print("no rm", file=sys.stderr)
        sys.exit(2)
