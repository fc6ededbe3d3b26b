#!/usr/bin/env python3
import json, os, sys
os.environ["CMD"] = json.load(sys.stdin)["tool_input"]["command"]
code = os.system('case "$CMD" in *"rm -rf"*) exit 1;; esac')
if code:
    code = 2
sys.exit(code)
