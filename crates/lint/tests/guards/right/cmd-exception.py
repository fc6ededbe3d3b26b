#!/usr/bin/env python3
import json, sys

class Blocked(Exception):
    pass

def check(event):
    command = event.get("tool_input", {}).get("command", "")
    if command.lower().startswith("rm -rf"):
        raise Blocked("rm -rf is dangerous")

def main():
    try:
        check(json.load(sys.stdin))
    except Blocked as reason:
        print(reason, file=sys.stderr)
        return 2
    except Exception:
        return 2
    return 0

raise SystemExit(main())
