#!/usr/bin/env python3
"""Command guard: deletes no folders."""
import json
import re
import sys

data = json.load(sys.stdin)
if re.search(r"\brm\s+-\w*r", data["toolArgs"]["command"]):
    print(json.dumps({
        "permissionDecision": "deny",
        "permissionDecisionReason": "deleting whole folders is not allowed here",
    }))
