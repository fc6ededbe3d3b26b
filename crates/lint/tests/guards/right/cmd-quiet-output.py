#!/usr/bin/env python3
import json, os, sys
out = sys.stdout
sys.stdout = open(os.devnull, "w")
event = json.load(sys.stdin)
print("noise of a library")
if "rm -rf" in event["tool_input"]["command"]:
    print(json.dumps({"decision": "deny", "reason": "no"}), file=out)
