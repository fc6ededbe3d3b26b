#!/usr/bin/env python3
import json
import sys

event = json.load(sys.stdin)
match event:
    case {"tool_name": "run_shell_command", "tool_input": {"command": str(cmd)}} if "rm -rf" in cmd:
        print(json.dumps({"decision": "block", "reason": "no rm -rf"}))
    case _:
        pass
