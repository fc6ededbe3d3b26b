import json
import subprocess
import sys

# event["source"] says how the session began.
event = json.load(sys.stdin)

try:
    git = subprocess.run(["git", "branch", "--show-current"], capture_output=True, text=True)
    branch = git.stdout.strip()
except OSError:
    branch = ""

json.dump(
    {
        "hookSpecificOutput": {
            "hookEventName": "SessionStart",
            "additionalContext": f"Current git branch: {branch or 'none'}",
        }
    },
    sys.stdout,
)
