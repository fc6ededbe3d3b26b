#!/usr/bin/env python3
"""Secret guard: no keys in files."""
import json
import re
import sys

data = json.load(sys.stdin)
tool = data["tool_input"]
text = tool.get("content") or tool.get("new_string") or ""
if re.search(r"AKIA[0-9A-Z]{16}", text):
    print(json.dumps({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "the text holds an access key",
    }}))
