#!/usr/bin/env python3
"""Loop: goes over the work a second time."""
import json
import pathlib
import sys

data = json.load(sys.stdin)
counter = pathlib.Path("rounds.txt")
rounds = int(counter.read_text()) + 1 if counter.exists() else 1
counter.write_text(str(rounds))
if rounds < 3:
    print(json.dumps({"decision": "block", "reason": "look at the work once more"}))
