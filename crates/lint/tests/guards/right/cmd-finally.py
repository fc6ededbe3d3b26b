#!/usr/bin/env python3
import json, sys, time

start = time.monotonic()
try:
    event = json.load(sys.stdin)
    if "rm -rf" in event["tool_input"]["command"]:
        print("rm -rf", file=sys.stderr)
        sys.exit(2)
finally:
    elapsed = time.monotonic() - start
    print(f"took {elapsed:.3f}s", file=sys.stderr)
