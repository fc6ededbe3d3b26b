#!/usr/bin/env python3
"""Secret guard: no keys in files."""
import json
import re
import sys

data = json.load(sys.stdin)
text = data["toolArgs"].get("file_text") or data["toolArgs"].get("new_str") or ""
if re.search(r"AKIA[0-9A-Z]{16}", text):
    print(json.dumps({
        "permissionDecision": "deny",
        "permissionDecisionReason": "the text holds an access key",
    }))
