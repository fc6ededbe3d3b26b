#!/usr/bin/env python3
"""Branch policy: nothing is pushed to main."""
import json
import re
import sys

data = json.load(sys.stdin)
if re.search(r"\bgit\s+push\b.*\bmain\b", data["command"]):
    print(json.dumps({"permission": "deny", "agent_message": "open a pull request instead of pushing to main"}))
