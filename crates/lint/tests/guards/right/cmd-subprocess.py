#!/usr/bin/env python3
import json, subprocess, sys

event = json.load(sys.stdin)
cmd = event["tool_input"]["command"]
root = subprocess.run(["git", "rev-parse", "--show-toplevel"], capture_output=True, text=True)
top = root.stdout.strip()
check = subprocess.run(["grep", "-qE", r"(^|[;&| ])rm +-[a-zA-Z]*r"], input=cmd, text=True)
if check.returncode == 0:
    print(f"no recursive rm in {top}", file=sys.stderr)
    sys.exit(2)
elif check.returncode > 1:
    sys.exit(2)
sys.exit(0)
