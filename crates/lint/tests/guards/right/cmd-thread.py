#!/usr/bin/env python3
import concurrent.futures
import json
import sys

CHECKS = [
    lambda cmd: "rm -rf" in cmd and "rm -rf",
    lambda cmd: "mkfs" in cmd and "mkfs",
]

event = json.load(sys.stdin)
command = event["tool_input"]["command"]
with concurrent.futures.ThreadPoolExecutor() as pool:
    found = [it.result() for it in [pool.submit(check, command) for check in CHECKS]]
reasons = [it for it in found if it]
if reasons:
    print(f"refused: {reasons}", file=sys.stderr)
    sys.exit(2)
