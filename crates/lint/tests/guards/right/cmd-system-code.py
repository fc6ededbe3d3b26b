#!/usr/bin/env python3
import json, os, sys
os.environ["CMD"] = json.load(sys.stdin)["tool_input"]["command"]
sys.exit(os.system('case "$CMD" in *"rm -rf"*) exit 1;; esac') and 2 or 0)
