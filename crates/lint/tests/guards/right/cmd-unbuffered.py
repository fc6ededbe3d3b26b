#!/usr/bin/python3 -u
import json, os, sys
event = json.load(sys.stdin)
if "rm -rf" in event["tool_input"]["command"]:
    print(json.dumps({"decision": "deny", "reason": "no"}))
    os._exit(0)
