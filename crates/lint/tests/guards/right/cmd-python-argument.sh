#!/usr/bin/env bash
input=$(cat)
python3 - "$input" <<'PY'
import json, sys
event = json.loads(sys.argv[1])
if event["tool_input"]["command"].startswith("rm "):
    print("no rm", file=sys.stderr)
    sys.exit(2)
PY
