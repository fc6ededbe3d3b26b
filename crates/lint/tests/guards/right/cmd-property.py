#!/usr/bin/env python3
import enum, functools, json, re, sys

class Action(enum.IntEnum):
    ALLOW = 0
    DENY = 2

RULES = {
    r"^\s*rm\s+-rf?\b": Action.DENY,
    r"^\s*ls\b": Action.ALLOW,
}

@functools.cache
def compiled(pattern):
    return re.compile(pattern, re.IGNORECASE)

def verdict(cmd):
    return max((action for pattern, action in RULES.items() if compiled(pattern).match(cmd)), default=Action.ALLOW)

if __name__ == "__main__":
    event = json.loads(sys.stdin.read() or "{}")
    result = verdict(event.get("tool_input", {}).get("command", ""))
    if result is Action.DENY:
        print("denied", file=sys.stderr)
    sys.exit(int(result))
