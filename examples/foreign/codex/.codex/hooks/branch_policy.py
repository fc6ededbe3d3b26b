#!/usr/bin/env python3
"""Branch policy: nothing is pushed to main."""
import json
import re
import sys

data = json.load(sys.stdin)
if re.search(r"\bgit\s+push\b.*\bmain\b", data["tool_input"]["command"]):
    print(json.dumps({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "open a pull request instead of pushing to main",
    }}))
