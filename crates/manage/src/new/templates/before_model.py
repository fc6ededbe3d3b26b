import json
import sys

request = json.load(sys.stdin)["llm_request"]

if (request.get("config") or {}).get("temperature", 1) > 0.2:
    # Only what is named is changed; the rest of the request stays.
    json.dump(
        {
            "hookSpecificOutput": {
                "hookEventName": "BeforeModel",
                "llm_request": {"config": {"temperature": 0.2}},
            }
        },
        sys.stdout,
    )
