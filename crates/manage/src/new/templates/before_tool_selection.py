import json
import sys

messages = json.load(sys.stdin)["llm_request"].get("messages") or []
asked = [it.get("content", "") for it in messages if it.get("role") == "user"]

if asked and "explain" in asked[-1].lower():
    json.dump(
        {
            "hookSpecificOutput": {
                "hookEventName": "BeforeToolSelection",
                "toolConfig": {
                    "mode": "AUTO",
                    "allowedFunctionNames": [
                        "read_file",
                        "list_directory",
                        "glob",
                        "search_file_content",
                    ],
                },
            }
        },
        sys.stdout,
    )
