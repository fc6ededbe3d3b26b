#!/usr/bin/env python3
"""Secret guard: no keys in files."""
import json
import re
import sys

data = json.load(sys.stdin)
text = data["tool_input"].get("content") or data["tool_input"].get("new_string") or ""
if re.search(r"AKIA[0-9A-Z]{16}", text):
    print(json.dumps({"permission": "deny", "agent_message": "the text holds an access key"}))
