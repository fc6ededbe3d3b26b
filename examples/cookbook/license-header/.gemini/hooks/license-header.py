#!/usr/bin/env python3
import json, sys

HEADER = "SPDX-License-Identifier: Apache-2.0"
COMMENT = {"py": "#", "sh": "#", "rs": "//", "go": "//", "js": "//", "ts": "//"}

arguments = json.load(sys.stdin)["tool_input"]
mark = COMMENT.get(arguments["file_path"].rsplit(".", 1)[-1])
content = arguments["content"]
if mark and HEADER not in content:
    first, line_end, rest = content.partition("\n")
    if first.startswith("#!"):
        content = f"{first}\n{mark} {HEADER}\n{rest}"
    else:
        content = f"{mark} {HEADER}\n{content}"
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "BeforeTool", "tool_input": {"content": content}}}))
