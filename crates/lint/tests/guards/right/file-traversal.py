#!/usr/bin/env python3
import json, sys

event = json.load(sys.stdin)
path = event["tool_input"]["file_path"]
if path.startswith("../") or path.find("/../") > 0 or path.endswith("/.env") or path == ".env":
    print("no", file=sys.stderr)
    sys.exit(2)
