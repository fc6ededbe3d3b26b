import datetime
import json
import sys

# event["prompt"] is what the user wrote.
event = json.load(sys.stdin)

json.dump(
    {
        "hookSpecificOutput": {
            "hookEventName": "BeforeAgent",
            "additionalContext": f"Today is {datetime.date.today().isoformat()}.",
        }
    },
    sys.stdout,
)
