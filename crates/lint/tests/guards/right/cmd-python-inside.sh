#!/usr/bin/env bash
set -euo pipefail
EVENT=$(cat) exec python3 - <<'EOF'
import json, os, sys
event = json.loads(os.environ["EVENT"])
if "rm -rf" in event["tool_input"]["command"]:
    print("rm -rf", file=sys.stderr)
    sys.exit(2)
EOF
