import json
import sys

call = json.load(sys.stdin)

# A tool that failed changed nothing.
if (call.get("tool_response") or {}).get("error"):
    sys.exit(0)

path = (call.get("tool_input") or {}).get("file_path", "A file")
json.dump(
    {
        "hookSpecificOutput": {
            "hookEventName": "AfterTool",
            "additionalContext": f"{path} was changed: run the tests before you say that it works.",
        }
    },
    sys.stdout,
)
