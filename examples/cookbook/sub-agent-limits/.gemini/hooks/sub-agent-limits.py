#!/usr/bin/env python3
import json, sys

MAY = {"read_file", "read_many_files", "list_directory", "glob", "search_file_content"}

call = json.load(sys.stdin)
agent = call.get("agent_name")
if agent and call["tool_name"] not in MAY:
    print(f"{agent} only reads: report what has to be done, and let the main agent do it", file=sys.stderr)
    sys.exit(2)
